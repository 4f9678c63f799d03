"""A kind of report in every format, from its pieces, its records and its document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from weigh import __version__
from weigh.report import document, pieces, table, tsv
from weigh.report.grid import Cell, Column, Grid
from weigh.report.pieces import Piece

Report = TypeVar("Report")


@dataclass(frozen=True, slots=True)
class Presentation(Generic[Report]):
    """How the reports of one command are shown.

    `records` are the rows of TSV, all with the same fields; `fields` is what the JSON document
    holds beside the command.
    """

    command: str
    pieces: Callable[[Report], Iterable[Piece]]
    signatures: Callable[[Report], Sequence[tuple[str, str]]]
    records: Callable[[Report], Sequence[Mapping[str, Any]]]
    fields: Callable[[Report], Mapping[str, Any]]

    def as_table(self, report: Report, screen: table.Screen = table.PLAIN) -> str:
        """Return aligned text with the signatures underneath."""
        return pieces.as_table(self.pieces(report), self.signatures(report), screen)

    def as_markdown(self, report: Report) -> str:
        """Return pipe tables with the signatures underneath."""
        return pieces.as_markdown(self.pieces(report), self.signatures(report))

    def as_latex(self, report: Report) -> str:
        """Return a table for every grid."""
        return pieces.as_latex(self.pieces(report))

    def as_tsv(self, report: Report) -> str:
        """Return one row for every record, with all digits."""
        records = [_flat(record) for record in self.records(report)]
        rows = [[Cell(_text(value)) for value in record.values()] for record in records]
        return tsv.render(Grid([Column(name) for name in (records or [{}])[0]], [rows]))

    def as_json(self, report: Report) -> str:
        """Return the document that programs read."""
        return document.render(self.command, self.fields(report))

    @property
    def formats(self) -> dict[str, Callable[[Report], str]]:
        """Every format but the table, which also wants to know the screen."""
        return {
            "json": self.as_json,
            "tsv": self.as_tsv,
            "markdown": self.as_markdown,
            "latex": self.as_latex,
        }


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with both ends of an interval, or of a rank, in columns of their own."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if name in ("interval", "rank"):
            start = "" if name == "interval" else "rank_"
            flat[f"{start}low"], flat[f"{start}high"] = value or (None, None)
        else:
            flat[name] = value
    return flat


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "; ".join(value)
    return "" if value is None else str(value)


def signature(parts: Mapping[str, object]) -> str:
    """Return names and values as one word, the program's version last."""
    named = {**parts, "version": f"weigh-{__version__}"}
    return "|".join(f"{name}:{value}" for name, value in named.items())
