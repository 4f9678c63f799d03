"""Usefulness is that of queries made anew, however labels come in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rypt_cases import RYPT, AlignedOutput, aligned_outputs, some_labels, sources, trees
from shared_data import needs_shared
from weigh.read.alignment import link_line
from weigh.read.trees import Node
from weigh.rypt.labels import Label, SpanLabels
from weigh.rypt.pools import Pool, gather
from weigh.rypt.queries import find_queries, make_queries
from weigh.rypt.sentences import AskedSentence, as_jsonl, asked_sentences
from weigh.rypt.tree import Tree, read_trees
from weigh.rypt.usefulness import Usefulness

Labels = Mapping[str, SpanLabels]
Gains = dict[tuple[str, int, int, str], float]


def anew(trees: list[Tree | None], pools: list[Pool], labels: Labels, longest: int = 4) -> Gains:
    """The gains of queries that are made of everything; what has two trees is asked twice."""
    texts = [None if tree is None else " ".join(tree.words) for tree in trees]
    gains: Gains = {}
    for query in make_queries(trees, pools, labels, longest).queries:
        key = (str(texts[query.line - 1]), query.start, query.end, query.substring)
        gains[key] = gains.get(key, 0.0) + query.gain
    return gains


def pool_of(outputs: list[AlignedOutput]) -> Pool:
    pool = Pool()
    for line, output in enumerate(outputs, 1):
        pool.add(" ".join(output.words), link_line(sorted(set(output.links))), "x", line)
    return pool


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[Tree | None], list[Pool], dict[str, SpanLabels]]:
    """A few sentences, some of them with the same words, and labels of all of them."""
    parsed, pools, labels = [], [], {}
    for _ in range(draw(st.integers(1, 4))):
        tree = draw(trees(4))
        outputs = draw(aligned_outputs(tree))
        parsed.append(tree if draw(st.integers(0, 4)) else None)
        pools.append(pool_of(outputs))
        own = labels.setdefault(" ".join(tree.words), {})
        labels[" ".join(tree.words)] = {**own, **draw(some_labels(tree, outputs))}
    return parsed, pools, labels


@given(sentences(), st.integers(1, 4), st.data())
def test_gains_are_those_of_queries_made_anew(
    case: tuple[list[Tree | None], list[Pool], dict[str, SpanLabels]],
    longest: int,
    data: st.DataObject,
) -> None:
    trees, pools, labels = case
    texts = ["unparsed" if tree is None else " ".join(tree.words) for tree in trees]
    listed = [(source, *entry) for source, own in labels.items() for entry in own]
    order = data.draw(st.permutations(listed))
    before = data.draw(st.integers(0, len(listed)))
    known: dict[str, dict[tuple[int, int, str], Label]] = {}
    for source, *entry in order[:before]:
        known.setdefault(source, {})[tuple(entry)] = labels[source][tuple(entry)]
    useful = Usefulness(asked_sentences(texts, trees, pools, known, longest))
    later: dict[str, dict[tuple[int, int, str], Label]] = {}
    steps = [None, *order[before:]]
    for step in steps:
        if step is not None:
            source, *entry = step
            for into in (known, later):
                into.setdefault(source, {})[tuple(entry)] = labels[source][tuple(entry)]
        expected = anew(trees, pools, known, longest)
        # Some of the sentences, as after an answer, or all of them, twice.
        some = data.draw(st.sets(st.sampled_from(texts)))
        wanted = {key: gain for key, gain in expected.items() if key[0] in some}
        assert useful.gains(later, some) == pytest.approx(wanted, rel=1e-12)
        tally = make_queries(trees, pools, known, longest).tally
        assert useful.coverage(later) == (tally.covered, tally.places)
    assert useful.gains(later, [*texts, *texts]) == pytest.approx(expected, rel=1e-12)


def one_sentence() -> tuple[Usefulness, str]:
    tree = Tree.of(["v", "w", "x"], [Node("P", 0, 2)])
    candidates = (("a b c", "0-0 1-1 2-2"), ("a b d", "0-0 1-1 2-2"))
    sentence = AskedSentence(
        "v w x", 2, 1, tree.brackets(), candidates, ((2, 3, "c", Label.NOT_SURE),)
    )
    return Usefulness([sentence]), "v w x"


def test_a_small_case() -> None:
    useful, source = one_sentence()
    # A YES decides P and its two words, a NO P and the sentence, of both candidates.
    assert useful.gains({}, [source]) == {
        (source, 0, 2, "a b"): pytest.approx(0.351 * 6 + 0.601 * 4),
        (source, 2, 3, "d"): pytest.approx((20 * 0.351 * 1 + 20 * 0.601 * 2) / 21),
    }
    assert useful.coverage({}) == (0, 10)
    assert useful.gains({}, []) == useful.gains({}, ["another"]) == {}
    labels = {source: {(0, 2, "a b"): Label.YES}}
    assert set(useful.gains(labels, [source])) == {(source, 2, 3, "d")}
    assert useful.coverage(labels) == (6, 10)
    # What changes in place is noticed, and so is another label than that from before.
    labels[source][2, 3, "c"] = Label.NO
    assert useful.coverage(labels) == (8, 10)
    labels[source][0, 2, "a b"] = Label.NO
    assert useful.coverage(labels) == (5, 10)
    assert useful.coverage({}) == (0, 10)


@needs_shared
def test_real_candidates(tmp_path: Path) -> None:
    parses = str(RYPT / "newstest2008.de.tok.parsed.gz")
    nbest = str(RYPT / "nbest.out.ZMERT.it6.rand10sen.trees.gz")
    result = find_queries(sources(), parses, nbest=[nbest], with_hits=True)
    path = tmp_path / "sentences.jsonl"
    path.write_text("".join(f"{line}\n" for line in as_jsonl(result.sentences)), encoding="utf-8")
    useful = Usefulness.read(str(path))
    texts = [sentence.source for sentence in result.sentences]
    assert len(texts) == 10
    gains = {
        (" ".join(hit.source), hit.start, hit.end, each.query.substring): each.query.gain
        for hit in result.hits
        for each in hit.alternatives
    }
    assert len(gains) == result.found.queries
    assert useful.gains({}, texts) == gains
    assert useful.coverage({}) == (0, result.found.places)
    trees = list(read_trees(parses, sources()).trees)
    pools = gather(len(trees), [nbest])
    labels: dict[str, dict[tuple[int, int, str], Label]] = {}
    for number, (source, *entry) in enumerate(gains):
        label = (Label.NO, Label.YES, Label.NO, Label.NOT_SURE)[number % 4]
        labels.setdefault(source, {})[entry[0], entry[1], entry[2]] = label
        if number % 400 == 399:
            assert useful.gains(labels, texts) == anew(trees, pools, labels)
            tally = make_queries(trees, pools, labels).tally
            assert useful.coverage(labels) == (tally.covered, tally.places)
