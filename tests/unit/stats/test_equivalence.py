"""Margins and gates, by their definitions and by simulation."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from weigh.errors import UsageError
from weigh.stats.equivalence import (
    adjusted_for_metrics,
    gate_verdict,
    is_equivalent,
    is_non_inferior,
    sparse_bound,
    units_for_margin,
    worst,
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


@pytest.mark.parametrize("upper", [-0.51, -0.5, 0.2])
def test_a_gate_of_several_metrics_fails_by_its_own_upper_end(upper):
    assert gate_verdict((-0.9, -0.6), 0.5, upper) == ("fail" if upper < -0.5 else "inconclusive")
    assert gate_verdict((-0.4, 0.3), 0.5, upper) == "pass"


def test_fail_beats_inconclusive_beats_pass():
    assert worst(["pass", "inconclusive", "fail"]) == "fail"
    assert worst(["inconclusive", "pass"]) == "inconclusive"
    assert worst(["pass"]) == worst([]) == "pass"


@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=6), more=st.integers(0, 3))
def test_metrics_are_adjusted_against_statsmodels(p, more):
    with mock.patch("gc.collect"):  # which multipletests calls every time
        theirs = multipletests([*p, *[1.0] * more], method="holm")[1][: len(p)]
    assert adjusted_for_metrics(p, len(p) + more) == pytest.approx(list(theirs))


@given(margin=st.floats(0.001, 2), alpha=st.sampled_from([0.01, 0.05, 0.1]))
def test_units_for_margin_are_the_fewest(margin, alpha):
    units = units_for_margin(margin, 1.0, alpha)
    assert margin >= 1 or sparse_bound([0], [units], 1.0, alpha) < margin * (1 + 1e-9)
    assert units == 1 or sparse_bound([0], [units - 1], 1.0, alpha) >= margin * (1 - 1e-9)
