from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from unit.report.pictures.drawings import drawn, is_straight, of_class, texts, title
from weigh.report.pictures.axes import Axis
from weigh.report.pictures.curve import Curve, CurvePoint, curve_plot
from weigh.report.pictures.picture import Caption

CAPTION = Caption("curve-1", "Power")
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
