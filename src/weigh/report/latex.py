"""Grids as LaTeX tables with booktabs' rules."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weigh.report.grid import Cell, Column, Grid
from weigh.report.text import visible

_ARROWS = {"higher": r" $\uparrow$", "lower": r" $\downarrow$", None: ""}
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "`": r"\textasciigrave{}",
    # At the start of a row these two would be taken for arguments of the `\\` before it.
    "[": "{[}",
    "*": "{*}",
}
_LIGATURES = re.compile(r"([-',])(?=\1)")


def escape(text: str) -> str:
    r"""Return `text` such that LaTeX sets it as it is.

    >>> print(escape("50% of R&D -- a_b"))
    50\% of R\&D -{}- a\_b
    """
    escaped = "".join(_SPECIAL.get(character, character) for character in visible(text))
    return _LIGATURES.sub(r"\1{}", escaped)


def code(text: str) -> str:
    r"""Return `text` in typewriter type that may break after each `|`.

    >>> print(code("nrefs:1|tok:13a"))
    \texttt{nrefs:1\textbar{}\allowbreak{}tok:13a}
    """
    bar = _SPECIAL["|"]
    breakable = escape(text).replace(bar, bar + r"\allowbreak{}")
    return rf"\texttt{{{breakable}}}"


def render(grid: Grid, caption: str) -> str:
    """Return a table float; `caption` is LaTeX already. Needs the package booktabs."""
    blocks = [[list(map(_cell, row)) for row in block] for block in grid.blocks]
    return typeset(grid.columns, blocks, caption)


def typeset(
    columns: Sequence[Column], blocks: Sequence[Sequence[Sequence[str]]], caption: str
) -> str:
    """Return a table float of cells that are LaTeX already."""
    alignment = "".join("r" if column.numeric else "l" for column in columns)
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        " & ".join(map(_title, columns)) + r" \\",
    ]
    for block in blocks:
        lines.append(r"\midrule")
        lines += [" & ".join(row) + r" \\" for row in block]
    lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join(lines)


def _title(column: Column) -> str:
    return escape(column.title) + _ARROWS[column.better]


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    return rf"\textbf{{{text}}}" if cell.best else text
