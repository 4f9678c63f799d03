"""Systems as points on a plane, with names that do not lie on each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from weigh.report.svg import cut, line, pixels, titled, words

_SIZE = 11.0
_RADIUS = 4.0
_LONGEST_LABEL = 18


@dataclass(frozen=True, slots=True)
class Box:
    """A part of a picture, from its upper left to its lower right corner."""

    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: Box) -> bool:
        """Return whether two boxes overlap."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def holds(self, other: Box) -> bool:
        """Return whether another box lies inside."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """Return the point of the box that is nearest to another."""
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)


@dataclass(frozen=True, slots=True)
class Point:
    """A system at a place in pixels."""

    x: float
    y: float
    label: str
    title: str


def scatter(points: Sequence[Point], frame: Box) -> tuple[str, int]:
    """Return points with labels, and how many labels found no room.

    A label stands beside its point; if others are in the way, a little farther off, at a line.
    """
    taken = [_around(point) for point in points]
    dots, labels = [], []
    homeless = 0
    for point in points:
        dots.append(
            titled("circle", point.title, cx=point.x, cy=point.y, r=_RADIUS, class_="point")
        )
        text = cut(point.label, _LONGEST_LABEL)
        place = _free(point, text, taken, frame)
        if place is None:
            homeless += 1
            continue
        taken.append(place)
        nearest = place.nearest(point.x, point.y)
        if math.dist(nearest, (point.x, point.y)) > 3 * _RADIUS:
            labels.append(line(point.x, point.y, *nearest, "axis"))
        labels.append(_label(place, point, text))
    return "".join([*labels, *dots]), homeless


def _label(place: Box, point: Point, text: str) -> str:
    """Return the text, held fast where its point is, since no font is as wide as expected."""
    y = place.bottom - 3
    if place.left >= point.x:
        return words(place.left, y, text, "small")
    if place.right <= point.x:
        return words(place.right, y, text, "small end")
    return words((place.left + place.right) / 2, y, text, "small middle")


def _around(point: Point) -> Box:
    reach = _RADIUS + 1
    return Box(point.x - reach, point.y - reach, point.x + reach, point.y + reach)


def _free(point: Point, text: str, taken: Sequence[Box], frame: Box) -> Box | None:
    """Return the nearest place for a label where nothing is, or None."""
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
