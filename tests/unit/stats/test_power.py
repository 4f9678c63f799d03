"""Detectable differences and sample sizes: tables and simulation as authorities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import NormalIndPower

from weigh.errors import UsageError
from weigh.stats.power import detectable_difference, units_needed


@pytest.mark.parametrize(
    ("alpha", "power", "factor"),
    [(0.05, 0.80, 2.8016), (0.05, 0.90, 3.2415), (0.01, 0.80, 3.4175), (0.10, 0.80, 2.4865)],
)
def test_detectable_difference_against_tables(alpha, power, factor):
    # z of .975, .995, .95 are 1.9600, 2.5758, 1.6449; of .8 and .9: 0.8416, 1.2816.
    assert detectable_difference(0.3, alpha, power) == pytest.approx(0.3 * factor, abs=3e-5)


def test_detectable_difference_against_simulation():
    true = detectable_difference(0.4, 0.05, 0.8)
    seen = np.random.default_rng(0).normal(true, 0.4, size=100_000)
    assert (np.abs(seen) >= 1.959964 * 0.4).mean() == pytest.approx(0.8, abs=0.005)


@pytest.mark.parametrize("delta", [0.1, 0.25, 0.5])
def test_units_needed_against_statsmodels(delta):
    # One sample of standard deviation 1: ratio 0 is statsmodels' way to say so.
    theirs = NormalIndPower().solve_power(delta, alpha=0.05, power=0.8, ratio=0)
    assert units_needed(1 / np.sqrt(50), 50, delta) == pytest.approx(theirs, abs=1.001)
    assert units_needed(1 / np.sqrt(50), 50, delta) >= theirs * (1 - 1e-6)


@given(se=st.floats(1e-6, 1e3), units=st.integers(1, 10**6))
def test_units_needed_undo_the_detectable_difference(se, units):
    delta = detectable_difference(se)
    assert units_needed(se, units, delta) == units
    for share in (2, 3, 7):  # delta / 3 is rounded, the answer is not
        assert units_needed(se, units, delta / share) == share**2 * units


def test_units_needed_without_noise():
    assert units_needed(0.0, 100, 0.5) == 1


def test_bad_arguments():
    for delta in (0.0, -1.0, float("nan")):
        with pytest.raises(UsageError, match="positive"):
            units_needed(1.0, 100, delta)
    for share in (0.0, 1.0, float("nan")):
        with pytest.raises(UsageError, match="alpha"):
            detectable_difference(1.0, alpha=share)
        with pytest.raises(UsageError, match="power"):
            detectable_difference(1.0, power=share)
