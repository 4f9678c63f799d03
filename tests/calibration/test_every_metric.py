"""Every metric of the registry holds its level: nothing about it is known but that it is there."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from calibration import nulls
from every_metric import EXAMPLES, made_test_set, outputs_for
from weigh import parse_metric
from weigh.stats.sample import Sample

NULLS = 1000
UNITS = 100
ALPHA = 0.05
METRICS = [specs[0] for specs in EXAMPLES.values()]


@cache
def shares() -> dict[tuple[str, str], float]:
    """Return (metric, test) -> how often a pair that is exchanged by coins seems to differ."""
    rng = np.random.default_rng(3)
    words = nulls.texts(rng, UNITS)
    references = [[" ".join(one) for one in words]]
    texts = [[nulls.noisy(rng, one, rate) for one in words] for rate in (0.2, 0.25)]
    metrics = [parse_metric(spec) for spec in METRICS]
    pairs = []
    for metric in metrics:
        extractor = metric.prepare(made_test_set(references))
        pairs.append([extractor.rows(outputs_for(metric, one, references)) for one in texts])
    found: dict[tuple[str, str], int] = {}
    for start in range(0, NULLS, nulls.TOGETHER):
        data_sets = []
        for heads in rng.random((nulls.TOGETHER, UNITS, 1)) < 0.5:
            rows = [(np.where(heads, a, b), np.where(heads, b, a)) for a, b in pairs]
            data_sets.append(
                [
                    Sample(metric, ("A", "B"), ((first,), (second,)))
                    for metric, (first, second) in zip(metrics, rows, strict=True)
                ]
            )
        samples = nulls.joined(data_sets)
        for (test, alternative), ps in nulls.p_values(samples, 199, start).items():
            if alternative == "two-sided":
                for spec, p in zip(METRICS, ps, strict=True):
                    found[spec, test] = found.get((spec, test), 0) + int((p <= ALPHA).sum())
    return {key: count / NULLS for key, count in found.items()}


@pytest.mark.parametrize("test", nulls.TESTS)
@pytest.mark.parametrize("metric", METRICS)
def test_a_true_null_is_rejected_at_alpha(metric, test):
    assert abs(shares()[metric, test] - ALPHA) < 0.025


@pytest.mark.parametrize("metric", METRICS)
def test_a_flawed_formula_is_caught(metric):
    """The bounds above are narrow enough for it."""
    assert shares()[metric, "sacrebleu-bs"] > ALPHA + 0.025
