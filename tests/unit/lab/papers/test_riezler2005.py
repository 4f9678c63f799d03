"""Riezler & Maxwell 2005, run again: numbers against direct calls of what they come from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from weigh import TestSet
from weigh.errors import UsageError
from weigh_lab.papers import riezler2005 as paper_module
from weigh_lab.papers.riezler2005 import (
    metrics_for,
    phrase_pairs,
    riezler2005,
)
from weigh_lab.papers.workshop import Workshop
from weigh_lab.translator.translator import DerivationStep, Translation

REFERENCES = [f"the {n} cats sat on mat {n % 7} ." for n in range(40)]


def test_phrase_pairs_are_counted_by_derivation() -> None:
    steps = (
        DerivationStep(0, 2, ("the", "cat"), ()),
        DerivationStep(3, 4, ("sat",), ()),
        DerivationStep(2, 3, ("sat",), ()),
    )
    words = ("the", "cat", "sat", "sat")
    translation = Translation(words, steps, (), 0.0)
    assert phrase_pairs(translation, ["die", "katze", "sass", "sass"]) == {
        "pair_die_katze_to_the_cat": 1.0,
        "pair_sass_to_sat": 2.0,
    }


def test_what_cannot_be_parsed_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper_module, "SPACY_MODEL", "no_such_model")
    metrics, left_out = metrics_for(TestSet([REFERENCES]))
    assert [metric.name for metric in metrics] == ["NIST", "BLEU"]
    assert "dependency F" in left_out[0]
    assert "no_such_model" in left_out[0]


def test_too_few_sentences_for_a_reranker_are_told(workshop: Workshop) -> None:
    plan = replace(workshop.plan, tuning=590)
    with pytest.raises(UsageError, match=r"10 sentences left .* give a smaller --tuning"):
        riezler2005(replace(workshop, plan=plan))
