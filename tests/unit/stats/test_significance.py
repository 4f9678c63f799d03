"""The two bootstraps: to the last count against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import resampling as oracle
from unit.stats.samples import of_scores
from unit.stats.test_resample import METRICS, PAIRS, make_samples, plain_pair, uneven
from weigh.stats.procedures import ALTERNATIVES
from weigh.stats.resample import bootstrap_scores
from weigh.stats.sample import Sample
from weigh.stats.significance import bootstrap, paired_bootstrap


def run_tests(samples, pairs, trials, seed):
    """Both bootstraps: name -> one outcome per sample."""
    scores = bootstrap_scores(samples, trials, seed)
    return {
        name: [test(one, pairs, found) for one, found in zip(samples, scores, strict=True)]
        for name, test in (("bootstrap", bootstrap), ("paired-bootstrap", paired_bootstrap))
    }


@pytest.mark.parametrize(
    ("units", "runs", "stratified"),
    [(40, 1, False), (23, 3, False), (30, 1, True), (25, 2, True), (6, 1, False), (6, 2, True)],
)
def test_counts_and_p_values_against_oracle(units, runs, stratified):
    samples = make_samples(units, runs, uneven(units) if stratified else None, seed=units)
    for test, outcomes in run_tests(samples, PAIRS, 70, 11).items():
        for sample, outcome in zip(samples, outcomes, strict=True):
            assert outcome.test == test
            assert not outcome.exact.any()
            for i, (a, b) in enumerate(PAIRS):
                expected = oracle.TESTS[test](plain_pair(sample, a, b), 70, 11)
                for alternative in ALTERNATIVES:
                    count, p, trials = expected[alternative]
                    got = (
                        int(outcome.counts[alternative][i]),
                        float(outcome.p_values[alternative][i]),
                        int(outcome.trials[i]),
                    )
                    assert got == (count, pytest.approx(p, abs=1e-15), trials), (test, alternative)


tenths = st.integers(-5, 5).map(lambda k: k / 10)


@given(
    st.lists(st.tuples(tenths, tenths), min_size=1, max_size=8),
    st.booleans(),
    st.sampled_from([3, 20, 64]),
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


def test_every_metric_here_is_tested_in_both_directions():
    assert {metric.higher_is_better for metric in METRICS.values()} == {True, False}
