from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from unit.report.pictures.drawings import drawn, is_straight, of_class, texts, title
from weigh.report.pictures.axes import Axis, Box
from weigh.report.pictures.picture import Caption
from weigh.report.pictures.scatter import LabelledPoint, place_labels, scatter_plot
from weigh.report.svg import pixels

CAPTION = Caption("scatter-1", "Two metrics")
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
    drawn_points = [LabelledPoint(name, x, y, f"{name}!") for x, y, name in given_points]
    made, left_out = place_labels(drawn_points, FRAME)
    root = ET.fromstring(f"<g>{made}</g>")
    circles, labels = list(root.iter("circle")), list(root.iter("text"))
    assert len(circles) == len(given_points)
    assert len(labels) + left_out == len(given_points)
    assert [circle.findtext("title") for circle in circles] == [f"{n}!" for _, _, n in given_points]
    boxes = [box(label) for label in labels]
    assert not any(one.touches(other) for one, other in combinations(boxes, 2))
    for each in boxes:
        assert FRAME.holds(each)
        for x, y, _ in given_points:
            assert not each.touches(Box(x - 4, y - 4, x + 4, y + 4))


numbers = st.floats(-1e6, 1e6)


@settings(deadline=None)
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=12), st.booleans(), st.booleans())
def test_points_stand_where_their_values_are(
    places: list[tuple[float, float]], reverse_x: bool, reverse_y: bool
) -> None:
    labelled = [LabelledPoint(f"s{at}", x, y, f"<{at}>") for at, (x, y) in enumerate(places)]
    axes = Axis("x", reverse=reverse_x), Axis("y", reverse=reverse_y)
    circles = of_class(drawn(scatter_plot(labelled, CAPTION, *axes)), "point")
    assert [title(each) for each in circles] == [each.title for each in labelled]
    across = [(x, float(c.attrib["cx"])) for (x, _), c in zip(places, circles, strict=True)]
    up = [(y, float(c.attrib["cy"])) for (_, y), c in zip(places, circles, strict=True)]
    assert is_straight(across)
    assert is_straight(up)
    assert (min(across)[1] <= max(across)[1]) or reverse_x
    assert (min(up)[1] >= max(up)[1]) or reverse_y


def test_what_is_not_finite_is_left_out_and_names_are_escaped() -> None:
    made = [
        LabelledPoint("</svg>&", 1.0, 2.0, "</title>"),
        LabelledPoint("b", math.nan, 2.0, "b"),
        LabelledPoint("c", 1.0, math.inf, "c"),
    ]
    root = drawn(scatter_plot(made, CAPTION, Axis("x"), Axis("y")))
    assert [title(each) for each in of_class(root, "point")] == ["</title>"]
    assert "</svg>&" in texts(root)
    assert "No numbers to draw" in texts(drawn(scatter_plot([], CAPTION, Axis(), Axis())))
