"""Tests of a true null hypothesis at α = .05 reject it 5% of the time, and flawed ones do not.

The quick version of scripts/calibrate.py: 1,000 data sets of each kind and fixed seeds, so a share
of .05 has a standard error of .007.
"""

from __future__ import annotations

from functools import cache

import pytest

from calibration.nulls import KINDS, TESTS, make_world, rejections

# The full run has chrF as well; test_every_metric.py has all others, for data sets of one kind.
METRICS = ("bleu", "ter", "mean")
NULLS = 1000
UNITS = 300
ALPHA = 0.05


@cache
def world():
    return make_world()


@cache
def shares(kind: str) -> dict:
    return rejections(
        world(),
        kind,
        list(METRICS),
        NULLS,
        units=UNITS,
        trials=199,
        seed=1,
        alphas=(ALPHA,),
        multeval=kind == "swapped",
    )


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", KINDS)
def test_two_sided_tests_reject_a_true_null_at_alpha(kind, metric, test):
    assert abs(shares(kind)[metric, test, "two-sided", ALPHA] - ALPHA) < 0.02


@pytest.mark.parametrize("alternative", ["better", "worse"])
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["swapped", "one process"])  # the third is skewed
def test_one_sided_tests_reject_a_true_null_at_alpha(kind, metric, test, alternative):
    assert abs(shares(kind)[metric, test, alternative, ALPHA] - ALPHA) < 0.025


@pytest.mark.parametrize("test", ["sacrebleu-bs", "moses-bs"])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", KINDS)
def test_centring_absolute_values_rejects_twice_too_often(kind, metric, test):
    """This test can fail: the bounds above would catch such a flaw."""
    assert 0.08 < shares(kind)[metric, test, "two-sided", ALPHA] < 0.15


@pytest.mark.parametrize("metric", METRICS)
def test_a_coin_for_each_run_rejects_a_quarter_of_true_nulls(metric):
    """Three identical runs make differences too small by √3: 2 Φ(−1.96/√3) = .26."""
    found = shares("swapped")[metric, "multeval", "two-sided", ALPHA]
    assert found == pytest.approx(0.26, abs=0.045)
