"""Looking while items come in: how often bets are wrong, and how many items they need."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from scipy.special import stdtr

from weigh.stats.betting import Bets, adjust_e_values

ALPHA = 0.05
LOOKS = 20
UNITS = 400


def familywise_error(count: int, *, systems: int = 4, better: int = 0, seed: int = 1) -> float:
    """Return how often 20 looks at pass/fail items lead to a false claim about any pair.

    The first `better` systems really pass more items; claims about them are not false.
    """
    first, second = np.array([*combinations(range(systems), 2)]).T
    equal = (first >= better) | (second < better)
    chances = np.where(np.arange(systems) < better, 0.9, 0.6)[:, None]
    passed = np.array(
        [
            np.random.default_rng([seed, number]).random((systems, UNITS)) < chances
            for number in range(count)
        ]
    )
    # All data sets bet at once; a claim needs a stake of 1/α before it is adjusted.
    d = passed[:, first].astype(float) - passed[:, second]
    bets = Bets.none(count * len(equal))
    claimed: set[int] = set()
    for part in np.array_split(d, LOOKS, axis=2):
        bets = bets.after(part.reshape(-1, part.shape[2]))
        stakes = bets.e_values.reshape(count, -1)
        for number in np.flatnonzero((stakes[:, equal] >= 1 / ALPHA).any(axis=1)):
            if (adjust_e_values(stakes[number])[equal] >= 1 / ALPHA).any():
                claimed.add(int(number))
    return len(claimed) / count


def continuous_error(deviation: float, count: int, *, units: int = 2000, seed: int = 1) -> float:
    """Return how often a stake ever reaches 1/α without a difference, looking at every item."""
    wrong = 0
    for _, stakes in _stakes(0.0, deviation, count, units, seed):
        wrong += int((stakes.max(axis=1) >= math.log(1 / ALPHA)).sum())
    return wrong / count


def naive_error(count: int, *, seed: int = 1) -> float:
    """Return how often one of 20 looks at one pair has p ≤ .05 by a test for a single look."""
    rng = np.random.default_rng(seed)
    d = rng.normal(size=(count, UNITS))
    rejected = np.zeros(count, dtype=bool)
    for look in range(1, LOOKS + 1):
        n = UNITS * look // LOOKS
        t = d[:, :n].mean(axis=1) / d[:, :n].std(axis=1, ddof=1) * math.sqrt(n)
        rejected |= 2 * stdtr(n - 1, -np.abs(t)) <= ALPHA
    return float(rejected.mean())


def units_to_decide(effect: float, deviation: float, count: int, *, seed: int = 1) -> float:
    """Return the mean number of items until one pair is decided; `effect` in deviations."""
    most = int(40 / effect**2)
    needed = []
    for _, stakes in _stakes(effect * deviation, deviation, count, most, seed):
        reached = stakes >= math.log(1 / ALPHA)
        first = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, most)
        needed.append(first)
    return float(np.concatenate(needed).mean())


def _stakes(mean: float, deviation: float, count: int, units: int, seed: int):
    """Yield the logarithms of stakes after each item: data sets × units."""
    together = max(1, min(count, 2_000_000 // units))
    shares = (np.arange(8) + 0.5) / 8
    for start in range(0, count, together):
        rng = np.random.default_rng([seed, units, start])
        size = min(together, count - start)
        d = np.clip(rng.normal(mean, deviation, (size, units)), -1, 1)
        total = np.full((size, units), -np.inf)
        for share in (*shares, *-shares):
            np.logaddexp(total, np.cumsum(np.log1p(share * d), axis=1), out=total)
        yield start, total - math.log(16)
