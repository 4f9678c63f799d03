"""A test set's sources with their trees and labels: what any outputs for them are counted by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weigh.errors import InputError
from weigh.read.alignment import check_links, parse_links
from weigh.read.derivations import parse_derivation
from weigh.read.stream import quoted, shown
from weigh.read.words import words_of
from weigh.rypt.alignment import link_line, word_links
from weigh.rypt.counts import COLUMNS, SpanLabels, count_nodes
from weigh.rypt.tree import Trees, read_trees

if TYPE_CHECKING:
    from weigh.read.alignment import Links
    from weigh.rypt.counts import Counts
    from weigh.rypt.explanation import ExplainedNode

Where = Callable[[int], str]
"""Names the place of an output's alignment in messages."""


class Alignments(NamedTuple):
    """Outputs' word links as lines, and for each in how many phrases all words are linked."""

    lines: Sequence[str]
    crossed: Sequence[int]


def alignments_of(given: Sequence[str], texts: Sequence[str], where: Where) -> Alignments:
    """Return word links for each output, from Pharaoh's lines or derivations."""
    if not any(one.startswith("(") for one in given):
        return Alignments(given, [0] * len(given))
    lines, crossed = [], []
    for place, (one, text) in enumerate(zip(given, texts, strict=True)):
        if not one.startswith("("):
            lines.append(one)
            crossed.append(0)
            continue
        derivation = parse_derivation(one, where(place))
        if list(derivation.words) != words_of(text):
            raise InputError(
                f"{where(place)}: a derivation of {quoted(' '.join(derivation.words))}, but the "
                f"output is {quoted(text)}; check that both belong together"
            )
        found = word_links(derivation)
        lines.append(link_line(found.links))
        crossed.append(found.crossed)
    return Alignments(lines, crossed)


@dataclass(frozen=True, slots=True)
class JudgedSources:
    """Sources as words, the tree of each, None where it has no parse, and its labels."""

    words: Sequence[Sequence[str]]
    trees: Trees
    labels: Sequence[SpanLabels]

    @classmethod
    def of(
        cls, sources: Sequence[str], trees: Trees, labels: Mapping[str, SpanLabels]
    ) -> JudgedSources:
        """Join labels to sources, whatever the space between their words."""
        words = [words_of(source) for source in sources]
        return cls(words, trees, [labels.get(" ".join(own), {}) for own in words])

    @classmethod
    def read(
        cls,
        sources: Sequence[str],
        labels: str,
        parses: str,
        *,
        flat: bool = False,
        aggregate: str = "majority",
    ) -> JudgedSources:
        """Read parses and labels; `flat` gives sentences without a parse a tree of words."""
        trees = read_trees(parses, sources, flat=flat)
        known = read_labels_of(labels, sources, aggregate)
        judged = cls.of(sources, trees, known)
        if not any(judged.labels):
            raise InputError(
                f"{shown(labels)}: no label of any sentence of the source, which has "
                f"{len(sources):,}; check that it is tokenised and cased as what was labelled"
            )
        return judged

    def counts(
        self,
        texts: Sequence[str],
        segments: Sequence[int] | Any,
        alignments: Sequence[str],
        where: Where,
    ) -> Counts:
        """Return a row for every output with the counts that COLUMNS names.

        Where the source has no parse, all of them are 0.
        """
        outputs = [words_of(text) for text in texts]
        links = parse_links(alignments, where)
        chosen = np.asarray(segments, dtype=np.int64)
        sizes = [len(self.words[segment]) for segment in chosen.tolist()]
        check_links(links, sizes, [len(words) for words in outputs], where)
        counts = np.zeros((len(texts), len(COLUMNS)), dtype=np.int64)
        for segment, places in _by_segment(chosen):
            tree = self.trees.trees[segment]
            if tree is not None:
                own = [outputs[place] for place in places]
                counts[places] = count_nodes(
                    tree, own, _chosen(links, places), self.labels[segment]
                )
        return counts

    def explained(self, text: str, segment: int, alignment: str, where: str) -> list[ExplainedNode]:
        """Return why each node of an output has its label; its source must have a parse."""
        from weigh.rypt.explanation import explain

        tree, words = self.trees.trees[segment], words_of(text)
        assert tree is not None, "a source without a parse has no nodes"
        links = parse_links([alignment], lambda _: where)
        check_links(links, [len(tree.words)], [len(words)], lambda _: where)
        pairs = zip(links.sources.tolist(), links.targets.tolist(), strict=True)
        return explain(tree, words, pairs, self.labels[segment])


def _by_segment(segments: Any) -> list[tuple[int, list[int]]]:
    """Return the places of each segment's outputs."""
    places: dict[int, list[int]] = {}
    for place, segment in enumerate(segments.tolist()):
        places.setdefault(segment, []).append(place)
    return list(places.items())


def _chosen(links: Links, places: Sequence[int]) -> Links:
    """Return the links of some outputs, numbered anew; both stand in order."""
    starts = np.searchsorted(links.owners, places)
    ends = np.searchsorted(links.owners, places, side="right")
    owners = np.repeat(np.arange(len(places)), ends - starts)
    if (starts[1:] == ends[:-1]).all():  # as candidates of one sentence mostly stand
        own: Any = slice(starts[0], ends[-1])
    else:
        own = np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)])
    return type(links)(owners, links.sources[own], links.targets[own])


def read_labels_of(
    location: str, sources: Sequence[str], aggregate: str = "majority"
) -> Mapping[str, SpanLabels]:
    """Return the labels of these sources, from a store or from a file.

    `aggregate` says how those of several judges become one.
    """
    from weigh.rypt.exchange import is_file_of_labels, read_labels
    from weigh.rypt.store import open_store

    if is_file_of_labels(location):
        return read_labels(location, sources, aggregate)
    wanted = {" ".join(words_of(source)) for source in sources}
    return open_store(location).aggregate(wanted, aggregate)
