"""What marks on a picture mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weigh.report.svg import element, escape, pixels, words

_LINE = 17.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A shape with its class: a `circle`, a `square` or a larger `box`."""

    shape: str
    class_: str

    def at(self, x: float, y: float, title: str = "", size: float = 3.5) -> str:
        """Return the shape around a point; a `title` is shown when a pointer rests on it."""
        if self.shape == "circle":
            place: dict[str, float] = {"cx": x, "cy": y, "r": size}
        else:
            half = size if self.shape == "square" else 5.0
            place = {"x": x - half, "y": y - half, "width": 2 * half, "height": 2 * half}
        tag = "circle" if self.shape == "circle" else "rect"
        told = element("title", escape(title)) if title else ""
        return element(tag, told, **place, class_=self.class_)


def legend(entries: Sequence[tuple[Mark, str]], left: float, y: float, right: float) -> str:
    """Return marks with their meanings beside each other, on further lines where room ends."""
    parts = []
    x = left
    for mark, text in entries:
        wide = 24 + pixels(text, 11)
        if x > left and x + wide > right:
            x, y = left, y + _LINE
        parts.append(mark.at(x + 5, y - 4))
        parts.append(words(x + 14, y, text, "small"))
        x += wide
    return "".join(parts)


def legend_height(entries: Sequence[tuple[Mark, str]], left: float, right: float) -> float:
    """Return how high a legend is."""
    x, lines = left, 1
    for _, text in entries:
        wide = 24 + pixels(text, 11)
        if x > left and x + wide > right:
            x, lines = left, lines + 1
        x += wide
    return _LINE * lines
