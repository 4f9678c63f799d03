"""Grids as LaTeX tables with booktabs' rules."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

from weigh.report.grid import Cell, Column, Grid, in_parts, visible

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
# Commands that take no room by themselves, others, and typewriter type.
_COMMAND = re.compile(r"\\(?:textbf|textsuperscript|phantom|allowbreak)(?![a-zA-Z])")
_SYMBOL = re.compile(r"\\(?:[a-zA-Z]+|.)")
_TYPEWRITER = re.compile(r"\\texttt\{((?:[^{}]|\{[^{}]*\})*)\}")
_BRACES = re.compile(r"[{}$]")
# The widths of characters in Computer Modern (cmr10), in ems; bold type and superscripts by its
# side. A sign that is always written as a command stands for symbols of its width.
_WIDTHS = {
    0.28: "!',.:;[]il|",
    0.31: "fj",
    0.34: " -",
    0.37: "I_",
    0.4: "()rst",
    0.45: "cez",
    0.5: "*/0123456789?ago",
    0.53: "Jkqvxy^",
    0.56: "Sbdhnpu",
    0.63: "FLZ",
    0.71: "BEP",
    0.75: "ACHNRTUVXYw",
    0.79: "&+<=>@DGKOQ",
    0.84: "#%m",
    1.03: "MW",
}
_LETTERS = {letter: width for width, letters in _WIDTHS.items() for letter in letters}
_OTHER_LETTER, _BOLD, _RAISED = 0.79, 1.16, 0.9
_SYMBOLS = {rf"\{sign}": sign for sign in "%#&_"} | {
    r"\textbar": "|",
    r"\textless": "<",
    r"\textgreater": "<",
    r"\leq": "<",
    r"\geq": "<",
}


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
    """Return table floats of cells that are LaTeX already.

    They are set smaller where they are wide; where that is not enough long texts are broken and
    some columns go underneath. What is too long for a page goes on in further floats.
    """
    rows = [row for block in blocks for row in block]
    widths = [
        max(ems(text) for text in (_title(column), *(row[at] for row in rows)))
        for at, column in enumerate(columns)
    ]
    small = len(columns) > _WIDE or _NORMAL.width(widths) > _LINE
    size = _SMALL if small else _NORMAL
    limit = (_LINE - _SMALL.gap) / _SMALL.em
    fitted = _fitted(columns, widths, _SMALL.gap / _SMALL.em, limit)
    parts = in_parts(columns, fitted, _SMALL.gap / _SMALL.em, limit)
    broken = {at for at, width in enumerate(widths) if fitted[at] < width}
    room = _PAGE - _lines(caption, _LINE / _NORMAL.em) * _NORMAL.line
    room -= _lines(note, _LINE / _SMALL.em) * _SMALL.line
    floats = _pages(
        blocks,
        lambda row: size.line * max((1, *(_lines(row[at], fitted[at]) for at in broken))),
        room / len(parts) - _HEAD,
    )
    written = []
    for number, some_blocks in enumerate(floats):
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}"]
        if number:
            lines[2:] = [r"\addtocounter{table}{-1}", r"\caption[]{(continued)}"]
        if small:
            lines.append(r"\footnotesize\setlength{\tabcolsep}{3pt}")
        for place, part in enumerate(parts):
            if place:
                lines += ["", r"\medskip"]
            some = [columns[at] for at in part]
            kinds = [
                rf"p{{{fitted[at] * _SMALL.em:.0f}pt}}" if at in broken else _alignment(columns[at])
                for at in part
            ]
            lines += [
                rf"\begin{{tabular}}{{{''.join(kinds)}}}",
                r"\toprule",
                " & ".join(map(_title, some)) + r" \\",
            ]
            for block in some_blocks:
                lines.append(r"\midrule")
                for row in block:
                    cells = [_breakable(row[at]) if at in broken else row[at] for at in part]
                    lines.append(" & ".join(cells) + r" \\")
            lines += [r"\bottomrule", r"\end{tabular}"]
        if note and number == len(floats) - 1:
            said = rf"\parbox{{\linewidth}}{{\footnotesize\raggedright {note}}}"
            lines += ["", r"\smallskip", said]
        written.append("\n".join([*lines, r"\end{table}"]))
    text = "\n\n".join(written)
    needs = [r"% needs \usepackage{booktabs}"]
    if max(text) > _LAST_OF_PDFLATEX:
        needs.append("% pdfLaTeX may lack characters that are in here; LuaLaTeX and XeLaTeX do not")
    return "\n".join([*needs, text])


def _fitted(
    columns: Sequence[Column], widths: Sequence[float], gap: float, limit: float
) -> list[float]:
    """Return the widths of columns, those of long texts so small that numbers fit beside them."""
    if sum(widths) + gap * (len(widths) - 1) <= limit:
        return list(widths)
    fitted = list(widths)
    keys = [at for at, column in enumerate(columns) if column.is_key]
    remarks = [at for at, column in enumerate(columns) if not column.numeric and at not in keys]
    _shrink(fitted, keys, _OF_KEYS * limit)
    beside = sum(width for at, width in enumerate(fitted) if at not in remarks)
    left = limit - beside - gap * (len(widths) - 1)
    _shrink(fitted, remarks, max(left, _OF_REMARKS * limit))
    return fitted


def _shrink(widths: list[float], some: Sequence[int], most: float) -> None:
    """Make the widest of some columns narrower until they have the given width together."""
    for done, at in enumerate(sorted(some, key=lambda at: widths[at])):
        widths[at] = min(widths[at], most / (len(some) - done))
        most -= widths[at]


def _pages(
    blocks: Sequence[Sequence[Sequence[str]]], height: Callable[[Sequence[str]], float], most: float
) -> list[list[list[Sequence[str]]]]:
    """Return the blocks of rows that stand on each page, which has room for so many points."""
    pages: list[list[list[Sequence[str]]]] = [[]]
    taken = 0.0
    for block in blocks:
        pages[-1].append([])
        for row in block:
            if taken and taken + height(row) > most:
                pages.append([[]])
                taken = 0.0
            pages[-1][-1].append(row)
            taken += height(row)
        taken += _RULE
    return [[block for block in page if block] or page for page in pages]


def _lines(text: str, width: float) -> int:
    return math.ceil(ems(text) / width - 1e-9)


def _breakable(text: str) -> str:
    """Return a cell that breaks its lines at signs too, as names have them."""
    # Not \raggedright, which would make the end of a row the end of a line.
    return rf"\setlength{{\rightskip}}{{0pt plus 1fil}}{_SIGN.sub(_BREAK, text)}"


class _Size(NamedTuple):
    """A size of type: how wide an em is, the space between columns and a line, in points."""

    em: float
    gap: float
    line: float

    def width(self, ems: Sequence[float]) -> float:
        """Return how wide a table of such columns is."""
        return self.em * sum(ems) + self.gap * len(ems)


# The article class sets lines of 345 points in type of 10, or 8 in \footnotesize, whose letters are
# wider for their size.
_LINE = 345.0
_NORMAL, _SMALL = _Size(10, 12, 12), _Size(8.5, 6, 9.5)
# Its pages are 550 points high, with some space around a caption. Titles with their rules take some
# of it, and so does a rule between blocks.
_PAGE, _HEAD, _RULE = 545.0, 26.0, 7.0
# The shares of a line that may be taken by keys, and by remarks, where a table is too wide.
_OF_KEYS, _OF_REMARKS = 0.6, 0.33
# Where names may be broken.
_SIGN, _BREAK = re.compile(r"(?<=[\w}])(\\_|[-./:=])(?=\w)"), r"\1\\allowbreak{}"


def ems(text: str) -> float:
    """Return how wide LaTeX sets a text in Computer Modern, or a little more."""
    plain = _TYPEWRITER.sub(lambda found: "v" * len(_letters(found[1])), text)
    width = sum(
        _LETTERS.get(unicodedata.normalize("NFD", letter)[0], _OTHER_LETTER)
        for letter in _letters(plain)
    )
    if text.startswith(r"\textsuperscript"):
        return _RAISED * width
    return _BOLD * width if text.startswith(r"\textbf") else width


def _letters(text: str) -> str:
    """Return one character of about the same width for every one that LaTeX sets."""
    plain = _COMMAND.sub("", text.replace("$-$", "+"))
    plain = _SYMBOL.sub(lambda found: _SYMBOLS.get(found[0], "0"), plain)
    return _BRACES.sub("", plain)


def _alignment(column: Column) -> str:
    if column.numeric:
        return "r"
    return "@{}l" if column.attached else "l"


def _title(column: Column) -> str:
    return escape(column.title) + _ARROWS[column.better]


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    if cell.raised and text:
        return rf"\textsuperscript{{{text}}}"
    return rf"\textbf{{{text}}}" if cell.best else text
