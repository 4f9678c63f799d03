"""Axes, symbols and legends, shared by all kinds of pictures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weigh.report.markup import Markup, coordinate, element, join
from weigh.report.svg import cut, is_drawable, line, pixels, text_element
from weigh.wording import fixed

# Smaller numbers count as zero.
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
        """A scale that covers all values, with a margin on both sides; one value is centred."""
        covered = list(values)
        low, high = min(covered), max(covered)
        space, size = margin * (high - low), max(abs(low), abs(high))
        # A range close to floating-point precision counts as a single value.
        if high - low <= max(1e-9 * size, _SMALLEST):
            space = 0.1 * size if size > _SMALLEST else 1.0
        return cls(low - space, high + space, start, stop)

    def __call__(self, value: float) -> float:
        """The position of a value, in pixels."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """At most `most` equally spaced round values in the range, with their text.

        The values are multiples of 1, 2 or 5 times a power of ten.
        """
        power = math.floor(math.log10((self.high - self.low) / most))
        for number in range(2 * most):  # three steps for each power of ten
            exponent, digit = power + number // 3, (1, 2, 5)[number % 3]
            step = digit * 10.0**exponent
            first, last = math.ceil(self.low / step), math.floor(self.high / step)
            if last - first < most:
                break
        ticks = [_multiple(count * digit, exponent) for count in range(first, last + 1)]
        return [(value, _tick_text(value, exponent)) for value in ticks]


def _multiple(count: int, exponent: int) -> float:
    # Dividing by a power of ten rounds once; multiplying by its inexact inverse rounds twice.
    return count * 10.0**exponent if exponent >= 0 else count / 10.0**-exponent


def _tick_text(value: float, exponent: int) -> str:
    if exponent >= -6 and abs(value) < 1e7:
        return fixed(value, max(0, -exponent))
    return f"{value:.6g}"


_LINE = 17.0  # of a legend
_FEWEST_FOR_OUTLIERS = 5
_CELL = 6.4  # the width of a small letter


@dataclass(frozen=True, slots=True)
class Symbol:
    """A shape with its class: a `circle`, a `square` or a larger `box`."""

    shape: str
    class_: str

    def at(self, x: float, y: float, title: str = "", size: float = 3.5) -> Markup:
        """Draw the shape centred at a point, with `title` as its tooltip."""
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
    """Draw symbols with their meanings, on several lines if needed; also return the last y."""
    parts = []
    x = left
    for symbol, text in entries:
        width = 24 + pixels(text, 11)
        if x > left and x + width > right:
            x, y = left, y + _LINE
        parts.append(symbol.at(x + 5, y - 4))
        parts.append(text_element(x + 14, y, text, "small"))
        x += width
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
        """Whether the boxes overlap."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def holds(self, other: Box) -> bool:
        """Whether the other box lies inside this one."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """The point of the box that is nearest to (x, y)."""
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)

    def y_title(self, text: str) -> Markup:
        """Draw the title of the vertical axis."""
        return text_element(6, 14, cut(text, round((self.right - 6) / _CELL)), "small soft")

    def text_below(self, text: str, down: float = 36) -> Markup:
        """Draw text centred below the box, `down` pixels below its bottom edge."""
        shortened = cut(text, round(2 * (self.middle - 6) / _CELL))
        return text_element(self.middle, self.bottom + down, shortened, "small soft middle")

    def vertical_line(self, x: float, class_: str) -> Markup:
        """Draw a line from top to bottom."""
        return line(x, self.top, x, self.bottom, class_)

    def horizontal_line(self, y: float, class_: str) -> Markup:
        """Draw a line from left to right."""
        return line(self.left, y, self.right, y, class_)


def without_outliers(values: Sequence[float]) -> list[float]:
    """The values within Tukey's outer fences: three interquartile ranges from the quartiles.

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
    """The options of an axis.

    Lines are drawn at the `marked` values, each with its class. The scale covers the data, the
    marked values and those in `includes`, unless `limits` fix its ends. A `robust` scale ignores
    outliers, which would squeeze the other values together. `ticks` are values with their text; the
    default is round values. With `reverse`, values decrease along the axis.
    """

    title: str = ""
    marked: Sequence[tuple[float, str]] = ()
    includes: Sequence[float] = ()
    limits: tuple[float, float] | None = None
    ticks: Sequence[tuple[float, str]] | None = None
    reverse: bool = False
    robust: bool = False

    def horizontal_scale(self, frame: Box, values: Iterable[float], margin: float = 0.05) -> Scale:
        """The horizontal scale for data in a frame."""
        return self._scale(values, (frame.left, frame.right), margin)

    def vertical_scale(self, frame: Box, values: Iterable[float], margin: float = 0.05) -> Scale:
        """The vertical scale for data in a frame."""
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
        """Draw vertical rules at the ticks with their text below, and lines at marked values."""
        parts = []
        occupied = -math.inf  # up to here, texts would overlap
        for value, text in self.ticks or scale.ticks(most):
            x, half = scale(value), pixels(text, 11) / 2
            parts.append(frame.vertical_line(x, "rule"))
            if x - half > occupied:
                parts.append(text_element(x, frame.bottom + 14, text, "small soft middle"))
                occupied = x + half + 4
        parts += [frame.vertical_line(scale(value), kind) for value, kind in self._lines()]
        return join(parts)

    def draw_beside(self, scale: Scale, frame: Box, most: int = 6) -> Markup:
        """Draw horizontal rules at the ticks with their text beside, and lines at marked values."""
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
    """Draw a note in a frame that would otherwise be empty."""
    return text_element(frame.left + 10, frame.bottom - above, NO_NUMBERS, "small soft")
