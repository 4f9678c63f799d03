"""Simulated people for texts of made-up languages, of which it is known what they mean.

Words that mean the same are right alike, whichever of them the reference has, and so are orders of
words; articles are not counted. The reference is one of several right translations: a text is held
against that which is nearest to it. A constituent is translated acceptably if its words are those
that one of them has for it, in their order and with nothing between them that does not belong
there; of two translations that with fewer wrong words is better. Judges tell this, but err.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from weigh.read.preferences import Choice
from weigh.rypt.labels import GAP, Entry, EntryJudgment, Label
from weigh_lab.simulation import quality

if TYPE_CHECKING:
    from weigh.read.preferences import Answer
    from weigh.rypt.queries import Query
    from weigh.validate.blinding import Question

_NOT_COUNTED = frozenset(("a", "an", "the", ""))


class _Right(NamedTuple):
    """A right translation: its words, and the place of each word of the reference."""

    words: tuple[str, ...]
    places: Mapping[int, int]


class Meanings:
    """Synonyms, equivalent word orders, and correct translations of spans.

    `references` and `links` (source and target places) are of the sentences that are judged;
    `orders` are, for each, the orders of the reference's words that say the same.
    """

    def __init__(
        self,
        synonyms: Mapping[str, str],
        references: Sequence[str],
        links: Sequence[Sequence[tuple[int, int]]],
        orders: Sequence[Sequence[Sequence[int]]] | None = None,
    ) -> None:
        self._synonyms = synonyms
        self._links = links
        self._right: list[list[_Right]] = []
        for at, reference in enumerate(references):
            words = reference.split(" ")
            ways = [range(len(words))] if orders is None else orders[at]
            self._right.append(
                [
                    _Right(
                        tuple(words[place] for place in way),
                        {place: new for new, place in enumerate(way)},
                    )
                    for way in ways
                ]
            )

    def folded(self, words: Sequence[str]) -> list[str]:
        """Return the words that count, each as the most frequent that means the same."""
        return [self._synonyms.get(word, word) for word in words if word not in _NOT_COUNTED]

    def is_acceptable(self, sentence: int, start: int, end: int, substring: str) -> bool:
        """Whether words, with a GAP for each run of others, translate a source span."""
        words = self.folded(substring.split(" "))
        linked = {target for source, target in self._links[sentence] if start <= source < end}
        return any(words == self._meant(right, linked) for right in self._right[sentence])

    def _meant(self, right: _Right, linked: Set[int]) -> list[str]:
        """Words of a translation for a source span, with a GAP for each run of others."""
        places = {right.places[target] for target in linked}
        meant: list[str] = []
        for place in range(min(places, default=0), max(places, default=-1) + 1):
            if place in places:
                meant += self.folded([right.words[place]])
            elif right.words[place] not in _NOT_COUNTED and meant[-1:] not in ([], [GAP]):
                meant.append(GAP)
        return meant[:-1] if meant[-1:] == [GAP] else meant

    def words(self, sentence: int) -> int:
        """Number of reference words that count."""
        return len(self.folded(self._right[sentence][0].words))

    def wrong_words(self, sentence: int, text: str) -> int:
        """Number of words to change to express the meaning."""
        longer = max(len(self.folded(text.split(" "))), self.words(sentence))
        return round((1 - self.quality(sentence, text) / 100) * longer)

    def wrong_in_any_order(self, sentence: int, text: str) -> int:
        """Number of wrong or missing words, ignoring order."""
        words = Counter(self.folded(text.split(" ")))
        meant = Counter(self.folded(self._right[sentence][0].words))
        return max((words - meant).total(), (meant - words).total())

    def quality(self, sentence: int, text: str) -> float:
        """The correct share of a text, from 0 to 100, by edit distance."""
        words = " ".join(self.folded(text.split(" ")))
        return max(
            quality(words, " ".join(self.folded(right.words))) for right in self._right[sentence]
        )


@dataclass(frozen=True, slots=True)
class Judges:
    """People who err: with the chances `wrong` and `unsure` on a label.

    The difference of two texts seems to them what it is, in words, and a normal deviate more, of
    the standard deviation `noise`; they prefer neither if it seems at most half of that.
    """

    meanings: Meanings
    seed: int
    wrong: float = 0.1
    unsure: float = 0.05
    noise: float = 1.5

    def label(self, query: Query, source: str) -> EntryJudgment:
        """Label of a query; the same query always gets the same label."""
        sentence, entry = query.line - 1, Entry(source, query.start, query.end, query.substring)
        chance = Random(f"{self.seed} label {tuple(entry)}").random()
        truth = self.meanings.is_acceptable(sentence, *entry[1:])
        label = Label.YES if truth != (chance > 1 - self.wrong) else Label.NO
        return EntryJudgment(entry, Label.NOT_SURE if chance < self.unsure else label, "judge")

    def prefer(self, judge: str, sentence: int, question: Question) -> Choice:
        """Choose the better text of a pair, or neither."""
        left, right = (
            self.meanings.wrong_words(sentence, text) for text in (question.left, question.right)
        )
        chance = Random(f"{self.seed} {judge} {question.pair}")
        felt = right - left + chance.gauss(0, self.noise)
        answer: Answer = "left" if felt > 0 else "right"
        return Choice(question.pair, judge, "neither" if abs(felt) <= self.noise / 2 else answer)
