"""Training examples of a reranker: candidates, their features, and the best of them.

Candidates of many sentences are sparse matrices, in blocks that need not fit in memory. Beside the
features of the list there are those made from words: phrases (Riezler & Maxwell 2005, section 2)
and lengths.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any, Literal

import numpy as np

from weigh.metrics.custom import Definition, as_metric
from weigh.tuning.nbest import NBest, first_maxima, starts_of
from weigh.tuning.oracle import Candidates, together_best
from weigh.tuning.problem import Problem
from weigh.tuning.ranked import check_sizes
from weigh.types import Metric, TestSet

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Gold candidates: those that score best together, or each sentence's best by itself.
Gold = Literal["corpus", "sentence"]

CUTOFF = 2
# Text without spaces has no words to count.
LENGTHS = ("length:words", "length:characters")
PREFIX = "phrase:"
# Bytes of blocks that are kept in memory before they go to a file, and of those that are gone
# through only to find gold.
_IN_MEMORY, _FOR_GOLD = 1 << 26, 1 << 24


@dataclass(frozen=True, slots=True)
class Block(Candidates):
    """Candidates of consecutive sentences, with their features.

    `features` is a `scipy.sparse.csr_array` (candidates × features). `best` marks those that
    match the reference best, at least one in each sentence.
    """

    features: Any
    best: NDArray[np.bool_]

    def of(self, kept: NDArray[np.bool_]) -> Block:
        """Return the candidates of some of the sentences."""
        sizes = np.diff(self.starts)
        chosen = np.repeat(kept, sizes)
        starts, rows = starts_of(sizes[kept]), self.rows[chosen]
        return Block(starts, rows, self.features[chosen], self.best[chosen])


# They can be gone through any number of times, and all have the same features.
Blocks = Iterable[Block]


class SpooledBlocks:
    """Blocks in memory, or in an unnamed temporary file once they are more than `in_memory` bytes.

    The file stands in the directory that TMPDIR names; leaving the context removes it.
    """

    def __init__(self, in_memory: int = _IN_MEMORY) -> None:
        self._room = in_memory
        self._kept: list[Block] = []
        self._file: IO[bytes] | None = None
        self._stored = 0
        self._width = 0

    def __enter__(self) -> SpooledBlocks:
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.clear()
        if self._file is not None:
            self._file.close()

    def __getstate__(self) -> tuple[list[list[NDArray[Any]]], int]:
        """Travel as a whole, out of the file too."""
        return [_arrays(block) for block in self], self._width

    def __setstate__(self, state: tuple[list[list[NDArray[Any]]], int]) -> None:
        """Stay in memory where they arrive."""
        arrays, width = state
        self.__init__(in_memory=sys.maxsize)  # type: ignore[misc]
        self._width = width
        self._kept = [self._block(*arrays_of_block) for arrays_of_block in arrays]

    def append(self, block: Block) -> None:
        """Add a block after the others."""
        self._width = block.features.shape[1]
        self._kept.append(block)
        self._room -= sum(array.nbytes for array in _arrays(block))
        if self._room < 0:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115
            self._file.seek(0, 2)
            for kept in self._kept:
                for array in _arrays(kept):
                    np.save(self._file, array, allow_pickle=False)
            self._stored += len(self._kept)
            self._kept.clear()

    def __iter__(self) -> Iterator[Block]:
        """Go through all blocks; of those in a file, one is in memory at a time.

        All have as many features as the last: those that came later are 0 before.
        """
        for block in self._kept:
            yield self._block(*_arrays(block))
        position = 0
        for _ in range(self._stored):
            assert self._file is not None
            self._file.seek(position)
            arrays = [np.load(self._file, allow_pickle=False) for _ in range(6)]
            position = self._file.tell()
            yield self._block(*arrays)

    def _block(self, starts: Any, rows: Any, best: Any, *matrix: Any) -> Block:
        from scipy.sparse import csr_array

        return Block(starts, rows, csr_array(matrix, (len(rows), self._width)), best)


def _arrays(block: Block) -> list[NDArray[Any]]:
    features = block.features
    return [block.starts, block.rows, block.best, features.data, features.indices, features.indptr]


def phrases(text: str, orders: Sequence[int]) -> Iterator[str]:
    """Yield the phrases of a text, once per occurrence.

    Phrases overlap and do not end where the decoder's phrases end.

    >>> list(phrases("a b a b", (3, 2)))
    ['phrase:a b a', 'phrase:b a b', 'phrase:a b', 'phrase:b a', 'phrase:a b']
    """
    words = text.split()
    for order in orders:
        for start in range(len(words) - order + 1):
            yield PREFIX + " ".join(words[start : start + order])


def lengths(text: str) -> tuple[int, int]:
    """The numbers of words and of non-space characters, in the order of LENGTHS.

    >>> lengths("two words")
    (2, 8)
    """
    words = text.split()
    return len(words), sum(map(len, words))


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
    resolved = as_metric(metric)
    features, dense, ids, candidates = _Features(), dict[str, None](), list[str](), 0
    gold_rows = []
    with SpooledBlocks(_FOR_GOLD) as raw:
        for nbest in parts:
            check_sizes(nbest)
            problem = Problem.of(nbest, test_set, resolved, threads=threads)
            dense |= dict.fromkeys(nbest.names)
            ids += nbest.ids
            candidates += len(nbest)
            raw.append(_block(problem, features, orders))
        names = np.array(list(features.numbers), dtype=object)
        length, other = _length(features)
        always = {*dense, length}
        least = np.array([1 if name in always else max(1, cutoff) for name in names])
        kept = np.flatnonzero((features.varies >= least) & (names != other))
        marked = (
            _marked_by_corpus(raw, resolved) if gold == "corpus" else _marked_by_sentence(resolved)
        )
        for block in raw:
            best = marked(block)
            blocks.append(replace(block, features=block.features[:, kept], best=best))
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
        float(resolved.score(np.sum(gold_rows, axis=0))),
    )


def _length(features: _Features) -> tuple[str, str]:
    """The name of the length feature to use, and of the one to leave out.

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
        counts = np.bincount(varying, minlength=len(self.numbers))
        counts[: len(self.varies)] += self.varies
        self.varies = counts


def _block(problem: Problem, features: _Features, orders: Sequence[int]) -> Block:
    from scipy.sparse import csr_array, hstack

    nbest, sparse = problem.nbest, problem.nbest.sparse
    sparse_part = csr_array(
        (sparse.values, sparse.indices, sparse.indptr), (len(nbest), len(sparse.names))
    )
    listed = hstack([csr_array(nbest.features), sparse_part], format="csr")
    numbers = np.array([features.number(name) for name in nbest.feature_names], dtype=np.int32)
    phrase_part = _phrase_counts(nbest, features, orders)
    width = len(features.numbers)
    matrix = csr_array((listed.data, numbers[listed.indices], listed.indptr), (len(nbest), width))
    matrix = matrix + phrase_part
    first, sizes = nbest.offsets[:-1], np.diff(nbest.offsets)
    matrix = matrix - matrix[np.repeat(first, sizes)]
    matrix.eliminate_zeros()
    in_sentence = csr_array(
        (np.ones(len(nbest)), np.arange(len(nbest)), nbest.offsets), (len(sizes), len(nbest))
    )
    features.count((in_sentence @ abs(matrix)).indices)
    gold = np.zeros(len(nbest), dtype=bool)  # not known before all blocks are
    return Block(nbest.offsets, problem.rows[nbest.hypotheses], matrix, gold)


def _phrase_counts(nbest: NBest, features: _Features, orders: Sequence[int]) -> Any:
    """Return each candidate's lengths and how often it has each phrase (candidates × features)."""
    from scipy.sparse import csr_array

    features_of_texts = [
        [features.number(name) for name in phrases(text, orders)] for text in nbest.texts
    ]
    columns = [features.number(name) for name in LENGTHS]
    values = np.array([number for text in nbest.texts for number in lengths(text)], np.float64)
    counted = np.array(
        [number for numbers in features_of_texts for number in numbers], dtype=np.int32
    )
    rows = np.repeat(
        np.arange(len(features_of_texts)), [len(numbers) for numbers in features_of_texts]
    )
    where = (
        np.concatenate([rows, np.repeat(np.arange(len(features_of_texts)), len(columns))]),
        np.concatenate([counted, np.tile(columns, len(features_of_texts))]),
    )
    shape = (len(features_of_texts), len(features.numbers))
    matrix = csr_array((np.concatenate([np.ones(len(rows)), values]), where), shape)
    return matrix[nbest.hypotheses]  # duplicates have been added up
