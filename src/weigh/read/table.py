"""A table: what every file, log and data frame of results becomes.

A table has typed columns and no policy: it does not know what its columns mean. `read/roles.py`
assigns roles, and `comparing/dataset.py` builds on both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

import numpy as np

from weigh.errors import InputError
from weigh.read.text import file_label, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Column: TypeAlias = "Labels | NDArray[np.float64]"

# Up to this many combinations of labels are numbered through an array of all of them.
_MOST_COMBINATIONS = 1 << 26


class Labels(NamedTuple):
    """A column of strings, each stored once. Code -1 is a missing cell; "" is a label."""

    codes: NDArray[np.int32]
    names: Sequence[str]

    @classmethod
    def of(cls, cells: Iterable[str | None]) -> Labels:
        """Encode strings.

        >>> Labels.of(["b", None, "b"]).codes.tolist()
        [0, -1, 0]
        """
        places: dict[str | None, int] = {None: -1}
        codes = [places.setdefault(cell, len(places) - 1) for cell in cells]
        del places[None]
        return cls(np.array(codes, np.int32), [name for name in places if name is not None])

    def at(self, rows: Integers) -> tuple[str, ...]:
        """The strings of some rows, none of which is missing."""
        return tuple([self.names[code] for code in self.codes[rows].tolist()])

    def cells(self) -> list[str | None]:
        """The strings of all rows."""
        names = [*self.names, None]  # the last of which code -1 finds
        return [names[code] for code in self.codes.tolist()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Columns of equal length: labels or numbers, where NaN is a missing number.

    `where(row)` names a row as its file does, for error messages. `remarks` say how the file was
    read: "semicolons separate columns". `notation` says of a column of numbers what was written in
    their place: "pass and fail".
    """

    name: str
    columns: Mapping[str, Column]
    where: Callable[[int], str]
    remarks: tuple[str, ...] = ()
    notation: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        """The number of rows."""
        for column in self.columns.values():
            return len(column.codes) if isinstance(column, Labels) else len(column)
        return 0

    @property
    def label(self) -> str:
        """The base name of the file, for results."""
        return file_label(self.name)

    def labels(self, column: str) -> Labels:
        """A column of labels."""
        content = self.columns[column]
        assert isinstance(content, Labels), column
        return content

    def numbers(self, column: str) -> NDArray[np.float64]:
        """A column of numbers."""
        content = self.columns[column]
        assert not isinstance(content, Labels), column
        return content

    def required_labels(self, column: str, role: str) -> Labels:
        """A column of labels, none of which may be missing or empty."""
        labels = self.labels(column)
        empty = labels.codes < 0
        if "" in labels.names:
            empty |= labels.codes == list(labels.names).index("")
        if empty.any():
            raise InputError(
                f"{self.where(int(empty.argmax()))}: {quoted(column)} is empty, so the {role} is "
                "unknown; fill it in"
            )
        return labels

    def take(self, rows: Integers) -> Self:
        """The table of some rows."""
        columns = {title: _take(column, rows) for title, column in self.columns.items()}
        return replace(self, columns=columns, where=lambda row: self.where(int(rows[row])))

    def compact(self) -> Self:
        """The table without labels that no row uses."""
        columns: dict[str, Column] = {}
        for title, column in self.columns.items():
            if isinstance(column, Labels):
                used = np.unique(column.codes[column.codes >= 0])
                places = np.full(len(column.names) + 1, -1, np.int32)
                places[used] = np.arange(len(used), dtype=np.int32)
                columns[title] = Labels(places[column.codes], [column.names[at] for at in used])
            else:
                columns[title] = column
        return replace(self, columns=columns)

    def with_label(self, column: str, label: str) -> Table:
        """Add a column that holds one label in every row, or replace it."""
        added = Labels(np.zeros(len(self), np.int32), [label])
        return replace(self, columns={**self.columns, column: added})

    def melt(self, names: Sequence[str], *, into: str, value: str) -> Table:
        """Turn a wide table (one column per system) into a long one.

        Rows are ordered by system: all rows of the first of `names`, then all of the second.
        """
        size, count = len(self), len(names)
        kept = {title: column for title, column in self.columns.items() if title not in names}
        rows = np.tile(np.arange(size), count)
        columns = {title: _take(column, rows) for title, column in kept.items()}
        columns[into] = Labels(np.repeat(np.arange(count, dtype=np.int32), size), list(names))
        if isinstance(self.columns[names[0]], Labels):
            columns[value] = _stack_labels([self.labels(name) for name in names])
        else:
            _check_notation([(self, name) for name in names])
            columns[value] = np.concatenate([self.numbers(name) for name in names])
        return replace(self, columns=columns, where=lambda row: self.where(row % size))


def stack(tables: Sequence[Table], name: str) -> Table:
    """Concatenate tables; cells of columns that a table lacks are missing."""
    if len(tables) == 1:
        return tables[0]
    ends = np.cumsum([len(table) for table in tables])
    columns: dict[str, Column] = {}
    for title in dict.fromkeys(title for table in tables for title in table.columns):
        parts = [table.columns.get(title) for table in tables]
        if any(isinstance(part, Labels) for part in parts):
            columns[title] = _stack_labels(
                [
                    part if isinstance(part, Labels) else _missing_labels(len(table))
                    for part, table in zip(parts, tables, strict=True)
                ]
            )
        else:
            _check_notation([(table, title) for table in tables if title in table.columns])
            columns[title] = np.concatenate(
                [
                    part if isinstance(part, np.ndarray) else np.full(len(table), np.nan)
                    for part, table in zip(parts, tables, strict=True)
                ]
            )

    def where(row: int) -> str:
        at = int(np.searchsorted(ends, row, side="right"))
        return tables[at].where(row - (int(ends[at - 1]) if at else 0))

    remarks = tuple(dict.fromkeys(remark for table in tables for remark in table.remarks))
    return Table(name=name, columns=columns, where=where, remarks=remarks)


def _check_notation(columns: Sequence[tuple[Table, str]]) -> None:
    """Reject stacked columns with different notations, such as 65% and 65."""
    first: tuple[str | None, str] | None = None
    for table, title in columns:
        if np.isnan(table.numbers(title)).all():
            continue
        notation = table.notation.get(title)
        statement = f"{table.name}: {quoted(title)} has {notation or 'numbers'}"
        if first is None:
            first = notation, statement
        elif notation != first[0]:
            raise InputError(f"{statement}, but {first[1]}; write the same for all systems")


class Groups(NamedTuple):
    """Rows by combination of labels: the group of each row, and the first row of each group."""

    of_row: Integers
    first_rows: Integers


def group(columns: Sequence[Labels], size: int) -> Groups:
    """Number the distinct combinations of labels in order of appearance.

    >>> group([Labels.of(["x", "y", "x"])], 3).of_row.tolist()
    [0, 1, 0]
    """
    keys = np.zeros(size, np.int64)
    count = 1
    for column in columns:
        width = len(column.names) + 1
        if count * width >= 2**62:  # number what there is, so that keys stay small
            _, keys = np.unique(keys, return_inverse=True)
            count = int(keys.max()) + 1
        keys = keys * width + (column.codes + 1)
        count *= width
    if count <= max(_MOST_COMBINATIONS, 2 * size):
        first = np.full(count, -1, np.int64)
        first[keys[::-1]] = np.arange(size - 1, -1, -1)  # a key's first row is written last
        rows = np.sort(first[first >= 0])
        numbers = np.empty(count, np.int64)
        numbers[keys[rows]] = np.arange(len(rows))
        return Groups(numbers[keys], rows)
    _, rows, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(rows)
    numbers = np.empty(len(rows), np.int64)
    numbers[order] = np.arange(len(rows))
    return Groups(numbers[inverse], rows[order])


def _take(column: Column, rows: Integers) -> Column:
    if isinstance(column, Labels):
        return Labels(column.codes[rows], column.names)
    return column[rows]


def _missing_labels(size: int) -> Labels:
    return Labels(np.full(size, -1, np.int32), [])


def _stack_labels(parts: Sequence[Labels]) -> Labels:
    places: dict[str, int] = {}
    codes = []
    for part in parts:
        part_codes = [places.setdefault(name, len(places)) for name in part.names]
        codes.append(np.array([*part_codes, -1], np.int32)[part.codes])  # code -1 finds the last
    return Labels(np.concatenate(codes), list(places))


def is_frame(data: object) -> bool:
    """Whether a value is a data frame of pandas, polars, pyarrow or a similar library."""
    kind = type(data)  # whose members are looked at without computing anything
    return any(hasattr(kind, name) for name in ("columns", "column_names")) and any(
        hasattr(kind, name)
        for name in ("__arrow_c_stream__", "__dataframe__", "__narwhals_dataframe__", "collect")
    )
