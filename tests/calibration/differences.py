"""Data sets of unit differences whose true mean is known, as systems that one call compares."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weigh.metrics.segment import GivenMean
from weigh.stats.sample import Sample

TOGETHER = 250  # data sets that share their draws

# Standardised: mean 0 and standard deviation 1.
SHAPES = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1,
}


def blocks(kind: str, units: int, count: int, seed: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield a seed and the differences of some data sets, data sets × units."""
    for start in range(0, count, TOGETHER):
        rng = np.random.default_rng([seed, units, start])
        size = min(TOGETHER, count - start)
        yield seed * 10**6 + start, SHAPES[kind](rng, (size, units))


def against_zero(d: np.ndarray) -> tuple[Sample, list[tuple[int, int]]]:
    """Return each data set as a system, and its pair with a system whose scores are all 0."""
    rows = [GivenMean.rows_of(scores) for scores in (*d, np.zeros(d.shape[1]))]
    names = tuple(str(i) for i in range(len(rows)))
    sample = Sample(GivenMean(), names, tuple((own,) for own in rows))
    return sample, [(i, len(d)) for i in range(len(d))]


def two_by_two(a: np.ndarray, b: np.ndarray) -> tuple[Sample, list[tuple[int, int]]]:
    """Return two systems for each data set of scores, and their pairs."""
    rows = [GivenMean.rows_of(scores) for both in zip(a, b, strict=True) for scores in both]
    names = tuple(str(i) for i in range(len(rows)))
    sample = Sample(GivenMean(), names, tuple((own,) for own in rows))
    return sample, [(i, i + 1) for i in range(0, len(rows), 2)]
