"""Statistics that were computed before: taken again as long as texts and metrics are the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh import __version__
from weigh.errors import InputError, UsageError, WeighError, did_you_mean
from weigh.files import write_arrays
from weigh.metrics.registry import key_of, metric_names, parse_metric
from weigh.metrics.statistics import digest, fingerprints, suppliers, width_of
from weigh.read.text import shown
from weigh.stats.sample import check_finite
from weigh.types import Metric, System, TestSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.metrics.statistics import Fingerprints
    from weigh.types import Rows

_AGAIN = "compute them again with weigh score --save-statistics"
# A system's name and run.
Name = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class StoredSystem:
    """The fingerprints of a system's outputs and of the references that are its own."""

    texts: Fingerprints
    references: tuple[Fingerprints, ...] = ()

    @classmethod
    def of(cls, system: System) -> StoredSystem:
        """Take the fingerprints of a system."""
        own = tuple(fingerprints(texts) for texts in system.references)
        return cls(fingerprints(system.outputs.texts), own)


@dataclass(frozen=True, slots=True)
class StoredMetric:
    """A metric's signature, and its rows and what it read beside texts, by system."""

    signature: str
    rows: Mapping[Name, Rows]
    extra: Mapping[Name, str | None]


@dataclass(frozen=True, slots=True)
class StoredStatistics:
    """Rows by metric and system, and fingerprints of all that they were computed from.

    `label` names the file in messages.
    """

    label: str
    segments: int
    references: tuple[Fingerprints, ...]
    systems: Mapping[Name, StoredSystem]
    metrics: Mapping[str, StoredMetric]
    sources: Fingerprints | None = None
    documents: tuple[str, ...] | None = None
    slices: tuple[str, ...] | None = None
    ids: tuple[str, ...] | None = None
    numbers: tuple[int, ...] | None = None

    def pick(self, names: Sequence[str]) -> StoredStatistics:
        """Return the statistics of these systems, in this order; without names, of all."""
        if not names:
            return self
        known = list(dict.fromkeys(name for name, _ in self.systems))
        for at, name in enumerate(names):
            if name not in known:
                raise InputError(
                    f"{self.label}: no statistics of {shown(name)}, and no references to score a "
                    f"file with; {did_you_mean(name, known)}"
                )
            if name in names[:at]:
                raise UsageError(f"{shown(name)} is named twice; name every system once")
        systems = {
            (own, run): stored
            for name in names
            for (own, run), stored in self.systems.items()
            if own == name
        }
        metrics = {
            key: replace(
                stored, rows={name: stored.rows[name] for name in stored.rows if name in systems}
            )
            for key, stored in self.metrics.items()
        }
        return replace(self, systems=systems, metrics=metrics)

    def choose(self, metrics: Sequence[Metric] | None) -> list[Metric]:
        """Return the metrics that all systems have statistics of: those asked for, or all."""
        whole = [key for key, one in self.metrics.items() if len(one.rows) == len(self.systems)]
        if metrics is not None:
            for metric in metrics:
                if key_of(metric) not in whole:
                    raise UsageError(
                        f"{self.label}: no statistics of {key_of(metric)} for all systems; "
                        f"{did_you_mean(key_of(metric), whole)}"
                    )
            return list(metrics)
        if not whole:
            raise InputError(f"{self.label}: no metric has statistics of all systems; {_AGAIN}")
        return [self._parsed(key) for key in whole]

    def _parsed(self, key: str) -> Metric:
        try:
            return parse_metric(key)
        except UsageError as error:
            raise InputError(
                f"{self.label}: {shown(key)} is not a metric that is installed here ({error}); "
                "choose others with -m"
            ) from None

    def check(self, systems: Sequence[System], test_set: TestSet) -> None:
        """Raise InputError if anything has changed since the statistics were computed."""
        known = [system for system in systems if (system.name, system.run) in self.systems]
        texts = StoredStatistics(
            "the texts",
            len(test_set),
            tuple(map(fingerprints, test_set.references)),
            {(system.name, system.run): StoredSystem.of(system) for system in known},
            {},
            None if test_set.sources is None else fingerprints(test_set.sources),
        )
        self.check_same(texts)

    def check_same(self, other: StoredStatistics) -> None:
        """Raise InputError if other statistics were not computed from the same texts."""
        if other.segments != self.segments:
            raise InputError(
                f"{self.label}: statistics of {self.segments:,} segments, but the test set has "
                f"{other.segments:,}; {_AGAIN}"
            )
        self._check_sets("reference", other.references, self.references)
        if other.sources is not None and self.sources is not None:
            self._check_texts("the source", other.sources, self.sources)
        for (name, run), system in other.systems.items():
            stored = self.systems.get((name, run))
            if stored is not None:
                self._check_texts(shown(name), system.texts, stored.texts)
                self._check_sets(f"{shown(name)}, reference", system.references, stored.references)

    def _check_sets(
        self, what: str, given: Sequence[Fingerprints], stored: Sequence[Fingerprints]
    ) -> None:
        if len(given) != len(stored):
            raise InputError(
                f"{self.label}: out of date, as {what}s were {len(stored)} and are {len(given)}; "
                f"{_AGAIN}"
            )
        for number, (texts, numbers) in enumerate(zip(given, stored, strict=True), 1):
            self._check_texts(f"{what} {number}", texts, numbers)

    def _check_texts(self, what: str, given: Fingerprints, stored: Fingerprints) -> None:
        changed = np.flatnonzero(given != stored)
        if len(changed):
            more = f" (and {len(changed) - 1:,} more)" if len(changed) > 1 else ""
            raise InputError(
                f"{self.label}: out of date, as {what} has changed in segment "
                f"{self.number_of(int(changed[0])):,}{more}; {_AGAIN}"
            )

    def number_of(self, segment: int) -> int:
        """Return the number, from 1, by which a reader knows the segment at this place."""
        return segment + 1 if self.numbers is None else self.numbers[segment]

    def find(self, metric: Metric, system: System, references: int) -> Rows | None:
        """Return the rows of a system that `check` has seen, or None if they are not here."""
        stored = self._metric(metric, references)
        if stored is None:
            return None
        name = (system.name, system.run)
        extra = digest_of_extra(metric, system)
        known = stored.extra.get(name)
        if extra is not None and known is not None and extra != known:
            raise InputError(
                f"{self.label}: out of date, as what {key_of(metric)} reads of "
                f"{shown(system.name)} has changed; {_AGAIN}"
            )
        rows = stored.rows.get(name)
        if rows is not None:
            self._check_rows(metric, system.name, rows)
        return rows

    def rows_of(self, metric: Metric, name: Name, references: int) -> Rows:
        """Return the rows of a system by a metric that `choose` has chosen."""
        stored = self._metric(metric, references)
        if stored is None or name not in stored.rows:
            raise InputError(
                f"{metric.name} of {shown(name[0])}: neither statistics nor texts to compute them "
                "from; give the texts"
            )
        self._check_rows(metric, name[0], stored.rows[name])
        return stored.rows[name]

    def _metric(self, metric: Metric, references: int) -> StoredMetric | None:
        stored = self.metrics.get(key_of(metric))
        if stored is not None and metric.signature(references) != stored.signature:
            raise InputError(
                f"{self.label}: out of date, as {key_of(metric)} was {shown(stored.signature)} and "
                f"is {metric.signature(references)}; {_AGAIN}"
            )
        return stored

    def _check_rows(self, metric: Metric, system: str, rows: Rows) -> None:
        """Refuse rows that the metric cannot have made.

        What weigh's own metrics make is known: so many numbers, and no counts below 0.
        """
        name = key_of(metric).partition(":")[0]
        own = name in metric_names()
        if (own and rows.shape[1] != width_of(metric)) or (
            own and name != "combine" and rows.dtype.kind == "i" and (rows < 0).any()
        ):
            raise InputError(
                f"{self.label}: the statistics of {shown(system)} are not such as "
                f"{key_of(metric)} makes, so the file is damaged; write it again"
            )
        check_finite(
            rows,
            f"{self.label}: {metric.name} of {shown(system)}",
            self.number_of,
        )


def digest_of_extra(metric: Metric, system: System) -> str | None:
    """Return a fingerprint of what a metric needs beside texts, if a system carries it."""
    extra = system.outputs.extra
    columns = [extra[place] for _, place in suppliers([metric]) if place in extra]
    return digest([value for column in columns for value in column]) if columns else None


def merge(files: Sequence[StoredStatistics]) -> StoredStatistics:
    """Return the statistics of several files of one test set as one."""
    merged, *others = files
    for other in others:
        try:
            other.check_same(merged)
        except InputError as error:
            raise InputError(f"{merged.label} and {error}") from None
        metrics = dict(merged.metrics)
        for key, one in other.metrics.items():
            before = metrics.get(key, one)
            if before.signature != one.signature:
                raise InputError(
                    f"{other.label}: {shown(key)} is {shown(one.signature)} there, but "
                    f"{shown(before.signature)} in {merged.label}; {_AGAIN}"
                )
            metrics[key] = StoredMetric(
                one.signature, {**before.rows, **one.rows}, {**before.extra, **one.extra}
            )
        merged = replace(
            merged,
            label=f"{merged.label}, {other.label}",
            systems={**merged.systems, **other.systems},
            metrics=metrics,
            sources=merged.sources if merged.sources is not None else other.sources,
            documents=merged.documents or other.documents,
            slices=merged.slices or other.slices,
            ids=merged.ids or other.ids,
            numbers=merged.numbers or other.numbers,
        )
    return merged


# Files of statistics: NumPy's .npz with arrays and a description in JSON, never pickles.

SCHEMA = "weigh-statistics/1"
_ABOUT = "about"


def check_writable(path: str) -> None:
    """Raise WeighError, before the work is done, if a file cannot be written or is another's."""
    file = Path(path)
    if not file.parent.is_dir():
        raise InputError(f"{shown(path)}: no such directory; make it first")
    if file.exists() and not _is_ours(path):
        raise InputError(f"{shown(path)}: exists and is no file of statistics; choose another name")


def _is_ours(path: str) -> bool:
    """Return whether nothing of another's would be lost; an empty file is nobody's."""
    import zipfile

    file = Path(path)
    if not file.is_file():  # a device, say, which may be read without end
        return False
    if not file.stat().st_size:
        return True
    try:
        with zipfile.ZipFile(file) as archive:
            return f"{_ABOUT}.npy" in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def save_statistics(statistics: StoredStatistics, path: str) -> None:
    """Write a file of statistics, whole or not at all."""
    write_arrays(path, _arrays(statistics))


def _arrays(statistics: StoredStatistics) -> dict[str, NDArray[Any]]:
    import json  # which scores from texts need not load

    systems = list(statistics.systems.items())
    about = {
        "schema": SCHEMA,
        "weigh": __version__,
        "segments": statistics.segments,
        "references": len(statistics.references),
        "sources": statistics.sources is not None,
        "documents": statistics.documents,
        "slices": statistics.slices,
        "ids": statistics.ids,
        "numbers": statistics.numbers,
        "systems": [
            {"name": name, "run": run, "references": len(stored.references)}
            for (name, run), stored in systems
        ],
        "metrics": [
            {
                "metric": key,
                "signature": stored.signature,
                "systems": [
                    number for number, (name, _) in enumerate(systems) if name in stored.rows
                ],
                "extra": [stored.extra.get(name) for name, _ in systems],
            }
            for key, stored in statistics.metrics.items()
        ],
    }
    text = json.dumps(about, ensure_ascii=True)
    arrays: dict[str, Any] = {_ABOUT: np.frombuffer(text.encode("ascii"), dtype=np.uint8)}
    arrays |= _numbered("reference", statistics.references)
    if statistics.sources is not None:
        arrays["source"] = statistics.sources
    for number, (name, system) in enumerate(systems):
        arrays[f"system/{number}"] = system.texts
        arrays |= _numbered(f"system/{number}/reference", system.references)
        for at, metric in enumerate(statistics.metrics.values()):
            if name in metric.rows:
                arrays[f"rows/{at}/{number}"] = metric.rows[name]
    return arrays


def _numbered(name: str, columns: Sequence[Fingerprints]) -> dict[str, Fingerprints]:
    return {f"{name}/{number}": column for number, column in enumerate(columns)}


def read_statistics(paths: Sequence[str]) -> StoredStatistics:
    """Read files of statistics, all of one test set."""
    return merge([_read(path) for path in paths])


def _read(path: str) -> StoredStatistics:
    import zipfile

    name = shown(path)
    try:
        with Path(path).open("rb"):
            _expect(Path(path).is_file())
        with zipfile.ZipFile(path) as archive:
            # As they are written: nothing unfolds into more than the file has.
            _expect(all(one.compress_type == zipfile.ZIP_STORED for one in archive.infolist()))
        with np.load(path, allow_pickle=False) as arrays:
            return _statistics(name, arrays)
    except FileNotFoundError:
        raise InputError(f"{name}: no such file; check the path") from None
    except (IsADirectoryError, PermissionError) as error:
        raise InputError(f"{name}: cannot be read ({error.strerror})") from None
    except WeighError:
        raise
    except Exception:  # whatever a damaged archive, header or description leads to
        raise InputError(
            f"{name}: not a file that weigh score --save-statistics has written, or a damaged one; "
            "write it again"
        ) from None


def _statistics(name: str, arrays: Mapping[str, NDArray[Any]]) -> StoredStatistics:
    import json

    about = json.loads(arrays[_ABOUT].tobytes().decode("ascii"))
    if about["schema"] != SCHEMA:
        raise InputError(
            f"{name}: in the format {shown(str(about['schema']))}, but this weigh reads {SCHEMA}; "
            "write it again with weigh score --save-statistics"
        )
    segments = about["segments"]
    _expect(isinstance(segments, int) and segments > 0)
    given = about["systems"]
    systems = {
        (_text(one["name"]), None if one["run"] is None else _text(one["run"])): StoredSystem(
            _column(arrays[f"system/{number}"], segments),
            tuple(
                _column(arrays[f"system/{number}/reference/{at}"], segments)
                for at in range(one["references"])
            ),
        )
        for number, one in enumerate(given)
    }
    _expect(len(systems) == len(given) > 0)
    names = list(systems)
    numbers = _labels(about.get("numbers"), segments, _number)
    _expect(numbers is None or all(a < b for a, b in pairwise(numbers)))
    return StoredStatistics(
        name,
        segments,
        tuple(_column(arrays[f"reference/{at}"], segments) for at in range(about["references"])),
        systems,
        {
            _text(one["metric"]): StoredMetric(
                _text(one["signature"]),
                {
                    names[at]: _rows(arrays[f"rows/{number}/{at}"], segments)
                    for at in one["systems"]
                },
                dict(zip(names, one["extra"], strict=True)),
            )
            for number, one in enumerate(about["metrics"])
        },
        _column(arrays["source"], segments) if about["sources"] else None,
        _labels(about["documents"], segments),
        _labels(about["slices"], segments),
        _labels(about["ids"], segments),
        numbers,
    )


def _expect(condition: bool) -> None:
    if not condition:
        raise ValueError("not as it is written")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _labels(
    values: Any, segments: int, checked: Callable[[Any], Any] = _text
) -> tuple[Any, ...] | None:
    if values is None:
        return None
    _expect(len(values) == segments)
    return tuple(map(checked, values))


def _number(value: object) -> int:
    if type(value) is not int or value <= 0:
        raise TypeError("not the number of a segment")
    return value


def _column(array: NDArray[Any], segments: int) -> Fingerprints:
    _expect(array.dtype == np.uint64 and array.shape == (segments,))
    return array


def _rows(array: NDArray[Any], segments: int) -> Rows:
    _expect(array.dtype in (np.int64, np.float64) and array.ndim == 2 and len(array) == segments)
    array.flags.writeable = False
    return array
