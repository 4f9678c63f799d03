"""Riezler & Maxwell 2005, run again: numbers against direct calls of what they come from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from weigh import Bleu, Nist, Outputs, System, TestSet
from weigh.comparing.dataset import Dataset, from_texts
from weigh.errors import UsageError
from weigh.stats.randomization import randomization
from weigh.stats.resample import bootstrap_scores
from weigh.stats.significance import bootstrap, moses_bootstrap_p
from weigh_lab.papers import riezler2005 as paper_module
from weigh_lab.papers.riezler2005 import (
    metrics_for,
    p_values_of,
    phrase_pairs,
    riezler2005,
)
from weigh_lab.papers.workshop import Workshop
from weigh_lab.translator.translator import DerivationStep, Translation

REFERENCES = [f"the {n} cats sat on mat {n % 7} ." for n in range(40)]
OUTPUTS = {
    "a": [text.replace("cats", "cat") if n % 3 else text for n, text in enumerate(REFERENCES)],
    "b": [text.replace("mat", "a mat") if n % 2 else text for n, text in enumerate(REFERENCES)],
    "c": [text.replace("sat", "sits") if n % 5 else text for n, text in enumerate(REFERENCES)],
}


@pytest.fixture(scope="module")
def measured() -> Dataset:
    """Three systems by two metrics."""
    systems = [System(name, Outputs(texts)) for name, texts in OUTPUTS.items()]
    metrics = [Nist(tokenize="none"), Bleu(tokenize="none")]
    return from_texts(systems, TestSet([REFERENCES]), metrics, threads=1)


def test_p_values_are_those_of_the_tests(measured: Dataset, workshop: Workshop) -> None:
    pairs = [(1, 0), (0, 2)]
    found = p_values_of(measured, pairs, workshop)
    trials, seed = workshop.plan.trials, workshop.plan.seed
    swapped = randomization(measured.samples, pairs, seed, trials=trials).tests
    boots = bootstrap_scores(measured.samples, trials, seed)
    for at, sample in enumerate(measured.samples):
        shifted = bootstrap(sample, pairs, boots[at])
        scores = sample.scores()
        for number, (a, b) in enumerate(pairs):
            tested = found[at][number]
            assert tested.difference == scores[a] - scores[b]
            assert tested.randomization == swapped[at].p_values["two-sided"][number]
            assert tested.bootstrap == shifted.p_values["two-sided"][number]
            sides = [shifted.p_values[side][number] for side in ("better", "worse")]
            assert tested.one_sided == min(sides)
            assert tested.doubled == min(1.0, 2 * min(sides))
            differences = boots[at][a] - boots[at][b]
            assert tested.lost_tail == moses_bootstrap_p(tested.difference, differences)


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
