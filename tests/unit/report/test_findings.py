from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import weigh
from unit.report.made.compare import compare_result
from weigh.comparing.compare_result import CompareResult
from weigh.report.compared import CompareReport
from weigh.report.findings import conclusions, describe_test, gate_lines
from weigh.report.grid import Sentence


def of(result: CompareResult) -> list[str]:
    return conclusions(CompareReport(result))


def said(p_values: dict[tuple[int, int], float], **options: bool) -> list[str]:
    return of(compare_result(["Ann", "Bob", "Cid"], p_values, **options))


def by(*p_values: float) -> dict[tuple[int, int], float]:
    return dict(zip([(0, 1), (0, 2), (1, 2)], p_values, strict=True))


def test_best_system_that_beats_all() -> None:
    bleu, ter, by_bleu, by_ter = said(by(0.01, 0.02, 0.4))
    assert bleu == "By BLEU, Ann is significantly better than every other system."
    assert ter == "By TER, Cid scores best, with no evidence of a difference from Bob."
    assert isinstance(bleu, Sentence)
    assert [text for text, stands_out in bleu.words if stands_out] == ["BLEU"]
    assert by_bleu == (
        "2 of 3 pairs differ significantly by BLEU. No evidence of a difference between Bob and "
        "Cid."
    )
    assert by_ter.endswith("No evidence of a difference between Cid and Bob.")


def test_many_open_pairs_are_counted_for_all_metrics_at_once() -> None:
    p_values = dict.fromkeys(combinations(range(5), 2), 0.5) | {(0, 4): 0.001}
    *_, counts = of(compare_result(list("ABCDE"), p_values))
    assert counts == "Pairs that differ significantly: 1 of 10 by BLEU and 1 of 10 by TER."


def test_best_system_in_doubt() -> None:
    lead, *_ = said(by(0.2, 0.02, 0.01))
    assert lead == "By BLEU, Ann scores best, with no evidence of a difference from Bob."
    lead, *_ = said(by(0.2, 0.2, 0.01))
    assert "Ann scores best, with no evidence of a difference from any other system." in lead


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (0.01, "By BLEU, Ann is significantly better than Bob."),
        (0.3, "By BLEU, there is no evidence of a difference between Ann and Bob."),
    ],
)
def test_two_systems(p: float, words: str) -> None:
    first, *rest = of(compare_result(["Ann", "Bob"], {(0, 1): p}))
    assert first == words
    assert not any("pair" in sentence for sentence in rest)


def test_against_a_baseline() -> None:
    bleu, ter = said(by(0.01, 0.3, 0.01), baseline=True)
    assert bleu == (
        "By BLEU, Bob is significantly worse than Ann; there is no evidence of a difference "
        "between Ann and Cid."
    )
    assert ter.startswith("By TER, Bob is significantly better than Ann;")


def test_margins_are_part_of_the_verdict() -> None:
    half = [float(at % 2) for at in range(400)]
    scores = {"old": half, "same": half[::-1], "bad": [0.0] * 400}
    options = {"margin": {"score": 0.2}, "baseline": "old"}
    text = " ".join(conclusions(CompareReport(weigh.compare(scores, **options))))
    assert "same is equivalent to old within 20 percentage points." in text
    assert "bad is worse than old by more than 20 percentage points." in text
    pairs = " ".join(conclusions(CompareReport(weigh.compare(scores, margin={"score": 0.2}))))
    assert "1 of 3 pairs is equivalent within 20 percentage points: old and same." in pairs
    tight = " ".join(conclusions(CompareReport(weigh.compare(scores, margin={"score": 1e-3}))))
    assert "None of the 3 pairs is shown to be equivalent within 0.1 percentage points." in tight


def test_margins_add_to_what_tests_find() -> None:
    draw = np.random.default_rng(1).normal
    shift = {"old": 0.0, "good": 1.0, "bad": -3.0}
    scores = {name: shift[name] + draw(size=400) / 10 for name in shift}
    result = weigh.compare({"x": scores, "y": scores}, margin={"x": 0.5, "y": 2}, baseline="old")
    assert conclusions(CompareReport(result)) == [
        "By x and y, good is significantly better than old; bad is significantly worse than old.",
        "By x, bad is worse than old by more than 0.5.",
        "By y, good is equivalent to old within 2.",
        "By y, bad is worse than old by more than 2.",
    ]


def test_margins_of_metrics_of_texts_share_a_sentence() -> None:
    references = [f"the {word} sat on mat number {word} today" for word in "abcdefghijklmno"]
    half = [text.replace("mat", "x") for text in references]
    texts = {"old": references, "bad": half}
    options = {"margin": {"bleu": 1, "chrf": 1}, "baseline": "old"}
    result = weigh.compare(texts, references=references, metrics=["bleu", "chrf"], **options)
    assert "bad is worse than old by more than 1 BLEU and 1 chrF2." in conclusions(
        CompareReport(result)
    )


def test_a_gate_and_a_two_sided_test_do_not_seem_to_disagree() -> None:
    old = [1.0] * 95 + [0.0] * 5
    new = [0.0] * 13 + [1.0] * 87
    result = weigh.compare({"old": old, "new": new}, baseline="old", gate=True)
    [pair] = result.comparisons
    assert result.gate is not None
    assert result.gate.verdict == "fail"
    assert not pair.significant
    assert conclusions(CompareReport(result))[0].endswith("by the two-sided test.")
    options = {"baseline": "old", "gate": True, "margin": {"score": 0.2}}
    by_margin = weigh.compare({"old": old, "new": new}, **options)
    assert "two-sided" not in " ".join(conclusions(CompareReport(by_margin)))


def test_how_it_was_tested() -> None:
    report = CompareReport(compare_result(["Ann", "Bob", "Cid"], by(0.01, 0.02, 0.4)))
    assert describe_test(report) == (
        "Randomization test over 40 segments, α = .05, Holm-adjusted for 3 comparisons."
    )


def test_identical_scores_come_before_a_lack_of_items() -> None:
    for options in ({}, {"baseline": "old"}):
        result = weigh.compare({"old": [1.0, 0, 1], "new": [1.0, 0, 1]}, **options)
        assert of(result) == ["old and new have identical scores."]


def test_systems_that_tie_lead_no_slice_alone() -> None:
    tied = {"A": [1.0, 0] * 20, "B": [0, 1.0] * 20, "C": [0.0] * 40}
    text = " ".join(of(weigh.compare(tied, slices=[*"xxyy"] * 10)))
    assert "A and B score best" in text
    assert "slice" not in text


def test_a_gate_names_its_first_reasons() -> None:
    scores = {f"s{at}": [float(at == 0)] * 30 for at in range(15)}
    lines = gate_lines(weigh.compare(scores, baseline="s0", gate=True).gate)
    assert lines[0] == "Gate: fail"
    assert lines[1].startswith("  s1 by score (one-sided")
    assert lines[11:] == ["  and 4 more"]


def test_margins_of_slices_say_which_bounds_were_computed_otherwise() -> None:
    draws = np.random.default_rng(1).random((3, 96))
    scores = {f"s{at}": (row < 0.3 + at / 10).astype(float) for at, row in enumerate(draws)}
    slices = [f"slice {at % 4}" for at in range(96)]
    text = " ".join(str(weigh.compare(scores, slices=slices, margin={"score": 0.1})).split())
    assert " more reason" in text
    assert "in the macro mean: bounds from halving" in text
    assert "or, where noted, one-sided 95% bounds from random halvings" in text


def test_one_sided_verdicts_name_their_direction() -> None:
    scores = {"base": [0, 1] * 40, "same": [1, 0] * 40, "best": [1] * 80}
    text = str(weigh.compare(scores, baseline="base", alternative="better"))
    assert "no evidence that same is better than base" in " ".join(text.split())
    more = {f"like {at}": scores["same"] for at in range(6)}
    text = str(weigh.compare({**scores, **more}, baseline="base", alternative="better"))
    assert "best is significantly better than base; there is no evidence that the other 7" in text
