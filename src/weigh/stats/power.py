"""What a test set can show: the smallest detectable difference, and the units that one needs."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from weigh.errors import UsageError

_LARGEST_EXACT = 300


def detectable_difference(se: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest true difference that a two-sided test at α finds with such a power.

    (z_{1−α/2} + z_power) · SE, SE the bootstrap's standard error of the difference: the usual
    normal approximation (Cohen 1988). It depends on the noise of the difference and not on
    the difference that was observed, so it is no post-hoc power.

    >>> round(detectable_difference(1.0), 4)
    2.8016
    """
    for name, value in (("alpha", alpha), ("power", power)):
        if not 0 < value < 1:
            raise UsageError(f"{name} {value}; give a number between 0 and 1")
    normal = NormalDist()
    return (normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)) * se


def units_needed(
    se: float, units: int, delta: float, alpha: float = 0.05, power: float = 0.8
) -> int:
    """Return how many units make a true difference of `delta` detectable.

    The standard error falls with the root of the number of units, so from `se` at `units`:
    n = units · (detectable difference / δ)², rounded up. δ is a difference that matters to the
    user, stated before the data are seen.

    >>> units_needed(0.5, units=1000, delta=0.7)
    4005
    """
    if not delta > 0:
        raise UsageError(f"difference {delta}; give a positive number")
    exact = units * (detectable_difference(se, alpha, power) / delta) ** 2
    return max(1, math.ceil(exact * (1 - 1e-12)))  # less what rounding may have added


def decisions_needed(share: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return how many decisions, ties aside, a two-sided sign test needs, ∞ if none are enough.

    `share` is the chance that a decision is for the one that is better. Up to 300 it is the
    smallest number with such a power by the binomial distribution; above, by the normal
    approximation, n = ((z_{1−α/2}/2 + z_power √(p (1 − p)))/(p − ½))² + 1/|p − ½|, where the last
    is for continuity.

    >>> decisions_needed(1.0), decisions_needed(0.75)
    (6, 30)
    """
    distance = abs(share - 0.5)
    if not distance:
        return math.inf
    normal = NormalDist()
    reach = normal.inv_cdf(1 - alpha / 2) / 2
    reach += normal.inv_cdf(power) * math.sqrt(share * (1 - share))
    approximate = math.ceil((reach / distance) ** 2 + 1 / distance)
    if approximate > _LARGEST_EXACT:
        return approximate
    exact = (n for n in range(1, 2 * _LARGEST_EXACT) if _sign_power(n, share, alpha) >= power)
    return next(exact, approximate)


def _sign_power(n: int, share: float, alpha: float) -> float:
    """Return how often the sign test of n decisions finds such a share."""
    from scipy.special import bdtr

    tails = bdtr(np.arange(n // 2 + 1), n, 0.5)
    few = int(np.searchsorted(tails, alpha / 2, side="right")) - 1
    if few < 0:
        return 0.0
    return float(bdtr(few, n, share) + bdtr(few, n, 1 - share))
