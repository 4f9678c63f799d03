"""One view of the test set tested: samples in, comparisons and rankings out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.comparing.intervals import intervals_of
from weigh.comparing.measure import MACRO, Measured, View
from weigh.comparing.observation import Tally
from weigh.comparing.plan import BLOCK_TESTS, FLAWED_TESTS, Plan
from weigh.engine.threads import Progress
from weigh.metrics.registry import key_of
from weigh.metrics.scoring import SystemScore
from weigh.stats import blocks, compat
from weigh.stats.equivalence import is_equivalent, is_non_inferior
from weigh.stats.intervals import bca_interval, percentile_interval
from weigh.stats.multiplicity import FAMILYWISE, adjust, adjust_maxt
from weigh.stats.power import detectable_difference, units_needed
from weigh.stats.ranking import clusters, rank_ranges
from weigh.stats.resample import Pairs, bootstrap_scores, swapped_differences
from weigh.stats.rounding import settled
from weigh.stats.sample import Sample
from weigh.stats.significance import (
    ALTERNATIVES,
    Observed,
    PairTests,
    bootstrap,
    paired_bootstrap,
    randomization,
)
from weigh.types import Comparison, Ranking

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Scores


@dataclass(frozen=True, slots=True)
class Judged:
    """What the tests of one view have found.

    `tested` holds the tests by name, one per sample; `tally` the histograms, if asked for.
    """

    scores: list[SystemScore]
    comparisons: list[Comparison]
    rankings: list[Ranking]
    tested: dict[str, list[PairTests]]
    tally: Tally | None


def judge(
    view: View,
    measured: Measured,
    plan: Plan,
    pairs: Pairs,
    *,
    tally: bool = False,
    threads: int = 0,
    progress: Sequence[Progress] = (),
) -> Judged:
    """Test all pairs of a view by all metrics.

    `progress` are told of the bootstrap's trials and of the randomization's. With `tally`, the
    pseudo-differences are counted in histograms.
    """
    samples = view.samples
    boots = bootstrap_scores(
        samples,
        plan.trials,
        plan.seed,
        runs_as_sample=plan.runs_as_sample,
        threads=threads,
        progress=progress[0] if progress else None,
    )
    counted = Tally(samples, pairs, boots) if tally else None
    tested: dict[str, list[PairTests]] = {}
    keep = plan.keep_null or plan.adjust == "maxt"
    for test in plan.tests:
        if test == "randomization":
            tested[test] = randomization(
                samples,
                pairs,
                plan.trials,
                plan.seed,
                plus_one=plan.plus_one,
                keep_null=keep,
                watch=None if counted is None else counted.watch(test),
                threads=threads,
                progress=progress[1] if progress else None,
            )
        elif test in BLOCK_TESTS:
            if view.plain:
                tested[test] = [_block_test(test, sample, pairs) for sample in samples]
        else:
            run = bootstrap if test == "bootstrap" else paired_bootstrap
            tested[test] = [
                run(sample, pairs, scores, plus_one=plan.plus_one, keep_null=keep)
                for sample, scores in zip(samples, boots, strict=True)
            ]
            if counted is not None:
                counted.bootstrap(test)
    for test in plan.compat if view.label != MACRO else ():
        tested[test] = [
            _flawed_test(test, sample, pairs, scores, plan, threads)
            for sample, scores in zip(samples, boots, strict=True)
        ]
    comparisons = [
        comparison
        for test, results in tested.items()
        for comparison in _comparisons(test, results, view, measured, plan, pairs, boots)
    ]
    return Judged(
        _scores(view, measured, plan, boots),
        comparisons,
        _rankings(view, plan, comparisons),
        tested,
        counted,
    )


def _scores(
    view: View, measured: Measured, plan: Plan, boots: Sequence[Scores]
) -> list[SystemScore]:
    """Return the scores of the view's systems with their intervals."""
    return [
        SystemScore(
            metric=key_of(sample.metric),
            name=sample.metric.name,
            signature=sample.metric.signature(measured.references),
            higher_is_better=sample.metric.higher_is_better,
            system=name,
            score=float(score),
            slice=view.label,
            interval=interval,
            level=plan.level,
        )
        for sample, boot in zip(view.samples, boots, strict=True)
        for name, score, interval in zip(
            sample.names,
            sample.scores(),
            intervals_of(sample, plan, boot, plain=view.plain),
            strict=True,
        )
    ]


def _block_test(test: str, sample: Sample, pairs: Pairs) -> PairTests:
    matrix = (blocks.tukey if test == "tukey" else blocks.scheffe)(sample.segment_means())
    p = np.array([matrix[a, b] for a, b in pairs])
    none = np.zeros(len(pairs), dtype=np.int64)
    return PairTests(test, 0, True, dict.fromkeys(ALTERNATIVES, none), {"two-sided": p})


def _flawed_test(
    test: str, sample: Sample, pairs: Pairs, boot: Scores, plan: Plan, threads: int
) -> PairTests:
    """Compute another tool's p-values by its own formula."""
    if test == "multeval":
        pooled = Sample(
            sample.metric, sample.names, tuple((np.vstack(runs),) for runs in sample.rows)
        )
        null = np.empty((len(pairs), plan.trials))

        def keep(_: int, start: int, differences: Scores) -> None:
            null[:, start : start + differences.shape[1]] = differences

        swapped_differences([pooled], pairs, plan.trials, plan.seed, keep, threads=threads)
        observed = Observed.of(pooled, pairs).differences
        p = compat.multeval_p(observed, null)
    else:
        formula = (
            compat.sacrebleu_bootstrap_p if test == "sacrebleu-bs" else compat.moses_bootstrap_p
        )
        observed = Observed.of(sample, pairs).differences
        p = np.array([formula(observed[i], boot[a] - boot[b]) for i, (a, b) in enumerate(pairs)])
    plus = 0 if test == "moses-bs" else 1
    count = np.rint(p * (plan.trials + plus)).astype(np.int64) - plus
    return PairTests(test, plan.trials, False, dict.fromkeys(ALTERNATIVES, count), {"two-sided": p})


def _comparisons(
    test: str,
    results: Sequence[PairTests],
    view: View,
    measured: Measured,
    plan: Plan,
    pairs: Pairs,
    boots: Sequence[Scores],
) -> list[Comparison]:
    own = test in BLOCK_TESTS or test in FLAWED_TESTS
    alternative = "two-sided" if own else plan.alternative
    p_adjusted, method, size = _adjusted(test, results, view, plan, pairs, alternative)
    made = []
    for s, (sample, result) in enumerate(zip(view.samples, results, strict=True)):
        key = key_of(sample.metric)
        actual = sample.scores()
        p_stderr = result.p_stderr(alternative)
        contradicts = _contradictions(result, alternative, Observed.of(sample, pairs))
        intervals = _difference_intervals(sample, pairs, boots[s], plan)
        for i, (a, b) in enumerate(pairs):
            differences = boots[s][a] - boots[s][b]
            error = float(differences.std(ddof=1)) if plan.trials > 1 else 0.0
            margin = plan.margin.get(key)
            oriented = (
                None
                if margin is None
                else _oriented_interval(sample, differences, 1 - 2 * plan.alpha)
            )
            wanted = plan.detect.get(key)
            made.append(
                Comparison(
                    metric=key,
                    a=sample.names[a],
                    b=sample.names[b],
                    score_a=float(actual[a]),
                    score_b=float(actual[b]),
                    difference=float(actual[a] - actual[b]),
                    interval=intervals[i],
                    level=plan.level,
                    test=test,
                    alternative=alternative,
                    trials=result.trials,
                    count=int(result.counts[alternative][i]),
                    p_value=float(result.p_values[alternative][i]),
                    p_stderr=float(p_stderr[i]),
                    p_adjusted=float(p_adjusted[s][i]),
                    adjust=method,
                    family_size=size,
                    significant=bool(p_adjusted[s][i] <= plan.alpha),
                    detectable=detectable_difference(error, plan.alpha),
                    seed=plan.seed,
                    identical=float(measured.same[a, b]) if view.label is None else None,
                    slice=view.label,
                    margin=margin,
                    margin_interval=oriented,
                    equivalent=is_equivalent(oriented, margin) if margin and oriented else None,
                    non_inferior=is_non_inferior(oriented, margin) if margin and oriented else None,
                    exact=result.exact and result.trials > 0,
                    contradicts=bool(p_adjusted[s][i] <= plan.alpha and contradicts[i]),
                    units_needed=None
                    if wanted is None
                    else units_needed(error, sample.units, wanted, plan.alpha),
                    null=None if result.null is None or not plan.keep_null else result.null[i],
                )
            )
    return made


def _contradictions(result: PairTests, alternative: str, observed: Observed) -> NDArray[np.bool_]:
    """Return of which pairs a small p-value would say what the scores do not.

    The scores have an order where they differ by more than rounding. The two-sided paired bootstrap
    points to where most samples lie, and a one-sided test to what was asked; other tests measure
    how far the difference itself is from zero, and so point to its side.
    """
    order = np.sign(observed.differences) * (np.abs(observed.differences) > observed.tolerance)
    if alternative != "two-sided":
        direction = np.full(order.shape, 1 if alternative == "better" else -1)
    elif result.test == "paired-bootstrap":
        # More samples that go against `worse` than against `better` have a ahead.
        direction = np.sign(result.p_values["worse"] - result.p_values["better"])
    else:
        direction = np.sign(observed.differences)
    return np.asarray(order * direction <= 0)


def _adjusted(
    test: str,
    results: Sequence[PairTests],
    view: View,
    plan: Plan,
    pairs: Pairs,
    alternative: str,
) -> tuple[list[Scores], str, int]:
    """Return the adjusted p-values of every sample, the method, and the size of a family."""
    p_values = [result.p_values[alternative] for result in results]
    families = [[s] for s in range(len(results))]
    if plan.family == "all":
        families = [list(range(len(results)))]
    size = len(pairs) * len(families[0])
    if test in BLOCK_TESTS:  # which are of the whole family already
        return p_values, test, len(pairs)
    maxt = plan.adjust == "maxt" and test not in FLAWED_TESTS
    method = "holm" if plan.adjust == "maxt" and not maxt else plan.adjust
    adjusted: list[Scores] = list(p_values)
    for family in families:
        if maxt:
            observed = [Observed.of(view.samples[s], pairs) for s in family]
            nulls = [row for s in family for row in np.asarray(results[s].null)]
            together = adjust_maxt(
                np.concatenate([one.differences for one in observed]),
                nulls,
                alternative=alternative,  # type: ignore[arg-type]
                tolerance=np.concatenate([one.tolerance for one in observed]),
                plus_one=plan.plus_one and not results[family[0]].exact,
            )
            # The p-value of the test itself may be larger: the paired bootstrap's is another.
            together = np.maximum(together, np.concatenate([p_values[s] for s in family]))
        else:
            together = adjust(np.concatenate([p_values[s] for s in family]), method)
        for s, part in zip(family, np.split(together, len(family)), strict=True):
            adjusted[s] = part
    return adjusted, method, size


def _difference_intervals(
    sample: Sample, pairs: Pairs, boot: Scores, plan: Plan
) -> list[tuple[float, float] | None]:
    """Return the bootstrap intervals of the differences; t is for single scores only."""
    actual = sample.scores()
    bca = plan.interval == "bca" and sample.units > 1
    if bca and sample.fewest_units < 2:  # where nothing is left when a unit is left out
        return [None] * len(pairs)
    jackknife = sample.jackknife() if bca else None
    slack = Observed.of(sample, pairs).tolerance
    result: list[tuple[float, float] | None] = []
    for i, (a, b) in enumerate(pairs):
        differences = boot[a] - boot[b]
        if jackknife is None:
            low, high = (float(end) for end in percentile_interval(differences, plan.level))
        else:
            low, high = bca_interval(
                differences,
                actual[a] - actual[b],
                jackknife[a] - jackknife[b],
                plan.level,
                tolerance=slack[i],
            )
        result.append((low, high))
    return result


def _oriented_interval(sample: Sample, differences: Scores, level: float) -> tuple[float, float]:
    low, high = (float(end) for end in percentile_interval(differences, level))
    return (low, high) if sample.metric.higher_is_better else (-high, -low)


def _rankings(view: View, plan: Plan, comparisons: Sequence[Comparison]) -> list[Ranking]:
    """Return clusters and ranks, from two-sided results over all pairs only."""
    if plan.baseline is not None or plan.alternative != "two-sided":
        return []
    result = []
    tested = {one.test for one in comparisons}
    for test in (one for one in plan.tests if one in tested):
        for sample in view.samples:
            key, names = key_of(sample.metric), sample.names
            pairs = [one for one in comparisons if (one.test, one.metric) == (test, key)]
            sign = 1 if sample.metric.higher_is_better else -1
            wins = {
                (one.a, one.b) if sign * one.difference > 0 else (one.b, one.a)
                for one in pairs
                if one.decided
            }
            beats = [[(a, b) in wins for b in names] for a in names]
            ranked = clusters(names, sign * _settled(sample), beats)
            result.append(
                Ranking(
                    key,
                    test,
                    tuple(map(tuple, ranked)),
                    rank_ranges(names, wins),
                    view.label,
                    uncorrected=any(
                        one.family_size > 1 and one.adjust not in FAMILYWISE for one in pairs
                    ),
                )
            )
    return result


def _settled(sample: Sample) -> Scores:
    """Return the scores, equal where only rounding tells them apart."""
    scores = sample.scores()
    return settled(scores, float(sample.magnitudes(scores).max()))
