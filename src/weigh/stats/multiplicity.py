"""Multiple comparisons: adjusted p-values, and the error rate without adjustment."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.stats.procedures import ADJUSTMENTS, BLOCK_TESTS, CLOSED

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

# Adjustments, and tests that need none, which bound the probability of any false claim.
FAMILYWISE = ("holm", "bonferroni", "sidak", CLOSED, *BLOCK_TESTS)

# Slack for a product of a few floats: 66 · (1/1320) must not exceed .05.
_ROUNDING = 1e-12


def adjust(p_values: ArrayLike, method: str = "holm") -> Floats:
    """Adjust the p-values of one family for multiple comparisons; they keep their order.

    For m p-values, of which p_(i) is the i-th smallest (all results are at most 1):

    - `holm` (Holm 1979): the largest (m − j + 1) p_(j) for j ≤ i
    - `bonferroni`: m p
    - `sidak` (Šidák 1967): 1 − (1 − p)^m, for independent or positively dependent tests
    - `bh` (Benjamini & Hochberg 1995): the smallest p_(j) m / j for j ≥ i
    - `none`: p

    The first three bound the probability of any false claim, and `bh` the expected share of false
    claims.

    >>> adjust([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.array(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise InputError(f"p-values: shape {p.shape}; give one list of numbers")
    wrong = ~((p >= 0) & (p <= 1))
    if wrong.any():
        raise InputError(f"p-values: {p[wrong][0]}; give numbers from 0 to 1")
    m = p.size
    ranks = np.arange(1, m + 1)
    order = np.argsort(p, kind="stable")
    ordered = p[order]
    if method == "holm":
        ordered = np.maximum.accumulate((m - ranks + 1) * ordered)
    elif method == "bonferroni":
        ordered = m * ordered
    elif method == "sidak":
        with np.errstate(divide="ignore"):  # log 0 = −inf gives 1, as it should
            ordered = -np.expm1(m * np.log1p(-ordered))
    elif method == "bh":
        ordered = np.minimum.accumulate((m / ranks * ordered)[::-1])[::-1]
    elif method != "none":
        raise UsageError(f"adjustment {method!r} is unknown; {did_you_mean(method, ADJUSTMENTS)}")
    p[order] = np.minimum(ordered, 1)
    return p


def multipliers(p_values: Floats, adjust: str, size: int) -> Floats:
    """Factor by which the adjustment for a family of `size` multiplies each p-value.

    Holm multiplies by the rank counted from the largest, Benjamini–Hochberg by size/rank, and
    Bonferroni and Šidák (approximately) by the size.

    >>> multipliers(np.array([0.03, 0.01]), "holm", 2).tolist()
    [1.0, 2.0]
    """
    if adjust == "none":
        return np.ones(len(p_values))
    if adjust in ("bonferroni", "sidak"):
        return np.full(len(p_values), float(size))
    ranks = np.empty(len(p_values))
    ranks[np.argsort(p_values, kind="stable")] = np.arange(1, len(p_values) + 1)
    return size - ranks + 1 if adjust == "holm" else size / ranks


def smallest_p(trials: int, *, both_tails: bool = False) -> float:
    """Smallest p-value that a number B of drawn trials can give: 1/(B + 1).

    `both_tails` doubles it, for the two-sided paired bootstrap, whose p-value is twice a tail.

    >>> smallest_p(999)
    0.001
    """
    return min(1.0, (1 + both_tails) / (trials + 1))


def too_few_trials(
    family_size: int, trials: int, alpha: float, *, both_tails: bool = False
) -> bool:
    """Whether there are too few trials for any pair to be significant, whatever its difference.

    True if family_size × smallest possible p > α, so that the first step of Holm's procedure cannot
    reject. `trials_needed` is the number that can.

    >>> too_few_trials(66, 1000, 0.05)
    True
    """
    return family_size * smallest_p(trials, both_tails=both_tails) > alpha * (1 + _ROUNDING)


def trials_needed(family_size: int, alpha: float, *, both_tails: bool = False) -> int:
    """Smallest number of trials with which a pair of this family can be significant.

    >>> trials_needed(66, 0.05)
    1319
    """
    return max(1, math.ceil(family_size * (1 + both_tails) / alpha) - 1)


def experimentwise(alpha: float, comparisons: int) -> float:
    """Probability of at least one false claim in k independent comparisons at α.

    This is 1 − (1 − α)^k (Riezler & Maxwell 2005, §4.4). Comparisons of the same systems are not
    independent, so it only illustrates how large the error could become without adjustment.

    >>> round(experimentwise(0.05, 15 * 14 // 2), 4)
    0.9954
    """
    return -math.expm1(comparisons * math.log1p(-alpha))
