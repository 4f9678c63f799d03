"""TSV and JSON lines: one segment per row, with an id.

A TSV file begins with a row of column names; cells are separated by tabs and never quoted. In
JSON lines every line is an object; its id is a string or a whole number, its text a string.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weigh.errors import InputError, did_you_mean
from weigh.read.stream import TextSet, quoted, read_texts, shown


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


def _tsv_rows(lines: Sequence[str], columns: Columns, name: str) -> Iterator[tuple[str, str]]:
    header = lines[0].split("\t")
    id_at = _column(header, columns.id, "--id", name)
    text_at = _column(header, columns.text, "--text", name)
    for number in range(1, len(lines)):
        cells = lines[number].split("\t")
        if len(cells) != len(header):
            raise InputError(
                f"{name}: line {number + 1:,} has {len(cells):,} cells, but the header has "
                f"{len(header):,}; separate cells by one tab each"
            )
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
    import json

    for number, line in enumerate(lines, 1):
        where = f"{name}: line {number:,}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", "too deep or too long a value")
            column = getattr(error, "colno", 1)
            raise InputError(
                f"{where} is not JSON ({reason} at column {column:,}); give one object on each line"
            ) from None
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
        if "\\u" in line and not (_is_unicode(key) and _is_unicode(text)):
            raise InputError(f"{where} has half of a surrogate pair; write the whole character")
        yield key, text


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
