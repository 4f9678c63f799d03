from __future__ import annotations

import math
from itertools import pairwise

from hypothesis import assume, example, given
from hypothesis import strategies as st

from weigh.report.pictures.axes import Scale
from weigh.report.svg import is_drawable

value = st.floats(-1e9, 1e9)
some = st.lists(st.one_of(value, st.floats(-1e-9, 1e-9), st.floats(-1e150, 1e150)), min_size=1)


@given(some, st.floats(0, 100), st.floats(200, 600), st.floats(0, 0.2))
@example([5.0], 0, 100, 0.05)
@example([0.0, -0.0], 0, 100, 0.05)
@example([1e17, 1e17 + 16], 0, 100, 0.0)
def test_values_stand_in_order_between_the_ends(
    values: list[float], start: float, stop: float, margin: float
) -> None:
    scale = Scale.over(values, start, stop, margin)
    places = [scale(each) for each in sorted(values)]
    assert all(start - 1e-6 <= each <= stop + 1e-6 for each in places)
    assert all(one <= other + 1e-6 for one, other in pairwise(places))


@given(value, value, st.floats(0, 1))
def test_the_map_is_linear(low: float, high: float, share: float) -> None:
    assume(high - low > 1e-3 * max(abs(low), abs(high), 1e-9))
    scale = Scale(low, high, 300.0, 20.0)  # upwards
    assert scale(low) == 300
    assert math.isclose(scale(high), 20, abs_tol=1e-9)
    assert math.isclose(scale(low + share * (high - low)), 300 - 280 * share, abs_tol=1e-6)


@given(some, st.integers(2, 9))
@example([0.0, 1.0], 5)
@example([21.7, 37.5], 6)
@example([-1e-7, 3e-7], 4)
@example([1e-300, 0.0], 4)
@example([1e8, 1e8 + 1], 4)
def test_ticks_are_round_and_equally_far_apart(values: list[float], most: int) -> None:
    scale = Scale.over(values, 0, 100)
    ticks = scale.ticks(most)
    assert len(ticks) <= most
    span = scale.high - scale.low
    for place, text in ticks:
        assert scale.low - 1e-9 * span <= place <= scale.high + 1e-9 * span
        size = max(abs(scale.low), abs(scale.high))
        assert math.isclose(float(text), place, rel_tol=1e-5, abs_tol=1e-5 * size)
    if len(ticks) < 2:
        return
    steps = [other - one for (one, _), (other, _) in pairwise(ticks)]
    assert all(math.isclose(step, steps[0], rel_tol=1e-3) for step in steps)
    power = 10.0 ** math.floor(math.log10(steps[0] * 1.0001))
    assert any(math.isclose(steps[0] / power, digit, rel_tol=1e-3) for digit in (1, 2, 5))


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(4, 9))
def test_there_are_enough_ticks(low: float, span: float, most: int) -> None:
    # A step is at most 2.5 times the one before, so that not much more than a third is lost.
    assert len(Scale(low, low + span, 0, 100).ticks(most)) >= max(1, math.floor(most / 2.5) - 1)


def test_what_is_no_number_has_no_place() -> None:
    assert is_drawable(0, -1e9)
    for bad in (math.nan, math.inf, -math.inf, 1e308):
        assert not is_drawable(1.0, bad)
