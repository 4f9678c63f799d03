from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from weigh.comparing.compare_result import CompareResult, Ranking, Sweep
from weigh.report.compared import CompareReport
from weigh.report.pictures import forest_plots, sweep_plots
from weigh.wording import fixed


def place(element: object, name: str) -> float:
    return float(element.get(name))  # type: ignore[attr-defined]


def test_points_and_intervals_stand_where_the_scores_are() -> None:
    report = made_report()
    for picture, metric in zip(forest_plots(report), ("bleu", "ter"), strict=True):
        root = drawn(picture)
        entries = {e.system: e for e in report.result.scores if e.metric == metric}
        points = of_class(root, "point")
        places = []
        for point, bar in zip(points, of_class(root, "interval"), strict=True):
            entry = entries[title(point).partition(":")[0]]
            assert entry.interval is not None
            places.append((entry.score, place(point, "cx")))
            first, last = (end.split() for end in bar.attrib["d"][1:].split("L"))
            places += [(entry.interval[0], float(first[0])), (entry.interval[1], float(last[0]))]
            assert float(first[1]) == float(last[1]) == place(point, "cy")
        assert len(places) == 3 * len(NAMES)
        assert is_straight(places)
        assert all(0 < x < picture.width for _, x in places)


def test_the_best_is_on_top_and_scores_stand_at_the_right() -> None:
    report = made_report()
    for picture, metric, sign in zip(forest_plots(report), ("bleu", "ter"), (-1, 1), strict=True):
        root = drawn(picture)
        points = sorted(of_class(root, "point"), key=lambda each: place(each, "cy"))
        best_first = sorted(
            (e for e in report.result.scores if e.metric == metric), key=lambda e: sign * e.score
        )
        assert [title(each).partition(":")[0] for each in points] == [e.system for e in best_first]
        words = texts(root)
        for entry in best_first:
            at = words.index(entry.system)
            assert words[at + 1] == fixed(entry.score, 2)
        assert best_first[0].system in picture.description
        assert fixed(best_first[0].score, 2) in picture.description


def test_lines_part_clusters() -> None:
    result = made_result()
    names = [e.system for e in sorted(result.scores, key=lambda e: -e.score) if e.metric == "bleu"]
    clusters = (tuple(names[:2]), tuple(names[2:3]), tuple(names[3:]))
    ranks = {name: (at, min(at + 1, 5)) for at, name in enumerate(names, 1)}
    split = replace(result, rankings=(Ranking("bleu", "randomization", clusters, ranks),))
    picture = forest_plots(CompareReport(split))[0]
    points = {title(p).partition(":")[0]: place(p, "cy") for p in of_class(drawn(picture), "point")}
    rules = []
    for rule in of_class(drawn(picture), "rule"):
        first, last = (end.split() for end in rule.attrib["d"][1:].split("L"))
        if first[1] == last[1]:
            rules.append(float(first[1]))
    assert rules == [
        (points[names[1]] + points[names[2]]) / 2,
        (points[names[2]] + points[names[3]]) / 2,
    ]
    assert "3 clusters" in picture.description
    assert ", rank 1–2, " in title(of_class(drawn(picture), "point")[0])


def test_slices_have_plots_of_their_own() -> None:
    report = made_report(slices=["x", "y"] * 30)
    titles = [picture.title for picture in forest_plots(report)]
    assert "Scores by bleu, x" in titles
    assert len(set(titles)) == len(titles) == 2 * len({e.slice for e in report.result.scores})
    whole, sliced = (forest_plots(report, sliced=which) for which in (False, True))
    assert [picture.title for picture in whole] == ["Scores by bleu", "Scores by ter"]
    names = [picture.name for picture in forest_plots(report)]
    assert sorted(each.name for each in (*whole, *sliced)) == sorted(names)


def test_systems_without_a_number_are_left_out() -> None:
    result = with_score(made_result(), "east", math.inf)
    picture = forest_plots(CompareReport(result))[0]
    assert len(of_class(drawn(picture), "point")) == len(NAMES) - 1
    assert "east" not in texts(drawn(picture))
    nothing = replace(result, scores=tuple(replace(e, score=math.nan) for e in result.scores))
    assert forest_plots(CompareReport(nothing)) == []


def test_scores_without_intervals_are_points() -> None:
    result = made_result()
    bare = replace(result, scores=tuple(replace(e, interval=None) for e in result.scores))
    root = drawn(forest_plots(CompareReport(bare))[0])
    assert len(of_class(root, "point")) == len(NAMES)
    assert of_class(root, "interval") == []


TWO = made_result(made_scores(["a", "b"]), trials=20)


def with_sweeps(result: CompareResult, *sweeps: Sweep) -> CompareReport:
    assert result.details is not None
    return CompareReport(
        replace(result, details=replace(result.details, sweeps=sweeps, sample_size=100))
    )


sample = st.tuples(st.floats(-9, 9), st.floats(0, 5), st.floats(0, 5))


@settings(deadline=None)
@given(st.lists(sample, min_size=1, max_size=30))
def test_samples_are_counted_by_what_they_say(samples: list[tuple[float, float, float]]) -> None:
    differences = tuple(middle for middle, _, _ in samples)
    intervals = tuple((middle - down, middle + up) for middle, down, up in samples)
    [picture] = sweep_plots(with_sweeps(TWO, Sweep("bleu", "a", "b", differences, intervals)))
    root = drawn(picture)
    points = [point for point in of_class(root, "point") if title(point).startswith("sample")]
    expected = [
        "point" if low > 0 else "point against" if high < 0 else "point open"
        for low, high in intervals
    ]
    assert [point.attrib["class"] for point in points] == expected
    words = texts(root)
    assert f"a better: {expected.count('point')}" in words
    assert f"b better: {expected.count('point against')}" in words
    assert f"no evidence: {expected.count('point open')}" in words
    said = picture.description
    assert f"{expected.count('point')} say that a is better" in said
    assert f"{expected.count('point against')} that b is" in said
    assert f"{expected.count('point open')} give no evidence of a difference" in said


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_points_bars_and_lines_stand_where_the_numbers_are(metric: str) -> None:
    differences, intervals = (1.0, -2.0, 0.5), ((0.2, 1.9), (-3.0, -1.5), (-0.5, 1.0))
    [picture] = sweep_plots(with_sweeps(TWO, Sweep(metric, "a", "b", differences, intervals)))
    root = drawn(picture)
    points = [point for point in of_class(root, "point") if title(point).startswith("sample")]
    scores = {e.system: e.score for e in TWO.scores if e.metric == metric}
    whole = (scores["a"] - scores["b"]) * (-1 if metric == "ter" else 1)
    [zero], [dashed] = of_class(root, "axis"), of_class(root, "dashed")
    places = [(0.0, float(zero.attrib["d"].split()[-1]))]
    places.append((whole, float(dashed.attrib["d"].split()[-1])))
    for point, difference in zip(points, differences, strict=True):
        places.append((difference, float(point.attrib["cy"])))
    for bar, interval in zip(of_class(root, "interval"), intervals, strict=True):
        ends = [float(end.split()[1]) for end in bar.attrib["d"][1:].split("L")]
        places += zip(interval, ends, strict=True)
    assert is_straight(places)
    assert min(places)[1] > max(places)[1]  # a better is up
    assert is_straight([(at, float(p.attrib["cx"])) for at, p in enumerate(points)])


def test_only_neighbours_are_shown_and_each_pair_once() -> None:
    result = made_result(trials=20, alternative="better", scores=made_scores(units=20))
    order = sorted((e.score, e.system) for e in result.scores if e.metric == "bleu")
    names = [name for _, name in order]
    sweeps = [Sweep("bleu", a, b, (1.0,), ((0.0, 2.0),)) for a in names for b in names if a != b]
    pictures = sweep_plots(with_sweeps(result, *sweeps))
    assert [picture.title.partition(" by ")[0] for picture in pictures] == [
        f"{a} and {b}" for a, b in pairwise(names)
    ]


def test_samples_that_cannot_be_drawn_are_left_out() -> None:
    intervals = ((0.5, 2.0), (-1e200, 1e200), (-1.0, 1e200))
    report = with_sweeps(TWO, Sweep("bleu", "a", "b", (1.0, 1e200, 0.0), intervals))
    [picture] = sweep_plots(report)
    points = [p for p in of_class(drawn(picture), "point") if title(p).startswith("sample")]
    assert len(points) == 1
    nothing = with_sweeps(TWO, Sweep("bleu", "a", "b", (1e200,), ((0.0, 1.0),)))
    assert sweep_plots(nothing) == []


def test_the_sweeps_of_a_real_comparison_are_drawn() -> None:
    result = made_result(made_scores(units=600), trials=20)
    assert result.details is not None
    pictures = sweep_plots(CompareReport(result))
    assert len(pictures) == len(result.details.sweeps) == 8
    for picture in pictures:
        assert f"Of 6 samples of {result.details.sample_size} segments" in picture.description
