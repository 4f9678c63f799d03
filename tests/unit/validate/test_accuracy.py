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
from weigh.comparing.compare import compare
from weigh.comparing.dataset import Dataset, from_texts
from weigh.comparing.plan import Plan
from weigh.errors import InputError, UsageError
from weigh.human.plan import QUALITIES
from weigh.human.rank import rank
from weigh.report.parts import Note
from weigh.report.view import view
from weigh.result import Extent
from weigh.stats.multiplicity import adjust
from weigh.types import Judgment, Preference
from weigh.validate.accuracy import (
    AccuracyResult,
    Difference,
    Gold,
    HumanConclusion,
    PairPValues,
    accuracy,
    contrasts_of,
    notable_pairs,
)
from weigh.validate.outcomes import ChiSquare, PairOfMethods
from weigh.validate.plan import AccuracyPlan


@cache
def measured() -> Dataset:
    systems, test_set = corpus()
    return from_texts(systems, test_set, [Bleu(), Chrf(), Ter()])


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
    wins = Counter((one.winner, one.loser) for one in given if not one.tied)
    found = Gold(given, AccuracyPlan()).verdicts(names, alpha)
    assert list(found) == list(combinations(names, 2))
    for (a, b), verdict in found.items():
        won, lost = wins[a, b], wins[b, a]
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
    found = accuracy(measured(), GOLD, plan)
    for alternative, key in (("better", "better"), ("worse", "worse")):
        other = compare(
            systems,
            test_set,
            [Bleu(), Chrf(), Ter()],
            plan=Plan(tests=plan.tests, alternative=alternative, trials=999, adjust="none"),
        )
        p = {(one.metric, one.test, one.a, one.b): one.p_value for one in other.comparisons}
        for one in found.p_values:
            assert getattr(one, key) == p[one.metric, one.test, one.a, one.b]
        assert len(found.p_values) == 3 * 3 * 6


def test_the_three_way_rule_counted_by_hand() -> None:
    """A is the best by every metric and D the worst; people like D better than A and C."""
    found = accuracy(measured(), GOLD, AccuracyPlan(alphas=(0.05,), trials=999))
    human = {"AB": 1, "AC": 1, "AD": -1, "BC": 0, "BD": 0, "CD": -1}
    for one in found.same_level:
        automatic = dict(zip(human, one.automatic, strict=True))
        assert automatic == {"AB": 1, "AC": 1, "AD": 1, "BC": automatic["BC"], "BD": 1, "CD": 1}
        assert list(one.human) == list(human.values())
        assert one.human_significant == 4
        assert one.wrong_direction == 2
        assert one.significant == 5 + abs(automatic["BC"])
        assert one.agree == 2 + (automatic["BC"] == 0)
        assert one.pairs == 6


def test_people_at_their_own_level_in_the_second_table() -> None:
    plan = AccuracyPlan(alphas=(0.05, 0.001), trials=999, human_alpha=0.05)
    found = accuracy(measured(), GOLD, plan)
    assert {(one.alpha, one.human_alpha) for one in found.same_level} == {
        (0.05, 0.05),
        (0.001, 0.001),
    }
    assert {one.human_alpha for one in found.fixed_level} == {0.05}
    strict = [one for one in found.same_level if one.alpha == 0.001]
    # 12 of 13 has p = 14/2^13 = .0017.
    assert all(one.human_significant == 0 for one in strict)


def test_a_system_that_one_side_does_not_know_is_named() -> None:
    systems, test_set = corpus()
    others = from_texts([*systems[:3], System("E", systems[3].outputs)], test_set, [Bleu()])
    found = accuracy(others, GOLD, AccuracyPlan(trials=999))
    assert (found.systems, found.not_judged, found.not_given) == (("A", "B", "C"), ("E",), ("D",))
    assert len(found.pairs) == 3


def test_systems_are_found_by_the_names_of_their_files() -> None:
    systems, test_set = corpus()
    files = [System(f"{system.name}.en", system.outputs) for system in systems]
    plan = AccuracyPlan(trials=999)
    found = accuracy(from_texts(files, test_set, [Bleu()]), GOLD, plan)
    expected = accuracy(from_texts(systems, test_set, [Bleu()]), GOLD, plan)
    assert found == expected


@pytest.mark.parametrize("method", ["none", "holm", "bh"])
@pytest.mark.parametrize("alternative", ["better", "two-sided"])
def test_conclusions_with_other_tests_and_corrections(alternative: str, method: str) -> None:
    """The tests conclude what `compare` does, and people what `rank` does."""
    plan = AccuracyPlan(
        tests=("randomization",),
        alphas=(0.05,),
        trials=999,
        alternative=alternative,
        adjust=method,
    )
    found = accuracy(measured(), GOLD, plan)
    compared = compare(
        measured(),
        plan=Plan(trials=999, alternative="two-sided", adjust=method, seed=plan.seed),
    )
    ranked = rank(GOLD, alternative=alternative, adjust=method)
    people = {frozenset((one.a, one.b)): one.winner for one in ranked.comparisons if one.winner}
    for row in found.same_level:
        for (a, b), automatic, human in zip(found.pairs, row.automatic, row.human, strict=True):
            winner = people.get(frozenset((a, b)))
            assert human == (0 if winner is None else 1 if winner == a else -1)
            if alternative == "two-sided":
                [one] = [
                    one
                    for one in compared.comparisons
                    if one.metric == row.metric and {one.a, one.b} == {a, b}
                ]
                ones = {each.system: each for each in compared.scores if each.metric == row.metric}
                gain = ones[a].score - ones[b].score
                ahead = np.sign(gain if ones[a].higher_is_better else -gain)
                assert automatic == (ahead if one.significant else 0)
    ones = {(one.metric, one.a, one.b): one for one in found.p_values}
    if alternative == "better":
        for row in found.same_level:
            both = [
                p
                for a, b in found.pairs
                for p in (ones[row.metric, a, b].better, ones[row.metric, a, b].worse)
            ]
            rejected = adjust(both, method) <= 0.05
            assert list(row.automatic) == [
                int(better) - int(worse) for better, worse in rejected.reshape(-1, 2)
            ]
    assert (found.p_values[0].two_sided is None) == (alternative == "better")


def test_too_few_trials_for_a_correction_are_told() -> None:
    plan = AccuracyPlan(tests=("randomization",), alphas=(0.01,), trials=999, adjust="holm")
    remarks = accuracy(measured(), GOLD, plan).remarks
    assert (
        "holm: with 12 tests and 999 trials no pair can be significant at 0.01; use at least"
        in (" ".join(remarks))
    )


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
    assert [*Gold(adequacy, AccuracyPlan()).verdicts("ABC", 0.01).values()] == [1, 1, 0]
    assert [*Gold(adequacy + fluency, AccuracyPlan()).verdicts("ABC", 0.01).values()] == [1, 1, -1]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"tests": ("bootstrp",)}, "did you mean 'bootstrap'"),
        ({"tests": ()}, "test: no value"),
        ({"alphas": (0.05, 0.05)}, "alpha 0.05 is given twice"),
        ({"alphas": (1.5,)}, "alpha 1.5: give a number between 0 and 1"),
        ({"unit": "segmnt"}, "did you mean 'segment'"),
        ({"quality": "crowd"}, "quality 'crowd' is unknown"),
        ({"alphas": (0.001,), "trials": 500}, "use at least 999 trials"),
        ({"human_alpha": 0.0}, "human-alpha 0: give a number between 0 and 1"),
    ],
)
def test_bad_choices(choice: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        AccuracyPlan(**choice)


def test_nobody_in_common() -> None:
    with pytest.raises(InputError, match=r"judged P, Q, .* given are A, B, C, D"):
        accuracy(measured(), likes(PQ=3))


def test_two_language_pairs() -> None:
    given = [
        Judgment("ann", "h", pair, "system", name, str(n), float(50 + n))
        for pair in ("cs-en", "de-en")
        for name in "AB"
        for n in range(5)
    ]
    with pytest.raises(InputError, match=r"2 language pairs \(cs-en, de-en\), but one is needed"):
        accuracy(measured(), given)


def test_quality_control_is_for_judgments() -> None:
    with pytest.raises(UsageError, match="appraise is for scores, but these are preferences"):
        Gold(GOLD, AccuracyPlan(quality="appraise"))


DROPPED = {"none": 0, "appraise": 120, "crowd-alone": 0}


@pytest.mark.parametrize("control", QUALITIES)
def test_judges_that_a_control_drops_are_remarked_on(control: str) -> None:
    """Ann takes bad references for as good as outputs, bob does not."""
    made = [
        Judgment(judge, "h", "de-en", kind, name, str(n), value)  # type: ignore[arg-type]
        for judge in ("ann", "bob")
        for name, more in (("A", 9), ("B", 0))
        for n in range(30)
        for kind, value in (
            ("system", 60.0 + more + n % 7),
            ("bad", 60.0 + more + n % 5 if judge == "ann" else 10.0 + n % 3),
        )
    ]
    found = accuracy(measured(), made, AccuracyPlan(trials=999, quality=control))
    said = [one for one in found.remarks if "dropped" in one]
    told = f"{DROPPED[control]} of 240 judgments dropped by {control}"
    assert said == ([] if control == "none" else [told])
    assert found.steps[0].judgments == 240 - DROPPED[control]


def study_with(
    only_test: int, only_people: int, both: int, neither: int, rows: int = 1
) -> AccuracyResult:
    """A study in which tests and people find so many pairs."""
    found = np.repeat([[1, 0], [0, 1], [1, 1], [0, 0]], [only_test, only_people, both, neither], 0)
    systems = [f"s{n}" for n in range(20)]
    pairs = list(combinations(systems, 2))
    assert len(found) <= len(pairs)
    padded = np.vstack([found, np.zeros((len(pairs) - len(found), 2), dtype=int)])
    result = AccuracyResult(
        Extent(100, 1),
        tuple(systems),
        (),
        (),
        AccuracyPlan(alphas=(0.05,)),
        {},
        tuple(
            HumanConclusion(a, b, 0.05, int(one))  # type: ignore[arg-type]
            for (a, b), one in zip(pairs, padded[:, 1], strict=True)
        ),
        tuple(
            PairPValues(f"m{i}", "bootstrap", a, b, 0.001 if one else 0.5, 0.999 if one else 0.5)
            for i in range(rows)
            for (a, b), one in zip(pairs, padded[:, 0], strict=True)
        ),
    )
    assert (result.same_level[0].found_alone, result.same_level[0].found_by_people_alone) == (
        only_test,
        only_people,
    )
    return result


def cautions_in(result: AccuracyResult) -> str:
    cautions = [part for part in view(result).parts if isinstance(part, Note) and part.caution]
    return " ".join(text for part in cautions for text in part.lines)


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
    result = study_with(only_test, only_people, both, neither)
    said, stronger = cautions_in(result), result.stronger_test
    assert ("less power" in said) == (stronger is not None) == weaker
    if stronger is not None:
        p_value = binomtest(only_test, only_test + only_people).pvalue
        assert p_value == pytest.approx(1e-4, rel=0.3)
        assert stronger.p_adjusted == pytest.approx(p_value)
        assert "p = .0001" in said


def test_many_tests_need_more_evidence_that_people_are_weaker() -> None:
    """8 against 1 has p = .039: enough of one test, not of ten."""
    assert study_with(8, 1, 30, 10).stronger_test is not None
    assert study_with(8, 1, 30, 10, rows=10).stronger_test is None
    twice = study_with(20, 2, 42, 2, rows=2).stronger_test
    assert twice is not None
    assert (twice.family, twice.p_adjusted) == (2, pytest.approx(2 * binomtest(20, 22).pvalue))


def test_notable_pairs_are_adjusted_together() -> None:
    """By Holm's method the smallest of three p-values counts three times, the next one twice."""
    equal = ChiSquare(0.0, 1, 1.0)
    pairs = tuple(
        PairOfMethods("m1", "m2", only_a, 0, 1.0, p_value)
        for only_a, p_value in ((12, 0.001), (6, 0.02), (1, 1.0))
    )
    difference = Difference("metrics", "bootstrap", 0.05, 0.05, equal, equal, pairs)
    contrasts = contrasts_of([difference, replace(difference, by="randomization")])
    assert [contrast.by for contrast in contrasts] == [("bootstrap", "randomization")]
    notable = notable_pairs(contrasts)
    assert notable.family == 3
    assert [(row.pair.only_a, row.p_adjusted) for row in notable.pairs] == [
        (12, pytest.approx(0.003)),
        (6, pytest.approx(0.04)),
    ]


def test_tests_that_agree_most_and_least() -> None:
    result = study_with(3, 1, 5, 7, rows=2)
    most, least, opposite = result.agreement_range(0.05)
    assert [group.agreement.metric for group in most] == ["m0", "m1"]
    assert (most[0].agreement.agree, least, opposite) == (190 - 4, (), 0)


def test_tables_need_every_pair() -> None:
    found = accuracy(measured(), GOLD, AccuracyPlan(trials=999))
    with pytest.raises(InputError, match=r"human_conclusions at 0\.05 lack pairs; give a file"):
        replace(found, human_conclusions=found.human_conclusions[1:])
    with pytest.raises(InputError, match="p_values by bleu and randomization lack pairs"):
        replace(found, p_values=found.p_values[1:])
    with pytest.raises(InputError, match="no two systems"):
        replace(found, systems=found.systems[:1])
