"""Small n-best lists with texts and references, made by Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from weigh import TestSet
from weigh.read.nbest import Candidate
from weigh.tuning.gather import gather
from weigh.tuning.nbest import NBest

WORDS = ["a", "b", "c", "the", "cat", "."]
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
integers = st.integers(-3, 3)


def store(segments: list[list[tuple[str, list[float]]]], names: tuple[str, ...]) -> NBest:
    """Return the store of each segment's candidates: a text and its features."""
    return gather(
        Candidate(str(segment), text, names, [float(value) for value in values], {}, line)
        for segment, candidates in enumerate(segments)
        for line, (text, values) in enumerate(candidates, 1)
    )


@st.composite
def problems(draw, features: int = 3, max_segments: int = 3, max_candidates: int = 5):
    """Return a store of whole-number features, in which ties abound, and a test set."""
    row = st.lists(integers, min_size=features, max_size=features)
    candidates = st.lists(st.tuples(texts, row), min_size=1, max_size=max_candidates)
    segments = draw(st.lists(candidates, min_size=1, max_size=max_segments))
    reference = draw(st.lists(texts, min_size=len(segments), max_size=len(segments)))
    names = tuple(f"f_{number}" for number in range(features))
    return store(segments, names), TestSet([reference])
