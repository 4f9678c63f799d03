"""Resampled scores: against plain loops, SciPy and theory; the same bits however computed."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from scipy import stats as scipy_stats

import weigh.stats.resample as resample
from oracle import resampling as oracle
from scipy_names import drawn_by
from weigh import Bleu, Chrf, Ter
from weigh.metrics.segment import GivenMean
from weigh.stats.resample import (
    Scratch,
    Stack,
    bootstrap_scores,
    stacks_of,
    swapped_differences,
)
from weigh.stats.sample import Sample, by_document
from weigh.stats.significance import Observed, bootstrap, paired_bootstrap

PAIRS = [(0, 1), (2, 0), (1, 2)]


def plain_bleu(sums: list) -> float:
    """BLEU-4 of summed statistics with sacreBLEU's exponential smoothing."""
    hyp, ref, *counts = sums
    correct, totals = counts[:4], counts[4:]
    if not any(correct):
        return 0.0
    logs, share = 0.0, 1.0
    for matches, total in zip(correct, totals, strict=True):
        if total == 0:
            return 0.0
        if matches == 0:
            share /= 2
            matches = share
        logs += math.log(matches / total)
    brevity = min(0.0, 1 - ref / hyp)
    return 100 * math.exp(brevity + logs / 4)


def plain_rate(sums: list) -> float:
    return 100 * sums[0] / sums[1]


def plain_mean(sums: list) -> float:
    return sums[0] / sums[1]


PLAIN = {"BLEU": plain_bleu, "TER": plain_rate, "score": plain_mean}


def bleu_rows(rng: np.random.Generator, units: int, quality: float) -> np.ndarray:
    length = rng.integers(5, 30, units)
    totals = [length - n for n in range(4)]
    correct = [rng.binomial(total, quality ** (n + 1)) for n, total in enumerate(totals)]
    return np.column_stack([length, length + rng.integers(-3, 4, units), *correct, *totals])


def ter_rows(rng: np.random.Generator, units: int, quality: float) -> np.ndarray:
    length = rng.integers(5, 30, units)
    return np.column_stack([rng.binomial(length, 1 - quality), length])


def mean_rows(rng: np.random.Generator, units: int, quality: float) -> np.ndarray:
    return GivenMean.rows_of(rng.normal(quality, 0.3, units))


ROWS = {"BLEU": bleu_rows, "TER": ter_rows, "score": mean_rows}
METRICS = {"BLEU": Bleu(), "TER": Ter(), "score": GivenMean()}


def make_samples(units, runs=1, strata=None, seed=0, systems=3):
    """The same systems by three metrics: integer rows, an error rate, and real numbers."""
    rng = np.random.default_rng(seed)
    result = []
    for name, make in ROWS.items():
        rows = tuple(
            tuple(make(rng, units, 0.6 + 0.05 * system) for _ in range(runs))
            for system in range(systems)
        )
        result.append(Sample(METRICS[name], tuple("ABCDEFGH"[:systems]), rows, strata))
    return result


def plain_pair(sample: Sample, a: int, b: int) -> oracle.Pair:
    return oracle.Pair(
        [rows.tolist() for rows in sample.rows[a]],
        [rows.tolist() for rows in sample.rows[b]],
        PLAIN[sample.metric.name],
        sample.metric.higher_is_better,
        None if sample.strata is None else [part.tolist() for part in sample.strata],
    )


def uneven(units: int) -> tuple[np.ndarray, ...]:
    """Three strata of different sizes that are not runs of neighbours."""
    return (np.arange(0, units, 2), np.arange(1, units, 4), np.arange(3, units, 4))


def kept_swaps(samples, pairs, trials, seed, **options):
    kept = [np.empty((len(pairs), trials)) for _ in samples]

    def keep(sample, start, differences):
        kept[sample][:, start : start + differences.shape[1]] = differences

    swapped_differences(samples, pairs, trials, seed, keep, **options)
    return kept


SHAPES = [(1, False), (3, False), (1, True), (2, True)]


@pytest.mark.parametrize(("runs", "stratified"), SHAPES)
def test_bootstrap_scores_against_oracle(runs, stratified):
    samples = make_samples(37, runs, uneven(37) if stratified else None)
    for sample, scores in zip(samples, bootstrap_scores(samples, 25, 7), strict=True):
        for a, b in PAIRS:
            pair = plain_pair(sample, a, b)
            expected = pair.bootstrap_differences(25, 7)
            sign = 1 if sample.metric.higher_is_better else -1
            np.testing.assert_allclose(sign * (scores[a] - scores[b]), expected, atol=1e-11)


@pytest.mark.parametrize(("runs", "stratified"), SHAPES)
def test_swapped_differences_against_oracle(runs, stratified):
    samples = make_samples(37, runs, uneven(37) if stratified else None)
    for sample, found in zip(samples, kept_swaps(samples, PAIRS, 25, 7), strict=True):
        sign = 1 if sample.metric.higher_is_better else -1
        for i, (a, b) in enumerate(PAIRS):
            expected = plain_pair(sample, a, b).swapped_differences(25, 7)
            np.testing.assert_allclose(sign * found[i], expected, atol=1e-11)


def test_scores_and_strata_against_direct_computation():
    strata = uneven(40)
    for sample in make_samples(40, runs=2, strata=strata):
        for system, score in enumerate(sample.scores()):
            direct = [
                sample.metric.score(rows[part].sum(axis=0))
                for rows in sample.rows[system]
                for part in strata
            ]
            assert score == pytest.approx(sum(direct) / len(direct), rel=1e-14)


@pytest.mark.parametrize("stratified", [False, True])
def test_jackknife_leaves_out_one_unit(stratified):
    units = 15
    strata = uneven(units) if stratified else None
    for sample in make_samples(units, runs=2, strata=strata):
        found = sample.jackknife()
        for unit in range(units):
            rest = np.delete(np.arange(units), unit)
            parts = (rest,) if strata is None else tuple(part[part != unit] for part in strata)
            left = Sample(sample.metric, sample.names, sample.rows, parts)
            np.testing.assert_allclose(found[:, unit], left.scores(), rtol=1e-12)


def test_documents_are_sums_of_their_segments():
    [sample, *_] = make_samples(30)
    documents = [f"d{unit * 7 % 11}" for unit in range(30)]
    names = list(dict.fromkeys(documents))
    summed = tuple(
        tuple(
            np.array([rows[[d == name for d in documents]].sum(axis=0) for name in names])
            for rows in runs
        )
        for runs in sample.rows
    )
    for runs, expected in zip(sample.rows, summed, strict=True):
        assert np.array_equal(by_document(runs[0], documents), expected[0])


@pytest.mark.parametrize("block", [1, 7, 100, 4096])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_same_bits_for_any_threads_and_blocks(monkeypatch, block, threads):
    samples = make_samples(50, runs=2, strata=uneven(50))
    expected_boot = bootstrap_scores(samples, 150, 3, threads=1)
    expected_swap = kept_swaps(samples, PAIRS, 150, 3, threads=1)
    monkeypatch.setattr(resample, "BLOCK", block)
    boot = bootstrap_scores(samples, 150, 3, threads=threads)
    swap = kept_swaps(samples, PAIRS, 150, 3, threads=threads)
    for found, expected in zip([*boot, *swap], [*expected_boot, *expected_swap], strict=True):
        assert found.tobytes() == expected.tobytes()


def test_metrics_and_systems_share_their_draws():
    """A sample by itself gives the same scores as among others."""
    samples = make_samples(50)
    together = bootstrap_scores(samples, 100, 3)
    swaps = kept_swaps(samples, PAIRS, 100, 3)
    for i, sample in enumerate(samples):
        alone = bootstrap_scores([sample], 100, 3)[0]
        assert alone.tobytes() == together[i].tobytes()
        assert kept_swaps([sample], PAIRS, 100, 3)[0].tobytes() == swaps[i].tobytes()
        assert kept_swaps([sample], PAIRS[1:2], 100, 3)[0].tobytes() == swaps[i][1:2].tobytes()


def test_many_pairs_and_trials_are_as_each_by_itself():
    samples = make_samples(20, systems=8)
    pairs = list(permutations(range(8), 2))
    together = kept_swaps(samples, pairs, 1100, 3, threads=1)
    for s, sample in enumerate(samples):
        for i in (0, 15, 16, 17, 55):
            [alone] = kept_swaps([sample], pairs[i : i + 1], 1100, 3)
            assert alone.tobytes() == together[s][i : i + 1].tobytes()


def test_seeds_differ():
    samples = make_samples(50)
    boots = {bootstrap_scores(samples, 20, seed)[0].tobytes() for seed in range(5)}
    swaps = {kept_swaps(samples, PAIRS, 20, seed)[0].tobytes() for seed in range(5)}
    assert len(boots) == len(swaps) == 5


def test_more_trials_begin_with_the_same_ones():
    samples = make_samples(50)
    few, many = bootstrap_scores(samples, 30, 1), bootstrap_scores(samples, 90, 1)
    assert few[0].tobytes() == many[0][:, :30].tobytes()


def test_strata_have_draws_of_their_own():
    """Two strata with the same rows must not be resampled in step."""
    rows = mean_rows(np.random.default_rng(0), 20, 0.5)
    both = np.vstack([rows, rows])
    strata = (np.arange(20), np.arange(20, 40))
    sample = Sample(GivenMean(), ("A", "B"), ((both,), (both[::-1].copy(),)), strata)
    [scores] = bootstrap_scores([sample], 4000, 1)
    one = Sample(GivenMean(), ("A",), ((rows,),))
    [single] = bootstrap_scores([one], 4000, 1)
    assert scores[0].var() == pytest.approx(single[0].var() / 2, rel=0.15)


def test_bootstrap_of_a_mean_against_theory_and_scipy():
    values = np.random.default_rng(3).gamma(2, 1, 60)
    sample = Sample(GivenMean(), ("A",), ((GivenMean.rows_of(values),),))
    [scores] = bootstrap_scores([sample], 20_000, 5)
    theory = values.std() / math.sqrt(60)
    assert scores[0].mean() == pytest.approx(values.mean(), abs=4 * theory / math.sqrt(20_000))
    assert scores[0].std() == pytest.approx(theory, rel=4 / math.sqrt(2 * 20_000))
    theirs = scipy_stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=20_000,
        method="percentile",
        **drawn_by(np.random.default_rng(1)),
    )
    assert scores[0].std() == pytest.approx(theirs.standard_error, rel=0.03)
    ours = np.quantile(scores[0], [0.025, 0.975])
    np.testing.assert_allclose(ours, theirs.confidence_interval, atol=theory / 10)


def test_chrf_and_bleu_of_all_units_in_place_of_a_resample():
    """With one unit every bootstrap sample is the test set itself."""
    for metric, rows in ((Bleu(), bleu_rows(np.random.default_rng(1), 1, 0.9)), (Chrf(), None)):
        matrix = np.arange(1, 19)[None, :] if rows is None else rows
        sample = Sample(metric, ("A",), ((matrix,),))
        [scores] = bootstrap_scores([sample], 30, 1)
        assert (scores == sample.scores()[0]).all()


# The stack of columns against the rows that it was made of.

UNITS = 41


def samples(strata: bool = False) -> list[Sample]:
    """Error counts and real scores of three systems, two runs each; words are common to all."""
    rng = np.random.default_rng(5)
    words = rng.integers(5, 30, UNITS)
    counts = [
        tuple(np.column_stack([rng.binomial(words, 0.3), words]) for _ in range(2))
        for _ in range(3)
    ]
    ones = np.ones(UNITS)
    scores = [
        tuple(np.column_stack([rng.normal(5, 1, UNITS), ones]) for _ in range(2)) for _ in range(3)
    ]
    parts = (np.arange(0, UNITS, 2), np.arange(1, UNITS, 2)) if strata else None
    names = ("A", "B", "C")
    return [
        Sample(Ter(), names, tuple(counts), parts),
        Sample(GivenMean("mean"), names, tuple(scores), parts),
    ]


def test_chosen_sums_and_totals_against_the_rows() -> None:
    made = [sample.pool_runs() for sample in samples(strata=True)]
    for part, stack in zip(made[0].parts, stacks_of(made), strict=True):
        coins = np.random.default_rng(1).integers(0, 2, (7, len(part)))
        chosen = stack.chosen_sums(coins)
        for s, sample in enumerate(made):
            for run in range(len(sample.rows[0])):
                picked = stack.pick(chosen, s, 3, run, Scratch())
                total = stack.pick(stack.totals, s, 3, run, Scratch())
                for system in range(3):
                    rows = sample.rows[system][run][part]
                    expected = [rows[heads == 1].sum(axis=0) for heads in coins]
                    np.testing.assert_allclose(picked[system], expected)
                    np.testing.assert_allclose(total[system], [rows.sum(axis=0)])


def test_equal_columns_are_summed_once() -> None:
    """Six outputs: six columns of errors and one of words; of scores, one per system and of ones.

    The runs of scores, whose statistic is a mean, are added up before.
    """
    [stack] = stacks_of(samples())
    assert {kind: sums.shape for kind, sums in stack.bootstrap_sums(1, 0, 0, 5).items()} == {
        "i": (5, 7),
        "f": (5, 4),
    }


@pytest.mark.parametrize("strata", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_runs_that_are_added_up_first_have_the_mean_of_their_scores(strata, whole) -> None:
    """Against the definition: the mean over runs of what each run scores by itself."""
    sample = samples(strata)[1]
    if whole:
        rng = np.random.default_rng(8)
        rows = [[GivenMean.rows_of(rng.integers(0, 2, UNITS)) for _ in "12"] for _ in "ABC"]
        assert rows[0][0].dtype == np.int64
        sample = Sample(sample.metric, sample.names, tuple(map(tuple, rows)), sample.strata)
    apart = [
        Sample(
            sample.metric, sample.names, tuple((runs[run],) for runs in sample.rows), sample.strata
        )
        for run in range(2)
    ]
    [together] = bootstrap_scores([sample], 50, 4)
    each = [bootstrap_scores([one], 50, 4)[0] for one in apart]
    np.testing.assert_allclose(together, np.mean(each, axis=0), rtol=1e-13)
    np.testing.assert_allclose(sample.pool_runs().scores(), sample.scores(), rtol=1e-13)


def test_columns_of_equal_sums_are_told_apart() -> None:
    rows = [np.array([[1, 3], [2, 3]]), np.array([[2, 3], [1, 3]])]
    stack = Stack.of([Sample(Ter(), ("A", "B"), tuple((one,) for one in rows))], slice(None))
    assert stack.chosen_sums(np.array([[1, 0]]))["i"].tolist() == [[1, 3, 2]]


@pytest.mark.parametrize("repeats", [2, 3])
def test_repeated_units_against_rows_written_out(repeats: int) -> None:
    pairs = [(0, 1), (2, 0)]
    found: dict[tuple[str, int, int], np.ndarray] = {}

    def keep(name: str):
        def consume(s: int, start: int, differences: np.ndarray) -> None:
            found[name, s, start] = differences.copy()

        return consume

    made = samples()
    written = [
        Sample(
            one.metric,
            one.names,
            tuple(tuple(np.vstack([run] * repeats) for run in runs) for runs in one.rows),
        )
        for one in made
    ]
    swapped_differences(made, pairs, 50, 3, keep("short"), repeats=repeats, threads=1)
    swapped_differences(written, pairs, 50, 3, keep("long"), threads=1)
    assert np.array_equal(found["short", 0, 0], found["long", 0, 0])
    np.testing.assert_allclose(found["short", 1, 0], found["long", 1, 0], atol=1e-12)


@pytest.mark.parametrize("strata", [False, True])
def test_what_was_made_before_changes_nothing(strata: bool) -> None:
    made, pairs = samples(strata), [(0, 1), (1, 2)]
    stacks = stacks_of(made)
    observed = [Observed.of(one, pairs) for one in made]
    boots = bootstrap_scores(made, 99, 3)
    for one, two in zip(boots, bootstrap_scores(made, 99, 3, stacks=stacks), strict=True):
        assert np.array_equal(one, two)
    for s, sample in enumerate(made):
        for test in (bootstrap, paired_bootstrap):
            alone = test(sample, pairs, boots[s])
            given = test(sample, pairs, boots[s], observed=observed[s])
            assert {k: v.tolist() for k, v in alone.p_values.items()} == {
                k: v.tolist() for k, v in given.p_values.items()
            }


def test_stacking_takes_the_memory_of_the_columns_once() -> None:
    """The bound of docs/scale.md: statistics as they were counted, and as they are resampled."""
    import tracemalloc

    rng = np.random.default_rng(1)
    rows = tuple((bleu_rows(rng, 20_000, 0.5),) for _ in range(8))
    sample = Sample(Bleu(), tuple("ABCDEFGH"), rows)
    size = sum(each.nbytes for (each,) in rows)
    tracemalloc.start()
    stacks_of([sample])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.4 * size
