"""Adaptive numbers of trials: draw p-values in stages until every conclusion is clear.

Let k be a pair's multiplier in the adjustment for multiple comparisons. The pair gets more trials
while k·p is within three standard errors of α, or while its trials are too few to reach α although
its count suggests that more would. Each stage changes p-values, and with them the ranks from which
Holm and Benjamini–Hochberg derive k. A pair that had stopped may therefore resume.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.stats.multiplicity import multipliers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Scores

# T + 1 after each stage. Pairs still close to α after the last one are reported as open.
STAGES = (10_000, 40_000, 160_000, 640_000, 1_000_000)


class Decision(NamedTuple):
    """A decision at α, adjusted for a family of `size` comparisons."""

    alternative: str
    alpha: float
    adjust: str = "none"
    size: int = 1


class AdaptiveTrials:
    """P-values of pairs by several alternatives: exact, or from the trials so far.

    `exact` is pairs × alternatives, with NaN for pairs that need trials. `columns` maps each
    alternative to its column. If `trials` is given, there is a single stage of that many.
    """

    def __init__(
        self,
        exact: Scores,
        columns: Mapping[str, int],
        decisions: Sequence[Decision] = (),
        trials: int | None = None,
    ) -> None:
        self._exact_p = exact
        self.exact: NDArray[np.bool_] = ~np.isnan(exact[:, 0])
        self.counts = np.zeros(exact.shape, dtype=np.int64)
        self.trials = np.zeros(len(exact), dtype=np.int64)
        self.columns = columns
        self._decisions = decisions
        self._stages = STAGES if trials is None else (trials + 1,)

    @property
    def p_values(self) -> Scores:
        """P-values so far, pairs × alternatives; 1 where no trial has been drawn."""
        drawn = (self.counts + 1) / (self.trials + 1)[:, None]
        return np.where(self.exact[:, None], self._exact_p, drawn)

    def stop(self, start: int) -> int:
        """Number of trials at the end of the stage that begins after `start` trials."""
        return next(stage for stage in self._stages if stage > start + 1) - 1

    def due(self) -> NDArray[np.intp]:
        """Pairs that need another stage."""
        needs_trials = ~self.exact & ((self.trials == 0) | self.is_open)
        return np.flatnonzero(needs_trials & (self.trials + 1 < self._stages[-1]))

    def add(self, pairs: NDArray[np.intp], counts: NDArray[np.int64], trials: int) -> None:
        """Add the counts of a stage; these pairs now have `trials` trials."""
        self.counts[pairs] += counts
        self.trials[pairs] = trials

    @property
    def is_open(self) -> NDArray[np.bool_]:
        """Mask of pairs whose drawn p-value leaves any of the decisions open."""
        result = np.zeros(len(self.trials), dtype=bool)
        drawn = self.trials > 0
        if not drawn.any():
            return result
        p_values = self.p_values
        for alternative, alpha, adjust, size in self._decisions:
            column = self.columns[alternative]
            factors = multipliers(p_values[:, column], adjust, size)[drawn]
            p, c = p_values[drawn, column], self.counts[drawn, column]
            trials = self.trials[drawn]
            error = np.sqrt(np.maximum(p * (1 - p), 1 / trials) / trials)
            close = np.abs(factors * p - alpha) < 3 * factors * error
            least = factors * (c + 1 - 3 * np.sqrt(c + 1)) / (trials + 1)
            result[drawn] |= close | ((factors / (trials + 1) > alpha) & (least < alpha))
        return result
