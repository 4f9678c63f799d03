"""Datasets: rows by metric, system and run, with the structure of the items."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from weigh.engine.threads import Progress
from weigh.errors import InputError, plural
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.registry import key_of
from weigh.metrics.segment import GivenMean, SegmentRatio
from weigh.metrics.statistics import check_systems, statistics, supplied
from weigh.metrics.words import resolve_tokenizers
from weigh.read.text import shown
from weigh.result import Extent
from weigh.stats.estimates import UnitRange
from weigh.stats.sample import Sample, check_finite
from weigh.types import Metric, System, TestSet, run_label

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from weigh.types import Rows

    Floats = NDArray[np.float64]
    # By metric and system: runs × items (× 2 for ratios), NaN where a score is missing.
    ScoreArrays = dict[str, dict[str, Floats]]

# Words in the names of scores that are usually errors or costs.
_USUALLY_LOWER = {
    "cer",
    "cost",
    "err",
    "error",
    "errors",
    "failed",
    "failures",
    "latency",
    "loss",
    "mae",
    "mse",
    "nll",
    "perplexity",
    "ppl",
    "rmse",
    "seconds",
    "ter",
    "wer",
}
# Scores this large are percentages, not shares.
_PERCENT = 20


@dataclass(frozen=True, slots=True)
class Texts:
    """The systems and test set from which rows were computed."""

    systems: tuple[System, ...]
    test_set: TestSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Rows of all systems by all metrics, with the structure of the test set.

    `runs` names the runs of each system; a single unnamed run is None. `order` is the input order
    of all runs, as indices of a system and of its run. `outputs` are the outputs by system and run,
    usually texts, by which identical items are recognised; None if there are only scores. `numbers`
    are the original numbers of the items, from 1, if some were left out. `texts` are the texts from
    which rows were computed, if known. `extras` are system means of further numbers, such as cost.
    `noun` is the user's word for an item. With `has_sets`, slices are separate test sets and the
    whole is their average; `sets` are these test sets if each was scored by itself. `remarks`
    become part of results. `reading` describes how files were read, and does not, so that results
    depend only on the data.
    """

    samples: tuple[Sample, ...]
    runs: tuple[tuple[str | None, ...], ...]
    order: tuple[tuple[int, int], ...]
    references: int = 0
    outputs: tuple[tuple[Sequence[Hashable], ...], ...] | None = None
    documents: tuple[str, ...] | None = None
    slices: tuple[str, ...] | None = None
    ids: tuple[str, ...] | None = None
    numbers: tuple[int, ...] | None = None
    texts: Texts | None = None
    extras: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    noun: Literal["segment", "item"] = "segment"
    has_sets: bool = False
    sets: Mapping[str, Dataset] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()

    @classmethod
    def of_samples(cls, samples: Sequence[Sample], **structure: Any) -> Dataset:
        """A dataset of finished samples; if a system has several runs, they are numbered from 1."""
        runs: list[tuple[str | None, ...]] = [
            (None,) if len(run_rows) == 1 else tuple(str(at) for at in range(1, len(run_rows) + 1))
            for run_rows in samples[0].rows
        ]
        structure.setdefault("runs", tuple(runs))
        order = [
            (system, run)
            for system, system_runs in enumerate(runs)
            for run in range(len(system_runs))
        ]
        return cls(samples=tuple(samples), order=tuple(order), **structure)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.samples[0].names

    def renamed(self, names: Mapping[str, str]) -> Dataset:
        """The dataset with other names for some systems."""
        new = tuple(names.get(name, name) for name in self.names)
        if new == self.names:
            return self
        samples = tuple(replace(sample, names=new) for sample in self.samples)
        texts = self.texts
        if texts is not None:
            systems = (
                replace(system, name=names.get(system.name, system.name))
                for system in texts.systems
            )
            texts = replace(texts, systems=tuple(systems))
        return replace(self, samples=samples, texts=texts)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics, with their tokenizers resolved."""
        return tuple(sample.metric for sample in self.samples)

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each metric, by its specification."""
        return {key_of(metric): metric.signature(self.references) for metric in self.metrics}

    def signature(self, s: int, test_set: str | None) -> str:
        """The signature of a metric on a test set; on their average, of all of them."""
        if test_set is not None and test_set in self.sets:
            return self.sets[test_set].signature(s, None)
        if not self.sets:
            return self.metrics[s].signature(self.references)
        signatures = [dataset.signature(s, None).split("|") for dataset in self.sets.values()]
        values: dict[str, dict[str, None]] = {}
        for name, _, value in (part.partition(":") for parts in signatures for part in parts):
            values.setdefault(name, {})[value] = None
        return "|".join(f"{name}:{','.join(several)}" for name, several in values.items())

    @property
    def test_set(self) -> Extent:
        """The numbers of segments, references and documents."""
        documents = self.documents
        return Extent(
            self.samples[0].units,
            self.references,
            None if documents is None else len(set(documents)),
        )

    @property
    def unit(self) -> str:
        """The word for the unit of resampling."""
        return self.noun if self.documents is None else "document"

    def number_of(self, segment: int) -> int:
        """The number, from 1, of the segment at an index."""
        return segment + 1 if self.numbers is None else self.numbers[segment]

    def full_name(self, system: int, run: int) -> str:
        """The name of a run of a system in messages."""
        return run_label(self.names[system], self.runs[system][run])

    def slice_members(self) -> list[tuple[str | None, NDArray[np.intp] | slice]]:
        """The whole test set (None), then each slice, with indices of their segments."""
        members: dict[str, list[int]] = {}
        for segment, label in enumerate(self.slices or ()):
            members.setdefault(label, []).append(segment)
        return [
            (None, slice(None)),
            *((label, np.array(places)) for label, places in members.items()),
        ]


def from_texts(
    systems: Sequence[System],
    test_set: TestSet,
    metrics: Sequence[Metric | Definition],
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> Dataset:
    """Score the texts of systems with metrics."""
    if not metrics:
        raise InputError("no metrics; give at least one")
    if len(test_set) == 0:
        raise InputError("the test set is empty; give at least one segment")
    places = _places_of_runs([(system.name, system.run) for system in systems])
    settled = resolve_tokenizers([as_metric(metric) for metric in metrics], test_set, systems)
    check_systems(systems, test_set)
    systems, _, _ = supplied(systems, test_set, settled)
    samples = []
    remarks: list[str] = []
    total = len(metrics) * len(systems) * len(test_set)
    for number, metric in enumerate(settled):

        def report(done: int, size: int, number: int = number) -> None:
            if progress is not None:
                progress(number * size + done, total)

        rows = statistics(systems, test_set, metric, threads=threads, progress=report)
        for system, matrix in zip(systems, rows, strict=True):
            remarks += metric.remarks(system.label, matrix, system.outputs)
        by_system = tuple(tuple(rows[at] for at in runs) for runs in places.values())
        samples.append(Sample(metric, tuple(places), by_system))
    return Dataset(
        samples=tuple(samples),
        runs=tuple(tuple(systems[at].run for at in runs) for runs in places.values()),
        order=_order(places),
        references=len(test_set.references) + len(systems[0].references),
        outputs=tuple(tuple(systems[at].outputs.texts for at in runs) for runs in places.values()),
        documents=_as_tuple(test_set.documents),
        slices=_as_tuple(test_set.slices),
        ids=_as_tuple(test_set.ids),
        numbers=_as_tuple(test_set.numbers),
        texts=Texts(tuple(systems), test_set),
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _as_tuple(column: Sequence[Any] | None) -> tuple[Any, ...] | None:
    return None if column is None else tuple(column)


def _order(places: Mapping[str, Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """Indices of system and run in input order; `places` are input positions by system."""
    by_place = {
        place: (system, run)
        for system, runs in enumerate(places.values())
        for run, place in enumerate(runs)
    }
    return tuple(by_place[place] for place in sorted(by_place))


def map_arrays(scores: ScoreArrays, change: Callable[[Floats], Any]) -> dict[str, dict[str, Any]]:
    """Apply a function to the array of every metric and system."""
    return {
        metric: {name: change(runs) for name, runs in by_system.items()}
        for metric, by_system in scores.items()
    }


def all_arrays(scores: ScoreArrays) -> list[Floats]:
    """The arrays of all metrics and systems."""
    return [runs for by_system in scores.values() for runs in by_system.values()]


def from_arrays(
    scores: Mapping[str, Mapping[str, ArrayLike]],
    metrics: Mapping[str, Metric] | None = None,
    *,
    documents: Sequence[str] | None = None,
    slices: Sequence[str] | None = None,
    **structure: Any,
) -> Dataset:
    """A dataset of item scores by metric and system; a system's array may be runs × items.

    `metrics` holds the metrics that are not plain means. For a ratio, each score is two numbers on
    the last axis. `structure` are further fields of the dataset.
    """
    samples: list[Sample] = []
    for name, systems in scores.items():
        metric = (metrics or {}).get(name) or GivenMean(name)
        samples.append(_given_sample(metric, systems))
        _check_same_systems(name, samples[-1], samples[0])
    if not samples or not samples[0].names or samples[0].units == 0:
        raise InputError("no scores; give at least one score for each system")
    for what, labels in (("documents", documents), ("slices", slices)):
        if labels is not None and len(labels) != samples[0].units:
            raise InputError(
                f"{what}: {len(labels):,} labels, but there are {samples[0].units:,} items; "
                "give one label for every item"
            )
        structure[what] = None if labels is None else tuple(map(str, labels))
    remarks = (
        *structure.pop("remarks", ()),
        *map(_scale_remark, samples),
    )
    return Dataset.of_samples(
        samples, **{"noun": "item", **structure}, remarks=tuple(filter(None, remarks))
    )


def direction_remarks(metrics: Iterable[Metric]) -> list[str]:
    """Point out scores that are taken as higher-is-better although their name suggests lower."""
    return [
        f"{metric.name}: higher is taken as better; if lower is better, write "
        f"{metric.name}:lower where you name the scores"
        for metric in metrics
        if metric.higher_is_better
        and not _USUALLY_LOWER.isdisjoint(re.split(r"[^a-z]+", metric.name.lower()))
    ]


def _scale_remark(sample: Sample) -> str | None:
    """Point out that scores look like shares for one system but like percentages for another."""
    largest = [max(float(np.abs(run[:, 0]).max()) for run in runs) for runs in sample.rows]
    low, high = int(np.argmin(largest)), int(np.argmax(largest))
    if (
        isinstance(sample.metric, SegmentRatio)
        or not 0 < largest[low] <= 1
        or largest[high] < _PERCENT
    ):
        return None
    first, second = shown(sample.names[low]), shown(sample.names[high])
    return (
        f"{sample.metric.name}: scores of {first} go up to {largest[low]:g}, but those of {second} "
        f"up to {largest[high]:g}; are they on the same scale?"
    )


def _given_sample(metric: Metric, systems: Mapping[str, ArrayLike]) -> Sample:
    is_ratio = isinstance(metric, SegmentRatio)
    axes = 2 if is_ratio else 1
    values = {name: as_runs(name, scores, axes) for name, scores in systems.items()}
    sizes = {name: len(runs[0]) for name, runs in values.items()}
    first = next(iter(sizes), "")
    for name, size in sizes.items():
        if size != sizes[first]:
            raise InputError(
                f"{name}: {plural(size, 'score')}, but {first} has {sizes[first]:,}; "
                "give every system one score for each item"
            )
    rows_of = SegmentRatio.rows_of if is_ratio else GivenMean.rows_of
    rows = tuple(tuple(rows_of(run) for run in runs) for runs in values.values())
    for name, matrices in zip(values, rows, strict=True):
        for matrix in matrices:
            for item in np.flatnonzero(np.isnan(matrix).any(axis=1))[:1]:
                raise InputError(
                    f"{metric.name} of {shown(name)}: item {item + 1:,} has no score; leave such "
                    "items out for all systems, or give a data frame and allow_missing=True"
                )
            check_finite(matrix, f"{metric.name} of {name}")
            _check_bounds(metric, name, matrix)
    return Sample(metric, tuple(values), rows)


def _check_bounds(metric: Metric, name: str, rows: Rows) -> None:
    bounds = getattr(metric, "bounds", None)
    if bounds is None:
        return
    outside = (rows[:, 0] < bounds[0]) | (rows[:, 0] > bounds[1])
    if outside.any():
        at = int(outside.argmax())
        raise InputError(
            f"{metric.name} of {shown(name)}: item {at + 1:,} has {rows[at, 0]:g}, outside "
            f"{bounds[0]:g}..{bounds[1]:g}; correct the bounds or the score"
        )


def _check_same_systems(metric: str, sample: Sample, first: Sample) -> None:
    if sample.names != first.names:
        raise InputError(
            f"{metric}: scores of {', '.join(sample.names)}, but the first metric has scores of "
            f"{', '.join(first.names)}; give every metric the same systems in the same order"
        )
    for name, runs, others in zip(sample.names, sample.rows, first.rows, strict=True):
        if len(runs) != len(others):
            raise InputError(
                f"{metric}: {len(runs)} runs of {name}, but the first metric has "
                f"{len(others)}; give every metric the same runs"
            )


def unit_range_of(sample: Sample) -> UnitRange | None:
    """Lowest and highest possible item score; None if unknown.

    Bounds stated by the user come first, then the scale of the metric; scores that are all 0 or 1
    are pass/fail. Observed extremes are not used: further scores may exceed them.
    """
    metric = sample.metric
    if sample.run_shares is not None:
        return UnitRange(0.0, 1.0, is_pass_fail=True)
    bounds = getattr(metric, "bounds", None)
    if bounds is not None:
        return UnitRange(*bounds)
    width = metric.scale
    if not metric.mean_of_segments:
        return None if width is None else UnitRange(0.0, width)
    runs = [metric.segment_scores(run) for system_rows in sample.rows for run in system_rows]
    if width is None:
        passes = all(np.isin(scores, (0, 1)).all() for scores in runs)
        return UnitRange(0.0, 1.0, is_pass_fail=True) if passes else None
    low = min(0.0, *(float(scores.min()) for scores in runs))
    return UnitRange(low, low + width)


def _places_of_runs(names: Sequence[tuple[str, str | None]]) -> dict[str, list[int]]:
    """Input positions of each system's runs."""
    places: dict[str, list[int]] = {}
    for place, (name, _) in enumerate(names):
        places.setdefault(name, []).append(place)
    for name, runs in places.items():
        if len({names[at][1] for at in runs}) < len(runs):
            raise InputError(
                f"{name}: two systems have this name; give them different names with NAME=FILE"
            )
    return places


def as_runs(name: str, scores: Any, axes: int = 1) -> NDArray[np.float64]:
    """A system's scores as runs × items (× 2 for ratios); an array of one run has `axes` axes."""
    try:
        if np.iscomplexobj(scores):
            raise TypeError
        if hasattr(scores, "filled"):  # a masked array
            scores = scores.astype(np.float64).filled(np.nan)
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}: not numbers; give one score for each segment") from None
    if values.ndim == axes:
        return values[np.newaxis]
    if values.ndim == axes + 1 and len(values):
        return values
    raise InputError(f"{name}: scores of shape {values.shape}; give segments, or runs × segments")
