"""Small reranking problems, as plain lists for the oracles and as blocks for the library."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from oracle.loglinear import Sentence
from weigh.tuning.examples import Block


def block_of(sentences: Sequence[Sentence]) -> Block:
    rows = [row for candidates, _ in sentences for row in candidates]
    best = [mark for _, marks in sentences for mark in marks]
    sizes = [len(marks) for _, marks in sentences]
    return Block(
        np.concatenate([[0], np.cumsum(sizes)]),
        np.zeros((len(best), 1), np.int64),
        csr_array(np.array(rows, dtype=np.float64)),
        np.array(best),
    )


def random_sentences(
    seed: int, sentences: int, features: int, *, several_best: bool = False, density: float = 0.4
) -> list[Sentence]:
    generator = np.random.default_rng(seed)
    made: list[Sentence] = []
    truth = generator.normal(size=features) * (generator.random(features) < 0.3)
    for _ in range(sentences):
        size = int(generator.integers(1, 7))
        values = generator.normal(size=(size, features)).round(2)
        values[generator.random(values.shape) > density] = 0.0
        best = np.zeros(size, dtype=bool)
        best[np.argmax(values @ truth + generator.gumbel(size=size))] = True
        if several_best:
            best |= generator.random(size) < 0.2
        made.append((values.tolist(), best.tolist()))
    return made
