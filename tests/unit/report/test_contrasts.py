"""Heat maps of tested pairs, of comparisons and of rankings by people."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations

import pytest

from unit.human.judgments import one as judgment
from unit.report.made.compare import compare_result
from unit.report.pictures.drawings import drawn, of_class, texts, title
from weigh.human.plan import RankPlan
from weigh.human.rank import rank
from weigh.report.compare_pictures import heat_maps
from weigh.report.compared import CompareReport
from weigh.report.human_pictures import ranking_maps
from weigh.report.pictures.picture import Picture

NAMES = ["a", "b", "c"]
P_VALUES = {(0, 1): 0.0011, (0, 2): 0.0002, (1, 2): 0.0501}


def squares(picture: Picture) -> list[str]:
    """The shades of the cells, row by row."""
    cells = sorted(of_class(drawn(picture), "cell"), key=_place)
    return [cell.attrib["class"].removeprefix("cell").strip() for cell in cells]


def titles(picture: Picture) -> list[str]:
    return [title(cell) for cell in sorted(of_class(drawn(picture), "cell"), key=_place)]


def _place(cell: object) -> tuple[float, float]:
    return float(cell.attrib["y"]), float(cell.attrib["x"])  # type: ignore[attr-defined]


def test_cells_show_where_the_row_is_better_and_how_surely() -> None:
    bleu, ter = heat_maps(CompareReport(compare_result(NAMES, P_VALUES)))
    assert squares(bleu) == ["self", "good2", "good3", "bad2", "self", "", "bad3", "", "self"]
    _, first, second, third, _, fourth, *_ = titles(bleu)
    assert first == "a better than b: difference +1.00 BLEU, p = .0004, adjusted .0011"
    assert second.startswith("a better than c: difference +2.00 BLEU, p = .0001, adjusted .0002")
    assert third == first
    assert fourth.startswith("no evidence of a difference between b and c: difference +1.00 BLEU")
    # A rate of errors: the last is the best, and so the first row.
    assert squares(ter) == ["self", "", "good3", "", "self", "good2", "bad3", "bad2", "self"]
    assert titles(ter)[2].startswith("c better than a: difference -2.00 TER")


@pytest.mark.parametrize(
    ("p", "shade"),
    [(0.001, "good3"), (0.0011, "good2"), (0.01, "good2"), (0.05, "good1"), (0.051, "")],
)
def test_shades_have_the_levels_of_the_legend(p: float, shade: str) -> None:
    [picture, _] = heat_maps(CompareReport(compare_result(NAMES, P_VALUES | {(0, 1): p})))
    assert squares(picture)[1] == shade


def test_a_baseline_is_the_only_column_with_its_numbers_beside_it() -> None:
    result = compare_result(NAMES, P_VALUES, baseline=True)
    bleu, _ = heat_maps(CompareReport(result))
    assert squares(bleu) == ["self", "bad2", "bad3"]
    assert "-1.00, p = .0006, adjusted .0011" in texts(drawn(bleu))
    assert "a" in texts(drawn(bleu))


@pytest.mark.parametrize("alternative", ["better", "worse"])
def test_of_two_one_sided_tests_a_cell_shows_its_own(alternative: str) -> None:
    pairs = dict.fromkeys(permutations(range(3), 2), 1.0)
    winner, loser = (0, 2) if alternative == "better" else (2, 0)
    pairs[winner, loser] = 0.0002
    result = compare_result(NAMES, pairs)
    pairs_of_test = tuple(replace(pair, alternative=alternative) for pair in result.comparisons)
    bleu, _ = heat_maps(CompareReport(replace(result, comparisons=pairs_of_test)))
    assert squares(bleu) == ["self", "", "good3", "", "self", "", "bad3", "", "self"]
    assert titles(bleu)[2].startswith("a better than c: difference ")
    asked = "a is better than b" if alternative == "better" else "b is worse than a"
    assert titles(bleu)[1].startswith(f"no evidence that {asked}: difference ")


def test_a_test_that_contradicts_the_scores_shades_nothing() -> None:
    result = compare_result(NAMES, P_VALUES)
    odd = tuple(replace(pair, contradicts=True) for pair in result.comparisons)
    bleu, _ = heat_maps(CompareReport(replace(result, comparisons=odd)))
    assert {*squares(bleu)} == {"self", ""}
    assert titles(bleu)[1].startswith("no conclusion on a and b")


def test_rankings_by_people_are_shaded_alike() -> None:
    judgments = [
        judgment(name, n, 80 - 15 * at + (7 * n + 3 * at) % 13)
        for at, name in enumerate(NAMES)
        for n in range(40)
    ]
    result = rank(judgments, RankPlan())
    [picture] = ranking_maps(result)
    assert squares(picture) == [
        *("self", "good3", "good3"),
        *("bad3", "self", "good3"),
        *("bad3", "bad3", "self"),
    ]
    for (a, b), text in zip(
        combinations(NAMES, 2), [titles(picture)[at] for at in (1, 2, 5)], strict=True
    ):
        assert text.startswith(f"{a} better than {b}: difference +")
        assert " z, p < .0001, adjusted " in text
    odd = [replace(row, ahead=-row.ahead, significant=False) for row in result.comparisons]
    [picture] = ranking_maps(replace(result, comparisons=tuple(odd)))
    assert {*squares(picture)} == {"self", ""}
