"""Axes, marks and legends that the kinds of pictures share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weigh.report.markup import Markup, coordinate, element, join
from weigh.report.svg import cut, is_drawable, line, pixels, text_element
from weigh.wording import fixed

# Smaller numbers are zero.
_SMALLEST = 1e-150


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map from `low` and `high` to the pixels `start` and `stop`."""

    low: float
    high: float
    start: float
    stop: float

    @classmethod
    def over(
        cls, values: Iterable[float], start: float, stop: float, margin: float = 0.05
    ) -> Scale:
        """Scale over all values, with a margin on both sides; a single value is in the middle."""
        listed = list(values)
        low, high = min(listed), max(listed)
        space, size = margin * (high - low), max(abs(low), abs(high))
        # Values that floating-point numbers hardly tell apart are one.
        if high - low <= max(1e-9 * size, _SMALLEST):
            space = 0.1 * size if size > _SMALLEST else 1.0
        return cls(low - space, high + space, start, stop)

    def __call__(self, value: float) -> float:
        """Position of a value, in pixels."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """At most so many equally spaced round values in the range, with their text.

        They are multiples of 1, 2 or 5 times a power of ten.
        """
        power = math.floor(math.log10((self.high - self.low) / most))
        for number in range(2 * most):  # three steps of each power are enough
            exponent, digit = power + number // 3, (1, 2, 5)[number % 3]
            step = digit * 10.0**exponent
            first, last = math.ceil(self.low / step), math.floor(self.high / step)
            if last - first < most:
                break
        ticks = [_multiple(count * digit, exponent) for count in range(first, last + 1)]
        return [(value, _shown(value, exponent)) for value in ticks]


def _multiple(count: int, exponent: int) -> float:
    # Division by a power of ten is exact where multiplication by its inverse is not.
    return count * 10.0**exponent if exponent >= 0 else count / 10.0**-exponent


def _shown(value: float, exponent: int) -> str:
    if exponent >= -6 and abs(value) < 1e7:
        return fixed(value, max(0, -exponent))
    return f"{value:.6g}"


_LINE = 17.0  # of a legend
_FEWEST_FOR_OUTLIERS = 5
_CELL = 6.4  # what a small letter takes of a line


@dataclass(frozen=True, slots=True)
class Symbol:
    """A shape with its class: a `circle`, a `square` or a larger `box`."""

    shape: str
    class_: str

    def at(self, x: float, y: float, title: str = "", size: float = 3.5) -> Markup:
        """Draw the shape around a point; `title` is its tooltip."""
        if self.shape == "circle":
            place: dict[str, float] = {"cx": x, "cy": y, "r": size}
        else:
            half = size if self.shape == "square" else 5.0
            place = {"x": x - half, "y": y - half, "width": 2 * half, "height": 2 * half}
        tag = "circle" if self.shape == "circle" else "rect"
        tooltip = [element("title", title)] if title else []
        return element(tag, *tooltip, **place, class_=self.class_)


def dot(x: float, y: float, title: str, kind: str = "", size: float = 3.5) -> Markup:
    """Draw a point with a tooltip; `kind` is a further class."""
    return Symbol("circle", f"point {kind}".rstrip()).at(x, y, title, size)


def bar(x: float, y: Scale, ends: tuple[float, float], kind: str = "") -> Markup:
    """Draw a vertical interval."""
    return line(x, y(ends[0]), x, y(ends[1]), f"interval {kind}".rstrip())


def polyline(points: Iterable[tuple[float, float]], class_: str) -> Markup:
    """Draw straight lines from point to point."""
    corners = "L".join(f"{coordinate(x)} {coordinate(y)}" for x, y in points)
    return element("path", d=f"M{corners}", class_=class_)


def legend(
    entries: Sequence[tuple[Symbol, str]], left: float, y: float, right: float
) -> tuple[Markup, float]:
    """Draw marks with their meanings on as many lines as they need; also return the last y."""
    parts = []
    x = left
    for mark, text in entries:
        wide = 24 + pixels(text, 11)
        if x > left and x + wide > right:
            x, y = left, y + _LINE
        parts.append(mark.at(x + 5, y - 4))
        parts.append(text_element(x + 14, y, text, "small"))
        x += wide
    return join(parts), y


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of a picture, from its upper left to its lower right corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def middle(self) -> float:
        """Horizontal centre."""
        return (self.left + self.right) / 2

    def touches(self, other: Box) -> bool:
        """Whether two boxes overlap."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def holds(self, other: Box) -> bool:
        """Whether another box lies inside."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """Point of the box that is nearest to another point."""
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)

    def y_title(self, text: str) -> Markup:
        """Draw the title of the vertical axis."""
        return text_element(6, 14, cut(text, round((self.right - 6) / _CELL)), "small soft")

    def text_below(self, text: str, down: float = 36) -> Markup:
        """Draw text under the middle, so many pixels below the box."""
        text_that_fits = cut(text, round(2 * (self.middle - 6) / _CELL))
        return text_element(self.middle, self.bottom + down, text_that_fits, "small soft middle")

    def vertical_line(self, x: float, class_: str) -> Markup:
        """Draw a line from top to bottom."""
        return line(x, self.top, x, self.bottom, class_)

    def horizontal_line(self, y: float, class_: str) -> Markup:
        """Draw a line from left to right."""
        return line(self.left, y, self.right, y, class_)


def without_outliers(values: Sequence[float]) -> list[float]:
    """Values within three interquartile ranges of the middle half (Tukey's far-out fences).

    >>> without_outliers([1.0, 50.0, 51.0, 52.0, 53.0])
    [50.0, 51.0, 52.0, 53.0]
    """
    ordered = sorted(values)
    if len(ordered) < _FEWEST_FOR_OUTLIERS:
        return ordered
    low, high = ordered[len(ordered) // 4], ordered[-1 - len(ordered) // 4]
    reach = 3 * (high - low)
    if not reach:
        return ordered
    return [value for value in ordered if low - reach <= value <= high + reach]


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows.

    `marked` are values with the class of the line that is drawn at them. The scale includes them
    and the values that it `includes`; `limits` fix both of its ends instead. A `robust` scale
    leaves out values far from all others, which would squeeze them. `ticks` are values with their
    text, round values if there are none. Values grow in the other direction if `reverse`.
    """

    title: str = ""
    marked: Sequence[tuple[float, str]] = ()
    includes: Sequence[float] = ()
    limits: tuple[float, float] | None = None
    ticks: Sequence[tuple[float, str]] | None = None
    reverse: bool = False
    robust: bool = False

    def horizontal_scale(self, frame: Box, values: Iterable[float], margin: float = 0.05) -> Scale:
        """Horizontal scale of the values."""
        return self._scale(values, (frame.left, frame.right), margin)

    def vertical_scale(self, frame: Box, values: Iterable[float], margin: float = 0.05) -> Scale:
        """Vertical scale of the values."""
        return self._scale(values, (frame.bottom, frame.top), margin)

    def _scale(self, values: Iterable[float], ends: tuple[float, float], margin: float) -> Scale:
        start, stop = ends[::-1] if self.reverse else ends
        if self.limits is not None:
            return Scale(*self.limits, start, stop)
        drawn = [*filter(is_drawable, values)]
        drawn = without_outliers(drawn) if self.robust else drawn
        drawn += filter(is_drawable, [*self.includes, *(value for value, _ in self.marked)])
        return Scale.over(drawn or [0.0, 1.0], start, stop, margin)

    def draw_below(self, scale: Scale, frame: Box, most: int = 6) -> Markup:
        """Draw vertical rules at the ticks, lines at marked values and the text under both."""
        parts = []
        taken = -math.inf
        for value, text in self.ticks or scale.ticks(most):
            x, half = scale(value), pixels(text, 11) / 2
            parts.append(frame.vertical_line(x, "rule"))
            if x - half > taken:
                parts.append(text_element(x, frame.bottom + 14, text, "small soft middle"))
                taken = x + half + 4
        parts += [frame.vertical_line(scale(value), kind) for value, kind in self._lines()]
        return join(parts)

    def draw_beside(self, scale: Scale, frame: Box, most: int = 6) -> Markup:
        """Draw horizontal rules at the ticks with their text, and lines at marked values."""
        parts = []
        for value, text in self.ticks or scale.ticks(most):
            parts.append(frame.horizontal_line(scale(value), "rule"))
            parts.append(text_element(frame.left - 5, scale(value) + 4, text, "small soft end"))
        parts += [frame.horizontal_line(scale(value), kind) for value, kind in self._lines()]
        return join(parts)

    def _lines(self) -> list[tuple[float, str]]:
        return [(value, kind) for value, kind in self.marked if is_drawable(value)]


NO_NUMBERS = "No numbers to draw"


def no_data_note(frame: Box, above: float = 10) -> Markup:
    """Say in a frame that there is nothing in it."""
    return text_element(frame.left + 10, frame.bottom - above, NO_NUMBERS, "small soft")
