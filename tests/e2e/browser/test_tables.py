from __future__ import annotations

import pytest

from e2e.browser.visit import Visit, expect
from weigh.comparing.compare_result import CompareResult


def test_sections_stand_in_order_and_the_contents_lead_to_them(visit: Visit) -> None:
    titles = visit.view.locator("main > section > h2").all_inner_texts()
    assert titles == [
        *("Summary", "Scores", "Ranking", "Pairs", "Distributions", "Segments"),
        *("Methods and signatures", "Data"),
    ]
    assert visit.view.locator("nav a").all_inner_texts() == titles
    targets = visit.view.eval_on_selector_all(
        "nav a", "(links) => links.map((a) => document.querySelector(a.hash).tagName)"
    )
    assert targets == ["SECTION"] * len(titles)
    outside = visit.view.eval_on_selector_all(
        "[href], [src]", "(all) => all.map((e) => e.getAttribute('href') ?? 'src')"
    )
    assert all(address.startswith("#") for address in outside)


def test_scores_sort_by_every_column(visit: Visit, result: CompareResult) -> None:
    entries = [s for s in result.scores if s.metric == "bleu"]
    best_first = [f"{s.score:.2f}" for s in sorted(entries, key=lambda s: -s.score)]
    title = visit.view.locator("#scores thead th").nth(1)
    for expected, direction in (
        (best_first, "descending"),
        (best_first[::-1], "ascending"),
        (best_first, "descending"),
    ):
        visit.click(title.locator("button"))
        assert visit.cells("#scores table", 1) == expected
        assert title.get_attribute("aria-sort") == direction
    visit.view.locator("#scores thead th button").first.press("Enter")
    visit.settle()
    assert visit.cells("#scores table", 0) == sorted(s.system for s in entries)
    assert title.get_attribute("aria-sort") is None


def test_pairs_are_filtered(visit: Visit, result: CompareResult) -> None:
    view, comparisons = visit.view, result.comparisons
    rows = view.locator("#pair-table tbody tr:visible")
    assert rows.count() == len(comparisons) == 2 * 3 * 66
    view.select_option("#pair-metric", label="TER")
    view.select_option("#pair-test", label="paired-bootstrap")
    own = [c for c in comparisons if c.metric == "ter" and c.test == "paired-bootstrap"]
    assert rows.count() == len(own) == 66
    visit.click("#pair-significant")
    significant = [c for c in own if c.significant]
    assert 0 < len(significant) < 66
    assert rows.count() == len(significant)
    view.fill("#pair-text", "SYSTEM-07 better")
    with_seven = [c for c in significant if "system-07" in (c.a, c.b)]
    assert rows.count() == len(with_seven)
    expect(view.locator("#pair-count")).to_have_text(f"{len(with_seven)} of 396 rows")


def test_pairs_sort_by_p(visit: Visit, result: CompareResult) -> None:
    titles = visit.view.locator("#pair-table thead th").all_inner_texts()
    visit.click(visit.view.locator("#pair-table thead th button").nth(titles.index("p")))
    shown = [float(p.removeprefix("<")) for p in visit.cells("#pair-table", titles.index("p"))]
    assert shown == sorted(shown)
    assert shown[-1] == pytest.approx(max(c.p_value for c in result.comparisons), abs=1e-4)


def test_data_can_be_saved(visit: Visit, result: CompareResult) -> None:
    saved = visit.saved()
    assert saved["command"] == "compare"
    assert [one["p_value"] for one in saved["comparisons"]] == [
        one.p_value for one in result.comparisons
    ]
    visit.requests[1:] = []  # the blob that is saved
