from __future__ import annotations

import re
from dataclasses import replace

import pytest

from unit.report.made.compare import compare_result
from weigh.report.compared import CompareReport
from weigh.report.grid import Sentence
from weigh.report.pairs import findings


def said(p_values: dict[tuple[int, int], float], **options: bool) -> list[Sentence]:
    return findings(CompareReport(compare_result(["Ann", "Bob", "Cid"], p_values, **options)))


def test_best_system_that_beats_all() -> None:
    bleu, ter = said({(0, 1): 0.01, (0, 2): 0.02, (1, 2): 0.4})
    assert bleu == (
        "BLEU (higher is better): Ann scores best, 9.50. By the randomization test (p ≤ .05, "
        "adjusted), Ann is significantly better than every other system. In all, 2 of 3 pairs "
        "differ significantly; there is no evidence of a difference between Bob and Cid."
    )
    assert ter.startswith("TER (lower is better): Cid scores best, 7.50.")
    assert [cell.text for cell in ter.cells if cell.strong] == ["TER", "Cid"]


def test_best_system_in_doubt() -> None:
    bleu, _ = said({(0, 1): 0.2, (0, 2): 0.02, (1, 2): 0.01})
    assert "there is no evidence of a difference between Ann and Bob. In all, 2 of 3 pairs" in bleu


def test_against_a_baseline() -> None:
    bleu, _ = said({(0, 1): 0.01, (0, 2): 0.3, (1, 2): 0.01}, baseline=True)
    assert re.search(
        r"Bob is significantly (better|worse) than Ann; there is no evidence of a", bleu
    )
    assert bleu.endswith("difference between Ann and Cid.")


@pytest.mark.parametrize("p", [0.001, 0.9])
def test_no_system_is_called_equal(p: float) -> None:
    text = " ".join(said({(0, 1): p, (0, 2): p, (1, 2): p}))
    assert "equal" not in text
    assert f"{3 if p < 0.05 else 0} of 3 pairs differ significantly" in text


def test_scores_that_are_no_numbers() -> None:
    result = compare_result(["Ann", "Bob"], {(0, 1): 1.0})
    scores = tuple(replace(entry, score=float("nan")) for entry in result.scores)
    assert "no system has a score." in findings(CompareReport(replace(result, scores=scores)))[0]
