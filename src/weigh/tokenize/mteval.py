"""Schemes `zh` and `intl`, and the punctuation rules of mteval that they share with 13a and tercom.

All have one shape. Some marks, here called symbols, stand apart wherever they are. Others,
here called stops, stay with a number: 13a's period and comma in `3.5` or `1,000`. Source:
the tokenisation of NIST's mteval-v13a and mteval-v14.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

# Every ASCII mark but the apostrophe, comma, dash and period.
WESTERN_SYMBOLS = r"!-&(-+/:-@\[-`{-~"

_DASH_AFTER_DIGIT = re.compile(r"(?<=[0-9])-")


class Rules(NamedTuple):
    """Compiled patterns for one choice of symbols, stops and digits.

    Splitting at a captured mark and joining with spaces is what substituting ` \\1 ` does,
    but stays inside the regular expression engine for the whole text.
    """

    symbol: re.Pattern[str]
    stop_after_other: re.Pattern[str]
    stop_before_other: re.Pattern[str]
    stops_before_digit: re.Pattern[str]
    other_and_stop: re.Pattern[str]

    def spread_symbols(self, text: str) -> str:
        """Set every symbol apart."""
        return " ".join(self.symbol.split(text))

    def spread_stops(self, text: str) -> str:
        """Set stops apart that follow a character other than a digit, or precede one.

        mteval substitutes pairs (character, stop) from left to right, and pairs do not
        overlap: in `a.,5` the comma follows a stop that is taken already, so it stays with
        the 5. Looking behind gives the same result but for such runs before a digit.
        """
        if self.stops_before_digit.search(text):
            text = self.other_and_stop.sub(r"\1 \2 ", text)
        else:
            text = " ".join(self.stop_after_other.split(text))
        # No two stops are neighbours any more, so that here pairs cannot overlap.
        return " ".join(self.stop_before_other.split(text))


def rules(symbols: str, stops: str, digits: str) -> Rules:
    """Compile the rules for three sets, given as the inside of a character class."""
    return Rules(
        symbol=re.compile(f"([{symbols}])"),
        stop_after_other=re.compile(f"(?<=[^{digits}])([{stops}])"),
        stop_before_other=re.compile(f"([{stops}])(?=[^{digits}])"),
        stops_before_digit=re.compile(f"[{stops}][{stops}][{digits}]"),
        other_and_stop=re.compile(f"([^{digits}])([{stops}])"),
    )


@cache
def western_rules(more_symbols: str = "") -> Rules:
    """Compile 13a's rules, with further symbols beside the Western ones."""
    return rules(WESTERN_SYMBOLS + more_symbols, ".,", "0-9")


def spread_dashes(text: str) -> str:
    """Set a dash apart that follows a digit.

    >>> spread_dashes("1999-2000 pre-war")
    '1999 - 2000 pre-war'
    """
    return _DASH_AFTER_DIGIT.sub(" - ", text)


# Scheme `zh`: every Chinese character for itself, then the punctuation rules of 13a.

# The characters that sacreBLEU takes for Chinese. Its range for Extension B is written with
# four hexadecimal digits too few and so covers U+2001 to U+2A6D, which also holds dashes,
# curly quotes, arrows and mathematical signs, while Extension B itself is not covered.
_CHINESE = (
    "\u2001-\u2a6d"
    "\u2e80-\u2eff"  # CJK radicals
    "\u2f00-\u2fdf"  # Kangxi radicals
    "\u2ff0-\u2fff"  # ideographic description
    "\u3000-\u303f"  # CJK punctuation
    "\u3100-\u312f"  # Bopomofo
    "\u31a0-\u31bf"  # Bopomofo extended
    "\u31c0-\u31ef"  # CJK strokes
    "\u3200-\u32ff"  # enclosed CJK
    "\u3300-\u33ff"  # CJK compatibility
    "\u3400-\u4db5"  # Extension A
    "\u4e00-\u9fbb"  # unified ideographs
    "\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9"  # compatibility ideographs
    "\ufe10-\ufe1f\ufe30-\ufe4f"  # vertical and compatibility forms
    "\uff00-\uffef"  # full-width and half-width forms
)


def spread_chinese(texts: Sequence[str]) -> list[str]:
    """Set Chinese characters and punctuation apart; entities are left as they are.

    >>> spread_chinese(["中文5.5字，ok."])[0].split()
    ['中', '文', '5.5', '字', '，', 'ok', '.']

    Other than in 13a a text is not padded with spaces, so a period after a number stays.

    >>> spread_chinese(["in 1999."])[0].split()
    ['in', '1999.']
    """
    rules_of_western = western_rules(_CHINESE)
    symbols, stops = rules_of_western.spread_symbols, rules_of_western.spread_stops
    return [spread_dashes(stops(symbols(text.strip()))) for text in texts]


# Scheme `intl`: mteval-v14's international tokenisation, by Unicode categories.
#
# Punctuation (P) stands apart unless it is between numbers (N), symbols (S) stand apart always.
# The categories are those of Python's own `unicodedata`, so characters that are newer than its
# Unicode version, `unicodedata.unidata_version`, count as letters.

_PAGE_BITS = 8


@cache
def _page_classes(page: int) -> dict[str, str]:
    """The insides of the character classes S, P and N for 256 code points."""
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
    symbols, stops, digits = ("".join(page[kind] for page in classes) for kind in "SPN")
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


def spread_international(texts: Sequence[str]) -> list[str]:
    """Set punctuation and symbols apart; entities are left as they are.

    >>> spread_international(["It’s 3,5 € «net»."])[0].split()
    ['It', '’', 's', '3,5', '€', '«', 'net', '»', '.']

    mteval-v14 does not pad the text, so punctuation between a number and either end stays.

    >>> spread_international(["in 1999."])[0].split()
    ['in', '1999.']
    """
    page_rules = _rules_for(texts)
    symbols, stops = page_rules.spread_symbols, page_rules.spread_stops
    return [stops(symbols(text.rstrip())) for text in texts]
