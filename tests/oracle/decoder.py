"""Phrase-based decoding by its definition: all derivations are made."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from oracle.languagemodel import UNKNOWN, Table, backed_off
from oracle.phrasetable import DISCONTINUOUS, MONOTONE, SWAPPED

PASSED_THROUGH = -10.0
(DISTORTION, BEFORE, AFTER, LANGUAGE, TRANSLATION, PHRASES, WORDS, FEATURES) = (
    0, 1, 4, 7, 8, 12, 13, 14,
)  # fmt: skip


@dataclass(frozen=True)
class Phrase:
    """A row of a phrase table: four translation scores, then three and three of orientations."""

    source: tuple[int, ...]
    target: tuple[int, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class Model:
    phrases: list[Phrase]
    language: Table
    order: int
    start: int
    end: int

    def options(self, words: tuple[int, ...]) -> list[int]:
        """Numbers of the phrases that translate words; -1 lets a word pass through."""
        found = [at for at, phrase in enumerate(self.phrases) if phrase.source == words]
        return found or ([-1] if len(words) == 1 else [])


Step = tuple[int, int, int]


def derivations(
    model: Model, sentence: tuple[int, ...], longest: int, distortion: int
) -> Iterator[tuple[Step, ...]]:
    """All ways to cover a sentence once, within the limits on phrases and on reordering."""

    def go_on(steps: tuple[Step, ...], covered: frozenset[int], end: int) -> Iterator:
        if len(covered) == len(sentence):
            yield steps
            return
        gap = min(set(range(len(sentence))) - covered)
        for first in range(len(sentence)):
            for last in range(first + 1, min(len(sentence), first + longest) + 1):
                span = frozenset(range(first, last))
                # One must be able to come back to the first word that is left.
                too_far = first != gap and last - gap > distortion
                if span & covered or abs(first - end) > distortion or too_far:
                    continue
                for option in model.options(sentence[first:last]):
                    yield from go_on((*steps, (first, last, option)), covered | span, last)

    yield from go_on((), frozenset(), 0)


def orientation(before: tuple[int, int], after: tuple[int, int]) -> int:
    if before[1] == after[0]:
        return MONOTONE
    return SWAPPED if after[1] == before[0] else DISCONTINUOUS


def features(model: Model, steps: tuple[Step, ...], size: int) -> list[float]:
    values = [0.0] * FEATURES
    at_start, at_end = (0, 0), (size, size)
    spans = [at_start, *((first, last) for first, last, _ in steps), at_end]
    turns = [orientation(*pair) for pair in itertools.pairwise(spans)]
    if steps:  # the edges of a sentence are no phrases that one could swap with
        turns[0] = MONOTONE if spans[1][0] == 0 else DISCONTINUOUS
        turns[-1] = MONOTONE if spans[-2][1] == size else DISCONTINUOUS
    end = 0
    for place, (first, last, number) in enumerate(steps):
        values[DISTORTION] -= abs(first - end)
        end = last
        values[PHRASES] += 1
        if number < 0:
            scores = (PASSED_THROUGH,) * 4 + (0.0,) * 6
            values[WORDS] -= 1
        else:
            scores = model.phrases[number].scores
            values[WORDS] -= len(model.phrases[number].target)
        for column in range(4):
            values[TRANSLATION + column] += scores[column]
        values[BEFORE + turns[place]] += scores[4 + turns[place]]
        values[AFTER + turns[place + 1]] += scores[7 + turns[place + 1]]
    told = [UNKNOWN if word < 0 else word for word in words(model, steps)]
    context: tuple[int, ...] = (model.start,)
    for word in [*told, model.end]:
        values[LANGUAGE] += backed_off(model.language, model.order, context, word)
        context = (*context, word)
    return values


def words(model: Model, steps: tuple[Step, ...]) -> tuple[int, ...]:
    """The words that a derivation makes; -1 - i is the source word i."""
    made: list[int] = []
    for first, _, number in steps:
        made += [-1 - first] if number < 0 else model.phrases[number].target
    return tuple(made)
