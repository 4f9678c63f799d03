"""Texts that break things: made by Hypothesis, shared by the tests of kernels and metrics."""

from __future__ import annotations

from hypothesis import strategies as st

from weigh import ParsedText, ParsedWord

# Few different words, so that matches, repeats and shifts happen.
WORDS = ["a", "b", "c", "the", "The", "0", "12", "3.5", "1,000", "x-y", "5-a", ".", ",", "...", "!"]
ODD = [
    "&amp;",
    "&quot;",
    "&lt;b&gt;",
    "<skipped>",
    "é",
    "é",  # the same letter with a combining mark
    "שלום",
    "‏",
    "中文。",
    "𝒳😀",
    "ς",
    "İ",
    "ß",
    "'s",
    "(hi)",
    "-",
    "$5.00",
    "\ud7ff",
]
SPACES = [" ", "  ", "\t", "\xa0", " ", " ", "\x1c", "\x85", "　"]

tokens = st.lists(st.sampled_from("abcdefg"), max_size=14)
segment = st.lists(
    st.tuples(st.sampled_from(WORDS + ODD), st.sampled_from(SPACES)), max_size=16
).map(lambda pairs: "".join(word + space for word, space in pairs))
anything = st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters="\n\r"), max_size=30
)
text = st.one_of(segment, segment, anything)


def corpora(
    texts: st.SearchStrategy[str] = text, max_segments: int = 4, max_references: int = 3
) -> st.SearchStrategy[tuple[list[str], list[list[str]]]]:
    """Hypotheses of a system and one or more reference sets for them."""

    def of_shape(shape: tuple[int, int]) -> st.SearchStrategy[tuple[list[str], list[list[str]]]]:
        segments, references = shape
        column = st.lists(texts, min_size=segments, max_size=segments)
        return st.tuples(column, st.lists(column, min_size=references, max_size=references))

    return st.tuples(st.integers(1, max_segments), st.integers(1, max_references)).flatmap(of_shape)


def parsed(text: str) -> ParsedText:
    """A text with a tree of no linguistic merit: every word depends on the one before it."""
    words = text.split()
    return ParsedText(
        text, [ParsedWord(word, word.lower(), place, "next") for place, word in enumerate(words)]
    )
