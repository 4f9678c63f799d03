"""Prediction-powered means of scores whose truth is known: how often their intervals hold it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, stdtrit

from weigh.stats.prediction_powered import powered_mean_by_document, powered_means

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
    kind: str,
    correlation: float,
    n: int,
    others: int,
    trials: int,
    level: float = 0.95,
    *,
    finite: bool = False,
) -> Coverage:
    """Simulate n judged segments of n + others; the metric knows what is behind the scores.

    The truth is the mean of these n + others segments if `finite`, else that of their distribution.
    """
    draws = np.random.default_rng([n, others, int(100 * (1 + correlation)), [*KINDS].index(kind)])
    truth, shape = KINDS[kind]
    inside = np.zeros(2)
    estimates = []
    for start in range(0, trials, 500):
        count = min(500, trials - start)
        metric = draws.standard_normal((count, n + others))
        noise = draws.standard_normal((count, n + others if finite else n))
        latent = correlation * metric[:, : noise.shape[1]] + np.sqrt(1 - correlation**2) * noise
        scores = shape(latent)
        if finite:
            truth = scores.mean(axis=1)
        human = scores[:, :n]
        means = powered_means(human, metric[:, :n], metric[:, n:], finite=finite)
        reach = stdtrit(means.freedom, (1 + level) / 2) * np.sqrt(means.variance)
        alone = stdtrit(n - 1, (1 + level) / 2) * np.sqrt(means.classical_variance)
        inside[0] += (np.abs(means.estimate - truth) <= reach).sum()
        inside[1] += (np.abs(means.classical - truth) <= alone).sum()
        estimates.append([means.estimate - truth, means.classical - truth])
    powered, classical = np.concatenate(estimates, axis=1)
    return Coverage(*(inside / trials).tolist(), float(powered.var() / classical.var()))


SIZES = {"5": (5, 5), "2 to 8": (2, 8)}
"""Segments of a document."""


def covered_by_document(
    correlation: float,
    judged: int,
    documents: int,
    trials: int,
    *,
    finite: bool,
    sizes: tuple[int, int] = SIZES["2 to 8"],
    drawn: str = "documents",
) -> Coverage:
    """Simulate judged documents of all; scores and metric vary as much between as within them.

    Whole `documents` are drawn, or as many single `segments` of all documents. The truth is the
    mean of these documents' segments if `finite`, else that of their distribution, 0.
    """
    draws = np.random.default_rng([judged, documents, int(100 * correlation), finite, *sizes])
    inside = np.zeros(2)
    errors = []
    for _ in range(trials):
        document = np.repeat(
            np.arange(documents), draws.integers(sizes[0], sizes[1] + 1, documents)
        )
        metric, noise = (
            draws.standard_normal(documents)[document] + draws.standard_normal(document.size)
            for _ in range(2)
        )
        scores = correlation * metric + np.sqrt(1 - correlation**2) * noise
        units = document if drawn == "documents" else np.arange(document.size)
        chosen = draws.permutation(units[-1] + 1)[: judged * (units[-1] + 1) // documents]
        known = np.isin(units, chosen)
        mean = powered_mean_by_document(
            scores[known],
            metric[known],
            document[known].tolist(),
            metric[~known],
            document[~known].tolist(),
            finite=finite,
        )
        truth = float(scores.mean()) if finite else 0.0
        errors.append([mean.estimate - truth, mean.classical - truth])
        reach = [mean.spread.half_width(0.95), mean.classical_spread.half_width(0.95)]
        inside += np.abs(errors[-1]) <= reach
    powered, classical = np.var(errors, axis=0)
    return Coverage(*(inside / trials).tolist(), float(powered / classical))
