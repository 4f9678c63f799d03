"""One view of the test set tested: samples in, comparisons and rankings out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.comparing.comparison import Comparison, Ranking, ReadDifference
from weigh.comparing.evidence import Tally
from weigh.comparing.margins import expanded_at, hold, hull_at, scale_of, spread_at
from weigh.comparing.measure import MACRO, Measured, View
from weigh.comparing.plan import Plan
from weigh.comparing.result import SystemScore
from weigh.comparing.score import intervals_of
from weigh.engine.threads import Progress
from weigh.metrics.registry import key_of
from weigh.stats.intervals import bca_interval, expanded_interval, percentile_interval
from weigh.stats.multiplicity import FAMILYWISE, adjust, adjust_maxt
from weigh.stats.power import detectable_difference, units_needed
from weigh.stats.procedures import (
    ALTERNATIVES,
    BLOCK_TESTS,
    FLAWED_TESTS,
    PROCEDURES,
    RUNS_TEST,
    function_of,
)
from weigh.stats.ranking import clusters, rank_ranges, with_ties
from weigh.stats.resample import Pairs, bootstrap_scores, swapped_differences
from weigh.stats.runs import RunError, RunSpread, run_spreads
from weigh.stats.sample import Sample
from weigh.stats.significance import (
    Observed,
    PairTests,
    ReadSamples,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Scores


@dataclass(frozen=True, slots=True)
class Judged:
    """What the tests of one view have found.

    `tested` holds the tests by name, one per sample, of all readings together; `tally` the
    histograms, if asked for.
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
    same: Sequence[NDArray[np.float64]],
    *,
    tally: bool = False,
    threads: int = 0,
    progress: Sequence[Progress | None] = (),
) -> Judged:
    """Test all pairs of a view by all metrics.

    `same` are the shares of segments that two systems have in common, by metric. `progress` are
    told of the bootstrap's trials and of the randomization's. With `tally`, the
    pseudo-differences are counted in histograms.
    """
    read = ReadSamples.of(view.samples)
    samples, own = read.samples, len(view.samples)
    told = progress[0] if progress else None
    spreads: list[RunSpread] = []
    if plan.runs_as_sample:
        spreads = run_spreads(samples, plan.trials, plan.seed, threads=threads, progress=told)
        boots = [spread.means for spread in spreads]
    else:
        boots = bootstrap_scores(samples, plan.trials, plan.seed, threads=threads, progress=told)
    counted = Tally(view.samples, pairs, boots[:own]) if tally else None
    tested: dict[str, list[PairTests]] = {}
    keep = plan.keep_null or plan.adjust == "maxt"
    for test in plan.tests:
        if test == RUNS_TEST:
            tested[test] = [spread.test(pairs) for spread in spreads]
        elif test in BLOCK_TESTS:
            if view.plain:
                tested[test] = [_block_test(test, sample, pairs) for sample in samples]
        elif PROCEDURES[test].draws == "swaps":
            tested[test] = function_of(test)(
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
        else:
            run = function_of(test)
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
        for comparison in _comparisons(
            test, results, view, read, measured, plan, pairs, boots, spreads, same
        )
    ]
    return Judged(
        _scores(view, measured, plan, boots[:own], spreads[:own]),
        comparisons,
        _rankings(view, plan, comparisons),
        {test: read.together(results, pairs) for test, results in tested.items()},
        counted,
    )


def _scores(
    view: View,
    measured: Measured,
    plan: Plan,
    boots: Sequence[Scores],
    spreads: Sequence[RunSpread],
) -> list[SystemScore]:
    """Return the scores of the view's systems with their intervals."""
    if spreads:
        ends = [[one.interval(plan.level, i) for i in range(len(one.scores))] for one in spreads]
    else:
        ends = [
            intervals_of(sample, plan, boot, plain=view.plain)
            for sample, boot in zip(view.samples, boots, strict=True)
        ]
    return [
        SystemScore(
            metric=key_of(sample.metric),
            signature=sample.metric.signature(measured.references),
            lower_is_better=not sample.metric.higher_is_better,
            system=name,
            score=float(score),
            slice=view.label,
            interval=interval,
            level=plan.level,
            name=sample.metric.name,
        )
        for sample, own in zip(view.samples, ends, strict=True)
        for name, score, interval in zip(sample.names, sample.scores(), own, strict=True)
    ]


def _block_test(test: str, sample: Sample, pairs: Pairs) -> PairTests:
    matrix = function_of(test)(sample.segment_means())
    p = np.array([matrix[a, b] for a, b in pairs])
    none = np.zeros(len(pairs), dtype=np.int64)
    return PairTests(test, 0, True, dict.fromkeys(ALTERNATIVES, none), {"two-sided": p})


def _flawed_test(
    test: str, sample: Sample, pairs: Pairs, boot: Scores, plan: Plan, threads: int
) -> PairTests:
    """Compute another tool's p-values by its own formula."""
    procedure, formula = PROCEDURES[test], function_of(test)
    if procedure.draws == "swaps":  # of the rows of all runs, as if each were a segment
        pooled = replace(sample, rows=tuple((np.vstack(runs),) for runs in sample.rows))
        null = np.empty((len(pairs), plan.trials))

        def keep(_: int, start: int, differences: Scores) -> None:
            null[:, start : start + differences.shape[1]] = differences

        swapped_differences([pooled], pairs, plan.trials, plan.seed, keep, threads=threads)
        observed = Observed.of(pooled, pairs).differences
        p = formula(observed, null)
    else:
        observed = Observed.of(sample, pairs).differences
        p = np.array([formula(observed[i], boot[a] - boot[b]) for i, (a, b) in enumerate(pairs)])
    plus = 1 if procedure.plus_one else 0
    count = np.rint(p * (plan.trials + plus)).astype(np.int64) - plus
    return PairTests(test, plan.trials, False, dict.fromkeys(ALTERNATIVES, count), {"two-sided": p})


def _comparisons(
    test: str,
    results: Sequence[PairTests],
    view: View,
    read: ReadSamples,
    measured: Measured,
    plan: Plan,
    pairs: Pairs,
    boots: Sequence[Scores],
    spreads: Sequence[RunSpread],
    same: Sequence[NDArray[np.float64]],
) -> list[Comparison]:
    own = test in BLOCK_TESTS or test in FLAWED_TESTS
    alternative = "two-sided" if own else plan.alternative
    p_adjusted, method, size = _adjusted(test, results, read, plan, pairs, alternative)
    made = []
    together, agreeing = read.together(results, pairs), read.agreeing(pairs)
    for s, (sample, result) in enumerate(zip(view.samples, together, strict=True)):
        key = key_of(sample.metric)
        readings = _readings(s, read, results, pairs, alternative)
        actual = sample.scores()
        p_stderr = result.p_stderr(alternative)
        observed = Observed.of(sample, pairs)
        slack = observed.tolerance
        contradicts = _contradictions(result, alternative, observed)
        own_spreads = [spreads[at] for at in read.places[s]] if spreads else []
        intervals = (
            [spreads[s].interval(plan.level, a, b) for a, b in pairs]
            if spreads
            else _difference_intervals(sample, pairs, boots[s], plan)
        )
        margin = plan.margin.get(key)
        scale = None if margin is None else scale_of(measured.samples[s], plan)
        for i, (a, b) in enumerate(pairs):
            # Of several readings each has to show a difference, so the least precise one counts.
            differences = [boots[at][a] - boots[at][b] for at in read.places[s]]
            held = (
                None
                if margin is None
                else hold(
                    sample,
                    (a, b),
                    margin,
                    plan,
                    hull_at(
                        [spread_at(one, a, b) for one in own_spreads]
                        or [expanded_at(sample, one) for one in differences]
                    ),
                    scale=scale,
                    slack=float(slack[i]),
                    metrics=len(view.samples) if plan.gate else 1,
                    unit=measured.unit,
                )
            )
            wanted = plan.detect.get(key)
            detectable, needed = (
                _power_of_runs([one.error(a, b) for one in own_spreads], sample, wanted, plan)
                if spreads
                else _power(
                    [_standard_error(sample, one, slack[i]) for one in differences],
                    sample,
                    wanted,
                    plan,
                )
            )
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
                    p_value=_known(result.p_values[alternative][i]),
                    p_stderr=float(p_stderr[i]),
                    p_adjusted=_known(p_adjusted[s][i]),
                    adjust=method,
                    family_size=size,
                    significant=bool(p_adjusted[s][i] <= plan.alpha),
                    detectable=detectable,
                    seed=plan.seed,
                    identical=float(same[s][a, b]) if view.label is None else None,
                    slice=view.label,
                    margin=margin,
                    margin_interval=None if held is None else held.interval,
                    margin_verdict=None if held is None else held.verdict,
                    margin_reason=None if held is None else held.reason,
                    equivalent=None if held is None else held.equivalent,
                    non_inferior=None if held is None else held.non_inferior,
                    exact=result.exact and result.trials > 0,
                    contradicts=bool(p_adjusted[s][i] <= plan.alpha and contradicts[i]),
                    readings=readings[i],
                    readings_agree=bool(agreeing[s][i]) if readings[i] else None,
                    units_needed=needed,
                    null=None if result.null is None or not plan.keep_null else result.null[i],
                )
            )
    return made


def _contradictions(result: PairTests, alternative: str, observed: Observed) -> NDArray[np.bool_]:
    """Return of which pairs a small p-value would say what the scores do not.

    The scores have an order where they differ by more than rounding. A two-sided test that
    doubles the smaller tail (the paired bootstrap) points to where most samples lie, and a
    one-sided test to what was asked; other tests measure how far the difference itself is from
    zero, and so point to its side.
    """
    order = np.sign(observed.differences) * (np.abs(observed.differences) > observed.tolerance)
    if alternative != "two-sided":
        direction = np.full(order.shape, 1 if alternative == "better" else -1)
    elif PROCEDURES[result.test].doubled:
        # More samples that go against `worse` than against `better` have a ahead.
        direction = np.sign(result.p_values["worse"] - result.p_values["better"])
    else:
        direction = np.sign(observed.differences)
    return np.asarray(order * direction <= 0)


def _readings(
    s: int, read: ReadSamples, results: Sequence[PairTests], pairs: Pairs, alternative: str
) -> list[tuple[ReadDifference, ...]]:
    """Return what each reading of a sample says of each pair, nothing where there is but one."""
    readings = read.samples[s].metric.readings()
    if readings is None:
        return [()] * len(pairs)
    read_by = [
        (name, read.samples[at].scores(), results[at].p_values[alternative])
        for name, at in zip(readings.scores, read.places[s], strict=True)
    ]
    return [
        tuple(
            ReadDifference(name, float(x[a]), float(x[b]), float(x[a] - x[b]), _known(p[i]))
            for name, x, p in read_by
        )
        for i, (a, b) in enumerate(pairs)
    ]


def _adjusted(
    test: str,
    results: Sequence[PairTests],
    read: ReadSamples,
    plan: Plan,
    pairs: Pairs,
    alternative: str,
) -> tuple[list[Scores], str, int]:
    """Return the adjusted p-values of every sample, the method, and the size of a family."""
    p_values = [result.p_values[alternative] for result in read.together(results, pairs)]
    families = [[s] for s in range(len(p_values))]
    if plan.family == "all":
        families = [list(range(len(p_values)))]
    size = len(pairs) * len(families[0])
    if test in BLOCK_TESTS:  # which are of the whole family already
        return p_values, test, len(pairs)
    maxt = plan.adjust == "maxt" and test not in FLAWED_TESTS
    method = "holm" if plan.adjust == "maxt" and not maxt else plan.adjust
    adjusted: list[Scores] = list(p_values)
    for family in families:
        if maxt:  # over all readings of all pairs, of which the largest p-value counts
            members = [at for s in family for at in read.places[s]]
            observed = [Observed.of(read.samples[at], pairs) for at in members]
            nulls = [row for at in members for row in np.asarray(results[at].null)]
            by_reading = adjust_maxt(
                np.concatenate([one.differences for one in observed]),
                nulls,
                alternative=alternative,  # type: ignore[arg-type]
                tolerance=np.concatenate([one.tolerance for one in observed]),
                plus_one=plan.plus_one and not results[family[0]].exact,
            )
            parts = dict(zip(members, np.split(by_reading, len(members)), strict=True))
            largest = [np.max([parts[at] for at in read.places[s]], axis=0) for s in family]
            # The p-value of the test itself may be larger: the paired bootstrap's is another.
            together = np.maximum(
                np.concatenate(largest), np.concatenate([p_values[s] for s in family])
            )
        else:
            given = np.concatenate([p_values[s] for s in family])
            unknown = np.isnan(given)  # which count as the largest, and stay what they are
            together = adjust(np.where(unknown, 1.0, given), method)
            together[unknown] = np.nan
        for s, part in zip(family, np.split(together, len(family)), strict=True):
            adjusted[s] = part
    return adjusted, method, size


def _difference_intervals(
    sample: Sample, pairs: Pairs, boot: Scores, plan: Plan
) -> list[tuple[float, float] | None]:
    """Return the bootstrap intervals of the differences; t is for single scores only."""
    actual = sample.scores()
    units = sample.fewest_units
    if units < 2:  # how much units vary cannot be known from one
        return [None] * len(pairs)
    jackknife = sample.jackknife() if plan.interval == "bca" else None
    slack = Observed.of(sample, pairs).tolerance
    result: list[tuple[float, float] | None] = []
    for i, (a, b) in enumerate(pairs):
        differences = boot[a] - boot[b]
        if plan.interval == "expanded":
            low, high = map(float, expanded_interval(differences, units, plan.level))
        elif jackknife is None:
            low, high = map(float, percentile_interval(differences, plan.level))
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


def _power(
    errors: Sequence[float | None], sample: Sample, wanted: float | None, plan: Plan
) -> tuple[float | None, int | None]:
    """Return the detectable difference and the units for a wanted one, by the largest error."""
    error = max((one for one in errors if one is not None), default=None)
    if error is None:
        return None, None
    needed = None if wanted is None else units_needed(error, sample.units, wanted, plan.alpha)
    return detectable_difference(error, plan.alpha), needed


def _power_of_runs(
    errors: Sequence[RunError | None], sample: Sample, wanted: float | None, plan: Plan
) -> tuple[float | None, int | None]:
    """Return the same where runs are a sample; no number of units may be enough."""
    known = [one for one in errors if one is not None]
    if not known:
        return None, None
    detectable = max(one.detectable(plan.alpha) for one in known)
    if wanted is None:
        return detectable, None
    needed = [one.units_needed(sample.units, wanted, plan.alpha) for one in known]
    enough = [number for number in needed if number is not None]
    return detectable, max(enough) if len(enough) == len(needed) else None


def _standard_error(sample: Sample, differences: Scores, slack: float) -> float | None:
    """Return the bootstrap's standard error, or None where it is 0 and so nothing is known of it.

    Systems that are alike, or apart by the same everywhere, may be otherwise on other units.
    """
    if sample.fewest_units < 2 or len(differences) < 2:
        return None
    error = float(differences.std(ddof=1))
    return error if error > slack else None


def _known(p: float) -> float | None:
    return None if np.isnan(p) else float(p)


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
    return with_ties(scores, float(sample.magnitudes(scores).max()))
