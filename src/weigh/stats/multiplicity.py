"""Many comparisons at once: adjusted p-values, and what happens without adjustment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.stats.procedures import ADJUSTMENTS, BLOCK_TESTS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

# Those that bound the chance of any false claim, with the tests that do so by themselves.
FAMILYWISE = ("holm", "bonferroni", "sidak", "maxt", *BLOCK_TESTS)

# Slack for a product of a few floats: 66 · (1/1320) is no more than .05.
_ROUNDING = 1e-12


def adjust(p_values: ArrayLike, method: str = "holm") -> Floats:
    """Return the p-values of one family, each adjusted for all of them, in the given order.

    With m p-values, p_(i) the i-th smallest, all results cut off at 1:

    - `holm` (Holm 1979): the largest (m − j + 1) p_(j) for j ≤ i
    - `bonferroni`: m p
    - `sidak` (Šidák 1967): 1 − (1 − p)^m, for independent or positively dependent tests
    - `bh` (Benjamini & Hochberg 1995): the smallest p_(j) m / j for j ≥ i
    - `by` (Benjamini & Yekutieli 2001): `bh` times 1 + 1/2 + … + 1/m
    - `none`: p

    The first three bound the chance of any false claim, `bh` and `by` the expected share of false
    claims. `maxt` needs the pseudo-differences: see `adjust_maxt`.

    >>> adjust([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.array(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise InputError(f"p-values: shape {p.shape}; give one list of numbers")
    wrong = ~((p >= 0) & (p <= 1))
    if wrong.any():
        raise InputError(f"p-values: {p[wrong][0]}; give numbers from 0 to 1")
    m = p.size
    ranks = np.arange(1, m + 1)
    order = np.argsort(p, kind="stable")
    ordered = p[order]
    if method == "holm":
        ordered = np.maximum.accumulate((m - ranks + 1) * ordered)
    elif method == "bonferroni":
        ordered = m * ordered
    elif method == "sidak":
        with np.errstate(divide="ignore"):  # log 0 = −inf gives 1, as it should
            ordered = -np.expm1(m * np.log1p(-ordered))
    elif method in ("bh", "by"):
        factor = m if method == "bh" else m * (1 / ranks).sum()
        ordered = np.minimum.accumulate((factor / ranks * ordered)[::-1])[::-1]
    elif method == "maxt":
        raise UsageError("maxt: needs the pseudo-differences of all pairs, not their p-values")
    elif method != "none":
        raise UsageError(f"adjustment {method!r} is unknown; {did_you_mean(method, ADJUSTMENTS)}")
    p[order] = np.minimum(ordered, 1)
    return p


def adjust_maxt(
    observed: ArrayLike,
    null: Floats | Sequence[Floats],
    *,
    alternative: Literal["two-sided", "better", "worse"] = "two-sided",
    tolerance: ArrayLike = 0.0,
    plus_one: bool = True,
) -> Floats:
    """Return p-values of one family of pairs, adjusted by the step-down maxT procedure.

    Westfall & Young (1993); Ge, Dudoit & Speed (2003), box 2. Unlike Holm's procedure it uses
    how the pairs depend on each other, so it rejects more where they move together.

    1. Divide every pair's pseudo-differences, and its observed difference, by the standard
       deviation of its pseudo-differences (0/0 = 0); two-sided: take absolute values.
    2. From the least to the most extreme pair, keep for every trial the maximum over the pairs
       seen so far: c counts the trials in which it is at least the pair's observed value.
    3. p = (c + 1)/(B + 1) for B trials.
    4. From the most to the least extreme pair, let no p-value be smaller than the one before.

    A result is never smaller than the p-value of the pair by itself. The family-wise error is
    controlled asymptotically, under joint symmetry of the differences.

    Parameters
    ----------
    observed
        The m differences, positive where a is better.
    null
        One row of B pseudo-differences for every pair, from shared draws; for the bootstraps less
        their mean. Any sequence of rows will do: each is asked for twice, and memory stays
        bounded if it computes them when asked.
    alternative
        Which direction is extreme.
    tolerance
        Differences that are closer than this count as equal, hence as extreme; one number for
        every pair, or one for all.
    plus_one
        False for p = c/B: by request, or where the trials are all there are.

    Examples
    --------
    >>> swaps = np.array([[3.0, 1, -1, -3], [2, 0, 0, -2], [0, 0, 0, 0]])
    >>> adjust_maxt([3.0, 2.0, 0.0], swaps, plus_one=False).tolist()
    [0.5, 0.5, 1.0]
    """
    differences = np.asarray(observed, dtype=np.float64)
    if differences.ndim != 1 or len(null) != differences.size:
        raise InputError(
            f"maxt: {len(null):,} rows of pseudo-differences for {differences.size:,} pairs; "
            "give one row for every pair"
        )
    p = np.ones_like(differences)
    if not p.size:
        return p
    trials = len(null[0])
    if trials < 1:
        raise InputError("maxt: no trials; give at least one")

    deviations = np.array([np.std(row) for row in null])
    # The tolerance goes first and the same division last, so that rounding cannot make a trial
    # that is extreme for the pair by itself less than extreme here.
    needed = _extremeness(differences, alternative) - np.asarray(tolerance, dtype=np.float64)
    thresholds = _divided(needed, deviations)

    ascending = np.argsort(thresholds, kind="stable")
    largest = np.full(trials, -np.inf)
    for pair in ascending:
        row = _divided(_extremeness(np.asarray(null[pair]), alternative), deviations[pair])
        np.maximum(largest, row, out=largest)
        count = np.count_nonzero(largest >= thresholds[pair])
        p[pair] = (count + 1) / (trials + 1) if plus_one else count / trials
    descending = ascending[::-1]
    p[descending] = np.maximum.accumulate(p[descending])
    return p


def _extremeness(differences: Floats, alternative: str) -> Floats:
    if alternative == "two-sided":
        return np.abs(differences)
    if alternative == "better":
        return differences
    if alternative == "worse":
        return -differences
    raise UsageError(f"alternative {alternative!r} is unknown; give two-sided, better or worse")


def _divided(values: Floats, deviation: Floats) -> Floats:
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        quotients = values / deviation
    quotients[np.isnan(quotients)] = 0.0
    return quotients


def smallest_p(trials: int, *, plus_one: bool = True, both_tails: bool = False) -> float:
    """Return the smallest p-value above zero that so many trials can give.

    1/(B + 1), or 1/B for p = c/B and for exact enumeration. `both_tails` doubles it: for the
    two-sided paired bootstrap, whose p-value is twice that of a tail, and for two-sided exact
    enumeration, where swapping every unit is as extreme as swapping none.

    >>> smallest_p(999)
    0.001
    """
    return min(1.0, (1 + both_tails) / (trials + plus_one))


def too_few_trials(
    family_size: int,
    trials: int,
    alpha: float,
    *,
    plus_one: bool = True,
    both_tails: bool = False,
) -> bool:
    """Return whether so few trials can leave no pair significant, however large its difference.

    True when family_size × smallest possible p > α: the first step of Holm's procedure cannot be
    passed. `trials_needed` tells how many would do.

    >>> too_few_trials(66, 1000, 0.05)
    True
    """
    smallest = smallest_p(trials, plus_one=plus_one, both_tails=both_tails)
    return family_size * smallest > alpha * (1 + _ROUNDING)


def trials_needed(
    family_size: int, alpha: float, *, plus_one: bool = True, both_tails: bool = False
) -> int:
    """Return the smallest number of trials that are not too few for a family.

    >>> trials_needed(66, 0.05)
    1319
    """
    return max(1, math.ceil(family_size * (1 + both_tails) / alpha) - plus_one)


def experimentwise(alpha: float, comparisons: int) -> float:
    """Return the chance of at least one false claim in so many independent comparisons at α.

    1 − (1 − α)^k (Riezler & Maxwell 2005, §4.4). Comparisons of the same systems are not
    independent, so this says only how large the error could become without adjustment.

    >>> round(experimentwise(0.05, 15 * 14 // 2), 4)
    0.9954
    """
    return -math.expm1(comparisons * math.log1p(-alpha))
