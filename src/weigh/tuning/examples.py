"""What a reranker learns from: candidates, their features, and which of them are best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from weigh.metrics.custom import Definition, as_metric
from weigh.tuning.blocks import Block, Blocks, SpooledBlocks
from weigh.tuning.length import NAMES as LENGTHS
from weigh.tuning.length import lengths
from weigh.tuning.nbest import NBest, first_maxima
from weigh.tuning.oracle import together_best
from weigh.tuning.phrases import phrases
from weigh.tuning.problem import Problem
from weigh.tuning.ranking import check_sizes
from weigh.types import Metric, TestSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Gold candidates: those that score best together, or each sentence's best by itself.
Gold = Literal["corpus", "sentence"]

CUTOFF = 2
_IN_MEMORY = 1 << 24  # bytes of blocks that are gone through only to find gold


@dataclass(frozen=True, slots=True)
class Examples:
    """Blocks of candidates and the names of their features.

    `dense` are the features that all candidates have; `length` is the column of the one that tells
    how long a candidate is, None if all of a sentence's are equally long. `ids` are the sentences
    in the order of the blocks. `dropped` features vary in too few sentences, or in none.
    `gold_score` is that of each sentence's first gold candidate.
    """

    blocks: SpooledBlocks
    names: tuple[str, ...]
    dense: tuple[str, ...]
    ids: tuple[str, ...]
    candidates: int
    dropped: int
    length: int | None
    gold: Gold
    gold_score: float


def collect(
    parts: Iterable[NBest],
    test_set: TestSet,
    metric: Metric | Definition,
    blocks: SpooledBlocks,
    *,
    orders: Sequence[int] = (),
    cutoff: int = CUTOFF,
    gold: Gold = "corpus",
    threads: int = 0,
) -> Examples:
    """Put the candidates of a list into `blocks`, with a feature for each phrase of `orders` words.

    One more tells their length. Features are taken relative to the sentence's first candidate,
    which changes no probability and leaves 0 wherever both have the same. A feature that varies
    in no sentence is dropped, and a sparse one also if it varies in fewer than `cutoff`.
    """
    known = as_metric(metric)
    features, dense, ids, candidates = _Features(), dict[str, None](), list[str](), 0
    gold_rows = []
    with SpooledBlocks(_IN_MEMORY) as raw:
        for nbest in parts:
            check_sizes(nbest)
            problem = Problem.of(nbest, test_set, known, threads=threads)
            dense |= dict.fromkeys(nbest.names)
            ids += nbest.ids
            candidates += len(nbest)
            raw.append(_block(problem, features, orders))
        names = np.array(list(features.numbers), dtype=object)
        length, other = _length(features)
        always = {*dense, length}
        least = np.array([1 if name in always else max(1, cutoff) for name in names])
        kept = np.flatnonzero((features.varies >= least) & (names != other))
        marked = _marked_by_corpus(raw, known) if gold == "corpus" else _marked_by_sentence(known)
        for block in raw:
            best = marked(block)
            blocks.append(Block(block.features[:, kept], block.starts, best, block.rows))
            places = first_maxima(best.astype(np.float64), block.starts)
            gold_rows.append(block.rows[places].sum(axis=0))
    chosen = names[kept].tolist()
    return Examples(
        blocks,
        tuple(chosen),
        tuple(dense),
        tuple(ids),
        candidates,
        len(set(names) - set(LENGTHS) - set(chosen)),
        chosen.index(length) if length in chosen else None,
        gold,
        float(known.score(np.sum(gold_rows, axis=0))),
    )


def _length(features: _Features) -> tuple[str, str]:
    """Return the name of the length to use and of the one to leave.

    Words, unless their number varies in less than half of the sentences in which that of the
    characters does: then the text is hardly written with spaces.
    """
    words, characters = (features.varies[features.numbers[name]] for name in LENGTHS)
    return LENGTHS if 2 * words >= characters else (LENGTHS[1], LENGTHS[0])


# Given one block after the other, says which candidates are gold; equally good ones all are.
_Marked = Callable[[Block], "NDArray[np.bool_]"]


def _marked_by_corpus(blocks: Blocks, metric: Metric) -> _Marked:
    together = together_best(blocks, metric, 1.0 if metric.higher_is_better else -1.0)
    start = 0

    def marked(block: Block) -> NDArray[np.bool_]:
        nonlocal start
        start += block.sentences
        return together.equals(block, start - block.sentences, metric)

    return marked


def _marked_by_sentence(metric: Metric) -> _Marked:
    sign = 1.0 if metric.higher_is_better else -1.0

    def marked(block: Block) -> NDArray[np.bool_]:
        scores = sign * metric.segment_scores(block.rows)
        highest = np.maximum.reduceat(scores, block.starts[:-1])
        return np.asarray(scores == np.repeat(highest, np.diff(block.starts)))

    return marked


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
    made = _made(nbest, features, orders)
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
    gold = np.zeros(len(nbest), dtype=bool)  # not known before all blocks are
    return Block(matrix, nbest.offsets, gold, problem.rows[nbest.hypotheses])


def _made(nbest: NBest, features: _Features, orders: Sequence[int]) -> Any:
    """Return each candidate's lengths and how often it has each phrase (candidates × features)."""
    from scipy.sparse import csr_array

    found = [[features.number(name) for name in phrases(text, orders)] for text in nbest.texts]
    columns = [features.number(name) for name in LENGTHS]
    values = np.array([number for text in nbest.texts for number in lengths(text)], np.float64)
    counted = np.array([number for numbers in found for number in numbers], dtype=np.int32)
    rows = np.repeat(np.arange(len(found)), [len(numbers) for numbers in found])
    where = (
        np.concatenate([rows, np.repeat(np.arange(len(found)), len(columns))]),
        np.concatenate([counted, np.tile(columns, len(found))]),
    )
    shape = (len(found), len(features.numbers))
    made = csr_array((np.concatenate([np.ones(len(rows)), values]), where), shape)
    return made[nbest.hypotheses]  # duplicates have been added up
