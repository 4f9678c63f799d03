from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.human.judgments import judgments, one
from weigh.errors import InputError
from weigh.human.plan import CONTROLS, PREFERENCE, Control
from weigh.human.quality import paired_controls, paired_t, quality
from weigh.types import Judgment

SCORES = st.lists(st.integers(-50, 50).map(float), min_size=2, max_size=30)


@given(SCORES)
def test_paired_t_against_scipy(differences: list[float]) -> None:
    p = paired_t(differences)
    if len(set(differences)) == 1:
        assert p == float(differences[0] >= 0)
    else:
        expected = scipy.stats.ttest_1samp(differences, 0, alternative="less").pvalue
        assert p == pytest.approx(expected, abs=1e-12)


def test_one_difference_is_no_test() -> None:
    assert paired_t([-5.0]) is None


def test_an_original_is_found_by_name_or_by_output() -> None:
    hit = [
        one("A", 1, 80, item="1"),
        one("A", 1, 10, kind="bad", item="2"),
        one("B", 1, 60, item="3"),
        one("B", 1, 20, kind="bad", item="4", of="1"),
        one("C", 1, 30, kind="bad", item="5"),
        one("A", 1, 99, hit="other"),
    ]
    assert paired_controls(hit) == ([(10, 80), (20, 80)], 1)


def worker(judge: str, gap: float, hits: int = 1, **rest: object) -> list[Judgment]:
    """A judge whose bad items score about `gap` lower, by a fixed wave."""
    found = []
    for hit in range(hits):
        for at in range(10):
            genuine = 60 + (7 * at + 3 * hit) % 11
            lower = genuine - gap - (at % 5 - 2)
            found.append(one("A", at, genuine, judge, hit=f"h{hit}", **rest))
            found.append(one("A", at, lower, judge, "bad", f"h{hit}", **rest))
    return found


def test_who_tells_bad_items_stays_and_why_others_do_not() -> None:
    good, random_one, refused, untested = (
        worker("good", 20),
        worker("poor", 0),
        worker("refused", 20, rejected=True),
        [one("A", 1, 50, "untested"), one("A", 2, 40, "untested")],
    )
    result = quality([*good, *random_one, *refused, *untested])
    by_name = {each.judge: each for each in result.judges}
    assert by_name["good"].reasons == ()
    assert by_name["poor"].reasons == ("fails the test",)
    assert by_name["refused"].reasons == ("1 of 1 hits rejected",)
    assert by_name["untested"].reasons == ("too few controls to test (0)",)
    assert by_name["untested"].p_value is None
    assert result.kept == tuple(good)
    assert [(step.judgments, step.judges) for step in result.steps] == [(62, 4), (42, 3), (20, 1)]


def test_appraise_asks_for_a_lower_p_and_for_time() -> None:
    slow = worker("slow", 20, seconds=6.0)
    fast = worker("fast", 20, seconds=5.9)
    timeless = worker("timeless", 20)
    result = quality([*slow, *fast, *timeless], "appraise")
    reasons = {each.judge: each.reasons for each in result.judges}
    assert reasons == {"slow": (), "fast": ("below 600 s per 100 items",), "timeless": ()}
    assert result.remarks == ("timeless: no times, so it is unknown whether HITs took long enough",)


def sheets(judge: str, starts: list[float], seconds: float = 2.4) -> list[Judgment]:
    """Sheets of 100 items, each answered without a pause, by somebody who tells bad items."""
    found = []
    for sheet, start in enumerate(starts):
        for n in range(100):
            kind, value = ("bad", 10 + n % 7) if n % 10 == 0 else ("system", 60 + n % 7)
            end = datetime.fromtimestamp(start + (n + 1) * seconds, UTC).isoformat()
            found.append(
                one("A", 100 * sheet + n, value, judge, kind, judge, seconds=seconds, at=end)  # type: ignore[arg-type]
            )
    return found


DAY = 86_400.0


@pytest.mark.parametrize("starts", [[0, DAY, 2 * DAY], [0, 240, 480], [0, 2040.001, 4080.002]])
def test_three_quick_sheets_are_not_one_slow_one(starts: list[float]) -> None:
    quick, slow = sheets("quick", starts), sheets("slow", [0, DAY, 2 * DAY], 6.0)
    result = quality([*quick[::-1], *slow], "appraise")
    reasons = {each.judge: each.reasons for each in result.judges}
    assert reasons == {"quick": ("below 600 s per 100 items",), "slow": ()}
    conduct = {each.judge: each for each in result.judges}
    assert conduct["quick"].hits == conduct["slow"].hits == 3
    assert conduct["quick"].seconds_per_hit == pytest.approx(240)
    assert conduct["quick"].least_seconds_per_item == pytest.approx(2.4)
    assert (conduct["quick"].flags, conduct["slow"].flags) == (("hit below 300 s",), ())


def test_one_quick_sheet_among_slow_ones_is_enough() -> None:
    work = [*sheets("ann", [0], 20.0), *sheets("ann", [DAY], 5.9)]
    [verdict] = quality(work, "appraise").judges
    assert verdict.reasons == ("below 600 s per 100 items",)


def test_a_piece_needs_time_for_its_items_only() -> None:
    work = sheets("ann", [0], 7.0)
    late = [
        replace(each, at=datetime.fromtimestamp(DAY + 7 * n, UTC).isoformat())
        for n, each in enumerate(work[70:])
    ]
    [verdict] = quality([*work[:70], *late], "appraise").judges
    assert (verdict.reasons, verdict.hits, verdict.flags) == ((), 2, ())


@pytest.mark.parametrize("without", [{"at": None}, {"seconds": None}])
def test_without_times_the_rule_is_not_applied_and_that_is_said(without: dict[str, None]) -> None:
    work = sheets("ann", [0, DAY, 2 * DAY])
    work[7] = replace(work[7], **without)  # type: ignore[arg-type]
    result = quality(work, "appraise")
    assert result.judges[0].reasons == ()
    assert result.judges[0].seconds_per_hit is None
    assert result.remarks == ("ann: no times, so it is unknown whether HITs took long enough",)


def test_hits_that_a_file_names_are_not_split() -> None:
    work = [replace(each, hit="h1") for each in sheets("ann", [0], 6.0)]
    late = [replace(each, at=datetime.fromtimestamp(DAY, UTC).isoformat()) for each in work[50:]]
    conduct = quality([*work[:50], *late], "appraise").judges[0]
    assert (conduct.hits, conduct.seconds_per_hit) == (1, pytest.approx(600))
    # More than 100 items are not one task, whatever the file calls them.
    named = [replace(each, hit="campaign") for each in sheets("ann", [0, DAY, 2 * DAY])]
    assert quality(named, "appraise").judges[0].hits == 3


def test_an_answer_on_two_scales_took_its_time_once() -> None:
    work = sheets("ann", [0], 5.0)
    both = [*work, *(replace(each, scale="mqm") for each in work)]
    [verdict] = quality(both, "appraise").judges
    assert verdict.least_seconds_per_item == pytest.approx(5)
    assert verdict.hits == 1


@settings(max_examples=30)
@given(judgments(least=5))
def test_appraise_p_against_scipy(given_ones: list[Judgment]) -> None:
    if all(each.kind != "bad" for each in given_ones):
        return
    for verdict in quality(given_ones, "appraise").judges:
        own = [each for each in given_ones if each.judge == verdict.judge]
        bad = [each.value for each in own if each.kind == "bad"]
        outputs = [each.value for each in own if each.kind == "system"]
        if not bad or not outputs:
            assert verdict.p_value is None
        elif len({*bad, *outputs}) == 1:
            assert verdict.p_value == 1
        else:
            expected = scipy.stats.mannwhitneyu(
                bad, outputs, alternative="less", method="asymptotic"
            ).pvalue
            assert verdict.p_value == pytest.approx(expected)


@settings(max_examples=30)
@given(
    judgments(least=5),
    st.randoms(use_true_random=False),
    st.sampled_from(["crowd-alone", "appraise"]),
)
def test_the_order_of_rows_does_not_matter(
    given_ones: list[Judgment], shuffler: random.Random, preset: str
) -> None:
    if all(each.kind != "bad" for each in given_ones):
        return
    shuffled = list(given_ones)
    shuffler.shuffle(shuffled)
    first, second = quality(given_ones, preset), quality(shuffled, preset)
    assert first.judges == second.judges
    assert set(first.kept) == set(second.kept)


def test_a_judge_who_answers_at_random_is_caught_at_the_stated_rate() -> None:
    # One-sided tests at .05: 19 of 20 random judges are dropped. The bounds are those that a
    # binomial count of 600 leaves once in 10,000 times.
    draws = random.Random(5)
    answers: list[Judgment] = []
    for judge in range(600):
        for segment in range(10):
            for kind in ("system", "bad"):
                value = draws.randint(0, 100)
                answers.append(one("A", segment, value, f"{judge}", kind))  # type: ignore[arg-type]
    kept = sum(each.kept for each in quality(answers).judges)
    low, high = scipy.stats.binom.interval(0.9999, 600, 0.05)
    assert low <= kept <= high


def test_judgments_without_controls_are_refused() -> None:
    with pytest.raises(InputError, match="no bad items among the judgments"):
        quality([one("A", 1, 5)])


def choices(right: int, neither: int, wrong: int, judge: str = "ann") -> list[Judgment]:
    """Controls of a judge who chose between two texts, spread over sheets of four."""
    answers: list[Judgment] = []
    for n, value in enumerate([0.0] * right + [50.0] * neither + [100.0] * wrong):
        about = {"scale": PREFERENCE, "of": str(2 * n + 2), "hit": f"sheet {n // 4}"}
        answers.append(one("A", n, value, judge, "bad", item=str(2 * n + 1), **about))  # type: ignore[arg-type]
        answers.append(one("A", n, 100 - value, judge, item=str(2 * n + 2), **about))  # type: ignore[arg-type]
    return answers


@pytest.mark.parametrize(
    ("right", "neither", "wrong", "p_value", "kept"),
    [
        (7, 3, 0, None, True),  # seven answers decide nothing, and ties are no failures
        (8, 30, 0, 1 / 256, True),
        (7, 0, 1, 9 / 256, True),
        (6, 5, 2, 37 / 256, False),
        (0, 0, 7, None, True),
        (0, 0, 8, 1.0, False),
    ],
)
def test_ties_of_choices_are_no_failures(
    right: int, neither: int, wrong: int, p_value: float | None, kept: bool
) -> None:
    result = quality([*choices(right, neither, wrong), *choices(9, 0, 0, "ben")])
    verdict = result.judges[0]
    assert verdict.p_value == (None if p_value is None else pytest.approx(p_value))
    assert verdict.kept == kept
    assert verdict.controls == right + wrong
    assert any(remark.startswith("ann:") for remark in result.remarks) == (p_value is None)


@pytest.mark.parametrize(("alpha", "kept"), [(1 / 256, True), (1 / 256 - 1e-12, False)])
def test_a_p_value_of_alpha_passes(
    alpha: float, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CONTROLS, "crowd-alone", Control("paired-t", alpha))
    [verdict] = quality(choices(8, 0, 0)).judges
    assert verdict.kept == kept


@pytest.mark.parametrize("n", [8, 10, 25, 60])
def test_who_guesses_between_two_texts_passes_no_more_often_than_alpha(n: int) -> None:
    passed = 0.0
    for right in range(n + 1):
        [verdict] = quality(choices(right, 3, n - right)).judges
        known = scipy.stats.binomtest(right, n, alternative="greater").pvalue
        assert verdict.p_value == pytest.approx(known, rel=1e-12)
        passed += scipy.stats.binom.pmf(right, n, 0.5) * verdict.kept
    assert passed <= 0.05
