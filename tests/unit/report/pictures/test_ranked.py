"""The picture that a page opens with: all systems by all metrics."""

from __future__ import annotations

import math

import pytest

from unit.report.pictures.samples import (
    NAMES,
    drawn,
    is_straight,
    made_report,
    made_result,
    made_scores,
    of_class,
    texts,
    title,
    with_score,
)
from weigh.report.compared import CompareReport
from weigh.report.phrases import rank_text
from weigh.report.pictures import ranked_plot
from weigh.wording import fixed

ROWS = len(NAMES)


def test_every_system_has_a_place_in_every_panel() -> None:
    report = made_report(trials=999)
    [picture] = ranked_plot(report)
    root = drawn(picture)
    points = of_class(root, "point")
    assert len(points) == 2 * ROWS
    names = [entry.system for entry in report.scores.scores][:ROWS]
    for metric, panel in zip(report.titles, (points[:ROWS], points[ROWS:]), strict=True):
        scores = {entry.system: entry for entry in report.ordered(metric)}
        ranking = report.ranking(metric, "randomization", None)
        assert ranking is not None
        for name, point in zip(names, panel, strict=True):
            low, high = ranking.ranks[name]
            assert title(point).startswith(
                f"{name}: {fixed(scores[name].score, 2)}, rank {rank_text((low, high))}, 95% "
            )
            assert point.attrib["class"] == ("point" if low == 1 else "point hollow")
        across = [float(point.attrib["cx"]) for point in panel]
        values = [scores[name].score for name in names]
        assert is_straight(list(zip(values, across, strict=True)))
        # Rows are the same in all panels.
        assert [p.attrib["cy"] for p in panel] == [p.attrib["cy"] for p in points[:ROWS]]


def test_differences_are_to_the_best() -> None:
    report = made_report(trials=99)
    said = texts(drawn(ranked_plot(report)[0]))
    for metric in report.titles:
        best, *others = report.ordered(metric)
        for entry in others:
            assert fixed(entry.score - best.score, 2, sign=True) in said
    assert said.count("to best") == 2


def test_differences_are_to_the_baseline_where_there_is_one() -> None:
    report = made_report(trials=99, baseline="south")
    [picture] = ranked_plot(report)
    said = texts(drawn(picture))
    assert "rank" not in said
    assert said.count("to base") == 2
    scores = {entry.system: entry.score for entry in report.ordered("bleu")}
    assert fixed(scores["north"] - scores["south"], 2, sign=True) in said
    assert picture.title.endswith("differences to south")


@pytest.mark.parametrize(("metrics", "rows"), [(1, 1), (4, 1), (5, 2), (9, 3)])
def test_panels_go_on_underneath(metrics: int, rows: int) -> None:
    names = [f"m{number}" for number in range(metrics)]
    [picture] = ranked_plot(made_report(made_scores(metrics=names), trials=50))
    points = of_class(drawn(picture), "point")
    assert len({point.attrib["cy"] for point in points}) == rows * ROWS
    assert picture.width <= 1066
    assert texts(drawn(picture)).count("north") == rows


def test_systems_without_a_number_have_no_point() -> None:
    report = CompareReport(with_score(made_result(), "east", math.nan))
    [picture] = ranked_plot(report)
    assert len(of_class(drawn(picture), "point")) == 2 * (ROWS - 1)
    nothing = made_result()
    for name in NAMES:
        nothing = with_score(nothing, name, math.nan)
    assert ranked_plot(CompareReport(nothing)) == []
