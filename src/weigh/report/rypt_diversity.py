"""Candidates and substrings over iterations, as a table, Markdown, LaTeX, TSV or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weigh import __version__
from weigh.report import document, pieces, table, tsv
from weigh.report.grid import Cell, Column, Grid
from weigh.report.pieces import Piece
from weigh.wording import fixed, plural

if TYPE_CHECKING:
    from weigh.rypt.diversity import Iteration, Length


@dataclass(frozen=True, slots=True)
class DiversityReport:
    """All that `weigh rypt diversity` says; `lists` are the files of the iterations.

    Of the `segments`, so many `sentences` have both a parse and candidates.
    """

    iterations: Sequence[Iteration]
    lengths: Sequence[Length]
    lists: Sequence[str]
    segments: int
    sentences: int
    max_length: int
    parses: str
    labels: str | None = None
    remarks: tuple[str, ...] = ()
    aggregate: str | None = None


def _pieces(report: DiversityReport) -> Iterator[Piece]:
    titles = ("Candidates", "New", "Repeated", "Substrings", "Seen before", "%", "Per node")
    columns = [Column("Iteration"), *(Column(title, kind="number") for title in titles)]
    rows = [
        [
            Cell(f"{one.number} {name}"),
            *(Cell(f"{count:,}") for count in (one.candidates, one.new, one.candidates - one.new)),
            *(Cell(f"{count:,}") for count in (one.entries, one.known)),
            Cell(fixed(100 * one.reusable, 1)),
            Cell(fixed(one.alternatives, 2)),
        ]
        for one, name in zip(report.iterations, report.lists, strict=True)
    ]
    yield Piece(
        "Iterations",
        Grid(columns, [rows]),
        [
            f"{plural(report.sentences, 'parsed sentence')} with candidates. Substrings: distinct "
            "ones of the candidates of an iteration for the nodes of the frontiers, of at most "
            f"{plural(report.max_length, 'word')}. Seen before: in earlier iterations, so that "
            "their labels can be used again. Per node: distinct ones so far, for each node with "
            "any."
        ],
    )
    yield _lengths_piece(report)
    if report.remarks:
        yield Piece("Remarks", None, [f"{one[0].upper()}{one[1:]}." for one in report.remarks])


def _lengths_piece(report: DiversityReport) -> Piece:
    titles = ["Nodes", "Per sentence", "Substrings", "Per node"]
    if report.labels is not None:
        titles += ["Labelled", "YES %"]
    columns = [Column("Most words"), *(Column(title, kind="number") for title in titles)]
    rows = []
    for one in report.lengths:
        texts = [
            str(one.max_length),
            f"{one.nodes:,}",
            fixed(one.per_sentence, 2),
            f"{one.entries:,}",
            fixed(one.per_node, 2),
        ]
        if report.labels is not None:
            texts += [f"{one.yes + one.no:,}", fixed(100 * one.yes_share, 1)]
        rows.append([Cell(text) for text in texts])
    return Piece(
        "The longest spans to ask about",
        Grid(columns, [rows]),
        ["Frontiers by the most words of a node, with the substrings of all iterations."],
    )


def _signatures(report: DiversityReport) -> list[tuple[str, str]]:
    parts = {"max_length": report.max_length, "parses": report.parses}
    if report.labels is not None:
        parts["labels"] = report.labels
    if report.aggregate is not None:
        parts["aggregate"] = report.aggregate
    parts["version"] = f"weigh-{__version__}"
    return [("diversity", "|".join(f"{name}:{value}" for name, value in parts.items()))]


def as_table(report: DiversityReport, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text."""
    return pieces.as_table(_pieces(report), _signatures(report), screen)


def as_markdown(report: DiversityReport) -> str:
    """Return pipe tables."""
    return pieces.as_markdown(_pieces(report), _signatures(report))


def as_latex(report: DiversityReport) -> str:
    """Return a table for each of them."""
    return pieces.as_latex(_pieces(report))


def _iterations(report: DiversityReport) -> list[dict[str, Any]]:
    return [
        {
            "list": name,
            **one._asdict(),
            "alternatives": document.number(one.alternatives),
            "reusable": document.number(one.reusable),
        }
        for one, name in zip(report.iterations, report.lists, strict=True)
    ]


def as_tsv(report: DiversityReport) -> str:
    """Return one row for each iteration, with all digits."""
    records = _iterations(report)
    rows = [
        [Cell("" if value is None else str(value)) for value in record.values()]
        for record in records
    ]
    return tsv.render(Grid([Column(name) for name in records[0]], [rows]))


def as_json(report: DiversityReport) -> str:
    """Return the document that programs read."""
    return document.render(
        "rypt diversity",
        {
            "test_set": document.Extent(report.segments, 0).fields,
            "parses": report.parses,
            "labels": report.labels,
            "aggregate": report.aggregate,
            "sentences": report.sentences,
            "max_length": report.max_length,
            "iterations": _iterations(report),
            "lengths": [
                {
                    **one._asdict(),
                    "per_node": document.number(one.per_node),
                    "yes_share": document.number(one.yes_share),
                }
                for one in report.lengths
            ],
            "warnings": list(report.remarks),
        },
    )


FORMATS: dict[str, Callable[[DiversityReport], str]] = {
    "json": as_json,
    "tsv": as_tsv,
    "markdown": as_markdown,
    "latex": as_latex,
}
