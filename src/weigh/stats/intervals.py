"""Confidence intervals: bootstrap, means, shares, and padded ones where few units differ.

Bootstrap intervals end at actual bootstrap values. Of B sorted values, floor(B · tail) are dropped
at each end, and the outermost remaining ones are the ends. (NumPy's and SciPy's quantiles
interpolate between neighbouring values instead.) A single unit has no interval, because it does not
show how units vary.
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

# A product such as 1000 · (1 − .9)/2 may be rounded to just below the exact whole number.
_ROUNDING = 1e-9


def percentile_interval(values: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Ends of the percentile interval of bootstrap values of shape (..., trials).

    Koehn (2004, §5): sort the B values and drop a share of (1 − level)/2 at each end. With
    k = floor(B (1 − level)/2), the ends are values number k + 1 and B − k. For 1,000 values at 95%
    these are numbers 26 and 975.

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
    """Bias-corrected and accelerated (BCa) interval of a statistic (Efron 1987).

    1. z0 = Φ⁻¹ of the share of the B bootstrap values below the observed one; values equal to it
       (to within `tolerance`) count half. If all values lie on one side, the share is set to half a
       value away from 0 or 1.
    2. a = `acceleration(jackknife)`.
    3. `bca_levels` gives the shares to drop below and above; the numbers of values to drop are
       rounded down as in `percentile_interval`.

    `jackknife` holds the leave-one-out statistics. Without variance, the interval is a point. With
    z0 = a = 0 it is the percentile interval.
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
    """Acceleration of a BCa interval: a = Σ u³ / (6 (Σ u²)^1.5); 0 if no value differs.

    u_i is the mean of the jackknife values minus the i-th one (Efron & Tibshirani 1993, equation
    14.15).
    """
    array = np.asarray(jackknife, dtype=np.float64)
    if array.size < 2:
        raise InputError(f"BCa interval: {array.size} unit; it needs at least 2")
    if np.ptp(array) == 0:  # not by the mean, which may be rounded
        return 0.0
    influence = array.mean() - array
    influence /= np.abs(influence).max()  # cubes of tiny numbers would underflow
    return float((influence**3).sum() / (6 * (influence**2).sum() ** 1.5))


def bca_levels(z0: float, a: float, level: float = 0.95) -> tuple[float, float]:
    """Quantiles of the bootstrap values at which a BCa interval ends.

    Efron & Tibshirani (1993), equation 14.10: Φ(z0 + w/(1 − a w)) with w = z0 ± z_(1+level)/2.
    Beyond the pole of the formula, where a w ≥ 1, the quantile is 0 or 1.

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
    """Interval of the mean of n segment scores: mean ± t_{n−1} s/√n.

    Student's t has n − 1 degrees of freedom. (Table 2 of Koehn 2004 has n, and prints 1.9849 where
    t with 100 degrees of freedom is 1.9840.)

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
    """The outermost remaining values after dropping `below` and `above` many of them."""
    first = below
    last = max(first, values.shape[-1] - 1 - above)
    ordered = np.partition(values, sorted({first, last}), axis=-1)
    return ordered[..., first], ordered[..., last]


# Pass/fail scores.


@dataclass(frozen=True, slots=True)
class Share:
    """A share of passed items, and the effective number of independent items, `n_eff`.

    `freedom` is the degrees of freedom of its variance; None if items are independent.
    """

    share: float
    n_eff: float
    freedom: int | None = None

    @staticmethod
    def of(passed: Floats, sizes: Floats, run_shares: Floats | None = None) -> Share | None:
        """Share of passed items in clusters (documents, or the runs of one item); None if only one.

        N items in clusters of sizes m have n_eff = N/deff, clipped to [(Σm)²/Σm², N]. The design
        effect deff is the variance of the share over clusters divided by that of N independent
        items. If item scores are means over runs, N is the number of runs with the same variance,
        (Σm)²/Σ run_shares, where `run_shares` are each cluster's sums of 1/runs.
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
        n_eff = independent / between if between else math.inf
        return Share(p, min(max(n_eff, least), items), clusters - 1)


def wilson_interval(shares: Sequence[Share | None], level: float = 0.95) -> Ends | None:
    """Wilson's interval (1927) of a share of passed items, or of the mean of several shares.

    The mean over slices gets the effective number of items that yields the variance of the mean.

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
    n_eff = count**2 / math.fsum(1 / share.n_eff for share in slices)
    variance = math.fsum(s.share * (1 - s.share) / s.n_eff for s in slices) / count**2
    if count > 1 and variance > 0:
        n_eff = max(n_eff, p * (1 - p) / variance)
    freedoms = [share.freedom for share in slices if share.freedom is not None]
    q = _NORMAL.inv_cdf((1 + level) / 2)
    if freedoms:
        q = t_quantile(sum(freedoms), (1 + level) / 2)
    centre = (p + q * q / (2 * n_eff)) / (1 + q * q / n_eff)
    half = q / (1 + q * q / n_eff) * math.sqrt(p * (1 - p) / n_eff + (q / (2 * n_eff)) ** 2)
    low = 0.0 if p == 0 else max(0.0, centre - half)
    high = 1.0 if p == 1 else min(1.0, centre + half)
    return low, high


# Wider intervals where few units differ from the rest, or between two systems.


def padded_ends(
    total: Floats, squares: Floats, units: int, low: float, high: float, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Ends of the t interval of a mean with two added units, one of `low` and one of `high`.

    The added units allow for extreme ones that the sample happens to miss. `total` and `squares`
    are the sums of the units' values and of their squares, one entry per interval.

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
    """Padded t interval of a ratio Σ values/Σ sizes, with two added documents of mean size."""
    mean_size = float(sizes.mean())
    x = np.append(values, [low * mean_size, high * mean_size])
    m = np.append(sizes, [mean_size, mean_size])
    ratio, error = ratio_with_error(x, m)
    half = t_quantile(len(x) - 1, (1 + level) / 2) * error
    return ratio - half, ratio + half


def ratio_with_error(values: Floats, sizes: Floats) -> tuple[float, float]:
    """The ratio Σ values/Σ sizes, and its standard error from residuals values − ratio · sizes."""
    n, ratio = len(values), float(values.sum() / sizes.sum())
    residuals = values - ratio * sizes
    error = math.sqrt(n / (n - 1) * float((residuals**2).sum())) / float(sizes.sum())
    return ratio, error


def reconcile_ends(
    wide: Floats, narrow: Floats, differences: Floats, p_values: Floats, alpha: float
) -> Floats:
    """Make intervals of differences, pairs × 2, agree with their two-sided p-values.

    `wide` are the default intervals and `narrow` those from halvings alone. Where p > α, the
    interval is extended to include 0. Where p ≤ α but 0 lies inside, the end is replaced by that of
    `narrow`, or by 0 if that does not help; an end at 0 is then open.

    >>> ends = np.array([[0.1, 0.4]])
    >>> reconcile_ends(ends, ends, np.array([0.25]), np.array([0.06]), 0.05).tolist()
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
    """A count out of a total, with exact bounds of its share."""

    count: int
    total: int

    @property
    def share(self) -> float:
        """Count divided by total; NaN if the total is 0."""
        return self.count / self.total if self.total else float("nan")

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Exact interval of the share, with error probability (1 − level)/2 at each end.

        >>> [round(100 * end, 1) for end in Proportion(53, 66).interval()]
        [68.7, 89.1]
        """
        tail = (1 - level) / 2
        return self.lower(tail), self.upper(tail)

    def lower(self, alpha: float) -> float:
        """Exact lower bound of the share at level 1 − α (Clopper & Pearson 1934).

        It is the share at which a count this high or higher has probability α; 0 if the count is 0.
        """
        from scipy.special import betaincinv

        missed = self.total - self.count
        return float(betaincinv(self.count, missed + 1, alpha)) if self.count else 0.0

    def upper(self, alpha: float) -> float:
        """Exact upper bound: the share at which a count this low or lower has probability α.

        >>> round(Proportion(0, 100).upper(0.05), 4)  # about 3/n, the rule of three
        0.0295
        """
        from scipy.special import betaincinv

        missed = self.total - self.count
        return float(betaincinv(self.count + 1, missed, 1 - alpha)) if missed else 1.0
