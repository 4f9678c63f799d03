"""Line search where rounding matters: many lines through one point, against rational numbers."""

from __future__ import annotations

import numpy as np
import pytest

from oracle.envelope import best_value
from weigh import parse_metric
from weigh.tuning.linesearch import LineSearch
from weigh.tuning.mert import CoordinateSearch, FeatureScales, MertPlan, Objective, mert
from weigh.tuning.nbest import NBest, SparseFeatures
from weigh.tuning.problem import Problem
from weigh.tuning.weights import WeightSpace


def random_problem(rng: np.random.Generator, features: int, *, whole: bool) -> Problem:
    """A few segments with made-up edits; whole features tie often, real ones differ in size."""
    sizes = rng.integers(1, 7, int(rng.integers(2, 8)))
    size = int(sizes.sum())
    if whole:
        values = rng.integers(-3, 4, (size, features)).astype(float)
    else:
        values = rng.normal(size=(size, features)) * rng.choice([0.01, 1, 100], features)
    nbest = NBest(
        tuple(map(str, range(len(sizes)))),
        np.concatenate([[0], np.cumsum(sizes)]),
        tuple(map(str, range(size))),
        np.repeat(np.arange(len(sizes)), sizes),
        np.arange(size, dtype=np.int32),
        tuple(f"f_{number}" for number in range(features)),
        np.asfortranarray(values),
        SparseFeatures((), np.zeros(size + 1, np.int64), np.zeros(0, np.int32), np.zeros(0)),
    )
    rows = np.stack([rng.integers(0, 50, size), np.full(size, 10)], axis=1)
    return Problem(nbest, rows, parse_metric("wer"))


def exact_best(problem: Problem, weights, direction) -> float:
    """The best score of the line, by brute force in rational numbers."""
    nbest = problem.nbest
    return -best_value(
        nbest.features.tolist(),
        nbest.offsets.tolist(),
        weights.tolist(),
        direction.tolist(),
        lambda chosen: -problem.score_of(np.array(chosen)),
        1e-9,
    )


def some(rng: np.random.Generator, size: int) -> np.ndarray:
    """Numbers, not all of them 0 but often some."""
    values = rng.normal(size=size) * (rng.random(size) < 0.6)
    return values if values.any() else rng.normal(size=size)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("features", [1, 2, 3])
def test_the_best_of_a_line_is_found(features, whole):
    """Along coordinates and other lines, from weights of which some are 0."""
    for seed in range(60):
        rng = np.random.default_rng([seed, features, whole])
        problem = random_problem(rng, features, whole=whole)
        weights = some(rng, features)
        direction = np.eye(features)[rng.integers(features)] if seed % 2 else some(rng, features)
        space = WeightSpace.of(problem.nbest.names, weights)
        objective = Objective(problem, space, MertPlan(), FeatureScales.of(problem, space))
        search = CoordinateSearch(objective, weights)
        line = objective.line_search.score_candidates(direction)
        search.step(direction, search.evaluate(line))
        assert search.score == problem.score(search.weights)
        assert search.score <= exact_best(problem, weights, direction) + 1e-9


def test_one_feature_has_two_choices_and_the_better_one_is_found():
    """All lines of all segments cross where the weight is 0, and nothing lies there."""
    for seed in range(150):
        rng = np.random.default_rng(seed)
        problem = random_problem(rng, 1, whole=False)
        start = rng.normal(size=1)
        [result] = mert(problem, WeightSpace.of(("f_0",), start), MertPlan(starts=1), threads=1)
        assert result.score == min(problem.score(np.array([sign])) for sign in (1.0, -1.0))


def test_only_rounding_merges_breakpoints():
    """Lines of three segments cross in one place but for rounding, a fourth 1e-12 further on."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(8, 1))
    nbest = NBest(
        tuple("abcd"),
        np.arange(0, 9, 2),
        tuple("stuvwxyz"),
        np.repeat(np.arange(4), 2),
        np.arange(8, dtype=np.int32),
        ("f_0", "g_0"),
        np.asfortranarray(np.hstack([features, np.zeros((8, 1))])),
        SparseFeatures((), np.zeros(9, np.int64), np.zeros(0, np.int32), np.zeros(0)),
    )
    # The second feature moves the last segment's crossing alone.
    turn = nbest.features[7, 0] - nbest.features[6, 0]
    nbest.features[7, 1] = 1e-12 * turn
    problem = Problem(nbest, np.ones((8, 2), np.int64), parse_metric("wer"))
    search = LineSearch(problem)
    surface = search.surface(
        search.score_candidates(np.array([0.3, -1.0])),
        search.score_candidates(np.array([1.0, 0.0])),
    )
    assert surface.breakpoints == pytest.approx([-0.3, -0.3 + 1e-12], abs=1e-15)


def test_directions_that_are_parallel_but_for_rounding_do_not_cross():
    """0.1 + 0.2 is not 0.3: two candidates whose slopes are equal never change places."""
    nbest = NBest(
        ("a",),
        np.array([0, 2]),
        ("x", "y"),
        np.zeros(2, np.int64),
        np.arange(2, dtype=np.int32),
        ("f_0", "f_1", "f_2"),
        np.asfortranarray(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])),
        SparseFeatures((), np.zeros(3, np.int64), np.zeros(0, np.int32), np.zeros(0)),
    )
    problem = Problem(nbest, np.ones((2, 2), np.int64), parse_metric("wer"))
    search = LineSearch(problem)
    direction = search.score_candidates(np.array([0.1, 0.2, 0.3]))
    assert direction.scores[0] != direction.scores[1]
    assert not len(
        search.surface(search.score_candidates(np.array([1.0, 2.0, 4.0])), direction).breakpoints
    )
