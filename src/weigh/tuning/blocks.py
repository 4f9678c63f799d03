"""Candidates of many sentences as sparse matrices, in blocks that need not fit in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Rows

_IN_MEMORY = 1 << 26  # bytes of blocks that are kept in memory before they go to a file


@dataclass(frozen=True, slots=True)
class Block:
    """Candidates of consecutive sentences.

    `features` is a `scipy.sparse.csr_array` (candidates × features). The candidates of sentence
    s are those from `starts[s]` up to `starts[s + 1]`, at least one. `best` marks those that
    match the reference best, at least one in each sentence. `rows` are statistics of the metric.
    """

    features: Any
    starts: NDArray[np.int64]
    best: NDArray[np.bool_]
    rows: Rows

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return len(self.starts) - 1


class Blocks(Protocol):
    """Blocks that can be gone through any number of times, all with the same features."""

    def __iter__(self) -> Iterator[Block]:
        """Go through all blocks from the first."""
        ...


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

    def _block(self, data: Any, indices: Any, indptr: Any, *rest: Any) -> Block:
        from scipy.sparse import csr_array

        return Block(csr_array((data, indices, indptr), (len(indptr) - 1, self._width)), *rest)


def _arrays(block: Block) -> list[NDArray[Any]]:
    features = block.features
    matrix = [features.data, features.indices, features.indptr]
    return [*matrix, block.starts, block.best, block.rows]
