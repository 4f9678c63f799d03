"""Pictures of comparisons: what is drawn of which result."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from unit.report.pictures.drawings import SVG, drawn, is_straight, of_class, texts, title
from unit.report.pictures.samples import (
    NAMES,
    TESTS,
    made_report,
    made_result,
    made_scores,
    with_score,
)
from unit.report.test_svg import readable
from weigh.comparing.compare_result import CompareResult, Ranking, Sweep
from weigh.report.compare_pictures import (
    extreme_regions,
    forest_plots,
    heat_maps,
    histograms,
    length_plots,
    metric_pair_plots,
    sweep_plots,
    sweeps_to_draw,
)
from weigh.report.compared import CompareReport
from weigh.report.grid import visible
from weigh.report.pictures.histogram import Bins
from weigh.report.pictures.picture import STYLE, Picture
from weigh.wording import fixed


def all_histograms(report: CompareReport) -> Iterable[Picture]:
    details = report.result.details
    return histograms(report, () if details is None else details.histograms)


def all_sweeps(report: CompareReport) -> list[Picture]:
    return sweep_plots(report, sweeps_to_draw(report))


ALL = (forest_plots, heat_maps, all_histograms, length_plots, metric_pair_plots, all_sweeps)

hostile = st.one_of(
    st.text(st.characters(), min_size=1, max_size=12),
    st.sampled_from(
        ["</svg><script>", "]]>", "a&b", '"', "\u202e", "x" * 10_000, "../../etc", "é"]
    ),
)


def test_every_class_that_is_drawn_has_a_style() -> None:
    report = made_report(tests=TESTS)
    used = {
        name
        for make in ALL
        for picture in make(report)
        for each in drawn(picture).iter()
        for name in each.get("class", "").split()
    }
    assert used
    assert {f".{name}" for name in used} <= set(re.findall(r"\.[a-z]\w*", STYLE))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(hostile, min_size=2, max_size=4, unique=True),
    st.lists(hostile, min_size=1, max_size=2, unique=True),
    st.sampled_from(["two-sided", "better", "worse"]),
    st.booleans(),
)
@example(["a b", "A-b", "a_b", "<a>"], ["m:x=1", "m x 1"], "two-sided", False)
def test_whatever_the_names_pictures_are_well_formed(
    names: list[str], metrics: list[str], alternative: str, with_baseline: bool
) -> None:
    baseline = names[0] if with_baseline else None
    scores = made_scores(names, metrics, units=500)
    report = made_report(scores, alternative=alternative, baseline=baseline, trials=20)
    pictures = [picture for make in ALL for picture in make(report)]
    assert len({picture.name for picture in pictures}) == len(pictures)
    for picture in pictures:
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,79}", picture.name)
        for root in (drawn(picture), ET.fromstring(picture.inline())):
            tags = {each.tag.removeprefix(SVG) for each in root.iter()}
            assert tags <= {"svg", "title", "desc", "style", "rect", "path", "circle", "text", "g"}
        assert picture.title == visible(picture.title)  # a heading breaks nothing
        assert picture.description
    forest = pictures[0]
    labels = [readable(name) for name in names]
    titles = [each.text or "" for each in drawn(forest).iter(f"{SVG}title")]
    assert all(any(t.startswith(f"{label}: ") for t in titles) for label in labels)  # whole names


@pytest.mark.parametrize("value", [50.0, 0.0, -3.0, 1e-300, 1e17])
def test_systems_that_are_all_alike_are_drawn(value: float) -> None:
    scores = {"bleu": {name: [value] * 500 for name in NAMES}}
    report = made_report({**scores, "chrf": scores["bleu"]}, tests=TESTS, trials=20)
    for make in ALL:
        for picture in make(report):
            drawn(picture)


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
    picture = next(forest_plots(CompareReport(split)))
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


def test_systems_without_a_score_have_no_row() -> None:
    result = with_score(made_result(), "east", math.inf)
    picture = next(forest_plots(CompareReport(result)))
    assert len(of_class(drawn(picture), "point")) == len(NAMES) - 1
    assert "east" not in texts(drawn(picture))
    nothing = replace(result, scores=tuple(replace(e, score=math.nan) for e in result.scores))
    assert [*forest_plots(CompareReport(nothing))] == []


def place(element: object, name: str) -> float:
    return float(element.get(name))  # type: ignore[attr-defined]


def test_systems_without_a_number_are_left_out() -> None:
    report = CompareReport(with_score(made_result(), "east", math.nan))
    for picture in heat_maps(report):
        assert len(of_class(drawn(picture), "cell")) == (len(NAMES) - 1) ** 2


@pytest.mark.parametrize("alternative", ["two-sided", "better", "worse"])
def test_the_shaded_part_holds_the_trials_that_count(alternative: str) -> None:
    report = made_report(tests=TESTS, alternative=alternative, trials=1000)
    tested = {(c.metric, c.test, c.a, c.b): c for c in report.result.comparisons}
    details = report.result.details
    assert details is not None
    partly = 0
    for one in details.histograms:
        found = tested[one.metric, one.test, one.a, one.b]
        turned = -found.difference if one.metric == "ter" else found.difference
        parts = extreme_regions(one, found, turned)
        inside = touching = 0
        for low, high, count in Bins(one.start, one.width, one.counts).bars:
            if any(start <= low and high <= end for start, end in parts):
                inside += count
            if any(start <= high and low <= end for start, end in parts):
                touching += count
        assert inside <= found.count <= touching
        partly += 0 < found.count < found.trials / 2
    assert partly > 5  # so that not all is one side


@pytest.mark.parametrize(("first", "second"), [("bleu", "ter"), ("ter", "bleu")])
def test_better_is_up_and_to_the_right(first: str, second: str) -> None:
    report = made_report(made_scores(metrics=[first, second]))
    [picture] = metric_pair_plots(report)
    scores = {(e.metric, e.system): e.score for e in report.result.scores}
    across, up = [], []
    for point in of_class(drawn(picture), "point"):
        name = title(point).partition(":")[0]
        across.append((scores[first, name], float(point.attrib["cx"])))
        up.append((scores[second, name], float(point.attrib["cy"])))
    assert len(across) == len(NAMES)
    assert is_straight(across)
    assert is_straight(up)
    best = {"bleu": max, "ter": min}
    assert best[first](across)[1] == max(x for _, x in across)
    assert best[second](up)[1] == min(y for _, y in up)


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
    [picture] = all_sweeps(with_sweeps(TWO, Sweep("bleu", "a", "b", differences, intervals)))
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


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_samples_stand_beside_zero_and_the_whole(metric: str) -> None:
    differences, intervals = (1.0, -2.0, 0.5), ((0.2, 1.9), (-3.0, -1.5), (-0.5, 1.0))
    [picture] = all_sweeps(with_sweeps(TWO, Sweep(metric, "a", "b", differences, intervals)))
    root = drawn(picture)
    points = [point for point in of_class(root, "point") if title(point).startswith("sample")]
    scores = {e.system: e.score for e in TWO.scores if e.metric == metric}
    whole = (scores["a"] - scores["b"]) * (-1 if metric == "ter" else 1)
    [zero], [dashed] = of_class(root, "axis"), of_class(root, "dashed")
    places = [(0.0, float(zero.attrib["d"][1:].split()[0]))]
    places.append((whole, float(dashed.attrib["d"][1:].split()[0])))
    for point, difference in zip(points, differences, strict=True):
        places.append((difference, float(point.attrib["cx"])))
    assert is_straight(places)
    assert min(places)[1] < max(places)[1]  # a better is to the right


def test_samples_that_cannot_be_drawn_are_left_out() -> None:
    intervals = ((0.5, 2.0), (-1e200, 1e200), (-1.0, 1e200))
    report = with_sweeps(TWO, Sweep("bleu", "a", "b", (1.0, 1e200, 0.0), intervals))
    [picture] = all_sweeps(report)
    points = [p for p in of_class(drawn(picture), "point") if title(p).startswith("sample")]
    assert len(points) == 1
    nothing = with_sweeps(TWO, Sweep("bleu", "a", "b", (1e200,), ((0.0, 1.0),)))
    assert all_sweeps(nothing) == []
