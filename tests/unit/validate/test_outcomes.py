"""Tests of methods on the same cases, against statsmodels and their definitions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2
from statsmodels.stats import contingency_tables

from weigh.validate.outcomes import chi_square, cochran, mcnemar, pairs_of_methods

outcomes = st.tuples(st.integers(2, 5), st.integers(1, 40)).flatmap(
    lambda shape: arrays(np.bool_, shape)
)


@given(outcomes)
def test_cochran_against_statsmodels(right: np.ndarray) -> None:
    found = cochran(right)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it divides by 0 where no two methods differ
        other = contingency_tables.cochrans_q(right.T.astype(int))
    if np.isnan(other.statistic):
        assert found.p_value == 1
    else:
        assert found.statistic == pytest.approx(other.statistic)
        assert (found.df, found.p_value) == (other.df, pytest.approx(other.pvalue))


@given(outcomes)
def test_chi_square_against_its_definition(right: np.ndarray) -> None:
    methods, cases = right.shape
    found = chi_square(right)
    total = int(right.sum())
    if total in (0, right.size):
        assert found == (0.0, methods - 1, 1.0)
        return
    statistic = 0.0
    for row in right:
        for seen, expected in (
            (row.sum(), total / methods),
            (cases - row.sum(), cases - total / methods),
        ):
            off = abs(seen - expected)
            if methods == 2:  # Yates
                off -= min(0.5, off)
            statistic += off**2 / expected
    assert found.statistic == pytest.approx(statistic, abs=1e-12)
    assert found.p_value == pytest.approx(chi2.sf(statistic, methods - 1))


@given(st.integers(0, 50), st.integers(0, 50))
def test_mcnemar_against_statsmodels(only_a: int, only_b: int) -> None:
    other = contingency_tables.mcnemar([[7, only_a], [only_b, 3]], exact=True)
    assert mcnemar(only_a, only_b) == pytest.approx(other.pvalue)


def test_pairs_of_methods() -> None:
    right = np.array([[1, 1, 0, 1], [1, 0, 0, 1], [0, 1, 1, 1]], dtype=bool)
    found = pairs_of_methods(["x", "y", "z"], right)
    assert [(one.a, one.b, one.only_a, one.only_b) for one in found] == [
        ("x", "y", 1, 0),
        ("x", "z", 1, 1),
        ("y", "z", 1, 2),
    ]
