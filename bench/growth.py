"""A picture of how time grows, of the tables in bench/scale.md.

    python bench/growth.py

writes docs/gallery/growth.svg, and so does bench/scale.py --write: for everything that grows a
panel with both axes logarithmic, the measured times, and a broken line for growth that is linear.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from weigh.report.pictures.axes import Axis, Box, Scale, dot, polyline
from weigh.report.pictures.picture import Picture
from weigh.report.svg import line, text_element, wrap_label

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "docs/gallery/growth.svg"
_TITLE = re.compile(r"\| (.+?) \| CPU seconds \|.*")
_SLOPE = re.compile(r"Exponent: (.+)\.")
_ROW = re.compile(r"\| ([\d,]+) \| ([\d,.]+) \|.*")
_WIDE, _HIGH, _PER_ROW = 232.0, 190.0, 3


def exponent(points: Sequence[tuple[int, float]]) -> float:
    """Return the slope of the logarithms, by least squares."""
    logs = [(math.log(size), math.log(value)) for size, value in points]
    x, y = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    return sum((a - x) * (b - y) for a, b in logs) / sum((a - x) ** 2 for a, _ in logs)


class Growth(NamedTuple):
    """What grows, its sizes with their seconds, and the exponent."""

    name: str
    points: list[tuple[int, float]]
    exponent: str


def tables(text: str) -> Iterator[Growth]:
    """Yield what the tables of a text hold."""
    name = ""
    points: list[tuple[int, float]] = []
    for row in text.split("\n"):
        if title := _TITLE.fullmatch(row):
            name, points = title[1].replace("`", ""), []
        elif cells := _ROW.fullmatch(row):
            points.append((int(cells[1].replace(",", "")), float(cells[2].replace(",", ""))))
        elif slope := _SLOPE.fullmatch(row):
            yield Growth(name, points, slope[1])


def picture(growth: Sequence[Growth]) -> Picture:
    """Return a panel for everything that grows."""
    parts = [
        _panel(each, _WIDE * (at % _PER_ROW), 26 + _HIGH * (at // _PER_ROW))
        for at, each in enumerate(growth)
    ]
    height = 34 + _HIGH * -(-len(growth) // _PER_ROW)
    parts.append(
        text_element(6, 14, "CPU seconds by size; broken lines: linear growth", "small soft")
    )
    told = "; ".join(
        f"{name}: from {points[0][1]:g} s for {points[0][0]:,} to {points[-1][1]:g} s for "
        f"{points[-1][0]:,}, exponent {slope}"
        for name, points, slope in growth
    )
    title = "How time grows with sizes, with fitted exponents"
    return Picture("growth", title, f"{told}.", _WIDE * _PER_ROW + 8, height, "".join(parts))


def _panel(growth: Growth, left: float, top: float) -> str:
    points = growth.points
    frame = Box(left + 44, top + 38, left + _WIDE - 14, top + _HIGH - 30)
    linear = [(size, points[0][1] * size / points[0][0]) for size, _ in points]
    across = Axis().horizontal_scale(frame, (math.log10(size) for size, _ in points), 0.08)
    up = Axis().vertical_scale(
        frame, (math.log10(seconds) for _, seconds in [*points, *linear]), 0.1
    )

    def places(values: list[tuple[int, float]]) -> list[tuple[float, float]]:
        return [(across(math.log10(size)), up(math.log10(value))) for size, value in values]

    label = wrap_label(f"{growth.name}: {growth.exponent}", 34, 2)
    parts = [
        text_element(frame.left - 36, top + 12 + 13 * at, text) for at, text in enumerate(label)
    ]
    for size, _ in points:
        x = across(math.log10(size))
        parts.append(line(x, frame.top, x, frame.bottom, "rule"))
        parts.append(text_element(x, frame.bottom + 14, _short(size), "small soft middle"))
    for value in _seconds(up):
        y = up(math.log10(value))
        parts.append(line(frame.left, y, frame.right, y, "rule"))
        parts.append(text_element(frame.left - 5, y + 4, f"{value:g}", "small soft end"))
    parts.append(polyline(places(linear), "curve open broken"))
    parts.append(polyline(places(points), "curve"))
    parts += [
        dot(x, y, f"{size:,}: {seconds:g} s")
        for (x, y), (size, seconds) in zip(places(points), points, strict=True)
    ]
    return "".join(parts)


def _short(size: int) -> str:
    if size >= 1_000_000:
        return f"{size / 1e6:g} M"
    return f"{size // 1000:,} k" if size >= 10_000 or size % 1000 == 0 else str(size)


def _seconds(scale: Scale) -> list[float]:
    """Return round values in a range of logarithms, at most five."""
    powers = range(math.floor(scale.low), math.ceil(scale.high) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        values = [digit * 10.0**power for power in powers for digit in digits]
        values = [value for value in values if scale.low <= math.log10(value) <= scale.high]
        if len(values) <= 5:
            break
    return values


def draw() -> None:
    """Write the picture of what bench/scale.md holds."""
    text = (HERE / "scale.md").read_text(encoding="utf-8")
    PICTURE.write_text(picture([*tables(text)]).standalone(), encoding="utf-8")


if __name__ == "__main__":
    draw()
