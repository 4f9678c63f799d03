from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from e2e.browser.visit import Visit, expect
from weigh import compare
from weigh.comparing.compare_result import CompareResult


def test_scores_sort_by_every_column(visit: Visit, result: CompareResult) -> None:
    entries = [s for s in result.scores if s.metric == "bleu" and s.slice is None]
    best_first = [f"{s.score:.2f}" for s in sorted(entries, key=lambda s: -s.score)]
    title = visit.view.locator("#summary thead th").nth(1)
    for expected, direction in (
        (best_first, "descending"),
        (best_first[::-1], "ascending"),
        (best_first, "descending"),
    ):
        visit.click(title.locator("button"))
        assert visit.cells("#summary table", 1) == expected
        assert title.get_attribute("aria-sort") == direction
    visit.view.locator("#summary thead th button").first.press("Enter")
    visit.settle()
    assert visit.cells("#summary table", 0) == sorted(s.system for s in entries)
    assert title.get_attribute("aria-sort") is None


def test_data_can_be_saved(visit: Visit, result: CompareResult) -> None:
    saved = visit.saved()
    assert saved["command"] == "compare"
    assert [one["p_value"] for one in saved["comparisons"]] == [
        one.p_value for one in result.comparisons
    ]
    visit.requests[1:] = []  # the blob that is saved


def test_a_click_on_a_pair_opens_its_segments(visit: Visit, result: CompareResult) -> None:
    view = visit.view
    shown = "() => ['browse-a', 'browse-b'].map((id) => document.getElementById(id)"
    shown += ".selectedOptions[0].textContent)"
    row = view.locator("#pair-table tbody tr").nth(30)
    names = row.locator(".system").all_text_contents()
    row.locator(".number").first.click()
    assert view.evaluate(shown) == names
    expect(view.locator(".card").first).to_be_attached()
    systems = [s.system for s in result.scores if s.metric == "bleu" and s.slice is None]
    cell = view.locator("svg .pick").first.locator("rect").nth(2 * len(systems) + 5)
    cell.click()
    order = json.loads(view.locator("svg .pick").first.get_attribute("data-names"))
    assert view.evaluate(shown) == [order[2], order[5]]


def test_a_long_list_is_unpacked_when_it_is_asked_for(chromium: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    scores = {f"s{at}": (rng.random(30) < 0.3 + at / 80).astype(int) for at in range(40)}
    path = tmp_path / "long.html"
    compare(scores, threads=1).to_html(path)
    visit = Visit(chromium, path)
    rows = visit.view.locator("#pair-table tbody tr")
    assert rows.count() == 100
    visit.click(visit.view.locator("#pair-all"))
    expect(rows).to_have_count(40 * 39 // 2)
    visit.view.fill("#pair-text", "s3")
    expect(visit.view.locator("#pair-count")).to_contain_text("of 780 rows")
    visit.leave()
    assert visit.complaints == []
