"""Verdicts on differences by a stated margin, and the release gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import floor, isnan, log10
from typing import TYPE_CHECKING

import numpy as np

from weigh.comparing.compare_result import BY_HALVING, BY_RUNS, Gate
from weigh.comparing.plan import Plan
from weigh.comparing.score_result import MetricShown, titles
from weigh.errors import InputError, plural
from weigh.metrics.registry import key_of
from weigh.stats.betting import confidence_sequence
from weigh.stats.equivalence import (
    MarginBounds,
    Verdict,
    adjust_for_metrics,
    jackknife_bound,
    mean_bounds,
    units_to_settle,
    worst_verdict,
)
from weigh.stats.estimates import UnitRange
from weigh.stats.intervals import Ends
from weigh.stats.multiplicity import too_few_trials, trials_needed
from weigh.stats.power import TOO_FEW_DIFFER
from weigh.stats.procedures import ANYTIME, RUNS_TEST, TESTS
from weigh.stats.sample import Means, Sample, by_document
from weigh.wording import p_value, percent, probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.comparing.compare_result import Comparison
    from weigh.comparing.dataset import Dataset
    from weigh.comparing.judge import Judged
    from weigh.comparing.scopes import Scope
    from weigh.stats.halving import Halves
    from weigh.stats.resample import Pairs
    from weigh.stats.runs import RunSpread
    from weigh.types import Metric, Rows, Scores

# With fewer units, the gate is inconclusive.
FEWEST_UNITS = 10
# A private-use character that no text contains; nonsense outputs consist of it.
_NONSENSE = "\ue000"
_LONG = 0.9  # quantile of segment length at which the total failure is added


@dataclass(frozen=True, slots=True)
class MarginVerdict:
    """Verdict on an oriented difference (positive is better) by a stated margin.

    `interval` holds two one-sided bounds at α. `reason` states what an inconclusive verdict needs,
    or the rule behind the verdict if it is not the usual one.
    """

    interval: Ends | None
    verdict: Verdict = "inconclusive"
    equivalent: bool = False
    non_inferior: bool = False
    reason: str | None = None
    upper_end: float | None = None


@dataclass(frozen=True)
class Margins:
    """Judge pairs of one metric in one scope by a margin."""

    scope: Scope
    dataset: Dataset
    plan: Plan
    s: int
    means: Means | None
    unit_range: UnitRange | None
    halves: Halves | None
    spread: RunSpread | None

    def judge(self, a: int, b: int, margin: float, slack: float) -> MarginVerdict:
        """Verdict on the difference of two systems; `slack` is its possible rounding error."""
        verdict = self._judge(a, b, margin, slack)
        too_few = too_few_units(self._sample, self.dataset.unit)
        if not self.plan.gate or too_few is None:
            return verdict
        return replace(verdict, verdict="inconclusive", reason=too_few)

    def _judge(self, a: int, b: int, margin: float, slack: float) -> MarginVerdict:
        unit, sample = self.dataset.unit, self._sample
        if sample.fewest_units < 2:
            return MarginVerdict(None, reason=f"a single {unit} does not show how {unit}s vary")
        if self.spread is None and self._are_identical(a, b, slack):
            reason = f"both systems score the same on every {unit}"
            return MarginVerdict((0.0, 0.0), "pass", True, True, reason)
        bounds, remark = self._bounds(a, b)
        if bounds is None:
            return MarginVerdict(None, reason=remark)
        verdict = bounds.verdict(margin, slack)
        if verdict == "inconclusive":
            needed = self._units_to_pass(a, b, margin)
            if needed is not None:
                advice = (
                    f"with {plural(needed, unit)}, an equal system would pass about 80% of the time"
                    if needed > sample.units
                    else "the difference is too close to the margin"
                )
                remark = advice if remark is None else f"{remark}; {advice}"
        return MarginVerdict(
            (bounds.lower, bounds.upper),
            verdict,
            bounds.is_equivalent(margin, slack),
            bounds.is_non_inferior(margin, slack),
            remark,
            bounds.upper_end,
        )

    @property
    def _sample(self) -> Sample:
        return self.scope.samples[self.s]

    @property
    def _sign(self) -> int:
        return 1 if self._sample.metric.higher_is_better else -1

    @property
    def _metrics(self) -> int:
        """Number of metrics that can fail the gate, each at α divided by this number."""
        return len(self.scope.samples) if self.plan.gate else 1

    def _are_identical(self, a: int, b: int, slack: float) -> bool:
        """Whether two systems have identical scores that show that they do not differ.

        Equal pass/fail scores do not show that: systems with rare differences may still pass and
        fail the same items of a test set.
        """
        if self.dataset.outputs is None and self._are_extreme:
            return False
        if self.means is not None:
            return float(np.abs(self._unit_differences(a, b) / self.means.sizes).max()) <= slack
        return all(
            np.array_equal(first, second)
            for first, second in zip(self._sample.rows[a], self._sample.rows[b], strict=True)
        )

    @cached_property
    def _are_extreme(self) -> bool:
        """Whether all scores are either the lowest or the highest, like pass/fail scores."""
        unit_range, sample = self.unit_range, self.dataset.samples[self.s]
        if unit_range is None or self.means is None:
            return False
        extremes = unit_range.low, unit_range.high
        return unit_range.is_pass_fail or all(
            bool(np.isin(sample.metric.segment_scores(run), extremes).all())
            for runs in sample.rows
            for run in runs
        )

    def _bounds(self, a: int, b: int) -> tuple[MarginBounds | None, str | None]:
        """Bounds of a difference, with a remark if they are missing or not the usual ones."""
        if self.plan.strict or self.plan.anytime:
            return self._any_time_bounds(a, b)
        by_units: MarginBounds | None = None
        if self.means is not None and self.unit_range is not None and self._is_whole:
            by_units = mean_bounds(
                self._unit_differences(a, b),
                self.means.sizes,
                self.unit_range.width,
                self.plan.alpha,
                self._metrics,
            )
        elif self.means is None and self._failures is not None:
            by_units = self._text_bounds(a, b)
        if self.spread is not None:
            by_runs = self._run_bounds(self.spread, a, b)
            if by_runs is None:
                return None, (
                    f"the difference varies neither between {self.dataset.unit}s nor between runs"
                )
            if by_units is None:
                return by_runs, f"{BY_RUNS}, because {self._why_without_failure}"
            return _wider_bounds(by_units, by_runs), None
        if by_units is not None:
            return by_units, None
        return self._halved_bounds(a, b)

    @property
    def _is_whole(self) -> bool:
        """Whether the score covers all units together and is not a mean of slices."""
        return self._sample.strata is None

    def _unit_differences(self, a: int, b: int) -> Scores:
        assert self.means is not None
        return np.asarray(self._sign * (self.means.values[a] - self.means.values[b]))

    def _any_time_bounds(self, a: int, b: int) -> tuple[MarginBounds | None, str | None]:
        """Bounds that hold for any number of units (`weigh.stats.betting`)."""
        means, unit_range = self.means, self.unit_range
        option = "--strict" if self.plan.strict else "--anytime"
        if not self._is_whole:
            return None, f"{option} has no bounds for a mean of slices"
        if means is None or unit_range is None:
            return None, f"{option} needs item scores with known bounds"
        if len(set(means.sizes.tolist())) > 1:
            return None, f"{option} needs documents of equal size"
        width = unit_range.width
        d = self._unit_differences(a, b)[None] / (width * means.sizes[0])
        lower, upper = confidence_sequence(d, 1 - self.plan.alpha, tails=1)
        _, upper_end = confidence_sequence(d, 1 - self.plan.alpha / self._metrics, tails=1)
        return MarginBounds(*(float(width * end[0]) for end in (lower, upper, upper_end))), None

    def _run_bounds(self, spread: RunSpread, a: int, b: int) -> MarginBounds | None:
        alpha = self.plan.alpha
        ends = spread.interval(1 - 2 * alpha, a, b)
        last = spread.interval(1 - 2 * alpha / self._metrics, a, b)
        if ends is None or last is None:
            return None
        if self._sign < 0:
            ends, last = (-ends[1], -ends[0]), (-last[1], -last[0])
        return MarginBounds(ends[0], ends[1], last[1])

    def _halved_bounds(self, a: int, b: int) -> tuple[MarginBounds | None, str | None]:
        assert self.halves is not None
        alpha = self.plan.alpha
        pair = np.array([(a, b) if self._sign > 0 else (b, a)], dtype=np.int64)
        turned = pair[:, ::-1].copy()
        low = float(self.halves.lower_bounds(pair, 1 - alpha)[0])
        high = -float(self.halves.lower_bounds(turned, 1 - alpha)[0])
        last = -float(self.halves.lower_bounds(turned, 1 - alpha / self._metrics)[0])
        if isnan(low) or isnan(high) or isnan(last):
            return None, f"too few {self.dataset.unit}s for bounds"
        return MarginBounds(low, high, last), f"{BY_HALVING}, because {self._why_without_failure}"

    @property
    def _why_without_failure(self) -> str:
        """Why bounds do not include one more total failure."""
        if not self._is_whole:
            return f"this is a mean of {'test sets' if self.dataset.has_sets else 'slices'}"
        noun, key = self.dataset.noun, key_of(self._sample.metric)
        why = f"the range of one {noun}'s {key} is unknown"
        return f"{why} (state it with --columns score={key}:LOW..HIGH)" if noun == "item" else why

    # Texts: one more segment, for which the system outputs nonsense.

    @cached_property
    def _scope_texts(self) -> tuple[Dataset, NDArray[np.intp]] | None:
        """The dataset with the texts of the scope, and its segments there; None for a mean."""
        if self.scope.members is None:
            return None
        test_set = self.dataset.sets.get(self.scope.label or "")
        if test_set is None:
            return self.dataset, self.scope.members
        return test_set, np.arange(len(self.scope.members))

    @cached_property
    def _failures(self) -> Rows | None:
        """Rows of nonsense outputs by unit; None unless the metric can score texts."""
        if self._scope_texts is None or not self._is_whole:
            return None
        dataset, members = self._scope_texts
        metric = dataset.metrics[self.s]
        if not metric.reads_texts:
            return None
        rows = nonsense_rows(metric, dataset)
        if rows is None:
            return None
        rows = rows[members]
        if dataset.documents is None:
            return rows
        return by_document(rows, [dataset.documents[i] for i in members])

    @cached_property
    def _long_unit(self) -> int:
        """The unit at the 90th percentile of length, by the words of the first reference."""
        assert self._scope_texts is not None
        dataset, members = self._scope_texts
        assert dataset.texts is not None
        reference = dataset.texts.test_set.references[0]
        lengths = np.array([[len(reference[i].split())] for i in members])
        if dataset.documents is not None:
            lengths = by_document(lengths, [dataset.documents[i] for i in members])
        order = np.argsort(lengths[:, 0], kind="stable")
        return int(order[max(0, int(np.ceil(_LONG * len(order))) - 1)])

    def _text_bounds(self, a: int, b: int) -> MarginBounds:
        alpha, sign = self.plan.alpha, self._sign
        low, low_left_out = self._with_failure(a, b)
        high, high_left_out = self._with_failure(b, a)
        left_out = sign * (self._sample.jackknife_of(a) - self._sample.jackknife_of(b))
        scores = self._sample.scores()
        return MarginBounds(
            jackknife_bound(low, low_left_out, alpha, upper=False),
            -jackknife_bound(high, high_left_out, alpha, upper=False),
            jackknife_bound(
                sign * float(scores[a] - scores[b]), left_out, alpha / self._metrics, upper=True
            ),
        )

    def _with_failure(self, a: int, b: int) -> tuple[float, Scores]:
        """Difference with an added unit on which a fails, and its leave-one-out values."""
        assert self._failures is not None
        at = self._long_unit
        sample, failure = self._sample, self._failures[at]
        sides = []
        for system, fails in ((a, True), (b, False)):
            whole, without_each = [], []
            for run in sample.rows[system]:
                extra = failure if fails else run[at]
                total = run.sum(axis=0) + extra
                whole.append(sample.score(total))
                without_each.append(sample.score(np.vstack([total - run, (total - extra)[None]])))
            sides.append((float(np.mean(whole)), np.mean(without_each, axis=0)))
        (score_a, without_a), (score_b, without_b) = sides
        return self._sign * (score_a - score_b), self._sign * (without_a - without_b)

    def _units_to_pass(self, a: int, b: int, margin: float) -> int | None:
        """Number of units with which an equal system passes with 80% power; None if unknown."""
        alpha = self.plan.alpha
        if self.plan.strict or self.plan.anytime or self.spread is not None:
            return None
        if self.means is not None:
            if self.unit_range is None or not self._is_whole:
                return None
            d = self._unit_differences(a, b) / self.means.sizes.mean()
            return units_to_settle(float(d.std(ddof=1)), self.unit_range.width, margin, alpha)
        if self._failures is None:
            return None
        scores = self._sample.scores()
        difference = self._sign * float(scores[a] - scores[b])
        n = self._sample.units
        failed, _ = self._with_failure(a, b)
        jackknife = self._sample.jackknife_of(a) - self._sample.jackknife_of(b)
        deviation = float(np.sqrt((n - 1) * ((jackknife - jackknife.mean()) ** 2).sum()))
        return units_to_settle(deviation, max(0.0, (difference - failed) * (n + 1)), margin, alpha)


def _wider_bounds(first: MarginBounds, second: MarginBounds) -> MarginBounds:
    return MarginBounds(
        min(first.lower, second.lower),
        max(first.upper, second.upper),
        max(first.upper_end, second.upper_end),
    )


def nonsense_rows(metric: Metric, dataset: Dataset) -> Rows | None:
    """Rows of nonsense outputs, as long as the references and without a word in common.

    None if there are no texts, or if the metric needs more than texts.
    """
    from weigh.metrics.statistics import statistics
    from weigh.types import Outputs, System

    texts = dataset.texts
    if texts is None or not texts.test_set.references or texts.systems[0].references:
        return None
    nonsense = [
        " ".join(_NONSENSE * len(word) for word in text.split())
        for text in texts.test_set.references[0]
    ]
    try:
        [rows] = statistics([System("nonsense", Outputs(nonsense))], texts.test_set, metric)
    except InputError:
        return None
    return rows


def too_few_units(sample: Sample, unit: str) -> str | None:
    """A message if there are too few units for a gate."""
    units = sample.fewest_units
    if units >= FEWEST_UNITS:
        return None
    where = "" if sample.strata is None else " in a slice"
    return f"only {plural(units, unit)}{where}; a gate needs at least {FEWEST_UNITS}"


def gate(
    scope: Scope,
    judged: Judged,
    plan: Plan,
    pairs: Pairs,
    metrics: Sequence[MetricShown],
    unit: str,
) -> Gate:
    """Judge every system against the baseline by every metric; the worst verdict counts.

    For a metric with a margin, the bounds decide. For other metrics, a system fails if a one-sided
    test finds it worse. p-values are adjusted for the number of metrics, but not for the number of
    systems: a loss does not shrink because other systems are released as well.
    """
    test = next(name for name in plan.tests if name in (*TESTS, RUNS_TEST, ANYTIME))
    titles_by_key = titles(metrics)
    percents = [metric.percent for metric in metrics]
    tested = [s for s, key in enumerate(titles_by_key) if key not in plan.margin]
    comparisons = {(c.metric, c.a): c for c in judged.comparisons if c.test == test}
    verdicts: list[Verdict] = []
    reasons: dict[tuple[int, int], str] = {}
    for i, (a, _) in enumerate(pairs):
        name = scope.samples[0].names[a]
        p_worse = [float(judged.tested[test][s].p_values["worse"][i]) for s in tested]
        adjusted = dict(zip(tested, _adjust(p_worse, len(metrics)), strict=True))
        for s, (key, title) in enumerate(titles_by_key.items()):
            pair = comparisons[key, name]
            if s in adjusted:
                obstacle = (
                    pair.inconclusive
                    or too_few_units(scope.samples[s], unit)
                    or _too_few_trials(pair, plan, len(metrics))
                )
                p = p_worse[tested.index(s)]
                by = f" by the {test} test" if len(plan.tests) > 1 else ""
                verdict, reason = _by_test(
                    p, adjusted[s], plan, len(metrics), len(pairs), obstacle, by
                )
                is_copy = not judged.differing[s][i] and scope.samples[s].metric.reads_texts
                if verdict == "pass" and not is_copy:
                    loss = judged.gate_detectable[s][i]
                    reason += _undetected_loss(loss, pair, unit, percents[s])
            else:
                verdict, reason = _by_margin(pair, plan, len(metrics), unit, percents[s])
            verdicts.append(verdict)
            reasons[s, i] = f"{name} by {title}: {verdict} ({reason})"
    return Gate(worst_verdict(verdicts), tuple(reasons[place] for place in sorted(reasons)))


def _too_few_trials(pair: Comparison, plan: Plan, metrics: int) -> str | None:
    """A message if there are too few trials to fail any system."""
    if not pair.trials or not too_few_trials(metrics, pair.trials, plan.alpha):
        return None
    needed = trials_needed(metrics, plan.alpha)
    return f"{plural(pair.trials, 'trial')} cannot reach α; use at least {needed:,} trials"


def _adjust(p_worse: Sequence[float], metrics: int) -> list[float]:
    return adjust_for_metrics([1.0 if isnan(p) else p for p in p_worse], metrics)


def _by_test(
    p: float,
    adjusted: float,
    plan: Plan,
    metrics: int,
    systems: int,
    obstacle: str | None,
    by: str,
) -> tuple[Verdict, str]:
    if isnan(p):
        return "inconclusive", "scores do not vary, so there is no p-value"
    reason = f"one-sided {p_value(p)}{by} for a loss against {plan.baseline}"
    if metrics > 1:
        reason += f", {probability(adjusted)} adjusted for {metrics} metrics"
    if systems > 1:
        reason += f", not adjusted for {systems:,} systems"
    if obstacle is not None:
        return "inconclusive", f"{reason}; {obstacle}"
    return "fail" if adjusted <= plan.alpha else "pass", reason


def _undetected_loss(loss: float | None, pair: Comparison, unit: str, is_percent: bool) -> str:
    """State which losses a gate without a margin may miss."""
    if loss is None:
        if pair.detectable_reason != TOO_FEW_DIFFER:
            return ""
        return f"; too few {unit}s differ to tell which losses would be noticed"
    size = f"{100 * loss:.1f} points" if is_percent else f"{loss:.3g}"
    return f"; losses below {size} may go unnoticed"


def _by_margin(
    pair: Comparison, plan: Plan, metrics: int, unit: str, is_percent: bool
) -> tuple[Verdict, str]:
    assert pair.margin_verdict is not None
    assert pair.margin is not None
    remark = "" if pair.margin_reason is None else f"; {pair.margin_reason}"
    if pair.margin_interval is None:
        return pair.margin_verdict, remark.removeprefix("; ")
    low, high = pair.margin_interval
    scale, points, fewest = (100, " percentage points", 1) if is_percent else (1, "", 2)
    margin = scale * pair.margin
    digits = max(fewest, 1 - floor(log10(margin)))  # enough digits to compare ends with the margin
    if pair.margin_verdict == "fail" and pair.margin_upper_end is not None:
        loss = f"{-scale * pair.margin_upper_end:.{digits}f}{points}"
        bound = f"one-sided {percent(1 - plan.alpha / metrics)} bound"
        return "fail", f"worse by at least {loss}, the {bound}; margin {margin:g}{remark}"
    ends = _range_text(scale * low, scale * high, digits, points)
    reason = f"one-sided {percent(1 - plan.alpha)} bounds: {ends}; margin {margin:g}{remark}"
    if pair.margin_verdict == "inconclusive" and high < -pair.margin:
        reason += (
            f"; worse than the margin, but not at α/{metrics}, which {metrics} metrics require"
        )
    elif pair.margin_verdict == "inconclusive" and (
        pair.margin_reason is None or pair.margin_reason.startswith(BY_RUNS)
    ):
        reason += f"; more {unit}s{' or runs' if plan.runs_as_sample else ''} are needed"
    return pair.margin_verdict, reason


def _range_text(low: float, high: float, digits: int, points: str) -> str:
    """Describe an interval of oriented differences in words."""
    if low >= 0:
        return f"better by {low:.{digits}f} to {high:.{digits}f}{points}"
    if high <= 0:
        return f"worse by {-high:.{digits}f} to {-low:.{digits}f}{points}"
    return f"between {-low:.{digits}f}{points} worse and {high:.{digits}f} better"
