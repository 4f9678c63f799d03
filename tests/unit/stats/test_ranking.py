"""Clusters and ranks of systems, by their definitions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weigh.stats.ranking import clusters, rank_ranges, wins_ties_losses, with_ties
from weigh.stats.significance import scheffe, tukey


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


# Numbers that only rounding tells apart, against exact arithmetic.

# Scores with one decimal, as sliders and metrics give them: floats do not hold them exactly.
TENTHS = st.integers(0, 1000)


@given(st.lists(st.lists(TENTHS, min_size=1, max_size=6), min_size=1, max_size=30))
def test_means_are_equal_where_fractions_are(groups: list[list[int]]) -> None:
    exact = [Fraction(sum(group), 10 * len(group)) for group in groups]
    means = [sum(value / 10 for value in group) / len(group) for group in groups]
    found = with_ties(means, 100.0)
    for i, one in enumerate(exact):
        for j, other in enumerate(exact):
            assert (found[i] > found[j]) == (one > other)
            assert (found[i] == found[j]) == (one == other)
    assert np.allclose(found, means, rtol=0, atol=1e-10)


@given(st.lists(st.floats(-1e6, 1e6), max_size=20))
def test_settling_twice_is_settling_once(values: list[float]) -> None:
    scale = max(map(abs, values), default=0.0)
    found = with_ties(values, scale)
    assert np.array_equal(with_ties(found, scale), found)
    assert np.array_equal(with_ties(values[::-1], scale), found[::-1])


def test_whole_numbers_stay_apart() -> None:
    values = [10**11 + 1, 10**11, 10**11 + 2]
    assert with_ties(values, 10.0**11).tolist() == values


def test_what_cancels_out_has_the_scale_of_what_it_was_made_of() -> None:
    assert with_ties([1e-17, 0.0, -2e-17, 0.5], 1.0).tolist() == [-2e-17, -2e-17, -2e-17, 0.5]


def test_not_a_number_stays_alone() -> None:
    found = with_ties([1.0, float("nan"), 1.0 + 1e-15], 1.0)
    assert found[0] == found[2] == 1.0
    assert np.isnan(found[1])


def test_block_tests_of_level_systems() -> None:
    # .1 + .2 + .3 from both ends: the means are equal but for rounding.
    scores = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]])
    assert scores[:, 0].mean() != scores[:, 1].mean()
    for test in (tukey, scheffe):
        assert test(scores)[0, 1] == 1.0


def test_wins_ties_and_losses_against_plain_counts() -> None:
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 4, (5, 40)) / 3
    pairs = [(a, b) for a in range(5) for b in range(5) if a != b]
    counted = wins_ties_losses(scores, np.abs(scores), pairs)
    for (a, b), row in zip(pairs, counted.tolist(), strict=True):
        plain = [np.sign(x - y) for x, y in zip(scores[a], scores[b], strict=True)]
        assert row == [plain.count(1), plain.count(0), plain.count(-1)]


def test_rounding_alone_is_a_tie() -> None:
    scores = np.array([[0.1 + 0.2, 1.0, 0.0], [0.3, 1.0 + 1e-9, 0.0]])
    assert wins_ties_losses(scores, np.abs(scores), [(0, 1)]).tolist() == [[0, 2, 1]]
