"""Confidence intervals: percentile, expanded and BCa from bootstrap values, t from segment scores.

The bootstrap intervals end at values that occurred: of B sorted values, floor(B · tail) are
dropped at each end, and the outermost that remain are the ends. (NumPy's and SciPy's quantiles
interpolate between two neighbouring values instead.) One unit has no interval: how much units
vary cannot be known from one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError, UsageError

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
    dropped = _dropped(array.shape[-1], (1 - level) / 2)
    return _ends(array, dropped, dropped)


def expanded_interval(values: ArrayLike, units: int, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the ends of the expanded percentile interval of bootstrap values (..., trials).

    Bootstrap values of few units vary too little, by √((u − 1)/u), and their quantiles are those
    of the normal distribution where Student's t belongs. So the percentile interval drops a
    smaller share at each end: see `expanded_tail` (Hesterberg 2015, "expanded percentile").

    >>> low, high = expanded_interval(np.arange(1, 1001), units=10)
    >>> float(low), float(high)
    (9.0, 992.0)
    """
    _check_level(level)
    array = _bootstrap_values(values)
    dropped = _dropped(array.shape[-1], expanded_tail((1 - level) / 2, units))
    return _ends(array, dropped, dropped)


def expanded_tail(tail: float, units: int) -> float:
    """Return Φ(−√(u/(u − 1)) · t), t the upper quantile of Student's t with u − 1 degrees.

    It is what the percentile interval of u units should drop for a tail (Hesterberg 2015).

    >>> [round(expanded_tail(0.05, units), 4) for units in (3, 5, 10, 1000)]
    [0.0002, 0.0086, 0.0267, 0.0498]
    """
    from scipy.special import stdtrit  # much quicker to import than scipy.stats

    if units < 2:
        raise InputError(f"expanded interval: {units} unit; it needs at least 2")
    upper = -float(stdtrit(units - 1, tail))
    return _NORMAL.cdf(-math.sqrt(units / (units - 1)) * upper)


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
    ends = _ends(array, _dropped(trials, low), _dropped(trials, 1 - high))
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
    from scipy.special import stdtrit  # much quicker to import than scipy.stats

    _check_level(level)
    scores = np.asarray(segment_scores, dtype=np.float64)
    n = scores.size
    if n < 2:
        raise InputError(f"t interval: {n} segment scores; it needs at least 2")
    mean = float(scores.mean())
    deviation = 0.0 if np.ptp(scores) == 0 else float(scores.std(ddof=1))
    half = float(stdtrit(n - 1, (1 + level) / 2)) * deviation / math.sqrt(n)
    return mean - half, mean + half


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise UsageError(f"level {level}; give a number between 0 and 1, such as .95")


def _bootstrap_values(values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise InputError("bootstrap interval: no values; give at least one trial")
    return array


def _dropped(trials: int, tail: float) -> int:
    return min(math.floor(trials * tail + _ROUNDING), trials - 1)


def _ends(values: Floats, below: int, above: int) -> tuple[Floats, Floats]:
    """Return the outermost values when so many are dropped below and above."""
    first = below
    last = max(first, values.shape[-1] - 1 - above)
    ordered = np.partition(values, sorted({first, last}), axis=-1)
    return ordered[..., first], ordered[..., last]


# Shares of counted outcomes, with exact bounds and intervals.


@dataclass(frozen=True, slots=True)
class Proportion:
    """So many of so many."""

    count: int
    total: int

    @property
    def share(self) -> float:
        """The share, NaN of nothing."""
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

        It is the share at which a count so high has a chance of α. Of nothing it is 0.
        """
        from scipy.special import betaincinv

        missed = self.total - self.count
        return float(betaincinv(self.count, missed + 1, alpha)) if self.count else 0.0

    def upper(self, alpha: float) -> float:
        """Return the exact upper bound: the share at which a count so low has a chance of α.

        >>> round(Proportion(0, 100).upper(0.05), 4)  # about 3/n, the rule of three
        0.0295
        """
        from scipy.special import betaincinv

        missed = self.total - self.count
        return float(betaincinv(self.count + 1, missed, 1 - alpha)) if missed else 1.0
