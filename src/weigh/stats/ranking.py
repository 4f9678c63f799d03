"""Rankings of systems, ties up to rounding, and rank and sign tests."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# Ties: numbers that are equal in exact arithmetic and differ only by rounding.

# Sums of some hundred floats have relative errors of about 1e-14, while genuine differences between
# scores exceed 1e-9. 1e-12 lies between the two, and is the tolerance of every test.
TOLERANCE = 1e-12
# Differences of many pairs are computed in blocks of about this many numbers.
_AT_ONCE = 1 << 16


def as_small_integers(values: NDArray[np.float64]) -> NDArray[np.signedinteger[Any]] | None:
    """Whole numbers as the smallest integer type that holds their differences; otherwise None.

    Small types are compared several times as fast.

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
    """For each pair, count the units on which the first is better, neither, and the second.

    `scores` are systems × units, where larger is better. `sizes` are the magnitudes of the numbers
    that each score was computed from. A difference of at most `TOLERANCE` times the size is a tie.

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
        if whole is not None:  # integers have no rounding errors
            wins, losses = whole[a] > whole[b], whole[a] < whole[b]
        else:
            difference, limit = scores[a] - scores[b], np.maximum(slack[a], slack[b])
            wins, losses = difference > limit, difference < -limit
        result[block, 0] = np.count_nonzero(wins, axis=1)
        result[block, 2] = np.count_nonzero(losses, axis=1)
    result[:, 1] = units - result[:, 0] - result[:, 2]
    return result


def with_ties(values: ArrayLike, scale: float) -> NDArray[np.float64]:
    """Make values equal that differ only by rounding.

    `scale` is the magnitude of the numbers that the values were computed from, such as the largest
    of the averaged scores. (The values themselves may be much smaller, if terms cancel out.) Values
    are neighbours if they differ by at most `TOLERANCE` times the scale, and every value in a chain
    of neighbours becomes the smallest of them. Rounding to a fixed number of digits would separate
    close values on either side of a boundary.

    >>> with_ties([0.1 + 0.2, 0.3, 0.31], 1.0).tolist()
    [0.3, 0.3, 0.31]
    """
    array = np.asarray(values, dtype=np.float64)
    ordered = np.sort(array)
    first = np.append(True, ~(np.diff(ordered) <= TOLERANCE * scale))[: ordered.size]
    places = np.searchsorted(ordered, array)
    return ordered[first][np.cumsum(first)[places] - 1] if ordered.size else array


def clusters(names: Sequence[str], scores: ArrayLike, beats: ArrayLike) -> list[list[str]]:
    """Clusters of systems, best first, as shared tasks report them.

    1. Systems are ordered by score, higher first (negate error rates); ties keep their order.
    2. A boundary separates two clusters if every system above it significantly beats every system
       below it.

    `beats[i, j]` means that system i is significantly better than system j, by adjusted two-sided
    tests of all pairs. Two systems in the same cluster may still differ significantly.

    >>> clusters(["A", "B", "C"], [1, 3, 2], [[0, 0, 0], [1, 0, 0], [1, 0, 0]])
    [['B', 'C'], ['A']]
    """
    order = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")
    matrix = np.asarray(beats, dtype=bool)[np.ix_(order, order)]
    result: list[list[str]] = []
    for place, system in enumerate(order):
        if matrix[:place, place:].all():  # also true at the top
            result.append([])
        result[-1].append(names[system])
    return result


def rank_ranges(
    names: Sequence[str], wins: Iterable[tuple[str, str]]
) -> dict[str, tuple[int, int]]:
    """Range of ranks that each system may have, as WMT reports them.

    It extends from the number of systems that significantly beat this one, plus 1, to the number of
    systems minus the number that it beats. `wins` are pairs of winner and loser, from tests of all
    pairs. If the probability of any false win is at most α, all ranges contain the true ranks with
    probability at least 1 − α, because a missed win only widens them (Al Mohamad, Goeman & van Zwet
    2022).

    >>> rank_ranges(["A", "B", "C"], [("A", "C")])
    {'A': (1, 2), 'B': (1, 3), 'C': (2, 3)}
    """
    distinct = set(wins)
    won, lost = Counter(winner for winner, _ in distinct), Counter(loser for _, loser in distinct)
    return {name: (lost[name] + 1, len(names) - won[name]) for name in names}


# Tests that use only ranks or signs: rank-sum test of two samples, signed-rank test of differences,
# sign test.

Alternative = Literal["two-sided", "better"]
EXACT_BELOW = 20
"""With fewer nonzero differences, the signed-rank test is exact."""


class RankTest(NamedTuple):
    """A p-value, and which sample ranks higher: the first (1), the second (−1) or neither (0)."""

    p_value: float
    ahead: Literal[-1, 0, 1]


def rank_sum(
    first: Sequence[float], second: Sequence[float], alternative: Alternative = "two-sided"
) -> RankTest:
    """Test whether two samples differ, or with `better`, whether the first is higher.

    Wilcoxon (1945), Mann & Whitney (1947): normal approximation with corrections for ties and
    continuity, like `scipy.stats.mannwhitneyu(method="asymptotic")`. If all values are the same,
    p = 1.

    1. Both samples are ranked together; ties get their mean rank. U is the sum of the n ranks of
       the first sample minus n (n + 1)/2. Its mean is n m/2, where m is the size of the second.
    2. Its variance is n m/12 · (N + 1 − Σ (t³ − t)/(N (N − 1))) with N = n + m, for groups of t
       ties.
    3. p is the normal tail above (U − n m/2 − ½)/σ; two-sided, twice that of the larger U.
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
    """Test whether differences are centred at zero, or with `better`, whether they lie above it.

    Wilcoxon (1945). With fewer than `EXACT_BELOW` nonzero differences, p is exact: the share of the
    2ⁿ possible signs, with ties taken into account. Otherwise it is the normal approximation with
    corrections for ties and continuity, like
    `scipy.stats.wilcoxon(zero_method="wilcox", correction=True, method="asymptotic")`. Without
    nonzero differences, p = 1.

    1. Zeros are dropped, which leaves n differences. Their absolute values are ranked; ties get
       their mean rank. T is the sum of the ranks of positive differences; its mean is n (n + 1)/4.
    2. Its variance is (n (n + 1)(2n + 1) − ½ Σ (t³ − t))/24 for groups of t ties.
    3. p is the normal tail above (T − n (n + 1)/4 − ½)/σ; two-sided, twice that of the larger T.
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
    """Share of all signs whose sum of ranks is at least as far from its mean."""
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
    """Test a sum of ranks that exceeds its mean by `above`, with a continuity correction of ½."""
    from scipy.special import ndtr  # much quicker to import than scipy.stats

    two_sided = alternative == "two-sided"
    distance = (abs(above) if two_sided else above) - 0.5
    p = (1 + two_sided) * float(ndtr(-distance / error))
    return RankTest(min(1.0, p), sign(above))


def sign(value: float) -> Literal[-1, 0, 1]:
    return 1 if value > 0 else -1 if value < 0 else 0


def ranked(values: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ranks from 1, where ties get their mean rank, and the sizes of the groups of ties.

    >>> ranked([3, 1, 3])[0].tolist()
    [2.5, 1.0, 2.5]
    """
    _, groups, sizes = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return (last - (sizes - 1) / 2)[groups], sizes.astype(np.float64)


def sign_test(wins: int, losses: int, alternative: Alternative = "two-sided") -> float:
    """Exact p-value of wins against losses; `better` tests for more wins.

    >>> sign_test(5, 0), sign_test(5, 0, "better")
    (0.0625, 0.03125)
    """
    from scipy.special import bdtrc  # much quicker to import than scipy.stats

    def at_least(k: int) -> float:
        return float(bdtrc(k - 1, wins + losses, 0.5)) if k > 0 else 1.0

    if alternative == "better":
        return at_least(wins)
    return min(1.0, 2 * at_least(max(wins, losses)))
