from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.errors import InputError
from weigh.stats.broad import broad_document_sample, broad_sample

seeds = st.integers(0, 2**64 - 1)


@given(st.data(), seeds)
def test_one_of_each_interval(data: st.DataObject, seed: int) -> None:
    size = data.draw(st.integers(1, 300))
    count = data.draw(st.integers(1, size))
    chosen = broad_sample(size, count, seed)
    assert len(chosen) == count
    assert all(a < b for a, b in pairwise(chosen))
    assert chosen[0] >= 0
    assert chosen[-1] < size
    # No two neighbours are further apart than two intervals.
    assert all(b - a <= 2 * -(-size // count) - 1 for a, b in pairwise(chosen))
    assert broad_sample(size, count, seed) == chosen


def test_everything() -> None:
    assert broad_sample(7, 7, 3) == list(range(7))


def test_every_segment_has_its_chance() -> None:
    counts = Counter(number for seed in range(2000) for number in broad_sample(12, 3, seed))
    assert set(counts) == set(range(12))
    # Each is drawn 500 times on average; the standard deviation is 19.4.
    assert all(400 < count < 600 for count in counts.values())


def test_seeds_differ() -> None:
    assert len({tuple(broad_sample(1000, 10, seed)) for seed in range(50)}) == 50


@pytest.mark.parametrize("count", [0, -1, 11])
def test_sizes_that_cannot_be(count: int) -> None:
    with pytest.raises(InputError, match="give a size from 1 to 10"):
        broad_sample(10, count, 1)


@given(st.lists(st.sampled_from("abcde"), min_size=1), seeds, st.data())
def test_documents_are_taken_whole(documents: list[str], seed: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, len(set(documents))))
    chosen = broad_document_sample(documents, count, seed)
    names = {documents[segment] for segment in chosen}
    assert len(names) == count
    assert chosen == [segment for segment, name in enumerate(documents) if name in names]
