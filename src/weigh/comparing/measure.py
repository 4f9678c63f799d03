"""Systems into samples: rows by metric, system and run, and the views of them to be tested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.engine.threads import Progress
from weigh.errors import InputError
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.scoring import check_defined, remarks_of, slices_of
from weigh.metrics.segment import SegmentMean, SegmentRatio
from weigh.metrics.statistics import equipped, statistics
from weigh.metrics.supply import reads_texts
from weigh.metrics.words import settled_all
from weigh.result import Extent
from weigh.stats.sample import Sample, by_document, check_finite
from weigh.types import Metric, System, TestSet

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from weigh.metrics.stored import StoredStatistics

MACRO = "(macro mean)"

# Segments whose outputs are compared at a time.
_NUMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Measured:
    """Rows of all systems by all metrics, and the structure of the test set.

    For each sample, `same[i, j]` is the share of segments in which systems i and j are the same in
    what was compared: their texts, or given scores. `remarks` are what metrics say beside scores,
    and `numbers` are the segments' own, from 1, where some were left out.
    """

    samples: tuple[Sample, ...]
    same: tuple[NDArray[np.float64], ...]
    references: int
    documents: tuple[str, ...] | None = None
    slices: tuple[str, ...] | None = None
    remarks: tuple[str, ...] = ()
    numbers: tuple[int, ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.samples[0].names

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


@dataclass(frozen=True, slots=True)
class View:
    """What one round of tests looks at: the whole test set, a slice, or the mean of slices."""

    label: str | None
    samples: tuple[Sample, ...]
    # Whether the units are segments, at least two, and the statistic is that of all of them:
    # what tests and intervals need that reckon with segment scores.
    plain: bool


def measure_texts(
    systems: Sequence[System],
    test_set: TestSet,
    metrics: Sequence[Metric | Definition],
    *,
    stored: StoredStatistics | None = None,
    unequal_runs: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> Measured:
    """Compute the rows of systems that are given as texts, or take those that are `stored`.

    Systems must have equally many runs, unless `unequal_runs` says that they need not.
    """
    if not metrics:
        raise InputError("no metrics; give at least one")
    if len(test_set) == 0:
        raise InputError("the test set is empty; give at least one segment")
    runs = _runs(systems)
    if not unequal_runs:
        _check_equal(tuple(runs), [len(places) for places in runs.values()])
    known = settled_all([as_metric(metric) for metric in metrics], test_set, systems, stored)
    systems = equipped(systems, test_set, known, stored)
    samples = []
    remarks: list[str] = []
    total = len(metrics) * len(systems) * len(test_set)
    for number, metric in enumerate(known):

        def tell(done: int, size: int, number: int = number) -> None:
            if progress is not None:
                progress(number * size + done, total)

        rows = statistics(systems, test_set, metric, stored=stored, threads=threads, progress=tell)
        for system, matrix in zip(systems, rows, strict=True):
            remarks += remarks_of(metric, system, matrix)
        if hasattr(metric, "check_comparable"):
            sums = [matrix.sum(axis=0) for matrix in rows]
            metric.check_comparable([system.name for system in systems], sums)
        for label, members in slices_of(test_set) if hasattr(metric, "check_defined") else ():
            for system, matrix in zip(systems, rows, strict=True):
                check_defined(metric, system, matrix[members].sum(axis=0), label)
        if hasattr(metric, "check_readings"):
            for label, members in slices_of(test_set)[1:]:  # the whole was checked as comparable
                metric.check_readings(
                    [f"{system.name}, slice {label}," for system in systems],
                    [matrix[members].sum(axis=0) for matrix in rows],
                )
        grouped = tuple(tuple(rows[i] for i in places) for places in runs.values())
        samples.append(Sample(metric, tuple(runs), grouped))
    of_texts = _shares([[systems[i].outputs.texts for i in places] for places in runs.values()])
    return Measured(
        tuple(samples),
        tuple(of_texts if reads_texts(one.metric) else _shares_of_rows(one) for one in samples),
        len(test_set.references) + len(systems[0].references),
        None if test_set.documents is None else tuple(test_set.documents),
        None if test_set.slices is None else tuple(test_set.slices),
        tuple(remarks),
        None if test_set.numbers is None else tuple(test_set.numbers),
    )


def measure_scores(
    scores: Mapping[str, Mapping[str, ArrayLike]],
    *,
    lower: Sequence[str] = (),
    ratio: Sequence[str] = (),
    documents: Sequence[str] | None = None,
    slices: Sequence[str] | None = None,
    numbers: Sequence[int] | None = None,
    unequal_runs: bool = False,
) -> Measured:
    """Take segment scores by metric and system; a system's array may be runs × segments.

    Of the metrics that `ratio` names, each score is two numbers, on the last axis. `numbers` are
    those of the segments, from 1, where they are not all that there were. Systems must have
    equally many runs, unless `unequal_runs` says that they need not.
    """
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
        if not unequal_runs:
            _check_equal(names, [len(runs) for runs in values])
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
    return Measured(
        tuple(samples),
        tuple(map(_shares_of_rows, samples)),
        0,
        None if documents is None else tuple(map(str, documents)),
        None if slices is None else tuple(map(str, slices)),
        numbers=None if numbers is None else tuple(numbers),
    )


def views(measured: Measured) -> list[View]:
    """Return the whole, then every slice in order of appearance, then the mean over slices."""
    everything = np.arange(measured.samples[0].units)
    labels = measured.slices
    if labels is not None and MACRO in labels:
        raise InputError(f"a slice is called {MACRO!r}, as the mean over slices is; rename it")
    result = [_view(measured, None, everything)]
    if labels is None:
        return result
    members: dict[str, list[int]] = {}
    for segment, label in enumerate(labels):
        members.setdefault(label, []).append(segment)
    slices = {label: np.array(own) for label, own in members.items()}
    result += [_view(measured, label, members) for label, members in slices.items()]
    if len(slices) > 1:
        result.append(_macro(measured, slices))
    return result


def _view(measured: Measured, label: str | None, members: NDArray[np.intp]) -> View:
    segments = tuple(_select(sample, members) for sample in measured.samples)
    if measured.documents is None:
        return View(label, segments, plain=len(members) > 1)
    documents = [measured.documents[i] for i in members]
    return View(label, tuple(_by_document(sample, documents) for sample in segments), plain=False)


def _macro(measured: Measured, slices: Mapping[str, NDArray[np.intp]]) -> View:
    """Return all units with slices as strata."""
    whole = _view(measured, None, np.arange(measured.samples[0].units))
    if measured.documents is None:
        strata = tuple(slices.values())
    else:
        numbers = {name: i for i, name in enumerate(dict.fromkeys(measured.documents))}
        owners = [
            sorted({numbers[measured.documents[i]] for i in members}) for members in slices.values()
        ]
        if sum(map(len, owners)) > len(numbers):
            raise InputError(
                "a document lies in more than one slice; give every document one label"
            )
        strata = tuple(np.array(one) for one in owners)
    samples = tuple(
        Sample(sample.metric, sample.names, sample.rows, strata) for sample in whole.samples
    )
    return View(MACRO, samples, plain=False)


def _select(sample: Sample, members: NDArray[np.intp]) -> Sample:
    if len(members) == sample.units:
        return sample
    rows = tuple(tuple(run[members] for run in runs) for runs in sample.rows)
    return Sample(sample.metric, sample.names, rows)


def _by_document(sample: Sample, documents: Sequence[str]) -> Sample:
    rows = tuple(tuple(by_document(run, documents) for run in runs) for runs in sample.rows)
    return Sample(sample.metric, sample.names, rows)


def _runs(systems: Sequence[System]) -> dict[str, list[int]]:
    """Return the places of each system's runs."""
    runs: dict[str, list[int]] = {}
    for place, system in enumerate(systems):
        runs.setdefault(system.name, []).append(place)
    for name, places in runs.items():
        named = [systems[i].run for i in places]
        if len(set(named)) < len(named):
            raise InputError(f"{name}: two systems of this name; name them apart with NAME=FILE")
    return runs


def _check_equal(names: Sequence[str], counts: Sequence[int]) -> None:
    for name, count in zip(names, counts, strict=True):
        if count != counts[0]:
            raise InputError(
                f"{name}: {count} runs, but {names[0]} has {counts[0]}; "
                "give every system the same number of runs, or use weigh compare --runs-as-sample"
            )


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


def _shares_of_rows(sample: Sample) -> NDArray[np.float64]:
    return _shares([[[*map(tuple, run.tolist())] for run in runs] for runs in sample.rows])


def _shares(outputs: Sequence[Sequence[Any]]) -> NDArray[np.float64]:
    """Return the share of segments that two systems have in common, over the runs of both."""
    segments = len(outputs[0][0])
    runs = np.array([len(each) for each in outputs])
    same = np.zeros((len(outputs), len(outputs)), dtype=np.int64)
    for start in range(0, segments, _NUMBERED):
        numbers: dict[Any, int] = {}  # for these segments only: it would grow with the test set
        some = slice(start, min(start + _NUMBERED, segments))
        numbered = np.full((len(outputs), runs.max(), some.stop - start), -1)  # where there is none
        for system, each in zip(numbered, outputs, strict=True):
            for row, run in zip(system, each, strict=False):
                row[:] = [numbers.setdefault(one, len(numbers)) for one in run[some]]
        for i, own in enumerate(runs):
            same[i] += np.count_nonzero(numbered[:, :own] == numbered[i, :own], axis=(1, 2))
    return np.asarray(same / (segments * np.minimum.outer(runs, runs)))
