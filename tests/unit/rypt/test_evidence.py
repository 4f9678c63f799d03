"""Answers of people on the nodes of outputs, by their definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rypt_cases import aligned_outputs, trees
from weigh.read.alignment import Links
from weigh.rypt.candidates import substring
from weigh.rypt.inference import KINDS
from weigh.rypt.inferred import evidence_of, majority_codes, read_votes
from weigh.rypt.labels import Entry, EntryJudgment, Label, majority
from weigh.rypt.percolation import CODES, UNLABELLED


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
    pairs = [(owner, *link) for owner, one in enumerate(outputs) for link in one.links]
    links = Links(*np.array(pairs, dtype=np.int64).reshape(-1, 3).T)
    found = evidence_of(tree, [one.words for one in outputs], links, votes)
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


def test_majority_is_that_of_the_store():
    for labels in ([Label.YES], [Label.YES, Label.NO], [Label.NO, Label.NO, Label.NOT_SURE]):
        counts = np.array([[[sum(CODES[one] == kind for one in labels) for kind in KINDS]]])
        assert majority_codes(counts)[0, 0] == CODES[majority(labels)]


@pytest.mark.parametrize("ending", ["jsonl", "db"])
def test_votes_of_a_store_and_of_its_export(tmp_path, ending):
    from weigh.rypt.collection import as_jsonl
    from weigh.rypt.store import open_store

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
