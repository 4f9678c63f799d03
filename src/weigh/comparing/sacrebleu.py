"""Scores and tests in the form that sacreBLEU prints, computed by weigh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from weigh.comparing.compare import compare
from weigh.comparing.plan import Plan
from weigh.comparing.score import score
from weigh.metrics.registry import key_of
from weigh.stats.resample import bootstrap_scores

if TYPE_CHECKING:
    from weigh.comparing.dataset import Dataset
    from weigh.engine.threads import Progress

_TESTS = {"ar": "randomization", "bs": "bootstrap"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One system's score by one metric; the JSON output has these fields in this order.

    `mean` is the mean bootstrap score, and `ci` half the width of the bootstrap interval.
    """

    score: float
    p_value: float | None = None
    mean: float | None = None
    ci: float | None = None


@dataclass(frozen=True, slots=True)
class Resampling:
    """Kind and settings: intervals (`ci`), or a randomization (`ar`) or bootstrap (`bs`) test."""

    kind: Literal["ci", "ar", "bs"]
    trials: int
    seed: int

    @property
    def signature(self) -> dict[str, int]:
        """The parts of a signature that describe the resampling."""
        return {"ar" if self.kind == "ar" else "bs": self.trials, "seed": self.seed}


@dataclass(frozen=True, slots=True)
class Scores:
    """Entries of all systems by metric name, and the resampling that was used."""

    names: Sequence[str]
    entries: Mapping[str, Sequence[Entry]]
    resampling: Resampling | None = None
    warnings: Sequence[str] = field(default=())


def score_systems(
    dataset: Dataset, resampling: Resampling | None = None, progress: Progress | None = None
) -> Scores:
    """Score every system; test each against the first, without adjustment, as sacreBLEU does."""
    scores = iter(score(dataset))
    entries = {
        metric.name: [Entry(next(scores).score) for _ in dataset.names]
        for metric in dataset.metrics
    }
    if resampling is None:
        return Scores(dataset.names, entries)
    if resampling.kind != "ar":
        _add_intervals(entries, dataset, resampling)
    warnings: Sequence[str] = ()
    if resampling.kind != "ci":
        warnings = _add_p_values(entries, dataset, resampling, progress)
    return Scores(dataset.names, entries, resampling, warnings)


def _add_intervals(
    entries: Mapping[str, list[Entry]], dataset: Dataset, resampling: Resampling
) -> None:
    trials = resampling.trials
    tail = trials // 40
    drawn = bootstrap_scores(dataset.samples, trials, resampling.seed)
    for row, boots in zip(entries.values(), np.sort(drawn, axis=-1), strict=True):
        for at, ordered in enumerate(boots):
            ci = (ordered[trials - tail - 1] - ordered[tail]) / 2
            row[at] = replace(row[at], mean=float(ordered.mean()), ci=float(ci))


def _add_p_values(
    entries: Mapping[str, list[Entry]],
    dataset: Dataset,
    resampling: Resampling,
    progress: Progress | None,
) -> Sequence[str]:
    """Add the p-values, and return the warnings of the comparison."""
    plan = Plan(
        tests=(_TESTS[resampling.kind],),
        trials=resampling.trials,
        adjust="none",
        baseline=dataset.names[0],
        seed=resampling.seed,
    )
    result = compare(dataset, plan=plan, progress=progress)
    titles = {key_of(metric): metric.name for metric in dataset.metrics}
    for pair in result.comparisons:
        row = entries[titles[pair.metric]]
        at = dataset.names.index(pair.a)
        row[at] = replace(row[at], p_value=pair.p_value)
    return result.warnings
