"""The frontier set."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rypt_cases import RYPT, figure_2, sources, trees
from shared_data import needs_shared
from weigh.errors import UsageError
from weigh.rypt.tree import Tree, frontier, read_trees


@given(trees(longest=10), st.integers(1, 11))
def test_it_covers_the_sentence_without_overlap(tree, max_length) -> None:
    nodes = frontier(tree, max_length)
    covered = sorted(place for node in nodes for place in range(tree.starts[node], tree.ends[node]))
    assert covered == list(range(len(tree.words)))


@given(trees(longest=10), st.integers(1, 11))
def test_it_has_the_longest_nodes_that_are_short_enough(tree, max_length) -> None:
    """By definition: short enough itself, and its parent is not."""

    def length(node: int) -> int:
        return tree.ends[node] - tree.starts[node]

    assert set(frontier(tree, max_length)) == {
        node
        for node in range(len(tree))
        if length(node) <= max_length and (node == 0 or length(tree.parents[node]) > max_length)
    }


def test_breadth_first() -> None:
    from weigh.read.trees import Node

    tree = Tree.of("abcde", [Node("X", 0, 3), Node("Y", 1, 3)])
    assert [(tree.starts[node], tree.ends[node]) for node in frontier(tree, 2)] == [
        (3, 4),
        (4, 5),
        (0, 1),
        (1, 3),
    ]


def test_nothing_is_shorter_than_a_word() -> None:
    with pytest.raises(UsageError, match=r"max_length=0: .*give 1 or more"):
        frontier(Tree.of("ab", ()), 0)


@needs_shared
def test_figure_2() -> None:
    tree = figure_2()
    found = {(tree.names[node], tree.starts[node], tree.ends[node]) for node in frontier(tree)}
    assert found == {
        ("NP-SB", 0, 2),
        ("VAFIN-HD", 2, 3),
        ("PP-MO", 3, 7),
        ("VVPP-HD", 7, 8),
        ("$,", 8, 9),
        ("VVFIN-HD", 9, 10),
        ("NP-SB", 10, 11),
        ("$.", 11, 12),
    }


@needs_shared
def test_nodes_per_sentence_of_the_real_parses() -> None:
    found = read_trees(str(RYPT / "newstest2008.de.tok.parsed.gz"), sources()).trees
    sizes = [len(frontier(tree, 4)) for tree in found if tree is not None]
    assert f"{sum(sizes) / len(sizes):.2f}" == "13.69"
