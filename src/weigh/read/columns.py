"""Cells into typed columns: labels, texts and numbers as people write them.

A column of numbers may contain plain numbers, percentages, decimal commas, true and false, or one
pair of words such as pass and fail. The whole column must agree, and a remark states the
interpretation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from weigh.errors import InputError
from weigh.read.table import Labels, Table
from weigh.read.text import LONGEST, check_characters, file_label, quoted, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind = Literal["label", "number", "text"]
"""The type of a column: names and ids, numbers, or texts."""
Head = Mapping[str, Sequence[object]]
"""The first cells of every column, by its name."""
Cells: TypeAlias = "Sequence[Any] | Labels | NDArray[np.float64]"
"""Cells of one column. Labels and arrays of numbers are typed already."""
Where = Callable[[int], str]

MISSING = ("", "none", "null", "na", "n/a", "nan", "<na>")
INFINITE = re.compile("[+-]?inf(?:inity)?")
"""Infinity, which is parsed as a number and then rejected."""
# Which word counts as 1 and which as 0.
_PAIRS = (
    *(("true", "false"), ("pass", "fail"), ("passed", "failed"), ("yes", "no"), ("y", "n")),
    *(("correct", "incorrect"), ("right", "wrong"), ("success", "failure"), ("t", "f")),
    *(("succeeded", "failed"), ("resolved", "unresolved"), ("solved", "unsolved")),
    *(("ok", "fail"), ("p", "f"), ("c", "i"), ("✓", "✗"), ("✔", "✘"), ("✅", "❌")),
    *(("wahr", "falsch"), ("vrai", "faux"), ("verdadero", "falso")),  # as spreadsheets write them
)
_WORDS = {word for pair in _PAIRS for word in pair}
_TRUTH = _PAIRS[0]
_NUMBERS = {int, float, type(None)}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:([.,])[0-9]*)?|([.,])[0-9]+)(?:[eE][+-]?[0-9]+)?")
# A comma that may separate thousands or decimals.
_AMBIGUOUS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_ACCEPTED = "a column of numbers, of true and false, or of one pair of words such as pass and fail"


class _Number(NamedTuple):
    """A number in a cell: its value, notation, and decimal mark ("?" if ambiguous)."""

    value: float
    style: Literal["number", "percent", "words"] = "number"
    mark: str = ""


def parse_number(cell: object) -> _Number | None:
    """Read one cell as a number; NaN where it is empty, None where it is something else.

    Words are left to the column, which knows the other word of the pair.
    """
    if cell is None:
        return _Number(math.nan)
    if isinstance(cell, str):
        text = cell.strip()
        style: Literal["number", "percent"] = "number"
        if text.endswith("%"):
            text, style = text[:-1].rstrip(), "percent"
        match = _NUMBER.fullmatch(text)
        if match is None:
            word = text.lower() if style == "number" else "%"
            if INFINITE.fullmatch(word):
                return _Number(math.inf)
            return _Number(math.nan) if word in MISSING else None
        mark = match[1] or match[2] or ""
        value = float(text.replace(",", "."))
        if mark == "," and _AMBIGUOUS.fullmatch(text):
            mark = "?"
        return _Number(value / 100 if style == "percent" else value, style, mark)
    if isinstance(cell, bool | np.bool_):
        return _Number(float(cell), "words")
    try:
        return _Number(float(cell))  # type: ignore[arg-type]
    except OverflowError:
        return _Number(math.inf)
    except (TypeError, ValueError):
        return _Number(math.nan) if cell != cell else None


def label_text(cell: object) -> str | None:
    """A cell as a label; whole numbers have no decimal point, even if a frame stores floats.

    >>> label_text(3.0), label_text(True), label_text(math.nan)
    ('3', 'true', None)
    """
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool | np.bool_):
        return "true" if cell else "false"
    if isinstance(cell, int | np.integer):
        return str(int(cell))
    if isinstance(cell, float | np.floating):
        if math.isnan(cell):
            return None
        return str(int(cell)) if float(cell).is_integer() else repr(float(cell))
    return None if cell != cell else str(cell)  # a frame's date, or its "not a time"


class LabelColumn:
    """A column of names or ids, chunk by chunk."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._places: dict[str, int] = {}
        self._codes: list[NDArray[np.int32]] = []

    def add(self, cells: Cells, where: Where) -> None:
        if isinstance(cells, Labels):
            places = [self._place(name, where) for name in cells.names]
            self._codes.append(np.array([*places, -1], np.int32)[cells.codes])
            return
        types = set(map(type, cells))
        if len(types) > 1 or not types <= {str, int}:  # equal cells are one label as they are
            cells = [self._label(cell, where, at) for at, cell in enumerate(cells)]
        codes = {
            cell: self._place(str(cell) if isinstance(cell, int) else cell, where)
            for cell in dict.fromkeys(cells)
        }
        self._codes.append(np.fromiter(map(codes.__getitem__, cells), np.int32, len(cells)))

    def _place(self, label: str | None, where: Where) -> int:
        """The code of a label; a new label gets the next one."""
        if label is None:
            return -1
        if label not in self._places:
            check_characters(label, f"{where(0)} or below")
            self._places[label] = len(self._places)
        return self._places[label]

    def _label(self, cell: object, where: Where, at: int) -> str | None:
        if isinstance(cell, list | dict | tuple):
            raise InputError(
                f"{where(at)}: {quoted(self._title)} is a list or an object, but a name was "
                "expected; name a key inside it with a dotted path"
            )
        return label_text(cell)

    def finish(self) -> Labels:
        return Labels(np.concatenate(self._codes), list(self._places))


class TextColumn(LabelColumn):
    """A column of texts, some of which may be missing."""

    def _label(self, cell: object, where: Where, at: int) -> str | None:
        if cell is None or cell != cell:  # pandas' missing text is NaN
            return None
        if not isinstance(cell, str):
            raise InputError(
                f"{where(at)}: {quoted(self._title)} is not a string; put it in quotes"
            )
        return cell

    def add(self, cells: Cells, where: Where) -> None:
        texts = [self._label(cell, where, at) for at, cell in enumerate(cells)]
        for at, text in enumerate(texts):
            if text is not None and (len(text) > LONGEST or "\0" in text):
                fault = "a NUL" if "\0" in text else f"more than {LONGEST:,} characters"
                raise InputError(f"{where(at)}: {quoted(self._title)} has {fault}")
        super().add(texts, where)


class NumberColumn:
    """A column of numbers in one notation."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._parts: list[NDArray[np.float64]] = []
        self._style: str | None = None  # until the first cell that is not empty
        self._words: dict[str, None] = {}  # those of a pair that were seen
        self._is_spelled = False  # whether they were texts, and not booleans
        self._marks: dict[str, str] = {}  # where each decimal mark was seen first

    def add(self, cells: Cells, where: Where) -> None:
        if isinstance(cells, Labels):  # each spelling is parsed once
            first_rows = np.zeros(len(cells.names) + 1, np.int64)
            first_rows[cells.codes[::-1]] = np.arange(len(cells.codes) - 1, -1, -1)
            values = self._parse([*cells.names, None], lambda at: where(int(first_rows[at])))
            numbers = values[cells.codes]
        elif (typed := self._convert(cells)) is not None:
            numbers = typed
        else:
            numbers = self._parse(cells, where)
        check_finite_cells(numbers, self._title, where)
        self._parts.append(numbers)

    def _parse(
        self, cells: Sequence[Any] | NDArray[np.float64], where: Where
    ) -> NDArray[np.float64]:
        parsed: dict[Any, float] = {}
        keys: Sequence[Any] | NDArray[np.float64] = cells
        if set(map(type, cells)) != {str}:
            keys = [(type(cell), str(cell)) for cell in cells]  # by type too: True == 1
        for at, key in enumerate(keys):
            if key not in parsed:
                parsed[key] = self._value(cells[at], where, at)
        return np.fromiter(map(parsed.__getitem__, keys), np.float64, len(cells))

    def _convert(self, cells: Sequence[Any] | NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Convert cells that are numbers already, such as those of JSON and frames."""
        if self._style not in (None, "number"):
            return None
        if not isinstance(cells, np.ndarray):
            if not set(map(type, cells)) <= _NUMBERS:
                return None
            try:
                cells = np.array(cells, dtype=np.float64)
            except OverflowError:
                return None
        if not np.isnan(cells).all():
            self._style = "number"
        return cells

    def _value(self, cell: object, where: Where, at: int) -> float:
        number = parse_number(cell)
        if number is None and isinstance(cell, str) and cell.strip().lower() in _WORDS:
            number = _Number(0.0, "words")
        if number is None:
            what = quoted(cell) if isinstance(cell, str) else f"a {type(cell).__name__}"
            raise InputError(
                f"{where(at)}: {quoted(self._title)} is {what}, not a number; leave missing "
                f"scores empty, or name {_ACCEPTED}"
            )
        if math.isnan(number.value):
            return math.nan
        if self._style is None:
            self._style = number.style
        elif self._style != number.style:
            raise self._mixed_error(cell, where, at)
        if number.style == "words":
            return self._word(cell, where, at)
        if number.mark:
            self._marks.setdefault(number.mark, f"{where(at)}: {quoted(self._title)} is {cell!r}")
            if {".", ","} <= self._marks.keys():
                first = self._marks["," if number.mark == "." else "."]
                raise InputError(
                    f"{where(at)}: {quoted(self._title)} is {cell!r}, but {first}; use one decimal "
                    "mark in the whole column"
                )
        return number.value

    def _word(self, cell: object, where: Where, at: int) -> float:
        word = str(cell).strip().lower()
        self._words[word] = None
        self._is_spelled |= isinstance(cell, str)
        pair = self._pair()
        if pair is None:
            raise self._mixed_error(cell, where, at)
        return float(word == pair[0])

    def _mixed_error(self, cell: object, where: Where, at: int) -> InputError:
        what = quoted(cell) if isinstance(cell, str) else str(cell).lower()
        above = {"number": "numbers", "percent": "percentages"}.get(self._style or "") or (
            " and ".join(word for word in self._words if word != str(cell).strip().lower())
        )
        return InputError(
            f"{where(at)}: {quoted(self._title)} is {what}, but rows above have {above}; use "
            "numbers in the whole column, or one pair of words such as pass and fail"
        )

    def finish(self) -> NDArray[np.float64]:
        if "?" in self._marks and not {",", "."} & self._marks.keys():
            raise InputError(
                f"{self._marks['?']}: the comma may separate thousands or decimals; write 1234 or "
                "1.234"
            )
        if "?" in self._marks and "." in self._marks:
            raise InputError(
                f"{self._marks['?']}, but {self._marks['.']}; write numbers without thousands "
                "separators"
            )
        return np.concatenate(self._parts)

    @property
    def notation(self) -> str | None:
        """The notation of the cells, which must be the same in other columns of the same scores."""
        if self._style == "percent":
            return "percentages"
        words = self._pair()
        return None if words in (None, _TRUTH) else " and ".join(words)

    def remark(self) -> str | None:
        """The interpretation of the cells, if they are not plain numbers."""
        title = shown(self._title)
        if self._style == "percent":
            return f"in {title}, percentages are read as fractions (65% as 0.65)"
        if "," in self._marks:
            return f"in {title}, commas separate decimals"
        words = self._pair()
        if words is not None and self._is_spelled:
            return f"in {title}, {words[0]} counts as 1 and {words[1]} as 0"
        return None

    def _pair(self) -> tuple[str, str] | None:
        """The pair of words that the column uses, such as pass and fail."""
        if not self._words:
            return None
        return next((pair for pair in _PAIRS if self._words.keys() <= {*pair}), None)


def check_finite_cells(numbers: NDArray[np.float64], title: str, where: Where) -> None:
    """Reject infinite numbers."""
    infinite = np.isinf(numbers)
    if infinite.any():
        raise InputError(
            f"{where(int(infinite.argmax()))}: {quoted(title)} is not a finite number; check "
            "that item"
        )


class Columns:
    """The columns of a table while chunks of rows come in; `where` names a row in messages."""

    def __init__(self, kinds: Mapping[str, Kind], name: str, where: Where) -> None:
        self._name, self._where, self._size = name, where, 0
        makers = {"label": LabelColumn, "text": TextColumn, "number": NumberColumn}
        self._columns: dict[str, Any] = {
            title: makers[kind](title) for title, kind in kinds.items()
        }

    def add(self, size: int, cells: Callable[[str], Cells]) -> None:
        """Add rows, whose cells `cells` gives by column."""
        start = self._size

        def where(at: int) -> str:
            return self._where(start + at)

        for title, column in self._columns.items():
            column.add(cells(title), where)
        self._size += size

    def finish(self, remarks: Sequence[str] = ()) -> Table:
        columns = {title: column.finish() for title, column in self._columns.items()}
        numbers = [column for column in self._columns.values() if isinstance(column, NumberColumn)]
        notes = list(dict.fromkeys(filter(None, (column.remark() for column in numbers))))
        label = file_label(self._name)
        return Table(
            name=self._name,
            columns=columns,
            where=self._where,
            remarks=tuple(f"{label}: {remark}" for remark in [*remarks, *notes]),
            notation={
                title: column.notation
                for title, column in self._columns.items()
                if isinstance(column, NumberColumn) and column.notation is not None
            },
        )


def is_numeric(cells: Sequence[object]) -> bool:
    """Whether cells can be read as a column of numbers, with at least one number."""
    column = NumberColumn("")
    try:
        column.add(cells, lambda at: f"row {at}")
        return not bool(np.isnan(column.finish()).all())
    except InputError:
        return False
