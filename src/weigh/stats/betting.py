"""Anytime-valid tests and intervals by betting: results may be inspected while units come in.

A gambler bets against "no difference" on each unit in turn. Each bet multiplies the stake by
1 + g·d, where d in [−1, 1] is the unit's difference and g the share of the stake that is bet. If
there is no difference, no strategy makes the stake grow in expectation, and by Ville's inequality
it ever reaches 1/α with probability at most α, however often one looks (Shafer & Vovk 2019;
Waudby-Smith & Ramdas 2024). The stake is the average over eight shares g on each of the two
systems.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

SHARES = (np.arange(8) + 0.5) / 8
# Log stakes are capped here: e^600 is practically infinite, and sums of such stakes stay finite.
_MOST_LOG = 600.0
_BISECTIONS = 40
# With at most this many distinct values, values are counted instead of listed one by one.
_MOST_COUNTED = 32


@dataclass(frozen=True, slots=True)
class Bets:
    """The stakes of K comparisons so far: sums of log(1 ± g·d) over units, K × 2 × 8."""

    logs: Floats

    @staticmethod
    def none(comparisons: int) -> Bets:
        """A stake of 1 in every comparison, before any bet."""
        return Bets(np.zeros((comparisons, 2, len(SHARES))))

    def after(self, differences: ArrayLike) -> Bets:
        """The stakes after bets on further differences, comparisons × units, each in [−1, 1]."""
        d = np.asarray(differences, dtype=np.float64)
        if d.ndim != 2 or len(d) != len(self.logs):
            raise InputError(f"bets: differences of shape {d.shape}; give comparisons × units")
        if d.size and not np.abs(d).max() <= 1:
            raise InputError(
                "bets: a difference is larger than 1; divide by the range of the scores"
            )
        grown = self.logs.copy()
        for at, share in enumerate(SHARES):
            grown[:, 0, at] += np.log1p(share * d).sum(axis=1)
            grown[:, 1, at] += np.log1p(-share * d).sum(axis=1)
        return Bets(grown)

    @property
    def e_values(self) -> Floats:
        """The stake of each comparison, with half of it bet on each system."""
        return _mean(self.logs.reshape(len(self.logs), -1))

    @property
    def on_first(self) -> Floats:
        """The stake of a gambler who only bets on positive differences."""
        return _mean(self.logs[:, 0])

    @property
    def on_second(self) -> Floats:
        """The stake of a gambler who only bets on negative differences."""
        return _mean(self.logs[:, 1])


def _mean(logs: Floats) -> Floats:
    """Mean stake of each row of log stakes."""
    total = np.logaddexp.reduce(logs, axis=1) - np.log(logs.shape[1])
    return np.asarray(np.exp(np.minimum(total, _MOST_LOG)))


def adjust_e_values(e_values: ArrayLike) -> Floats:
    """Adjust e-values for all comparisons: the closed e-test (Vovk & Wang 2021).

    Each e-value becomes the smallest mean of itself and any number of the others. Rejecting where
    that is at least 1/α keeps the familywise error at α. Pass the current stakes, never the running
    maxima.

    >>> adjust_e_values([30.0, 4.0, 1.0]).round(2).tolist()
    [11.67, 2.5, 1.0]
    """
    e = np.asarray(e_values, dtype=np.float64)
    order = np.argsort(e, kind="stable")
    ordered = e[order]
    before = np.concatenate([[0.0], np.cumsum(ordered)])  # sums of the j smallest
    adjusted = np.empty(len(e))
    j = 0  # never falls: whatever lowers the mean of an e-value also lowers that of a larger one
    for rank, at in enumerate(order):
        while j < rank and ordered[j] * (j + 1) < ordered[rank] + before[j]:
            j += 1
        adjusted[at] = (ordered[rank] + before[j]) / (j + 1)
    return adjusted


def confidence_sequence(
    differences: ArrayLike, level: float = 0.95, *, tails: int = 2
) -> tuple[Floats, Floats]:
    """Ends of intervals of mean differences that hold at all sample sizes simultaneously.

    Differences are comparisons × units, in [−1, 1]. With y = (1 + d)/2, the lower end is the m that
    solves mean_g Π(1 − g + g·y/m) = 2/α, and the upper end follows from y → 1 − y. With `tails` =
    1, each end by itself is a bound at `level`.

    >>> low, high = confidence_sequence(np.zeros((1, 100)))
    >>> round(float(low[0]), 3), round(float(high[0]), 3)
    (-0.052, 0.052)
    """
    y = (1 + np.atleast_2d(np.asarray(differences, dtype=np.float64))) / 2
    needed = np.log(tails / (1 - level))
    return 2 * _lower_ends(y, needed) - 1, 1 - 2 * _lower_ends(1 - y, needed)


def _lower_ends(y: Floats, needed: float) -> Floats:
    """Solve mean_g Π(1 − g + g·y/m) = exp(needed) for m in (0, 1), which falls with m."""
    values, counts = _count_values(y)
    low, high = np.zeros(len(y)), np.ones(len(y))
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        ratios = values / middle[:, None] - 1
        logs = [(counts * np.log1p(g * ratios)).sum(axis=1) for g in SHARES]
        stake = np.logaddexp.reduce(logs, axis=0) - np.log(len(SHARES))
        too_low = stake >= needed
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    return low


def _count_values(y: Floats) -> tuple[Floats, Floats]:
    """Distinct values and their counts in each comparison, or all values with a count of 1.

    Where few values are distinct, as with pass/fail items, counting keeps the work independent of
    the number of items.
    """
    values = np.unique(y)
    if len(values) > min(_MOST_COUNTED, y.shape[1] // 2):
        return y, np.ones((1, 1))
    counts = np.array([(y == value).sum(axis=1) for value in values], dtype=np.float64).T
    return values[None], counts.reshape(len(y), len(values))
