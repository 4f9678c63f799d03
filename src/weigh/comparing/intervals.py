"""Confidence intervals of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.comparing.plan import Plan
from weigh.engine.threads import Progress
from weigh.errors import InputError, UsageError
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.scoring import SystemScore, scores_of, slices_of
from weigh.metrics.statistics import equipped, statistics
from weigh.metrics.words import settled_all
from weigh.stats.intervals import (
    bca_interval,
    expanded_interval,
    percentile_interval,
    t_interval,
)
from weigh.stats.procedures import BLOCK_TESTS
from weigh.stats.resample import bootstrap_scores
from weigh.stats.sample import Sample, by_document
from weigh.types import Metric, System, TestSet

if TYPE_CHECKING:
    from weigh.metrics.stored import Collection, StoredStatistics
    from weigh.types import Scores


def score_with_intervals(
    systems: Sequence[System],
    test_set: TestSet,
    metrics: Sequence[Metric | Definition],
    *,
    interval: str,
    level: float = 0.95,
    trials: int = 10_000,
    seed: int = 12345,
    segments: bool = False,
    details: bool = False,
    stored: StoredStatistics | None = None,
    keep: Collection | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[SystemScore]:
    """Score systems like `weigh.score`, each score with its interval.

    `interval` is `percentile`, `expanded` or `bca`, from as many bootstrap samples as `trials`, or
    `t`; one unit has none. Units are segments, or documents where the test set has them. Every
    system stands for itself, each run of it too, and the draws are those of `weigh.compare` with
    the same seed.
    """
    if len(test_set) == 0:
        raise InputError("the test set is empty; give at least one segment")
    plan = Plan(interval=interval, level=level, trials=trials, seed=seed)
    known = settled_all(list(map(as_metric, metrics)), test_set, systems, stored)
    check_segment_means(plan, known, test_set.documents)
    systems = equipped(systems, test_set, known, stored)
    slices = slices_of(test_set)
    hypotheses = len(systems) * len(test_set)
    each = hypotheses + len(slices) * trials
    results = []
    for number, metric in enumerate(known):

        def tell(done: int, _: int, before: int = number * each) -> None:
            if progress is not None:
                progress(before + done, len(metrics) * each)

        rows = statistics(systems, test_set, metric, stored=stored, threads=threads, progress=tell)
        if keep is not None:
            keep.add(metric, rows)
        entries = scores_of(metric, systems, rows, test_set, segments=segments, details=details)
        for place, (_, members) in enumerate(slices):
            chosen = [one[members] for one in rows]
            if test_set.documents is not None:
                documents = np.array(test_set.documents, dtype=object)[members]
                chosen = [by_document(one, documents) for one in chosen]
            names = tuple(system.name for system in systems)
            sample = Sample(metric, names, tuple((one,) for one in chosen))

            def tell_trials(
                done: int, _: int, before: int = number * each + hypotheses + place * trials
            ) -> None:
                if progress is not None:
                    progress(before + done, len(metrics) * each)

            [boots] = bootstrap_scores(
                [sample], trials, seed, threads=threads, progress=tell_trials
            )
            first = place * len(systems)
            for i, ends in enumerate(intervals_of(sample, plan, boots)):
                results.append(replace(entries[first + i], interval=ends, level=level))
    return results


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
