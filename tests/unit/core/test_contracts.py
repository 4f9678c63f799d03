"""What the kernels refuse: sizes that wrap around, arrays that are not aligned, wrong states."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from weigh import _core

SIZES = [2**20, 2**31, 2**59, 2**60, 2**61, 2**62, 2**63, 2**64 - 1]
RESAMPLERS = [(_core.IntegerResampler, np.int64), (_core.RealResampler, np.float64)]
resamplers = pytest.mark.parametrize(("resampler", "dtype"), RESAMPLERS)


def misaligned(values: object, dtype: type) -> np.ndarray:
    """Return an array whose numbers stand one byte off."""
    array = np.ascontiguousarray(values, dtype)
    memory = np.zeros(array.nbytes + 1, np.uint8)
    off = memory[1:].view()
    shifted = np.frombuffer(off.data, dtype).reshape(array.shape)
    assert not shifted.flags.aligned
    np.copyto(shifted if shifted.flags.writeable else shifted.copy(), array, casting="unsafe")
    return shifted


@resamplers
@pytest.mark.parametrize("columns", [1, 7, 16, 64])
@pytest.mark.parametrize("trials", SIZES[2:])
def test_sizes_that_wrap_around_are_refused(
    resampler: type, dtype: type, columns: int, trials: int
) -> None:
    made = resampler(np.ones((4, columns), dtype))
    for call in (made.bootstrap_sums, made.swapped_sums):
        with pytest.raises(ValueError, match="too many rows"):
            call(0, 0, 0, trials)
        with pytest.raises(ValueError, match="too many trials"):
            call(0, 0, 2**64 - 1, max(trials, 2))


@pytest.mark.parametrize("repeats", SIZES[2:])
def test_repeats_that_wrap_around_are_refused(repeats: int) -> None:
    made = _core.IntegerResampler(np.ones((7, 3), np.int64))
    with pytest.raises(ValueError, match="too many repeats"):
        made.swapped_sums(0, 0, 0, 1, repeats)
    with pytest.raises(ValueError, match="no units"):
        made.swapped_sums(0, 0, 0, 1, 0)


@resamplers
def test_nothing_to_resample_is_refused(resampler: type, dtype: type) -> None:
    with pytest.raises(ValueError, match="no units"):
        resampler(np.ones((0, 3), dtype))
    with pytest.raises(ValueError, match="no columns"):
        resampler(np.ones((3, 0), dtype))


@pytest.mark.parametrize("sign", [1, -1])
def test_sums_of_64_bits_are_exact_or_refused(sign: int) -> None:
    for units in (1, 2, 3, 5, 32, 33):
        most = (2**63 - 1) // units
        resampler = _core.IntegerResampler(np.full((units, 2), sign * most))
        assert (resampler.bootstrap_sums(1, 0, 0, 4) == sign * most * units).all()
        heads = resampler.swapped_sums(1, 0, 0, 50)
        assert (np.abs(heads) <= most * units).all()
        assert (heads % most == 0).all()
        with pytest.raises(ValueError, match="64 bits"):
            _core.IntegerResampler(np.full((units, 2), sign * (most + 1)))
        with pytest.raises(ValueError, match="64 bits"):
            resampler.swapped_sums(1, 0, 0, 4, 2)


def test_the_least_integer_is_refused() -> None:
    with pytest.raises(ValueError, match="64 bits"):
        _core.IntegerResampler(np.array([[-(2**63)]]))


def test_envelopes_refuse_sums_beyond_64_bits() -> None:
    offsets = np.array([0, 2, 4])
    hypotheses = np.array([0, 1, 0, 1], np.int32)
    largest = (2**63 - 1) // 4
    rows = np.array([[largest], [-largest]])
    envelopes = _core.IntegerEnvelopes(rows, hypotheses, offsets)
    scores, slopes = np.zeros(4), np.array([1.0, 2.0, 1.0, 2.0])
    _, sums = envelopes.envelope_sums(scores, slopes, np.zeros(2), np.zeros(2))
    assert sums.tolist() == [[2 * largest], [-2 * largest]]
    with pytest.raises(ValueError, match="64 bits"):
        _core.IntegerEnvelopes(rows + np.array([[1], [-1]]), hypotheses, offsets)


def test_envelopes_keep_what_was_checked() -> None:
    rows, hypotheses, offsets = np.eye(2), np.array([0, 1], np.int32), np.array([0, 2])
    envelopes = _core.RealEnvelopes(rows, hypotheses, offsets)
    lines = np.zeros(2), np.array([1.0, 2.0]), np.zeros(1), np.zeros(1)
    before = [found.tolist() for found in envelopes.envelope_sums(*lines)]
    hypotheses[:], offsets[:] = 2**30, 2**60
    assert [found.tolist() for found in envelopes.envelope_sums(*lines)] == before


def information(segments: int) -> _core.InformationCounter:
    counter = _core.InformationCounter(1, 5, "13a", False)
    counter.add([["a b c"] * segments])
    return counter


def test_information_is_counted_before_rows_are_asked_for() -> None:
    first = np.array([0])
    counter = _core.InformationCounter(1, 5, "13a", False)
    with pytest.raises(ValueError, match="not finished"):
        counter.rows([], np.array([], np.int64))
    counter = information(2)
    with pytest.raises(ValueError, match="not finished"):
        counter.rows(["a b"], first)
    counter.finish()
    before = counter.rows(["a b"], first)
    counter.add([["a d", "d"]])
    with pytest.raises(ValueError, match="not finished"):
        counter.rows(["a b"], first)
    counter.finish()
    after = counter.rows(["a b"], first)
    whole = _core.InformationCounter(1, 5, "13a", False)
    whole.add([["a b c", "a b c", "a d", "d"]])
    whole.finish()
    assert after.tolist() == whole.rows(["a b"], first).tolist() != before.tolist()


COUNTERS: list[Callable[[int], object]] = [
    lambda order: _core.NgramCounter(1, order, "13a"),
    lambda order: _core.InformationCounter(1, order, "13a", False),
    lambda order: _core.CharacterCounter(1, order, 0, 2.0, False, False),
    lambda order: _core.CharacterCounter(1, 0, order, 2.0, False, False),
    lambda order: _core.CharacterCounter(1, order, 2**64 - order, 2.0, False, False),
]


@pytest.mark.parametrize("counter", COUNTERS)
@pytest.mark.parametrize("order", [1001, *SIZES])
def test_orders_without_bounds_are_refused(counter: Callable[[int], object], order: int) -> None:
    with pytest.raises(ValueError, match="order"):
        counter(order)


@pytest.mark.parametrize("segments", [2**60, 2**61, 2**64 - 1])
def test_a_number_of_segments_that_cannot_be_is_refused(segments: int) -> None:
    for counter in (
        _core.NgramCounter(2, 4, "13a"),
        _core.CharacterCounter(2, 6, 0, 2, False, False),
    ):
        with pytest.raises(ValueError, match="too many"):
            counter.expect(segments)
        counter.add([["a b"], ["a c"]])
        assert counter.rows(["a"], np.array([0])).any()


def test_misaligned_arrays_are_refused() -> None:
    refused = pytest.raises(ValueError, match="not aligned")
    for resampler, dtype in RESAMPLERS:
        with refused:
            resampler(misaligned(np.ones((4, 3)), dtype))
    halves, pairs, bounds = np.ones((2, 3)), np.array([[0, 1]]), np.ones((1, 4))
    with refused:
        _core.halving_ends(halves, misaligned(halves, np.float64), pairs, 1)
    with refused:
        _core.extreme_counts(halves, misaligned(pairs, np.int64), bounds)
    with refused:
        _core.extreme_counts(halves, pairs, misaligned(bounds, np.float64))
    counter = _core.NgramCounter(1, 4, "13a")
    counter.add([["a"]])
    with refused:
        counter.rows(["a"], misaligned([0], np.int64))
    with refused:
        _core.bleu_scores(misaligned(np.ones((1, 2, 10)), np.float64), "exp", 0.0, False)
    rows, hypotheses, offsets = np.ones((2, 1)), np.array([0, 1], np.int32), np.array([0, 2])
    for given in (
        (misaligned(rows, np.float64), hypotheses, offsets),
        (rows, misaligned(hypotheses, np.int32), offsets),
        (rows, hypotheses, misaligned(offsets, np.int64)),
    ):
        with refused:
            _core.RealEnvelopes(*given)
    envelopes = _core.RealEnvelopes(rows, hypotheses, offsets)
    for place in range(4):
        lines = [np.zeros(2), np.zeros(2), np.zeros(1), np.zeros(1)]
        lines[place] = misaligned(lines[place], np.float64)
        with refused:
            envelopes.envelope_sums(*lines)
    features, scores, weights = np.ones((2, 1), order="F"), np.zeros(2), np.ones((1, 1))
    for given in (
        (misaligned(features, np.float64), weights),
        (features, misaligned(weights, np.float64)),
    ):
        with refused:
            _core.weighted_scores(*given)
    for given in (
        (misaligned(features, np.float64), scores, offsets, weights),
        (features, misaligned(scores, np.float64), offsets, weights),
        (features, scores, misaligned(offsets, np.int64), weights),
        (features, scores, offsets, misaligned(weights, np.float64)),
    ):
        with refused:
            _core.best_candidates(*given)
    off = misaligned(np.ones(1), np.float64)
    with refused:
        _core.draw_interval(off, 1.0, 0.5)
    one, none = np.array([0]), np.array([], np.int64)
    for place in range(5):
        links = [one, one, one, one, one]
        links[place] = misaligned([0], np.int64)
        with refused:
            _core.span_substrings([["a"]], *links, "[GAP]")
    assert _core.span_substrings([["a"]], none, none, none, one, one + 1, "[GAP]")


def test_meteor_refuses_misaligned_arrays() -> None:
    words, starts = np.array([0], np.int32), np.array([0, 1])
    with pytest.raises(ValueError, match="not aligned"):
        _core.Meteor2005Counter(misaligned(words, np.int32), starts, 1, False, False)
    counter = _core.Meteor2005Counter(words, starts, 1, False, False)
    arguments = [words, starts, np.array([0]), words, np.zeros(1, np.uint8)]
    arguments += [words[:0], np.array([0, 0]), np.zeros(0, np.uint32), np.array([0, 0])]
    assert counter.rows(*arguments).shape[0] == 1
    for place, array in enumerate(arguments):
        if array.itemsize > 1 and array.size:
            others = [*arguments[:place], misaligned(array, array.dtype), *arguments[place + 1 :]]
            with pytest.raises(ValueError, match="not aligned"):
                counter.rows(*others)


def test_a_counter_in_use_is_not_changed() -> None:
    counter = _core.NgramCounter(1, 4, "13a")
    counter.add([["a b c d"]])
    texts, segments = ["a b c d e f g"] * 200_000, np.zeros(200_000, np.int64)
    expected = counter.rows(texts, segments).sum()
    results: list[object] = []

    def read() -> None:
        while not results:
            with contextlib.suppress(ValueError):  # while something is being added
                results.append(counter.rows(texts, segments).sum())

    thread = threading.Thread(target=read)
    thread.start()
    refused: set[str] = set()
    while thread.is_alive():
        try:
            counter.add([["x y z"]])
        except ValueError as error:
            refused.add(str(error))
        time.sleep(0.001)
    thread.join()
    assert refused == {"in use: another thread is using it"}
    assert results == [expected]
    counter.add([["x"]])
