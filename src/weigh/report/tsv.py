"""Grids as tab-separated values."""

from __future__ import annotations

from weigh.report.grid import Grid, visible


def escape(text: str) -> str:
    r"""Return `text` without tabs and newlines; backslashes are doubled so that it can be undone.

    >>> print(escape("a\tb"), escape("c\\t"))
    a\tb c\\t
    """
    return visible(text.replace("\\", "\\\\"))


def render(grid: Grid) -> str:
    """Return one line of titles and one line per row."""
    lines = [[column.title for column in grid.columns]]
    lines += [[cell.text for cell in row] for row in grid.rows]
    return "\n".join("\t".join(map(escape, line)) for line in lines)
