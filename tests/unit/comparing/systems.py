"""Small generated systems for the tests of comparisons."""

from __future__ import annotations

from functools import cache

import numpy as np

from calibration.nulls import noisy, texts
from weigh import Bleu, Chrf, Nist, Outputs, System, Ter, TestSet

METRICS = [Bleu(), Chrf(), Ter(), Nist()]
TESTS = ("randomization", "bootstrap", "paired-bootstrap")
ALTERNATIVES = ("two-sided", "better", "worse")


@cache
def corpus(segments: int = 60) -> tuple[tuple[System, ...], TestSet]:
    """Four systems, A the best and D much the worst; B and C are alike."""
    rng = np.random.default_rng(5)
    words = texts(rng, segments)
    references = [" ".join(one) for one in words]
    systems = tuple(
        System(name, Outputs([noisy(rng, one, rate) for one in words]))
        for name, rate in (("A", 0.1), ("B", 0.25), ("C", 0.25), ("D", 0.5))
    )
    return systems, TestSet([references])


def copies(names: str = "ABC") -> tuple[list[System], TestSet]:
    """Systems that say the same."""
    systems, test_set = corpus()
    return [System(name, systems[1].outputs) for name in names], test_set


def scores(segments: int = 50, seed: int = 0, **means: float) -> dict[str, np.ndarray]:
    """Segment scores with given means."""
    rng = np.random.default_rng(seed)
    return {name: rng.normal(mean, 1, segments) for name, mean in means.items()}


def by_pair(result, **wanted):
    """Return (metric, test, a, b) -> comparison, of the whole test set unless `slice` is given."""
    slice_ = wanted.get("slice")
    return {(c.metric, c.test, c.a, c.b): c for c in result.comparisons if c.slice == slice_}
