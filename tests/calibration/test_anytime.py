"""Bets may be looked at any time: false claims, and what that costs in items."""

from __future__ import annotations

import pytest

from calibration.anytime import continuous_error, familywise_error, naive_error, units_to_decide


@pytest.mark.parametrize("better", [0, 1])
def test_twenty_looks_make_no_more_false_claims_than_one(better):
    assert familywise_error(500, better=better) <= 0.05


@pytest.mark.parametrize("deviation", [0.1, 0.3, 1.0])
def test_every_item_may_be_looked_at(deviation):
    assert continuous_error(deviation, 500, units=1000) <= 0.05 + 0.01


def test_naive_looks_make_too_many_false_claims():
    """This test can fail: a test for a single look would be caught."""
    assert naive_error(1000) == pytest.approx(0.26, abs=0.04)


@pytest.mark.parametrize(("effect", "units"), [(0.1, 906), (0.2, 212), (0.5, 51)])
def test_items_until_a_decision(effect, units):
    assert units_to_decide(effect, 0.3, 500) == pytest.approx(units, rel=0.1)
