from __future__ import annotations

import pytest

from unit.report.made.compare import compare_result
from weigh.comparing.compare_result import CompareResult
from weigh.report.compared import CompareReport
from weigh.report.findings import findings
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


def test_best_system_in_doubt() -> None:
    lead, *_ = said(by(0.2, 0.02, 0.01))
    assert lead.startswith("By BLEU, Ann scores best, with no evidence of a difference from Bob;")
    lead, *_ = said(by(0.2, 0.2, 0.01))
    assert "Ann scores best, with no evidence of a difference from any other system;" in lead


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
