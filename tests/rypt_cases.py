"""Trees and real data that the tests of RYPT share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from hypothesis import strategies as st

from oracle.rypt import substring
from shared_data import SHARED, lines
from weigh.read.alignment import link_line
from weigh.read.trees import Node
from weigh.rypt.alignment import AlignedTexts
from weigh.rypt.labels import Label
from weigh.rypt.tree import Tree, read_trees

RYPT = SHARED / "data" / "rypt"


@cache
def sources() -> list[str]:
    return lines(RYPT / "newstest2008.de.tok.lc.gz")


@cache
def figure_2() -> Tree:
    """The tree of the paper's Figure 2."""
    [tree] = read_trees(str(RYPT / "fig2.parse.mrg"), lines(RYPT / "fig2.source.txt")).trees
    assert tree is not None
    return tree


def spans_within(size: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Spans of so many words that do not cross: ranges are divided again and again."""

    @st.composite
    def divided(draw: st.DrawFn) -> list[tuple[int, int]]:
        spans: list[tuple[int, int]] = []
        waiting = [(0, size)]
        while waiting:
            start, end = waiting.pop()
            if draw(st.booleans()):
                spans.append((start, end))
            if end - start > 1 and draw(st.booleans()):
                middle = draw(st.integers(start + 1, end - 1))
                waiting += [(start, middle), (middle, end)]
        return spans

    return divided()


def trees(longest: int = 7) -> st.SearchStrategy[Tree]:
    """Trees of a few words."""
    return st.integers(1, longest).flatmap(
        lambda size: spans_within(size).map(
            lambda spans: Tree.of(
                [f"s{place}" for place in range(size)], [Node("X", *span) for span in spans]
            )
        )
    )


class AlignedOutput(NamedTuple):
    words: tuple[str, ...]
    links: tuple[tuple[int, int], ...]


def aligned(tree: Tree, outputs: Sequence[AlignedOutput]) -> AlignedTexts:
    """The same outputs as the package has them."""
    texts = [" ".join(one.words) for one in outputs]
    links = [link_line(one.links) for one in outputs]
    return AlignedTexts.of(texts, links, [tree.words] * len(texts), str)


def aligned_outputs(tree: Tree, most: int = 5) -> st.SearchStrategy[list[AlignedOutput]]:
    """Outputs of few different words, so that substrings recur, with any links."""

    @st.composite
    def output(draw: st.DrawFn) -> AlignedOutput:
        words = draw(st.lists(st.sampled_from(["a", "b", "ü", "[GAP]"]), max_size=7))
        if not words:
            return AlignedOutput((), ())
        link = st.tuples(st.integers(0, len(tree.words) - 1), st.integers(0, len(words) - 1))
        return AlignedOutput(tuple(words), tuple(draw(st.lists(link, max_size=9))))

    return st.lists(output(), max_size=most)


def some_labels(
    tree: Tree, outputs: list[AlignedOutput]
) -> st.SearchStrategy[dict[tuple[int, int, str], Label]]:
    """Labels of what the outputs say for the tree's nodes, and of other things."""
    said = {
        (start, end, text)
        for start, end in zip(tree.starts, tree.ends, strict=True)
        for one in outputs
        if (text := substring(one.words, one.links, start, end)) is not None
    }
    others = {(0, 1, "never said"), (0, len(tree.words) + 1, "a"), (0, len(tree.words), "b")}
    return st.dictionaries(st.sampled_from(sorted(said | others)), st.sampled_from(list(Label)))


class LabelledOutputs(NamedTuple):
    tree: Tree
    outputs: list[AlignedOutput]
    labels: dict[tuple[int, int, str], Label]


@st.composite
def labelled_outputs(draw: st.DrawFn) -> LabelledOutputs:
    tree = draw(trees())
    outputs = draw(aligned_outputs(tree))
    return LabelledOutputs(tree, outputs, draw(some_labels(tree, outputs)))
