"""Curves: values over a growing quantity, joined by lines or as single points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weigh.report.markup import Markup, join
from weigh.report.pictures.axes import (
    Axis,
    Box,
    Scale,
    Symbol,
    bar,
    dot,
    legend,
    no_data_note,
    polyline,
)
from weigh.report.pictures.picture import Caption, Picture
from weigh.report.svg import cut, is_drawable, line, pixels, text_element
from weigh.wording import plural

_WIDTH, _HEIGHT = 480.0, 300.0
_LONGEST_LABEL = 14
_LABEL = 12.0  # height of a label
_LEADER = 16.0  # width of the line between a curve and its label


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A value `y` at `x`, with its tooltip and interval; if it `stands_out`, its dot is larger."""

    x: float
    y: float
    title: str
    interval: tuple[float, float] | None = None
    stands_out: bool = False

    @property
    def is_drawable(self) -> bool:
        """Whether the position and the interval can be drawn."""
        return is_drawable(self.x, self.y, *(self.interval or ()))


@dataclass(frozen=True, slots=True)
class Curve:
    """Points from left to right, `joined` by lines or not; `kind` is a class of the drawing."""

    label: str
    points: Sequence[CurvePoint]
    kind: str = ""
    joined: bool = True


def curve_plot(
    curves: Sequence[Curve],
    caption: Caption,
    x: Axis,
    y: Axis,
    *,
    diagonal: bool = False,
    labelled: bool = False,
) -> Picture:
    """Draw curves over two axes, with a legend or, if `labelled`, with names at their ends.

    With `diagonal`, a dashed line connects equal values of x and y. Points that cannot be drawn are
    omitted.
    """
    curves = [_drawable(curve) for curve in curves]
    right = _WIDTH - 14
    if labelled:
        right -= _LEADER + max(pixels(cut(curve.label, _LONGEST_LABEL), 11) for curve in curves)
    frame = Box(52, 26, right, _HEIGHT - 46)
    points = [point for curve in curves for point in curve.points]
    ticks = [value for value, _ in x.ticks or ()]
    across = x.horizontal_scale(frame, [*ticks, *(point.x for point in points)], 0.04)
    up = y.vertical_scale(frame, [value for p in points for value in (p.y, *(p.interval or ()))])
    parts = [y.draw_beside(up, frame), x.draw_below(across, frame)]
    if diagonal:
        start, stop = max(across.low, up.low), min(across.high, up.high)
        parts.append(line(across(start), up(start), across(stop), up(stop), "dashed"))
    parts += [_draw(curve, across, up) for curve in curves]
    parts += [frame.y_title(y.title), frame.text_below(x.title)]
    if not points:
        parts.append(no_data_note(frame))
    if labelled:
        parts += _end_labels(curves, across, up)
        return Picture.of(caption, _describe(curves, x, y), (_WIDTH, _HEIGHT), parts)
    entries = [(Symbol("circle", f"point {curve.kind}".rstrip()), curve.label) for curve in curves]
    drawn, bottom = legend(entries, 8, _HEIGHT + 10, _WIDTH - 8)
    size = (_WIDTH, bottom + 11)
    return Picture.of(caption, _describe(curves, x, y), size, [*parts, drawn])


def _describe(curves: Sequence[Curve], x: Axis, y: Axis) -> str:
    """The text alternative: the axes, and the range and both ends of every curve."""
    sentences = [f"{y.title} by {x.title}."]
    for curve in curves:
        if curve.points:
            first, last = curve.points[0], curve.points[-1]
            heights = [point.y for point in curve.points]
            sentences.append(
                f"{curve.label}: {plural(len(heights), 'point')} from {min(heights):.4g} to "
                f"{max(heights):.4g}; first {first.title}; last {last.title}."
            )
    return " ".join(sentences)


def _drawable(curve: Curve) -> Curve:
    points = [point for point in curve.points if point.is_drawable]
    return Curve(curve.label, points, curve.kind, curve.joined)


def _draw(curve: Curve, across: Scale, up: Scale) -> Markup:
    places = [(across(point.x), up(point.y)) for point in curve.points]
    parts = []
    if curve.joined and len(places) > 1:
        parts.append(polyline(places, f"curve {curve.kind}".rstrip()))
    for point, (x, y) in zip(curve.points, places, strict=True):
        if point.interval is not None:
            parts.append(bar(x, up, point.interval, curve.kind))
        size = 5.0 if point.stands_out else 3.5 if curve.joined else 2.5
        parts.append(dot(x, y, point.title, curve.kind, size))
    return join(parts)


def _end_labels(curves: Sequence[Curve], x: Scale, y: Scale) -> list[Markup]:
    """Draw labels in the vertical order of the curves' ends, each connected to its curve.

    If two curves end at the same point, the label of the later one goes on top.
    """
    labelled = [curve for curve in reversed(curves) if curve.points]
    labelled.sort(key=lambda curve: y(curve.points[-1].y))
    ends = [y(curve.points[-1].y) for curve in labelled]
    places = list(ends)
    for at in range(1, len(places)):
        places[at] = max(places[at], places[at - 1] + _LABEL)
    lowest = y.start
    for at in reversed(range(len(places))):
        places[at] = min(places[at], lowest)
        lowest = places[at] - _LABEL
    parts = []
    for curve, end, place in zip(labelled, ends, places, strict=True):
        start = x(curve.points[-1].x) + 5
        parts.append(line(start, end, start + _LEADER, place, f"curve {curve.kind}".rstrip()))
        label = cut(curve.label, _LONGEST_LABEL)
        parts.append(text_element(start + _LEADER + 3, place + 4, label, "small"))
    return parts
