"""Percolation: what the labels of some nodes say of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from weigh.rypt.candidates import Substrings
from weigh.rypt.labels import Label, SpanLabels
from weigh.rypt.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.read.alignment import Links

    Codes = NDArray[np.int8]
    Counts = NDArray[np.int64]

# Labels as small numbers, for arrays of nodes × outputs.
UNLABELLED, YES, NO, NOT_SURE = range(4)
CODES = {Label.YES: YES, Label.NO: NO, Label.NOT_SURE: NOT_SURE}
_LABELS = (None, Label.YES, Label.NO, Label.NOT_SURE)


def percolate(tree: Tree, labels: Mapping[int, Label]) -> list[Label | None]:
    """Return the label of every node, given those of some, by their places.

    >>> from weigh.read.trees import Node
    >>> tree = Tree.of(["a", "b", "c"], [Node("X", 0, 2)])  # sentence, X, a, b, c
    >>> [label and label.value for label in percolate(tree, {1: Label.YES, 4: Label.NO})]
    ['NO', 'YES', 'YES', 'YES', 'NO']
    """
    codes = np.zeros((len(tree), 1), dtype=np.int8)
    for node, label in labels.items():
        codes[node] = CODES[label]
    return [_LABELS[code] for code in percolate_codes(tree, codes)[:, 0]]


def percolate_codes(tree: Tree, codes: Codes) -> Codes:
    """Return the labels of nodes × outputs after percolation (Zaidan & Callison-Burch 2009).

    A NO goes up: a constituent is not translated acceptably if a part of it is not. It goes up to
    the next node that was labelled YES or NO itself. A YES goes down: to every node below it that
    has no NO below itself. Labels YES and NO that were given are never changed; NOT SURE is like
    no label, and stays where neither comes.
    """
    size = len(tree)
    direct_yes, direct_no = codes == YES, codes == NO
    lets_through = ~direct_yes
    # Preorder: children stand behind their parents, and what is below a node right behind it.
    rising, has_no, below_yes = direct_no.copy(), direct_no.copy(), direct_yes.copy()
    for node in range(size - 1, 0, -1):
        parent = tree.parents[node]
        has_no[parent] |= has_no[node]
        rising[parent] |= rising[node] & lets_through[parent]
    for node in range(1, size):
        below_yes[node] |= below_yes[tree.parents[node]]
    percolated = codes.copy()
    percolated[below_yes & ~has_no] = YES
    percolated[rising] = NO
    return percolated


COLUMNS = ("yes", "no", "not sure", "unlabelled", "direct", "reach")
"""What is counted: nodes by their label after percolation, those labelled YES or NO before it, and
those that would be YES if all these were."""


def direct_codes(tree: Tree, substrings: Substrings, labels: SpanLabels) -> Codes:
    """Return the labels that outputs' substrings were given themselves, as nodes × outputs.

    Labels of spans that are no nodes of the tree say nothing of it.
    """
    places = {span: node for node, span in enumerate(zip(tree.starts, tree.ends, strict=True))}
    numbers = substrings.by_text()
    # By node and number of the substring; the last column is for what is not aligned.
    known = np.zeros((len(tree), len(numbers) + 1), dtype=np.int8)
    for (start, end, text), label in labels.items():
        if text in numbers and (start, end) in places:
            known[places[start, end], numbers[text]] = CODES[label]
    return np.take_along_axis(known, substrings.numbers, axis=1)


def count_nodes(
    tree: Tree, outputs: Sequence[Sequence[str]], links: Links, labels: SpanLabels
) -> Counts:
    """Return one row for each output of a source sentence, with the counts that COLUMNS names."""
    direct = direct_codes(tree, Substrings.of(tree, outputs, links), labels)
    codes = percolate_codes(tree, direct)
    labelled = (direct == YES) | (direct == NO)
    reached = labelled.copy()
    for node, parent in enumerate(tree.parents[1:], 1):
        reached[node] |= reached[parent]
    counted = [codes == code for code in (YES, NO, NOT_SURE, UNLABELLED)]
    return np.stack([nodes.sum(axis=0) for nodes in (*counted, labelled, reached)], axis=1)
