"""What people said of the nodes of outputs, every answer counted: what inference starts from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.read.alignment import Links
from weigh.rypt.inference import KINDS
from weigh.rypt.label import Label
from weigh.rypt.percolation import CODES, NOT_SURE, UNLABELLED
from weigh.rypt.substrings import Substrings
from weigh.rypt.tree import Tree

if TYPE_CHECKING:
    from weigh.rypt.inference import Integers
    from weigh.rypt.percolation import Codes

Votes = Mapping[tuple[int, int, str], Sequence[Label]]
"""The labels of one source sentence by (start, end, substring), one of each judge."""


class Evidence(NamedTuple):
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


def evidence_of(
    tree: Tree, outputs: Sequence[Sequence[str]], links: Links, votes: Votes
) -> Evidence:
    """Return what the votes on a source sentence say of outputs with these word links."""
    found = Substrings.of(tree, outputs, links)
    numbers = found.numbers
    counts = np.zeros((len(outputs), len(tree), len(KINDS)), dtype=np.int64)
    places = {span: node for node, span in enumerate(zip(tree.starts, tree.ends, strict=True))}
    by_text = found.by_text()
    for (start, end, text), labels in votes.items():
        node, number = places.get((start, end)), by_text.get(text)
        if node is not None and number is not None:
            kinds = [KINDS.index(CODES[label]) for label in labels]
            counts[numbers[node] == number, node] += np.bincount(kinds, minlength=len(KINDS))
    size = int(numbers.max(initial=0)) + 2  # numbers begin with UNALIGNED, −1
    return Evidence(tree, counts, numbers + size * np.arange(len(tree))[:, None])


class AlignedOutput(NamedTuple):
    """A system's output of all sentences, as words and as links of their places."""

    words: Sequence[Sequence[str]]
    links: Links


def evidence_of_systems(
    trees: Sequence[Tree | None], votes: Sequence[Votes], systems: Sequence[AlignedOutput]
) -> list[Evidence]:
    """Return what is known of each parsed sentence, whose outputs are those of the systems."""
    found = []
    bounds = [np.searchsorted(system.links.owners, np.arange(len(trees) + 1)) for system in systems]
    for number, (tree, own) in enumerate(zip(trees, votes, strict=True)):
        if tree is None:
            continue
        parts = [slice(*ends[number : number + 2]) for ends in bounds]
        links = Links(
            np.repeat(np.arange(len(systems)), [part.stop - part.start for part in parts]),
            *(
                np.concatenate(
                    [
                        getattr(one.links, side)[part]
                        for one, part in zip(systems, parts, strict=True)
                    ]
                )
                for side in ("sources", "targets")
            ),
        )
        outputs = [system.words[number] for system in systems]
        found.append(evidence_of(tree, outputs, links, own))
    return found


def majority_codes(counts: Integers) -> Codes:
    """Return the labels of nodes × outputs that most people gave, of counts that are by output.

    Of equally frequent ones it is NOT SURE.
    """
    highest = counts.max(axis=-1, keepdims=True)
    tied = (counts == highest).sum(axis=-1) > 1
    best = np.where(tied, NOT_SURE, np.array(KINDS)[counts.argmax(axis=-1)])
    return np.where(highest[..., 0] == 0, UNLABELLED, best).T.astype(np.int8)


def read_votes(location: str, sources: Iterable[str]) -> dict[str, Votes]:
    """Return every judge's last label on each entry of some sources, from a store or a file."""
    from weigh.rypt.exchange import is_file_of_labels, read_judgments
    from weigh.rypt.judgment import votes
    from weigh.rypt.store import open_store

    wanted = set(sources)
    if is_file_of_labels(location):
        judgments = iter(read_judgments(location, wanted).batch.judgments)
    else:
        judgments = open_store(location).judgments(wanted)
    found: dict[str, dict[tuple[int, int, str], Sequence[Label]]] = {}
    for (source, start, end, text), by_judge in votes(judgments).items():
        if source in wanted:
            found.setdefault(source, {})[start, end, text] = tuple(by_judge.values())
    return dict(found)
