"""A simulated campaign with known truth: systems, texts, judges and their answers.

Systems damage a reference, some more than others, and a text's quality is what is left of it.
Honest judges tell it with a bias, a spread and noise of their own; others do not look. So it is
known which system is best and whom to trust, and the pipeline can be held against that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from weigh.errors import UsageError
from weigh.human.draws import Draws
from weigh.human.hits import Hit, Item, make_hits
from weigh.types import Judgment, Outputs, System, TestSet

PAIR = "xx-en"
Habit = Literal["honest", "random", "constant", "generous"]
DISHONEST: tuple[Habit, ...] = ("random", "constant", "generous")

_NAMES = ("ash", "birch", "cedar", "elm", "fir", "hazel", "juniper", "larch", "maple", "oak")
_WHO = "the mayor|my sister|a young doctor|our neighbour|the old teacher|every farmer|the pilot"
_DOES = "found|repaired|carried|painted|described|lost|bought|followed|opened"
_WHAT = (
    "a small boat|the wooden door|three letters|an old clock|the red bicycle|some fresh bread|"
    "the broken bridge|a letter from the ministry|two tickets for the evening train"
)
_WHERE = "in the garden|near the harbour|behind the school|on the market|at the station|"
_WHEN = "yesterday|before the storm|after a long winter|last summer|during the festival|"
_SO = (
    "because nobody had asked|although it was raining|and told us about it at dinner|"
    "so that the children could see it from the window of their room|"
)
# Streams of draws: texts, judges and answers do not depend on each other.
_TEXTS, _JUDGES, _ANSWERS = (1 << 40), (2 << 40), (3 << 40)


@dataclass(frozen=True, slots=True)
class SimulatedJudge:
    """How somebody judges: score = 50 + bias + spread · (quality − 50) + noise, if honestly."""

    name: str
    habit: Habit
    bias: float
    spread: float
    noise: float


@dataclass(frozen=True, slots=True)
class Simulation:
    """All of a campaign; `qualities` holds each system's true mean quality, from 0 to 100."""

    test_set: TestSet
    systems: tuple[System, ...]
    qualities: dict[str, float]
    hits: tuple[Hit, ...]
    judges: tuple[SimulatedJudge, ...]
    judgments: tuple[Judgment, ...]

    @property
    def order(self) -> list[str]:
        """The systems from best to worst."""
        return sorted(self.qualities, key=lambda name: -self.qualities[name])


def simulate(
    *,
    systems: int = 5,
    segments: int = 200,
    hits: int = 80,
    judges: int = 40,
    dishonest: float = 0.25,
    preset: str = "crowd-alone",
    seed: int = 12345,
) -> Simulation:
    """Make a campaign; every judge does the same number of HITs, or one more."""
    if not 2 <= systems <= len(_NAMES):
        raise UsageError(f"{systems} systems; give a number from 2 to {len(_NAMES)}")
    _check_judges(hits, judges, dishonest)
    draws = Draws(seed, _TEXTS)
    references = [_sentence(draws) for _ in range(segments)]
    # Which name stands for which quality is left to chance, so that nothing can be read off it.
    rates = {
        name: 0.08 + 0.32 * number / (systems - 1)
        for number, name in enumerate(draws.shuffled(_NAMES[:systems]))
    }
    outputs = tuple(
        System(name, Outputs([_damaged(text, rates[name], draws) for text in references]))
        for name in _NAMES[:systems]
    )
    return judged(
        TestSet([references]),
        outputs,
        hits=hits,
        judges=judges,
        dishonest=dishonest,
        preset=preset,
        seed=seed,
    )


def judged(
    test_set: TestSet,
    systems: Sequence[System],
    *,
    hits: int = 80,
    judges: int = 40,
    dishonest: float = 0.25,
    preset: str = "crowd-alone",
    seed: int = 12345,
) -> Simulation:
    """Simulate judges who score texts by their overlap with the first reference."""
    _check_judges(hits, judges, dishonest)
    references = test_set.references[0]
    sheets = tuple(make_hits(test_set, systems, hits, preset=preset, seed=seed))
    people = _judges(judges, dishonest, Draws(seed, _JUDGES))
    return Simulation(
        test_set,
        tuple(systems),
        {
            system.name: sum(map(quality, system.outputs.texts, references)) / len(references)
            for system in systems
        },
        sheets,
        people,
        tuple(
            judgment
            for number, hit in enumerate(sheets)
            for judgment in answers(
                hit, references, people[number % judges], Draws(seed, _ANSWERS + number)
            )
        ),
    )


def _check_judges(hits: int, judges: int, dishonest: float) -> None:
    if not 0 <= dishonest <= 1:
        raise UsageError(f"share of dishonest judges {dishonest}; give a number from 0 to 1")
    if not 1 <= judges <= hits:
        raise UsageError(f"{judges} judges for {hits} HITs; give every judge at least one")


def _sentence(draws: Draws) -> str:
    parts = [
        draws.choice(phrases.split("|")) for phrases in (_WHO, _DOES, _WHAT, _WHERE, _WHEN, _SO)
    ]
    words = " ".join(filter(None, parts))
    return f"{words[0].upper()}{words[1:]} ."


def _damaged(text: str, rate: float, draws: Draws) -> str:
    """Return a text in which about this share of words is lost or wrong."""
    vocabulary = _WHAT.replace("|", " ").split(" ")
    # Some segments are harder than others, for all systems alike in the mean.
    rate *= draws.between(0.4, 1.6)
    words = []
    for word in text.split(" "):
        chance = draws.between()
        if chance >= rate:
            words.append(word)
        elif chance >= rate / 3:
            words.append(draws.choice(vocabulary))
    return " ".join(words) or draws.choice(vocabulary)


def quality(text: str, reference: str) -> float:
    """Share of a reference that is in a text, from 0 to 100.

    100 · (1 − d/n): d is the edit distance in words, n the larger number of words.

    >>> quality("a b d", "a b c d")
    75.0
    """
    words, expected = text.split(" "), reference.split(" ")
    row = list(range(len(expected) + 1))
    for number, word in enumerate(words, 1):
        above, row = row, [number]
        for at, other in enumerate(expected, 1):
            row.append(min(above[at] + 1, row[-1] + 1, above[at - 1] + (word != other)))
    return 100 * (1 - row[-1] / max(len(words), len(expected)))


def _judges(count: int, dishonest: float, draws: Draws) -> tuple[SimulatedJudge, ...]:
    wrong = round(count * dishonest)
    habits: list[Habit] = [DISHONEST[at % len(DISHONEST)] for at in range(wrong)]
    habits += ["honest"] * (count - wrong)
    return tuple(
        SimulatedJudge(
            f"judge{number:03d}",
            habit,
            bias=draws.normal(0, 8),
            spread=draws.between(0.7, 1.2),
            noise=draws.between(5, 14),
        )
        for number, habit in enumerate(draws.shuffled(habits), 1)
    )


def answers(
    hit: Hit, references: Sequence[str], judge: SimulatedJudge, draws: Draws
) -> list[Judgment]:
    """Answers of a judge to a HIT; a constant judge repeats the first number."""
    favourite = round(draws.between(40, 100))
    return [
        Judgment(
            judge=judge.name,
            hit=hit.name,
            pair=PAIR,
            kind=item.kind,
            system=item.system,
            segment=item.segment,
            value=_answer(item, references[int(item.segment) - 1], judge, favourite, draws),
            scale=hit.scale,
            seconds=round(
                draws.between(8, 30) if judge.habit == "honest" else draws.between(1, 6), 1
            ),
            item=str(item.number),
            of=None if item.of is None else str(item.of),
        )
        for item in hit.items
    ]


def _answer(
    item: Item, reference: str, judge: SimulatedJudge, favourite: int, draws: Draws
) -> float:
    if judge.habit == "random":
        return float(draws.below(101))
    if judge.habit == "constant":
        return float(favourite)
    if judge.habit == "generous":  # good marks for all, without looking
        return min(100.0, float(80 + draws.below(21)))
    exact = judge.bias + 50 + judge.spread * (quality(item.text, reference) - 50)
    return float(min(100, max(0, round(exact + draws.normal(0, judge.noise)))))
