"""Other tools' formulas: sacreBLEU itself, plain Python and theory as authorities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.significance import _compute_p_value

from weigh.stats.significance import moses_bootstrap_p, multeval_p, sacrebleu_bootstrap_p

FORMULAS = [sacrebleu_bootstrap_p, moses_bootstrap_p, multeval_p]
numbers = st.integers(-8, 8).map(lambda i: i / 4)  # exact, so that ties are ties
draws = st.lists(numbers, min_size=1, max_size=32)


@given(observed=numbers, differences=draws)
def test_sacrebleu_against_sacrebleu(observed, differences):
    sizes = np.abs(differences)
    expected = _compute_p_value(sizes - sizes.mean(), abs(observed))
    assert sacrebleu_bootstrap_p(observed, differences) == expected


@given(observed=numbers, differences=draws)
def test_multeval_against_sacrebleu_which_took_its_formula(observed, differences):
    expected = _compute_p_value(np.abs(differences), abs(observed))
    assert multeval_p(observed, differences) == expected


@given(observed=numbers, differences=draws)
def test_moses_against_plain_python(observed, differences):
    sizes = np.abs(differences)
    count = sum(size - sizes.mean() >= abs(observed) for size in sizes)
    assert moses_bootstrap_p(observed, differences) == count / len(differences)


def null_experiments(experiments: int = 4000, trials: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """True nulls: a normal difference of mean 0, and its bootstrap around it."""
    rng = np.random.default_rng(2)
    observed = rng.normal(size=experiments)
    return observed, observed[:, None] + rng.normal(size=(experiments, trials))


@pytest.mark.parametrize("formula", [sacrebleu_bootstrap_p, moses_bootstrap_p])
def test_centring_absolute_values_rejects_too_often_against_theory(formula):
    observed, differences = null_experiments()
    p = formula(observed, differences)
    assert 0.08 <= (p <= 0.05).mean() <= 0.12
    assert 0.21 <= (p <= 0.10).mean() <= 0.27
    # Centre first, then take absolute values: the error is what it should be.
    centred = np.abs(differences - differences.mean(axis=1, keepdims=True))
    right = ((centred >= np.abs(observed)[:, None]).sum(axis=1) + 1) / (centred.shape[1] + 1)
    assert (right <= 0.05).mean() == pytest.approx(0.05, abs=0.011)


def test_a_coin_per_run_rejects_too_often_against_theory():
    # Three identical runs of 200 segments. One coin for a segment and all its runs is exact.
    rng = np.random.default_rng(5)
    rejected = {"per run": 0, "per segment": 0}
    for _ in range(800):
        segment = rng.normal(size=200)
        signs = rng.choice([-1.0, 1.0], size=(400, 3, 200))
        observed = 3 * segment.sum()
        rejected["per run"] += multeval_p(observed, signs.sum(axis=1) @ segment) <= 0.05
        rejected["per segment"] += multeval_p(observed, 3 * signs[:, 0] @ segment) <= 0.05
    # |z| > 1.96/√3 has probability .258.
    assert rejected["per run"] / 800 == pytest.approx(0.258, abs=0.04)
    assert rejected["per segment"] / 800 == pytest.approx(0.05, abs=0.02)


def test_identical_systems_are_called_different_by_two_of_three():
    found = {formula.__name__: float(formula(0.0, np.zeros(999))) for formula in FORMULAS}
    assert found == {"sacrebleu_bootstrap_p": 0.001, "moses_bootstrap_p": 1.0, "multeval_p": 0.001}


@pytest.mark.parametrize("formula", FORMULAS)
def test_many_pairs_at_once(formula):
    observed, differences = null_experiments(experiments=6, trials=50)
    together = formula(observed.reshape(2, 3), differences.reshape(2, 3, 50))
    assert together.shape == (2, 3)
    assert together[1, 2] == formula(observed[5], differences[5])
