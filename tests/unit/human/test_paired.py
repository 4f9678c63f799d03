"""Pairs of systems on the segments and by the judges that they share."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from scipy_names import ASYMPTOTIC
from unit.human.judgments import one
from weigh.human.conclusions import Conclusion, Outcome
from weigh.human.paired import compared, for_others
from weigh.human.plan import PRESETS, RankPlan
from weigh.human.rank import rank
from weigh.human.scores import Sample
from weigh.types import Judgment


def segments_of(first: range, second: range) -> list[Judgment]:
    """Two systems that were judged on some segments each, by one judge."""
    return [
        *(one("A", n, 50 + (7 * n) % 13) for n in first),
        *(one("B", n, 48 + (5 * n) % 11) for n in second),
    ]


def pair_of(answers: list[Judgment], plan: RankPlan | None = None) -> Conclusion:
    return rank(answers, plan).comparisons[0]


@pytest.mark.parametrize(
    ("second", "test", "shared"),
    [
        (range(20), "signed-rank", 20),
        (range(16), "signed-rank", 16),
        (range(15), "rank-sum", 15),
        (range(2, 20), "signed-rank", 18),
        (range(3, 21), "signed-rank", 17),  # 17 of 21 are shared
        (range(4, 22), "rank-sum", 16),
        (range(30, 40), "rank-sum", 0),
    ],
)
def test_most_segments_are_shared_or_not(second: range, test: str, shared: int) -> None:
    found = pair_of(segments_of(range(20), second))
    assert (found.test, found.shared) == (test, shared)
    if test == "signed-rank":
        assert found.left_out == len(set(second) ^ set(range(20)))
        assert found.count_a == found.count_b == shared
    else:
        assert (found.left_out, found.count_a, found.count_b) == (None, 20, len(second))


def test_published_presets_stay_as_they_are() -> None:
    answers = segments_of(range(20), range(20))
    for name in ("wmt21", "graham2014"):
        result = rank(answers, PRESETS[name])
        assert {each.test for each in result.comparisons} == {"rank-sum"}
        assert "test:rank-sum|" in result.rankings[0].signature
    assert pair_of(answers, RankPlan(unit="judgment")).test == "rank-sum"
    assert pair_of(answers, RankPlan(test="rank-sum")).test == "rank-sum"


@pytest.mark.parametrize("alternative", ["two-sided", "better"])
def test_signed_ranks_of_means_that_both_have(alternative: str) -> None:
    draws = np.random.default_rng(5)
    answers = [
        one(system, segment, float(draws.integers(0, 101)), judge)
        for system, judge, segment in product("AB", ("ann", "ben", "cem"), range(30))
        if (system, segment) != ("A", 3) and (system, judge, segment) != ("B", "ann", 4)
    ]
    plan = RankPlan(by="raw", alternative=alternative)  # type: ignore[arg-type]
    means = {
        (name, n): np.mean([e.value for e in answers if (e.system, e.segment) == (name, str(n))])
        for name, n in {(e.system, int(e.segment)) for e in answers}
    }
    for found in rank(answers, plan).comparisons:
        gaps = [means[found.a, n] - means[found.b, n] for n in range(30) if n != 3]
        expected = scipy.stats.wilcoxon(
            np.round(gaps, 9),
            zero_method="wilcox",
            correction=True,
            alternative="two-sided" if alternative == "two-sided" else "greater",
            method=ASYMPTOTIC,
        )
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)
        assert (found.shared, found.left_out) == (29, 1)


def all_ways(gaps: list[float]) -> float:
    signs = np.array(list(product((-1, 1), repeat=len(gaps))))
    null = np.abs((signs * np.array(gaps)).mean(axis=1))
    return float(np.mean(null >= abs(np.mean(gaps)) - 1e-9))


def test_a_coin_for_every_segment_which_its_judges_share() -> None:
    gaps = [5.0, 3.0, -1.0, 2.0, 4.0, 1.0, 0.0]
    answers = [one("A", n, 50 + gap) for n, gap in enumerate(gaps)]
    answers += [one("B", n, 50.0) for n in range(7)]
    plan = RankPlan(by="raw", test="randomization")
    alone = pair_of(answers, plan)
    assert alone.p_value == pytest.approx(all_ways(gaps))
    assert alone.p_stderr == 0
    # Others who say the same are no further evidence.
    alike = [replace(each, judge=f"j{n}") for n in range(9) for each in answers]
    assert pair_of(alike, plan).p_value == alone.p_value


def test_trials_are_drawn_where_there_are_too_many_ways() -> None:
    draws = np.random.default_rng(1)
    gaps = draws.normal(0.1, 1, 18).tolist()
    answers = [one("A", n, 50 + gap) for n, gap in enumerate(gaps)]
    answers += [one("B", n, 50.0) for n in range(18)]
    found = pair_of(answers, RankPlan(by="raw", test="randomization", trials=4000))
    assert found.p_value == pytest.approx(all_ways(gaps), abs=4 * (found.p_stderr or 0))
    assert found.p_stderr == pytest.approx((found.p_value * (1 - found.p_value) / 4001) ** 0.5)
    again = pair_of(answers[::-1], RankPlan(by="raw", test="randomization", trials=4000))
    assert again == found
    other = pair_of(answers, RankPlan(by="raw", test="randomization", trials=4000, seed=7))
    assert other.p_value != found.p_value


@pytest.mark.parametrize("test", ["signed-rank", "randomization"])
def test_nothing_shared(test: str) -> None:
    result = rank(segments_of(range(10), range(10, 20)), RankPlan(test=test))  # type: ignore[arg-type]
    assert result.comparisons[0].p_value == 1
    assert result.comparisons[0].left_out == 20
    assert "no segment was judged for both" in result.remarks[-1]


def test_tests_may_differ_within_a_ranking() -> None:
    answers = [*segments_of(range(20), range(20)), *(one("C", n, 40 + n) for n in range(10))]
    result = rank(answers)
    tests = {frozenset((each.a, each.b)): each.test for each in result.comparisons}
    assert tests == {
        frozenset("AB"): "signed-rank",
        frozenset("AC"): "rank-sum",
        frozenset("BC"): "rank-sum",
    }
    assert (
        "de-en, adequacy: 1 of 3 tests are signed-rank tests, of pairs that share 80% of their "
        "segments or more, and 2 are rank-sum tests; choose one test for all with --test"
        in result.remarks
    )
    assert "test:rank-sum+signed-rank|unit:segment|" in result.rankings[0].signature


def test_the_example_of_the_documentation() -> None:
    file = Path(__file__).parents[3] / "examples" / "judgments.csv"
    paired, unpaired = (rank(file, test=test).comparisons[0] for test in (None, "rank-sum"))
    assert (paired.a, paired.b, paired.test) == ("good", "middling", "signed-rank")
    assert paired.p_value == pytest.approx(0.0073, abs=5e-5)
    assert unpaired.p_value == pytest.approx(0.0774, abs=5e-5)
    assert paired.for_others is not None
    assert paired.for_others.interval[0] < 0 < paired.for_others.interval[1]


# What holds of other judges and segments.


def scored(d: list[tuple[str, int, float]]) -> list[Judgment]:
    """Judges who give B 50 and A so much more, on segments."""
    return [
        each
        for judge, segment, gap in d
        for each in (one("A", segment, 50 + gap, judge), one("B", segment, 50, judge))
    ]


def test_others_by_the_definition() -> None:
    draws = np.random.default_rng(3)
    d = [(f"j{n % 4}", n // 3, float(gap)) for n, gap in enumerate(draws.normal(2, 3, 40))]
    answers = [
        *scored(d),
        one("A", 99, 10, "j0"),  # of one system alone
        one("A", 98, 10, "j1"),
        one("B", 98, 90, "j2"),  # by different people
    ]
    pair = pair_of(answers, RankPlan(by="raw", level=0.9))
    assert pair.for_others is not None
    found = pair.for_others if pair.a == "A" else pair.for_others.turned()
    gaps = np.array([gap for *_, gap in d])
    r = (gaps - gaps.mean()) / 40
    parts = []
    for at in (0, 1):
        names = sorted({each[at] for each in d}, key=str)
        sums = [sum(r[n] for n in range(40) if d[n][at] == name) for name in names]
        count = len(names)
        parts.append((sum(each**2 for each in sums) * count / (count - 1), count))
    (v_j, n_j), (v_s, n_s) = parts
    variance = max(v_j + v_s - float(r @ r), v_j, v_s)
    freedom = max(1.0, variance**2 / (v_j**2 / (n_j - 1) + v_s**2 / (n_s - 1)))
    half = scipy.stats.t.ppf(0.95, freedom) * variance**0.5
    assert found.difference == pytest.approx(gaps.mean())
    assert found.interval == pytest.approx((gaps.mean() - half, gaps.mean() + half))
    assert found.freedom == pytest.approx(freedom)
    assert (found.judges, found.segments) == (4, 14)


def test_from_the_other_side() -> None:
    draws = np.random.default_rng(4)
    d = [(f"j{n % 3}", n, float(gap)) for n, gap in enumerate(draws.normal(2, 3, 30))]
    there, back = rank(scored(d), RankPlan(by="raw", alternative="better")).comparisons
    assert there.for_others is not None
    assert back.for_others is not None
    assert back.for_others.interval == pytest.approx(there.for_others.turned().interval)
    assert back.for_others.difference == pytest.approx(-there.for_others.difference)


def test_a_judge_who_was_asked_again_counts_once() -> None:
    d = [(f"j{n % 3}", n, 1.0 + n % 5) for n in range(12)]
    answers = scored(d)
    again = [*answers, replace(answers[0], kind="repeat", item="9")]
    found, same = (pair_of(each, RankPlan(by="raw")).for_others for each in (answers, again))
    assert found == same


def test_two_judges_say_nothing_of_others() -> None:
    d = [(f"j{n % 2}", n, 1.0 + n % 5) for n in range(12)]
    assert pair_of(scored(d)).for_others is None
    assert "No interval for new judges" in str(rank(scored(d)))
    one_segment = [(f"j{n}", 1, 1.0 + n) for n in range(4)]
    assert pair_of(scored(one_segment)).for_others is None


# How often a difference is found where there is none.

CROSSED = [(j, s) for j in range(5) for s in range(30)]
NESTED = [(s // 8, s) for s in range(40)]
TWO_EACH = [((s + k) % 6, s) for s in range(30) for k in range(2)]


def null_campaign(draws: np.random.Generator, design: list[tuple[int, int]]) -> list[Judgment]:
    """Judges and segments have likings of their own for one of two systems that do not differ."""
    likes = draws.normal(0, 5, max(j for j, _ in design) + 1)
    suits = draws.normal(0, 5, max(s for _, s in design) + 1)
    noise = draws.normal(0, 5, len(design))
    d = [(f"j{j}", s, likes[j] + suits[s] + e) for (j, s), e in zip(design, noise, strict=True)]
    return scored(d)


def sample_of(answers: list[Judgment]) -> Sample:
    return Sample([(each, each.value) for each in answers])


def outcome_of(answers: list[Judgment], plan: RankPlan) -> Outcome:
    """Return what `rank` says of the pair, without all else that it says."""
    return compared(sample_of(answers), "A", "B", plan)


@pytest.mark.parametrize("test", ["signed-rank", "randomization"])
def test_what_is_tested_many_times_is_what_a_ranking_says(test: str) -> None:
    answers = [*null_campaign(np.random.default_rng(1), CROSSED), one("A", 99, 100, "j0")]
    plan = RankPlan(by="raw", test=test, trials=999)  # type: ignore[arg-type]
    pair, outcome = pair_of(answers, plan), outcome_of(answers, plan)
    assert pair.p_value == outcome.p_value
    assert outcome.for_others is not None
    assert pair.for_others == (outcome.for_others if pair.a == "A" else outcome.for_others.turned())


@pytest.mark.parametrize("design", [CROSSED, NESTED, TWO_EACH])
def test_intervals_for_others_exclude_zero_no_more_than_they_may(
    design: list[tuple[int, int]],
) -> None:
    draws = np.random.default_rng(len(design))
    wrong = 0
    for _ in range(300):
        found = for_others(sample_of(null_campaign(draws, design)), "A", "B", 0.95)
        assert found is not None
        wrong += not found.interval[0] <= 0 <= found.interval[1]
    assert wrong / 300 <= 0.08


@pytest.mark.parametrize("test", ["signed-rank", "randomization"])
@pytest.mark.parametrize(("judges", "segments"), [(1, 3), (4, 6), (4, 12)])
def test_paired_tests_keep_their_level(test: str, judges: int, segments: int) -> None:
    """Judges agree on which system suits a segment: their answers are one piece of evidence."""
    draws = np.random.default_rng(judges + segments)
    wrong = 0
    for _ in range(200):
        suits = draws.normal(0, 5, segments)
        noise = draws.normal(0, 2, (judges, segments))
        d = [
            (f"j{j}", s, suits[s] + noise[j, s]) for j, s in product(range(judges), range(segments))
        ]
        plan = RankPlan(by="raw", test=test, trials=999)  # type: ignore[arg-type]
        found = outcome_of(scored(d), plan).p_value
        assert found is not None
        wrong += found <= 0.05
    assert wrong / 200 <= 0.08
    if segments == 3:
        assert wrong == 0  # of three segments nothing can follow
