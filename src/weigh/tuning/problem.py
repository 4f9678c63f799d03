"""What is tuned: candidates, their statistics, and the metric that scores the chosen ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.words import settled
from weigh.tuning.nbest import NBest, first_maxima, rows_of
from weigh.types import Outputs

if TYPE_CHECKING:
    from weigh.tuning.nbest import Integers, Reals
    from weigh.types import Metric, Rows, TestSet


@dataclass(frozen=True, slots=True)
class Problem:
    """Find weights whose best candidates score well.

    `rows` are the statistics of the distinct texts. Values are scores turned so that larger is
    better, whatever the metric.
    """

    nbest: NBest
    rows: Rows
    metric: Metric

    @classmethod
    def of(
        cls, nbest: NBest, test_set: TestSet, metric: Metric | Definition, *, threads: int = 0
    ) -> Problem:
        """Count the statistics of all texts."""
        metric = settled(as_metric(metric), test_set)
        return cls(nbest, rows_of(nbest, test_set, metric, threads=threads), metric)

    def remarks(self) -> list[str]:
        """Return what the metric says of all candidates beside scores; most say nothing."""
        remarks = getattr(self.metric, "remarks", None)
        if remarks is None:
            return []
        outputs = Outputs(self.nbest.texts, self.nbest.text_segments, self.nbest.extra)
        said: list[str] = remarks("all candidates", self.rows, outputs)
        return said

    @property
    def sign(self) -> float:
        """1, or −1 where small scores are good."""
        return 1.0 if self.metric.higher_is_better else -1.0

    def score_of(self, candidates: Integers) -> float:
        """Return the metric's score of one candidate per segment."""
        chosen = self.rows[self.nbest.hypotheses[candidates]]
        return float(self.metric.score(chosen.sum(axis=0)))

    def score_of_scores(self, scores: Reals) -> float:
        """Return the metric's score of each segment's highest candidate, the first of equals."""
        return self.score_of(first_maxima(scores, self.nbest.offsets))

    def score(self, weights: Reals) -> float:
        """Return the metric's score of the candidates that these weights choose."""
        return self.score_of(self.nbest.best(weights))
