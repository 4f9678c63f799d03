"""The pipeline against a campaign whose truth is known."""

from __future__ import annotations

import math

import pytest

from weigh.errors import UsageError
from weigh.human.agreement import consistency
from weigh.human.draws import Draws
from weigh.human.quality import quality
from weigh.human.rank import rank
from weigh.metrics.edit_rates import Wer
from weigh.types import Outputs
from weigh_lab.simulation import Judge, answers, judged, simulate
from weigh_lab.simulation import quality as quality_of


@pytest.fixture(scope="module", params=[0, 12345])
def simulation(request: pytest.FixtureRequest):  # type: ignore[no-untyped-def]
    return simulate(seed=request.param)


def test_the_pipeline_recovers_the_order_and_the_judges(simulation) -> None:  # type: ignore[no-untyped-def]
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


def test_repeats_tell_the_honest_from_the_rest(simulation) -> None:  # type: ignore[no-untyped-def]
    habits = {judge.name: judge for judge in simulation.judges}
    found = consistency(simulation.judgments)
    assert len(found) == 40
    for each in found:
        judge = habits[each.judge]
        assert each.repeats == 20
        if judge.habit == "honest":
            # Two answers differ by √2 noise; the mean size of that is √(2/π) of it.
            expected = judge.noise * 2 / math.sqrt(math.pi)
            assert each.distance < expected * 1.7
        if judge.habit == "random":
            assert 18 < each.distance < 50  # 34 for two even draws from 0 to 100
        if judge.habit == "constant":
            assert each.distance < 60  # between two HITs the number changes, within one it does not


def test_a_random_judge_is_caught_at_the_stated_rate() -> None:
    simulation = simulate(hits=1, judges=1, dishonest=0, segments=100)
    references = simulation.test_set.references[0]
    judgments = [
        one
        for number in range(1500)
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
        assert abs(passed / 1500 - alpha) < 4 * math.sqrt(alpha * (1 - alpha) / 1500)


@pytest.mark.parametrize("preset", ["crowd-alone", "appraise"])
def test_controls_are_what_they_are_called(preset: str) -> None:
    simulation = simulate(hits=10, judges=10, dishonest=0, preset=preset)
    references = simulation.test_set.references[0]
    for hit in simulation.hits:
        for item in hit.items:
            reference = references[int(item.segment) - 1]
            if item.kind == "reference":
                assert quality_of(item.text, reference) == 100
            if item.kind == "bad" and item.of is not None:
                original = hit.items[item.of - 1].text
                assert quality_of(item.text, original) < 90


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


def test_seeds() -> None:
    first, again, other = (simulate(hits=2, judges=2, seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first.judgments != other.judgments
    assert {system.name for system in first.systems} == {system.name for system in other.systems}


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


def test_systems_that_are_given_are_judged_as_made_ones_are() -> None:
    made = simulate(seed=3)
    again = judged(made.test_set, made.systems, seed=3)
    assert again == made
    with pytest.raises(UsageError, match="90 judges for 80 HITs"):
        judged(made.test_set, made.systems, judges=90)
