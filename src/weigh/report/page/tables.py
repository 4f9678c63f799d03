"""Grids as HTML tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from weigh.report.grid import Cell, Column, Grid
from weigh.report.page.controls import choice, controls, tick, words
from weigh.report.page.html import Markup, element
from weigh.wording import plural

# More rows than this make the page slow and are not read.
MOST_ROWS = 2000
# What the script calls the fields that rows are chosen by.
_FIELDS = ("metric", "test")
_PADDING = re.compile(r"(?<=[\[ ]) +")


def table(
    grid: Grid, label: str, rows: Sequence[Mapping[str, str]] = (), name: str | None = None
) -> Markup:
    """Return a table in a box of its own that scrolls where the table is too wide.

    `rows` are attributes of the rows, in order; `name` is the table's id.
    """
    attributes = iter(rows)
    head = element("tr", *(_title(column) for column in grid.columns))
    bodies = [
        element(
            "tbody",
            *(element("tr", *_cells(grid.columns, row), **next(attributes, {})) for row in block),
        )
        for block in grid.blocks
    ]
    made = element("table", element("thead", head), *bodies, class_="sortable", id=name)
    return element("div", made, class_="scroll", role="region", aria_label=label, tabindex="0")


def ranked_table(grid: Grid, label: str) -> Markup:
    """Return a table with lines between clusters until a click sorts all rows by a column."""
    if not grid.lined:
        return table(grid, label)
    marks = [
        {"class_": "boundary"} if place == 0 and at else {}
        for at, block in enumerate(grid.blocks)
        for place, _ in enumerate(block)
    ]
    return table(Grid(grid.columns, [grid.rows]), label, marks)


def filtered_table(
    grid: Grid, label: str, significant: Sequence[bool], about: Mapping[str, Sequence[str]]
) -> list[Markup]:
    """Return a list with fields to filter it by: words, choices, and what is significant."""
    rows = grid.rows[:MOST_ROWS]
    marks = [{"data_significant": "yes" if each else "no"} for each in significant]
    choices = []
    for name, (title, values) in zip(_FIELDS, about.items(), strict=False):
        marks = [mark | {f"data_{name}": value} for mark, value in zip(marks, values, strict=True)]
        known = dict.fromkeys(values)
        if len(known) > 1:
            options = {"": "all", **{value: value for value in known}}
            choices.append(choice(f"pair-{name}", title, options))
    cut = []
    if len(rows) < len(grid.rows):
        said = f"The first {len(rows):,} of {plural(len(grid.rows), 'row')}; all are in the data."
        cut = [element("p", said, class_="faint")]
    return [
        controls(
            words("pair-text", "Systems or words"),
            *choices,
            tick("pair-significant", "Only significant"),
        ),
        element("p", plural(len(rows), "row"), id="pair-count", role="status", class_="faint"),
        table(Grid(grid.columns, [rows]), label, marks, "pair-table"),
        *cut,
    ]


def _title(column: Column) -> Markup:
    return element("th", column.heading, scope="col", class_=_class(column))


def _cells(columns: Sequence[Column], row: Sequence[Cell]) -> list[Markup]:
    first = next((at for at, column in enumerate(columns) if column.is_key), -1)
    return [
        element("th", _content(column, cell), scope="row", class_=_class(column))
        if at == first
        else element("td", _content(column, cell), class_=_class(column))
        for at, (column, cell) in enumerate(zip(columns, row, strict=True))
    ]


def _content(column: Column, cell: Cell) -> str:
    """Return names in an element that sets their width, numbers without the padding of plain text.

    A cell alone would break names at every hyphen, or grow with a name of any length.
    """
    if column.numeric:
        return _PADDING.sub("", cell.text)
    return element("span", cell.text) if column.is_key else cell.text


def _class(column: Column) -> str:
    return "number" if column.numeric else "key" if column.is_key else "remark"
