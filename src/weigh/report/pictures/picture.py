"""A picture: SVG for a page or for a file, with a text alternative, axes and a legend."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weigh.report.svg import coordinate, cut, element, escape, line, pixels, words
from weigh.wording import fixed

_LIGHT = (
    "--ink:#1b1f24;--faint:#59636e;--line:#d4dae0;--paper:#fff;--accent:#1d5fae;"
    "--good1:#5896d2;--good2:#2a67ad;--good3:#0b2d59;--bad:#b04a12;--bad1:#d57a37;--bad3:#5e2205;"
    "--mark:#a3195b"
)
_DARK = (
    "--ink:#e8ebee;--faint:#a4aeb8;--line:#3a424a;--paper:#15181b;--accent:#7fb4ec;"
    "--good1:#3f7ab4;--good2:#86b8ec;--good3:#e3f0fd;--bad:#f0a06a;--bad1:#a8693a;--bad3:#fde8d8;"
    "--mark:#f58fc2"
)
# What inline pictures need, once on the page. Dark where the reader wants it, or where the page
# says so by data-theme; paper is light. Shades and text differ from the paper by the ratios that
# WCAG 2.2 asks for at level AA, 3 and 4.5.
STYLE = f"""\
:root{{{_LIGHT}}}
@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{_DARK}}}}}
@media screen{{:root[data-theme=dark]{{{_DARK}}}}}
.picture{{display:block;height:auto}}
.picture text{{fill:var(--ink);font:12px system-ui,sans-serif;font-variant-numeric:tabular-nums}}
.picture .small{{font-size:11px}}
.picture .tiny{{font-size:8px}}
.picture .soft{{fill:var(--faint)}}
.picture .marked{{fill:var(--mark)}}
.picture .end{{text-anchor:end}}
.picture .middle{{text-anchor:middle}}
.picture .sheet{{fill:var(--paper)}}
.picture .rule{{stroke:var(--line);fill:none}}
.picture .thin{{stroke:var(--faint);stroke-width:.4;opacity:.6;fill:none}}
.picture .axis{{stroke:var(--faint);fill:none}}
.picture .dashed{{stroke:var(--mark);stroke-dasharray:4 3;fill:none}}
.picture .actual{{stroke:var(--mark);stroke-width:1.5;fill:none}}
.picture .interval{{stroke:var(--accent);stroke-width:1.5;fill:none}}
.picture .point{{fill:var(--accent);stroke:var(--accent);stroke-width:1.5}}
.picture .against{{fill:var(--bad);stroke:var(--bad)}}
.picture .open{{fill:var(--paper);stroke:var(--faint)}}
.picture .hollow{{fill:var(--paper)}}
.picture .interval.against{{stroke:var(--bad)}}
.picture .interval.open{{stroke:var(--faint)}}
.picture .bars{{fill:var(--faint);stroke:var(--faint);stroke-width:.5;opacity:.5}}
.picture .extreme{{fill:var(--accent);stroke:var(--accent);stroke-width:.5}}
.picture .cell,.picture .swatch{{fill:var(--paper);stroke:var(--line)}}
.picture .self{{fill:var(--line)}}
.picture .good1{{fill:var(--good1)}}
.picture .good2{{fill:var(--good2)}}
.picture .good3{{fill:var(--good3)}}
.picture .bad1{{fill:var(--bad1)}}
.picture .bad2{{fill:var(--bad)}}
.picture .bad3{{fill:var(--bad3)}}
.picture .on{{fill:var(--paper)}}
.picture .node{{fill:var(--paper);stroke:var(--line)}}
.picture .node.yes{{stroke:var(--good2);stroke-width:2}}
.picture .node.no{{stroke:var(--bad);stroke-width:2;stroke-dasharray:5 3}}
.picture .node.yes.given{{fill:var(--good2)}}
.picture .node.no.given{{fill:var(--bad);stroke-dasharray:none}}
.picture text.on{{fill:var(--paper)}}
.picture .shade{{fill:var(--faint)}}
.picture text.inverse{{fill:var(--paper)}}
.picture .dashed.first{{stroke:var(--accent)}}
.picture .dashed.against{{stroke:var(--bad)}}
.picture .curve{{stroke:var(--accent);stroke-width:1.5}}
.picture .curve.open{{stroke:var(--faint)}}
.picture :is(.point,.interval,.curve).good1{{stroke:var(--good1)}}
.picture :is(.point,.interval,.curve).good2{{stroke:var(--good2)}}
.picture :is(.point,.interval,.curve).good3{{stroke:var(--good3)}}
.picture .curve.broken{{stroke-dasharray:5 2}}
.picture .curve,.picture .curve.open{{fill:none}}
"""
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing of a known size, `body`, with what it is called and what is to be seen on it.

    `name` is fit for a file and unique in a report; `title` and `description` are plain text.
    One that `keeps_size` is scrolled on a page where others would shrink.
    """

    name: str
    title: str
    description: str
    width: float
    height: float
    body: str
    keeps_size: bool = False

    def inline(self) -> str:
        """Return an element for a page that has `STYLE`; it shrinks with its container."""
        return self._element(self.body, width="100%", style=f"max-width:{round(self.width)}px")

    def standalone(self) -> str:
        """Return a whole file that looks right by itself, light or dark."""
        sheet = element("rect", width="100%", height="100%", class_="sheet")
        drawn = self._element(
            element("style", STYLE) + sheet + self.body,
            xmlns="http://www.w3.org/2000/svg",
            width=self.width,
            height=self.height,
        )
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{drawn}\n'

    def _element(self, content: str, **attributes: str | float) -> str:
        title, description = f"{self.name}-title", f"{self.name}-desc"
        said = element("title", escape(self.title), id=title)
        said += element("desc", escape(self.description), id=description)
        return element(
            "svg",
            said + content,
            class_="picture",
            role="img",
            aria_labelledby=f"{title} {description}",
            viewBox=f"0 0 {round(self.width)} {round(self.height)}",
            **attributes,
        )


def name_of(kind: str, number: int, *parts: str | None) -> str:
    """Return a name that is safe in files and pages; kind and number alone make it unique.

    >>> name_of("forest", 1, "bleu:tokenize=intl", None, "<Ä>")
    'forest-1-bleu-tokenize-intl'
    """
    slugs = [re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-") for part in parts if part]
    return "-".join([kind, str(number), *filter(None, slugs)])[:_LONGEST_NAME].rstrip("-")


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


_LINE = 17.0  # of a legend
_CELL = 6.4  # what a small letter takes of a line


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


def dot(x: float, y: float, title: str, kind: str = "", size: float = 3.5) -> str:
    """Return a point that tells its title; `kind` is a class beside that of points."""
    return Mark("circle", f"point {kind}".rstrip()).at(x, y, title, size)


def bar(x: float, y: Scale, ends: tuple[float, float], kind: str = "") -> str:
    """Return an upright interval."""
    return line(x, y(ends[0]), x, y(ends[1]), f"interval {kind}".rstrip())


def polyline(points: Iterable[tuple[float, float]], class_: str) -> str:
    """Return straight lines from point to point."""
    corners = "L".join(f"{coordinate(x)} {coordinate(y)}" for x, y in points)
    return element("path", d=f"M{corners}", class_=class_)


def legend(
    entries: Sequence[tuple[Mark, str]], left: float, y: float, right: float
) -> tuple[str, float]:
    """Return marks with their meanings, on further lines where room ends, and the last line's y."""
    parts = []
    x = left
    for mark, text in entries:
        wide = 24 + pixels(text, 11)
        if x > left and x + wide > right:
            x, y = left, y + _LINE
        parts.append(mark.at(x + 5, y - 4))
        parts.append(words(x + 14, y, text, "small"))
        x += wide
    return "".join(parts), y


@dataclass(frozen=True, slots=True)
class Box:
    """A part of a picture, from its upper left to its lower right corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def middle(self) -> float:
        """How far to the right its middle is."""
        return (self.left + self.right) / 2

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

    def across(
        self, values: Iterable[float], margin: float = 0.05, *, turned: bool = False
    ) -> Scale:
        """Return a scale from left to right, or to the left if it is turned."""
        ends = (self.right, self.left) if turned else (self.left, self.right)
        return Scale.over(values, *ends, margin=margin)

    def up(self, values: Iterable[float], margin: float = 0.05, *, turned: bool = False) -> Scale:
        """Return a scale from the bottom to the top, or down if it is turned."""
        ends = (self.top, self.bottom) if turned else (self.bottom, self.top)
        return Scale.over(values, *ends, margin=margin)

    def above(self, text: str) -> str:
        """Return what the upright axis means, over its end."""
        return words(6, 14, cut(text, round((self.right - 6) / _CELL)), "small soft")

    def below(self, text: str, down: float = 36, class_: str = "small soft") -> str:
        """Return what stands under the middle, so far down."""
        shown = cut(text, round(2 * (self.middle - 6) / _CELL))
        return words(self.middle, self.bottom + down, shown, f"{class_} middle")

    def upright(self, x: float, class_: str, title: str = "") -> str:
        """Return a line from top to bottom, which may tell its title."""
        return line(x, self.top, x, self.bottom, class_, title)

    def level(self, y: float, class_: str) -> str:
        """Return a line from left to right."""
        return line(self.left, y, self.right, y, class_)


def bottom_axis(scale: Scale, frame: Box, most: int = 6) -> str:
    """Return upright rules with their values underneath."""
    parts = []
    for value, text in scale.ticks(most):
        x = scale(value)
        parts.append(line(x, frame.top, x, frame.bottom, "rule"))
        parts.append(words(x, frame.bottom + 14, text, "small soft middle"))
    return "".join(parts)


def left_axis(scale: Scale, frame: Box, most: int = 6, *, named: bool = True) -> str:
    """Return level rules, with their values before them if `named`."""
    parts = []
    for value, text in scale.ticks(most):
        y = scale(value)
        parts.append(line(frame.left, y, frame.right, y, "rule"))
        if named:
            parts.append(words(frame.left - 5, y + 4, text, "small soft end"))
    return "".join(parts)
