"""Scheme `intl`: mteval-v14's international tokenisation, by Unicode categories.

Punctuation (P) stands apart unless it is between numbers (N), symbols (S) stand apart
always. The categories are those of Python's own `unicodedata`, so characters that are newer
than its Unicode version, `unicodedata.unidata_version`, count as letters.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from weigh.tokenize.punctuation import Rules, rules

_PAGE_BITS = 8


@cache
def _page_classes(page: int) -> dict[str, str]:
    """Return for each of S, P and N the inside of a character class, for 256 code points."""
    from itertools import groupby
    from unicodedata import category

    classes = dict.fromkeys("SPN", "")
    points = range(page << _PAGE_BITS, (page + 1) << _PAGE_BITS)
    for kind, group in groupby(points, lambda point: category(chr(point))[0]):
        if kind in classes:
            run = list(group)
            classes[kind] += f"\\U{run[0]:08x}-\\U{run[-1]:08x}"
    return classes


class _Known(NamedTuple):
    """Rules that are right for every text whose characters lie on these pages."""

    pages: frozenset[int]
    rules: Rules


def _known(pages: frozenset[int]) -> _Known:
    classes = [_page_classes(page) for page in sorted(pages)]
    symbols, stops, digits = ("".join(each[kind] for each in classes) for kind in "SPN")
    return _Known(pages, rules(symbols, stops, digits))


# Looking at all of Unicode would take half a second at every start, so the rules cover the
# pages that texts have used so far. They are replaced as a whole, never changed, so that a
# thread that is at work keeps what it began with.
_latest: _Known | None = None
_growing = threading.Lock()


def _rules_for(texts: Sequence[str]) -> Rules:
    global _latest
    characters: set[str] = set()
    for text in texts:
        if not text.isascii():
            characters.update(text)
    pages = {0, *(ord(character) >> _PAGE_BITS for character in characters)}
    with _growing:
        if _latest is None or not pages <= _latest.pages:
            _latest = _known(frozenset(pages).union(_latest.pages if _latest else ()))
        return _latest.rules


def spread(texts: Sequence[str]) -> list[str]:
    """Set punctuation and symbols apart; entities are left as they are.

    >>> spread(["It’s 3,5 € «net»."])[0].split()
    ['It', '’', 's', '3,5', '€', '«', 'net', '»', '.']

    mteval-v14 does not pad the text, so punctuation between a number and either end stays.

    >>> spread(["in 1999."])[0].split()
    ['in', '1999.']
    """
    known = _rules_for(texts)
    symbols, stops = known.spread_symbols, known.spread_stops
    return [stops(symbols(text.rstrip())) for text in texts]
