"""Percolation of labels through a tree."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import rypt as oracle
from rypt_cases import (
    RYPT,
    AlignedOutput,
    aligned,
    aligned_outputs,
    figure_2,
    labelled_outputs,
    sources,
    trees,
)
from shared_data import lines, needs_shared
from weigh.errors import InputError
from weigh.read.alignment import link_line
from weigh.rypt.derivations import alignments_of
from weigh.rypt.labels import Label
from weigh.rypt.metric import JudgedSources
from weigh.rypt.percolation import CODES, UNALIGNED, Substrings, count_nodes, percolate_codes
from weigh.rypt.tree import Tree, Trees, frontier, read_trees

YES, NO, NOT_SURE = Label.YES, Label.NO, Label.NOT_SURE


def percolate(tree: Tree, labels: dict[int, Label]) -> list[Label | None]:
    """The label of every node of one output, given those of some, by their places."""
    codes = np.zeros((len(tree), 1), dtype=np.int8)
    for node, label in labels.items():
        codes[node] = CODES[label]
    names = {code: label for label, code in CODES.items()}
    return [names.get(code) for code in percolate_codes(tree, codes)[:, 0].tolist()]


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


@needs_shared
def test_figure_2() -> None:
    """Every frontier node YES but VVPP: 13 of 18 are YES, 5 NO, none is open."""
    tree = figure_2()
    labels = {node: NO if tree.names[node] == "VVPP-HD" else YES for node in frontier(tree)}
    found = percolate(tree, labels)
    assert (found.count(YES), found.count(NO), len(found)) == (13, 5, 18)


@given(labelled_outputs())
def test_counts_of_many_outputs(case) -> None:
    outputs = aligned(case.tree, case.outputs)
    assert count_nodes(case.tree, outputs, case.labels).tolist() == [
        oracle.counted(case.tree, one.words, one.links, case.labels) for one in case.outputs
    ]


@given(st.lists(labelled_outputs(), min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_outputs_of_several_sources_in_any_order(cases, rng) -> None:
    names = [
        " ".join(f"{place}{word}" for word in case.tree.words) for place, case in enumerate(cases)
    ]
    judged = JudgedSources.of(
        names,
        Trees(tuple(case.tree for case in cases), 0, 0),
        {name: case.labels for name, case in zip(names, cases, strict=True)},
    )
    mixed = [(at, one) for at, case in enumerate(cases) for one in case.outputs]
    rng.shuffle(mixed)
    found = judged.counts(
        [" ".join(one.words) for _, one in mixed],
        [at for at, _ in mixed],
        [link_line(one.links) for _, one in mixed],
        str,
    )
    assert found.tolist() == [
        oracle.counted(cases[at].tree, one.words, one.links, cases[at].labels) for at, one in mixed
    ]


def test_a_source_without_a_parse_counts_for_nothing() -> None:
    tree = Tree.of(["a"], ())
    judged = JudgedSources.of(
        ["a", "a"], Trees((tree, None), 1, 0), {"a": {(0, 1, "x"): Label.YES}}
    )
    counts = judged.counts(["x", "x"], [0, 1], ["0-0", "0-0"], str)
    assert counts.tolist() == [[1, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 0]]


def test_links_are_checked_against_their_own_source() -> None:
    tree = Tree.of(["a", "b"], ())
    judged = JudgedSources.of(["a b", "a"], Trees((tree, None), 1, 0), {})
    with pytest.raises(InputError, match=r"^line 1: the link 1-0, but the source has 1 word;"):
        judged.counts(["x", "x"], [0, 1], ["1-0", "1-0"], lambda place: f"line {place}")


def test_alignments_by_derivations() -> None:
    found = alignments_of(["(S{0-2} a b)", "0-1"], ["a b", "x y"], str)
    assert found.lines == ["0-0 0-1 1-0 1-1", "0-1"]
    assert found.crossed == [1, 0]
    with pytest.raises(
        InputError, match=r"^line 0: a derivation of 'a b', but the output is 'a c'"
    ):
        alignments_of(["(S{0-2} a b)"], ["a c"], lambda place: f"line {place}")


@needs_shared
def test_real_candidates_against_the_oracle() -> None:
    """Labels at random on what the candidates of ten sentences say."""
    rng = random.Random(4)
    trees = read_trees(str(RYPT / "newstest2008.de.tok.parsed.gz"), sources(), flat=True)
    candidates = lines(RYPT / "nbest.out.ZMERT.it6.rand10sen.trees.gz")
    links = lines(RYPT / "out_SrcCand.align.rand10sen.gz")[1::2]
    chosen = rng.sample(range(len(candidates)), 60)
    segments = [int(candidates[place].split(" ||| ")[0]) for place in chosen]
    from weigh.read.nbest import tree_yield

    texts = [tree_yield(candidates[place].split(" ||| ")[1]) for place in chosen]
    pairs = [[tuple(map(int, link.split("-"))) for link in links[at].split()] for at in chosen]
    labels: dict[str, dict] = {}
    for segment, text, own in zip(segments, texts, pairs, strict=True):
        tree = trees.trees[segment]
        for start, end in zip(tree.starts, tree.ends, strict=True):
            said = oracle.substring(text.split(), own, start, end)
            if said is not None and rng.random() < 0.3:
                known = labels.setdefault(sources()[segment], {})
                known[start, end, said] = rng.choice(list(Label))
    judged = JudgedSources.of(sources(), trees, labels)
    found = judged.counts(texts, segments, [links[place] for place in chosen], str).tolist()
    expected = [
        oracle.counted(trees.trees[segment], text.split(), own, labels[sources()[segment]])
        for segment, text, own in zip(segments, texts, pairs, strict=True)
    ]
    assert found == expected
    assert len({tuple(row) for row in found}) > 30


@needs_shared
def test_frontier_labels_alone_reach_84_percent_on_average() -> None:
    """A YES never goes up: where all frontier nodes are YES, those above stay open."""
    trees = read_trees(str(RYPT / "newstest2008.de.tok.parsed.gz"), sources()).trees
    shares = []
    for tree in trees:
        if tree is not None:
            size = len(tree.words)
            identity = AlignedOutput(tree.words, tuple((at, at) for at in range(size)))
            labels = {
                (tree.starts[node], tree.ends[node], " ".join(
                    tree.words[tree.starts[node] : tree.ends[node]]
                )): Label.YES
                for node in frontier(tree)
            }  # fmt: skip
            [row] = count_nodes(tree, aligned(tree, [identity]), labels)
            assert row[0] == row[5]
            shares.append(row[0] / len(tree))
    assert f"{sum(shares) / len(shares):.2f}" == "0.84"


@given(trees().flatmap(lambda tree: st.tuples(st.just(tree), aligned_outputs(tree))))
def test_substrings_of_all_nodes(case) -> None:
    tree, outputs = case
    found = Substrings.of(tree, aligned(tree, outputs))
    texts = found.texts
    assert len(set(texts)) == len(texts)
    for node in range(len(tree)):
        for place, one in enumerate(outputs):
            number = found.numbers[node, place]
            expected = oracle.substring(one.words, one.links, tree.starts[node], tree.ends[node])
            assert expected == (None if number == UNALIGNED else texts[number])
