"""HITs: one source span on each, with up to ten of its translations to be judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from weigh.errors import InputError, plural
from weigh.read.alignment import Links, check_links, parse_links
from weigh.read.lines import read_texts
from weigh.read.stream import shown
from weigh.read.words import words_of
from weigh.rypt.candidates import Pool
from weigh.rypt.mturk import ALTERNATIVES
from weigh.rypt.queries import Query


@dataclass(frozen=True, slots=True)
class Alternative:
    """A translation of the span, and the places of its words in a whole candidate."""

    query: Query
    words: Sequence[str]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """What a judge sees at a time; `reference_places` are those aligned to the span.

    Without a reference there are no words of it.
    """

    name: str
    sentence: int
    source: Sequence[str]
    start: int
    end: int
    alternatives: tuple[Alternative, ...]
    reference: Sequence[str] = ()
    reference_places: tuple[int, ...] = ()

    @property
    def gain(self) -> float:
        """The expected number of nodes that its labels decide, if none decides another's."""
        return sum(each.query.gain for each in self.alternatives)


@dataclass(frozen=True, slots=True)
class AlignedTexts:
    """Texts as words, and what the words of each are linked to: references, or candidates."""

    words: Sequence[Sequence[str]]
    links: Sequence[Sequence[tuple[int, int]]]

    @classmethod
    def of(cls, words: Sequence[Sequence[str]], links: Links) -> AlignedTexts:
        """Give every text its own links."""
        pairs = list(zip(links.sources.tolist(), links.targets.tolist(), strict=True))
        ends = np.searchsorted(links.owners, np.arange(len(words)), side="right").tolist()
        return cls(words, [pairs[start:end] for start, end in pairwise([0, *ends])])

    def places(self, text: int, start: int, end: int) -> tuple[int, ...]:
        """Return the places of the words of a text that are linked to a source span."""
        links = self.links[text]
        return tuple(sorted({target for source, target in links if start <= source < end}))


def read_references(
    path: str, alignment: str | None, sources: Sequence[Sequence[str]]
) -> AlignedTexts:
    """Return references with their alignments, without which nothing in them stands out."""
    texts = read_texts(path)
    lines = read_texts(alignment) if alignment is not None else [""] * len(texts)
    for name, column in ((path, texts), (alignment or "", lines)):
        if len(column) != len(sources):
            raise InputError(
                f"{shown(name)}: {plural(len(column), 'line')}, but the source has "
                f"{plural(len(sources), 'sentence')}; look for a missing last line"
            )

    def where(place: int) -> str:
        return f"{shown(alignment or '')}: line {place + 1:,}"

    words = [words_of(text) for text in texts]
    links = parse_links(lines, where)
    check_links(links, [len(each) for each in sources], [len(each) for each in words], where)
    return AlignedTexts.of(words, links)


def number_of_hits(queries: Iterable[Query], most: int = ALTERNATIVES) -> int:
    """Return how many HITs `make_hits` would make."""
    by_span = Counter(query[:3] for query in queries)
    return sum(-(-count // most) for count in by_span.values())


def make_hits(
    queries: Iterable[Query],
    sources: Sequence[Sequence[str]],
    pools: Sequence[Pool],
    references: AlignedTexts | None = None,
    most: int = ALTERNATIVES,
) -> list[Hit]:
    """Put queries on HITs of at most so many, the most useful HIT first.

    The queries of a span fill one HIT after the other in the order in which they come, and stand
    on it in the order of the alphabet, so that their places tell nothing. HITs are ordered by the
    sum of their gains.
    """
    by_sentence: dict[int, dict[tuple[int, int], list[Query]]] = {}
    for query in queries:
        spans = by_sentence.setdefault(query.sentence, {})
        spans.setdefault((query.start, query.end), []).append(query)
    hits = []
    for sentence, spans in by_sentence.items():
        source = sources[sentence]
        aligned = pools[sentence].aligned(source)
        candidates = AlignedTexts.of(aligned.words, aligned.links)
        reference = () if references is None else references.words[sentence]
        for (start, end), own in spans.items():
            places = () if references is None else references.places(sentence, start, end)
            for at in range(0, len(own), most):
                part = sorted(own[at : at + most], key=lambda query: query.substring)
                shown_parts = tuple(_alternative(query, candidates) for query in part)
                hits.append(Hit("", sentence, source, start, end, shown_parts, reference, places))
    hits.sort(key=lambda hit: (-hit.gain, hit.sentence, hit.start, hit.end))
    return [replace(hit, name=f"hit-{number:05d}") for number, hit in enumerate(hits, 1)]


def _alternative(query: Query, candidates: AlignedTexts) -> Alternative:
    places = candidates.places(query.context, query.start, query.end)
    return Alternative(query, candidates.words[query.context], places)
