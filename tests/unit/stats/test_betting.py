"""Bets on differences: plain products and all subsets as authorities."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weigh.errors import InputError
from weigh.stats.betting import SHARES, Bets, adjust_e_values, confidence_sequence

differences = st.lists(st.floats(-1, 1), min_size=0, max_size=12)
stakes = st.lists(st.floats(0.01, 200), min_size=1, max_size=7)


def plain_stakes(d):
    """Both gamblers and their mean, multiplied out."""
    shares = [(j + 0.5) / 8 for j in range(8)]
    first = sum(math.prod(1 + g * x for x in d) for g in shares) / 8
    second = sum(math.prod(1 - g * x for x in d) for g in shares) / 8
    return first, second, (first + second) / 2


def closed_test(e_values):
    """The smallest mean over all sets of comparisons that contain this one."""
    places = range(len(e_values))
    return [
        min(
            sum(e_values[j] for j in subset) / len(subset)
            for size in range(1, len(e_values) + 1)
            for subset in combinations(places, size)
            if i in subset
        )
        for i in places
    ]


@given(differences)
def test_stakes_against_plain_products(d):
    bets = Bets.none(1).after([d])
    found = (bets.on_first[0], bets.on_second[0], bets.e_values[0])
    assert found == pytest.approx(plain_stakes(d), rel=1e-9)


@given(differences, st.integers(0, 12))
def test_units_may_come_in_parts(d, at):
    whole = Bets.none(1).after([d])
    parts = Bets.none(1).after([d[:at]]).after([d[at:]])
    np.testing.assert_allclose(parts.logs, whole.logs, atol=1e-12)


@given(differences)
def test_swapping_the_systems_mirrors_the_stakes(d):
    bets, mirrored = Bets.none(1).after([d]), Bets.none(1).after([[-x for x in d]])
    assert mirrored.on_first[0] == pytest.approx(bets.on_second[0])
    assert mirrored.e_values[0] == pytest.approx(bets.e_values[0])


def test_no_units_and_no_differences_leave_the_stake():
    assert Bets.none(3).e_values.tolist() == pytest.approx([1, 1, 1])
    assert Bets.none(1).after(np.zeros((1, 500))).e_values[0] == pytest.approx(1)


def test_stakes_stay_finite():
    bets = Bets.none(2).after([np.ones(100_000), -np.ones(100_000)])
    assert np.isfinite(bets.e_values).all()
    assert np.isfinite(adjust_e_values(np.repeat(bets.e_values, 5000))).all()
    assert bets.on_second[0] == 0


@pytest.mark.parametrize("d", [[[1.1]], [[-1.5]], [[float("nan")]], [0.5], [[0.1], [0.2]]])
def test_differences_that_do_not_fit_are_refused(d):
    with pytest.raises(InputError, match="bets"):
        Bets.none(1).after(d)


def test_expected_stake_without_a_difference_is_one():
    """Over all 2^8 signs of some sizes: what makes the test valid at any time."""
    sizes = np.array([0.1, 0.3, 1.0, 0.5, 0.5, 0.9, 0.2, 1.0])
    signs = ((np.arange(256)[:, None] >> np.arange(8)) & 1) * 2 - 1
    bets = Bets.none(256).after(signs * sizes)
    assert bets.e_values.mean() == pytest.approx(1)
    assert bets.on_first.mean() == pytest.approx(1)


@settings(max_examples=60)
@given(stakes)
def test_closed_test_against_all_subsets(e_values):
    assert adjust_e_values(e_values).tolist() == pytest.approx(closed_test(e_values))


def test_closed_test_of_ties_and_of_one():
    assert adjust_e_values([25.0]).tolist() == [25.0]
    assert adjust_e_values([4.0, 4.0, 4.0]).tolist() == [4, 4, 4]
    assert adjust_e_values([]).size == 0


def test_closed_test_of_8911_comparisons():
    rng = np.random.default_rng(0)
    e = np.exp(rng.normal(0, 3, 8_911))
    ordered = np.sort(e)
    adjusted = adjust_e_values(e)
    for i in (0, 17, int(e.argmax()), int(e.argmin())):
        others = np.delete(ordered, np.searchsorted(ordered, e[i]))
        sums = np.concatenate([[0.0], np.cumsum(others)])
        assert adjusted[i] == pytest.approx(((e[i] + sums) / np.arange(1, 8_912)).min())


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30), st.sampled_from([0.9, 0.95, 0.99]))
def test_ends_of_a_confidence_sequence_solve_their_equation(d, level):
    def stake(y, m):
        return sum(math.prod(1 - g + g * x / m for x in y) for g in SHARES) / 8

    low, high = (float(end[0]) for end in confidence_sequence([d], level))
    assert -1 <= low <= high <= 1
    needed = 2 / (1 - level)
    for y, m in (
        ([(1 + x) / 2 for x in d], (1 + low) / 2),
        ([(1 - x) / 2 for x in d], (1 - high) / 2),
    ):
        if m > 1e-6:
            assert stake(y, m * (1 + 1e-6)) <= needed <= stake(y, m * (1 - 1e-6))


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30))
def test_swapping_the_systems_mirrors_the_confidence_sequence(d):
    low, high = confidence_sequence([d])
    other_low, other_high = confidence_sequence([[-x for x in d]])
    assert (other_low[0], other_high[0]) == pytest.approx((-high[0], -low[0]), abs=1e-9)


def test_one_tail_is_a_bound_at_alpha():
    d = np.random.default_rng(1).normal(0.2, 0.3, (1, 200)).clip(-1, 1)
    one, _ = confidence_sequence(d, 0.95, tails=1)
    two, _ = confidence_sequence(d, 0.90)
    assert one == pytest.approx(two)


def test_confidence_sequences_narrow_around_the_mean():
    d = np.random.default_rng(2).normal(0.2, 0.3, (1, 20_000)).clip(-1, 1)
    low, high = confidence_sequence(d)
    assert low[0] < d.mean() < high[0]
    assert high[0] - low[0] < 0.05


def test_scores_of_few_values_have_the_ends_of_any_scores():
    """They are counted instead of listed; a hair of noise makes them be listed again."""
    rng = np.random.default_rng(3)
    d = rng.choice([-1.0, 0.0, 0.5, 1.0], (20, 60))
    listed = confidence_sequence(np.clip(d + rng.uniform(-1e-9, 1e-9, d.shape), -1, 1))
    np.testing.assert_allclose(confidence_sequence(d), listed, atol=1e-7)
