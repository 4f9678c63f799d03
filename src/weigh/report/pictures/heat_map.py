"""Heat maps: a table of shaded cells, with its legend."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from weigh.report.pictures.axes import Mark, legend
from weigh.report.pictures.picture import Caption, Picture
from weigh.report.svg import cut, pixels, titled, told_apart, words

_LONGEST_LABEL = 24
_TOP = 20.0
_LEAST_WIDTH = 380.0
_LINE = 18.0  # of the legend
_BESIDE_LEGEND = 228.0
_WITH_TEXT = 30.0  # the size of cells that have room for a number


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell: the class of its shade, its tooltip, and a number that is shown if there is room."""

    shade: str
    title: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class LegendLine:
    """A line below the map: its text, and shades with what they mean."""

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
    """Draw a row of cells for every name; the columns are the same names, by their number.

    A map of a single `column` shows its name, and a text `beside` every row.
    """
    size = _cell_size(names, cells)
    columns = len(names) if column is None else 1
    shown = [cut(name, _LONGEST_LABEL) for name in told_apart(names, _LONGEST_LABEL)]
    left = 36 + max(pixels(name, 12) for name in shown)
    right = left + size * columns + 8
    small = "tiny" if size < 18 else "small"
    parts = []
    if column is None:
        for j in range(columns):
            x = left + size * (j + 0.5)
            parts.append(words(x, _TOP - 6, f"{j + 1}", f"{small} soft middle"))
    else:
        parts.append(words(left, _TOP - 6, cut(column, _LONGEST_LABEL), "small soft"))
    for i, name in enumerate(shown):
        y = _TOP + size * (i + 0.5) + 4
        parts.append(words(left - 28, y, name, "end"))
        parts.append(words(left - 6, y, f"{i + 1}", f"{small} soft end"))
        parts += [_draw(cell, left + size * j, y, size) for j, cell in enumerate(cells[i])]
        if i < len(beside):
            parts.append(words(left + size * columns + 8, y, beside[i], "small soft"))
            right = max(right, left + size * columns + 16 + pixels(beside[i], 11))
    y = _TOP + size * len(names) + 22
    for line in lines:
        parts.append(words(8, y, line.text, "small soft"))
        entries = [(Mark("box", f"swatch {shade}"), text) for shade, text in line.shades]
        parts.append(legend(entries, _BESIDE_LEGEND, y, math.inf)[0])
        entered = sum(24 + pixels(text, 11) for _, text in line.shades)
        right = max(right, _BESIDE_LEGEND + entered if entered else 16 + pixels(line.text, 11))
        y += _LINE
    return Picture.of(caption, max(_LEAST_WIDTH, right), y - 4, "".join(parts))


def _cell_size(names: Sequence[str], cells: Sequence[Sequence[HeatCell]]) -> float:
    if len(names) > 16:
        return 18.0 if len(names) <= 32 else 13.0
    return _WITH_TEXT if any(cell.text for row in cells for cell in row) else 24.0


def _draw(cell: HeatCell, x: float, baseline: float, size: float) -> str:
    y = baseline - 4 - size / 2
    class_ = f"cell {cell.shade}".rstrip()
    drawn = titled("rect", cell.title, x=x, y=y, width=size, height=size, class_=class_)
    if size < _WITH_TEXT or not cell.text:
        return drawn
    light = " on" if cell.shade[-1:] in ("2", "3") else ""
    return drawn + words(x + size / 2, baseline, cell.text, f"small middle{light}")
