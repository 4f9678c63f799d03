"""A grid of cells, which a table is before a format is chosen, and text that is safe in it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self, TypeVar, get_args

from weigh.errors import UsageError, did_you_mean

# Control characters, surrogates, line and paragraph separators end a line or change the terminal.
_UNPRINTABLE = frozenset(("Cc", "Cs", "Zl", "Zp"))
# Bidirectional embeddings, overrides and isolates reorder the rest of the line.
_REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _escaped(character: str) -> str:
    if unicodedata.category(character) in _UNPRINTABLE or character in _REORDERING:
        return character.encode("unicode_escape").decode("ascii")
    return character


def visible(text: str) -> str:
    r"""Return `text` with every character that could break the line written as an escape.

    >>> print(visible("red\x1b[31m\nname"))
    red\x1b[31m\nname
    """
    # isprintable() is false for exactly the characters of interest and a few harmless ones.
    return text if text.isprintable() else "".join(map(_escaped, text))


def width(text: str) -> int:
    """Return the number of terminal cells that `text` takes (Unicode Standard Annex 11).

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


def left(text: str, cells: int) -> str:
    """Pad `text` on the right to `cells` terminal cells."""
    return text + " " * (cells - width(text))


def right(text: str, cells: int) -> str:
    """Pad `text` on the left to `cells` terminal cells."""
    return " " * (cells - width(text)) + text


Row = TypeVar("Row")

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
# How much a terminal shows: the result alone, or what a reader needs.
Depth = Literal["brief", "usual"]
_DEPTHS = get_args(Depth)
_ARROWS = {"higher": " ↑", "lower": " ↓", None: ""}


@dataclass(frozen=True, slots=True)
class Screen:
    """What the text is shown on, a file unless said otherwise, and how much is wanted there."""

    colour: bool = False
    columns: int | None = None
    depth: Depth = "usual"

    def __post_init__(self) -> None:
        if self.depth not in _DEPTHS:
            raise UsageError(f"depth {self.depth!r}; {did_you_mean(self.depth, _DEPTHS)}")

    def bold(self, text: str) -> str:
        """Return `text` in bold where that can be shown."""
        return f"{_BOLD}{text}{_PLAIN}" if self.colour else text

    def dim(self, text: str) -> str:
        """Return `text` in a fainter colour where that can be shown."""
        return f"{_DIM}{text}{_PLAIN}" if self.colour else text


PLAIN = Screen()


def is_shown(depth: Depth, screen: Screen) -> bool:
    """Return whether what has a depth is shown where so much was asked for.

    >>> is_shown("usual", Screen(depth="brief")), is_shown("usual", Screen())
    (False, True)
    """
    return _DEPTHS.index(depth) <= _DEPTHS.index(screen.depth)


@dataclass(frozen=True, slots=True)
class Column:
    """A column's title and what stands in it.

    `better` is the direction of its numbers, if they have one. A column of text is a key: where a
    table is too wide and goes on underneath, keys are repeated. A column that is `attached` stays
    beside the one before it.
    """

    title: str
    better: Literal["higher", "lower"] | None = None
    kind: Literal["key", "number", "remark"] = "key"
    attached: bool = False

    @property
    def numeric(self) -> bool:
        """Whether the column holds numbers."""
        return self.better is not None or self.kind == "number"

    @property
    def is_key(self) -> bool:
        """Whether the column tells what its row is about."""
        return self.better is None and self.kind == "key"

    @property
    def heading(self) -> str:
        """The title with an arrow that shows which numbers are better."""
        return self.title + _ARROWS[self.better]


def in_parts(
    columns: Sequence[Column], widths: Sequence[float], gap: float, limit: float | None
) -> list[list[int]]:
    """Return which columns stand in which of the tables that a limit to their width asks for.

    Keys are in each of them; a table that is too wide even with one column is left so.
    """
    keys = [at for at, column in enumerate(columns) if column.is_key]
    groups: list[list[int]] = []
    for at, column in enumerate(columns):
        if not column.is_key:
            if column.attached and groups:
                groups[-1].append(at)
            else:
                groups.append([at])

    def total(part: Sequence[int]) -> float:
        return sum(widths[at] for at in part) + gap * (len(part) - 1)

    parts = [list(keys)]
    for group in groups:
        too_wide = limit is not None and total([*parts[-1], *group]) > limit
        if too_wide and parts[-1] != keys:
            parts.append(list(keys))
        parts[-1] += group
    return parts


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one place of the grid.

    The best of its column and block may be marked; what is strong stands out where that can be
    shown, and has no mark. What is `raised` is set as a superscript where there are such.
    """

    text: str
    best: bool = False
    strong: bool = False
    raised: bool = False


class Sentence(str):
    """A text made of cells: words that are strong stand out where that can be shown."""

    cells: tuple[Cell, ...]

    def __new__(cls, *parts: str | Cell) -> Self:
        """Put texts and cells behind each other."""
        cells = tuple(part if isinstance(part, Cell) else Cell(part) for part in parts)
        sentence = super().__new__(cls, "".join(cell.text for cell in cells))
        sentence.cells = cells
        return sentence


@dataclass(frozen=True, slots=True)
class Grid:
    """Columns and rows; rows come in blocks that are set apart from each other.

    Where they are `lined`, what stands between blocks means something that nothing else tells.
    One of many columns is `wide`: it goes on underneath even where no screen limits it.
    """

    columns: Sequence[Column]
    blocks: Sequence[Sequence[Sequence[Cell]]]
    lined: bool = False
    wide: bool = False

    @property
    def rows(self) -> list[Sequence[Cell]]:
        """All rows, whatever block they stand in."""
        return [row for block in self.blocks for row in block]


Texts = Mapping[str | Column, Callable[[Row], str | Cell]]
"""What stands in columns, by the columns or by their titles: a text or a cell for every row."""


def tabulated(
    blocks: Sequence[Sequence[Row]], keys: Texts[Row], numbers: Texts[Row], *remarks: Texts[Row]
) -> Grid:
    """Return a grid of rows that are anything, by what its columns tell of them.

    >>> [[cell.text for cell in row] for row in tabulated([["ash"]], {"": str}, {"n": repr}).rows]
    [['ash', "'ash'"]]
    """
    kinds: list[tuple[Literal["key", "number", "remark"], Texts[Row]]]
    kinds = [("key", keys), ("number", numbers), *(("remark", each) for each in remarks)]
    columns = [
        title if isinstance(title, Column) else Column(title, kind=kind)
        for kind, texts in kinds
        for title in texts
    ]
    told = [text for _, texts in kinds for text in texts.values()]
    return Grid(columns, [[[_cell(text(row)) for text in told] for row in b] for b in blocks])


def _cell(content: str | Cell) -> Cell:
    return content if isinstance(content, Cell) else Cell(content)


def cells(texts: Iterable[str]) -> list[Cell]:
    """Return a row of texts."""
    return [Cell(text) for text in texts]


def number_columns(*titles: str) -> list[Column]:
    """Return columns of numbers that have no direction."""
    return [Column(title, kind="number") for title in titles]


def in_clusters(rows: Iterable[Row], clusters: Sequence[Sequence[str]]) -> list[list[Row]]:
    """Return the rows of systems in blocks, a block for each cluster; both have the same order."""
    remaining = iter(rows)
    return [[next(remaining) for _ in cluster] for cluster in clusters]
