"""Parses: Penn brackets, dependency subtrees, spans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared_data import SHARED, needs_shared
from weigh.errors import InputError
from weigh.read.trees import Node, parse_brackets, read_parses


def test_an_outer_bracket_needs_no_name() -> None:
    parse = parse_brackets("( (S (X a) ) )", "x")
    assert parse.nodes == (Node("", 0, 1), Node("S", 0, 1), Node("X", 0, 1))


@pytest.mark.parametrize(
    "line", ["null", "(TOP null)", "( TOP  null )", "()", "(())", "( ( ) )", "(null)", "", " \t"]
)
def test_no_parse(line) -> None:
    assert parse_brackets(line, "x") is None


@pytest.mark.parametrize(
    ("line", "column", "what"),
    [
        ("(S (NP (N a))", 1, "the bracket of 'S' is not closed; 1 ) is missing"),
        ("(S (NP (N a", 8, "the bracket of 'N' is not closed; 3 ) are missing"),
        ("(S (N a)))", 10, "an unmatched )"),
        (") (S (N a))", 1, "an unmatched )"),
        ("(S (NP) (N a))", 4, "the node 'NP' has no words"),
        ("(TOP)", 1, "the node 'TOP' has no words"),
        ("(S (N a)) b", 11, "'b' after the tree"),
        ("(S (N a)) (S (N b))", 11, "'(' after the tree"),
        ("a (S (N b))", 1, "'a' before the tree"),
        ("X null", 1, "'X' before the tree"),
        ("((S null)", 1, "is not closed"),
        ("((", 2, "is not closed; 2 ) are missing"),
    ],
)
def test_bad_brackets_are_shown_where_they_stand(write, complaint, line, column, what) -> None:
    message = complaint(read_parses, write("a.mrg", f"(S (N a))\n{line}\n"))
    assert message.startswith(f"a.mrg: line 2, column {column}: ")
    assert what in message


def test_a_tree_may_be_deep() -> None:
    depth = 200_000
    parse = parse_brackets("(S " * depth + "a" + ")" * depth, "x")
    assert len(parse.nodes) == depth


# A tree as nested tuples: a name, then words or trees.
trees = st.recursive(
    st.tuples(st.sampled_from("ABC"), st.sampled_from(["a", "b", "-LRB-", "ü"])),
    lambda below: st.tuples(st.sampled_from("XYZ"), below) | st.tuples(st.just("X"), below, below),
    max_leaves=12,
)


def written(tree) -> str:
    name, *below = tree
    return f"({name} {' '.join(one if isinstance(one, str) else written(one) for one in below)})"


def nodes_of(tree, start: int) -> tuple[list[Node], list[str]]:
    """The definition: a node spans the words below it."""
    name, *below = tree
    nodes: list[Node] = []
    words: list[str] = []
    for one in below:
        if isinstance(one, str):
            words.append(one)
        else:
            more, further = nodes_of(one, start + len(words))
            nodes += more
            words += further
    return [Node(name, start, start + len(words)), *nodes], words


@given(trees)
def test_what_is_written_is_read(tree) -> None:
    parse = parse_brackets(written(tree), "x")
    nodes, words = nodes_of(tree, 0)
    assert parse.nodes == tuple(nodes)
    assert parse.words == tuple(words)


@given(st.text(st.sampled_from("() ab"), max_size=12))
def test_any_line_is_read_or_refused(line) -> None:
    try:
        parse = parse_brackets(line, "x")
    except InputError:
        return
    balanced = line.count("(") == line.count(")")
    assert balanced
    assert parse is None or (parse.nodes[0].start, parse.nodes[0].end) == (0, len(parse.words))


@pytest.mark.parametrize("span", ["2-2", "3-2", "-1-2", "1", "a-b", "0–2"])
def test_bad_spans(write, complaint, span) -> None:
    message = complaint(read_parses, write("a.spans", f"0-1\n0-2 {span}\n"))
    assert message.startswith(f"a.spans: line 2, column 5: '{span}' is not a span; ")


def conllu(*heads: int) -> str:
    return "".join(
        f"{place}\tw{place}\t_\t_\t_\t_\t{head}\tr{place}\t_\t_\n"
        for place, head in enumerate(heads, 1)
    )


def test_an_empty_sentence_has_no_parse(write) -> None:
    assert read_parses(write("a.conllu", "# text =\n\n" + conllu(0)))[0] is None


@st.composite
def dependencies(draw) -> list[int]:
    """Heads of a tree: each word's is one that was placed before it."""
    order = draw(st.permutations(range(1, draw(st.integers(1, 8)) + 1)))
    heads = [0] * len(order)
    for place, word in enumerate(order[1:], 1):
        heads[word - 1] = order[draw(st.integers(0, place - 1))]
    return heads


@given(heads=dependencies())
def test_subtrees_are_what_reaches_the_head(tmp_path_factory, heads) -> None:
    def reaches(word: int, head: int) -> bool:
        while word not in (0, head):
            word = heads[word - 1]
        return word == head

    path = tmp_path_factory.mktemp("conllu") / "a.conllu"
    path.write_text(conllu(*heads))
    [parse] = read_parses(str(path))
    expected = set()
    scattered = 0
    for head in range(1, len(heads) + 1):
        below = [word for word in range(1, len(heads) + 1) if reaches(word, head)]
        if below == list(range(below[0], below[-1] + 1)):
            expected.add(Node(f"r{head}", below[0] - 1, below[-1]))
        else:
            scattered += 1
    assert set(parse.nodes) == expected
    assert parse.scattered == scattered


@needs_shared
def test_gold_trees_are_read() -> None:
    """The German treebank of 1,000 sentences has some whose trees are not projective."""
    parses = read_parses(str(SHARED / "data" / "pud" / "de_pud-ud-test.conllu.gz"))
    assert len(parses) == 1000
    assert all(parse.nodes[0].end == len(parse.words) for parse in parses)
    assert 0 < sum(parse.scattered > 0 for parse in parses) < 500
