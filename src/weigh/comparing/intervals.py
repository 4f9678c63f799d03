"""Confidence intervals of scores, without comparing anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from weigh.engine.threads import Progress
from weigh.errors import InputError, UsageError
from weigh.metrics.registry import key_of
from weigh.metrics.scoring import SystemScore
from weigh.metrics.statistics import statistics
from weigh.stats.intervals import bca_interval, percentile_interval, t_interval
from weigh.stats.resample import bootstrap_scores
from weigh.stats.sample import Sample, by_document
from weigh.types import Metric, System, TestSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Rows, Scores


def score_with_intervals(
    systems: Sequence[System],
    test_set: TestSet,
    metrics: Sequence[Metric],
    *,
    interval: str,
    level: float = 0.95,
    trials: int = 10_000,
    seed: int = 12345,
    segments: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[SystemScore]:
    """Score systems like `weigh.score`, each score with its interval.

    `interval` is `percentile` or `bca`, from as many bootstrap samples as `trials`, or `t`. Units
    are segments, or documents where the test set has them. Every system stands for itself, each
    run of it too, and the draws are those of `weigh.compare` with the same seed.
    """
    if len(test_set) == 0:
        raise InputError("the test set is empty; give at least one segment")
    check_t(metrics, interval)
    measuring = len(metrics) * len(systems) * len(test_set)
    views = _views(test_set)
    total = measuring + (0 if interval == "t" else len(metrics) * len(views) * trials)
    done = 0
    results = []
    for metric in metrics:

        def tell(now: int, _: int, before: int = done) -> None:
            if progress is not None:
                progress(before + now, total)

        rows = statistics(systems, test_set, metric, threads=threads, progress=tell)
        done += len(systems) * len(test_set)
        for label, members in views:
            chosen = [each if members is None else each[members] for each in rows]
            sample = _sample(metric, systems, chosen, test_set, members)
            boots = None
            if interval != "t":

                def tell_trials(now: int, _: int, before: int = done) -> None:
                    if progress is not None:
                        progress(before + now, total)

                [boots] = bootstrap_scores(
                    [sample], trials, seed, threads=threads, progress=tell_trials
                )
                done += trials
            ends = intervals_of(sample, interval, level, boots, chosen)
            for number, (system, own, score) in enumerate(
                zip(systems, chosen, sample.scores(), strict=True)
            ):
                results.append(
                    SystemScore(
                        metric=key_of(metric),
                        name=metric.name,
                        signature=metric.signature(
                            len(test_set.references) + len(systems[0].references)
                        ),
                        higher_is_better=metric.higher_is_better,
                        system=system.name,
                        score=float(score),
                        run=system.run,
                        slice=label,
                        interval=ends[number],
                        level=level,
                        segments=metric.segment_scores(own)
                        if segments and members is None
                        else None,
                    )
                )
    return results


def intervals_of(
    sample: Sample, interval: str, level: float, boots: Scores | None, segments: Sequence[Rows]
) -> list[tuple[float, float]]:
    """Return the interval of each system's score.

    `boots` are its bootstrap scores (systems × trials), which t does without; `segments` its rows
    by segment, which only t needs.
    """
    if interval == "t":
        return [t_interval(sample.metric.segment_scores(rows), level) for rows in segments]
    assert boots is not None
    if interval == "percentile":
        low, high = percentile_interval(boots, level)
        return [(float(a), float(b)) for a, b in zip(low, high, strict=True)]
    jackknife = sample.jackknife()
    return [
        bca_interval(boots[i], score, jackknife[i], level)
        for i, score in enumerate(sample.scores())
    ]


def check_t(metrics: Sequence[Metric], interval: str) -> None:
    """Refuse t intervals for scores that are no means of segments' scores."""
    for metric in metrics:
        if interval == "t" and not metric.mean_of_segments:
            raise UsageError(
                f"{metric.name} is not a mean of segment scores, as a t interval needs; "
                "use --interval percentile or bca"
            )


def _views(test_set: TestSet) -> list[tuple[str | None, NDArray[np.intp] | None]]:
    """Return the whole test set, then every slice with its segments, in order of appearance."""
    labels = test_set.slices
    if labels is None:
        return [(None, None)]
    members: dict[str, list[int]] = {}
    for segment, label in enumerate(labels):
        members.setdefault(label, []).append(segment)
    return [(None, None), *((label, np.array(own)) for label, own in members.items())]


def _sample(
    metric: Metric,
    systems: Sequence[System],
    rows: Sequence[Rows],
    test_set: TestSet,
    members: NDArray[np.intp] | None,
) -> Sample:
    if test_set.documents is not None:
        chosen = range(len(test_set)) if members is None else members
        documents = [test_set.documents[i] for i in chosen]
        rows = [by_document(each, documents) for each in rows]
    return Sample(metric, tuple(system.name for system in systems), tuple((r,) for r in rows))
