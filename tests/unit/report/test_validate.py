"""What is concluded from studies of tests, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from unit.report.made.validate import of_type1, of_votes
from unit.report.studies import NAMES
from weigh.report.view import view
from weigh.stats.intervals import Proportion
from weigh.validate.type1 import Rejections


@pytest.mark.parametrize("rejected", [0, 20])
def test_the_summary_counts_rates_above_the_level(rejected: int) -> None:
    result = of_type1(1)
    cells = len(result.rejections)
    changed = tuple(
        Rejections.of(
            *(one.metric, one.test, one.alternative, one.alpha),
            Proportion(rejected, 20),
            result.plan,
            cells,
        )
        for one in result.rejections
    )
    said = view(replace(result, rejections=changed)).verdict[0]
    kinds, alphas = 3 * 4, 2
    count = kinds * alphas if rejected else "none"
    assert said.startswith(f"up: {count} of 24 rejection rates of sound tests")
    assert f"adjusted for {cells} shares" in said
    assert f"the flawed formulas reject: moses-bs {5 * rejected}.0%" in said


@pytest.mark.parametrize("seed", range(6))
def test_votes_say_whose_choices_more_sentences_are_for(seed: int) -> None:
    result = of_votes(seed)
    for votes, said in zip(result.preferences, view(result).verdict, strict=True):
        assert f"{votes.sentences_a} : {votes.sentences_b} sentences" in said
        ahead = {1: NAMES[0], -1: "chrF2", 0: None}[
            (votes.sentences_a > votes.sentences_b) - (votes.sentences_a < votes.sentences_b)
        ]
        assert (ahead is not None) == ("more for the choices of" in said)
        assert ahead is None or f"more for the choices of {ahead} " in said
