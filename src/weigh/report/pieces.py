"""Pieces of a report, a heading, a grid and sentences each, in the formats that people read."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weigh.report import latex, markdown, table
from weigh.report.formats import signature_lines
from weigh.report.grid import Grid
from weigh.report.text import visible


@dataclass(frozen=True, slots=True)
class Piece:
    """What stands together: any of the three may be missing."""

    heading: str = ""
    grid: Grid | None = None
    sentences: Sequence[str] = ()


def remarked(remarks: Iterable[str]) -> list[str]:
    """Return remarks on the data as sentences."""
    return [f"Remark: {remark.rstrip('.')}." for remark in remarks]


def as_table(
    pieces: Iterable[Piece],
    signatures: Sequence[tuple[str, str]],
    screen: table.Screen = table.PLAIN,
) -> str:
    """Return aligned text with the signatures underneath."""
    limit = max(60, min(100, screen.columns or 100))
    parts = []
    for piece in pieces:
        lines = [screen.bold(visible(piece.heading))] if piece.heading else []
        if piece.grid is not None:
            lines.append(table.render(piece.grid, screen))
        for sentence in piece.sentences:
            text = textwrap.fill(visible(sentence), limit, break_on_hyphens=False)
            lines.append(screen.dim(text) if piece.grid is not None else text)
        parts.append("\n".join(lines))
    if signatures:
        parts.append(signature_lines(signatures, screen))
    return "\n\n".join(parts)


def as_markdown(pieces: Iterable[Piece], signatures: Sequence[tuple[str, str]]) -> str:
    """Return pipe tables with headings, sentences and the list of signatures."""
    parts = []
    for piece in pieces:
        if piece.heading:
            parts.append(f"### {markdown.escape(piece.heading)}")
        if piece.grid is not None:
            parts.append(markdown.render(piece.grid))
        if piece.sentences:
            parts.append("\n".join(map(markdown.escape, piece.sentences)))
    if signatures:
        parts.append(
            "\n".join(f"- {markdown.escape(title)}: {markdown.code(s)}" for title, s in signatures)
        )
    return "\n\n".join(parts)


def as_latex(pieces: Iterable[Piece]) -> str:
    """Return one table for every grid; heading and sentences are its caption."""
    tables = []
    for piece in pieces:
        if piece.grid is not None:
            words = [piece.heading.rstrip(".") + "." if piece.heading else "", *piece.sentences]
            caption = " ".join(latex.escape(text) for text in words if text)
            tables.append(latex.render(piece.grid, caption))
    return "\n\n".join(tables)
