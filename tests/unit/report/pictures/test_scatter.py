from __future__ import annotations

import math
import warnings
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

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
)
from weigh.report.compared import CompareReport
from weigh.report.pictures import agreement_plots, length_plots
from weigh.report.pictures.scatter import Box, Point, conclusions, kendall_tau_b, scatter
from weigh.report.svg import pixels

FRAME = Box(50, 20, 470, 300)
points = st.lists(
    st.tuples(st.floats(60, 460), st.floats(30, 290), st.text("abcXYZ", min_size=1, max_size=18)),
    max_size=15,
)


def box(label: ET.Element) -> Box:
    text = label.text or ""
    wide, x, y = pixels(text, 11), float(label.attrib["x"]), float(label.attrib["y"])
    anchor = label.attrib["class"]
    left = x - wide if "end" in anchor else x - wide / 2 if "middle" in anchor else x
    return Box(left + 0.1, y - 8, left + wide - 0.1, y)


@settings(deadline=None)
@given(points)
def test_labels_lie_neither_on_each_other_nor_on_points(
    given_points: list[tuple[float, float, str]],
) -> None:
    made, homeless = scatter([Point(x, y, name, f"{name}!") for x, y, name in given_points], FRAME)
    root = ET.fromstring(f"<g>{made}</g>")
    circles, labels = list(root.iter("circle")), list(root.iter("text"))
    assert len(circles) == len(given_points)
    assert len(labels) + homeless == len(given_points)
    assert [circle.findtext("title") for circle in circles] == [f"{n}!" for _, _, n in given_points]
    boxes = [box(label) for label in labels]
    assert not any(one.touches(other) for one, other in combinations(boxes, 2))
    for each in boxes:
        assert FRAME.holds(each)
        for x, y, _ in given_points:
            assert not each.touches(Box(x - 4, y - 4, x + 4, y + 4))


def test_a_point_with_room_has_its_label_right_beside_it() -> None:
    made, homeless = scatter([Point(100, 100, "name", "name")], FRAME)
    assert homeless == 0
    assert "<path" not in made
    [label] = ET.fromstring(f"<g>{made}</g>").iter("text")
    assert 100 < float(label.attrib["x"]) < 110
    assert abs(float(label.attrib["y"]) - 100) < 6


def test_boxes_that_share_an_edge_do_not_touch() -> None:
    one = Box(0, 0, 10, 10)
    assert one.touches(Box(9, 9, 20, 20))
    assert not one.touches(Box(10, 0, 20, 10))
    assert one.nearest(20, 5) == (10, 5)
    assert one.nearest(3, 4) == (3, 4)


def test_points_stand_where_lengths_and_scores_are() -> None:
    report = made_report()
    details = report.result.details
    assert details is not None
    for picture, metric in zip(length_plots(report), ("bleu", "ter"), strict=True):
        scores = {e.system: e.score for e in report.result.scores if e.metric == metric}
        root = drawn(picture)
        [one] = of_class(root, "dashed")
        across, up = [(1.0, float(one.attrib["d"][1:].split()[0]))], []
        for point in of_class(root, "point"):
            name = title(point).partition(":")[0]
            across.append((details.lengths[name], float(point.attrib["cx"])))
            up.append((scores[name], float(point.attrib["cy"])))
        assert len(up) == len(NAMES)
        assert is_straight(across)
        assert is_straight(up)
        best = (min if metric == "ter" else max)(up)
        assert best[1] == min(y for _, y in up)  # up is better
        assert set(NAMES) <= set(texts(root))


@pytest.mark.parametrize("unit", ["word", "character"])
def test_lengths_are_told_in_their_unit(unit: str) -> None:
    result = made_result()
    assert result.details is not None
    details = replace(result.details, length_unit=unit)
    [picture, _] = length_plots(CompareReport(replace(result, details=details)))
    assert f"Length: {unit}s for every {unit} of the references" in texts(drawn(picture))
    assert "0.900 (north) to 1.100" in picture.description


def test_without_lengths_there_is_no_plot() -> None:
    result = made_result()
    assert result.details is not None
    details = replace(result.details, lengths={})
    assert length_plots(CompareReport(replace(result, details=details))) == []


def test_systems_without_a_length_are_left_out() -> None:
    result = made_result()
    assert result.details is not None
    lengths = {"north": 1.0, "east": 1e200, "south": 1.1}
    details = replace(result.details, lengths=lengths)
    for picture in length_plots(CompareReport(replace(result, details=details))):
        names = {title(point).partition(":")[0] for point in of_class(drawn(picture), "point")}
        assert names == {"north", "south"}


few = st.integers(0, 4).map(float)  # so that there are ties


@settings(deadline=None)  # SciPy takes its time at first
@given(st.lists(st.tuples(few, few), min_size=2, max_size=12))
def test_tau_b_against_scipy(pairs: list[tuple[float, float]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = kendalltau([x for x, _ in pairs], [y for _, y in pairs]).statistic
    assert kendall_tau_b(pairs) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("alternative", ["two-sided", "better"])
def test_conclusions_are_counted(alternative: str) -> None:
    result = made_result(tests=("bootstrap", "randomization"), alternative=alternative)
    # Every combination of what two metrics may say: nothing, a is better, b is better.
    said: dict[tuple[str, str, str], int] = {}
    changed = []
    for number, one in enumerate(result.comparisons):
        per_metric = len(result.comparisons) // 4
        at = number % per_metric
        kind = at % 3 if one.metric == "bleu" else at // 3 % 3
        sign = -1 if one.metric == "ter" else 1
        difference = sign * (-1.0 if kind == 2 else 1.0)
        first = one.test == "bootstrap"
        changed.append(replace(one, significant=first and kind > 0, difference=difference))
        if first:
            said[one.metric, one.a, one.b] = kind if alternative == "two-sided" else min(kind, 1)
    report = CompareReport(replace(result, comparisons=tuple(changed)))
    expected = dict.fromkeys(("same", "none", "one", "opposite"), 0)
    for (metric, a, b), kind in said.items():
        if metric == "bleu":
            other = said["ter", a, b]
            if kind == other:
                expected["same" if kind else "none"] += 1
            else:
                expected["opposite" if kind and other else "one"] += 1
    assert dict(conclusions(report, "bleu", "ter")) == expected
    assert sum(expected.values()) == len(said) // 2
    if alternative == "two-sided":
        assert all(expected.values())


@pytest.mark.parametrize(("first", "second"), [("bleu", "ter"), ("ter", "bleu")])
def test_better_is_up_and_to_the_right(first: str, second: str) -> None:
    report = made_report(made_scores(metrics=[first, second]))
    [picture] = agreement_plots(report)
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
    expected = kendalltau([s for s, _ in across], [-s for s, _ in up]).statistic
    assert f"is {expected:.2f}." in picture.description
    assert any(text.startswith(f"Kendall's τ-b {expected:.2f}") for text in texts(drawn(picture)))


def test_ten_pairs_of_metrics_are_enough() -> None:
    names = ["a", "b"]
    for count, expected in ((1, 0), (2, 1), (5, 10), (6, 10)):
        metrics = [f"m{number}" for number in range(count)]
        assert len(agreement_plots(made_report(made_scores(names, metrics, 10)))) == expected


def test_systems_that_one_metric_cannot_score_are_left_out() -> None:
    result = made_result()
    scores = tuple(
        replace(e, score=math.nan) if (e.metric, e.system) == ("ter", "east") else e
        for e in result.scores
    )
    [picture] = agreement_plots(CompareReport(replace(result, scores=scores)))
    assert len(of_class(drawn(picture), "point")) == len(NAMES) - 1
    assert "over 4 systems" in picture.description
