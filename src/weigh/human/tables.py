"""Scores of segments, documents and slices, as tables; and which segment belongs to which.

The score of a segment is the mean of its judgments, that of a document or slice the mean over its
segments, as in the keys of segments and documents of the published pipeline (Graham et al. 2017).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from math import fsum
from typing import TYPE_CHECKING, Any, Literal

from weigh.errors import InputError
from weigh.human.judgments import in_order
from weigh.human.scores import Sample
from weigh.read.cells import tsv_text
from weigh.read.text import quoted
from weigh.types import Judgment, grouped

if TYPE_CHECKING:
    from weigh.human.rank import RankResult

By = Literal["z", "raw"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentScore:
    """What was given to a system's output for a segment, on average.

    `line` is the place of the segment in its document, from 1, where the whole document is known.
    """

    pair: str = ""
    scale: str = ""
    system: str
    document: str | None = None
    line: int | None = None
    segment: str
    slice: str | None = None
    by: By
    score: float
    raw: float
    judgments: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentScore:
    """The mean over a document's segments, for a system."""

    pair: str = ""
    scale: str = ""
    system: str
    document: str
    by: By
    score: float
    raw: float
    segments: int
    judgments: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceScore:
    """The mean over a slice's segments, for a system."""

    pair: str = ""
    scale: str = ""
    system: str
    slice: str
    by: By
    score: float
    raw: float
    segments: int
    judgments: int


# Which document and slice a segment belongs to.


def labelled(
    judgments: Sequence[Judgment],
    documents: Sequence[str] | None = None,
    slices: Sequence[str] | None = None,
) -> tuple[Judgment, ...]:
    """Return judgments with documents and slices, given for every segment of the test set in order.

    A segment is known by its number, from 1. What is given counts, not what the judgments say.
    """
    pairs = {judgment.pair for judgment in judgments}
    if len(pairs) > 1:
        raise InputError(
            f"documents or slices of one test set, but judgments of {len(pairs)} language pairs "
            f"({', '.join(sorted(pairs))}); choose one with --pair"
        )
    return tuple(
        replace(
            each,
            document=each.document if documents is None else _label(each, "document", documents),
            slice=each.slice if slices is None else _label(each, "slice", slices),
        )
        for each in judgments
    )


def _label(judgment: Judgment, name: str, labels: Sequence[str]) -> str | None:
    segment = judgment.segment
    number = int(segment) if segment.isascii() and segment.isdigit() and len(segment) < 10 else 0
    if 1 <= number <= len(labels):
        return labels[number - 1]
    if judgment.kind in ("bad", "reference"):  # controls are not scored
        return None
    raise InputError(
        f"segment {quoted(segment)} was judged, but {name}s are given for the segments 1 to "
        f"{len(labels):,}; give one label for each line of the test set"
    )


def places(documents: Sequence[str]) -> dict[str, int]:
    """Return the place of every segment within its document, by its number.

    >>> places(["a", "a", "b"])
    {'1': 1, '2': 2, '3': 1}
    """
    count: dict[str, int] = {}
    found = {}
    for number, label in enumerate(documents, 1):
        count[label] = count.get(label, 0) + 1
        found[str(number)] = count[label]
    return found


# The scores.


def segment_scores(sample: Sample, by: By, pair: str, scale: str) -> tuple[SegmentScore, ...]:
    """Return a row for every system and segment that was judged, in order."""
    rows = []
    means = {system: sample.segments(system) for system in sample.systems}
    order = sorted({segment for own in means.values() for segment in own}, key=in_order)
    for system, own in means.items():
        for segment in order:
            if segment not in own:
                continue
            mean = own[segment]
            rows.append(
                SegmentScore(
                    pair=pair,
                    scale=scale,
                    system=system,
                    document=sample.documents.get(segment),
                    segment=segment,
                    slice=sample.slices.get(segment),
                    by=by,
                    score=mean.score,
                    raw=mean.raw,
                    judgments=mean.judgments,
                )
            )
    return tuple(rows)


def document_scores(rows: Iterable[SegmentScore]) -> tuple[DocumentScore, ...]:
    """Return the means over the segments of documents, in the order of their first segments."""
    known = [row for row in rows if row.document is not None]
    return tuple(
        DocumentScore(document=name, system=system, **_pooled(own))
        for (system, name), own in grouped(
            known, lambda row: (row.system, row.document or "")
        ).items()
    )


def slice_scores(rows: Iterable[SegmentScore]) -> tuple[SliceScore, ...]:
    """Return the means over the segments of slices, in the order of their first segments."""
    known = [row for row in rows if row.slice is not None]
    return tuple(
        SliceScore(slice=name, system=system, **_pooled(own))
        for (system, name), own in grouped(known, lambda row: (row.system, row.slice or "")).items()
    )


def _pooled(rows: Sequence[SegmentScore]) -> dict[str, Any]:
    return {
        "pair": rows[0].pair,
        "scale": rows[0].scale,
        "by": rows[0].by,
        "score": fsum(row.score for row in rows) / len(rows),
        "raw": fsum(row.raw for row in rows) / len(rows),
        "segments": len(rows),
        "judgments": sum(row.judgments for row in rows),
    }


def macro_means(rows: Iterable[SliceScore]) -> dict[str, float]:
    """Return the mean over slices of every system, each slice counting the same."""
    return {
        system: fsum(row.score for row in own) / len(own)
        for system, own in grouped(rows, lambda row: row.system).items()
    }


# Files.


FILES = ("systems.tsv", "segments.tsv", "documents.tsv", "slices.tsv")


def as_files(result: RankResult) -> dict[str, str]:
    """Return TSV files of all scores by name: of systems, segments and what these belong to."""
    tables: tuple[Sequence[Any], ...] = (
        (*result.scores, *result.unranked),
        result.segment_scores,
        result.document_scores,
        result.slices,
    )
    return {name: _as_tsv(rows) for name, rows in zip(FILES, tables, strict=True) if rows}


def _as_tsv(rows: Sequence[Any]) -> str:
    """Return rows with the fields that the first one has; both ends of an interval or rank."""
    names = [each.name for each in fields(rows[0])]
    titles: list[str] = []
    for name in names:
        ends = {"interval": ["low", "high"], "rank": ["rank_low", "rank_high"]}
        titles += ends.get(name, [name])
    table = [titles]
    for row in rows:
        cells: list[str] = []
        for name in names:
            value = getattr(row, name, None)
            if name in ("interval", "rank"):
                cells += map(_cell, value or (None, None))
            else:
                cells.append(_cell(value))
        table.append(cells)
    return tsv_text(table)


def _cell(value: object) -> str:
    return "" if value is None else str(value)
