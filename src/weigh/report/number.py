"""Numbers as readers want to see them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from weigh.errors import plural as plural
from weigh.stats.printed import NO_NUMBER as NO_NUMBER
from weigh.stats.printed import probability as probability
from weigh.stats.printed import share as share


def fixed(value: float | None, decimals: int, *, sign: bool = False) -> str:
    """Return a number with so many decimals, or a dash where there is none.

    >>> fixed(0.333, 2), fixed(0.333, 2, sign=True), fixed(-0.001, 2, sign=True)
    ('0.33', '+0.33', '0.00')
    """
    if value is None or not math.isfinite(value):
        return NO_NUMBER
    rounded = round(value, decimals) + 0.0  # which makes −0 plain 0
    return f"{rounded:+.{decimals}f}" if sign and rounded else f"{rounded:.{decimals}f}"


def intervals(
    ends: Sequence[tuple[float, float] | None], decimals: int, *, sign: bool = False
) -> list[str]:
    """Return intervals whose ends stand under each other.

    >>> intervals([(1.0, 9.5), (9.25, 10.0), None], 2)
    ['[1.00,  9.50]', '[9.25, 10.00]', '–']
    """
    texts = [
        None if pair is None else [fixed(end, decimals, sign=sign) for end in pair] for pair in ends
    ]
    low = max((len(pair[0]) for pair in texts if pair is not None), default=0)
    high = max((len(pair[1]) for pair in texts if pair is not None), default=0)
    return [
        NO_NUMBER if pair is None else f"[{pair[0]:>{low}}, {pair[1]:>{high}}]" for pair in texts
    ]


def percent(value: float) -> str:
    """Return a share in per cent.

    >>> percent(0.95), percent(0.995)
    ('95%', '99.5%')
    """
    return f"{round(100 * value, 8):g}%"


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
