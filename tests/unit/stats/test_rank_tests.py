from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, rankdata, wilcoxon

from scipy_names import ASYMPTOTIC
from weigh.stats.ranking import rank_sum, ranked, sign_test, signed_rank

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


# SciPy before 1.13 says so of its own result.
pytestmark = pytest.mark.filterwarnings("ignore:Sample size too small for normal:UserWarning")


def wilcoxon_says(differences: list[float], side: str) -> float:
    given = np.array([each for each in differences if each])
    if given.size < 20:  # every way to sign them, ties included
        sums = np.zeros(1)
        for rank in rankdata(np.abs(given)):
            sums = np.concatenate([sums - rank, sums + rank])
        observed = float(np.sign(given) @ rankdata(np.abs(given)))
        extreme = np.abs(sums) >= abs(observed) if side == "two-sided" else sums >= observed
        return float(extreme.mean())
    return float(
        wilcoxon(
            differences,
            zero_method="wilcox",
            correction=True,
            alternative=side,
            method=ASYMPTOTIC,
        ).pvalue
    )


DIFFERENCES = st.one_of(
    st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=40),  # many ties and zeros
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40),
)


@given(DIFFERENCES)
def test_signed_ranks_against_scipy(differences: list[float]) -> None:
    assume(any(differences))
    assert signed_rank(differences, "two-sided").p_value == pytest.approx(
        wilcoxon_says(differences, "two-sided"), rel=1e-12, abs=0
    )
    assert signed_rank(differences, "better").p_value == pytest.approx(
        wilcoxon_says(differences, "greater"), rel=1e-12, abs=0
    )


@pytest.mark.parametrize("size", [1, 2, 3, 5, 10, 50, 500, 3000])
def test_signed_ranks_against_scipy_for_many_sizes(size: int) -> None:
    draws = np.random.default_rng(size)
    for values in (
        draws.normal(0.1, 1, size).tolist(),
        draws.integers(-5, 7, size).astype(float).tolist(),
        [1.0] * size,
    ):
        for alternative, side in (("two-sided", "two-sided"), ("better", "greater")):
            found = signed_rank(values, alternative)  # type: ignore[arg-type]
            if any(values):
                expected = wilcoxon_says(values, side)
                assert found.p_value == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_differences_that_are_all_zero() -> None:
    assert signed_rank([0.0, -0.0, 0.0]) == signed_rank([]) == (1.0, 0)
    assert signed_rank([0.0], "better") == (1.0, 0)


@given(DIFFERENCES)
def test_signed_ranks_turned_round(differences: list[float]) -> None:
    found, turned = signed_rank(differences), signed_rank([-each for each in differences])
    assert found.p_value == turned.p_value
    assert found.ahead == -turned.ahead


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7, 8, 10])
def test_signed_ranks_keep_their_level_at_the_smallest_sizes(size: int) -> None:
    """All 2^n signs are equally likely where nothing differs, so the level is exact."""
    signs = 1 - 2 * ((np.arange(1 << size)[:, None] >> np.arange(size)) & 1)
    for sizes in (np.arange(1, size + 1), np.ones(size)):
        p_values = [signed_rank((row * sizes).tolist()).p_value for row in signs]
        assert np.mean(np.array(p_values) <= 0.05) <= 0.05


def test_signed_ranks_without_ties_are_scipys_exact_ones() -> None:
    differences = [3.0, -1.0, 4.0, 2.0, -5.0, 6.0, 7.5, 8.0, 9.0]
    for alternative, side in (("two-sided", "two-sided"), ("better", "greater")):
        expected = wilcoxon(differences, alternative=side, method="exact")
        found = signed_rank(differences, alternative)  # type: ignore[arg-type]
        assert found.p_value == pytest.approx(expected.pvalue)


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
