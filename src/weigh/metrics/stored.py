"""Statistics that were computed before: taken again as long as texts and metrics are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.metrics.fingerprint import digest, fingerprints
from weigh.metrics.registry import key_of, metric_names, parse_metric
from weigh.metrics.statistics import width_of
from weigh.metrics.supply import suppliers
from weigh.read.stream import shown
from weigh.stats.sample import check_finite
from weigh.types import Metric, System, TestSet

if TYPE_CHECKING:
    from weigh.metrics.fingerprint import Fingerprints
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
        """Return the statistics of these systems in this order, with all their runs; none: all."""
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
            key: StoredMetric(
                one.signature,
                {name: rows for name, rows in one.rows.items() if name in systems},
                one.extra,
            )
            for key, one in self.metrics.items()
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
        self._check_segments(len(test_set))
        known = [system for system in systems if (system.name, system.run) in self.systems]
        self.check_against(
            [fingerprints(texts) for texts in test_set.references],
            None if test_set.sources is None else fingerprints(test_set.sources),
            {(system.name, system.run): StoredSystem.of(system) for system in known},
        )

    def check_same(self, other: StoredStatistics) -> None:
        """Raise InputError if other statistics were not computed from the same texts."""
        self._check_segments(other.segments)
        self.check_against(other.references, other.sources, other.systems)

    def _check_segments(self, segments: int) -> None:
        if segments != self.segments:
            raise InputError(
                f"{self.label}: statistics of {self.segments:,} segments, but the test set has "
                f"{segments:,}; {_AGAIN}"
            )

    def check_against(
        self,
        references: Sequence[Fingerprints],
        sources: Fingerprints | None,
        systems: Mapping[Name, StoredSystem],
    ) -> None:
        """Raise InputError if the fingerprints of texts are others."""
        self._check_sets("reference", references, self.references)
        if sources is not None and self.sources is not None:
            self._check_texts("the source", sources, self.sources)
        for (name, run), system in systems.items():
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
        merged = StoredStatistics(
            f"{merged.label}, {other.label}",
            merged.segments,
            merged.references,
            {**merged.systems, **other.systems},
            metrics,
            merged.sources if merged.sources is not None else other.sources,
            merged.documents or other.documents,
            merged.slices or other.slices,
            merged.ids or other.ids,
            merged.numbers or other.numbers,
        )
    return merged
