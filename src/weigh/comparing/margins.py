"""Differences held against the margin that a user has stated, and the gate of a release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor, isnan, log10
from typing import TYPE_CHECKING

import numpy as np

from weigh.comparing.compare_result import Gate
from weigh.comparing.plan import Plan
from weigh.comparing.score import shown_as
from weigh.comparing.score_result import titles
from weigh.errors import plural
from weigh.metrics.registry import key_of
from weigh.stats.equivalence import (
    SPARSE,
    Verdict,
    adjusted_for_metrics,
    gate_verdict,
    is_equivalent,
    is_non_inferior,
    sparse_bound,
    units_for_margin,
    worst,
)
from weigh.stats.intervals import Ends, expanded_interval
from weigh.stats.multiplicity import smallest_p, too_few_trials, trials_needed
from weigh.stats.procedures import RUNS_TEST, TESTS
from weigh.stats.sample import Sample
from weigh.wording import p_value, probability, share

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Comparison
    from weigh.comparing.judge import Judged
    from weigh.comparing.measure import Scope
    from weigh.stats.resample import Pairs
    from weigh.stats.runs import RunSpread
    from weigh.types import Scores


# With fewer segments or documents, margins and the gate give no verdict.
LEAST_UNITS = 10
# The oriented interval of a difference that leaves such a share out at each end.
IntervalAt = Callable[[float], Ends | None]


@dataclass(frozen=True, slots=True)
class MarginVerdict:
    """What a margin shows of a difference that is turned so that positive is better.

    `interval` belongs to level 1 − 2α at least. `reason` says what the verdict rests upon where
    that is not the interval of the bootstrap.
    """

    interval: Ends | None
    verdict: Verdict = "inconclusive"
    equivalent: bool = False
    non_inferior: bool = False
    reason: str | None = None

    @staticmethod
    def by(
        interval: Ends, upper: Ends, margin: float, slack: float = 0.0, reason: str | None = None
    ) -> MarginVerdict:
        """Judge by an interval, and by the upper end of one for several metrics."""
        return MarginVerdict(
            interval,
            gate_verdict(interval, margin, upper[1], slack),
            is_equivalent(interval, margin, slack),
            is_non_inferior(interval, margin, slack),
            reason,
        )


def judge_margin(
    sample: Sample,
    pair: tuple[int, int],
    margin: float,
    plan: Plan,
    interval_at: IntervalAt,
    *,
    scale: float | None,
    slack: float,
    metrics: int,
    unit: str,
) -> MarginVerdict:
    """Judge the difference of two systems by a margin.

    `scale` is how much a unit can change at most, if that is known, `slack` what rounding may do
    to the difference, and `metrics` how many are judged together: any of them may fail, each at α
    over their number.
    """
    differing = sample.differing(*pair)
    # Few of few units are not sparse as long as all of them differ.
    sparse = any(k < min(SPARSE, units) for k, units in zip(differing, sample.sizes(), strict=True))
    interval = interval_at(plan.alpha)
    upper = interval if metrics == 1 else interval_at(plan.alpha / metrics)
    reason = left_open(sample, plan, metrics, unit)
    if reason is None and sparse:
        by_units = _judge_sparse(sample, differing, margin, plan, scale, unit)
        return _as_runs_vary(by_units, interval, margin) if plan.runs_as_sample else by_units
    if reason is None and (interval is None or upper is None):
        reason = (
            f"one {unit} has no interval; use more {unit}s"
            if sample.fewest_units < 2
            else "nothing varies, so that there is no interval"
        )
    if reason is not None or interval is None or upper is None:
        return MarginVerdict(None if sparse else interval, reason=reason)
    return MarginVerdict.by(interval, upper, margin, slack)


def _judge_sparse(
    sample: Sample,
    differing: list[int],
    margin: float,
    plan: Plan,
    scale: float | None,
    unit: str,
) -> MarginVerdict:
    """Judge by how many units may differ, where the bootstrap has seen too few that do."""
    units = sample.sizes()
    verb = "differs" if sum(differing) == 1 else "differ"
    told = f"{sum(differing):,} of {plural(sum(units), unit)} {verb}"
    if len(units) > 1:
        told += f", in some slice fewer than {SPARSE}"
    if scale is None:
        key = key_of(sample.metric)
        return MarginVerdict(
            None,
            reason=f"{told}, too few for the bootstrap, and how much a {unit} can change by {key} "
            f"is not known; tell it with --scale {key}=D",
        )
    bound = sparse_bound(differing, units, scale, plan.alpha)
    reason = (
        f"{told}; with {100 * (1 - plan.alpha):g}% confidence at most {100 * bound / scale:.3g}% "
        f"do, a difference of {bound:.4g} at most on a scale of {scale:g}, against a margin of "
        f"{margin:g}"
    )
    if bound >= margin:
        needed = units_for_margin(margin, scale, plan.alpha / len(units))
        where = " in each slice" if len(units) > 1 else ""
        reason += (
            f"; even if none differed, {plural(needed, unit)}{where} would be needed"
            if min(units) < needed
            else f"; use more {unit}s"
        )
    return MarginVerdict.by((-bound, bound), (-bound, bound), margin, reason=reason)


def _as_runs_vary(by_units: MarginVerdict, interval: Ends | None, margin: float) -> MarginVerdict:
    """Widen what few units show by what other runs might: the bound knows nothing of runs."""
    if by_units.interval is None or interval is None:
        return by_units
    low, high = min(by_units.interval[0], interval[0]), max(by_units.interval[1], interval[1])
    if (low, high) == by_units.interval:
        return by_units
    reason = f"{by_units.reason}; with how runs vary, {low:+.4g} to {high:+.4g}"
    return MarginVerdict.by((low, high), (low, high), margin, reason=reason)


def expanded_interval_of(sample: Sample, differences: Scores) -> IntervalAt:
    """Return the expanded percentile interval of bootstrap differences, for any tail."""
    oriented = differences if sample.metric.higher_is_better else -differences
    units = sample.fewest_units

    def interval_at(tail: float) -> Ends | None:
        if units < 2:
            return None
        low, high = expanded_interval(oriented, units, 1 - 2 * tail)
        return float(low), float(high)

    return interval_at


def t_interval_of(spread: RunSpread, a: int, b: int) -> IntervalAt:
    """Return the t interval of a difference between systems whose runs are a sample."""

    def interval_at(tail: float) -> Ends | None:
        ends = spread.interval(1 - 2 * tail, a, b)
        if ends is None or spread.sample.metric.higher_is_better:
            return ends
        return -ends[1], -ends[0]

    return interval_at


def scale_of(sample: Sample, plan: Plan) -> float | None:
    """Return how much a segment's score can change at most: what is said of it, or 1 for 0 and 1.

    `sample` is of segments. The largest difference that was seen is no bound of those to come.
    """
    metric = sample.metric
    said: float | None = plan.scale.get(key_of(metric), metric.scale)
    if said is not None or not metric.mean_of_segments:
        return said
    passes = all(
        np.isin(metric.segment_scores(run), (0, 1)).all() for runs in sample.rows for run in runs
    )
    return 1.0 if passes else None


def left_open(sample: Sample, plan: Plan, metrics: int, unit: str) -> str | None:
    """Return why no verdict is given whatever the difference, or None where one can be."""
    units = sample.fewest_units
    if units < LEAST_UNITS:
        where = "" if sample.strata is None else " in a slice"
        return (
            f"only {plural(units, unit)}{where}, and a verdict needs at least {LEAST_UNITS}; "
            f"use more {unit}s"
        )
    swaps = 1 << min(sample.units, 62)
    # Whatever its test, a gate has no error of α where swapping so few units would have none.
    exact = plan.gate and swaps <= plan.trials
    count, plus_one = (swaps, False) if exact else (plan.trials, True)
    if not too_few_trials(metrics, count, plan.alpha, plus_one=plus_one):
        return None
    level = share(plan.alpha) if metrics == 1 else f"{share(plan.alpha)}/{metrics}"
    what = plural(sample.units, unit) if exact else plural(count, "trial")
    needed = trials_needed(metrics, plan.alpha, plus_one=plus_one)
    remedy = f"use more {unit}s" if exact else f"use at least {needed:,} trials"
    if plan.runs_as_sample and not exact:
        return f"{what} tell too little of variances; {remedy}"
    smallest = probability(smallest_p(count, plus_one=plus_one))
    return f"with {what} no p-value can be below {smallest}, and {level} is asked for; {remedy}"


def gate(scope: Scope, judged: Judged, plan: Plan, pairs: Pairs, unit: str) -> Gate:
    """Judge every system against the baseline by every metric; the worst verdict counts.

    By a metric with a margin it passes, fails or is left open by an interval. By the others it
    fails if it is worse by a one-sided test, adjusted for all metrics but not for systems: another
    system that is released beside it does not make a loss smaller.
    """
    test = next(one for one in plan.tests if one in (*TESTS, RUNS_TEST))
    metrics = [sample.metric for sample in scope.samples]
    titles_by_key = titles(list(map(shown_as, metrics)))
    tested = [s for s, key in enumerate(titles_by_key) if key not in plan.margin]
    comparisons = {(c.metric, c.a): c for c in judged.comparisons if c.test == test}
    cannot = left_open(scope.samples[0], plan, len(metrics), unit)
    verdicts: list[Verdict] = []
    reasons: dict[tuple[int, int], str] = {}
    for i, (a, _) in enumerate(pairs):
        name = scope.samples[0].names[a]
        p_worse = [float(judged.tested[test][s].p_values["worse"][i]) for s in tested]
        adjusted = dict(zip(tested, _adjusted(p_worse, len(metrics)), strict=True))
        for s, (key, title) in enumerate(titles_by_key.items()):
            if s in adjusted:
                p = p_worse[tested.index(s)]
                verdict, reason = _by_test(p, adjusted[s], plan, len(metrics), cannot)
            else:
                verdict, reason = _by_margin(comparisons[key, name], plan, len(metrics), unit)
            verdicts.append(verdict)
            reasons[s, i] = f"{name}, {title}: {verdict} ({reason})"
    return Gate(worst(verdicts), tuple(reasons[place] for place in sorted(reasons)))


def _adjusted(p_worse: Sequence[float], metrics: int) -> list[float]:
    return adjusted_for_metrics([1.0 if isnan(p) else p for p in p_worse], metrics)


def _by_test(
    p: float, adjusted: float, plan: Plan, metrics: int, cannot: str | None
) -> tuple[Verdict, str]:
    if isnan(p):
        return "inconclusive", "nothing varies, so that there is no p-value"
    reason = f"one-sided {p_value(p)} for worse than {plan.baseline}"
    if metrics > 1:
        reason += f", {probability(adjusted)} adjusted for {metrics} metrics"
    if cannot is not None:
        return "inconclusive", f"{reason}; {cannot}"
    return "fail" if adjusted <= plan.alpha else "pass", reason


def _by_margin(one: Comparison, plan: Plan, metrics: int, unit: str) -> tuple[Verdict, str]:
    assert one.margin_verdict is not None
    assert one.margin is not None
    if one.margin_reason is not None or one.margin_interval is None:
        return one.margin_verdict, one.margin_reason or ""
    low, high = one.margin_interval
    digits = max(2, 1 - floor(log10(one.margin))) if one.margin > 0 else 2  # to hold against it
    reason = (
        f"the {100 * (1 - 2 * plan.alpha):g}% interval of the difference, {low:+.{digits}f} to "
        f"{high:+.{digits}f} (positive: better), against a margin of {one.margin:g}"
    )
    if one.margin_verdict == "inconclusive":
        reason += (
            f"; it lies below, but not at α/{metrics}, as one of {metrics} metrics"
            if high < -one.margin
            else f"; more {unit}s{' or runs' * plan.runs_as_sample} make it narrower"
        )
    return one.margin_verdict, reason
