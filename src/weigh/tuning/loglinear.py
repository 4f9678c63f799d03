"""The conditional log-linear model over candidates (Riezler & Maxwell 2005, section 2.1).

A candidate c of sentence s has the probability p(c|s) = exp(w·f_c) / Σ exp(w·f), and Y(s) are
the candidates that match the reference best. The loss is −log of the probability of the Y(s),

    L(w) = Σ_s [log Σ_c exp(w·f_c) − log Σ_{c∈Y(s)} exp(w·f_c)],

and its gradient E_p[f] − E_q[f], where q is p among the Y(s).

It is fitted with an L1 penalty by incremental feature selection: L(w) + γ‖w‖₁ is minimised (section
2.2; grafting of Perkins et al. 2003). A weight leaves 0 only if that lowers the objective, which it
does exactly where |∂L/∂w| > γ. So few columns are ever needed at once: a pass over all blocks gives
the whole gradient, and only the columns of active features are brought into memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.errors import UsageError
from weigh.tuning.examples import Blocks
from weigh.tuning.nbest import starts_of
from weigh.tuning.oracle import placed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Scores


PER_ROUND = 1000
TOLERANCE = 1e-6

_CHECK_EVERY = 10  # iterations between two looks at the gap
_MOST_ITERATIONS = 10_000


@dataclass(frozen=True, slots=True)
class Posterior:
    """The model's probabilities of candidates: p among all of a sentence's, q among its best."""

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
        weights = np.exp(scores[places] - np.repeat(own_highest, own_sizes))
        own_total = np.add.reduceat(weights, own_first)
        among_best = np.zeros(len(scores))
        among_best[places] = weights * np.repeat(weight / own_total, own_sizes)
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
    loss, slope = 0.0, np.zeros(len(weights))
    for block, places in placed(blocks):
        posterior = Posterior.of(
            block.features @ weights,
            block.starts,
            block.best,
            None if kept is None else kept[places],
        )
        loss += posterior.loss
        slope += posterior.residuals @ block.features
    return loss, slope


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

        matrices, sizes, best = [], [], []
        for whole, places in placed(blocks):
            block = whole if kept is None else whole.of(kept[places])
            matrices.append(block.features[:, columns])
            sizes.append(np.diff(block.starts))
            best.append(block.best)
        starts = starts_of(np.concatenate(sizes))
        return _Problem(vstack(matrices, format="csr"), starts, np.concatenate(best), gamma)

    def evaluate(self, weights: Scores) -> tuple[float, Scores]:
        """Return loss and gradient."""
        posterior = self.posterior(weights)
        return posterior.loss, posterior.residuals @ self.features

    def posterior(self, weights: Scores) -> Posterior:
        """Probabilities of candidates under these weights."""
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

        optimum = minimize(
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
        return np.asarray(scales * (optimum[:size] - optimum[size:]))


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
