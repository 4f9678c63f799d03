"""What is equal in exact arithmetic ties, whatever floats make of it."""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from unit.human.judgments import one
from weigh.human.agreement import of_judgments
from weigh.human.conduct import conduct_of
from weigh.human.contests import Gold, MetricFindings, evaluate
from weigh.human.plan import AgreementPlan, RankPlan
from weigh.human.quality import quality
from weigh.human.rank import rank
from weigh.stats.agreement import krippendorff_alpha
from weigh.stats.ranking import signed_rank
from weigh.types import Judgment, Preference

DIGITS = 60
SAME = Decimal(10) ** -40


@st.composite
def campaigns(draw: st.DrawFn) -> list[Judgment]:
    """Judges who score outputs once or several times, on a coarse scale so that means tie often.

    The scores of the second judge may be those of the first, stretched: standard scores of both
    then tie too.
    """
    step = draw(st.sampled_from([0.1, 1.0, 10.0]))
    count = draw(st.integers(4, 30))
    items = st.tuples(st.sampled_from("AB"), st.integers(1, 4), st.integers(0, 10))
    first = draw(st.lists(items, min_size=count, max_size=count))
    second = draw(st.one_of(st.lists(items, min_size=2, max_size=20), st.just(first)))
    return [
        one(system, segment, round(stretch * step * value, 1), judge, hit=f"{at}")
        for judge, stretch, given_ones in (("ann", 1, first), ("ben", 3, second))
        for at, (system, segment, value) in enumerate(given_ones)
    ]


def exact_z(judgments: Sequence[Judgment]) -> list[Decimal]:
    """Return standard scores with sixty digits, from scores as they are written."""
    with decimal.localcontext(prec=DIGITS):
        moments = {}
        for judge in {each.judge for each in judgments}:
            values = [Decimal(repr(each.value)) for each in judgments if each.judge == judge]
            mean = sum(values) / len(values)
            squares = sum((value - mean) ** 2 for value in values)
            moments[judge] = mean, (squares / (len(values) - 1)).sqrt()
        return [
            (Decimal(repr(each.value)) - moments[each.judge][0]) / moments[each.judge][1]
            for each in judgments
        ]


def places(values: Sequence[Decimal]) -> list[int]:
    """Return values as whole numbers that have their order and their ties."""
    order = sorted(values)
    steps = [0, *(int(b - a > SAME) for a, b in pairwise(order))]
    numbers = dict(zip(order, np.cumsum(steps).tolist(), strict=True))
    return [numbers[value] for value in values]


@settings(max_examples=60)
@given(campaigns(), st.sampled_from(["z", "raw"]), st.sampled_from(["segment", "judgment"]))
def test_rank_sum_against_scipy_on_exact_ties(
    judgments: list[Judgment], by: str, unit: str
) -> None:
    for judge in ("ann", "ben"):
        assume(len({each.value for each in judgments if each.judge == judge}) > 1)
    exact = exact_z(judgments) if by == "z" else [Decimal(repr(e.value)) for e in judgments]
    outputs: dict[tuple[str, str], list[Decimal]] = {}
    for each, value in zip(judgments, exact, strict=True):
        outputs.setdefault((each.system, each.segment), []).append(value)
    with decimal.localcontext(prec=DIGITS):
        means = {output: sum(values) / len(values) for output, values in outputs.items()}
    pool = [
        (output[0], value)
        for output, values in outputs.items()
        for value in ([means[output]] if unit == "segment" else values)
    ]
    numbers = places([value for _, value in pool])
    samples = [
        [n for n, (system, _) in zip(numbers, pool, strict=True) if system == name] for name in "AB"
    ]
    assume(all(samples) and len(set(numbers)) > 1)
    expected = mannwhitneyu(*samples, method="asymptotic")
    plan = RankPlan(by=by, unit=unit, test="rank-sum")  # type: ignore[arg-type]
    [found] = rank(judgments, plan).rankings[0].comparisons
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)
    u = float(expected.statistic) - len(samples[0]) * len(samples[1]) / 2
    assert found.ahead * (1 if found.a == "A" else -1) == (u > 0) - (u < 0)
    with decimal.localcontext(prec=DIGITS):
        by_system = {
            name: [mean for (system, _), mean in means.items() if system == name] for name in "AB"
        }
        scores = [sum(by_system[name]) / len(by_system[name]) for name in "AB"]
        gap = scores[0] - scores[1]
    assert (found.difference == 0) == (abs(gap) <= SAME)


@pytest.mark.filterwarnings("ignore:Sample size too small for normal:UserWarning")
@settings(max_examples=60)
@given(campaigns(), st.sampled_from(["z", "raw"]))
def test_signed_ranks_against_scipy_on_exact_ties(judgments: list[Judgment], by: str) -> None:
    for judge in ("ann", "ben"):
        assume(len({each.value for each in judgments if each.judge == judge}) > 1)
    exact = exact_z(judgments) if by == "z" else [Decimal(repr(e.value)) for e in judgments]
    outputs: dict[tuple[str, str], list[Decimal]] = {}
    for each, value in zip(judgments, exact, strict=True):
        outputs.setdefault((each.segment, each.system), []).append(value)
    with decimal.localcontext(prec=DIGITS):
        means = {output: sum(values) / len(values) for output, values in outputs.items()}
        gaps = [
            means[segment, "A"] - means[segment, "B"]
            for segment in {segment for segment, _ in means}
            if (segment, "A") in means and (segment, "B") in means
        ]
    sizes = places([*(abs(gap) for gap in gaps), Decimal(0)])
    signed = [size if gap > 0 else -size for gap, size in zip(gaps, sizes[:-1], strict=True)]
    assume(len({each.system for each in judgments}) == 2)
    plan = RankPlan(by=by, test="signed-rank")  # type: ignore[arg-type]
    [found] = rank(judgments, plan).rankings[0].comparisons
    assert found.shared == len(gaps)
    assert (found.shared or 0) + (found.left_out or 0) == len({segment for segment, _ in means})
    if not any(signed):
        assert (found.p_value, found.ahead) == (1.0, 0)
        return
    assert found.p_value == pytest.approx(signed_rank(signed).p_value, rel=1e-12)


def test_forty_and_sixty_are_fifty_and_fifty() -> None:
    # One judge; every segment of B has the mean of A's, in other scores.
    judgments = [
        each
        for segment in range(12)
        for each in (
            one("A", segment, 40 + segment, hit="1"),
            one("A", segment, 60 + segment, hit="2"),
            one("B", segment, 50 + segment, hit="1"),
            one("B", segment, 50 + segment, hit="2"),
            one("C", segment, 3 + 7 * segment, hit="1"),
        )
    ]
    for by in ("z", "raw"):
        [ranking] = rank(judgments, RankPlan(by=by)).rankings  # type: ignore[arg-type]
        [pair] = [e for e in ranking.comparisons if {e.a, e.b} == {"A", "B"}]
        assert (pair.p_value, pair.ahead, pair.difference) == (1.0, 0, 0.0)


def test_expected_wins_are_equal_where_fractions_are() -> None:
    wins = [("A", "C", 1), ("C", "A", 9), ("A", "D", 2), ("D", "A", 8), ("A", "E", 3)]
    wins += [("E", "A", 7), ("B", "C", 2), ("C", "B", 8), ("B", "D", 2), ("D", "B", 8)]
    wins += [("B", "E", 2), ("E", "B", 8)]
    given_ones = [Preference(a, b, "1") for a, b, count in wins for _ in range(count)]
    [ranking] = rank(given_ones).rankings
    scores = {each.system: each.score for each in ranking.scores}
    exact = [Fraction(1, 10) + Fraction(2, 10) + Fraction(3, 10), 3 * Fraction(2, 10)]
    assert exact[0] == exact[1]
    assert scores["A"] == scores["B"]


def test_a_bad_item_that_scores_what_its_originals_do_is_no_failing() -> None:
    # (33.3 + 33.5) / 2 is 33.4, but floats have it a little above, and a constant little above
    # zero is no evidence.
    judgments = []
    for number, low in enumerate((0.1, 33.3, 64.1, 20.7)):
        hit = f"{number}"
        judgments += [one("A", 1, low, hit=hit), one("A", 1, round(low + 0.2, 1), hit=hit)]
        judgments.append(one("A", 1, round(low + 0.1, 1), hit=hit, kind="bad"))
    [verdict] = quality(judgments).judges
    assert verdict.p_value == 1.0


def test_means_of_kinds_are_level_where_fractions_are() -> None:
    judgments = [one("A", 1, 0.1), one("A", 2, 1.1), one("A", 3, 0.6, kind="bad")]
    assert "bad items ≥ outputs" in conduct_of(judgments).flags


def test_ordinal_alpha_does_not_see_rounding() -> None:
    # The means of a judge who was asked twice; (.1 + .5) / 2 and .3 are one rank.
    rounded = [[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2], [0.5, 0.7]]
    assert krippendorff_alpha(rounded, "ordinal") == krippendorff_alpha(
        [[0.3, 0.3], [0.3, 0.3], [0.5, 0.7]], "ordinal"
    )
    assert krippendorff_alpha(rounded, "nominal") == krippendorff_alpha(
        [[3, 3], [3, 3], [5, 7]], "nominal"
    )


def test_categories_end_where_fractions_say() -> None:
    # Two judges who agree on the category of every score, as exact arithmetic has it.
    judgments = []
    for value in range(100):
        judgments += [one("A", value, value), one("A", value, value + 0.4, judge="ben")]
    [scale], _ = of_judgments(judgments, AgreementPlan(categories=100))
    assert scale.cohen_kappa == pytest.approx(1.0)


def test_metrics_that_people_find_level() -> None:
    # .1 + .2 + .3 in two orders: level by any arithmetic but that of floats.
    level = [(0.1 + 0.2) + 0.3, 0.1 + (0.2 + 0.3), 0.9, 1.2]
    assert level[0] != level[1]
    exact = [0.6, 0.6, 0.9, 1.2]
    pairs = len(list(combinations(exact, 2)))

    def found(scores: list[float]) -> object:
        gold = Gold(("A", "B", "C", "D"), np.array(exact), np.full(pairs, 0.2))
        metric = MetricFindings("m", np.array(scores), np.full(pairs, 0.2), np.zeros(pairs, bool))
        other = MetricFindings(
            "n", np.array([4.0, 3.0, 2.0, 9.0]), np.full(pairs, 0.2), np.zeros(pairs, bool)
        )
        evaluation = evaluate(gold, [metric, other], trials=16)
        first, contest = evaluation.metrics[0], evaluation.contests[0]
        return first.kendall, first.spearman, first.accuracy, contest.p_kendall

    assert found(level) == found(exact)
    assert found(exact)[0] == 1.0  # type: ignore[index]
