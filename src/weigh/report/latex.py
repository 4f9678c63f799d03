"""Grids as LaTeX tables with booktabs' rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from weigh.report.grid import Cell, Column, Grid, in_parts
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
# What takes no room by itself, what is one character, and how wide characters are in ems.
_COMMAND = re.compile(r"\\(?:textbf|textsuperscript|texttt|phantom|allowbreak)(?![a-zA-Z])")
_SYMBOL = re.compile(r"\\(?:[a-zA-Z]+|.)")
_BRACES = re.compile(r"[{}$]")
_LETTER, _RAISED = 0.5, 0.7
_LETTERS = dict.fromkeys(" .,:;!|()[]ijlft", 0.34) | dict.fromkeys("ABCDEFGHKLMNOPQRUVWXYmw", 0.75)


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
    """Return a table float of cells that are LaTeX already.

    It is set smaller where it is wide, and where that is not enough some columns go underneath.
    """
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}"]
    rows = [row for block in blocks for row in block]
    widths = [
        max(_ems(text) for text in (_title(column), *(row[at] for row in rows)))
        for at, column in enumerate(columns)
    ]
    if len(columns) > _WIDE or _NORMAL.width(widths) > _LINE:
        lines.append(r"\footnotesize\setlength{\tabcolsep}{3pt}")
    limit = (_LINE - _SMALL.gap) / _SMALL.em
    for number, part in enumerate(in_parts(columns, widths, _SMALL.gap / _SMALL.em, limit)):
        if number:
            lines += ["", r"\medskip"]
        some = [columns[at] for at in part]
        lines += [
            rf"\begin{{tabular}}{{{''.join(map(_alignment, some))}}}",
            r"\toprule",
            " & ".join(map(_title, some)) + r" \\",
        ]
        for block in blocks:
            lines.append(r"\midrule")
            lines += [" & ".join(row[at] for at in part) + r" \\" for row in block]
        lines += [r"\bottomrule", r"\end{tabular}"]
    if note:
        lines += ["", r"\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize\raggedright {note}}}"]
    text = "\n".join([*lines, r"\end{table}"])
    needs = [r"% needs \usepackage{booktabs}"]
    if max(text) > _LAST_OF_PDFLATEX:
        needs.append("% pdfLaTeX may lack characters that are in here; LuaLaTeX and XeLaTeX do not")
    return "\n".join([*needs, text])


class _Size(NamedTuple):
    """A size of type: how wide an em is, and the space between columns, in points."""

    em: float
    gap: float

    def width(self, ems: Sequence[float]) -> float:
        """Return how wide a table of such columns is."""
        return self.em * sum(ems) + self.gap * len(ems)


# The article class sets lines of 345 points in type of 10, or 8 in \footnotesize.
_LINE = 345.0
_NORMAL, _SMALL = _Size(9.5, 12), _Size(8.1, 6)


def _ems(text: str) -> float:
    """Return about how wide LaTeX sets a text: its digits are half as wide as an em."""
    plain = _COMMAND.sub("", text)
    plain = _SYMBOL.sub("0", plain)
    ems = sum(_LETTERS.get(letter, _LETTER) for letter in _BRACES.sub("", plain))
    return _RAISED * ems if text.startswith(r"\textsuperscript") else ems


def _alignment(column: Column) -> str:
    if column.numeric:
        return "r"
    return "@{}l" if column.attached else "l"


def _title(column: Column) -> str:
    return escape(column.title) + _ARROWS[column.better]


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    return rf"\textbf{{{text}}}" if cell.best else text
