"""Tables of people's own, one row per item and system: files and data frames into columns.

A table is CSV, TSV, JSON lines, a JSON array of objects, or Parquet; the ending of its name tells
which, and where that says nothing, its first characters. Only the columns that are asked for are
kept, each as labels, as numbers or as texts, so that millions of rows fit into memory.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from weigh.errors import InputError, MissingExtraError
from weigh.read.tables import parsed_json, unique_keys
from weigh.read.text import (
    LONGEST,
    NUMBER,
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
    from numpy.typing import NDArray

Kind = Literal["label", "number", "text"]
# The first cells of every column, by its name.
Head = Mapping[str, Sequence[object]]
# Tells by the first rows which columns are wanted, and as what.
Choose = Callable[[Head], Mapping[str, Kind]]

ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
_ARCHIVE = ".eval"  # of inspect_ai
_AT_ONCE = 1 << 14  # rows
_HEAD = 1000  # rows that are looked at to know the columns
_LARGE = 1 << 26  # bytes, from which on a library that reads JSON lines is worth its start
_WORDS = {"true": 1.0, "false": 0.0} | dict.fromkeys(
    ("", "none", "null", "na", "n/a", "nan", "<na>"), math.nan
)
# What counts as 1 and as 0 where a column has no numbers.
WORD_PAIRS = (("pass", "fail"), ("passed", "failed"), ("yes", "no"), ("correct", "incorrect"))
_PAIR_OF = {word: pair for pair in WORD_PAIRS for word in pair}
TRUTH = ("true", "false")
_NUMBERS = {int, float, type(None)}
_TRUTHS = {bool, type(None)}


class Labels(NamedTuple):
    """A column of labels: for every row the place of its label in `values`, −1 if it is empty."""

    codes: NDArray[np.int32]
    values: Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a table that were asked for; errors call it `name`, and results `label`.

    `first` is the number of its first row, as people count: below a row of names it is 2. `words`
    has the columns of numbers that were words, with those that were taken as 1 and as 0, and
    `others` the columns that were not asked for.
    """

    name: str
    size: int
    labels: Mapping[str, Labels]
    numbers: Mapping[str, NDArray[np.float64]]
    texts: Mapping[str, Sequence[str | None]]
    first: int = 1
    parts: tuple[Table, ...] = ()
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    others: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The base name of the file."""
        return file_label(self.name)

    def where(self, row: int) -> str:
        """Return what a message calls the row at a place."""
        for part in self.parts:
            if row < part.size:
                return part.where(row)
            row -= part.size
        return f"{self.name}: row {row + self.first:,}"

    @classmethod
    def joined(cls, tables: Sequence[Table], name: str) -> Table:
        """Return several tables that have the same columns, one below the other."""
        if len(tables) == 1:
            return tables[0]
        for title in tables[0].numbers:
            check_same_words([(table, title) for table in tables])
        labels = {}
        for title in tables[0].labels:
            column = _LabelColumn()
            codes = []
            for table in tables:
                own = table.labels[title]
                codes.append(_recoded(own.codes, column.places_of(own.values)))
            labels[title] = Labels(np.concatenate(codes), column.values)
        return cls(
            name,
            sum(table.size for table in tables),
            labels,
            {
                title: np.concatenate([table.numbers[title] for table in tables])
                for title in tables[0].numbers
            },
            {
                title: [text for table in tables for text in table.texts[title]]
                for title in tables[0].texts
            },
            parts=tuple(tables),
            words={title: words for table in tables for title, words in table.words.items()},
            others=tables[0].others,
        )

    def with_label(self, title: str, label: str) -> Table:
        """Return the table with one more column, which has this label in every row."""
        column = Labels(np.zeros(self.size, np.int32), [label])
        return replace(self, labels={**self.labels, title: column})


def check_same_words(columns: Iterable[tuple[Table, str]]) -> None:
    """Refuse words for scores in one column where another has numbers, or other words."""
    first = None
    for table, title in columns:
        if np.isnan(table.numbers[title]).all():
            continue
        words = table.words.get(title, ())
        column = f"{table.name}: {quoted(title)} has {_in_words(words)}"
        if first is None:
            first = words, column
        elif words != first[0]:
            raise InputError(f"{column}, but {first[1]}; write the same for all systems")


def is_table(path: str) -> bool:
    """Return whether a file's name says that it is a table.

    >>> is_table("results.jsonl.gz"), is_table("system.en")
    (True, False)
    """
    return ending(path) in (*ENDINGS, _ARCHIVE)


def is_long_table(path: str) -> bool:
    """Return whether a file's name says that it is a table, and nothing else that holds scores."""
    return ending(path) in (".csv", ".parquet")


def read_columns(path: str, choose: Choose) -> Table:
    """Read the columns that `choose` wants of a file."""
    name = shown(path)
    kind = ending(path)
    if kind == ".parquet":
        return _read_parquet(path, choose)
    if kind == ".json":
        content = parsed_json(read_whole(path), name, "give an array of objects")
        return objects_table(content, name, choose)
    if kind in (".jsonl", ".ndjson") and path != STDIN:
        quick = _read_json_lines_quickly(path, choose)
        if quick is not None:
            return quick
    blocks = line_blocks(path)
    first = next(blocks, [])
    start = next((line for line in first if line.strip()), "").lstrip()
    if not start:
        raise InputError(f"{name}: empty, but a table was expected")
    lines = chain.from_iterable(chain([first], blocks))
    if kind in (".jsonl", ".ndjson") or (kind not in ENDINGS and start.startswith("{")):
        return _table_of_objects(_json_lines(lines, name), name, choose)
    if kind not in ENDINGS and start.startswith("["):
        content = parsed_json("\n".join(lines), name, "give an array of objects")
        return objects_table(content, name, choose)
    tabs = kind == ".tsv" or (kind != ".csv" and "\t" in start)
    return _table_of_rows(_tsv(lines) if tabs else _csv(lines, name), name, choose)


def objects_table(content: object, name: str, choose: Choose) -> Table:
    """Return the columns of a list of JSON objects."""
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        raise InputError(f"{name}: not a table; give an array of JSON objects, one for each row")
    if not content:
        raise InputError(f"{name}: an empty array; give at least one row")
    return _table_of_objects(iter([content]), name, choose)


# Columns as they grow, chunk by chunk.


class _LabelColumn:
    def __init__(self) -> None:
        self.values: list[str] = []
        self._places: dict[str | None, int] = {None: -1, "": -1}
        self._codes: list[NDArray[np.int32]] = []

    def add(self, cells: Sequence[Any], where: Callable[[int], str]) -> None:
        kinds = set(map(type, cells))
        if len(kinds) > 1 or not kinds <= {str, int}:  # equal cells are one label as they stand
            cells = [_label(cell, where, at) for at, cell in enumerate(cells)]
        codes = {}
        for cell in dict.fromkeys(cells):
            label = str(cell) if isinstance(cell, int) else cell
            if label not in self._places:
                check_characters(label, f"{where(0)} or below")
                self._places[label] = len(self.values)
                self.values.append(label)
            codes[cell] = self._places[label]
        self._codes.append(np.fromiter(map(codes.__getitem__, cells), np.int32, len(cells)))

    def places_of(self, labels: Sequence[str]) -> NDArray[np.int32]:
        """Return the places of labels, which are among the values from now on."""
        for label in labels:
            if label not in self._places:
                self._places[label] = len(self.values)
                self.values.append(label)
        return np.array([self._places[label] for label in labels], np.int32)

    def finished(self) -> Labels:
        return Labels(np.concatenate(self._codes), self.values)


def _recoded(codes: NDArray[np.int32], places: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the places of what codes stand for; −1, which is no label, stays itself."""
    return np.append(places, np.int32(-1))[codes]  # the last of which −1 finds


def _label(cell: object, where: Callable[[int], str], at: int) -> str | None:
    """Return a label as text: whole numbers without a point, whatever a frame made of them."""
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
    if isinstance(cell, list | dict | tuple):
        raise InputError(f"{where(at)} has a list or an object where a name was expected")
    return None if cell != cell else str(cell)  # a frame's date, or its "not a time"


class _NumberColumn:
    """Numbers, or one pair of words for them; `words` is that pair, and empty for numbers."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._parts: list[NDArray[np.float64]] = []
        self.words: tuple[str, ...] | None = None  # until the first cell that is not empty

    def add(self, cells: Sequence[Any], where: Callable[[int], str]) -> None:
        types = set(map(type, cells))
        if types <= _NUMBERS or types <= _TRUTHS:
            try:
                numbers = np.array(cells, dtype=np.float64)
            except OverflowError:
                numbers = np.array([_number(cell) for cell in cells])
            words = TRUTH if bool in types else ()
            if self.words != words and not (empty := np.isnan(numbers)).all():
                at = int(empty.argmin())
                self._check_alike(words, cells[at], where, at)
        else:
            # By type too, since True == 1.
            known: dict[tuple[type, object], float] = {}
            for at, cell in enumerate(cells):
                if isinstance(cell, list | dict) or (type(cell), cell) not in known:
                    known[type(cell), cell] = self._parsed(cell, where, at)
            numbers = np.array([known[type(cell), cell] for cell in cells])
        self.check(numbers, where)
        self._parts.append(numbers)

    def check(self, numbers: NDArray[np.float64], where: Callable[[int], str]) -> None:
        infinite = np.isinf(numbers)
        if infinite.any():
            at = int(infinite.argmax())
            raise InputError(
                f"{where(at)}: {quoted(self._title)} is not a finite number; look at that item"
            )

    def _parsed(self, cell: object, where: Callable[[int], str], at: int) -> float:
        number = _number(cell)
        words: tuple[str, ...] = TRUTH if _is_truth(cell) else ()
        if number is None and (pair := _pair_of(cell)) is not None:
            number, words = float(str(cell).strip().lower() == pair[0]), pair
        if number is None:
            what = quoted(cell) if isinstance(cell, str) else f"a {type(cell).__name__}"
            raise InputError(
                f"{where(at)}: {quoted(self._title)} is {what} and not a number; name a column of "
                f"numbers, of true and false, or of one pair of words ({_KNOWN_PAIRS}), and leave "
                "cells without a score empty"
            )
        if self.words != words and not math.isnan(number):
            self._check_alike(words, cell, where, at)
        return number

    def _check_alike(
        self, words: tuple[str, ...], cell: object, where: Callable[[int], str], at: int
    ) -> None:
        """Refuse words among numbers, and words of two pairs: what they count would be a guess."""
        if self.words is None:
            self.words = words
        elif self.words != words:
            what = quoted(cell) if isinstance(cell, str) else str(cell).lower()
            raise InputError(
                f"{where(at)}: {quoted(self._title)} is {what}, but {_in_words(self.words)} above; "
                f"write numbers in the whole column, or one pair of words ({_KNOWN_PAIRS})"
            )

    def finished(self) -> NDArray[np.float64]:
        return np.concatenate(self._parts)


_KNOWN_PAIRS = ", ".join("/".join(pair) for pair in WORD_PAIRS)


def _is_truth(cell: object) -> bool:
    if isinstance(cell, str):
        return cell.strip().lower() in TRUTH
    return isinstance(cell, bool | np.bool_)


def _pair_of(cell: object) -> tuple[str, str] | None:
    """Return the pair of words that a cell has one of."""
    return _PAIR_OF.get(cell.strip().lower()) if isinstance(cell, str) else None


def _in_words(words: tuple[str, ...]) -> str:
    return " and ".join(words) or "numbers"


def _number(cell: object) -> float | None:
    """Return the number in a cell, NaN where it is empty, and None where it is something else."""
    if cell is None:
        return math.nan
    if isinstance(cell, str):
        text = cell.strip()
        return float(text) if NUMBER.fullmatch(text) else _WORDS.get(text.lower())
    try:
        return float(cell)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        return math.nan if cell != cell else None


class _TextColumn:
    def __init__(self, title: str) -> None:
        self._title = title
        self._texts: list[str | None] = []

    def add(self, cells: Sequence[Any], where: Callable[[int], str]) -> None:
        for at, cell in enumerate(cells):
            text = None if cell != cell else cell  # pandas' missing text is NaN
            if text is not None and not isinstance(text, str):
                raise InputError(
                    f"{where(at)}: {quoted(self._title)} is not a text; put it in quotes"
                )
            if text is not None:
                check_characters(text, where(at))
                if len(text) > LONGEST or "\0" in text:
                    fault = "a NUL" if "\0" in text else f"more than {LONGEST:,} characters"
                    raise InputError(f"{where(at)}: {quoted(self._title)} has {fault}")
            self._texts.append(text)

    def finished(self) -> list[str | None]:
        return self._texts


class _Columns:
    """All columns that are wanted, while chunks of rows come in."""

    def __init__(self, wanted: Mapping[str, Kind], name: str, first: int) -> None:
        self._name, self._first, self._size = name, first, 0
        self._labels = {title: _LabelColumn() for title, kind in wanted.items() if kind == "label"}
        self._numbers = {
            title: _NumberColumn(title) for title, kind in wanted.items() if kind == "number"
        }
        self._texts = {
            title: _TextColumn(title) for title, kind in wanted.items() if kind == "text"
        }

    def add(self, size: int, cells: Callable[[str], Sequence[object]]) -> None:
        """Add so many rows, whose cells in a column are told by its name."""
        start = self._first + self._size

        def where(at: int) -> str:
            return f"{self._name}: row {start + at:,}"

        for columns in (self._labels, self._numbers, self._texts):
            for title, column in columns.items():
                column.add(cells(title), where)
        self._size += size

    def finished(self) -> Table:
        return Table(
            self._name,
            self._size,
            {title: column.finished() for title, column in self._labels.items()},
            {title: column.finished() for title, column in self._numbers.items()},
            {title: column.finished() for title, column in self._texts.items()},
            self._first,
            words={
                title: column.words
                for title, column in self._numbers.items()
                if column.words and column.words != TRUTH
            },
        )


# Rows of cells: CSV and TSV, with a row of names.


def _tsv(lines: Iterable[str]) -> Iterator[Sequence[str]]:
    return (line.split("\t") for line in lines)


def _csv(lines: Iterable[str], name: str) -> Iterator[Sequence[str]]:
    csv.field_size_limit(LONGEST)
    rows = csv.reader((f"{line}\n" for line in lines), strict=True)
    try:
        yield from (row for row in rows if row)
    except csv.Error as error:
        raise InputError(
            f"{name}: line {rows.line_num:,} is not CSV ({error}); put cells with commas or quotes "
            'in quotes and double the quotes inside: "a ""b"", c"'
        ) from None


def _table_of_rows(rows: Iterator[Sequence[str]], name: str, choose: Choose) -> Table:
    header = tuple(next(rows, ()))
    if len(header) == 1 and any(mark in header[0] for mark in ";\t|"):
        raise InputError(
            f"{name}: one column alone, {quoted(header[0])}; separate cells by commas, or by tabs "
            "in a .tsv file"
        )
    for title, count in Counter(header).items():
        if count > 1:
            raise InputError(f"{name}: {count} columns are called {quoted(title)}; rename one")
    places = {title: at for at, title in enumerate(header)}
    columns: _Columns | None = None
    done = 0
    while chunk := list(islice(rows, _AT_ONCE)):
        for at, row in enumerate(chunk):
            if len(row) != len(header):
                raise InputError(
                    f"{name}: row {done + at + 2:,} has {len(row):,} cells, but the header has "
                    f"{len(header):,}; separate cells like the header's"
                )
        cells = list(zip(*chunk, strict=True))
        if columns is None:
            head = {title: cells[at][:_HEAD] for title, at in places.items()}
            columns = _Columns(choose(head), name, 2)
        columns.add(len(chunk), lambda title, cells=cells: cells[places[title]])  # type: ignore[misc]
        done += len(chunk)
    if columns is None:
        raise InputError(f"{name}: column names without rows; give at least one row")
    return columns.finished()


# Objects: JSON lines and arrays.


def _json_lines(lines: Iterable[str], name: str) -> Iterator[list[dict[str, Any]]]:
    done = 0
    rest = iter(lines)
    while chunk := list(islice(rest, _AT_ONCE)):
        yield _json_objects(chunk, name, done)
        done += len(chunk)


def _json_objects(lines: Sequence[str], name: str, done: int) -> list[dict[str, Any]]:
    """Return one object a line; all lines are parsed at once, and one by one if that fails."""
    import json

    if all(line[:1] == "{" and line[-1:] == "}" for line in lines):
        try:
            rows = json.loads(f"[{','.join(lines)}]", object_pairs_hook=unique_keys)
        except (ValueError, RecursionError):
            rows = []
        if len(rows) == len(lines):
            return rows  # type: ignore[no-any-return]
    rows = []
    for at, line in enumerate(lines, done + 1):
        row = parsed_json(line, f"{name}: row {at:,}", "give one object on each line")
        if not isinstance(row, dict):
            raise InputError(f"{name}: row {at:,} is not a JSON object; give one on each line")
        rows.append(row)
    return rows


def _table_of_objects(chunks: Iterator[list[dict[str, Any]]], name: str, choose: Choose) -> Table:
    columns: _Columns | None = None
    for chunk in chunks:
        if columns is None:
            titles = dict.fromkeys(title for row in chunk[:_HEAD] for title in row)
            head = {title: [row.get(title) for row in chunk[:_HEAD]] for title in titles}
            columns = _Columns(choose(head), name, 1)
        columns.add(len(chunk), lambda title, chunk=chunk: [row.get(title) for row in chunk])  # type: ignore[misc]
    if columns is None:
        raise InputError(f"{name}: empty, but JSON lines were expected")
    return columns.finished()


# What pyarrow or polars read.


def _read_json_lines_quickly(path: str, choose: Choose) -> Table | None:
    """Read a large file by a library that is installed; None where Python itself has to.

    A library reads only what is surely understood alike: any doubt, and any fault, is left to the
    reader that tells people what is wrong.
    """
    from pathlib import Path

    file = Path(path)
    if not file.is_file() or path.lower().endswith(".gz") or file.stat().st_size < _LARGE:
        return None
    try:
        import pyarrow.json
    except ImportError:
        return None
    try:
        content = pyarrow.json.read_json(path)
    except (pyarrow.ArrowException, OSError):
        return None
    return _arrow_table(content, shown(path), choose, plain=True)


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
            return frame_table(polars.read_parquet(path), choose, name)
        except (polars.exceptions.PolarsError, OSError) as error:
            raise InputError(f"{name}: cannot be read as Parquet ({_line(error)})") from None
    try:
        with open(path, "rb") as file:  # noqa: PTH123, a Path would lose a leading "./"
            content = pyarrow.parquet.ParquetFile(file)
            head = content.schema_arrow.empty_table()
            some = next(content.iter_batches(_HEAD), None)
            if some is not None:
                head = pyarrow.Table.from_batches([some])
            if not content.metadata.num_rows:
                raise InputError(f"{name}: no rows; give at least one")
            wanted = choose({title: head[title].to_pylist() for title in head.column_names})
            table = _arrow_table(content.read(list(wanted)), name, lambda _: wanted)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: cannot be read as Parquet ({_line(error)})") from None
    assert table is not None
    return table


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _arrow_table(content: Any, name: str, choose: Choose, *, plain: bool = False) -> Table | None:
    """Return the columns of an Arrow table; None if some need a closer look than `plain` ones."""
    from pyarrow import types

    head = {title: content[title][:_HEAD].to_pylist() for title in content.column_names}
    wanted = choose(head)
    labels: dict[str, Labels] = {}
    numbers: dict[str, NDArray[np.float64]] = {}
    texts: dict[str, Sequence[str | None]] = {}
    words: dict[str, tuple[str, ...]] = {}
    for title, kind in wanted.items():
        column = content[title]
        of = column.type
        is_text = types.is_string(of) or types.is_large_string(of)
        is_number = types.is_integer(of) or types.is_floating(of) or types.is_boolean(of)
        if kind == "label" and (is_text or types.is_integer(of)):
            labels[title] = _arrow_labels(column)
        elif kind == "number" and is_number:
            numbers[title] = column.cast("float64").to_numpy()
            _NumberColumn(title).check(numbers[title], lambda at: f"{name}: row {at + 1:,}")
        elif plain and not (kind == "number" and is_text):
            return None
        else:
            columns = _Columns({title: kind}, name, 1)
            columns.add(len(column), lambda _, column=column: column.to_pylist())  # type: ignore[misc]
            one = columns.finished()
            labels |= one.labels
            numbers |= one.numbers
            texts |= one.texts
            words |= one.words
    return Table(name, len(content), labels, numbers, texts, words=words)


def _arrow_labels(column: Any) -> Labels:
    encoded = column.combine_chunks().dictionary_encode()
    encoded = getattr(encoded, "combine_chunks", lambda: encoded)()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    labels = _LabelColumn()
    values = encoded.dictionary.to_pylist()
    labels.add(values, lambda _: "a label")
    places = labels.finished()
    return Labels(_recoded(codes, places.codes), places.values)


# Data frames, of whatever library.


def is_frame(data: object) -> bool:
    """Return whether something is a data frame of pandas, polars, pyarrow or their like."""
    kind = type(data)  # whose members are looked at without computing anything
    return any(hasattr(kind, name) for name in ("columns", "column_names")) and any(
        hasattr(kind, name)
        for name in ("__arrow_c_stream__", "__dataframe__", "__narwhals_dataframe__", "collect")
    )


def _frame(frame: object, name: str) -> Any:
    """Return a data frame with rows, as one library knows those of all."""
    import narwhals as nw

    try:
        known: Any = nw.from_native(frame)
    except nw.exceptions.DuplicateError:
        raise InputError(f"{name}: two columns have the same name; rename one") from None
    except TypeError:
        raise InputError(
            f"{name}: a {type(frame).__name__}, which is not known; give a frame of pandas, polars "
            "or pyarrow"
        ) from None
    if isinstance(known, nw.LazyFrame):
        known = known.collect()
    if not len(known):
        raise InputError(f"{name}: no rows; give at least one")
    for title, count in Counter(known.columns).items():
        if count > 1:
            raise InputError(f"{name}: {count} columns are called {quoted(title)}; rename one")
    return known


def _cells(series: Any) -> list[object]:
    """Return the cells of a frame's column; what is missing is None, whatever the frame has."""
    cells: list[object] = series.to_list()
    missing = series.is_null().to_numpy()
    if missing.any():  # pandas' NA can be neither compared nor asked for its truth
        return [None if lacks else cell for cell, lacks in zip(cells, missing, strict=True)]
    return cells


def frame_table(frame: object, choose: Choose, name: str = "the data frame") -> Table:
    """Return the columns that `choose` wants of a data frame."""
    import narwhals as nw

    known = _frame(frame, name)
    start = known.head(_HEAD)
    wanted = choose({title: _cells(start[title]) for title in known.columns})
    columns = _Columns(wanted, name, 1)

    def cells(title: str) -> Sequence[object]:
        series = known[title]
        if wanted[title] == "number" and (series.dtype.is_numeric() or series.dtype == nw.Boolean):
            return series.cast(nw.Float64()).to_numpy().tolist()  # type: ignore[no-any-return]
        return _cells(series)

    columns.add(len(known), cells)
    return columns.finished()


def holds_columns(path: str) -> bool:
    """Return whether a file has columns and no lines: Parquet."""
    return ending(path) == ".parquet"


def whole_columns(data: object) -> dict[str, Sequence[object]]:
    """Return all columns of a Parquet file or of a data frame, as lists."""
    if not isinstance(data, str):
        known = _frame(data, "the data frame")
        return {title: _cells(known[title]) for title in known.columns}
    try:
        import pyarrow.parquet
    except ImportError:
        table = _read_parquet(data, lambda head: dict.fromkeys(head, "label"))
        return {
            title: [None if code < 0 else column.values[code] for code in column.codes.tolist()]
            for title, column in table.labels.items()
        }
    try:
        with open(data, "rb") as file:  # noqa: PTH123, a Path would lose a leading "./"
            content = pyarrow.parquet.read_table(file)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{shown(data)}: cannot be read as Parquet ({_line(error)})") from None
    return {title: content[title].to_pylist() for title in content.column_names}


def holds_numbers(cells: Sequence[object]) -> bool:
    """Return whether cells are numbers, or empty, and some number is among them."""
    found = [_number(cell) for cell in cells]
    return None not in found and any(number == number for number in found)


def holds_words(cells: Sequence[object]) -> bool:
    """Return whether cells are words that count as numbers, or empty, and some word is there."""
    others = [_number(cell) for cell in cells if _pair_of(cell) is None]
    return len(others) < len(cells) and all(
        other is not None and other != other for other in others
    )
