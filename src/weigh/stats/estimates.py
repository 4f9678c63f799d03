"""Default intervals of scores and differences: by halving, wider where few units differ.

Halvings measure how much the units vary. Where few units differ, they understate it. The interval
is then widened to include that of a test set with one more unit at each extreme.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.stats.halving import Halves
from weigh.stats.intervals import (
    Share,
    padded_ends,
    padded_ratio_ends,
    reconcile_ends,
    wilson_interval,
)
from weigh.stats.sample import Means, Sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.stats.intervals import Ends
    from weigh.types import Scores

# With fewer differing units, intervals by halving alone are too narrow.
SPARSE = 10


@dataclass(frozen=True, slots=True)
class UnitRange:
    """Lowest and highest score of a segment; `is_pass_fail` if no other score is possible."""

    low: float
    high: float
    is_pass_fail: bool = False

    @property
    def width(self) -> float:
        """Largest possible difference between two scores of a segment."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class Estimates:
    """Intervals of one sample's scores and of the differences between its systems.

    `unit_range` is None if unknown. `halves` may be None if only scores of pass/fail items are
    needed. Methods take pairs with their differences S_a − S_b and numbers of differing units.
    """

    sample: Sample
    means: Means | None
    halves: Halves | None
    unit_range: UnitRange | None

    def differences(
        self,
        pairs: NDArray[np.int64],
        differences: Scores,
        differing: NDArray[np.int64],
        level: float,
        p_values: Scores | None = None,
    ) -> Scores:
        """Intervals of the differences, pairs × 2; NaN where there is none.

        With two-sided `p_values`, the intervals are made to agree with them.
        """
        assert self.halves is not None
        narrow = self.halves.difference_ends(pairs, level)
        wide = narrow.copy()
        if self.unit_range is not None:
            for i in np.flatnonzero(differing < SPARSE):
                if not np.isnan(narrow[i, 0]):
                    a, b = pairs[i].tolist()
                    low, high = self._padded_interval(a, b, float(differences[i]), level)
                    wide[i] = min(low, narrow[i, 0]), max(high, narrow[i, 1])
        if p_values is None:
            return wide
        return reconcile_ends(wide, narrow, differences, p_values, 1 - level)

    def _padded_interval(self, a: int, b: int, difference: float, level: float) -> Ends:
        """t interval with two added units, one with the largest difference in each direction."""
        assert self.unit_range is not None
        width, means = self.unit_range.width, self.means
        if means is None or self.sample.strata is not None:
            left_out = self.sample.jackknife_of(a) - self.sample.jackknife_of(b)
            return _padded_mean(_pseudo_values(difference, left_out), -width, width, level)
        d = means.values[a] - means.values[b]
        return padded_ratio_ends(d, means.sizes, -width, width, level)

    def bounds(
        self,
        pairs: NDArray[np.int64],
        differences: Scores,
        differing: NDArray[np.int64],
        level: float,
        *,
        above: bool,
        p_values: Scores | None = None,
    ) -> Scores:
        """One-sided intervals: a lower bound to ∞, or without `above`, −∞ to an upper bound.

        With the `p_values` of the one-sided test, bounds are made to agree with them: 0 lies inside
        if and only if p > α. Where p ≤ α but 0 lies inside, the bound is replaced by that from
        halvings alone, or by 0 if that does not help.
        """
        assert self.halves is not None
        sign = 1.0 if above else -1.0
        narrow = sign * self.halves.lower_bounds(pairs if above else pairs[:, ::-1].copy(), level)
        bound = narrow.copy()
        if self.unit_range is not None:
            for i in np.flatnonzero((differing < SPARSE) & ~np.isnan(bound)):
                a, b = pairs[i].tolist()
                ends = self._padded_interval(a, b, float(differences[i]), max(0.0, 2 * level - 1))
                bound[i] = min(bound[i], ends[0]) if above else max(bound[i], ends[1])
        if p_values is not None:
            undecided = p_values > (1 - level) * (1 + 1e-9)
            outer, inner = (np.minimum, np.maximum) if above else (np.maximum, np.minimum)
            decided = np.where(sign * bound > 0, bound, inner(narrow, 0.0))
            bound = np.where(undecided, outer(bound, 0.0), decided)
        far = np.where(np.isnan(bound), np.nan, sign * np.inf)
        return np.column_stack([bound, far] if above else [far, bound])

    def scores(self, level: float) -> list[Ends | None]:
        """Intervals of the systems' scores; None where there is none."""
        sample, means, unit_range = self.sample, self.means, self.unit_range
        if means is not None and unit_range is not None and unit_range.is_pass_fail:
            return [self._wilson(means, system, level) for system in range(len(sample.names))]
        assert self.halves is not None
        ends = self.halves.score_ends(level)
        # If hardly any n-gram matches, both halves can have higher BLEU than the whole.
        score = sample.scores()
        ends = np.column_stack([np.minimum(ends[:, 0], score), np.maximum(ends[:, 1], score)])
        if means is not None and unit_range is not None:
            for system in range(len(sample.names)):
                values = means.values[system] + means.base
                _, counts = np.unique(values / means.sizes, return_counts=True)
                if sample.units - counts.max() < SPARSE and not math.isnan(ends[system, 0]):
                    low, high = self._padded_score(system, values, means.sizes, unit_range, level)
                    ends[system] = (
                        max(unit_range.low, min(low, ends[system, 0])),
                        min(unit_range.high, max(high, ends[system, 1])),
                    )
        return ends_or_none(ends)

    def _padded_score(
        self, system: int, values: Scores, sizes: Scores, unit_range: UnitRange, level: float
    ) -> Ends:
        """t interval of a score with two added units, one at each bound."""
        bounds = unit_range.low, unit_range.high
        if self.sample.strata is None:
            return padded_ratio_ends(values, sizes, *bounds, level)
        score, left_out = float(self.sample.scores()[system]), self.sample.jackknife_of(system)
        return _padded_mean(_pseudo_values(score, left_out), *bounds, level)

    def _wilson(self, means: Means, system: int, level: float) -> Ends | None:
        passed, shares = means.values[system] + means.base, self.sample.run_shares
        return wilson_interval(
            [
                Share.of(passed[part], means.sizes[part], None if shares is None else shares[part])
                for part in self.sample.parts
            ],
            level,
        )


def _pseudo_values(estimate: float, left_out: Scores) -> Scores:
    """Jackknife pseudo-values of the units (Tukey 1958), from leave-one-out estimates."""
    n = len(left_out)
    return n * estimate - (n - 1) * left_out


def _padded_mean(values: Scores, low: float, high: float, level: float) -> Ends:
    ends = padded_ends(values.sum(), (values**2).sum(), len(values), low, high, level)
    return float(ends[0]), float(ends[1])


def ends_or_none(ends: Scores) -> list[Ends | None]:
    """Rows of ends as pairs of numbers; None for rows of NaN."""
    return [None if np.isnan(low) else (float(low), float(high)) for low, high in ends.tolist()]
