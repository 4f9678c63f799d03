from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.report.pictures.samples import (
    drawn,
    is_straight,
    made_result,
    made_scores,
    of_class,
    texts,
    title,
)
from weigh.comparing.evidence import Sweep
from weigh.comparing.result import CompareResult
from weigh.report.pictures import sweep_plots
from weigh.report.scores import CompareReport

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
