"""RYPT's substrings of spans against their definition, one span and one output at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import rypt as oracle
from weigh._core import span_substrings

GAP = "[GAP]"
# Few words, of every width that Python stores text in, so that substrings are often the same.
words = st.sampled_from(["a", "b", "é", "木", "𝒳", "a\xa0b"])
places = st.integers(0, 5)


@st.composite
def aligned(draw):
    """Some outputs of a source of six words: words and links, which may repeat in any order."""
    outputs = draw(st.lists(st.lists(words, max_size=6), max_size=5))
    links = [
        draw(st.lists(st.tuples(places, st.integers(0, len(output) - 1)), max_size=9))
        if output
        else []
        for output in outputs
    ]
    spans = draw(st.lists(st.tuples(places, st.integers(0, 6)), max_size=6))
    return outputs, links, spans


def found(outputs, links, spans):
    """What the kernel says for each span and output."""
    flat = [(at, *link) for at, own in enumerate(links) for link in own]
    columns = np.array(flat, dtype=np.int64).reshape(-1, 3).T
    edges = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    numbers, texts = span_substrings(
        outputs, *map(np.ascontiguousarray, columns), *map(np.ascontiguousarray, edges), GAP
    )
    assert numbers.shape == (len(spans), len(outputs))
    assert len(set(texts)) == len(texts)
    assert set(numbers.ravel().tolist()) - {-1} == set(range(len(texts)))
    return [[None if number < 0 else texts[number] for number in row] for row in numbers]


@settings(max_examples=100)
@given(aligned())
def test_substrings_against_definition(case):
    outputs, links, spans = case
    expected = [
        [oracle.substring(output, own, *span) for output, own in zip(outputs, links, strict=True)]
        for span in spans
    ]
    assert found(outputs, links, spans) == expected


def test_a_word_that_is_spelt_like_a_gap_is_one():
    """What is said is text, in which the two cannot be told apart."""
    said = found(
        [["a", GAP, "b"], ["a", "c", "b"]], [[(0, 0), (0, 1), (0, 2)], [(0, 0), (0, 2)]], [(0, 1)]
    )
    assert said == [["a [GAP] b", "a [GAP] b"]]


def test_more_words_than_two_bytes_count():
    """A vocabulary beyond 65,536 words, and a long output without a gap."""
    output = [f"w{number}" for number in range(70_000)]
    links = [(0, place) for place in range(len(output))]
    assert found([output], [links], [(0, 1)]) == [[" ".join(output)]]


@pytest.mark.parametrize(
    ("owners", "targets", "error"),
    [
        ([0], [1], IndexError),  # no such word
        ([0], [-1], IndexError),
        ([1], [0], ValueError),  # no such output
        ([-1], [0], ValueError),
        ([0], [0, 0], ValueError),
    ],
)
def test_links_that_lead_nowhere_are_refused(owners, targets, error):
    one = np.zeros(1, dtype=np.int64)
    with pytest.raises(error):
        span_substrings([["a"]], np.array(owners), one, np.array(targets), one, one + 1, GAP)


def test_words_must_be_texts():
    none = np.zeros(0, dtype=np.int64)
    with pytest.raises(TypeError):
        span_substrings([["a", 1]], none, none, none, none, none, GAP)
