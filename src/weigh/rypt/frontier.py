"""The frontier: nodes short enough to be judged that cover a sentence without overlap."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from weigh.errors import UsageError
from weigh.rypt.tree import Tree

MAX_LENGTH = 4
"""So many words has a node of the frontier at most, unless another number is asked for."""


def frontier(tree: Tree, max_length: int = MAX_LENGTH) -> list[int]:
    """Return the places of the frontier's nodes, breadth first (Zaidan & Callison-Burch 2009).

    From the highest node on, a node of at most `max_length` words is kept, and any other is
    replaced by its children. Every word is a node, so that the frontier covers all words.
    """
    if max_length < 1:
        raise UsageError(f"max_length={max_length}: nothing is so short; give 1 or more")
    children: list[list[int]] = [[] for _ in range(len(tree))]
    for node, parent in enumerate(tree.parents[1:], 1):
        children[parent].append(node)
    kept = []
    waiting = deque([0])
    while waiting:
        node = waiting.popleft()
        if tree.ends[node] - tree.starts[node] <= max_length:
            kept.append(node)
        else:
            waiting.extend(children[node])
    return kept


class Sweep(NamedTuple):
    """What a maximum length gives: nodes of the frontiers in all, and per sentence."""

    max_length: int
    nodes: int
    per_sentence: float


def sweep(trees: Sequence[Tree], lengths: Iterable[int] = range(1, 11)) -> list[Sweep]:
    """Return the size of the frontiers for each maximum length."""
    found = []
    for length in lengths:
        nodes = sum(len(frontier(tree, length)) for tree in trees)
        found.append(Sweep(length, nodes, nodes / len(trees) if trees else 0.0))
    return found
