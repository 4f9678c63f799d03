"""Means of values that judges and segments share: how far they would change with others of both.

Answers of one judge are alike, and so are answers on one segment. The variance of their mean is
that of judges and that of segments together, less what both count (Cameron, Gelbach & Miller 2011),
and never less than either alone.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

LEAST_JUDGES = 3
"""With fewer judges nothing can be said of others."""


class Spread(NamedTuple):
    """The variance of a mean or of an estimate, and its degrees of freedom."""

    variance: float
    freedom: float

    def half_width(self, level: float) -> float:
        """Return how far an interval reaches to either side."""
        from scipy.special import stdtrit  # much quicker to import than scipy.stats

        return float(stdtrit(self.freedom, (1 + level) / 2)) * math.sqrt(self.variance)

    def p_value(self, estimate: float) -> float:
        """Return the two-sided p-value of an estimate that would be 0."""
        from scipy.special import stdtr

        if self.variance == 0:
            return 1.0 if estimate == 0 else 0.0
        return min(1.0, 2 * float(stdtr(self.freedom, -abs(estimate) / math.sqrt(self.variance))))


def crossed_spread(
    influences: ArrayLike, judges: Sequence[Hashable], segments: Sequence[Hashable]
) -> Spread:
    """Return how an estimate would vary with other judges and other segments.

    `influences` are what each answer contributes to the estimate's error: of a mean of n values d,
    r = (d − mean)/n. With v_j, v_s = Σ (sum of r per judge; per segment)², each times G/(G − 1)
    for G groups, and v_e = Σ r², V = max(v_j + v_s − v_e, v_j, v_s), on
    V²/(v_j²/(J − 1) + v_s²/(S − 1)) degrees of freedom, at least 1.
    """
    r = np.asarray(influences, dtype=np.float64)
    by_judge, n_judges = _clustered(r, judges)
    by_segment, n_segments = _clustered(r, segments)
    if n_judges < LEAST_JUDGES or n_segments < 2:
        raise InputError(
            f"{n_judges} judges and {n_segments} segments; what holds of others needs "
            f"{LEAST_JUDGES} judges and 2 segments at least"
        )
    return spread_of(by_judge, by_segment, float(r @ r), n_judges, n_segments)


def spread_of(
    by_judge: float, by_segment: float, alone: float, n_judges: int, n_segments: int
) -> Spread:
    """Return the spread from the variances v_j, v_s and v_e (see `crossed_spread`)."""
    variance = max(by_judge + by_segment - alone, by_judge, by_segment)
    parts = by_judge**2 / (n_judges - 1) + by_segment**2 / (n_segments - 1)
    return Spread(variance, max(1.0, variance**2 / parts) if parts > 0 else 1.0)


def _clustered(r: NDArray[np.float64], groups: Sequence[Hashable]) -> tuple[float, int]:
    """Return the sum of squares of groups' sums, corrected for their number, and the number."""
    number: dict[Hashable, int] = {}
    places = np.fromiter((number.setdefault(each, len(number)) for each in groups), np.intp, r.size)
    sums = np.bincount(places, r, len(number))
    count = len(number)
    return float(sums @ sums) * (count / (count - 1) if count > 1 else 1.0), count
