from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations

import pytest

from unit.report.pictures.samples import (
    NAMES,
    drawn,
    made_report,
    made_result,
    made_scores,
    of_class,
    texts,
    title,
    with_score,
)
from weigh.comparing.compare_result import Comparison
from weigh.report.compared import CompareReport
from weigh.report.pictures import Picture, heat_maps
from weigh.wording import fixed, probability


def order(report: CompareReport, metric: str) -> list[str]:
    sign = 1 if metric == "ter" else -1
    entries = [e for e in report.result.scores if (e.metric, e.slice) == (metric, None)]
    return [e.system for e in sorted(entries, key=lambda e: sign * e.score)]


def table(picture: Picture, columns: int) -> list[list[ET.Element]]:
    """Return the cells, row by row as they stand on the picture."""
    cells = sorted(
        of_class(drawn(picture), "cell"),
        key=lambda cell: (float(cell.attrib["y"]), float(cell.attrib["x"])),
    )
    return [cells[at : at + columns] for at in range(0, len(cells), columns)]


def shade(p: float, colour: str = "good") -> str:
    if p <= 0.001:
        return f"cell {colour}3"
    if p <= 0.01:
        return f"cell {colour}2"
    return f"cell {colour}1" if p <= 0.05 else "cell"


def graded(pairs: tuple[Comparison, ...], p_values: list[float]) -> tuple[Comparison, ...]:
    """Return comparisons with adjusted p-values from a list."""
    return tuple(
        replace(one, p_adjusted=p, p_value=p / 10, significant=p <= 0.05)
        for one, p in zip(pairs, p_values * len(pairs), strict=False)
    )


LEVELS = [0.0002, 0.001, 0.0011, 0.01, 0.02, 0.05, 0.0501, 1.0]


@pytest.mark.parametrize("alternative", ["two-sided", "better", "worse"])
def test_cells_show_where_the_row_is_better_or_worse_and_how_surely(alternative: str) -> None:
    result = made_result(alternative=alternative)
    report = CompareReport(replace(result, comparisons=graded(result.comparisons, LEVELS)))
    pictures = heat_maps(report)
    assert len(pictures) == 2
    for picture, metric in zip(pictures, ("bleu", "ter"), strict=True):
        names = order(report, metric)
        rows = table(picture, len(names))
        assert [len(row) for row in rows] == [len(names)] * len(names)
        found = {(c.a, c.b): c for c in report.result.comparisons if c.metric == metric}
        for i, row in enumerate(names):
            for j, column in enumerate(names):
                cell = rows[i][j]
                if i == j:
                    assert cell.attrib["class"] == "cell self"
                    continue
                if alternative == "two-sided":
                    one = found.get((row, column)) or found[column, row]
                    expected = shade(one.p_adjusted, "good" if i < j else "bad")
                else:  # the test that asks whether the row is better, then the other
                    mine, other = found[row, column], found[column, row]
                    if alternative == "worse":
                        mine, other = other, mine
                    is_other = mine.p_adjusted > 0.05 >= other.p_adjusted
                    one = other if is_other else mine
                    expected = shade(one.p_adjusted, "bad" if is_other else "good")
                assert cell.attrib["class"] == expected
                numbers = (
                    f", p = {probability(one.p_value)}, adjusted {probability(one.p_adjusted)}"
                )
                numbers = numbers.replace("= <", "< ")
                assert title(cell).endswith(numbers)
                better, worse = (row, column) if i < j else (column, row)
                if alternative != "two-sided":
                    better, worse = (column, row) if is_other else (row, column)
                size = fixed(abs(one.difference), 2)
                if one.significant:
                    assert title(cell).startswith(f"{better} better than {worse}: difference ")
                elif alternative == "two-sided":
                    assert title(cell).startswith(
                        f"no evidence of a difference between {one.a} and {one.b}: difference "
                    )
                else:
                    start = f"no evidence that {one.a} is {alternative} than {one.b}: difference "
                    assert title(cell).startswith(start)
                assert f"{size} {metric}, p" in title(cell)


def test_a_winners_difference_is_told_from_its_side() -> None:
    result = made_result()
    report = CompareReport(replace(result, comparisons=graded(result.comparisons, [0.0001])))
    for picture, metric, sign in zip(heat_maps(report), ("bleu", "ter"), "+-", strict=True):
        names = order(report, metric)
        rows = table(picture, len(names))
        scores = {e.system: e.score for e in result.scores if e.metric == metric}
        for (i, a), (j, b) in combinations(enumerate(names), 2):
            told = title(rows[i][j]).partition("difference ")[2].split()[0]
            assert told == fixed(scores[a] - scores[b], 2, sign=True)
            assert told[0] == sign
            assert title(rows[j][i]) == title(rows[i][j])


@pytest.mark.parametrize("alternative", ["two-sided", "better", "worse"])
def test_a_baseline_is_the_only_column(alternative: str) -> None:
    result = made_result(baseline="south", alternative=alternative)
    report = CompareReport(replace(result, comparisons=graded(result.comparisons, LEVELS[:4])))
    for picture, metric in zip(heat_maps(report), ("bleu", "ter"), strict=True):
        names = order(report, metric)
        rows = table(picture, 1)
        assert len(rows) == len(names)
        found = {c.a: c for c in report.result.comparisons if c.metric == metric}
        for name, [cell] in zip(names, rows, strict=True):
            if name == "south":
                assert cell.attrib["class"] == "cell self"
                continue
            ahead = names.index(name) < names.index("south")
            if alternative != "two-sided":
                ahead = alternative == "better"
            expected = shade(found[name].p_adjusted, "good" if ahead else "bad")
            assert cell.attrib["class"] == expected
        assert "south" in texts(drawn(picture))


def test_rows_and_columns_are_numbered_alike() -> None:
    report = made_report()
    for picture, metric in zip(heat_maps(report), ("bleu", "ter"), strict=True):
        words = texts(drawn(picture))
        for number, name in enumerate(order(report, metric), 1):
            assert words[words.index(name) + 1] == str(number)
            assert words.count(str(number)) == 2


def test_the_description_counts_what_is_significant() -> None:
    result = made_result(alpha=0.1)
    report = CompareReport(replace(result, comparisons=graded(result.comparisons, LEVELS)))
    picture = heat_maps(report)[0]
    p = [c.p_adjusted for c in report.result.comparisons if c.metric == "bleu"]
    for level, text in ((0.05, ".05"), (0.01, ".01"), (0.001, ".001")):
        assert f"{sum(each <= level for each in p)} at {text}" in picture.description
    assert "Conclusions are drawn at .1." in picture.description


@pytest.mark.parametrize(
    ("trials", "levels", "needs"),
    [
        (20_000, [".05", ".01", ".001"], []),
        (9_998, [".05", ".01"], [".001, which needs 9,999 trials"]),
        (500, [".05"], [".01, which needs 999 trials", ".001, which needs 9,999 trials"]),
        (
            99,
            [],
            [
                ".05, which needs 199 trials",
                ".01, which needs 999 trials",
                ".001, which needs 9,999 trials",
            ],
        ),
    ],
)
def test_the_legend_has_levels_that_trials_can_reach(
    trials: int, levels: list[str], needs: list[str]
) -> None:
    report = made_report(trials=trials)
    assert {pair.family_size for pair in report.result.comparisons} == {10}
    for picture in heat_maps(report):
        said = texts(drawn(picture))
        assert [text for text in said if text.startswith(".")] == 2 * levels
        out = [text.partition(": ")[2] for text in said if text.startswith("Out of reach")]
        assert out == needs
        assert "Blank: no evidence of a difference" in said


def test_slices_that_were_enumerated_need_more_units() -> None:
    report = made_report(slices=["x"] * 55 + ["y"] * 5, trials=999)
    [small] = [each for each in heat_maps(report) if each.title.startswith("bleu, y")]
    needs = [text for text in texts(drawn(small)) if text.startswith("Out of reach")]
    assert needs
    assert all(text.endswith("needs more units") for text in needs)


@pytest.mark.parametrize("baseline", [None, "b"])
def test_two_systems_have_no_map(baseline: str | None) -> None:
    assert heat_maps(made_report(made_scores(["a", "b"], ["bleu"]), baseline=baseline)) == []


def test_every_test_metric_and_slice_has_a_map() -> None:
    report = made_report(tests=("randomization", "tukey"), slices=["x", "y"] * 30)
    expected = {(c.test, c.metric, c.slice) for c in report.result.comparisons}
    pictures = heat_maps(report)
    assert len({picture.title for picture in pictures}) == len(pictures) == len(expected)


def test_one_comparison_is_not_called_adjusted() -> None:
    result = made_result(made_scores(["a", "b", "c"], ["bleu"]), adjust="none")
    [picture] = heat_maps(CompareReport(result))
    assert "adjusted" not in "".join(texts(drawn(picture)))
    assert all("adjusted" not in title(cell) for cell in of_class(drawn(picture), "cell"))


def test_systems_without_a_number_are_left_out() -> None:
    report = CompareReport(with_score(made_result(), "east", math.nan))
    for picture in heat_maps(report):
        assert len(of_class(drawn(picture), "cell")) == (len(NAMES) - 1) ** 2


def test_a_baseline_without_a_number_is_drawn() -> None:
    result = made_result(made_scores(["a", "b", "c", "d"], ["bleu"]), baseline="b")
    [without] = heat_maps(CompareReport(with_score(result, "b", math.nan)))
    assert len(of_class(drawn(without), "cell")) == 3
    [rivals] = heat_maps(CompareReport(with_score(result, "a", math.nan)))
    assert [cell.attrib["class"] for cell in of_class(drawn(rivals), "cell")].count(
        "cell self"
    ) == 1


def test_maps_of_slices_stand_apart() -> None:
    report = made_report(slices=["x", "y"] * 30, trials=99)
    whole, sliced = (heat_maps(report, sliced=which) for which in (False, True))
    assert len(whole) == 2
    assert {each.name for each in (*whole, *sliced)} == {each.name for each in heat_maps(report)}
    assert not {each.name for each in whole} & {each.name for each in sliced}
