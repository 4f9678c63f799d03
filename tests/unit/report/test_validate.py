"""What is concluded from studies of tests, in words."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from unit.report.made.validate import of_accuracy, of_samples, of_type1, of_votes
from unit.report.studies import NAMES
from weigh.report.view import view
from weigh.stats.intervals import Proportion
from weigh.validate.type1 import Rejections


def test_the_summary_tells_who_agrees_most_and_least() -> None:
    result = of_accuracy(2)
    counts = [one.agree for one in result.same_level if one.alpha == 0.05]
    said = view(result).findings[0]
    assert re.search(rf"most often as [^:]*: {max(counts)} of 3 pairs \(", said)
    assert (min(counts) < max(counts)) == ("least often as" in said)


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
    said = view(replace(result, rejections=changed)).findings[0]
    kinds, alphas = 3 * 4, 2
    found = f"{kinds * alphas} are" if rejected else "none is"
    assert f"up: of 24 rejection rates of sound tests, {found} above the level by more" in said
    assert f"95% for all {cells} shares of the study together" in said
    assert f"the flawed formulas reject: moses-bs {5 * rejected}.0%" in said


def test_the_summary_of_samples_counts_what_the_tables_show() -> None:
    result = of_samples(1)
    said = view(result).findings[0]
    [drawn] = [
        one for one in result.spread if (one.metric, one.design, one.size) == ("up", "drawn", 10)
    ]
    assert f"with 10 segments {100 * drawn.covering / drawn.intervals:.1f}% (conclusions" in said


def test_a_second_table_only_where_it_says_something_else() -> None:
    for seed, tables in ((1, 1), (2, 2)):
        shown = view(of_accuracy(seed))
        headings = [part.heading for part in shown.parts if part.heading.startswith("Accuracy")]
        assert len(headings) == tables
        assert {record["human"] for record in shown.records} == {"same", "fixed"} - (
            {"fixed"} if tables == 1 else set()
        )


def test_many_pairs_are_shown_in_ten_groups() -> None:
    """21 pairs of seven systems: from 20 on, rows are groups of pairs by their difference."""
    from weigh.comparing.measure import measure_scores
    from weigh.validate.plan import SamplesPlan
    from weigh.validate.samples import samples

    scores = {"m": {f"s{n}": [float((k * 7 + n * k) % 11) for k in range(30)] for n in range(7)}}
    plan = SamplesPlan(sizes=(5,), samples=5, trials=9)
    result = samples(measure_scores(scores), plan, threads=1)
    grid = view(result).parts[1].grid
    assert grid is not None
    [rows] = grid.blocks
    distinct = len({(one.a, one.b) for one in result.conclusions})
    if distinct > 20:
        assert len(rows) == 10
        assert sum(int(row[0].text.split()[0]) for row in rows) == distinct
    else:
        assert len(rows) == distinct


@pytest.mark.parametrize("seed", range(6))
def test_votes_say_whose_choices_more_sentences_are_for(seed: int) -> None:
    result = of_votes(seed)
    for votes, said in zip(result.preferences, view(result).findings, strict=True):
        assert f"{votes.sentences_a} : {votes.sentences_b} sentences" in said
        ahead = {1: NAMES[0], -1: "chrF2", 0: None}[
            (votes.sentences_a > votes.sentences_b) - (votes.sentences_a < votes.sentences_b)
        ]
        assert (ahead is not None) == ("more for the choices of" in said)
        assert ahead is None or f"more for the choices of {ahead} " in said
