"""Equivalence, non-inferiority and the release gate.

Differences are oriented: positive means that a, the system under test, is better than b. The
interval belongs to level 1 − 2α, which makes each of these a test at α (two one-sided tests,
Schuirmann 1987). The margin is chosen by the user before the data are seen. Any interval will do
that holds its level; where few units differ, no bootstrap does, and `sparse_bound` takes its place.

`slack` is how far rounding may have moved an end: 1 − .9 lies above .1 by 3e-17, and a loss of one
in ten would be called less than that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from weigh.errors import UsageError
from weigh.stats.intervals import Proportion
from weigh.stats.multiplicity import adjust

if TYPE_CHECKING:
    from weigh.stats.intervals import Ends

Verdict = Literal["pass", "fail", "inconclusive"]

# Where fewer units differ, the bootstrap of a difference knows too little of those that may.
SPARSE = 10


def is_equivalent(interval: Ends, margin: float, slack: float = 0.0) -> bool:
    """Return whether the interval of the difference lies inside (−margin, margin).

    >>> is_equivalent((-0.3, 0.4), margin=0.5)
    True
    """
    _check_margin(margin)
    low, high = interval
    return -margin < low - slack and high + slack < margin


def is_non_inferior(interval: Ends, margin: float, slack: float = 0.0) -> bool:
    """Return whether the lower end of the interval lies above −margin.

    >>> is_non_inferior((-0.3, 2.0), margin=0.5)
    True
    """
    _check_margin(margin)
    return interval[0] - slack > -margin


def gate_verdict(
    interval: Ends, margin: float, upper: float | None = None, slack: float = 0.0
) -> Verdict:
    """Judge a release by a margin: is a worse than b by no more than that?

    It passes if a is non-inferior, fails if the interval lies below −margin as a whole, and is
    inconclusive otherwise: then more data are needed. Where several metrics are asked, all must
    pass, so each is asked at α; but any of them may fail, so `upper` is then the upper end at
    α over their number.

    >>> gate_verdict((-0.7, 0.1), margin=0.5)
    'inconclusive'
    """
    if is_non_inferior(interval, margin, slack):
        return "pass"
    end = interval[1] if upper is None else upper
    return "fail" if end + slack < -margin else "inconclusive"


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict on all: fail beats inconclusive, and that beats pass.

    >>> worst(["pass", "inconclusive", "pass"])
    'inconclusive'
    """
    order: tuple[Verdict, ...] = ("fail", "inconclusive")
    return next((one for one in order if one in verdicts), "pass")


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


def sparse_bound(
    differing: Sequence[int], units: Sequence[int], scale: float, alpha: float
) -> float:
    """Return the largest difference, either way, where few units differ.

    No unit can change by more than the metric's scale, so a share c of units that differ changes
    the score by at most c · scale; c is the exact upper bound of that share. For the mean over S
    slices, whose units are counted in turn, it is the mean of bounds at α/S each. For scores
    that are no means of units, such as corpus BLEU, long units weigh more, and this is an
    approximation.

    >>> round(sparse_bound([2], [100], scale=1.0, alpha=0.05), 4)
    0.0616
    """
    each = alpha / len(units)
    bounds = [Proportion(k, n).upper(each) for k, n in zip(differing, units, strict=True)]
    return scale * math.fsum(bounds) / len(bounds)


def units_for_margin(margin: float, scale: float, alpha: float) -> int:
    """Return how many units `sparse_bound` needs for a margin even if none of them differ.

    1 − α^(1/n) < margin/scale. A margin as wide as the scale needs one.

    >>> units_for_margin(0.1, 1.0, 0.05)
    29
    """
    if margin >= scale:
        return 1
    return math.floor(math.log(alpha) / math.log1p(-margin / scale)) + 1


def _check_margin(margin: float) -> None:
    if not margin > 0:
        raise UsageError(f"margin {margin}; give a positive number")
