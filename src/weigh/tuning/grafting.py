"""L1-regularised fitting of the log-linear model by incremental feature selection.

Minimises L(w) + γ‖w‖₁ (Riezler & Maxwell 2005, section 2.2; grafting of Perkins et al. 2003).
A weight leaves 0 only if that lowers the objective, which it does exactly where
|∂L/∂w| > γ. So few columns are ever needed at once: a pass over all blocks gives the whole
gradient, and only the columns of active features are brought into memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.errors import UsageError
from weigh.tuning.blocks import Blocks
from weigh.tuning.loglinear import Posterior, gradient

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Scores

PER_ROUND = 1000
TOLERANCE = 1e-6

_CHECK_EVERY = 10  # iterations between two looks at the gap
_MOST_ITERATIONS = 10_000


@dataclass(frozen=True, slots=True)
class Fit:
    """Weights of all features, most of them 0, and how they were reached.

    `gap` bounds (objective − optimum) / objective; where a sentence has several best
    candidates, of the objective's convex part. `active` counts features by round.
    """

    weights: Scores
    gamma: float
    loss: float
    objective: float
    gap: float
    active: tuple[int, ...]


@dataclass(slots=True)
class _Problem:
    """The active columns of all sentences, in memory."""

    features: Any
    starts: NDArray[np.int64]
    best: NDArray[np.bool_]
    gamma: float

    @staticmethod
    def of(
        blocks: Blocks, columns: NDArray[np.int64], gamma: float, kept: NDArray[np.bool_] | None
    ) -> _Problem:
        from scipy.sparse import vstack

        matrices, sizes, best, start = [], [], [], 0
        for block in blocks:
            size, stop = np.diff(block.starts), start + block.sentences
            features, marks = block.features[:, columns], block.best
            if kept is not None:
                chosen = np.repeat(kept[start:stop], size)
                features, marks = features[chosen], marks[chosen]
                size = size[kept[start:stop]]
            matrices.append(features)
            sizes.append(size)
            best.append(marks)
            start = stop
        starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
        return _Problem(vstack(matrices, format="csr"), starts, np.concatenate(best), gamma)

    def evaluate(self, weights: Scores) -> tuple[float, Scores]:
        """Return loss and gradient."""
        posterior = self.posterior(weights)
        return posterior.loss, posterior.residuals @ self.features

    def posterior(self, weights: Scores) -> Posterior:
        """Return what the model believes with these weights."""
        return Posterior.of(self.features @ weights, self.starts, self.best)

    def gap(self, weights: Scores, steepest: float | None = None) -> float:
        """Return the relative duality gap, given the largest |∂L/∂w| of all features.

        Without it, the gap is that of the active features alone.
        """
        posterior = self.posterior(weights)
        if steepest is None:
            steepest = float(np.abs(posterior.residuals @ self.features).max(initial=0.0))
        objective = posterior.loss + self.gamma * float(np.abs(weights).sum())
        if objective <= 0:
            return 0.0
        return (objective - posterior.bound(steepest, self.gamma)) / objective

    def scales(self, weights: Scores) -> Scores:
        """Return one over the root of the loss' second derivatives along each weight.

        That is Σ_s Var_p(f): it makes features of very different sizes equally easy.
        """
        from scipy.sparse import csr_array

        p = self.posterior(weights).among_all
        by_sentence = csr_array((p, np.arange(len(p)), self.starts), (len(self.starts) - 1, len(p)))
        means = by_sentence @ self.features
        second = p @ self.features.power(2) - np.asarray(means.power(2).sum(axis=0)).ravel()
        return np.asarray(1.0 / np.sqrt(np.maximum(second, 1e-6)))

    def minimize(self, weights: Scores, tolerance: float) -> Scores:
        """Return better weights: L-BFGS-B on their positive and negative parts."""
        from scipy.optimize import minimize

        size, scales = len(weights), self.scales(weights)
        penalty = self.gamma * np.concatenate([scales, scales])
        iterations = 0

        def objective(parts: Scores) -> tuple[float, Scores]:
            loss, slope = self.evaluate(scales * (parts[:size] - parts[size:]))
            scaled = scales * slope
            return loss + float(penalty @ parts), np.concatenate([scaled, -scaled]) + penalty

        def enough(intermediate_result: Any) -> None:
            nonlocal iterations
            iterations += 1
            if iterations % _CHECK_EVERY == 0:
                parts = intermediate_result.x
                if self.gap(scales * (parts[:size] - parts[size:])) <= tolerance:
                    raise StopIteration

        found = minimize(
            objective,
            np.concatenate([np.maximum(weights, 0), np.maximum(-weights, 0)]) / np.tile(scales, 2),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0, None)] * (2 * size),
            callback=enough,
            options={
                "maxiter": _MOST_ITERATIONS,
                "maxfun": 2 * _MOST_ITERATIONS,
                "maxcor": 20,
                "ftol": 0.0,
                "gtol": 0.0,
            },
        ).x
        return np.asarray(scales * (found[:size] - found[size:]))


def fit(
    blocks: Blocks,
    gamma: float,
    start: Scores,
    *,
    kept: NDArray[np.bool_] | None = None,
    per_round: int = PER_ROUND,
    tolerance: float = TOLERANCE,
) -> Fit:
    """Fit weights for the features of `blocks`, beginning at `start`.

    1. The gradient test: features that are 0 and have |∂L/∂w| > γ become active, the
       `per_round` steepest of them.
    2. The objective is minimised over the active features, to half of `tolerance`.
    3. Again from 1 until no feature passes the test.
    """
    if not gamma > 0:
        raise UsageError(f"gamma {gamma}; give a number above 0")
    weights = np.array(start, dtype=np.float64)
    columns = np.flatnonzero(weights)
    counts = []
    while True:
        problem = _Problem.of(blocks, columns, gamma, kept)
        if len(columns):
            counts.append(len(columns))
            weights[columns] = problem.minimize(weights[columns], tolerance / 2)
        loss, slope = gradient(blocks, weights, kept)
        steepness = np.abs(slope)
        steepest = float(steepness.max(initial=0.0))
        steepness[columns] = 0.0
        passing = np.flatnonzero(steepness > gamma)
        if not len(passing):
            break
        added = passing[np.argsort(-steepness[passing], kind="stable")[:per_round]]
        columns = np.concatenate([columns, added])
    return Fit(
        weights,
        gamma,
        loss,
        loss + gamma * float(np.abs(weights).sum()),
        problem.gap(weights[columns], steepest),
        tuple(counts),
    )
