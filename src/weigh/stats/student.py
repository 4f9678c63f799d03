"""Student's t, central and noncentral: tails, quantiles, and the noncentrality for power.

SciPy has these functions, but takes longer to import than comparing pass/fail scores takes. T =
(Z + c)/X, where X² is a chi-squared variable divided by its degrees of freedom ν. Therefore
P(T > t) = E Φ(c − tX), a smooth integral over u = log X, whose density is ∝ exp(ν (u − e^(2u)/2)).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_NORMAL = NormalDist()
# The integral leaves out the range where the density is below e^−80 of its maximum.
_DEPTH = 80.0
# Beyond this noncentrality, tails are accurate to only three digits.
_STEEPEST = 512.0
_ACCURACY = 1e-14
_MOST_STEPS = 60


@lru_cache(maxsize=256)
def _nodes(freedom: float, steepness: float) -> tuple[Floats, Floats]:
    """Values of X and their weights; Φ(c − tX) changes over a distance of 1/`steepness` in u."""
    low = -(_DEPTH / freedom + math.sqrt(2 * _DEPTH / freedom))
    high = math.log1p(1.5 * math.sqrt(_DEPTH / freedom))
    step = 0.4 / math.sqrt(4 * freedom + steepness**2 + 4)
    u = np.arange(low, high, step)
    weights = np.exp(freedom * (u - np.expm1(2 * u) / 2))
    return np.exp(u), weights / weights.sum()


def t_tail(t: float, freedom: float, shift: float = 0.0) -> float:
    """P(T > t) for Student's t with noncentrality `shift`.

    >>> round(t_tail(2.0, 10), 6)
    0.036694
    """
    steepness = 2.0 ** math.ceil(math.log2(1 + abs(shift)))
    x, weights = _nodes(freedom, min(steepness, _STEEPEST))
    scaled = ((t * x - shift) * math.sqrt(0.5)).tolist()
    return 0.5 * float(weights @ np.array([*map(math.erfc, scaled)]))


@lru_cache(maxsize=4096)
def t_quantile(freedom: float, share: float) -> float:
    """Quantile of Student's t: the value below which T lies with probability `share`.

    >>> round(t_quantile(100, 0.975), 4)
    1.984
    """
    if share <= 0.5:
        return 0.0 if share == 0.5 else -t_quantile(freedom, 1 - share)
    target = _NORMAL.inv_cdf(share)
    # Solve in probits over log t, where the function is nearly a straight line.
    return math.exp(
        _rising_root(
            lambda s: -_probit(t_tail(math.exp(s), freedom)), target, math.log(target), 0.1
        )
    )


@lru_cache(maxsize=4096)
def noncentrality(freedom: float, level: float, power: float, *, two_sided: bool = True) -> float:
    """Noncentrality c at which P(T > t) = `power`, where t is the critical value of the test.

    For a two-sided test, the far tail is ignored. If the level exceeds `power`, c = 0.

    >>> round(noncentrality(1000, 0.05, 0.8), 3)
    2.804
    """
    critical = t_quantile(freedom, 1 - level / (1 + two_sided))
    target = _NORMAL.inv_cdf(power)
    start = critical + target
    return max(
        0.0, _rising_root(lambda c: _probit(t_tail(critical, freedom, c)), target, start, 0.1)
    )


def _probit(share: float) -> float:
    return _NORMAL.inv_cdf(min(max(share, 5e-324), 1 - 2**-53))


def _rising_root(
    function: Callable[[float], float], target: float, start: float, step: float
) -> float:
    """Solve function(x) = target for a nearly straight, rising function (Illinois method)."""
    low, high = start - step, start + step
    at_low, at_high = function(low) - target, function(high) - target
    while at_low > 0:
        low, high, at_high, step = low - 2 * step, low, at_low, 2 * step
        at_low = function(low) - target
    while at_high < 0:
        low, high, at_low, step = high, high + 2 * step, at_high, 2 * step
        at_high = function(high) - target
    side = 0
    for _ in range(_MOST_STEPS):
        middle = (low * at_high - high * at_low) / (at_high - at_low) if at_low < at_high else low
        value = function(middle) - target
        if abs(value) <= _ACCURACY or high - low <= _ACCURACY * max(1.0, abs(middle)):
            return middle
        if value > 0:
            high, at_high = middle, value
            at_low /= 2 if side > 0 else 1
            side = 1
        else:
            low, at_low = middle, value
            at_high /= 2 if side < 0 else 1
            side = -1
    return middle
