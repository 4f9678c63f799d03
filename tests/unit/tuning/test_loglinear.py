from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.loglinear import loss, numeric_gradient
from unit.tuning.problems import block_of, random_sentences
from weigh.tuning.loglinear import Posterior, gradient


@given(seed=st.integers(0, 2**32), several=st.booleans())
def test_loss_and_gradient_against_definition(seed: int, several: bool) -> None:
    sentences = random_sentences(seed, sentences=5, features=4, several_best=several)
    weights = np.random.default_rng(seed).normal(size=4)
    found, slope = gradient([block_of(sentences)], weights)
    assert found == pytest.approx(loss(sentences, weights.tolist()), rel=1e-12, abs=1e-12)
    assert slope == pytest.approx(numeric_gradient(sentences, weights.tolist()), abs=1e-7)


def test_blocks_and_kept_sentences_add_up() -> None:
    sentences = random_sentences(3, sentences=12, features=5, several_best=True)
    weights = np.linspace(-1, 1, 5)
    parts = [block_of(sentences[:5]), block_of(sentences[5:6]), block_of(sentences[6:])]
    assert gradient(parts, weights)[0] == pytest.approx(loss(sentences, weights.tolist()))
    kept = np.arange(12) % 3 != 0
    chosen = [sentence for sentence, keep in zip(sentences, kept, strict=True) if keep]
    part, slope = gradient(parts, weights, kept)
    assert part == pytest.approx(loss(chosen, weights.tolist()))
    assert slope == pytest.approx(numeric_gradient(chosen, weights.tolist()), abs=1e-7)


def test_far_apart_scores_neither_overflow_nor_vanish() -> None:
    starts, best = np.array([0, 2, 4]), np.array([True, False, False, True])
    posterior = Posterior.of(np.array([0.0, 5000.0, 5000.0, 0.0]), starts, best)
    assert posterior.loss == 10_000
    assert posterior.residuals.tolist() == [-1, 1, 1, -1]
    posterior = Posterior.of(np.array([5000.0, 0.0, 0.0, 5000.0]), starts, best)
    assert posterior.loss == 0
    assert posterior.residuals.tolist() == [0, 0, 0, 0]


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), gamma=st.floats(0.1, 3))
def test_bound_stands_below_every_objective(seed: int, gamma: float) -> None:
    sentences = random_sentences(seed, sentences=6, features=3)
    block = block_of(sentences)
    generator = np.random.default_rng(seed)
    at, other = generator.normal(size=3), generator.normal(size=3) * generator.random()
    posterior = Posterior.of(block.features @ at, block.starts, block.best)
    steepest = float(np.abs(posterior.residuals @ block.features).max())
    objective = loss(sentences, other.tolist()) + gamma * float(np.abs(other).sum())
    assert posterior.bound(steepest, gamma) <= objective + 1e-9


def test_bound_meets_the_objective_at_the_optimum() -> None:
    # One sentence, two candidates, one feature: L(w) + γw = log(1 + e^−w) + γw is least at
    # e^−w = γ/(1 − γ).
    gamma = 0.2
    w = math.log((1 - gamma) / gamma)
    posterior = Posterior.of(np.array([w, 0.0]), np.array([0, 2]), np.array([True, False]))
    objective = math.log(1 + math.exp(-w)) + gamma * w
    assert posterior.bound(gamma, gamma) == pytest.approx(objective)
