"""Training a reranker: from examples to a model, and how much better that chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError
from weigh.metrics.custom import Definition, as_metric
from weigh.stats.readings import ReadSamples
from weigh.stats.sample import Sample
from weigh.stats.significance import randomization
from weigh.tuning.examples import Examples
from weigh.tuning.grafting import PER_ROUND, Fit, fit
from weigh.tuning.length import best_shift, chosen_total, shifted
from weigh.tuning.validation import FOLDS, Trial, chosen, validate
from weigh.types import Metric

if TYPE_CHECKING:
    from weigh.types import Rows, Scores

_TEST_TRIALS = 10_000


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train: `gammas` to choose from (none: a path of them) on `folds` of the sentences."""

    seed: int
    gammas: Sequence[float] = ()
    folds: int = FOLDS
    per_round: int = PER_ROUND


@dataclass(frozen=True, slots=True)
class Training:
    """A model and what it is worth.

    `weights` has every dense feature and those others that are not 0: those of `fit`, with the
    weight of the candidates' `length` (its name, if they differ) changed by `shift`.
    `first_score` is that of the candidates that stand first, `score` that of the model's own, on
    the sentences that it was trained on, and `fit_score` that of `fit` alone. `trial` is the
    cross-validated one of the γ chosen, among all `trials`, and `p_value` that of its difference
    to the first candidates by approximate randomization, two sided. Where only one γ was given,
    there is neither.
    """

    fit: Fit
    weights: Mapping[str, float]
    first_score: float
    fit_score: float
    score: float
    length: str | None = None
    shift: float = 0.0
    trials: Sequence[Trial] = ()
    trial: Trial | None = None
    p_value: float | None = None


def train(
    examples: Examples, metric: Metric | Definition, plan: Plan, *, threads: int = 0
) -> Training:
    """Choose γ by cross-validation, then fit the model to all sentences."""
    metric = as_metric(metric)
    if not examples.names:
        raise InputError(
            "no feature varies within a sentence; give several candidates for each, with features"
        )
    blocks, start = examples.blocks, np.zeros(len(examples.names))
    first = np.concatenate([block.rows[block.starts[:-1]] for block in blocks])
    trials: list[Trial] = []
    trial, p_value = None, None
    if len(plan.gammas) == 1:
        gamma = plan.gammas[0]
    else:
        trials = validate(
            blocks,
            len(examples.names),
            metric,
            length=examples.length,
            gammas=plan.gammas or None,
            folds=plan.folds,
            seed=plan.seed,
            per_round=plan.per_round,
        )
        if not trials:
            raise InputError(
                "no feature tells the best candidates from others; give the list other features"
            )
        trial = chosen(trials)
        gamma = trial.gamma
        p_value = _p_value(metric, trial.rows, first, plan.seed, threads)
    found = fit(blocks, gamma, start, per_round=plan.per_round)
    weights, length, shift = found.weights, None, 0.0
    if examples.length is not None:
        length = examples.names[examples.length]
        shift = best_shift(blocks, weights, examples.length, metric)
        weights = shifted(weights, examples.length, shift)
    return Training(
        found,
        _named(examples, weights),
        float(metric.score(first.sum(axis=0))),
        float(metric.score(chosen_total(blocks, found.weights))),
        float(metric.score(chosen_total(blocks, weights))),
        length,
        shift,
        trials,
        trial,
        p_value,
    )


def _named(examples: Examples, weights: Scores) -> dict[str, float]:
    others = {
        name: value for name, value in zip(examples.names, weights.tolist(), strict=True) if value
    }
    return dict.fromkeys(examples.dense, 0.0) | others


def _p_value(metric: Metric, rows: Rows, first: Rows, seed: int, threads: int) -> float:
    sample = Sample(metric, ("reranked", "first"), ((rows,), (first,)))
    read = ReadSamples.of([sample])
    tests = randomization(read.samples, [(0, 1)], _TEST_TRIALS, seed, threads=threads)
    return float(read.together(tests, [(0, 1)])[0].p_values["two-sided"][0])
