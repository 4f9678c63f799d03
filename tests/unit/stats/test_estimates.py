"""Default intervals of scores and differences: halvings, hulls, Wilson and agreement with p."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from unit.stats.samples import documents_of, of_scores
from unit.stats.test_resample import make_samples, uneven
from weigh.stats.estimates import Estimates, UnitRange
from weigh.stats.intervals import padded_ends, padded_ratio_ends, t_interval
from weigh.stats.randomization import randomization
from weigh.stats.sample import Sample

PAIR = np.array([[0, 1]])
PASS_FAIL = UnitRange(0.0, 1.0, is_pass_fail=True)


def estimates_of(sample: Sample, unit_range: UnitRange | None) -> tuple[Estimates, np.ndarray]:
    """Estimates, and how many units differ between the first two systems."""
    found = randomization([sample], [(0, 1)], 1, tests=False, halves=True, threads=1)
    return Estimates(sample, sample.means(), found.halves[0], unit_range), found.differing[0]


def interval_of(sample: Sample, unit_range=None, level=0.95, p=None) -> tuple[float, float]:
    estimates, differing = estimates_of(sample, unit_range)
    d = np.subtract(*sample.scores()[:2])[None]
    p_values = None if p is None else np.array([p])
    return tuple(estimates.differences(PAIR, d, differing, level, p_values)[0].tolist())


def pass_fail(won: int, lost: int, items: int) -> Sample:
    a, b = np.zeros(items), np.zeros(items)
    a[:won] = b[won : won + lost] = 1
    return of_scores(a, b)


@pytest.mark.parametrize(("items", "half"), [(10, 0.271), (20, 0.137), (50, 0.055), (200, 0.014)])
def test_no_discordance_still_has_a_width(items, half):
    assert interval_of(pass_fail(0, 0, items), PASS_FAIL) == pytest.approx((-half, half), abs=6e-4)
    assert interval_of(pass_fail(0, 0, items)) == (0, 0)  # where the range is unknown


@settings(max_examples=25)
@given(st.integers(0, 9), st.integers(0, 9), st.sampled_from([20, 50]))
def test_few_differing_items_have_the_hull(won, lost, items):
    sample = pass_fail(won, lost, items)
    narrow, wide = interval_of(sample), interval_of(sample, PASS_FAIL)
    d = np.array([1.0] * won + [-1.0] * lost + [0.0] * (items - won - lost))
    padded = t_interval([*d, 1.0, -1.0])
    if won + lost < 10:
        expected = min(narrow[0], padded[0]), max(narrow[1], padded[1])
        assert wide == pytest.approx(expected, abs=1e-12)
    else:
        assert wide == narrow


def test_five_to_none_of_twenty_agrees_with_its_p():
    low, high = interval_of(pass_fail(5, 0, 20), PASS_FAIL, p=0.0625)
    assert low <= 0 < 0.25 < high
    low, high = interval_of(pass_fail(6, 0, 20), PASS_FAIL, p=0.03125)
    assert 0 <= low < 0.3 < high


@pytest.mark.parametrize("units", [1, 2, 5])
def test_too_few_units_have_no_interval(units):
    rng = np.random.default_rng(0)
    sample = of_scores(rng.random(units), rng.random(units))
    for p in (None, 1.0, 0.01):
        assert np.isnan(interval_of(sample, UnitRange(0, 1), p=p)).all()
    estimates, _ = estimates_of(sample, UnitRange(0, 1))
    assert estimates.scores(0.95) == [None, None]


def test_level_of_99_percent_needs_eight_units():
    for units in (6, 7, 8, 9):
        rng = np.random.default_rng(units)
        ends = interval_of(of_scores(*rng.random((2, units))), level=0.99)
        assert np.isnan(ends).any() == (units < 8)


def test_documents_widen_by_a_document_of_mean_size():
    sizes = [1, 3, 2, 6, 4, 2, 2, 4, 1, 5, 3, 3]
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2, sum(sizes)).astype(float)
    b = a.copy()
    b[[0, 5, 20]] = 1 - b[[0, 5, 20]]
    sample = of_scores(a, b, documents=documents_of(sizes))
    means = sample.means()
    padded = padded_ratio_ends(means.values[0] - means.values[1], means.sizes, -1, 1)
    narrow, wide = interval_of(sample), interval_of(sample, PASS_FAIL)
    assert wide == pytest.approx((min(narrow[0], padded[0]), max(narrow[1], padded[1])))


def test_runs_do_not_change_the_range():
    """Three equal runs are as one."""
    a, b = np.zeros(30), np.zeros(30)
    a[:4] = 1
    one = interval_of(of_scores(a, b), PASS_FAIL)
    three = interval_of(of_scores([a] * 3, [b] * 3), PASS_FAIL)
    assert three == pytest.approx(one)


@pytest.mark.parametrize("stratified", [False, True])
def test_corpus_metrics_widen_by_pseudo_values(stratified):
    strata = uneven(40) if stratified else None
    [bleu, *_] = make_samples(40, strata=strata)
    rows = bleu.rows[0][0]
    other = rows.copy()
    other[:3] = bleu.rows[1][0][:3]
    sample = Sample(bleu.metric, ("A", "B"), ((rows,), (other,)), strata=strata)
    d = np.subtract(*sample.scores())
    left_out = np.subtract(*sample.jackknife())
    values = 40 * d - 39 * left_out
    low, high = padded_ends(values.sum(), (values**2).sum(), 40, -100, 100)
    narrow, wide = interval_of(sample), interval_of(sample, UnitRange(0, 100))
    assert wide == pytest.approx((min(narrow[0], low), max(narrow[1], high)))


@pytest.mark.parametrize("p", [0.04, 0.06])
def test_agreement_with_p(p):
    d = np.random.default_rng(5).normal(0.4, 1, 30)
    low, high = interval_of(of_scores(d, np.zeros(30)), p=p)
    assert low >= 0 if p == 0.04 else low <= 0
    mirrored = interval_of(of_scores(np.zeros(30), d), p=p)
    assert mirrored == pytest.approx((-high, -low))


@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize("p", [None, 0.9, 0.01])
def test_one_sided_bounds(above, p):
    d = np.random.default_rng(6).normal(0.2, 1, 40)
    estimates, _ = estimates_of(of_scores(d, np.zeros(40)), None)
    p_values = None if p is None else np.array([p])
    [(low, high)] = estimates.bounds(
        PAIR, np.array([d.mean()]), np.array([40]), 0.95, above=above, p_values=p_values
    )
    bound = low if above else high
    assert (high if above else low) == (np.inf if above else -np.inf)
    if p == 0.01:
        assert bound >= 0 if above else bound <= 0
    elif p == 0.9:
        assert bound <= 0 if above else bound >= 0
    else:
        t = 1.685 * d.std(ddof=1) / 40**0.5
        assert bound == pytest.approx(d.mean() + (-t if above else t), abs=0.06)


def test_upper_bound_mirrors_the_lower():
    d = np.random.default_rng(7).gamma(2, size=25)
    estimates, _ = estimates_of(of_scores(d, np.zeros(25)), None)
    mirrored, _ = estimates_of(of_scores(np.zeros(25), d), None)
    mean, differing = np.array([d.mean()]), np.array([25])
    [(low, _)] = estimates.bounds(PAIR, mean, differing, 0.95, above=True)
    [(_, high)] = mirrored.bounds(PAIR, -mean, differing, 0.95, above=False)
    assert high == pytest.approx(-low)


def test_one_sided_bounds_of_equal_pass_fail_items_allow_for_one_more():
    """20 equal items: the two-sided interval at level .9 with one more item at either extreme."""
    same = np.ones(20)
    estimates, _ = estimates_of(of_scores(same, same), UnitRange(0.0, 1.0, is_pass_fail=True))
    [(low, high)] = estimates.bounds(PAIR, np.zeros(1), np.array([0]), 0.95, above=True)
    padded = np.append(np.zeros(20), [1.0, -1.0])
    expected = scipy.stats.ttest_1samp(padded, 0).confidence_interval(0.9).low
    assert (low, high) == (pytest.approx(expected), np.inf)


# Scores.


@pytest.mark.parametrize(("passed", "items"), [(20, 20), (0, 20), (13, 20), (1, 1), (3, 5)])
def test_pass_fail_scores_have_wilsons_interval(passed, items):
    sample = of_scores(np.arange(items) < passed)
    estimates = Estimates(sample, sample.means(), None, PASS_FAIL)
    theirs = proportion_confint(passed, items, method="wilson")
    assert estimates.scores(0.95)[0] == pytest.approx(theirs, abs=1e-9)


def test_every_system_has_its_own_share():
    rng = np.random.default_rng(1)
    results = rng.integers(0, 2, (3, 30)).astype(float)
    sample = of_scores(*results)
    found = Estimates(sample, sample.means(), None, PASS_FAIL).scores(0.95)
    for system, interval in zip(results, found, strict=True):
        theirs = proportion_confint(system.sum(), 30, method="wilson")
        assert interval == pytest.approx(theirs, abs=1e-9)


def test_runs_of_pass_fail_are_clusters():
    """Five runs of 20 items that always agree are worth 20 items and not 100."""
    results = (np.arange(20) < 15).astype(float)
    sample = of_scores([results] * 5)
    [(low, high)] = Estimates(sample, sample.means(), None, PASS_FAIL).scores(0.95)
    alone = proportion_confint(15, 20, method="wilson")
    assert low < alone[0]  # Student's t with 19 degrees of freedom
    assert high > alone[1]
    assert (low, high) == pytest.approx(alone, abs=0.02)


def test_one_document_has_no_interval():
    sample = of_scores([1, 0, 1], documents=["d"] * 3)
    assert Estimates(sample, sample.means(), None, PASS_FAIL).scores(0.95) == [None]


def test_bounded_scores_of_which_few_differ_have_the_hull():
    """pass@k of 40 items, all but two solved in every attempt."""
    scores = np.ones(40)
    scores[:2] = 0.5, 0.75
    sample = of_scores(scores, np.random.default_rng(1).random(40))
    estimates, _ = estimates_of(sample, UnitRange(0.0, 1.0))
    low, high = estimates.scores(0.95)[0]
    padded = padded_ratio_ends(scores, np.ones(40), 0.0, 1.0)
    assert low == pytest.approx(padded[0])
    assert high == 1.0
    assert estimates.scores(0.95)[1] == pytest.approx(estimates.halves.score_ends(0.95)[1])


def test_scores_that_are_all_equal_have_a_width():
    sample = of_scores(np.ones(20), np.zeros(20))
    estimates, _ = estimates_of(sample, UnitRange(0.0, 1.0))
    (low, high), (other_low, other_high) = estimates.scores(0.95)
    assert 0.7 < low < 0.9 < high == 1.0
    assert (other_low, other_high) == pytest.approx((0.0, 1 - low))


def test_scores_of_unknown_range_are_halved():
    sample = of_scores(np.full(20, 7.0), np.arange(20.0))
    estimates, _ = estimates_of(sample, None)
    assert estimates.scores(0.95)[0] == (7, 7)
    low, high = estimates.scores(0.95)[1]
    assert (low, high) == pytest.approx(t_interval(np.arange(20.0)), abs=0.5)
