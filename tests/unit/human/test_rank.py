from __future__ import annotations

import random
import statistics
from dataclasses import replace

import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from unit.human.judgments import judgments, one
from weigh.errors import InputError, UsageError
from weigh.human.plan import COMBINED, PREFERENCE, PRESETS, RankPlan
from weigh.human.rank import rank
from weigh.human.rank_result import HumanRanking, RankResult, ranking_basis
from weigh.human.scores import HumanScore
from weigh.read.answers import Preferences
from weigh.types import Judgment, Kind, Preference


def result_of(given_ones: list[Judgment], plan: RankPlan | None = None) -> RankResult | None:
    try:
        return rank(given_ones, plan, quality="none")
    except InputError:
        return None


@given(judgments(least=8), st.sampled_from(["z", "raw"]))
def test_scores_against_plain_python(given_ones: list[Judgment], by: str) -> None:
    result = result_of(given_ones, RankPlan(by=by))  # type: ignore[arg-type]
    assume(result is not None)
    assert result is not None
    values = {}
    for each in given_ones:
        own = [other.value for other in given_ones if other.judge == each.judge]
        if by == "raw":
            values[each] = each.value
        elif len(set(own)) > 1:
            values[each] = (each.value - statistics.mean(own)) / statistics.stdev(own)
    scored = [each for each in values if each.kind in ("system", "repeat")]
    [ranking] = result.rankings
    assert {score.system for score in ranking.scores} == {each.system for each in scored}
    for score in ranking.scores:
        assert isinstance(score, HumanScore)
        own_ones = [each for each in scored if each.system == score.system]
        means = [
            statistics.mean(values[each] for each in own_ones if each.segment == segment)
            for segment in {each.segment for each in own_ones}
        ]
        assert score.score == pytest.approx(statistics.mean(means), abs=1e-9)
        assert (score.judgments, score.segments) == (len(own_ones), len(means))
        if len(means) > 1:
            half = scipy.stats.t.ppf(0.975, len(means) - 1) * scipy.stats.sem(means)
            assert score.interval == pytest.approx(
                (score.score - half, score.score + half), abs=1e-9
            )
        else:
            assert score.interval is None


@given(judgments(least=8), st.randoms(use_true_random=False))
def test_shuffled_rows_give_the_same_result(
    given_ones: list[Judgment], shuffler: random.Random
) -> None:
    shuffled = list(given_ones)
    shuffler.shuffle(shuffled)
    assert result_of(given_ones) == result_of(shuffled)


@given(judgments(least=8))
def test_other_names_give_the_same_numbers(given_ones: list[Judgment]) -> None:
    names = {"A": "z", "B": "y", "C": "x", "D": "w"}
    renamed = [replace(each, system=names[each.system]) for each in given_ones]
    first, second = result_of(given_ones), result_of(renamed)
    assert (first is None) == (second is None)
    if first is None or second is None:
        return
    scores = {names[one.system]: one.score for one in first.rankings[0].scores}
    assert scores == {one.system: one.score for one in second.rankings[0].scores}
    p_values = {
        frozenset((names[one.a], names[one.b])): one.p_adjusted
        for one in first.rankings[0].comparisons
    }
    assert p_values == pytest.approx(
        {frozenset((one.a, one.b)): one.p_adjusted for one in second.rankings[0].comparisons}
    )


def ranges(ranking: HumanRanking) -> dict[str, tuple[int, int]]:
    return {one.system: one.rank for one in ranking.scores}


def campaign(gaps: dict[str, float], scale: str = "adequacy") -> list[Judgment]:
    """Forty segments; a system's scores lie its gap below the best, with a fixed wave."""
    return [
        one(system, segment, 60 - gap + (7 * segment + 3 * at) % 13, scale=scale)
        for at, (system, gap) in enumerate(gaps.items())
        for segment in range(40)
    ]


def test_clear_differences_make_clusters() -> None:
    [ranking] = rank(campaign({"A": 0, "B": 0.1, "C": 20})).rankings
    assert ranking.clusters == (("A", "B"), ("C",))
    assert ranges(ranking) == {"A": (1, 2), "B": (1, 2), "C": (3, 3)}
    assert {one.test for one in ranking.comparisons} == {"signed-rank"}
    assert {(one.count_a, one.shared, one.left_out) for one in ranking.comparisons} == {(40, 40, 0)}


def test_fluency_decides_what_adequacy_leaves_open() -> None:
    answers = [
        *campaign({"A": 0, "B": 0.1, "C": 20}),
        *campaign({"A": 15, "B": 0, "C": 0.1}, "fluency"),
    ]
    adequacy, fluency, both = rank(answers).rankings
    assert (adequacy.scale, fluency.scale, both.scale) == ("adequacy", "fluency", COMBINED)
    found = {(one.a, one.b): (one.winner, one.decided_by) for one in both.comparisons}
    assert found == {
        ("B", "A"): ("B", "fluency"),
        ("B", "C"): ("B", "adequacy"),
        ("A", "C"): ("A", "adequacy"),
    }
    assert list(ranges(both).items()) == [("B", (1, 1)), ("A", (2, 2)), ("C", (3, 3))]
    assert both.clusters == (("B",), ("A",), ("C",))
    assert {one.system: one.score for one in both.scores} == {
        one.system: one.score for one in adequacy.scores
    }
    assert [one.system for one in both.scores] == ["B", "A", "C"]


@given(judgments(least=8), st.sampled_from([*PRESETS]))
def test_what_a_ranking_says_of_all_pairs(given_ones: list[Judgment], preset: str) -> None:
    result = result_of(given_ones, PRESETS[preset])
    assume(result is not None)
    assert result is not None
    for ranking in result.rankings:
        names = [score.system for score in ranking.scores]
        decided = {frozenset(pair) for pair in ranking.beaten}
        assert len(ranking.pairs) == len(names) * (len(names) - 1) // 2
        assert len(decided) + len(ranking.undecided) == len(ranking.pairs)
        for name in names:
            assert ranking.wins(name) == sum(winner == name for winner, _ in {*ranking.beaten})
            assert ranking.losses(name) == sum(loser == name for _, loser in {*ranking.beaten})
        others = [pair.for_others for pair in ranking.pairs if pair.for_others is not None]
        assert ranking.new_data.intervals == len(others)
        outside = [ends for ends in others if not ends.interval[0] <= 0 <= ends.interval[1]]
        assert ranking.new_data.excluding_zero == len(outside)
        for pair in ranking.comparisons:
            assert (pair.verdict(result.plan.alpha) in ("better", "worse")) == pair.significant
            assert pair.significant <= (pair.leader is not None)


def test_single_judgments_or_means_of_segments() -> None:
    answers = campaign({"A": 0, "B": 1})
    answers += [replace(each, judge="ben", value=each.value + 3) for each in answers]
    counts = {}
    for unit in ("segment", "judgment"):
        [ranking] = rank(answers, RankPlan(unit=unit)).rankings  # type: ignore[arg-type]
        counts[unit] = ranking.comparisons[0].count_a
    assert counts == {"segment": 40, "judgment": 80}


def test_language_pairs_are_ranked_apart() -> None:
    answers = campaign({"A": 0, "B": 1})
    answers += [replace(each, pair="cs-en") for each in answers]
    assert [ranking.pair for ranking in rank(answers).rankings] == ["cs-en", "de-en"]


def test_esa_is_ranked_by_raw_scores() -> None:
    assert rank(campaign({"A": 0, "B": 1}, "esa")).rankings[0].by == "raw"
    assert rank(campaign({"A": 0, "B": 1}, "esa"), RankPlan(by="z")).rankings[0].by == "z"


def test_what_is_dropped_is_counted() -> None:
    answers = [
        *campaign({"A": 0, "B": 1}),
        one("A", 1, 20, kind="bad"),
        one("A", 1, 5, "flat"),
        one("A", 2, 5, "flat"),
    ]
    result = rank(answers, quality="none")
    assert [(step.step, step.judgments, step.judges) for step in result.steps] == [
        ("to be ranked", 83, 2),
        ("scores that can be standardised", 81, 1),
        ("outputs and repeats, without controls", 80, 1),
    ]
    assert result.remarks[0].startswith("flat: 2 judgments, all the same")


def test_nothing_to_rank() -> None:
    with pytest.raises(InputError, match="no judgments of systems are left to rank by"):
        rank([one("A", 1, 5, kind="bad"), one("A", 2, 6, kind="bad")])
    said = "of 2 by 1 judge, 2 are of judges who gave one answer or always the same .*--by raw"
    with pytest.raises(InputError, match=said):
        rank([one("A", 1, 5), one("B", 1, 5)])


def test_preferences_have_no_quality_control() -> None:
    with pytest.raises(UsageError, match="crowd-alone is for scores, but these are preferences"):
        rank([Preference("A", "B", "1")], quality="crowd-alone")


def test_options_are_those_of_the_plan() -> None:
    answers = campaign({"A": 0, "B": 1})
    assert rank(answers, alpha=0.01).plan == RankPlan(alpha=0.01)
    assert rank(answers, RankPlan(unit="judgment"), by="raw").plan.unit == "judgment"
    with pytest.raises(TypeError, match="level_of"):
        rank(answers, level_of=0.9)


def test_quality_control_comes_first() -> None:
    answers = campaign({"A": 0, "B": 1})
    answers += [one("A", n, 10 + n % 3, kind="bad") for n in range(12)]
    answers += [one(name, n, 50 + n, "flat", kind) for name, kind in SHOWN for n in range(12)]
    result = rank(answers, quality="crowd-alone")
    assert [(each.judge, each.kept) for each in result.judges] == [("ann", True), ("flat", False)]
    assert [step.step for step in result.steps] == [
        "read",
        "judges without a rejected HIT",
        "judges who pass the test",
        "outputs and repeats, without controls",
    ]
    assert rank(answers, quality="none").steps[0].step == "to be ranked"


def test_the_default_control_is_crowd_alone_where_there_are_controls() -> None:
    answers = campaign({"A": 0, "B": 1})
    assert rank(answers).quality == "none"
    good = [one("A", n, 10 + n % 3, kind="bad") for n in range(12)]
    careless = [one(name, n, 50 + n, "ben", kind) for name, kind in SHOWN for n in range(12)]
    controlled = rank([*answers, *good, *careless])
    assert controlled.quality == "crowd-alone"
    assert ranking_basis(controlled) == "Ranking from 1 of 2 judges; quality control: crowd-alone"
    for preset in ("wmt21", "graham2014"):
        published = rank([*answers, *good, *careless], PRESETS[preset])
        assert ranking_basis(published) == "Ranking from 2 of 2 judges; quality control: none"
    nobody = rank([*answers, *careless])
    assert ranking_basis(nobody) == "Ranking from 2 of 2 judges; quality control: none"
    assert any("no judge passes quality control" in remark for remark in nobody.remarks)


def test_dropped_judges_of_choices_are_counted() -> None:
    # Two of twelve judges choose the genuine text of every control; 90 choices each.
    preferences = []
    controls = []
    for number in range(12):
        judge = f"j{number}"
        preferences += [Preference("A", "B", str(n), judge=judge) for n in range(90)]
        for n in range(20):
            right = number < 2 or n % 2 == 0
            for item, kind in ((2 * n + 1, "bad"), (2 * n + 2, "system")):
                value = float((kind == "bad") != right)
                controls.append(
                    one(
                        "A",
                        n,
                        value,
                        judge,
                        kind,
                        scale=PREFERENCE,
                        item=str(item),
                        of=str(2 * n + 2),
                    )
                )
    result = rank(Preferences(tuple(preferences), judgments=tuple(controls)))
    assert ranking_basis(result) == "Ranking from 2 of 12 judges; quality control: crowd-alone"
    assert [(step.judgments, step.judges) for step in result.steps] == [
        (1080, 12),
        (180, 2),
        (180, 2),
    ]


SHOWN: list[tuple[str, Kind]] = [("A", "system"), ("A", "bad")]


def test_a_ranking_is_of_the_systems_that_are_compared() -> None:
    result = rank(campaign({"A": 0, "B": 1}))
    with pytest.raises(InputError, match="scores and comparisons are not of the same systems"):
        replace(result, scores=result.scores[:1])
    with pytest.raises(InputError, match="no rankings"):
        replace(result, rankings=())
