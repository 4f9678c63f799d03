"""How strong the regularisation should be, by cross-validation over sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import UsageError
from weigh.tuning.blocks import Blocks
from weigh.tuning.grafting import PER_ROUND, fit
from weigh.tuning.length import best_shift, shifted
from weigh.tuning.loglinear import Posterior, gradient
from weigh.tuning.nbest import first_maxima
from weigh.types import Metric

if TYPE_CHECKING:
    from weigh.types import Rows

FOLDS = 5

_TOLERANCE = 1e-4  # of fits whose weights are not kept
_FACTOR = 2.0  # from one γ of the path to the next
_LONGEST = 20
_PATIENCE = 2  # steps down the path without a smaller loss before it ends


@dataclass(frozen=True, slots=True)
class Trial:
    """One γ: what models that have not seen a sentence say of it.

    `score` is the metric's, of the candidates chosen (`rows`, one row per sentence), `loss` the
    model's before the weight of length is searched for, per sentence; `features` is the mean
    number of features in a model.
    """

    gamma: float
    score: float
    loss: float
    features: float
    rows: Rows


def validate(
    blocks: Blocks,
    features: int,
    metric: Metric,
    *,
    length: int | None = None,
    gammas: Sequence[float] | None = None,
    folds: int = FOLDS,
    seed: int,
    per_round: int = PER_ROUND,
) -> list[Trial]:
    """Try values of γ, from large to small, on sentences left out of the training.

    Without `gammas` the path begins with the largest that selects any feature and halves it
    until the loss has not fallen for two steps. A model sees (folds − 1)/folds of the sentences
    and so of the loss, and its γ is that much smaller. The weight of the column `length` is
    searched for on the sentences that the model sees.
    """
    sentences = sum(block.sentences for block in blocks)
    if not 2 <= folds <= sentences:
        raise UsageError(
            f"{folds} folds of {sentences:,} sentences; give a number from 2 to {sentences:,}, "
            "or one --gamma"
        )
    fold_of = np.random.default_rng(seed).permutation(sentences) % folds
    weights = np.zeros((features, folds))
    trials: list[Trial] = []
    for gamma in _path(blocks, features) if gammas is None else sorted(gammas, reverse=True):
        choosing = np.zeros_like(weights)
        for fold in range(folds):
            kept = fold_of != fold
            fitted = fit(
                blocks,
                gamma * (folds - 1) / folds,
                weights[:, fold],
                kept=kept,
                per_round=per_round,
                tolerance=_TOLERANCE,
            ).weights
            weights[:, fold] = fitted
            if length is not None:
                fitted = shifted(fitted, length, best_shift(blocks, fitted, length, metric, kept))
            choosing[:, fold] = fitted
        trials.append(_held_out(blocks, weights, choosing, fold_of, metric, gamma))
        best = min(range(len(trials)), key=lambda at: trials[at].loss)
        if gammas is None and len(trials) - 1 - best >= _PATIENCE:
            break
    return trials


def chosen(trials: Sequence[Trial]) -> Trial:
    """Return the trial with the smallest loss, of equals the one with the largest γ.

    Not the one with the best score: that would make the score of the trial chosen too good, and
    with some hundred sentences chance moves scores more than γ does.
    """
    return min(trials, key=lambda trial: (trial.loss, -trial.gamma))


def _path(blocks: Blocks, features: int) -> Iterator[float]:
    steepest = float(np.abs(gradient(blocks, np.zeros(features))[1]).max(initial=0.0))
    if steepest > 0:
        yield from (steepest / _FACTOR**step for step in range(1, _LONGEST + 1))


def _held_out(
    blocks: Blocks, fitted: Rows, choosing: Rows, fold_of: Rows, metric: Metric, gamma: float
) -> Trial:
    """Let the model of each fold choose candidates for the sentences that it has not seen."""
    rows, loss, start = [], 0.0, 0
    for block in blocks:
        stop = start + block.sentences
        folds = np.repeat(fold_of[start:stop], np.diff(block.starts))[:, None]
        scores, final = (
            np.take_along_axis(block.features @ weights, folds, axis=1).ravel()
            for weights in (fitted, choosing)
        )
        loss += Posterior.of(scores, block.starts, block.best).loss
        rows.append(block.rows[first_maxima(final, block.starts)])
        start = stop
    together = np.concatenate(rows)
    score = float(metric.score(together.sum(axis=0)))
    used = float(np.count_nonzero(choosing, axis=0).mean())
    return Trial(gamma, score, loss / start, used, together)
