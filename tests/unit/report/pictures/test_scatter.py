from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from weigh.report.pictures.scatter import Box, Point, scatter
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
