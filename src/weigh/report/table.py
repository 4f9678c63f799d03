"""Grids as aligned plain text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weigh.report.grid import Cell, Column, Grid, in_parts, left, right, visible, width

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_GAP = "  "
_MARK = " *"


@dataclass(frozen=True, slots=True)
class Screen:
    """What the text is shown on: a file unless said otherwise."""

    colour: bool = False
    columns: int | None = None

    def bold(self, text: str) -> str:
        """Return `text` in bold where that can be shown."""
        return f"{_BOLD}{text}{_PLAIN}" if self.colour else text

    def dim(self, text: str) -> str:
        """Return `text` in a fainter colour where that can be shown."""
        return f"{_DIM}{text}{_PLAIN}" if self.colour else text


PLAIN = Screen()


def render(grid: Grid, screen: Screen = PLAIN) -> str:
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
