"""Views as text: aligned for a terminal, Markdown, LaTeX and TSV."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from weigh.report.grid import (
    PLAIN,
    Cell,
    Column,
    Grid,
    Screen,
    in_parts,
    is_shown,
    left,
    right,
    visible,
    width,
)

if TYPE_CHECKING:
    from weigh.report.view import Part, View

_GAP = "  "
_MARK = " *"


def aligned(grid: Grid, screen: Screen = PLAIN) -> str:
    """Return the grid as aligned lines; where they are too long, columns go to further tables.

    Keys stand left and are repeated in each of these tables; names are never cut.
    """
    layouts = [
        _Layout(column, [row[at] for row in grid.rows]) for at, column in enumerate(grid.columns)
    ]
    tables = []
    widths = [layout.width for layout in layouts]
    for part in in_parts(grid.columns, widths, len(_GAP), screen.columns):
        rule = screen.dim("─" * _total([layouts[at] for at in part]))
        lines = [_line([layouts[at].title(screen) for at in part])]
        for block in grid.blocks:
            lines.append(rule)
            lines += [_line([layouts[at].cell(row[at], screen) for at in part]) for row in block]
        tables.append("\n".join(lines))
    return "\n\n".join(tables)


class _Layout:
    """How wide a column is and how its cells are aligned."""

    def __init__(self, column: Column, cells: Sequence[Cell]) -> None:
        self.align = right if column.numeric else left
        self.heading = visible(column.heading)
        self.mark = len(_MARK) if any(cell.best for cell in cells) else 0
        body = max((width(visible(cell.text)) for cell in cells), default=0)
        self.body = max(width(self.heading), body)
        self.width = self.body + self.mark

    def title(self, screen: Screen) -> str:
        return screen.bold(self.align(self.heading, self.body)) + " " * self.mark

    def cell(self, cell: Cell, screen: Screen) -> str:
        text = self.align(visible(cell.text), self.body)
        if cell.best:
            return screen.bold(text + _MARK)
        return (screen.bold(text) if cell.strong else text) + " " * self.mark


def _line(cells: Sequence[str]) -> str:
    return _GAP.join(cells).rstrip()


def _total(layouts: Sequence[_Layout]) -> int:
    return sum(layout.width for layout in layouts) + len(_GAP) * (len(layouts) - 1)


_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&])")


def escape_markdown(text: str) -> str:
    r"""Return `text` such that Markdown shows it as it is.

    >>> print(escape_markdown("a|b_*c*"))
    a\|b\_\*c\*
    """
    return _SPECIAL.sub(r"\\\1", visible(text))


def code_span(text: str) -> str:
    """Return `text` as a code span of Markdown, in a table or a line; pipes stay as they are.

    >>> code_span("nrefs:1|tok:13a")
    '`nrefs:1|tok:13a`'
    """
    shown = visible(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{shown}{space}{fence}"


def pipe_table(grid: Grid) -> str:
    """Return the grid as a pipe table, padded so that the source reads well too.

    Markdown has no lines between rows: where they mean something, an empty row is one.
    """
    titles = [escape_markdown(column.heading) for column in grid.columns]
    rows = [
        [_markdown_cell(cell) for cell in row]
        for at, block in enumerate(grid.blocks)
        for row in [*[[Cell("")] * len(titles)] * (grid.lined and at > 0), *block]
    ]
    widths = [max(3, *map(width, column)) for column in zip(titles, *rows, strict=True)]
    aligns = [right if column.numeric else left for column in grid.columns]
    rules = [
        "-" * (cells - 1) + ":" if column.numeric else "-" * cells
        for column, cells in zip(grid.columns, widths, strict=True)
    ]
    lines = [titles, rules, *rows]
    return "\n".join(
        "| "
        + " | ".join(
            align(text, cells) for align, text, cells in zip(aligns, line, widths, strict=True)
        )
        + " |"
        for line in lines
    )


def _markdown_cell(cell: Cell) -> str:
    text = escape_markdown(cell.text)
    return f"**{text}**" if cell.best else text


def escape_tsv(text: str) -> str:
    r"""Return `text` without tabs and newlines; backslashes are doubled so that it can be undone.

    >>> print(escape_tsv("a\tb"), escape_tsv("c\\t"))
    a\tb c\\t
    """
    return visible(text.replace("\\", "\\\\"))


def tab_separated(grid: Grid) -> str:
    """Return one line of titles and one line per row."""
    lines = [[column.title for column in grid.columns]]
    lines += [[cell.text for cell in row] for row in grid.rows]
    return "\n".join("\t".join(map(escape_tsv, line)) for line in lines)


_LEAST_WIDTH, _MOST_WIDTH = 60, 100


def as_table(view: View, screen: Screen | None = None) -> str:
    """Return aligned text with the signatures underneath, or plain lines where those are data.

    The screen's depth says how much of it; in brief that is the first table at least.
    """
    if view.lines is not None:
        return "\n".join(text for _, text in view.lines)
    screen = screen or PLAIN
    limit = max(_LEAST_WIDTH, min(_MOST_WIDTH, screen.columns or _MOST_WIDTH))

    def wrapped(sentence: str) -> str:
        indent = sentence[: len(sentence) - len(sentence.lstrip())]
        return textwrap.fill(
            visible(sentence), limit, subsequent_indent=indent, break_on_hyphens=False
        )

    parts = []
    for part in _as_deep(view.parts_in("table"), screen):
        lines = [screen.bold(visible(part.heading))] if part.heading else []
        if part.grid is not None:
            wide = part.grid.wide and not screen.columns
            narrow = replace(screen, columns=_MOST_WIDTH) if wide else screen
            lines.append(aligned(part.grid, narrow))
            if any(cell.best for row in part.grid.rows for cell in row):
                lines.append(screen.dim("* best of its column"))
        for sentence in filter(None, part.sentences):
            lines.append(wrapped(sentence) if part.grid is None else screen.dim(wrapped(sentence)))
        if lines:
            parts.append("\n".join(lines))
    if view.signatures and is_shown("usual", screen):
        parts.append(signature_lines(view.signatures, screen))
    return "\n\n".join(parts)


def _as_deep(parts: Sequence[Part], screen: Screen) -> list[Part]:
    """Return the parts that are wanted: in brief, the first table where none says that it is."""
    shown = [part for part in parts if is_shown(part.depth, screen)]
    return shown or [part for part in parts if part.grid is not None][:1]


def signature_lines(signatures: Sequence[tuple[str, str]], screen: Screen) -> str:
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
            parts.append(f"### {escape_markdown(part.heading)}")
        if part.grid is not None:
            parts.append(pipe_table(part.grid))
        bullet = "- " if part.grid is None and len(part.sentences) > 1 else ""
        if said := [bullet + escape_markdown(text.strip()) for text in part.sentences if text]:
            parts.append("\n".join(said))
    if view.signatures:
        parts.append(
            "\n".join(
                f"- {escape_markdown(title)}: {code_span(signature)}"
                for title, signature in view.signatures
            )
        )
    return "\n\n".join(parts)


def as_latex(view: View) -> str:
    """Return one table for every grid; heading and sentences are its caption."""
    from weigh.report import latex

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
    columns = columns_of(view)
    rows = [
        [Cell(_text(value)) for value in record] for record in zip(*columns.values(), strict=True)
    ]
    return tab_separated(Grid([Column(name) for name in columns], [rows]))


def columns_of(view: View) -> dict[str, list[Any]]:
    """Return the records by column: numbers, texts and truth values; a list is a text."""
    rows = view.records() if callable(view.records) else view.records
    records = [_flat(record) for record in rows]
    names = list({name: None for record in records for name in record})
    return {
        name: [
            _text(value) if isinstance(value, list | tuple | dict) else value
            for value in (record.get(name) for record in records)
        ]
        for name in names
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
    if isinstance(value, list | tuple):
        return "; ".join(map(str, value))
    return "" if value is None else str(value)


WRITERS: dict[str, Callable[[View], str]] = {
    "tsv": as_tsv,
    "markdown": as_markdown,
    "latex": as_latex,
}
FORMATS = ("table", "json", *WRITERS)
"""What `--format` takes; the table depends on the screen, and JSON is the result itself."""
