"""The power of tests by sample size, simulated from a pilot."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from weigh.comparing.dataset import Dataset
from weigh.comparing.scopes import scopes
from weigh.engine.executors import Task, accepts_executor, spread
from weigh.errors import InputError, UsageError, did_you_mean, plural
from weigh.human.draws import ArrayDraws
from weigh.metrics.registry import decimals_of, key_of
from weigh.result import Extent, Result, checked, checked_decimals, derived, warns
from weigh.stats.intervals import Proportion
from weigh.stats.power import Family, units_needed
from weigh.stats.resample import bootstrap_scores
from weigh.stats.sample import Sample
from weigh.validate.battery import Battery
from weigh.validate.plan import PowerPlan

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from weigh.engine.threads import Progress
    from weigh.types import Rows, Scores

# Larger data sets are not simulated to check a formula: it is the better the larger they are.
MOST_UNITS = 10_000
_LEAST_UNITS = 2
# Simulated data sets that are one piece of work.
_PIECE = 20
_PAIR = [(0, 1)]


@dataclass(frozen=True, slots=True)
class Power:
    """Power of one test by one metric for a true difference and a number of units."""

    metric: str
    test: str
    difference: float
    size: int
    found: int
    simulations: int
    interval: tuple[float, float]

    def __post_init__(self) -> None:
        checked(
            0 <= self.found <= self.simulations > 0, f"{self.found:,} of {self.simulations:,} found"
        )

    @classmethod
    def of(
        cls,
        metric: str,
        test: str,
        difference: float,
        size: int,
        proportion: Proportion,
        level: float,
    ) -> Power:
        """Return a share of simulated data sets with its exact interval."""
        return cls(
            metric,
            test,
            difference,
            size,
            proportion.count,
            proportion.total,
            proportion.interval(level),
        )

    @property
    @derived
    def power(self) -> float:
        """The share of simulated data sets in which the difference is found."""
        return self.found / self.simulations


@dataclass(frozen=True, slots=True)
class Need:
    """The number of units that a true difference needs by a formula, and its simulated power.

    `checks` are what each test finds in simulated data sets of that size. They are empty where the
    pilot holds no such difference or the data sets would be too large. `stated` says that the
    difference is the user's own.
    """

    metric: str
    difference: float
    stated: bool
    size: int
    checks: tuple[Power, ...]

    def misses(self, aim: float) -> Literal["below", "above"] | None:
        """On which side the test with the least power misses the aim, beyond chance."""
        if not self.checks:
            return None
        low, high = min(self.checks, key=lambda row: row.found).interval
        return "below" if high < aim else "above" if low > aim else None


@dataclass(frozen=True, slots=True)
class PilotMetric:
    """The pilot's difference by one metric, with the decimals for display."""

    metric: str
    decimals: int
    observed: float

    def __post_init__(self) -> None:
        checked_decimals(self.decimals, self.metric)


@dataclass(frozen=True, slots=True)
class PowerResult(Result):
    """Power by true difference and size, and what differences need.

    `pilot` is the size of the pilot, in `unit`s.
    """

    command: ClassVar[str] = "validate power"

    test_set: Extent
    systems: tuple[str, str]
    unit: str
    pilot: int
    metrics: tuple[PilotMetric, ...]
    plan: PowerPlan
    signatures: Mapping[str, str]
    powers: tuple[Power, ...]
    needs: tuple[Need, ...]
    remarks: tuple[str, ...] = ()

    def needs_of(self, metric: str) -> list[Need]:
        """The sizes that differences by a metric need."""
        return [need for need in self.needs if need.metric == metric]

    def largest_need(self, metric: str) -> Need | None:
        """The size that the largest difference by a metric needs, if it has differences."""
        return max(self.needs_of(metric), key=lambda need: abs(need.difference), default=None)


class PowerCell(NamedTuple):
    """One simulation: the pilot's difference at a strength, with a number of units.

    `only` is the number of the one metric that is asked, None for all.
    """

    strength: float
    size: int
    only: int | None = None


Found = dict[tuple[PowerCell, str, int], Proportion]
"""How often a test finds the difference of a cell by the metric of a number."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A difference by one metric, its strength if the pilot holds it, and the units it needs.

    Where there is `alone` one metric, what was simulated for all is simulated for it.
    """

    sample: int
    difference: float
    strength: float | None
    stated: bool
    size: int
    alone: bool = False

    @property
    def cell(self) -> PowerCell | None:
        """The simulation that checks the number of units, None where there is none."""
        if self.strength is None or self.size > MOST_UNITS:
            return None
        return PowerCell(self.strength, self.size, None if self.alone else self.sample)


class PowerPiece(NamedTuple):
    """A part of the simulations of a cell; `number` counts all pieces of all cells."""

    cell: PowerCell
    part: int
    number: int


class Simulations:
    """Simulations of a grid of strengths and sizes, and of the sizes that differences need.

    Every piece of work has draws of its own, which depend on its number: the grid stands first.
    """

    def __init__(
        self,
        plan: PowerPlan,
        tests: Sequence[str],
        metrics: Sequence[PilotMetric],
        sought: Sequence[Sought],
        true_difference: Callable[[int, float], float],
    ) -> None:
        self._plan, self._tests, self._metrics = plan, tests, metrics
        self._required_sizes = sought
        self._true_difference = true_difference
        self._grid = [
            PowerCell(strength, size) for strength in plan.strengths for size in plan.sizes
        ]
        self._found: Found = {}

    def run(
        self,
        count: Task[list[list[int]]],
        shared: Any,
        pieces: int,
        threads: int,
        progress: Progress | None,
    ) -> tuple[tuple[Power, ...], tuple[Need, ...]]:
        """Return the powers of the grid, and what the differences need.

        `count` returns in how many of the data sets of a piece each test, by each metric that a
        cell asks, finds the difference; a cell has so many `pieces`.
        """
        checks = [sought.cell for sought in self._required_sizes]
        cells = list(dict.fromkeys([*self._grid, *(cell for cell in checks if cell is not None)]))
        work = [
            PowerPiece(cell, part, at * pieces + part)
            for at, cell in enumerate(cells)
            for part in range(pieces)
        ]
        results = spread(count, work, shared, threads=threads, progress=progress)
        for at, cell in enumerate(cells):
            self._take(cell, np.sum(results[at * pieces : (at + 1) * pieces], axis=0).tolist())
        powers = [
            self._power(number, test, cell)
            for number in range(len(self._metrics))
            for test in self._tests
            for cell in self._grid
        ]
        return tuple(powers), tuple(map(self._need, self._required_sizes))

    def _take(self, cell: PowerCell, totals: Sequence[Sequence[int]]) -> None:
        numbers = range(len(self._metrics)) if cell.only is None else [cell.only]
        for test, counts in zip(self._tests, totals, strict=True):
            for number, count in zip(numbers, counts, strict=True):
                self._found[cell, test, number] = Proportion(count, self._plan.simulations)

    def _power(self, number: int, test: str, cell: PowerCell) -> Power:
        return Power.of(
            self._metrics[number].metric,
            test,
            self._true_difference(number, cell.strength),
            cell.size,
            self._found[cell, test, number],
            self._plan.level,
        )

    def _need(self, sought: Sought) -> Need:
        cell = sought.cell
        return Need(
            self._metrics[sought.sample].metric,
            sought.difference,
            sought.stated,
            sought.size,
            ()
            if cell is None
            else tuple(self._power(sought.sample, test, cell) for test in self._tests),
        )


@warns
@accepts_executor
def power(
    dataset: Dataset,
    plan: PowerPlan | None = None,
    *,
    threads: int = 0,
    executor: Executor | None = None,  # noqa: ARG001, taken by @accepts_executor
    progress: Progress | None = None,
) -> PowerResult:
    """Simulate data sets whose true difference is known, and count how often a test finds it.

    1. Units are drawn with replacement from the pilot, the two systems' outputs together.
    2. For a share w of the pilot's difference, a coin with the chance (1 − w)/2 exchanges the
       outputs of a unit. The true difference is that of the expected sums: with w = 1 that of
       the pilot, with w = 0 none.
    3. The share of data sets with two-sided p ≤ α is the power.
    4. The units that a difference needs come from the bootstrap's standard error, which falls
       with the root of their number; a simulation with that number checks it.
    """
    plan = plan or PowerPlan()
    samples = scopes(dataset)[0].samples
    outputs = sum(map(len, samples[0].rows))
    if len(dataset.names) != 2 or len(samples[0].rows[0]) != 1:
        raise InputError(
            "a pilot needs two systems with one output each, but there "
            f"{'is' if outputs == 1 else 'are'} {plural(outputs, 'output')} "
            f"({', '.join(dataset.names)})"
        )
    metrics = [key_of(sample.metric) for sample in samples]
    for metric in plan.detect:
        if metric not in metrics:
            raise UsageError(
                f"detect for {metric!r}, which is not among the metrics; "
                f"{did_you_mean(metric, metrics)}"
            )
    units = samples[0].units
    truths = [TrueDifference(sample) for sample in samples]
    boots = bootstrap_scores(samples, plan.trials, plan.seed, threads=threads)
    sought = [
        difference
        for s, (truth, boot) in enumerate(zip(truths, boots, strict=True))
        for difference in _required_sizes(s, truth, units, plan, _standard_error(samples[s], boot))
    ]
    pilots = tuple(
        PilotMetric(truth.metric, decimals_of(sample.metric), truth.at(1.0))
        for truth, sample in zip(truths, samples, strict=True)
    )
    together = [np.array([rows for [rows] in sample.rows]) for sample in samples]
    study = Simulations(plan, plan.tests, pilots, sought, lambda s, w: truths[s].at(w))
    pieces = -(-plan.simulations // _PIECE)
    shared = (samples, together, plan)
    powers, needs = study.run(_found_in_piece, shared, pieces, threads, progress)
    first, second = dataset.names
    return PowerResult(
        dataset.test_set,
        (first, second),
        dataset.unit,
        units,
        pilots,
        plan,
        dataset.signatures,
        powers,
        needs,
        dataset.remarks,
    )


def _found_in_piece(
    shared: tuple[Sequence[Sample], Sequence[Rows], PowerPlan], piece: PowerPiece
) -> list[list[int]]:
    """The number of data sets of a piece in which each test finds the difference."""
    samples, together, plan = shared
    cell = piece.cell
    part = slice(None) if cell.only is None else slice(cell.only, cell.only + 1)
    counts = np.zeros((len(plan.tests), len(samples[part])), dtype=np.int64)
    for number in range(min(_PIECE, plan.simulations - piece.part * _PIECE)):
        draws = ArrayDraws(plan.seed, piece.number * _PIECE + number)
        data_set = simulated(samples[part], together[part], cell.strength, cell.size, draws)
        battery = Battery(data_set, _PAIR, plan.trials, draws.seed())
        tested = battery.run(plan.tests, threads=1)
        p = [[float(outcome.p_values["two-sided"][0]) for outcome in tested[t]] for t in plan.tests]
        counts += np.array(p) <= plan.alpha
    rejections: list[list[int]] = counts.tolist()
    return rejections


class TrueDifference:
    """The difference by one metric of the expected sums when units are exchanged by (1 − w)/2."""

    def __init__(self, sample: Sample) -> None:
        self.metric = key_of(sample.metric)
        self._score = sample.score
        self._sums = [rows.sum(axis=0) for [rows] in sample.rows]  # once: a pilot may be large

    def at(self, strength: float) -> float:
        """Return the true difference at a strength w."""
        first, second = self._sums
        kept = (1 + strength) / 2
        sums = np.array([kept * first + (1 - kept) * second, kept * second + (1 - kept) * first])
        scores = self._score(sums)
        return float(scores[0] - scores[1])

    def strength_of(self, difference: float) -> float | None:
        """The strength that gives a difference, or None if the pilot's is smaller."""
        low, high = 0.0, 1.0
        if abs(self.at(1.0)) < difference:
            return None
        for _ in range(40):
            middle = (low + high) / 2
            if abs(self.at(middle)) < difference:
                low = middle
            else:
                high = middle
        return high


def _standard_error(sample: Sample, boot: Scores) -> float:
    """Bootstrap standard error of the difference, computed instead of drawn for means."""
    by_units = sample.run_scores()
    if by_units is None:
        return float((boot[0] - boot[1]).std(ddof=1))
    [first], [second] = by_units
    return math.sqrt(sample.mean_variance(first - second))


def _required_sizes(
    s: int, truth: TrueDifference, units: int, plan: PowerPlan, error: float
) -> Iterator[Sought]:
    """Yield the requested differences with the formula's number of units."""
    metric, observed = truth.metric, truth.at(1.0)
    differences: list[tuple[float, float | None, bool]] = [
        (truth.at(strength), strength, False) for strength in plan.strengths if strength > 0
    ]
    if metric in plan.detect:
        stated = plan.detect[metric]
        differences.append((math.copysign(stated, observed), truth.strength_of(stated), True))
    for difference, strength, is_stated in differences:
        if difference == 0:  # systems that do not differ
            continue
        # Exchanging units adds to the variance of their differences what it takes from the
        # square of the mean.
        kept = 1.0 if strength is None else strength
        noise = math.sqrt(error**2 + (1 - kept**2) * observed**2 / units)
        family = Family(plan.alpha, power=plan.power)
        formula = units_needed(noise, units, units, abs(difference), family)
        if formula is not None:
            yield Sought(s, difference, strength, is_stated, max(_LEAST_UNITS, formula))


def simulated(
    samples: Sequence[Sample],
    together: Sequence[Rows],
    strength: float,
    size: int,
    draws: ArrayDraws,
) -> list[Sample]:
    """Draw a data set of two systems whose true difference is a share of the pilot's.

    `together` holds the rows of both systems, for each sample: 2 × units × width.
    """
    chosen = draws.below(samples[0].units, size)
    first = draws.chances((1 - strength) / 2, size).astype(np.intp)
    return [
        Sample(sample.metric, sample.names, ((rows[first, chosen],), (rows[1 - first, chosen],)))
        for sample, rows in zip(samples, together, strict=True)
    ]
