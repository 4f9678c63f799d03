"""What people hold into one `Measured`: rows by metric, system and run, and what they share."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.engine.threads import Progress
from weigh.errors import InputError, UndefinedScoreError
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.registry import key_of
from weigh.metrics.statistics import check_systems, statistics, supplied
from weigh.metrics.words import settled_all
from weigh.read.text import shown
from weigh.result import Extent
from weigh.stats.estimates import UnitRange
from weigh.stats.sample import Sample, by_document, check_finite
from weigh.types import Metric, System, TestSet

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from weigh.types import Rows

MACRO = "(macro mean)"
# Slices with fewer items are shown, and left out of the macro mean.
MACRO_ITEMS = 10

# Segments whose outputs are compared at a time.
_NUMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Texts:
    """The systems and the test set that rows were computed from."""

    systems: tuple[System, ...]
    test_set: TestSet


@dataclass(frozen=True, slots=True)
class Measured:
    """Rows of all systems by all metrics, and the structure of the test set that they share.

    `runs` names the runs of each system, None where there is one without a name, and `order` is
    that in which they were given, as places of a system and of its run. `contents` are, by system
    and run, what segments are told apart by, such as their texts; None where scores are all there
    is. `remarks` are what metrics say beside scores, and `numbers` are the segments' own, from 1,
    where some were left out. `texts` are what the rows come from, if that is known.
    """

    samples: tuple[Sample, ...]
    references: int
    runs: tuple[tuple[str | None, ...], ...]
    order: tuple[tuple[int, int], ...]
    contents: tuple[tuple[Sequence[Hashable], ...], ...] | None = None
    documents: tuple[str, ...] | None = None
    slices: tuple[str, ...] | None = None
    ids: tuple[str, ...] | None = None
    numbers: tuple[int, ...] | None = None
    remarks: tuple[str, ...] = ()
    texts: Texts | None = None

    @classmethod
    def of(
        cls,
        samples: Sequence[Sample],
        references: int = 0,
        *,
        contents: Sequence[Sequence[Sequence[Hashable]]] | None = None,
        documents: Sequence[str] | None = None,
        slices: Sequence[str] | None = None,
        numbers: Sequence[int] | None = None,
        remarks: Sequence[str] = (),
    ) -> Measured:
        """Take rows as they are; the runs of a system are numbered if it has several."""
        runs: list[tuple[str | None, ...]] = [
            (None,) if len(own) == 1 else tuple(str(at) for at in range(1, len(own) + 1))
            for own in samples[0].rows
        ]
        return cls(
            tuple(samples),
            references,
            tuple(runs),
            tuple((system, run) for system, own in enumerate(runs) for run in range(len(own))),
            None if contents is None else tuple(map(tuple, contents)),
            None if documents is None else tuple(map(str, documents)),
            None if slices is None else tuple(map(str, slices)),
            None,
            None if numbers is None else tuple(numbers),
            tuple(remarks),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.samples[0].names

    def renamed(self, names: Mapping[str, str]) -> Measured:
        """Return the same with other names of some systems."""
        new = tuple(names.get(name, name) for name in self.names)
        if new == self.names:
            return self
        samples = tuple(replace(sample, names=new) for sample in self.samples)
        texts = self.texts
        if texts is not None:
            systems = (
                replace(each, name=names.get(each.name, each.name)) for each in texts.systems
            )
            texts = replace(texts, systems=tuple(systems))
        return replace(self, samples=samples, texts=texts)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics, each with its tokeniser settled."""
        return tuple(sample.metric for sample in self.samples)

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each metric, by the specification that names it."""
        return {key_of(metric): metric.signature(self.references) for metric in self.metrics}

    @property
    def test_set(self) -> Extent:
        """How large the test set is."""
        documents = self.documents
        return Extent(
            self.samples[0].units,
            self.references,
            None if documents is None else len(set(documents)),
        )

    @property
    def unit(self) -> str:
        """What is resampled."""
        return "segment" if self.documents is None else "document"

    def number_of(self, segment: int) -> int:
        """Return the number, from 1, by which a reader knows the segment at this place."""
        return segment + 1 if self.numbers is None else self.numbers[segment]

    def full_name(self, system: int, run: int) -> str:
        """Return what a run of a system is called."""
        return _full_name(self.names[system], self.runs[system][run])

    def slice_members(self) -> list[tuple[str | None, NDArray[np.intp] | slice]]:
        """Return the whole test set, then each slice with its segments, as they first appear."""
        members: dict[str, list[int]] = {}
        for segment, label in enumerate(self.slices or ()):
            members.setdefault(label, []).append(segment)
        return [
            (None, slice(None)),
            *((label, np.array(places)) for label, places in members.items()),
        ]


def _check_equal_runs(measured: Measured) -> None:
    counts = [len(runs) for runs in measured.runs]
    for name, count in zip(measured.names, counts, strict=True):
        if count != counts[0]:
            raise InputError(
                f"{name}: {count} runs, but {measured.names[0]} has {counts[0]}; "
                "give every system the same number of runs, or use weigh compare --runs-as-sample"
            )


def _check_comparable(measured: Measured) -> None:
    """Refuse systems that a metric does not compare, on the whole or in a slice of the test set."""
    names = [measured.names[system] for system, _ in measured.order]
    for sample in measured.samples:
        metric = sample.metric
        rows = [sample.rows[system][run] for system, run in measured.order]
        metric.check_comparable(names, [matrix.sum(axis=0) for matrix in rows])
        for label, members in measured.slice_members():
            sums = [matrix[members].sum(axis=0) for matrix in rows]
            for (system, run), total in zip(measured.order, sums, strict=True):
                check_defined(metric, measured.full_name(system, run), total, label)


def check_defined(metric: Metric, name: str, sums: Rows, label: str | None) -> None:
    """Raise InputError if a metric has no score for these sums, of all segments or of a slice."""
    what = f"{shown(name)}{'' if label is None else f', slice {shown(label)}'}"
    metric.check_defined(what, sums)
    with np.errstate(all="ignore"):
        value = float(metric.score(sums))
    if math.isnan(value):
        raise UndefinedScoreError(
            f"{metric.name} of {what}: there is no score, as of 0/0; leave out the metric or the "
            "system"
        )
    if not math.isfinite(value):
        raise InputError(
            f"{metric.name} of {what}: the score is {value} and not a finite number; "
            "mend the metric, or leave it out"
        )


@dataclass(frozen=True, slots=True)
class Scope:
    """What one round of tests looks at: the whole test set, a slice, or the mean of slices.

    `label` is the name of the slice, None for the whole.
    `members` are its segments, none where it is a mean of slices.
    """

    label: str | None
    samples: tuple[Sample, ...]
    members: NDArray[np.intp] | None
    # Whether the units are segments, at least two, and the statistic is that of all of them:
    # what tests and intervals need that reckon with segment scores.
    plain: bool


def measure_texts(
    systems: Sequence[System],
    test_set: TestSet,
    metrics: Sequence[Metric | Definition],
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> Measured:
    """Compute the rows of systems that are given as texts."""
    if not metrics:
        raise InputError("no metrics; give at least one")
    if len(test_set) == 0:
        raise InputError("the test set is empty; give at least one segment")
    places = _places_of_runs([(system.name, system.run) for system in systems])
    known = settled_all([as_metric(metric) for metric in metrics], test_set, systems)
    check_systems(systems, test_set)
    systems, _, _ = supplied(systems, test_set, known)
    references = len(test_set.references) + len(systems[0].references)
    samples = []
    remarks: list[str] = []
    total = len(metrics) * len(systems) * len(test_set)
    for number, metric in enumerate(known):

        def tell(done: int, size: int, number: int = number) -> None:
            if progress is not None:
                progress(number * size + done, total)

        rows = statistics(systems, test_set, metric, threads=threads, progress=tell)
        for system, matrix in zip(systems, rows, strict=True):
            remarks += metric.remarks(system.label, matrix, system.outputs)
        grouped = tuple(tuple(rows[at] for at in runs) for runs in places.values())
        samples.append(Sample(metric, tuple(places), grouped))
    return Measured(
        tuple(samples),
        references,
        tuple(tuple(systems[at].run for at in runs) for runs in places.values()),
        _order(places),
        tuple(tuple(systems[at].outputs.texts for at in runs) for runs in places.values()),
        None if test_set.documents is None else tuple(test_set.documents),
        None if test_set.slices is None else tuple(test_set.slices),
        None if test_set.ids is None else tuple(test_set.ids),
        None if test_set.numbers is None else tuple(test_set.numbers),
        tuple(dict.fromkeys(remarks)),
        Texts(tuple(systems), test_set),
    )


def _full_name(name: str, run: str | None) -> str:
    return name if run is None else f"{name}@{run}"


def _order(places: Mapping[str, Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """Return the places of systems and runs in the order in which they were given."""
    by_place = {
        place: (system, run)
        for system, runs in enumerate(places.values())
        for run, place in enumerate(runs)
    }
    return tuple(by_place[place] for place in sorted(by_place))


def measure_scores(
    scores: Mapping[str, Mapping[str, ArrayLike]],
    *,
    lower: Sequence[str] = (),
    ratio: Sequence[str] = (),
    documents: Sequence[str] | None = None,
    slices: Sequence[str] | None = None,
    numbers: Sequence[int] | None = None,
    remarks: Sequence[str] = (),
) -> Measured:
    """Take segment scores by metric and system; a system's array may be runs × segments.

    Of the metrics that `ratio` names, each score is two numbers, on the last axis. `numbers` are
    those of the segments, from 1, where they are not all that there were.
    """
    from weigh.metrics.segment import SegmentMean, SegmentRatio

    samples = []
    first: tuple[str, ...] | None = None
    for metric, systems in scores.items():
        names = tuple(systems)
        if first is not None and names != first:
            raise InputError(
                f"{metric}: scores of {', '.join(names)}, but the first metric has scores of "
                f"{', '.join(first)}; give every metric the same systems in the same order"
            )
        first = names
        kind = (SegmentRatio if metric in ratio else SegmentMean)(metric, metric not in lower)
        axes = 2 if metric in ratio else 1
        values = [_as_runs(name, given, axes) for name, given in systems.items()]
        sizes = [len(runs[0]) for runs in values]
        for name, size in zip(names, sizes, strict=True):
            if size != sizes[0]:
                raise InputError(
                    f"{name}: {size:,} scores, but {names[0]} has {sizes[0]:,}; "
                    "give every system one score for each segment"
                )
        rows = tuple(tuple(kind.rows_of(run) for run in runs) for runs in values)
        for name, matrices in zip(names, rows, strict=True):
            for matrix in matrices:
                check_finite(matrix, f"{metric} of {name}")
        samples.append(Sample(kind, names, rows))
        for name, runs, others in zip(names, rows, samples[0].rows, strict=True):
            if len(runs) != len(others):
                raise InputError(
                    f"{metric}: {len(runs)} runs of {name}, but the first metric has "
                    f"{len(others)}; give every metric the same runs"
                )
    if not samples or not samples[0].names or samples[0].units == 0:
        raise InputError("no scores; give at least one score for each system")
    for what, labels in (("documents", documents), ("slices", slices)):
        if labels is not None and len(labels) != samples[0].units:
            raise InputError(
                f"{what}: {len(labels):,} labels, but there are {samples[0].units:,} segments; "
                "give one label for every segment"
            )
    return Measured.of(
        samples, documents=documents, slices=slices, numbers=numbers, remarks=remarks
    )


def scopes(measured: Measured, *, unequal_runs: bool = False) -> list[Scope]:
    """Return the whole, then every slice in order of appearance, then the mean over slices.

    Systems that cannot be compared are refused; the numbers of their runs may differ only where
    `unequal_runs` says so.
    """
    if not unequal_runs:
        _check_equal_runs(measured)
    _check_comparable(measured)
    everything = np.arange(measured.samples[0].units)
    if measured.slices is not None and MACRO in measured.slices:
        raise InputError(f"a slice is called {MACRO!r}, as the mean over slices is; rename it")
    result = [_scope(measured, None, everything)]
    slices = {
        label: np.asarray(members)
        for label, members in measured.slice_members()
        if label is not None
    }
    result += [_scope(measured, label, members) for label, members in slices.items()]
    if measured.documents is not None and measured.slices is not None:
        pairs = set(zip(measured.documents, measured.slices, strict=True))
        if len(pairs) > len(set(measured.documents)):
            raise InputError(
                "a document lies in more than one slice; give every document one label"
            )
    large = {label: members for label, members in slices.items() if len(members) >= MACRO_ITEMS}
    if len(large) > 1:
        result.append(_macro(measured, large, result[0].samples))
    return result


def _scope(measured: Measured, label: str | None, members: NDArray[np.intp]) -> Scope:
    segments = measured.samples
    if len(members) < segments[0].units:
        segments = tuple(sample.of_units(members) for sample in segments)
    if measured.documents is None:
        return Scope(label, segments, members, plain=len(members) > 1)
    documents = [measured.documents[i] for i in members]
    samples = tuple(_by_document(sample, documents) for sample in segments)
    return Scope(label, samples, members, plain=False)


def _macro(
    measured: Measured, slices: Mapping[str, NDArray[np.intp]], whole: Sequence[Sample]
) -> Scope:
    """Return the samples of the whole with slices as strata."""
    if measured.documents is None:
        strata = tuple(slices.values())
    else:
        numbers = {name: i for i, name in enumerate(dict.fromkeys(measured.documents))}
        owners = [
            sorted({numbers[measured.documents[i]] for i in members}) for members in slices.values()
        ]
        strata = tuple(np.array(one) for one in owners)
    chosen = np.sort(np.concatenate(strata))
    places = tuple(np.searchsorted(chosen, members) for members in strata)
    samples = tuple(replace(sample.of_units(chosen), strata=places) for sample in whole)
    return Scope(MACRO, samples, None, plain=False)


def _by_document(sample: Sample, documents: Sequence[str]) -> Sample:
    rows = tuple(tuple(by_document(run, documents) for run in runs) for runs in sample.rows)
    sizes = by_document(np.ones((len(documents), 1), dtype=np.int64), documents)[:, 0]
    return Sample(sample.metric, sample.names, rows, segments=sizes)


def unit_range_of(sample: Sample, scale: Mapping[str, float]) -> UnitRange | None:
    """Return what a segment can score: as `scale` states, as the metric says, or 0 and 1.

    `sample` is of segments. The largest score that was seen is no bound of those to come.
    """
    metric = sample.metric
    width: float | None = scale.get(key_of(metric), metric.scale)
    if not metric.mean_of_segments:
        return None if width is None else UnitRange(0.0, width)
    runs = [metric.segment_scores(run) for own in sample.rows for run in own]
    if width is None:
        passes = all(np.isin(scores, (0, 1)).all() for scores in runs)
        return UnitRange(0.0, 1.0, is_pass_fail=True) if passes else None
    low = min(0.0, *(float(scores.min()) for scores in runs))
    return UnitRange(low, low + width)


def _places_of_runs(names: Sequence[tuple[str, str | None]]) -> dict[str, list[int]]:
    """Return the places of each system's runs."""
    places: dict[str, list[int]] = {}
    for place, (name, _) in enumerate(names):
        places.setdefault(name, []).append(place)
    for name, own in places.items():
        if len({names[at][1] for at in own}) < len(own):
            raise InputError(f"{name}: two systems of this name; name them apart with NAME=FILE")
    return places


def _as_runs(name: str, given: ArrayLike, axes: int) -> list[NDArray[np.float64]]:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: not numbers; give one score for each segment") from None
    if values.ndim == axes:
        return [values]
    if values.ndim == axes + 1 and len(values):
        return list(values)
    raise InputError(f"{name}: scores of shape {values.shape}; give segments, or runs × segments")


def identical_shares(measured: Measured) -> list[NDArray[np.float64]]:
    """Return for each sample in which share of segments two systems are the same.

    That is in what was compared: their texts, or given scores. Of several runs, a segment counts
    where the systems' runs have the same outputs or scores, in whatever order.
    """
    by_text = None
    if measured.contents is not None:
        by_text = _shares(measured.contents, _numbered_texts)
    return [
        by_text
        if by_text is not None and sample.metric.reads_texts
        else _shares(sample.rows, _numbered_rows)
        for sample in measured.samples
    ]


def _shares(
    outputs: Sequence[Sequence[Any]],
    numbered: Callable[[Sequence[Sequence[Any]], slice], list[list[NDArray[np.int64]]]],
) -> NDArray[np.float64]:
    """Return the share of segments that two systems have in common.

    `numbered` gives outputs of some segments numbers, the same to those that are the same.
    """
    segments = len(outputs[0][0])
    same = np.zeros((len(outputs), len(outputs)), dtype=np.int64)
    for start in range(0, segments, _NUMBERED):
        some = slice(start, min(start + _NUMBERED, segments))
        numbers = [np.sort(runs, axis=0) for runs in numbered(outputs, some)]
        for i, own in enumerate(numbers):
            same[i] += [np.count_nonzero(_are_same(own, other)) for other in numbers]
    return np.asarray(same / segments)


def _are_same(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether runs × segments of sorted numbers are the same, by segment."""
    if len(first) == len(second):
        return np.asarray((first == second).all(axis=0))
    # Of unequal numbers of runs: all of them.
    return np.asarray((first == second[0]).all(axis=0) & (second == second[0]).all(axis=0))


def _numbered_texts(outputs: Sequence[Sequence[Any]], some: slice) -> list[list[NDArray[np.int64]]]:
    numbers: dict[Any, int] = {}  # for these segments only: it would grow with the test set
    return [
        [np.array([numbers.setdefault(text, len(numbers)) for text in run[some]]) for run in runs]
        for runs in outputs
    ]


def _numbered_rows(outputs: Sequence[Sequence[Any]], some: slice) -> list[list[NDArray[np.int64]]]:
    """Number rows of numbers, column by column."""
    rows = np.array([run[some] for runs in outputs for run in runs])
    numbers = np.zeros(rows.shape[:2], np.int64)
    for column in np.moveaxis(rows, -1, 0):
        _, own = np.unique(column, return_inverse=True)
        _, numbers = np.unique(
            numbers.reshape(-1) * (own.max() + 1) + own.reshape(-1), return_inverse=True
        )
    each = iter(numbers.reshape(rows.shape[:2]))
    return [[next(each) for _ in runs] for runs in outputs]
