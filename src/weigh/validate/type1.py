"""The rate at which tests reject true null hypotheses (Riezler & Maxwell 2005, table 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from weigh.comparing.dataset import Dataset
from weigh.comparing.scopes import scopes
from weigh.engine.executors import accepts_executor, spread
from weigh.errors import InputError, UsageError
from weigh.human.draws import ArrayDraws
from weigh.metrics.registry import key_of
from weigh.result import Extent, Result, checked, derived, warns
from weigh.stats.intervals import Proportion
from weigh.stats.procedures import PROCEDURES, any_use_trials, function_of
from weigh.stats.resample import swapped_differences
from weigh.stats.sample import Sample
from weigh.validate.battery import Battery
from weigh.validate.plan import SIDES, Type1Plan

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from weigh.engine.threads import Progress
    from weigh.types import Rows, Scores

# Null data sets that are one piece of work.
_PIECE = 20
_PAIR = [(0, 1)]
# MultEval's flaw shows where a system has several runs; identical ones are the plainest case.
MULTEVAL_RUNS = 3


@dataclass(frozen=True, slots=True)
class Rejections:
    """The rejection rate of one test by one metric for true null hypotheses at a level.

    The alternative `doubled` is twice the smaller of both one-sided p-values. `verdict` is about
    all shares of a study together, and so is wider than `interval`.
    """

    metric: str
    test: str
    alternative: str
    alpha: float
    rejected: int
    nulls: int
    interval: tuple[float, float]
    verdict: Literal["too often", "too seldom"] | None

    def __post_init__(self) -> None:
        checked(0 <= self.rejected <= self.nulls, f"{self.rejected:,} of {self.nulls:,} rejected")

    @classmethod
    def of(
        cls,
        metric: str,
        test: str,
        alternative: str,
        alpha: float,
        proportion: Proportion,
        plan: Type1Plan,
        cells: int,
    ) -> Rejections:
        """A share with its exact interval, and whether α is outside it.

        The verdict's interval is so wide that all `cells` of a study together have the plan's level
        (Bonferroni): the chance of even one false verdict is at most 1 − that level.
        """
        low, high = proportion.interval(1 - (1 - plan.level) / cells)
        verdict: Literal["too often", "too seldom"] | None = None
        if low > alpha:
            verdict = "too often"
        elif high < alpha:
            verdict = "too seldom"
        return cls(
            metric,
            test,
            alternative,
            alpha,
            proportion.count,
            proportion.total,
            proportion.interval(plan.level),
            verdict,
        )

    @property
    @derived
    def share(self) -> float:
        """The share of true null hypotheses that is rejected."""
        return self.rejected / self.nulls


@dataclass(frozen=True, slots=True)
class Type1Result(Result):
    """Rejections of true null hypotheses, and what they were made of."""

    command: ClassVar[str] = "validate type1"

    test_set: Extent
    systems: tuple[str, ...]
    outputs: int
    unit: str
    size: int
    plan: Type1Plan
    signatures: Mapping[str, str]
    rejections: tuple[Rejections, ...]
    remarks: tuple[str, ...] = ()

    @property
    def is_swapped(self) -> bool:
        """Whether the pairs were made by swapping the outputs of two systems."""
        return self.outputs == 2 and len(self.systems) == 2

    def sound(self, metric: str) -> list[Rejections]:
        """The rates of sound tests by a metric, at all levels."""
        return [
            row for row in self.rejections if row.metric == metric and row.test in self.plan.tests
        ]

    def flawed(self, metric: str) -> list[Rejections]:
        """The rates of flawed formulas by a metric, at α = .05 or else the last level."""
        plan = self.plan
        alpha = 0.05 if 0.05 in plan.alphas else plan.alphas[-1]
        return [
            row
            for row in self.rejections
            if row.metric == metric and row.test in plan.compat and row.alpha == alpha
        ]


@warns
@accepts_executor
def type1(
    dataset: Dataset,
    plan: Type1Plan | None = None,
    *,
    threads: int = 0,
    executor: Executor | None = None,  # noqa: ARG001, taken by @accepts_executor
    progress: Progress | None = None,
) -> Type1Result:
    """Test pairs of systems that are equal by construction, and count what is found.

    1. For every unit two of the outputs at hand are drawn, in random order, one for each system;
       of two outputs, a fair coin decides which system gets which. Exchanging the systems in any
       unit is then as likely as not, as the null hypothesis of randomization has it. Outputs may
       be two systems, or any entries of an n-best list.
    2. Every test is run on that pair, with a seed of its own.
    3. The share of pairs with p ≤ α is the type-I error.
    """
    plan = plan or Type1Plan()
    samples = scopes(dataset)[0].samples
    outputs = sum(map(len, samples[0].rows))
    if outputs < 2:
        raise InputError(
            f"only one output, {dataset.names[0]}; equal systems are built from two or more"
        )
    units = samples[0].units
    unit = dataset.unit
    if units < 2:
        raise InputError(f"only one {unit}; equal systems are built from two or more")
    size = units if plan.size is None else plan.size
    if not 2 <= size <= units:
        raise UsageError(f"size {size:,}, but there are {units:,} {unit}s; give 2 to {units:,}")
    together = [np.array([rows for runs in sample.rows for rows in runs]) for sample in samples]
    shared = (samples, together, size, plan)
    pieces = range(-(-plan.nulls // _PIECE))
    counts = spread(_found_in_piece, pieces, shared, threads=threads, progress=progress)
    total = np.sum(counts, axis=0)
    rejections = [
        Rejections.of(
            key_of(sample.metric),
            test,
            side,
            alpha,
            Proportion(int(total[s, k, i]), plan.nulls),
            plan,
            cells=total.size,
        )
        for s, sample in enumerate(samples)
        for k, (test, side) in enumerate(plan.kinds)
        for i, alpha in enumerate(plan.alphas)
    ]
    return Type1Result(
        dataset.test_set,
        dataset.names,
        outputs,
        unit,
        size,
        plan,
        dataset.signatures,
        tuple(rejections),
        dataset.remarks,
    )


def _found_in_piece(
    shared: tuple[Sequence[Sample], Sequence[Rows], int, Type1Plan], piece: int
) -> list[list[list[int]]]:
    """Count rejections of each kind of test, at each level, in one part of the study."""
    samples, together, size, plan = shared
    first = piece * _PIECE
    counts = np.zeros((len(samples), len(plan.kinds), len(plan.alphas)), dtype=np.int64)
    for number in range(first, min(first + _PIECE, plan.nulls)):
        draws = ArrayDraws(plan.seed, number)
        pair = _equal_systems(samples, together, size, draws)
        p = np.array(_p_values(pair, plan, draws.seed()))
        counts += p[..., None] <= np.array(plan.alphas)
    rejected: list[list[list[int]]] = counts.tolist()
    return rejected


def _equal_systems(
    samples: Sequence[Sample], together: Sequence[Rows], size: int, draws: ArrayDraws
) -> list[Sample]:
    """Draw two systems that are exchangeable: a sample for every metric."""
    outputs, units = together[0].shape[:2]
    chosen = draws.chosen(units, size) if size < units else np.arange(units)
    first = draws.below(outputs, size)
    second = (first + 1 + draws.below(outputs - 1, size)) % outputs
    return [
        Sample(sample.metric, ("A", "B"), ((rows[first, chosen],), (rows[second, chosen],)))
        for sample, rows in zip(samples, together, strict=True)
    ]


def _p_values(samples: Sequence[Sample], plan: Type1Plan, seed: int) -> list[list[float]]:
    """Return the p-values of all kinds of tests for every metric."""
    battery = Battery(samples, _PAIR, plan.trials, seed)
    boots: list[Scores] | None = None
    if any_use_trials((*plan.tests, *plan.compat), "bootstrap"):
        boots = battery.bootstrap_scores(threads=1)
    tested = battery.run(plan.tests, boots=boots, threads=1)
    pooled = (
        _pooled_differences(battery, plan, seed) if any_use_trials(plan.compat, "swaps") else []
    )
    result = []
    for s, observed in enumerate(battery.observed):
        p_values: dict[tuple[str, str], float] = {}
        for test, outcomes in tested.items():
            p = {side: float(values[0]) for side, values in outcomes[s].p_values.items()}
            p["doubled"] = min(1.0, 2 * min(p["better"], p["worse"]))
            p_values |= {(test, side): p[side] for side in SIDES}
        for test in plan.compat:
            if PROCEDURES[test].trials == "swaps":
                difference, differences = pooled[s]
            else:
                assert boots is not None
                difference, differences = observed.differences[0], boots[s][0] - boots[s][1]
            p_values[test, "two-sided"] = float(function_of(test)(difference, differences))
        result.append([p_values[kind] for kind in plan.kinds])
    return result


def _pooled_differences(
    battery: Battery, plan: Type1Plan, seed: int
) -> list[tuple[float, NDArray[np.float64]]]:
    """The observed and the swapped difference of pooled runs, which are identical here."""
    samples = battery.samples
    null = np.empty((len(samples), plan.trials))

    def keep(sample: int, start: int, differences: Any) -> None:
        null[sample, start : start + differences.shape[1]] = differences[0]

    swapped_differences(
        samples,
        _PAIR,
        plan.trials,
        seed,
        keep,
        repeats=MULTEVAL_RUNS,
        stacks=battery.stacks,
        threads=1,
    )
    observed = []
    for sample in samples:
        first, second = (sample.score(MULTEVAL_RUNS * rows.sum(axis=0)) for [rows] in sample.rows)
        observed.append(first - second)
    return list(zip(map(float, observed), null, strict=True))
