from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from e2e.browser.visit import CONTRAST, Visit
from weigh.human.rank import rank
from weigh.human.rank_result import RankResult
from weigh_lab.simulation import simulate


@pytest.fixture(scope="module")
def ranking() -> RankResult:
    made = simulate(systems=5, segments=100, hits=40, judges=20)
    return rank([replace(one, system=f"<b>{one.system}</b>") for one in made.judgments])


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_ranking_by_people(
    chromium: Any, tmp_path: Path, ranking: RankResult, width: int, scheme: str
) -> None:
    path = tmp_path / "people.html"
    path.write_text(ranking.to_html(), encoding="utf-8")
    visit = Visit(chromium, path, width=width, height=844, scheme=scheme)
    view = visit.view
    size = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    assert view.evaluate(size) == [width, width]
    assert view.evaluate(CONTRAST) == []
    titles = view.locator("main > section > h2").all_inner_texts()
    assert titles == view.locator("nav a").all_inner_texts()
    assert (titles[0], titles[-1], len(titles)) == ("Summary", "Data", 6 + bool(ranking.judges))
    [only] = ranking.rankings
    best_first = [one.system for one in only.scores]
    assert visit.cells("#scores table", 1) == best_first
    cells = view.locator("#pairs svg .cell title").all_text_contents()
    assert len(cells) == 5 * 5
    assert cells[0] == best_first[0]
    rows = view.locator("#pair-table tbody tr:visible")
    assert rows.count() == len(only.comparisons) == 10
    visit.click("#pair-significant")
    assert rows.count() == sum(one.significant for one in only.comparisons) > 0
    # Lines part clusters as long as rows stand by rank.
    lines = """(rows) => rows.filter(
        (row) => parseFloat(getComputedStyle(row.cells[0]).borderTopWidth) > 0).length"""
    parted = view.eval_on_selector_all("#scores tbody tr", lines)
    assert parted == len(only.clusters) - 1 > 0
    visit.click(view.locator("#scores thead th button").nth(1))
    assert visit.cells("#scores table", 1) == sorted(best_first) != best_first
    assert view.eval_on_selector_all("#scores tbody tr", lines) == 0
    saved = visit.saved()
    assert [one["score"] for one in saved["scores"]] == [one.score for one in only.scores]
    visit.leave()
    assert visit.complaints == []
    assert visit.requests[0] == visit.address
    assert all(address.startswith("blob:") for address in visit.requests[1:])
