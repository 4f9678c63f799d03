"""Draws have the distribution that they promise, and stay what they are."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
from scipy import stats

from weigh.human.draws import Draws


def test_every_order_is_as_likely() -> None:
    draws = Draws(1)
    found = Counter(tuple(draws.order(4)) for _ in range(24_000))
    assert set(found) == set(itertools.permutations(range(4)))
    assert stats.chisquare(list(found.values())).pvalue > 0.001


def test_distributions() -> None:
    draws = Draws(2)
    even = [draws.between(3, 5) for _ in range(5000)]
    assert stats.kstest(even, stats.uniform(3, 2).cdf).pvalue > 0.001
    normal = [draws.normal(1, 2) for _ in range(5000)]
    assert stats.kstest(normal, stats.norm(1, 2).cdf).pvalue > 0.001


def test_bits_are_those_of_philox() -> None:
    bits = np.random.Philox(key=[7, 3]).random_raw(300)
    draws = Draws(7, stream=3)
    assert [draws.below(2**64) for _ in range(300)] == bits.tolist()
