"""Exact p-values of the randomization test for means, where they are cheap.

The test swaps two systems on random units, and each swap flips the sign of the unit's difference d.
The swapped difference is therefore Σ ±d, with probability ½ for each sign (the sign-flip test). For
whole numbers, its distribution is computed by convolution. If all |d| are equal, it is binomial
(McNemar's exact test). If few units differ, all signs are enumerated, whatever the differences.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from weigh.stats.ranking import as_small_integers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Scores

# Enumerating 2^16 signs takes about as long as drawing 10,000 trials.
MOST_ENUMERATED = 16
# (differing units) × (sum of |d|) up to which a pair's distribution is convolved.
_MOST_CONVOLVED = 2e7
# Differences of many pairs are computed in blocks of about this many numbers.
_AT_ONCE = 1 << 16
# A step smaller than this share of the largest value is noise, and too fine to convolve.
_FINEST_STEP = 1e-7
_SAMPLED = 1000
_TRIED_FIRST = 4
_MOST_REFINED = 8
# Up to this many coins, probabilities are computed from whole numbers, without rounding.
_MOST_BY_COUNTING = 200

_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, slots=True)
class SignFlips:
    """Exact p-values of pairs by alternative; NaN where they would be too expensive."""

    two_sided: Scores
    better: Scores
    worse: Scores

    @property
    def is_exact(self) -> NDArray[np.bool_]:
        """Mask of the pairs that have exact p-values."""
        return ~np.isnan(self.two_sided)


@dataclass(frozen=True, slots=True)
class Differences:
    """Summary of the unit differences d = a − b of many pairs: one number per pair.

    `differing` counts the units with d ≠ 0, and `won` those with d > 0. `largest` and `smallest`
    are the extremes of |d| over the differing units.
    """

    differing: NDArray[np.int64]
    won: NDArray[np.int64]
    largest: Scores
    smallest: Scores

    @staticmethod
    def of(values: NDArray[np.float64], pairs: NDArray[np.int64], noise: Scores) -> Differences:
        """Summarise the differences of pairs of rows; differences up to `noise` count as 0."""
        whole = None if noise.any() else as_small_integers(values)
        rows, no_size = (values, np.inf) if whole is None else (whole, np.iinfo(whole.dtype).max)
        differing, won = np.empty((2, len(pairs)), np.int64)
        largest, smallest = np.empty((2, len(pairs)))
        step = max(1, _AT_ONCE // max(1, values.shape[1]))
        for start in range(0, len(pairs), step):
            block = slice(start, start + step)
            d = rows[pairs[block, 0]] - rows[pairs[block, 1]]
            size, limit = np.abs(d), 0 if whole is not None else noise[block, None]
            differs = size > limit
            differing[block] = np.count_nonzero(differs, axis=1)
            won[block] = np.count_nonzero(d > limit, axis=1)
            largest[block] = size.max(axis=1)
            smallest[block] = np.where(differs, size, no_size).min(axis=1)
        smallest[differing == 0] = np.inf
        return Differences(differing, won, largest, smallest)


def common_step(values: NDArray[np.float64], noise: float = 0.0) -> float | None:
    """Largest number of which all values are whole multiples, up to `noise`; None if too small.

    >>> common_step(np.array([[0.0, 0.5], [1.5, -1.0]]))
    0.5
    >>> common_step(np.array([[0.1, np.pi]])) is None
    True
    """
    flat = np.abs(values).ravel()
    largest = float(flat.max(initial=0.0))
    if largest == 0.0:
        return 1.0
    slack = max(1e-9 * largest, 4 * noise)
    step = largest
    for value in _distinct(flat[:: max(1, flat.size // _SAMPLED)]):
        step = _common_divisor(step, value, slack)
        if step < _FINEST_STEP * largest or step < 20 * noise:
            return None
        step = largest / round(largest / step)  # keeps rounding errors from accumulating
    for _ in range(_MOST_REFINED):
        multiples = flat / step
        error = np.abs(multiples - np.rint(multiples))
        if error.max() <= max(1e-6, 4 * noise / step):
            break
        step = _common_divisor(step, float(flat[error.argmax()]), slack)  # not in the sample
        if step < _FINEST_STEP * largest or step < 20 * noise:
            return None
        step = largest / round(largest / step)
    else:
        return None
    return step


def _distinct(values: NDArray[np.float64]) -> Iterator[float]:
    """Yield a few values first, which show at once that real-valued scores have no step."""
    yield from values[:_TRIED_FIRST].tolist()
    yield from sorted(set(values.tolist()))


def _common_divisor(a: float, b: float, slack: float) -> float:
    """Greatest common divisor by Euclid's algorithm, for numbers accurate to within `slack`."""
    while b > slack:
        rest = math.fmod(a, b)
        a, b = b, 0.0 if rest <= slack or b - rest <= slack else rest
    return a


def sign_flips(
    values: NDArray[np.float64],
    pairs: NDArray[np.int64],
    differences: Differences,
    tolerance: Scores,
    noise: Scores,
) -> SignFlips:
    """Compute exact p-values of the sums of d = values[a] − values[b] wherever that is cheap.

    For each pair, sums within `tolerance` count as equal (ties count as extreme), and `noise` is
    the possible rounding error of a value. A pair's p-value does not depend on the other systems:
    where the common step of all values does not fit, the pair's differences may have their own.
    """
    result = SignFlips(*(np.full(len(pairs), np.nan) for _ in range(3)))
    none = differences.differing == 0
    for p in (result.two_sided, result.better, result.worse):
        p[none] = 1.0
    shared_step = common_step(values, float(noise.max(initial=0.0)))
    slack = 1e-12 * differences.largest + 4 * noise
    fits = np.zeros(len(pairs), dtype=bool)
    if shared_step is not None:
        # A pair's differences may be below a step that is derived from larger scores of others.
        fits = differences.smallest > shared_step / 2
        slack = np.where(fits, shared_step / 2, slack)
    with np.errstate(invalid="ignore"):  # pairs without a difference have 0 − ∞
        is_binomial = ~none & (differences.largest - differences.smallest < slack)
    _set_binomial(result, is_binomial, differences.won, differences.differing)
    for i in np.flatnonzero(~result.is_exact).tolist():
        a, b = pairs[i]
        d = values[a] - values[b]
        step = shared_step if fits[i] else common_step(d, float(noise[i]))
        whole = None if step is None else whole_steps(d, step)
        if whole is not None:
            _set(result, i, convolution_p_values(whole))
        elif differences.differing[i] <= MOST_ENUMERATED:
            # Rounding errors count as 0, and are the smallest differences.
            largest = np.argsort(np.abs(d))[len(d) - int(differences.differing[i]) :]
            _set(result, i, enumeration_p_values(d[largest], float(tolerance[i])))
    return result


def whole_steps(d: Scores, step: float) -> NDArray[np.int64] | None:
    """The differences d ≠ 0 as whole numbers in lowest terms; None if too costly to convolve."""
    whole = np.rint(d / step).astype(np.int64)
    whole = whole[whole != 0]
    whole //= np.gcd.reduce(np.abs(whole))
    cost = len(whole) * float(np.abs(whole).sum())
    return whole if cost <= _MOST_CONVOLVED else None


def _set(result: SignFlips, i: int, p_values: tuple[float, float, float]) -> None:
    result.two_sided[i], result.better[i], result.worse[i] = p_values


def _set_binomial(
    result: SignFlips,
    chosen: NDArray[np.bool_],
    won: NDArray[np.int64],
    differing: NDArray[np.int64],
) -> None:
    """Set the p-values of McNemar's exact test: `won` heads of `differing` fair coins."""
    for n in np.unique(differing[chosen]).tolist():
        pairs = np.flatnonzero(chosen & (differing == n))
        k = won[pairs]
        tails = np.append(np.cumsum(_coin_chances(n)[::-1])[::-1], 0.0)  # P(at least k)
        for p, at_least in ((result.better, k), (result.worse, n - k)):
            # Below the middle, 1 minus the smaller, other tail is more accurate.
            p[pairs] = np.where(2 * at_least > n, tails[at_least], 1 - tails[n - at_least + 1])
        far = 2 * tails[np.maximum(k, n - k)]
        result.two_sided[pairs] = np.where(2 * k == n, 1.0, far)
    for p in (result.better, result.worse, result.two_sided):
        p[chosen] = np.clip(p[chosen], _TINY, 1.0)


def convolution_p_values(d: NDArray[np.int64]) -> tuple[float, float, float]:
    """P-values (two-sided, better, worse) of Σ d among all Σ ±d, for whole numbers d ≠ 0.

    >>> [round(p, 4) for p in convolution_p_values(np.array([3, 1, 2, -1]))]
    [0.375, 0.1875, 0.9375]
    """
    if len(d) <= MOST_ENUMERATED and 2 ** len(d) < len(d) * int(np.abs(d).sum()):
        return enumeration_p_values(d.astype(np.float64))
    total, reached = int(np.abs(d).sum()), int(d[d > 0].sum())
    far = max(reached, total - reached)
    # Probabilities of the sums of those |d| that have the sign +. Below `lowest`, where sums can no
    # longer reach `far`, they are out of date.
    chances, scratch = np.zeros(total + 1), np.empty(total + 1)
    chances[0] = 1.0
    lowest, size, rest = 0, 1, total
    steps, counts = np.unique(np.abs(d), return_counts=True)
    for step, count in zip(steps.tolist(), counts.tolist(), strict=True):
        before = scratch[lowest:size]
        before[:] = chances[lowest:size]
        shares = _coin_chances(count)
        chances[lowest:size] *= shares[0]
        if count == 1:  # the usual case for scores with many decimals
            before *= shares[1]
            chances[lowest + step : size + step] += before
        else:
            for heads in range(1, count + 1):
                start = step * heads
                chances[lowest + start : size + start] += shares[heads] * before
        size += step * count
        rest -= step * count
        lowest = max(0, far - rest)
    tail = _probability(chances[far:].sum())
    if 2 * far == total:
        return 1.0, tail, tail
    other = _probability(1.0 - chances[far + 1 :].sum())
    return min(2 * tail, 1.0), *((tail, other) if reached == far else (other, tail))


@lru_cache(maxsize=32)
def _coin_chances(count: int) -> Scores:
    """Probabilities of 0, 1, …, `count` heads of `count` fair coins."""
    if count <= _MOST_BY_COUNTING:
        ways = [1]
        for heads in range(count):
            ways.append(ways[-1] * (count - heads) // (heads + 1))
        return np.array(ways, dtype=np.float64) / 2.0**count
    # From the middle outwards, each is the previous one times a known ratio.
    upper_half = np.arange(count - count // 2, count)
    logs = np.cumsum(np.log((count - upper_half) / (upper_half + 1)))
    upper = np.exp(np.append(0.0, logs))
    chances = np.concatenate([upper[::-1], upper[1 - count % 2 :]])
    return np.asarray(chances / chances.sum())


def _probability(value: float) -> float:
    return min(1.0, max(_TINY, float(value)))


def enumeration_p_values(d: Scores, tolerance: float = 0.0) -> tuple[float, float, float]:
    """P-values (two-sided, better, worse) of Σ d among all 2^m sums Σ ±d.

    >>> enumeration_p_values(np.array([2.0, 1.0, 0.5]))
    (0.25, 0.125, 1.0)
    """
    sums = np.zeros(1)
    for value in d.tolist():
        sums = np.concatenate([sums + value, sums - value])
    observed = float(d.sum())
    size = len(sums)
    return (
        int(np.count_nonzero(np.abs(sums) >= abs(observed) - tolerance)) / size,
        int(np.count_nonzero(sums >= observed - tolerance)) / size,
        int(np.count_nonzero(sums <= observed + tolerance)) / size,
    )
