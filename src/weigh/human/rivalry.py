"""Tests between two metrics: which agrees better with people, and is that more than chance?

Under the null hypothesis it does not matter which of two metrics a score comes from. Their scores
are put on one scale (mean 0, deviation 1), a coin decides whether they are exchanged, and the
difference in agreement is computed anew: the permutation tests of Deutsch, Dror & Roth (2021).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from weigh.stats.rounding import with_ties

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TRIALS = 10_000
# Trials that are computed together.
_BLOCK = 1000
_TIE = 1e-12
Agreement = Callable[["Floats", "Floats"], "Floats"]


def system_permutation(
    human: Floats, a: Floats, b: Floats, agreement: Agreement, trials: int, seed: int
) -> tuple[float, float]:
    """Return the difference in agreement of two metrics' system scores, and its two-sided p-value.

    A coin for each system decides whether the metrics exchange their scores of it. When there are
    no more exchanges than trials, all are made and p is exact; else p = (c + 1)/(trials + 1).
    `agreement` tells how well each row of scores agrees with the human ones. If an agreement does
    not exist (a metric without variation), p is NaN.
    """
    # A system's score by one metric may equal another system's by the other, but for rounding.
    both = np.concatenate([_standardised(a), _standardised(b)])
    size = max(float(np.abs(each).max()) / (float(each.std()) or 1.0) for each in (a, b))
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
    one, other = (scores[first] - scores[second] for scores in map(_standardised, (a, b)))
    segments = a.shape[1]

    def accuracy(means: Floats, squares: Floats) -> Floats:
        # Under the null each difference has a sign of its own: its variance is its square.
        spread = np.sqrt(squares)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(spread > 0, means * np.sqrt(segments) / spread, 0.0)
        return np.asarray((1 - np.abs(ndtr(-z) - p_human)).mean(axis=-1))

    mean_one, mean_other = one.mean(axis=1), other.mean(axis=1)
    square_one, square_other = (one**2).mean(axis=1), (other**2).mean(axis=1)
    observed = float(accuracy(mean_one, square_one) - accuracy(mean_other, square_other))
    steps, square_steps = (other - one).T / segments, (other**2 - one**2).T / segments
    null = np.empty(trials)
    for start in range(0, trials, _BLOCK):
        count = min(_BLOCK, trials - start)
        coins = tossed(seed, count, segments, start).astype(np.float64)
        move, square_move = coins @ steps, coins @ square_steps
        null[start : start + count] = accuracy(
            mean_one + move, square_one + square_move
        ) - accuracy(mean_other - move, square_other - square_move)
    return observed, _p_value(observed, null, exact=False)


def tossed(seed: int, trials: int, units: int, first: int = 0) -> NDArray[np.bool_]:
    """Return fair coins, trials × units; those of a trial depend on seed and number alone."""
    words = -(-units // 64)
    # A counter of Philox makes four words, so every trial begins at a counter of its own.
    counters = -(-words // 4)
    bits = np.random.Philox(key=seed, counter=first * counters).random_raw(trials * counters * 4)
    raw = bits.astype("<u8").view(np.uint8).reshape(trials, -1)
    return np.unpackbits(raw, axis=1, count=units).astype(bool)


def _standardised(scores: Floats) -> Floats:
    deviation = float(scores.std())
    return np.asarray((scores - scores.mean()) / (deviation or 1.0))


def _p_value(observed: float, null: Floats, exact: bool) -> float:
    if not np.isfinite(observed):
        return float("nan")
    # A permuted metric without variation agrees with nothing: as extreme as it gets.
    count = np.count_nonzero(~(np.abs(null) < abs(observed) - _TIE))
    return float(count / len(null)) if exact else float((count + 1) / (len(null) + 1))
