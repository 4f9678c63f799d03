"""Power: the smallest detectable difference, and the number of units needed to detect one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import UsageError
from weigh.stats.student import noncentrality

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Scores

POWER = 0.8
TOO_FEW_DIFFER = "too few items differ"
NOTHING_VARIES = "the difference is the same for every item"
NOT_AT_ANY_TIME = "any-time tests have no fixed size"
# With fewer units, or fewer differing units, no detectable difference is stated.
_FEWEST_UNITS = 8
_FEWEST_DIFFERING = 10
# From this many units on, attainable levels are practically continuous.
_MANY_UNITS = 25
_MOST_UNITS = 10**9
_LARGEST_EXACT = 300


@dataclass(frozen=True, slots=True)
class Family:
    """A test at α within a family of `size` comparisons, and the desired power."""

    alpha: float = 0.05
    size: int = 1
    two_sided: bool = True
    power: float = POWER

    @property
    def fewest_differing(self) -> int:
        """Smallest number of differing units with which the adjusted test can reject.

        With m differing units, the smallest two-sided p-value is 2^(1 − m).
        """
        return math.ceil(self.two_sided + math.log2(self.size / self.alpha) - 1e-9)

    def states_power(self, units: int, differing: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether enough units exist, and enough of them differ, to estimate the noise."""
        fewest = max(_FEWEST_DIFFERING, self.fewest_differing)
        return np.asarray((differing >= fewest) & (units >= _FEWEST_UNITS))

    def level(self, units: int) -> float:
        """α divided by the family size; with few units, the next lower attainable level."""
        level = self.alpha / self.size
        if units >= _MANY_UNITS:
            return level
        ways = 2.0 ** (units - self.two_sided)
        return math.floor(level * ways + 1e-9) / ways

    def noncentrality(self, units: int) -> float:
        """Detectable difference on this many units, in standard errors."""
        return noncentrality(units - 1, self.level(units), self.power, two_sided=self.two_sided)


def detectable_differences(
    errors: Scores, units: int, differing: NDArray[np.int64], family: Family
) -> Scores:
    """Smallest true differences that the test detects with about 80% power; NaN if too few differ.

    Each is c standard errors, where c is the noncentrality at which Student's t with units − 1
    degrees of freedom exceeds its critical value with probability .8. The result depends on the
    noise but not on the observed difference, so it is not post-hoc power.
    """
    is_stated = (errors > 0) & np.isfinite(errors) & family.states_power(units, differing)
    if not is_stated.any() or not family.level(units) > 0:
        return np.full(len(errors), np.nan)
    return np.where(is_stated, family.noncentrality(units) * errors, np.nan)


def units_needed(
    error: float, units: int, differing: int, delta: float, family: Family
) -> int | None:
    """Smallest number of units at which a true difference of `delta` is detectable.

    Further units are assumed to vary like the present `units`, with the same share of `differing`
    ones. None if nothing varies or more than a billion units would be needed.
    """
    if not delta > 0:
        raise UsageError(f"difference {delta}; give a positive number")
    if not (math.isfinite(error) and error > 0):
        return None
    deviation = error * math.sqrt(units)

    def is_enough(n: int) -> bool:
        if not family.level(n) > 0 or n * differing < family.fewest_differing * units:
            return False
        return family.noncentrality(n) * deviation / math.sqrt(n) <= delta

    return smallest_number(is_enough)


def smallest_number(is_enough: Callable[[int], bool]) -> int | None:
    """Smallest number of units, at least 2, that is enough; None if a billion are not.

    If a number is enough, all larger ones must be.
    """
    high = 2
    while not is_enough(high):
        high *= 2
        if high > _MOST_UNITS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def normal_noncentrality(alpha: float = 0.05, power: float = POWER) -> float:
    """Detectable difference of a large sample, in standard errors.

    This is z_{1−α/2} + z_power, the usual normal approximation (Cohen 1988).

    >>> round(normal_noncentrality(), 4)
    2.8016
    """
    normal = NormalDist()
    return normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)


def decisions_needed(share: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Number of decisions, without ties, that a two-sided sign test needs; ∞ if `share` is ½.

    `share` is the probability p that a decision favours the better system. Up to 300 decisions, the
    result is the smallest number with this power by the binomial distribution. Above, it is the
    normal approximation n = ((z_{1−α/2}/2 + z_power √(p (1 − p)))/(p − ½))² + 1/|p − ½|, whose last
    term corrects for continuity.

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
    """Power of the two-sided sign test with n decisions."""
    from scipy.special import bdtr

    tails = bdtr(np.arange(n // 2 + 1), n, 0.5)
    most = int(np.searchsorted(tails, alpha / 2, side="right")) - 1
    if most < 0:
        return 0.0
    return float(bdtr(most, n, share) + bdtr(most, n, 1 - share))
