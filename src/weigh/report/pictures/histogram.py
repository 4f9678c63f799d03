"""Histograms with a marked value and highlighted extreme regions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from weigh.report.markup import Markup, coordinate, element, join
from weigh.report.pictures.axes import NO_NUMBERS, Scale
from weigh.report.pictures.picture import Caption, Picture
from weigh.report.svg import cut, is_drawable, line, pixels, text_element
from weigh.wording import plural

_WIDTH, _HEIGHT = 240.0, 150.0
_TOP, _BOTTOM = 36.0, 112.0

# A part of a bin: from, to, count of the bin.
Bar = tuple[float, float, int]
Region = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Bins:
    """Counts in bins of equal width."""

    start: float
    width: float
    counts: Sequence[int]

    @property
    def bars(self) -> list[Bar]:
        """The bins as bars, without empty bins at the ends."""
        used = [at for at, count in enumerate(self.counts) if count]
        return [
            (self.start + at * self.width, self.start + (at + 1) * self.width, self.counts[at])
            for at in range(used[0], used[-1] + 1)
        ]


def histogram(
    bins: Bins,
    caption: Caption,
    *,
    heading: str,
    marked: tuple[float, str],
    extreme: Iterable[Region],
    notes: tuple[str, str],
) -> Picture:
    """Draw a small histogram with a line at the `marked` value, labelled with its text.

    Parts of bins in `extreme` regions are highlighted. Of the two `notes` below, the second, at the
    right, is omitted if there is no room for it.
    """
    if is_drawable(marked[0], bins.start, bins.width) and bins.width > 0 and any(bins.counts):
        drawn = _draw(bins, marked, extreme)
    else:
        drawn = text_element(10, _BOTTOM, NO_NUMBERS, "small soft")
    parts = [text_element(10, 14, cut(heading, 36), "small"), drawn]
    parts.append(text_element(10, _HEIGHT - 6, notes[0], "small"))
    if pixels("".join(notes), 11) <= _WIDTH - 30:
        parts.append(text_element(_WIDTH - 10, _HEIGHT - 6, notes[1], "small soft end"))
    description = f"{plural(sum(bins.counts), 'value')}, marked: {marked[1] or 'none'}, {notes[0]}."
    return Picture.of(caption, description, (_WIDTH, _HEIGHT), parts)


def split(bars: Iterable[Bar], extreme: Iterable[Region]) -> tuple[list[Bar], list[Bar]]:
    """Split bars at the ends of extreme regions, and return the usual and the extreme parts."""
    regions = list(extreme)
    cuts = sorted(end for region in regions for end in region if math.isfinite(end))
    usual: list[Bar] = []
    inside: list[Bar] = []
    for low, high, count in bars:
        edges = [low, *(cut for cut in cuts if low < cut < high), high]
        for first, last in pairwise(edges):
            middle = (first + last) / 2
            is_extreme = any(region[0] <= middle <= region[1] for region in regions)
            (inside if is_extreme else usual).append((first, last, count))
    return usual, inside


def _draw(bins: Bins, marked: tuple[float, str], extreme: Iterable[Region]) -> Markup:
    value, label = marked
    bars = bins.bars
    across = Scale.over([value, bars[0][0], bars[-1][1]], 10, _WIDTH - 10, 0.02)
    up = Scale(0, max(bins.counts), _BOTTOM, _TOP + 4)
    usual, inside = split(bars, extreme)
    x = across(value)
    beside, anchor = (x + 4, "") if x < _WIDTH / 2 else (x - 4, " end")
    parts = [
        _steps(usual, across, up, "bars"),
        _steps(inside, across, up, "extreme"),
        line(10, _BOTTOM, _WIDTH - 10, _BOTTOM, "axis"),
        line(x, _TOP - 12, x, _BOTTOM, "actual"),
        text_element(beside, _TOP - 4, label, f"small marked{anchor}"),
    ]
    for tick, text in across.ticks(5):
        if pixels(text, 11) / 2 <= min(across(tick), _WIDTH - across(tick)):
            parts.append(text_element(across(tick), _BOTTOM + 14, text, "small soft middle"))
    return join(parts)


def _steps(bars: list[Bar], x: Scale, y: Scale, class_: str) -> Markup:
    """Draw bars as one path, without lines between neighbours."""
    if not bars:
        return Markup()
    floor = coordinate(y.start)
    path = ""
    before = None
    for low, high, count in bars:
        if low != before:
            down = f"V{floor}" if path else ""
            path += f"{down}M{coordinate(x(low))} {floor}"
        path += f"V{coordinate(y(count))}H{coordinate(x(high))}"
        before = high
    return element("path", d=f"{path}V{floor}Z", class_=class_)
