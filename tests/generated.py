"""Test sets made here: sentences of a small grammar, and systems that spoil them more and more."""

from __future__ import annotations

import random
from collections.abc import Sequence

from weigh.types import Outputs, System, TestSet

_DETERMINERS = ["the", "a", "every", "this", "some", "another"]
_ADJECTIVES = ["old", "quiet", "yellow", "careful", "distant", "small", "heavy", "new", "late"]
_NOUNS = ["teacher", "river", "garden", "machine", "letter", "road", "doctor", "market", "storm"]
_NOUNS += ["window", "captain", "village", "engine", "question", "answer", "winter", "bridge"]
_VERBS = ["follows", "finds", "repairs", "opens", "remembers", "crosses", "leaves", "watches"]
_ADVERBS = ["slowly", "today", "again", "at last", "without a word", "in the morning", "twice"]
_LINKS = ["and then", "while", "because", "although", "before"]


def sentences(count: int, seed: int = 1) -> list[str]:
    """Sentences of one to eight clauses, most of them short."""
    chance = random.Random(seed)
    return [_sentence(chance) for _ in range(count)]


def _sentence(chance: random.Random) -> str:
    clauses = [_clause(chance)]
    while len(clauses) < 8 and chance.random() < 0.5:
        clauses += [chance.choice(_LINKS), _clause(chance)]
    text = " ".join(clauses)
    return text[0].upper() + text[1:] + chance.choice([".", ".", ".", "?"])


def _clause(chance: random.Random) -> str:
    words = [*_phrase(chance), chance.choice(_VERBS), *_phrase(chance)]
    if chance.random() < 0.4:
        words.append(chance.choice(_ADVERBS))
    return " ".join(words) + "," * (chance.random() < 0.2)


def _phrase(chance: random.Random) -> list[str]:
    adjectives = [chance.choice(_ADJECTIVES)] if chance.random() < 0.5 else []
    return [chance.choice(_DETERMINERS), *adjectives, chance.choice(_NOUNS)]


def spoilt(texts: Sequence[str], share: float, seed: int) -> list[str]:
    """Texts in which so large a share of the words is replaced, dropped, doubled or moved."""
    chance = random.Random(seed)
    return [" ".join(_spoil(text.split(" "), share, chance)) for text in texts]


def _spoil(words: list[str], share: float, chance: random.Random) -> list[str]:
    result: list[str] = []
    for word in words:
        if chance.random() >= share:
            result.append(word)
            continue
        kind = chance.randrange(4)
        if kind == 0:
            result.append(chance.choice(_NOUNS + _ADJECTIVES + _VERBS))
        elif kind == 1:
            result += [word, word]
        elif kind == 2:
            result.insert(max(0, len(result) - 1), word)
    return result


def generated(
    systems: int = 12, segments: int = 200, seed: int = 1
) -> tuple[list[System], TestSet]:
    """Systems that are the worse the later they come, and the test set with sources."""
    references = sentences(segments, seed)
    made = [
        System(
            f"system-{number:02}", Outputs(spoilt(references, 0.05 + 0.02 * number, seed + number))
        )
        for number in range(1, systems + 1)
    ]
    return made, TestSet([references], sources=spoilt(references, 0.9, seed))
