from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.human.conclusions import Conclusion, by_net_wins, combined, judged, ordered
from weigh.stats.ranking import Alternative, sign


def conclusion(
    a: str,
    b: str,
    p: float = 0.5,
    difference: float = 1.0,
    alternative: Alternative = "two-sided",
    ahead: int | None = None,
    scale: str = "adequacy",
    significant: bool = False,
) -> Conclusion:
    side = int(np.sign(difference)) if ahead is None else ahead
    return Conclusion(
        decided_by=scale,
        a=a,
        b=b,
        score_a=difference,
        score_b=0.0,
        difference=difference,
        test="rank-sum",
        alternative=alternative,
        count_a=10,
        count_b=10,
        p_value=p,
        ahead=sign(side),
        significant=significant,
    )


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


def test_a_p_value_of_alpha_is_significant() -> None:
    for p_value, significant in ((0.05, True), (0.0500001, False)):
        [pair] = judged([conclusion("A", "B", p_value)], "none", 0.05)
        assert pair.significant == significant
    # Adjusted by Holm, the smaller of two is significant at half of α.
    for p_value, significant in ((0.025, True), (0.02500001, False)):
        pairs = [conclusion("A", "B", p_value), conclusion("A", "C", 0.9)]
        assert judged(pairs, "holm", 0.05)[0].significant == significant


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
        assert (one.a, one.b, one.winner, one.p_value, one.decided_by) == (
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


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[str, list[Conclusion]]:
    """Any wins at all among some systems, circles too."""
    names = "ABCDE"[: draw(st.integers(1, 5))]
    winners = [draw(st.sampled_from([0, 1, -1])) for _ in combinations(names, 2)]
    return names, [
        conclusion(a, b, difference=float(side), significant=side != 0)
        for (a, b), side in zip(combinations(names, 2), winners, strict=True)
    ]


class TestNetWins:
    @given(tournaments())
    def test_every_boundary_that_any_order_has_is_found(
        self, tournament: tuple[str, list[Conclusion]]
    ) -> None:
        names, found = tournament
        order, facing = by_net_wins(names, found)
        assert sorted(order) == sorted(names)
        wins = {one.beats for one in found} - {None}
        assert {one.beats for one in facing} - {None} == wins
        assert [(one.a, one.b) for one in facing] == list(combinations(order, 2))
        groups = ordered(order, facing).clusters
        lines = {frozenset(sum(groups[:at], ())) for at in range(1, len(groups))}
        everywhere = {
            frozenset(tops[:at])
            for tops in permutations(names)
            for at in range(1, len(names))
            if all((a, b) in wins for a in tops[:at] for b in tops[at:])
        }
        assert lines == everywhere

    @given(tournaments())
    def test_from_most_net_wins_to_least(self, tournament: tuple[str, list[Conclusion]]) -> None:
        names, found = tournament
        order, _ = by_net_wins(names, found)
        wins = [one.beats for one in found if one.beats is not None]
        net = [sum(a == x for a, _ in wins) - sum(b == x for _, b in wins) for x in order]
        assert net == sorted(net, reverse=True)
        for (x, own), (y, other) in combinations(zip(order, net, strict=True), 2):
            assert own > other or names.index(x) < names.index(y)

    def test_a_circle_has_no_first(self) -> None:
        circle = [
            conclusion("A", "B", significant=True),
            conclusion("B", "C", significant=True),
            conclusion("A", "C", difference=-1, scale="fluency", significant=True),
        ]
        order, facing = by_net_wins("ABC", circle)
        assert order == ["A", "B", "C"]
        found = ordered(order, facing)
        assert found.clusters == (("A", "B", "C"),)
        assert found.ranges == {"A": (2, 2), "B": (2, 2), "C": (2, 2)}

    def test_one_sided_conclusions_keep_both_directions(self) -> None:
        both = [
            conclusion("A", "B", alternative="better", difference=-1),
            conclusion("B", "A", alternative="better", significant=True),
        ]
        order, facing = by_net_wins("AB", both)
        assert order == ["B", "A"]
        assert [(one.a, one.b) for one in facing] == [("B", "A"), ("A", "B")]
