"""Shares of counted outcomes, with exact bounds and intervals."""

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
