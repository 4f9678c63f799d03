"""Rows of statistics of several systems, computed together.

Some metrics read more than texts: given scores, say.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.engine.executors import executor, spread
from weigh.engine.threads import Progress, run_in_parts
from weigh.errors import InputError, UsageError
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.words import resolve_tokenizer
from weigh.read.text import shown
from weigh.stats.sample import check_finite
from weigh.types import Metric, Outputs, System, TestSet

if TYPE_CHECKING:
    from weigh.types import Rows


# Number of hypotheses per task: large enough for the core, small enough for progress.
_PART = 1024


def statistics(
    systems: Sequence[System],
    test_set: TestSet,
    metric: Metric | Definition,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[Rows]:
    """Return one matrix (segments × width) per system.

    All systems' hypotheses of a segment are handed to the metric one after another, so that
    what it does for the segment's references is done once. A system with references of its own
    is scored by itself. Numbers that are not finite are refused.
    """
    metric = as_metric(metric)
    check_systems(systems, test_set)
    metric = resolve_tokenizer(metric, test_set, systems)
    systems, _, _ = supplied(systems, test_set, [metric])
    matrices = _compute(systems, test_set, metric, threads, progress)
    for system, matrix in zip(systems, matrices, strict=True):
        check_finite(matrix, f"{metric.name} of {system.name}", test_set.number_of)
    return matrices


def _compute(
    systems: Sequence[System],
    test_set: TestSet,
    metric: Metric,
    threads: int,
    progress: Progress | None,
) -> list[Rows]:
    if executor() is not None and len(systems) > 1:
        return _compute_in_workers(systems, test_set, metric, progress)
    result: dict[int, Rows] = {}
    alone = [[i] for i, system in enumerate(systems) if system.references]
    together = [i for i, system in enumerate(systems) if not system.references]
    total = len(systems) * len(test_set)
    before = 0
    for group in [*([together] if together else []), *alone]:

        def tell(done: int, _: int, group: list[int] = group, before: int = before) -> None:
            if progress is not None:
                progress(before + done * len(group), total)

        chosen = [systems[i] for i in group]
        matrices = _group_rows(chosen, test_set, metric, threads, tell)
        result.update(zip(group, matrices, strict=True))
        before += len(group) * len(test_set)
    return [result[i] for i in range(len(systems))]


def _compute_in_workers(
    systems: Sequence[System], test_set: TestSet, metric: Metric, progress: Progress | None
) -> list[Rows]:
    """Return the rows of every system, each of which is a task of its own."""
    segments = len(test_set)

    def tell(done: int, _: int) -> None:
        if progress is not None:
            progress(done * segments, len(systems) * segments)

    matrices = spread(_system_rows, systems, (test_set, metric), progress=tell)
    _make_alike(systems, matrices)
    for matrix in matrices:
        matrix.flags.writeable = False
    return matrices


def _make_alike(systems: Sequence[System], matrices: list[Rows]) -> None:
    """Convert systems that are computed together to the same number type."""
    together = [at for at, system in enumerate(systems) if not system.references]
    if len({matrices[at].dtype for at in together}) > 1:
        for at in together:
            matrices[at] = matrices[at].astype(np.float64)
            matrices[at].flags.writeable = False


def _system_rows(shared: tuple[TestSet, Metric], system: System) -> Rows:
    test_set, metric = shared
    [matrix] = _group_rows([system], test_set, metric, 1, lambda *_: None)
    return matrix


def _group_rows(
    systems: Sequence[System], test_set: TestSet, metric: Metric, threads: int, progress: Progress
) -> list[Rows]:
    """Return the rows of systems that have the same references."""
    references = [*test_set.references, *systems[0].references]
    extractor = metric.prepare(replace(test_set, references=references))
    outputs = [system.outputs for system in systems]
    matrices: list[Rows] = []
    lock = threading.Lock()

    def work(start: int, stop: int) -> None:
        mixed = _interleave(outputs, start, stop)
        rows = np.asarray(extractor.rows(mixed))
        if rows.ndim != 2 or len(rows) != len(mixed) or rows.dtype.kind not in "biuf":
            raise InputError(
                f"{metric.name}: rows() returned shape {rows.shape} of {rows.dtype} for "
                f"{len(mixed):,} texts; it must return one row of numbers per text"
            )
        with lock:
            if matrices and rows.shape[1] != matrices[0].shape[1]:
                raise InputError(
                    f"{metric.name}: rows() returned {rows.shape[1]} columns, but "
                    f"{matrices[0].shape[1]} before; it must return the same number for all "
                    "texts"
                )
            # Wide enough for any sum of them, whatever type a metric's own rows have; numbers that
            # only an unsigned type holds are refused later, as too large.
            is_real = rows.dtype.kind == "f" or (rows.dtype == np.uint64 and rows.max() >= 2**63)
            dtype = np.float64 if is_real else np.int64
            if not matrices:
                shape = (len(test_set), rows.shape[1])
                matrices.extend(np.empty(shape, dtype) for _ in systems)
            elif dtype == np.float64 and matrices[0].dtype == np.int64:
                matrices[:] = [matrix.astype(np.float64) for matrix in matrices]
            for place, matrix in enumerate(matrices):
                matrix[start:stop] = rows[place :: len(systems)]

    part = max(1, _PART // len(systems))
    run_in_parts(work, len(test_set), part, threads=threads, progress=progress)
    for matrix in matrices:
        matrix.flags.writeable = False
    return matrices


def width_of(metric: Metric) -> int:
    """Number of statistics of a metric: as declared, or counted on a text."""
    width = metric.width
    if width is None:
        width = np.shape(metric.prepare(TestSet([["a"]])).rows(Outputs(["a"])))[1]
    return width


def check_systems(systems: Sequence[System], test_set: TestSet) -> None:
    """Raise InputError unless every system has one output per segment and its references."""
    if not systems:
        raise InputError("no systems; give at least one output file")
    size = len(test_set)
    for system in systems:
        if system.outputs.segments is not None:
            raise InputError(f"{system.name}: an n-best list; give one output per segment")
        if len(system.outputs) != size:
            raise InputError(
                f"{system.name}: {len(system.outputs):,} segments, but the test set has {size:,}; "
                "give one output for every segment"
            )
    counts = {len(system.references) for system in systems}
    if len(counts) > 1:
        raise InputError(
            "systems have different numbers of references; give every system the same number"
        )


def _interleave(outputs: Sequence[Outputs], start: int, stop: int) -> Outputs:
    if len(outputs) == 1:
        return outputs[0].part(start, stop)
    segments = np.repeat(np.arange(start, stop), len(outputs))
    extra = {
        name: _mixed([group.extra[name] for group in outputs], start, stop)
        for name in outputs[0].extra
    }
    return Outputs(_mixed([group.texts for group in outputs], start, stop), segments, extra)


def _mixed(columns: Sequence[Sequence[Any]], start: int, stop: int) -> list[Any]:
    return list(chain.from_iterable(zip(*(column[start:stop] for column in columns), strict=True)))


# What metrics read beside texts.

SYSTEM, RUN = "{system}", "{run}"
"""Placeholders in paths for a system's name, and for its run."""


@dataclass(frozen=True, slots=True)
class Missing:
    """The number of `segments` without a score, by metric and system; None is a missing score.

    A segment that one system has no score of is left out of all systems, and for all metrics:
    systems are compared on the same segments or not at all.
    """

    segments: int
    counts: Mapping[tuple[str, str], int]
    kept: tuple[int, ...]

    @classmethod
    def of(cls, columns: Mapping[tuple[str, str], Sequence[Any]]) -> Missing | None:
        """Look through columns by metric and system; return None if nothing is missing.

        >>> print(Missing.of({("comet", "A"): [0.5, None], ("comet", "B"): [0.1, 0.2]}))
        1 of 2 segments is left out for all systems, because scores are missing: comet of A 1
        """
        gaps = {
            key: [at for at, value in enumerate(column) if value is None]
            for key, column in columns.items()
        }
        out = {at for places in gaps.values() for at in places}
        if not out:
            return None
        segments = len(next(iter(columns.values())))
        kept = tuple(at for at in range(segments) if at not in out)
        if not kept:
            raise InputError(
                f"none of the {segments:,} segments has a score of every system; "
                "leave out the systems or metrics whose scores are missing"
            )
        return cls(segments, {key: len(places) for key, places in gaps.items() if places}, kept)

    def __str__(self) -> str:
        out = self.segments - len(self.kept)
        where = ", ".join(
            f"{shown(metric)} of {shown(system)} {count:,}"
            for (metric, system), count in self.counts.items()
        )
        verb = "is" if out == 1 else "are"
        return (
            f"{out:,} of {self.segments:,} segments {verb} left out for all systems, because "
            f"scores are missing: {where}"
        )


def supplied(
    systems: Sequence[System],
    test_set: TestSet,
    metrics: Sequence[Metric],
    *,
    allow_missing: bool = False,
) -> tuple[tuple[System, ...], TestSet, Missing | None]:
    """Return the systems with all that the metrics need.

    With `allow_missing`, segments for which something is missing are left out of the test set and
    of every system; what that was is returned too.
    """
    systems = tuple(systems)
    columns: dict[tuple[str, str], Sequence[Any]] = {}
    for supplier, place in suppliers(metrics):
        if all(place in system.outputs.extra for system in systems):
            continue
        read = supplier.supply(systems, test_set, allow_missing=allow_missing)
        for system, column in zip(systems, read, strict=True):
            taken = (supplier.name, system.label) in columns
            columns[place if taken else supplier.name, system.label] = column
        systems = tuple(
            _with_outputs(system, extra={**system.outputs.extra, place: column})
            for system, column in zip(systems, read, strict=True)
        )
    if not columns:
        return systems, test_set, None
    missing = Missing.of(columns)
    if missing is None:
        return systems, test_set, None
    kept = missing.kept
    return tuple(system.part(kept) for system in systems), test_set.part(kept), missing


def path_of(path: str, system: System, metric: str) -> str:
    """The path of what a metric reads of a system, with its name and run in place.

    A system that is called after its file may stand there with the file's ending or without.
    """
    from weigh.read.text import exists

    if system.run is not None and SYSTEM in path and RUN not in path:
        raise UsageError(
            f"{metric}: {path} is one file for all runs of {system.name}; add {{run}} to the path"
        )
    named, by_file = (
        path.replace(SYSTEM, name).replace(RUN, system.run or "")
        for name in (system.name, system.file_name)
    )
    return by_file if system.file_name and not exists(named) and exists(by_file) else named


def path_label(path: str) -> str:
    """A path for signatures, without folders that mean nothing to other readers.

    What is given relative to some folder stays as it is, as does the address of a database.
    Others of one name are told apart by a fingerprint of the path.

    >>> path_label("scores/{system}.tsv"), path_label("/data/scores.tsv")
    ('scores/{system}.tsv', 'scores.tsv@fbfdd89c')
    """
    from pathlib import PurePath

    scheme, is_address, rest = path.partition("://")
    file = PurePath(rest.removeprefix("/") if is_address else path)
    if not file.is_absolute() or (is_address and scheme != "sqlite"):
        return path
    return f"{file.name}@{digest([path])[:8]}"


def suppliers(metrics: Sequence[Metric]) -> Iterator[tuple[Metric, str]]:
    """Yield the metrics that need more than texts, with its key in `extra` of outputs.

    Those within combinations are among them.
    """
    for metric in metrics:
        yield from suppliers(metric.metrics)
        if metric.column is not None:
            yield metric, metric.column


def _with_outputs(system: System, **changed: Any) -> System:
    return replace(system, outputs=replace(system.outputs, **changed))


def digest(values: Sequence[Any]) -> str:
    """Return one fingerprint of a whole column of numbers or texts."""
    from hashlib import blake2b

    hasher = blake2b(digest_size=8)
    for value in values:
        hasher.update(repr(value).encode("utf-8", "surrogatepass") + b"\n")
    return hasher.hexdigest()
