"""Margins and gates are wrong as seldom as they say where the true loss is just the margin.

The quick version of `scripts/calibrate.py --part margins`: 2,000 data sets (a share of .06 has a
standard error of .005) or, for gates, 1,000.
"""

from __future__ import annotations

import pytest

from calibration.margins import (
    bleu_not_worse,
    gate_fails,
    largest_error,
    not_worse,
    strict_not_worse,
)

COUNT = 2000
CHANCE = 0.013  # two and a half standard errors


@pytest.mark.parametrize(
    ("kind", "units", "most"),
    [
        ("failures", 20, 0.0),
        ("failures", 50, 0.0),
        ("failures", 100, 0.06),
        ("failures", 200, 0.06),
        ("failures", 1000, 0.06),
        ("pass/fail", 50, 0.0),
        ("pass/fail", 200, 0.068),
        ("lognormal", 20, 0.014),
        ("lognormal", 200, 0.014),
    ],
)
def test_a_loss_of_just_the_margin_is_seldom_called_less(kind, units, most):
    assert not_worse(kind, units, COUNT)["margin"] <= most + CHANCE


@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1, 0.3])
def test_errors_of_pass_and_fail_are_at_most_7_percent(margin):
    """Exact, for all numbers of items up to 300: what the methods page states."""
    assert largest_error(margin, range(10, 301)) <= 0.07


@pytest.mark.parametrize("units", [20, 50, 100])
def test_students_bound_alone_would_miss_rare_failures(units):
    """This test can fail: the bounds above would catch such a rule."""
    assert not_worse("failures", units, COUNT)["plain"] > 0.1


@pytest.mark.parametrize("units", [20, 100, 400])
def test_the_strict_bound_holds_for_any_number_of_items(units):
    assert strict_not_worse(units, 1000) <= 0.05


def test_a_loss_of_bleu_is_seldom_called_less():
    assert bleu_not_worse(50, 200) <= 0.04 + 0.035


@pytest.mark.parametrize("margin", [None, 0.5])
def test_a_gate_over_three_metrics_fails_an_acceptable_system_at_alpha(margin):
    found = gate_fails(30, 1000, margin=margin, trials=499)
    assert found["together"] <= 0.05 + 0.02
    assert found["alone"] > 0.1  # as it would with α for each metric
