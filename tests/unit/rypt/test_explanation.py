"""Reasons for labels."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from oracle import rypt as oracle
from rypt_cases import aligned, labelled_outputs
from unit.report.made.rypt import of_explanation, of_labels, of_score
from weigh.errors import InputError
from weigh.report.view import parse_result
from weigh.rypt.explanation import explain
from weigh.rypt.labels import Label

YES, NO = Label.YES, Label.NO


@given(labelled_outputs())
def test_labels_are_those_that_are_counted_and_reasons_are_true(case) -> None:
    tree = case.tree
    for output in case.outputs:
        nodes = explain(tree, aligned(tree, [output]), case.labels)
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


@pytest.mark.parametrize(
    ("result", "part", "place", "value", "said"),
    [
        (
            of_explanation,
            "nodes",
            "label",
            "MAYBE",
            r"nodes\[0\].label: expected one of YES, NO, NOT",
        ),
        (of_explanation, "nodes", "because", "X[9,9)", r"because of 'X\[9,9\)', which is no node"),
        (of_explanation, "nodes", "end", 99, "not those of a tree of the source"),
        (of_score, "scores", "yes", -1, "a count below 0"),
        (of_score, "scores", "direct", 999, "more nodes of 'good' labelled than there are"),
        (of_labels, "labels", "aggregate", "vote", "taken together by 'vote'"),
    ],
)
def test_a_document_that_cannot_be_is_refused(result, part, place, value, said) -> None:
    document = json.loads(result(2).to_json())
    holder = document[part] if isinstance(document[part], dict) else document[part][0]
    holder[place] = value
    with pytest.raises(InputError, match=said) as caught:
        parse_result(json.dumps(document), "r.json")
    assert "\n" not in str(caught.value)
