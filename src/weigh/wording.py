"""Format numbers and names for readers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from weigh.errors import plural as plural

NO_NUMBER = "–"
REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the display order of the text around them (UAX 9)."""


def probability(p: float | None, decimals: int = 4) -> str:
    """Format a p-value without a leading zero, as papers do; None and NaN are a dash.

    >>> probability(0.0234), probability(1.0), probability(0.000001), probability(0.99999)
    ('.0234', '1', '<.0001', '1')
    """
    if p is None or math.isnan(p):
        return NO_NUMBER
    least = 10.0**-decimals
    if p < least / 2:
        return f"<{share(least)}"
    text = f"{p:.{decimals}f}"
    return "1" if text.startswith("1") else text.removeprefix("0")


def share(value: float) -> str:
    """Format a share such as α with as few digits as possible.

    >>> share(0.05), share(0.001)
    ('.05', '.001')
    """
    return f"{value:.10f}".rstrip("0").removeprefix("0")


def p_value(p: float | None) -> str:
    """Format a p-value for a sentence.

    >>> p_value(0.0234), p_value(0.000001)
    ('p = .0234', 'p < .0001')
    """
    text = probability(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def number_text(value: float) -> str:
    """Format a number with all its digits; whole numbers have no decimal point.

    >>> number_text(2.0), number_text(2.4), number_text(1 / 3), number_text(-0.0)
    ('2', '2.4', '0.3333333333333333', '0')
    """
    return repr(float(value) + 0.0).removesuffix(".0")


def fixed(value: float | None, decimals: int, *, sign: bool = False) -> str:
    """Format a number with a fixed number of decimals; None and infinities are a dash.

    >>> fixed(0.333, 2), fixed(0.333, 2, sign=True), fixed(-0.001, 2, sign=True)
    ('0.33', '+0.33', '0.00')
    """
    if value is None or not math.isfinite(value):
        return NO_NUMBER
    rounded = round(value, decimals) + 0.0  # −0 becomes 0
    return f"{rounded:+.{decimals}f}" if sign and rounded else f"{rounded:.{decimals}f}"


def intervals(
    ends: Sequence[tuple[float, float] | None],
    decimals: int,
    *,
    sign: bool = False,
    without_zero: Sequence[bool] = (),
) -> list[str]:
    """Format intervals with aligned ends.

    An unbounded end (of a one-sided interval) is infinite, or NaN if it was read from JSON.
    Intervals `without_zero` are open at an end of 0.

    >>> intervals([(1.0, 9.5), (9.25, 10.0), None], 2)
    ['[1.00,  9.50]', '[9.25, 10.00]', '–']
    >>> intervals([(0.0, 0.25), (0.5, float("inf"))], 2, without_zero=[True, False])
    ['(   0, 0.25]', '[0.50,    ∞)']
    """
    texts = [
        None
        if pair is None
        else [
            ("−∞", "∞")[at]
            if not math.isfinite(end)
            else "0"
            if is_open and end == 0
            else fixed(end, decimals, sign=sign)
            for at, end in enumerate(pair)
        ]
        for pair, is_open in zip(ends, without_zero or [False] * len(ends), strict=True)
    ]
    low = max((len(pair[0]) for pair in texts if pair is not None), default=0)
    high = max((len(pair[1]) for pair in texts if pair is not None), default=0)
    limits = ("0", "∞", "−∞") if decimals else ("∞", "−∞")
    return [
        NO_NUMBER
        if pair is None
        else f"{'(' if pair[0] in limits else '['}{pair[0]:>{low}}, "
        f"{pair[1]:>{high}}{')' if pair[1] in limits else ']'}"
        for pair in texts
    ]


def percent(value: float) -> str:
    """Format a share as a percentage.

    >>> percent(0.95), percent(0.995)
    ('95%', '99.5%')
    """
    return f"{round(100 * value, 8):g}%"


def percentage(value: float | None, decimals: int = 1) -> str:
    """Format a share as a percentage with a fixed number of decimals; None and NaN are a dash.

    >>> percentage(0.5), percentage(0.12345), percentage(float("nan"))
    ('50.0%', '12.3%', '–')
    """
    text = fixed(None if value is None else 100 * value, decimals)
    return text if text == NO_NUMBER else f"{text}%"


def listed(names: Sequence[str], word: str = "and") -> str:
    """Join names for a sentence.

    >>> listed(["a", "b", "c"]), listed(["a", "b"], "or")
    ('a, b and c', 'a or b')
    """
    return f" {word} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def first_names(names: Sequence[str], most: int) -> str:
    """Join the first `most` names and count the rest.

    >>> first_names(["a", "b"], 2), first_names(["a", "b", "c"], 2)
    ('a, b', 'a, b and 1 more')
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
