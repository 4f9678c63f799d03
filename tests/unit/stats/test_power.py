"""Detectable differences and sample sizes: simulation, SciPy and statsmodels as authorities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestPower

from weigh.errors import UsageError
from weigh.stats.power import (
    POWER,
    Family,
    detectable_differences,
    units_needed,
)
from weigh.stats.student import noncentrality

PAIRS = (1, 66, 8_911)


def detectable(error, units, differing, family):
    [delta] = detectable_differences(np.array([error]), units, np.array([differing]), family)
    return float(delta)


@pytest.mark.parametrize("units", [8, 10, 20, 50, 200])
def test_noncentrality_against_simulation(units):
    """A t test of normal data whose true mean is c standard errors finds it in 80%."""
    c = noncentrality(units - 1, 0.05, POWER)
    rng = np.random.default_rng(units)
    d = rng.normal(c / math.sqrt(units), 1, (20_000, units))
    t = d.mean(axis=1) / d.std(axis=1, ddof=1) * math.sqrt(units)
    assert (t > stats.t.ppf(0.975, units - 1)).mean() == pytest.approx(0.8, abs=0.012)


@pytest.mark.parametrize("delta", [0.2, 0.3, 0.5])
def test_units_needed_against_statsmodels(delta):
    theirs = TTestPower().solve_power(delta, alpha=0.05, power=0.8)
    found = units_needed(1 / math.sqrt(50), 50, 50, delta, Family())
    assert theirs * (1 - 1e-6) <= found <= theirs + 1.001


@pytest.mark.parametrize("alpha", [0.05, 0.01])
@pytest.mark.parametrize("size", [1, 10, 100])
def test_attainable_levels_are_those_of_the_sign_flip_test(alpha, size):
    """Of n units p is a multiple of 2^(1 − n): the level is the largest that is at most α/k."""
    for units in range(1, 26):
        steps = [k * 2.0 ** (1 - units) for k in range(2 ** min(units, 12))]
        reached = max(p for p in steps if p <= alpha / size * (1 + 1e-12))
        expected = alpha / size if units == 25 else reached
        if units <= 12 or units == 25:
            assert Family(alpha, size).level(units) == pytest.approx(expected)
        assert Family(alpha, size).level(units) <= alpha / size * (1 + 1e-9)


def test_one_sided_levels_are_twice_as_fine():
    assert Family(0.05, two_sided=False).level(5) == 1 / 32
    assert Family(0.05).level(5) == 0
    assert Family(0.05).level(6) == 1 / 32


@pytest.mark.parametrize(
    ("size", "two_sided", "fewest"),
    [(1, True, 6), (1, False, 5), (66, True, 12), (8_911, True, 19)],
)
def test_fewest_differing_units_that_can_reject(size, two_sided, fewest):
    family = Family(0.05, size, two_sided)
    assert family.fewest_differing == fewest
    tails = 1 + two_sided
    assert size * tails * 0.5**fewest <= 0.05 < size * tails * 0.5 ** (fewest - 1)


@pytest.mark.parametrize(
    ("units", "differing", "size"),
    [
        (1000, 1, 1),  # one differing item of 1,000
        (1000, 9, 1),
        (7, 7, 1),
        (5, 5, 1),
        (2, 2, 1),
        (1, 1, 1),
        (1000, 18, 8_911),  # 19 are needed before Holm can reject
        (12, 12, 8_911),
    ],
)
def test_too_few_items_differ(units, differing, size):
    assert math.isnan(detectable(0.1, units, differing, Family(size=size)))


@pytest.mark.parametrize("error", [0.0, math.nan, math.inf])
def test_no_noise_is_no_power(error):
    assert math.isnan(detectable(error, 100, 50, Family()))
    assert units_needed(error, 100, 50, 0.1, Family()) is None


def test_a_larger_family_detects_less():
    found = [detectable(0.1, 100, 100, Family(size=k)) for k in PAIRS]
    assert found == sorted(found)
    assert found[0] == pytest.approx(noncentrality(99, 0.05, POWER) * 0.1)
    assert found[2] > 1.8 * found[0]


@settings(max_examples=30)
@given(
    deviation=st.floats(1e-3, 1e3),
    units=st.integers(25, 400),
    size=st.sampled_from([1, 66]),
)
def test_units_needed_undo_the_detectable_difference(deviation, units, size):
    family = Family(size=size)
    error = deviation / math.sqrt(units)
    delta = detectable(error, units, units, family)
    found = units_needed(error, units, units, delta * (1 + 1e-9), family)
    assert found == units
    assert units_needed(error, units, units, delta * 0.99, family) > units


def test_units_needed_are_the_fewest_also_where_levels_are_coarse():
    family = Family()
    for delta in (0.7, 1.0, 1.5, 3.0, 10.0):
        found = units_needed(0.25, 16, 16, delta, family)
        reach = {
            n: noncentrality(n - 1, family.level(n), POWER) / math.sqrt(n) for n in range(6, 60)
        }
        assert found == min(n for n, least in reach.items() if least <= delta)


def test_units_needed_where_few_items_differ():
    """Ten of 1,000 differ: 600 have six that do, and any fewer could reject nothing."""
    error = 0.003
    assert units_needed(error, 1000, 10, 10.0, Family()) == 600
    assert units_needed(error, 1000, 1, 10.0, Family()) == 6000  # 1 + log2(1/.05) = 5.3


def test_differences_that_no_test_set_finds():
    assert units_needed(1.0, 100, 100, 1e-9, Family()) is None


@pytest.mark.parametrize("delta", [0.0, -1.0, math.nan])
def test_differences_are_positive(delta):
    with pytest.raises(UsageError, match="positive"):
        units_needed(1.0, 100, 50, delta, Family())
