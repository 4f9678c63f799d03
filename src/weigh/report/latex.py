"""Grids as LaTeX tables with booktabs' rules."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weigh.report.grid import Cell, Column, Grid
from weigh.report.text import visible

_ARROWS = {"higher": r" $\uparrow$", "lower": r" $\downarrow$", None: ""}
_PAD = "\u2007"  # a space as wide as a digit
_GREEK = "αβγδεζηθικλμνξπρσςτυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma "
    "varsigma tau upsilon phi chi psi omega "
    "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
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
    _PAD: r"\phantom{0}",
    # What pdfLaTeX does not know as a character.
    "–": r"\textendash{}",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    **{letter: rf"$\{name}$" for letter, name in zip(_GREEK, _GREEK_NAMES.split(), strict=True)},
}
_LIGATURES = re.compile(r"([-',])(?=\1)")
# Spaces that LaTeX would drop, which keep the ends of intervals under each other.
_PADDING = re.compile(r"(?<=[ \[]) +")
_LAST_OF_PDFLATEX = "\u017f"
_WIDE = 6


def escape(text: str) -> str:
    r"""Return `text` such that LaTeX sets it as it is.

    >>> print(escape("50% of R&D -- a_b"))
    50\% of R\&D -{}- a\_b
    """
    padded = _PADDING.sub(lambda found: _PAD * len(found[0]), visible(text))
    escaped = "".join(_SPECIAL.get(character, character) for character in padded)
    return _LIGATURES.sub(r"\1{}", escaped)


def code(text: str) -> str:
    r"""Return `text` in typewriter type that may break after each `|`.

    >>> print(code("nrefs:1|tok:13a"))
    \texttt{nrefs:1\textbar{}\allowbreak{}tok:13a}
    """
    bar = _SPECIAL["|"]
    breakable = escape(text).replace(bar, bar + r"\allowbreak{}")
    return rf"\texttt{{{breakable}}}"


def signature_note(signatures: Sequence[tuple[str, str]]) -> str:
    """Return signatures as a note under a table."""
    listed = "; ".join(f"{escape(title)}: {code(signature)}" for title, signature in signatures)
    return f"Signatures: {listed}."


def render(grid: Grid, caption: str, note: str = "") -> str:
    """Return a table float; caption and note are LaTeX already. Needs the package booktabs."""
    blocks = [[list(map(_cell, row)) for row in block] for block in grid.blocks]
    return typeset(grid.columns, blocks, caption, note)


def typeset(
    columns: Sequence[Column],
    blocks: Sequence[Sequence[Sequence[str]]],
    caption: str,
    note: str = "",
) -> str:
    """Return a table float of cells that are LaTeX already, set smaller where it is wide."""
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}"]
    if len(columns) > _WIDE:
        lines.append(r"\footnotesize\setlength{\tabcolsep}{3pt}")
    lines += [
        rf"\begin{{tabular}}{{{''.join(map(_alignment, columns))}}}",
        r"\toprule",
        " & ".join(map(_title, columns)) + r" \\",
    ]
    for block in blocks:
        lines.append(r"\midrule")
        lines += [" & ".join(row) + r" \\" for row in block]
    lines += [r"\bottomrule", r"\end{tabular}"]
    if note:
        lines += ["", r"\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize\raggedright {note}}}"]
    text = "\n".join([*lines, r"\end{table}"])
    needs = [r"% needs \usepackage{booktabs}"]
    if max(text) > _LAST_OF_PDFLATEX:
        needs.append("% pdfLaTeX may lack characters that are in here; LuaLaTeX and XeLaTeX do not")
    return "\n".join([*needs, text])


def _alignment(column: Column) -> str:
    if column.numeric:
        return "r"
    return "@{}l" if column.attached else "l"


def _title(column: Column) -> str:
    return escape(column.title) + _ARROWS[column.better]


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    return rf"\textbf{{{text}}}" if cell.best else text
