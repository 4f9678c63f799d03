"""Confidence intervals: SciPy, textbooks and order statistics as authorities."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binom, binomtest
from statsmodels.stats.proportion import proportion_confint

from scipy_names import drawn_by
from weigh.errors import InputError, UsageError
from weigh.stats.intervals import (
    Proportion,
    Share,
    acceleration,
    bca_interval,
    bca_levels,
    padded_ends,
    padded_ratio_ends,
    percentile_interval,
    reconcile_ends,
    t_interval,
    wilson_interval,
)

LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99]
# Efron & Tibshirani (1993), table 14.1: 26 neurologically impaired children, spatial test A.
SPATIAL_A = [
    *(48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6),
    *(0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41),
]
values = arrays(float, st.integers(1, 60), elements=st.integers(-20, 20).map(float))


def leave_one_out(statistic, sample):
    return [statistic(np.delete(sample, i)) for i in range(len(sample))]


@pytest.mark.parametrize(
    ("trials", "level", "low", "high"),
    [
        (1000, 0.95, 26, 975),  # Koehn (2004), §5: drop the 25 best and the 25 worst
        (1000, 0.90, 51, 950),
        (300, 0.90, 16, 285),
        (999, 0.95, 25, 975),
        (10, 0.95, 1, 10),
        (1, 0.95, 1, 1),
        (2, 1e-12, 2, 2),
    ],
)
def test_percentile_interval_against_order_statistics(trials, level, low, high):
    shuffled = np.random.default_rng(0).permutation(np.arange(1, trials + 1))
    assert percentile_interval(shuffled, level) == (low, high)


@given(sample=values, level=st.sampled_from(LEVELS))
def test_percentile_interval_against_numpy(sample, level):
    low, high = percentile_interval(sample, level)
    tail = (1 - level) / 2
    for end, share in ((low, tail), (high, 1 - tail)):
        # The interpolated quantile lies between the same two neighbours.
        neighbours = (
            np.quantile(sample, share, method="lower"),
            np.quantile(sample, share, method="higher"),
        )
        assert neighbours[0] <= end <= neighbours[1]


@given(sample=values, level=st.sampled_from(LEVELS))
def test_percentile_interval_turns_with_the_sign(sample, level):
    low, high = percentile_interval(sample, level)
    assert low <= high
    assert percentile_interval(-sample, level) == (-high, -low)


def test_percentile_interval_of_many_rows_at_once():
    matrix = np.random.default_rng(2).normal(size=(3, 4, 500))
    low, high = percentile_interval(matrix, 0.9)
    assert low.shape == high.shape == (3, 4)
    assert (low[1, 2], high[1, 2]) == percentile_interval(matrix[1, 2], 0.9)


def test_bca_against_efron_and_tibshirani():
    # §14.3: the variance of the spatial data has a = .061; with z0 = .146 the 90% interval runs
    # from the quantile .110 to the quantile .985.
    a = acceleration(leave_one_out(np.var, np.array(SPATIAL_A, dtype=float)))
    assert a == pytest.approx(0.061, abs=5e-4)
    assert bca_levels(0.146, a, 0.90) == pytest.approx((0.110, 0.985), abs=6e-4)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("statistic", [np.mean, np.var, np.median])
def test_bca_interval_against_scipy(statistic, level):
    rng = np.random.default_rng(4)
    sample = rng.exponential(size=80).round(1)
    theirs = scipy.stats.bootstrap(
        (sample,),
        statistic,
        n_resamples=2999,
        confidence_level=level,
        method="BCa",
        **drawn_by(rng),
    )
    trials = np.sort(theirs.bootstrap_distribution)
    low, high = bca_interval(
        trials, float(statistic(sample)), leave_one_out(statistic, sample), level
    )
    for ours, end in zip((low, high), theirs.confidence_interval, strict=True):
        place = np.searchsorted(trials, end)
        assert trials[max(place - 2, 0)] <= ours <= trials[min(place + 1, len(trials) - 1)]


@given(sample=values, level=st.sampled_from(LEVELS))
def test_bca_interval_without_bias_or_skew_is_the_percentile_interval(sample, level):
    symmetric = np.concatenate([sample, -sample])
    jackknife = [-1.0, 0.0, 1.0]
    assert bca_interval(symmetric, 0.0, jackknife, level) == percentile_interval(symmetric, level)


@given(
    sample=values,
    observed=st.integers(-30, 30),
    jackknife=arrays(float, st.integers(2, 9), elements=st.floats(-1e3, 1e3)),
    level=st.sampled_from([*LEVELS, 0.999999]),
)
def test_bca_interval_is_made_of_values_and_ordered(sample, observed, jackknife, level):
    low, high = bca_interval(sample, observed, jackknife, level)
    assert low <= high
    assert {low, high} <= set(sample.tolist())


def test_bca_interval_without_variance_is_a_point():
    assert bca_interval([7.5] * 100, 7.5, [7.5] * 5) == (7.5, 7.5)
    assert bca_interval([7.5] * 100, 7.5 + 1e-14, [7.5] * 5, tolerance=1e-11) == (7.5, 7.5)


def test_bca_interval_counts_ties_half_against_theory():
    # Half below, none above, half equal: a share of 3/4. Without skew the ends are
    # Φ(2 z0 ± z), z0 = Φ⁻¹(.75), that is quantiles .271 and 1 − 4.7e-4 at 95%.
    trials = np.concatenate([np.arange(5000.0), np.full(5000, 5000.0)])
    normal = scipy.stats.norm
    expected = int(10_000 * normal.cdf(2 * normal.ppf(0.75) - normal.ppf(0.975)))
    assert bca_interval(trials, 5000.0, [1.0, 2.0, 3.0]) == (expected, 5000.0)
    # The same values just off the observed one are ties only by the tolerance.
    nearly = np.where(trials == 5000, 5000 - 1e-10, trials)
    assert bca_interval(nearly, 5000.0, [1.0, 2.0, 3.0], tolerance=1e-8)[0] == expected
    assert bca_interval(nearly, 5000.0, [1.0, 2.0, 3.0])[0] > expected


def test_bca_levels_beyond_the_pole():
    assert bca_levels(4.0, 1 / 6, 0.9999)[1] == 1.0
    assert bca_levels(-4.0, -1 / 6, 0.9999)[0] == 0.0


@given(
    jackknife=arrays(float, st.integers(2, 12), elements=st.integers(-9, 9).map(float)),
    scale=st.sampled_from([1e-150, 1e-3, 2.0, 1e150]),
)
def test_acceleration_properties(jackknife, scale):
    a = acceleration(jackknife)
    assert abs(a) <= 1 / 6  # Σ|u|³ ≤ (Σ u²)^1.5
    assert acceleration(jackknife * scale) == pytest.approx(a, abs=1e-12)
    assert acceleration(-jackknife) == pytest.approx(-a, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "factor"), [(2, 12.7062), (11, 2.2281), (31, 2.0423), (101, 1.9840), (1001, 1.9623)]
)
def test_t_interval_against_tables(n, factor):
    # Scores of mean 0 and standard error 1: the interval is the table's value.
    scores = np.random.default_rng(n).normal(size=n)
    scores = (scores - scores.mean()) / scores.std(ddof=1) * np.sqrt(n)
    assert t_interval(scores) == pytest.approx((-factor, factor), abs=6e-5)


@pytest.mark.parametrize("level", LEVELS)
def test_t_interval_against_scipy(level):
    scores = np.random.default_rng(1).gamma(2, size=37)
    theirs = scipy.stats.ttest_1samp(scores, 0).confidence_interval(level)
    assert t_interval(scores, level) == pytest.approx((theirs.low, theirs.high), rel=1e-12)


def test_t_interval_of_equal_scores_is_a_point():
    low, high = t_interval([0.1] * 7)  # whose computed deviation is not quite 0
    assert low == high == pytest.approx(0.1)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, float("nan")])
def test_levels_out_of_range(level):
    for interval in (
        lambda: percentile_interval([1.0], level),
        lambda: bca_interval([1.0], 1.0, [1.0, 1.0], level),
        lambda: t_interval([1.0, 2.0], level),
    ):
        with pytest.raises(UsageError, match="between 0 and 1"):
            interval()


def test_too_few_numbers():
    with pytest.raises(InputError, match="at least one trial"):
        percentile_interval([])
    with pytest.raises(InputError, match="at least 2"):
        bca_interval([1.0], 1.0, [1.0])
    with pytest.raises(InputError, match="one list"):
        bca_interval([[1.0]], 1.0, [1.0, 2.0])
    with pytest.raises(InputError, match="at least 2"):
        t_interval([1.0])


@pytest.mark.parametrize(
    ("count", "total", "printed"),
    [
        (53, 66, "80.3 [68.7, 89.1]"),
        (54, 66, "81.8 [70.4, 90.2]"),
        (34, 55, "61.8 [47.7, 74.6]"),
        (30, 55, "54.5 [40.6, 68.0]"),
    ],
)
def test_intervals_as_printed_by_graham_2014(count: int, total: int, printed: str) -> None:
    one = Proportion(count, total)
    low, high = one.interval()
    assert f"{100 * one.share:.1f} [{100 * low:.1f}, {100 * high:.1f}]" == printed


counted = st.integers(1, 300).flatmap(
    lambda total: st.tuples(st.integers(0, total), st.just(total))
)


@given(counted, st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_ends_are_shares_at_which_the_count_is_just_so_likely(
    counts: tuple[int, int], level: float
) -> None:
    count, total = counts
    low, high = Proportion(count, total).interval(level)
    tail = (1 - level) / 2
    if count:
        assert binom.sf(count - 1, total, low) == pytest.approx(tail, rel=1e-6)
    else:
        assert low == 0
    if count < total:
        assert binom.cdf(count, total, high) == pytest.approx(tail, rel=1e-6)
    else:
        assert high == 1


@given(counted, st.sampled_from([0.01, 0.05, 0.1]))
def test_bounds_against_scipy(counts: tuple[int, int], alpha: float) -> None:
    one = Proportion(*counts)
    less, greater = (
        binomtest(*counts, alternative=side).proportion_ci(1 - alpha)
        for side in ("less", "greater")
    )
    assert one.upper(alpha) == pytest.approx(less.high, abs=1e-9)
    assert one.lower(alpha) == pytest.approx(greater.low, abs=1e-9)


def test_nothing_says_nothing() -> None:
    one = Proportion(0, 0)
    assert one.share != one.share
    assert one.interval() == (0.0, 1.0)


# Pass/fail scores.


@given(counted, st.sampled_from(LEVELS))
def test_wilson_against_statsmodels(counts: tuple[int, int], level: float) -> None:
    count, total = counts
    share = Share.of(np.arange(total) < count, np.ones(total))
    theirs = proportion_confint(count, total, 1 - level, method="wilson")
    assert wilson_interval([share], level) == pytest.approx(theirs, abs=1e-9)


def test_wilson_of_all_passed_reaches_1_and_of_none_0() -> None:
    low, high = wilson_interval([Share(1.0, 20)])
    assert (round(low, 4), high) == (0.8389, 1.0)
    assert wilson_interval([Share(0.0, 20)]) == pytest.approx((0.0, 1 - low))
    assert wilson_interval([Share(1.0, 1)]) == pytest.approx((0.2065, 1.0), abs=1e-4)


clusters = st.lists(
    st.integers(1, 6).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m))),
    min_size=2,
    max_size=12,
)


@given(clusters)
def test_effective_size_of_clusters_against_the_definition(given_clusters) -> None:
    passed, sizes = (np.array(column, float) for column in zip(*given_clusters, strict=True))
    share = Share.of(passed, sizes)
    total, count = sizes.sum(), len(sizes)
    p = passed.sum() / total
    assert share.share == p
    if (sizes == 1).all():
        assert (share.n_eff, share.freedom) == (total, None)
        return
    least = total**2 / (sizes**2).sum()
    assert share.freedom == count - 1
    if p in (0, 1):
        assert share.n_eff == pytest.approx(least)
        return
    between = count / (count - 1) * ((passed - p * sizes) ** 2).sum() / total**2
    design_effect = between / (p * (1 - p) / total)
    n_eff = total / design_effect if design_effect else np.inf
    assert share.n_eff == pytest.approx(min(max(n_eff, least), total))


def test_clusters_use_students_t_and_one_has_no_interval() -> None:
    share = Share.of(np.array([4.0, 3.0, 4.0]), np.full(3, 4.0))
    n, p, q = share.n_eff, 11 / 12, scipy.stats.t.ppf(0.975, 2)
    for end in wilson_interval([share]):  # Wilson's ends solve |p − x| = q √(x (1 − x)/n)
        assert abs(p - end) == pytest.approx(q * np.sqrt(end * (1 - end) / n)) or end == 1
    assert wilson_interval([Share.of(np.array([4.0]), np.array([5.0]))]) is None


def test_equal_documents_that_agree_within_are_worth_their_number() -> None:
    """Ten documents of four items, each all passed or all failed: ten independent items."""
    share = Share.of(np.array([4.0] * 6 + [0.0] * 4), np.full(10, 4.0))
    assert share.n_eff == pytest.approx(10)
    assert Share.of(np.array([2.0] * 10), np.full(10, 4.0)).n_eff == 40


@pytest.mark.parametrize("strata", [1, 4])
def test_mean_of_slices_of_equal_shares_is_worth_all_items(strata: int) -> None:
    shares = [Share(0.7, 200 / strata)] * strata
    assert wilson_interval(shares) == pytest.approx(wilson_interval([Share(0.7, 200)]))


def test_mean_of_slices_without_an_interval_has_none() -> None:
    assert wilson_interval([Share(0.5, 10), None]) is None


# Where hardly any unit differs.


@pytest.mark.parametrize(("units", "half"), [(10, 0.271), (20, 0.137), (50, 0.055), (200, 0.014)])
def test_no_discordance_at_all(units: int, half: float) -> None:
    low, high = padded_ends(np.zeros(1), np.zeros(1), units, -1.0, 1.0)
    assert (-low[0], high[0]) == pytest.approx((half, half), abs=6e-4)
    ratio = padded_ratio_ends(np.zeros(units), np.ones(units), -1.0, 1.0)
    assert ratio == pytest.approx((low[0], high[0]))


@given(
    d=arrays(float, st.integers(2, 15), elements=st.integers(-4, 4).map(lambda k: k / 4)),
    level=st.sampled_from(LEVELS),
)
def test_padded_ends_are_those_of_two_more_units(d, level) -> None:
    expected = t_interval([*d, -1.0, 1.0], level)
    low, high = padded_ends(d.sum(keepdims=True), (d**2).sum(keepdims=True), len(d), -1, 1, level)
    assert (low[0], high[0]) == pytest.approx(expected, abs=1e-9)
    assert padded_ratio_ends(d, np.ones(len(d)), -1, 1, level) == pytest.approx(expected, abs=1e-9)
    # Documents of one size: a mean of theirs.
    documents = padded_ratio_ends(3 * d, np.full(len(d), 3.0), -1, 1, level)
    assert documents == pytest.approx(expected, abs=1e-9)


def test_padded_ends_of_documents_against_the_formula() -> None:
    d, m = np.array([1.0, 0.0, 0.0, -1.0, 0.0]), np.array([2.0, 3.0, 5.0, 1.0, 4.0])
    x, sizes = np.append(d, [-3.0, 3.0]), np.append(m, [3.0, 3.0])
    ratio = x.sum() / sizes.sum()
    error = np.sqrt(7 / 6 * ((x - ratio * sizes) ** 2).sum()) / sizes.sum()
    half = scipy.stats.t.ppf(0.975, 6) * error
    assert padded_ratio_ends(d, m, -1, 1) == pytest.approx((ratio - half, ratio + half))


@pytest.mark.parametrize(
    ("wide", "narrow", "difference", "p", "expected"),
    [
        ((0.1, 0.4), (0.1, 0.4), 0.25, 0.06, (0.0, 0.4)),  # p > α: extended to 0
        ((-0.4, -0.1), (-0.4, -0.1), -0.25, 0.06, (-0.4, 0.0)),
        ((-0.1, 0.4), (0.05, 0.35), 0.2, 0.04, (0.05, 0.4)),  # p ≤ α: the halving's end
        ((-0.1, 0.4), (-0.02, 0.35), 0.2, 0.04, (0.0, 0.4)),  # at worst open at 0
        ((-0.4, 0.1), (-0.35, -0.05), -0.2, 0.04, (-0.4, -0.05)),
        ((0.1, 0.4), (0.1, 0.4), 0.25, 0.05, (0.1, 0.4)),  # p = α rejects
        ((-0.1, 0.4), (-0.1, 0.4), 0.2, 0.3, (-0.1, 0.4)),
    ],
)
def test_intervals_agree_with_p(wide, narrow, difference, p, expected) -> None:
    ends = reconcile_ends(
        np.array([wide]), np.array([narrow]), np.array([difference]), np.array([p]), 1 - 0.95
    )
    assert tuple(ends[0]) == expected


def test_p_of_alpha_rejects_at_every_level() -> None:
    """1 − .9 is a little less than .1 in binary."""
    for level in (0.8, 0.9, 0.95, 0.98, 0.99, 0.999):
        ends, p = np.array([[0.1, 0.4]]), np.array([round(1 - level, 6)])
        assert reconcile_ends(ends, ends, np.array([0.2]), p, 1 - level)[0, 0] == 0.1


def test_no_interval_stays_none() -> None:
    none = np.full((2, 2), np.nan)
    assert np.isnan(reconcile_ends(none, none, np.ones(2), np.array([0.9, 0.01]), 0.05)).all()
