"""Adjusted p-values: statsmodels, plain Python and theory as authorities."""

from __future__ import annotations

import math
from itertools import combinations
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.multitest import multipletests

from weigh.errors import InputError, UsageError
from weigh.stats.multiplicity import (
    adjust,
    adjust_maxt,
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
    "by": "fdr_by",
}
OF_P_VALUES = [method for method in ADJUSTMENTS if method != "maxt"]
ALTERNATIVES = ["two-sided", "better", "worse"]

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


@pytest.mark.parametrize("method", OF_P_VALUES)
@given(p=families, data=st.data())
def test_adjust_properties(method, p, data):
    adjusted = adjust(p, method)
    assert (adjusted >= np.array(p) * (1 - 1e-12)).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
    order = data.draw(st.permutations(range(len(p))))
    np.testing.assert_array_equal(adjust([p[i] for i in order], method), adjusted[order])


@pytest.mark.parametrize("method", OF_P_VALUES)
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
    with pytest.raises(UsageError, match="pseudo-differences"):
        adjust([0.5], "maxt")


def slow_maxt(observed, null, alternative, tolerance, plus_one):
    """The procedure of Westfall and Young, trial by trial and set by set."""

    def turned(x):
        return {"two-sided": abs(x), "better": x, "worse": -x}[alternative]

    def divided(x, deviation):
        if deviation:
            return x / deviation
        return math.copysign(math.inf, x) if x else 0.0

    pairs, trials = range(len(observed)), len(null[0])
    deviations = [float(np.std(row)) for row in null]
    statistic = [divided(turned(observed[i]) - tolerance[i], deviations[i]) for i in pairs]
    open_pairs = sorted(pairs, key=lambda i: -statistic[i])
    adjusted, before = {}, 0.0
    while open_pairs:
        first = open_pairs[0]
        count = 0
        for trial in range(trials):
            standardised = [divided(turned(null[i][trial]), deviations[i]) for i in open_pairs]
            count += max(standardised) >= statistic[first]
        p = (count + 1) / (trials + 1) if plus_one else count / trials
        before = adjusted[first] = max(before, p)
        open_pairs = open_pairs[1:]
    return [adjusted[i] for i in pairs]


@st.composite
def maxt_families(draw):
    pairs, trials = draw(st.integers(1, 5)), draw(st.integers(1, 12))
    numbers = st.integers(-4, 4).map(lambda i: i / 3)
    observed = draw(arrays(float, pairs, elements=numbers))
    null = draw(arrays(float, (pairs, trials), elements=numbers))
    tolerance = draw(arrays(float, pairs, elements=st.sampled_from([0.0, 1e-12])))
    return observed, null, tolerance


@settings(max_examples=300)
@given(family=maxt_families(), alternative=st.sampled_from(ALTERNATIVES), plus_one=st.booleans())
def test_maxt_against_plain_python(family, alternative, plus_one):
    observed, null, tolerance = family
    found = adjust_maxt(
        observed, null, alternative=alternative, tolerance=tolerance, plus_one=plus_one
    )
    assert found.tolist() == slow_maxt(observed, null, alternative, tolerance, plus_one)


@given(family=maxt_families(), alternative=st.sampled_from(ALTERNATIVES), data=st.data())
def test_maxt_properties(family, alternative, data):
    observed, null, tolerance = family
    options = {"alternative": alternative}
    adjusted = adjust_maxt(observed, null, tolerance=tolerance, **options)
    alone = [
        adjust_maxt(observed[i : i + 1], null[i : i + 1], tolerance=tolerance[i], **options)[0]
        for i in range(len(observed))
    ]
    turn = {"two-sided": np.abs, "better": np.positive, "worse": np.negative}[alternative]
    counts = (turn(null) >= (turn(observed) - tolerance)[:, None]).sum(axis=1)
    raw = (counts + 1) / (null.shape[1] + 1)
    assert (alone >= raw).all()
    varied = null.std(axis=1) > 1e-9
    np.testing.assert_array_equal(np.array(alone)[varied], raw[varied])
    assert (adjusted >= alone).all()
    assert (adjusted <= 1).all()
    order = np.array(data.draw(st.permutations(range(len(observed)))))
    moved = adjust_maxt(observed[order], null[order], tolerance=tolerance[order], **options)
    np.testing.assert_array_equal(moved, adjusted[order])
    rows = list(null)  # rows on demand are as good as a matrix
    np.testing.assert_array_equal(
        adjust_maxt(observed, rows, tolerance=tolerance, **options), adjusted
    )


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("tolerance", [0.0, 1e-12])
def test_maxt_of_identical_systems_is_one(alternative, tolerance):
    options = {"alternative": alternative, "tolerance": tolerance}
    zeros = np.zeros((3, 50))
    assert adjust_maxt(np.zeros(3), zeros, **options).tolist() == [1.0] * 3
    assert adjust_maxt([], np.empty((0, 50)), **options).tolist() == []
    # Twins in a family with a real difference stay at 1, and the difference stays visible.
    null = np.random.default_rng(3).normal(size=(3, 999))
    null[1] = 0
    sign = -1 if alternative == "worse" else 1
    assert adjust_maxt([50.0 * sign, 0.0, 0.0], null, **options)[0] == 0.001
    assert adjust_maxt([50.0 * sign, 0.0, 0.0], null, **options)[1] == 1.0


def test_maxt_without_noise_is_as_extreme_as_can_be():
    # Every resample gives the same difference, so that nothing is left when it is centred.
    null = np.stack([np.zeros(99), np.random.default_rng(1).normal(size=99)])
    assert adjust_maxt([0.001, 0.0], null).tolist() == [0.01, 1.0]


def test_maxt_of_one_pair_written_many_times_costs_nothing_against_theory():
    row = np.random.default_rng(5).normal(size=1999)
    once = adjust_maxt([2.0], row[None])
    scaled = np.stack([row, 10 * row, -row])
    assert adjust_maxt([2.0, 20.0, -2.0], scaled).tolist() == pytest.approx([once[0]] * 3)


def test_maxt_of_independent_pairs_is_sidak_against_theory():
    null = np.random.default_rng(7).normal(size=(10, 40_000))
    adjusted = adjust_maxt(np.full(10, 2.8), null)
    p = math.erfc(2.8 / math.sqrt(2))
    assert adjusted[0] == pytest.approx(1 - (1 - p) ** 10, abs=0.004)


def test_maxt_holds_the_family_wise_error_against_theory():
    # Four systems of one noise process, all six pairs, randomization over 40 segments.
    rng = np.random.default_rng(11)
    pairs = list(combinations(range(4), 2))
    rejected = 0
    for _ in range(400):
        scores = rng.normal(size=(40, 4)) + rng.normal(size=(40, 1))
        differences = np.stack([scores[:, a] - scores[:, b] for a, b in pairs])
        signs = rng.choice([-1.0, 1.0], size=(40, 300))
        adjusted = adjust_maxt(differences.mean(axis=1), differences @ signs / 40)
        rejected += bool((adjusted <= 0.05).any())
    assert 0.02 <= rejected / 400 <= 0.085


def test_maxt_refuses_what_does_not_fit():
    with pytest.raises(InputError, match="2 rows of pseudo-differences for 3 pairs"):
        adjust_maxt(np.zeros(3), np.zeros((2, 10)))
    with pytest.raises(InputError, match="no trials"):
        adjust_maxt(np.zeros(2), np.zeros((2, 0)))
    with pytest.raises(UsageError, match="'less' is unknown"):
        adjust_maxt(np.zeros(2), np.zeros((2, 5)), alternative="less")


def test_smallest_p():
    assert smallest_p(9999) == 0.0001
    assert smallest_p(10_000, plus_one=False) == 0.0001
    assert smallest_p(9999, both_tails=True) == 0.0002
    assert smallest_p(1, plus_one=False, both_tails=True) == 1.0


@given(
    family=st.integers(1, 500),
    alpha=st.sampled_from([0.001, 0.01, 0.05, 0.1, 0.3]),
    plus_one=st.booleans(),
    both_tails=st.booleans(),
)
def test_trials_needed_are_just_enough(family, alpha, plus_one, both_tails):
    options = {"plus_one": plus_one, "both_tails": both_tails}
    needed = trials_needed(family, alpha, **options)
    assert not too_few_trials(family, needed, alpha, **options)
    assert needed == 1 or too_few_trials(family, needed - 1, alpha, **options)


def test_experimentwise_against_riezler_and_maxwell():
    assert experimentwise(0.05, 105) == pytest.approx(0.9954, abs=5e-5)
    assert experimentwise(0.05, 1) == pytest.approx(0.05)
    assert experimentwise(0.05, 0) == 0.0
