from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.loglinear import full_solve, loss
from unit.tuning.problems import block_of, random_sentences
from weigh.errors import UsageError
from weigh.tuning.loglinear import fit, gradient


def objective(sentences: object, weights: list[float], gamma: float) -> float:
    return loss(sentences, weights) + gamma * sum(map(abs, weights))  # type: ignore[arg-type]


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32), gamma=st.floats(0.3, 2), per_round=st.integers(1, 4))
def test_same_optimum_as_a_full_solve(seed: int, gamma: float, per_round: int) -> None:
    sentences = random_sentences(seed, sentences=10, features=6)
    expected = full_solve(sentences, gamma)
    found = fit([block_of(sentences)], gamma, np.zeros(6), per_round=per_round)
    value = objective(sentences, found.weights.tolist(), gamma)
    assert found.objective == pytest.approx(value, rel=1e-12)
    assert value == pytest.approx(objective(sentences, expected, gamma), rel=2e-6)
    assert found.gap <= 1e-6


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32), gamma=st.floats(0.3, 2))
def test_gradient_condition_holds_with_several_best(seed: int, gamma: float) -> None:
    blocks = [block_of(random_sentences(seed, sentences=10, features=6, several_best=True))]
    found = fit(blocks, gamma, np.zeros(6), tolerance=1e-9)
    slope = gradient(blocks, found.weights)[1]
    zero = found.weights == 0
    assert np.all(np.abs(slope[zero]) <= gamma)
    assert slope[~zero] == pytest.approx(-gamma * np.sign(found.weights[~zero]), abs=1e-3)


def test_a_large_gamma_selects_nothing() -> None:
    sentences = random_sentences(1, sentences=8, features=5)
    steepest = float(np.abs(gradient([block_of(sentences)], np.zeros(5))[1]).max())
    above = fit([block_of(sentences)], steepest * 1.001, np.zeros(5))
    assert not above.weights.any()
    assert (above.active, above.gap) == ((), pytest.approx(0, abs=1e-12))
    assert fit([block_of(sentences)], steepest * 0.99, np.zeros(5)).weights.any()


def test_only_kept_sentences_count() -> None:
    sentences = random_sentences(6, sentences=20, features=5)
    kept = np.arange(20) % 4 != 1
    chosen = [sentence for sentence, keep in zip(sentences, kept, strict=True) if keep]
    blocks = [block_of(sentences[:7]), block_of(sentences[7:])]
    found = fit(blocks, 0.5, np.zeros(5), kept=kept)
    assert found.objective == pytest.approx(fit([block_of(chosen)], 0.5, np.zeros(5)).objective)


@pytest.mark.parametrize("gamma", [0.0, -1.0, float("nan")])
def test_gamma_must_be_positive(gamma: float) -> None:
    with pytest.raises(UsageError, match="above 0"):
        fit([block_of(random_sentences(1, 2, 2))], gamma, np.zeros(2))
