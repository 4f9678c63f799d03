"""Candidates of many sentences as sparse matrices, in blocks that need not fit in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Rows

_IN_MEMORY = 1 << 28  # bytes of blocks that are kept in memory before they go to a file


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
    """Blocks in memory, or in an unnamed temporary file once there are many of them.

    The file stands in the directory that TMPDIR names; leaving the context removes it.
    """

    def __init__(self, in_memory: int = _IN_MEMORY) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=in_memory)  # noqa: SIM115
        self._widths: list[int] = []

    def __enter__(self) -> SpooledBlocks:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, block: Block) -> None:
        """Add a block after the others."""
        self._file.seek(0, 2)
        features = block.features
        matrix = (features.data, features.indices, features.indptr)
        for array in (*matrix, block.starts, block.best, block.rows):
            np.save(self._file, array, allow_pickle=False)
        self._widths.append(features.shape[1])

    def __iter__(self) -> Iterator[Block]:
        """Go through all blocks, one in memory at a time.

        All have as many features as the last: those that came later are 0 before.
        """
        from scipy.sparse import csr_array

        position = 0
        for _ in self._widths:
            self._file.seek(position)
            data, indices, indptr, starts, best, rows = (
                np.load(self._file, allow_pickle=False) for _ in range(6)
            )
            position = self._file.tell()
            features = csr_array((data, indices, indptr), shape=(len(indptr) - 1, self._widths[-1]))
            yield Block(features, starts, best, rows)
