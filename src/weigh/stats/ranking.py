"""Ranks: of systems from best to worst, with ties but for rounding, and tests by ranks or signs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# Numbers that are equal in exact arithmetic, and that only rounding tells apart.

# Sums of some hundred floats err by about 1e-14 of the largest of them, and what people or metrics
# really tell apart differs by more than 1e-9: 1e-12 lies between, as for the ties of every test.
TOLERANCE = 1e-12
# Differences of many pairs are formed so many numbers at a time.
_AT_ONCE = 1 << 16


def as_small_integers(values: NDArray[np.float64]) -> NDArray[np.signedinteger[Any]] | None:
    """The values as the smallest integers that hold their differences, if they are whole.

    Small numbers are compared several times as fast.

    >>> as_small_integers(np.array([0.0, 1.0])).dtype, as_small_integers(np.array([0.5]))
    (dtype('int8'), None)
    """
    largest = float(np.abs(values).max(initial=0.0))
    if not largest < 2.0**30 or not (values == np.rint(values)).all():
        return None
    return values.astype(np.min_scalar_type(-2 * int(largest) - 1))


def wins_ties_losses(
    scores: NDArray[np.float64], sizes: NDArray[np.float64], pairs: Sequence[tuple[int, int]]
) -> NDArray[np.int64]:
    """Count for each pair the units in which the first is better, neither, and the second.

    `scores` are systems × units, large ones better; `sizes` are those of the numbers that each
    was computed of. A difference that is no larger than `TOLERANCE` of them is a tie.

    >>> scores = np.array([[1.0, 0.3, 0.0], [0.0, 0.1 + 0.2, 1.0]])
    >>> wins_ties_losses(scores, np.abs(scores), [(0, 1)]).tolist()
    [[1, 1, 1]]
    """
    units = scores.shape[1]
    whole = as_small_integers(scores) if (sizes == np.abs(scores)).all() else None
    slack = TOLERANCE * sizes
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    result = np.empty((len(pairs), 3), np.int64)
    step = max(1, _AT_ONCE // max(1, units))
    for start in range(0, len(pairs), step):
        block = slice(start, start + step)
        a, b = first[block], second[block]
        if whole is not None:  # which are not rounded
            wins, losses = whole[a] > whole[b], whole[a] < whole[b]
        else:
            difference, limit = scores[a] - scores[b], np.maximum(slack[a], slack[b])
            wins, losses = difference > limit, difference < -limit
        result[block, 0] = np.count_nonzero(wins, axis=1)
        result[block, 2] = np.count_nonzero(losses, axis=1)
    result[:, 1] = units - result[:, 0] - result[:, 2]
    return result


def with_ties(values: ArrayLike, scale: float) -> NDArray[np.float64]:
    """Return values with those set equal that lie no further apart than rounding may put them.

    `scale` is the size of the numbers that they were computed of, such as the largest score of
    those that were averaged: that of the values may be much smaller, where they cancel out. Values
    are neighbours if they differ by at most `TOLERANCE` of it, and a chain of neighbours becomes
    its smallest value. Rounding to so many digits would part those on both sides of a boundary.

    >>> with_ties([0.1 + 0.2, 0.3, 0.31], 1.0).tolist()
    [0.3, 0.3, 0.31]
    """
    array = np.asarray(values, dtype=np.float64)
    ordered = np.sort(array)
    first = np.append(True, ~(np.diff(ordered) <= TOLERANCE * scale))[: ordered.size]
    places = np.searchsorted(ordered, array)
    return ordered[first][np.cumsum(first)[places] - 1] if ordered.size else array


def clusters(names: Sequence[str], scores: ArrayLike, beats: ArrayLike) -> list[list[str]]:
    """Return clusters of systems, best first, as shared tasks print them.

    1. Order the systems by score, higher is better (turn the sign of error rates); equal scores
       keep their order.
    2. A boundary stands where every system above significantly beats every system below.

    `beats[i, j]` says that system i is significantly better than system j, from adjusted
    two-sided tests of all pairs. Two systems of one cluster may still differ significantly.

    >>> clusters(["A", "B", "C"], [1, 3, 2], [[0, 0, 0], [1, 0, 0], [1, 0, 0]])
    [['B', 'C'], ['A']]
    """
    order = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")
    matrix = np.asarray(beats, dtype=bool)[np.ix_(order, order)]
    result: list[list[str]] = []
    for place, system in enumerate(order):
        if matrix[:place, place:].all():  # true of the first place, where nobody stands above
            result.append([])
        result[-1].append(names[system])
    return result


def rank_ranges(
    names: Sequence[str], wins: Iterable[tuple[str, str]]
) -> dict[str, tuple[int, int]]:
    """Return the lowest and the highest rank that each system may have, as the WMT prints them.

    From the number of systems that significantly beat this one, plus one, to the number of systems
    less those that it beats. `wins` are winners and losers, of all pairs. If the probability of any
    false win is α at most, all ranges together hold the true ranks with probability 1 − α or more:
    a true win that was missed only makes them wider (Al Mohamad, Goeman & van Zwet 2022).

    >>> rank_ranges(["A", "B", "C"], [("A", "C")])
    {'A': (1, 2), 'B': (1, 3), 'C': (2, 3)}
    """
    distinct = set(wins)
    won, lost = Counter(winner for winner, _ in distinct), Counter(loser for _, loser in distinct)
    return {name: (lost[name] + 1, len(names) - won[name]) for name in names}


# Tests that ask for ranks or signs alone: the rank-sum test of two samples, the signed-rank test of
# differences, the sign test.

Alternative = Literal["two-sided", "better"]
EXACT_BELOW = 20
"""With fewer differences that are not zero, the signed-rank test is exact."""


class RankTest(NamedTuple):
    """A p-value, and whether ranks speak for the first sample (1), the second (−1) or neither."""

    p_value: float
    ahead: Literal[-1, 0, 1]


def rank_sum(
    first: Sequence[float], second: Sequence[float], alternative: Alternative = "two-sided"
) -> RankTest:
    """Test whether two samples differ, or with `better` whether the first is the higher one.

    Wilcoxon (1945), Mann & Whitney (1947): normal approximation with corrections for ties and for
    continuity, as `scipy.stats.mannwhitneyu(method="asymptotic")` has it. Samples in which all
    values are the same give p = 1.

    1. Both samples are ranked together, ties by their mean rank. U is the sum of the first one's
       n ranks, less n (n + 1)/2; its mean is n m/2.
    2. Its variance is n m/12 · (N + 1 − Σ (t³ − t)/(N (N − 1))), N = n + m, for groups of t ties.
    3. p is the normal tail above (U − n m/2 − ½)/σ, two-sided twice that of the larger U.
    """
    if len({*first, *second}) == 1:
        return RankTest(1.0, 0)
    n, m = len(first), len(second)
    ranks, ties = ranked(np.concatenate([first, second]))
    above = float(ranks[:n].sum()) - n * (n + 1) / 2 - n * m / 2
    tied = float((ties**3 - ties).sum()) / ((n + m) * (n + m - 1))
    error = math.sqrt(n * m / 12 * (n + m + 1 - tied))
    return _by_normal_tail(above, error, alternative)


def signed_rank(differences: ArrayLike, alternative: Alternative = "two-sided") -> RankTest:
    """Test whether differences lie around zero, or with `better` whether they lie above it.

    Wilcoxon (1945). With fewer than `EXACT_BELOW` differences that are not zero, p is exact: the
    share of the 2ⁿ signs that these sizes may have, ties included. With more it is the normal
    approximation with corrections for ties and for continuity, as
    `scipy.stats.wilcoxon(zero_method="wilcox", correction=True, method="asymptotic")` has it.
    Where all differences are zero, or there are none, p = 1.

    1. Zeros are dropped; n differences are left. Their sizes are ranked, ties by their mean rank.
       T is the sum of the ranks of those above zero; its mean is n (n + 1)/4.
    2. Its variance is (n (n + 1)(2n + 1) − ½ Σ (t³ − t))/24 for groups of t ties.
    3. p is the normal tail above (T − n (n + 1)/4 − ½)/σ, two-sided twice that of the larger T.
    """
    nonzero = np.asarray(differences, dtype=np.float64)
    nonzero = nonzero[nonzero != 0]
    n = nonzero.size
    if not n:
        return RankTest(1.0, 0)
    ranks, ties = ranked(np.abs(nonzero))
    above = float(ranks[nonzero > 0].sum()) - n * (n + 1) / 4
    if n < EXACT_BELOW:
        return RankTest(_signed_rank_tail(ranks, above, alternative), sign(above))
    error = math.sqrt((n * (n + 1) * (2 * n + 1) - float((ties**3 - ties).sum()) / 2) / 24)
    return _by_normal_tail(above, error, alternative)


def _signed_rank_tail(ranks: NDArray[np.float64], above: float, alternative: Alternative) -> float:
    """Return the share of signs whose sum of ranks lies as far from its mean."""
    doubled = np.rint(2 * ranks).astype(np.int64)  # mean ranks of ties are halves
    total = int(doubled.sum())
    counts = np.zeros(total + 1)
    counts[0] = 1.0
    for rank in doubled.tolist():
        counts[rank:] = counts[rank:] + counts[:-rank]
    # Doubled sums lie around total/2; twice their distance from it is a whole number.
    distances = 2 * np.arange(total + 1) - total
    observed = round(4 * above)
    extreme = distances >= observed
    if alternative == "two-sided":
        extreme = np.abs(distances) >= abs(observed)
    return float(counts[extreme].sum()) / 2.0**ranks.size


def _by_normal_tail(above: float, error: float, alternative: Alternative) -> RankTest:
    """Test a sum of ranks that lies so far above its mean, less ½ for continuity."""
    from scipy.special import ndtr  # much quicker to import than scipy.stats

    two_sided = alternative == "two-sided"
    distance = (abs(above) if two_sided else above) - 0.5
    p = (1 + two_sided) * float(ndtr(-distance / error))
    return RankTest(min(1.0, p), sign(above))


def sign(value: float) -> Literal[-1, 0, 1]:
    """Sign of a number: 1, −1 or 0."""
    return 1 if value > 0 else -1 if value < 0 else 0


def ranked(values: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ranks from 1, ties by their mean, and the sizes of the groups of ties.

    >>> ranked([3, 1, 3])[0].tolist()
    [2.5, 1.0, 2.5]
    """
    _, groups, sizes = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return (last - (sizes - 1) / 2)[groups], sizes.astype(np.float64)


def sign_test(wins: int, losses: int, alternative: Alternative = "two-sided") -> float:
    """Return the exact p-value of wins against losses; `better` asks for more wins only.

    >>> sign_test(5, 0), sign_test(5, 0, "better")
    (0.0625, 0.03125)
    """
    from scipy.special import bdtrc  # much quicker to import than scipy.stats

    def at_least(k: int) -> float:
        return float(bdtrc(k - 1, wins + losses, 0.5)) if k > 0 else 1.0

    if alternative == "better":
        return at_least(wins)
    return min(1.0, 2 * at_least(max(wins, losses)))
