"""Systems that do not differ on average over training, and how often `runs-t` says that they do.

A run of a system is as good as chance makes it. For means, the scores of a run are those of the
items, plus what is the system's own on each item, what the whole run shares, and noise. For BLEU,
each output of a run is one of two outputs of the item, a better or a worse one, and the share of
worse ones is what the run shares. Every data set has new items and new runs.

- `equal`: as many runs of both systems, from one process.
- `spreads`: as many runs, but those of one system vary three times as much.
- `numbers`: from one process, but one system has twice as many runs.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from calibration import nulls
from weigh.metrics.segment import GivenMean
from weigh.stats.runs import run_spreads
from weigh.stats.sample import Sample

DESIGNS = ("equal", "spreads", "numbers")
METRICS = ("mean", "bleu")
RUNS = (2, 3, 5, 10)
UNITS = 200
_TOGETHER = 50
# The spread of what a whole run shares: of a mean, and of the share of worse outputs.
SPREADS = {"mean": 0.15, "bleu": 0.15}


def bound(design: str, runs: int) -> float:
    """Return how often a true null may be rejected at .05."""
    if design == "equal":
        return 0.06
    return 0.08 if runs > 2 else 0.13


def null_sample(
    world: nulls.World, metric: str, design: str, runs: int, rng: np.random.Generator
) -> Sample:
    """Draw items and runs of two systems that are equally good on average."""
    counts = (runs, 2 * runs if design == "numbers" else runs)
    wider = 3 if design == "spreads" else 1
    spreads = (SPREADS[metric] / wider, SPREADS[metric])
    rows = (_means if metric == "mean" else _bleu)(world, counts, spreads, rng)
    return Sample(nulls.METRICS[metric], ("A", "B"), rows)


def _means(_, counts, spreads, rng):
    items = rng.normal(0, 1, UNITS)
    made = []
    for count, spread in zip(counts, spreads, strict=True):
        own = items + rng.normal(0, 0.5, UNITS)
        shared = rng.normal(0, spread, (count, 1))
        scores = own + shared + rng.normal(0, 0.7, (count, UNITS))
        made.append(tuple(GivenMean.rows_of(run) for run in scores))
    return tuple(made)


def _bleu(world, counts, spreads, rng):
    chosen = rng.choice(world.segments, UNITS, replace=False)
    better, worse = (rows[chosen] for rows in world.pair["bleu"])
    made = []
    for count, spread in zip(counts, spreads, strict=True):
        shares = np.clip(rng.normal(0.5, spread, (count, 1)), 0, 1)
        bad = rng.random((count, UNITS)) < shares
        made.append(tuple(np.where(one[:, None], worse, better) for one in bad))
    return tuple(made)


def rejections(
    world: nulls.World,
    metric: str,
    design: str,
    runs: int,
    count: int,
    *,
    trials: int,
    seed: int,
    alpha: float = 0.05,
) -> dict[str, int]:
    """Return how many of so many nulls each alternative rejects, and the normal distribution.

    The last, two-sided, is what is wrong with few runs: Student's t has its reasons.
    """
    found = {"two-sided": 0, "better": 0, "worse": 0, "normal": 0}
    for start in range(0, count, _TOGETHER):
        numbers = range(start, min(start + _TOGETHER, count))
        samples = [
            null_sample(
                world,
                metric,
                design,
                runs,
                np.random.default_rng([seed, runs, DESIGNS.index(design), number]),
            )
            for number in numbers
        ]
        # One call for many data sets, as if they were systems of one.
        together = Sample(
            samples[0].metric,
            tuple(str(place) for place in range(2 * len(samples))),
            tuple(system for sample in samples for system in sample.rows),
        )
        [spread] = run_spreads([together], trials, seed * 10**6 + start, threads=1)
        pairs = [(place, place + 1) for place in range(0, 2 * len(samples), 2)]
        tested = spread.test(pairs)
        for side, p in tested.p_values.items():
            found[side] += int((p <= alpha).sum())
        for a, b in pairs:
            error = spread.error(a, b)
            assert error is not None
            z = (spread.scores[a] - spread.scores[b]) / error.deviation
            found["normal"] += int(2 * NormalDist().cdf(-abs(z)) <= alpha)
    return found
