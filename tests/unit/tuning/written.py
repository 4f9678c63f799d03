"""N-best lists for tests, with a metric whose score is written in the texts themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from weigh.tuning.nbest import NBest, SparseFeatures
from weigh.tuning.problem import Problem
from weigh.types import Outputs, TestSet


@dataclass(frozen=True)
class Written:
    """Texts are two numbers, numerator and denominator; the score is the ratio of their sums."""

    higher: bool = True
    name: ClassVar[str] = "written"
    mean_of_segments: ClassVar[bool] = False
    perfect: ClassVar[float | None] = None

    @property
    def higher_is_better(self) -> bool:
        return self.higher

    def signature(self, references: int) -> str:
        return f"nrefs:{references}"

    def prepare(self, test_set: TestSet) -> Written:
        del test_set
        return self

    def rows(self, outputs: Outputs) -> Any:
        return np.array([[float(word) for word in text.split()] for text in outputs.texts])

    def score(self, sums: Any) -> Any:
        sums = np.asarray(sums, dtype=np.float64)
        return sums[..., 0] / sums[..., 1]

    def segment_scores(self, rows: Any) -> Any:
        return self.score(rows)


def problem_of(nbest: NBest, higher: bool = True) -> Problem:
    return Problem(nbest, Written(higher).rows(Outputs(nbest.texts)), Written(higher))


def make_list(
    sizes: list[int],
    numbers: np.ndarray[Any, Any],
    dense: np.ndarray[Any, Any],
    sparse: np.ndarray[Any, Any] | None = None,
) -> NBest:
    """Return a list with one text per candidate: the numbers of the written metric."""
    count = sum(sizes)
    filled = np.zeros((count, 0)) if sparse is None else sparse
    owners, columns = np.nonzero(filled)
    return NBest(
        ids=tuple(map(str, range(len(sizes)))),
        offsets=np.concatenate([[0], np.cumsum(sizes)]),
        texts=tuple(" ".join(map(repr, row)) for row in numbers.astype(float).tolist()),
        text_segments=np.repeat(np.arange(len(sizes)), sizes),
        hypotheses=np.arange(count, dtype=np.int32),
        names=tuple(f"dense_{at}" for at in range(dense.shape[1])),
        features=np.asfortranarray(dense, dtype=np.float64),
        sparse=SparseFeatures(
            tuple(f"sparse_{at}" for at in range(filled.shape[1])),
            np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=count))]),
            columns.astype(np.int32),
            filled[owners, columns],
        ),
    )


def random_list(seed: int, segments: int, features: int, longest: int = 5) -> NBest:
    generator = np.random.default_rng(seed)
    sizes = generator.integers(1, longest + 1, size=segments).tolist()
    count = sum(sizes)
    numbers = np.stack([generator.integers(0, 9, count), generator.integers(1, 9, count)], axis=1)
    return make_list(sizes, numbers, generator.normal(size=(count, features)).round(1))
