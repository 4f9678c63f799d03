"""The release gate: may a system replace the baseline?"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING

from weigh.comparing.margins import left_open
from weigh.comparing.plan import Plan
from weigh.comparing.result import Gate
from weigh.metrics.registry import key_of
from weigh.stats.equivalence import Verdict, adjusted_for_metrics, worst
from weigh.stats.procedures import RUNS_TEST, TESTS
from weigh.wording import p_value, probability

if TYPE_CHECKING:
    from weigh.comparing.judge import Judged
    from weigh.comparing.measure import View
    from weigh.comparing.result import Comparison
    from weigh.stats.resample import Pairs
    from weigh.stats.significance import PairTests


def gate(view: View, judged: Judged, plan: Plan, pairs: Pairs, unit: str) -> Gate:
    """Judge every system against the baseline by every metric; the worst verdict counts.

    By a metric with a margin it passes, fails or is left open by an interval. By the others it
    fails if it is worse by a one-sided test, adjusted for all metrics but not for systems: another
    system that is released beside it does not make a loss smaller.
    """
    test = next(one for one in plan.tests if one in (*TESTS, RUNS_TEST))
    metrics = [sample.metric for sample in view.samples]
    keys = [key_of(metric) for metric in metrics]
    names = [metric.name for metric in metrics]
    titles = [n if names.count(n) == 1 else k for n, k in zip(names, keys, strict=True)]
    tested = [s for s, key in enumerate(keys) if key not in plan.margin]
    comparisons = {(c.metric, c.a): c for c in judged.comparisons if c.test == test}
    cannot = left_open(view.samples[0], plan, len(metrics), unit)
    verdicts: list[Verdict] = []
    reasons: dict[tuple[int, int], str] = {}
    for i, (a, _) in enumerate(pairs):
        name = view.samples[0].names[a]
        p_worse = [float(judged.tested[test][s].p_values["worse"][i]) for s in tested]
        adjusted = dict(zip(tested, _adjusted(p_worse, len(metrics)), strict=True))
        lowest = [_lowest(judged.tested[test][s], i) for s in tested]
        by_one = dict(zip(tested, _adjusted(lowest, len(metrics)), strict=True))
        for s, (key, title) in enumerate(zip(keys, titles, strict=True)):
            if s in adjusted:
                p = p_worse[tested.index(s)]
                verdict, reason = _by_test(p, adjusted[s], plan, len(metrics), cannot)
                if verdict == "pass" and by_one[s] <= plan.alpha:
                    verdict = "inconclusive"
                    reason += f", but {p_value(by_one[s])} by one of its readings"
            else:
                verdict, reason = _by_margin(comparisons[key, name], plan, len(metrics), unit)
            verdicts.append(verdict)
            reasons[s, i] = f"{name}, {title}: {verdict} ({reason})"
    return Gate(worst(verdicts), tuple(reasons[place] for place in sorted(reasons)))


def _adjusted(p_worse: Sequence[float], metrics: int) -> list[float]:
    return adjusted_for_metrics([1.0 if isnan(p) else p for p in p_worse], metrics)


def _lowest(result: PairTests, pair: int) -> float:
    """Return the smallest p-value of "worse" that a metric has, by whichever of its readings."""
    return float((result.lowest or result.p_values)["worse"][pair])


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
    reason = (
        f"the {100 * (1 - 2 * plan.alpha):g}% interval of the difference, {low:+.2f} to "
        f"{high:+.2f} (positive: better), against a margin of {one.margin:g}"
    )
    if one.margin_verdict == "inconclusive":
        reason += (
            f"; it lies below, but not at α/{metrics}, as one of {metrics} metrics"
            if high < -one.margin
            else f"; more {unit}s{' or runs' * plan.runs_as_sample} make it narrower"
        )
    return one.margin_verdict, reason
