from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from weigh.human.draws import ArrayDraws


@given(st.integers(0, 2**64 - 1), st.integers(0, 10**6), st.integers(1, 50), st.integers(1, 60))
def test_numbers_are_in_range_and_repeatable(seed: int, stream: int, size: int, count: int) -> None:
    first, second = ArrayDraws(seed, stream), ArrayDraws(seed, stream)
    drawn = first.below(size, count)
    assert drawn.tolist() == second.below(size, count).tolist()
    assert len(drawn) == count
    assert set(drawn.tolist()) <= set(range(size))
    chosen = first.chosen(size, size // 2).tolist()
    assert chosen == sorted(set(chosen)) == second.chosen(size, size // 2).tolist()
    assert len(chosen) == size // 2
    assert first.seed() == second.seed()


@pytest.mark.parametrize("size", [3, 7])
def test_all_numbers_are_equally_likely(size: int) -> None:
    counts = np.bincount(ArrayDraws(1, 1).below(size, 70_000), minlength=size)
    assert chisquare(counts).pvalue > 0.001
    places = np.bincount(
        np.concatenate([ArrayDraws(1, s).chosen(size, 2) for s in range(5000)]), minlength=size
    )
    assert chisquare(places).pvalue > 0.001


def test_chances() -> None:
    assert not ArrayDraws(1, 1).chances(0.0, 1000).any()
    assert ArrayDraws(1, 1).chances(1.0, 1000).all()
    # The standard error of the share is .0014.
    assert ArrayDraws(1, 1).chances(0.3, 100_000).mean() == pytest.approx(0.3, abs=0.006)
