"""Counts of a tree's nodes by label, before percolation and after it: what a score is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from weigh.rypt.label import Label
from weigh.rypt.percolation import CODES, NO, NOT_SURE, UNLABELLED, YES, percolate_codes
from weigh.rypt.substrings import Substrings
from weigh.rypt.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.read.alignment import Links
    from weigh.rypt.percolation import Codes

    Counts = NDArray[np.int64]

SpanLabels = Mapping[tuple[int, int, str], Label]
"""The labels of one source sentence by (start, end, substring)."""

COLUMNS = ("yes", "no", "not sure", "unlabelled", "direct", "reach")
"""What is counted: nodes by their label after percolation, those labelled YES or NO before it, and
those that would be YES if all these were."""


def direct_codes(tree: Tree, found: Substrings, labels: SpanLabels) -> Codes:
    """Return the labels that outputs' substrings were given themselves, as nodes × outputs.

    Labels of spans that are no nodes of the tree say nothing of it.
    """
    places = {span: node for node, span in enumerate(zip(tree.starts, tree.ends, strict=True))}
    numbers = found.by_text()
    # By node and number of the substring; the last column is for what is not aligned.
    known = np.zeros((len(tree), len(numbers) + 1), dtype=np.int8)
    for (start, end, text), label in labels.items():
        if text in numbers and (start, end) in places:
            known[places[start, end], numbers[text]] = CODES[label]
    return np.take_along_axis(known, found.numbers, axis=1)


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
