from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.report.pictures.drawings import drawn, is_straight, of_class, texts, title
from weigh.report.pictures.axes import Axis, Mark
from weigh.report.pictures.forest import Row, describe_systems, forest_plot
from weigh.report.pictures.picture import Caption

CAPTION = Caption("forest-1", "Scores", "Systems.")
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


def test_lines_separate_clusters_and_texts_stand_in_their_rows() -> None:
    rows = [
        Row("a", 3.0, cluster=0, rank="1–2"),
        Row("b", 2.0, cluster=0, rank="1–2"),
        Row("c", 1.0, cluster=1, rank="3"),
    ]
    root = drawn(forest_plot(rows, CAPTION, Axis("score"), 1))
    at = {text.text: float(text.attrib["y"]) for text in root.iter() if "y" in text.attrib}
    assert at["a"] == at["3.0"] < at["b"] == at["2.0"] < at["c"] == at["1.0"] == at["3"]
    rules = [rule.attrib["d"][1:].split("L") for rule in of_class(root, "rule")]
    level = [float(a.split()[1]) for a, b in rules if a.split()[1] == b.split()[1]]
    ys = [float(point.attrib["cy"]) for point in of_class(root, "point")]
    assert level == [(ys[1] + ys[2]) / 2]
    assert describe_systems(rows, 1) == (
        "3 systems, best first: a has 3.0, rank 1–2; c is last with 1.0, rank 3. Lines part 2 "
        "clusters. The ranks that each may have stand on the left."
    )


def test_kinds_are_classes_and_are_explained() -> None:
    rows = [Row("a", 1.0, (0.0, 2.0), 0.9, kind="against"), Row("b", 2.0, kind="open")]
    entries = [(Mark("circle", "point against"), "too often")]
    root = drawn(forest_plot(rows, CAPTION, Axis("share"), 1, entries=entries))
    points = of_class(root, "point")
    assert [each.attrib["class"] for each in points] == [
        *("point against", "point open"),
        "point against",
    ]
    assert title(points[0]) == "a: 1.0, 90% interval 0.0 to 2.0"
    assert "too often" in texts(root)


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


def test_long_labels_are_told_apart_or_wrapped() -> None:
    names = [f"set2022.systems.{name}.txt" for name in ("one", "two")]
    rows = [Row(name, 1.0) for name in names]
    cut = texts(drawn(forest_plot(rows, CAPTION, Axis(), 1, longest_label=12)))
    assert {"…one…", "…two…"} <= set(cut)
    long = [Row("bleu, randomization, bootstrap", 1.0)]
    wrapped = forest_plot(long, CAPTION, Axis(), 1, longest_label=24, label_lines=3)
    assert {"bleu, randomization,", "bootstrap"} <= set(texts(drawn(wrapped)))


@pytest.mark.parametrize("count", [1, 30, 500])
def test_many_rows_stand_closer_together(count: int) -> None:
    picture = forest_plot([Row(f"{n}", n) for n in range(count)], CAPTION, Axis(), 0)
    assert len(of_class(drawn(picture), "point")) == count
    assert picture.height == 50 + count * (22 if count <= 30 else 15)
