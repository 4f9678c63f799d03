"""TSV and JSON lines: one segment per row, with an id.

A TSV file begins with a row of column names; cells are separated by tabs and never quoted. In
JSON lines every line is an object; its id is a string or a whole number, its text a string.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from weigh.errors import InputError, did_you_mean
from weigh.read.text import TextSet, check_characters, quoted, read_texts, shown


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the columns (or keys) that hold a segment's id and its text."""

    id: str = "id"
    text: str = "text"


def read_table(path: str, columns: Columns, is_json: bool) -> TextSet:
    """Return the ids and texts of a TSV or JSON lines file."""
    name = shown(path)
    lines = read_texts(path)
    rows = _json_rows(lines, columns, name) if is_json else _tsv_rows(lines, columns, name)
    ids: list[str] = []
    texts: list[str] = []
    for key, text in rows:
        ids.append(key)
        texts.append(text)
    return TextSet(name, tuple(texts), tuple(ids))


def cells_of(line: str, width: int, where: str) -> list[str]:
    """Return the cells of a line of TSV, which has as many as the header."""
    cells = line.split("\t")
    if len(cells) != width:
        raise InputError(
            f"{where} has {len(cells):,} cells, but the header has {width:,}; "
            "separate cells by one tab each"
        )
    return cells


class RepeatedKeyError(ValueError):
    """An object of a JSON text has a key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.msg = f"the key {quoted(key)} stands twice in one object"


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object with a key twice: the `object_pairs_hook` of all JSON that weigh reads."""
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RepeatedKeyError(next(key for key in keys if keys.count(key) > 1))
    return row


def parsed_json(text: str, where: str, remedy: str) -> Any:
    """Return what a JSON text says."""
    import json

    try:
        return json.loads(text, object_pairs_hook=unique_keys)
    except RepeatedKeyError as error:
        raise InputError(f"{where}: {error.msg}; keep one of them") from None
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", "too deep or too long a value")
        line = getattr(error, "lineno", 1)
        column = getattr(error, "colno", 1)
        place = f"column {column:,}" if line == 1 else f"line {line:,}, column {column:,}"
        raise InputError(f"{where} is not JSON ({reason} at {place}); {remedy}") from None


def _tsv_rows(lines: Sequence[str], columns: Columns, name: str) -> Iterator[tuple[str, str]]:
    header = lines[0].split("\t")
    id_at = _column(header, columns.id, "--id", name)
    text_at = _column(header, columns.text, "--text", name)
    for number in range(1, len(lines)):
        cells = cells_of(lines[number], len(header), f"{name}: line {number + 1:,}")
        if not cells[id_at]:
            raise InputError(f"{name}: line {number + 1:,} has an empty id; give it one")
        yield cells[id_at], cells[text_at]


def _column(header: Sequence[str], column: str, option: str, name: str) -> int:
    count = header.count(column)
    if count > 1:
        raise InputError(f"{name}: {count} columns are called {quoted(column)}; rename all but one")
    if not count:
        raise InputError(
            f"{name}: no column {quoted(column)} in the first line; name one with {option} "
            f"({did_you_mean(column, [shown(each)[:60] for each in header[:20]])})"
        )
    return header.index(column)


def _json_rows(lines: Sequence[str], columns: Columns, name: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines, 1):
        where = f"{name}: line {number:,}"
        row = parsed_json(line, where, "give one object on each line")
        if not isinstance(row, dict):
            raise InputError(f"{where} is not a JSON object; give one object on each line")
        for key, option in ((columns.id, "--id"), (columns.text, "--text")):
            if key not in row:
                known = did_you_mean(key, [shown(each)[:60] for each in list(row)[:20]])
                raise InputError(
                    f"{where} has no key {quoted(key)}; name one with {option} ({known})"
                )
        key, text = row[columns.id], row[columns.text]
        if isinstance(key, int) and not isinstance(key, bool):
            key = str(key)
        if not isinstance(key, str) or not key:
            raise InputError(f"{where}: the id is not a string or whole number; give it one")
        if not isinstance(text, str):
            raise InputError(f"{where}: {quoted(columns.text)} is not a string; put it in quotes")
        if "\\u" in line:
            check_characters(key + text, where)
        yield key, text
