from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.human.conclusions import Conclusion, combined, judged, ordered


def conclusion(
    a: str,
    b: str,
    p: float = 0.5,
    difference: float = 1.0,
    alternative: str = "two-sided",
    ahead: int | None = None,
    scale: str = "adequacy",
    significant: bool = False,
) -> Conclusion:
    side = int(np.sign(difference)) if ahead is None else ahead
    return Conclusion(
        a, b, difference, 0.0, difference, "rank-sum", alternative, p, side, 10, 10, scale,
        significant=significant,
    )  # fmt: skip


def test_p_values_are_adjusted_together() -> None:
    given_ones = [
        conclusion("A", "B", 0.01),
        conclusion("A", "C", 0.04),
        conclusion("B", "C", 0.03),
    ]
    final = judged(given_ones, "holm", 0.05)
    assert [one.p_adjusted for one in final] == pytest.approx([0.03, 0.06, 0.06])
    assert [one.significant for one in final] == [True, False, False]
    assert [one.winner for one in final] == ["A", None, None]
    assert {(one.adjust, one.family_size) for one in final} == {("holm", 3)}
    assert [one.significant for one in judged(given_ones, "none", 0.05)] == [True, True, True]


def test_a_test_against_the_scores_concludes_nothing() -> None:
    [one] = judged([conclusion("A", "B", 0.001, difference=0.1, ahead=-1)], "none", 0.05)
    assert one.contradicts
    assert not one.significant
    assert one.winner is None
    [one] = judged([conclusion("A", "B", 0.001, difference=-0.1, ahead=-1)], "none", 0.05)
    assert one.winner == "B"


class TestCombined:
    def test_adequacy_decides_where_it_can(self) -> None:
        first = [conclusion("A", "B", 0.01, significant=True)]
        second = [conclusion("A", "B", 0.001, -1, scale="fluency", significant=True)]
        assert combined(first, second) == tuple(first)

    def test_fluency_decides_the_rest_also_where_it_orders_the_pair_otherwise(self) -> None:
        first = [conclusion("A", "B", 0.3)]
        [one] = combined(first, [conclusion("B", "A", 0.02, scale="fluency", significant=True)])
        assert (one.a, one.b, one.winner, one.p_value, one.scale) == (
            "A",
            "B",
            "B",
            0.02,
            "fluency",
        )
        assert one.difference == -1

    def test_adequacy_in_either_direction_is_the_conclusion(self) -> None:
        first = [
            conclusion("A", "B", 0.99, -1, "better"),
            conclusion("B", "A", 0.01, 1, "better", significant=True),
        ]
        second = [
            conclusion("A", "B", 0.01, 1, "better", scale="fluency", significant=True),
            conclusion("B", "A", 0.99, -1, "better", scale="fluency"),
        ]
        assert combined(first, second) == tuple(first)

    def test_a_pair_without_fluency_keeps_its_conclusion(self) -> None:
        first = [conclusion("A", "B", 0.3)]
        assert combined(first, []) == tuple(first)


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[list[str], set[tuple[str, str]]]:
    names = list("ABCDEF")[: draw(st.integers(1, 6))]
    # Systems stand best first, so that only a better one can win.
    pairs = list(combinations(names, 2))
    return names, set(draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else set()


def as_conclusions(names: list[str], wins: set[tuple[str, str]], both: bool) -> list[Conclusion]:
    if both:
        return [
            conclusion(
                a, b, 0.01, 1 if (a, b) in wins else -1, "better", significant=(a, b) in wins
            )
            for a, b in permutations(names, 2)
        ]
    return [conclusion(a, b, significant=(a, b) in wins) for a, b in combinations(names, 2)]


@given(tournaments(), st.booleans())
def test_order_against_its_definition(
    given_one: tuple[list[str], set[tuple[str, str]]], both: bool
) -> None:
    names, wins = given_one
    conclusions = as_conclusions(names, wins, both)
    for boundary in ("all", "last"):
        order = ordered(names, conclusions, boundary)
        assert [name for cluster in order.clusters for name in cluster] == names
        ends = set(np.cumsum([len(cluster) for cluster in order.clusters]))
        for cut in range(1, len(names)):
            above, below = names[:cut], names[cut:]
            asked = above if boundary == "all" else above[-1:]
            assert (cut in ends) == all((a, b) in wins for a in asked for b in below)
    for name in names:
        losses = sum(loser == name for _, loser in wins)
        won = sum(winner == name for winner, _ in wins)
        assert order.ranges[name] == (losses + 1, len(names) - won)
