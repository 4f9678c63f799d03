"""Scores and comparisons from their documents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from weigh.comparing.evidence import Evidence
from weigh.comparing.plan import Plan
from weigh.comparing.result import Gate, Result
from weigh.errors import InputError, did_you_mean
from weigh.metrics.scoring import SystemScore
from weigh.report import comparisons, scores
from weigh.report.compared import CompareReport
from weigh.report.decoding import decode
from weigh.report.document import Extent
from weigh.report.page import page
from weigh.report.pictures import comparison_pictures
from weigh.report.restored.saved import Saved, checked_decimals
from weigh.report.scores import IntervalMethod, ScoreReport
from weigh.stats.procedures import ADJUSTMENTS, ALTERNATIVES, BLOCK_TESTS, RUNS_TEST
from weigh.types import Comparison, Ranking


@dataclass(frozen=True, slots=True)
class _Metric:
    """What a document says of a metric once for all its scores."""

    metric: str
    name: str
    decimals: int


@dataclass(frozen=True, slots=True)
class _Score:
    """A score as documents hold it."""

    metric: str
    signature: str
    lower_is_better: bool
    system: str
    score: float
    run: str | None = None
    slice: str | None = None
    interval: tuple[float, float] | None = None
    level: float | None = None
    segments: tuple[float, ...] | None = None
    details: Mapping[str, Any] | None = None
    comparable: bool = True


@dataclass(frozen=True, slots=True)
class _Intervals:
    method: str
    level: float
    unit: str
    units: int
    trials: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _Scored:
    """A document of `weigh score`."""

    test_set: Extent
    metrics: tuple[_Metric, ...]
    scores: tuple[_Score, ...]
    intervals: _Intervals | None = None
    ids: tuple[str, ...] | None = None
    numbers: tuple[int, ...] | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Compared:
    """A document of `weigh compare`."""

    test_set: Extent
    metrics: tuple[_Metric, ...]
    plan: Plan
    unit: str
    units: int
    scores: tuple[_Score, ...]
    comparisons: tuple[Comparison, ...]
    rankings: tuple[Ranking, ...]
    warnings: tuple[str, ...]
    gate: Gate | None = None
    details: Evidence | None = None
    runs: Mapping[str, int] = field(default_factory=dict)


def restore_scores(document: Mapping[str, Any], name: str) -> Saved[ScoreReport]:
    """Return what `weigh score` has written; no page shows scores alone."""
    report = _scored(document, name)
    return Saved("score", report, scores.as_table, scores.FORMATS)


def restore_comparison(document: Mapping[str, Any], name: str) -> Saved[CompareReport]:
    """Return what `weigh compare` has written."""
    report = _compared(document, name)
    return Saved(
        "compare", report, comparisons.as_table, comparisons.FORMATS, page, comparison_pictures
    )


def _scored(document: Mapping[str, Any], name: str) -> ScoreReport:
    given = decode(_Scored, document, name)
    method = given.intervals
    columns = [one.segments for one in given.scores] + [given.ids, given.numbers]
    for column in columns:
        if column is not None and len(column) != given.test_set.segments:
            raise InputError(
                f"{name}: {given.test_set.segments:,} segments, but a list has {len(column):,}; "
                "give a file that weigh has written"
            )
    return ScoreReport(
        scores=_entries(given.scores, given.metrics, name),
        segments=given.test_set.segments,
        references=given.test_set.references,
        documents=given.test_set.documents,
        ids=given.ids,
        numbers=given.numbers,
        decimals=_decimals(given.metrics, name),
        warnings=given.warnings,
        intervals=None
        if method is None
        else IntervalMethod(
            method.method, method.level, method.trials, method.seed, method.unit, method.units
        ),
    )


def _compared(document: Mapping[str, Any], name: str) -> CompareReport:
    given = decode(_Compared, document, name)
    entries = _entries(given.scores, given.metrics, name)
    if not given.comparisons:
        raise InputError(f"{name}: no comparisons; give a file that weigh has written")
    known = {(one.metric, one.system) for one in entries}
    tests = (*given.plan.tests, *given.plan.compat)
    for one in given.comparisons:
        for what, value, allowed in (
            ("test", one.test, tests),
            ("alternative", one.alternative, ALTERNATIVES),
            ("adjust", one.adjust, (*ADJUSTMENTS, *BLOCK_TESTS)),
        ):
            if value not in allowed:
                raise InputError(
                    f"{name}: {what} {value!r} in a comparison; {did_you_mean(value, allowed)}"
                )
        by_runs = one.test == RUNS_TEST  # which may not know the noise, or not by all readings
        told = [("p_value", one.p_value), ("p_adjusted", one.p_adjusted)]
        if by_runs and one.p_value is one.p_adjusted is None:
            told = []
        told += [
            (f"p_value by {each.reading!r}", each.p_value)
            for each in one.readings
            if each.p_value is not None or not by_runs
        ]
        for what, p in told:
            if p is None or not 0 <= p <= 1:
                raise InputError(
                    f"{name}: {what} {p} of {one.a!r} and {one.b!r} by {one.metric!r} is not from "
                    "0 to 1; give a file that weigh has written"
                )
        for system in (one.a, one.b):
            if (one.metric, system) not in known:
                raise InputError(
                    f"{name}: a comparison with {system!r} by {one.metric!r}, which has no score; "
                    "give a file that weigh has written"
                )
    for ranking in given.rankings:
        ranked = [system for cluster in ranking.clusters for system in cluster]
        for system in ranked:
            if (ranking.metric, system) not in known:
                raise InputError(
                    f"{name}: a ranking with {system!r} by {ranking.metric!r}, which has no score; "
                    "give a file that weigh has written"
                )
        if sorted(ranked) != sorted(ranking.ranks) or not all(
            1 <= low <= high <= len(ranked) for low, high in ranking.ranks.values()
        ):
            raise InputError(
                f"{name}: the ranks by {ranking.metric!r} do not fit the clusters; "
                "give a file that weigh has written"
            )
    if given.details is not None:
        _check_details(given.details, known, given.comparisons, name)
    systems = {system for _, system in known}
    if given.runs and (set(given.runs) != systems or min(given.runs.values()) < 1):
        raise InputError(
            f"{name}: the numbers of runs do not fit the systems; give a file that weigh has "
            "written"
        )
    result = Result(
        plan=given.plan,
        scores=tuple(entries),
        comparisons=given.comparisons,
        rankings=given.rankings,
        warnings=given.warnings,
        segments=given.test_set.segments,
        references=given.test_set.references,
        documents=given.test_set.documents,
        unit=given.unit,
        units=given.units,
        gate=given.gate,
        evidence=given.details,
        runs=given.runs,
    )
    return CompareReport(result, _decimals(given.metrics, name))


def _check_details(
    details: Evidence,
    known: set[tuple[str, str]],
    comparisons: tuple[Comparison, ...],
    name: str,
) -> None:
    """Refuse evidence of other things than the conclusions, or of unequal length."""
    tested = {(one.metric, one.test, one.a, one.b) for one in comparisons if one.slice is None}
    pairs = {(metric, a, b) for metric, _, a, b in tested}
    segments = details.segments
    columns: list[Sequence[object]] = [*segments.references, *segments.outputs.values()]
    columns += [own for scores in segments.scores.values() for own in scores.values()]
    columns += [column for column in (segments.sources, segments.ids) if column is not None]
    systems = {system for _, system in known}
    numbers = [
        *details.lengths.values(),
        *(value for one in details.histograms for value in (one.start, one.width)),
        *(value for one in details.sweeps for value in one.differences),
        *(end for one in details.sweeps for interval in one.intervals for end in interval),
        *(value for own in segments.scores.values() for column in own.values() for value in column),
    ]
    if not (
        all((one.metric, one.test, one.a, one.b) in tested for one in details.histograms)
        and all((one.metric, one.a, one.b) in pairs for one in details.sweeps)
        and all(len(one.differences) == len(one.intervals) for one in details.sweeps)
        and all((m, system) in known for m, own in segments.scores.items() for system in own)
        and {*segments.outputs, *details.lengths} <= systems
        and all(len(column) == len(segments.numbers) for column in columns)
        and all(map(math.isfinite, numbers))
    ):
        raise InputError(
            f"{name}: the details do not fit the comparisons; give a file that weigh has written"
        )


def _entries(
    scores: tuple[_Score, ...], metrics: tuple[_Metric, ...], name: str
) -> list[SystemScore]:
    if not scores:
        raise InputError(f"{name}: no scores; give a file that weigh has written")
    names = {one.metric: one.name for one in metrics}
    result = []
    for one in scores:
        if one.metric not in names:
            raise InputError(
                f"{name}: a score by {one.metric!r}, which is not among the metrics; "
                "give a file that weigh has written"
            )
        entry = SystemScore(
            metric=one.metric,
            name=names[one.metric],
            signature=one.signature,
            higher_is_better=not one.lower_is_better,
            system=one.system,
            score=one.score,
            run=one.run,
            slice=one.slice,
            interval=one.interval,
            level=one.level,
            comparable=one.comparable,
            details=None if one.details is None else _details(one.details, name),
        )
        if one.segments is not None:
            import numpy as np

            entry = replace(entry, segments=np.array(one.segments))
        result.append(entry)
    return result


def _details(details: Mapping[str, Any], name: str) -> dict[str, float]:
    """Return numbers by name, with whole numbers as they are."""
    for key, value in details.items():
        if isinstance(value, bool) or not isinstance(value, int | float | None):
            raise InputError(
                f"{name}: the detail {key!r} is not a number; give a file that weigh has written"
            )
    return {key: math.nan if value is None else value for key, value in details.items()}


def _decimals(metrics: tuple[_Metric, ...], name: str) -> dict[str, int]:
    return {one.metric: checked_decimals(one.decimals, one.metric, name) for one in metrics}


RESTORERS = {"score": restore_scores, "compare": restore_comparison}
