"""A grid of cells: what a table is before a format is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

_ARROWS = {"higher": " ↑", "lower": " ↓", None: ""}


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


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one place of the grid.

    The best of its column and block may be marked; what is strong stands out where that can be
    shown, and has no mark.
    """

    text: str
    best: bool = False
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Columns and rows; rows come in blocks that are set apart from each other."""

    columns: Sequence[Column]
    blocks: Sequence[Sequence[Sequence[Cell]]]

    @property
    def rows(self) -> list[Sequence[Cell]]:
        """All rows, whatever block they stand in."""
        return [row for block in self.blocks for row in block]
