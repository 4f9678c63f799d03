"""What words of an output translate: from phrases to word links, with a training corpus or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from weigh.errors import InputError
from weigh.read.derivations import Derivation, Phrase

Link = tuple[int, int]


class Pattern(NamedTuple):
    """The words of a phrase: runs of words on either side, between which others stand.

    Its links are pairs of places among its own words.
    """

    sources: tuple[tuple[str, ...], ...]
    targets: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, phrase: Phrase, sources: Sequence[str], targets: Sequence[str]) -> Pattern:
        """Return the words of a phrase of a sentence and an output.

        >>> Pattern.of(Phrase((0, 2), (0, 1)), ["a", "b", "c"], ["x", "y"])
        Pattern(sources=(('a',), ('c',)), targets=(('x', 'y'),))
        """
        return cls(_runs(phrase.sources, sources), _runs(phrase.targets, targets))


def _runs(places: Sequence[int], words: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    runs: list[list[str]] = []
    before = -2
    for place in places:
        if place > before + 1:
            runs.append([])
        runs[-1].append(words[place])
        before = place
    return tuple(map(tuple, runs))


Known = Mapping[Pattern, Sequence[Link]]


class WordLinks(NamedTuple):
    """Word links, and of how many phrases they are all pairs since nothing more was known."""

    links: tuple[Link, ...]
    crossed: int


def word_links(
    derivation: Derivation, sources: Sequence[str] = (), known: Known | None = None
) -> WordLinks:
    """Return the word links of a derivation's phrases, phrase by phrase.

    One word is linked with one word. Words of other phrases are linked as in a training corpus
    where that is `known`, and each with each where it is not.

    >>> word_links(Derivation(("x", "y"), (Phrase((0,), (1,)), Phrase((1, 2), (0,))), 3))
    WordLinks(links=((0, 1), (1, 0), (2, 0)), crossed=1)
    """
    links: list[Link] = []
    crossed = 0
    for phrase in derivation.phrases:
        within = None
        if known and not is_single(phrase):
            within = known.get(Pattern.of(phrase, sources, derivation.words))
        if within is not None:
            links += sorted((phrase.sources[s], phrase.targets[t]) for s, t in within)
        else:
            links += ((s, t) for s in phrase.sources for t in phrase.targets)
            crossed += not is_single(phrase)
    return WordLinks(tuple(links), crossed)


def is_single(phrase: Phrase) -> bool:
    """Return whether a phrase is one word on either side."""
    return len(phrase.sources) == len(phrase.targets) == 1


def check_derivation(derivation: Derivation, sources: Sequence[str], where: str) -> None:
    """Refuse a derivation of a longer sentence than the source is."""
    if derivation.end > len(sources):
        raise InputError(
            f"{where}: the derivation covers source words up to {derivation.end:,}, but the source "
            f"has {len(sources):,}; check that both belong together"
        )


def phrase_line(phrases: Iterable[Phrase]) -> str:
    """Return phrases as a line.

    >>> phrase_line([Phrase((1,), (1,)), Phrase((0, 2), (0, 2))])
    '1--1 0,2--0,2'
    """
    return " ".join(
        f"{','.join(map(str, phrase.sources))}--{','.join(map(str, phrase.targets))}"
        for phrase in phrases
    )


def link_line(links: Iterable[Link]) -> str:
    """Return word links as a line.

    >>> link_line([(0, 0), (1, 2)])
    '0-0 1-2'
    """
    return " ".join(f"{source}-{target}" for source, target in links)
