"""Agreement of metrics with people, and tests of which of two metrics agrees better.

Under the null hypothesis of tests between two metrics it does not matter which of them a score
comes from. Their scores are put on one scale (mean 0, deviation 1), a coin decides whether they
are exchanged, and the difference in agreement is computed anew: the permutation tests of Deutsch,
Dror & Roth (2021).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError
from weigh.stats.correlation import kendall, kendall_of_rows, pearson, spearman, williams
from weigh.stats.ranking import with_ties

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

# Trials that are computed together.
_BLOCK = 1000
_TIE = 1e-12
Agreement = Callable[["Floats", "Floats"], "Floats"]


@dataclass(frozen=True, slots=True)
class Gold:
    """People's results: a score for every system, and for every pair, in the order of
    `itertools.combinations`, the p-value of "the first is better"."""

    systems: tuple[str, ...]
    scores: Floats
    p_values: Floats


@dataclass(frozen=True, slots=True)
class MetricFindings:
    """A metric's results for the same systems and pairs; higher is better.

    `metric` is how it was asked for and `name` what it is called. `significant` tells which pairs
    it finds to differ. `segments` holds its segment scores, systems × segments, if its scores are
    their means.
    """

    metric: str
    scores: Floats
    p_values: Floats
    significant: NDArray[np.bool_]
    segments: Floats | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class MetricAgreement:
    """A metric's agreement with people; `sensitivity` is the share of significant pairs."""

    scale: str
    metric: str
    pearson: float
    spearman: float
    kendall: float
    accuracy: float
    soft_accuracy: float
    sensitivity: float
    name: str | None = None


@dataclass(frozen=True, slots=True)
class MetricContest:
    """Two-sided p-values for whether one of two metrics agrees better with people.

    `williams` compares Pearson's correlations, `t` is its statistic; the others are permutation
    tests. `p_soft_accuracy` is None where a metric is no mean of segment scores.
    """

    scale: str
    a: str
    b: str
    t: float
    p_williams: float
    p_kendall: float
    p_accuracy: float
    p_soft_accuracy: float | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All metrics, and all pairs of metrics, on one scale."""

    metrics: tuple[MetricAgreement, ...]
    contests: tuple[MetricContest, ...]


def evaluate(
    gold: Gold,
    findings: Sequence[MetricFindings],
    *,
    scale: str = "",
    trials: int = 10_000,
    seed: int = 12345,
) -> Evaluation:
    """Compare metrics with people."""
    if len(gold.systems) < 3:
        raise InputError(
            f"{len(gold.systems)} systems that both people and metrics have scored; "
            "a correlation needs at least 3"
        )
    gold = replace(gold, scores=_equalise(gold.scores))
    findings = [replace(finding, scores=_equalise(finding.scores)) for finding in findings]
    return Evaluation(
        tuple(_agreement(scale, gold, finding) for finding in findings),
        tuple(_contest(scale, gold, a, b, trials, seed) for a, b in combinations(findings, 2)),
    )


def _equalise(scores: Floats) -> Floats:
    """Make scores equal that differ only by rounding."""
    return with_ties(scores, float(np.abs(scores).max()))


def _agreement(scale: str, gold: Gold, metric: MetricFindings) -> MetricAgreement:
    return MetricAgreement(
        scale,
        metric.metric,
        pearson(gold.scores, metric.scores),
        spearman(gold.scores, metric.scores),
        kendall(gold.scores, metric.scores),
        pairwise_accuracy(gold.scores, metric.scores),
        soft_pairwise_accuracy(gold.p_values, metric.p_values),
        float(metric.significant.mean()),
        metric.name,
    )


def _contest(
    scale: str, gold: Gold, a: MetricFindings, b: MetricFindings, trials: int, seed: int
) -> MetricContest:
    t, p_williams = williams(
        pearson(gold.scores, a.scores),
        pearson(gold.scores, b.scores),
        pearson(a.scores, b.scores),
        len(gold.systems),
    )
    soft = None
    if a.segments is not None and b.segments is not None:
        if a.segments.shape != b.segments.shape:
            raise InputError(
                f"{a.metric} has {a.segments.shape[1]:,} segment scores, but {b.metric} "
                f"{b.segments.shape[1]:,}; give scores of one test set"
            )
        soft = segment_permutation(gold.p_values, a.segments, b.segments, trials, seed)[1]
    return MetricContest(
        scale,
        a.metric,
        b.metric,
        t,
        p_williams,
        system_permutation(gold.scores, a.scores, b.scores, kendall_of_rows, trials, seed)[1],
        system_permutation(gold.scores, a.scores, b.scores, accuracy_of_rows, trials, seed)[1],
        soft,
    )


def pairwise_accuracy(human: ArrayLike, metric: ArrayLike) -> float:
    """Return the share of pairs of systems that a metric orders as people do (Kocmi et al. 2021).

    Scores are oriented: more is better. Where one says that two systems are level and the other
    does not, they disagree.

    >>> pairwise_accuracy([1, 2, 3], [10, 30, 20])
    0.6666666666666666
    """
    scores = np.asarray(metric, np.float64)
    return float(accuracy_of_rows(np.asarray(human, np.float64), scores[None])[0])


def accuracy_of_rows(human: Floats, rows: Floats) -> Floats:
    """Return the pairwise accuracy of every row of scores."""
    if rows.shape[1:] != human.shape or human.size < 2:
        raise InputError(
            f"pairwise accuracy: scores of {rows.shape[1:]} and {human.shape} systems; "
            "give both for the same systems, at least two"
        )
    first, second = np.triu_indices(human.size, 1)
    signs = np.sign(human[first] - human[second])
    agree = np.sign(rows[:, first] - rows[:, second]) == signs
    return np.asarray(agree.mean(axis=1), np.float64)


def soft_pairwise_accuracy(p_human: ArrayLike, p_metric: ArrayLike) -> float:
    """Return the mean of 1 − |p_h − p_m| over pairs of systems (Thompson et al. 2024).

    Both are p-values of one-sided tests of "the first system is better", so that a metric is
    rewarded for being as sure as people are, not only for the same order.

    >>> round(soft_pairwise_accuracy([0.01, 0.5], [0.02, 0.9]), 3)
    0.795
    """
    human, metric = np.asarray(p_human, np.float64), np.asarray(p_metric, np.float64)
    if human.shape != metric.shape or not human.size:
        raise InputError(
            f"soft pairwise accuracy: {human.shape} and {metric.shape} p-values; "
            "give both for the same pairs"
        )
    return float((1 - np.abs(human - metric)).mean())


def system_permutation(
    human: Floats, a: Floats, b: Floats, agreement: Agreement, trials: int, seed: int
) -> tuple[float, float]:
    """Return the difference in agreement of two metrics' system scores, and its two-sided p-value.

    A coin for each system decides whether the metrics exchange their scores of it. When there are
    no more exchanges than trials, all are made and p is exact; else p = (c + 1)/(trials + 1).
    `agreement` tells how well each row of scores agrees with the human ones. If an agreement does
    not exist (a metric without variation), p is NaN.
    """
    # Scores of two systems by two metrics may be equal up to rounding.
    both = np.concatenate([_standardise(a), _standardise(b)])
    size = max(float(np.abs(scores).max()) / (float(scores.std()) or 1.0) for scores in (a, b))
    first, second = np.split(with_ties(both, size), 2)
    exact = (1 << human.size) <= trials if human.size < 63 else False
    if exact:
        coins = np.array(list(product((False, True), repeat=human.size)))
    else:
        coins = tossed(seed, trials, human.size)
    observed = float(agreement(human, first[None])[0] - agreement(human, second[None])[0])
    swapped_a = np.where(coins, second, first)
    swapped_b = np.where(coins, first, second)
    null = agreement(human, swapped_a) - agreement(human, swapped_b)
    return observed, _p_value(observed, null, exact)


def segment_permutation(
    p_human: Floats, a: Floats, b: Floats, trials: int, seed: int
) -> tuple[float, float]:
    """Return the difference in soft pairwise accuracy of two metrics, and its two-sided p-value.

    `a` and `b` are segment scores, systems × segments. A coin for each segment decides whether
    the metrics exchange their scores of it, for all systems. The p-values of the metrics, which a
    permutation test would give, are taken from its normal approximation here, in the trials and
    for the data as they are.
    """
    from scipy.special import ndtr

    first, second = np.triu_indices(len(a), 1)
    of_a, of_b = (scores[first] - scores[second] for scores in map(_standardise, (a, b)))
    segments = a.shape[1]

    def accuracy(means: Floats, squares: Floats) -> Floats:
        # Under the null, the signs of differences are independent: a variance is a square.
        spread = np.sqrt(squares)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(spread > 0, means * np.sqrt(segments) / spread, 0.0)
        return np.asarray((1 - np.abs(ndtr(-z) - p_human)).mean(axis=-1))

    mean_a, mean_b = of_a.mean(axis=1), of_b.mean(axis=1)
    square_a, square_b = (of_a**2).mean(axis=1), (of_b**2).mean(axis=1)
    observed = float(accuracy(mean_a, square_a) - accuracy(mean_b, square_b))
    steps, square_steps = (of_b - of_a).T / segments, (of_b**2 - of_a**2).T / segments
    null = np.empty(trials)
    for start in range(0, trials, _BLOCK):
        count = min(_BLOCK, trials - start)
        coins = tossed(seed, count, segments, start).astype(np.float64)
        move, square_move = coins @ steps, coins @ square_steps
        null[start : start + count] = accuracy(mean_a + move, square_a + square_move) - accuracy(
            mean_b - move, square_b - square_move
        )
    return observed, _p_value(observed, null, exact=False)


def tossed(seed: int, trials: int, units: int, first: int = 0) -> NDArray[np.bool_]:
    """Fair coins, trials × units; those of a trial depend only on the seed and its number."""
    words = -(-units // 64)
    # A counter of Philox makes four words, so every trial begins at a counter of its own.
    counters = -(-words // 4)
    bits = np.random.Philox(key=seed, counter=first * counters).random_raw(trials * counters * 4)
    raw = bits.astype("<u8").view(np.uint8).reshape(trials, -1)
    return np.unpackbits(raw, axis=1, count=units).astype(bool)


def _standardise(scores: Floats) -> Floats:
    deviation = float(scores.std())
    return np.asarray((scores - scores.mean()) / (deviation or 1.0))


def _p_value(observed: float, null: Floats, exact: bool) -> float:
    if not np.isfinite(observed):
        return float("nan")
    # A permuted metric without variation agrees with nothing: as extreme as it gets.
    count = np.count_nonzero(~(np.abs(null) < abs(observed) - _TIE))
    return float(count / len(null)) if exact else float((count + 1) / (len(null) + 1))
