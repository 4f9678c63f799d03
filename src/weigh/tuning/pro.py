"""PRO: tuning as ranking (Hopkins & May 2011).

A classifier learns to tell the better of two candidates from the difference of their features;
its weights then rank candidates. Unlike line search it copes with hundreds of features and more.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from weigh.tuning.problem import Problem
from weigh.tuning.ranking import Ranking
from weigh.tuning.weights import WeightSpace

if TYPE_CHECKING:
    from weigh.tuning.nbest import Integers, Reals

SAMPLES = 5000
PAIRS = 50

_RIDGE = 1.0  # of the classifier: ½ ridge ‖w‖², on scaled features


def pro(
    problem: Problem, space: WeightSpace, seed: int, *, samples: int = SAMPLES, pairs: int = PAIRS
) -> Reals:
    """Return weights for the features of a list, at least as good on it as the start.

    Of `samples` pairs of candidates that are drawn in every segment, the `pairs` that differ
    most by the metric train a logistic regression.
    """
    ranking = Ranking.of(problem)
    winners, losers = sample_pairs(
        ranking.qualities, problem.nbest.offsets, np.random.default_rng(seed), samples, pairs
    )
    weights = _classify(ranking, winners, losers, space)
    gain = problem.sign * (problem.score(weights) - problem.score(space.start))
    return weights if gain > 0 else space.start


def sample_pairs(
    qualities: Reals, offsets: Integers, generator: np.random.Generator, samples: int, pairs: int
) -> tuple[Integers, Integers]:
    """Return the better and the worse of the most different pairs drawn in each segment."""
    winners, losers = [], []
    for first, last in pairwise(offsets.tolist()):
        drawn = generator.integers(first, last, size=(2, samples))
        difference = qualities[drawn[0]] - qualities[drawn[1]]
        order = np.argsort(-np.abs(difference), kind="stable")[:pairs]
        order = order[difference[order] != 0.0]
        swapped = (difference[order] < 0).astype(np.int64)
        winners.append(drawn[swapped, order])
        losers.append(drawn[1 - swapped, order])
    return np.concatenate(winners), np.concatenate(losers)


def _classify(ranking: Ranking, winners: Integers, losers: Integers, space: WeightSpace) -> Reals:
    """Return the weights of a logistic regression that puts winners above losers."""
    from scipy.optimize import minimize

    differences = ranking.features[winners] - ranking.features[losers]

    def loss(weights: Reals) -> tuple[float, Reals]:
        margins = differences @ weights
        doubts = np.exp(-np.logaddexp(0.0, margins))  # 1 / (1 + e^margin)
        value = np.logaddexp(0.0, -margins).sum() + 0.5 * _RIDGE * (weights @ weights)
        return float(value), _RIDGE * weights - doubts @ differences

    found = minimize(
        loss,
        space.start * ranking.scales,
        jac=True,
        method="L-BFGS-B",
        bounds=np.column_stack([space.low * ranking.scales, space.high * ranking.scales]),
    )
    # Multiplying and dividing may have led a little beyond.
    return np.asarray(np.clip(found.x / ranking.scales, space.low, space.high))
