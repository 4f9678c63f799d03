"""Substrings of outputs for the nodes of a tree, and percolation of labels between nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh._core import span_substrings
from weigh.rypt.alignment import AlignedTexts
from weigh.rypt.labels import GAP, Known, Label, SpanLabels
from weigh.rypt.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.int8]
    Counts = NDArray[np.int64]

# Labels as small numbers, for arrays of nodes × outputs.
UNLABELLED, YES, NO, NOT_SURE = range(4)
CODES = {Label.YES: YES, Label.NO: NO, Label.NOT_SURE: NOT_SURE}
UNALIGNED = -1


def is_decided(codes: Codes) -> NDArray[np.bool_]:
    """Mask of labels that are YES or NO."""
    return np.asarray((codes == YES) | (codes == NO))


@dataclass(frozen=True, slots=True)
class Substrings:
    """The substrings of outputs for all nodes of a tree, each of them once.

    They are the words that are linked to a node's, in the output's order, with one GAP for each
    run of others between them. `numbers` (nodes × outputs) tells which of `texts` it is, or
    UNALIGNED where an output has no word for a node.
    """

    tree: Tree
    numbers: Counts
    texts: Sequence[str]

    @classmethod
    def of(cls, tree: Tree, outputs: AlignedTexts) -> Substrings:
        """Find the substrings of all nodes at once."""
        starts, ends = np.array([tree.starts, tree.ends], dtype=np.int64)
        substrings = span_substrings(list(outputs.words), *outputs.links, starts, ends, GAP)
        return cls(tree, *substrings)

    def known(
        self, by_span: Mapping[tuple[int, int, str], Known]
    ) -> Iterator[tuple[int, int, Known]]:
        """Yield the node, the number and what is known, where some output says what it is of.

        What is known of spans that are no nodes of the tree says nothing of it.
        """
        nodes = self.tree.nodes_by_span()
        numbers = {text: number for number, text in enumerate(self.texts)}
        for (start, end, text), label in by_span.items():
            if text in numbers and (start, end) in nodes:
                yield nodes[start, end], numbers[text], label

    def codes(self, labels: SpanLabels) -> Codes:
        """Return the labels that substrings were given themselves, as nodes × outputs."""
        # By node and number; the last column is for what is not aligned.
        codes = np.zeros((len(self.tree), len(self.texts) + 1), dtype=np.int8)
        for node, number, label in self.known(labels):
            codes[node, number] = CODES[label]
        return np.take_along_axis(codes, self.numbers, axis=1)


def percolate_codes(tree: Tree, codes: Codes) -> Codes:
    """Return the labels of nodes × outputs after percolation (Zaidan & Callison-Burch 2009).

    A NO goes up: a constituent is not translated acceptably if a part of it is not. It goes up to
    the next node that was labelled YES or NO itself. A YES goes down: to every node below it that
    has no NO below itself. Labels YES and NO that were given are never changed; NOT SURE is like
    no label, and stays where neither comes.
    """
    direct_yes, direct_no = codes == YES, codes == NO
    lets_through = ~direct_yes
    # Preorder: children stand behind their parents, and what is below a node right behind it.
    rising, has_no = direct_no.copy(), direct_no.copy()
    for node in range(len(tree) - 1, 0, -1):
        parent = tree.parents[node]
        has_no[parent] |= has_no[node]
        rising[parent] |= rising[node] & lets_through[parent]
    percolated = codes.copy()
    percolated[_carried_down(tree, direct_yes) & ~has_no] = YES
    percolated[rising] = NO
    return percolated


def _carried_down(tree: Tree, marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the marked nodes and all below them."""
    carried = marks.copy()
    for node, parent in enumerate(tree.parents[1:], 1):
        carried[node] |= carried[parent]
    return carried


COLUMNS = ("yes", "no", "not sure", "unlabelled", "direct", "reach")
"""What is counted: nodes by their label after percolation, those labelled YES or NO before it, and
those that would be YES if all these were."""


def count_nodes(tree: Tree, outputs: AlignedTexts, labels: SpanLabels) -> Counts:
    """Return one row for each output of a source sentence, with the counts that COLUMNS names."""
    direct = Substrings.of(tree, outputs).codes(labels)
    codes = percolate_codes(tree, direct)
    labelled = is_decided(direct)
    reached = _carried_down(tree, labelled)
    counted = [codes == code for code in (YES, NO, NOT_SURE, UNLABELLED)]
    return np.stack([nodes.sum(axis=0) for nodes in (*counted, labelled, reached)], axis=1)
