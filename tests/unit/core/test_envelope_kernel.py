"""The line search kernel against its definition in rational numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import envelope as oracle
from weigh._core import (
    IntegerEnvelopes,
    RealEnvelopes,
    best_candidates,
    draw_interval,
    weighted_scores,
)

small = st.integers(-4, 4)
# Ends of ranges where no two such lines cross.
ends = st.integers(0, 60).map(lambda number: 0.013 + number / 7)


@st.composite
def lists(draw, values=small):
    """Candidates with few different scores and slopes, so that lines meet, repeat and coincide."""
    sizes = draw(st.lists(st.integers(1, 8), min_size=1, max_size=4))
    size = sum(sizes)
    scores = draw(st.lists(values, min_size=size, max_size=size))
    slopes = draw(st.lists(values, min_size=size, max_size=size))
    texts = draw(st.integers(1, size))
    hypotheses = draw(st.lists(st.integers(0, texts - 1), min_size=size, max_size=size))
    row = st.lists(st.integers(-5, 50), min_size=3, max_size=3)
    rows = draw(st.lists(row, min_size=texts, max_size=texts))
    return scores, slopes, [0, *np.cumsum(sizes).tolist()], hypotheses, rows


def sums_of(envelopes, scores, slopes, segments=1):
    """Sums and breakpoints of lines that no rounding has changed."""
    exact = np.zeros(segments)
    return envelopes.envelope_sums(np.array(scores, float), np.array(slopes, float), exact, exact)


def computed(made, dtype, scores, slopes, offsets, hypotheses, rows):
    envelopes = made(
        np.array(rows, dtype=dtype), np.array(hypotheses, np.int32), np.array(offsets, np.int64)
    )
    breakpoints, sums = sums_of(envelopes, scores, slopes, len(offsets) - 1)
    return breakpoints.tolist(), sums.tolist()


@pytest.mark.parametrize(
    ("made", "dtype"), [(IntegerEnvelopes, np.int64), (RealEnvelopes, np.float64)]
)
@settings(max_examples=100)
@given(lists())
def test_sums_and_breakpoints_against_definition(made, dtype, candidates):
    assert computed(made, dtype, *candidates) == oracle.envelope_sums(*candidates)


@settings(max_examples=50)
@given(st.integers(1, 60), st.integers(0, 10**6))
def test_real_lines_against_scan(size, seed):
    """Lines in general position: the best at any place is the one that a scan finds."""
    rng = np.random.default_rng(seed)
    scores, slopes = rng.normal(size=(2, size)) * rng.choice([1e-3, 1.0, 1e4], (2, 1))
    envelopes = IntegerEnvelopes(
        np.eye(size, dtype=np.int64), np.arange(size, dtype=np.int32), np.array([0, size])
    )
    breakpoints, sums = sums_of(envelopes, scores, slopes)
    assert (np.diff(breakpoints) > 0).all()
    assert (sums.sum(axis=1) == 1).all()
    edges = [breakpoints[0] - 1, *breakpoints, breakpoints[-1] + 1] if len(breakpoints) else [0, 1]
    for i, (a, b) in enumerate(itertools.pairwise(edges)):
        place = (a + b) / 2
        heights = scores + place * slopes
        assert heights[sums[i].argmax()] >= heights.max() - 1e-9 * np.abs(heights).max()


def test_lines_that_meet_beyond_all_numbers_do_not_count():
    envelopes = IntegerEnvelopes(
        np.eye(2, dtype=np.int64), np.arange(2, dtype=np.int32), np.array([0, 2])
    )
    breakpoints, sums = sums_of(envelopes, [1e300, 0.0], [0.0, 1e-300])
    assert breakpoints.tolist() == []
    assert sums.tolist() == [[1, 0]]


def test_the_best_line_stays_where_others_meet_it_beyond_all_numbers():
    """Infinity times 0 is no number, and would lose the line that is highest everywhere."""
    envelopes = IntegerEnvelopes(
        np.eye(3, dtype=np.int64), np.arange(3, dtype=np.int32), np.array([0, 3])
    )
    scores, slopes = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1e-320, -1e-320])
    breakpoints, sums = sums_of(envelopes, scores, slopes)
    assert (breakpoints.tolist(), sums.tolist()) == ([], [[1, 0, 0]])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1.7e308])
def test_lines_without_finite_differences_are_refused(value):
    envelopes = IntegerEnvelopes(
        np.eye(2, dtype=np.int64), np.arange(2, dtype=np.int32), np.array([0, 2])
    )
    for scores, slopes in (([value, 0.0], [0.0, 1.0]), ([0.0, 1.0], [0.0, value])):
        with pytest.raises(ValueError, match="too large or not a number"):
            sums_of(envelopes, scores, slopes)


def test_bad_arrays_are_refused():
    rows, offsets = np.zeros((2, 1), np.int64), np.array([0, 2])
    with pytest.raises(IndexError, match="hypothesis"):
        IntegerEnvelopes(rows, np.array([0, 2], np.int32), offsets)
    with pytest.raises(ValueError, match="without candidates"):
        IntegerEnvelopes(rows, np.array([0, 1], np.int32), np.array([0, 0, 2]))
    with pytest.raises(ValueError, match="offsets"):
        IntegerEnvelopes(rows, np.array([0, 1], np.int32), np.array([0, 3]))
    envelopes = IntegerEnvelopes(rows, np.array([0, 1], np.int32), offsets)
    with pytest.raises(ValueError, match="one score"):
        sums_of(envelopes, np.zeros(2), np.zeros(3))
    with pytest.raises(ValueError, match="per segment"):
        sums_of(envelopes, np.zeros(2), np.zeros(2), 2)
    lines, errors = [np.zeros(2), np.zeros(2)], [np.zeros(1), np.zeros(1)]
    for bad in (-1.0, np.nan, np.inf):
        for at in (0, 1):
            wrong = [np.array([bad]) if at == place else each for place, each in enumerate(errors)]
            with pytest.raises(ValueError, match="an error of scores or slopes"):
                envelopes.envelope_sums(*lines, *wrong)
    for low, high in ((1.0, 2.0), (-2.0, -1.0), (np.nan, 1.0), (-1.0, np.nan)):
        with pytest.raises(ValueError, match="0 is not in the range"):
            envelopes.envelope_sums(*lines, *errors, low, high)


@settings(max_examples=50)
@given(lists(), ends, ends)
def test_a_range_is_a_part_of_the_whole_line(candidates, below, above):
    scores, slopes, offsets, hypotheses, rows = candidates
    envelopes = IntegerEnvelopes(
        np.array(rows), np.array(hypotheses, np.int32), np.array(offsets, np.int64)
    )
    lines = [np.array(scores, float), np.array(slopes, float)]
    exact = np.zeros(len(offsets) - 1)
    points, sums = envelopes.envelope_sums(*lines, exact, exact)
    inside = (points > -below) & (points < above)
    part_points, part_sums = envelopes.envelope_sums(*lines, exact, exact, -below, above)
    assert part_points.tolist() == points[inside].tolist()
    first = np.searchsorted(points, -below, side="right")
    assert part_sums.tolist() == sums[first : first + inside.sum() + 1].tolist()


@settings(max_examples=80)
@given(lists(), st.integers(1, 9), st.integers(0, 10**6))
def test_scores_of_weights_against_definition(candidates, count, seed):
    """Whole numbers, which nothing rounds."""
    scores, _, offsets, _, _ = candidates
    rng = np.random.default_rng(seed)
    features = rng.integers(-2, 3, (len(scores), count))
    weights = rng.integers(-2, 3, (3, count))
    columns, by = np.asfortranarray(features, np.float64), weights.astype(float)
    assert weighted_scores(columns, by).tolist() == [
        oracle.weighted_scores(features.tolist(), each) for each in weights.tolist()
    ]
    best = best_candidates(columns, np.array(scores, float), np.array(offsets, np.int64), by)
    assert best.tolist() == [
        oracle.best_candidates(each, offsets, features.tolist(), scores)
        for each in weights.tolist()
    ]


@pytest.mark.parametrize("size", [1, 255, 256, 257, 700])
def test_scores_of_long_lists_are_added_feature_by_feature(size):
    """To the last bit, at the ends of blocks too."""
    rng = np.random.default_rng(size)
    features, weights = np.asfortranarray(rng.normal(size=(size, 7))), rng.normal(size=(2, 7))
    expected = np.zeros((2, size))
    for at in range(7):
        expected += weights[:, at, None] * features[:, at]
    assert weighted_scores(features, weights).tolist() == expected.tolist()


def test_what_only_rounding_sets_apart_is_one_breakpoint():
    """Lines of every segment cross where the one weight is 0; thirds are no binary numbers."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=40) / 3
    rows, hypotheses = np.arange(40)[:, None], np.arange(40, dtype=np.int32)
    offsets = np.arange(0, 41, 4)
    errors = 4 * 2.0**-53 * np.maximum.reduceat(np.abs(features), offsets[:-1])
    breakpoints, sums = IntegerEnvelopes(rows, hypotheses, offsets).envelope_sums(
        0.3 * features, 0.7 * features, 0.3 * errors, 0.7 * errors, -1.0, 1.0
    )
    assert breakpoints == pytest.approx([-0.3 / 0.7], abs=1e-15)
    blocks = features.reshape(10, 4)
    chosen = [blocks.argmin(axis=1), blocks.argmax(axis=1)]
    assert sums[:, 0].tolist() == [int((offsets[:-1] + each).sum()) for each in chosen]


def test_bad_features_and_weights_are_refused():
    offsets, features = np.array([0, 2]), np.asfortranarray(np.ones((2, 3)))
    scores, weights = np.zeros(2), np.ones((5, 3))
    with pytest.raises(ValueError, match="per candidate"):
        best_candidates(features, np.zeros(1), offsets, weights)
    with pytest.raises(ValueError, match="without candidates"):
        best_candidates(features, scores, np.array([0, 0, 2]), weights)
    for wrong in ([], [0], [0, 3], [1, 2]):
        with pytest.raises(ValueError, match="from 0 to the number of candidates"):
            best_candidates(features, scores, np.array(wrong, np.int64), weights)
    with pytest.raises(ValueError, match="one weight per feature"):
        best_candidates(features, scores, offsets, np.ones((5, 2)))
    with pytest.raises(ValueError, match="one weight per feature"):
        weighted_scores(features, np.ones((5, 4)))
    assert best_candidates(features, scores, offsets, np.ones((0, 3))).shape == (0, 1)
    assert weighted_scores(features, np.ones((0, 3))).shape == (0, 2)


@settings(max_examples=50)
@given(
    st.lists(st.floats(-50, 50), min_size=1, max_size=30),
    st.floats(1e-3, 1e3),
    st.floats(0, 1).map(lambda number: round(number, 6)),
)
def test_intervals_are_drawn_as_defined(worths, temperature, number):
    drawn = draw_interval(np.array(worths), temperature, number)
    # A number that rounding may put on either side of a sum may draw either neighbour.
    assert drawn in {
        oracle.draw_interval(worths, temperature, number * (1 + shift))
        for shift in (-1e-12, 0, 1e-12)
    }


def test_what_is_worth_nothing_is_not_drawn():
    worths = np.array([np.nan, 1.0, -np.inf, 1.0, np.nan])
    numbers = np.linspace(0, 0.999, 100)
    drawn = [draw_interval(worths, 0.1, number) for number in numbers]
    assert drawn == [1 if number < 0.5 else 3 for number in numbers]
    assert draw_interval(np.full(3, -np.inf), 1.0, 0.5) in range(3)
    for temperature, number in ((0.0, 0.5), (np.nan, 0.5), (np.inf, 0.5), (1.0, -0.1), (1.0, 1.1)):
        with pytest.raises(ValueError, match=r"temperature|number"):
            draw_interval(worths, temperature, number)
    with pytest.raises(ValueError, match="no intervals"):
        draw_interval(np.zeros(0), 1.0, 0.5)
