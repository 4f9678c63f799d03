from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from statistics import NormalDist

from hypothesis import given
from hypothesis import strategies as st

from weigh.stats.intervals import Proportion
from weigh.validate.plan import PowerPlan
from weigh.validate.power import MOST_UNITS, Search

NORMAL = NormalDist()


def searched(formula: int, plan: PowerPlan, power: Callable[[int], float]) -> Search:
    """Search with simulations that find just what is to be expected."""
    search = Search(formula, plan)
    while (size := search.wanted) is not None:
        count = round(plan.simulations * power(size))
        search.learn(Proportion(count, plan.simulations))
        assert len(search.steps) <= 8
    return search


def interval(size: int, plan: PowerPlan, power: Callable[[int], float]) -> tuple[float, float]:
    return Proportion(round(plan.simulations * power(size)), plan.simulations).interval(plan.level)


@given(
    st.floats(0.02, 0.9),
    st.floats(0.2, 5),
    st.floats(0, 2),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.sampled_from([50, 400, 3000]),
)
def test_a_wrong_formula_is_corrected(
    effect: float, wrong: float, bend: float, aim: float, simulations: int
) -> None:
    """The power is Φ(e√n − z − b/√n): with b as tests of few units fall short of the normal."""
    plan = PowerPlan(power=aim, simulations=simulations)
    critical = NORMAL.inv_cdf(1 - plan.alpha / 2)

    def power(size: int) -> float:
        return NORMAL.cdf(effect * math.sqrt(size) - critical - bend / math.sqrt(size))

    right = 2 + bisect_left(range(2, 10**6), aim, key=power)
    formula = max(2, round(wrong * right))
    search = searched(formula, plan, power)
    assert search.steps[:1] == ([formula] if formula <= MOST_UNITS else [])
    if search.size in search.steps:
        low, high = interval(search.size, plan, power)
        assert aim <= high
        if low > aim:  # then one less is too few
            assert search.size == 2 or interval(search.size - 1, plan, power)[1] < aim
    else:
        assert search.size > MOST_UNITS


def test_a_formula_that_holds_is_kept() -> None:
    search = searched(100, PowerPlan(), lambda _: 0.8)
    assert (search.size, search.steps) == (100, [100])


def test_a_power_that_jumps_takes_the_first_number_above() -> None:
    search = searched(30, PowerPlan(), lambda size: 0.97 if size >= 6 else 0.0)
    assert search.size == 6
    assert {5, 6} <= set(search.steps)


def test_a_power_that_is_never_reached_ends() -> None:
    search = searched(10, PowerPlan(), lambda _: 0.3)
    assert search.wanted is None
    assert len(search.steps) <= 8


def test_large_numbers_are_not_simulated() -> None:
    search = searched(MOST_UNITS + 1, PowerPlan(), lambda _: 0.8)
    assert (search.size, search.steps) == (MOST_UNITS + 1, [])
    search = searched(MOST_UNITS, PowerPlan(), lambda _: 0.5)
    assert search.steps == [MOST_UNITS]
    # Half the power needs (1.96 + 0.8416)² / 1.96² as many.
    assert search.size == math.ceil(MOST_UNITS * (2.801585 / 1.959964) ** 2)
