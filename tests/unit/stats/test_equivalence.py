"""Margins and gates, by their definitions and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.errors import UsageError
from weigh.stats.equivalence import (
    gate_verdict,
    gate_without_margin,
    is_equivalent,
    is_non_inferior,
)


@pytest.mark.parametrize(
    ("interval", "equivalent", "non_inferior", "verdict"),
    [
        ((-0.4, 0.4), True, True, "pass"),
        ((-0.4, 0.6), False, True, "pass"),
        ((0.6, 0.9), False, True, "pass"),
        ((-0.4, 0.5), False, True, "pass"),  # the ends themselves are not inside
        ((-0.5, 0.4), False, False, "inconclusive"),
        ((-0.6, 0.6), False, False, "inconclusive"),
        ((-0.6, -0.5), False, False, "inconclusive"),
        ((-0.9, -0.6), False, False, "fail"),
        ((0.0, 0.0), True, True, "pass"),
    ],
)
def test_verdicts_against_the_definitions(interval, equivalent, non_inferior, verdict):
    assert is_equivalent(interval, 0.5) is equivalent
    assert is_non_inferior(interval, 0.5) is non_inferior
    assert gate_verdict(interval, 0.5) == verdict


@given(
    ends=st.tuples(st.floats(-9, 9), st.floats(-9, 9)).map(sorted),
    margin=st.floats(0.01, 9),
)
def test_equivalent_is_non_inferior_both_ways(ends, margin):
    low, high = ends
    both = is_non_inferior((low, high), margin) and is_non_inferior((-high, -low), margin)
    assert is_equivalent((low, high), margin) == both


def test_error_at_the_edge_of_the_margin_is_alpha_against_theory():
    # The true difference is −δ: the interval of level 1 − 2α lets α pass, and as many fail.
    estimates = np.random.default_rng(0).normal(-1.0, 0.2, size=20_000)
    half = 1.644854 * 0.2
    verdicts = [gate_verdict((d - half, d + half), 1.0) for d in estimates]
    assert verdicts.count("pass") / 20_000 == pytest.approx(0.05, abs=0.006)
    assert verdicts.count("fail") / 20_000 == pytest.approx(0.05, abs=0.006)


@pytest.mark.parametrize("margin", [0.0, -0.5, float("nan")])
def test_margins_are_positive(margin):
    for judge in (is_equivalent, is_non_inferior, gate_verdict):
        with pytest.raises(UsageError, match="positive"):
            judge((-1.0, 1.0), margin)


def test_gate_without_margin_against_the_definition():
    assert gate_without_margin([0.9, 0.051], 0.05) == "pass"
    assert gate_without_margin([0.9, 0.05], 0.05) == "fail"
    assert gate_without_margin([], 0.05) == "pass"
