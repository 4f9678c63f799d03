"""Percolation of labels through a tree."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracle import rypt as oracle
from rypt_cases import figure_2, trees
from shared_data import needs_shared
from weigh.read.trees import Node
from weigh.rypt.labels import Label
from weigh.rypt.percolation import percolate, percolate_codes
from weigh.rypt.tree import Tree, frontier

YES, NO, NOT_SURE = Label.YES, Label.NO, Label.NOT_SURE


def labellings(tree: Tree) -> st.SearchStrategy[dict[int, Label]]:
    return st.dictionaries(st.integers(0, len(tree) - 1), st.sampled_from(list(Label)))


cases = trees().flatmap(lambda tree: st.tuples(st.just(tree), labellings(tree)))


def as_list(tree: Tree, labels: dict[int, Label]) -> list[Label | None]:
    return [labels.get(node) for node in range(len(tree))]


@given(cases)
def test_against_the_oracle_in_both_orders(case) -> None:
    tree, labels = case
    given = as_list(tree, labels)
    found = percolate(tree, labels)
    assert found == oracle.percolated(tree.parents, given, no_first=True)
    assert found == oracle.percolated(tree.parents, given, no_first=False)


@given(cases)
def test_a_label_that_was_given_is_never_contradicted(case) -> None:
    tree, labels = case
    found = percolate(tree, labels)
    assert all(found[node] == label for node, label in labels.items() if label != NOT_SURE)


@given(cases)
def test_percolating_again_changes_nothing(case) -> None:
    tree, labels = case
    once = percolate(tree, labels)
    again = {node: label for node, label in enumerate(once) if label is not None}
    assert percolate(tree, again) == once


@given(cases.flatmap(lambda case: st.tuples(st.just(case), labellings(case[0]))))
def test_what_was_labelled_stays_so_when_labels_are_added(cases) -> None:
    """Percolated labels may be taken back by a NO that a YES was carried over, given ones not."""
    (tree, labels), more = cases
    both = {**more, **labels}
    direct = [node for node, label in labels.items() if label != NOT_SURE]
    assert all(percolate(tree, both)[node] == labels[node] for node in direct)


@given(trees())
def test_a_complete_labelling_stays(tree) -> None:
    assert percolate(tree, dict.fromkeys(range(len(tree)), YES)) == [YES] * len(tree)
    assert percolate(tree, {0: YES}) == [YES] * len(tree)


@given(trees().flatmap(lambda tree: st.tuples(st.just(tree), st.lists(labellings(tree)))))
def test_many_outputs_at_once(case) -> None:
    tree, many = case
    numbers = {None: 0, YES: 1, NO: 2, NOT_SURE: 3}
    codes = np.array(
        [[numbers[labels.get(node)] for labels in many] for node in range(len(tree))],
        dtype=np.int8,
    ).reshape(len(tree), len(many))
    found = percolate_codes(tree, codes)
    for place, labels in enumerate(many):
        assert found[:, place].tolist() == [numbers[one] for one in percolate(tree, labels)]


def test_a_yes_stands_against_a_no_from_below() -> None:
    """sentence, X[0,3), Y[0,2), a, b, c, d: the NO of a is stopped by Y, and X is left open."""
    tree = Tree.of("abcd", [Node("X", 0, 3), Node("Y", 0, 2)])
    assert percolate(tree, {0: YES, 2: YES, 3: NO}) == [YES, None, YES, NO, YES, YES, YES]


def test_not_sure_is_passed_over() -> None:
    tree = Tree.of("abcd", [Node("X", 0, 3), Node("Y", 0, 2)])
    assert percolate(tree, {1: NOT_SURE, 3: NO, 6: NOT_SURE}) == [
        NO,
        NO,
        NO,
        NO,
        None,
        None,
        NOT_SURE,
    ]


@needs_shared
def test_figure_2() -> None:
    """Every frontier node YES but VVPP: 13 of 18 are YES, 5 NO, none is open."""
    tree = figure_2()
    labels = {node: NO if tree.names[node] == "VVPP-HD" else YES for node in frontier(tree)}
    found = percolate(tree, labels)
    assert (found.count(YES), found.count(NO), len(found)) == (13, 5, 18)
