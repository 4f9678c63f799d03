"""Runs as a sample: against the definition in plain loops, SciPy and theory."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from oracle import resampling as oracle
from unit.stats.test_resample import METRICS, ROWS, plain_pair, uneven
from weigh.comparing.compare import compare
from weigh.comparing.compare_result import Comparison
from weigh.errors import UsageError
from weigh.metrics.segment import GivenMean
from weigh.stats.power import Family
from weigh.stats.runs import RunError, run_spreads
from weigh.stats.sample import Sample

TRIALS = 40


def with_runs(name: str, units: int, counts: tuple[int, ...], strata=None, seed=0) -> Sample:
    """Systems whose runs are of different quality."""
    rng = np.random.default_rng(seed)
    rows = tuple(
        tuple(ROWS[name](rng, units, 0.6 + 0.03 * s + rng.normal(0, 0.05)) for _ in range(count))
        for s, count in enumerate(counts)
    )
    return Sample(METRICS[name], tuple("ABC"[: len(counts)]), rows, strata)


def by_system(sample: Sample) -> tuple[np.ndarray, ...]:
    """The scores of segments by a mean: runs × units."""
    return tuple(np.array([run[:, 0] for run in runs]) for runs in sample.rows)


@pytest.mark.parametrize("strata", [None, uneven(24)])
@pytest.mark.parametrize("counts", [(2, 2), (3, 5)])
@pytest.mark.parametrize("name", [name for name in ROWS if not METRICS[name].mean_of_segments])
def test_variance_freedom_and_p_values_are_those_of_the_definition(name, counts, strata):
    sample = with_runs(name, 24, counts, strata)
    d, variance, freedom = oracle.runs_t(plain_pair(sample, 0, 1), TRIALS, 7)
    [spread] = run_spreads([sample], TRIALS, 7)
    error = spread.error(0, 1)
    assert error is not None
    assert error.deviation**2 == pytest.approx(variance, rel=1e-9)
    assert error.freedom == pytest.approx(freedom, rel=1e-9)
    theirs = scipy_stats.t(freedom)
    t = d / math.sqrt(variance)
    found = spread.test([(0, 1)])
    assert found.p_values["two-sided"][0] == pytest.approx(2 * theirs.sf(abs(t)), rel=1e-9)
    assert found.p_values["better"][0] == pytest.approx(theirs.sf(t), rel=1e-9)
    assert found.p_values["worse"][0] == pytest.approx(theirs.cdf(t), rel=1e-9)
    assert (found.trials, found.counts["better"][0], found.p_stderr("better")[0]) == (0, 0, 0)
    plain = d if sample.metric.higher_is_better else -d
    half = theirs.ppf(0.95) * math.sqrt(variance)
    assert spread.interval(0.9, 0, 1) == pytest.approx((plain - half, plain + half), rel=1e-9)
    c = error.detectable(Family(0.03, 3)) / math.sqrt(variance)
    assert scipy_stats.nct.sf(theirs.ppf(0.995), freedom, c) == pytest.approx(0.8, abs=1e-6)


def test_a_pair_turned_round_and_runs_in_another_order():
    sample = with_runs("BLEU", 24, (3, 4))
    turned = Sample(sample.metric, sample.names, tuple(runs[::-1] for runs in sample.rows))
    [one], [other] = run_spreads([sample], 50, 1), run_spreads([turned], 50, 1)
    p, q = one.test([(0, 1), (1, 0)]).p_values, other.test([(0, 1)]).p_values
    assert p["two-sided"][0] == p["two-sided"][1] == pytest.approx(q["two-sided"][0], rel=1e-9)
    assert p["better"][0] == pytest.approx(p["worse"][1], rel=1e-12)


def test_variances_of_means_are_those_of_textbooks():
    """Of means, bootstrap variances are known: Σ(x − x̄)²/u² for any u."""
    sample = with_runs("score", 60, (3, 6))
    assert sample.metric.mean_of_segments
    a, b = by_system(sample)
    v_u = np.var(a.mean(axis=0) - b.mean(axis=0), ddof=1) / 60
    of_runs = 0.0
    for runs in (a, b):
        k = len(runs)
        v = np.var(runs.mean(axis=1), ddof=1) / k
        w = np.var(runs - runs.mean(axis=0), axis=1, ddof=1).sum() / 60 / (k * (k - 1))
        of_runs += max(v - w, 0)
    error = run_spreads([sample], 2, 1)[0].error(0, 1)
    assert error is not None
    assert error.of_units == pytest.approx(v_u, rel=1e-12)
    assert error.of_runs == pytest.approx(of_runs, rel=1e-9)


@pytest.mark.parametrize("strata", [None, (np.arange(2), np.arange(2, 5))])
def test_variances_of_means_are_those_of_all_draws(strata):
    """Every draw of the units of five, or of the two and the three of two strata."""
    sample = with_runs("score", 5, (2, 3), strata, seed=3)
    parts = [np.arange(5)] if strata is None else list(strata)
    draws = list(itertools.product(*(itertools.product(p, repeat=len(p)) for p in parts)))
    boots = [
        np.array([np.mean([runs[:, list(own)].mean(axis=1) for own in draw], 0) for draw in draws])
        for runs in by_system(sample)
    ]
    u = min(map(len, parts))
    v_u = np.var(boots[0].mean(axis=1) - boots[1].mean(axis=1)) * u / (u - 1)
    of_runs = 0.0
    for drawn, runs in zip(boots, by_system(sample), strict=True):
        k = len(runs)
        scores = np.mean([runs[:, part].mean(axis=1) for part in parts], axis=0)
        apart = drawn - drawn.mean(axis=1, keepdims=True)
        w = u / (u - 1) * np.var(apart, axis=0).sum() / (k * (k - 1))
        of_runs += max(np.var(scores, ddof=1) / k - w, 0)
    error = run_spreads([sample], 2, 1)[0].error(0, 1)
    assert error is not None
    assert error.of_units == pytest.approx(v_u, rel=1e-9)
    assert error.of_runs == pytest.approx(of_runs, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_chance_does_not_decide_whether_anything_varies(seed):
    """v_u is 0, and v − w of both at most: V is 0, and D is not."""
    a, b = np.array([[0, 0, 0, 1], [0, 0, 0, 0]]), np.array([[0, 0, 1, 1], [1, 1, 0, 1]])
    rows = tuple(tuple(map(GivenMean.rows_of, runs)) for runs in (a, b))
    [spread] = run_spreads([Sample(GivenMean(), ("A", "B"), rows)], 500, seed)
    assert spread.error(0, 1) is None
    assert math.isnan(spread.test([(0, 1)]).p_values["two-sided"][0])


def test_many_equal_units_leave_the_test_of_two_samples_of_runs():
    """Where units add no noise, t and freedom are those of Welch's test of the runs' scores."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(0, 1, 4), rng.normal(1, 3, 7)
    rows = [tuple(GivenMean.rows_of(np.full(50, x)) for x in runs) for runs in (a, b)]
    sample = Sample(GivenMean(), ("A", "B"), tuple(rows))
    [spread] = run_spreads([sample], 50, 1)
    welch = scipy_stats.ttest_ind(a, b, equal_var=False)
    error = spread.error(0, 1)
    assert error is not None
    assert error.freedom == pytest.approx(welch.df, rel=1e-9)
    p = spread.test([(0, 1)]).p_values["two-sided"][0]
    assert p == pytest.approx(welch.pvalue, rel=1e-9)
    assert spread.interval(0.95, 0, 1) == pytest.approx(tuple(welch.confidence_interval(0.95)))


def test_runs_that_are_the_same_leave_the_noise_of_units():
    values = np.random.default_rng(2).normal(0, 1, (2, 80))
    rows = tuple((GivenMean.rows_of(one),) * 3 for one in values)
    error = run_spreads([Sample(GivenMean(), ("A", "B"), rows)], 500, 1)[0].error(0, 1)
    assert error is not None
    assert error.of_runs == pytest.approx(0, abs=1e-15)
    assert error.freedom == pytest.approx(79)


@pytest.mark.parametrize(("shift", "p"), [(0.0, 1.0), (0.3, math.nan)])
@pytest.mark.parametrize("units", [1, 7])
def test_nothing_that_varies_gives_1_or_nothing(units, shift, p):
    """Sums of .1 are rounded differently from draw to draw, which is no variance."""
    rows = tuple((GivenMean.rows_of(np.full(units, x)),) * 2 for x in (0.1 + shift, 0.1))
    [spread] = run_spreads([Sample(GivenMean(), ("A", "B"), rows)], 100, 1)
    assert spread.error(0, 1) is None
    assert spread.interval(0.95, 0, 1) is None
    for found in spread.test([(0, 1)]).p_values.values():
        assert found[0] == pytest.approx(p, nan_ok=True)


def test_one_unit_has_no_variance_whatever_its_runs():
    rows = tuple(tuple(GivenMean.rows_of(np.array([x])) for x in xs) for xs in ((1, 2), (3, 5)))
    [spread] = run_spreads([Sample(GivenMean(), ("A", "B"), rows)], 50, 1)
    assert spread.error(0, 1) is None
    assert np.isnan(spread.test([(0, 1)]).p_values["two-sided"][0])


def test_one_run_is_refused_by_name():
    sample = with_runs("score", 5, (2, 1))
    with pytest.raises(UsageError, match="B has only one run"):
        run_spreads([sample], 50, 1)


def test_units_needed_for_a_difference():
    """With so many units in place of 100, the difference is what can be detected."""
    error = RunError(of_units=4.0, of_runs=1.0, freedom=20.0)
    now = error.detectable(Family())
    needed = error.units_needed(100, 0.8 * now, Family())
    assert needed is not None
    then = RunError(4.0 * 100 / needed, 1.0, 20.0)
    assert then.detectable(Family()) == pytest.approx(0.8 * now, rel=0.01)
    assert error.units_needed(100, 0.4 * now, Family()) is None  # √(1/5) = .45 remains


def test_no_p_value_is_0():
    assert RunError(1e-12, 0.0, 2000.0).p_values(1e9)["two-sided"] > 0


@pytest.mark.parametrize("documents", [None, [f"d{n // 3}" for n in range(40)]])
def test_a_common_offset_changes_nothing(documents: list[str] | None) -> None:
    draws = np.random.default_rng(4).integers(0, 5, (2, 3, 40)).astype(float)

    def tested(offset: float) -> Comparison:
        scores = dict(zip("AB", draws + offset, strict=True))
        [pair] = compare(scores, runs_as_sample=True, documents=documents).comparisons
        return pair

    plain = tested(0.0)
    assert plain.p_value is not None
    assert plain.p_value < 1
    for offset in (1e9, 1e12):
        pair = tested(offset)
        assert pair.p_value == pytest.approx(plain.p_value, rel=1e-12)
        assert pair.interval == pytest.approx(plain.interval, rel=1e-12)
