"""Bars of counts: of all cases, how many are of which kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weigh.report.grid import visible
from weigh.report.pictures.legend import Mark, legend, legend_height
from weigh.report.pictures.picture import Picture
from weigh.report.svg import lines_of_words, pixels, titled, words, wrapped

_WIDTH = 420.0
_ROW, _BAR = 24.0, 18.0
_TOP = 6.0
_LONGEST_LABEL, _LINES = 20, 3


@dataclass(frozen=True, slots=True)
class Part:
    """A kind of case: what it is called, how it is drawn, and whether numbers on it are light."""

    title: str
    class_: str
    inverse: bool = False


def bar_plot(
    rows: Sequence[tuple[str, Sequence[int]]],
    parts: Sequence[Part],
    *,
    name: str,
    title: str,
    description: str,
) -> Picture:
    """Draw a bar for every row, in which each part is as wide as its share of the cases."""
    labels = [wrapped(label, _LONGEST_LABEL, _LINES) for label, _ in rows]
    high = _ROW + 13 * (max(map(len, labels)) - 1)
    left = 14 + max(pixels(text, 12) for label in labels for text in label)
    right = _WIDTH - 8
    drawn = []
    for at, (label, counts) in enumerate(rows):
        y = _TOP + high * at + (high - _ROW) / 2
        drawn.append(lines_of_words(left - 6, y + _BAR / 2, labels[at], "end"))
        x, total = left, sum(counts)
        for part, count in zip(parts, counts, strict=True):
            if not count:
                continue
            wide = (right - left) * count / total
            told = f"{visible(label)}: {count:,} of {total:,}, {part.title}"
            place = {"x": x, "y": y, "width": wide, "height": _BAR}
            drawn.append(titled("rect", told, **place, class_=part.class_))
            if wide > pixels(f"{count}", 11) + 4:
                shade = "small middle inverse" if part.inverse else "small middle"
                drawn.append(words(x + wide / 2, y + _BAR / 2 + 4, f"{count}", shade))
            x += wide
    entries = [(Mark("box", part.class_), part.title) for part in parts]
    bottom = _TOP + high * len(rows) + 16
    drawn.append(legend(entries, 8, bottom, right))
    height = bottom + legend_height(entries, 8, right) - 8
    return Picture(name, title, description, _WIDTH, height, "".join(drawn))
