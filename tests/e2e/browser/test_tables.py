from __future__ import annotations

from e2e.browser.visit import Visit
from weigh.comparing.compare_result import CompareResult


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


def test_data_can_be_saved(visit: Visit, result: CompareResult) -> None:
    saved = visit.saved()
    assert saved["command"] == "compare"
    assert [one["p_value"] for one in saved["comparisons"]] == [
        one.p_value for one in result.comparisons
    ]
    visit.requests[1:] = []  # the blob that is saved
