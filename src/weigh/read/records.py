"""Rows with column names, as tables of judgments come: CSV, TSV or JSON lines.

The content tells which: a line of JSON begins with a brace, a TSV header has tabs, and anything
else is CSV with quotes as spreadsheets write them; but what is called .jsonl has to be JSON lines.
Rows are counted like a spreadsheet does: the header, if there is one, is row 1, and a cell may go
over several lines. In JSON lines, row 1 is the first object.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from weigh.errors import InputError
from weigh.read.stream import LONGEST, quoted

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_MOST_ROWS_NAMED = 5


@dataclass(frozen=True, slots=True)
class Records:
    """A table: the file's name, the columns' names, and each row with its number."""

    name: str
    header: tuple[str, ...]
    rows: Sequence[tuple[int, Sequence[str]]]
    remarks: tuple[str, ...] = ()

    def checked(self, may_miss: Collection[str] = ()) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield rows by column name; only the last columns `may_miss` may be left off."""
        for number, cells in self.rows:
            missing = self.header[len(cells) :]
            if len(cells) > len(self.header) or any(name not in may_miss for name in missing):
                raise InputError(
                    f"{self.name}: row {number:,} has {len(cells):,} cells, but the header has "
                    f"{len(self.header):,}; separate cells like the header's"
                )
            yield number, dict(zip(self.header, cells, strict=False))


def parse_records(
    text: str, name: str, unnamed: Callable[[Sequence[str]], tuple[str, ...] | None] | None = None
) -> Records:
    """Return the rows of a CSV, TSV or JSON lines file, whose name is for messages.

    `unnamed` tells by the first row's cells the columns of a file that does not name them, or
    None where that row is one of names.
    """
    named_json = name.lower().removesuffix(".gz").endswith(".jsonl")
    if text.startswith("{") or (text and named_json):
        return _json_records(text, name)
    first = text.partition("\n")[0]
    rows, remarks = (_tsv_rows(text), ()) if "\t" in first else _csv_rows(text, name)
    if not rows or not any(rows[0][1]):
        expected = "JSON lines were" if named_json else "a row of column names was"
        raise InputError(f"{name}: empty, but {expected} expected")
    told = None if unnamed is None else unnamed(rows[0][1])
    if told is not None:
        return Records(name, told, rows, remarks)
    header = tuple(rows[0][1])
    for title, count in Counter(header).items():
        if count > 1:
            raise InputError(f"{name}: {count} columns are called {quoted(title)}; rename one")
    if len(rows) == 1:
        raise InputError(f"{name}: column names without rows; give at least one row")
    return Records(name, header, rows[1:], remarks)


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _tsv_rows(text: str) -> list[tuple[int, Sequence[str]]]:
    return [(number, line.split("\t")) for number, line in enumerate(_lines(text), 1)]


def _csv_rows(text: str, name: str) -> tuple[list[tuple[int, Sequence[str]]], tuple[str, ...]]:
    """Return the rows, and a remark if the file ends inside of quotes."""
    import csv
    import io

    csv.field_size_limit(LONGEST)
    rows: list[tuple[int, Sequence[str]]] = []
    try:
        for cells in csv.reader(io.StringIO(text, newline=""), strict=True):
            rows.append((len(rows) + 1, cells))
    except csv.Error as error:
        if str(error) == "unexpected end of data":
            rest, _ = _csv_rows(text + '"', name)
            remark = f"{name}: row {len(rest):,} ends inside of quotes, as if the file were cut off"
            return rest, (remark,)
        raise InputError(
            f"{name}: row {len(rows) + 1:,} is not CSV ({error}); put cells with commas or quotes "
            'in quotes and double the quotes inside: "a ""b"", c"'
        ) from None
    return rows, ()


def _json_records(text: str, name: str) -> Records:
    import json

    header: dict[str, None] = {}
    objects = []
    for number, line in enumerate(_lines(text), 1):
        where = f"{name}: row {number:,}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", "too deep or too long a value")
            raise InputError(
                f"{where} is not JSON ({reason}); give one object on each line"
            ) from None
        if not isinstance(row, dict):
            raise InputError(f"{where} is not a JSON object; give one object on each line")
        header |= dict.fromkeys(row)
        objects.append({key: _cell(value, key, where) for key, value in row.items()})
    rows = [(number, [row.get(key, "") for key in header]) for number, row in enumerate(objects, 1)]
    return Records(name, tuple(header), rows)


def _cell(value: object, key: str, where: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{where} has half of a surrogate pair; write the whole character"
            ) from None
        return value
    raise InputError(f"{where}: {quoted(key)} is a list or an object; give a text or a number")


def parsed_number(text: str) -> float | None:
    """Return a number as people and programs write it, or None; `1_000` and `nan` are none.

    >>> parsed_number("7.5"), parsed_number("nan")
    (7.5, None)
    """
    return float(text) if _NUMBER.fullmatch(text) else None


class Faults:
    """What is wrong with a file: the message names the first row and tells of the others."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._found: dict[str, list[tuple[int, str]]] = {}

    def add(self, row: int, what: str, remedy: str) -> None:
        """Note a fault; those with one remedy are reported together."""
        self._found.setdefault(remedy, []).append((row, what))

    def check(self) -> None:
        """Refuse the file if anything was wrong."""
        for remedy, found in self._found.items():
            row, what = found[0]
            more = named_rows([each for each, _ in found if each != row])
            raise InputError(
                f"{self._name}: row {row:,}: {what}; {remedy}" + (f" (also {more})" if more else "")
            )


def named_rows(rows: Sequence[int]) -> str:
    """Return row numbers in words, each once, the first few of many.

    >>> named_rows([7, 7]), named_rows(range(2, 12))
    ('row 7', 'rows 2, 3, 4, 5, 6 and 5 more')
    """
    once = list(dict.fromkeys(rows))
    if not once:
        return ""
    first = ", ".join(f"{row:,}" for row in once[:_MOST_ROWS_NAMED])
    more = len(once) - _MOST_ROWS_NAMED
    return f"row{'s' * (len(once) > 1)} {first}" + (f" and {more:,} more" if more > 0 else "")
