"""Level and power of the randomization test on few units, in families, and what it cannot cure."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from calibration.differences import TOGETHER, against_zero, blocks
from weigh.metrics.segment import GivenMean
from weigh.stats.adaptive import Decision
from weigh.stats.multiplicity import adjust
from weigh.stats.power import Family, detectable_differences, units_needed
from weigh.stats.randomization import randomization
from weigh.stats.resample import bootstrap_scores
from weigh.stats.sample import Sample
from weigh.stats.significance import bootstrap, paired_bootstrap

ALPHA = 0.05
# Points by which some systems are better, of scores whose noise has a standard deviation of 2.
BETTER = 0.6


def rejections(kind: str, units: int, count: int, *, seed: int = 1) -> dict[str, float]:
    """Return how often each test rejects a difference of 0 at .05."""
    found = dict.fromkeys(("randomization", "bootstrap", "paired-bootstrap"), 0)
    for number, d in blocks(kind, units, count, seed):
        sample, pairs = against_zero(d)
        [drawn] = randomization([sample], pairs, number, trials=999, threads=1).tests
        [boots] = bootstrap_scores([sample], 999, number, threads=1)
        for test in (
            drawn,
            bootstrap(sample, pairs, boots),
            paired_bootstrap(sample, pairs, boots),
        ):
            found[test.test] += int((test.p_values["two-sided"] <= ALPHA).sum())
    return {name: rejected / count for name, rejected in found.items()}


def pass_fail_rejections(units: int, discordant: float, count: int, *, seed: int = 1) -> float:
    """Return how often equal systems of pass/fail items seem to differ."""
    rng = np.random.default_rng([seed, units])
    rejected = 0
    for start in range(0, count, TOGETHER):
        toss = rng.random((min(TOGETHER, count - start), units))
        d = (toss < discordant / 2).astype(float) - (toss > 1 - discordant / 2)
        sample, pairs = against_zero(d)
        [tests] = randomization([sample], pairs, start, threads=1).tests
        rejected += int((tests.p_values["two-sided"] <= ALPHA).sum())
    return rejected / count


def unequal_shapes(units: int, count: int, *, seed: int = 1) -> float:
    """Return how often two systems of equal mean seem to differ.

    One loses a little on every item, the other everything on 5% of them.
    """
    rng = np.random.default_rng([seed, units])
    rejected = 0
    for start in range(0, count, TOGETHER):
        shape = (min(TOGETHER, count - start), units)
        d = (rng.random(shape) < 0.05) - rng.normal(0.05, 0.005, shape)
        sample, pairs = against_zero(d)
        [tests] = randomization([sample], pairs, start, trials=999, threads=1).tests
        rejected += int((tests.p_values["two-sided"] <= ALPHA).sum())
    return rejected / count


def power_at_detectable(
    kind: str, units: int, count: int, *, sign: int = 1, seed: int = 1
) -> float:
    """Return how often new data show a true difference of just what the first data state.

    The difference is towards the longer tail, or (`sign` −1) away from it. Nothing is stated where
    fewer than 10 units differ; here it is, to see what 8 would tell.
    """
    differing = max(10, units)
    found = stated = 0
    for number, d in blocks(kind, units, count, seed):
        _, new = next(blocks(kind, units, len(d), number))
        errors = d.std(axis=1, ddof=1) / math.sqrt(units)
        deltas = detectable_differences(errors, units, np.full(len(d), differing), Family())
        sample, pairs = against_zero(new + sign * deltas[:, None])
        [tests] = randomization([sample], pairs, number, trials=1999, threads=1).tests
        found += int((tests.p_values["two-sided"] <= ALPHA).sum())
        stated += len(d)
    return found / stated


def fixed_units(effect: float) -> int:
    """Return how many units a test after a fixed number needs for a power of 80%."""
    found = units_needed(1 / 10, 100, 100, effect, Family())
    assert found is not None
    return found


def families(systems: int, units: int, count: int, *, seed: int = 1) -> dict[str, float]:
    """Compare exact and drawn p-values of all pairs of systems that do not differ, with Holm.

    `differ` is the share of pairs about which the two conclude differently.
    """
    claims = dict.fromkeys(("exact", "drawn"), 0)
    differ = 0
    for number in range(count):
        rejected = _rejected_pairs(systems, units, 0.0, [seed, number])
        for name in claims:
            claims[name] += bool(rejected[name].any())
        differ += int((rejected["exact"] != rejected["drawn"]).sum())
    return {name: claimed / count for name, claimed in claims.items()} | {
        "differ": differ / (count * len(rejected["exact"]))
    }


def real_pairs_found(systems: int, units: int, count: int, *, seed: int = 1) -> dict[str, float]:
    """Share of the pairs that differ, half of all, found by exact, drawn and 9,999 fixed trials.

    The second half of the systems is better by `BETTER` points.
    """
    real = np.array([a < systems // 2 <= b for a, b in combinations(range(systems), 2)])
    rejected = [
        _rejected_pairs(systems, units, BETTER, [seed, number], fixed=9_999)
        for number in range(count)
    ]
    return {
        name: float(np.mean([own[name][real].mean() for own in rejected])) for name in rejected[0]
    }


def _rejected_pairs(
    systems: int, units: int, better: float, seed: list[int], *, fixed: int | None = None
) -> dict[str, np.ndarray]:
    """Pairs rejected with Holm by exact p-values, by adaptive trials and by a fixed number.

    Scores are whole numbers, so that p is exact; a hair of noise makes the same test drawn.
    """
    pairs = list(combinations(range(systems), 2))
    decision = [Decision("two-sided", ALPHA, "holm", len(pairs))]
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 11, units) + rng.integers(-3, 4, (systems, units))
    scores[systems // 2 :] += rng.random((systems - systems // 2, units)) < better
    noisy = scores + rng.uniform(-1e-7, 1e-7, scores.shape)
    asked = {"exact": (scores, None), "drawn": (noisy, None)}
    if fixed is not None:
        asked["fixed"] = (noisy, fixed)
    rejected = {}
    for name, (values, trials) in asked.items():
        rows = tuple((GivenMean.rows_of(own.astype(float)),) for own in values)
        sample = Sample(GivenMean(), tuple(map(str, range(systems))), rows)
        [tests] = randomization(
            [sample], pairs, seed[-1], trials=trials, decisions=decision, threads=1
        ).tests
        assert tests.exact.all() == (name == "exact")
        rejected[name] = adjust(tests.p_values["two-sided"], "holm") <= ALPHA
    return rejected
