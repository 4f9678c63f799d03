from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from unit.comparing.systems import corpus
from weigh import Bleu, Chrf, System, Ter
from weigh.comparing.measure import Measured, measure_texts
from weigh.comparing.plan import Plan
from weigh.comparing.compare import compare
from weigh.errors import InputError, UsageError
from weigh.report.validation_accuracy import AccuracyReport, cautions
from weigh.types import Judgment, Preference
from weigh.validate.accuracy import AccuracyPlan, AccuracyTable, Agreement, accuracy
from weigh.validate.gold import Gold


@cache
def measured() -> Measured:
    systems, test_set = corpus()
    return measure_texts(systems, test_set, [Bleu(), Chrf(), Ter()])


preferences = st.lists(
    st.tuples(st.sampled_from("ABCD"), st.sampled_from("ABCD"), st.booleans()).filter(
        lambda pair: pair[0] != pair[1]
    ),
    min_size=1,
    max_size=80,
).map(lambda found: [Preference(a, b, "1", tied) for a, b, tied in found])


@given(preferences, st.sampled_from([0.2, 0.05, 0.01]))
def test_verdicts_of_preferences_against_binomtest(given: list[Preference], alpha: float) -> None:
    names = sorted({one.winner for one in given} | {one.loser for one in given})
    pairs = list(combinations(range(len(names)), 2))
    wins = Counter((one.winner, one.loser) for one in given if not one.tied)
    found = Gold(given).verdicts(names, pairs, alpha)
    for verdict, (a, b) in zip(found, pairs, strict=True):
        won, lost = wins[names[a], names[b]], wins[names[b], names[a]]
        expected = 0
        if won + lost:
            sure = [
                binomtest(k, won + lost, alternative="greater").pvalue <= alpha for k in (won, lost)
            ]
            expected = int(sure[0]) - int(sure[1])
        # A conclusion that the scores of both systems contradict is none.
        assert verdict in (expected, 0)
        if len(names) == 2:
            assert verdict == expected


def likes(**wins: int) -> list[Preference]:
    """`AB=9` is nine preferences of A over B."""
    return [Preference(a, b, "1") for (a, b), count in wins.items() for _ in range(count)]


GOLD = likes(AB=9, BA=1, AC=9, CA=1, BC=5, CB=5, AD=1, DA=12, BD=5, DB=5, CD=2, DC=9)


def test_conclusions_are_those_of_compare() -> None:
    plan = AccuracyPlan(alphas=(0.05, 0.01), trials=999)
    systems, test_set = corpus()
    found = accuracy(measured(), Gold(GOLD), plan)
    for alternative, key in (("better", "better"), ("worse", "worse")):
        other = compare(
            systems,
            test_set,
            [Bleu(), Chrf(), Ter()],
            plan=Plan(tests=plan.tests, alternative=alternative, trials=999, adjust="none"),
        )
        p = {(one.metric, one.test, one.a, one.b): one.p_value for one in other.comparisons}
        for one in found.p_values:
            for at, (a, b) in enumerate(found.pairs):
                names = found.names[a], found.names[b]
                assert getattr(one, key)[at] == p[one.metric, one.test, *names]


def test_the_three_way_rule_counted_by_hand() -> None:
    """A is the best by every metric and D the worst; people like D better than A and C."""
    found = accuracy(measured(), Gold(GOLD), AccuracyPlan(alphas=(0.05,), trials=999))
    human = {"AB": 1, "AC": 1, "AD": -1, "BC": 0, "BD": 0, "CD": -1}
    for one in found.same_level.agreements:
        automatic = dict(zip(human, one.automatic.tolist(), strict=True))
        assert automatic == {"AB": 1, "AC": 1, "AD": 1, "BC": automatic["BC"], "BD": 1, "CD": 1}
        assert one.human.tolist() == list(human.values())
        assert one.found_by_people == 4
        assert one.wrong_direction == 2
        assert one.found == 5 + abs(automatic["BC"])
        assert one.accuracy.count == 2 + (automatic["BC"] == 0)
        assert one.accuracy.total == 6


def test_people_at_their_own_level_in_the_second_table() -> None:
    plan = AccuracyPlan(alphas=(0.05, 0.001), trials=999, human_alpha=0.05)
    found = accuracy(measured(), Gold(GOLD), plan)
    assert {(one.alpha, one.human_alpha) for one in found.same_level.agreements} == {
        (0.05, 0.05),
        (0.001, 0.001),
    }
    assert {one.human_alpha for one in found.fixed_level.agreements} == {0.05}
    strict = [one for one in found.same_level.agreements if one.alpha == 0.001]
    # 12 of 13 has p = 14/2^13 = .0017.
    assert all(one.found_by_people == 0 for one in strict)


def test_a_system_that_one_side_does_not_know_is_named() -> None:
    systems, test_set = corpus()
    others = measure_texts([*systems[:3], System("E", systems[3].outputs)], test_set, [Bleu()])
    found = accuracy(others, Gold(GOLD), AccuracyPlan(trials=999))
    assert (found.names, found.unjudged, found.missing) == (("A", "B", "C"), ("E",), ("D",))
    assert len(found.pairs) == 3


def test_judgments_with_fluency_where_adequacy_is_undecided() -> None:
    rng = np.random.default_rng(1)

    def judgments(scale: str, **means: float) -> list[Judgment]:
        return [
            Judgment("ann", "h", "de-en", "system", name, str(n), float(value), scale)
            for name, mean in means.items()
            for n, value in enumerate(rng.normal(mean, 5, 60).clip(0, 100))
        ]

    adequacy = judgments("adequacy", A=70, B=50, C=50)
    fluency = judgments("fluency", A=40, B=40, C=70)
    names, pairs = "ABC", [(0, 1), (0, 2), (1, 2)]
    assert Gold(adequacy).verdicts(names, pairs, 0.01).tolist() == [1, 1, 0]
    assert Gold(adequacy + fluency).verdicts(names, pairs, 0.01).tolist() == [1, 1, -1]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"tests": ("bootstrp",)}, "did you mean 'bootstrap'"),
        ({"tests": ()}, "no test"),
        ({"alphas": (0.05, 0.05)}, "given twice"),
        ({"alphas": (1.5,)}, "alpha 1.5; give a number between 0 and 1"),
        ({"alphas": (0.001,), "trials": 500}, "use at least 999 trials"),
        ({"human_alpha": 0.0}, "human alpha 0"),
    ],
)
def test_bad_choices(choice: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        AccuracyPlan(**choice)


def test_nobody_in_common() -> None:
    with pytest.raises(InputError, match=r"people judged \(P, Q\), 0 are given \(A, B, C, D\)"):
        accuracy(measured(), Gold(likes(PQ=3)))


def test_two_language_pairs() -> None:
    given = [
        Judgment("ann", "h", pair, "system", name, str(n), float(50 + n))
        for pair in ("cs-en", "de-en")
        for name in "AB"
        for n in range(5)
    ]
    with pytest.raises(InputError, match=r"2 language pairs \(cs-en, de-en\); choose one"):
        accuracy(measured(), Gold(given))


def cautioned(only_test: int, only_people: int, both: int, neither: int, rows: int = 1) -> str:
    """What is said of a study in which tests and people find so many pairs."""
    automatic = np.repeat([1, 0, 1, 0], [only_test, only_people, both, neither]).astype(np.int8)
    human = np.repeat([0, 1, 1, 0], [only_test, only_people, both, neither]).astype(np.int8)
    agreements = tuple(
        Agreement(f"m{i}", "bootstrap", 0.05, 0.05, automatic, human) for i in range(rows)
    )
    found = accuracy(measured(), Gold(GOLD), AccuracyPlan(alphas=(0.05,), trials=99))
    result = replace(found, same_level=AccuracyTable(agreements, ()))
    return " ".join(cautions(AccuracyReport(result)))


@pytest.mark.parametrize(
    ("only_test", "only_people", "both", "neither", "weaker"),
    [
        (20, 2, 42, 2, True),  # 62 against 44 of 66
        (6, 4, 61, 20, False),  # 67 against 65
        (2, 0, 65, 0, False),
        (2, 20, 42, 2, False),  # people find more
        (0, 0, 30, 36, False),
    ],
)
def test_people_are_called_weaker_where_the_pairs_show_it(
    only_test: int, only_people: int, both: int, neither: int, weaker: bool
) -> None:
    said = cautioned(only_test, only_people, both, neither)
    assert ("people's tests are the weaker ones" in said) == weaker
    if weaker:
        p = binomtest(only_test, only_test + only_people).pvalue
        assert f"{only_test} that people do not find against {only_people}" in said
        assert f"people find {only_people + both} of" in said
        assert p < 0.0005
        assert "p = .0001" in said


def test_many_tests_need_more_evidence_that_people_are_weaker() -> None:
    """8 against 1 has p = .039: enough of one test, not of ten."""
    assert "weaker" in cautioned(8, 1, 30, 10)
    assert "weaker" not in cautioned(8, 1, 30, 10, rows=10)
