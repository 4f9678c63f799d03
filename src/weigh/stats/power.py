"""What a test set can show: the smallest detectable difference, and the units that one needs."""

from __future__ import annotations

import math
from statistics import NormalDist

from weigh.errors import UsageError


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
