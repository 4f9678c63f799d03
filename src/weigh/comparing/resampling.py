"""The random draws behind a comparison: swaps, halves, bootstrap samples and runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.comparing.plan import BOOTSTRAP_TRIALS, Plan
from weigh.comparing.scopes import Scope
from weigh.engine.threads import Progress
from weigh.stats.adaptive import Decision
from weigh.stats.procedures import PROCEDURES
from weigh.stats.randomization import Randomized, randomization
from weigh.stats.resample import Pairs, bootstrap_scores
from weigh.stats.runs import RunSpread, run_spreads
from weigh.stats.sample import Sample

if TYPE_CHECKING:
    from weigh.types import Scores


# An offset this many times larger than the other scores is subtracted before the bootstrap, because
# it would cost bootstrap scores precision.
_LARGE_OFFSET = 1000.0


@dataclass(frozen=True, slots=True)
class Resampled:
    """The random draws that the plan needs, for all metrics of a scope.

    `boots` are the bootstrap scores of `bootstrapped`: the samples with `offsets` subtracted.
    """

    randomized: Randomized
    boots: Sequence[Scores]
    spreads: Sequence[RunSpread]
    bootstrapped: Sequence[Sample] = ()
    offsets: Sequence[float] = ()


def resample_scope(
    scope: Scope, plan: Plan, pairs: Pairs, threads: int, progress: Progress | None
) -> Resampled:
    """Draw what the plan's tests and intervals need, once for all metrics."""
    samples = scope.samples
    trials = plan.trials or BOOTSTRAP_TRIALS
    if plan.runs_as_sample:
        spreads = run_spreads(samples, trials, plan.seed, threads=threads, progress=progress)
        differing = [
            np.array([sum(spread.sample.differing(a, b)) for a, b in pairs], np.int64)
            for spread in spreads
        ]
        untested = Randomized([], [], differing)
        return Resampled(untested, [spread.means + spread.offset for spread in spreads], spreads)
    by_bootstrap = plan.interval in ("percentile", "bca") or any(
        PROCEDURES[test].kind == "pairs" and PROCEDURES[test].trials == "bootstrap"
        for test in plan.tests
    )
    boots: Sequence[Scores] = ()
    bootstrapped, offsets = samples, (0.0,) * len(samples)
    if by_bootstrap:
        bootstrapped, offsets = zip(*map(_subtract_large_offset, samples), strict=True)
        boots = bootstrap_scores(
            bootstrapped, trials, plan.seed, threads=threads, progress=progress
        )
    decisions = [Decision(plan.alternative, plan.alpha, plan.adjust, len(pairs))]
    if plan.gate:
        decisions.append(Decision("worse", plan.alpha, "bonferroni", len(samples)))
    randomized = randomization(
        samples,
        pairs,
        plan.seed,
        trials=plan.trials,
        decisions=decisions,
        tests="randomization" in plan.tests,
        halves=True,
        threads=threads,
        progress=progress,
    )
    return Resampled(randomized, boots, (), bootstrapped, offsets)


def _subtract_large_offset(sample: Sample) -> tuple[Sample, float]:
    """Subtract an offset that would cost differences precision; return the sample and offset."""
    shifted, offset = sample.subtract_offset()
    largest = max(float(np.abs(run[:, 0]).max()) for runs in shifted.rows for run in runs)
    if abs(offset) <= _LARGE_OFFSET * largest:
        return sample, 0.0
    return shifted, offset
