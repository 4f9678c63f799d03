"""Building blocks of a page: fields, tables, figures and notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from weigh.report.grid import Cell, Column, Grid, Sentence, column_groups, visible
from weigh.report.markup import Markup, element
from weigh.report.parts import Note, Verdict
from weigh.wording import plural

if TYPE_CHECKING:
    from weigh.report.pictures.picture import Picture


def pack(content: bytes, name: str) -> Markup:
    """Put compressed JSON into a script element, which is not run but unpacked by scripts."""
    import base64
    import gzip

    # Without a timestamp, so that the same result makes the same page.
    text = base64.b64encode(gzip.compress(content, 9, mtime=0)).decode("ascii")
    return Markup(f'<script type="application/octet-stream" id="{name}">{text}</script>')


def controls(*fields: Markup) -> Markup:
    """A row of fields, hidden until a script shows it."""
    return element("div", *fields, class_="controls", hidden=True)


def select_field(name: str, label: str, options: Mapping[str, str], chosen: str = "") -> Markup:
    """A drop-down list; `options` are values with their labels."""
    entries = [
        element("option", text, value=value, selected=bool(chosen) and value == chosen)
        for value, text in options.items()
    ]
    return element("label", element("span", label), element("select", *entries, id=name))


def search_field(name: str, label: str) -> Markup:
    """A search field with its label."""
    field = element("input", type="search", id=name, autocomplete="off", spellcheck="false")
    return element("label", element("span", label), field)


def checkbox(name: str, label: str) -> Markup:
    """A checkbox with its label."""
    box = element("input", type="checkbox", id=name)
    return element("label", box, element("span", label), class_="tick")


# The names of filter fields in the script.
_FIELDS = ("metric", "test")
_PADDING = re.compile(r"(?<=[\[( ]) +")
# Longer lists show only their first rows; a script unpacks the others.
_LONGEST_LIST, _FIRST_ROWS = 500, 100
_FEWEST_FILTERED = 20
# Narrow screens hide optional columns with this number or more.
_LEFT_OUT = 2
_MOST_GROUPS = 3


def table(grid: Grid, rows: Sequence[Mapping[str, str]] = (), name: str | None = None) -> Markup:
    """Format a grid in a box that scrolls if the table is too wide.

    `rows` are the attributes of the rows, in order; `name` is the table's id.
    """
    grid = _fit_for_phones(grid.without_labels())
    attributes = iter(rows)
    titles = element("tr", *(_column_title(column) for column in grid.columns))
    head = element("thead", *_group_titles(grid.columns), titles)
    texts = [
        [_content(column, text, cell) for text, cell in cells]
        for column, cells in zip(grid.columns, grid.texts(), strict=True)
    ]
    bodies = [
        element(
            "tbody",
            *(element("tr", *_cells(grid.columns, row), **next(attributes, {})) for row in block),
        )
        for block in grid.in_blocks(zip(*texts, strict=True))
    ]
    body = element("table", head, *bodies, class_="sortable", id=name)
    label = grid.title or "Table"
    return element("div", body, class_="scroll", role="region", aria_label=label, tabindex="0")


def grid_table(grid: Grid) -> list[Markup]:
    """Format a grid, with filter fields or lines between clusters as needed.

    The rows of clusters form one table body, so that readers can sort all of them.
    """
    if is_filtered(grid):
        return _filtered_table(grid)
    if not grid.significant and not grid.clustered:
        return [table(grid)]
    marks = _significance(grid) or [
        {"class_": "boundary"} if place == 0 and at else {}
        for at, block in enumerate(grid.blocks)
        for place, _ in enumerate(block)
    ]
    name = "pair-table" if grid.significant else None
    return [table(replace(grid, blocks=[grid.rows]), marks, name)]


def is_filtered(grid: Grid) -> bool:
    """Whether a list is long enough to need filter fields."""
    return len(grid.significant) > _FEWEST_FILTERED


def _significance(grid: Grid) -> list[dict[str, str]]:
    return [
        {"data_significant": "yes" if is_significant else "no"}
        for is_significant in grid.significant
    ]


def _filtered_table(grid: Grid) -> list[Markup]:
    """Format a list with fields to filter it by words, choices and significance."""
    grid = grid.without_labels()
    rows = grid.rows
    marks = _significance(grid)
    choices = []
    for name, (title, values) in zip(_FIELDS, grid.choices.items(), strict=False):
        distinct = dict.fromkeys(values)
        if len(distinct) > 1:
            marks = [
                mark | {f"data_{name}": value} for mark, value in zip(marks, values, strict=True)
            ]
            options = {"": "all", **{value: value for value in distinct}}
            choices.append(select_field(f"pair-{name}", title, options))
    is_packed = len(rows) > _LONGEST_LIST
    first = _FIRST_ROWS if is_packed else len(rows)
    count = f"The first {first:,} of {plural(len(rows), 'row')}"
    content = [
        controls(
            search_field("pair-text", "Systems or words"),
            *choices,
            checkbox("pair-significant", "Only significant"),
        ),
        element(
            "p",
            count if is_packed else plural(len(rows), "row"),
            id="pair-count",
            role="status",
            class_="faint",
        ),
        table(replace(grid, blocks=[rows[:first]]), marks, "pair-table"),
    ]
    if is_packed:
        rest = replace(grid, blocks=[rows[first:]])
        label = f"Show all {len(rows):,} rows"
        content += [
            element("button", label, type="button", id="pair-all", hidden=True),
            _packed_rows(rest, marks[first:]),
        ]
    return content


def _packed_rows(grid: Grid, marks: Sequence[Mapping[str, str]]) -> Markup:
    """Pack rows for the script: texts, tones of columns that use them, and row attributes."""
    import json

    texts = grid.texts()
    tones = [[cell.tone for _, cell in column] for column in texts]
    content = {
        "classes": list(map(_class_of, grid.columns)),
        "columns": [
            [
                _PADDING.sub("", visible(text)) if column.numeric else visible(text)
                for text, _ in cells
            ]
            for column, cells in zip(grid.columns, texts, strict=True)
        ],
        "tones": {at: names for at, names in enumerate(tones) if any(names)},
        "marks": {name.removeprefix("data_"): [mark[name] for mark in marks] for name in marks[0]},
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return pack(text.encode("utf-8", "surrogatepass"), "pair-rows")


def _fit_for_phones(grid: Grid) -> Grid:
    """Hide all but the last two of many column groups (averages and ranks) on narrow screens."""
    groups = [title for title, _ in column_groups(grid.columns) if title]
    if len(groups) <= _MOST_GROUPS:
        return grid
    columns = [
        replace(column, optional=_LEFT_OUT) if column.group in groups[:-2] else column
        for column in grid.columns
    ]
    return replace(grid, columns=columns)


def _group_titles(columns: Sequence[Column]) -> list[Markup]:
    """The row with the titles of column groups, if there are any."""
    groups = column_groups(columns)
    if not any(title for title, _ in groups):
        return []
    left_out = {column.group for column in columns if column.optional >= _LEFT_OUT}
    cells = []
    for title, count in groups:
        kind = "group optional" if title in left_out else "group"
        content = element("th", title, scope="colgroup", colspan=str(count), class_=kind)
        cells.append(content if title else element("td", colspan=str(count)))
    return [element("tr", *cells)]


def _column_title(column: Column) -> Markup:
    return element("th", column.heading, scope="col", class_=_class_of(column))


def _cells(columns: Sequence[Column], row: Sequence[str]) -> list[Markup]:
    first = next((at for at, column in enumerate(columns) if column.kind == "key"), -1)
    return [
        element("th", content, scope="row", class_=_class_of(column))
        if at == first
        else element("td", content, class_=_class_of(column))
        for at, (column, content) in enumerate(zip(columns, row, strict=True))
    ]


def _content(column: Column, text: str, cell: Cell) -> str:
    """Format the content of a cell; numbers lose the padding of plain text.

    Names get an element that limits their width: otherwise a cell would wrap them at every hyphen
    or grow with the longest name.
    """
    if column.numeric:
        text = _PADDING.sub("", text)
        return element("strong", text, title="best of its column") if cell.best else text
    if cell.tone:
        return element("span", text, class_=cell.tone)
    return element("span", text) if column.kind == "key" else text


def _class_of(column: Column) -> str:
    names = ["number" if column.numeric else "key" if column.kind == "key" else "remark"]
    if column.numeric and column.attached:
        names.append("attached")
    if column.optional >= _LEFT_OUT:
        names.append("optional")
    if column.is_system:
        names.append("system")
    return " ".join(names)


def paragraphs(sentences: Iterable[str], kind: str | None = None) -> list[Markup]:
    """A paragraph for every sentence that is not empty."""
    return [element("p", *_words(text), class_=kind) for text in sentences if text]


def _words(sentence: str) -> list[str]:
    if not isinstance(sentence, Sentence):
        return [sentence]
    return [
        element("strong", text) if is_emphasised else text for text, is_emphasised in sentence.words
    ]


def figures(pictures: Sequence[Picture], kind: str = "") -> list[Markup]:
    """Pictures with their titles below, side by side where there is room."""
    if not pictures:
        return []
    drawn = []
    for picture in pictures:
        drawing = _scroll_box(picture) if picture.keeps_size else picture.inline()
        # Small pictures name their pair themselves.
        caption = [] if kind == "small" else [element("figcaption", picture.title)]
        drawn.append(element("figure", drawing, *caption))
    if any(picture.keeps_size for picture in pictures):
        return drawn
    return [element("div", *drawn, class_=f"figures {kind}".rstrip())]


def _scroll_box(picture: Picture) -> Markup:
    drawn = element("div", picture.inline(), style=f"width:{round(picture.width)}px")
    return element(
        "div", drawn, class_="scroll", role="region", aria_label=picture.title, tabindex="0"
    )


def fold(label: str, content: Iterable[str]) -> Markup:
    """Content that is hidden until a reader clicks its label."""
    return element("details", element("summary", label), *content)


def note(part: Note, *, titled: bool) -> list[Markup]:
    """Format sentences as paragraphs, or cautions as a list."""
    if not any(part.lines):
        return []
    head = [element("h3", part.title)] if titled and part.title else []
    if part.caution:
        items = [element("li", line) for line in part.lines]
        return [*head, element("ul", *items, class_="warnings")]
    return [*head, *paragraphs(part.lines)]


def verdict(part: Verdict) -> Markup:
    """Format the lines of a gate and the conclusions."""
    return element("div", *paragraphs(part.all_lines), class_=f"verdict {part.tone}")


def methods_and_signatures(methods: str, signatures: Iterable[tuple[str, str]]) -> list[Markup]:
    """The methods paragraph and the signatures, with buttons to copy them."""
    rows = []
    for title, signature in signatures:
        rows += [
            element("dt", title),
            element("dd", element("code", signature, class_="copied")),
        ]
    return [
        element("blockquote", element("p", methods, class_="copied")),
        element("dl", *rows, class_="signatures"),
    ]


def data_note(more: str = "") -> list[Markup]:
    """A note on the data in the page, and a button to save them."""
    text = (
        f"This page contains its numbers, with all digits, as a JSON document{more}. 'weigh "
        "report' reads the page as well as the JSON document."
    )
    return [
        *paragraphs([text]),
        element("button", "Save the JSON document", type="button", id="save", hidden=True),
    ]
