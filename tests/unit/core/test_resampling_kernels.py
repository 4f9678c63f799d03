"""The resampling kernels against plain Python with NumPy's Philox."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from oracle import resampling as oracle
from weigh._core import IntegerResampler, RealResampler

# Around the edges of the kernels: eight units a table, 32 at once, 256 coins a block of draws.
UNITS = [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257, 300]
# Around the widths of vectors of 16, 8 and 4 lanes.
COLUMNS = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40]
# Around the limits within which 16 and 32 bits are wide enough.
LARGEST = [0, 1, 1022, 1023, 1024, 32767, 32768, 2**26 - 1, 2**26, 2**31, 2**31 + 5, 2**40, 2**53]
KINDS = ["swapped_sums", "bootstrap_sums"]

seeds = st.sampled_from([0, 1, 12345, 2**63, 2**64 - 1]) | st.integers(0, 2**64 - 1)
streams = st.sampled_from([0, 1, 2, 2**32, 2**32 + 7])
firsts = st.sampled_from([0, 1, 15, 16, 1023, 1024, 10**6, 2**40])


def integers(units: int, columns: int, largest: int, seed: int) -> np.ndarray:
    """Rows that reach ±largest, mostly near it."""
    rng = np.random.default_rng(seed)
    low = -largest if seed % 3 else 0
    rows = rng.integers(low, largest, (units, columns), endpoint=True)
    edge = rng.random((units, columns)) < 0.5
    signs = rng.choice([1, -1] if low else [1], (units, columns))
    return np.where(edge, signs * largest, rows)


def computed(rows, kind, *arguments):
    made = IntegerResampler if rows.dtype.kind == "i" else RealResampler
    return getattr(made(rows), kind)(*arguments)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=100)
@given(
    st.sampled_from(UNITS),
    st.sampled_from(COLUMNS),
    st.sampled_from(LARGEST),
    seeds,
    streams,
    firsts,
    st.integers(0, 10**6),
)
@example(300, 40, 1023, 0, 0, 0, 1)
@example(300, 40, 1024, 0, 0, 0, 1)
@example(300, 17, 2**26 - 1, 0, 0, 0, 1)
@example(300, 17, 2**26, 0, 0, 0, 1)
def test_integer_sums_against_oracle(kind, units, columns, largest, seed, stream, first, made):
    rows = integers(units, columns, largest, made)
    expected = getattr(oracle, kind)(rows.tolist(), seed, stream, first, 3)
    assert computed(rows, kind, seed, stream, first, 3).tolist() == expected


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60)
@given(
    st.sampled_from(UNITS),
    st.sampled_from(COLUMNS),
    st.sampled_from([1e-9, 1.0, 1e6, 1e300]),
    seeds,
    streams,
    firsts,
    st.integers(0, 10**6),
)
def test_real_sums_against_oracle(kind, units, columns, scale, seed, stream, first, made):
    rows = np.random.default_rng(made).normal(size=(units, columns)) * scale
    expected = np.array(getattr(oracle, kind)(rows.tolist(), seed, stream, first, 3))
    slack = 1e-12 * max(1.0, units / 32) * np.abs(rows).max()
    np.testing.assert_allclose(
        computed(rows, kind, seed, stream, first, 3), expected, rtol=1e-12, atol=slack
    )


@pytest.mark.parametrize("kind", KINDS)
def test_real_sums_of_whole_numbers_are_exact(kind):
    rows = integers(257, 17, 10**6, 4)
    wide = computed(rows, kind, 9, 1, 5, 40)
    assert computed(rows.astype(np.float64), kind, 9, 1, 5, 40).tolist() == wide.tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("largest", [3, 1023, 2**26 - 1, 2**40])
def test_all_rows_at_the_limit_do_not_overflow(kind, largest):
    """Many units of the largest value: narrow partial sums must be emptied in time."""
    for sign in (1, -1):
        rows = np.full((5000, 5), sign * largest)
        ones = computed(np.ones((5000, 1), np.int64), kind, 1, 0, 0, 70)
        expected = np.repeat(sign * largest * ones, 5, axis=1)
        assert np.array_equal(computed(rows, kind, 1, 0, 0, 70), expected)


@settings(max_examples=50)
@given(
    st.sampled_from(UNITS),
    st.sampled_from([1, 16, 17]),
    st.sampled_from([*LARGEST, None]),
    st.sampled_from([2, 3, 7]),
    st.integers(0, 10**6),
)
def test_repeated_units_are_as_rows_written_out(units, columns, largest, repeats, made):
    assume((largest or 0) * units * repeats < 2**63)  # what is more is refused
    rows = integers(units, columns, 9 if largest is None else largest, made)
    if largest is None:
        rows = rows / 8.0  # sums of which are exact
    found = computed(rows, "swapped_sums", 3, 1, 5, 30, repeats)
    assert np.array_equal(found, computed(np.tile(rows, (repeats, 1)), "swapped_sums", 3, 1, 5, 30))


@pytest.mark.parametrize("largest", [1023, 1024, 2**26])
def test_sums_of_repeated_units_do_not_overflow(largest):
    """All of 600 sets of 4,000 units at the limit of 16 bits: far beyond 32 bits."""
    ones = repeated_sums(1)
    assert np.array_equal(repeated_sums(largest), largest * ones)
    assert ones.min() > 1_190_000


@cache
def repeated_sums(value):
    return computed(np.full((4000, 1), value), "swapped_sums", 1, 0, 0, 4, 600)


def test_sums_beyond_32_bits_of_narrow_rows():
    """Rows that fit 16 bits, but so many that products no longer fit 32."""
    units = 2**31 // 1000 + 100
    rows = np.full((units, 1), 1000, dtype=np.int64)
    assert computed(rows, "bootstrap_sums", 3, 0, 0, 1).tolist() == [[1000 * units]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kind_of_rows", ["i", "f"])
@settings(max_examples=25)
@given(st.lists(st.integers(0, 1100), min_size=1, max_size=5), st.integers(0, 10**6))
def test_any_split_of_trials_gives_the_same_bits(kind, kind_of_rows, sizes, made):
    rows = integers(45, 18, 1500, made)
    if kind_of_rows == "f":
        rows = rows / 7.0
    whole = computed(rows, kind, 11, 2, 100, sum(sizes))
    starts = np.cumsum([100, *sizes])
    parts = [
        computed(rows, kind, 11, 2, int(start), size)
        for start, size in zip(starts, sizes, strict=False)
    ]
    assert np.vstack(parts).tobytes() == whole.tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_does_not_depend_on_its_neighbours(kind):
    rows = integers(100, 40, 1023, 1)
    reals = rows / 3.0
    together, together_real = computed(rows, kind, 1, 0, 0, 50), computed(reals, kind, 1, 0, 0, 50)
    for column in range(40):
        alone = np.ascontiguousarray(rows[:, column : column + 1])
        assert np.array_equal(computed(alone, kind, 1, 0, 0, 50)[:, 0], together[:, column])
        alone_real = computed(alone / 3.0, kind, 1, 0, 0, 50)[:, 0]
        assert alone_real.tobytes() == together_real[:, column].tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_seeds_streams_and_trials_differ(kind):
    rows = np.eye(64, dtype=np.int64)
    seen = set()
    for seed in (0, 1, 2, 2**64 - 1):
        for stream in (0, 1, 2, 2**32):
            seen |= {row.tobytes() for row in computed(rows, kind, seed, stream, 0, 100)}
    assert len(seen) == 4 * 4 * 100


def test_coins_and_units_are_of_different_draws():
    assert oracle.draws(1, 0, oracle.COINS, 0, 0) != oracle.draws(1, 0, oracle.UNITS, 0, 0)
    heads = computed(np.eye(256, dtype=np.int64), "swapped_sums", 1, 0, 0, 1)[0]
    words = [
        sum(int(bit) << i for i, bit in enumerate(heads[k : k + 64])) for k in range(0, 256, 64)
    ]
    assert words == oracle.draws(1, 0, oracle.COINS, 0, 0)


@pytest.mark.parametrize("made", [IntegerResampler, RealResampler])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_do(made, kind):
    dtype = np.int64 if made is IntegerResampler else np.float64
    assert getattr(made(np.ones((5, 2), dtype)), kind)(0, 0, 0, 0).shape == (0, 2)
    with pytest.raises(ValueError, match="no units"):
        made(np.ones((0, 2), dtype))
    with pytest.raises(ValueError, match="no units"):
        made(np.ones((5, 2), dtype)).swapped_sums(0, 0, 0, 3, 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("largest", [1023, 2**26 - 1, 2**40, None])
def test_rows_may_lie_in_memory_in_any_way(kind, largest):
    rows = integers(70, 18, largest or 9, 1)
    if largest is None:
        rows = rows / 7.0
    expected = computed(rows, kind, 1, 0, 0, 40)
    spread = np.zeros((140, 36), rows.dtype)
    spread[::2, ::2] = rows
    backwards = np.ascontiguousarray(rows[::-1, ::-1])
    for same in (np.asfortranarray(rows), spread[::2, ::2], backwards[::-1, ::-1]):
        assert computed(same, kind, 1, 0, 0, 40).tobytes() == expected.tobytes()


def test_rows_are_copied():
    rows = np.ones((10, 2), dtype=np.int64)
    resampler = IntegerResampler(rows)
    before = resampler.swapped_sums(0, 0, 0, 5)
    rows[:] = 7
    assert np.array_equal(resampler.swapped_sums(0, 0, 0, 5), before)


@pytest.mark.parametrize("seed", [0, 1])
def test_coins_are_fair(seed):
    """Chi-square of heads per unit, of pairs of neighbouring units and of trials."""
    units, trials = 300, 4000
    heads = computed(np.eye(units, dtype=np.int64), "swapped_sums", seed, 0, 0, trials)
    assert set(np.unique(heads)) == {0, 1}
    for counts, tosses in ((heads.sum(axis=0), trials), (heads.sum(axis=1), units)):
        chi_square = ((counts - tosses / 2) ** 2 / (tosses / 4)).sum()
        df = counts.size
        assert abs(chi_square - df) < 4 * np.sqrt(2 * df)
    same = (heads[:, 1:] == heads[:, :-1]).mean()
    assert abs(same - 0.5) < 4 * 0.5 / np.sqrt(trials * (units - 1))
    same = (heads[1:] == heads[:-1]).mean()
    assert abs(same - 0.5) < 4 * 0.5 / np.sqrt((trials - 1) * units)


@pytest.mark.parametrize("units", [1, 3, 100, 257])
def test_draws_with_replacement_are_uniform(units):
    trials = 4000
    weights = computed(np.eye(units, dtype=np.int64), "bootstrap_sums", 5, 0, 0, trials)
    assert (weights.sum(axis=1) == units).all()
    assert weights.min() >= 0
    if units > 1:
        chi_square = ((weights.sum(axis=0) - trials) ** 2 / trials).sum()
        df = units - 1
        assert abs(chi_square - df) < 4 * np.sqrt(2 * df) + 4
        # A unit's weight is binomial: its variance is 1 − 1/n.
        variance = weights.var(axis=0).mean()
        assert abs(variance - (1 - 1 / units)) < 0.05
