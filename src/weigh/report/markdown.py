"""Grids as Markdown tables."""

from __future__ import annotations

import re

from weigh.report.grid import Cell, Grid, left, right, visible, width

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&])")


def escape(text: str) -> str:
    r"""Return `text` such that Markdown shows it as it is.

    >>> print(escape("a|b_*c*"))
    a\|b\_\*c\*
    """
    return _SPECIAL.sub(r"\\\1", visible(text))


def code(text: str) -> str:
    """Return `text` as a code span of a table or a line; pipes stay as they are.

    >>> code("nrefs:1|tok:13a")
    '`nrefs:1|tok:13a`'
    """
    shown = visible(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{fence}{space}{shown}{space}{fence}"


def render(grid: Grid) -> str:
    """Return the grid as a pipe table, padded so that the source reads well too.

    Markdown has no lines between rows: where they mean something, an empty row is one.
    """
    titles = [escape(column.heading) for column in grid.columns]
    rows = [
        [_cell(cell) for cell in row]
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


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    return f"**{text}**" if cell.best else text
