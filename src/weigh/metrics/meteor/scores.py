"""METEOR's scores of summed statistics: of version 1.5, and of 2005."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from weigh.metrics.meteor.parameters import Parameters
    from weigh.types import Rows, Scores


def scores(sums: Rows, parameters: Parameters) -> Scores:
    """Score sums of METEOR 1.5's 23 statistics (Denkowski & Lavie 2014, section 2.2).

    Precision and recall weigh matches by stage, content words by delta and function words by
    1 - delta. Their mean F is lowered by gamma × (chunks per matched word) to the power of beta.
    """
    sums = np.asarray(sums, dtype=np.float64)
    alpha, beta, gamma, delta, weights = parameters
    matched = np.zeros((*sums.shape[:-1], 2))
    for stage, weight in enumerate(weights):
        counts = sums[..., 4 + 4 * stage : 8 + 4 * stage]
        matched += weight * (delta * counts[..., :2] + (1 - delta) * counts[..., 2:])
    lengths = delta * (sums[..., 0:2] - sums[..., 2:4]) + (1 - delta) * sums[..., 2:4]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = np.moveaxis(matched / lengths, -1, 0)
        f = 1 / ((1 - alpha) / precision + alpha / recall)
        fragmentation = sums[..., 20] / ((sums[..., 21] + sums[..., 22]) / 2)
        result = 100 * (f * (1 - gamma * fragmentation**beta))
    return np.asarray(np.where((matched > 0).all(axis=-1), result, 0.0))


def scores_of_2005(sums: Rows) -> Scores:
    """Score sums of words, reference words, matches and chunks (Banerjee & Lavie 2005)."""
    words, reference_words, matches, chunks = np.moveaxis(np.asarray(sums, np.float64), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = matches / words, matches / reference_words
        f = 10 * precision * recall / (recall + 9 * precision)
        result = 100 * (f * (1 - 0.5 * (chunks / matches) ** 3))
    return np.asarray(np.where(matches > 0, result, 0.0))
