"""Rankings by strength: planted truths, edges, and that the order of rows tells nothing."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from shared_data import SHARED
from weigh.errors import UsageError
from weigh.human.arena import ELO, Strength
from weigh.human.plan import RankPlan
from weigh.human.rank import rank
from weigh.human.rank_result import RankResult
from weigh.read.judgments import read_answers
from weigh.stats.multiplicity import adjust
from weigh.types import Preference

WMT13 = SHARED / "data" / "wmt13"
TRUTH = {"atlas": 0.9, "birch": 0.4, "cedar": -0.2, "dune": -1.1}


def answers(
    seed: int = 1, count: int = 800, judges: int = 10, segments: int = 40, first: float = 0.4
) -> list[Preference]:
    """Answers of judges who tie now and then, and like what they see first."""
    draws = np.random.default_rng(seed)
    made = []
    for at in range(count):
        a, b = draws.choice([*TRUTH], 2, replace=False).tolist()
        d = TRUTH[a] - TRUTH[b] + first
        weights = np.exp([d / 2, math.log(0.6), -d / 2])
        outcome = draws.choice(3, p=weights / weights.sum())
        winner, loser = (a, b) if outcome < 2 else (b, a)
        segment = f"q{draws.integers(segments)}"
        made.append(Preference(winner, loser, segment, outcome == 1, f"u{at % judges}", a))
    return made


def strengths(result: RankResult) -> dict[str, Strength]:
    [ranking] = result.rankings
    assert all(isinstance(score, Strength) for score in ranking.scores)
    return {score.system: score for score in ranking.scores}


def test_a_planted_truth_is_found() -> None:
    result = rank(answers(count=4000, judges=40))
    [ranking] = result.rankings
    assert [score.system for score in ranking.scores] == [*TRUTH]
    for name, score in strengths(result).items():
        assert score.score == pytest.approx(TRUTH[name], abs=0.2)
        low, high = score.interval
        assert low < TRUTH[name] < high
        assert score.elo == 1000 + ELO * score.score
    arena = ranking.arena
    assert arena.tie == pytest.approx(0.6, abs=0.1)
    assert arena.position.effect == pytest.approx(0.4, abs=0.15)
    low, high = arena.position.interval
    assert low < 0.4 < high
    assert arena.position.first_wins == pytest.approx(1 / (1 + math.exp(-0.4)), abs=0.04)
    assert arena.position.p_value < 0.001
    assert (arena.judges, arena.segments) == (40, 40)
    assert arena.holds_for == "judges and segments"
    assert result.remarks == ()


def test_counts_are_those_of_the_answers() -> None:
    given = answers(count=300)
    for name, score in strengths(rank(given)).items():
        decided = [each for each in given if not each.tied]
        assert score.wins == sum(each.winner == name for each in decided)
        assert score.losses == sum(each.loser == name for each in decided)
        assert score.ties == sum(each.tied and name in (each.winner, each.loser) for each in given)
        played = score.wins + score.losses + score.ties
        assert score.win_rate == (score.wins + score.ties / 2) / played
    [ranking] = rank(given).rankings
    assert len(ranking.arena.duels) == 6
    for duel, pair in zip(ranking.arena.duels, ranking.comparisons, strict=True):
        assert (duel.a, duel.b) == (pair.a, pair.b)
        assert (duel.wins_a, duel.wins_b) == (pair.count_a, pair.count_b)
        low, high = duel.interval
        assert low < pair.difference < high
        # The interval leaves out 0 just where the test rejects, before any adjustment.
        assert (low > 0 or high < 0) == (pair.p_value < 0.05)


def test_ranks_are_of_pairs_after_holm_and_not_of_intervals() -> None:
    [ranking] = rank(answers(count=400)).rankings
    p_values = [pair.p_value for pair in ranking.comparisons]
    adjusted = adjust(p_values, "holm")
    assert [pair.p_adjusted for pair in ranking.comparisons] == pytest.approx(adjusted.tolist())
    beats = {
        (pair.a, pair.b) for pair, p in zip(ranking.comparisons, adjusted, strict=True) if p <= 0.05
    }
    assert beats
    for score in ranking.scores:
        low = 1 + sum(loser == score.system for _, loser in beats)
        high = len(TRUTH) - sum(winner == score.system for winner, _ in beats)
        assert score.rank == (low, high)
    shown = [line.split()[:2] for line in rank(answers(count=400)).to_text().splitlines()]
    for score in ranking.scores:
        low, high = score.rank
        assert [f"{low}" if low == high else f"{low}–{high}", score.system] in shown


def test_the_order_of_rows_tells_nothing() -> None:
    given = answers(count=300)
    shuffled = given.copy()
    random.Random(3).shuffle(shuffled)
    assert rank(shuffled).to_json() == rank(given).to_json()
    unnamed = [Preference(e.winner, e.loser, "", e.tied, None, e.first) for e in given]
    again = unnamed.copy()
    random.Random(4).shuffle(again)
    assert rank(again).to_json() == rank(unnamed).to_json()


def test_which_system_is_called_the_winner_of_a_tie_tells_nothing() -> None:
    given = [Preference(e.winner, e.loser, e.segment, e.tied, e.judge) for e in answers(count=200)]
    turned = [
        Preference(e.loser, e.winner, e.segment, True, e.judge) if e.tied else e for e in given
    ]
    plan = RankPlan(model="bradley-terry")
    assert rank(turned, plan).to_json() == rank(given, plan).to_json()


def test_strengths_where_the_order_is_known_and_expected_wins_where_it_is_not() -> None:
    given = answers(count=100)
    unordered = [Preference(e.winner, e.loser, e.segment, e.tied, e.judge) for e in given]
    assert rank(given).rankings[0].by == "bradley-terry"
    assert rank(unordered).rankings[0].by == "expected wins"
    assert rank(given, model="expected-wins").rankings[0].by == "expected wins"
    by_strength = rank(unordered, model="bradley-terry").rankings[0]
    assert by_strength.by == "bradley-terry"
    assert by_strength.arena.position is None


def test_one_sided_tests_go_both_ways() -> None:
    two, one = (rank(answers(), alternative=side) for side in ("two-sided", "better"))
    tested = {(pair.a, pair.b): pair.p_value for pair in one.comparisons}
    assert len(tested) == 12
    for pair in two.comparisons:
        assert tested[pair.a, pair.b] == pytest.approx(pair.p_value / 2)
        assert tested[pair.b, pair.a] == pytest.approx(1 - pair.p_value / 2)


def test_a_system_that_always_wins() -> None:
    given = answers(count=200)
    given += [
        Preference("zenith", e.winner, e.segment, False, e.judge, e.first) for e in given[:40]
    ]
    given = [
        Preference(e.winner, e.loser, e.segment, e.tied, e.judge, e.winner if at % 2 else e.loser)
        for at, e in enumerate(given)
    ]
    result = rank(given)
    found = strengths(result)
    assert next(iter(found)) == "zenith"
    assert found["zenith"].unbounded == "above"
    assert found["zenith"].interval is None
    assert math.isfinite(found["zenith"].score)
    assert all(not score.unbounded for name, score in found.items() if name != "zenith")
    assert result.rankings[0].arena.phantom
    [remark] = [each for each in result.remarks if each.startswith("unbounded")]
    assert "zenith" in remark
    assert "unbounded" in remark
    assert "unbounded ↑" in result.to_text()
    for duel in result.rankings[0].arena.duels:
        assert (duel.interval is None) == ("zenith" in (duel.a, duel.b))
    # 40 wins in 40 are evidence enough.
    assert found["zenith"].rank == (1, 1)


def test_one_win_is_no_evidence() -> None:
    result = rank([Preference("A", "B", "1", False, "u", "A")])
    assert [score.rank for score in result.scores] == [(1, 2), (1, 2)]
    assert [pair.p_value for pair in result.comparisons] == [1.0]
    assert any("one segment" in remark for remark in result.remarks)


def test_nothing_but_ties() -> None:
    given = [Preference("A", "B", f"{n}", True, f"u{n % 4}", "A") for n in range(20)]
    result = rank(given)
    assert [(score.score, score.interval) for score in result.scores] == [(0, None)] * 2
    assert [pair.p_value for pair in result.comparisons] == [1.0]
    assert any("all answers are ties" in remark for remark in result.remarks)


@pytest.mark.parametrize(
    ("judges", "holds_for", "said"),
    [
        (lambda _: None, "segments", "no judges are named"),
        (lambda at: f"u{at % 2}", "segments", "only 2 judges"),
        (lambda _: "u", "segments", "only 1 judge"),
        (lambda at: f"u{at % 3}", "judges and segments", None),
        (lambda at: f"u{at % 5}" if at % 4 else None, "judges and segments", "without a judge"),
    ],
)
def test_whom_intervals_are_for(judges, holds_for, said) -> None:
    given = [
        Preference(each.winner, each.loser, each.segment, each.tied, judges(at), each.first)
        for at, each in enumerate(answers(count=200))
    ]
    result = rank(given)
    assert result.rankings[0].arena.holds_for == holds_for
    assert [said in remark for remark in result.remarks] == [True] * (said is not None)
    of = "judges and segments together" if holds_for.startswith("judges") else holds_for
    assert f"from the variance of {of}." in result.view().methods


def test_no_judges_and_no_segments() -> None:
    given = [Preference(e.winner, e.loser, "", e.tied, None, e.first) for e in answers(count=200)]
    result = rank(given)
    assert result.rankings[0].arena.holds_for == "answers"
    assert result.rankings[0].arena.segments == 200
    assert result.test_set.segments == 200


@pytest.mark.parametrize(
    "option", [{"test": "signed-rank"}, {"test": "randomization"}, {"by": "raw"}, {"slices": ["x"]}]
)
def test_options_that_are_for_scores_are_refused(option) -> None:
    with pytest.raises(UsageError, match="for scores, but these are preferences"):
        rank(answers(count=20), **option)


@pytest.mark.skipif(not WMT13.exists(), reason="../shared, with data of the WMT, is not here")
def test_the_wmts_preferences_of_2013() -> None:
    read = read_answers([str(WMT13 / "es-en" / "human-pairwise-rnk.tsv.gz")])
    wins = rank(read)
    assert wins.rankings[0].by == "expected wins"
    by_strength = rank(read, model="bradley-terry")
    orders = [[score.system for score in each.scores] for each in (wins, by_strength)]
    places = [np.array([order.index(name) for name in orders[0]]) for order in orders]
    # Expected wins depend on whom a system met; the orders are nearly the same.
    assert np.corrcoef(*places)[0, 1] > 0.97
    assert orders[0][0] == orders[1][0]
