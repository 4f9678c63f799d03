"""What some metrics need beside texts: given scores, say, which they read for each system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from weigh.errors import UsageError
from weigh.types import Metric, System, TestSet

if TYPE_CHECKING:
    from weigh.read.scores import Missing

SYSTEM, RUN = "{system}", "{run}"
"""What stands in paths for a system's name, and for its run."""


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
        systems = tuple(
            _with_column(system, place, column)
            for system, column in zip(systems, read, strict=True)
        )
        for system, column in zip(systems, read, strict=True):
            name = system.name if system.run is None else f"{system.name}@{system.run}"
            taken = (supplier.name, name) in columns
            columns[place if taken else supplier.name, name] = column
    if not columns:
        return systems, test_set, None
    from weigh.read.scores import Missing

    missing = Missing.of(columns)
    if missing is None:
        return systems, test_set, None
    parts = tuple(_part(system, missing) for system in systems)
    return parts, _less(test_set, missing), missing


def path_of(path: str, system: System, metric: str) -> str:
    """Return the path of what a metric reads of a system, with its name and run in place."""
    if system.run is not None and SYSTEM in path and RUN not in path:
        raise UsageError(
            f"{metric}: {path} is one file for all runs of {system.name}; "
            "tell them apart by {run} in the path"
        )
    return path.replace(SYSTEM, system.name).replace(RUN, system.run or "")


def path_label(path: str) -> str:
    """Return a path as signatures name it, which others read who have no use for its folders.

    What is given relative to some folder stays as it is, as does the address of a database.
    Others of one name are told apart by a fingerprint of the path.

    >>> path_label("scores/{system}.tsv"), path_label("/data/scores.tsv")
    ('scores/{system}.tsv', 'scores.tsv@fbfdd89c')
    """
    from pathlib import PurePath

    from weigh.metrics.fingerprint import digest

    scheme, is_address, rest = path.partition("://")
    file = PurePath(rest.removeprefix("/") if is_address else path)
    if not file.is_absolute() or (is_address and scheme != "sqlite"):
        return path
    return f"{file.name}@{digest([path])[:8]}"


def suppliers(metrics: Sequence[Metric]) -> Iterator[tuple[Metric, str]]:
    """Yield the metrics that need more than texts, with where outputs carry that in `extra`.

    Those within combinations are among them.
    """
    for metric in metrics:
        yield from suppliers(metric.metrics)
        if metric.column is not None:
            yield metric, metric.column


def _with_column(system: System, name: str, column: Sequence[Any]) -> System:
    extra = {**system.outputs.extra, name: column}
    return replace(system, outputs=replace(system.outputs, extra=extra))


def _part(system: System, missing: Missing) -> System:
    outputs = system.outputs
    return replace(
        system,
        outputs=replace(
            outputs,
            texts=missing.keep(outputs.texts),
            extra={name: missing.keep(column) for name, column in outputs.extra.items()},
        ),
        references=tuple(map(missing.keep, system.references)),
    )


def _less(test_set: TestSet, missing: Missing) -> TestSet:
    labels = {
        name: missing.keep(column)
        for name in ("sources", "documents", "ids", "slices")
        if (column := getattr(test_set, name)) is not None
    }
    return replace(
        test_set,
        references=tuple(map(missing.keep, test_set.references)),
        numbers=[test_set.number_of(at) for at in missing.kept],
        **labels,
    )
