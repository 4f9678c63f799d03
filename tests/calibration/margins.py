"""How often margins and gates are wrong where the truth is known: at the margin, or no difference.

Every system is a data set of its own, held against one baseline by `weigh.compare` itself: that is
the way that users go, and one call judges hundreds of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import numpy as np

from weigh import Plan, compare
from weigh.comparing import margins
from weigh.comparing.measure import measure_scores

BLOCK = 250  # data sets that share their draws
METRICS = ("x", "y", "z")


def losses(kind: str, rng: np.random.Generator, units: int) -> tuple[np.ndarray, float]:
    """Return the scores of a system whose true loss against a baseline of ones is the margin."""
    if kind == "normal":
        return 1 + rng.normal(-1, 1, units), 1.0
    if kind == "exponential":  # most lose little, few much
        return 1 - rng.exponential(1, units), 1.0
    rate = float(kind)  # of items that were passed and are not any more
    return (rng.random(units) >= rate).astype(float), rate


def not_worse(
    kind: str, units: int, nulls: int, *, trials: int = 2000, seed: int = 1
) -> dict[str, float]:
    """Return how often a system that is worse by just the margin is called not worse.

    `margin` is what weigh says, and `percentile` what the plain interval would.
    """
    counts = dict.fromkeys(("margin", "percentile"), 0)
    for number, size in _blocks(nulls):
        rng = np.random.default_rng([seed, units, number])
        made = [losses(kind, rng, units) for _ in range(size)]
        margin = made[0][1]
        given = {"base": np.ones(units)} | {f"s{i}": one for i, (one, _) in enumerate(made)}
        with patch.object(margins, "LEAST_UNITS", 2):
            result = compare(
                given,
                baseline="base",
                margin={"score": margin},
                level=0.9,
                tests=("bootstrap",),
                trials=trials,
                seed=seed * 10**6 + number,
                threads=1,
            )
        lowest = -margin + 1e-12
        counts["percentile"] += sum(one.interval[0] > lowest for one in result.comparisons)
        counts["margin"] += sum(one.non_inferior for one in result.comparisons)
    return {name: count / nulls for name, count in counts.items()}


def gate_fails(
    units: int, nulls: int, *, margin: float | None, trials: int = 999, seed: int = 1
) -> dict[str, float]:
    """Return how often a gate over three metrics fails a system that it should not.

    Without a margin the system equals the baseline; with one, it is worse by just the margin on
    every metric. `alone` is how often one of the metrics by itself would fail it at α.
    """
    together = alone = 0
    shift = 0.0 if margin is None else -margin
    for number, size in _blocks(nulls):
        rng = np.random.default_rng([seed, units, number])
        given = {
            metric: {"base": np.zeros(units)}
            | {f"s{i}": rng.normal(shift, 1, units) for i in range(size)}
            for metric in METRICS
        }
        plan = Plan(
            baseline="base",
            gate=True,
            margin={} if margin is None else dict.fromkeys(METRICS, margin),
            alternative="worse",
            adjust="none",
            trials=trials,
            seed=seed * 10**6 + number,
        )
        result = compare(measure_scores(given), plan=plan, threads=1)
        failed = {
            reason.partition(",")[0] for reason in result.gate.reasons if ": fail (" in reason
        }
        together += len(failed)
        alone += len(
            {
                one.a
                for one in result.comparisons
                if (one.significant if margin is None else one.margin_interval[1] < -margin)
            }
        )
    return {"together": together / nulls, "alone": alone / nulls}


def _blocks(nulls: int) -> Iterator[tuple[int, int]]:
    for number, start in enumerate(range(0, nulls, BLOCK)):
        yield number, min(BLOCK, nulls - start)
