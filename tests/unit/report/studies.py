"""What people answer and metrics score, for a seed, and small reports of `weigh validate`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from weigh.comparing.measure import Measured, measure_scores
from weigh.read.answers import Omission
from weigh.report import (
    validation_accuracy,
    validation_power,
    validation_samples,
)
from weigh.report.document import Extent
from weigh.report.validation_accuracy import AccuracyReport
from weigh.report.validation_power import PowerReport
from weigh.report.validation_samples import SamplesReport
from weigh.types import Judgment, Preference
from weigh.validate.accuracy import AccuracyPlan, accuracy
from weigh.validate.gold import Gold
from weigh.validate.judgment_power import Pilot, judgment_power
from weigh.validate.power import PowerPlan, power
from weigh.validate.samples import SamplesPlan, samples_study

OMISSIONS = [Omission("file: missing answers (row 3)", 2)]
NAMES = ("<A>", "B|b", "C_c")


def judgments(seed: int, scales: tuple[str, ...] = ("adequacy", "fluency")) -> list[Judgment]:
    """Three systems and five judges, one of whom answers at random and one of whom took no time."""
    rng = np.random.default_rng(seed)
    made = []
    for judge in range(5):
        for scale in scales:
            for segment in range(12):
                for at, system in enumerate(NAMES):
                    value = float(np.clip(rng.normal(60 - 12 * at, 15), 0, 100).round())
                    about = (f"j{judge}", f"h{judge}", "de-en")
                    rest = (system, str(segment))
                    seconds = 3.0 if judge == 1 else 30.0
                    made.append(Judgment(*about, "system", *rest, value, scale, seconds))
                    if segment % 3 == at:
                        again = float(np.clip(value + rng.normal(0, 5), 0, 100).round())
                        made.append(Judgment(*about, "repeat", *rest, again, scale, seconds))
                        bad = 50.0 if judge == 0 else 0.4 * value
                        made.append(Judgment(*about, "bad", *rest, bad, scale, seconds))
    return made


def preferences(seed: int) -> list[Preference]:
    rng = np.random.default_rng(seed)
    made = []
    for n in range(60):
        a, b = sorted(rng.choice(3, 2, replace=False))
        if rng.random() < 0.3:
            a, b = b, a
        tied = bool(rng.random() < 0.2)
        made.append(Preference(NAMES[a], NAMES[b], str(n % 7), tied, f"j{n % 3}"))
    return made


def measured(seed: int, systems: int = 3) -> Measured:
    """Scores by a metric that wants to be high and one that wants to be low."""
    rng = np.random.default_rng(seed)
    base = rng.normal(50, 8, 60)
    scores = {
        metric: {
            name: base + rng.normal(sign * (2 - at), 6, 60)
            for at, name in enumerate(NAMES[:systems])
        }
        for metric, sign in (("up", 1), ("down", -1))
    }
    return measure_scores(scores, lower=["down"])


def of_accuracy(seed: int) -> AccuracyReport:
    plan = AccuracyPlan(
        tests=("randomization", "bootstrap", "paired-bootstrap")[: 1 + seed % 3],
        alphas=(0.05,) if seed % 2 else (0.05, 0.01),
        trials=199,
        seed=seed,
    )
    answers = preferences(seed) if seed % 2 else judgments(seed, ("adequacy",))
    gold = Gold(answers)
    result = accuracy(measured(seed), gold, plan, threads=1)
    return AccuracyReport(result, gold.steps(0.05), OMISSIONS)


def of_samples(seed: int) -> SamplesReport:
    plan = SamplesPlan(sizes=(10, 25), samples=12, trials=50, seed=seed)
    result = samples_study(measured(seed, 2 + seed % 2), plan, threads=1)
    return SamplesReport(result, {"up": 3})


def of_power(seed: int) -> PowerReport:
    plan = PowerPlan(
        sizes=(20, 40),
        strengths=(0.0, 0.5, 1.0),
        simulations=10,
        trials=99,
        detect={} if seed % 2 else {"up": 0.5},
        seed=seed,
    )
    return PowerReport(power(measured(seed, 2), plan, threads=1), {"up": 2, "down": 2})


def of_judgment_power(seed: int) -> PowerReport:
    rng = np.random.default_rng(seed)
    pilot = Pilot(NAMES[:2], "adequacy (z)", rng.normal(0.4, 1, 40), rng.normal(0, 1, 30))
    plan = PowerPlan(sizes=(20, 40), strengths=(0.0, 1.0), simulations=10, seed=seed)
    return PowerReport(judgment_power(pilot, plan, threads=1), {})


def told(make: Callable[[int], Any]) -> Callable[[int], Any]:
    """Return what makes a report that tells of its test set."""

    def made(seed: int) -> Any:
        documents = seed // 5 if seed % 2 else None
        return replace(make(seed), test_set=Extent(60 + seed, seed % 3, documents))

    return made


# Every kind of report, what makes it, and what shows it.
KINDS: dict[str, tuple[Callable[[int], Any], Any]] = {
    "validate accuracy": (told(of_accuracy), validation_accuracy.SHOWN),
    "validate samples": (told(of_samples), validation_samples.SHOWN),
    "validate power": (told(of_power), validation_power.SHOWN),
    "validate power of judgments": (told(of_judgment_power), validation_power.SHOWN),
}
