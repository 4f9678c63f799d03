"""Answers to blind pairs counted: judgment by judgment, and sentence by sentence with a test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weigh.errors import InputError
from weigh.human.agreement import of_preferences
from weigh.read.choices import Choice
from weigh.read.stream import quoted
from weigh.stats.nonparametric import sign_test
from weigh.types import Preference
from weigh.validate.preference import OTHER, Key, Side


@dataclass(frozen=True, slots=True)
class Votes:
    """What people say of the pairs of one key.

    `judgments` counts single answers: for a, for b, for neither. `margins` counts sentences by how
    many more answers a has than b. The sign test is of `ahead`, the sentences in which a or b has
    more: several answers to one sentence are not independent, so they are not tested themselves.
    `lefts` counts the answers for what stood on the left. `alpha` is the agreement of judges
    (Krippendorff's alpha of the three answers), NaN where no two of them judged a pair.
    """

    key: Key
    judges: int
    judgments: tuple[int, int, int]
    margins: dict[int, int]
    ahead: tuple[int, int]
    p_value: float
    lefts: int
    alpha: float
    unanswered: int
    incomplete: int


def count_votes(keys: Sequence[Key], choices: Iterable[Choice]) -> list[Votes]:
    """Return the votes on the pairs of each key."""
    owners: dict[str, int] = {}
    for number, key in enumerate(keys):
        for pair in key.pairs:
            if owners.setdefault(pair.pair, number) != number:
                raise InputError("two keys have the same pairs; give each key once")
    answers: list[list[Choice]] = [[] for _ in keys]
    for choice in choices:
        if choice.pair not in owners:
            raise InputError(
                f"{choice.where or 'answers'}: the pair {quoted(choice.pair)}, which no key has; "
                "give the key that was written with these pairs"
            )
        answers[owners[choice.pair]].append(choice)
    return [_votes(key, own) for key, own in zip(keys, answers, strict=True)]


def _votes(key: Key, choices: Sequence[Choice]) -> Votes:
    lefts = {pair.pair: pair.left for pair in key.pairs}
    margins: Counter[str] = Counter()
    given: Counter[str] = Counter()
    votes: Counter[Side | None] = Counter()
    preferences = []
    for choice in choices:
        left = lefts[choice.pair]
        side = {"left": left, "right": OTHER[left], "neither": None}[choice.answer]
        votes[side] += 1
        given[choice.pair] += 1
        margins[choice.pair] += (side == "a") - (side == "b")
        winner, loser = ("b", "a") if side == "b" else ("a", "b")
        preferences.append(Preference(winner, loser, choice.pair, side is None, choice.judge))
    shown = Counter(margins.values())
    ahead = (
        sum(count for margin, count in shown.items() if margin > 0),
        sum(count for margin, count in shown.items() if margin < 0),
    )
    several = any(count > 1 for count in given.values())
    return Votes(
        key=key,
        judges=len({choice.judge for choice in choices}),
        judgments=(votes["a"], votes["b"], votes[None]),
        margins=dict(sorted(shown.items(), reverse=True)),
        ahead=ahead,
        p_value=sign_test(*ahead),
        lefts=sum(choice.answer == "left" for choice in choices),
        alpha=(of_preferences(preferences).alpha_nominal if several else float("nan")),
        unanswered=len(key.pairs) - len(given),
        incomplete=sum(count < key.judges for count in given.values()),
    )
