"""Axes: from values to places on a picture, with round numbers beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from weigh.report.svg import line, words
from weigh.wording import fixed

# Smaller numbers are zero.
_SMALLEST = 1e-150


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map: `low` stands at `start` and `high` at `stop`, in pixels."""

    low: float
    high: float
    start: float
    stop: float

    @classmethod
    def over(
        cls, values: Iterable[float], start: float, stop: float, margin: float = 0.05
    ) -> Scale:
        """Return a scale for all values, with a margin; for a single value, it in the middle."""
        given = list(values)
        low, high = min(given), max(given)
        space, size = margin * (high - low), max(abs(low), abs(high))
        # Values that floating-point numbers hardly tell apart are one.
        if high - low <= max(1e-9 * size, _SMALLEST):
            space = 0.1 * size if size > _SMALLEST else 1.0
        return cls(low - space, high + space, start, stop)

    def __call__(self, value: float) -> float:
        """Return where a value stands."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Return at most so many round values in the range, equally far apart, and their text.

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


def bottom_axis(scale: Scale, top: float, bottom: float, most: int = 6) -> str:
    """Return vertical rules from top to bottom with their values underneath."""
    parts = []
    for value, text in scale.ticks(most):
        x = scale(value)
        parts.append(line(x, top, x, bottom, "rule"))
        parts.append(words(x, bottom + 14, text, "small soft middle"))
    return "".join(parts)


def left_axis(scale: Scale, left: float, right: float, most: int = 6, *, named: bool = True) -> str:
    """Return horizontal rules from left to right, with their values before them if `named`."""
    parts = []
    for value, text in scale.ticks(most):
        y = scale(value)
        parts.append(line(left, y, right, y, "rule"))
        if named:
            parts.append(words(left - 5, y + 4, text, "small soft end"))
    return "".join(parts)
