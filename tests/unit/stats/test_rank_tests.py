from __future__ import annotations

import math

import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, rankdata

from weigh.stats.ranking import rank_sum, ranked, sign_test

SCORES = st.one_of(
    st.lists(st.integers(0, 3).map(float), min_size=1, max_size=30),  # many ties
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30),
)


@given(SCORES, SCORES)
def test_against_scipy(first: list[float], second: list[float]) -> None:
    assume(len({*first, *second}) > 1)
    for alternative, side in (("two-sided", "two-sided"), ("better", "greater")):
        expected = mannwhitneyu(first, second, alternative=side, method="asymptotic")
        found = rank_sum(first, second, alternative)  # type: ignore[arg-type]
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)
        above = expected.statistic - len(first) * len(second) / 2
        assert found.ahead == int(above > 0) - int(above < 0)


@given(SCORES)
def test_ranks_against_scipy(values: list[float]) -> None:
    ranks, ties = ranked(values)
    assert ranks.tolist() == rankdata(values).tolist()
    assert sorted(ties) == sorted(map(values.count, set(values)))


def test_one_value_alone() -> None:
    assert rank_sum([5.0, 5.0], [5.0]) == (1.0, 0)


@given(st.integers(0, 60), st.integers(0, 60))
def test_sign_test_against_scipy_and_by_counting(wins: int, losses: int) -> None:
    n = wins + losses
    p = sign_test(wins, losses, "better")
    assert p == pytest.approx(sum(math.comb(n, k) for k in range(wins, n + 1)) / 2**n)
    if n:
        assert sign_test(wins, losses) == pytest.approx(scipy.stats.binomtest(wins, n).pvalue)
    else:
        assert sign_test(0, 0) == 1
