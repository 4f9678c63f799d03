"""Small results of `weigh validate`, for a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from unit.report.studies import NAMES, OMISSIONS, judgments, measured, preferences
from weigh.read.answers import Judgments, Preferences
from weigh.read.preferences import Choice, Choices
from weigh.result import Extent, Result
from weigh.stats.procedures import TESTS
from weigh.validate.accuracy import AccuracyResult, accuracy
from weigh.validate.blinding import Key, Pair, PairsResult
from weigh.validate.judgment_power import Pilot, power_of_pilot
from weigh.validate.plan import AccuracyPlan, PowerPlan, SamplesPlan, Type1Plan
from weigh.validate.power import PowerResult, power
from weigh.validate.preference import PreferenceResult, preference
from weigh.validate.samples import samples
from weigh.validate.samples_result import SamplesResult
from weigh.validate.type1 import Type1Result, type1

Study = TypeVar("Study", Type1Result, AccuracyResult, SamplesResult, PowerResult)


def of_type1(seed: int) -> Type1Result:
    """Return rejections by one or two metrics, with and without the formulas of other tools."""
    plan = Type1Plan(
        compat=("moses-bs",) if seed % 2 else (),
        alphas=(0.1, 0.05),
        nulls=20,
        size=None if seed % 3 else 30,
        trials=99,
        seed=seed,
    )
    return told(type1(measured(seed, 2 + seed % 2), plan, threads=1), seed)


def told(result: Study, seed: int) -> Study:
    """Return a study that tells of its test set, and sometimes has a remark."""
    return replace(
        result,
        test_set=Extent(60 + seed, seed % 3, seed // 5 if seed % 2 else None),
        remarks=("a <remark>",) if seed % 2 else (),
    )


def of_accuracy(seed: int) -> AccuracyResult:
    """Return tests held against judgments, or against preferences."""
    plan = AccuracyPlan(
        tests=TESTS[: 1 + seed % 3],
        alphas=(0.05,) if seed % 2 else (0.05, 0.01),
        trials=199,
        seed=seed,
    )
    answers = (
        Preferences(tuple(preferences(seed)), tuple(OMISSIONS))
        if seed % 2
        else Judgments(tuple(judgments(seed, ("adequacy",))))
    )
    return told(accuracy(measured(seed), answers, plan, threads=1), seed)


def of_samples(seed: int) -> SamplesResult:
    """Return samples of two or three systems."""
    plan = SamplesPlan(sizes=(10, 25), samples=12, trials=50, seed=seed)
    return told(samples(measured(seed, 2 + seed % 2), plan, threads=1), seed)


def of_power(seed: int) -> PowerResult:
    """Return the power of tests, with and without a difference that was stated."""
    plan = PowerPlan(
        sizes=(20, 40),
        strengths=(0.0, 0.5, 1.0),
        simulations=10,
        trials=99,
        detect={} if seed % 2 else {"up": 0.5},
        seed=seed,
    )
    return told(power(measured(seed, 2), plan, threads=1), seed)


def of_judgment_power(seed: int) -> PowerResult:
    """Return the power of campaigns like a small one."""
    rng = np.random.default_rng(seed)
    pilot = Pilot(NAMES[:2], "adequacy (z)", rng.normal(0.4, 1, 40), rng.normal(0, 1, 30))
    plan = PowerPlan(sizes=(20, 40), strengths=(0.0, 1.0), simulations=10, seed=seed)
    return told(power_of_pilot(pilot, plan, threads=1), seed)


def of_pairs(seed: int) -> PairsResult:
    """Return counts of pairs; sometimes sentences had no candidates."""
    key = made_key(seed)
    return PairsResult(
        Extent(key.segments, 1 + seed % 2),
        key.a,
        key.b,
        key.segments,
        key.unscored,
        key.same,
        len(key.pairs),
        key.judges,
        key.reference_shown,
        key.seed,
        key.broken_ties,
        bool(seed % 3),
        key.signatures,
        ("a <remark>",) if seed % 2 else (),
    )


def made_key(seed: int, start: str = "p") -> Key:
    """Return the key of ten pairs."""
    pairs = tuple(Pair(f"{start}{n}", str(n), "ab"[(n + seed) % 2]) for n in range(10))  # type: ignore[arg-type]
    signatures = {NAMES[0]: "nrefs:1|x:<b>", "chrF2": "nrefs:1"}
    ties = {NAMES[0]: seed % 4, "chrF2": 0}
    shown = bool(seed % 2)
    return Key(NAMES[0], "chrF2", signatures, 14, 3, 1, ties, 1 + seed % 3, shown, seed, pairs)


def of_votes(seed: int) -> PreferenceResult:
    """Return choices of one or two judges between the pairs of one or two keys."""
    rng = np.random.default_rng(seed)
    keys = [made_key(seed), made_key(seed + 1, "q")][: 1 + seed % 2]
    choices = [
        Choice(pair.pair, f"j{judge}", str(rng.choice(["left", "right", "neither"])))  # type: ignore[arg-type]
        for key in keys
        for pair in key.pairs
        for judge in range(1 + seed % 3)
        if rng.random() < 0.9
    ]
    omissions = tuple(OMISSIONS) if seed % 2 else ()
    return preference(keys, Choices(tuple(choices), omissions, ()))


MADE: dict[str, Callable[[int], Result]] = {
    "validate type1": of_type1,
    "validate accuracy": of_accuracy,
    "validate samples": of_samples,
    "validate power": of_power,
    "validate power of judgments": of_judgment_power,
    "validate preference, pairs": of_pairs,
    "validate preference, answers": of_votes,
}
