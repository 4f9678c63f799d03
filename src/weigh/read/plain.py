"""Plain tables: CSV, TSV, JSON lines, JSON arrays, Parquet and data frames.

Only requested columns are kept, so that millions of rows fit into memory. Large files go through
pyarrow if it is installed. If it fails or might read something differently, our own reader takes
over, whose messages name the row and the remedy.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, repeat
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weigh.errors import InputError, MissingExtraError
from weigh.read.columns import (
    MISSING,
    Cells,
    Columns,
    Head,
    Kind,
    parse_number,
)
from weigh.read.json_text import parse_json, parse_object, unique_keys
from weigh.read.table import Labels, Table
from weigh.read.text import (
    LONGEST,
    STDIN,
    ending,
    line_blocks,
    quoted,
    read_whole,
    shown,
)

Choose = Callable[[Head], Mapping[str, Kind]]
"""Chooses columns and their types from the first rows."""

ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
FRAME = "the data frame"
_LIST_OF_OBJECTS = "give a list with one object for each row"
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_CELLS_AT_ONCE = 1 << 20
_ROWS_AT_ONCE = 1 << 14
_HEAD = 1000  # rows by which columns are known
_SNIFFED = 20  # rows by which the delimiter is known
_DEEPEST = 5  # levels of nested keys that are columns
_LARGE = 1 << 24  # bytes from which a library is worth its start
_QUOTING = 'put cells with commas or quotes in quotes and double the quotes inside: "a ""b"", c"'


def is_table(path: str) -> bool:
    """Whether a file's name says that it is a table.

    >>> is_table("results.jsonl.gz"), is_table("system.en")
    (True, False)
    """
    return ending(path) in ENDINGS


class Chunk(NamedTuple):
    """Some rows of a table. `cells` gives their cells in a column, nested keys by dotted paths."""

    size: int
    titles: Iterable[str]
    cells: Callable[[str], Cells]

    def head(self) -> Head:
        """The first cells of all columns."""
        return {title: list(self.cells(title))[:_HEAD] for title in self.titles}


def read_plain(path: str, choose: Choose) -> Table:
    """Read the columns of a file that `choose` selects.

    The file's ending determines the format; if it does not, the first characters do.
    """
    name = shown(path)
    kind = ending(path)
    if kind == ".parquet":
        return _read_parquet(path, choose)
    if kind == ".json":
        return read_objects(parse_json(read_whole(path), name, _LIST_OF_OBJECTS), name, choose)
    blocks = line_blocks(path)
    first_block = next(blocks, [])
    first_line = next((line for line in first_block if line.strip()), "").lstrip()
    if not first_line:
        raise InputError(f"{name}: empty, but a table was expected")
    lines = chain.from_iterable(chain([first_block], blocks))
    if kind not in ENDINGS and first_line.startswith("["):
        content = parse_json("\n".join(lines), name, "give an array of objects")
        return read_objects(content, name, choose)
    remarks: list[str] = []
    if kind in (".jsonl", ".ndjson") or (kind not in ENDINGS and first_line.startswith("{")):
        chunks, first, quick = _json_chunks(lines, name), 1, _read_json_quickly
    else:
        is_tsv = kind == ".tsv"
        delimiter = "\t" if is_tsv else _sniff(first_block)
        rows = _split(lines) if is_tsv else _csv(lines, delimiter, name)
        chunks, first = _row_chunks(rows, name), 2
        quick = partial(_read_csv_quickly, delimiter=delimiter, is_quoted=not is_tsv)
        if delimiter != ("\t" if is_tsv else ","):
            remarks.append(f"{_DELIMITERS[delimiter]} separate columns")
    start = next(chunks)
    head = start.head()
    kinds = choose(head)
    content = quick(path, head, kinds) if _is_large(path) else None
    if content is not None:
        return _build([_arrow_chunk(content, kinds)], kinds, name, first, remarks)
    return _build(chain([start], chunks), kinds, name, first, remarks)


def _build(
    chunks: Iterable[Chunk],
    kinds: Mapping[str, Kind],
    name: str,
    first: int,
    remarks: Sequence[str] = (),
) -> Table:
    columns = Columns(kinds, name, lambda row: f"{name}: row {first + row:,}")
    for chunk in chunks:
        columns.add(chunk.size, chunk.cells)
    return columns.finish(remarks)


def read_objects(content: object, name: str, choose: Choose) -> Table:
    """Read the columns of a list of JSON objects."""
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        raise InputError(f"{name}: not a table; give an array of JSON objects, one for each row")
    if not content:
        raise InputError(f"{name}: an empty array; give at least one row")
    kinds = choose(_object_chunk(content[:_HEAD]).head())
    return _build([_object_chunk(content)], kinds, name, 1)


# Rows of cells below a header.


def _sniff(lines: Sequence[str]) -> str:
    """The delimiter that splits the first rows into the most columns, all rows alike."""
    best, most = ",", 1
    for delimiter in _DELIMITERS:
        reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter)
        try:
            widths = {len(row) for row in islice((row for row in reader if row), _SNIFFED)}
        except csv.Error:
            continue
        if len(widths) == 1 and (width := widths.pop()) > most:
            best, most = delimiter, width
    if most == 1 and lines:  # rows differ: the header decides, and the reader reports the row
        best = max(_DELIMITERS, key=lambda delimiter: lines[0].count(delimiter))
    return best


def _split(lines: Iterable[str]) -> Iterator[Sequence[str]]:
    return (line.split("\t") for line in lines)


def _csv(lines: Iterable[str], delimiter: str, name: str) -> Iterator[Sequence[str]]:
    csv.field_size_limit(LONGEST)
    rows = csv.reader(map(add, lines, repeat("\n")), delimiter=delimiter, strict=True)
    try:
        yield from filter(None, rows)
    except csv.Error as error:
        if "new-line character" in str(error):  # a carriage return within a line
            raise InputError(
                f"{name}: line {rows.line_num:,} has a carriage return inside; save the file with "
                "line feeds at the ends of lines"
            ) from None
        raise InputError(
            f"{name}: line {rows.line_num:,} is not CSV ({error}); {_QUOTING}"
        ) from None


def _row_chunks(rows: Iterator[Sequence[str]], name: str) -> Iterator[Chunk]:
    header = tuple(next(rows, ()))
    _check_titles(header, name)
    places = {title: at for at, title in enumerate(header)}
    at_once = max(1, min(_ROWS_AT_ONCE, _CELLS_AT_ONCE // max(1, len(header))))
    done = 0
    while chunk := list(islice(rows, at_once)):
        if {*map(len, chunk)} != {len(header)}:
            at, row = next((at, row) for at, row in enumerate(chunk) if len(row) != len(header))
            raise InputError(
                f"{name}: row {done + at + 2:,} has {len(row):,} cells, but the header has "
                f"{len(header):,}; give every row one cell per column"
            )
        cells = list(zip(*chunk, strict=True))
        yield Chunk(len(chunk), header, lambda title, cells=cells: cells[places[title]])  # type: ignore[misc]
        done += len(chunk)
    if not done:
        raise InputError(f"{name}: a header without rows; give at least one row")


def _check_titles(titles: Sequence[str], name: str) -> None:
    for title, count in Counter(titles).items():
        if count > 1:
            raise InputError(f"{name}: {count} columns are called {quoted(title)}; rename one")


# Objects: JSON lines and arrays.


def _json_chunks(lines: Iterable[str], name: str) -> Iterator[Chunk]:
    done = 0
    rest = iter(lines)
    while chunk := list(islice(rest, _ROWS_AT_ONCE if done else _HEAD)):
        yield _object_chunk(_parse_objects(chunk, name, done))
        done += len(chunk)


def _parse_objects(lines: Sequence[str], name: str, done: int) -> list[dict[str, Any]]:
    """Parse one object per line: all lines at once, and one by one if that fails."""
    if all(line[:1] == "{" and line[-1:] == "}" for line in lines):
        try:
            rows = json.loads(f"[{','.join(lines)}]", object_pairs_hook=unique_keys)
        except (ValueError, RecursionError):
            rows = []
        if len(rows) == len(lines) and all(isinstance(row, dict) for row in rows):
            return rows  # type: ignore[no-any-return]
    return [parse_object(line, f"{name}: row {at:,}") for at, line in enumerate(lines, done + 1)]


def _object_chunk(rows: Sequence[Mapping[str, Any]]) -> Chunk:
    titles = dict.fromkeys(title for row in rows[:_HEAD] for title in _paths(row))
    return Chunk(len(rows), titles, lambda title: [_at(row, title) for row in rows])


def _paths(row: Mapping[str, Any], depth: int = 1) -> Iterator[str]:
    """The keys of an object, those of nested objects as dotted paths."""
    for key, value in row.items():
        if isinstance(value, dict) and value and depth < _DEEPEST:
            yield from (f"{key}.{path}" for path in _paths(value, depth + 1))
        else:
            yield key


def _at(row: Any, path: str) -> Any:
    """The value under a key or a dotted path, None if there is none."""
    if path in row:
        return row[path]
    start, dot, rest = path.partition(".")
    while dot:
        inner = row.get(start)
        if isinstance(inner, dict) and (value := _at(inner, rest)) is not None:
            return value
        more, dot, rest = rest.partition(".")
        start = f"{start}.{more}"
    return None


# What pyarrow reads: large files, and Parquet.


def _is_large(path: str) -> bool:
    file = Path(path)
    return path != STDIN and file.is_file() and file.stat().st_size >= _LARGE


def _read_json_quickly(path: str, head: Head, kinds: Mapping[str, Kind]) -> Any:
    """Read large JSON lines into an Arrow table.

    None if pyarrow is not installed, or might read something differently: a compressed file, NUL,
    unusual line ends, a line without an object, or anything that it rejects.
    """
    try:
        import pyarrow
        import pyarrow.json
    except ImportError:
        return None
    if not _has_plain_lines(path):
        return None
    types = {title: _json_type(head[title], kind, pyarrow) for title, kind in kinds.items()}
    try:
        content = pyarrow.json.read_json(
            path,
            read_options=pyarrow.json.ReadOptions(block_size=1 << 22),  # fewer chunks to join
            parse_options=pyarrow.json.ParseOptions(
                explicit_schema=pyarrow.schema(
                    [(title, of) for title, of in types.items() if of is not None]
                )
            ),
        )
    except (pyarrow.ArrowException, OSError):
        return None
    owners = {_owner(title, content.column_names) for title in kinds}
    if any(pyarrow.types.is_temporal(content.schema.field(owner).type) for owner in owners):
        return None  # dates are texts to us
    return content


def _json_type(cells: Sequence[object], kind: Kind, pyarrow: Any) -> Any:
    """The type of a column, by its first cells; None if pyarrow should infer it."""
    types = set(map(type, cells)) - {type(None)}
    if kind == "number" and types and types <= {int, float}:
        return pyarrow.float64()
    plain = {str: pyarrow.string(), int: pyarrow.int64(), bool: pyarrow.bool_()}
    return plain.get(types.pop()) if len(types) == 1 else None


def _read_csv_quickly(
    path: str, head: Head, kinds: Mapping[str, Kind], *, delimiter: str, is_quoted: bool
) -> Any:
    """Read a large CSV file into an Arrow table; None as for JSON lines."""
    try:
        import pyarrow
        import pyarrow.csv
    except ImportError:
        return None
    if not _has_plain_lines(path):
        return None
    types = {title: _csv_type(head[title], kind, pyarrow) for title, kind in kinds.items()}
    try:
        return pyarrow.csv.read_csv(
            path,
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=delimiter,
                quote_char='"' if is_quoted else False,
                newlines_in_values=is_quoted,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                include_columns=list(kinds),
                column_types=types,
                null_values=[*MISSING, *map(str.upper, MISSING), "NaN", "None", "Null"],
                quoted_strings_can_be_null=True,
            ),
        )
    except (pyarrow.ArrowException, OSError):
        return None


def _csv_type(cells: Sequence[object], kind: Kind, pyarrow: Any) -> Any:
    """The type of a column: numbers if the first cells are plain numbers, otherwise strings."""
    if kind == "number":
        parsed = [parse_number(cell) for cell in cells]
        if all(
            number is not None and number.style == "number" and number.mark in "."
            for number in parsed
        ):
            return pyarrow.float64()
    return pyarrow.dictionary(pyarrow.int32(), pyarrow.string())


def _has_plain_lines(path: str) -> bool:
    """Whether a file is unpacked, ends lines with \\n or \\r\\n, and has no NUL or empty line."""
    before = b"\n"
    with open(path, "rb") as file:  # noqa: PTH123, a Path would lose a leading "./"
        while block := file.read(1 << 24):
            if block.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")) or b"\0" in block:
                return False
            if block.endswith(b"\r"):
                block += file.read(1)
            if b"\r" in block and block.count(b"\r") != block.count(b"\r\n"):
                return False
            if b"\n\n" in block or b"\n\r\n" in block or (before, block[:1]) == (b"\n", b"\n"):
                return False
            before = block[-1:]
    return True


def _read_parquet(path: str, choose: Choose) -> Table:
    name = shown(path)
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        try:
            import polars
        except ImportError:
            raise MissingExtraError(
                f"{name}: Parquet needs pyarrow or polars; run pip install pyarrow"
            ) from None
        try:
            return read_frame(polars.read_parquet(path), choose, name)
        except (polars.exceptions.PolarsError, OSError) as error:
            raise InputError(f"{name}: cannot be read as Parquet ({_line(error)})") from None
    try:
        with open(path, "rb") as file:  # noqa: PTH123, a Path would lose a leading "./"
            content = pyarrow.parquet.ParquetFile(file)
            _check_titles(content.schema_arrow.names, name)
            if not content.metadata.num_rows:
                raise InputError(f"{name}: no rows; give at least one")
            start = next(content.iter_batches(_HEAD))
            kinds = choose(_object_chunk(start.to_pylist()).head())
            owners = dict.fromkeys(_owner(title, start.schema.names) for title in kinds)
            content = content.read(list(owners))
            return _build([_arrow_chunk(content, kinds)], kinds, name, 1)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: cannot be read as Parquet ({_line(error)})") from None


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _owner(title: str, columns: Sequence[str]) -> str:
    """The column that holds a title: itself, or the start of a dotted path."""
    return title if title in columns else next(c for c in columns if title.startswith(f"{c}."))


def _arrow_chunk(content: Any, kinds: Mapping[str, Kind]) -> Chunk:
    """A chunk of an Arrow table; numbers and labels need no conversion."""
    from pyarrow import types

    def cells(title: str) -> Cells:
        owner = _owner(title, content.column_names)
        column, of = content[owner], content[owner].type
        is_text = types.is_string(of) or types.is_large_string(of) or types.is_dictionary(of)
        is_number = types.is_integer(of) or types.is_floating(of) or types.is_boolean(of)
        if owner != title:
            return [_at({owner: cell}, title) for cell in column.to_pylist()]
        if kinds[title] == "number" and is_number:
            return column.cast("float64").to_numpy()  # type: ignore[no-any-return]
        if kinds[title] != "text" and (is_text or types.is_integer(of)):
            return _arrow_labels(column)
        return column.to_pylist()  # type: ignore[no-any-return]

    return Chunk(len(content), kinds, cells)


def _arrow_labels(column: Any) -> Labels:
    combined = column.combine_chunks()
    encoded = combined if hasattr(combined, "dictionary") else combined.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    names = [str(name) for name in encoded.dictionary.to_pylist()]
    # Names in order of appearance, as our own reader has them; the last slot is for missing cells.
    first = np.full(len(names) + 1, len(codes), np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    order = np.argsort(first[:-1], kind="stable")[: int((first[:-1] < len(codes)).sum())]
    places = np.full(len(names) + 1, -1, np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return Labels(places[codes], [names[code] for code in order.tolist()])


# Data frames, of whatever library.


def open_frame(frame: object, name: str = FRAME) -> Any:
    """Wrap a data frame of any library with narwhals; it must have rows."""
    import narwhals as nw

    try:
        opened: Any = nw.from_native(frame)
    except nw.exceptions.DuplicateError:
        raise InputError(f"{name}: two columns have the same name; rename one") from None
    except TypeError:
        raise InputError(
            f"{name}: a {type(frame).__name__}, which is not supported; give a data frame of "
            "pandas, polars or pyarrow"
        ) from None
    if isinstance(opened, nw.LazyFrame):
        opened = opened.collect()
    if not len(opened):
        raise InputError(f"{name}: no rows; give at least one")
    _check_titles(opened.columns, name)
    return opened


def frame_cells(series: Any) -> list[Any]:
    """The cells of a frame's column; missing ones are None, whatever the library."""
    cells: list[Any] = series.to_list()
    missing = series.is_null().to_numpy()
    if missing.any():  # pandas' NA can be neither compared nor asked for its truth
        return [None if lacks else cell for cell, lacks in zip(cells, missing, strict=True)]
    return cells


def read_frame(frame: object, choose: Choose, name: str = FRAME) -> Table:
    """Read the columns of a data frame that `choose` selects."""
    opened = open_frame(frame, name)
    start = opened.head(_HEAD)
    columns = [frame_cells(start[title]) for title in opened.columns]
    rows = [dict(zip(opened.columns, row, strict=True)) for row in zip(*columns, strict=True)]
    kinds = choose(_object_chunk(rows).head())
    return _build([_frame_chunk(opened, kinds)], kinds, name, 1)


def _frame_chunk(opened: Any, kinds: Mapping[str, Kind]) -> Chunk:
    import narwhals as nw

    def cells(title: str) -> Sequence[object]:
        owner = _owner(title, opened.columns)
        series = opened[owner]
        if kinds[title] == "number" and series.dtype.is_numeric():
            return series.cast(nw.Float64()).to_numpy().tolist()  # type: ignore[no-any-return]
        values = frame_cells(series)
        return values if owner == title else [_at({owner: cell}, title) for cell in values]

    return Chunk(len(opened), kinds, cells)


def read_columns_of(data: object) -> dict[str, Sequence[object]]:
    """All columns of a Parquet file or of a data frame, as lists."""
    if not isinstance(data, str):
        opened = open_frame(data)
        return {title: frame_cells(opened[title]) for title in opened.columns}
    try:
        import pyarrow.parquet
    except ImportError:
        table = _read_parquet(data, lambda head: dict.fromkeys(head, "label"))
        return {title: table.labels(title).cells() for title in table.columns}
    try:
        with open(data, "rb") as file:  # noqa: PTH123, a Path would lose a leading "./"
            content = pyarrow.parquet.read_table(file)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{shown(data)}: cannot be read as Parquet ({_line(error)})") from None
    return {title: content[title].to_pylist() for title in content.column_names}
