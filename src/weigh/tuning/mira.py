"""Batch MIRA over n-best lists (Cherry & Foster 2012, section 3.1; Chiang 2012).

Segment by segment, the weights move just so far that a good candidate that the model likes
(hope) scores above a bad one that it likes (fear) by as much as the metric tells them apart.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.tuning.problem import Problem
from weigh.tuning.ranking import Ranking
from weigh.tuning.weights import WeightSpace

if TYPE_CHECKING:
    from weigh.tuning.nbest import Reals

EPOCHS = 60
STEP = 0.01


def mira(
    problem: Problem, space: WeightSpace, seed: int, *, epochs: int = EPOCHS, step: float = STEP
) -> Reals:
    """Return weights for the features of a list, at least as good on it as the start.

    Each epoch goes through the segments in a new order; the best of the epochs' average weights
    is returned. Features and the metric are on a scale where `step`, the most that a segment
    may move the weights by, means the same for every list.
    """
    ranking = Ranking.of(problem)
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
