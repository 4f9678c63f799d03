"""New and repeated candidates and substrings, by their definitions."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracle.rypt import substring
from rypt_cases import AlignedOutput, aligned, aligned_outputs, trees
from weigh.rypt.percolation import NO, NOT_SURE, UNLABELLED, YES, Substrings
from weigh.rypt.tree import frontier
from weigh_lab.rypt.diversity import CandidateSets, iterations_of, sweep_entries


class Case(NamedTuple):
    outputs: list[AlignedOutput]
    candidates: CandidateSets


@st.composite
def cases(draw) -> Case:
    tree = draw(trees())
    outputs = draw(aligned_outputs(tree))
    size = len(outputs)
    places = st.lists(st.integers(0, size - 1), unique=True) if size else st.just([])
    iterations = draw(st.lists(places, min_size=2, max_size=2))
    labels = [
        [draw(st.sampled_from([UNLABELLED, YES, NO, NOT_SURE])) for _ in range(size)]
        for _ in range(len(tree))
    ]
    # One label for one substring of a node: the first that was drawn.
    for node, span in enumerate(tree.spans):
        known: dict[str | None, int] = {}
        for at, one in enumerate(outputs):
            text = substring(one.words, one.links, *span)
            labels[node][at] = known.setdefault(text, labels[node][at])
    codes = np.array(labels, dtype=np.int8).reshape(len(tree), size)
    substrings = Substrings.of(tree, aligned(tree, outputs))
    return Case(outputs, CandidateSets(substrings, iterations, codes))


def _texts(case: Case, node: int, places) -> dict[str, int]:
    """Return the substrings of a node in some candidates, with their labels."""
    found = {}
    span = case.candidates.substrings.tree.spans[node]
    for place in places:
        text = substring(case.outputs[place].words, case.outputs[place].links, *span)
        if text is not None:
            found[text] = int(case.candidates.labels[node, place])
    return found


@given(st.lists(cases(), min_size=1, max_size=3), st.integers(1, 4))
def test_iterations_by_definition(made, length):
    sentences = [case.candidates for case in made]
    first, second = iterations_of(sentences, ["x", "y"], length)
    assert (first.list, second.list) == ("x", "y")
    assert first.candidates == first.new == sum(len(one.iterations[0]) for one in sentences)
    assert first.known == 0
    assert second.candidates == sum(len(one.iterations[1]) for one in sentences)
    assert second.new == sum(
        len(set(one.iterations[1]) - set(one.iterations[0])) for one in sentences
    )
    entries = known = alternatives = nodes = 0
    for case in made:
        one = case.candidates
        for node in frontier(one.substrings.tree, length):
            before, now = (set(_texts(case, node, places)) for places in one.iterations)
            entries += len(now)
            known += len(now & before)
            alternatives += len(now | before)
            nodes += bool(now | before)
    assert (second.entries, second.known) == (entries, known)
    if nodes:
        assert second.alternatives == alternatives / nodes
    if entries:
        assert second.reusable == known / entries
    else:
        assert math.isnan(second.reusable)


@given(st.lists(cases(), min_size=1, max_size=3))
def test_sweep_by_definition(made):
    sentences = [case.candidates for case in made]
    for found in sweep_entries(sentences, range(1, 5)):
        entries = yes = no = nodes = 0
        for case in made:
            for node in frontier(case.candidates.substrings.tree, found.max_length):
                nodes += 1
                texts = _texts(case, node, range(len(case.outputs)))
                entries += len(texts)
                yes += sum(label == YES for label in texts.values())
                no += sum(label == NO for label in texts.values())
        assert (found.nodes, found.entries, found.yes, found.no) == (nodes, entries, yes, no)
        assert found.per_sentence == nodes / len(sentences)
