"""Trials go on while a decision is open, by the ranks of the p-values that are known last."""

from __future__ import annotations

import math

import numpy as np
import pytest

from weigh.stats.adaptive import STAGES, AdaptiveTrials, Decision

ALPHA = 0.05


def is_open_by_definition(p_values, trials, adjust) -> list[bool]:
    """The rule as it is written, pair by pair."""
    m, found = len(p_values), []
    for i, (p, t) in enumerate(zip(p_values, trials, strict=True)):
        rank = 1 + sum((q, j) < (p, i) for j, q in enumerate(p_values))
        k = {"holm": m - rank + 1, "bh": m / rank, "bonferroni": m, "none": 1}[adjust]
        c = round(p * (t + 1)) - 1
        close = abs(k * p - ALPHA) < 3 * k * math.sqrt(max(p * (1 - p), 1 / t) / t)
        weak = k / (t + 1) > ALPHA and k * (c + 1 - 3 * math.sqrt(c + 1)) / (t + 1) < ALPHA
        found.append(close or weak)
    return found


def run(adaptive: AdaptiveTrials, counts_at) -> list[tuple[int, int]]:
    """Draw until nothing is due; `counts_at(pair, trials)` is the count after so many trials."""
    drawn = []
    while len(due := adaptive.due()):
        for i in due:
            start = int(adaptive.trials[i])
            stop = adaptive.stop(start)
            added = counts_at(i, stop) - (counts_at(i, start) if start else 0)
            adaptive.add(np.array([i]), np.array([[added]]), stop)
            drawn.append((int(i), stop))
    return drawn


def test_a_pair_goes_on_when_another_takes_its_rank():
    """.030 is clear as the largest of two p-values and close to α as the smallest."""
    counts = {(0, 9_999): 299, (1, 9_999): 289, (1, 39_999): 1239, (0, 39_999): 1199}
    adaptive = AdaptiveTrials(
        np.full((2, 1), np.nan), {"two-sided": 0}, [Decision("two-sided", ALPHA, "holm", 2)]
    )
    drawn = run(adaptive, lambda i, trials: counts[i, trials])
    assert drawn == [(0, 9_999), (1, 9_999), (1, 39_999), (0, 39_999)]
    assert adaptive.p_values[:, 0].tolist() == [0.03, 0.031]


@pytest.mark.parametrize("adjust", ["holm", "bh", "bonferroni", "none"])
@pytest.mark.parametrize("seed", range(8))
def test_trials_end_by_the_last_ranks(adjust, seed):
    rng = np.random.default_rng(seed)
    size = 30
    true = np.exp(rng.uniform(math.log(2e-4), math.log(0.2), size))
    extreme = {
        (i, stage - 1): int(c)
        for i, p in enumerate(true)
        for stage, c in zip(STAGES, np.cumsum(rng.binomial(np.diff([1, *STAGES]), p)), strict=True)
    }
    exact = np.where(rng.random((size, 1)) < 0.2, true[:, None], np.nan)
    adaptive = AdaptiveTrials(exact, {"better": 0}, [Decision("better", ALPHA, adjust, size)])
    run(adaptive, lambda i, trials: extreme[i, trials])
    trials, drawn = adaptive.trials, ~adaptive.exact
    rule = is_open_by_definition(
        adaptive.p_values[:, 0].tolist(), np.maximum(trials, 1).tolist(), adjust
    )
    assert adaptive.is_open[drawn].tolist() == np.array(rule)[drawn].tolist()
    assert not (adaptive.is_open & drawn & (trials + 1 < STAGES[-1])).any()
    assert (trials[drawn] > 0).all()
    assert not trials[~drawn].any()
