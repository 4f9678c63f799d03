from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from weigh.stats.intervals import Proportion


@pytest.mark.parametrize(
    ("count", "total", "printed"),
    [
        (53, 66, "80.3 [68.7, 89.1]"),
        (54, 66, "81.8 [70.4, 90.2]"),
        (34, 55, "61.8 [47.7, 74.6]"),
        (30, 55, "54.5 [40.6, 68.0]"),
    ],
)
def test_intervals_as_printed_by_graham_2014(count: int, total: int, printed: str) -> None:
    one = Proportion(count, total)
    low, high = one.interval()
    assert f"{100 * one.share:.1f} [{100 * low:.1f}, {100 * high:.1f}]" == printed


counted = st.integers(1, 300).flatmap(
    lambda total: st.tuples(st.integers(0, total), st.just(total))
)


@given(counted, st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_ends_are_shares_at_which_the_count_is_just_so_likely(
    counts: tuple[int, int], level: float
) -> None:
    count, total = counts
    low, high = Proportion(count, total).interval(level)
    tail = (1 - level) / 2
    if count:
        assert binom.sf(count - 1, total, low) == pytest.approx(tail, rel=1e-6)
    else:
        assert low == 0
    if count < total:
        assert binom.cdf(count, total, high) == pytest.approx(tail, rel=1e-6)
    else:
        assert high == 1


@given(counted, st.sampled_from([0.01, 0.05, 0.1]))
def test_bounds_against_scipy(counts: tuple[int, int], alpha: float) -> None:
    one = Proportion(*counts)
    less, greater = (
        binomtest(*counts, alternative=side).proportion_ci(1 - alpha)
        for side in ("less", "greater")
    )
    assert one.upper(alpha) == pytest.approx(less.high, abs=1e-9)
    assert one.lower(alpha) == pytest.approx(greater.low, abs=1e-9)


def test_nothing_says_nothing() -> None:
    one = Proportion(0, 0)
    assert one.share != one.share
    assert one.interval() == (0.0, 1.0)
