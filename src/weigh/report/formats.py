"""Views as text: for a terminal, Markdown, GitHub, LaTeX and TSV."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from weigh.report import github, latex, markdown, table, tsv
from weigh.report.grid import Cell, Column, Grid, left, visible, width
from weigh.report.view import View

_LEAST_WIDTH, _MOST_WIDTH = 60, 100


def as_table(view: View, screen: table.Screen | None = None) -> str:
    """Return aligned text with the signatures underneath, or plain lines where those are data."""
    if view.lines is not None:
        return "\n".join(text for _, text in view.lines)
    screen = screen or table.PLAIN
    limit = max(_LEAST_WIDTH, min(_MOST_WIDTH, screen.columns or _MOST_WIDTH))

    def wrapped(sentence: str) -> str:
        indent = sentence[: len(sentence) - len(sentence.lstrip())]
        return textwrap.fill(
            visible(sentence), limit, subsequent_indent=indent, break_on_hyphens=False
        )

    parts = []
    for part in view.parts_in("table"):
        lines = [screen.bold(visible(part.heading))] if part.heading else []
        if part.grid is not None:
            wide = part.grid.wide and not screen.columns
            narrow = replace(screen, columns=_MOST_WIDTH) if wide else screen
            lines.append(table.render(part.grid, narrow))
            if any(cell.best for row in part.grid.rows for cell in row):
                lines.append(screen.dim("* best of its column"))
        for sentence in filter(None, part.sentences):
            lines.append(wrapped(sentence) if part.grid is None else screen.dim(wrapped(sentence)))
        if lines:
            parts.append("\n".join(lines))
    if view.signatures:
        parts.append(signature_lines(view.signatures, screen))
    return "\n\n".join(parts)


def signature_lines(signatures: Sequence[tuple[str, str]], screen: table.Screen) -> str:
    """Return signatures, each on a line behind what it belongs to."""
    longest = max(width(visible(title)) for title, _ in signatures)
    return "\n".join(
        f"{left(visible(title), longest)}  {screen.dim(visible(signature))}"
        for title, signature in signatures
    )


def as_markdown(view: View) -> str:
    """Return pipe tables with headings, sentences and the list of signatures."""
    parts = []
    for part in view.parts_in("markdown"):
        if part.heading:
            parts.append(f"### {markdown.escape(part.heading)}")
        if part.grid is not None:
            parts.append(markdown.render(part.grid))
        bullet = "- " if part.grid is None and len(part.sentences) > 1 else ""
        if said := [bullet + markdown.escape(text.strip()) for text in part.sentences if text]:
            parts.append("\n".join(said))
    if view.signatures:
        parts.append(
            "\n".join(
                f"- {markdown.escape(title)}: {markdown.code(signature)}"
                for title, signature in view.signatures
            )
        )
    return "\n\n".join(parts)


def as_latex(view: View) -> str:
    """Return one table for every grid; heading and sentences are its caption."""
    tables = []
    for part in view.parts_in("latex"):
        if part.grid is not None:
            words = [part.heading.rstrip(".") + "." if part.heading else "", *part.sentences]
            caption = " ".join(latex.escape(text) for text in words if text)
            note = latex.signature_note(part.note) if part.note else ""
            tables.append(latex.render(part.grid, caption, note))
    return "\n\n".join(tables)


def as_tsv(view: View) -> str:
    """Return one row for every record, with all digits."""
    records = [_flat(record) for record in view.records]
    names = list({name: None for record in records for name in record})
    rows = [[Cell(_text(record.get(name))) for name in names] for record in records]
    return tsv.render(Grid([Column(name) for name in names], [rows]))


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
    if isinstance(value, list | tuple):
        return "; ".join(map(str, value))
    return "" if value is None else str(value)


WRITERS: dict[str, Callable[[View], str]] = {
    "tsv": as_tsv,
    "markdown": as_markdown,
    "github": github.as_github,
    "latex": as_latex,
}
