"""The number of units that a power takes: a formula's, corrected by simulations."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weigh.stats.proportion import Proportion
    from weigh.validate.plan import PowerPlan

# Larger data sets are not simulated to check a formula: it is the better the larger they are.
MOST_UNITS = 10_000
_LEAST_UNITS = 2
_MOST_STEPS = 8
# One step goes at most so many times up or down: a power near 0 or 1 says little of the distance.
_LARGEST_STEP = 4.0


class Search:
    """A search for the number of units with which a difference is found as often as wanted.

    1. The formula's number is simulated. It is the answer if the wanted power is in the interval
       of the share that was found.
    2. Else another one is: Φ⁻¹(power) + z_{1−α/2} is proportional to the root of the number by
       the normal approximation, and between a number that is too small and one that is too large
       the straight line through both is taken.
    3. It ends with a number that holds, with the smaller of two neighbours that is not too
       small, or after eight steps. Numbers above 10,000 are not simulated.

    `size` is the answer so far, `wanted` what is to be simulated next, None at the end.
    """

    def __init__(self, formula: int, plan: PowerPlan) -> None:
        self.size = max(_LEAST_UNITS, formula)
        self._plan = plan
        self.steps: list[int] = []
        self._small: tuple[int, float] | None = None
        self._large: tuple[int, float] | None = None

    @property
    def wanted(self) -> int | None:
        """The number of units to simulate next, None when the search is over."""
        ended = self.size in self.steps or self.size > MOST_UNITS
        return None if ended else self.size

    def learn(self, found: Proportion) -> None:
        """Take in what was found with the wanted number of units."""
        size = self.size
        self.steps.append(size)
        low, high = found.interval(self._plan.level)
        if low <= self._plan.power <= high:
            return
        # A share of 0 or 1 is no quantile; half a data set more or less is.
        share = min(max(found.share, 0.5 / found.total), 1 - 0.5 / found.total)
        quantile = NormalDist().inv_cdf(share)
        if high < self._plan.power:
            self._small = size, quantile
        else:
            self._large = size, quantile
        self.size = self._next(size, quantile)

    def _next(self, size: int, quantile: float) -> int:
        least = _LEAST_UNITS if self._small is None else self._small[0] + 1
        if self._large is not None and (self._large[0] <= least or self._is_long):
            return self._large[0]
        if self._is_long:
            return size
        root = self._root(size, quantile)
        most = math.inf if self._large is None else self._large[0] - 1
        return int(min(max(math.ceil(root**2), least), most))

    @property
    def _is_long(self) -> bool:
        return len(self.steps) >= _MOST_STEPS

    def _root(self, size: int, quantile: float) -> float:
        """Return the root of the number at which the wanted power is expected."""
        normal = NormalDist()
        aim = normal.inv_cdf(self._plan.power)
        if self._small is not None and self._large is not None:
            (small, low), (large, high) = self._small, self._large
            part = (aim - low) / (high - low)
            return math.sqrt(small) + part * (math.sqrt(large) - math.sqrt(small))
        critical = normal.inv_cdf(1 - self._plan.alpha / 2)
        reached, sought = quantile + critical, aim + critical
        limit = math.sqrt(_LARGEST_STEP)
        factor = limit if reached <= 0 else sought / reached
        return math.sqrt(size) * min(max(factor, 1 / limit), limit)
