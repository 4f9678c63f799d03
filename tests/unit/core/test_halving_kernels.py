"""The kernels of halvings against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import halving as oracle
from weigh import _core

# Around the size from which a sample of the trials suggests where the k-th value lies.
TRIALS = [1, 2, 3, 17, 1023, 1024, 1025, 1300]


def halves(rng: np.random.Generator, systems: int, trials: int, values: int | None) -> np.ndarray:
    """Scores of a half, of which many are equal unless `values` is None."""
    if values is None:
        return rng.normal(size=(systems, trials))
    return rng.integers(0, values, (systems, trials)) / 4.0


@settings(max_examples=80)
@given(
    st.sampled_from(TRIALS),
    st.sampled_from([None, 1, 2, 40]),
    st.floats(0, 1),
    st.integers(0, 10**6),
)
def test_ends_against_oracle(trials, values, share, seed):
    rng = np.random.default_rng(seed)
    first, second = halves(rng, 3, trials, values), halves(rng, 3, trials, values)
    pairs = np.array([[0, 1], [2, 0], [1, 1]])
    k = 1 + int(share * (trials - 1))
    found = _core.halving_ends(first, second, pairs, k)
    assert found.tolist() == oracle.halving_ends(first.tolist(), second.tolist(), pairs.tolist(), k)


@pytest.mark.parametrize("k", [1, 2, 500, 2499, 2500, 9_998, 9_999])
def test_any_place_of_many_trials(k):
    """Sorted, reversed and constant trials mislead the sample that suggests a bound."""
    trials = 9_999
    rng = np.random.default_rng(k)
    rows = [
        np.arange(trials),
        np.arange(trials)[::-1],
        np.zeros(trials),
        rng.exponential(size=trials),
    ]
    first = np.array(rows, dtype=np.float64)
    second = first[:, ::-1].copy()
    pairs = np.array([[a, b] for a in range(4) for b in range(4)])
    low = np.sort(
        np.minimum(
            first[pairs[:, 0]] - first[pairs[:, 1]], second[pairs[:, 0]] - second[pairs[:, 1]]
        ),
        axis=1,
    )[:, k - 1]
    found = _core.halving_ends(first, second, pairs, k)
    assert found[:, 0].tolist() == low.tolist()
    mirrored = _core.halving_ends(first, second, pairs[:, ::-1].copy(), k)
    np.testing.assert_array_equal(mirrored, -found[:, ::-1])


@settings(max_examples=60)
@given(st.sampled_from([0, 1, 7, 64, 300]), st.sampled_from([None, 2, 9]), st.integers(0, 10**6))
def test_counts_against_oracle(trials, values, seed):
    rng = np.random.default_rng(seed)
    sums = halves(rng, 3, trials, values)
    pairs = np.array([[0, 1], [2, 0], [1, 1]])
    bounds = rng.integers(-4, 5, (3, 4)) / 4.0
    found = _core.extreme_counts(sums, pairs, bounds)
    assert found.tolist() == oracle.extreme_counts(sums.tolist(), pairs.tolist(), bounds.tolist())


def test_what_does_not_fit_is_refused():
    scores, pairs = np.zeros((2, 5)), np.array([[0, 1]])
    for k in (0, 6, 2**63):
        with pytest.raises(ValueError, match="k is not"):
            _core.halving_ends(scores, scores, pairs, k)
    with pytest.raises(ValueError, match="shape"):
        _core.halving_ends(scores, scores[:, :4].copy(), pairs, 1)
    for number in (np.nan, np.inf, -np.inf):
        wrong_half = np.full((2, 5), [0, 1, number, 2, 3])
        for one, other in ((wrong_half, scores), (scores, wrong_half)):
            with pytest.raises(ValueError, match="not a finite number"):
                _core.halving_ends(one, other, pairs, 1)
    for wrong in ([[0, 2]], [[-1, 0]]):
        with pytest.raises(ValueError, match="not there"):
            _core.halving_ends(scores, scores, np.array(wrong), 1)
        with pytest.raises(ValueError, match="not there"):
            _core.extreme_counts(scores, np.array(wrong), np.zeros((1, 4)))
    with pytest.raises(ValueError, match="two members"):
        _core.halving_ends(scores, scores, np.array([[0, 1, 0]]), 1)
    for bounds in (np.zeros((1, 3)), np.zeros((2, 4))):
        with pytest.raises(ValueError, match="four bounds"):
            _core.extreme_counts(scores, pairs, bounds)
    assert _core.halving_ends(scores, scores, np.zeros((0, 2), np.int64), 1).shape == (0, 2)
    assert _core.extreme_counts(scores, np.zeros((0, 2), np.int64), np.zeros((0, 4))).shape == (
        0,
        3,
    )
