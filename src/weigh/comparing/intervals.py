"""Confidence intervals of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weigh.comparing.plan import Plan
from weigh.errors import UsageError
from weigh.stats.intervals import (
    bca_interval,
    expanded_interval,
    percentile_interval,
    t_interval,
)
from weigh.stats.procedures import BLOCK_TESTS
from weigh.stats.sample import Sample
from weigh.types import Metric

if TYPE_CHECKING:
    from weigh.types import Scores


def intervals_of(
    sample: Sample, plan: Plan, boots: Scores, *, plain: bool = True
) -> list[tuple[float, float] | None]:
    """Return the interval of each system's score.

    `boots` are its bootstrap scores (systems × trials). A t interval is there for `plain`
    samples only: of segments, without strata. One unit has no interval, and no more has the mean
    of slices of which one has a single unit.
    """
    units = sample.fewest_units
    if units < 2:
        return [None] * len(sample.names)
    if plan.interval == "t":
        if not plain:
            return [None] * len(sample.names)
        return [t_interval(column, plan.level) for column in sample.segment_means().T]
    if plan.interval != "bca":
        low, high = (
            expanded_interval(boots, units, plan.level)
            if plan.interval == "expanded"
            else percentile_interval(boots, plan.level)
        )
        return [(float(a), float(b)) for a, b in zip(low, high, strict=True)]
    scores = sample.scores()
    return [
        bca_interval(boot, score, left_out, plan.level, tolerance=1e-12 * size)
        for boot, score, left_out, size in zip(
            boots, scores, sample.jackknife(), sample.magnitudes(scores), strict=True
        )
    ]


def check_segment_means(
    plan: Plan, metrics: Sequence[Metric], documents: Sequence[str] | None
) -> None:
    """Refuse what reckons with segment scores where there are none, or where units are others."""
    choices = [(test, "--test randomization") for test in plan.tests if test in BLOCK_TESTS]
    if plan.interval == "t":
        choices.append(("a t interval", "--interval percentile or bca"))
    for choice, remedy in choices:
        for metric in metrics:
            if not metric.mean_of_segments:
                raise UsageError(
                    f"{metric.name} is not a mean of segment scores, as {choice} needs; "
                    f"use {remedy}"
                )
        if documents is not None:
            raise UsageError(
                f"{choice} takes segments for units, not documents; use {remedy}, "
                "or leave out --documents"
            )
