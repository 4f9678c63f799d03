"""Judge the pairs of a scope by one metric: tests, intervals, power and margins."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from weigh.comparing.compare_result import Comparison
from weigh.comparing.dataset import Dataset, unit_range_of
from weigh.comparing.margins import Margins, MarginVerdict
from weigh.comparing.plan import Plan
from weigh.comparing.resampling import Resampled
from weigh.comparing.scopes import Scope
from weigh.comparing.score import intervals_of
from weigh.comparing.score_result import SystemScore
from weigh.errors import UsageError
from weigh.metrics.registry import key_of
from weigh.stats.betting import Bets, adjust_e_values, confidence_sequence
from weigh.stats.estimates import Estimates, UnitRange, ends_or_none
from weigh.stats.intervals import Ends, bca_interval, percentile_interval, t_interval
from weigh.stats.multiplicity import adjust
from weigh.stats.power import (
    NOT_AT_ANY_TIME,
    NOTHING_VARIES,
    TOO_FEW_DIFFER,
    Family,
    detectable_differences,
    units_needed,
)
from weigh.stats.procedures import ANYTIME, BLOCK_TESTS, CLOSED, PROCEDURES, RUNS_TEST, function_of
from weigh.stats.resample import Pairs
from weigh.stats.runs import RunError
from weigh.stats.sample import Means, Sample
from weigh.stats.significance import Observed, PairTests

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Scores

# With fewer units, bootstrap tests reject far too often, so nothing is concluded from them.
FEWEST_BOOTSTRAPPED = 20


class MetricJudgment:
    """The pairs of a scope by one metric: tests, intervals, power and margins."""

    def __init__(
        self,
        scope: Scope,
        dataset: Dataset,
        plan: Plan,
        pairs: Pairs,
        s: int,
        resampled: Resampled,
    ) -> None:
        self._scope, self._dataset, self._plan, self._pairs = scope, dataset, plan, pairs
        self._sample: Sample = scope.samples[s]
        self._key = key_of(self._sample.metric)
        self._s = s
        self._resampled = resampled
        self._chosen = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        self._means: Means | None = self._sample.means()
        self._observed = Observed.of(self._sample, pairs, self._means)
        self._spread = resampled.spreads[s] if resampled.spreads else None
        self._range: UnitRange | None = unit_range_of(dataset.samples[s])
        self._differing = resampled.randomized.differing[s]
        self._estimates = (
            None
            if self._spread is not None
            else Estimates(self._sample, self._means, resampled.randomized.halves[s], self._range)
        )
        self._check_sizes()
        self._check_strict()

    @property
    def _differences(self) -> Scores:
        """S_a − S_b of every pair, not oriented."""
        return self._observed.sign * self._observed.differences

    def test(self, test: str) -> PairTests:
        """Run a test, or return its outcome if it was run for all metrics at once."""
        s, sample, pairs = self._s, self._sample, self._pairs
        if test == "randomization":
            return self._resampled.randomized.tests[s]
        if test == RUNS_TEST:
            assert self._spread is not None
            return self._spread.test(pairs)
        if test == ANYTIME:
            return self._bet()
        run = function_of(test)
        if test in BLOCK_TESTS:
            matrix = run(sample.segment_means())
            return PairTests.from_p_values(
                test, {"two-sided": np.array([matrix[a, b] for a, b in pairs])}
            )
        result: PairTests = run(sample, pairs, self._resampled.boots[s], observed=self._observed)
        return result

    def _bet(self) -> PairTests:
        """Bet on the units in order; 1/e is an anytime-valid p-value."""
        bets = self._bets
        return PairTests.from_p_values(
            ANYTIME,
            {
                name: np.minimum(1.0, 1 / e_values)
                for name, e_values in (
                    ("two-sided", bets.e_values),
                    ("better", bets.on_first),
                    ("worse", bets.on_second),
                )
            },
        )

    @cached_property
    def _bets(self) -> Bets:
        d = self._unit_bets()
        return Bets.none(len(d)).after(d)

    def _unit_bets(self) -> Scores:
        """Unit differences scaled to [−1, 1]; documents are divided by the largest size."""
        means, unit_range = self._means, self._range
        if means is None or unit_range is None or self._sample.strata is not None:
            raise UsageError(self._missing_bounds("--anytime"))
        a, b = self._chosen.T
        oriented = self._observed.sign * (means.values[a] - means.values[b])
        return np.asarray(oriented / (unit_range.width * means.sizes.max()))

    # Intervals.

    def scores(self) -> list[SystemScore]:
        """The scores of the systems with their intervals."""
        plan, sample = self._plan, self._sample
        ends: Sequence[Ends | None]
        if self._spread is not None:
            ends = [
                self._within_range(self._spread.interval(plan.level, i))
                for i in range(len(sample.names))
            ]
        elif plan.interval == "halving":
            assert self._estimates is not None
            ends = self._estimates.scores(plan.level)
        else:
            boots = np.empty((0, 0))
            if self._resampled.boots:
                boots = self._resampled.boots[self._s] + self._resampled.offsets[self._s]
            ends = intervals_of(sample, plan.interval, plan.level, boots, plain=self._scope.plain)
        return [
            SystemScore(
                metric=self._key,
                signature=self._dataset.signature(self._s, self._scope.label),
                lower_is_better=not sample.metric.higher_is_better,
                system=name,
                score=float(score),
                slice=self._scope.label,
                interval=interval,
                level=plan.level,
                name=sample.metric.name,
            )
            for name, score, interval in zip(sample.names, sample.scores(), ends, strict=True)
        ]

    def _within_range(self, ends: Ends | None) -> Ends | None:
        """The interval of a score, clipped to the range of possible scores."""
        if ends is None or self._range is None:
            return ends
        return max(ends[0], self._range.low), min(ends[1], self._range.high)

    def _intervals(self, result: PairTests) -> Sequence[Ends | None]:
        """Intervals of the differences, to be shown beside the p-values of a test."""
        plan, level = self._plan, self._plan.level
        alternative = _alternative(result.test, plan)
        above = (alternative == "better") == (self._observed.sign > 0)
        if self._spread is not None:
            if alternative == "two-sided":
                return [self._spread.interval(level, a, b) for a, b in self._pairs]
            return [self._spread.bound(level, a, b, above=above) for a, b in self._pairs]
        if result.test == ANYTIME:
            return self._confidence_sequences()
        if plan.interval != "halving":
            return self._requested_intervals()
        assert self._estimates is not None
        agrees = result.test == "randomization"
        if alternative != "two-sided":
            p = result.p_values[alternative] if agrees else None
            return ends_or_none(
                self._estimates.bounds(
                    self._chosen,
                    self._differences,
                    self._differing,
                    level,
                    above=above,
                    p_values=p,
                )
            )
        p = result.p_values["two-sided"] if agrees else None
        return ends_or_none(
            self._estimates.differences(self._chosen, self._differences, self._differing, level, p)
        )

    def _confidence_sequences(self) -> list[Ends | None]:
        means, unit_range = self._means, self._range
        assert means is not None
        assert unit_range is not None
        if (
            len(set(means.sizes.tolist())) > 1
        ):  # documents of unequal size do not bound the mean of items
            return [None] * len(self._pairs)
        low, high = confidence_sequence(self._unit_bets(), self._plan.level)
        sign, width = self._observed.sign, unit_range.width
        ends = width * sign * np.column_stack([low, high] if sign > 0 else [high, low])
        return [(float(lower), float(upper)) for lower, upper in ends]

    def _requested_intervals(self) -> list[Ends | None]:
        """Percentile, BCa or t intervals of the differences."""
        sample, plan = self._sample, self._plan
        if sample.fewest_units < 2:  # a single unit shows no variance
            return [None] * len(self._pairs)
        if plan.interval == "t":
            if not self._scope.plain:
                return [None] * len(self._pairs)
            scores = sample.segment_means()
            return [t_interval(scores[:, a] - scores[:, b], plan.level) for a, b in self._pairs]
        boots = self._resampled.boots[self._s]
        if plan.interval == "percentile":
            ends = [percentile_interval(boots[a] - boots[b], plan.level) for a, b in self._pairs]
            return [(float(low), float(high)) for low, high in ends]
        jackknife = self._resampled.bootstrapped[self._s].jackknife()
        return [
            bca_interval(
                boots[a] - boots[b],
                difference,
                jackknife[a] - jackknife[b],
                plan.level,
                tolerance=slack,
            )
            for (a, b), difference, slack in zip(
                self._pairs, self._differences.tolist(), self._observed.tolerance, strict=True
            )
        ]

    # Power and margins.

    @cached_property
    def _margin_verdicts(self) -> list[MarginVerdict | None]:
        margin = self._plan.margin.get(self._key)
        if margin is None:
            return [None] * len(self._pairs)
        margins = Margins(
            self._scope,
            self._dataset,
            self._plan,
            self._s,
            self._means,
            self._range,
            None if self._estimates is None else self._estimates.halves,
            self._spread,
        )
        return [
            margins.judge(a, b, margin, slack)
            for (a, b), slack in zip(self._pairs, self._observed.tolerance.tolist(), strict=True)
        ]

    def _check_strict(self) -> None:
        """Reject --strict margins that no data could decide."""
        has_bounds = self._means is not None and self._range is not None
        if self._plan.strict and self._key in self._plan.margin and not has_bounds:
            raise UsageError(self._missing_bounds("--strict"))

    def _missing_bounds(self, option: str) -> str:
        """An error message: an option needs the range of a score, which is unknown."""
        name = self._sample.metric.name
        column = "COL" if self._dataset.texts is not None else name
        tables = " (tables only)" if self._dataset.texts is not None else ""
        return (
            f"{option} needs item scores with known bounds, but {name} has none; leave {option} "
            f"out, or state the bounds with --columns score={column}:LOW..HIGH{tables}"
        )

    def _check_sizes(self) -> None:
        """Reject margins and differences that exceed the range of scores."""
        for option, sizes in (("margin", self._plan.margin), ("detect", self._plan.detect)):
            size = sizes.get(self._key)
            if size is not None and self._range is not None and size > self._range.width:
                width = self._range.width
                advice = (
                    f"for {size:g} percentage points, give {size / 100:g}"
                    if width == 1
                    else "give a smaller number"
                )
                raise UsageError(
                    f"{option} {self._key}={size:g}: scores can differ by at most {width:g}; "
                    f"{advice}"
                )

    @cached_property
    def _family(self) -> Family:
        plan = self._plan
        size = 1 if plan.adjust == "none" else len(self._pairs)
        return Family(plan.alpha, size, plan.alternative == "two-sided")

    @cached_property
    def _standard_errors(self) -> Scores:
        """Standard errors of the differences; 0 where only rounding errors vary."""
        errors = self._resampled.randomized.halves[self._s].standard_errors(self._chosen)
        return np.where(errors <= self._observed.tolerance, 0.0, errors)

    @cached_property
    def _run_errors(self) -> list[RunError | None]:
        """Errors of differences between systems with several runs; None if power is unknown."""
        assert self._spread is not None
        stated = self._family.states_power(self._sample.units, self._differing)
        return [
            self._spread.error(a, b) if states_power else None
            for (a, b), states_power in zip(self._pairs, stated, strict=True)
        ]

    @cached_property
    def _detectable(self) -> list[float | None]:
        return self._detectable_by(self._family)

    @property
    def gate_detectable(self) -> list[float | None]:
        """Losses that the gate would detect: one-sided, at α divided by the number of metrics."""
        return self._detectable_by(Family(self._plan.alpha, len(self._scope.samples), False))

    def _detectable_by(self, family: Family) -> list[float | None]:
        if self._plan.anytime:
            return [None] * len(self._pairs)
        if self._spread is not None:
            return [
                None if error is None else error.detectable(family) for error in self._run_errors
            ]
        return _nan_as_none(
            detectable_differences(
                self._standard_errors, self._sample.units, self._differing, family
            )
        )

    def _no_power(self, i: int) -> str:
        """The reason why a pair has no detectable difference."""
        if self._plan.anytime:
            return NOT_AT_ANY_TIME
        is_constant = self._spread is None and self._standard_errors[i] == 0
        if is_constant and self._family.states_power(self._sample.units, self._differing)[i]:
            return NOTHING_VARIES
        return TOO_FEW_DIFFER

    @cached_property
    def _units_needed(self) -> list[int | None]:
        """Number of units at which the difference of --detect is detectable, for every pair."""
        units, family, delta = self._sample.units, self._family, self._plan.detect.get(self._key)
        if delta is None or self._plan.anytime:
            return [None] * len(self._pairs)
        if self._spread is None:
            return [
                units_needed(error, units, differing, delta, family)
                for error, differing in zip(
                    self._standard_errors.tolist(), self._differing.tolist(), strict=True
                )
            ]
        return [
            None if error is None else error.units_needed(units, delta, family)
            for error in self._run_errors
        ]

    # Results of a test.

    def comparisons(
        self,
        result: PairTests,
        identical: NDArray[np.float64],
        wins_ties_losses: list[list[int]] | list[list[None]],
    ) -> Iterator[Comparison]:
        """Yield the result of a test for every pair, with interval, power and margin."""
        plan, test, names = self._plan, result.test, self._sample.names
        alternative = _alternative(test, plan)
        p_values = result.p_values[alternative]
        p_adjusted, method = self._adjust(test, p_values)
        reason = self._reason_for_no_conclusion(test)
        significant = (p_adjusted <= plan.alpha) & (reason is None)
        contradicts = significant & _contradictions(result, alternative, self._observed)
        intervals = self._intervals(result)
        # Lists, because reading arrays one element at a time is slow.
        scores = self._sample.scores().tolist()
        shares = identical.tolist() if self._scope.label is None else None
        trials, exact = result.trials.tolist(), result.exact.tolist()
        counts, p_stderr = result.counts[alternative].tolist(), result.p_stderr(alternative)
        p, adjusted, stderr = _nan_as_none(p_values), _nan_as_none(p_adjusted), p_stderr.tolist()
        are_significant, are_contradicted = significant.tolist(), contradicts.tolist()
        are_open = result.is_open.tolist()
        interval_contradicts = self._interval_contradictions(intervals, p_values, test, alternative)
        for i, (a, b) in enumerate(self._pairs):
            verdict, detectable = self._margin_verdicts[i], self._detectable[i]
            wins, ties, losses = wins_ties_losses[i]
            yield Comparison(
                metric=self._key,
                a=names[a],
                b=names[b],
                score_a=scores[a],
                score_b=scores[b],
                difference=scores[a] - scores[b],
                interval=intervals[i],
                level=plan.level,
                test=test,
                alternative=alternative,
                trials=trials[i],
                exact=exact[i],
                count=counts[i],
                p_value=p[i],
                p_stderr=stderr[i],
                p_adjusted=adjusted[i],
                adjust=method,
                family_size=len(self._pairs),
                significant=are_significant[i],
                detectable=detectable,
                detectable_reason=None if detectable is not None else self._no_power(i),
                seed=plan.seed,
                identical=None if shares is None else shares[a][b],
                slice=self._scope.label,
                margin=plan.margin.get(self._key),
                units_needed=self._units_needed[i],
                contradicts=are_contradicted[i],
                interval_contradicts=interval_contradicts[i],
                within_error=are_open[i],
                inconclusive=reason,
                wins=wins,
                ties=ties,
                losses=losses,
                margin_interval=None if verdict is None else verdict.interval,
                margin_verdict=None if verdict is None else verdict.verdict,
                margin_upper_end=None if verdict is None else verdict.upper_end,
                margin_reason=None if verdict is None else verdict.reason,
                equivalent=None if verdict is None else verdict.equivalent,
                non_inferior=None if verdict is None else verdict.non_inferior,
            )

    def _interval_contradictions(
        self, intervals: Sequence[Ends | None], p_values: Scores, test: str, alternative: str
    ) -> list[bool]:
        """Mark intervals that contradict the test at their level.

        An interval should exclude 0 if and only if the test rejects. Beside a one-sided test, a
        two-sided interval may include 0 although the test rejects.
        """
        missing = (math.nan, math.nan)
        low, high = np.array([ends or missing for ends in intervals]).T
        rejects = p_values <= 1 - self._plan.level
        if alternative == "two-sided":
            contradicts = ((low > 0) | (high < 0)) != rejects
        else:
            above = (alternative == "better") == (self._observed.sign > 0)
            excludes, is_against = (low > 0, high < 0) if above else (high < 0, low > 0)
            is_bound = np.isinf(high if above else low)
            contradicts = np.where(
                is_bound, excludes != rejects, (excludes & ~rejects) | (is_against & rejects)
            )
        is_known = ~(np.isnan(low) | np.isnan(p_values))
        if test == "randomization" and self._plan.interval == "halving":
            is_known &= (low != 0) & (high != 0)  # an end at 0 is open or closed according to p
        return (is_known & contradicts).tolist()  # type: ignore[no-any-return]

    def _adjust(self, test: str, p_values: Scores) -> tuple[Scores, str]:
        """Adjusted p-values of the family, and the method of adjustment."""
        if test in BLOCK_TESTS:  # their p-values are already adjusted
            return p_values, test
        if test == ANYTIME:
            return np.minimum(1.0, 1 / adjust_e_values(self._bets.e_values)), CLOSED
        unknown = np.isnan(p_values)  # adjusted as if they were 1, but kept NaN
        adjusted = adjust(np.where(unknown, 1.0, p_values), self._plan.adjust)
        adjusted[unknown] = np.nan
        return adjusted, self._plan.adjust

    def _reason_for_no_conclusion(self, test: str) -> str | None:
        procedure = PROCEDURES[test]
        units = self._sample.units
        is_bootstrap = procedure.kind == "pairs" and procedure.trials == "bootstrap"
        if not is_bootstrap or units >= FEWEST_BOOTSTRAPPED:
            return None
        unit = self._dataset.unit
        return f"bootstrap tests need at least {FEWEST_BOOTSTRAPPED} {unit}s, not {units}"


def _alternative(test: str, plan: Plan) -> str:
    return "two-sided" if test in (*BLOCK_TESTS, ANYTIME) else plan.alternative


def _contradictions(result: PairTests, alternative: str, observed: Observed) -> NDArray[np.bool_]:
    """Mark the pairs for which the test and the scores point in different directions.

    Scores have a direction if they differ by more than rounding. A one-sided test points in the
    direction of its alternative. A two-sided test that doubles the smaller tail (the paired
    bootstrap) points in the direction of most samples. Other tests measure the distance of the
    difference from zero, so they point in the direction of the difference.
    """
    order = np.sign(observed.differences) * (np.abs(observed.differences) > observed.tolerance)
    if alternative != "two-sided":
        direction = np.full(order.shape, 1 if alternative == "better" else -1)
    elif PROCEDURES[result.test].doubled:
        # If more samples count against `worse` than against `better`, a is ahead in most.
        direction = np.sign(result.p_values["worse"] - result.p_values["better"])
    else:
        direction = np.sign(observed.differences)
    return np.asarray(order * direction <= 0)


def _nan_as_none(p_values: Scores) -> list[float | None]:
    return [None if math.isnan(p) else p for p in p_values.tolist()]
