"""Clusters of systems, by their definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weigh.stats.ranking import clusters


@st.composite
def tournaments(draw):
    size = draw(st.integers(1, 6))
    scores = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
    chosen = draw(st.lists(st.booleans(), min_size=size * size, max_size=size * size))
    beats = np.array(chosen).reshape(size, size) & (np.subtract.outer(scores, scores) > 0)
    return [f"s{i}" for i in range(size)], scores, beats


@given(tournament=tournaments())
def test_clusters_against_the_definition(tournament):
    names, scores, beats = tournament
    found = clusters(names, scores, beats)
    ranked = sorted(range(len(names)), key=lambda i: -scores[i])
    assert [name for cluster in found for name in cluster] == [names[i] for i in ranked]
    boundaries = set(np.cumsum([len(cluster) for cluster in found])[:-1].tolist())
    for place in range(1, len(names)):
        separated = all(beats[i, j] for i in ranked[:place] for j in ranked[place:])
        assert (place in boundaries) == separated


def test_all_beat_all_below():
    beats = np.triu(np.ones((3, 3), dtype=bool), 1)
    assert clusters("abc", [3, 2, 1], beats) == [["a"], ["b"], ["c"]]


def test_nobody_beats_anybody():
    assert clusters("abc", [1, 2, 1], np.zeros((3, 3))) == [["b", "a", "c"]]


def test_one_pair_that_is_not_significant_joins_all_between():
    beats = np.triu(np.ones((4, 4), dtype=bool), 1)
    beats[0, 2] = False
    assert clusters("abcd", [4, 3, 2, 1], beats) == [["a", "b", "c"], ["d"]]


def test_no_systems():
    assert clusters([], [], np.zeros((0, 0))) == []
