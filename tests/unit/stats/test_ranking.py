"""Clusters and ranks of systems, by their definitions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weigh.stats.ranking import clusters, rank_ranges


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


@given(tournament=tournaments())
def test_ranks_against_the_definition(tournament):
    names, _, beats = tournament
    size = len(names)
    wins = [(names[i], names[j]) for i in range(size) for j in range(size) if beats[i, j]]
    assert rank_ranges(names, [*wins, *wins[:1]]) == {
        names[i]: (1 + int(beats[:, i].sum()), size - int(beats[i].sum())) for i in range(size)
    }


@given(tournament=tournaments())
def test_without_a_false_win_every_range_holds_the_true_rank(tournament):
    """The scores are the truth here, and wins some of those that are true."""
    names, truth, beats = tournament
    size = len(names)
    wins = [(names[i], names[j]) for i in range(size) for j in range(size) if beats[i, j]]
    for name, (low, high) in rank_ranges(names, wins).items():
        own = truth[names.index(name)]
        # Systems of one true score share these ranks.
        best, worst = 1 + sum(x > own for x in truth), size - sum(x < own for x in truth)
        assert low <= best <= worst <= high


@given(tournament=tournaments())
def test_ranks_and_clusters_agree(tournament):
    """No range reaches over a line between clusters."""
    names, scores, beats = tournament
    size = len(names)
    wins = [(names[i], names[j]) for i in range(size) for j in range(size) if beats[i, j]]
    ranges, before = rank_ranges(names, wins), 0
    for cluster in clusters(names, scores, beats):
        assert all(before < low <= high for low, high in map(ranges.get, cluster))
        before += len(cluster)
        assert all(ranges[name][1] <= before for name in cluster)
