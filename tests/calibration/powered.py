"""Prediction-powered means of scores whose truth is known: how often their intervals hold it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, stdtrit

from weigh.stats.prediction_powered import powered_means

# What people's scores look like: the truth of each, and what is made of a standard normal.
KINDS = {
    "normal": (0.0, lambda latent: latent),
    # Minus an exponential: most scores are near the best, skewness −2.
    "skewed": (-1.0, log_ndtr),
    # Minus a lognormal: a few scores are far below the others, skewness −3.7.
    "long tail": (-float(np.exp(0.32)), lambda latent: -np.exp(0.8 * latent)),
}


class Coverage(NamedTuple):
    """How often the interval, and the classical one, holds the truth; the ratio of variances."""

    powered: float
    classical: float
    ratio: float


def covered(
    kind: str, correlation: float, n: int, others: int, trials: int, level: float = 0.95
) -> Coverage:
    """Simulate n judged segments of n + others; the metric knows what is behind the scores."""
    draws = np.random.default_rng([n, others, int(100 * (1 + correlation)), [*KINDS].index(kind)])
    truth, shape = KINDS[kind]
    inside = np.zeros(2)
    estimates = []
    for start in range(0, trials, 500):
        count = min(500, trials - start)
        metric = draws.standard_normal((count, n + others))
        noise = draws.standard_normal((count, n))
        human = shape(correlation * metric[:, :n] + np.sqrt(1 - correlation**2) * noise)
        means = powered_means(human, metric[:, :n], metric[:, n:])
        reach = stdtrit(means.freedom, (1 + level) / 2) * np.sqrt(means.variance)
        alone = stdtrit(n - 1, (1 + level) / 2) * np.sqrt(means.classical_variance)
        inside[0] += (np.abs(means.estimate - truth) <= reach).sum()
        inside[1] += (np.abs(means.classical - truth) <= alone).sum()
        estimates.append([means.estimate, means.classical])
    powered, classical = np.concatenate(estimates, axis=1)
    return Coverage(*(inside / trials).tolist(), float(powered.var() / classical.var()))
