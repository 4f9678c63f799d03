"""The result of `weigh.score`: scores with intervals, by metric, system and slice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from weigh.result import Extent, Result, checked, checked_decimals, sometimes, unsaved
from weigh.stats.procedures import RUNS_TEST
from weigh.wording import percent, plural

Scores = NDArray[np.float64]
# Names of intervals that differ from those of the option.
INTERVAL_NAMES = {"bca": "BCa", "wilson": "Wilson"}


@dataclass(frozen=True, slots=True)
class MetricShown:
    """Display settings of a metric: its name, decimals, and whether scores are in `percent`."""

    metric: str
    name: str
    decimals: int = 2
    percent: bool = sometimes(False)

    def __post_init__(self) -> None:
        checked_decimals(self.decimals, self.metric)


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One system's score by one metric, on the whole test set or on one slice.

    If requested, `details` are the components of the score and `segments` the scores of single
    segments. If not `comparable`, the metric cannot say which system is better.
    """

    metric: str
    signature: str
    lower_is_better: bool
    system: str
    score: float
    interval: tuple[float, float] | None = None
    level: float | None = None
    run: str | None = sometimes()
    slice: str | None = sometimes()
    comparable: bool = sometimes(True)
    details: Mapping[str, int | float] | None = sometimes()
    segments: Scores | None = sometimes()
    name: str = unsaved("")

    @property
    def higher_is_better(self) -> bool:
        """Whether larger scores are better."""
        return not self.lower_is_better


@dataclass(frozen=True, slots=True)
class IntervalMethod:
    """How intervals were computed; `unit` names what was resampled, and `units` is the number."""

    method: str
    level: float
    unit: str
    units: int
    trials: int | None = sometimes()
    seed: int | None = sometimes()

    def __str__(self) -> str:
        level = percent(self.level)
        if self.method in ("halving", "wilson"):
            name = "Wilson" if self.method == "wilson" else "halving"
            return f"{level} {name} intervals over {self.unit}s"
        if self.trials is None:
            return f"{level} Student's t intervals over {self.unit}s"
        samples = plural(self.trials, "bootstrap sample")
        if self.method == RUNS_TEST:
            return (
                f"{level} intervals by Student's t over runs and {self.unit}s, variances from "
                f"{samples} of {self.unit}s (by formula for plain means), seed {self.seed}"
            )
        name = INTERVAL_NAMES.get(self.method, self.method)
        return f"{level} {name} intervals, {samples} of {self.unit}s, seed {self.seed}"


# Parts of signatures that identify scores from a file, whose units users call items.
GIVEN_SCORES = frozenset(("mean:segments", "ratio:sums"))


def item_word(scores: Sequence[SystemScore], test_set: Extent) -> str:
    """The noun for units: "item" for a table of scores, "segment" for texts."""
    if test_set.references:
        return "segment"
    from_file = all(not GIVEN_SCORES.isdisjoint(score.signature.split("|")) for score in scores)
    return "item" if from_file else "segment"


def titles(metrics: Sequence[MetricShown]) -> dict[str, str]:
    """The title of each metric: its name, or its specification if two metrics share a name."""
    names = [metric.name for metric in metrics]
    return {
        metric.metric: metric.name if names.count(metric.name) == 1 else metric.metric
        for metric in metrics
    }


def interval_method(
    method: str, level: float, trials: int, seed: int, test_set: Extent, noun: str = "segment"
) -> IntervalMethod:
    """The interval method for a test set, over documents if it has any, otherwise over `noun`s."""
    if method == "t":
        return IntervalMethod(method, level, noun, test_set.segments)
    unit, units = (noun, test_set.segments)
    if test_set.documents is not None:
        unit, units = "document", test_set.documents
    if method == "wilson":
        return IntervalMethod(method, level, unit, units)
    if method == "halving":
        return IntervalMethod(method, level, unit, units, seed=seed)
    return IntervalMethod(method, level, unit, units, trials, seed)


@dataclass(frozen=True, slots=True)
class ScoreResult(Result):
    """The scores of systems: metric by metric, with the systems in the same order for each.

    `ids` identify the segments. If it is None, segments are numbered from 1, or by `numbers` if
    some were left out. `extras` are system means of further numbers, such as cost.
    """

    command: ClassVar[str] = "score"

    test_set: Extent
    metrics: tuple[MetricShown, ...]
    scores: tuple[SystemScore, ...]
    intervals: IntervalMethod | None = sometimes()
    ids: Sequence[str] | None = sometimes()
    numbers: Sequence[int] | None = sometimes()
    warnings: tuple[str, ...] = ()
    extras: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    library: str | None = unsaved(None)

    def __post_init__(self) -> None:
        check_scores(self.scores, self.metrics)
        counts = [len(labels) for labels in (self.ids, self.numbers) if labels is not None]
        counts += [len(score.segments) for score in self.scores if score.segments is not None]
        if counts:
            counts.append(self.test_set.segments)
        checked(len(set(counts)) <= 1, "different numbers of segments")

    def __iter__(self) -> Iterator[SystemScore]:
        """Iterate over the scores."""
        return iter(self.scores)

    def __len__(self) -> int:
        """The number of scores."""
        return len(self.scores)

    def __getitem__(self, place: int) -> SystemScore:
        """The score at an index."""
        return self.scores[place]


def check_scores(scores: Sequence[SystemScore], metrics: Sequence[MetricShown]) -> None:
    checked(bool(scores), "no scores")
    shown_keys = {metric.metric for metric in metrics}
    for score in scores:
        checked(
            score.metric in shown_keys,
            f"a score by {score.metric!r}, which is not among the metrics",
        )
