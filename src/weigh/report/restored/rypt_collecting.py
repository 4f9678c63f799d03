"""Queries, collected labels and the diversity of candidates from their documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from weigh.human.agreement import Kappas
from weigh.report import rypt_diversity, rypt_labels, rypt_queries
from weigh.report.decoding import decode
from weigh.report.document import Extent
from weigh.report.restored.saved import Saved, unfit
from weigh.report.rypt_diversity import DiversityReport
from weigh.report.rypt_labels import LabelsReport
from weigh.report.rypt_queries import QueriesReport
from weigh.rypt.collection import Collected
from weigh.rypt.diversity import Iteration, Length
from weigh.rypt.labels import Agreement, Label
from weigh.rypt.queries import Estimate, Query, Rates, Shares, Tally


@dataclass(frozen=True, slots=True)
class _Found:
    queries: int


@dataclass(frozen=True, slots=True)
class _Estimate:
    queries: int
    hits: int
    assumed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Query:
    line: int
    start: int
    end: int
    span: str
    substring: str
    candidates: int
    if_yes: int
    if_no: int
    shares: Shares

    @property
    def read(self) -> tuple[Query, str]:
        """The query and the words of its span; of the candidates that have it none is kept."""
        query = Query(
            self.line - 1,
            self.start,
            self.end,
            self.substring,
            self.candidates,
            0,
            self.if_yes,
            self.if_no,
            self.shares,
        )
        return query, self.span


@dataclass(frozen=True, slots=True)
class _Length:
    max_length: int


@dataclass(frozen=True, slots=True)
class _Asked:
    """A document of `weigh rypt queries`."""

    max_length: int
    found: _Found
    estimate: _Estimate
    sweep: tuple[_Length, ...]
    shown: int
    queries: tuple[_Query, ...]
    files: tuple[str, ...]
    aggregate: str | None = None


def restore_queries(document: Mapping[str, Any], name: str) -> Saved[QueriesReport]:
    """Return what `weigh rypt queries` has written."""
    given = decode(_Asked, document, name)
    if given.shown < 1:
        raise unfit(name, f"{given.shown} queries to be shown")
    report = QueriesReport(
        _tally(document["found"], f"{name}.found"),
        given.found.queries,
        Estimate(
            given.estimate.queries,
            given.estimate.hits,
            decode(Rates, document["estimate"], f"{name}.estimate"),
        ),
        [one.read for one in given.queries],
        given.shown,
        given.max_length,
        given.estimate.assumed,
        {
            one.max_length: _tally(raw, f"{name}.sweep")
            for one, raw in zip(given.sweep, document["sweep"], strict=True)
        },
        given.files,
        given.aggregate,
    )
    return Saved("rypt queries", report, rypt_queries.as_table, rypt_queries.FORMATS)


def _tally(value: Mapping[str, Any], where: str) -> Tally:
    """Return what was met; all of it must be told, though it starts at 0 when it is counted."""
    for one in fields(Tally):
        if one.name not in value:
            raise unfit(where, f"no {one.name!r}")
    return decode(Tally, value, where)


@dataclass(frozen=True, slots=True)
class _Labels:
    store: str
    sources: int
    spans: int
    entries: int
    judges: int
    judgments: int
    corrected: int
    labels_yes: int
    labels_no: int
    labels_not_sure: int
    entries_yes: int
    entries_no: int
    entries_not_sure: int
    timed: int
    seconds: float
    paid: float | None
    judged_by_several: int
    agreeing_pairs: float
    cohen_kappa: float
    cohen_pairs: int
    fleiss_kappa: float
    fleiss_units: int
    fleiss_judges: int
    aggregate: str = "majority"
    agreement_by_judge: tuple[Agreement, ...] = ()

    @property
    def read(self) -> LabelsReport:
        collected = Collected(
            judgments=self.judgments,
            corrected=self.corrected,
            sources=self.sources,
            spans=self.spans,
            entries=self.entries,
            judges=self.judges,
            labels={
                Label.YES: self.labels_yes,
                Label.NO: self.labels_no,
                Label.NOT_SURE: self.labels_not_sure,
            },
            worth={
                Label.YES: self.entries_yes,
                Label.NO: self.entries_no,
                Label.NOT_SURE: self.entries_not_sure,
            },
            timed=self.timed,
            seconds=self.seconds if self.timed else 0,  # a sum of nothing is a whole number
            given={},
            agreements=self.agreement_by_judge,
            aggregate=self.aggregate,
        )
        kappas = Kappas(
            self.cohen_kappa,
            self.cohen_pairs,
            self.fleiss_kappa,
            self.fleiss_units,
            self.fleiss_judges,
        )
        return LabelsReport(
            self.store, collected, kappas, self.judged_by_several, self.agreeing_pairs, self.paid
        )


@dataclass(frozen=True, slots=True)
class _Shown:
    """A document of `weigh rypt labels show`."""

    labels: _Labels


def restore_labels(document: Mapping[str, Any], name: str) -> Saved[LabelsReport]:
    """Return what `weigh rypt labels show` has written."""
    report = decode(_Shown, document, name).labels.read
    return Saved("rypt labels", report, rypt_labels.as_table, rypt_labels.FORMATS)


@dataclass(frozen=True, slots=True)
class _File:
    list: str


@dataclass(frozen=True, slots=True)
class _Diverse:
    """A document of `weigh rypt diversity`."""

    test_set: Extent
    parses: str
    labels: str | None
    sentences: int
    max_length: int
    iterations: tuple[Iteration, ...]
    lengths: tuple[Length, ...]
    warnings: tuple[str, ...]
    aggregate: str | None = None


def restore_diversity(document: Mapping[str, Any], name: str) -> Saved[DiversityReport]:
    """Return what `weigh rypt diversity` has written."""
    given = decode(_Diverse, document, name)
    if not given.iterations:
        raise unfit(name, "no iterations")
    report = DiversityReport(
        given.iterations,
        given.lengths,
        [decode(_File, one, f"{name}.iterations").list for one in document["iterations"]],
        given.test_set.segments,
        given.sentences,
        given.max_length,
        given.parses,
        given.labels,
        given.warnings,
        given.aggregate,
    )
    return Saved("rypt diversity", report, rypt_diversity.as_table, rypt_diversity.FORMATS)


RESTORERS = {
    "rypt queries": restore_queries,
    "rypt labels": restore_labels,
    "rypt diversity": restore_diversity,
}
