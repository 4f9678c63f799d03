"""Intervals, bounds and errors from halvings: the inverted sign-flip test as authority."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weigh.stats.resample as resample
from oracle import halving as oracle
from oracle import resampling as draws
from unit.stats.samples import documents_of, of_scores
from unit.stats.test_resample import PAIRS, PLAIN, make_samples, uneven
from weigh.stats.halving import TRIALS, Bounds, Halves, Halving, draw_halves
from weigh.stats.sample import Sample
from weigh.stats.significance import Observed

PAIR = np.array([[0, 1]])
LEVELS = {0.5: Fraction(1, 2), 0.9: Fraction(1, 10), 0.95: Fraction(1, 20), 0.99: Fraction(1, 100)}


def halves_of(sample: Sample, seed: int = 1, trials: int = TRIALS) -> Halves:
    _, [halves] = draw_halves(Halving([sample], seed), trials, [None], threads=1)
    return halves


def as_ends(ends: tuple[Fraction | None, Fraction | None]) -> object:
    return pytest.approx([float("nan") if end is None else float(end) for end in ends], nan_ok=True)


@settings(max_examples=25)
@given(
    st.lists(st.integers(-6, 6), min_size=1, max_size=7),
    st.sampled_from(sorted(LEVELS)),
)
def test_interval_is_the_inverted_sign_flip_test(d, level):
    halves = halves_of(of_scores(d, [0] * len(d)))
    expected = oracle.kept_means(d, [1] * len(d), LEVELS[level])
    assert halves.complete
    assert halves.difference_ends(PAIR, level)[0].tolist() == as_ends(expected)


@settings(max_examples=20)
@given(
    st.lists(st.tuples(st.integers(-6, 6), st.integers(1, 3)), min_size=1, max_size=6),
    st.sampled_from([0.5, 0.9, 0.95]),
)
def test_interval_of_documents_is_the_inverted_test_of_their_sums(units, level):
    sums, sizes = ([int(x) for x in column] for column in zip(*units, strict=True))
    scores = [[d, *[0] * (m - 1)] for d, m in units]
    flat = [score for document in scores for score in document]
    sample = of_scores(flat, [0] * len(flat), documents=documents_of(sizes))
    expected = oracle.kept_means(sums, sizes, LEVELS[level])
    assert halves_of(sample).difference_ends(PAIR, level)[0].tolist() == as_ends(expected)


@settings(max_examples=20)
@given(
    st.lists(st.integers(-6, 6), min_size=2, max_size=6),
    st.sampled_from([0.9, 0.95]),
)
def test_lower_bound_is_the_inverted_one_sided_test(d, level):
    halves = halves_of(of_scores(d, [0] * len(d)))
    expected, _ = oracle.kept_means(d, [1] * len(d), LEVELS[level], side=1)
    wanted = float("nan") if expected is None else float(expected)
    assert halves.lower_bounds(PAIR, level)[0] == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize(("level", "fewest"), [(0.95, 6), (0.99, 8), (0.9, 5)])
def test_fewest_units_that_have_an_interval(level, fewest):
    for units in range(1, 13):
        rng = np.random.default_rng(units)
        ends = halves_of(of_scores(rng.normal(size=units), np.zeros(units)))
        has_interval = not np.isnan(ends.difference_ends(PAIR, level)[0]).any()
        assert has_interval == (units >= fewest), units


@pytest.mark.parametrize(("slices", "size", "level"), [(30, 10, 0.95), (2, 6, 0.95), (3, 8, 0.99)])
def test_means_over_slices_need_no_more_units_in_each(slices, size, level):
    for units in (size - 1, size):
        strata = tuple(np.arange(i * units, (i + 1) * units) for i in range(slices))
        d = np.random.default_rng(units).normal(size=slices * units)
        sample = replace(of_scores(d, np.zeros(len(d))), strata=strata)
        ends = halves_of(sample).difference_ends(PAIR, level)[0]
        if units >= min(size, 8 if level > 0.95 else 6):
            assert ends[0] < d.mean() < ends[1]
        else:
            assert np.isnan(ends).all()


def test_one_sided_bounds_need_fewer_units():
    for units in range(1, 8):
        halves = halves_of(of_scores(np.arange(units), np.zeros(units)))
        assert np.isnan(halves.lower_bounds(PAIR, 0.95)[0]) == (units < 5)


@pytest.mark.parametrize("units", [11, 12])
def test_drawn_splits_agree_with_all_of_them(units):
    """11 units are split in all ways, 12 at random: as one more unit hardly changes anything."""
    rng = np.random.default_rng(1)
    d = rng.normal(0.3, 1, units)
    drawn = halves_of(of_scores(d, np.zeros(units)))
    assert drawn.complete == (units == 11)
    ways = (np.arange(1, 2 ** (units - 1))[:, None] >> np.arange(units)) & 1
    first = ways @ d / ways.sum(axis=1)
    second = (1 - ways) @ d / (1 - ways).sum(axis=1)
    k = int(0.05 * 2 ** (units - 1))
    low = np.sort(np.minimum(first, second))[k - 1]
    high = np.sort(np.maximum(first, second))[-k]
    ends = drawn.difference_ends(PAIR, 0.95)[0]
    assert ends == pytest.approx([low, high], abs=1e-9 if units == 11 else 0.05)


@pytest.mark.parametrize("metric", ["BLEU", "TER", "score"])
@pytest.mark.parametrize(("runs", "stratified"), [(1, False), (2, False), (2, True)])
def test_halves_and_errors_against_plain_loops(metric, runs, stratified):
    units, trials, seed = 37, 60, 7
    strata = uneven(units) if stratified else None
    sample = make_samples(units, runs, strata)[sorted(PLAIN).index(metric)]
    assert sample.metric.name == metric
    parts = [range(units)] if strata is None else [part.tolist() for part in strata]
    differences, apart = [], []
    for trial in range(trials):
        heads, tails, weighted = [], [], []
        for stream, part in enumerate(parts):
            coins = draws.coins(seed, stream, trial, len(part))
            inside = [unit for unit, coin in zip(part, coins, strict=True) if coin]
            outside = [unit for unit, coin in zip(part, coins, strict=True) if not coin]
            weight = (len(inside) * len(outside)) ** 0.5 / len(part)
            if stratified:
                weight /= (1 - 2 ** (1 - len(part))) ** 0.5
            for run in range(runs):
                for half, kept in ((inside, heads), (outside, tails)):
                    score = [
                        PLAIN[metric](draws.total(sample.rows[system][run].tolist(), half))
                        for system in (2, 0)
                    ]
                    kept.append(score[0] - score[1])
                weighted.append(weight * (heads[-1] - tails[-1]))
        differences.append((np.mean(heads), np.mean(tails)))
        apart.append(np.mean(weighted))
    halves = halves_of(sample, seed, trials)
    found = np.array([halves.first[2] - halves.first[0], halves.second[2] - halves.second[0]]).T
    if stratified:  # as far from the actual difference as the halves are from each other, weighted
        actual = np.subtract(*sample.scores()[[2, 0]])
        freedom = units - len(parts)
        wider = (freedom / (freedom - 2)) ** 0.5
        differences = [(actual + wider * each, actual - wider * each) for each in apart]
    np.testing.assert_allclose(found, differences, atol=1e-10)
    if metric == "score" and not stratified:
        d = np.mean(
            [sample.rows[2][r][:, 0] - sample.rows[0][r][:, 0] for r in range(runs)], axis=0
        )
        expected = d.std(ddof=1) / units**0.5
    else:
        expected = np.mean(np.square(apart)) ** 0.5
    assert halves.standard_errors(np.array([[2, 0]]))[0] == pytest.approx(expected, rel=1e-9)


def test_standard_error_of_all_splits_is_that_of_a_mean():
    """(m_S m_Sᶜ/n²)(δ(S) − δ(Sᶜ))² is s²/n on average, for splits of any size."""
    d = np.random.default_rng(3).normal(size=8)
    halves = halves_of(of_scores(d, np.zeros(8)))
    ways = ((np.arange(1, 2**7)[:, None] >> np.arange(8)) & 1).sum(axis=1)
    spread = halves.first[0] - halves.second[0] - (halves.first[1] - halves.second[1])
    mean = np.mean(ways * (8 - ways) / 64 * spread**2)
    assert halves.standard_errors(PAIR)[0] ** 2 == pytest.approx(mean)
    assert mean == pytest.approx(d.var(ddof=1) / 8)


def test_score_interval_is_that_against_zero():
    scores = np.random.default_rng(4).gamma(2, size=30)
    halves = halves_of(of_scores(scores, np.zeros(30)))
    alone = halves_of(of_scores(scores))
    assert halves.score_ends(0.95)[0] == pytest.approx(halves.difference_ends(PAIR, 0.95)[0])
    assert alone.score_ends(0.95)[0] == pytest.approx(halves.score_ends(0.95)[0])
    assert halves.score_ends(0.95)[1].tolist() == [0, 0]


@pytest.mark.parametrize("offset", [1e9, 1e12])
@pytest.mark.parametrize("units", [10, 40])
def test_a_common_offset_changes_nothing(offset, units):
    """Quarters are exact beside 1e12: the same bits. Scores move by the offset."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 20, (2, units)) / 4
    plain, moved = halves_of(of_scores(a, b)), halves_of(of_scores(a + offset, b + offset))
    for one, other in (
        (plain.difference_ends(PAIR, 0.95), moved.difference_ends(PAIR, 0.95)),
        (plain.lower_bounds(PAIR, 0.95), moved.lower_bounds(PAIR, 0.95)),
        (plain.standard_errors(PAIR), moved.standard_errors(PAIR)),
    ):
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)
    shifted = plain.score_ends(0.95) + offset
    np.testing.assert_allclose(moved.score_ends(0.95), shifted, rtol=1e-15)


def test_swapping_the_systems_mirrors_the_interval():
    for sample in make_samples(30, runs=2):
        halves = halves_of(sample)
        ends = halves.difference_ends(np.array([[0, 1], [1, 0]]), 0.95)
        np.testing.assert_array_equal(ends[1], -ends[0][::-1])


@pytest.mark.parametrize("threads", [1, 3])
def test_the_same_halves_for_any_threads_blocks_and_neighbours(monkeypatch, threads):
    samples = make_samples(50, runs=2, strata=uneven(50))
    expected = [halves_of(sample, 3, 150) for sample in samples]
    monkeypatch.setattr(resample, "BLOCK", 7)
    _, found = draw_halves(Halving(samples, 3), 150, [None] * 3, threads=threads)
    for one, other in zip(found, expected, strict=True):
        assert one.first.tobytes() == other.first.tobytes()
        assert one.second.tobytes() == other.second.tobytes()
        np.testing.assert_allclose(one.covariance, other.covariance, rtol=1e-12)


@pytest.mark.parametrize(("runs", "stratified"), [(1, False), (3, False), (2, True)])
def test_counts_of_extremes_against_plain_loops(runs, stratified):
    trials, seed = 70, 11
    samples = make_samples(23, runs, uneven(23) if stratified else None, seed=2)
    bounds = []
    for sample in samples:
        observed = Observed.of(sample, PAIRS)
        raw = observed.sign * observed.differences
        bounds.append(Bounds(np.array(PAIRS), raw, observed.tolerance))
    counts, none = draw_halves(Halving(samples, seed), trials, bounds, halves=False, threads=1)
    assert none == []
    for sample, found, (_, d, slack) in zip(samples, counts, bounds, strict=True):
        for i, (a, b) in enumerate(PAIRS):
            pair = draws.Pair(
                [rows.tolist() for rows in sample.rows[a]],
                [rows.tolist() for rows in sample.rows[b]],
                PLAIN[sample.metric.name],
                strata=None if sample.strata is None else [p.tolist() for p in sample.strata],
            )
            swapped = pair.swapped_differences(trials, seed)
            assert found[i].tolist() == [
                sum(abs(x) >= abs(d[i]) - slack[i] for x in swapped),
                sum(x >= d[i] - slack[i] for x in swapped),
                sum(x <= d[i] + slack[i] for x in swapped),
            ]


def test_later_trials_continue_the_earlier_ones():
    [sample, *_] = make_samples(40)
    observed = Observed.of(sample, PAIRS)
    bounds = [Bounds(np.array(PAIRS), observed.differences, observed.tolerance)]
    halving = Halving([sample], 5)
    whole, _ = draw_halves(halving, 300, bounds, halves=False, threads=1)
    start, _ = draw_halves(halving, 100, bounds, halves=False, threads=1)
    rest, _ = draw_halves(halving, 200, bounds, first=100, halves=False, threads=2)
    assert (start[0] + rest[0]).tolist() == whole[0].tolist()


def test_scores_beyond_whole_doubles_do_not_overflow():
    """All doubles beyond 2^53 are whole numbers, but no 64-bit integers."""
    rng = np.random.default_rng(8)
    a, b = 1e20 * rng.random((2, 30))
    halves = halves_of(of_scores(a, b))
    small = halves_of(of_scores(a / 1e20, b / 1e20))
    np.testing.assert_allclose(
        halves.difference_ends(PAIR, 0.95) / 1e20, small.difference_ends(PAIR, 0.95), rtol=1e-9
    )


def test_too_few_trials_have_no_interval():
    sample = of_scores(np.arange(30.0), np.zeros(30))
    assert np.isnan(halves_of(sample, trials=18).difference_ends(PAIR, 0.95)).all()
    assert not np.isnan(halves_of(sample, trials=19).difference_ends(PAIR, 0.95)).any()
