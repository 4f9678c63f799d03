"""Rows of judgment tables by column name: CSV, TSV, JSON lines or a JSON array.

The content decides: a line of JSON begins with a brace, an array of objects with a bracket, a TSV
header has tabs, and anything else is CSV with quotes as spreadsheets write them; but files named
.jsonl must be JSON lines. Rows are counted as in a spreadsheet: the header, if there is one, is row
1, and a cell may span several lines. In JSON, row 1 is the first object.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

from weigh.errors import InputError
from weigh.read.json_text import RepeatedKeyError, unique_keys
from weigh.read.text import LONGEST, check_characters, file_label, quoted, split_lines

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_MOST_ROWS_NAMED = 5
# Columns that Mechanical Turk's site names in the header but omits from rows that nobody has
# reviewed.
MAY_MISS = ("Approve", "Reject")
# Characters that stand for a byte that is not UTF-8, and NUL.
UNREADABLE = re.compile("[\0\udc80-\udcff]")
_NOT_TEXT = ("is not UTF-8 text", "convert the file to UTF-8")
_ONE_OBJECT = "give one object on each line"


class BadRowError(InputError):
    """A row that cannot be read; other rows may be readable."""


@contextmanager
def skippable() -> Iterator[None]:
    """Add the --bad-rows hint to the message on a bad row."""
    try:
        yield
    except BadRowError as error:
        raise InputError(f"{error}, or leave bad rows out with --bad-rows skip") from None


class Faults:
    """The faults of a file; the error names the first bad row and mentions the others.

    If bad rows are skipped, no error is raised, and `rows` must be left out. Errors call the file
    `name` (its path as given), and remarks in results `label`.
    """

    def __init__(self, name: str, *, label: str | None = None, skip: bool = False) -> None:
        self.skip = skip
        self.name = name
        self.label = file_label(name) if label is None else label
        self._found: dict[str, list[tuple[int, str]]] = {}

    def add(self, row: int, what: str, remedy: str) -> None:
        """Record a fault; faults with the same remedy are reported together."""
        self._found.setdefault(remedy, []).append((row, what))

    def refuse(self, row: int, what: str, remedy: str) -> None:
        """Record a fault after which reading stops, unless bad rows are skipped."""
        if not self.skip:
            raise BadRowError(f"{self.name}: row {row:,} {what}; {remedy}")
        self.add(row, f"it {what}", remedy)

    @contextmanager
    def noting(self, row: int) -> Iterator[None]:
        """Record rows that cannot be read, if such rows are to be skipped."""
        try:
            yield
        except BadRowError as error:
            if not self.skip:
                raise
            self.add(row, str(error).removeprefix(f"{self.name}: row {row:,}").lstrip(": "), "")

    @property
    def rows(self) -> dict[int, str]:
        """The bad rows in order, each with its faults."""
        faults_by_row: dict[int, list[str]] = {}
        for row, what in (fault for faults in self._found.values() for fault in faults):
            faults_by_row.setdefault(row, []).append(what)
        return {row: ", ".join(dict.fromkeys(faults_by_row[row])) for row in sorted(faults_by_row)}

    def remarks(self) -> tuple[str, ...]:
        """A remark on every bad row."""
        return tuple(f"{self.label}: row {row:,} left out: {why}" for row, why in self.rows.items())

    def check(self) -> None:
        """Reject the file if it has faults, unless bad rows are skipped."""
        for remedy, faults in () if self.skip else self._found.items():
            row, what = faults[0]
            more = list_rows([number for number, _ in faults if number != row])
            raise BadRowError(
                f"{self.name}: row {row:,}: {what}; {remedy}" + (f" (also {more})" if more else "")
            )


@dataclass(frozen=True, slots=True)
class Records:
    """A table: the columns' names, and each row with its number.

    `faults` collects bad rows. `unclosed` are the numbers of rows whose last cell has no closing
    quote, so that it may be cut off or contain too much.
    """

    faults: Faults
    header: tuple[str, ...]
    rows: Sequence[tuple[int, Sequence[str]]]
    remarks: tuple[str, ...] = ()
    unclosed: Collection[int] = ()

    @property
    def name(self) -> str:
        """The table's name in errors."""
        return self.faults.name

    @property
    def label(self) -> str:
        """The table's name in results."""
        return self.faults.label

    def note_unclosed(self, needed: Collection[str]) -> None:
        """Record a fault if a cell of a needed column is unclosed, since it may be cut off."""
        for number, cells in self.rows if self.unclosed else ():
            if number in self.unclosed and len(cells) <= len(self.header):
                column = self.header[len(cells) - 1]
                if column in needed:
                    self.faults.add(number, f"the cell {quoted(column)} is cut off", "close it")

    def rows_by_name(self, may_miss: Collection[str] = ()) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield rows by column name; only the last columns `may_miss` may be left off."""
        for number, cells in self.full_rows(may_miss):
            yield number, dict(zip(self.header, cells, strict=False))

    def full_rows(self, may_miss: Collection[str] = ()) -> Iterator[tuple[int, Sequence[str]]]:
        """Yield rows that have as many cells as the header; see `rows_by_name`."""
        size = len(self.header)
        for number, cells in self.rows:
            is_short = len(cells) < size and {*may_miss}.issuperset(self.header[len(cells) :])
            if len(cells) == size or is_short:
                yield number, cells
            else:
                self.faults.refuse(
                    number,
                    f"has {len(cells):,} cells, but the header has {size:,}",
                    "give every row one cell per column",
                )


_LISTED = "spans"  # the one column whose cells may be lists: errors that somebody marked
ARENA = ("model_a", "model_b", "winner")
"""The columns of chat arenas' tables. Conversations beside them are lists, and are left out."""


def parse_records(
    text: str,
    faults: Faults,
    unnamed: Callable[[Sequence[str]], tuple[str, ...] | None] | None = None,
) -> Records:
    """The rows of a CSV, TSV or JSON file; `faults` has its name, and records bad rows.

    `unnamed` returns the columns of a file without a header, given the cells of its first row, or
    None if that row is a header.
    """
    name = faults.name
    named_json = name.lower().removesuffix(".gz").endswith(".jsonl")
    if text.startswith("{") or (text and named_json):
        return _records_of_objects(_json_lines(text, faults), faults)
    if text.startswith("[") and (objects := _array(text, name)) is not None:
        return _records_of_objects(enumerate(objects, 1), faults)
    first = text.partition("\n")[0]
    remarks: tuple[str, ...] = ()
    unclosed: Collection[int] = ()
    if "\t" in first:
        rows: list[tuple[int, Sequence[str]]] = _tsv_rows(text)
    else:
        read = CsvRows(text, faults)
        rows, unclosed, remarks = read.rows, read.unclosed, tuple(read.remarks)
    if UNREADABLE.search(text):
        rows = _readable(rows, faults)
    if not rows or not any(rows[0][1]):
        expected = "JSON lines were" if named_json else "a row of column names was"
        raise InputError(f"{name}: empty, but {expected} expected")
    column_names = None if unnamed is None else unnamed(rows[0][1])
    if column_names is not None:
        return Records(faults, column_names, rows, remarks, unclosed)
    header = tuple(rows[0][1])
    for title, count in Counter(header).items():
        if count > 1:
            raise InputError(f"{name}: {count} columns are called {quoted(title)}; rename one")
    if len(rows) == 1:
        raise InputError(f"{name}: a header without rows; give at least one row")
    return Records(faults, header, rows[1:], remarks, unclosed)


def _tsv_rows(text: str) -> list[tuple[int, Sequence[str]]]:
    return [(number, line.split("\t")) for number, line in enumerate(split_lines(text), 1)]


def _readable(
    rows: Sequence[tuple[int, Sequence[str]]], faults: Faults
) -> list[tuple[int, Sequence[str]]]:
    """Rows without bytes that are not text, for skipping bad rows."""
    kept = []
    for number, cells in rows:
        if any(UNREADABLE.search(cell) for cell in cells):
            faults.refuse(number, *_NOT_TEXT)
        else:
            kept.append((number, cells))
    return kept


def _json_lines(text: str, faults: Faults) -> Iterator[tuple[int, object]]:
    import json

    for number, line in enumerate(split_lines(text), 1):
        if UNREADABLE.search(line):
            faults.refuse(number, *_NOT_TEXT)
            continue
        try:
            row = json.loads(line, object_pairs_hook=unique_keys)
        except RepeatedKeyError as error:
            faults.refuse(number, f"is ambiguous ({error.msg})", "keep one of them")
            continue
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", "a value is nested too deeply or is too long")
            faults.refuse(number, f"is not JSON ({reason})", _ONE_OBJECT)
            continue
        yield number, row


def _array(text: str, name: str) -> list[object] | None:
    """The rows of a JSON array; None if the text is something else, such as CSV."""
    import json

    try:
        if UNREADABLE.search(text):
            return None
        rows = json.loads(text, object_pairs_hook=unique_keys)
    except RepeatedKeyError as error:
        raise InputError(f"{name}: {error.msg}; keep one of them") from None
    except (ValueError, RecursionError):
        return None
    return rows if isinstance(rows, list) and rows else None


def _records_of_objects(rows: Iterable[tuple[int, object]], faults: Faults) -> Records:
    header: dict[str, None] = {}
    table: list[tuple[int, list[str]]] = []
    for number, row in rows:
        if not isinstance(row, dict):
            faults.refuse(number, "is not a JSON object", _ONE_OBJECT)
            continue
        with faults.noting(number):
            where = f"{faults.name}: row {number:,}"
            nested = (list, dict) if row.keys() >= {*ARENA} else ()
            cells = {
                key: _cell(value, key, where)
                for key, value in row.items()
                if not isinstance(value, nested)
            }
            header |= dict.fromkeys(cells)
            table.append((number, [cells.get(key, "") for key in header]))
    for _, filled in table:  # those before a key was met
        filled += [""] * (len(header) - len(filled))
    return Records(faults, tuple(header), table)


def records_of(columns: Mapping[str, Sequence[object]], faults: Faults) -> Records:
    """The rows of columns of equal length, as a table like one from a file."""
    name = faults.name
    if columns.keys() >= {*ARENA}:
        columns = {key: column for key, column in columns.items() if not _is_nested(column)}
    sizes = {key: len(column) for key, column in columns.items()}
    if len({*sizes.values()}) != 1 or not all(sizes.values()):
        sizes_text = ", ".join(f"{key} {size:,}" for key, size in sizes.items()) or "none"
        raise InputError(
            f"{name}: columns need the same length and at least one row ({sizes_text})"
        )
    rows = []
    for number, values in enumerate(zip(*columns.values(), strict=True), 1):
        with faults.noting(number):
            where = f"{name}: row {number:,}"
            pairs = zip(columns, values, strict=True)
            rows.append((number, [_cell(value, key, where) for key, value in pairs]))
    return Records(faults, tuple(columns), rows)


def _is_nested(column: Sequence[object]) -> bool:
    """Whether a column holds lists or objects, by its first nonempty cell."""
    first = next((cell for cell in column if cell is not None), None)
    is_array = hasattr(first, "dtype") and hasattr(first, "__len__") and not isinstance(first, str)
    return is_array or isinstance(first, list | dict)


def _cell(value: object, key: str, where: str) -> str:
    if type(value) is str:
        check_characters(value, where, BadRowError)
        return value
    value = value.item() if hasattr(value, "dtype") and hasattr(value, "item") else value
    if value is None or value != value:  # NaN is what frames have for nothing
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        check_characters(value, where, BadRowError)
        return value
    if key == _LISTED and isinstance(value, list):
        import json

        with suppress(TypeError, ValueError, RecursionError):
            return json.dumps(value, ensure_ascii=False)
    raise BadRowError(f"{where}: {quoted(key)} is a list or an object; give a string or a number")


def read_number(text: str) -> float | None:
    """Parse a number in any common notation; None for other text, such as `1_000` and `nan`.

    >>> read_number("7.5"), read_number("nan")
    (7.5, None)
    """
    return float(text) if _NUMBER.fullmatch(text) else None


def list_rows(rows: Sequence[int]) -> str:
    """Row numbers in words, without duplicates; of many, the first few.

    >>> list_rows([7, 7]), list_rows(range(2, 12))
    ('row 7', 'rows 2, 3, 4, 5, 6 and 5 more')
    """
    once = list(dict.fromkeys(rows))
    if not once:
        return ""
    first = ", ".join(f"{row:,}" for row in once[:_MOST_ROWS_NAMED])
    more = len(once) - _MOST_ROWS_NAMED
    noun = "rows" if len(once) > 1 else "row"
    return f"{noun} {first}" + (f" and {more:,} more" if more > 0 else "")


# The rows of a CSV file, with quotes as spreadsheets write them.
#
# A cell without its closing quote runs on into the following rows. If bad rows are skipped, reading
# resumes at the next line that begins a row: before its last cell, it has as many cells as the
# header, and its first cell is quoted if those of all previous rows are.

_CELL = r'(?:(?:"(?:[^"]|"")*+"|[^",\r\n]*+),)'
_CUT_OFF = "unexpected end of data"
_REMEDY = 'put cells with commas or quotes in quotes and double the quotes inside: "a ""b"", c"'
_RUNS_ON = "has a cell without a closing quote, which runs on into the following rows"
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

    def __init__(self, text: str, faults: Faults) -> None:
        csv.field_size_limit(LONGEST)
        self.rows: Rows = []
        self.unclosed: set[int] = set()
        self.remarks: list[str] = []
        self._text, self._name, self._faults = text, faults.name, faults
        self._lines = list(io.StringIO(text, newline=""))
        self._offsets = list(accumulate((len(line) for line in self._lines), initial=0))
        self._all_quoted = True
        line, number = 0, 1
        while line < len(self._lines):
            line, number = self._read(line, number)

    def _read(self, first: int, number: int) -> tuple[int, int]:
        """Read rows up to the first bad one; return the line and number of the next."""
        line = first
        reader = self._reader(first)
        try:
            for cells in reader:
                end = first + reader.line_num
                inside = range(line + 1, end)
                if number > 1 and inside and any(map(self._is_row, inside)):
                    return self._bad(line, number, _RUNS_ON), number + 1
                self._take(line, number, cells)
                line, number = end, number + 1
        except csv.Error as error:
            if str(error) != _CUT_OFF:
                return self._bad(line, number, f"is not CSV ({error})"), number + 1
            if number > 1 and self._next_row(line) < len(self._lines):
                return self._bad(line, number, _RUNS_ON), number + 1
            self._take(line, number, self._close_quote(line, len(self._lines)))
            self.unclosed.add(number)
            self.remarks.append(
                f"{self._faults.label}: row {number:,} ends inside quotes; the file may be cut off"
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
        """The line after a bad row, which is kept if only the end of its last cell is unknown."""
        if number == 1:  # without the columns' names nothing can be made of the rest
            raise BadRowError(f"{self._name}: row 1 {what}; {_REMEDY}")
        end = self._next_row(line) if self._faults.skip else line
        cells = self._close_quote(line, end)
        where = f" (lines {line + 1:,}–{end:,})" if end > line + 1 else ""
        if not where and line + 1 != number:
            where = f" (line {line + 1:,})"
        if self._faults.skip and self._least <= len(cells) <= len(self.rows[0][1]):
            self._take(line, number, cells)
            self.unclosed.add(number)
            self.remarks.append(
                f"{self._faults.label}: row {number:,}{where}: its last cell has no closing quote "
                "and is left out; the cells before it are kept"
            )
        else:
            self._faults.refuse(number, f"{what}{where}", _REMEDY)
        return end

    def _close_quote(self, line: int, end: int) -> list[str]:
        """The cells of some lines after a quote is added; none if they are not a row."""
        text = "".join(self._lines[line:end]).rstrip("\r\n") + _QUOTE
        try:
            [cells] = csv.reader(io.StringIO(text, newline=""), strict=True)
        except (csv.Error, ValueError):
            return []
        return cells

    @property
    def _least(self) -> int:
        """The minimum number of cells of a row."""
        header = self.rows[0][1]
        return len(header) - next(
            (at for at, name in enumerate(reversed(header)) if name not in MAY_MISS), 0
        )

    @property
    def _begin(self) -> re.Pattern[str]:
        """The start of a row: all cells but the last, each with the comma after it."""
        return re.compile(_CELL + f"{{{self._least - 1}}}")

    def _next_row(self, line: int) -> int:
        """The next line that begins a row, good or bad; otherwise the last line."""
        begin = self._begin
        all_quoted = self._all_quoted and self._lines[line].startswith(_QUOTE)
        for at in range(line + 1, len(self._lines)):
            if all_quoted and not self._lines[at].startswith(_QUOTE):
                continue
            if begin.match(self._text, self._offsets[at]):
                return at
        return len(self._lines)

    def _is_row(self, line: int) -> bool:
        """Whether a line inside a cell is a row that an unclosed quote has swallowed."""
        if self._least < _FEWEST_TO_TELL:
            return False
        # The end of a cell with two lines has a quote where no cell of a row has one.
        if not self._begin.match(self._text, self._offsets[line]):
            return False
        try:
            cells = next(self._reader(line))
        except (csv.Error, StopIteration):
            return False
        return self._least <= len(cells) <= len(self.rows[0][1])
