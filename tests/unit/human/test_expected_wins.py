from __future__ import annotations

import random
from dataclasses import astuple
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.human.conclusions import PreferenceTally
from weigh.human.plan import RankPlan
from weigh.human.rank import rank
from weigh.types import Preference


@st.composite
def preferences(draw: st.DrawFn) -> list[Preference]:
    pairs = st.sampled_from(list(permutations("ABCD", 2)))
    drawn = draw(st.lists(st.tuples(pairs, st.booleans(), st.integers(1, 9)), min_size=1))
    return [Preference(a, b, f"{segment}", tied) for (a, b), tied, segment in drawn]


@given(preferences())
def test_expected_wins_against_their_definition(given_ones: list[Preference]) -> None:
    decided = [(each.winner, each.loser) for each in given_ones if not each.tied]
    names = {name for each in given_ones for name in (each.winner, each.loser)}
    scores = PreferenceTally(given_ones).scores()
    assert {one.system for one in scores} == names
    for one in scores:
        shares = [
            decided.count((one.system, other))
            / (decided.count((one.system, other)) + decided.count((other, one.system)))
            for other in names - {one.system}
            if (one.system, other) in decided or (other, one.system) in decided
        ]
        assert one.score == pytest.approx(sum(shares) / len(shares) if shares else 0.5)
        assert one.wins == sum(winner == one.system for winner, _ in decided)
        assert one.losses == sum(loser == one.system for _, loser in decided)
        assert one.ties == sum(
            each.tied and one.system in (each.winner, each.loser) for each in given_ones
        )
    assert [one.score for one in scores] == sorted((one.score for one in scores), reverse=True)


@given(preferences(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(
    given_ones: list[Preference], shuffler: random.Random
) -> None:
    shuffled = list(given_ones)
    shuffler.shuffle(shuffled)
    assert rank(given_ones) == rank(shuffled)


def test_a_ranking_by_preferences() -> None:
    given_ones = [Preference("A", "B", f"{n}") for n in range(8)]
    given_ones += [Preference("B", "A", "9"), Preference("A", "B", "8", tied=True)]
    result = rank(given_ones, RankPlan(alternative="better", adjust="none"))
    [ranking] = result.rankings
    assert [astuple(one) for one in ranking.scores] == [
        ("", "preference", "A", "expected wins", 8 / 9, 8, 1, 1, (1, 1), 1),
        ("", "preference", "B", "expected wins", 1 / 9, 1, 8, 1, (2, 2), 2),
    ]
    first, second = ranking.comparisons
    assert first.p_value == pytest.approx(10 / 512)  # 9 of 9 or 8 of 9
    assert second.p_value == pytest.approx(511 / 512)
    assert ranking.clusters == (("A",), ("B",))
    assert [(step.judgments, step.judges) for step in result.steps] == [(10, 0), (9, 0)]
