"""The weight of length: an exact search over what the choices are worth together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from unit.tuning.written import Written
from weigh.tuning.examples import Block, lengths
from weigh.tuning.model import best_shift, chosen_total, shifted


def made(seed: int, sentences: int, dtype: type) -> Block:
    generator = np.random.default_rng(seed)
    sizes = generator.integers(1, 6, sentences)
    count = int(sizes.sum())
    features = generator.normal(size=(count, 2))
    features[:, 1] = generator.integers(-3, 4, count)
    rows = np.stack([generator.integers(0, 9, count), generator.integers(1, 9, count)], axis=1)
    return Block(
        np.concatenate([[0], np.cumsum(sizes)]),
        rows.astype(dtype),
        csr_array(features),
        np.ones(count, dtype=bool),
    )


def cut(block: Block, sentences: int) -> list[Block]:
    parts = []
    for start in range(0, block.sentences, sentences):
        starts = block.starts[start : start + sentences + 1]
        own = slice(int(starts[0]), int(starts[-1]))
        parts.append(
            Block(starts - starts[0], block.rows[own], block.features[own], block.best[own])
        )
    return parts


def score_at(block: Block, weights: Any, place: float, metric: Any, kept: Any) -> float:
    """By definition: every sentence's highest candidate, the first of equals, added up."""
    scores = block.features.toarray() @ (weights + np.array([0.0, place]))
    total = np.zeros(2)
    for sentence in np.flatnonzero(kept):
        first, last = block.starts[sentence : sentence + 2]
        total += block.rows[first + int(np.argmax(scores[first:last]))]
    return float(metric.score(total))


@given(
    seed=st.integers(0, 2**32),
    dtype=st.sampled_from([np.int64, np.float64]),
    higher=st.booleans(),
    sentences=st.integers(1, 7),
)
def test_no_other_weight_of_length_is_better(
    seed: int, dtype: type, higher: bool, sentences: int
) -> None:
    block, metric = made(seed, 7, dtype), Written(higher)
    generator = np.random.default_rng(seed)
    weights = generator.normal(size=2)
    kept = generator.random(7) < 0.7
    kept[int(generator.integers(7))] = True
    place = best_shift(cut(block, sentences), weights, 1, metric, kept)
    found = score_at(block, weights, place, metric, kept)
    # Brute force: between all places where two candidates of a sentence are equally high.
    scores, slopes = block.features.toarray() @ weights, block.features.toarray()[:, 1]
    crossings = [0.0]
    for first, last in zip(block.starts[:-1], block.starts[1:], strict=True):
        for a in range(first, last):
            for b in range(a):
                if slopes[a] != slopes[b]:
                    crossings.append((scores[b] - scores[a]) / (slopes[a] - slopes[b]))
    edges = np.unique(crossings)
    wide = np.diff(edges) > 1e-9
    middles = ((edges[1:] + edges[:-1]) / 2)[wide].tolist()
    values = [
        score_at(block, weights, at, metric, kept)
        for at in [0.0, edges[0] - 1, *middles, edges[-1] + 1]
    ]
    assert found == pytest.approx(max(values) if higher else min(values), rel=1e-12)
    total = chosen_total(cut(block, sentences), shifted(weights, 1, place), kept)
    assert metric.score(total) == pytest.approx(found)
    if found == pytest.approx(values[0], rel=1e-12):
        assert place == 0.0


def test_lines_through_one_point_make_no_slivers() -> None:
    """At 0.1 all three candidates of every sentence are equal: what lies between is rounding."""
    lengths_ = np.tile([1.0, 2.0, 3.0], 30)
    scale = np.repeat(np.linspace(0.3, 7, 30), 3)
    features = np.stack([-0.1 * lengths_ * scale, lengths_ * scale], axis=1)
    rows = np.tile(np.array([[1, 2], [9, 2], [2, 2]]), (30, 1))
    block = Block(np.arange(0, 91, 3), rows, csr_array(features), np.ones(90, dtype=bool))
    place = best_shift([block], np.array([1.0, 0.0]), 1, Written())
    # Only the first or the last of each can be reached by any weight that a file can hold.
    assert place > 0.1
    assert score_at(block, np.array([1.0, 0.0]), place, Written(), np.ones(30)) == 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", (0, 0)), ("a", (1, 1)), (" two  words ", (2, 8)), ("猫がいる", (1, 4))],
)
def test_lengths(text: str, expected: tuple[int, int]) -> None:
    assert lengths(text) == expected
