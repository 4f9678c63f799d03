"""The whole test set, or a part of it, tested: samples in, comparisons and rankings out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.comparing.compare_result import Comparison, Ranking
from weigh.comparing.evidence import Tally
from weigh.comparing.margins import (
    expanded_interval_of,
    judge_margin,
    scale_of,
    t_interval_of,
)
from weigh.comparing.measure import Measured, Scope
from weigh.comparing.plan import Plan
from weigh.comparing.score import intervals_of
from weigh.comparing.score_result import SystemScore
from weigh.engine.threads import Progress
from weigh.metrics.registry import key_of
from weigh.stats.intervals import bca_interval, expanded_interval, percentile_interval
from weigh.stats.multiplicity import FAMILYWISE, adjust
from weigh.stats.power import detectable_difference, units_needed
from weigh.stats.procedures import (
    ALTERNATIVES,
    BLOCK_TESTS,
    PROCEDURES,
    RUNS_TEST,
    function_of,
)
from weigh.stats.ranking import clusters, rank_ranges, wins_ties_losses, with_ties
from weigh.stats.resample import Pairs, bootstrap_scores
from weigh.stats.runs import RunError, RunSpread, run_spreads
from weigh.stats.sample import Sample
from weigh.stats.significance import Observed, PairTests

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Scores


@dataclass(frozen=True, slots=True)
class Judged:
    """What the tests have found in one scope.

    `tested` holds the tests by name, one per sample; `tally` the histograms, if asked for.
    """

    scores: list[SystemScore]
    comparisons: list[Comparison]
    rankings: list[Ranking]
    tested: dict[str, list[PairTests]]
    tally: Tally | None


def judge(
    scope: Scope,
    measured: Measured,
    plan: Plan,
    pairs: Pairs,
    identical: Sequence[NDArray[np.float64]],
    alone: Sequence[tuple[Scores, Scores] | None],
    *,
    tally: bool,
    threads: int,
    progress: tuple[Progress | None, Progress | None],
) -> Judged:
    """Test all pairs of a scope by all metrics.

    `identical` are the shares of segments that two systems have in common, by metric, and `alone`
    the scores of single segments (`Sample.oriented_segments`). `progress` are told of the
    bootstrap's trials and of the randomization's. With `tally`, the pseudo-differences are counted
    in histograms.
    """
    samples = scope.samples
    of_bootstrap, of_swaps = progress
    spreads: list[RunSpread] = []
    if plan.runs_as_sample:
        spreads = run_spreads(
            samples, plan.trials, plan.seed, threads=threads, progress=of_bootstrap
        )
        boot_scores = [spread.means for spread in spreads]
    else:
        boot_scores = bootstrap_scores(
            samples, plan.trials, plan.seed, threads=threads, progress=of_bootstrap
        )
    counted = Tally(samples, pairs, boot_scores) if tally else None
    tested: dict[str, list[PairTests]] = {}
    for test in plan.tests:
        if test == RUNS_TEST:
            tested[test] = [spread.test(pairs) for spread in spreads]
        elif test in BLOCK_TESTS:
            if scope.plain:
                tested[test] = [_block_test(test, sample, pairs) for sample in samples]
        elif PROCEDURES[test].trials == "swaps":
            tested[test] = function_of(test)(
                samples,
                pairs,
                plan.trials,
                plan.seed,
                keep_null=plan.keep_null,
                watch=None if counted is None else counted.watch(test),
                threads=threads,
                progress=of_swaps,
            )
        else:
            run = function_of(test)
            tested[test] = [
                run(sample, pairs, scores, keep_null=plan.keep_null)
                for sample, scores in zip(samples, boot_scores, strict=True)
            ]
            if counted is not None:
                counted.bootstrap(test)
    grounds = _Grounds(scope, measured, plan, pairs, boot_scores, spreads)
    known = [
        grounds.known_differences(s, identical[s], _won(alone[s], scope, pairs))
        for s in range(len(samples))
    ]
    comparisons = [
        comparison
        for test, results in tested.items()
        for comparison in grounds.comparisons(test, results, known)
    ]
    return Judged(
        _scores(scope, measured, plan, boot_scores, spreads),
        comparisons,
        _rankings(scope, plan, comparisons),
        tested,
        counted,
    )


def _won(
    alone: tuple[Scores, Scores] | None, scope: Scope, pairs: Pairs
) -> list[list[int]] | list[list[None]]:
    """Return the wins, ties and losses of each pair in the segments of a scope, where known."""
    if alone is None or scope.members is None:
        return [[None] * 3] * len(pairs)
    scores, sizes = alone
    if len(scope.members) < scores.shape[1]:
        scores, sizes = scores[:, scope.members], sizes[:, scope.members]
    return wins_ties_losses(scores, sizes, pairs).tolist()  # type: ignore[no-any-return]


def _scores(
    scope: Scope,
    measured: Measured,
    plan: Plan,
    boot_scores: Sequence[Scores],
    spreads: Sequence[RunSpread],
) -> list[SystemScore]:
    """Return the scores of the scope's systems with their intervals."""
    if spreads:
        ends = [
            [spread.interval(plan.level, i) for i in range(len(spread.scores))]
            for spread in spreads
        ]
    else:
        ends = [
            intervals_of(sample, plan.interval, plan.level, boot, plain=scope.plain)
            for sample, boot in zip(scope.samples, boot_scores, strict=True)
        ]
    return [
        SystemScore(
            metric=key_of(sample.metric),
            signature=sample.metric.signature(measured.references),
            lower_is_better=not sample.metric.higher_is_better,
            system=name,
            score=float(score),
            slice=scope.label,
            interval=interval,
            level=plan.level,
            name=sample.metric.name,
        )
        for sample, intervals in zip(scope.samples, ends, strict=True)
        for name, score, interval in zip(sample.names, sample.scores(), intervals, strict=True)
    ]


def _block_test(test: str, sample: Sample, pairs: Pairs) -> PairTests:
    matrix = function_of(test)(sample.segment_means())
    p = np.array([matrix[a, b] for a, b in pairs])
    none = np.zeros(len(pairs), dtype=np.int64)
    return PairTests(test, 0, True, dict.fromkeys(ALTERNATIVES, none), {"two-sided": p})


@dataclass(frozen=True, slots=True)
class _Grounds:
    """What all comparisons of one scope rest upon: its samples, and resampled."""

    scope: Scope
    measured: Measured
    plan: Plan
    pairs: Pairs
    boot_scores: Sequence[Scores]
    spreads: Sequence[RunSpread]

    def known_differences(
        self,
        s: int,
        identical: NDArray[np.float64],
        won: list[list[int]] | list[list[None]],
    ) -> list[dict[str, Any]]:
        """Return what is known of every pair by one metric, whatever the test.

        These are fields of comparisons; `won` are wins, ties and losses by segments.
        """
        sample, plan = self.scope.samples[s], self.plan
        key, names, actual = key_of(sample.metric), sample.names, sample.scores()
        margin, wanted = plan.margin.get(key), plan.detect.get(key)
        scale = None if margin is None else scale_of(self.measured.samples[s], plan)
        slack = Observed.of(sample, self.pairs).tolerance
        intervals = (
            [self.spreads[s].interval(plan.level, a, b) for a, b in self.pairs]
            if self.spreads
            else _difference_intervals(sample, self.pairs, self.boot_scores[s], plan)
        )
        known: list[dict[str, Any]] = []
        for i, (a, b) in enumerate(self.pairs):
            if self.spreads:
                spread = self.spreads[s]
                detectable, needed = _power_of_runs(spread.error(a, b), sample, wanted, plan)
                interval_at = t_interval_of(spread, a, b)
            else:
                drawn = self.boot_scores[s][a] - self.boot_scores[s][b]
                error = _standard_error(sample, drawn, slack[i])
                detectable, needed = _power(error, sample, wanted, plan)
                interval_at = expanded_interval_of(sample, drawn)
            wins, ties, losses = won[i]
            fields = {
                "metric": key,
                "a": names[a],
                "b": names[b],
                "score_a": float(actual[a]),
                "score_b": float(actual[b]),
                "difference": float(actual[a] - actual[b]),
                "interval": intervals[i],
                "level": plan.level,
                "detectable": detectable,
                "units_needed": needed,
                "seed": plan.seed,
                "identical": float(identical[a, b]) if self.scope.label is None else None,
                "slice": self.scope.label,
                "wins": wins,
                "ties": ties,
                "losses": losses,
            }
            if margin is not None:
                judged = judge_margin(
                    sample,
                    (a, b),
                    margin,
                    plan,
                    interval_at,
                    scale=scale,
                    slack=float(slack[i]),
                    metrics=len(self.scope.samples) if plan.gate else 1,
                    unit=self.measured.unit,
                )
                fields |= {
                    "margin": margin,
                    "margin_interval": judged.interval,
                    "margin_verdict": judged.verdict,
                    "margin_reason": judged.reason,
                    "equivalent": judged.equivalent,
                    "non_inferior": judged.non_inferior,
                }
            known.append(fields)
        return known

    def comparisons(
        self,
        test: str,
        results: Sequence[PairTests],
        known: Sequence[Sequence[dict[str, Any]]],
    ) -> list[Comparison]:
        """Return what a test says of every pair by every metric.

        `known` is what is known of pairs by each metric.
        """
        plan, pairs = self.plan, self.pairs
        alternative = "two-sided" if test in BLOCK_TESTS else plan.alternative
        p_adjusted, method = _adjusted(test, results, plan, alternative)
        made = []
        for s, (sample, result) in enumerate(zip(self.scope.samples, results, strict=True)):
            p_stderr = result.p_stderr(alternative)
            contradicts = _contradictions(result, alternative, Observed.of(sample, pairs))
            significant = p_adjusted[s] <= plan.alpha
            for i, fields in enumerate(known[s]):
                made.append(
                    Comparison(
                        **fields,
                        test=test,
                        alternative=alternative,
                        trials=result.trials,
                        count=int(result.counts[alternative][i]),
                        p_value=_known(result.p_values[alternative][i]),
                        p_stderr=float(p_stderr[i]),
                        p_adjusted=_known(p_adjusted[s][i]),
                        adjust=method,
                        family_size=len(pairs),
                        significant=bool(significant[i]),
                        exact=result.exact and result.trials > 0,
                        contradicts=bool(significant[i] and contradicts[i]),
                        null=None if result.null is None else result.null[i],
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


def _adjusted(
    test: str, results: Sequence[PairTests], plan: Plan, alternative: str
) -> tuple[list[Scores], str]:
    """Return the adjusted p-values of every sample, and the method."""
    p_values = [result.p_values[alternative] for result in results]
    if test in BLOCK_TESTS:  # whose p-values are adjusted for all pairs already
        return p_values, test
    adjusted = []
    for p in p_values:
        unknown = np.isnan(p)  # which count as the largest, and stay what they are
        together = adjust(np.where(unknown, 1.0, p), plan.adjust)
        together[unknown] = np.nan
        adjusted.append(together)
    return adjusted, plan.adjust


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
    error: float | None, sample: Sample, wanted: float | None, plan: Plan
) -> tuple[float | None, int | None]:
    """Return the detectable difference and the units for a wanted one."""
    if error is None:
        return None, None
    needed = None if wanted is None else units_needed(error, sample.units, wanted, plan.alpha)
    return detectable_difference(error, plan.alpha), needed


def _power_of_runs(
    error: RunError | None, sample: Sample, wanted: float | None, plan: Plan
) -> tuple[float | None, int | None]:
    """Return the same where runs are a sample; no number of units may be enough."""
    if error is None:
        return None, None
    needed = None if wanted is None else error.units_needed(sample.units, wanted, plan.alpha)
    return error.detectable(plan.alpha), needed


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


def _rankings(scope: Scope, plan: Plan, comparisons: Sequence[Comparison]) -> list[Ranking]:
    """Return clusters and ranks, from two-sided results over all pairs only."""
    if plan.baseline is not None or plan.alternative != "two-sided":
        return []
    result = []
    tested = {comparison.test for comparison in comparisons}
    for test in [test for test in plan.tests if test in tested]:
        for sample in scope.samples:
            key, names = key_of(sample.metric), sample.names
            pairs = [each for each in comparisons if (each.test, each.metric) == (test, key)]
            sign = 1 if sample.metric.higher_is_better else -1
            wins = {
                (pair.a, pair.b) if sign * pair.difference > 0 else (pair.b, pair.a)
                for pair in pairs
                if pair.decided
            }
            beats = [[(a, b) in wins for b in names] for a in names]
            ranked = clusters(names, sign * _settled(sample), beats)
            result.append(
                Ranking(
                    key,
                    test,
                    tuple(map(tuple, ranked)),
                    rank_ranges(names, wins),
                    scope.label,
                    uncorrected=any(
                        pair.family_size > 1 and pair.adjust not in FAMILYWISE for pair in pairs
                    ),
                )
            )
    return result


def _settled(sample: Sample) -> Scores:
    """Return the scores, equal where only rounding tells them apart."""
    scores = sample.scores()
    return with_ties(scores, float(sample.magnitudes(scores).max()))
