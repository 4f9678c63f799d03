"""Grids: tables of values, independent of the output format, and escaping of their text."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal, NamedTuple, Self, TypeVar, get_args

from weigh.errors import UsageError, did_you_mean
from weigh.report.parts import Level, Part
from weigh.wording import NO_NUMBER, REORDERING, fixed, intervals, probability

# Control characters, surrogates, and line or paragraph separators can break a line or the terminal.
_UNPRINTABLE = frozenset(("Cc", "Cs", "Zl", "Zp"))


def _escape(character: str) -> str:
    if unicodedata.category(character) in _UNPRINTABLE or character in REORDERING:
        return character.encode("unicode_escape").decode("ascii")
    return character


def visible(text: str) -> str:
    r"""Escape every character that could break the line.

    >>> print(visible("red\x1b[31m\nname"))
    red\x1b[31m\nname
    """
    # A fast path: isprintable() is false for every character to escape, and a few harmless ones.
    return text if text.isprintable() else "".join(map(_escape, text))


def width(text: str) -> int:
    """The number of terminal cells that `text` occupies (Unicode Standard Annex 11).

    >>> width("naïve"), width("日本"), width("e\u0301")
    (5, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_cells, text))


def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def align_left(text: str, cells: int) -> str:
    """Pad `text` on the right to `cells` terminal cells."""
    return text + " " * (cells - width(text))


def align_right(text: str, cells: int) -> str:
    """Pad `text` on the left to `cells` terminal cells."""
    return " " * (cells - width(text)) + text


Row = TypeVar("Row")

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_COLOURS = {"good": "\x1b[32m", "bad": "\x1b[31m", "open": "\x1b[33m"}
Depth = Literal["brief", "usual"]
"""How much text formats show: the result alone, or also what a reader needs to judge it."""
_DEPTHS = get_args(Depth)
_ARROWS = {"higher": " ↑", "lower": " ↓", None: ""}
_ROUNDING = 1e-6
_LONGEST_ON_PAGES = 5000


@dataclass(frozen=True, slots=True)
class Screen:
    """Where text goes and how much of it; the default is a file, without colours or a width."""

    colour: bool = False
    columns: int | None = None
    depth: Depth = "usual"

    def __post_init__(self) -> None:
        if self.depth not in _DEPTHS:
            raise UsageError(f"depth {self.depth!r}; {did_you_mean(self.depth, _DEPTHS)}")

    def bold(self, text: str) -> str:
        """Make `text` bold if the screen has colours."""
        return f"{_BOLD}{text}{_PLAIN}" if self.colour else text

    def dim(self, text: str) -> str:
        """Make `text` fainter if the screen has colours."""
        return f"{_DIM}{text}{_PLAIN}" if self.colour else text

    def colour_by_tone(self, text: str, tone: str) -> str:
        """Colour `text` by its tone (good, bad or open) if the screen has colours."""
        return f"{_COLOURS[tone]}{text}{_PLAIN}" if self.colour and tone else text

    def shows(self, level: Level) -> bool:
        """Whether parts of this level are shown.

        >>> Screen(depth="brief").shows("normal"), Screen().shows("normal")
        (False, True)
        """
        return level == "brief" or (level == "normal" and self.depth == "usual")


PLAIN = Screen()

Kind = Literal[
    "key",
    "label",
    "text",
    "number",
    "score",
    "percent",
    "difference",
    "size",
    "p",
    "range",
    "interval",
    "count",
]
"""What a column holds. A key identifies the row. A label is what superscripts refer to; only
formats with superscripts show it. A size is a difference without a sign. A number is either text
or shown with as many digits as it needs."""


Value = str | Callable[[Any], object] | None
"""How a column reads its value from a row: an attribute, a function, or its position in the row."""


class Interval(NamedTuple):
    """An interval of a difference; if it `excludes_zero`, an end of 0 is open."""

    low: float
    high: float
    excludes_zero: bool = False

    def ends(self, scale: float, decimals: int) -> tuple[float, float]:
        """Both ends; if 0 is excluded, an end that rounds to 0 becomes 0 and is shown as open."""
        low, high = scale * self.low, scale * self.high
        if not self.excludes_zero or not math.isfinite(low + high):
            return low, high
        return low if round(low, decimals) else 0.0, high if round(high, decimals) else 0.0


@dataclass(frozen=True, slots=True)
class Cell:
    """A value with its own formatting.

    `best` marks the best value of a column, `tone` sets the colour, and `raised` is a superscript
    for papers. `decimals` overrides those of the column. Shares, and differences and intervals of
    shares, are shown in `percent`.
    """

    value: object
    best: bool = False
    tone: Literal["", "good", "bad", "open"] = ""
    raised: str = ""
    decimals: int | None = None
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A title, how to read the value from a row, and how to show it.

    `value` is a function of a row or the name of its attribute; without it, rows are sequences and
    the column reads the item at its own position. `better` is the direction in which numbers
    improve, if any, and `marks_best` marks the best ones.

    If a table is too wide, its `optional` columns are dropped, the largest number first and equal
    numbers together. If it is still too wide, it is split into tables that repeat the keys; an
    `attached` column stays next to the column before it. A `nowrap` column is never wrapped.

    Neighbouring columns of one `group` share a title above their own. A `note` explains the column.
    `is_system` marks the columns that name systems: on pages, a click on a row opens their
    segments.
    """

    title: str
    value: Value = None
    kind: Kind = "key"
    better: Literal["higher", "lower"] | None = None
    decimals: int = 2
    attached: bool = False
    optional: int = 0
    marks_best: bool = False
    nowrap: bool = False
    note: str = ""
    is_system: bool = False
    group: str = ""

    def cells(self, rows: Sequence[Any], at: int) -> list[Cell]:
        """The cells of this column, at position `at` in its grid."""
        read = attrgetter(self.value) if isinstance(self.value, str) else self.value
        values = [row[at] for row in rows] if read is None else map(read, rows)
        return [value if isinstance(value, Cell) else Cell(value) for value in values]

    @property
    def numeric(self) -> bool:
        """Whether the column holds numbers."""
        return self.kind not in ("key", "label", "text")

    @property
    def heading(self) -> str:
        """The title, with an arrow in the direction of better numbers."""
        return self.title + _ARROWS[self.better]

    @property
    def full_heading(self) -> str:
        """The heading, preceded by the title of its group."""
        return f"{self.group} {self.heading}" if self.group else self.heading

    def texts(self, cells: Sequence[Cell]) -> list[str]:
        """Format the values of cells; the ends of intervals are aligned."""
        if self.kind == "interval":
            return _interval_texts(cells, self.decimals)
        return [
            cell.value
            if isinstance(cell.value, str)
            else _text(cell.value, self.kind, cell, self.decimals)
            for cell in cells
        ]


def _text(value: Any, kind: Kind, cell: Cell, decimals: int) -> str:
    if value is None:
        return "" if kind in ("key", "label", "text") else NO_NUMBER
    decimals = decimals if cell.decimals is None else cell.decimals
    if kind == "p":
        return probability(value)
    if kind == "range":
        return rank_text(value)
    if kind == "count":
        return f"{value:,}"
    if kind == "percent" or (kind == "score" and cell.percent):
        text = fixed(100 * value, decimals)
        return text if text == NO_NUMBER else f"{text}%"
    if kind in ("score", "difference", "size"):
        scaled = 100 * value if cell.percent else value
        return fixed(scaled, decimals, sign=kind == "difference")
    if kind == "number":
        return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"
    return str(value)


def rank_text(ends: tuple[int, int]) -> str:
    """Format a rank, or a range of possible ranks.

    >>> rank_text((1, 1)), rank_text((2, 4))
    ('1', '2–4')
    """
    low, high = ends
    return f"{low}" if low == high else f"{low}–{high}"


def _interval_texts(cells: Sequence[Cell], decimals: int) -> list[str]:
    """Format intervals; intervals with the same decimals and scale are aligned."""
    texts = [cell.value if isinstance(cell.value, str) else NO_NUMBER for cell in cells]
    intervals_at = [at for at, cell in enumerate(cells) if isinstance(cell.value, tuple)]
    groups: dict[tuple[int | None, bool, bool], list[int]] = {}
    for at in intervals_at:
        is_signed = isinstance(cells[at].value, Interval)
        groups.setdefault((cells[at].decimals, cells[at].percent, is_signed), []).append(at)
    for (cell_decimals, percent, sign), places in groups.items():
        shown_decimals = decimals if cell_decimals is None else cell_decimals
        values = [Interval(*cells[at].value) for at in places]  # type: ignore[misc]
        formatted = intervals(
            [value.ends(100 if percent else 1, shown_decimals) for value in values],
            shown_decimals,
            sign=sign,
            without_zero=[value.excludes_zero for value in values],
        )
        for at, text in zip(places, formatted, strict=True):
            texts[at] = text + cells[at].raised
    return texts


def column_groups(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """The title and the number of columns of each group, from left to right.

    >>> column_groups([Column("System"), Column("BLEU", group="a"), Column("TER", group="a")])
    [('', 1), ('a', 2)]
    """
    return [(group, len([*members])) for group, members in groupby(columns, attrgetter("group"))]


# Optional columns up to this number are important: names are wrapped before they are dropped.
IMPORTANT = 2


class Fit(NamedTuple):
    """The positions of the columns that are kept, all widths, and the columns of each table."""

    kept: list[int]
    widths: list[float]
    tables: list[list[int]]


def fit(
    columns: Sequence[Column],
    widths: Sequence[float],
    narrowest: Mapping[str, float],
    gap: float,
    limit: float,
) -> Fit:
    """Fit a table into a width.

    First, texts are wrapped, down to the `narrowest` width of their kind. Then the least important
    columns are dropped. Names are wrapped before more important columns are dropped. If the table
    is still too wide, it is split into several.
    """
    least = [
        width if column.nowrap else min(width, narrowest.get(column.kind, width))
        for column, width in zip(columns, widths, strict=True)
    ]
    with_names = [
        width if column.kind == "key" else smallest
        for column, width, smallest in zip(columns, widths, least, strict=True)
    ]
    numbers = sorted({column.optional for column in columns}, reverse=True)
    attempts = (
        *((with_names, number) for number in numbers if number >= min(IMPORTANT, numbers[0])),
        *((least, number) for number in numbers if number <= IMPORTANT),
    )
    choices = [
        (needed, [at for at, column in enumerate(columns) if column.optional <= number])
        for needed, number in attempts
    ]
    kept = next(
        (places for needed, places in choices if _total(needed, places, gap) <= limit), None
    )
    fits = kept is not None
    if kept is None:  # the table is split: keep the most important optional columns
        first = min((number for number in numbers if number), default=0)
        kept = [at for at, column in enumerate(columns) if column.optional <= first]
    fitted = list(widths)
    for kind in ("text", "key"):
        places = [at for at in kept if columns[at].kind == kind]
        others = sum(fitted[at] for at in kept if at not in places) + gap * (len(kept) - 1)
        _narrow(fitted, places, least, limit - others if fits or kind == "text" else limit / 2)
    return Fit(kept, fitted, _tables(columns, kept, fitted, gap, limit))


def _total(widths: Sequence[float], places: Sequence[int], gap: float) -> float:
    return sum(widths[at] for at in places) + gap * (len(places) - 1)


def _narrow(
    widths: list[float], places: Sequence[int], least: Sequence[float], room: float
) -> None:
    """Shrink the widest of these columns until they fit into the room together."""
    for done, at in enumerate(sorted(places, key=lambda at: widths[at])):
        widths[at] = min(widths[at], max(least[at], room / (len(places) - done)))
        room -= widths[at]


def _tables(
    columns: Sequence[Column],
    kept: Sequence[int],
    widths: Sequence[float],
    gap: float,
    limit: float,
) -> list[list[int]]:
    """Distribute columns over tables; each has all keys and at least one other column."""
    keys = [at for at in kept if columns[at].kind in ("key", "label")]
    groups: list[list[int]] = []
    for at in kept:
        if at not in keys:
            if columns[at].attached and groups:
                groups[-1].append(at)
            else:
                groups.append([at])
    tables = [list(keys)]
    for group in groups:
        total = _total(widths, [*tables[-1], *group], gap)
        if total > limit + _ROUNDING and tables[-1] != keys:
            tables.append(list(keys))
        tables[-1] += group
    return [sorted(places) for places in tables]


class Sentence(str):
    """Text with emphasised parts, for formats that can show emphasis."""

    words: tuple[tuple[str, bool], ...]

    def __new__(cls, *words: str | tuple[str, bool]) -> Self:
        """Join texts; `(text, True)` is emphasised."""
        pairs = tuple((word, False) if isinstance(word, str) else word for word in words)
        sentence = super().__new__(cls, "".join(text for text, _ in pairs))
        sentence.words = pairs
        return sentence


@dataclass(frozen=True, slots=True)
class Grid(Part):
    """Columns and rows, with the rows divided into blocks.

    If a grid is `clustered`, its blocks are clusters of systems and the lines between them carry
    meaning. Text formats show the first `limit` rows of each block and say where to find the rest;
    pages do so only if a grid is too long for them. A `wide` grid has many columns: it is split
    even if the output has no width. LaTeX output contains the grids for a `paper`.

    `significant` says for every row whether its result is significant. On a page, readers can
    filter such a grid by significance, by words and by `choices`: titles with a value for every
    row.
    """

    columns: Sequence[Column]
    blocks: Sequence[Sequence[Any]]
    title: str = ""
    notes: Sequence[str] = ()
    limit: int | None = None
    clustered: bool = False
    wide: bool = False
    paper: bool = False
    significant: Sequence[bool] = ()
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def rows(self) -> list[Any]:
        """The rows of all blocks."""
        return [row for block in self.blocks for row in block]

    def with_title(self, title: str, notes: Sequence[str] = (), **options: Any) -> Grid:
        """A copy with a title, notes and other options."""
        return replace(self, title=title, notes=notes, **options)

    @property
    def is_truncated(self) -> bool:
        """Whether text formats omit rows because of the limit."""
        return self.limit is not None and any(len(block) > self.limit for block in self.blocks)

    @property
    def is_too_long(self) -> bool:
        """Whether pages apply the limit too; grids that can be filtered show all rows."""
        return self.is_truncated and not self.significant and len(self.rows) > _LONGEST_ON_PAGES

    @property
    def all_notes(self) -> list[str]:
        """The notes on columns, then the notes on the grid."""
        return [note for note in (*(column.note for column in self.columns), *self.notes) if note]

    def truncate(self) -> Grid:
        """A copy with only the rows that text formats show."""
        return replace(self, blocks=[block[: self.limit] for block in self.blocks])

    def without_labels(self) -> Grid:
        """A copy without label columns; the other columns must not read rows by position."""
        columns = [column for column in self.columns if column.kind != "label"]
        return self if len(columns) == len(self.columns) else replace(self, columns=columns)

    def cells(self) -> list[list[Cell]]:
        """The cells of each column, from top to bottom.

        The best is marked once for all clusters, but in every block of other grids.
        """
        rows = self.rows
        columns = []
        for at, column in enumerate(self.columns):
            cells = column.cells(rows, at)
            if column.marks_best:
                groups = [cells] if self.clustered else self.in_blocks(cells)
                cells = [cell for group in groups for cell in _mark_best(column, group)]
            columns.append(cells)
        return columns

    def texts(self) -> list[list[tuple[str, Cell]]]:
        """The cells of each column with their text, from top to bottom."""
        return [
            list(zip(column.texts(cells), cells, strict=True))
            for column, cells in zip(self.columns, self.cells(), strict=True)
        ]

    def in_blocks(self, rows: Iterable[Row]) -> Iterator[list[Row]]:
        """Divide items, one for each row, into the blocks of the rows."""
        remaining = iter(rows)
        for block in self.blocks:
            yield [next(remaining) for _ in block]


def _mark_best(column: Column, cells: Sequence[Cell]) -> list[Cell]:
    """Mark every number whose text equals that of the best, unless all do."""
    texts = column.texts(cells)
    numbers = [cell.value for cell in cells if isinstance(cell.value, float | int)]
    finite = [number for number in numbers if math.isfinite(number)]
    if not finite or len(set(texts)) < 2:
        return list(cells)
    top = max(finite) if column.better == "higher" else min(finite)
    best = next(text for text, cell in zip(texts, cells, strict=True) if cell.value == top)
    return [replace(cell, best=text == best) for text, cell in zip(texts, cells, strict=True)]


def table(rows: Iterable[Any], columns: Sequence[Column], **options: Any) -> Grid:
    """A grid of one block.

    >>> table(["ash"], [Column("Name", str), Column("n", len, kind="count")]).cells()[1][0].value
    3
    """
    return Grid(columns, [list(rows)], **options)


def facts(heading: str, rows: Iterable[tuple[str, object]], unit: str = "", **options: Any) -> Grid:
    """A grid with two columns: names and their values."""
    return table(rows, [Column(heading), Column(unit, kind="number")], **options)


def in_clusters(rows: Iterable[Row], clusters: Sequence[Sequence[str]]) -> list[list[Row]]:
    """Divide the rows of systems into their clusters; rows and clusters are in the same order."""
    remaining = iter(rows)
    return [[next(remaining) for _ in cluster] for cluster in clusters]
