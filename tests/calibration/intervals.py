"""How often 95% intervals hold the truth: those of differences and of pass/fail scores."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from scipy.stats import binom

from calibration.differences import TOGETHER, against_zero, blocks, two_by_two
from calibration.nulls import World
from weigh import Bleu
from weigh.stats.estimates import Estimates, UnitRange
from weigh.stats.halving import TRIALS
from weigh.stats.intervals import Share, percentile_interval, t_interval, wilson_interval
from weigh.stats.randomization import randomization
from weigh.stats.resample import bootstrap_scores
from weigh.stats.sample import Sample

LEVEL = 0.95
PASS_FAIL = UnitRange(0.0, 1.0, is_pass_fail=True)
# Chances that only the first system passes an item, and that only the second does.
DISCORDANT = tuple(
    (won, lost) for won, lost in product((0.0, 0.01, 0.03, 0.1, 0.2, 0.4), repeat=2) if won >= lost
)
# Passed items with the shares of the statistics' definition.
WILSON = ((10, 0.9), (20, 0.95), (50, 0.98), (200, 0.995))


def default_intervals(
    sample: Sample,
    pairs: list[tuple[int, int]],
    seed: int,
    trials: int,
    unit_range: UnitRange | None = None,
) -> np.ndarray:
    """Return the intervals of differences that `compare` shows, pairs × 2."""
    found = randomization([sample], pairs, seed, trials=trials, halves=True, threads=1)
    [tests], [halves], [differing] = found
    chosen = np.array(pairs)
    scores = sample.scores()
    estimates = Estimates(sample, sample.means(), halves, unit_range)
    return estimates.differences(
        chosen,
        scores[chosen[:, 0]] - scores[chosen[:, 1]],
        differing,
        LEVEL,
        tests.p_values["two-sided"],
    )


def holding(ends: np.ndarray, truth: float) -> int:
    """Count the intervals that hold the truth; none that is missing does."""
    return int(np.count_nonzero((ends[:, 0] <= truth) & (truth <= ends[:, 1])))


def coverage(
    kind: str,
    units: int,
    count: int,
    *,
    seed: int = 1,
    trials: int = TRIALS,
    others: bool = True,
) -> dict[str, float]:
    """Return how often intervals of a mean difference hold it: halving, percentile and t."""
    held = dict.fromkeys(("halving", "percentile", "t") if others else ("halving",), 0)
    for number, d in blocks(kind, units, count, seed):
        sample, pairs = against_zero(d)
        held["halving"] += holding(default_intervals(sample, pairs, number, trials), 0.0)
        if others:
            [boots] = bootstrap_scores([sample], 2000, number, threads=1)
            low, high = percentile_interval(boots[:-1], LEVEL)
            held["percentile"] += holding(np.column_stack([low, high]), 0.0)
            held["t"] += holding(np.array([t_interval(each, LEVEL) for each in d]), 0.0)
    return {name: found / count for name, found in held.items()}


def macro_coverage(
    kind: str, slices: int, count: int, *, seed: int = 1, trials: int = TRIALS
) -> float:
    """Return the coverage of the mean over slices of 10 items, whose own means differ."""
    units = 10 * slices
    offsets = np.repeat(np.linspace(-1, 1, slices), 10)
    strata = tuple(np.arange(start, start + 10) for start in range(0, units, 10))
    held = 0
    for number, d in blocks(kind, units, count, seed):
        # Far from 0, where the test beside it is conservative and would widen the interval.
        sample, pairs = against_zero(d + offsets + 5)
        ends = default_intervals(replace(sample, strata=strata), pairs, number, trials)
        held += holding(ends, 5.0)
    return held / count


def pass_fail_coverage(
    units: int, count: int, *, seed: int = 1, trials: int = TRIALS
) -> dict[str, float]:
    """Return the mean and the least coverage of differences over all `DISCORDANT` chances."""
    shares = []
    for case, (won, lost) in enumerate(DISCORDANT):
        held = 0
        for start in range(0, count, TOGETHER):
            rng = np.random.default_rng([seed, units, case, start])
            toss = rng.random((min(TOGETHER, count - start), units))
            a, b = toss < won, (toss >= won) & (toss < won + lost)
            sample, pairs = two_by_two(a.astype(float), b.astype(float))
            ends = default_intervals(sample, pairs, start, trials, PASS_FAIL)
            held += holding(ends, won - lost)
        shares.append(held / count)
    return {"mean": float(np.mean(shares)), "least": min(shares)}


def bleu_coverage(
    world: World,
    units: int,
    count: int,
    *,
    seed: int = 1,
    trials: int = TRIALS,
    others: bool = True,
) -> dict[str, float]:
    """Return the coverage of differences of BLEU over segments drawn from two systems."""
    a, b = world.pair["bleu"]
    truth = float(Bleu().score(a.sum(axis=0)) - Bleu().score(b.sum(axis=0)))
    held = dict.fromkeys(("halving", "percentile") if others else ("halving",), 0)
    together = 50
    for start in range(0, count, together):
        rng = np.random.default_rng([seed, units, start])
        size = min(together, count - start)
        chosen = rng.integers(0, world.segments, (size, units))
        rows = tuple((system[each],) for each in chosen for system in (a, b))
        sample = Sample(Bleu(), tuple(str(i) for i in range(len(rows))), rows)
        pairs = [(i, i + 1) for i in range(0, len(rows), 2)]
        ends = default_intervals(sample, pairs, seed * 10**6 + start, trials, UnitRange(0.0, 100.0))
        held["halving"] += holding(ends, truth)
        if others:
            [boots] = bootstrap_scores([sample], 1000, start, threads=1)
            low, high = percentile_interval(boots[0::2] - boots[1::2], LEVEL)
            held["percentile"] += holding(np.column_stack([low, high]), truth)
    return {name: found / count for name, found in held.items()}


def wilson_coverage(units: int, share: float) -> float:
    """Return the exact coverage of Wilson's interval: over all counts that may be seen."""
    ends = np.array([wilson_interval([Share(k / units, units)]) for k in range(units + 1)])
    holds = (ends[:, 0] <= share) & (share <= ends[:, 1])
    return float(binom.pmf(np.arange(units + 1), units, share)[holds].sum())


def document_coverage(documents: int, share: float, count: int, *, seed: int = 1) -> float:
    """Return the coverage for items of documents of 1 to 9 items that are alike within each."""
    rng = np.random.default_rng([seed, documents, int(1000 * share)])
    held = 0
    for _ in range(count):
        sizes = rng.integers(1, 10, documents)
        passed = rng.binomial(sizes, rng.beta(2 * share, 2 * (1 - share), documents))
        low, high = wilson_interval([Share.of(passed.astype(float), sizes.astype(float))], LEVEL)
        held += low <= share <= high
    return held / count
