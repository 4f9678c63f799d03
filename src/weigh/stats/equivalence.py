"""Equivalence, non-inferiority and the release gate.

Differences are oriented: positive means that a, the system under test, is better than b. The
interval belongs to level 1 − 2α, which makes each of these a test at α (two one-sided tests,
Schuirmann 1987). The margin is chosen by the user before the data are seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from weigh.errors import UsageError

Verdict = Literal["pass", "fail", "inconclusive"]


def is_equivalent(interval: tuple[float, float], margin: float) -> bool:
    """Return whether the interval of the difference lies inside (−margin, margin).

    >>> is_equivalent((-0.3, 0.4), margin=0.5)
    True
    """
    _check_margin(margin)
    low, high = interval
    return -margin < low and high < margin


def is_non_inferior(interval: tuple[float, float], margin: float) -> bool:
    """Return whether the lower end of the interval lies above −margin.

    >>> is_non_inferior((-0.3, 2.0), margin=0.5)
    True
    """
    _check_margin(margin)
    return interval[0] > -margin


def gate_verdict(interval: tuple[float, float], margin: float) -> Verdict:
    """Judge a release by a margin: is a worse than b by no more than that?

    It passes if a is non-inferior, fails if the whole interval lies below −margin, and is
    inconclusive otherwise: then more data are needed.

    >>> gate_verdict((-0.7, 0.1), margin=0.5)
    'inconclusive'
    """
    if is_non_inferior(interval, margin):
        return "pass"
    return "fail" if interval[1] < -margin else "inconclusive"


def gate_without_margin(p_worse: Iterable[float], alpha: float) -> Verdict:
    """Judge a release by tests: it fails if a is significantly worse than b on any metric.

    `p_worse` holds the unadjusted one-sided p-value of "worse" for each metric. A pass means only
    that no regression was found; a small test set finds none.

    >>> gate_without_margin([0.4, 0.03], alpha=0.05)
    'fail'
    """
    return "fail" if any(p <= alpha for p in p_worse) else "pass"


def _check_margin(margin: float) -> None:
    if not margin > 0:
        raise UsageError(f"margin {margin}; give a positive number")
