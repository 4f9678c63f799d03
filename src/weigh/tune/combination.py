"""Several metrics as one: what tuning toward two metrics at once maximises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from weigh.errors import UsageError
from weigh.types import Extractor, Metric, Outputs, TestSet

if TYPE_CHECKING:
    from weigh.types import Rows, Scores


@dataclass(frozen=True, slots=True)
class Combination:
    """A weighted sum of metrics' scores, as one metric; larger is always better.

    A metric whose small scores are good takes a negative weight. `widths` says how many columns
    the statistics of each part have.
    """

    mean_of_segments: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = True
    perfect: ClassVar[float | None] = None

    metrics: tuple[Metric, ...]
    weights: tuple[float, ...]
    widths: tuple[int, ...]

    @classmethod
    def of(
        cls,
        metrics: Sequence[Metric],
        weights: Sequence[float],
        test_set: TestSet,
        outputs: Outputs,
    ) -> Combination:
        """Combine metrics for outputs, the first of which tells the widths."""
        if len(metrics) != len(weights):
            raise UsageError(
                f"{len(metrics)} metrics, but {len(weights)} weights to combine them; "
                "give one for each, as in --combine 0.5,-0.5"
            )
        one = outputs.part(0, 1)
        widths = (np.shape(metric.prepare(test_set).rows(one))[1] for metric in metrics)
        return cls(tuple(metrics), tuple(weights), tuple(widths))

    @property
    def name(self) -> str:
        """The sum as it is printed: `0.5 BLEU − 0.5 TER`."""
        parts = [
            f"{'−' if weight < 0 else '+'} {abs(weight):g} {metric.name}"
            for metric, weight in zip(self.metrics, self.weights, strict=True)
        ]
        return " ".join(parts).removeprefix("+ ")

    def signature(self, references: int) -> str:
        """Return the signatures of the parts."""
        return " ".join(
            f"{weight:+g}*{metric.name}|{metric.signature(references)}"
            for metric, weight in zip(self.metrics, self.weights, strict=True)
        )

    def prepare(self, test_set: TestSet) -> _Extractors:
        """Prepare all parts."""
        return _Extractors([metric.prepare(test_set) for metric in self.metrics])

    def score(self, sums: Rows) -> Scores:
        """Return the weighted sum of the parts' scores."""
        return self._sum(sums, [metric.score for metric in self.metrics])

    def segment_scores(self, rows: Rows) -> Scores:
        """Return the weighted sum of the parts' segment scores."""
        return self._sum(rows, [metric.segment_scores for metric in self.metrics])

    def _sum(self, rows: Rows, scorers: Sequence[Callable[[Rows], Scores]]) -> Scores:
        parts = np.split(np.asarray(rows), np.cumsum(self.widths)[:-1], axis=-1)
        scored = (
            weight * scorer(part)
            for weight, scorer, part in zip(self.weights, scorers, parts, strict=True)
        )
        return np.asarray(sum(scored))


@dataclass(frozen=True, slots=True)
class _Extractors:
    """The parts' statistics side by side."""

    parts: Sequence[Extractor]

    def rows(self, outputs: Outputs) -> Rows:
        return np.hstack([part.rows(outputs) for part in self.parts])
