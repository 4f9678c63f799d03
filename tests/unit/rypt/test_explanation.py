"""Reasons for labels."""

from __future__ import annotations

from hypothesis import given

from oracle import rypt as oracle
from rypt_cases import labelled_outputs
from weigh.read.trees import Node
from weigh.rypt.explanation import explain
from weigh.rypt.labels import Label
from weigh.rypt.tree import Tree

YES, NO = Label.YES, Label.NO


@given(labelled_outputs())
def test_labels_are_those_that_are_counted_and_reasons_are_true(case) -> None:
    tree = case.tree
    for output in case.outputs:
        nodes = explain(tree, output.words, output.links, case.labels)
        labels = [node.label for node in nodes]
        expected = oracle.counted(tree, output.words, output.links, case.labels)
        assert [labels.count(one) for one in (*Label, None)] == expected[:4]
        for place, node in enumerate(nodes):
            assert node.depth == (0 if place == 0 else nodes[tree.parents[place]].depth + 1)
            if node.because is None:
                assert node.label is None
                continue
            [reason] = [one for one in nodes if one.span == node.because]
            assert reason.given == node.label
            assert node.is_given == (reason is node)
            # Each label has its own reason, or comes down from a YES, or up from a NO.
            if reason is not node:
                inner, outer = (node, reason) if node.label == YES else (reason, node)
                assert node.label in (YES, NO)
                assert outer.start <= inner.start < inner.end <= outer.end


def test_example() -> None:
    tree = Tree.of("abc", [Node("X", 0, 2)])
    labels = {(0, 2, "x y"): YES, (2, 3, "z"): NO}
    nodes = explain(tree, ["x", "y", "z"], [(0, 0), (1, 1), (2, 2)], labels)
    assert [(one.name, one.substring, one.given, one.label, one.because) for one in nodes] == [
        ("sentence", "x y z", None, NO, "word[2,3)"),
        ("X", "x y", YES, YES, "X[0,2)"),
        ("word", "x", None, YES, "X[0,2)"),
        ("word", "y", None, YES, "X[0,2)"),
        ("word", "z", NO, NO, "word[2,3)"),
    ]
