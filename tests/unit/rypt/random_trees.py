"""Parse trees of no linguistic merit, and labels for their nodes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from weigh.rypt.inference import LENGTHS, Parameters
from weigh.rypt.tree import Tree


def tree_of(words: int, cuts: list[list[int]]) -> Tree:
    """Return a tree over so many words, each node of several words cut at the next given places."""
    starts, ends, parents = [], [], []
    waiting = [(0, words, -1)]
    given = iter(cuts)
    while waiting:
        start, end, parent = waiting.pop()
        node = len(starts)
        starts.append(start)
        ends.append(end)
        parents.append(parent)
        if end - start > 1:
            places = {start + place % (end - start) for place in next(given, [])} - {start}
            bounds = [start, *sorted(places), end] if places else []
            parts = list(pairwise(bounds))
            waiting.extend((left, right, node) for left, right in reversed(parts))
    size = len(starts)
    return Tree(
        tuple(f"w{place}" for place in range(words)),
        tuple(f"N{node}" for node in range(size)),
        tuple(starts),
        tuple(ends),
        tuple(parents),
    )


def trees(max_words: int = 5, max_cuts: int = 4) -> st.SearchStrategy[Tree]:
    """Return small trees, flat and deep ones."""
    cuts = st.lists(st.lists(st.integers(1, 30), max_size=3), max_size=max_cuts)
    return st.builds(tree_of, st.integers(1, max_words), cuts)


def counts(candidates: int, nodes: int, most: int = 2) -> st.SearchStrategy[np.ndarray]:
    """Return how often each node of each candidate has each label; mostly never."""
    one = st.lists(st.sampled_from([0, 0, 0, *range(1, most + 1)]), min_size=3, max_size=3)
    return st.lists(one, min_size=candidates * nodes, max_size=candidates * nodes).map(
        lambda rows: np.array(rows, dtype=np.int64).reshape(candidates, nodes, 3)
    )


def models() -> st.SearchStrategy[Parameters]:
    """Return parameters, all of them possible and none certain."""
    inside = st.floats(0.01, 0.99)

    def made(values: list[float]) -> Parameters:
        root, child, label = np.split(np.array(values), [LENGTHS, 3 * LENGTHS])
        labels = label.reshape(2, 3)
        return Parameters(
            root, child.reshape(LENGTHS, 2), labels / labels.sum(axis=1, keepdims=True)
        )

    size = 3 * LENGTHS + 6
    return st.lists(inside, min_size=size, max_size=size).map(made)


def random_tree(generator: np.random.Generator, words: int) -> Tree:
    """Return a tree whose nodes are cut in two or three at random."""
    return tree_of(words, generator.integers(1, 60, size=(2 * words, 2)).tolist())
