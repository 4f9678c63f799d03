"""Word alignment by its definition: every alignment of a sentence pair is looked at."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

Words = list[int]
Pair = tuple[Words, Words]
EMPTY_AT_FIRST = 0.2
STEPS_OF_JUMPS = 8  # of Hunter's algorithm, in every maximisation


class WordAligner:
    """Model 1 and the HMM; word 0 is the empty one, and positions count from 1."""

    def __init__(self, corpus: list[Pair]) -> None:
        self.corpus = corpus
        partners: defaultdict[int, set[int]] = defaultdict(set)
        for given, made in corpus:
            for word in [0, *given]:
                partners[word] |= set(made)
        self.chances = {
            (word, other): 1 / len(others) for word, others in partners.items() for other in others
        }
        self.longest = max((len(given) for given, _ in corpus), default=0)
        self.jumps = dict.fromkeys(range(-self.longest, self.longest + 1), 1.0)
        self.empty = EMPTY_AT_FIRST
        self.forget()

    def forget(self) -> None:
        self.words: defaultdict[tuple[int, int], float] = defaultdict(float)
        self.jumped: defaultdict[int, float] = defaultdict(float)
        self.left: defaultdict[tuple[int, int], float] = defaultdict(float)
        self.empties = [0.0, 0.0]

    def alignments(self, pair: Pair, with_jumps: bool) -> dict[tuple[int, ...], float]:
        """The chance of every alignment: of each made word the given one, or 0."""
        given, made = pair
        ways = itertools.product(range(len(given) + 1), repeat=len(made))
        return {way: self.chance(pair, way, with_jumps) for way in ways}

    def chance(self, pair: Pair, way: tuple[int, ...], with_jumps: bool) -> float:
        given, made = pair
        chance, position = 1.0, 0
        for word, at in zip(made, way, strict=True):
            chance *= self.chances[[0, *given][at], word]
            if not with_jumps:
                chance /= len(given) + 1
            elif at == 0:
                chance *= self.empty
            else:
                chance *= (1 - self.empty) * self.jump_chance(position, at, len(given))
                position = at
        return chance

    def jump_chance(self, left: int, to: int, length: int) -> float:
        among = sum(self.jumps[place - left] for place in range(1, length + 1))
        return self.jumps[to - left] / among

    def expect(self, with_jumps: bool) -> float:
        """Add the expected counts of the whole corpus and return its log likelihood."""
        likelihood = 0.0
        for pair in self.corpus:
            given, made = pair
            if with_jumps and not (given and made):
                continue
            ways = self.alignments(pair, with_jumps)
            total = math.fsum(ways.values())
            likelihood += math.log(total)
            for way, chance in ways.items():
                self._count(pair, way, chance / total)
        return likelihood

    def _count(self, pair: Pair, way: tuple[int, ...], share: float) -> None:
        given, made = pair
        position = 0
        for word, at in zip(made, way, strict=True):
            self.words[[0, *given][at], word] += share
            self.empties[at > 0] += share
            if at > 0:
                self.jumped[at - position] += share
                self.left[position, len(given)] += share
                position = at

    def maximise(self, with_jumps: bool) -> None:
        sums: defaultdict[int, float] = defaultdict(float)
        for (word, _), count in self.words.items():
            sums[word] += count
        for word, other in self.chances:
            if sums[word] > 0:
                self.chances[word, other] = self.words[word, other] / sums[word]
        if with_jumps:
            for _ in range(STEPS_OF_JUMPS):
                self.improve_jumps()
            if sum(self.empties) > 0:
                self.empty = min(max(self.empties[0] / sum(self.empties), 1e-4), 0.9)
        self.forget()

    def improve_jumps(self) -> None:
        """One step of Hunter 2004, equation 14, for the counts that were made last."""
        chosen_from: defaultdict[int, float] = defaultdict(float)
        for (left, length), count in self.left.items():
            among = sum(self.jumps[to - left] for to in range(1, length + 1))
            for to in range(1, length + 1):
                chosen_from[to - left] += count / among
        for jump, count in chosen_from.items():
            if count > 0:
                self.jumps[jump] = max(self.jumped[jump] / count, 1e-12)

    def likelihood_of_jumps(self) -> float:
        """What the steps raise: the expected log chance of the jumps that were counted."""
        gained = sum(
            count * math.log(self.jumps[jump]) for jump, count in self.jumped.items() if count
        )
        spent = sum(
            count * math.log(sum(self.jumps[to - left] for to in range(1, length + 1)))
            for (left, length), count in self.left.items()
        )
        return gained - spent


Links = set[tuple[int, int]]
INTERSECTION, UNION, GROW_DIAG, GROW_DIAG_FINAL_AND = range(4)


def symmetrised(forward: Words, backward: Words, how: int) -> Links:
    """Links (source, target) of two directions, -1 for none (Koehn et al. 2003, section 3)."""
    to_sources = {(source, target) for target, source in enumerate(forward) if source >= 0}
    to_targets = {(source, target) for source, target in enumerate(backward) if target >= 0}
    union = to_sources | to_targets
    if how == UNION:
        return union
    links = to_sources & to_targets

    def is_new(link: tuple[int, int]) -> tuple[bool, bool]:
        return link[0] not in {s for s, _ in links}, link[1] not in {t for _, t in links}

    if how in (GROW_DIAG, GROW_DIAG_FINAL_AND):
        grows = True
        while grows:
            grows = False
            for source, target in itertools.product(range(len(backward)), range(len(forward))):
                if (source, target) not in links:
                    continue
                for down, right in itertools.product((-1, 0, 1), repeat=2):
                    near = source + down, target + right
                    if near in union - links and any(is_new(near)):
                        links.add(near)
                        grows = True
    if how == GROW_DIAG_FINAL_AND:
        for direction in (to_sources, to_targets):
            for link in sorted(direction):
                if all(is_new(link)):
                    links.add(link)
    return links
