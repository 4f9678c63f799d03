"""Views as LaTeX: tables for a paper, in the style of booktabs."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from weigh.report.grid import (
    IMPORTANT,
    PLAIN,
    Cell,
    Column,
    Grid,
    Screen,
    column_groups,
    fit,
    visible,
)
from weigh.report.parts import Verdict

if TYPE_CHECKING:
    from weigh.report.view import View

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
    # At the start of a row, LaTeX would read these two as arguments of the preceding `\\`.
    "[": "{[}",
    "*": "{*}",
    _PAD: r"\phantom{0}",
    # Characters that pdfLaTeX does not support directly.
    "–": r"\textendash{}",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    **{letter: rf"$\{name}$" for letter, name in zip(_GREEK, _GREEK_NAMES.split(), strict=True)},
}
_LIGATURES = re.compile(r"([-',])(?=\1)")
# Spaces that LaTeX would drop although they align the ends of intervals.
_PADDING = re.compile(r"(?<=[\[( ]) +")
_LAST_OF_PDFLATEX = "\u017f"
# The widths of characters in Computer Modern (cmr10), in ems.
_WIDTHS = {
    0.28: "!',.:;[]il|",
    0.31: "fj",
    0.34: " -",
    0.37: "I_",
    0.4: "()rst",
    0.45: "cez",
    0.5: f"*/0123456789?ago–{_PAD}",
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
_OTHER_LETTER, _TYPEWRITER = 0.79, 0.53
# Widths of bold type and of superscripts, relative to the type of the table.
_BOLD, _RAISED = 1.16, 0.9


def escape(text: str) -> str:
    r"""Escape `text` so that LaTeX prints it literally.

    >>> print(escape("50% of R&D -- a_b"))
    50\% of R\&D -{}- a\_b
    """
    escaped = "".join(_SPECIAL.get(character, character) for character in _pad(text))
    return _LIGATURES.sub(r"\1{}", escaped)


def _pad(text: str) -> str:
    return _PADDING.sub(lambda spaces: _PAD * len(spaces[0]), visible(text))


def ems(text: str) -> float:
    """The width of text in Computer Modern, in ems, rather too wide than too narrow."""
    return sum(
        _LETTERS.get(unicodedata.normalize("NFD", letter)[0], _OTHER_LETTER)
        for letter in _pad(text)
    )


def _lines(text_width: float, width: float) -> int:
    return math.ceil(text_width / width - 1e-9)


def code(text: str) -> str:
    r"""Set `text` in typewriter type that may break after each `|`.

    >>> print(code("nrefs:1|tok:13a"))
    \texttt{nrefs:1\textbar{}\allowbreak{}tok:13a}
    """
    bar = _SPECIAL["|"]
    breakable = escape(text).replace(bar, bar + r"\allowbreak{}")
    return rf"\texttt{{{breakable}}}"


# Lines of the article class are 345 points wide, in 10-point type. \footnotesize is 8-point type,
# whose letters are wider for their size. Columns of two-column articles are at least 219 points
# wide (ACL style).
_LINE, _COLUMN = 345.0, 219.0
_EM, _SMALL_EM = 10.0, 8.5
_GAP, _SMALL_GAP = 12.0, 5.0  # between columns
_NARROWEST = {"text": 16.0, "key": 4.5}  # in ems
_CAPTION_LINES = 3
# Rows and rules on one page of a float, which leaves room for the titles and a caption.
_MOST_LINES = 40
# Names may wrap after these.
_SIGN, _BREAK = re.compile(r"(?<=[\w}])(\\_|[-./:=])(?=\w)"), r"\1\\allowbreak{}"


def as_latex(view: View, screen: Screen = PLAIN) -> str:
    """Format the grids for a paper as floats, or as bare tabulars if the screen is brief.

    The caption of the first float consists of the verdict and the caption of the view, or only of
    the latter if both would take more than three lines of a column. Other floats, and the first if
    the view has no caption, use the title and notes of their grid. Signatures go below the last
    table.
    """
    grids = [part for part in view.parts if isinstance(part, Grid) and part.paper]
    verdicts = [part for part in view.parts if isinstance(part, Verdict) and part.level != "page"]
    verdict = [line for part in verdicts for line in part.lines[:1]][:1]
    signatures = "; ".join(f"{escape(title)}: {code(text)}" for title, text in view.signatures)
    tables = []
    for number, grid in enumerate(grids):
        if screen.depth == "brief":
            tables.append(_Table(grid).without_float())
            continue
        title = f"{grid.title.rstrip('.')}." if grid.title else ""
        caption = [text for text in (title, *grid.notes) if text]
        if number == 0:
            caption = [*verdict, *([view.caption] if view.caption else caption)]
            lines = _lines(ems(" ".join(caption)), _COLUMN / _EM)
            if view.caption and lines > _CAPTION_LINES:
                caption = [view.caption]
        label = f"tab:weigh-{number + 1}" if number else "tab:weigh"
        note = f"Signatures: {signatures}." if signatures and grid is grids[-1] else ""
        tables.append(_Table(grid).floats(" ".join(caption), label, note))
    text = "\n\n".join(tables)
    comments = [r"% needs \usepackage{booktabs}"]
    if text and max(text) > _LAST_OF_PDFLATEX:
        comments.append("% pdfLaTeX may lack some of these characters; use LuaLaTeX or XeLaTeX")
    if view.methods and screen.depth != "brief":
        comments.append(f"% Methods: {visible(view.methods)}")
    return "\n".join([*comments, text])


class _Cell(NamedTuple):
    """LaTeX code and its printed width in ems."""

    latex: str
    width: float


def _cells(column: Column, cells: Sequence[tuple[str, Cell]]) -> list[_Cell]:
    """Format a column; superscripts get boxes of equal width so that numbers stay aligned."""
    raised = [cell.raised if column.kind != "interval" else "" for _, cell in cells]
    box = _RAISED * max(map(ems, raised), default=0)
    formatted = []
    for (text, cell), mark in zip(cells, raised, strict=True):
        is_bold = cell.best and text
        latex = rf"\textbf{{{escape(text)}}}" if is_bold else escape(text)
        if box:
            superscript = rf"\textsuperscript{{{escape(mark)}}}" if mark else ""
            latex += rf"\makebox[{box:.2f}em][l]{{{superscript}}}"
        formatted.append(_Cell(latex, (_BOLD if is_bold else 1) * ems(text) + box))
    return formatted


def _title(column: Column) -> _Cell:
    width = ems(column.title) + (ems(" +") if column.better else 0)
    return _Cell(escape(column.title) + _ARROWS[column.better], width)


def _priority(column: Column) -> int:
    """Drop ranks by all metrics together and before names are wrapped, but after intervals."""
    return max(column.optional, IMPORTANT) + 1 if column.optional else 0


def _group_titles(columns: Sequence[Column]) -> list[str]:
    """The row with the titles of column groups, and the rules below it."""
    groups = column_groups(columns)
    if not any(title for title, _ in groups):
        return []
    cells, rules, first = [], [], 1
    for title, count in groups:
        cells.append(rf"\multicolumn{{{count}}}{{c}}{{{escape(title)}}}")
        if title:
            rules.append(rf"\cmidrule(lr){{{first}-{first + count - 1}}}")
        first += count
    return [" & ".join(cells) + r" \\", " ".join(rules)]


Row = Sequence[_Cell]


class _Table:
    """A grid fitted to a page: which columns are kept, their widths, and the size of type.

    The table occupies one column of a two-column page if it fits, otherwise both. Wide tables use
    smaller type. Columns that are `wrapped` have cells of several lines. If the table is still too
    wide, it is split into several `parts`, one below the other.
    """

    def __init__(self, grid: Grid) -> None:
        self.columns = [replace(column, optional=_priority(column)) for column in grid.columns]
        cells = list(map(_cells, grid.columns, grid.texts()))
        self.blocks = list(grid.in_blocks(zip(*cells, strict=True)))
        widths = [
            max(cell.width for cell in (_title(column), *column_cells))
            for column, column_cells in zip(grid.columns, cells, strict=True)
        ]
        for limit in (_COLUMN, _LINE):
            gap, room = _SMALL_GAP / _SMALL_EM, limit / _SMALL_EM
            kept, self.widths, self.parts = fit(self.columns, widths, _NARROWEST, gap, room)
            if len(self.parts) == 1:
                break
        self.wrapped = [at for at in kept if self.widths[at] < widths[at]]
        self.is_small = sum(_EM * widths[at] + _GAP for at in kept) > _COLUMN
        self.environment = "table*" if limit > _COLUMN else "table"  # `table*` spans both columns

    def without_float(self) -> str:
        """Format the table as bare tabulars, in the size of type that it needs."""
        lines = self.tabulars(self.blocks)
        return "\n".join([f"{{{_SMALL_TYPE}", *lines, "}"] if self.is_small else lines)

    def tabulars(self, blocks: Sequence[Sequence[Row]]) -> list[str]:
        """Format blocks of rows, with rules between them."""
        lines = []
        for number, part in enumerate(self.parts):
            kinds = "".join(map(self._alignment, part))
            columns = [self.columns[at] for at in part]
            titles = " & ".join(_title(column).latex for column in columns)
            lines += ["", r"\medskip"] if number else []
            lines += [rf"\begin{{tabular}}{{@{{}}{kinds}@{{}}}}", r"\toprule"]
            lines += [*_group_titles(columns), rf"{titles} \\"]
            for block in blocks:
                lines.append(r"\midrule")
                lines += [" & ".join(self._latex(row, at) for at in part) + r" \\" for row in block]
            lines += [r"\bottomrule", r"\end{tabular}"]
        return lines

    def _alignment(self, at: int) -> str:
        if at in self.wrapped:
            return rf"p{{{self.widths[at] * _SMALL_EM:.0f}pt}}"
        return "r" if self.columns[at].numeric else "l"

    def _latex(self, row: Row, at: int) -> str:
        """Format a cell; in wrapped columns, lines may also break after signs, as in names."""
        if at not in self.wrapped:
            return row[at].latex
        # \raggedright would redefine `\\`, which ends the row.
        return rf"\setlength{{\rightskip}}{{0pt plus 1fil}}{_SIGN.sub(_BREAK, row[at].latex)}"

    def floats(self, caption: str, label: str, note: str) -> str:
        """Format one float, or several if the table is too long for a page."""
        pages = self._pages()
        floats = []
        for number, blocks in enumerate(pages):
            lines = [rf"\begin{{{self.environment}}}", r"\centering"]
            if number:
                lines += [r"\addtocounter{table}{-1}", r"\caption[]{(continued)}"]
            else:
                lines += [rf"\caption{{{escape(caption)}}}", rf"\label{{{label}}}"]
            lines.append(r"\smallskip")
            if self.is_small:
                lines.append(_SMALL_TYPE)
            lines += self.tabulars(blocks)
            if note and number == len(pages) - 1:
                box = rf"\parbox{{\linewidth}}{{\scriptsize\raggedright {note}}}"
                lines += ["", r"\smallskip", box]
            floats.append("\n".join([*lines, rf"\end{{{self.environment}}}"]))
        return "\n\n".join(floats)

    def _pages(self) -> list[list[list[Row]]]:
        """Divide the blocks into pages."""
        most = _MOST_LINES // len(self.parts)
        pages: list[list[list[Row]]] = [[]]
        taken = 0
        for block in self.blocks:
            pages[-1].append([])
            for row in block:
                height = max([1, *(_lines(row[at].width, self.widths[at]) for at in self.wrapped)])
                if taken and taken + height > most:
                    pages.append([[]])
                    taken = 0
                pages[-1][-1].append(row)
                taken += height
            taken += 1
        return [[block for block in page if block] or page for page in pages]


_SMALL_TYPE = rf"\footnotesize\setlength{{\tabcolsep}}{{{_SMALL_GAP / 2:g}pt}}"
