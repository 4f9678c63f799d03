"""Tests that ask for ranks or signs alone: the rank-sum test of two samples, the sign test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Alternative = Literal["two-sided", "better"]


class RankSum(NamedTuple):
    """A p-value, and whether the first sample's ranks are higher (1), lower (−1) or neither."""

    p_value: float
    ahead: Literal[-1, 0, 1]


def rank_sum(
    first: Sequence[float], second: Sequence[float], alternative: Alternative = "two-sided"
) -> RankSum:
    """Test whether two samples differ, or with `better` whether the first is the higher one.

    Wilcoxon (1945), Mann & Whitney (1947): normal approximation with corrections for ties and for
    continuity, as `scipy.stats.mannwhitneyu(method="asymptotic")` has it. Samples in which all
    values are the same give p = 1.

    1. Both samples are ranked together, ties by their mean rank. U is the sum of the first one's
       n ranks, less n (n + 1)/2; its mean is n m/2.
    2. Its variance is n m/12 · (N + 1 − Σ (t³ − t)/(N (N − 1))), N = n + m, for groups of t ties.
    3. p is the normal tail above (U − n m/2 − ½)/σ, two-sided twice that of the larger U.
    """
    import numpy as np
    from scipy.special import ndtr  # much quicker to import than scipy.stats

    if len({*first, *second}) == 1:
        return RankSum(1.0, 0)
    n, m = len(first), len(second)
    ranks, ties = ranked(np.concatenate([first, second]))
    above = float(ranks[:n].sum()) - n * (n + 1) / 2 - n * m / 2
    tied = float((ties**3 - ties).sum()) / ((n + m) * (n + m - 1))
    error = math.sqrt(n * m / 12 * (n + m + 1 - tied))
    two_sided = alternative == "two-sided"
    distance = (abs(above) if two_sided else above) - 0.5
    p = (1 + two_sided) * float(ndtr(-distance / error))
    return RankSum(min(1.0, p), sign(above))


def sign(value: float) -> Literal[-1, 0, 1]:
    """Return which side of zero a number lies on."""
    return 1 if value > 0 else -1 if value < 0 else 0


def ranked(values: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ranks from 1, ties by their mean, and the sizes of the groups of ties.

    >>> ranked([3, 1, 3])[0].tolist()
    [2.5, 1.0, 2.5]
    """
    import numpy as np

    _, groups, sizes = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return (last - (sizes - 1) / 2)[groups], sizes.astype(np.float64)


def sign_test(wins: int, losses: int, alternative: Alternative = "two-sided") -> float:
    """Return the exact p-value of wins against losses; `better` asks for more wins only.

    >>> sign_test(5, 0), sign_test(5, 0, "better")
    (0.0625, 0.03125)
    """
    from scipy.special import bdtrc  # much quicker to import than scipy.stats

    def at_least(k: int) -> float:
        return float(bdtrc(k - 1, wins + losses, 0.5)) if k > 0 else 1.0

    if alternative == "better":
        return at_least(wins)
    return min(1.0, 2 * at_least(max(wins, losses)))
