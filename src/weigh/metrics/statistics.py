"""Rows of statistics of several systems, computed together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.engine.threads import Progress, run_in_parts
from weigh.errors import InputError
from weigh.types import Metric, Outputs, System, TestSet

if TYPE_CHECKING:
    from weigh.types import Rows

# So many hypotheses are one part of the work: long enough for the core, short for progress.
_PART = 1024


def statistics(
    systems: Sequence[System],
    test_set: TestSet,
    metric: Metric,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[Rows]:
    """Return one matrix (segments × width) per system.

    All systems' hypotheses of a segment are handed to the metric one after another, so that
    what it does for the segment's references is done once. A system with references of its own
    is scored by itself.
    """
    check_systems(systems, test_set)
    result: list[Rows | None] = [None] * len(systems)
    alone = [[i] for i, system in enumerate(systems) if system.references]
    together = [i for i, system in enumerate(systems) if not system.references]
    total = len(systems) * len(test_set)
    before = 0
    for group in [*([together] if together else []), *alone]:
        chosen = [systems[i] for i in group]
        references = [*test_set.references, *chosen[0].references]
        extractor = metric.prepare(replace(test_set, references=references))
        matrices: list[Any] = []

        def work(
            start: int,
            stop: int,
            chosen: Any = chosen,
            extractor: Any = extractor,
            matrices: Any = matrices,
        ) -> None:
            outputs = _interleave([system.outputs for system in chosen], start, stop)
            rows = np.asarray(extractor.rows(outputs))
            if rows.ndim != 2 or len(rows) != len(outputs) or rows.dtype.kind not in "biuf":
                raise InputError(
                    f"{metric.name}: rows() returned shape {rows.shape} of {rows.dtype} for "
                    f"{len(outputs):,} texts; it must return one row of numbers per text"
                )
            matrices.append((start, stop, rows.reshape(stop - start, len(chosen), -1)))

        def tell(done: int, _: int, size: int = len(group), before: int = before) -> None:
            if progress is not None:
                progress(before + done * size, total)

        run_in_parts(
            work, len(test_set), max(1, _PART // len(group)), threads=threads, progress=tell
        )
        before += len(group) * len(test_set)
        for place, i in enumerate(group):
            result[i] = _joined(matrices, place, len(test_set))
    return [rows for rows in result if rows is not None]


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
            "systems have different numbers of references of their own; "
            "give every system the same number"
        )


def _interleave(outputs: Sequence[Outputs], start: int, stop: int) -> Outputs:
    if len(outputs) == 1:
        return outputs[0].part(start, stop)
    segments = np.repeat(np.arange(start, stop), len(outputs))
    extra = {
        name: _mixed([one.extra[name] for one in outputs], start, stop) for name in outputs[0].extra
    }
    return Outputs(_mixed([one.texts for one in outputs], start, stop), segments, extra)


def _mixed(columns: Sequence[Sequence[Any]], start: int, stop: int) -> list[Any]:
    return list(chain.from_iterable(zip(*(column[start:stop] for column in columns), strict=True)))


def _joined(matrices: list[tuple[int, int, Any]], place: int, size: int) -> Rows:
    # Wide enough for any sum of them, whatever type a metric's own rows have.
    whole = all(part.dtype.kind in "biu" for _, _, part in matrices)
    width = matrices[0][2].shape[2]
    rows = np.empty((size, width), dtype=np.int64 if whole else np.float64)
    for start, stop, part in matrices:
        rows[start:stop] = part[:, place]
    rows.flags.writeable = False
    return rows
