"""Numbers that only rounding tells apart, against exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weigh.stats.blocks import scheffe, tukey
from weigh.stats.ranking import with_ties

# Scores with one decimal, as sliders and metrics give them: floats do not hold them exactly.
TENTHS = st.integers(0, 1000)


@given(st.lists(st.lists(TENTHS, min_size=1, max_size=6), min_size=1, max_size=30))
def test_means_are_equal_where_fractions_are(groups: list[list[int]]) -> None:
    exact = [Fraction(sum(group), 10 * len(group)) for group in groups]
    means = [sum(value / 10 for value in group) / len(group) for group in groups]
    found = with_ties(means, 100.0)
    for i, one in enumerate(exact):
        for j, other in enumerate(exact):
            assert (found[i] > found[j]) == (one > other)
            assert (found[i] == found[j]) == (one == other)
    assert np.allclose(found, means, rtol=0, atol=1e-10)


@given(st.lists(st.floats(-1e6, 1e6), max_size=20))
def test_settling_twice_is_settling_once(values: list[float]) -> None:
    scale = max(map(abs, values), default=0.0)
    found = with_ties(values, scale)
    assert np.array_equal(with_ties(found, scale), found)
    assert np.array_equal(with_ties(values[::-1], scale), found[::-1])


def test_whole_numbers_stay_apart() -> None:
    values = [10**11 + 1, 10**11, 10**11 + 2]
    assert with_ties(values, 10.0**11).tolist() == values


def test_what_cancels_out_has_the_scale_of_what_it_was_made_of() -> None:
    assert with_ties([1e-17, 0.0, -2e-17, 0.5], 1.0).tolist() == [-2e-17, -2e-17, -2e-17, 0.5]


def test_not_a_number_stays_alone() -> None:
    found = with_ties([1.0, float("nan"), 1.0 + 1e-15], 1.0)
    assert found[0] == found[2] == 1.0
    assert np.isnan(found[1])


def test_block_tests_of_level_systems() -> None:
    # .1 + .2 + .3 from both ends: the means are equal but for rounding.
    scores = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]])
    assert scores[:, 0].mean() != scores[:, 1].mean()
    for test in (tukey, scheffe):
        assert test(scores)[0, 1] == 1.0
