"""The randomization test: exact, drawn, and as many trials as a conclusion needs."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from scipy.stats import binomtest

from oracle import resampling as oracle
from oracle.halving import sign_flip_p
from unit.stats.samples import documents_of, of_scores
from unit.stats.test_resample import PAIRS, bleu_rows, make_samples, plain_pair, uneven
from weigh import Bleu
from weigh.stats.adaptive import STAGES, Decision
from weigh.stats.estimates import Estimates
from weigh.stats.multiplicity import adjust
from weigh.stats.procedures import ALTERNATIVES
from weigh.stats.randomization import randomization
from weigh.stats.sample import Sample
from weigh.stats.significance import PairTests

PAIR = [(0, 1)]
AT_05 = [Decision("two-sided", 0.05)]


def outcome_of(sample: Sample, pairs=PAIR, seed=1, **options) -> PairTests:
    [outcome] = randomization([sample], pairs, seed, threads=1, **options).tests
    return outcome


def p_of(outcome: PairTests) -> list[float]:
    """All p-values: of the pairs by each alternative."""
    return [p for name in ALTERNATIVES for p in outcome.p_values[name].tolist()]


def pass_fail(won: int, lost: int, items: int) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.zeros(items), np.zeros(items)
    a[:won] = b[won : won + lost] = 1
    return a, b


@pytest.mark.parametrize(("runs", "stratified"), [(1, False), (3, False), (1, True), (2, True)])
def test_counts_against_oracle(runs, stratified):
    samples = make_samples(40, runs, uneven(40) if stratified else None, seed=4)
    outcomes = randomization(samples, PAIRS, 11, trials=70, threads=1).tests
    for sample, outcome in zip(samples, outcomes, strict=True):
        assert (outcome.trials == 70).all()
        assert not outcome.exact.any()
        for i, (a, b) in enumerate(PAIRS):
            expected = oracle.randomization(plain_pair(sample, a, b), 70, 11)
            for name in ALTERNATIVES:
                count, p, _ = expected[name]
                assert outcome.counts[name][i] == count
                assert outcome.p_values[name][i] == pytest.approx(p, abs=1e-15)


@pytest.mark.parametrize(("runs", "stratified"), [(1, False), (2, False), (2, True)])
def test_few_units_are_enumerated_for_every_metric(runs, stratified):
    samples = make_samples(6, runs, uneven(6) if stratified else None, seed=3)
    for sample, outcome in zip(
        samples, randomization(samples, PAIRS, 1, threads=1).tests, strict=True
    ):
        assert outcome.exact.all()
        assert (outcome.trials == 0).all()
        for i, (a, b) in enumerate(PAIRS):
            expected = oracle.randomization(plain_pair(sample, a, b), 64, 11)
            for name in ALTERNATIVES:
                assert outcome.p_values[name][i] == pytest.approx(expected[name][1]), name
                assert outcome.p_stderr(name)[i] == 0


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("seed", range(3))
def test_exact_p_against_scipy(alternative, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0.3, 1, 11), rng.normal(0, 1, 11)
    theirs = scipy_stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
        alternative={"better": "greater", "worse": "less"}.get(alternative, alternative),
    )
    outcome = outcome_of(of_scores(a, b))
    assert outcome.p_values[alternative][0] == pytest.approx(theirs.pvalue, abs=1e-12)


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**63])
def test_no_seed_decides_about_pass_and_fail(seed):
    outcome = outcome_of(of_scores(*pass_fail(13, 4, 100)), seed=seed, decisions=AT_05)
    assert outcome.p_values["two-sided"][0] == pytest.approx(0.0490417, abs=1e-7)
    assert (outcome.exact[0], outcome.trials[0], outcome.p_stderr("two-sided")[0]) == (True, 0, 0)


def test_counts_over_runs_are_exact():
    """Sums of three runs differ by −3 … 3: a convolution, the same as over all signs."""
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 2, (2, 3, 60))
    d = (a - b).sum(axis=0)
    outcome = outcome_of(of_scores(a, b))
    shares = {0: 1.0}
    for value in d[d != 0].tolist():
        after: dict[int, float] = {}
        for total, share in shares.items():
            for signed in (value, -value):
                after[total + signed] = after.get(total + signed, 0) + share / 2
        shares = after
    far = sum(share for total, share in shares.items() if abs(total) >= abs(d.sum()))
    assert outcome.exact[0]
    assert outcome.p_values["two-sided"][0] == pytest.approx(far)


def test_documents_of_pass_and_fail_are_swapped_whole():
    sizes = [1, 4, 2, 3, 5, 2, 2, 1]
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 2, (2, sum(sizes)))
    outcome = outcome_of(of_scores(a, b, documents=documents_of(sizes)))
    ends = np.cumsum([0, *sizes])
    d = [int((a - b)[i:j].sum()) for i, j in pairwise(ends)]
    assert p_of(outcome) == pytest.approx([float(p) for p in sign_flip_p(d)])


def test_monte_carlo_agrees_with_the_exact_test():
    """Rounded to a grid of 5,000 the scores are exact; a hair off the grid they are drawn."""
    rng = np.random.default_rng(8)
    d = np.round(rng.normal(0.25, 1, 60), 1)
    exact = outcome_of(of_scores(d, np.zeros(60)))
    drawn = outcome_of(of_scores(d + 1e-5 * rng.random(60), np.zeros(60)), trials=20_000)
    assert (exact.exact[0], drawn.exact[0]) == (True, False)
    for name in ALTERNATIVES:
        p, error = drawn.p_values[name][0], drawn.p_stderr(name)[0]
        assert error == pytest.approx(math.sqrt(p * (1 - p) / 20_001))
        assert abs(p - exact.p_values[name][0]) < 4 * error


@pytest.mark.parametrize("units", [1, 2, 5, 33])
def test_identical_systems_have_p_1(units):
    for sample in make_samples(units, runs=2):
        same = Sample(sample.metric, ("A", "B"), (sample.rows[0], sample.rows[0]))
        outcome = outcome_of(same, [(0, 1), (1, 0)])
        assert p_of(outcome) == [1] * 6
        assert outcome.exact.all()


def test_runs_in_another_order_are_no_reason_to_try_all_swaps():
    """Their means are equal, yet swaps change BLEU: 2^50 ways cannot be tried."""
    rng = np.random.default_rng(1)
    runs = tuple(bleu_rows(rng, 50, 0.6) for _ in range(2))
    result = randomization(
        [Sample(Bleu(), ("A", "B"), (runs, runs[::-1]))], PAIR, 1, trials=99, threads=1
    )
    assert result.differing[0][0] == 50
    assert not result.tests[0].exact[0]
    assert result.tests[0].p_values["two-sided"][0] == 1


def test_rounding_of_runs_is_no_reason_to_try_all_swaps():
    runs = np.random.default_rng(1).random((3, 40))
    result = randomization([of_scores(runs, runs[::-1])], PAIR, 1, threads=1)
    assert result.differing[0][0] == 0
    assert p_of(result.tests[0]) == [1] * 3


scores = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=14).map(
    lambda pairs: np.array(pairs, float).T / 4
)


@given(scores, st.sampled_from([0.1, 1e9, 1e12, -1e9]))
def test_a_common_offset_changes_nothing(given_scores, offset):
    a, b = given_scores
    plain, moved = outcome_of(of_scores(a, b)), outcome_of(of_scores(a + offset, b + offset))
    assert p_of(moved) == p_of(plain)
    assert moved.exact.tolist() == plain.exact.tolist()


@given(scores, st.randoms(use_true_random=False))
def test_the_order_of_units_does_not_matter(given_scores, random):
    order = list(range(given_scores.shape[1]))
    random.shuffle(order)
    shuffled = outcome_of(of_scores(*given_scores[:, order]))
    assert p_of(shuffled) == pytest.approx(p_of(outcome_of(of_scores(*given_scores))))


@given(scores, st.booleans())
def test_swapping_the_systems_mirrors_everything(given_scores, higher):
    outcome = outcome_of(of_scores(*given_scores, higher_is_better=higher), [(0, 1), (1, 0)])
    p = outcome.p_values
    assert p["two-sided"][0] == p["two-sided"][1]
    assert [p["better"][0], p["worse"][0]] == pytest.approx([p["worse"][1], p["better"][1]])


def test_swapping_the_systems_mirrors_drawn_tests_too():
    samples = make_samples(40)
    for outcome in randomization(samples, [(0, 1), (1, 0)], 2, trials=199, threads=1).tests:
        p = outcome.p_values
        assert p["two-sided"][0] == p["two-sided"][1]
        assert [p["better"][0], p["worse"][0]] == [p["worse"][1], p["better"][1]]


def test_lower_is_better_turns_the_alternatives():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.1, 1, (2, 50))
    up = outcome_of(of_scores(a, b), trials=199).p_values
    down = outcome_of(of_scores(a, b, higher_is_better=False), trials=199).p_values
    assert (up["better"], up["worse"]) == (down["worse"], down["better"])
    assert up["two-sided"] == down["two-sided"]


@settings(max_examples=30)
@given(
    st.integers(6, 60),
    st.sampled_from([0.9, 0.95, 0.99]),
    st.sampled_from(["normal", "pass/fail", "few differ"]),
    st.integers(0, 10**6),
)
def test_p_and_interval_never_contradict(units, level, kind, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0.4, 1, (2, units))
    if kind == "pass/fail":
        a, b = (rng.random((2, units)) < [[0.8], [0.5]]).astype(float)
    elif kind == "few differ":
        b = np.where(np.arange(units) < 4, b, a)
    for decision, pairs in (("two-sided", PAIR), ("better", PAIR)):
        sample = of_scores(a, b)
        found = randomization([sample], pairs, seed, halves=True, trials=999, threads=1)
        [outcome], [halves], [differing] = found
        p = outcome.p_values[decision]
        estimates = Estimates(sample, sample.means(), halves, None)
        chosen, d = np.array(pairs), np.array([a.mean() - b.mean()])
        if decision == "two-sided":
            ends = estimates.differences(chosen, d, differing, level, p)
        else:
            ends = estimates.bounds(chosen, d, differing, level, above=True, p_values=p)
        low, high = ends[0]
        if np.isnan(low):
            continue
        if p[0] <= (1 - level) * (1 + 1e-9):
            assert low >= 0 or high <= 0
        else:
            assert low <= 0 <= high


# Trials that adapt.


def normal_pair(p: float, units: int = 200, seed: int = 1) -> Sample:
    """Two systems whose two-sided p-value is about p, by Student's t."""
    rng = np.random.default_rng(seed)
    d = rng.normal(size=units)
    t = scipy_stats.t.isf(p / 2, units - 1)
    d = (d - d.mean()) / d.std(ddof=1) + t / math.sqrt(units)
    return of_scores(d, np.zeros(units))


def test_clear_conclusions_take_the_first_stage_alone():
    for p in (0.001, 0.5):
        outcome = outcome_of(normal_pair(p), decisions=AT_05)
        assert (outcome.trials[0], outcome.is_open[0]) == (STAGES[0] - 1, False)


def test_close_conclusions_take_more_trials():
    outcome = outcome_of(normal_pair(0.053), decisions=AT_05)
    assert outcome.trials[0] >= STAGES[1] - 1
    assert outcome.p_values["two-sided"][0] == pytest.approx(0.053, abs=0.004)


def test_stages_keep_the_earlier_draws(monkeypatch):
    monkeypatch.setattr("weigh.stats.adaptive.STAGES", (100, 200, 400))
    sample = normal_pair(0.05)
    outcome = outcome_of(sample, decisions=AT_05)
    stated = outcome_of(sample, trials=399)
    assert outcome.trials[0] == 399
    assert outcome.counts["two-sided"][0] == stated.counts["two-sided"][0]


def test_what_stays_close_is_said(monkeypatch):
    monkeypatch.setattr("weigh.stats.adaptive.STAGES", (100, 200))
    assert outcome_of(normal_pair(0.05), decisions=AT_05).is_open[0]
    assert not outcome_of(normal_pair(0.9), decisions=AT_05).is_open[0]


def test_stated_trials_are_obeyed():
    outcome = outcome_of(normal_pair(0.05), trials=500, decisions=AT_05)
    assert (outcome.trials[0], outcome.is_open[0]) == (500, True)
    assert outcome.p_stderr("two-sided")[0] > 0


def test_large_families_need_and_get_more_trials():
    """One pair of 8,911: Holm multiplies by all of them, which 10,000 trials cannot satisfy."""
    decisions = [Decision("two-sided", 0.05, "holm", 8_911)]
    outcome = outcome_of(normal_pair(1e-9, 60), decisions=decisions)
    assert outcome.trials[0] > 8_911 / 0.05
    assert 8_911 * outcome.p_values["two-sided"][0] <= 0.05


def test_cliff_of_many_systems_is_gone():
    """33 systems and more: 10,000 trials with Holm could reject nothing. Pass/fail is exact."""
    rng = np.random.default_rng(0)
    systems = 40
    chances = np.linspace(0.2, 0.9, systems)[:, None]
    results = (rng.random((systems, 300)) < chances).astype(float)
    pairs = [(a, b) for a in range(systems) for b in range(a)]
    outcome = outcome_of(of_scores(*results), pairs)
    assert outcome.exact.all()
    a, b = results[-1], results[0]
    won, lost = int((a > b).sum()), int((b > a).sum())
    last = pairs.index((systems - 1, 0))
    assert outcome.p_values["two-sided"][last] == pytest.approx(
        binomtest(won, won + lost).pvalue, rel=1e-9
    )
    assert (adjust(outcome.p_values["two-sided"], "holm") <= 0.05).mean() > 0.5


def test_nothing_asked_for_draws_nothing():
    found = randomization([normal_pair(0.5)], PAIR, 1, tests=False, halves=True, threads=1)
    assert found.tests == []
    assert len(found.halves) == 1
    assert found.differing[0].tolist() == [200]


def test_metrics_of_one_call_are_as_each_alone():
    samples = make_samples(40, runs=2)
    together = randomization(samples, PAIRS, 3, trials=99, threads=2).tests
    for sample, outcome in zip(samples, together, strict=True):
        alone = outcome_of(sample, PAIRS, 3, trials=99)
        assert p_of(outcome) == p_of(alone)
