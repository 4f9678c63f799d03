"""Trees by distinct ranges."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rypt_cases import RYPT, figure_2, sources, spans_within, trees
from shared_data import lines, needs_shared
from weigh.errors import InputError, UsageError
from weigh.read.trees import Node, parse_brackets
from weigh.rypt.tree import Tree, frontier, read_trees


def ranges(tree: Tree) -> list[tuple[int, int]]:
    return list(zip(tree.starts, tree.ends, strict=True))


def test_a_chain_is_one_node_with_the_name_of_the_highest() -> None:
    parse = parse_brackets("( (S (VP (VB go)) (X (Y (Z on)))))", "x")
    tree = Tree.of(parse.words, parse.nodes)
    assert tree.names == ("S", "VP", "X")
    assert ranges(tree) == [(0, 2), (0, 1), (1, 2)]
    assert tree.parents == (-1, 0, 0)
    assert tree.children()[0] == [1, 2]


def test_what_is_not_given() -> None:
    tree = Tree.of(["a", "b", "c"], [Node("span", 1, 3)])
    assert tree.names == ("sentence", "word", "span", "word", "word")
    assert ranges(tree) == [(0, 3), (0, 1), (1, 3), (1, 2), (2, 3)]


@given(st.integers(1, 9).flatmap(lambda size: st.tuples(st.just(size), spans_within(size))))
def test_every_range_once_and_children_cover_their_parents(case) -> None:
    size, spans = case
    tree = Tree.of(["w"] * size, [Node("X", *span) for span in spans])
    singles = {(place, place + 1) for place in range(size)}
    assert set(ranges(tree)) == set(spans) | singles | {(0, size)}
    assert len(set(ranges(tree))) == len(tree)
    for node, (start, end) in enumerate(ranges(tree)):
        children = tree.children()[node]
        assert all(child > node for child in children)
        covered = [place for child in children for place in range(*ranges(tree)[child])]
        assert covered == (list(range(start, end)) if children else [])
        assert bool(children) == (end - start > 1)


@pytest.mark.parametrize(
    ("spans", "what"),
    [
        ("0-2 1-3", "the spans 0-2 and 1-3 cross"),
        ("1-3 0-2", "the spans 0-2 and 1-3 cross"),
        ("2-5", "the span 2-5, but the sentence has 4 words"),
    ],
)
def test_bad_spans(tmp_path, spans, what) -> None:
    path = tmp_path / "a.spans"
    path.write_text(f"0-4\n{spans}\n")
    with pytest.raises(InputError) as caught:
        read_trees(str(path), ["a b c d"] * 2)
    assert str(caught.value).startswith(f"{path}: line 2: {what}; ")


@pytest.mark.parametrize(
    ("parse", "what"),
    [
        ("(S (N a) (N x))", "word 2 of the parse is 'x', but 'b' in the source; "),
        ("(S (N a))", "1 word in the parse, but 2 in the source; only the source has 'b' after"),
        ("(S (N A) (N B) (N c))", "3 words in the parse, but 2 in the source; only the parse has"),
    ],
)
def test_leaves_are_the_source(tmp_path, parse, what) -> None:
    path = tmp_path / "a.mrg"
    path.write_text(f"null\n{parse}\n")
    with pytest.raises(InputError) as caught:
        read_trees(str(path), ["x", "a b"])
    assert str(caught.value).startswith(f"{path}: line 2: {what}")


def test_other_numbers_of_sentences(tmp_path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text("null\n(S (N a))\n")
    with pytest.raises(InputError, match=r"2 parses, but the source has 3 sentences; give one"):
        read_trees(str(path), ["a", "a", "a"])


def test_sentences_without_a_parse(tmp_path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text("null\n(S (N a))\n\n")
    found = read_trees(str(path), ["a b", "a", ""])
    assert [tree and len(tree) for tree in found.trees] == [None, 1, None]
    assert found.unparsed == 2
    found = read_trees(str(path), ["a b", "a", ""], flat=True)
    assert [tree and len(tree) for tree in found.trees] == [3, 1, None]
    assert found.unparsed == 2


@needs_shared
def test_figure_2_has_18_distinct_nodes() -> None:
    [line] = lines(RYPT / "fig2.parse.mrg")
    assert len(parse_brackets(line, "x").nodes) == 19
    assert len(figure_2()) == 18


@needs_shared
def test_all_real_parses_have_the_words_of_their_source() -> None:
    found = read_trees(str(RYPT / "newstest2008.de.tok.parsed.gz"), sources())
    assert (len(found.trees), found.unparsed) == (2051, 198)
    assert sum(tree is not None for tree in found.trees) == 1853


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


def test_nothing_is_shorter_than_a_word() -> None:
    with pytest.raises(UsageError, match="max_length=0; give 1 or more"):
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


def from_brackets(text: str, words: Sequence[str]) -> Tree:
    parse = parse_brackets(text, "x")
    return Tree.of(words, () if parse is None else parse.nodes)  # the word "null" is no parse


@given(
    st.integers(1, 9).flatmap(lambda size: spans_within(size).map(lambda spans: (size, spans))),
    st.data(),
)
def test_trees_in_brackets(case: tuple[int, list[tuple[int, int]]], data: st.DataObject) -> None:
    size, spans = case
    word = st.sampled_from(["a", "(", ")", ":-)", "null", "-LRB-", "10\xa0000", "()"])
    names = st.sampled_from(["NP", "", "$,", "a b", "X(Y)", "null"])
    words = data.draw(st.lists(word, min_size=size, max_size=size))
    tree = Tree.of(words, [Node(data.draw(names), *span) for span in spans])
    again = from_brackets(tree.brackets(), words)
    assert (again.words, ranges(again), again.parents) == (tree.words, ranges(tree), tree.parents)
    assert from_brackets(again.brackets(), words).names == again.names
