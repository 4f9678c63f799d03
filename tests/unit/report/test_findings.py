from __future__ import annotations

from dataclasses import replace

import pytest

from unit.report.made.compare import SLICE, compare_result
from weigh.comparing.compare import compare
from weigh.comparing.compare_result import CompareResult
from weigh.report.compared import CompareReport
from weigh.report.findings import findings, undecided_pairs
from weigh.report.grid import Sentence

HOW = "By the randomization test over 40 segments, p ≤ .05 adjusted for 3 comparisons."


def of(result: CompareResult) -> list[Sentence]:
    return findings(CompareReport(result))


def said(p_values: dict[tuple[int, int], float], **options: bool) -> list[Sentence]:
    return of(compare_result(["Ann", "Bob", "Cid"], p_values, **options))


def by(*p_values: float) -> dict[tuple[int, int], float]:
    return dict(zip([(0, 1), (0, 2), (1, 2)], p_values, strict=True))


def test_best_system_that_beats_all() -> None:
    lead, pairs, how = said(by(0.01, 0.02, 0.4))
    assert lead == (
        "By BLEU, Ann is significantly better than every other system; by TER, Cid scores best, "
        "with no evidence of a difference from Bob."
    )
    assert [cell.text for cell in lead.cells if cell.strong] == ["BLEU", "TER"]
    assert pairs == "Of 3 pairs, 2 differ significantly by each metric."
    assert how == HOW


def test_pairs_without_evidence_are_listed_best_first() -> None:
    report = CompareReport(compare_result(["Ann", "Bob", "Cid"], by(0.01, 0.02, 0.4)))
    assert undecided_pairs(report) == ["BLEU: Bob and Cid.", "TER: Cid and Bob."]


def test_best_system_in_doubt() -> None:
    lead, *_ = said(by(0.2, 0.02, 0.01))
    assert lead.startswith("By BLEU, Ann scores best, with no evidence of a difference from Bob;")
    lead, *_ = said(by(0.2, 0.2, 0.01))
    assert "Ann scores best, with no evidence of a difference from any other system;" in lead


def test_equals_both_score_best_where_nothing_can_be_shown() -> None:
    lead, *_ = of(compare({"Ann": [1, 0, 1], "Bob": [0, 1, 1]}))
    assert lead.startswith("By score, Ann and Bob score best, but so few units ")


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (0.01, "By BLEU, Ann is significantly better than Bob; by TER, Bob is"),
        (0.3, "By BLEU, there is no evidence of a difference between Ann and Bob;"),
    ],
)
def test_two_systems(p: float, words: str) -> None:
    first, *rest = of(compare_result(["Ann", "Bob"], {(0, 1): p}))
    assert first.startswith(words)
    assert not any("pair" in sentence for sentence in rest)


def test_against_a_baseline() -> None:
    lead, how = said(by(0.01, 0.3, 0.01), baseline=True)
    assert lead.startswith(
        "By BLEU, Bob is significantly worse than Ann; there is no evidence of a difference "
        "between Ann and Cid; by TER, Bob is significantly better than Ann;"
    )
    assert "adjusted for 2 comparisons" in how


@pytest.mark.parametrize("p", [0.001, 0.9])
def test_no_system_is_called_equal(p: float) -> None:
    text = " ".join(said(by(p, p, p)))
    assert "equal" not in text
    assert f"Of 3 pairs, {'all' if p < 0.05 else 'none'} differ significantly" in text


def test_slices_are_told_of() -> None:
    result = compare_result(["Ann", "Bob", "Cid"], by(0.01, 0.02, 0.4), sliced=True)
    told = " ".join(of(result))
    assert "By BLEU, Ann scores best in every slice;" in told
    turned = tuple(
        replace(entry, score=-entry.score) if entry.slice is not None else entry
        for entry in result.scores
    )
    told = " ".join(of(replace(result, scores=turned)))
    assert f"By BLEU, Ann scores best in no slice; Cid in {SLICE};" in told


def test_systems_that_score_alike_are_all_named() -> None:
    result = compare_result(["Ann", "Bob", "Cid"], by(1.0, 0.01, 0.01))
    first = result.scores[0].score
    scores = tuple(
        replace(entry, score=first) if (entry.metric, entry.system) == ("bleu", "Bob") else entry
        for entry in result.scores
    )
    assert of(replace(result, scores=scores))[0].startswith(
        "By BLEU, Ann and Bob score best; there is no evidence of a difference between Ann and Bob;"
    )


def test_scores_that_are_no_numbers() -> None:
    result = compare_result(["Ann", "Bob"], {(0, 1): 1.0})
    scores = tuple(replace(entry, score=float("nan")) for entry in result.scores)
    assert of(replace(result, scores=scores))[0] == "By BLEU and TER, no system has a score."
