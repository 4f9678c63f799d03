"""Datasets: rows by metric, system and run, with the structure of the items."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from weigh.engine.threads import Progress
from weigh.errors import InputError, UndefinedScoreError
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.registry import expansion_of, key_of
from weigh.metrics.segment import GivenMean, SegmentRatio
from weigh.metrics.statistics import check_systems, statistics, supplied
from weigh.metrics.words import resolve_tokenizers
from weigh.read.text import shown
from weigh.result import Extent
from weigh.stats.estimates import UnitRange
from weigh.stats.sample import Sample, check_finite
from weigh.types import Metric, Outputs, System, TestSet, run_label

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from weigh.types import Rows

    Floats = NDArray[np.float64]
    # By metric and system: runs × items (× 2 for ratios), NaN where a score is missing.
    ScoreArrays = dict[str, dict[str, Floats]]

MACRO = "(macro mean)"
# Slices with fewer items are reported, but left out of the macro mean.
MACRO_ITEMS = 10

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

# Number of segments whose outputs are compared at a time.
_BLOCK = 10_000


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


def _check_equal_runs(dataset: Dataset) -> None:
    counts = [len(runs) for runs in dataset.runs]
    for name, count in zip(dataset.names, counts, strict=True):
        if count != counts[0]:
            raise InputError(
                f"{name}: {count} runs, but {dataset.names[0]} has {counts[0]}; "
                "give every system the same number of runs, or use weigh compare --runs-as-sample"
            )


def _check_comparable(dataset: Dataset) -> None:
    """Reject systems that a metric cannot compare, on the whole test set or on a slice."""
    names = [dataset.names[system] for system, _ in dataset.order]
    for sample in dataset.samples:
        metric = sample.metric
        rows = [sample.rows[system][run] for system, run in dataset.order]
        metric.check_comparable(names, [matrix.sum(axis=0) for matrix in rows])
        for label, members in dataset.slice_members():
            sums = [matrix[members].sum(axis=0) for matrix in rows]
            for (system, run), total in zip(dataset.order, sums, strict=True):
                check_defined(metric, dataset.full_name(system, run), total, label)


def check_defined(metric: Metric, name: str, sums: Rows, label: str | None) -> None:
    """Raise InputError if a metric has no finite score for these sums, overall or of a slice."""
    what = f"{shown(name)}{'' if label is None else f', slice {shown(label)}'}"
    metric.check_defined(what, sums)
    with np.errstate(all="ignore"):
        value = float(metric.score(sums))
    if math.isnan(value):
        raise UndefinedScoreError(
            f"{metric.name} of {what}: the score is undefined (0/0, for example); leave out the "
            "metric or the system"
        )
    if not math.isfinite(value):
        raise InputError(
            f"{metric.name} of {what}: the score is {value}, not a finite number; "
            "fix the metric, or leave it out"
        )


@dataclass(frozen=True, slots=True)
class Scope:
    """One object of tests: the whole test set, a slice, or the mean of slices.

    `label` is the name of the slice, None for the whole. `members` are the indices of its segments,
    None for a mean of slices. A `plain` scope has at least two units, which are segments, and no
    strata, as required by tests and intervals that use segment scores.
    """

    label: str | None
    samples: tuple[Sample, ...]
    members: NDArray[np.intp] | None
    plain: bool


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
                f"{name}: {size:,} scores, but {first} has {sizes[first]:,}; "
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


def join_sets(sets: Mapping[str, Dataset]) -> Dataset:
    """Join test sets, each scored by itself, into one dataset whose whole is their average."""
    first_name, first = next(iter(sets.items()))
    for name, other in sets.items():
        for what, keys, theirs in (
            ("systems", other.names, first.names),
            ("metrics", _keys(other), _keys(first)),
            ("runs", other.runs, first.runs),
        ):
            if keys != theirs:
                raise InputError(
                    f"{name} has other {what} than {first_name}; give every test set the same "
                    f"{what}"
                )
    samples = [
        Sample(
            metric,
            first.names,
            tuple(
                tuple(
                    np.concatenate(
                        [dataset.samples[at].rows[system][run] for dataset in sets.values()]
                    )
                    for run in range(len(runs))
                )
                for system, runs in enumerate(first.runs)
            ),
        )
        for at, metric in enumerate(first.metrics)
    ]
    documents = [
        f"{name} {label}"
        for name, dataset in sets.items()
        for label in dataset.documents or map(str, range(dataset.samples[0].units))
    ]
    has_documents = any(dataset.documents is not None for dataset in sets.values())
    signatures = {dataset.signature(0, None) for dataset in sets.values()}
    remarks = [f"{name}: {remark}" for name, dataset in sets.items() for remark in dataset.remarks]
    if len(signatures) > 1:
        remarks.append(
            "test sets are scored with different settings, such as tokenisers; see the signatures"
        )
    return replace(
        first,
        samples=tuple(samples),
        slices=tuple(
            name for name, dataset in sets.items() for _ in range(dataset.samples[0].units)
        ),
        documents=tuple(documents) if has_documents else None,
        outputs=None,
        ids=None,
        numbers=None,
        texts=_join_texts(sets),
        remarks=tuple(remarks),
        reading=tuple(
            f"{name}: {line}" for name, dataset in sets.items() for line in dataset.reading
        ),
        has_sets=True,
        sets=sets,
    )


def _join_texts(sets: Mapping[str, Dataset]) -> Texts | None:
    """The texts of all test sets; None if any has no texts, or if their structures differ."""
    texts = [dataset.texts for dataset in sets.values() if dataset.texts is not None]
    shapes = {
        (len(part.test_set.references), part.test_set.sources is None, len(part.systems))
        for part in texts
    }
    if len(texts) < len(sets) or len(shapes) > 1 or any(s.references for s in texts[0].systems):
        return None
    test_sets = [part.test_set for part in texts]
    references = zip(*(test_set.references for test_set in test_sets), strict=True)
    test_set = TestSet(
        tuple(tuple(chain(*columns)) for columns in references),
        None
        if test_sets[0].sources is None
        else tuple(chain(*(test_set.sources or () for test_set in test_sets))),
        ids=tuple(
            f"{name} {label}"
            for name, test_set in zip(sets, test_sets, strict=True)
            for label in test_set.ids or map(test_set.number_of, range(len(test_set)))
        ),
    )
    systems = (
        replace(runs[0], outputs=Outputs(tuple(chain(*(run.outputs.texts for run in runs)))))
        for runs in zip(*(part.systems for part in texts), strict=True)
    )
    return Texts(tuple(systems), test_set)


def _keys(dataset: Dataset) -> list[str]:
    return [expansion_of(key_of(metric)) or metric.name for metric in dataset.metrics]


def scopes(dataset: Dataset, *, unequal_runs: bool = False) -> list[Scope]:
    """The whole test set, every slice in order of appearance, and the mean over slices.

    Systems that cannot be compared are rejected, including systems with different numbers of runs
    unless `unequal_runs` is set.
    """
    if not unequal_runs:
        _check_equal_runs(dataset)
    _check_comparable(dataset)
    everything = np.arange(dataset.samples[0].units)
    if dataset.slices is not None and MACRO in dataset.slices:
        raise InputError(f"a slice is called {MACRO!r}, like the mean over slices; rename it")
    whole = _scope(dataset, None, everything)
    slices = {
        label: np.asarray(members)
        for label, members in dataset.slice_members()
        if label is not None
    }
    parts = [_scope(dataset, label, members) for label, members in slices.items()]
    if dataset.documents is not None and dataset.slices is not None:
        pairs = set(zip(dataset.documents, dataset.slices, strict=True))
        if len(pairs) > len(set(dataset.documents)):
            raise InputError(
                "a document belongs to more than one slice; give all its segments the same slice"
            )
    if dataset.has_sets:
        return [replace(_macro(dataset, slices, whole.samples), label=None), *parts]
    large = {label: members for label, members in slices.items() if len(members) >= MACRO_ITEMS}
    if len(large) > 1:
        parts.append(_macro(dataset, large, whole.samples))
    return [whole, *parts]


def _scope(dataset: Dataset, label: str | None, members: NDArray[np.intp]) -> Scope:
    segments = dataset.samples
    if len(members) < segments[0].units:
        segments = tuple(sample.of_units(members) for sample in segments)
    if dataset.documents is None:
        return Scope(label, segments, members, plain=len(members) > 1)
    documents = [dataset.documents[i] for i in members]
    samples = tuple(sample.of_documents(documents) for sample in segments)
    return Scope(label, samples, members, plain=False)


def _macro(
    dataset: Dataset, slices: Mapping[str, NDArray[np.intp]], whole: Sequence[Sample]
) -> Scope:
    """The mean over slices: samples of their segments with slices as strata."""
    if dataset.documents is None:
        strata = tuple(slices.values())
    else:
        numbers = {name: i for i, name in enumerate(dict.fromkeys(dataset.documents))}
        owners = [
            sorted({numbers[dataset.documents[i]] for i in members}) for members in slices.values()
        ]
        strata = tuple(np.array(indices) for indices in owners)
    chosen = np.sort(np.concatenate(strata))
    places = tuple(np.searchsorted(chosen, members) for members in strata)
    samples = tuple(replace(sample.of_units(chosen), strata=places) for sample in whole)
    return Scope(MACRO, samples, None, plain=False)


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


def identical_shares(dataset: Dataset) -> list[NDArray[np.float64]]:
    """Shares of identical segments, systems × systems, by sample.

    Texts are compared if the metric reads them, otherwise scores. With several runs, a segment is
    identical if the runs of both systems have the same outputs or scores, in any order.
    """
    if dataset.sets:
        sizes = [test_set.test_set.segments for test_set in dataset.sets.values()]
        by_set = map(identical_shares, dataset.sets.values())
        return [np.average(shares, axis=0, weights=sizes) for shares in zip(*by_set, strict=True)]
    by_text = None
    if dataset.outputs is not None:
        by_text = _shares(dataset.outputs, _number_texts)
    return [
        by_text
        if by_text is not None and sample.metric.reads_texts
        else _shares(sample.rows, _number_rows)
        for sample in dataset.samples
    ]


def _shares(
    outputs: Sequence[Sequence[Any]],
    number_outputs: Callable[[Sequence[Sequence[Any]], slice], list[list[NDArray[np.int64]]]],
) -> NDArray[np.float64]:
    """Share of segments on which two systems are identical, systems × systems.

    `number_outputs` numbers the outputs of a block of segments; equal outputs get equal numbers.
    """
    segments = len(outputs[0][0])
    counts = np.array([len(runs) for runs in outputs])
    groups = [np.flatnonzero(counts == count) for count in sorted(set(counts.tolist()))]
    same = np.zeros((len(outputs), len(outputs)), dtype=np.int64)
    for start in range(0, segments, _BLOCK):
        block = slice(start, min(start + _BLOCK, segments))
        numbers = [np.sort(runs, axis=0) for runs in number_outputs(outputs, block)]
        for systems in groups:
            others = np.array([numbers[system] for system in systems])
            for i, runs in enumerate(numbers):
                same[i, systems] += np.count_nonzero(_are_same(runs, others), axis=-1)
    return np.asarray(same / segments)


def _are_same(runs: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Compare a system's sorted numbers, runs × segments, with those of others, by segment."""
    if len(runs) == others.shape[1]:
        return np.asarray((runs == others).all(axis=1))
    # With unequal numbers of runs, only identical outputs of all runs count.
    return np.asarray((others == runs[0]).all(axis=1) & (runs == runs[0]).all(axis=0))


def _number_texts(outputs: Sequence[Sequence[Any]], span: slice) -> list[list[NDArray[np.int64]]]:
    numbers: dict[Any, int] = {}  # per block, so that it does not grow with the test set
    return [
        [np.array([numbers.setdefault(text, len(numbers)) for text in run[span]]) for run in runs]
        for runs in outputs
    ]


def _number_rows(outputs: Sequence[Sequence[Any]], span: slice) -> list[list[NDArray[np.int64]]]:
    """Number equal rows alike, column by column."""
    rows = np.array([run[span] for runs in outputs for run in runs])
    numbers = np.zeros(rows.shape[:2], np.int64)
    for column in np.moveaxis(rows, -1, 0):
        _, codes = np.unique(column, return_inverse=True)
        _, numbers = np.unique(
            numbers.reshape(-1) * (codes.max() + 1) + codes.reshape(-1), return_inverse=True
        )
    cells = iter(numbers.reshape(rows.shape[:2]))
    return [[next(cells) for _ in runs] for runs in outputs]
