"""Level and power of tests on few units, and what no test cures: 1,000 data sets each."""

from __future__ import annotations

import pytest

from calibration.levels import (
    families,
    pass_fail_rejections,
    power_at_detectable,
    real_pairs_found,
    rejections,
    unequal_shapes,
)

COUNT = 1000
CHANCE = 0.02


@pytest.mark.parametrize("units", [6, 10, 20, 50])
def test_randomization_holds_its_level_on_few_units(units):
    found = rejections("normal", units, COUNT)
    assert found["randomization"] <= 0.05 + CHANCE
    if units >= 10:
        assert found["randomization"] == pytest.approx(0.05, abs=CHANCE)


@pytest.mark.parametrize(("units", "share"), [(3, 0.31), (5, 0.18), (10, 0.11), (20, 0.08)])
def test_bootstraps_reject_too_often_on_few_units(units, share):
    """So nothing is concluded from them below 20."""
    found = rejections("normal", units, COUNT)
    for test in ("bootstrap", "paired-bootstrap"):
        assert found[test] == pytest.approx(share, abs=0.05)


@pytest.mark.parametrize("units", [20, 100, 400])
def test_exact_p_of_pass_and_fail_never_exceeds_its_level(units):
    assert pass_fail_rejections(units, 0.2, COUNT) <= 0.05 + CHANCE


@pytest.mark.parametrize(
    ("kind", "units", "power"),
    [
        ("normal", 8, 0.74),
        ("normal", 10, 0.76),
        ("normal", 20, 0.78),
        ("normal", 50, 0.79),
        ("normal", 200, 0.80),
    ],
)
def test_power_at_the_stated_difference_is_about_80_percent(kind, units, power):
    assert power_at_detectable(kind, units, COUNT) == pytest.approx(power, abs=0.06)


@pytest.mark.parametrize("sign", [1, -1])
def test_power_for_skewed_differences_is_roughly_that(sign):
    assert 0.62 < power_at_detectable("exponential", 20, COUNT, sign=sign) < 0.83


def test_drawn_and_exact_tests_conclude_the_same():
    """15 pairs of six systems, Holm's method, as many trials as it takes."""
    found = families(6, 60, 60)
    assert max(found["exact"], found["drawn"]) <= 0.05 + 0.07
    assert found["differ"] <= 0.005


def test_many_pairs_are_found_as_by_exact_tests():
    """34 systems, 561 pairs: with 9,999 trials Holm's method rejects nothing."""
    found = real_pairs_found(34, 300, 1)
    assert found["exact"] > 0.2
    assert found["drawn"] == pytest.approx(found["exact"], abs=0.03)
    assert found["fixed"] == 0


@pytest.mark.parametrize(("units", "share"), [(20, 0.36), (50, 0.12), (100, 0.14), (400, 0.086)])
def test_equal_means_of_unequal_shapes_are_not_cured(units, share):
    """One system errs a little everywhere, the other rarely and totally."""
    assert unequal_shapes(units, COUNT) == pytest.approx(share, abs=0.05)
