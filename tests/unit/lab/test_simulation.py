"""The pipeline against a campaign whose truth is known."""

from __future__ import annotations

import math

import pytest

from weigh.errors import UsageError
from weigh.human.draws import Draws
from weigh.human.quality import quality
from weigh.human.rank import rank
from weigh.metrics.edit_rates import Wer
from weigh.types import Outputs
from weigh_lab.simulation import Judge, answers, simulate
from weigh_lab.simulation import quality as quality_of

JUDGES = 600


def test_the_pipeline_recovers_the_order_and_the_judges() -> None:
    simulation = simulate()
    found = quality(simulation.judgments)
    dropped = {verdict.judge for verdict in found.judges if not verdict.kept}
    dishonest = {judge.name for judge in simulation.judges if judge.habit != "honest"}
    assert len(dishonest) == 10
    # Each passes by chance with probability α = .05 at most; honest ones are far from the limit,
    # but for an unlucky one.
    assert len(dropped - dishonest) <= 1
    assert len(dishonest - dropped) <= 2
    [ranking] = rank(found.kept).rankings
    assert [score.system for score in ranking.scores] == simulation.order
    for conclusion in ranking.comparisons:
        if conclusion.winner is not None:
            loser = conclusion.b if conclusion.winner == conclusion.a else conclusion.a
            assert simulation.qualities[conclusion.winner] > simulation.qualities[loser]


def test_a_random_judge_is_caught_at_the_stated_rate() -> None:
    simulation = simulate(hits=1, judges=1, dishonest=0, segments=100)
    references = simulation.test_set.references[0]
    judgments = [
        one
        for number in range(JUDGES)
        for one in answers(
            simulation.hits[0],
            references,
            Judge(f"j{number}", "random", 0, 1, 10),
            Draws(99, number),
        )
    ]
    for preset, alpha in (("crowd-alone", 0.05), ("appraise", 0.01)):
        verdicts = quality(judgments, preset).judges
        # The time tells on them too, which is not at issue here.
        passed = sum("fails the test" not in verdict.reasons for verdict in verdicts)
        assert abs(passed / JUDGES - alpha) < 4 * math.sqrt(alpha * (1 - alpha) / JUDGES)


def test_quality_is_one_less_word_error_rate() -> None:
    simulation = simulate(hits=1, judges=1)
    rows = Wer().prepare(simulation.test_set)
    for system in simulation.systems:
        texts = system.outputs.texts
        for reference, text, row in zip(
            simulation.test_set.references[0], texts, rows.rows(Outputs(texts)), strict=True
        ):
            edits, length = float(row[0]), float(row[-1])
            assert length == len(reference.split(" "))
            longest = max(length, len(text.split(" ")))
            assert quality_of(text, reference) == pytest.approx(100 * (1 - edits / longest))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"systems": 1}, "1 systems; give a number from 2 to 10"),
        ({"dishonest": 1.5}, "share of dishonest judges 1.5"),
        ({"judges": 9, "hits": 8}, "9 judges for 8 HITs"),
    ],
)
def test_wrong_settings(settings: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        simulate(**settings)  # type: ignore[arg-type]
