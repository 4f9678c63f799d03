"""The punctuation rules of mteval, which 13a, zh, intl and tercom's normaliser share.

All have one shape. Some marks, here called symbols, stand apart wherever they are. Others,
here called stops, stay with a number: 13a's period and comma in `3.5` or `1,000`. Source:
the tokenisation of NIST's mteval-v13a and mteval-v14.
"""

from __future__ import annotations

import re
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


def western_rules(more_symbols: str = "") -> Rules:
    """Compile 13a's rules, with further symbols beside the Western ones."""
    return rules(WESTERN_SYMBOLS + more_symbols, ".,", "0-9")


def spread_dashes(text: str) -> str:
    """Set a dash apart that follows a digit.

    >>> spread_dashes("1999-2000 pre-war")
    '1999 - 2000 pre-war'
    """
    return _DASH_AFTER_DIGIT.sub(" - ", text)
