"""Margins and gates are wrong as seldom as they say, also on few units and few that differ.

The quick version of `scripts/calibrate.py --part margins`: fixed seeds, 2,000 data sets (a share
of .06 has a standard error of .005) or, for gates, 1,000.
"""

from __future__ import annotations

import pytest

from calibration.margins import gate_fails, not_worse

NULLS = 2000
CHANCE = 0.013  # two and a half standard errors


@pytest.mark.parametrize(("units", "most"), [(3, 0.12), (5, 0.06), (10, 0.06)])
def test_a_loss_of_just_the_margin_is_seldom_called_less(units, most):
    found = not_worse("normal", units, NULLS, trials=1000)
    assert found["margin"] <= most + CHANCE
    # The plain interval would be wrong more often than these bounds allow.
    assert found["percentile"] > most + CHANCE


def test_losses_of_few_items_are_seldom_missed():
    """Of twenty items one in ten is lost: often none, and then the bootstrap sees no loss."""
    found = not_worse("0.1", 20, 1000, trials=499)
    assert found["margin"] <= 0.075 + 0.02
    assert found["percentile"] > 0.1


def test_losses_of_many_items_are_seldom_missed():
    """Twenty of 200: a bootstrap again, where rounding must not move a loss over the margin."""
    assert not_worse("0.1", 200, NULLS, trials=499)["margin"] <= 0.075 + CHANCE


@pytest.mark.parametrize("margin", [None, 0.5])
def test_a_gate_over_three_metrics_fails_an_acceptable_system_at_alpha(margin):
    found = gate_fails(30, 1000, margin=margin, trials=499)
    assert found["together"] <= 0.05 + 0.02
    assert found["alone"] > 0.1  # as it would with α for each metric
