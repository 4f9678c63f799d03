"""Exact p-values of the sign-flip test: SciPy and all ways to turn signs as authorities."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from oracle.halving import sign_flip_p
from weigh.stats.exact import (
    Differences,
    common_step,
    convolution_p_values,
    enumeration_p_values,
    sign_flips,
)

whole = st.lists(st.integers(-9, 9).filter(bool), min_size=1, max_size=7)


def exact_p(values: np.ndarray, pairs: object = ((0, 1),)) -> np.ndarray:
    """Exact p-values as the randomization test asks for them: pairs × (two-sided, above, below)."""
    chosen = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    slack = 1e-12 * float(np.abs(values).max(initial=0.0))
    differences = Differences.of(values, chosen, np.full(len(chosen), slack))
    tolerance = np.full(len(chosen), slack * values.shape[1])
    found = sign_flips(values, chosen, differences, tolerance, np.zeros(len(chosen)))
    return np.column_stack([found.two_sided, found.better, found.worse])


@settings(max_examples=60)
@given(whole)
def test_convolution_and_enumeration_against_all_signs(d):
    expected = pytest.approx([float(p) for p in sign_flip_p(d)], rel=1e-12)
    assert list(convolution_p_values(np.array(d))) == expected
    assert list(enumeration_p_values(np.array(d, float))) == expected


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=7),
    st.sampled_from([1.0, 0.1, 1 / 3, 1e-6, 1e6]),
)
def test_scores_on_any_grid_against_all_signs(scores, step):
    """Tenths and thirds are rounded in binary: what is a tie must not depend on it."""
    a, b = np.array(scores).T
    expected = [float(p) for p in sign_flip_p((a - b).tolist())]
    assert exact_p(np.array([a, b]) * step)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("won", "lost", "p"),
    [(13, 4, 0.0490417), (5, 0, 0.0625), (6, 0, 0.03125), (1, 0, 1.0), (7, 7, 1.0), (3, 2, 1.0)],
)
def test_mcnemar_against_scipy(won, lost, p):
    values = np.zeros((2, 100))
    values[0, :won] = values[1, won : won + lost] = 1
    found = exact_p(values)[0]
    n = won + lost
    assert found[0] == pytest.approx(p, abs=1e-7)
    for value, side in zip(found, ("two-sided", "greater", "less"), strict=True):
        assert value == pytest.approx(binomtest(won, n, alternative=side).pvalue, rel=1e-10)


@pytest.mark.parametrize(("won", "differing"), [(400, 401), (5000, 5000), (2600, 5000), (0, 3)])
def test_large_counts_against_scipy(won, differing):
    values = np.zeros((2, 6000))
    values[0, :won] = values[1, won:differing] = 1
    theirs = [
        binomtest(won, differing, alternative=side).pvalue
        for side in ("two-sided", "greater", "less")
    ]
    assert exact_p(values)[0] == pytest.approx(theirs, rel=1e-8, abs=1e-300)
    assert (exact_p(values) > 0).all()


def test_all_sizes_equal_is_mcnemar_whatever_the_size():
    rng = np.random.default_rng(1)
    values = np.zeros((2, 60))
    values[0] = rng.choice([-0.7, 0.0, 0.7], 60)
    won, lost = np.count_nonzero(values[0] > 0), np.count_nonzero(values[0] < 0)
    assert exact_p(values)[0, 0] == pytest.approx(binomtest(won, won + lost).pvalue)


def test_no_difference_has_p_1():
    assert exact_p(np.ones((2, 20))).tolist() == [[1, 1, 1]]
    assert exact_p(np.zeros((2, 1))).tolist() == [[1, 1, 1]]


def test_few_differing_units_of_many_are_enumerated():
    rng = np.random.default_rng(3)
    values = np.zeros((2, 1000))
    values[0, :16] = rng.normal(size=16)
    assert exact_p(values)[0] == pytest.approx(enumeration_p_values(values[0, :16], 1e-9))
    values[0, :17] = rng.normal(size=17)
    assert np.isnan(exact_p(values)).all()


def test_rounding_errors_are_no_differences():
    """Runs that are summed in another order: only three units differ, and not 500."""
    rng = np.random.default_rng(4)
    runs = rng.random((3, 500))
    values = np.array([runs[0] + runs[1] + runs[2], runs[2] + runs[1] + runs[0]])
    assert np.count_nonzero(values[0] != values[1]) > 20
    values[0, [3, 70, 400]] += [0.5, 0.25, 0.3]
    assert exact_p(values)[0] == pytest.approx([0.25, 0.125, 1.0])


@given(st.permutations(range(8)), st.lists(st.integers(-5, 5), min_size=8, max_size=8))
def test_the_order_of_units_does_not_matter(order, d):
    values = np.array([d, [0] * 8], float)
    assert exact_p(values).tolist() == exact_p(values[:, order]).tolist()


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
def test_swapping_the_systems_mirrors_p(d):
    values = np.array([d, [0] * len(d)], float)
    two, above, below = exact_p(values)[0]
    assert exact_p(values, [(1, 0)])[0] == pytest.approx([two, below, above])


def test_many_pairs_at_once_are_as_each_alone():
    values = np.random.default_rng(5).integers(0, 3, (6, 40)).astype(float)
    pairs = [(a, b) for a in range(6) for b in range(a)]
    together = exact_p(values, pairs)
    for i, pair in enumerate(pairs):
        assert together[i].tolist() == exact_p(values, [pair])[0].tolist()


@pytest.mark.parametrize("steps", [2, 5])
def test_a_system_with_real_scores_leaves_the_p_values_of_other_pairs_exact(steps):
    rng = np.random.default_rng(8)
    whole_numbers = rng.integers(0, steps, (2, 60)).astype(float)
    alone = exact_p(whole_numbers)
    for real in (rng.random((1, 60)), 100 * rng.normal(size=(1, 60))):
        values = np.concatenate([real, whole_numbers])
        relative = values - values[0]  # as means have them: less the scores of the first system
        found = exact_p(relative, [(1, 2), (0, 1)])
        assert found[0] == pytest.approx(alone[0], rel=1e-12)
        assert np.isnan(found[1]).all()


def test_costs_stay_linear_where_sizes_are_large():
    """100 units of up to 4,000 steps: a convolution at its limit takes a fraction of a second."""
    d = np.random.default_rng(6).integers(1, 4000, 100)
    assert 1e7 < len(d) * d.sum() <= 2.2e7
    begin = time.process_time()
    two_sided, better, worse = convolution_p_values(d)
    assert time.process_time() - begin < 2
    assert (two_sided, better, worse) == pytest.approx((2.0**-99, 2.0**-100, 1.0))


def test_what_is_too_costly_is_left_to_draws():
    d = np.random.default_rng(7).integers(1, 10**6, (1, 400)).astype(float)
    assert np.isnan(exact_p(np.concatenate([d, 0 * d]))).all()


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([0, 1, 3], 1.0),
        ([0, 2, 6], 2.0),
        ([0.1, 0.3, 0.7], 0.1),
        ([1 / 3, 2 / 3, 2.0], 1 / 3),
        ([0.5, 0.75], 0.25),
        ([0, 0], 1.0),
    ],
)
def test_common_steps(values, step):
    assert common_step(np.array([values], float)) == pytest.approx(step, rel=1e-9)


@pytest.mark.parametrize("decimals", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(5))
def test_common_step_of_rounded_scores(decimals, seed):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.random((3, 60)), decimals)
    values = scores - scores[seed % 3]
    noise = float(np.finfo(float).eps)
    assert common_step(values, noise) == pytest.approx(10.0**-decimals, rel=1e-9)


def test_common_steps_of_real_numbers_are_none():
    assert common_step(np.random.default_rng(0).normal(size=(2, 50))) is None
    assert common_step(np.array([[1.0, np.sqrt(2)]])) is None


def test_a_rare_fine_value_is_found_among_many():
    values = np.zeros((100, 600))
    values[17, 333], values[50] = 0.125, 1.0
    assert common_step(values) == 0.125


def test_common_step_of_noisy_values():
    """Halves beside an offset of 1e9: known to about 1e-7, which is no finer step."""
    rng = np.random.default_rng(2)
    noisy = (rng.integers(0, 9, (2, 50)) / 2 + 1e9 + 0.1) - (1e9 + 0.1)
    assert common_step(noisy, 2.2e-7) == pytest.approx(0.5, rel=1e-5)
    assert common_step(noisy, 1.0) is None
