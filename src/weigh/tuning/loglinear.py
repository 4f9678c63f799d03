"""The conditional log-linear model over candidates (Riezler & Maxwell 2005, section 2.1).

A candidate c of sentence s has the probability p(c|s) = exp(w·f_c) / Σ exp(w·f), and Y(s) are
the candidates that match the reference best. The loss is −log of the probability of the Y(s),

    L(w) = Σ_s [log Σ_c exp(w·f_c) − log Σ_{c∈Y(s)} exp(w·f_c)],

and its gradient E_p[f] − E_q[f], where q is p among the Y(s).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.tuning.blocks import Blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Scores


@dataclass(frozen=True, slots=True)
class Posterior:
    """What the model believes of candidates: p among all of a sentence's, q among its best."""

    loss: float
    among_all: Scores
    among_best: Scores

    @staticmethod
    def of(
        scores: Scores,
        starts: NDArray[np.int64],
        best: NDArray[np.bool_],
        kept: NDArray[np.bool_] | None = None,
    ) -> Posterior:
        """Compute loss and probabilities from w·f; sentences that are not `kept` count nothing."""
        first, sizes = starts[:-1], np.diff(starts)
        weight = np.ones(len(sizes)) if kept is None else kept.astype(np.float64)
        highest = np.maximum.reduceat(scores, first)
        among_all = np.exp(scores - np.repeat(highest, sizes))
        total = np.add.reduceat(among_all, first)
        among_all *= np.repeat(weight / total, sizes)
        # The same for the best candidates alone, relative to the highest of them, so that their
        # share never vanishes.
        places = np.flatnonzero(best)
        own_first = np.searchsorted(places, starts)
        own_sizes, own_first = np.diff(own_first), own_first[:-1]
        own_highest = np.maximum.reduceat(scores[places], own_first)
        own = np.exp(scores[places] - np.repeat(own_highest, own_sizes))
        own_total = np.add.reduceat(own, own_first)
        among_best = np.zeros(len(scores))
        among_best[places] = own * np.repeat(weight / own_total, own_sizes)
        losses = highest - own_highest + np.log(total / own_total)
        return Posterior(float(losses @ weight), among_all, among_best)

    @property
    def residuals(self) -> Scores:
        """The loss' derivative by each candidate's score."""
        return self.among_all - self.among_best

    def bound(self, steepest: float, gamma: float) -> float:
        """Return a lower bound of the least L(w) + γ‖w‖₁, or of its convex part.

        Weak duality: log Σ exp(w·f) ≥ H(p') + Σ p'·(w·f) for any p', so the objective is at
        least Σ H(p') − H(q) wherever every |Σ (p' − q) f| ≤ γ; p' = (1 − t) p + t q scales the
        gradient, whose largest part is `steepest`, by 1 − t. With several best candidates in a
        sentence the loss is not convex, and the bound is that of the loss with q as it is.
        """
        t = 0.0 if steepest <= gamma else 1.0 - gamma / steepest
        mixed = (1.0 - t) * self.among_all + t * self.among_best
        return _entropy(mixed) - _entropy(self.among_best)


def _entropy(probabilities: Scores) -> float:
    positive = probabilities[probabilities > 0]
    return float(-(positive * np.log(positive)).sum())


def gradient(
    blocks: Blocks, weights: Scores, kept: NDArray[np.bool_] | None = None
) -> tuple[float, Scores]:
    """Return loss and gradient at `weights`, with one block in memory at a time.

    `kept` tells which sentences count, of all blocks together.
    """
    loss, slope, start = 0.0, np.zeros(len(weights)), 0
    for block in blocks:
        stop = start + block.sentences
        posterior = Posterior.of(
            block.features @ weights,
            block.starts,
            block.best,
            None if kept is None else kept[start:stop],
        )
        loss += posterior.loss
        slope += posterior.residuals @ block.features
        start = stop
    return loss, slope
