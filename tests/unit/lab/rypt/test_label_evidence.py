"""Answers of people on the nodes of outputs, by their definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.rypt import substring
from rypt_cases import AlignedOutput, aligned, aligned_outputs, trees
from weigh.rypt.alignment import AlignedTexts
from weigh.rypt.labels import Entry, EntryJudgment, Label, majority
from weigh.rypt.percolation import CODES, UNLABELLED
from weigh.rypt.tree import Tree
from weigh_lab.rypt.label_evidence import (
    evidence_of,
    evidence_of_systems,
    read_votes,
)
from weigh_lab.rypt.soft_percolation import KINDS


@st.composite
def judged(draw):
    """Return a tree, outputs, and votes on some of their substrings and on others."""
    tree = draw(trees(5))
    outputs = draw(aligned_outputs(tree))
    votes = {}
    for node in range(len(tree)):
        span = (tree.starts[node], tree.ends[node])
        texts = {substring(one.words, one.links, *span) for one in outputs} - {None}
        for text in sorted([*texts, "x"]):
            labels = draw(st.lists(st.sampled_from(Label), max_size=3))
            if labels:
                votes[*span, text] = labels
    return tree, outputs, votes


@given(judged())
def test_evidence_by_definition(case):
    tree, outputs, votes = case
    found = evidence_of(tree, aligned(tree, outputs), votes)
    codes = found.codes()
    known: dict[int, tuple[int, str | None]] = {}
    for at, one in enumerate(outputs):
        for node in range(len(tree)):
            span = (tree.starts[node], tree.ends[node])
            text = substring(one.words, one.links, *span)
            labels = votes.get((*span, text), [])
            wanted = [sum(CODES[label] == kind for label in labels) for kind in KINDS]
            assert found.counts[at, node].tolist() == wanted
            assert codes[node, at] == (CODES[majority(labels)] if labels else UNLABELLED)
            entry = int(found.entries[node, at])
            assert known.setdefault(entry, (node, text)) == (node, text)
    assert len(set(known.values())) == len(known)


@pytest.mark.parametrize("ending", ["jsonl", "db"])
def test_votes_of_a_store_and_of_its_export(tmp_path, ending):
    from weigh.rypt.collection import open_store
    from weigh.rypt.label_files import as_jsonl

    times = ["2020-01-01T00:00:00.000000Z", "2020-01-02T00:00:00.000000Z"]
    entry = Entry("a b", 0, 1, "x")
    judgments = [
        EntryJudgment(entry, Label.YES, "one", times[0]),
        EntryJudgment(entry, Label.NO, "one", times[1]),
        EntryJudgment(entry, Label.NOT_SURE, "two", times[0]),
        EntryJudgment(Entry("c", 0, 1, "y"), Label.YES, "one", times[0]),
    ]
    path = tmp_path / f"labels.{ending}"
    if ending == "db":
        open_store(path, create=True).add(judgments)
    else:
        path.write_text("".join(f"{line}\n" for line in as_jsonl(judgments)), encoding="utf-8")
    assert read_votes(str(path), ["a b", "z"]) == {"a b": {(0, 1, "x"): (Label.NO, Label.NOT_SURE)}}


def test_sentences_of_systems_are_put_together():
    trees = [Tree.of(["s", "t"], []), None, Tree.of(["u"], [])]
    votes = [{(0, 1, "a"): [Label.YES]}, {}, {(0, 1, "x"): [Label.NO, Label.NO]}]
    sources = ["st", "?", "u"]
    outputs = [
        AlignedTexts.of(["a b", "?", "x"], ["0-0 1-1", "0-0", "0-0"], sources, str),
        AlignedTexts.of(["c", "", "x a"], ["1-0", "", "0-0"], sources, str),
    ]
    first, second = evidence_of_systems(trees, votes, outputs)
    whole = [AlignedOutput(("a", "b"), ((0, 0), (1, 1))), AlignedOutput(("c",), ((1, 0),))]
    alone = evidence_of(trees[0], aligned(trees[0], whole), votes[0])
    assert (first.counts == alone.counts).all()
    assert (first.entries == alone.entries).all()
    assert first.counts[0, 1].tolist() == [1, 0, 0]
    assert not first.counts[1].any()
    assert second.counts[:, 0].tolist() == [[0, 2, 0], [0, 2, 0]]
