"""The sign-flip test and its intervals in plain loops, one pair at a time.

The kernels of halvings under their own names, and the definitions that they serve: all ways to
turn signs, and the values that the test does not reject.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product


def halving_ends(
    first: Sequence[Sequence[float]],
    second: Sequence[Sequence[float]],
    pairs: Sequence[Sequence[int]],
    k: int,
) -> list[list[float]]:
    """Return, for each pair, the k-th smallest lower and the k-th largest upper half difference."""
    ends = []
    for a, b in pairs:
        low, high = [], []
        for trial in range(len(first[0])):
            one = first[a][trial] - first[b][trial]
            other = second[a][trial] - second[b][trial]
            low.append(min(one, other))
            high.append(max(one, other))
        ends.append([sorted(low)[k - 1], sorted(high, reverse=True)[k - 1]])
    return ends


def extreme_counts(
    sums: Sequence[Sequence[float]],
    pairs: Sequence[Sequence[int]],
    bounds: Sequence[Sequence[float]],
) -> list[list[int]]:
    """Count the trials beyond a size on either side, at or above a bound, at or below another.

    A trial is a − b − shift; the bounds of a pair are [shift, above, below, size].
    """
    counts = []
    for (a, b), (shift, above, below, size) in zip(pairs, bounds, strict=True):
        trials = [x - y - shift for x, y in zip(sums[a], sums[b], strict=True)]
        counts.append(
            [
                sum(abs(x) >= size for x in trials),
                sum(x >= above for x in trials),
                sum(x <= below for x in trials),
            ]
        )
    return counts


def sign_flip_p(differences: Sequence[int]) -> tuple[Fraction, Fraction, Fraction]:
    """Return the share of all 2^n ways to turn signs that are as extreme, ties included.

    Two-sided, above, below.
    """
    observed = sum(differences)
    far = above = below = 0
    for signs in product((1, -1), repeat=len(differences)):
        value = sum(sign * d for sign, d in zip(signs, differences, strict=True))
        far += abs(value) >= abs(observed)
        above += value >= observed
        below += value <= observed
    ways = 2 ** len(differences)
    return Fraction(far, ways), Fraction(above, ways), Fraction(below, ways)


def is_rejected(
    value: Fraction, sums: Sequence[int], sizes: Sequence[int], alpha: Fraction, side: int = 0
) -> bool:
    """Whether the sign-flip test rejects that the mean is `value`: Σ sums/Σ sizes of units.

    `side` picks the alternative: 0 two-sided, 1 above.
    """
    # Times the denominator, so that all numbers are whole.
    rest = [d * value.denominator - value.numerator * m for d, m in zip(sums, sizes, strict=True)]
    return sign_flip_p(rest)[side] <= alpha


def kept_means(
    sums: Sequence[int], sizes: Sequence[int], alpha: Fraction, side: int = 0
) -> tuple[Fraction | None, Fraction | None]:
    """Return the ends of the means that the sign-flip test does not reject, None where endless.

    The decision can change only where two ways to turn signs tie: at the mean of a subset. So the
    candidates are these means, and points between and beyond them.
    """
    subsets = sorted(
        {
            Fraction(
                sum(d for d, chosen in zip(sums, chosen_units, strict=True) if chosen),
                sum(m for m, chosen in zip(sizes, chosen_units, strict=True) if chosen),
            )
            for chosen_units in product((0, 1), repeat=len(sums))
            if any(chosen_units)
        }
    )
    below, above = subsets[0] - 1, subsets[-1] + 1
    kept = [value for value in subsets if not is_rejected(value, sums, sizes, alpha, side)]
    low = None if not is_rejected(below, sums, sizes, alpha, side) else min(kept)
    high = None if not is_rejected(above, sums, sizes, alpha, side) else max(kept)
    return low, high
