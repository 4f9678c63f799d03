"""What a reranker learns from: candidates, their features, and which of them are best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.metrics.custom import Definition
from weigh.tune.blocks import Block, SpooledBlocks
from weigh.tune.nbest import NBest
from weigh.tune.phrases import phrases
from weigh.tune.problem import Problem
from weigh.tune.ranking import check_sizes
from weigh.types import Metric, TestSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

CUTOFF = 2
_IN_MEMORY = 1 << 24  # bytes of blocks that are gone through only once more


@dataclass(frozen=True, slots=True)
class Examples:
    """Blocks of candidates and the names of their features.

    `dense` are the features that all candidates have. `ids` are the sentences in the order of
    the blocks. `dropped` features vary in too few sentences, or in none.
    """

    blocks: SpooledBlocks
    names: tuple[str, ...]
    dense: tuple[str, ...]
    ids: tuple[str, ...]
    candidates: int
    dropped: int


def collect(
    parts: Iterable[NBest],
    test_set: TestSet,
    metric: Metric | Definition,
    blocks: SpooledBlocks,
    *,
    orders: Sequence[int] = (),
    cutoff: int = CUTOFF,
    threads: int = 0,
) -> Examples:
    """Put the candidates of a list into `blocks`, with a feature for each phrase of `orders` words.

    The best candidates of a sentence are those with its best score. Features are taken relative
    to the sentence's first candidate, which changes no probability and leaves 0 wherever both
    have the same. A feature that varies in no sentence is dropped, and a sparse one also if it
    varies in fewer than `cutoff`.
    """
    features, dense, ids, candidates = _Features(), dict[str, None](), list[str](), 0
    with SpooledBlocks(_IN_MEMORY) as raw:
        for nbest in parts:
            check_sizes(nbest)
            problem = Problem.of(nbest, test_set, metric, threads=threads)
            dense |= dict.fromkeys(nbest.names)
            ids += nbest.ids
            candidates += len(nbest)
            raw.append(_block(problem, features, orders))
        names = np.array(list(features.numbers), dtype=object)
        least = np.array([1 if name in dense else max(1, cutoff) for name in names])
        kept = np.flatnonzero(features.varies >= least)
        for block in raw:
            chosen = block.features[:, kept]
            blocks.append(Block(chosen, block.starts, block.best, block.rows))
    return Examples(
        blocks,
        tuple(names[kept]),
        tuple(dense),
        tuple(ids),
        candidates,
        len(names) - len(kept),
    )


class _Features:
    """Features by number in the order of appearance, and in how many sentences each varies."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.varies = np.zeros(0, dtype=np.int64)

    def number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def count(self, varying: NDArray[np.int32]) -> None:
        found = np.bincount(varying, minlength=len(self.numbers))
        found[: len(self.varies)] += self.varies
        self.varies = found


def _block(problem: Problem, features: _Features, orders: Sequence[int]) -> Block:
    from scipy.sparse import csr_array, hstack

    nbest, sparse = problem.nbest, problem.nbest.sparse
    own = csr_array((sparse.values, sparse.indices, sparse.indptr), (len(nbest), len(sparse.names)))
    given = hstack([csr_array(nbest.features), own], format="csr")
    numbers = np.array([features.number(name) for name in nbest.feature_names], dtype=np.int32)
    made = _phrase_counts(nbest, features, orders)
    width = len(features.numbers)
    matrix = csr_array((given.data, numbers[given.indices], given.indptr), (len(nbest), width))
    matrix = matrix + made
    first, sizes = nbest.offsets[:-1], np.diff(nbest.offsets)
    matrix = matrix - matrix[np.repeat(first, sizes)]
    matrix.eliminate_zeros()
    in_sentence = csr_array(
        (np.ones(len(nbest)), np.arange(len(nbest)), nbest.offsets), (len(sizes), len(nbest))
    )
    features.count((in_sentence @ abs(matrix)).indices)
    scores = problem.sign * problem.metric.segment_scores(problem.rows)[nbest.hypotheses]
    best = scores == np.repeat(np.maximum.reduceat(scores, first), sizes)
    return Block(matrix, nbest.offsets, best, problem.rows[nbest.hypotheses])


def _phrase_counts(nbest: NBest, features: _Features, orders: Sequence[int]) -> Any:
    """Return how often each candidate has each phrase (candidates × features)."""
    from scipy.sparse import csr_array

    found = [[features.number(name) for name in phrases(text, orders)] for text in nbest.texts]
    indices = np.array([number for numbers in found for number in numbers], dtype=np.int32)
    indptr = np.concatenate([[0], np.cumsum([len(numbers) for numbers in found])])
    shape = (len(found), len(features.numbers))
    counts = csr_array((np.ones(len(indices)), indices, indptr), shape)
    counts.sum_duplicates()
    return counts[nbest.hypotheses]
