"""Non-inferiority (not worse by more than a margin), equivalence, and the release gate.

Differences are oriented: positive means that a, the system under test, is better than b. The user
chooses the margin before seeing the data.

A verdict must survive one more total failure. The lower bound is therefore computed from the actual
units plus one on which a loses by as much as a unit allows. Without it, a test set that happens to
miss a system's rare failures would pass the system.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from weigh.errors import UsageError
from weigh.stats.intervals import ratio_with_error
from weigh.stats.multiplicity import adjust
from weigh.stats.power import smallest_number
from weigh.stats.student import t_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Verdict = Literal["pass", "fail", "inconclusive"]

_POWER_QUANTILE = 0.8416212335729143  # of the standard normal distribution, at .8


@dataclass(frozen=True, slots=True)
class MarginBounds:
    """One-sided bounds of an oriented difference, each at α.

    `lower` includes one more unit with the worst difference, and `upper` one more with the best.
    `upper_end` is the upper bound of the actual units alone, at α divided by the number of metrics
    of the gate.
    """

    lower: float
    upper: float
    upper_end: float

    def is_non_inferior(self, margin: float, slack: float = 0.0) -> bool:
        """Whether a is not worse by more than the margin; `slack` is the possible rounding error.

        >>> MarginBounds(-0.3, 2.0, 1.9).is_non_inferior(0.5)
        True
        """
        _check_margin(margin)
        return self.lower - slack > -margin

    def is_equivalent(self, margin: float, slack: float = 0.0) -> bool:
        """Whether the difference lies within the margin on both sides."""
        return self.is_non_inferior(margin, slack) and self.upper + slack < margin

    def verdict(self, margin: float, slack: float = 0.0) -> Verdict:
        """Verdict of a gate: pass if a is not worse by more than the margin, fail if it clearly is.

        >>> MarginBounds(-0.7, 0.2, 0.1).verdict(0.5)
        'inconclusive'
        """
        if self.is_non_inferior(margin, slack):
            return "pass"
        return "fail" if self.upper_end + slack < -margin else "inconclusive"


def mean_bounds(
    values: Floats, sizes: Floats, worst: float, alpha: float, metrics: int = 1
) -> MarginBounds:
    """Student's t bounds of a mean difference whose units differ by at most `worst`.

    `values` are the sums of differences over each unit's segments and `sizes` the numbers of
    segments; the difference is Σ values/Σ sizes. The added unit has the mean size.
    """
    size = float(sizes.mean())
    extended = np.append(sizes, size)
    return MarginBounds(
        _t_bound(np.append(values, -worst * size), extended, alpha, upper=False),
        _t_bound(np.append(values, worst * size), extended, alpha, upper=True),
        _t_bound(values, sizes, alpha / metrics, upper=True),
    )


def _t_bound(values: Floats, sizes: Floats, tail: float, *, upper: bool) -> float:
    """One-sided t bound of Σ values/Σ sizes, which is a mean if all sizes are equal."""
    n = len(values)
    if n < 2:
        return math.inf if upper else -math.inf
    ratio, error = ratio_with_error(values, sizes)
    reach = t_quantile(n - 1, 1 - tail) * error
    return ratio + reach if upper else ratio - reach


def jackknife_bound(difference: float, left_out: Floats, tail: float, *, upper: bool) -> float:
    """One-sided t bound of a difference, from its leave-one-out values.

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

    Its unit differences have mean zero and standard deviation `deviation`. For example, a system
    that never differs passes a margin of 2% of pass/fail items with:

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

    return smallest_number(passes)


def worst_verdict(verdicts: Sequence[Verdict]) -> Verdict:
    """The overall verdict: fail beats inconclusive, and inconclusive beats pass.

    >>> worst_verdict(["pass", "inconclusive", "pass"])
    'inconclusive'
    """
    order: tuple[Verdict, ...] = ("fail", "inconclusive")
    return next((verdict for verdict in order if verdict in verdicts), "pass")


def adjust_for_metrics(p_worse: Sequence[float], metrics: int) -> list[float]:
    """Adjust p-values of "worse" for the number of metrics by Holm's method.

    Without a margin, a gate fails if any adjusted p-value is at most α. A system of equal quality
    then fails with probability at most α, whatever the number of metrics. `metrics` also counts
    metrics with a margin, because they can fail the gate as well.

    >>> adjust_for_metrics([0.02, 0.03], metrics=3)
    [0.06, 0.06]
    """
    others = [1.0] * (metrics - len(p_worse))
    return [float(p) for p in adjust([*p_worse, *others], "holm")[: len(p_worse)]]


def _check_margin(margin: float) -> None:
    if not margin > 0:
        raise UsageError(f"margin {margin}; give a positive number")
