"""Not worse by more than a margin, equivalence, and the release gate.

Differences are oriented: positive means that a, the system under test, is better than b. The margin
is chosen by the user before the data are seen.

A verdict must survive one more total failure: the bounds are those of the units at hand and one
more, in which a loses by as much as a unit can. Without it, a test set that happens to lack the
rare failures of a system would call it safe.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from weigh.errors import UsageError
from weigh.stats.multiplicity import adjust
from weigh.stats.student import t_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Verdict = Literal["pass", "fail", "inconclusive"]

_MOST_UNITS = 10**9
_POWER_QUANTILE = 0.8416212335729143  # of the standard normal distribution, at .8


@dataclass(frozen=True, slots=True)
class MarginBounds:
    """One-sided bounds of an oriented difference, each at α.

    `lower` and `upper` allow for one more unit at the worst, or at the best. `upper_end` is the
    upper bound of the units at hand alone, at α over the number of metrics that may fail.
    """

    lower: float
    upper: float
    upper_end: float

    def is_non_inferior(self, margin: float, slack: float = 0.0) -> bool:
        """Whether a is not worse by more than the margin; `slack` is what rounding may do.

        >>> MarginBounds(-0.3, 2.0, 1.9).is_non_inferior(0.5)
        True
        """
        _check_margin(margin)
        return self.lower - slack > -margin

    def is_equivalent(self, margin: float, slack: float = 0.0) -> bool:
        """Whether the difference lies within the margin on both sides."""
        return self.is_non_inferior(margin, slack) and self.upper + slack < margin

    def verdict(self, margin: float, slack: float = 0.0) -> Verdict:
        """Judge a release: it passes if a is not worse, fails if it surely is.

        >>> MarginBounds(-0.7, 0.2, 0.1).verdict(0.5)
        'inconclusive'
        """
        if self.is_non_inferior(margin, slack):
            return "pass"
        return "fail" if self.upper_end + slack < -margin else "inconclusive"


def mean_bounds(
    values: Floats, sizes: Floats, worst: float, alpha: float, metrics: int = 1
) -> MarginBounds:
    """Bound a mean of unit differences, of which none can be larger than `worst`.

    `values` are sums over a unit's segments, `sizes` their numbers: the difference is
    Σ values/Σ sizes, and the further unit has the mean size. Bounds are by Student's t.
    """
    size = float(sizes.mean())
    more = np.append(sizes, size)
    return MarginBounds(
        _t_bound(np.append(values, -worst * size), more, alpha, upper=False),
        _t_bound(np.append(values, worst * size), more, alpha, upper=True),
        _t_bound(values, sizes, alpha / metrics, upper=True),
    )


def _t_bound(values: Floats, sizes: Floats, tail: float, *, upper: bool) -> float:
    """Return the one-sided t bound of a ratio of sums; of equal sizes, of a mean."""
    n = len(values)
    if n < 2:
        return math.inf if upper else -math.inf
    ratio = float(values.sum() / sizes.sum())
    residuals = values - ratio * sizes
    error = math.sqrt(n / (n - 1) * float((residuals**2).sum())) / float(sizes.sum())
    reach = t_quantile(n - 1, 1 - tail) * error
    return ratio + reach if upper else ratio - reach


def jackknife_bound(difference: float, left_out: Floats, tail: float, *, upper: bool) -> float:
    """Return the one-sided t bound of a difference from its values without each unit in turn.

    The standard error is the jackknife's: √((n − 1)/n · Σ (D_(i) − mean)²).
    """
    n = len(left_out)
    if n < 2:
        return math.inf if upper else -math.inf
    error = math.sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))
    reach = t_quantile(n - 1, 1 - tail) * error
    return difference + reach if upper else difference - reach


def units_to_settle(deviation: float, worst: float, margin: float, alpha: float) -> int | None:
    """The number of units with which an equal system passes with about 80% power; None if none do.

    Its unit differences have mean 0 and standard deviation `deviation`. A system that never differs
    passes a margin of 2% of pass/fail items with:

    >>> units_to_settle(0.0, 1.0, 0.02, 0.05)
    132
    """

    def passes(n: int) -> bool:
        mean = -worst / (n + 1)
        squares = (n - 1) * deviation**2 + worst**2
        error = math.sqrt(max(squares - (n + 1) * mean**2, 0.0) / n / (n + 1))
        # In one case of five, the mean of an equal system lies this far below 0, or further.
        unlucky = _POWER_QUANTILE * deviation * math.sqrt(n) / (n + 1)
        return mean - unlucky - t_quantile(n, 1 - alpha) * error > -margin

    high = 2
    while not passes(high):
        high *= 2
        if high > _MOST_UNITS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high


def worst_verdict(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict on all: fail beats inconclusive, and that beats pass.

    >>> worst_verdict(["pass", "inconclusive", "pass"])
    'inconclusive'
    """
    order: tuple[Verdict, ...] = ("fail", "inconclusive")
    return next((verdict for verdict in order if verdict in verdicts), "pass")


def adjusted_for_metrics(p_worse: Sequence[float], metrics: int) -> list[float]:
    """Return p-values of "worse" by several metrics, adjusted by Holm's method for all of them.

    Without a margin a gate fails if one of these is at most α: then an equal system fails with a
    probability of at most α, by however many metrics it is judged. `metrics` counts those too
    that have a margin, since they may fail as well.

    >>> adjusted_for_metrics([0.02, 0.03], metrics=3)
    [0.06, 0.06]
    """
    others = [1.0] * (metrics - len(p_worse))
    return [float(p) for p in adjust([*p_worse, *others], "holm")[: len(p_worse)]]


def _check_margin(margin: float) -> None:
    if not margin > 0:
        raise UsageError(f"margin {margin}; give a positive number")
