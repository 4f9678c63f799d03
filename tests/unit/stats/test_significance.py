"""The three tests: to the last count against plain Python, and against SciPy."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

import weigh.stats.significance as significance
from oracle import resampling as oracle
from scipy_names import drawn_by
from unit.stats.test_resample import METRICS, PAIRS, make_samples, plain_pair, uneven
from weigh.metrics.segment import SegmentMean
from weigh.stats.procedures import ALTERNATIVES
from weigh.stats.resample import bootstrap_scores
from weigh.stats.sample import Sample
from weigh.stats.significance import bootstrap, paired_bootstrap, randomization


def run_tests(samples, pairs, trials, seed, **options):
    """All three tests: name -> one outcome per sample."""
    scores = bootstrap_scores(samples, trials, seed)
    return {
        "randomization": randomization(samples, pairs, trials, seed, **options),
        "bootstrap": [
            bootstrap(one, pairs, found, **options)
            for one, found in zip(samples, scores, strict=True)
        ],
        "paired-bootstrap": [
            paired_bootstrap(one, pairs, found, **options)
            for one, found in zip(samples, scores, strict=True)
        ],
    }


def of_scores(*systems, higher_is_better=True):
    rows = tuple((SegmentMean.rows_of(scores),) for scores in systems)
    return Sample(SegmentMean("score", higher_is_better), tuple("ABCDEFGH"[: len(rows)]), rows)


@pytest.mark.parametrize(
    ("units", "runs", "stratified"),
    [(40, 1, False), (23, 3, False), (30, 1, True), (25, 2, True), (6, 1, False), (6, 2, True)],
)
def test_counts_and_p_values_against_oracle(units, runs, stratified):
    """Six units are enumerated: 64 ways are fewer than 70 trials."""
    samples = make_samples(units, runs, uneven(units) if stratified else None, seed=units)
    found = run_tests(samples, PAIRS, 70, 11)
    for test, outcomes in found.items():
        for sample, outcome in zip(samples, outcomes, strict=True):
            assert outcome.test == test
            assert outcome.exact == (units == 6 and test == "randomization")
            for i, (a, b) in enumerate(PAIRS):
                expected = oracle.TESTS[test](plain_pair(sample, a, b), 70, 11)
                for alternative in ALTERNATIVES:
                    count, p, trials = expected[alternative]
                    got = (
                        int(outcome.counts[alternative][i]),
                        float(outcome.p_values[alternative][i]),
                        outcome.trials,
                    )
                    assert got == (count, pytest.approx(p, abs=1e-15), trials), (test, alternative)


tenths = st.integers(-5, 5).map(lambda k: k / 10)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(tenths, tenths), min_size=1, max_size=8),
    st.booleans(),
    st.sampled_from([3, 20, 256]),
)
def test_scores_with_many_ties_against_oracle(scores, higher, trials):
    """Tenths are not exact in binary: what is a tie must not depend on rounding."""
    a, b = ([3 + value for value in column] for column in zip(*scores, strict=True))
    sample = of_scores(a, b, higher_is_better=higher)
    whole = oracle.Pair(
        [[[round(10 * x), 1] for x in a]],
        [[[round(10 * x), 1] for x in b]],
        lambda sums: sums[0] / sums[1],
        higher,
    )
    for test, [outcome] in run_tests([sample], [(0, 1)], trials, 5).items():
        if test == "bootstrap":  # whose centre is not a multiple of anything
            continue
        expected = oracle.TESTS[test](whole, trials, 5)
        for alternative in ALTERNATIVES:
            assert outcome.counts[alternative][0] == expected[alternative][0], (test, alternative)
            assert outcome.p_values[alternative][0] == pytest.approx(expected[alternative][1])


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("seed", range(3))
def test_randomization_against_scipys_exact_test(alternative, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0.3, 1, 11), rng.normal(0, 1, 11)
    [outcome] = randomization([of_scores(a, b)], [(0, 1)], 10_000, 1)
    assert (outcome.exact, outcome.trials) == (True, 2048)
    theirs = scipy_stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
        alternative={"better": "greater", "worse": "less"}.get(alternative, alternative),
    )
    assert outcome.p_values[alternative][0] == pytest.approx(theirs.pvalue, abs=1e-12)
    assert outcome.p_stderr(alternative)[0] == 0


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_monte_carlo_agrees_with_enumeration(alternative):
    """16 units: all 65,536 ways, or 20,000 random ones."""
    rng = np.random.default_rng(8)
    sample = of_scores(rng.normal(0.4, 1, 16), rng.normal(0, 1, 16))
    [exact] = randomization([sample], [(0, 1)], 2**16, 1)
    [drawn] = randomization([sample], [(0, 1)], 20_000, 1)
    assert (exact.exact, drawn.exact) == (True, False)
    error = drawn.p_stderr(alternative)[0]
    p = drawn.p_values[alternative][0]
    assert error == pytest.approx(math.sqrt(p * (1 - p) / 20_001))
    assert abs(p - exact.p_values[alternative][0]) < 4 * error


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_randomization_against_scipys_monte_carlo(alternative):
    rng = np.random.default_rng(5)
    a, b = rng.normal(0.12, 1, 200), rng.normal(0, 1, 200)
    [outcome] = randomization([of_scores(a, b)], [(0, 1)], 20_000, 3)
    theirs = scipy_stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        batch=1000,
        alternative={"better": "greater", "worse": "less"}.get(alternative, alternative),
        **drawn_by(np.random.default_rng(1)),
    )
    error = math.sqrt(2) * outcome.p_stderr(alternative)[0]
    assert abs(outcome.p_values[alternative][0] - theirs.pvalue) < 4 * error


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_monte_carlo_errors_are_those_of_other_seeds(alternative):
    rng = np.random.default_rng(6)
    sample = of_scores(rng.normal(0, 1, 60), rng.normal(0, 1, 60))
    found = [
        paired_bootstrap(sample, [(0, 1)], bootstrap_scores([sample], 400, seed)[0])
        for seed in range(300)
    ]
    p_values = [one.p_values[alternative][0] for one in found]
    told = np.mean([one.p_stderr(alternative)[0] for one in found])
    assert np.std(p_values) == pytest.approx(told, rel=0.2)  # 4% is its own standard error


def test_two_outputs_that_are_the_same_have_no_monte_carlo_error():
    sample = of_scores(np.arange(20.0), np.arange(20.0))
    outcome = paired_bootstrap(sample, [(0, 1)], bootstrap_scores([sample], 99, 1)[0])
    assert outcome.p_values["two-sided"][0] == 1
    assert outcome.p_stderr("two-sided")[0] == 0


def test_enumeration_begins_when_all_ways_are_no_more_than_the_trials():
    sample = of_scores(np.arange(6.0), np.arange(6.0)[::-1] / 2)
    assert randomization([sample], [(0, 1)], 64, 1)[0].exact
    assert not randomization([sample], [(0, 1)], 63, 1)[0].exact


def test_more_units_than_bits_are_not_enumerated():
    sample = of_scores(np.zeros(70), np.zeros(70))
    assert not randomization([sample], [(0, 1)], 50, 1)[0].exact


@pytest.mark.parametrize("units", [1, 5, 33])
def test_identical_systems_have_p_1(units):
    for sample in make_samples(units, runs=2, strata=None):
        same = Sample(sample.metric, ("A", "B"), (sample.rows[0], sample.rows[0]))
        for outcomes in run_tests([same], [(0, 1), (1, 0)], 99, 0).values():
            for alternative in ALTERNATIVES:
                assert (outcomes[0].p_values[alternative] == 1).all()


def test_p_is_never_0():
    sample = of_scores(np.arange(100.0) + 1000, np.arange(100.0))
    for test, [outcome] in run_tests([sample], [(0, 1)], 99, 1).items():
        assert outcome.counts["better"][0] == 0
        assert outcome.p_values["better"][0] == 0.01
        assert outcome.p_values["worse"][0] == 1
        assert outcome.p_values["two-sided"][0] == (0.02 if test == "paired-bootstrap" else 0.01)


def test_order_of_the_pair_mirrors_the_alternatives():
    samples = make_samples(40)
    for outcomes in run_tests(samples, [(0, 1), (1, 0)], 199, 2).values():
        for outcome in outcomes:
            p = outcome.p_values
            assert p["two-sided"][0] == p["two-sided"][1]
            assert p["better"][0] == p["worse"][1]
            assert p["worse"][0] == p["better"][1]


def test_direction_of_the_metric_mirrors_the_alternatives():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.1, 1, 50), rng.normal(0, 1, 50)
    up = run_tests([of_scores(a, b)], [(0, 1)], 199, 2)
    down = run_tests([of_scores(a, b, higher_is_better=False)], [(0, 1)], 199, 2)
    for test in up:
        assert up[test][0].p_values["better"] == down[test][0].p_values["worse"]
        assert up[test][0].p_values["worse"] == down[test][0].p_values["better"]
        assert up[test][0].p_values["two-sided"] == down[test][0].p_values["two-sided"]


def test_the_null_is_kept_oriented_and_centred():
    samples = make_samples(40)
    found = run_tests(samples, PAIRS, 150, 2, keep_null=True)
    for test, outcomes in found.items():
        for sample, outcome in zip(samples, outcomes, strict=True):
            assert outcome.null.shape == (len(PAIRS), 150)
            pair = plain_pair(sample, *PAIRS[1])
            if test == "randomization":
                expected = np.array(pair.swapped_differences(150, 2))
            else:
                expected = np.array(pair.bootstrap_differences(150, 2))
                expected -= expected.mean()
            np.testing.assert_allclose(outcome.null[1], expected, atol=1e-11)
    assert run_tests(samples, PAIRS, 20, 2)["bootstrap"][0].null is None


def test_many_pairs_lose_no_count_in_threads(monkeypatch):
    """NumPy adds large arrays without the GIL, so counting must guard against other threads."""
    pairs = [(0, 1)] * 30_000
    nothing = np.zeros((len(pairs), 1))

    def in_threads(_samples, _pairs, trials, _seed, consume, *, reduce, **_options):
        def work():
            for _ in range(trials // 4):
                consume(0, 0, reduce(0, nothing))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    monkeypatch.setattr(significance, "swapped_differences", in_threads)
    [outcome] = randomization([of_scores(np.zeros(40), np.zeros(40))], pairs, 2000, 1)
    for alternative in ALTERNATIVES:
        assert (outcome.counts[alternative] == 2000).all()


def test_scores_whose_sum_is_zero_are_ties():
    """Tenths that add up to 0: D is 0 but for rounding, so every way to swap is as extreme."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        tenths = rng.integers(-9, 10, 6)
        tenths[-1] = -tenths[:-1].sum()
        [outcome] = randomization([of_scores(tenths / 10, np.zeros(6))], [(0, 1)], 100, 1)
        assert outcome.p_values["two-sided"][0] == 1, tenths


def test_every_metric_here_is_tested_in_both_directions():
    assert {metric.higher_is_better for metric in METRICS.values()} == {True, False}
