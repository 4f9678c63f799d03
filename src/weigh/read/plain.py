"""Tables of people's own: CSV, TSV, JSON lines, JSON arrays, Parquet and data frames.

Only the columns that are asked for are kept, so that millions of rows fit into memory. Large files
go through pyarrow where it is installed. Where it fails or might read something differently, our
own reader takes over, whose messages name the row and the remedy.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.errors import InputError, MissingExtraError
from weigh.read.columns import (
    MISSING,
    Columns,
    Head,
    Kind,
    NumberColumn,
    check_finite_cells,
    parse_number,
)
from weigh.read.json_text import parse_json, unique_keys
from weigh.read.table import Labels, Table
from weigh.read.text import (
    LONGEST,
    STDIN,
    check_characters,
    ending,
    file_label,
    line_blocks,
    quoted,
    read_whole,
    shown,
)

if TYPE_CHECKING:
    from weigh.read.table import Column

Choose = Callable[[Head], Mapping[str, Kind]]
"""Tells by the first rows which columns are wanted, and as what."""

ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
FRAME = "the data frame"
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_CELLS_AT_ONCE = 1 << 20
_ROWS_AT_ONCE = 1 << 14
_HEAD = 1000  # rows by which columns are known
_SNIFFED = 20  # rows by which the delimiter is known
_DEEPEST = 5  # levels of nested keys that are columns
_LARGE = 1 << 24  # bytes from which a library is worth its start
_QUOTING = 'put cells with commas or quotes in quotes and double the quotes inside: "a ""b"", c"'
_ONE_OBJECT = "give one object on each line"


def is_table(path: str) -> bool:
    """Whether a file's name says that it is a table.

    >>> is_table("results.jsonl.gz"), is_table("system.en")
    (True, False)
    """
    return ending(path) in ENDINGS


def read_plain(path: str, choose: Choose) -> Table:
    """Read the columns that `choose` wants of a file.

    The ending of its name tells the format, and where that says nothing, its first characters.
    """
    name = shown(path)
    kind = ending(path)
    if kind == ".parquet":
        return _read_parquet(path, choose)
    if kind == ".json":
        return read_objects(parse_json(read_whole(path), name, _ONE_OBJECT), name, choose)
    blocks = line_blocks(path)
    first = next(blocks, [])
    first_line = next((line for line in first if line.strip()), "").lstrip()
    if not first_line:
        raise InputError(f"{name}: empty, but a table was expected")
    is_json = kind in (".jsonl", ".ndjson") or (kind not in ENDINGS and first_line.startswith("{"))
    delimiter = "\t" if kind == ".tsv" else _sniff(first)
    lines = chain.from_iterable(chain([first], blocks))
    if _is_large(path):
        if is_json:
            start = list(islice(lines, _HEAD))
            lines = chain(start, lines)
            quick = _read_json_quickly(path, start, choose)
        else:
            quick = _read_csv_quickly(path, choose, delimiter, quoted=kind != ".tsv")
        if quick is not None:
            return quick
    if is_json:
        return _table_of_objects(_json_lines(lines, name), name, choose)
    if kind not in ENDINGS and first_line.startswith("["):
        content = parse_json("\n".join(lines), name, "give an array of objects")
        return read_objects(content, name, choose)
    rows = _split(lines) if kind == ".tsv" else _csv(lines, delimiter, name)
    remarks = []
    if delimiter != ("\t" if kind == ".tsv" else ","):
        remarks.append(f"{_DELIMITERS[delimiter]} separate columns")
    return _table_of_rows(rows, name, choose, remarks)


def read_objects(content: object, name: str, choose: Choose) -> Table:
    """Read the columns of a list of JSON objects."""
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        raise InputError(f"{name}: not a table; give an array of JSON objects, one for each row")
    if not content:
        raise InputError(f"{name}: an empty array; give at least one row")
    return _table_of_objects(iter([content]), name, choose)


# Rows of cells, under a row of names.


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
    rows = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True)
    try:
        yield from (row for row in rows if row)
    except csv.Error as error:
        raise InputError(
            f"{name}: line {rows.line_num:,} is not CSV ({error}); {_QUOTING}"
        ) from None


def _table_of_rows(
    rows: Iterator[Sequence[str]], name: str, choose: Choose, remarks: Sequence[str]
) -> Table:
    header = tuple(next(rows, ()))
    _check_titles(header, name)
    places = {title: at for at, title in enumerate(header)}
    at_once = _rows_at_once(len(header))
    columns: Columns | None = None
    done = 0
    while chunk := list(islice(rows, at_once)):
        for at, row in enumerate(chunk):
            if len(row) != len(header):
                raise InputError(
                    f"{name}: row {done + at + 2:,} has {len(row):,} cells, but the header has "
                    f"{len(header):,}; separate cells like the header's"
                )
        cells = list(zip(*chunk, strict=True))
        if columns is None:
            head = {title: cells[at][:_HEAD] for title, at in places.items()}
            columns = Columns(choose(head), name, 2)
        columns.add(len(chunk), lambda title, cells=cells: cells[places[title]])  # type: ignore[misc]
        done += len(chunk)
    if columns is None:
        raise InputError(f"{name}: column names without rows; give at least one row")
    return columns.finish(remarks)


def _rows_at_once(width: int) -> int:
    return max(1, min(_ROWS_AT_ONCE, _CELLS_AT_ONCE // max(1, width)))


def _check_titles(titles: Sequence[str], name: str) -> None:
    for title, count in Counter(titles).items():
        if count > 1:
            raise InputError(f"{name}: {count} columns are called {quoted(title)}; rename one")


# Objects: JSON lines and arrays.


def _json_lines(lines: Iterable[str], name: str) -> Iterator[list[dict[str, Any]]]:
    done = 0
    rest = iter(lines)
    while chunk := list(islice(rest, _ROWS_AT_ONCE)):
        yield _json_objects(chunk, name, done)
        done += len(chunk)


def _json_objects(lines: Sequence[str], name: str, done: int) -> list[dict[str, Any]]:
    """Parse one object per line: all lines at once, and one by one if that fails."""
    if all(line[:1] == "{" and line[-1:] == "}" for line in lines):
        try:
            rows = json.loads(f"[{','.join(lines)}]", object_pairs_hook=unique_keys)
        except (ValueError, RecursionError):
            rows = []
        if len(rows) == len(lines) and all(isinstance(row, dict) for row in rows):
            return rows  # type: ignore[no-any-return]
    rows = []
    for at, line in enumerate(lines, done + 1):
        row = parse_json(line, f"{name}: row {at:,}", _ONE_OBJECT)
        if not isinstance(row, dict):
            raise InputError(f"{name}: row {at:,} is not a JSON object; {_ONE_OBJECT}")
        rows.append(row)
    return rows


def _table_of_objects(chunks: Iterator[list[dict[str, Any]]], name: str, choose: Choose) -> Table:
    columns: Columns | None = None
    for chunk in chunks:
        if columns is None:
            columns = Columns(choose(_head_of_objects(chunk[:_HEAD])), name, 1)
        columns.add(len(chunk), lambda title, chunk=chunk: [_at(row, title) for row in chunk])  # type: ignore[misc]
    if columns is None:
        raise InputError(f"{name}: empty, but JSON lines were expected")
    return columns.finish()


def _head_of_objects(rows: Sequence[Mapping[str, Any]]) -> Head:
    titles = dict.fromkeys(title for row in rows for title in _paths(row))
    return {title: [_at(row, title) for row in rows] for title in titles}


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


def _read_json_quickly(path: str, start: Sequence[str], choose: Choose) -> Table | None:
    """Read large JSON lines by pyarrow; `start` are the first lines.

    None where it is not installed, or might understand something differently: a packed file, NUL,
    line ends other than ours, a line without an object, or anything that it refuses.
    """
    try:
        import pyarrow
        import pyarrow.json
    except ImportError:
        return None
    if not _has_plain_lines(path):
        return None
    name = shown(path)
    head = _head_of_objects(_json_objects(start, name, 0))
    kinds = choose(head)
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
    owners = {_arrow_owner(title, content.column_names) for title in kinds}
    if any(pyarrow.types.is_temporal(content.schema.field(owner).type) for owner in owners):
        return None  # dates are texts to us
    return _arrow_table(content, name, lambda _: kinds, first=1)


def _json_type(cells: Sequence[object], kind: Kind, pyarrow: Any) -> Any:
    """The type of a column by its first cells; None where pyarrow is to find it out."""
    types = set(map(type, cells)) - {type(None)}
    if kind == "number" and types and types <= {int, float}:
        return pyarrow.float64()
    plain = {str: pyarrow.string(), int: pyarrow.int64(), bool: pyarrow.bool_()}
    return plain.get(types.pop()) if len(types) == 1 else None


def _read_csv_quickly(path: str, choose: Choose, delimiter: str, *, quoted: bool) -> Table | None:
    """Read a large CSV file by pyarrow; None as for JSON lines."""
    try:
        import pyarrow
        import pyarrow.csv
    except ImportError:
        return None
    if not _has_plain_lines(path):
        return None
    name = shown(path)
    try:
        parse = pyarrow.csv.ParseOptions(
            delimiter=delimiter, quote_char='"' if quoted else False, newlines_in_values=quoted
        )
        head = _arrow_head(path, parse)
        _check_titles(list(head), name)
        kinds = choose(head)
        convert = pyarrow.csv.ConvertOptions(
            include_columns=list(kinds),
            column_types={
                title: _arrow_type(kind, head[title], pyarrow) for title, kind in kinds.items()
            },
            null_values=[*MISSING, *map(str.upper, MISSING), "NaN", "None", "Null"],
            quoted_strings_can_be_null=True,
        )
        content = pyarrow.csv.read_csv(path, parse_options=parse, convert_options=convert)
    except (pyarrow.ArrowException, OSError, KeyError):
        return None
    if not len(content):
        return None
    remarks = []
    if delimiter != "," and quoted:
        remarks.append(f"{file_label(name)}: {_DELIMITERS[delimiter]} separate columns")
    return _arrow_table(content, name, lambda _: kinds, first=2, remarks=remarks)


def _has_plain_lines(path: str) -> bool:
    """Whether a file is not packed, ends lines by \\n or \\r\\n, and holds no NUL or empty line."""
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


def _arrow_head(path: str, parse: Any) -> dict[str, list[object]]:
    """The first rows of a CSV file, as strings."""
    import pyarrow
    import pyarrow.csv

    with open(path, "rb") as file:  # noqa: PTH123
        start = file.read(1 << 20).rsplit(b"\n", 1)[0] + b"\n"
    titles = pyarrow.csv.open_csv(pyarrow.BufferReader(start), parse_options=parse).schema.names
    convert = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(titles, pyarrow.string()))
    content = pyarrow.csv.read_csv(
        pyarrow.BufferReader(start), parse_options=parse, convert_options=convert
    )
    if len(set(titles)) < len(titles):
        raise KeyError(titles)
    return {title: content[title][:_HEAD].to_pylist() for title in titles}


def _arrow_type(kind: Kind, cells: Sequence[object], pyarrow: Any) -> Any:
    """Numbers as such where the first cells are plain numbers, and all else as strings."""
    if kind == "number":
        parsed = [parse_number(cell) for cell in cells]
        if all(
            number is not None and number.style == "number" and number.mark in "."
            for number in parsed
        ):
            return pyarrow.float64()
    return pyarrow.dictionary(pyarrow.int32(), pyarrow.string())


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
            start = pyarrow.Table.from_batches([next(content.iter_batches(_HEAD))])
            kinds = choose(_head_of_arrow(start))
            wanted = dict.fromkeys(_arrow_owner(title, start.column_names) for title in kinds)
            table = _arrow_table(content.read(list(wanted)), name, lambda _: kinds, first=1)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: cannot be read as Parquet ({_line(error)})") from None
    return table


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _head_of_arrow(content: Any) -> Head:
    rows = content.slice(0, _HEAD).to_pylist()
    titles = dict.fromkeys(content.column_names)
    nested = dict.fromkeys(title for row in rows for title in _paths(row))
    return {title: [_at(row, title) for row in rows] for title in {**titles, **nested}}


def _arrow_owner(title: str, columns: Sequence[str]) -> str:
    """The column that holds a title: itself, or the start of a dotted path."""
    return title if title in columns else next(c for c in columns if title.startswith(f"{c}."))


def _arrow_table(
    content: Any, name: str, choose: Choose, *, first: int, remarks: Sequence[str] = ()
) -> Table:
    from pyarrow import types

    kinds = choose(_head_of_arrow(content))
    columns: dict[str, Column] = {}
    all_remarks: list[str] = list(remarks)
    notation: dict[str, str] = {}

    def where(row: int) -> str:
        return f"{name}: row {first + row:,}"

    for title, kind in kinds.items():
        owner = _arrow_owner(title, content.column_names)
        column = content[owner]
        of = column.type
        is_text = types.is_string(of) or types.is_large_string(of) or types.is_dictionary(of)
        is_number = types.is_integer(of) or types.is_floating(of) or types.is_boolean(of)
        if owner == title and kind == "number" and is_number:
            numbers = column.cast("float64").to_numpy()
            check_finite_cells(numbers, title, where)
            columns[title] = numbers
        elif owner == title and kind == "label" and (is_text or types.is_integer(of)):
            columns[title] = _arrow_labels(column, where)
        elif owner == title and kind == "number" and is_text:
            parsed = NumberColumn(title)
            columns[title] = _parse_labels(_arrow_labels(column, where), parsed, where)
            if (remark := parsed.remark()) is not None:
                all_remarks.append(f"{file_label(name)}: {remark}")
            if parsed.notation is not None:
                notation[title] = parsed.notation
        else:
            cells = column.to_pylist()
            if owner != title:
                cells = [_at({owner: cell}, title) for cell in cells]
            builder = Columns({title: kind}, name, first)
            builder.add(len(cells), lambda _, cells=cells: cells)  # type: ignore[misc]
            built = builder.finish()
            columns |= built.columns
            all_remarks += built.remarks
            notation |= built.notation
    return Table(
        name=name, columns=columns, where=where, remarks=tuple(all_remarks), notation=notation
    )


def _parse_labels(labels: Labels, column: NumberColumn, where: Callable[[int], str]) -> Any:
    """Numbers that were read as labels: each spelling is parsed once."""
    first = np.full(len(labels.names) + 1, 0, np.int64)
    first[labels.codes[::-1]] = np.arange(len(labels.codes) - 1, -1, -1)
    column.add([*labels.names, None], lambda at: where(int(first[at])))
    return column.finish()[labels.codes]


def _arrow_labels(column: Any, where: Callable[[int], str]) -> Labels:
    combined = column.combine_chunks()
    encoded = combined if hasattr(combined, "dictionary") else combined.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    names = [str(name) for name in encoded.dictionary.to_pylist()]
    for name in names:
        check_characters(name, f"{where(0)} or below")
    # Names in order of appearance, as our own reader has them; the last slot is for missing cells.
    first = np.full(len(names) + 1, len(codes), np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    order = np.argsort(first[:-1], kind="stable")[: int((first[:-1] < len(codes)).sum())]
    places = np.full(len(names) + 1, -1, np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return Labels(places[codes], [names[code] for code in order.tolist()])


# Data frames, of whatever library.


def open_frame(frame: object, name: str = FRAME) -> Any:
    """A data frame with rows, as narwhals knows those of all libraries."""
    import narwhals as nw

    try:
        opened: Any = nw.from_native(frame)
    except nw.exceptions.DuplicateError:
        raise InputError(f"{name}: two columns have the same name; rename one") from None
    except TypeError:
        raise InputError(
            f"{name}: a {type(frame).__name__}, which is not known; give a frame of pandas, polars "
            "or pyarrow"
        ) from None
    if isinstance(opened, nw.LazyFrame):
        opened = opened.collect()
    if not len(opened):
        raise InputError(f"{name}: no rows; give at least one")
    _check_titles(opened.columns, name)
    return opened


def frame_cells(series: Any) -> list[Any]:
    """The cells of a frame's column; what is missing is None, whatever the library has."""
    cells: list[Any] = series.to_list()
    missing = series.is_null().to_numpy()
    if missing.any():  # pandas' NA can be neither compared nor asked for its truth
        return [None if lacks else cell for cell, lacks in zip(cells, missing, strict=True)]
    return cells


def read_frame(frame: object, choose: Choose, name: str = FRAME) -> Table:
    """Read the columns that `choose` wants of a data frame."""
    import narwhals as nw

    opened = open_frame(frame, name)
    start = opened.head(_HEAD)
    head: dict[str, list[Any]] = {}
    for title in opened.columns:
        cells = frame_cells(start[title])
        rows = [{title: cell} for cell in cells]
        for path in dict.fromkeys(path for row in rows for path in _paths(row)):
            head[path] = [_at(row, path) for row in rows]
    kinds = choose(head)
    columns = Columns(kinds, name, 1)

    def cells_of(title: str) -> Sequence[object]:
        owner = _arrow_owner(title, opened.columns)
        series = opened[owner]
        if kinds[title] == "number" and series.dtype.is_numeric():
            return series.cast(nw.Float64()).to_numpy().tolist()  # type: ignore[no-any-return]
        cells = frame_cells(series)
        return cells if owner == title else [_at({owner: cell}, title) for cell in cells]

    columns.add(len(opened), cells_of)
    return columns.finish()


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
