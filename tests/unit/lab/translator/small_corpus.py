"""A small parallel corpus of a made-up language, with words in another order and ambiguity."""

from __future__ import annotations

import random

_NOUNS = {"hunta": "dog", "katta": "cat", "manna": "man", "husa": "house", "bloma": "flower"}
_VERBS = {"ser": "sees", "liker": "likes", "finner": "finds", "har": "has"}
_ADJECTIVES = {"stor": "big", "rod": "red", "liten": "small", "gammel": "old"}
# One word of the source for two of the target, which the noun before decides.
_AMBIGUOUS = ("lett", {"hunta": "quick", "husa": "bright"})


def sentence(draws: random.Random) -> tuple[str, str]:
    """Return a sentence, verb last and adjectives behind their nouns, and its translation."""
    source, target = [], []
    for role in ("subject", "object"):
        noun = draws.choice(list(_NOUNS))
        source.append(f"en {noun}")
        target.append("a")
        if draws.random() < 0.5:
            adjective = draws.choice(list(_ADJECTIVES))
            source.append(adjective)
            target.append(_ADJECTIVES[adjective])
        elif noun in _AMBIGUOUS[1] and draws.random() < 0.5:
            source.append(_AMBIGUOUS[0])
            target.append(_AMBIGUOUS[1][noun])
        target.append(_NOUNS[noun])
        if role == "subject":
            verb = draws.choice(list(_VERBS))
            target.append(_VERBS[verb])
    source.append(verb)
    return " ".join(source), " ".join(target)


def corpus(size: int, seed: int = 1) -> tuple[list[str], list[str]]:
    """Return so many sentence pairs."""
    draws = random.Random(seed)
    pairs = [sentence(draws) for _ in range(size)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
