"""How useful queries still are: what they would decide, as labels come in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from weigh.read.text import shown
from weigh.rypt.labels import Entry, Label, SpanLabels
from weigh.rypt.queries import ParsedPool, Query, count_lengths, parsed_pools, shares_of
from weigh.rypt.sentences import AskedSentence, read_sentences
from weigh.types import grouped

_NONE: SpanLabels = {}


class Coverage(NamedTuple):
    """How many nodes of candidates are YES or NO after percolation, and how many there are."""

    covered: int
    places: int


class _Asked(NamedTuple):
    """What is to be asked of a pool where it has these labels, and the nodes that they decide."""

    labels: SpanLabels
    queries: Sequence[Query]
    covered: int


class Usefulness:
    """What queries about some sentences would decide, given the labels that there are.

    Labels that were there when the queries were made need not be given again; where an entry has
    another one by now, that counts. Whatever depends on a sentence's labels alone is kept until
    they change, so after each answer only one sentence is reckoned anew. Threads may share it.
    """

    def __init__(self, sentences: Sequence[AskedSentence], name: str = "sentences") -> None:
        """Take sentences, and check all that could be wrong with them; `name` is the file's."""
        self._known = {each.source: each.known for each in sentences if each.labels}
        asked = [(row, each) for row, each in enumerate(sentences, 1) if each.candidates]
        trees = [each.parsed(f"{name}: line {row:,}") for row, each in asked]
        pools = [each.pool(name, row) for row, each in asked]
        for tree, pool in zip(trees, pools, strict=True):
            pool.aligned(tree.words)  # which refuses links to words that are not there
        max_length = sentences[0].max_length if sentences else 1
        parsed = parsed_pools(trees, pools, max_length)
        self._pools = grouped(parsed, lambda pool: pool.source)
        self._asked: dict[ParsedPool, _Asked] = {}
        self._counts: dict[str, tuple[SpanLabels, Counter[tuple[int, Label]]]] = {}

    @classmethod
    def read(cls, path: str) -> Usefulness:
        """Take the sentences.jsonl that `weigh rypt queries -o` has written."""
        return cls(read_sentences(path), shown(path))

    def gains(
        self, labels: Mapping[str, SpanLabels], sources: Collection[str]
    ) -> dict[Entry, float]:
        """Return what each query about these source sentences is expected to decide.

        It is `Query.gain`; where a sentence has several trees, the sum over them. What has a label
        or would decide nothing is not in it.
        """
        known = self._all(labels)
        counts: Counter[tuple[int, Label]] = Counter()
        for source, own in known.items():
            counts.update(self._lengths(source, own))
        shares = shares_of(counts)
        gains: dict[Entry, float] = {}
        for source in dict.fromkeys(sources):
            for pool in self._pools.get(source, ()):
                for query in self._of(pool, known).queries:
                    entry = Entry(source, query.start, query.end, query.substring)
                    length = query.end - query.start
                    fresh = replace(query, shares=shares.get(length, query.shares))
                    gains[entry] = gains.get(entry, 0.0) + fresh.gain
        return gains

    def coverage(self, labels: Mapping[str, SpanLabels]) -> Coverage:
        """Return how many nodes of candidates are decided, over all sentences."""
        known = self._all(labels)
        covered = places = 0
        for source, pools in self._pools.items():
            for pool in pools:
                places += pool.places
                if known.get(source):
                    covered += self._of(pool, known).covered
        return Coverage(covered, places)

    def _all(self, labels: Mapping[str, SpanLabels]) -> Mapping[str, SpanLabels]:
        """Return the labels that are given and those that were there before."""
        if not self._known:
            return labels
        before = {source: {**own, **labels.get(source, {})} for source, own in self._known.items()}
        return {**labels, **before}

    def _of(self, pool: ParsedPool, labels: Mapping[str, SpanLabels]) -> _Asked:
        """Return what is to be asked of a pool, with the paper's shares."""
        own = labels.get(pool.source, _NONE)
        asked = self._asked.get(pool)
        if asked is None or asked.labels != own:
            own, tally = dict(own), Counter[str]()
            queries = pool.queries(own, {}, tally)
            asked = self._asked[pool] = _Asked(own, queries, tally["covered"])
        return asked

    def _lengths(self, source: str, labels: SpanLabels) -> Counter[tuple[int, Label]]:
        counted = self._counts.get(source)
        if counted is None or counted[0] != labels:
            own = dict(labels)
            counted = self._counts[source] = own, count_lengths(own)
        return counted[1]
