"""Correlations against SciPy and definitions; Williams' test against theory and print."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from weigh.errors import InputError, UsageError
from weigh.stats.correlation import kendall, pearson, spearman, williams

coarse = st.integers(-4, 4).map(float)
fine = st.floats(-1e3, 1e3).map(lambda value: round(value, 3))
pairs = st.lists(st.tuples(coarse | fine, coarse | fine), min_size=2, max_size=15)


@settings(deadline=None)
@given(pairs)
def test_against_scipy(both: list[tuple[float, float]]) -> None:
    x, y = map(list, zip(*both, strict=True))
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert all(math.isnan(of(x, y)) for of in (pearson, spearman, kendall))
        return
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
    assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-9)


def test_nothing_to_correlate() -> None:
    assert math.isnan(pearson([1.0], [2.0]))
    assert math.isnan(pearson([0.1] * 7, range(7)))  # whose mean is not quite 0.1
    assert pearson([1e-200, 2e-200, 4e-200], [1e200, 2e200, 4e200]) == pytest.approx(1)
    with pytest.raises(InputError, match="give the same number of both"):
        kendall([1, 2], [1, 2, 3])


def test_williams_in_print() -> None:
    # The example of r.test in R's package psych: n = 103, .4 and .5 with .1 between them.
    t, p = williams(0.4, 0.5, 0.1, 103)
    assert round(t, 2) == -0.89
    assert round(p, 2) == 0.37


def test_williams_has_its_size() -> None:
    """Two metrics that correlate equally with humans: p is even on (0, 1), with df n − 3."""
    generator = np.random.default_rng(3)
    systems, trials = 10, 2000
    quality = generator.normal(size=(trials, systems))
    human = quality + 0.5 * generator.normal(size=quality.shape)
    a = quality + 0.7 * generator.normal(size=quality.shape)
    b = quality + 0.7 * generator.normal(size=quality.shape)
    p = [
        williams(pearson(h, x), pearson(h, y), pearson(x, y), systems)[1]
        for h, x, y in zip(human, a, b, strict=True)
    ]
    assert abs(np.mean(np.array(p) <= 0.05) - 0.05) < 4 * math.sqrt(0.05 * 0.95 / trials)


@settings(deadline=None)
@given(st.floats(-0.99, 0.99), st.floats(-0.99, 0.99), st.floats(0, 1), st.integers(4, 100))
def test_williams_is_symmetric(a: float, b: float, share: float, n: int) -> None:
    # What the third correlation can be, given the first two.
    middle, reach = a * b, math.sqrt((1 - a * a) * (1 - b * b))
    between = max(-0.999, min(0.999, middle + (2 * share - 1) * reach * 0.999))
    t, p = williams(a, b, between, n)
    other_t, other_p = williams(b, a, between, n)
    assert (t, p) == pytest.approx((-other_t, other_p))
    better, worse = (williams(a, b, between, n, side)[1] for side in ("better", "worse"))
    assert better + worse == pytest.approx(1)
    assert p == pytest.approx(2 * min(better, worse), abs=1e-12)
    assert (better < 0.5) == (a > b) or a == pytest.approx(b)


def test_williams_at_the_edge() -> None:
    assert all(map(math.isnan, williams(0.9, 0.8, 0.7, 3)))
    assert williams(0.9, 0.9, 1.0, 10) == (0.0, 1.0)
    with pytest.raises(UsageError, match="unknown alternative 'greater'"):
        williams(0.9, 0.8, 0.7, 9, "greater")
