"""Correlations of metrics with human scores, and a test for the difference of two of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError, UsageError
from weigh.stats.ranking import TOLERANCE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's r; NaN if there are fewer than two values or one of the variables is constant.

    >>> round(pearson([1, 2, 3], [1, 2, 4]), 4)
    0.982
    """
    a, b = _both(x, y)
    return float(pearson_of_rows(a, b[None])[0]) if a.size > 1 else math.nan


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's ρ: Pearson's r of the ranks, where tied values get their mean rank.

    >>> spearman([1, 2, 3], [1, 2, 40])
    1.0
    """
    a, b = _both(x, y)
    return float(spearman_of_rows(a, b[None])[0]) if a.size > 1 else math.nan


def kendall(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's τ_b: concordant minus discordant pairs, normalised with allowance for ties.

    (C − D) / sqrt((C + D + ties only in x) (C + D + ties only in y)), Kendall 1945.

    >>> kendall([1, 2, 3, 4], [1, 2, 4, 3])
    0.6666666666666666
    """
    a, b = _both(x, y)
    return float(kendall_of_rows(a, b[None])[0]) if a.size > 1 else math.nan


def pearson_of_rows(x: Floats, rows: Floats) -> Floats:
    """Pearson's r between `x` and every row."""
    centred = x - x.mean()
    others = rows - rows.mean(axis=1, keepdims=True)
    # Subtracting the mean of a constant may leave rounding errors, which are not variation.
    scale = np.abs(x).max() if x.size else 0.0
    scales = np.abs(rows).max(axis=1)
    varies = np.abs(centred).max() > 1e-14 * scale
    vary = np.abs(others).max(axis=1) > 1e-14 * scales
    with np.errstate(divide="ignore", invalid="ignore"):
        # Scaled first, so that squares of tiny or huge values do not underflow or overflow.
        centred = centred / np.abs(centred).max()
        others = others / np.abs(others).max(axis=1, keepdims=True)
        r = others @ centred / np.sqrt((centred**2).sum() * (others**2).sum(axis=1))
    return np.where(vary & varies, np.clip(r, -1, 1), np.nan)


def spearman_of_rows(x: Floats, rows: Floats) -> Floats:
    """Spearman's ρ between `x` and every row."""
    from scipy.stats import rankdata

    return pearson_of_rows(rankdata(x), rankdata(rows, axis=1))


def kendall_of_rows(x: Floats, rows: Floats) -> Floats:
    """Kendall's τ_b between `x` and every row."""
    first, second = np.triu_indices(x.size, 1)
    signs = np.sign(x[first] - x[second])
    others = np.sign(rows[:, first] - rows[:, second])
    with np.errstate(divide="ignore", invalid="ignore"):
        tau = (others @ signs) / np.sqrt(np.abs(signs).sum() * np.abs(others).sum(axis=1))
    return np.where(np.isfinite(tau), tau, np.nan)


def williams(
    r_human_a: float, r_human_b: float, r_a_b: float, n: int, alternative: str = "two-sided"
) -> tuple[float, float]:
    """t and p of Williams' test: do metrics a and b correlate equally well with human scores?

    t = (r_ha − r_hb) sqrt((n − 1)(1 + r_ab)) / sqrt(2 K (n − 1)/(n − 3) + m² (1 − r_ab)³) with
    m = (r_ha + r_hb)/2 and K = 1 − r_ha² − r_hb² − r_ab² + 2 r_ha r_hb r_ab, against Student's t
    with n − 3 degrees of freedom (Williams 1959; Steiger 1980; Graham & Baldwin 2014). n is the
    number of systems. The two correlations are not independent, because they share the human
    scores. `better` asks whether a's correlation is higher.
    """
    from scipy.special import stdtr

    if n < 4:
        return math.nan, math.nan
    k = 1 - r_human_a**2 - r_human_b**2 - r_a_b**2 + 2 * r_human_a * r_human_b * r_a_b
    mean = (r_human_a + r_human_b) / 2
    # K is a determinant, and can only be negative through rounding.
    spread = 2 * max(k, 0.0) * (n - 1) / (n - 3) + mean**2 * (1 - r_a_b) ** 3
    difference = r_human_a - r_human_b
    if abs(difference) <= TOLERANCE:
        t = 0.0
    elif spread <= 0:
        t = math.nan
    else:
        t = difference * math.sqrt((n - 1) * (1 + r_a_b) / spread)
    tails = {
        "better": stdtr(n - 3, -t),
        "worse": stdtr(n - 3, t),
        "two-sided": 2 * stdtr(n - 3, -abs(t)),
    }
    if alternative not in tails:
        raise UsageError(f"unknown alternative {alternative!r}; give two-sided, better or worse")
    return t, float(tails[alternative])


def _both(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise InputError(
            f"correlation: {a.shape} and {b.shape} values; give the same number of both"
        )
    return a, b
