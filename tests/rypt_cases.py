"""Trees and real data that the tests of RYPT share."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from shared_data import SHARED, lines
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
