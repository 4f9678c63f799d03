"""Soft percolation by its definition: every assignment of truths to nodes, weighed and added up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from weigh.rypt.tree import Tree
from weigh_lab.rypt.soft_percolation import Parameters


class Sums(NamedTuple):
    """The chance of the labels, each node's chance of YES, mean and variance of the share."""

    likelihood: float
    yes: list[float]
    mean: float
    variance: float


def length_class(length: int) -> int:
    """Return which of 1, 2, up to 4, up to 8, up to 16 and more words a length is."""
    return next((at for at, most in enumerate((1, 2, 4, 8, 16)) if length <= most), 5)


def chance_of_yes(
    parent: int, node: int, sizes: Sequence[int], truths: Sequence[int], model: Parameters
) -> float:
    """Return the chance that a node is acceptable, given the truth of its parent."""
    if parent < 0:
        return float(model.root[sizes[node]])
    return float(model.child[sizes[node]][sizes[parent]][truths[parent]])


def chance(
    tree: Tree, labels: Sequence[Sequence[int]], truths: Sequence[int], model: Parameters
) -> float:
    """Return the chance of one assignment together with the labels."""
    found = 1.0
    sizes = [length_class(end - start) for start, end in zip(tree.starts, tree.ends, strict=True)]
    for node, truth in enumerate(truths):
        yes = chance_of_yes(tree.parents[node], node, sizes, truths, model)
        found *= yes if truth else 1 - yes
        for kind, count in enumerate(labels[node]):
            found *= model.label[truth][kind] ** count
    return float(found)


def sums(tree: Tree, labels: Sequence[Sequence[int]], model: Parameters) -> Sums:
    """Add up over all assignments."""
    size = len(tree)
    every = list(product((0, 1), repeat=size))
    chances = [chance(tree, labels, truths, model) for truths in every]
    total = sum(chances)
    weights = [each / total for each in chances]
    yes = [
        sum(weight for weight, truths in zip(weights, every, strict=True) if truths[node])
        for node in range(size)
    ]
    shares = [sum(truths) / size for truths in every]
    mean = sum(weight * share for weight, share in zip(weights, shares, strict=True))
    variance = sum(
        weight * (share - mean) ** 2 for weight, share in zip(weights, shares, strict=True)
    )
    return Sums(total, yes, mean, variance)
