"""Why each node of one output has its label: what was said of it, and what follows from others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from weigh.rypt.alignment import Link
from weigh.rypt.candidates import substring
from weigh.rypt.labels import Label
from weigh.rypt.percolation import SpanLabels, percolate
from weigh.rypt.tree import Tree


class ExplainedNode(NamedTuple):
    """A node, what the output says for it, and its label.

    `said` is None where no word is aligned with it. `given` is its own label, `label` that after
    percolation, and `because` the place of the node that this comes from: itself, if it was given.
    """

    name: str
    start: int
    end: int
    depth: int
    said: str | None
    given: Label | None
    label: Label | None
    because: int | None


def explain(
    tree: Tree, words: Sequence[str], links: Iterable[Link], labels: SpanLabels
) -> list[ExplainedNode]:
    """Return the nodes of an output in preorder, each with the reason for its label."""
    kept = list(links)
    said = [
        substring(words, kept, start, end)
        for start, end in zip(tree.starts, tree.ends, strict=True)
    ]
    given: dict[int, Label] = {}
    for node, text in enumerate(said):
        if text is not None:
            label = labels.get((tree.starts[node], tree.ends[node], text))
            if label is not None:
                given[node] = label
    found = percolate(tree, given)
    depths: list[int] = []
    for parent in tree.parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    return [
        ExplainedNode(
            tree.names[node],
            tree.starts[node],
            tree.ends[node],
            depths[node],
            said[node],
            given.get(node),
            found[node],
            _reason(tree, given, node, found[node]),
        )
        for node in range(len(tree))
    ]


def _reason(tree: Tree, given: dict[int, Label], node: int, label: Label | None) -> int | None:
    """Return the node that a label comes from: the next YES above, or the first NO below."""
    if label is None or given.get(node) == label:
        return None if label is None else node
    if label == Label.YES:
        while given.get(node) != Label.YES:
            node = tree.parents[node]
        return node
    return next(
        below
        for below in range(node + 1, len(tree))
        if given.get(below) == Label.NO and _climbs_to(tree, given, below, node)
    )


def _climbs_to(tree: Tree, given: dict[int, Label], below: int, node: int) -> bool:
    """Return whether nothing that was said stops a NO on its way up to a node."""
    at = tree.parents[below]
    while at not in (-1, node) and given.get(at) not in (Label.YES, Label.NO):
        at = tree.parents[at]
    return at == node
