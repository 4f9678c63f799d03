"""Shares of counted outcomes, with exact intervals."""

from __future__ import annotations

from dataclasses import dataclass


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
        """Return the exact interval of the share (Clopper & Pearson 1934).

        Its ends are the shares at which a count so high, or so low, has a chance of
        (1 − level)/2: quantiles of beta distributions. Of nothing it is everything, 0 to 1.

        >>> [round(100 * end, 1) for end in Proportion(53, 66).interval()]
        [68.7, 89.1]
        """
        from scipy.special import betaincinv

        tail = (1 - level) / 2
        missed = self.total - self.count
        low = float(betaincinv(self.count, missed + 1, tail)) if self.count else 0.0
        high = float(betaincinv(self.count + 1, missed, 1 - tail)) if missed else 1.0
        return low, high
