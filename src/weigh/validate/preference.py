"""The metric whose choices people prefer, from answers to blind pairs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import ClassVar

from weigh.errors import InputError, UsageError
from weigh.human.agreement import of_preferences
from weigh.read.answers import Omission
from weigh.read.campaign_tables import CHOSEN, is_database, read_campaign
from weigh.read.preferences import Choice, Choices, read_choices
from weigh.read.text import quoted
from weigh.result import Extent, Result, checked, checked_p_value, decode, derived, warns
from weigh.stats.ranking import sign_test
from weigh.types import Preference
from weigh.validate.blinding import OTHER, Key, Side


@dataclass(frozen=True, slots=True)
class VoteCounts:
    """Counts of answers or sentences by kind."""

    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.counts)

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of each kind; NaN where nothing is counted."""
        return tuple(count / self.total if self.total else math.nan for count in self.counts)


@dataclass(frozen=True, slots=True)
class Votes:
    """The votes on the pairs of one key.

    `judgments_a` and so on count single answers. `margins` counts sentences by how many more
    answers a has than b. The sign test is of the sentences in which a or b has more: several
    answers to one sentence are not independent, so they are not tested themselves. `left` counts
    the answers for what stood on the left. `alpha` is the agreement of judges (Krippendorff's
    alpha of the three answers), NaN where no two of them judged a pair.
    """

    a: str
    b: str
    reference_shown: bool
    judges: int
    judgments_a: int
    judgments_b: int
    judgments_neither: int
    sentences_a: int
    sentences_b: int
    sentences_even: int
    p_value: float
    left: int
    alpha: float
    unanswered: int
    incomplete: int
    judges_per_pair: int
    seed: int
    signatures: Mapping[str, str]
    margins: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        checked_p_value(self.p_value)

    @property
    def preferences(self) -> int:
        """The number of answers for one of both texts."""
        return self.judgments_a + self.judgments_b

    @property
    def judgment_counts(self) -> VoteCounts:
        """The answers for a's choice, for b's choice, and for neither."""
        return VoteCounts((self.judgments_a, self.judgments_b, self.judgments_neither))

    @property
    def sentence_counts(self) -> VoteCounts:
        """The sentences of each margin."""
        return VoteCounts(tuple(count for _, count in self.margins))

    @property
    def ahead(self) -> str | None:
        """The metric whose choices win more sentences, if one does."""
        if self.sentences_a == self.sentences_b:
            return None
        return self.a if self.sentences_a > self.sentences_b else self.b


@dataclass(frozen=True, slots=True)
class PreferenceResult(Result):
    """The votes on pairs, for each key."""

    command: ClassVar[str] = "validate preference"

    test_set: Extent
    preferences: tuple[Votes, ...]
    omissions: tuple[Omission, ...]

    def __post_init__(self) -> None:
        checked(len(self.preferences) > 0, "no preferences")

    @property
    @derived
    def signatures(self) -> dict[str, str]:
        """The signatures of all metrics that chose."""
        return {
            name: signature
            for votes in self.preferences
            for name, signature in votes.signatures.items()
        }


@warns
def preference(
    keys: Sequence[Key] | None, answers: Choices | Sequence[Choice] | str | PathLike[str]
) -> PreferenceResult:
    """Count people's answers to the pairs of some keys, and test what they prefer.

    `answers` may be a file of them, or the database of a campaign, which keeps the `keys` itself:
    then they are None.
    """
    if isinstance(answers, str | PathLike):
        location = fspath(answers)
        keys = collected_keys([location], keys or ())
        answers = read_choices([location])
    if not keys:
        raise UsageError("no key of the pairs is given; read it with read_key")
    choices = answers if isinstance(answers, Choices) else Choices(tuple(answers), (), ())
    votes = count_votes(keys, choices.choices)
    segment_of = {pair.pair: pair.segment for key in keys for pair in key.pairs}
    judged = {segment_of[choice.pair] for choice in choices.choices}
    return PreferenceResult(Extent(len(judged), 0), tuple(votes), choices.omissions)


def collected_keys(answers: Sequence[str], keys: Sequence[Key] = ()) -> list[Key]:
    """The keys of answers: the given ones, or else those stored in campaigns.

    `answers` are files, whose keys have to be given, and databases of campaigns, which keep theirs:
    where those are given too, they must be the same.
    """
    needed: list[Key] = []
    for location in answers:
        if not is_database(location):
            if not keys:
                raise UsageError("no key given; name its file with --key FILE")
            continue
        campaign = read_campaign(location, CHOSEN)
        campaign.require(CHOSEN)
        kept = [
            decode(Key, document, f"{campaign.place}: key")
            for document in campaign.settings["keys"]
        ]
        if not kept and not keys:
            raise UsageError(
                f"{campaign.place}: no key was stored with the pairs; name its file with --key FILE"
            )
        keys_of_pairs = {pair.pair: key for key in kept for pair in key.pairs}
        for key in keys:
            if any(keys_of_pairs.get(pair.pair, key) != key for pair in key.pairs):
                raise InputError(
                    f"{campaign.place}: stores a different key of the same pairs; leave out --key"
                )
        needed += [key for key in kept if key not in needed]
    return list(keys) if keys else needed


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
    return [_votes(key, choices) for key, choices in zip(keys, answers, strict=True)]


def _votes(key: Key, choices: Sequence[Choice]) -> Votes:
    lefts = {pair.pair: pair.left for pair in key.pairs}
    margins: Counter[str] = Counter()
    choice_counts: Counter[str] = Counter()
    votes: Counter[Side | None] = Counter()
    preferences = []
    for choice in choices:
        left_choice = lefts[choice.pair]
        side = {"left": left_choice, "right": OTHER[left_choice], "neither": None}[choice.answer]
        votes[side] += 1
        choice_counts[choice.pair] += 1
        margins[choice.pair] += (side == "a") - (side == "b")
        winner, loser = ("b", "a") if side == "b" else ("a", "b")
        preferences.append(Preference(winner, loser, choice.pair, side is None, choice.judge))
    counts = Counter(margins.values())
    ahead = (
        sum(count for margin, count in counts.items() if margin > 0),
        sum(count for margin, count in counts.items() if margin < 0),
    )
    several = any(count > 1 for count in choice_counts.values())
    return Votes(
        a=key.a,
        b=key.b,
        reference_shown=key.reference_shown,
        judges=len({choice.judge for choice in choices}),
        judgments_a=votes["a"],
        judgments_b=votes["b"],
        judgments_neither=votes[None],
        sentences_a=ahead[0],
        sentences_b=ahead[1],
        sentences_even=counts[0],
        p_value=sign_test(*ahead),
        left=sum(choice.answer == "left" for choice in choices),
        alpha=(of_preferences(preferences).alpha_nominal if several else float("nan")),
        unanswered=len(key.pairs) - len(choice_counts),
        incomplete=sum(count < key.judges for count in choice_counts.values()),
        judges_per_pair=key.judges,
        seed=key.seed,
        signatures=key.signatures,
        margins=tuple(sorted(counts.items(), reverse=True)),
    )
