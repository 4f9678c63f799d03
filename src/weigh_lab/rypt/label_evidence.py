"""All labels of people for outputs: counts of each label for each node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.rypt.alignment import AlignedTexts
from weigh.rypt.collection import LabelSource
from weigh.rypt.labels import Label, by_source
from weigh.rypt.labels import votes as votes_of
from weigh.rypt.percolation import CODES, NOT_SURE, UNLABELLED, Substrings
from weigh.rypt.tree import Tree
from weigh_lab.rypt.soft_percolation import KINDS

if TYPE_CHECKING:
    from weigh.rypt.percolation import Codes
    from weigh_lab.rypt.soft_percolation import Integers

SpanVotes = Mapping[tuple[int, int, str], Sequence[Label]]
"""The labels of one source sentence by (start, end, substring), one of each judge."""


class LabelEvidence(NamedTuple):
    """A sentence's tree and what is known of its outputs.

    `counts` tells how often each label was given, as outputs × nodes × KINDS. `entries` are
    numbers, as nodes × outputs, that are equal for equal substrings of a node and different else.
    """

    tree: Tree
    counts: Integers
    entries: Integers

    def codes(self) -> Codes:
        """Return the labels that most people gave, as nodes × outputs."""
        return majority_codes(self.counts)


def evidence_of(tree: Tree, outputs: AlignedTexts, votes: SpanVotes) -> LabelEvidence:
    """Votes on a source sentence, by node of the outputs with these word links."""
    substrings = Substrings.of(tree, outputs)
    numbers = substrings.numbers
    counts = np.zeros((len(outputs.words), len(tree), len(KINDS)), dtype=np.int64)
    for node, number, labels in substrings.known(votes):
        kinds = [KINDS.index(CODES[label]) for label in labels]
        counts[numbers[node] == number, node] += np.bincount(kinds, minlength=len(KINDS))
    size = len(substrings.texts) + 1  # numbers begin with UNALIGNED, −1
    return LabelEvidence(tree, counts, numbers + size * np.arange(len(tree))[:, None])


def evidence_of_systems(
    trees: Sequence[Tree | None], votes: Sequence[SpanVotes], systems: Sequence[AlignedTexts]
) -> list[LabelEvidence]:
    """Evidence on the systems' outputs for each parsed sentence."""
    return [
        evidence_of(
            tree, AlignedTexts.joined([system.chosen([number]) for system in systems]), votes_on
        )
        for number, (tree, votes_on) in enumerate(zip(trees, votes, strict=True))
        if tree is not None
    ]


def majority_codes(counts: Integers) -> Codes:
    """Return the label that most people gave, by nodes × outputs.

    `counts` are how many gave each of KINDS, by outputs × nodes. It is NOT SURE where several are
    equally frequent, and UNLABELLED where there are none.
    """
    highest = counts.max(axis=-1, keepdims=True)
    tied = (counts == highest).sum(axis=-1) > 1
    best = np.where(tied, NOT_SURE, np.array(KINDS)[counts.argmax(axis=-1)])
    return np.where(highest[..., 0] == 0, UNLABELLED, best).T.astype(np.int8)


def read_votes(location: str, sources: Iterable[str]) -> Mapping[str, SpanVotes]:
    """Return every judge's last label on each entry of some sources, from a store or a file."""
    wanted = set(sources)
    votes = votes_of(LabelSource.read(location, wanted).judgments)
    return by_source(
        (entry, tuple(by_judge.values()))
        for entry, by_judge in votes.items()
        if entry.source in wanted
    )
