"""Means of values that judges, segments and documents share: how they would change with others.

Answers of one judge are alike, and so are answers on one segment. The variance of their mean is
that of judges and that of segments together, less what both count (Cameron, Gelbach & Miller 2011),
and never less than either alone.
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
"""With fewer judges nothing can be said of others."""


class Spread(NamedTuple):
    """The variance of a mean or of an estimate, and its degrees of freedom."""

    variance: float
    freedom: float

    def half_width(self, level: float) -> float:
        """Half the width of an interval."""
        return t_quantile(self.freedom, (1 + level) / 2) * math.sqrt(self.variance)

    def p_value(self, estimate: float) -> float:
        """Two-sided p-value of an estimate, of a quantity that is 0 under the null."""
        from scipy.special import stdtr

        if self.variance == 0:
            return 1.0 if estimate == 0 else 0.0
        return min(1.0, 2 * float(stdtr(self.freedom, -abs(estimate) / math.sqrt(self.variance))))


def crossed_spread(
    influences: ArrayLike, judges: Sequence[Hashable], segments: Sequence[Hashable]
) -> Spread:
    """Variance of an estimate over other judges and other segments.

    `influences` are what each answer contributes to the estimate's error: of a mean of n values d,
    r = (d − mean)/n. With v_j, v_s = Σ (sum of r per judge; per segment)², each times G/(G − 1)
    for G groups, and v_e = Σ r², V = max(v_j + v_s − v_e, v_j, v_s), on
    V²/(v_j²/(J − 1) + v_s²/(S − 1)) degrees of freedom, at least 1.
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
    by_judge: float, by_segment: float, alone: float, n_judges: int, n_segments: int
) -> Spread:
    """Return the spread from the variances v_j, v_s and v_e (see `crossed_spread`)."""
    variance = max(by_judge + by_segment - alone, by_judge, by_segment)
    parts = by_judge**2 / (n_judges - 1) + by_segment**2 / (n_segments - 1)
    return Spread(variance, max(1.0, variance**2 / parts) if parts > 0 else 1.0)


def _cluster_variance(r: NDArray[np.float64], groups: Sequence[Hashable]) -> tuple[float, int]:
    """Sum of squares of the groups' sums, times G/(G − 1) for G groups, and G."""
    number: dict[Hashable, int] = {}
    numbers = (number.setdefault(group, len(number)) for group in groups)
    places = np.fromiter(numbers, np.intp, r.size)
    sums = np.bincount(places, r, len(number))
    count = len(number)
    return float(sums @ sums) * (count / (count - 1) if count > 1 else 1.0), count


# Documents: their segments are alike, so documents and not segments are what was sampled.

LEAST_DOCUMENTS = 6
"""With fewer documents there is no test: the smallest p-value of 5 coins is .0625."""


def two_way_spread(
    influences: ArrayLike, documents: Sequence[Hashable], judges: Sequence[Hashable] | None
) -> Spread:
    """Variance of an estimate over other judges and other documents.

    With V_c = G/(G − 1) · Σ (sum of influences per group)² for c = document, judge, and both,
    V = max(V_doc + V_judge − V_both, V_doc, V_judge), on min(judges, documents) − 1 degrees of
    freedom. With one judge, or none that is named, V = V_doc on documents − 1.
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
    """Variance of an estimate over other documents, where there are few of them.

    `influences` are documents' sums of their segments' influences, and `sizes` their numbers of
    segments. V = Σ influence²/(1 − h) with h = size/Σ size, on K − 1 degrees of freedom,
    K = 1/Σ h². One document alone says nothing: None.
    """
    r, m = np.asarray(influences, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    h = m / m.sum()
    if r.size < 2:
        return None
    return Spread(float((r**2 / (1 - h)).sum()), 1 / float((h**2).sum()) - 1)


class CoinTest(NamedTuple):
    """A test of two systems with a coin for every document; `exact` p-values have no trials."""

    p_value: float
    p_stderr: float
    trials: int
    exact: bool
    is_open: bool = False


_BLOCK = 2_000  # trials that are drawn together
_MOST_WAYS = 1 << 16  # that are enumerated
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

    `sums` and `counts` are those of segments' means, systems × documents. The statistic is the
    difference of the systems' means over segments.

    1. A coin for every document that both systems have swaps their sums and counts. The labels of
       documents that only one of them has are permuted among these.
    2. All ways are enumerated, or their sums convolved, where that is cheap: p is exact.
    3. Else p = (c + 1)/(T + 1) of T draws, which go on where a conclusion at `alpha`, after
       `adjust`, is close, to a million at most; `trials` fixes their number. Draws depend on the
       seed, the trial and the document alone, and all pairs share them.
    """
    scale = float(np.abs(np.divide(sums, np.maximum(counts, 1))).max(initial=0.0))
    # Around their mean, since sums of large numbers would hide small differences.
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
    """Yield numbers for trials × documents, the same for a trial however they are asked for."""
    for block in range(start // _BLOCK, -(-stop // _BLOCK)):
        generator = np.random.Generator(np.random.Philox(key=[seed, block]))
        rows = generator.random((_BLOCK, documents))
        yield rows[max(start - block * _BLOCK, 0) : stop - block * _BLOCK]


class _Swap:
    """Two systems' sums and counts of documents, and what becomes of them when these swap."""

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
        if self._first.all() or not self._first.any():  # no labels that could be permuted
            self._single = self._single[:0]
            self._first = self._first[:0]
        self._labels = np.stack([sums.sum(0), counts.sum(0)])[:, self._single]
        # What the first system has in every trial, before documents swap.
        self._start = start - self._labels[:, self._first].sum(axis=1)

    def _statistic(
        self, sums: NDArray[np.float64], counts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        others = self._totals[0] - sums, self._totals[1] - counts
        difference: NDArray[np.float64] = sums / counts - others[0] / others[1]
        return difference

    def _extreme(self, statistics: NDArray[np.float64]) -> int:
        if self._better:
            return int(np.count_nonzero(statistics >= self._observed - self._slack))
        return int(np.count_nonzero(np.abs(statistics) >= abs(self._observed) - self._slack))

    def count_extreme(self, u: NDArray[np.float64]) -> int:
        """Count trials whose statistic is as large, from uniform numbers for all documents."""
        moved = self._coins @ (u[:, self._swapped] < 0.5).T
        sums, counts = self._start[0] + moved[0], self._start[1] + moved[1]
        if self._single.size:
            order = np.argsort(u[:, self._single], axis=1)[:, : int(self._first.sum())]
            sums = sums + self._labels[0][order].sum(axis=1)
            counts = counts + self._labels[1][order].sum(axis=1)
        return self._extreme(self._statistic(sums, counts))

    def exact_p_value(self) -> float | None:
        """Return the share of all ways that are as extreme, or None where there are too many."""
        m, singles, mine = self._swapped.size, self._single.size, int(self._first.sum())
        ways = 2.0**m * (math.comb(singles, mine) if singles else 1)
        if ways > _MOST_WAYS:
            return self._convolution_p_value()
        sums, counts = (
            start + _subset_sums(row) for start, row in zip(self._start, self._coins, strict=True)
        )
        if singles:
            chosen = np.array([*combinations(range(singles), mine)], dtype=np.intp)
            more = self._labels[:, chosen].sum(axis=2)
            sums = (sums[:, None] + more[0]).ravel()
            counts = (counts[:, None] + more[1]).ravel()
        return self._extreme(self._statistic(sums, counts)) / ways

    def _convolution_p_value(self) -> float | None:
        """P-value by convolution, where swaps only change the signs of whole numbers."""
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
