"""The rows of a CSV file, with quotes as spreadsheets write them.

A cell that lacks its closing quote runs on into the rows after it. Where bad rows are skipped,
reading goes on at the next line that begins a row: as many cells as the header has stand there
before the last one, and quotes around the first if all rows before have them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Protocol

from weigh.read.records import MAY_MISS, BadRowError, Faults
from weigh.read.stream import LONGEST

_CELL = r'(?:(?:"(?:[^"]|"")*+"|[^",\r\n]*+),)'
_CUT_OFF = "unexpected end of data"
_REMEDY = 'put cells with commas or quotes in quotes and double the quotes inside: "a ""b"", c"'
_RUNS_ON = "has a cell without its closing quote, which runs on into the rows after it"
_FEWEST_TO_TELL = 5  # cells, by which a line inside of a cell is seen to be a row
_QUOTE = '"'

Rows = list[tuple[int, Sequence[str]]]


class _Reader(Protocol):
    """What `csv.reader` returns."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...

    def __next__(self) -> list[str]: ...


class CsvRows:
    """Reads rows; `unclosed` are the numbers of those whose last cell has no closing quote."""

    def __init__(self, text: str, name: str, faults: Faults) -> None:
        csv.field_size_limit(LONGEST)
        self.rows: Rows = []
        self.unclosed: set[int] = set()
        self.remarks: list[str] = []
        self._text, self._name, self._faults = text, name, faults
        self._lines = list(io.StringIO(text, newline=""))
        self._offsets = list(accumulate((len(line) for line in self._lines), initial=0))
        self._all_quoted = True
        line, number = 0, 1
        while line < len(self._lines):
            line, number = self._read(line, number)

    def _read(self, first: int, number: int) -> tuple[int, int]:
        """Read from a line on up to a row that is bad; return the line and number of the next."""
        line = first
        reader = self._reader(first)
        try:
            for cells in reader:
                end = first + reader.line_num
                if number > 1 and any(self._is_row(at) for at in range(line + 1, end)):
                    return self._bad(line, number, _RUNS_ON), number + 1
                self._take(line, number, cells)
                line, number = end, number + 1
        except csv.Error as error:
            if str(error) != _CUT_OFF:
                return self._bad(line, number, f"is not CSV ({error})"), number + 1
            if number > 1 and self._next_row(line) < len(self._lines):
                return self._bad(line, number, _RUNS_ON), number + 1
            self._take(line, number, self._closed(line, len(self._lines)))
            self.unclosed.add(number)
            self.remarks.append(
                f"{self._name}: row {number:,} ends inside of quotes, as if the file were cut off"
            )
        return len(self._lines), number

    def _reader(self, first: int) -> _Reader:
        lines = self._lines
        return csv.reader((lines[at] for at in range(first, len(lines))), strict=True)

    def _take(self, line: int, number: int, cells: Sequence[str]) -> None:
        self.rows.append((number, cells))
        if number > 1 and not self._lines[line].startswith(_QUOTE):
            self._all_quoted = False

    def _bad(self, line: int, number: int, what: str) -> int:
        """Return the line after a bad row, which is kept if only the end of a cell is not known."""
        if number == 1:  # without the columns' names nothing can be made of the rest
            raise BadRowError(f"{self._name}: row 1 {what}; {_REMEDY}")
        end = self._next_row(line) if self._faults.skip else line
        cells = self._closed(line, end)
        where = f" (lines {line + 1:,}–{end:,})" if end > line + 1 else ""
        if not where and line + 1 != number:
            where = f" (line {line + 1:,})"
        if self._faults.skip and self._least <= len(cells) <= len(self.rows[0][1]):
            self._take(line, number, cells)
            self.unclosed.add(number)
            self.remarks.append(
                f"{self._name}: row {number:,}{where}: its last cell has no closing quote and "
                "is left out; the cells before it are kept"
            )
        else:
            self._faults.refuse(number, f"{what}{where}", _REMEDY)
        return end

    def _closed(self, line: int, end: int) -> list[str]:
        """Return the cells of some lines with a quote at their end, none if these are no row."""
        text = "".join(self._lines[line:end]).rstrip("\r\n") + _QUOTE
        try:
            [cells] = csv.reader(io.StringIO(text, newline=""), strict=True)
        except (csv.Error, ValueError):
            return []
        return cells

    @property
    def _least(self) -> int:
        """How many cells a row has at least."""
        header = self.rows[0][1]
        return len(header) - next(
            (at for at, name in enumerate(reversed(header)) if name not in MAY_MISS), 0
        )

    def _next_row(self, line: int) -> int:
        """Return the next line that begins a row, though it may be a bad one, or the last."""
        begin = re.compile(_CELL + f"{{{self._least - 1}}}")
        quoted = self._all_quoted and self._lines[line].startswith(_QUOTE)
        for at in range(line + 1, len(self._lines)):
            if quoted and not self._lines[at].startswith(_QUOTE):
                continue
            if begin.match(self._text, self._offsets[at]):
                return at
        return len(self._lines)

    def _is_row(self, line: int) -> bool:
        """Return whether a line inside of a cell is a row that the cell has swallowed."""
        if self._least < _FEWEST_TO_TELL:
            return False
        try:
            cells = next(self._reader(line))
        except (csv.Error, StopIteration):
            return False
        return self._least <= len(cells) <= len(self.rows[0][1])
