"""Scores of segments, documents and slices, as tables; and which segment belongs to which.

The score of a segment is the mean of its judgments, that of a document or slice the mean over its
segments, as in the keys of segments and documents of the published pipeline (Graham et al. 2017).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from math import fsum
from typing import TYPE_CHECKING, Any, Literal

from weigh.errors import InputError
from weigh.human.judgments import OUTPUTS, in_order
from weigh.human.scores import Sample
from weigh.read.cells import tsv_text
from weigh.read.text import quoted
from weigh.types import Judgment, grouped

if TYPE_CHECKING:
    from weigh.human.rank_result import RankResult

By = Literal["z", "raw"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentScore:
    """The mean score of a system's output for a segment.

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
    """Judgments with documents and slices from labels for all segments in order.

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
            judgment,
            document=judgment.document
            if documents is None
            else _label(judgment, "document", documents),
            slice=judgment.slice if slices is None else _label(judgment, "slice", slices),
        )
        for judgment in judgments
    )


def _label(judgment: Judgment, name: str, labels: Sequence[str]) -> str | None:
    segment = judgment.segment
    number = int(segment) if segment.isascii() and segment.isdigit() and len(segment) < 10 else 0
    if 1 <= number <= len(labels):
        return labels[number - 1]
    if judgment.kind not in OUTPUTS:  # controls are not scored
        return None
    raise InputError(
        f"segment {quoted(segment)} was judged, but there are {name}s for segments 1 to "
        f"{len(labels):,} only; give one label for each line of the test set"
    )


def places(documents: Sequence[str]) -> dict[str, int]:
    """Return the place of every segment within its document, by its number.

    >>> places(["a", "a", "b"])
    {'1': 1, '2': 2, '3': 1}
    """
    length: Counter[str] = Counter()
    lines = {}
    for number, label in enumerate(documents, 1):
        length[label] += 1
        lines[str(number)] = length[label]
    return lines


# The scores.


def segment_scores(sample: Sample, by: By, pair: str, scale: str) -> tuple[SegmentScore, ...]:
    """Return a row for every system and segment that was judged, in order."""
    means = {system: sample.segments(system) for system in sample.systems}
    order = sorted({segment for judged in means.values() for segment in judged}, key=in_order)
    return tuple(
        SegmentScore(
            pair=pair,
            scale=scale,
            system=system,
            document=sample.documents.get(segment),
            segment=segment,
            slice=sample.slices.get(segment),
            by=by,
            **judged[segment]._asdict(),
        )
        for system, judged in means.items()
        for segment in order
        if segment in judged
    )


def document_scores(rows: Iterable[SegmentScore]) -> tuple[DocumentScore, ...]:
    """Return the means over the segments of documents, in the order of their first segments."""
    return tuple(DocumentScore(**mean) for mean in _means_by("document", rows))


def slice_scores(rows: Iterable[SegmentScore]) -> tuple[SliceScore, ...]:
    """Return the means over the segments of slices, in the order of their first segments."""
    return tuple(SliceScore(**mean) for mean in _means_by("slice", rows))


def _means_by(
    label: Literal["document", "slice"], rows: Iterable[SegmentScore]
) -> Iterator[dict[str, Any]]:
    """The mean of every system over each group of segments with the same label."""
    labelled_rows = [row for row in rows if getattr(row, label) is not None]
    groups = grouped(labelled_rows, lambda row: (row.system, getattr(row, label)))
    for (system, name), members in groups.items():
        yield {
            "pair": members[0].pair,
            "scale": members[0].scale,
            "system": system,
            label: name,
            "by": members[0].by,
            "score": fsum(row.score for row in members) / len(members),
            "raw": fsum(row.raw for row in members) / len(members),
            "segments": len(members),
            "judgments": sum(row.judgments for row in members),
        }


def macro_means(rows: Iterable[SliceScore]) -> dict[str, float]:
    """The unweighted mean over slices of every system."""
    return {
        system: fsum(row.score for row in slices) / len(slices)
        for system, slices in grouped(rows, lambda row: row.system).items()
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
    """Rows as TSV with the fields of the first row; intervals and ranks have two columns."""
    names = [field.name for field in fields(rows[0])]
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
