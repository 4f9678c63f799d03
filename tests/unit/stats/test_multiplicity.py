"""Adjusted p-values: statsmodels, plain Python and theory as authorities."""

from __future__ import annotations

import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from weigh.errors import InputError, UsageError
from weigh.stats.multiplicity import (
    adjust,
    experimentwise,
    smallest_p,
    too_few_trials,
    trials_needed,
)
from weigh.stats.procedures import ADJUSTMENTS

IN_STATSMODELS = {
    "holm": "holm",
    "bonferroni": "bonferroni",
    "sidak": "sidak",
    "bh": "fdr_bh",
}

# Counts out of 1,000 trials: ties are common, as in life.
families = st.lists(st.integers(1, 1001).map(lambda c: c / 1001), min_size=1, max_size=12)


@pytest.mark.parametrize("method", IN_STATSMODELS)
@settings(max_examples=100)
@given(p=families)
def test_adjust_against_statsmodels(method, p):
    # It takes the logarithm of 1 − p also where p = 1, and collects garbage at every call.
    with np.errstate(divide="ignore"), mock.patch("gc.collect"):
        expected = multipletests(p, method=IN_STATSMODELS[method])[1]
    np.testing.assert_allclose(adjust(p, method), expected, rtol=1e-12)


def test_adjust_against_the_textbook():
    # The fifteen p-values of Benjamini & Hochberg (1995), §3.2: at .05 Bonferroni's procedure
    # rejects three hypotheses, theirs four.
    p = [
        *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
        *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0),
    ]
    assert (adjust(p, "bonferroni") <= 0.05).sum() == 3
    assert (adjust(p, "bh") <= 0.05).sum() == 4
    np.testing.assert_allclose(adjust(p, "holm")[:4], [0.0015, 0.0056, 0.0247, 0.114], rtol=1e-12)


@pytest.mark.parametrize("method", ADJUSTMENTS)
@given(p=families, data=st.data())
def test_adjust_properties(method, p, data):
    adjusted = adjust(p, method)
    assert (adjusted >= np.array(p) * (1 - 1e-12)).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
    order = data.draw(st.permutations(range(len(p))))
    np.testing.assert_array_equal(adjust([p[i] for i in order], method), adjusted[order])


@pytest.mark.parametrize("method", ADJUSTMENTS)
def test_adjust_leaves_the_trivial_alone(method):
    assert adjust([], method).shape == (0,)
    assert adjust([0.03], method).tolist() == pytest.approx([0.03])
    assert adjust([1.0, 1.0], method).tolist() == [1.0, 1.0]
    assert adjust([0.0, 1.0], method)[0] == 0.0


def test_adjust_does_not_change_its_argument():
    p = np.array([0.01, 0.02])
    adjust(p, "bonferroni")
    assert p.tolist() == [0.01, 0.02]


@pytest.mark.parametrize("p", [[math.nan], [0.2, math.nan], [-0.1], [1.1], [[0.1]]])
def test_adjust_refuses_what_is_no_family_of_p_values(p):
    with pytest.raises(InputError, match="p-values"):
        adjust(p, "holm")


def test_adjust_refuses_unknown_methods():
    with pytest.raises(UsageError, match="did you mean 'holm'"):
        adjust([0.5], "hulm")


def test_smallest_p():
    assert smallest_p(9999) == 0.0001
    assert smallest_p(9999, both_tails=True) == 0.0002
    assert smallest_p(1, both_tails=True) == 1.0


@given(
    family=st.integers(1, 500),
    alpha=st.sampled_from([0.001, 0.01, 0.05, 0.1, 0.3]),
    both_tails=st.booleans(),
)
def test_trials_needed_are_just_enough(family, alpha, both_tails):
    options = {"both_tails": both_tails}
    needed = trials_needed(family, alpha, **options)
    assert not too_few_trials(family, needed, alpha, **options)
    assert needed == 1 or too_few_trials(family, needed - 1, alpha, **options)


def test_experimentwise_against_riezler_and_maxwell():
    assert experimentwise(0.05, 105) == pytest.approx(0.9954, abs=5e-5)
    assert experimentwise(0.05, 1) == pytest.approx(0.05)
    assert experimentwise(0.05, 0) == 0.0
