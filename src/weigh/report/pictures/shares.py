"""Shares: of all cases as bars, and by something that grows as curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weigh.report.grid import visible
from weigh.report.pictures.picture import (
    Box,
    Mark,
    Picture,
    Scale,
    bar,
    dot,
    left_axis,
    legend,
    polyline,
)
from weigh.report.svg import cut, line, lines_of_words, pixels, titled, words, wrapped

_BARS_WIDTH = 420.0
_ROW, _BAR = 24.0, 18.0
_BARS_TOP = 6.0
_LONGEST_LABEL, _LINES = 20, 3


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of case: what it is called, how it is drawn, and whether numbers on it are light."""

    title: str
    class_: str
    inverse: bool = False


def bar_plot(
    rows: Sequence[tuple[str, Sequence[int]]],
    parts: Sequence[Kind],
    *,
    name: str,
    title: str,
    description: str,
) -> Picture:
    """Draw a bar for every row, in which each part is as wide as its share of the cases."""
    labels = [wrapped(label, _LONGEST_LABEL, _LINES) for label, _ in rows]
    high = _ROW + 13 * (max(map(len, labels)) - 1)
    left = 14 + max(pixels(text, 12) for label in labels for text in label)
    right = _BARS_WIDTH - 8
    drawn = []
    for at, (label, counts) in enumerate(rows):
        y = _BARS_TOP + high * at + (high - _ROW) / 2
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
    bottom = _BARS_TOP + high * len(rows) + 16
    told, bottom = legend(entries, 8, bottom, right)
    return Picture(name, title, description, _BARS_WIDTH, bottom + 9, "".join([*drawn, told]))


_WIDTH, _HEIGHT = 480.0, 300.0
_LABEL = 12.0  # the height of one
_LEADER = 16.0  # the width of the line that leads to it


@dataclass(frozen=True, slots=True)
class Point:
    """A share in per cent at a place on the axis, what is told of it, and its interval."""

    x: float
    share: float
    told: str
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """Points from left to right, with what they are called; `kind` is a class of the drawing.

    Where they are many cases and no course, they are not `joined`.
    """

    label: str
    points: Sequence[Point]
    kind: str = ""
    joined: bool = True


def curve_plot(
    curves: Sequence[Curve],
    *,
    name: str,
    title: str,
    description: str,
    above: str,
    axis: str,
    ticks: Sequence[tuple[float, str]],
    marked: float | None = None,
    diagonal: bool = False,
    labelled: bool = True,
) -> Picture:
    """Draw curves of shares from 0 to 100%; what is read off stands `above`, the `axis` below.

    A dashed line stands at the share that is `marked`, or along the `diagonal`. Curves are
    `labelled` at their ends, or in a legend.
    """
    right = _WIDTH - 14
    if labelled:
        right -= _LEADER + max(pixels(cut(curve.label, 14), 11) for curve in curves)
    places = [*(value for value, _ in ticks), *(p.x for curve in curves for p in curve.points)]
    frame = Box(44, 26, right, _HEIGHT - 46)
    x = frame.across(places, 0.04)
    y = Scale(0.0, 100.0, frame.bottom, frame.top)
    parts = [left_axis(y, frame)]
    taken = -1e9
    for value, text in ticks:
        parts.append(frame.upright(x(value), "rule"))
        half = pixels(text, 11) / 2
        if x(value) - half > taken:
            parts.append(words(x(value), frame.bottom + 14, text, "small soft middle"))
            taken = x(value) + half + 4
    if marked is not None:
        parts.append(frame.level(y(marked), "dashed"))
    if diagonal:
        ends = [min(max(value, 0.0), 100.0) for value in (x.low, x.high)]
        parts.append(line(x(ends[0]), y(ends[0]), x(ends[1]), y(ends[1]), "dashed"))
    parts += [_drawn(curve, x, y) for curve in curves]
    parts += [words(6, 14, cut(above, 74), "small soft"), frame.below(axis)]
    if labelled:
        parts += _labels(curves, x, y)
        return Picture(name, title, description, _WIDTH, _HEIGHT, "".join(parts))
    entries = [(Mark("circle", f"point {curve.kind}".rstrip()), curve.label) for curve in curves]
    told, bottom = legend(entries, 8, _HEIGHT + 10, _WIDTH - 8)
    return Picture(name, title, description, _WIDTH, bottom + 11, "".join([*parts, told]))


def _drawn(curve: Curve, x: Scale, y: Scale) -> str:
    places = [(x(point.x), y(point.share)) for point in curve.points]
    joined = curve.joined and len(places) > 1
    parts = [polyline(places, f"curve {curve.kind}".rstrip())] if joined else []
    for point, (across, up) in zip(curve.points, places, strict=True):
        if point.interval is not None:
            parts.append(bar(across, y, point.interval, curve.kind))
        parts.append(dot(across, up, point.told, curve.kind, 3.5 if curve.joined else 2.5))
    return "".join(parts)


def _labels(curves: Sequence[Curve], x: Scale, y: Scale) -> list[str]:
    """Return labels in the order of the curves' ends, each led to by a line like its curve.

    Where ends coincide, a later curve is named above an earlier one.
    """
    ended = [curve for curve in reversed(curves) if curve.points]
    ended.sort(key=lambda curve: y(curve.points[-1].share))
    ends = [y(curve.points[-1].share) for curve in ended]
    places = list(ends)
    for at in range(1, len(places)):
        places[at] = max(places[at], places[at - 1] + _LABEL)
    lowest = y.start
    for at in reversed(range(len(places))):
        places[at] = min(places[at], lowest)
        lowest = places[at] - _LABEL
    parts = []
    for curve, end, place in zip(ended, ends, places, strict=True):
        across = x(curve.points[-1].x) + 5
        parts.append(line(across, end, across + _LEADER, place, f"curve {curve.kind}".rstrip()))
        parts.append(words(across + _LEADER + 3, place + 4, cut(curve.label, 14), "small"))
    return parts
