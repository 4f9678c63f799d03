"""How strong the regularisation should be, by cross-validation over sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import UsageError
from weigh.tune.blocks import Blocks
from weigh.tune.grafting import PER_ROUND, fit
from weigh.tune.loglinear import Posterior, gradient
from weigh.tune.nbest import first_maxima
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
    model's, per sentence; `features` is the mean number of features in a model.
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
    gammas: Sequence[float] | None = None,
    folds: int = FOLDS,
    seed: int,
    per_round: int = PER_ROUND,
) -> list[Trial]:
    """Try values of γ, from large to small, on sentences left out of the training.

    Without `gammas` the path begins with the largest that selects any feature and halves it
    until the loss has not fallen for two steps. A model sees (folds − 1)/folds of the sentences
    and so of the loss, and its γ is that much smaller.
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
        for fold in range(folds):
            weights[:, fold] = fit(
                blocks,
                gamma * (folds - 1) / folds,
                weights[:, fold],
                kept=fold_of != fold,
                per_round=per_round,
                tolerance=_TOLERANCE,
            ).weights
        trials.append(_held_out(blocks, weights, fold_of, metric, gamma))
        best = min(range(len(trials)), key=lambda at: trials[at].loss)
        if gammas is None and len(trials) - 1 - best >= _PATIENCE:
            break
    return trials


def chosen(trials: Sequence[Trial], metric: Metric) -> Trial:
    """Return the trial with the best score, of equals the one with the largest γ."""
    sign = 1 if metric.higher_is_better else -1
    return max(trials, key=lambda trial: (sign * trial.score, trial.gamma))


def _path(blocks: Blocks, features: int) -> Iterator[float]:
    steepest = float(np.abs(gradient(blocks, np.zeros(features))[1]).max(initial=0.0))
    if steepest > 0:
        yield from (steepest / _FACTOR**step for step in range(1, _LONGEST + 1))


def _held_out(blocks: Blocks, weights: Rows, fold_of: Rows, metric: Metric, gamma: float) -> Trial:
    """Let the model of each fold choose candidates for the sentences that it has not seen."""
    rows, loss, start = [], 0.0, 0
    for block in blocks:
        stop = start + block.sentences
        folds = np.repeat(fold_of[start:stop], np.diff(block.starts))
        scores = np.take_along_axis(block.features @ weights, folds[:, None], axis=1).ravel()
        loss += Posterior.of(scores, block.starts, block.best).loss
        rows.append(block.rows[first_maxima(scores, block.starts)])
        start = stop
    together = np.concatenate(rows)
    score = float(metric.score(together.sum(axis=0)))
    used = float(np.count_nonzero(weights, axis=0).mean())
    return Trial(gamma, score, loss / start, used, together)
