from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.report.made.tune import HOSTILE, NAMES, made_tuning
from unit.report.pictures.samples import drawn, of_class, texts, title
from weigh.report.pictures.picture import Scale
from weigh.report.pictures.tuning import (
    envelope_picture,
    iteration_pictures,
    step_path,
    surface_pictures,
)
from weigh.report.view import view


def heights(path: list[str]) -> list[tuple[float, float]]:
    """The corners of a path of M, H and V."""
    x, y = map(float, path[0][1:].split())
    corners = [(x, y)]
    for command, value in re.findall(r"([HV])(-?[\d.]+)", "".join(path[1:])):
        x, y = (float(value), y) if command == "H" else (x, float(value))
        corners.append((x, y))
    return corners


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=30, unique=True),
    st.data(),
)
def test_a_path_goes_through_every_score_of_a_step_function(places, data):
    places = sorted(places)
    size = len(places) + 1
    scores = data.draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))
    across, up = Scale(0, 1, 0, 100), Scale(0, 9, 90, 0)
    corners = heights(step_path(places, scores, across, up))
    assert corners[0] == (0, up(scores[0]))
    assert corners[-1] == (100, up(scores[-1]))
    lines = list(itertools.pairwise(corners))
    edges = [0.0, *places, 1.0]
    for at, score in enumerate(scores):
        # Somewhere between its edges, give or take half a pixel and rounding, the score is drawn.
        low, high = 100 * edges[at] - 0.6, 100 * edges[at + 1] + 0.6
        assert any(
            min(a[0], b[0]) <= high
            and max(a[0], b[0]) >= low
            and min(a[1], b[1]) <= up(score) <= max(a[1], b[1])
            for a, b in lines
        )
    # And nothing else: a level stretch has the score that holds there.
    for a, b in lines:
        if a[1] == b[1] and b[0] - a[0] > 1.2:
            held = scores[int(np.searchsorted(places, (a[0] + b[0]) / 200, side="right"))]
            assert a[1] == pytest.approx(up(held), abs=0.06)


def test_every_feature_has_a_surface_with_its_weights():
    result = made_tuning()
    pictures = surface_pictures(result)
    assert len(pictures) == len(NAMES)
    for name, surface, picture in zip(NAMES, result.surfaces, pictures, strict=True):
        root = drawn(picture)
        assert name in picture.title
        assert [title(mark) for mark in of_class(root, "actual")] == [f"found: {surface.weight:g}"]
        [curve] = of_class(root, "interval")
        assert set(re.findall("[A-Z]", curve.get("d", ""))) <= {"M", "H", "V"}


def test_lower_is_better_stands_higher():
    """The best of a TER's surface, the lowest, is the highest point of its picture."""
    [first, _] = surface_pictures(made_tuning())
    root = drawn(first)
    ticks = [
        (float(text.text or ""), float(text.get("y") or 0))
        for text in of_class(root, "end")
        if re.fullmatch(r"-?[\d.]+", text.text or "")
    ]
    assert len(ticks) > 1
    assert [y for _, y in sorted(ticks)] == sorted(y for _, y in ticks)


def test_the_envelope_is_convex_and_no_candidate_is_above_it():
    envelope = made_tuning().envelope
    assert envelope is not None
    root = drawn(envelope_picture(envelope))
    [curve] = of_class(root, "interval")
    points = [tuple(map(float, pair.split())) for pair in (curve.get("d") or "")[1:].split("L")]
    slopes = [
        (b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.pairwise(points) if b[0] - a[0] > 5
    ]
    # Downwards is positive on a screen, so that convex means that slopes fall.
    assert all(later <= earlier + 0.05 for earlier, later in itertools.pairwise(slopes))
    xs, ys = zip(*points, strict=True)
    lines = of_class(root, "thin")
    assert len(lines) > 1
    for line in lines:
        for x, y in re.findall(r"([-\d.]+) ([-\d.]+)", line.get("d") or ""):
            assert float(y) >= np.interp(float(x), xs, ys) - 0.2


def test_iterations_show_the_best_and_leave_out_what_was_not_tuned():
    [picture] = iteration_pictures(made_tuning())
    root = drawn(picture)
    points = of_class(root, "point")
    assert [title(point) for point in points] == [
        "iteration 1, tuned: 34.00",
        "iteration 2, tuned: 34.00",
        "iteration 1, decoded: 40.00",
        "iteration 2, decoded: 35.50",
        "iteration 3, decoded: 36.00",
    ]
    largest = max(points, key=lambda point: float(point.get("r") or 0))
    assert title(largest) == "iteration 2, decoded: 35.50"
    assert {"1", "2", "3"} <= set(texts(root))
    assert iteration_pictures(made_tuning(iterations=[40])) == []


def test_features_with_any_name_are_drawn():
    for names in (HOSTILE, ("\x00" * 50, "y")):
        pictures = view(made_tuning(names)).pictures()
        assert len(pictures) == 4
        for picture in pictures:
            drawn(picture)
