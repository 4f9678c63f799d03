"""Segment scores: numbers that another program gave to every segment, and their mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from weigh.errors import InputError
from weigh.metrics.counted import signed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from weigh.types import Outputs, Rows, Scores, TestSet


@dataclass(frozen=True, slots=True)
class SegmentMean:
    """The mean of given segment scores, such as a learnt metric's; rows are [score, 1].

    >>> metric = SegmentMean("comet")
    >>> float(metric.score(SegmentMean.rows_of([0.5, 0.7]).sum(axis=0)))
    0.6
    """

    mean_of_segments: ClassVar[bool] = True
    perfect: ClassVar[float | None] = None

    name: str = "score"
    higher_is_better: bool = True

    @staticmethod
    def rows_of(scores: ArrayLike) -> Rows:
        """Return the rows of a list of scores."""
        values = np.asarray(scores, dtype=np.float64)
        if values.ndim != 1:
            raise InputError(f"segment scores of shape {values.shape}; give one number per segment")
        return np.column_stack([values, np.ones(len(values))])

    def signature(self, references: int) -> str:
        """Return what is known of the scores: where they come from is for the user to say."""
        return signed(references, mean="segments")

    def prepare(self, test_set: TestSet) -> SegmentMean:
        """Return the metric itself: it needs nothing of the test set but its size."""
        del test_set
        return self

    def rows(self, outputs: Outputs) -> Rows:
        """Return the rows of outputs that carry their scores in `extra`."""
        given: Sequence[float] | None = outputs.extra.get(self.name)
        if given is None:
            raise InputError(f"{self.name}: no segment scores of that name are given")
        return self.rows_of(given)

    def score(self, sums: Rows) -> Scores:
        """Return the mean."""
        sums = np.asarray(sums, dtype=np.float64)
        count = sums[..., 1]
        return np.divide(sums[..., 0], count, out=np.zeros(count.shape), where=count > 0)

    def segment_scores(self, rows: Rows) -> Scores:
        """Return the scores that were given."""
        return np.asarray(rows[:, 0])
