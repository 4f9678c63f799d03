"""Variances and tests of means over crossed groups: judges, segments and documents.

Answers by the same judge are correlated, and so are answers on the same segment. The variance of
their mean is the sum of the variances over judges and over segments, minus the part counted in both
(Cameron, Gelbach & Miller 2011), and never smaller than either alone.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.errors import InputError
from weigh.stats.adaptive import AdaptiveTrials, Decision
from weigh.stats.exact import common_step, convolution_p_values, whole_steps
from weigh.stats.student import t_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

LEAST_JUDGES = 3
"""With fewer judges, results cannot be generalised to other judges."""


class Spread(NamedTuple):
    """The variance of a mean or of an estimate, and its degrees of freedom."""

    variance: float
    freedom: float

    def half_width(self, level: float) -> float:
        return t_quantile(self.freedom, (1 + level) / 2) * math.sqrt(self.variance)

    def p_value(self, estimate: float) -> float:
        """Two-sided p-value of an estimate of a quantity that is 0 under the null hypothesis."""
        from scipy.special import stdtr

        if self.variance == 0:
            return 1.0 if estimate == 0 else 0.0
        return min(1.0, 2 * float(stdtr(self.freedom, -abs(estimate) / math.sqrt(self.variance))))


def crossed_spread(
    influences: ArrayLike, judges: Sequence[Hashable], segments: Sequence[Hashable]
) -> Spread:
    """Variance of an estimate over judges and segments.

    `influences` are the contributions r of each answer to the estimate's error; for a mean of n
    values d, r = (d − mean)/n. Let v_j and v_s be the sums of squares of the sums of r per judge
    and per segment, each times G/(G − 1) for G groups, and v_e = Σ r². Then
    V = max(v_j + v_s − v_e, v_j, v_s), with V²/(v_j²/(J − 1) + v_s²/(S − 1)) degrees of freedom, at
    least 1.
    """
    r = np.asarray(influences, dtype=np.float64)
    by_judge, n_judges = _cluster_variance(r, judges)
    by_segment, n_segments = _cluster_variance(r, segments)
    if n_judges < LEAST_JUDGES or n_segments < 2:
        raise InputError(
            f"{n_judges} judges and {n_segments} segments; generalising to others needs "
            f"at least {LEAST_JUDGES} judges and 2 segments"
        )
    return spread_of(by_judge, by_segment, float(r @ r), n_judges, n_segments)


def spread_of(
    by_judge: float, by_segment: float, by_answer: float, n_judges: int, n_segments: int
) -> Spread:
    """Spread from the variances v_j, v_s and v_e (see `crossed_spread`)."""
    variance = max(by_judge + by_segment - by_answer, by_judge, by_segment)
    parts = by_judge**2 / (n_judges - 1) + by_segment**2 / (n_segments - 1)
    return Spread(variance, max(1.0, variance**2 / parts) if parts > 0 else 1.0)


def _cluster_variance(r: NDArray[np.float64], groups: Sequence[Hashable]) -> tuple[float, int]:
    """Sum of squared group sums times G/(G − 1) for G groups, and G."""
    number: dict[Hashable, int] = {}
    numbers = (number.setdefault(group, len(number)) for group in groups)
    places = np.fromiter(numbers, np.intp, r.size)
    sums = np.bincount(places, r, len(number))
    count = len(number)
    return float(sums @ sums) * (count / (count - 1) if count > 1 else 1.0), count


# Documents: segments of one document are correlated, so documents are the sampled units.

LEAST_DOCUMENTS = 6
"""With fewer documents there is no test: the smallest p-value of 5 coin flips is .0625."""


def two_way_spread(
    influences: ArrayLike, documents: Sequence[Hashable], judges: Sequence[Hashable] | None
) -> Spread:
    """Variance of an estimate over judges and documents.

    Let V_c = G/(G − 1) · Σ (sum of influences per group)² for groups by document, by judge, and by
    both. Then V = max(V_doc + V_judge − V_both, V_doc, V_judge), with min(judges, documents) − 1
    degrees of freedom. With one judge or unknown judges, V = V_doc with documents − 1 degrees of
    freedom.
    """
    r = np.asarray(influences, dtype=np.float64)
    by_document, n_documents = _cluster_variance(r, documents)
    if judges is None or len({*judges}) < 2:
        return Spread(by_document, n_documents - 1.0)
    by_judge, n_judges = _cluster_variance(r, judges)
    both, _ = _cluster_variance(r, [*zip(documents, judges, strict=True)])
    variance = max(by_document + by_judge - both, by_document, by_judge)
    return Spread(variance, min(n_judges, n_documents) - 1.0)


def few_documents_spread(influences: ArrayLike, sizes: ArrayLike) -> Spread | None:
    """Variance of an estimate over documents, where there are few; None for a single document.

    `influences` are the sums of each document's segment influences, and `sizes` its numbers of
    segments. V = Σ influence²/(1 − h) with h = size/Σ size, and K − 1 degrees of freedom with
    K = 1/Σ h².
    """
    r, m = np.asarray(influences, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    h = m / m.sum()
    if r.size < 2:
        return None
    return Spread(float((r**2 / (1 - h)).sum()), 1 / float((h**2).sum()) - 1)


class CoinTest(NamedTuple):
    """Result of a test that swaps whole documents; `exact` p-values have 0 trials."""

    p_value: float
    p_stderr: float
    trials: int
    exact: bool
    is_open: bool = False


_BLOCK = 2_000  # trials per block of random numbers
_MOST_WAYS = 1 << 16  # ways to swap, up to which they are enumerated
_TIE = 1e-12


def document_tests(
    sums: NDArray[np.float64],
    counts: NDArray[np.int64],
    pairs: Sequence[tuple[int, int]],
    *,
    better: bool = False,
    alpha: float = 0.05,
    adjust: str = "holm",
    trials: int | None = None,
    seed: int = 12345,
) -> list[CoinTest]:
    """Test pairs of systems by swapping whole documents; `better` is one-sided.

    `sums` and `counts` are the sums and numbers of segment scores, systems × documents. The
    statistic is the difference between the systems' means over segments.

    1. For every document that both systems have, a coin decides whether their sums and counts are
       swapped. Documents that only one of the two systems has are randomly reassigned between them;
       each system keeps its number of them.
    2. Where that is cheap, all ways are enumerated or their sums convolved, and p is exact.
    3. Otherwise p = (c + 1)/(T + 1) from T draws. Where a conclusion at `alpha`, adjusted by
       `adjust`, is close, more are drawn, up to a million; `trials` fixes their number. Draws
       depend only on the seed, the trial and the document, and all pairs share them.
    """
    scale = float(np.abs(np.divide(sums, np.maximum(counts, 1))).max(initial=0.0))
    # Centred, because rounding in sums of large numbers would hide small differences.
    sums = sums - counts * (sums.sum() / max(int(counts.sum()), 1))
    swaps = [_Swap(sums[[a, b]], counts[[a, b]], scale, better=better) for a, b in pairs]
    exact = np.array([[swap.exact_p_value()] for swap in swaps], dtype=np.float64).reshape(-1, 1)
    alternative = "better" if better else "two-sided"
    decision = Decision(alternative, alpha, adjust, len(pairs))
    adaptive = AdaptiveTrials(exact, {alternative: 0}, [decision], trials)
    while len(due := adaptive.due()):
        start = int(adaptive.trials[due].min())
        stop = adaptive.stop(start)
        due = due[adaptive.trials[due] == start]
        extreme = np.zeros((len(due), 1), dtype=np.int64)
        for u in _uniforms(seed, sums.shape[1], start, stop):
            extreme[:, 0] += [swaps[at].count_extreme(u) for at in due]
        adaptive.add(due, extreme, stop)
    p = adaptive.p_values[:, 0]
    errors = np.where(adaptive.exact, 0.0, np.sqrt(p * (1 - p) / (adaptive.trials + 1)))
    columns = (p, errors, adaptive.trials, adaptive.exact, adaptive.is_open)
    return [CoinTest(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def _uniforms(seed: int, documents: int, start: int, stop: int) -> Iterator[NDArray[np.float64]]:
    """Yield uniform numbers, trials × documents; a trial's numbers do not depend on the range."""
    for block in range(start // _BLOCK, -(-stop // _BLOCK)):
        generator = np.random.Generator(np.random.Philox(key=[seed, block]))
        rows = generator.random((_BLOCK, documents))
        yield rows[max(start - block * _BLOCK, 0) : stop - block * _BLOCK]


class _Swap:
    """The sums and counts of two systems by document, with statistics of their random swaps."""

    def __init__(
        self, sums: NDArray[np.float64], counts: NDArray[np.int64], scale: float, *, better: bool
    ) -> None:
        self._better, self._slack = better, _TIE * scale
        self._totals = sums.sum(), counts.sum()
        start = np.array([sums[0].sum(), counts[0].sum()])
        self._observed = float(self._statistic(start[:1], start[1:])[0])
        has = counts > 0
        tied = (np.abs(sums[0] - sums[1]) <= self._slack) & (counts[0] == counts[1])
        self._swapped = np.flatnonzero(has[0] & has[1] & ~tied)
        self._coins = np.stack([sums[1] - sums[0], counts[1] - counts[0]])[:, self._swapped]
        self._single = np.flatnonzero(has[0] != has[1])
        self._first = has[0][self._single]
        if self._first.all() or not self._first.any():  # nothing to reassign
            self._single = self._single[:0]
            self._first = self._first[:0]
        self._labels = np.stack([sums.sum(0), counts.sum(0)])[:, self._single]
        # Sum and count of the first system in every trial, before any swap or reassignment.
        self._start = start - self._labels[:, self._first].sum(axis=1)

    def _statistic(
        self, sums: NDArray[np.float64], counts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        other_sums, other_counts = self._totals[0] - sums, self._totals[1] - counts
        difference: NDArray[np.float64] = sums / counts - other_sums / other_counts
        return difference

    def _count_extreme(self, statistics: NDArray[np.float64]) -> int:
        if self._better:
            return int(np.count_nonzero(statistics >= self._observed - self._slack))
        return int(np.count_nonzero(np.abs(statistics) >= abs(self._observed) - self._slack))

    def count_extreme(self, u: NDArray[np.float64]) -> int:
        """Count trials at least as extreme, from uniform numbers, trials × documents."""
        changes = self._coins @ (u[:, self._swapped] < 0.5).T
        sums, counts = self._start[0] + changes[0], self._start[1] + changes[1]
        if self._single.size:
            order = np.argsort(u[:, self._single], axis=1)[:, : int(self._first.sum())]
            sums = sums + self._labels[0][order].sum(axis=1)
            counts = counts + self._labels[1][order].sum(axis=1)
        return self._count_extreme(self._statistic(sums, counts))

    def exact_p_value(self) -> float | None:
        """Share of all ways that are at least as extreme; None if there are too many ways."""
        m, singles, of_first = self._swapped.size, self._single.size, int(self._first.sum())
        ways = 2.0**m * (math.comb(singles, of_first) if singles else 1)
        if ways > _MOST_WAYS:
            return self._convolution_p_value()
        sums, counts = (
            start + _subset_sums(row) for start, row in zip(self._start, self._coins, strict=True)
        )
        if singles:
            chosen = np.array([*combinations(range(singles), of_first)], dtype=np.intp)
            assigned = self._labels[:, chosen].sum(axis=2)
            sums = (sums[:, None] + assigned[0]).ravel()
            counts = (counts[:, None] + assigned[1]).ravel()
        return self._count_extreme(self._statistic(sums, counts)) / ways

    def _convolution_p_value(self) -> float | None:
        """P-value by convolution; None unless swaps only flip the signs of whole numbers."""
        if self._single.size or self._coins[1].any() or self._start[1] * 2 != self._totals[1]:
            return None
        step = common_step(self._coins[0])
        steps = None if step is None else whole_steps(-self._coins[0], step)
        if steps is None:
            return None
        two_sided, better, _ = convolution_p_values(steps)
        return better if self._better else two_sided


def _subset_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of all 2^m subsets of m values."""
    sums = np.zeros(1)
    for value in values.tolist():
        sums = np.concatenate([sums, sums + value])
    return sums
