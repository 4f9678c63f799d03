"""Draws have the distribution that they promise, and stay what they are."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from weigh.human.draws import Draws

SEEDS = st.integers(0, 2**64 - 1)


@settings(deadline=None)
@given(SEEDS, st.integers(1, 2**64))
def test_below_is_below(seed: int, size: int) -> None:
    draws = Draws(seed)
    assert all(0 <= draws.below(size) < size for _ in range(20))


@settings(deadline=None)
@given(SEEDS, st.lists(st.integers(), max_size=50))
def test_shuffling_keeps_the_values(seed: int, values: list[int]) -> None:
    assert sorted(Draws(seed).shuffled(values)) == sorted(values)


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


def test_streams_differ() -> None:
    first = [Draws(1, stream).below(2**64) for stream in range(50)]
    assert len(set(first)) == 50
    assert Draws(0).below(2**64) == Draws(0).below(2**64) != Draws(1).below(2**64)


def test_choice_takes_any() -> None:
    draws = Draws(5)
    found = Counter(draws.choice("abc") for _ in range(3000))
    assert stats.chisquare([found[letter] for letter in "abc"]).pvalue > 0.001
    with pytest.raises(ZeroDivisionError):
        draws.choice("")
