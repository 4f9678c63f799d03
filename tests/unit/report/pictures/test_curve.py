from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.report.pictures.drawings import SVG, drawn, is_straight, of_class, texts, title
from weigh.report.pictures.axes import Axis
from weigh.report.pictures.curve import Curve, CurvePoint, curve_plot
from weigh.report.pictures.picture import Caption

CAPTION = Caption("curve-1", "Power", "By size.")
numbers = st.floats(-1e6, 1e6)
places = st.lists(st.tuples(numbers, numbers, st.floats(0, 1e5)), min_size=1, max_size=20)


@settings(deadline=None)
@given(places, places, st.booleans())
def test_points_and_intervals_stand_where_the_numbers_are(
    first: list[tuple[float, float, float]],
    second: list[tuple[float, float, float]],
    reverse: bool,
) -> None:
    curves = [
        Curve(
            f"curve {at}",
            [CurvePoint(x, y, f"{x}, {y}", (y - half, y + half)) for x, y, half in one],
        )
        for at, one in enumerate((first, second))
    ]
    picture = curve_plot(curves, CAPTION, Axis("x"), Axis("y", reverse=reverse))
    root = drawn(picture)
    circles = [each for each in of_class(root, "point") if len(each)]
    across, up = [], []
    for (x, y, half), circle, bar in zip(
        [*first, *second], circles, of_class(root, "interval"), strict=True
    ):
        assert title(circle) == f"{x}, {y}"
        across.append((x, float(circle.attrib["cx"])))
        ends = [float(end.split()[1]) for end in bar.attrib["d"][1:].split("L")]
        up += [(y, float(circle.attrib["cy"])), (y - half, ends[0]), (y + half, ends[1])]
    assert is_straight(across)
    assert is_straight(up)
    assert min(across)[1] <= max(across)[1]
    assert (min(up)[1] <= max(up)[1]) if reverse else (min(up)[1] >= max(up)[1])
    joined = of_class(root, "curve")
    assert len(joined) == sum(len(one) > 1 for one in (first, second))
    assert {"x", "y", "curve 0", "curve 1"} <= set(texts(root))


def test_limits_ticks_and_marked_values_are_those_asked_for() -> None:
    points = [CurvePoint(1.0, 20.0, "a"), CurvePoint(2.0, 60.0, "b", stands_out=True)]
    up = Axis("share", marked=[(80.0, "dashed")], limits=(0.0, 100.0))
    across = Axis("size", ticks=[(1.0, "10"), (2.0, "100")])
    root = drawn(curve_plot([Curve("c", points, "good2")], CAPTION, across, up))
    heights = {text.text: float(text.attrib["y"]) - 4 for text in of_class(root, "end")}
    circles = [each for each in of_class(root, "point") if len(each)]
    [marked] = of_class(root, "dashed")
    measured = [(float(text), y) for text, y in heights.items() if text]
    measured += [(20.0, float(circles[0].attrib["cy"])), (60.0, float(circles[1].attrib["cy"]))]
    measured.append((80.0, float(marked.attrib["d"].split()[-1])))
    assert is_straight(measured)
    assert {"0", "100"} <= set(heights)
    assert {"10", "100"} <= set(texts(root))
    assert float(circles[1].attrib["r"]) > float(circles[0].attrib["r"])
    assert [each.attrib["class"] for each in circles] == ["point good2"] * 2


def test_a_diagonal_joins_equal_values() -> None:
    points = [CurvePoint(50.0, 50.0, ""), CurvePoint(100.0, 100.0, "")]
    limits = Axis("", limits=(0.0, 100.0))
    root = drawn(curve_plot([Curve("c", points)], CAPTION, Axis(), limits, diagonal=True))
    [dashed] = of_class(root, "dashed")
    ends = [tuple(map(float, end.split())) for end in dashed.attrib["d"][1:].split("L")]
    circles = [
        (float(each.attrib["cx"]), float(each.attrib["cy"]))
        for each in of_class(root, "point")
        if "r" in each.attrib
    ][:2]
    assert is_straight([*ends, *circles])


def test_single_cases_are_not_joined() -> None:
    points = [CurvePoint(at, at, "") for at in range(3)]
    root = drawn(curve_plot([Curve("c", points, joined=False)], CAPTION, Axis(), Axis()))
    assert of_class(root, "curve") == []


def test_labels_at_the_ends_stand_in_order_and_apart() -> None:
    curves = [
        Curve(f"+{at}", [CurvePoint(0, at, ""), CurvePoint(1, 100.0 - at / 10, "")])
        for at in range(6)
    ]
    picture = curve_plot(curves, CAPTION, Axis(), Axis(limits=(0.0, 100.0)), labelled=True)
    labels = [one for one in drawn(picture).iter(f"{SVG}text") if (one.text or "")[:1] == "+"]
    by_height = sorted(labels, key=lambda one: float(one.attrib["y"]))
    assert [one.text for one in by_height] == [f"+{at}" for at in range(6)]
    heights = [float(one.attrib["y"]) for one in by_height]
    assert all(below - above >= 11 for above, below in pairwise(heights))


def test_what_is_not_finite_is_left_out_and_names_are_escaped() -> None:
    points = [
        CurvePoint(1.0, 1.0, "</title>&"),
        CurvePoint(math.nan, 1.0, "b"),
        CurvePoint(2.0, math.inf, "c"),
        CurvePoint(3.0, 1.0, "d", (math.nan, 2.0)),
    ]
    root = drawn(curve_plot([Curve("</svg>", points)], CAPTION, Axis("<x>"), Axis("<y>")))
    assert [title(each) for each in of_class(root, "point") if len(each)] == ["</title>&"]
    assert {"</svg>", "<x>", "<y>"} <= set(texts(root))
    empty = curve_plot([Curve("none", [])], CAPTION, Axis(), Axis())
    assert "No numbers to draw" in texts(drawn(empty))


@pytest.mark.parametrize("labelled", [False, True])
def test_hundreds_of_points_and_curves(labelled: bool) -> None:
    curves = [
        Curve(f"curve {at}", [CurvePoint(x, at, "") for x in range(200)], "good1")
        for at in range(12)
    ]
    root = drawn(curve_plot(curves, CAPTION, Axis("x"), Axis("y"), labelled=labelled))
    assert len(of_class(root, "point")) == 12 * 200 + (0 if labelled else 12)
