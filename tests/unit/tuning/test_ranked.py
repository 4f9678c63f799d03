from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.tuning.written import make_list, problem_of, random_list
from weigh.errors import InputError
from weigh.tuning.nbest import NBest
from weigh.tuning.problem import Problem
from weigh.tuning.ranked import mira, pro, sample_pairs
from weigh.tuning.weights import WeightSpace

Optimizer = Callable[..., Any]
both = pytest.mark.parametrize("optimizer", [pro, mira])


def planted(seed: int = 1, *, sparse: bool = False) -> NBest:
    """A list whose metric is a known mixture of three of its features, and noise."""
    generator = np.random.default_rng(seed)
    segments, size = 60, 12
    features = generator.normal(size=(segments * size, 6))
    if sparse:
        features = (features > 0.5).astype(float)
    quality = features @ np.array([2.0, -1.0, 0.5, 0, 0, 0])
    quality += 0.1 * generator.normal(size=len(quality))
    numbers = np.stack([quality, np.ones(len(quality))], axis=1)
    if sparse:
        return make_list([size] * segments, numbers, features[:, :1], features[:, 1:])
    return make_list([size] * segments, numbers, features)


def tuned(optimizer: Optimizer, problem: Problem, seed: int = 0) -> Any:
    return optimizer(problem, WeightSpace.of(problem.nbest.feature_names), seed=seed)


@both
@pytest.mark.parametrize("sparse", [False, True])
def test_planted_features_are_found(optimizer: Optimizer, sparse: bool) -> None:
    problem = problem_of(planted(sparse=sparse))
    weights = tuned(optimizer, problem)
    truth = np.array([2.0, -1.0, 0.5, 0, 0, 0])
    assert problem.score(weights) > problem.score(truth) - 0.05
    cosine = weights @ truth / np.linalg.norm(weights) / np.linalg.norm(truth)
    assert cosine > 0.9


@both
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), higher=st.booleans())
def test_never_worse_than_the_start(optimizer: Optimizer, seed: int, higher: bool) -> None:
    problem = problem_of(random_list(seed, segments=4, features=3), higher)
    start = np.random.default_rng(seed).normal(size=3)
    space = WeightSpace.of(problem.nbest.feature_names, start)
    gain = problem.score(optimizer(problem, space, seed=seed)) - problem.score(start)
    assert gain >= 0 if higher else gain <= 0


@both
def test_units_of_features_do_not_matter(optimizer: Optimizer) -> None:
    nbest = planted()
    units = np.array([1000.0, 1e-3, 1.0, 7.0, 1.0, 1.0])
    scaled = replace(nbest, features=np.asfortranarray(nbest.features * units))
    plain = tuned(optimizer, problem_of(nbest))
    other = optimizer(problem_of(scaled), WeightSpace.of(nbest.names, 1 / units), seed=0)
    assert other * units == pytest.approx(plain, rel=1e-3, abs=1e-3)


@both
def test_bounds_hold_and_equal_ones_fix(optimizer: Optimizer) -> None:
    problem = problem_of(planted())
    names = problem.nbest.names
    space = WeightSpace.of(names).bounded({names[0]: (-np.inf, 1.5), names[1]: (0.0, np.inf)})
    space = space.fixed([names[2]])
    weights = optimizer(problem, space, seed=0)
    assert np.all(weights >= space.low)
    assert np.all(weights <= space.high)
    assert weights[2] == 1.0
    assert problem.score(weights) > problem.score(np.ones(6))


@both
@pytest.mark.parametrize("sparse", [False, True])
def test_features_too_large_to_square_are_refused(optimizer: Optimizer, sparse: bool) -> None:
    values = np.array([[1.0], [1e200]])
    parts = (np.zeros((2, 1)), values) if sparse else (values, None)
    problem = problem_of(make_list([2], np.array([[1, 1], [2, 1]]), *parts))
    with pytest.raises(InputError, match=f"'{'sparse' if sparse else 'dense'}_0' has values"):
        tuned(optimizer, problem)


def test_pairs_are_the_most_different_of_their_segment() -> None:
    qualities = np.array([3.0, 0.0, 1.0, 7.0, 7.0, 5.0])
    offsets = np.array([0, 3, 5, 6])
    winners, losers = sample_pairs(qualities, offsets, np.random.default_rng(0), 200, 5)
    # The second segment's candidates are equal and the third has one: nothing to learn there.
    assert winners.tolist() == [0] * 5
    assert losers.tolist() == [1] * 5
