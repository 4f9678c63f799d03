"""Views as LaTeX: the tables for a paper, with booktabs' rules."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from weigh.report.grid import Cell, Column, Grid, in_parts, visible, without_optional
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
# Commands that take no room by themselves, others, and typewriter type.
_COMMAND = re.compile(r"\\(?:textbf|textsuperscript|phantom|allowbreak)(?![a-zA-Z])")
_SYMBOL = re.compile(r"\\(?:[a-zA-Z]+|.)")
_BOX = re.compile(
    r"\\makebox\[([\d.]+)em\]\[l\]\{(?:\\textsuperscript\{(?:[^{}]|\{[^{}]*\})*\})?\}"
)
_SUPERSCRIPT = re.compile(r"\\textsuperscript\{((?:[^{}]|\{[^{}]*\})*)\}")
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
    r"""Escape `text` so that LaTeX sets it as it is.

    >>> print(escape("50% of R&D -- a_b"))
    50\% of R\&D -{}- a\_b
    """
    padded = _PADDING.sub(lambda found: _PAD * len(found[0]), visible(text))
    escaped = "".join(_SPECIAL.get(character, character) for character in padded)
    return _LIGATURES.sub(r"\1{}", escaped)


def code(text: str) -> str:
    r"""Set `text` in typewriter type that may break after each `|`.

    >>> print(code("nrefs:1|tok:13a"))
    \texttt{nrefs:1\textbar{}\allowbreak{}tok:13a}
    """
    bar = _SPECIAL["|"]
    breakable = escape(text).replace(bar, bar + r"\allowbreak{}")
    return rf"\texttt{{{breakable}}}"


def signature_note(signatures: Sequence[tuple[str, str]]) -> str:
    """Format signatures as a note under a table."""
    listed = "; ".join(f"{escape(title)}: {code(signature)}" for title, signature in signatures)
    return f"Signatures: {listed}."


def as_latex(view: View, *, brief: bool = False) -> str:
    """Format the grids for a paper as table floats, or in brief as bare tabulars.

    The caption of the first is the verdict, where there is room for it in three lines of a column,
    and the shortest form of the methods; without such a form, titles and notes are captions.
    Signatures stand under the last.
    """
    grids = [part for part in view.parts if isinstance(part, Grid) and part.paper]
    verdicts = [part for part in view.parts if isinstance(part, Verdict) and part.level != "page"]
    verdict = [line for part in verdicts for line in part.lines]
    tables = []
    for number, grid in enumerate(grids):
        notes = [_sentence(grid.title), *grid.notes]
        if number == 0:
            notes = [*verdict[:1], *([view.caption] if view.caption else notes)]
            lines = _lines(escape(" ".join(notes)), _COLUMN / _NORMAL.em)
            if view.caption and lines > _CAPTION_LINES:
                del notes[:-1]
        caption = " ".join(escape(text) for text in notes if text)
        is_last = number == len(grids) - 1
        note = signature_note(view.signatures) if view.signatures and is_last else ""
        label = f"tab:weigh-{number + 1}" if number else "tab:weigh"
        tables.append(_typeset(grid, _Float(caption, label, note), brief=brief))
    text = "\n\n".join(tables)
    needs = [r"% needs \usepackage{booktabs}"]
    if text and max(text) > _LAST_OF_PDFLATEX:
        needs.append("% pdfLaTeX may lack characters that are in here; LuaLaTeX and XeLaTeX do not")
    return "\n".join([*needs, text])


def _sentence(text: str) -> str:
    return f"{text.rstrip('.')}." if text else ""


class _Float(NamedTuple):
    """What stands around a table; caption and note are LaTeX already."""

    caption: str
    label: str
    note: str


def _typeset(grid: Grid, around: _Float, *, brief: bool) -> str:
    """Format a grid as one float, or several where it is too long for a page.

    Optional columns are left out where a table would be wider than one of two columns of text.
    It is set smaller where it is wide; where that is not enough, long texts are broken and some
    columns go underneath.
    """
    columns = grid.columns
    texts = [_texts(column, cells) for column, cells in zip(columns, grid.cells(), strict=True)]
    widths = [
        max(map(ems, (_title(column), *own))) for column, own in zip(columns, texts, strict=True)
    ]
    kept, limit = _kept(columns, widths)
    columns, texts = [columns[at] for at in kept], [texts[at] for at in kept]
    widths = [widths[at] for at in kept]
    blocks = list(grid.in_blocks(zip(*texts, strict=True)))
    small = _NORMAL.width(widths) > _COLUMN
    size = _SMALL if small else _NORMAL
    fitted = _fitted(columns, widths, _SMALL.gap / _SMALL.em, limit)
    parts = in_parts(columns, fitted, _SMALL.gap / _SMALL.em, limit)
    broken = {at for at, width in enumerate(widths) if fitted[at] < width}

    def tabulars(blocks: Sequence[Sequence[Sequence[str]]]) -> list[str]:
        lines = []
        for place, part in enumerate(parts):
            if place:
                lines += ["", r"\medskip"]
            kinds = [
                rf"p{{{fitted[at] * _SMALL.em:.0f}pt}}" if at in broken else _alignment(columns[at])
                for at in part
            ]
            lines += [
                rf"\begin{{tabular}}{{@{{}}{''.join(kinds)}@{{}}}}",
                r"\toprule",
                " & ".join(_title(columns[at]) for at in part) + r" \\",
            ]
            for block in blocks:
                lines.append(r"\midrule")
                for row in block:
                    cells = [_breakable(row[at]) if at in broken else row[at] for at in part]
                    lines.append(" & ".join(cells) + r" \\")
            lines += [r"\bottomrule", r"\end{tabular}"]
        return lines

    if brief:
        return "\n".join(tabulars(blocks))
    room = _PAGE - _lines(around.caption, _LINE / _NORMAL.em) * _NORMAL.line
    room -= _lines(around.note, _LINE / _SMALL.em) * _SMALL.line
    floats = _pages(
        blocks,
        lambda row: size.line * max((1, *(_lines(row[at], fitted[at]) for at in broken))),
        room / len(parts) - _HEAD,
    )
    written = []
    for number, some_blocks in enumerate(floats):
        lines = [r"\begin{table}", r"\centering"]
        if number:
            lines += [r"\addtocounter{table}{-1}", r"\caption[]{(continued)}"]
        else:
            lines += [rf"\caption{{{around.caption}}}", rf"\label{{{around.label}}}"]
        lines.append(r"\smallskip")
        if small:
            lines.append(rf"\footnotesize\setlength{{\tabcolsep}}{{{_SMALL.gap / 2:g}pt}}")
        lines += tabulars(some_blocks)
        if around.note and number == len(floats) - 1:
            note = rf"\parbox{{\linewidth}}{{\scriptsize\raggedright {around.note}}}"
            lines += ["", r"\smallskip", note]
        written.append("\n".join([*lines, r"\end{table}"]))
    return "\n\n".join(written)


def _kept(columns: Sequence[Column], widths: Sequence[float]) -> tuple[list[int], float]:
    """Places of the columns that fit into one of two columns of text, or else into a line.

    The second value is the room that they have, in ems. Names of systems may be broken.
    """
    gap = _SMALL.gap / _SMALL.em
    least = [
        min(width, _SHORTEST_NAME) if column.kind == "key" else width
        for column, width in zip(columns, widths, strict=True)
    ]
    for limit in (_COLUMN / _SMALL.em, _LINE / _SMALL.em):
        for needed in (widths, least):
            kept = without_optional(columns, needed, gap, limit)
            if sum(needed[at] for at in kept) + gap * (len(kept) - 1) <= limit:
                return kept, limit
    return without_optional(columns, widths, gap, limit), limit


def _fitted(
    columns: Sequence[Column], widths: Sequence[float], gap: float, limit: float
) -> list[float]:
    """Widths of columns; names and long texts shrink so that numbers fit beside them."""
    if sum(widths) + gap * (len(widths) - 1) <= limit:
        return list(widths)
    fitted = list(widths)
    keys = [at for at, column in enumerate(columns) if column.kind in ("key", "label")]
    remarks = [at for at, column in enumerate(columns) if not column.numeric and at not in keys]
    numbers = sum(width for at, width in enumerate(widths) if columns[at].numeric)
    room = limit - numbers - gap * (len(widths) - 1) - _ROUNDING
    _shrink(fitted, keys, max(room, _SHORTEST_NAME) if not remarks else _OF_KEYS * limit)
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
    """Divide blocks of rows into pages of so many points."""
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
    """Let a cell break its lines at signs too, as names have them."""
    # Not \raggedright, which would make the end of a row the end of a line.
    return rf"\setlength{{\rightskip}}{{0pt plus 1fil}}{_SIGN.sub(_BREAK, text)}"


class _Size(NamedTuple):
    """A size of type: how wide an em is, the space between columns and a line, in points."""

    em: float
    gap: float
    line: float

    def width(self, ems: Sequence[float]) -> float:
        """Width of a table with such columns."""
        return self.em * sum(ems) + self.gap * len(ems)


# The article class sets lines of 345 points in type of 10, or 8 in \footnotesize, whose letters are
# wider for their size. Columns of two-column articles have 219 points at least (ACL's style).
_LINE, _COLUMN = 345.0, 219.0
_CAPTION_LINES = 3
_SHORTEST_NAME = 4.5  # in ems
_ROUNDING = 0.01
_NORMAL, _SMALL = _Size(10, 12, 12), _Size(8.5, 5, 9.5)
# Its pages are 550 points high, with some space around a caption. Titles with their rules take some
# of it, and so does a rule between blocks.
_PAGE, _HEAD, _RULE = 545.0, 26.0, 7.0
# The shares of a line that may be taken by keys, and by remarks, where a table is too wide.
_OF_KEYS, _OF_REMARKS = 0.6, 0.33
# Where names may be broken.
_SIGN, _BREAK = re.compile(r"(?<=[\w}])(\\_|[-./:=])(?=\w)"), r"\1\\allowbreak{}"


def ems(text: str) -> float:
    """How wide LaTeX sets a text in Computer Modern, or a little more."""
    boxes = sum(float(found) for found in _BOX.findall(text))
    text = _BOX.sub("", text)
    raised = sum(_RAISED * _plain_ems(found) for found in _SUPERSCRIPT.findall(text))
    rest = _SUPERSCRIPT.sub("", text)
    return boxes + raised + (_BOLD if rest.startswith(r"\textbf") else 1) * _plain_ems(rest)


def _plain_ems(text: str) -> float:
    plain = _TYPEWRITER.sub(lambda found: "v" * len(_letters(found[1])), text)
    return sum(
        _LETTERS.get(unicodedata.normalize("NFD", letter)[0], _OTHER_LETTER)
        for letter in _letters(plain)
    )


def _letters(text: str) -> str:
    """One character of about the same width for every one that LaTeX sets."""
    plain = _COMMAND.sub("", text.replace("$-$", "+"))
    plain = _SYMBOL.sub(lambda found: _SYMBOLS.get(found[0], "0"), plain)
    return _BRACES.sub("", plain)


def _alignment(column: Column) -> str:
    return "r" if column.numeric else "l"


def _title(column: Column) -> str:
    return escape(column.title) + _ARROWS[column.better]


def _texts(column: Column, cells: Sequence[Cell]) -> list[str]:
    """Format a column; superscripts have boxes of equal width, so that numbers are aligned."""
    texts = [
        rf"\textbf{{{escape(text)}}}" if cell.best and text else escape(text)
        for text, cell in zip(column.texts(cells), cells, strict=True)
    ]
    if column.kind == "interval" or not any(cell.raised for cell in cells):
        return texts
    raised = [
        rf"\textsuperscript{{{escape(cell.raised)}}}" if cell.raised else "" for cell in cells
    ]
    width = max(map(ems, raised))
    return [
        rf"{text}\makebox[{width:.2f}em][l]{{{own}}}"
        for text, own in zip(texts, raised, strict=True)
    ]
