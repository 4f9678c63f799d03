"""P-values and shares as papers print them."""

from __future__ import annotations

NO_NUMBER = "–"


def probability(p: float | None, decimals: int = 4) -> str:
    """Return a p-value without the zero before its point, as papers print it, or a dash for none.

    >>> probability(0.0234), probability(1.0), probability(0.000001), probability(0.99999)
    ('.0234', '1', '<.0001', '1')
    """
    if p is None:
        return NO_NUMBER
    least = 10.0**-decimals
    if p < least / 2:
        return f"<{share(least)}"
    text = f"{p:.{decimals}f}"
    return "1" if text.startswith("1") else text.removeprefix("0")


def share(value: float) -> str:
    """Return a share such as α with the digits that it needs.

    >>> share(0.05), share(0.001)
    ('.05', '.001')
    """
    return f"{value:.10f}".rstrip("0").removeprefix("0")


def p_value(p: float) -> str:
    """Return a p-value as it stands in a sentence.

    >>> p_value(0.0234), p_value(0.000001)
    ('p = .0234', 'p < .0001')
    """
    text = probability(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"
