"""SVG primitives for pictures: lines, and text whose width can be estimated."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import takewhile

from weigh.report.grid import visible, width
from weigh.report.markup import Markup, coordinate, element, join
from weigh.types import grouped

_ELLIPSIS = "…"
_LINE = 13.0  # from one line of text to the next
# The average width of a character in a sans-serif font of size 1, rounded up, and the additional
# width of capitals and of the broadest letters.
_EM_PER_CELL, _EM_MORE, _EM_MUCH_MORE = 0.58, 0.12, 0.36
_BROAD = frozenset("MWmw@%<>&=+~")
# More combining marks than this on one letter would overlap the lines above.
_MOST_MARKS = 3

# Larger numbers are not drawn, so that sums and differences of drawn numbers stay finite.
LARGEST = 1e150


def is_drawable(*values: float) -> bool:
    """Whether all values are finite and small enough to be drawn."""
    return all(math.isfinite(value) and abs(value) <= LARGEST for value in values)


def text_element(x: float, y: float, text: str, class_: str | None = None) -> Markup:
    """Draw text that starts at a point; a class with `end` or `middle` aligns it differently."""
    return element("text", text, x=x, y=y, class_=class_)


def text_lines(x: float, middle: float, lines: list[str], class_: str) -> Markup:
    """Draw lines of text, one below the other, centred vertically at `middle`."""
    first = middle + 4 - _LINE * (len(lines) - 1) / 2
    return join(text_element(x, first + _LINE * at, text, class_) for at, text in enumerate(lines))


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """Draw a straight line."""
    ends = f"M{coordinate(x1)} {coordinate(y1)}L{coordinate(x2)} {coordinate(y2)}"
    return element("path", d=ends, class_=class_)


def cut(text: str, cells: int) -> str:
    """Shorten text to about the width of `cells` small letters.

    >>> cut("too long to be shown", 10)
    'too long…'
    """
    safe = visible(text)
    kept = _without_piles(safe[: 2 * cells])
    if kept == safe and _ems(safe) <= cells * _EM_PER_CELL:
        return safe
    while kept and _ems(kept + _ELLIPSIS) > cells * _EM_PER_CELL:
        kept = kept[:-1]
    return kept.rstrip() + _ELLIPSIS


def distinct_labels(names: Sequence[str], cells: int) -> list[str]:
    """Names without their shared start and end if they would look alike when shortened.

    If only some names look alike, these keep their first letters.

    >>> distinct_labels(["set2022.hyp.one.txt", "set2022.hyp.two.txt"], 8)
    ['…one…', '…two…']
    >>> distinct_labels(["one.txt", "two.txt"], 8)
    ['one.txt', 'two.txt']
    >>> distinct_labels(["transformer-big-v2", "transformer-big-v3", "rnn"], 12)
    ['transfor…v2', 'transfor…v3', 'rnn']
    """
    shortened = _without_shared(names, cells)
    labels = {name: name for name in shortened}
    for alike in grouped(labels, lambda name: cut(name, cells)).values():
        shared = len(_shared_words(alike)) if len(alike) > 1 else 0
        for name in alike if shared else ():
            rest = name[shared:]
            room = cells - width(rest) - 1
            labels[name] = (cut(name, room) if room > 1 else _ELLIPSIS) + rest
    return [labels[name] for name in shortened]


def _without_shared(names: Sequence[str], cells: int) -> list[str]:
    if len({cut(name, cells) for name in names}) == len({*names}):
        return [*names]
    start = _shared_words(names)
    rest = [name[len(start) :] for name in names]
    end = _shared_start([name[::-1] for name in rest])[::-1]
    places = [place for mark in "._-/ " if (place := end.find(mark)) >= 0]
    end = end[min(places) :] if places else ""
    kept = [name[: len(name) - len(end)] for name in rest]
    if not all(kept):
        return [*names]
    first, last = _ELLIPSIS * bool(start), _ELLIPSIS * bool(end)
    return [f"{first}{name}{last}" for name in kept]


def _shared_words(names: Sequence[str]) -> str:
    """The shared start in whole words, without letters that words happen to start with."""
    start = _shared_start(names)
    return start[: max(map(start.rfind, "._-/ ")) + 1]


def _shared_start(names: Sequence[str]) -> str:
    shared = takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in shared)


def wrap_label(text: str, cells: int, most: int = 3) -> list[str]:
    """Wrap text to lines of about `cells` small letters; the last of `most` lines is shortened.

    >>> wrap_label("bleu, randomization, bootstrap", 24)
    ['bleu, randomization,', 'bootstrap']
    """
    lines = [""]
    for piece in re.split(r"(?<=[ :,])(?=[^ ])", visible(text)):
        longer = lines[-1] + piece
        if lines[-1] and len(lines) < most and _ems(longer.rstrip()) > cells * _EM_PER_CELL:
            lines.append(piece)
        else:
            lines[-1] = longer
    return [cut(line.rstrip(), cells) for line in lines]


def pixels(text: str, size: float) -> float:
    """The approximate width of text at a font size, rather too wide than too narrow."""
    return size * _ems(text)


def _ems(text: str) -> float:
    more = sum(
        _EM_MUCH_MORE if letter in _BROAD else _EM_MORE
        for letter in text
        if letter.isupper() or letter in _BROAD
    )
    return width(text) * _EM_PER_CELL + more


def _without_piles(text: str) -> str:
    """The text up to the first combining mark too many."""
    marks = 0
    for at, character in enumerate(text):
        marks = 0 if width(character) else marks + 1
        if marks > _MOST_MARKS:
            return text[:at]
    return text
