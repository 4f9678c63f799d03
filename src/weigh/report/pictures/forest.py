"""Forest plots: values with their intervals, one row below the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from weigh.report.grid import visible
from weigh.report.markup import coordinate, element
from weigh.report.pictures.axes import NO_NUMBERS, Axis, Box, Symbol, dot, legend, no_data_note
from weigh.report.pictures.picture import Caption, Picture
from weigh.report.svg import (
    cut,
    distinct_labels,
    is_drawable,
    line,
    pixels,
    text_element,
    text_lines,
    wrap_label,
)
from weigh.wording import fixed, percent, plural

_WIDTH = 520.0
_TOP = 8.0
_LONGEST_LABEL = 24


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled value with its interval and the level of the interval.

    A line separates neighbouring rows of different `cluster`s. `rank` is shown before the label.
    `kind` is a class that emphasises a row (`against`) or de-emphasises it (`open`).
    """

    label: str
    value: float
    interval: tuple[float, float] | None = None
    level: float | None = None
    cluster: int | None = None
    kind: str = ""
    rank: str = ""

    @property
    def ends(self) -> tuple[float, float] | None:
        """The interval, if it can be drawn."""
        return self.interval if self.interval and is_drawable(*self.interval) else None

    def in_words(self, decimals: int) -> str:
        """Format value, rank and interval as a phrase."""
        text = fixed(self.value, decimals) + (f", rank {self.rank}" if self.rank else "")
        if self.ends is None or self.level is None:
            return text
        low, high = (fixed(end, decimals) for end in self.ends)
        return f"{text}, {percent(self.level)} interval {low} to {high}"


def forest_plot(
    rows: Sequence[Row],
    caption: Caption,
    axis: Axis,
    decimals: int,
    *,
    longest_label: int = _LONGEST_LABEL,
    label_lines: int = 1,
    entries: Sequence[tuple[Symbol, str]] = (),
) -> Picture:
    """Draw rows from top to bottom, with their values on the right and a legend of `entries`.

    Labels longer than `longest_label` are shortened, or wrapped to at most `label_lines`. Rows
    whose value cannot be drawn are omitted. More than 30 rows are drawn closer together.
    """
    rows = [row for row in rows if is_drawable(row.value)]
    names = [row.label for row in rows]
    if label_lines == 1:
        names = distinct_labels(names, longest_label)
    labels = [wrap_label(name, longest_label, label_lines) for name in names]
    line_height = 22.0 if len(rows) <= 30 else 15.0
    height = line_height + 13 * (max(map(len, labels), default=1) - 1)
    values = [fixed(row.value, decimals) for row in rows]
    ranks = max((pixels(row.rank, 11) for row in rows), default=0.0)
    left = 14 + max((pixels(text, 12) for label in labels for text in label), default=0.0)
    left += 10 + ranks if ranks else 0
    right = _WIDTH - 14 - max((pixels(text, 12) for text in values), default=0.0)
    frame = Box(left + 6, _TOP, right - 6, _TOP + height * max(len(rows), 1))
    scale = axis.horizontal_scale(
        frame, [end for row in rows for end in (row.value, *(row.ends or ()))]
    )
    parts = [axis.draw_below(scale, frame, 8)]
    for at, (row, other) in enumerate(pairwise(rows), 1):
        if row.cluster != other.cluster:
            y = _TOP + height * at
            parts.append(line(4, y, _WIDTH - 4, y, "rule"))
    for at, row in enumerate(rows):
        y = _TOP + height * (at + 0.5)
        if row.rank:
            parts.append(text_element(6, y + 4, row.rank, "small soft"))
        parts.append(text_lines(left - 6, y, labels[at], "end"))
        tooltip = f"{visible(row.label)}: {row.in_words(decimals)}"
        if not scale.low <= row.value <= scale.high:
            x, arrow = _beyond(scale(row.value), frame)
            class_ = f"point {row.kind}".rstrip()
            shape = element("path", element("title", tooltip), d=_arrow(x, y, arrow), class_=class_)
            parts.append(shape)
        else:
            if row.ends is not None:
                start, stop = (frame.nearest(scale(end), y)[0] for end in row.ends)
                parts.append(line(start, y, stop, y, f"interval {row.kind}".rstrip()))
            parts.append(dot(scale(row.value), y, tooltip, row.kind, 4.0))
        parts.append(text_element(_WIDTH - 6, y + 4, values[at], "end"))
    if not rows:
        parts.append(no_data_note(frame, 6))
    title = cut(axis.title, 60)
    middle = min((left + right) / 2, _WIDTH - 6 - pixels(title, 11) / 2)
    parts.append(text_element(middle, frame.bottom + 32, title, "small soft middle"))
    bottom = frame.bottom + 33
    if entries:
        drawn, bottom = legend(entries, 8, frame.bottom + 54, _WIDTH - 8)
        parts.append(drawn)
    description = _describe(rows, decimals)
    return Picture.of(caption, description, (_WIDTH, bottom + 9), parts)


def _beyond(x: float, frame: Box) -> tuple[float, int]:
    """The edge at which to draw a value outside the frame, and the direction to it."""
    return (frame.left + 4, -1) if x < frame.left else (frame.right - 4, 1)


def _arrow(x: float, y: float, direction: int) -> str:
    return f"M{coordinate(x - 4 * direction)} {coordinate(y - 4)}v8l{8 * direction} -4z"


def _describe(rows: Sequence[Row], decimals: int) -> str:
    """The text alternative: the first and the last row, and the number of clusters."""
    if not rows:
        return f"{NO_NUMBERS}."
    first, last = rows[0], rows[-1]
    text = f"{plural(len(rows), 'row')}: {visible(first.label)} has {first.in_words(decimals)}"
    if len(rows) > 1:
        text += f"; {visible(last.label)} is last with {last.in_words(decimals)}"
    if len(clusters := {row.cluster for row in rows}) > 1:
        text += f". Lines separate {len(clusters)} clusters"
    return f"{text}."
