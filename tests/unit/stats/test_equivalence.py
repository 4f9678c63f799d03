"""Margins and gates, by their definitions and by simulation."""

from __future__ import annotations

import math
from unittest import mock

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.multitest import multipletests

from weigh.errors import UsageError
from weigh.stats.equivalence import (
    MarginBounds,
    adjust_for_metrics,
    jackknife_bound,
    mean_bounds,
    units_to_settle,
    worst_verdict,
)

differences = arrays(float, st.integers(2, 30), elements=st.integers(-4, 4).map(lambda k: k / 4))


def one_sided(d, confidence, side):
    """SciPy's one-sided bound of a mean; of equal numbers it is their own."""
    if np.ptp(d) == 0:
        return d[0]
    alternative = "greater" if side == "lower" else "less"
    interval = scipy.stats.ttest_1samp(d, 0, alternative=alternative).confidence_interval(
        confidence
    )
    return interval.low if side == "lower" else interval.high


@given(differences, st.sampled_from([0.01, 0.05, 0.1]), st.sampled_from([1, 3]))
def test_bounds_are_those_of_one_more_unit_against_scipy(d, alpha, metrics):
    bounds = mean_bounds(d, np.ones(len(d)), 1.0, alpha, metrics)
    with np.errstate(all="ignore"):
        assert bounds.lower == pytest.approx(one_sided([*d, -1.0], 1 - alpha, "lower"), nan_ok=True)
        assert bounds.upper == pytest.approx(one_sided([*d, 1.0], 1 - alpha, "upper"), nan_ok=True)
        if np.ptp(d):
            end = one_sided(d, 1 - alpha / metrics, "upper")
            assert bounds.upper_end == pytest.approx(end)


@given(differences)
def test_documents_of_one_size_are_as_their_means(d):
    items = mean_bounds(d, np.ones(len(d)), 1.0, 0.05)
    documents = mean_bounds(4 * d, np.full(len(d), 4.0), 1.0, 0.05)
    for name in ("lower", "upper", "upper_end"):
        assert getattr(documents, name) == pytest.approx(getattr(items, name), abs=1e-12)


def test_bounds_of_documents_against_the_formula():
    d, m = np.array([1.0, -2.0, 0.0, 1.0]), np.array([2.0, 5.0, 3.0, 2.0])
    x, sizes = np.append(d, -3.0), np.append(m, 3.0)
    ratio = x.sum() / sizes.sum()
    error = math.sqrt(5 / 4 * ((x - ratio * sizes) ** 2).sum()) / sizes.sum()
    expected = ratio - scipy.stats.t.ppf(0.95, 4) * error
    assert mean_bounds(d, m, 1.0, 0.05).lower == pytest.approx(expected)


@given(differences)
def test_turning_the_differences_mirrors_the_bounds(d):
    bounds = mean_bounds(d, np.ones(len(d)), 1.0, 0.05)
    mirrored = mean_bounds(-d, np.ones(len(d)), 1.0, 0.05)
    assert (mirrored.lower, mirrored.upper) == pytest.approx((-bounds.upper, -bounds.lower))


def test_one_unit_proves_nothing():
    bounds = mean_bounds(np.array([0.5]), np.ones(1), 1.0, 0.05)
    assert bounds.lower < -1
    assert bounds.upper_end == math.inf
    assert jackknife_bound(1.0, np.array([1.0]), 0.05, upper=False) == -math.inf


def test_jackknife_bound_of_a_mean_is_students():
    d = np.random.default_rng(1).normal(0.2, 1, 25)
    left_out = (d.sum() - d) / 24
    for upper, side in ((False, "lower"), (True, "upper")):
        found = jackknife_bound(d.mean(), left_out, 0.05, upper=upper)
        assert found == pytest.approx(one_sided(d, 0.95, side))


@pytest.mark.parametrize(
    ("bounds", "equivalent", "non_inferior", "verdict"),
    [
        ((-0.4, 0.4, 0.4), True, True, "pass"),
        ((-0.4, 0.6, 0.5), False, True, "pass"),
        ((0.6, 0.9, 0.8), False, True, "pass"),
        ((-0.4, 0.5, 0.4), False, True, "pass"),  # the ends themselves are not inside
        ((-0.5, 0.4, 0.3), False, False, "inconclusive"),
        ((-0.6, 0.6, 0.5), False, False, "inconclusive"),
        ((-0.9, -0.6, -0.5), False, False, "inconclusive"),
        ((-0.9, 0.1, -0.6), False, False, "fail"),  # the units at hand alone
        ((0.0, 0.0, 0.0), True, True, "pass"),
    ],
)
def test_verdicts_against_the_definitions(bounds, equivalent, non_inferior, verdict):
    found = MarginBounds(*bounds)
    assert found.is_equivalent(0.5) is equivalent
    assert found.is_non_inferior(0.5) is non_inferior
    assert found.verdict(0.5) == verdict


@pytest.mark.parametrize("margin", [0.0, -0.5, float("nan")])
def test_margins_are_positive(margin):
    bounds = MarginBounds(-1.0, 1.0, 1.0)
    for judge in (bounds.is_equivalent, bounds.is_non_inferior, bounds.verdict):
        with pytest.raises(UsageError, match="positive"):
            judge(margin)


def test_a_lucky_test_set_is_not_called_safe():
    """Twenty items without a failure: one more total failure would be 1/21 on average."""
    bounds = mean_bounds(np.zeros(20), np.ones(20), 1.0, 0.05)
    assert bounds.lower == pytest.approx(-1 / 21 * (1 + scipy.stats.t.ppf(0.95, 20)))
    assert bounds.verdict(0.1) == "inconclusive"
    assert mean_bounds(np.zeros(132), np.ones(132), 1.0, 0.05).verdict(0.02) == "pass"
    assert mean_bounds(np.zeros(131), np.ones(131), 1.0, 0.05).verdict(0.02) == "inconclusive"


@pytest.mark.parametrize(("deviation", "margin"), [(0.1, 0.05), (0.5, 0.1), (0.3, 0.2)])
def test_with_the_units_that_settle_it_an_equal_system_passes_in_four_cases_of_five(
    deviation, margin
):
    n = units_to_settle(deviation, 1.0, margin, 0.05)
    rng = np.random.default_rng(5)
    passed = sum(
        mean_bounds(rng.normal(0, deviation, n), np.ones(n), 1.0, 0.05).verdict(margin) == "pass"
        for _ in range(2000)
    )
    assert passed / 2000 == pytest.approx(0.8, abs=0.04)


def test_units_that_settle_a_system_without_any_difference_are_the_fewest():
    n = units_to_settle(0.0, 1.0, 0.02, 0.05)
    assert mean_bounds(np.zeros(n), np.ones(n), 1.0, 0.05).verdict(0.02) == "pass"
    assert mean_bounds(np.zeros(n - 1), np.ones(n - 1), 1.0, 0.05).verdict(0.02) == "inconclusive"


def test_margins_that_no_test_set_settles():
    assert units_to_settle(1.0, 1.0, 1e-9, 0.05) is None


def test_fail_beats_inconclusive_beats_pass():
    assert worst_verdict(["pass", "inconclusive", "fail"]) == "fail"
    assert worst_verdict(["inconclusive", "pass"]) == "inconclusive"
    assert worst_verdict(["pass"]) == worst_verdict([]) == "pass"


@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=6), more=st.integers(0, 3))
def test_metrics_are_adjusted_against_statsmodels(p, more):
    with mock.patch("gc.collect"):  # which multipletests calls every time
        theirs = multipletests([*p, *[1.0] * more], method="holm")[1][: len(p)]
    assert adjust_for_metrics(p, len(p) + more) == pytest.approx(list(theirs))
