"""Phrase pairs by their definition: all pairs of spans are looked at."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from math import prod

Words = tuple[int, ...]
Link = tuple[int, int]
Sentence = tuple[Words, Words, set[Link]]
MONOTONE, SWAPPED, DISCONTINUOUS = range(3)
NEVER_LINKED = 1e-7


@dataclass
class PhrasePair:
    alignments: Counter[tuple[Link, ...]] = field(default_factory=Counter)
    before: list[int] = field(default_factory=lambda: [0, 0, 0])
    after: list[int] = field(default_factory=lambda: [0, 0, 0])


def spans(size: int, longest: int) -> list[tuple[int, int]]:
    return [
        (start, end)
        for start, end in itertools.combinations(range(size + 1), 2)
        if end - start <= longest
    ]


def phrase_pairs(corpus: list[Sentence], longest: int) -> dict[tuple[Words, Words], PhrasePair]:
    """All pairs that have a link and none that leaves (Och & Ney 2004)."""
    pairs: defaultdict[tuple[Words, Words], PhrasePair] = defaultdict(PhrasePair)
    for source, target, links in corpus:
        # The edges of a sentence pair are linked.
        framed = links | {(-1, -1), (len(source), len(target))}
        for (s1, s2), (t1, t2) in itertools.product(
            spans(len(source), longest), spans(len(target), longest)
        ):
            inside = [(s, t) for s, t in links if s1 <= s < s2 and t1 <= t < t2]
            leaving = [(s, t) for s, t in links if (s1 <= s < s2) != (t1 <= t < t2)]
            if not inside or leaving:
                continue
            pair = pairs[source[s1:s2], target[t1:t2]]
            pair.alignments[tuple(sorted((s - s1, t - t1) for s, t in inside))] += 1
            pair.before[orientation((s1 - 1, t1 - 1), (s2, t1 - 1), framed)] += 1
            pair.after[orientation((s2, t2), (s1 - 1, t2), framed)] += 1
    return dict(pairs)


def orientation(straight: Link, crossed: Link, links: set[Link]) -> int:
    return MONOTONE if straight in links else SWAPPED if crossed in links else DISCONTINUOUS


class LexicalWeights:
    """Chances of target words given source words by how often they are linked."""

    def __init__(self, corpus: list[Sentence]) -> None:
        self.pairs: Counter[Link] = Counter()
        for source, target, links in corpus:
            for s, t in links:
                self.pairs[source[s], target[t]] += 1
            for s in set(range(len(source))) - {s for s, _ in links}:
                self.pairs[source[s], 0] += 1
            for t in set(range(len(target))) - {t for _, t in links}:
                self.pairs[0, target[t]] += 1

    def chance(self, source: int, target: int) -> float:
        if (source, target) not in self.pairs:
            return NEVER_LINKED
        total = sum(count for (other, _), count in self.pairs.items() if other == source)
        return self.pairs[source, target] / total

    def weight(self, source: Words, target: Words, links: tuple[Link, ...]) -> float:
        """Koehn, Och & Marcu 2003, section 3.2."""
        means = []
        for place, word in enumerate(target):
            linked = [source[s] for s, t in links if t == place] or [0]
            means.append(sum(self.chance(other, word) for other in linked) / len(linked))
        return prod(means)


def turned(corpus: list[Sentence]) -> list[Sentence]:
    """The same corpus with source and target exchanged."""
    return [(target, source, {(t, s) for s, t in links}) for source, target, links in corpus]
