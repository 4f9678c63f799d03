"""Scatter plots: labelled points on a plane."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from weigh.report.markup import Markup, join
from weigh.report.pictures.axes import NO_NUMBERS, Axis, Box, dot, no_data_note
from weigh.report.pictures.picture import Caption, Picture
from weigh.report.svg import cut, is_drawable, line, pixels, text_element
from weigh.wording import plural

_SIZE = 11.0
_RADIUS = 4.0
_LONGEST_LABEL = 18
_MARGIN = 0.1  # leaves room for labels
_MOST_DESCRIBED = 12


@dataclass(frozen=True, slots=True)
class LabelledPoint:
    """A point with its label and tooltip."""

    label: str
    x: float
    y: float
    title: str


def scatter_plot(
    points: Sequence[LabelledPoint],
    caption: Caption,
    x: Axis,
    y: Axis,
    size: tuple[float, float] = (480.0, 320.0),
) -> Picture:
    """Draw points with their labels; the description counts labels for which there was no room.

    Points that cannot be drawn are omitted.
    """
    width, height = size
    points = [point for point in points if is_drawable(point.x, point.y)]
    frame = Box(52, 24, width - 20, height - 40)
    across = x.horizontal_scale(frame, [point.x for point in points], _MARGIN)
    up = y.vertical_scale(frame, [point.y for point in points], _MARGIN)
    places = [replace(point, x=across(point.x), y=up(point.y)) for point in points]
    drawn, left_out = place_labels(places, replace(frame, right=width - 2))
    parts = [x.draw_below(across, frame), y.draw_beside(up, frame), drawn]
    parts += [frame.y_title(y.title), frame.text_below(x.title, 32)]
    if not points:
        parts.append(no_data_note(frame))
    titles = [point.title for point in points]
    more = len(titles) - _MOST_DESCRIBED
    listed = "; ".join([*titles[:_MOST_DESCRIBED], *([f"{more:,} more"] if more > 0 else [])])
    description = f"{plural(len(points), 'point')}. {listed}." if points else f"{NO_NUMBERS}."
    if left_out:
        description += f" No room for {plural(left_out, 'label')}."
    return Picture.of(caption, description, size, parts)


def place_labels(points: Sequence[LabelledPoint], frame: Box) -> tuple[Markup, int]:
    """Draw points, given in pixels, with their labels; also count labels without room.

    A label is placed next to its point or, if the space is occupied, at the end of a line.
    """
    taken = [_around(point) for point in points]
    dots, labels = [], []
    left_out = 0
    for point in points:
        dots.append(dot(point.x, point.y, point.title, size=_RADIUS))
        text = cut(point.label, _LONGEST_LABEL)
        place = _free_place(point, text, taken, frame)
        if place is None:
            left_out += 1
            continue
        taken.append(place)
        nearest = place.nearest(point.x, point.y)
        if math.dist(nearest, (point.x, point.y)) > 3 * _RADIUS:
            labels.append(line(point.x, point.y, *nearest, "axis"))
        labels.append(_label(place, point, text))
    return join([*labels, *dots]), left_out


def _label(place: Box, point: LabelledPoint, text: str) -> Markup:
    """Draw a label, anchored on the side of its point, since the widths of fonts vary."""
    y = place.bottom - 3
    if place.left >= point.x:
        return text_element(place.left, y, text, "small")
    if place.right <= point.x:
        return text_element(place.right, y, text, "small end")
    return text_element((place.left + place.right) / 2, y, text, "small middle")


def _around(point: LabelledPoint) -> Box:
    reach = _RADIUS + 1
    return Box(point.x - reach, point.y - reach, point.x + reach, point.y + reach)


def _free_place(point: LabelledPoint, text: str, taken: Sequence[Box], frame: Box) -> Box | None:
    """The nearest free place for a label, if there is one."""
    wide, high = pixels(text, _SIZE), _SIZE + 2
    for away in (0.0, 8.0, 16.0, 26.0, 38.0, 52.0):
        rise = high + away
        for left, middle in (
            (point.x + 7 + away / 2, point.y),
            (point.x - 7 - away / 2 - wide, point.y),
            (point.x + 4, point.y - rise),
            (point.x + 4, point.y + rise),
            (point.x - 4 - wide, point.y - rise),
            (point.x - 4 - wide, point.y + rise),
            (point.x - wide / 2, point.y - rise),
            (point.x - wide / 2, point.y + rise),
        ):
            place = Box(left, middle - high / 2, left + wide, middle + high / 2)
            if frame.holds(place) and not any(place.touches(other) for other in taken):
                return place
    return None
