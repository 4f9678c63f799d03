"""Views as text: aligned for a terminal, Markdown and TSV."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from weigh.report.grid import (
    PLAIN,
    Cell,
    Column,
    Grid,
    Screen,
    Sentence,
    align_left,
    align_right,
    column_groups,
    fit,
    visible,
    width,
)
from weigh.report.latex import as_latex
from weigh.report.parts import Note, Part, Verdict
from weigh.wording import listed, plural

if TYPE_CHECKING:
    from weigh.report.view import View

_GAP = "  "
_MARK = " *"
_LEAST_WIDTH, _MOST_WIDTH = 60, 100
_NARROWEST = {"text": 24, "key": 12}
_BAR = "▌ "
_TONES = {"neutral": "", "pass": "good", "fail": "bad", "inconclusive": "open"}
_SIGNS = "-/_.:@"  # names may wrap after these


def as_table(view: View, screen: Screen = PLAIN) -> str:
    """Format a view for a terminal; a view of plain lines is returned unchanged."""
    if view.lines is not None:
        return "\n".join(text for _, text in view.lines)
    limit = max(_LEAST_WIDTH, min(_MOST_WIDTH, screen.columns or _MOST_WIDTH))
    parts = [text for part in _select(view, screen) if (text := _part(part, screen, limit))]
    if screen.depth == "usual":
        if view.methods:
            parts.append(_wrap(f"Methods: {view.methods}", limit))
        if view.signatures:
            parts.append(signature_lines(view.signatures, screen))
    return "\n\n".join(parts)


def _select(view: View, screen: Screen) -> list[Part]:
    """The parts that a screen shows; a view without brief parts shows its first grid instead."""
    parts = [part for part in view.parts if screen.shows(part.level)]
    grids: list[Part] = [part for part in view.parts if isinstance(part, Grid)]
    return parts or grids[:1]


def _part(part: Part, screen: Screen, limit: int) -> str:
    if isinstance(part, Verdict):
        tone = _TONES[part.tone]
        bar = screen.colour_by_tone(_BAR, tone) if tone else screen.bold(_BAR)
        lines = [
            line
            for text in part.all_lines
            for line in _fill_sentence(text, limit - len(_BAR), screen)
        ]
        return "\n".join(bar + line for line in lines)
    if isinstance(part, Grid):
        return "\n".join(_grid_lines(part, screen, limit))
    if isinstance(part, Note) and any(part.lines):
        lines = [screen.bold(visible(part.title))] if part.title else []
        return "\n".join([*lines, *(_wrap(line, limit) for line in part.lines if line)])
    return ""


def _grid_lines(grid: Grid, screen: Screen, limit: int) -> Iterator[str]:
    if grid.title:
        yield screen.bold(_wrap(grid.title, limit))
    visible_part = grid.without_labels().truncate()
    wide = grid.wide and not screen.columns
    text, dropped = align(visible_part, replace(screen, columns=_MOST_WIDTH) if wide else screen)
    yield text
    if any(cell.best for column in visible_part.cells() for cell in column):
        yield screen.dim("* best")
    omissions = [truncation_note(grid)] if grid.is_truncated else []
    if dropped:
        titles = dict.fromkeys(column.title for column in dropped)
        omissions.append(f"A wider terminal also shows {listed(list(titles))}.")
    hidden_notes = [column.note for column in dropped]
    for note in (*omissions, *(note for note in grid.all_notes if note not in hidden_notes)):
        yield screen.dim(_wrap(note, limit))


def truncation_note(grid: Grid) -> str:
    """A sentence on how many rows of a truncated grid are shown, and how to see all of them."""
    count = f"{len(grid.truncate().rows):,} of {plural(len(grid.rows), 'row')}"
    where = "--format tsv shows" if grid.is_too_long else "--html FILE and --format tsv show"
    return f"{count}; {where} all."


def _wrap(sentence: str, limit: int) -> str:
    return "\n".join(_fill(visible(sentence), limit))


def _fill(text: str, limit: int) -> list[str]:
    """Wrap text; continuation lines keep the indent of the first, and x = 1 is never split.

    A name longer than a line is broken after a sign if possible.
    """
    indent = text[: len(text) - len(text.lstrip())]
    joined = text.replace(" = ", "\xa0=\xa0")
    room = limit - len(indent)
    broken = " ".join(piece for word in joined.split(" ") for piece in _break(word, room))
    lines = textwrap.wrap(broken, limit, subsequent_indent=indent, break_on_hyphens=False)
    return [line.replace("\xa0=\xa0", " = ") for line in lines]


def _fill_sentence(sentence: str, limit: int, screen: Screen) -> list[str]:
    """Wrap a sentence; its emphasised words are bold."""
    lines = _fill(visible(sentence), limit)
    if not isinstance(sentence, Sentence):
        return lines
    for text, is_emphasised in sentence.words:
        if is_emphasised:
            lines = [line.replace(visible(text), screen.bold(visible(text)), 1) for line in lines]
    return lines


def align(grid: Grid, screen: Screen = PLAIN) -> tuple[str, list[Column]]:
    """Format a grid as aligned lines; also return the optional columns that did not fit.

    If lines are still too long, the grid is split into tables that repeat the keys.
    """
    layouts = list(map(_Layout, grid.columns, grid.texts()))
    widths = [layout.width for layout in layouts]
    fitted = fit(grid.columns, widths, _NARROWEST, len(_GAP), screen.columns or math.inf)
    for at in fitted.kept:
        if fitted.widths[at] < widths[at]:
            layouts[at].wrap(int(fitted.widths[at]))
    tables = []
    for places in fitted.tables:
        part = [layouts[at] for at in places]
        total = _total(part)
        rule = screen.dim("─" * total)
        groups = _group_titles([grid.columns[at] for at in places], part, screen)
        lines = [*groups, _line([layout.title(screen) for layout in part]), rule]
        rows = iter(zip(*(layout.cells(screen) for layout in part), strict=True))
        for number, block in enumerate(grid.blocks):
            if number:
                lines.append(rule if grid.clustered else screen.dim("┄" * total))
            for _ in block:
                blank = [" " * layout.width for layout in part]
                cells = zip_longest(*next(rows))
                lines += [_line([text or blank[i] for i, text in enumerate(row)]) for row in cells]
        tables.append("\n".join(lines))
    left_out = [column for at, column in enumerate(grid.columns) if at not in fitted.kept]
    return "\n\n".join(tables), left_out


def _group_titles(
    columns: Sequence[Column], layouts: Sequence[_Layout], screen: Screen
) -> list[str]:
    """The line with the titles of column groups, if there are any."""
    groups = column_groups(columns)
    if not any(title for title, _ in groups):
        return []
    texts, first = [], 0
    for title, count in groups:
        span = layouts[first : first + count]
        total = _total(span)
        texts.append(screen.bold(align_left(visible(title), total)) if title else " " * total)
        first += count
    return [_line(texts)]


def _total(layouts: Sequence[_Layout]) -> int:
    return sum(layout.width for layout in layouts) + len(_GAP) * (len(layouts) - 1)


class _Layout:
    """The width of a column and the alignment of its cells."""

    def __init__(self, column: Column, cells: Sequence[tuple[str, Cell]]) -> None:
        self.align = align_right if column.numeric else align_left
        self.heading = visible(column.heading)
        self.marked = [([visible(text)], cell) for text, cell in cells]
        self.mark = len(_MARK) if any(cell.best for _, cell in cells) else 0
        self._measure()

    def _measure(self) -> None:
        body = max((width(text) for texts, _ in self.marked for text in texts), default=0)
        self.body = max(width(self.heading), body)
        self.width = self.body + self.mark

    def wrap(self, limit: int) -> None:
        """Wrap every text to at most `limit` cells."""
        self.marked = [(_break(texts[0], limit), cell) for texts, cell in self.marked]
        self._measure()

    def title(self, screen: Screen) -> str:
        return screen.bold(self.align(self.heading, self.body)) + " " * self.mark

    def cells(self, screen: Screen) -> list[list[str]]:
        cells = []
        for texts, cell in self.marked:
            padded = [self.align(text, self.body) for text in texts]
            if cell.best:
                cells.append([screen.bold(text + _MARK) for text in padded])
            else:
                tail = " " * self.mark
                cells.append([screen.colour_by_tone(text, cell.tone) + tail for text in padded])
        return cells


def _break(text: str, limit: int) -> list[str]:
    """Break text into lines of at most `limit` terminal cells: at spaces, or else after a sign.

    >>> _break("meta-llama/Llama-3.1-70B", 12), _break("too few items", 8)
    (['meta-llama/', 'Llama-3.1-', '70B'], ['too few', 'items'])
    >>> _break("CUNI-DocTransformer", 18)
    ['CUNI-', 'DocTransformer']
    """
    lines = []
    while width(text) > limit:
        end = max(at for at in range(1, len(text)) if width(text[:at]) <= limit)
        if (space := text.rfind(" ", 1, end + 1)) > 0:
            end = space
        elif (sign := max(text.rfind(sign, 1, end) for sign in _SIGNS)) > 0 and (
            sign >= end // 3 or width(text[sign + 1 :]) <= limit
        ):
            end = sign + 1
        lines.append(text[:end])
        text = text[end:].lstrip(" ")
    return [*lines, text]


def _line(cells: Sequence[str]) -> str:
    return _GAP.join(cells).rstrip()


def signature_lines(signatures: Sequence[tuple[str, str]], screen: Screen) -> str:
    """Format signatures, one on a line, each after its title."""
    longest = max(width(visible(title)) for title, _ in signatures)
    return "\n".join(
        f"{align_left(visible(title), longest)}  {screen.dim(visible(signature))}"
        for title, signature in signatures
    )


_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&])")


def escape_markdown(text: str) -> str:
    r"""Escape `text` so that Markdown shows it literally.

    >>> print(escape_markdown("a|b_*c*"))
    a\|b\_\*c\*
    """
    return _SPECIAL.sub(r"\\\1", visible(text))


def code_span(text: str) -> str:
    """Format `text` as a Markdown code span; pipes are not escaped.

    >>> code_span("nrefs:1|tok:13a")
    '`nrefs:1|tok:13a`'
    """
    escaped = visible(text)
    longest = max((len(run) for run in re.findall("`+", escaped)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{escaped}{space}{fence}"


def pipe_table(grid: Grid) -> str:
    """Format a grid as a pipe table, padded so that its source is readable too.

    Markdown has no lines between rows, so an empty row separates clusters.
    """
    titles = [escape_markdown(column.full_heading) for column in grid.columns]
    texts = [
        [
            f"**{escape_markdown(text)}**" if cell.best else escape_markdown(text)
            for text, cell in cells
        ]
        for cells in grid.texts()
    ]
    rows: list[Sequence[str]] = []
    for at, block in enumerate(grid.in_blocks(zip(*texts, strict=True))):
        if grid.clustered and at > 0:
            rows.append([""] * len(titles))
        rows += block
    widths = [max(3, *map(width, column)) for column in zip(titles, *rows, strict=True)]
    aligns = [align_right if column.numeric else align_left for column in grid.columns]
    rules = [
        "-" * (cells - 1) + ":" if column.numeric else "-" * cells
        for column, cells in zip(grid.columns, widths, strict=True)
    ]
    return "\n".join(
        "| "
        + " | ".join(
            align(text, cells) for align, text, cells in zip(aligns, line, widths, strict=True)
        )
        + " |"
        for line in [titles, rules, *rows]
    )


def as_markdown(view: View, screen: Screen = PLAIN) -> str:
    """Format a view as Markdown: headings, pipe tables, sentences and a list of signatures."""
    parts = [text for part in _select(view, screen) for text in _markdown(part)]
    if screen.depth == "brief":
        return "\n\n".join(parts)
    if view.methods:
        parts.append(f"**Methods.** {escape_markdown(view.methods)}")
    if view.signatures:
        parts.append(
            "\n".join(
                f"- {escape_markdown(title)}: {code_span(signature)}"
                for title, signature in view.signatures
            )
        )
    return "\n\n".join(parts)


def _markdown(part: Part) -> Iterator[str]:
    if isinstance(part, Verdict):
        yield "\n>\n".join(f"> {escape_markdown(line.strip())}" for line in part.all_lines)
    elif isinstance(part, Grid | Note):
        lines = part.lines if isinstance(part, Note) else part.all_notes
        if part.title and (any(lines) or isinstance(part, Grid)):
            yield f"### {escape_markdown(part.title)}"
        if isinstance(part, Grid):
            yield pipe_table(part.without_labels().truncate())
            lines = [truncation_note(part), *lines] if part.is_truncated else lines
        bullet = "- " if isinstance(part, Note) and len(lines) > 1 else ""
        if texts := [bullet + escape_markdown(text.strip()) for text in lines if text]:
            yield "\n".join(texts)


def escape_tsv(text: str) -> str:
    r"""Escape tabs and newlines, and double backslashes so that escaping can be undone.

    >>> print(escape_tsv("a\tb"), escape_tsv("c\\t"))
    a\tb c\\t
    """
    return visible(text.replace("\\", "\\\\"))


def as_tsv(view: View) -> str:
    """Format the records of a view as TSV, with all digits."""
    columns = columns_of(view)
    lines = [list(columns)]
    lines += [[_text(value) for value in record] for record in zip(*columns.values(), strict=True)]
    return "\n".join("\t".join(map(escape_tsv, line)) for line in lines)


def columns_of(view: View) -> dict[str, list[Any]]:
    """The records of a view by column: numbers, texts and booleans; lists are joined to text."""
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
    """A record with the ends of an interval or a rank range in columns of their own."""
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


WRITERS: dict[str, Callable[[View, Screen], str]] = {
    "table": as_table,
    "tsv": lambda view, _: as_tsv(view),
    "markdown": as_markdown,
    "latex": as_latex,
}
FORMATS = ("table", "json", *[name for name in WRITERS if name != "table"])
"""The choices of `--format`; JSON is the result itself."""
