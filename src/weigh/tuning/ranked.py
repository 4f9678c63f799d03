"""Tuning as ranking: PRO (Hopkins & May 2011) and batch MIRA (Cherry & Foster 2012, Chiang 2012).

Both learn from candidates that a metric ranks within their segments, and unlike line search cope
with hundreds of features and more. PRO trains a classifier that tells the better of two candidates
from the difference of their features; its weights then rank candidates. MIRA (section 3.1) moves
the weights, segment by segment, just so far that a good candidate that the model likes (hope)
scores above a bad one that it likes (fear) by as much as the metric tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.errors import InputError
from weigh.read.text import quoted
from weigh.tuning.nbest import NBest
from weigh.tuning.problem import Problem
from weigh.tuning.weights import WeightSpace

if TYPE_CHECKING:
    from weigh.tuning.nbest import Integers, Reals

# Squares of larger numbers, and sums of them, may not be numbers any more.
_LARGEST = 1e100

SAMPLES = 5000
PAIRS = 50
_RIDGE = 1.0  # of PRO's classifier: ½ ridge ‖w‖², on scaled features

EPOCHS = 60
STEP = 0.01


def check_sizes(nbest: NBest) -> None:
    """Refuse features that are too large to compute with."""
    dense = np.abs(nbest.features).max(axis=0, initial=0.0)
    large = np.flatnonzero(dense > _LARGEST).tolist()
    rest = np.flatnonzero(np.abs(nbest.sparse.values) > _LARGEST)
    large += [len(nbest.names) + int(nbest.sparse.indices[at]) for at in rest[:1]]
    if large:
        raise InputError(
            f"the feature {quoted(nbest.feature_names[large[0]])} has values beyond "
            f"{_LARGEST:.0e}; divide it by a constant"
        )


@dataclass(frozen=True, slots=True)
class CandidateRanking:
    """Features and qualities of all candidates, on scales that make steps comparable.

    `qualities` are the metric's scores of the segments, larger ones better, with a standard
    deviation of 1 within segments. `features` (candidates × features) is an array, or a
    `scipy.sparse.csr_array` if the list has sparse features: dense features are divided by
    `scales`, their standard deviation within segments; sparse ones, which are mostly counts,
    are left as they are. A feature that is constant within every segment is 0: it cannot change
    a choice.
    """

    features: Any
    scales: Reals
    qualities: Reals

    @staticmethod
    def of(problem: Problem) -> CandidateRanking:
        """Scale the features of a list and what the metric says of its candidates."""
        nbest = problem.nbest
        check_sizes(nbest)
        scores = problem.sign * problem.metric.segment_scores(problem.rows)[nbest.hypotheses]
        [qualities], _ = _standardise(scores[:, None], nbest)
        dense, scales = _standardise(nbest.features, nbest)
        features: Any = np.ascontiguousarray(dense.T)
        sparse = nbest.sparse
        if sparse.names:
            from scipy.sparse import csr_array, hstack

            shape = (len(nbest), len(sparse.names))
            rest = csr_array((sparse.values, sparse.indices, sparse.indptr), shape=shape)
            features = hstack([csr_array(features), rest], format="csr")
            scales = np.concatenate([scales, np.ones(len(sparse.names))])
        return CandidateRanking(features, scales, qualities)


def _standardise(columns: Reals, nbest: NBest) -> tuple[Reals, Reals]:
    """Return columns, as rows, less their means in each segment and divided by a scale."""
    means = np.add.reduceat(columns, nbest.offsets[:-1], axis=0) / np.diff(nbest.offsets)[:, None]
    centred = columns - means[nbest.segments()]
    deviations = np.sqrt(np.mean(centred**2, axis=0))
    # What remains of a constant is rounding.
    varies = deviations > 1e-9 * np.abs(columns).max(axis=0, initial=0.0)
    scales = np.where(varies, deviations, 1.0)
    return np.asarray((centred * (varies / scales)).T), scales


def pro(
    problem: Problem, space: WeightSpace, seed: int, *, samples: int = SAMPLES, pairs: int = PAIRS
) -> Reals:
    """Return weights for the features of a list, at least as good on it as the start.

    Of `samples` pairs of candidates that are drawn in every segment, the `pairs` that differ
    most by the metric train a logistic regression.
    """
    ranking = CandidateRanking.of(problem)
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


def _classify(
    ranking: CandidateRanking, winners: Integers, losers: Integers, space: WeightSpace
) -> Reals:
    """Return the weights of a logistic regression that puts winners above losers."""
    from scipy.optimize import minimize

    differences = ranking.features[winners] - ranking.features[losers]

    def loss(weights: Reals) -> tuple[float, Reals]:
        margins = differences @ weights
        doubts = np.exp(-np.logaddexp(0.0, margins))  # 1 / (1 + e^margin)
        value = np.logaddexp(0.0, -margins).sum() + 0.5 * _RIDGE * (weights @ weights)
        return float(value), _RIDGE * weights - doubts @ differences

    optimum = minimize(
        loss,
        space.start * ranking.scales,
        jac=True,
        method="L-BFGS-B",
        bounds=np.column_stack([space.low * ranking.scales, space.high * ranking.scales]),
    )
    # Multiplying and dividing may have led a little beyond.
    return np.asarray(np.clip(optimum.x / ranking.scales, space.low, space.high))


def mira(
    problem: Problem, space: WeightSpace, seed: int, *, epochs: int = EPOCHS, step: float = STEP
) -> Reals:
    """Return weights for the features of a list, at least as good on it as the start.

    Each epoch goes through the segments in a new order; the best of the epochs' average weights
    is returned. Features and the metric are on a scale where `step`, the most that a segment
    may move the weights by, means the same for every list.
    """
    ranking = CandidateRanking.of(problem)
    generator = np.random.default_rng(seed)
    segments = [
        (ranking.features[first:last], ranking.qualities[first:last])
        for first, last in pairwise(problem.nbest.offsets.tolist())
    ]
    low, high = space.low * ranking.scales, space.high * ranking.scales
    weights = space.start * ranking.scales
    best, best_value = space.start, problem.sign * problem.score(space.start)
    for _ in range(epochs):
        total = np.zeros(len(weights))
        for at in generator.permutation(len(segments)).tolist():
            features, qualities = segments[at]
            _move(weights, features, qualities, step)
            np.clip(weights, low, high, out=weights)
            total += weights
        # Multiplying and dividing may have led a little beyond.
        average = np.clip(total / len(segments) / ranking.scales, space.low, space.high)
        value = problem.sign * problem.score(average)
        if value > best_value:
            best, best_value = average, value
    return best


def _move(weights: Reals, features: Any, qualities: Reals, step: float) -> None:
    """Move the weights toward the hope and away from the fear, as far as one segment may."""
    scores = features @ weights
    hope, fear = int(np.argmax(scores + qualities)), int(np.argmax(scores - qualities))
    loss = qualities[hope] - qualities[fear] - (scores[hope] - scores[fear])
    if hope == fear or loss <= 0:
        return
    way = features[[hope]] - features[[fear]]
    way = np.ravel(way if isinstance(way, np.ndarray) else way.toarray())
    length = float(way @ way)
    if length > 0:
        weights += min(step, loss / length) * way
