from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from unit.report.pictures.drawings import drawn, is_straight, of_class, texts, title
from weigh.report.pictures.axes import Axis
from weigh.report.pictures.forest import Row, forest_plot
from weigh.report.pictures.picture import Caption

CAPTION = Caption("forest-1", "Scores")
numbers = st.floats(-1e6, 1e6)
lengths = st.floats(0, 1e5)


@settings(deadline=None)
@given(st.lists(st.tuples(numbers, lengths, lengths), min_size=1, max_size=40))
def test_points_and_intervals_stand_where_the_numbers_are(
    values: list[tuple[float, float, float]],
) -> None:
    rows = [
        Row(f"row {at}", value, (value - down, value + up), 0.95)
        for at, (value, down, up) in enumerate(values)
    ]
    picture = forest_plot(rows, CAPTION, Axis("score", marked=[(7.0, "dashed")]), 2)
    root = drawn(picture)
    points, bars = of_class(root, "point"), of_class(root, "interval")
    [marked] = of_class(root, "dashed")
    places = [(7.0, float(marked.attrib["d"][1:].split()[0]))]
    heights = []
    for row, point, bar in zip(rows, points, bars, strict=True):
        assert row.interval is not None
        assert title(point).startswith(f"{row.label}: ")
        first, last = (end.split() for end in bar.attrib["d"][1:].split("L"))
        places.append((row.value, float(point.attrib["cx"])))
        places += [(row.interval[0], float(first[0])), (row.interval[1], float(last[0]))]
        assert first[1] == last[1] == point.attrib["cy"]
        heights.append(float(first[1]))
    assert is_straight(places)
    assert all(0 < x < picture.width for _, x in places)
    assert heights == sorted(set(heights))
    assert heights[-1] < picture.height


def test_what_is_not_finite_is_left_out_and_names_are_escaped() -> None:
    rows = [
        Row("</svg>&", 1.0, (math.nan, 2.0), 0.95),
        Row("b", math.nan, (0.0, 1.0)),
        Row("c", 1e200),
    ]
    root = drawn(forest_plot(rows, CAPTION, Axis("score"), 1))
    assert [title(each) for each in of_class(root, "point")] == ["</svg>&: 1.0"]
    assert of_class(root, "interval") == []
    assert "</svg>&" in texts(root)
    assert "No numbers to draw" in texts(drawn(forest_plot([], CAPTION, Axis("score"), 1)))
