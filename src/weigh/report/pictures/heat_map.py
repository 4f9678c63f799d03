"""Heat maps: tables of shaded cells with a legend."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from weigh.report.grid import visible
from weigh.report.markup import Markup, coordinate, element, join
from weigh.report.pictures.axes import Symbol, legend
from weigh.report.pictures.picture import Caption, Picture
from weigh.report.svg import cut, distinct_labels, pixels, text_element
from weigh.wording import plural

_LONGEST_LABEL = 24
_TOP = 20.0
_LEAST_WIDTH = 380.0
_LINE = 18.0  # of the legend
_BESIDE_LEGEND = 228.0
_WITH_TEXT = 30.0  # size of cells with room for a number
_MOST_WITH_TITLES = 40  # larger maps have no tooltips


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell: the class of its shade, its tooltip, and a number to show if there is room."""

    shade: str
    title: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class LegendLine:
    """A line of the legend: its text, and shades with their meanings."""

    text: str
    shades: Sequence[tuple[str, str]] = ()


def heat_map(
    names: Sequence[str],
    cells: Sequence[Sequence[HeatCell]],
    caption: Caption,
    lines: Sequence[LegendLine],
    *,
    column: str | None = None,
    beside: Sequence[str] = (),
) -> Picture:
    """Draw a row of cells for every name; the columns are the same names, as numbers.

    A map with a single `column` shows the column's name, and a text `beside` every row.
    """
    size = _cell_size(names, cells)
    columns = len(names) if column is None else 1
    labels = [cut(name, _LONGEST_LABEL) for name in distinct_labels(names, _LONGEST_LABEL)]
    left = 36 + max(pixels(name, 12) for name in labels)
    right = left + size * columns + 8
    small = "tiny" if size < 18 else "small"
    parts: list[Markup] = []
    shaded: list[Markup] = []
    if column is None:
        for j in range(columns):
            x = left + size * (j + 0.5)
            parts.append(text_element(x, _TOP - 6, f"{j + 1}", f"{small} soft middle"))
    else:
        parts.append(text_element(left, _TOP - 6, cut(column, _LONGEST_LABEL), "small soft"))
    for i, name in enumerate(labels):
        y = _TOP + size * (i + 0.5) + 4
        parts.append(text_element(left - 28, y, name, "end"))
        parts.append(text_element(left - 6, y, f"{i + 1}", f"{small} soft end"))
        if len(names) <= _MOST_WITH_TITLES:
            shaded += [_draw(cell, left + size * j, y, size) for j, cell in enumerate(cells[i])]
        if i < len(beside):
            parts.append(text_element(left + size * columns + 8, y, beside[i], "small soft"))
            right = max(right, left + size * columns + 16 + pixels(beside[i], 11))
    if len(names) > _MOST_WITH_TITLES:
        shaded = _shade_paths(cells, left, size)
    parts.append(_group(shaded, names, column, left, size))
    y = _TOP + size * len(names) + 22
    for line in lines:
        parts.append(text_element(8, y, line.text, "small soft"))
        entries = [(Symbol("box", f"swatch {shade}"), text) for shade, text in line.shades]
        parts.append(legend(entries, _BESIDE_LEGEND, y, math.inf)[0])
        entered = sum(24 + pixels(text, 11) for _, text in line.shades)
        right = max(right, _BESIDE_LEGEND + entered if entered else 16 + pixels(line.text, 11))
        y += _LINE
    size_of_picture = (max(_LEAST_WIDTH, right), y - 4)
    return Picture.of(caption, _describe(names, cells, lines), size_of_picture, parts)


def _describe(
    names: Sequence[str], cells: Sequence[Sequence[HeatCell]], lines: Sequence[LegendLine]
) -> str:
    """The text alternative: the number of cells of each shade."""
    shades = Counter(cell.shade for row in cells for cell in row)
    counts = [
        f"{line.text} {text}: {plural(shades[shade], 'cell')}"
        for line in lines
        for shade, text in line.shades
    ]
    return f"{'; '.join([plural(len(names), 'row'), *counts])}."


def _group(
    drawn: Sequence[Markup], names: Sequence[str], column: str | None, left: float, size: float
) -> Markup:
    """Group the cells, with the data that lets a page's script open the pair of a clicked cell."""
    import json

    names_json = json.dumps([visible(name) for name in names], ensure_ascii=False)
    return element(
        "g",
        *drawn,
        class_="pick",
        data_x=left,
        data_y=_TOP,
        data_size=size,
        data_names=names_json,
        data_column=None if column is None else visible(column),
    )


def _shade_paths(cells: Sequence[Sequence[HeatCell]], left: float, size: float) -> list[Markup]:
    """Draw all cells of a shade as one path without tooltips, which keeps large maps small."""
    paths: dict[str, list[str]] = {}
    for i, row in enumerate(cells):
        for shade, group in groupby(enumerate(row), key=lambda pair: pair[1].shade):
            run = [at for at, _ in group]
            if shade:
                x, y = coordinate(left + size * run[0]), coordinate(_TOP + size * i)
                wide = coordinate(size * len(run))
                paths.setdefault(shade, []).append(f"M{x} {y}h{wide}v{size:g}h-{wide}z")
    sheet = element(
        "rect",
        x=left,
        y=_TOP,
        width=size * len(cells[0]),
        height=size * len(cells),
        class_="cell",
    )
    shades = [element("path", d="".join(parts), class_=shade) for shade, parts in paths.items()]
    return [sheet, *shades]


def _cell_size(names: Sequence[str], cells: Sequence[Sequence[HeatCell]]) -> float:
    if len(names) > 16:
        return 18.0 if len(names) <= 32 else 13.0
    return _WITH_TEXT if any(cell.text for row in cells for cell in row) else 24.0


def _draw(cell: HeatCell, x: float, baseline: float, size: float) -> Markup:
    y = baseline - 4 - size / 2
    class_ = f"cell {cell.shade}".rstrip()
    title = element("title", cell.title)
    drawn = element("rect", title, x=x, y=y, width=size, height=size, class_=class_)
    if size < _WITH_TEXT or not cell.text:
        return drawn
    light = " on" if cell.shade[-1:] in ("2", "3") else ""
    return join([drawn, text_element(x + size / 2, baseline, cell.text, f"small middle{light}")])
