"""Confidence intervals: of bootstrap values, of means and shares, and where little differs.

The bootstrap intervals end at values that occurred: of B sorted values, floor(B · tail) are
dropped at each end, and the outermost that remain are the ends. (NumPy's and SciPy's quantiles
interpolate between two neighbouring values instead.) One unit has no interval: how much units
vary cannot be known from one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError, UsageError
from weigh.stats.student import t_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

Ends = tuple[float, float]

_NORMAL = NormalDist()

# A product such as 1000 · (1 − .9)/2 may come out just below the whole number that it is.
_ROUNDING = 1e-9


def percentile_interval(values: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the ends of the percentile interval of bootstrap values of shape (..., trials).

    Koehn (2004, §5): sort the B values and drop a share of (1 − level)/2 at each end. With
    k = floor(B (1 − level)/2) the ends are the values number k + 1 and B − k: of 1,000 values
    at 95% numbers 26 and 975.

    >>> low, high = percentile_interval(np.arange(1, 1001))
    >>> float(low), float(high)
    (26.0, 975.0)
    """
    _check_level(level)
    array = _bootstrap_values(values)
    dropped = _drop_count(array.shape[-1], (1 - level) / 2)
    return _ends(array, dropped, dropped)


def bca_interval(
    values: ArrayLike,
    observed: float,
    jackknife: ArrayLike,
    level: float = 0.95,
    *,
    tolerance: float = 0.0,
) -> tuple[float, float]:
    """Return the bias-corrected and accelerated interval of a statistic (Efron 1987).

    1. z0 = Φ⁻¹ of the share of the B bootstrap values that lie below the observed one; values
       equal to it (to within `tolerance`) count half. If all lie on one side the share is taken
       to be half a value away from 0 or 1.
    2. a = `acceleration(jackknife)`.
    3. The shares to drop below and above are those of `bca_levels`; as many values are dropped
       as `percentile_interval` would.

    `jackknife` holds the statistic without each unit in turn. Without variance the interval is a
    point, and with z0 = a = 0 it is the percentile interval.
    """
    _check_level(level)
    array = _bootstrap_values(values)
    if array.ndim != 1:
        raise InputError(f"BCa interval: values of shape {array.shape}; give one list of numbers")
    trials = array.size
    below = np.count_nonzero(array < observed - tolerance)
    above = np.count_nonzero(array > observed + tolerance)
    share = float(trials + below - above) / (2 * trials)
    z0 = _NORMAL.inv_cdf(min(max(share, 0.5 / trials), 1 - 0.5 / trials))
    low, high = bca_levels(z0, acceleration(jackknife), level)
    ends = _ends(array, _drop_count(trials, low), _drop_count(trials, 1 - high))
    return float(ends[0]), float(ends[1])


def acceleration(jackknife: ArrayLike) -> float:
    """Return a = Σ u³ / (6 (Σ u²)^1.5), u_i = mean of the jackknife values − the i-th.

    Efron & Tibshirani (1993), equation 14.15; 0 where the values do not differ.
    """
    array = np.asarray(jackknife, dtype=np.float64)
    if array.size < 2:
        raise InputError(f"BCa interval: {array.size} unit; it needs at least 2")
    if np.ptp(array) == 0:  # asked of the values themselves: their mean may be rounded
        return 0.0
    influence = array.mean() - array
    influence /= np.abs(influence).max()  # or tiny numbers would vanish when cubed
    return float((influence**3).sum() / (6 * (influence**2).sum() ** 1.5))


def bca_levels(z0: float, a: float, level: float = 0.95) -> tuple[float, float]:
    """Return the quantiles that are the ends of a BCa interval.

    Efron & Tibshirani (1993), equation 14.10: Φ(z0 + w/(1 − a w)) with w = z0 ± z_(1+level)/2.
    Where a w ≥ 1 the formula has passed its pole, and the quantile is 0 or 1.

    >>> [round(end, 2) for end in bca_levels(0.146, 0.061, 0.90)]
    [0.11, 0.98]
    """
    z = _NORMAL.inv_cdf((1 + level) / 2)
    return _bca_level(z0, z0 - z, a), _bca_level(z0, z0 + z, a)


def _bca_level(z0: float, w: float, a: float) -> float:
    if a * w >= 1:
        return float(w > 0)
    return _NORMAL.cdf(z0 + w / (1 - a * w))


def t_interval(segment_scores: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Return mean ± t_{n−1} s/√n, the interval of a mean of n segment scores.

    Student's t with n − 1 degrees of freedom (Koehn 2004, whose table 2 was printed with n:
    for 100 degrees of freedom the factor at 95% is 1.9840).

    >>> t_interval([4.0, 4.0, 4.0])
    (4.0, 4.0)
    """
    _check_level(level)
    scores = np.asarray(segment_scores, dtype=np.float64)
    n = scores.size
    if n < 2:
        raise InputError(f"t interval: {n} segment scores; it needs at least 2")
    mean = float(scores.mean())
    deviation = 0.0 if np.ptp(scores) == 0 else float(scores.std(ddof=1))
    half = t_quantile(n - 1, (1 + level) / 2) * deviation / math.sqrt(n)
    return mean - half, mean + half


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise UsageError(f"level {level}; give a number between 0 and 1, such as .95")


def _bootstrap_values(values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise InputError("bootstrap interval: no values; give at least one trial")
    return array


def _drop_count(trials: int, tail: float) -> int:
    return min(math.floor(trials * tail + _ROUNDING), trials - 1)


def _ends(values: Floats, below: int, above: int) -> tuple[Floats, Floats]:
    """Return the outermost values when so many are dropped below and above."""
    first = below
    last = max(first, values.shape[-1] - 1 - above)
    ordered = np.partition(values, sorted({first, last}), axis=-1)
    return ordered[..., first], ordered[..., last]


# Pass/fail scores.


@dataclass(frozen=True, slots=True)
class Share:
    """A share of passed items, and its effective number of independent items, `worth`.

    `freedom` are the degrees of freedom of its variance, None where items are independent.
    """

    share: float
    worth: float
    freedom: int | None = None

    @staticmethod
    def of(passed: Floats, sizes: Floats, run_shares: Floats | None = None) -> Share | None:
        """Take clusters of items: documents, or the runs of one item; None for a single cluster.

        The N items are worth N/deff: deff is the variance of the share over clusters relative to
        that of independent items. They are worth no more than N and no less than (Σm)²/Σm². Items
        passed in a share of their runs count as the runs that have the same variance: with the
        sums of 1/runs of each cluster, N = (Σm)²/Σ run_shares.
        """
        total, clusters = float(sizes.sum()), len(sizes)
        p = float(passed.sum()) / total
        items = total if run_shares is None else total**2 / float(run_shares.sum())
        if (sizes == 1).all() and items == total:
            return Share(p, total)
        if clusters < 2:
            return None
        least = total**2 / float((sizes**2).sum())
        independent = p * (1 - p)
        if not independent > 0:
            return Share(p, least, clusters - 1)
        residuals = float(((passed - p * sizes) ** 2).sum())
        between = clusters / (clusters - 1) * residuals / total**2
        worth = independent / between if between else math.inf
        return Share(p, min(max(worth, least), items), clusters - 1)


def wilson_interval(shares: Sequence[Share | None], level: float = 0.95) -> Ends | None:
    """Return Wilson's interval (1927) of a share of passed items, or of the mean of several.

    The mean of the shares of slices is worth as many items as give it the same variance.

    >>> low, high = wilson_interval([Share(1.0, 20)])
    >>> round(low, 4), high
    (0.8389, 1.0)
    """
    _check_level(level)
    slices = [share for share in shares if share is not None]
    if len(slices) < len(shares):
        return None
    count = len(slices)
    p = math.fsum(share.share for share in slices) / count
    worth = count**2 / math.fsum(1 / share.worth for share in slices)
    variance = math.fsum(s.share * (1 - s.share) / s.worth for s in slices) / count**2
    if count > 1 and variance > 0:
        worth = max(worth, p * (1 - p) / variance)
    freedoms = [share.freedom for share in slices if share.freedom is not None]
    q = _NORMAL.inv_cdf((1 + level) / 2)
    if freedoms:
        q = t_quantile(sum(freedoms), (1 + level) / 2)
    centre = (p + q * q / (2 * worth)) / (1 + q * q / worth)
    half = q / (1 + q * q / worth) * math.sqrt(p * (1 - p) / worth + (q / (2 * worth)) ** 2)
    low = 0.0 if p == 0 else max(0.0, centre - half)
    high = 1.0 if p == 1 else min(1.0, centre + half)
    return low, high


# Wider intervals where hardly any unit differs from the rest, or between two systems.


def padded_ends(
    total: Floats, squares: Floats, units: int, low: float, high: float, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return the t interval of a mean of units with two more, one of `low` and one of `high`.

    The two allow for extreme units that the sample happens to lack. `total` and `squares` are the
    sums of the units' values and of their squares, one for each interval.

    >>> low, high = padded_ends(np.zeros(1), np.zeros(1), 20, -1.0, 1.0)
    >>> round(float(high[0]), 3)
    0.137
    """
    n = units + 2
    mean = (total + low + high) / n
    variance = np.maximum(squares + low**2 + high**2 - n * mean**2, 0.0) / (n - 1)
    half = t_quantile(n - 1, (1 + level) / 2) * np.sqrt(variance / n)
    return mean - half, mean + half


def padded_ratio_ends(
    values: Floats, sizes: Floats, low: float, high: float, level: float = 0.95
) -> Ends:
    """Return the same interval for documents, Σ values/Σ sizes, with two more of mean size.

    The standard error is that of a ratio, from the residuals values − ratio · sizes.
    """
    mean_size = float(sizes.mean())
    x = np.append(values, [low * mean_size, high * mean_size])
    m = np.append(sizes, [mean_size, mean_size])
    n, ratio = len(x), float(x.sum() / m.sum())
    residuals = x - ratio * m
    error = math.sqrt(n / (n - 1) * float((residuals**2).sum())) / float(m.sum())
    half = t_quantile(n - 1, (1 + level) / 2) * error
    return ratio - half, ratio + half


def agreeing_ends(
    wide: Floats, narrow: Floats, differences: Floats, p_values: Floats, alpha: float
) -> Floats:
    """Return intervals of differences, pairs × 2, that never contradict their two-sided p-values.

    `wide` are the intervals to agree, `narrow` those of the halvings alone. Where p > α the
    interval is extended to 0; where p ≤ α and 0 lies inside, the end of `narrow` is taken, at worst
    0 itself, which is then not part of the interval.

    >>> ends = np.array([[0.1, 0.4]])
    >>> agreeing_ends(ends, ends, np.array([0.25]), np.array([0.06]), 0.05).tolist()
    [[0.0, 0.4]]
    """
    low, high = wide.T
    undecided = p_values > alpha * (1 + _ROUNDING)  # 1 − .9 is a little less than .1
    above = ~undecided & (differences > 0) & (low <= 0)
    below = ~undecided & (differences < 0) & (high >= 0)
    low = np.where(undecided, np.minimum(low, 0.0), low)
    high = np.where(undecided, np.maximum(high, 0.0), high)
    low = np.where(above, np.maximum(narrow[:, 0], 0.0), low)
    high = np.where(below, np.minimum(narrow[:, 1], 0.0), high)
    return np.column_stack([low, high])


# Shares of counted outcomes, with exact bounds and intervals.


@dataclass(frozen=True, slots=True)
class Proportion:
    """A count out of a total."""

    count: int
    total: int

    @property
    def share(self) -> float:
        """The share; NaN if the total is 0."""
        return self.count / self.total if self.total else float("nan")

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the exact interval of the share, with (1 − level)/2 beyond either end.

        >>> [round(100 * end, 1) for end in Proportion(53, 66).interval()]
        [68.7, 89.1]
        """
        tail = (1 - level) / 2
        return self.lower(tail), self.upper(tail)

    def lower(self, alpha: float) -> float:
        """Return the exact lower bound of the share at 1 − α (Clopper & Pearson 1934).

        It is the share at which a count this high or higher has a chance of α; 0 for no items.
        """
        from scipy.special import betaincinv

        missed = self.total - self.count
        return float(betaincinv(self.count, missed + 1, alpha)) if self.count else 0.0

    def upper(self, alpha: float) -> float:
        """Return the exact upper bound: the share at which such a low count has a chance of α.

        >>> round(Proportion(0, 100).upper(0.05), 4)  # about 3/n, the rule of three
        0.0295
        """
        from scipy.special import betaincinv

        missed = self.total - self.count
        return float(betaincinv(self.count + 1, missed, 1 - alpha)) if missed else 1.0
