"""Small reports of every kind that `weigh human` makes, for a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from weigh.comparing.measure import Measured, measure_scores
from weigh.human.consensus import consensus, preference_consensus
from weigh.human.evaluation import Gold as Scores
from weigh.human.evaluation import MetricFindings, evaluate
from weigh.human.plan import Campaign, plan
from weigh.human.quality import PRESETS, check_quality, untested
from weigh.human.rank import RankPlan, rank, rank_preferences
from weigh.human.replication import replications
from weigh.read.answers import Omission
from weigh.report import (
    human_agreement,
    human_metrics,
    human_plan,
    human_quality,
    human_rank,
)
from weigh.report.document import Extent
from weigh.report.human_agreement import AgreementReport
from weigh.report.human_metrics import MetricsReport
from weigh.report.human_plan import PlanReport
from weigh.report.human_quality import QualityReport
from weigh.report.human_rank import RankReport
from weigh.types import Judgment, Preference

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


def of_plan(seed: int) -> PlanReport:
    campaign = Campaign(2 + seed % 9, adjust="none" if seed % 2 else "holm")
    made = plan(
        campaign, difference=None if seed % 3 == 0 else 0.2, hours=None if seed % 3 == 1 else 40.5
    )
    scales = ("adequacy", "fluency")[: 1 + seed % 2]
    return PlanReport(made, scales, seed, None if seed % 2 else "words", ["hits/x.jsonl"])


def of_quality(seed: int) -> QualityReport:
    name = "appraise" if seed % 2 else "crowd-alone"
    quality = check_quality(judgments(seed), name)
    return QualityReport(quality, PRESETS[name], OMISSIONS, ["a remark"])


def of_rank(seed: int) -> RankReport:
    plan = RankPlan(alternative="better", adjust="none") if seed % 3 == 1 else RankPlan()
    if seed % 4 == 3:
        result = rank_preferences(preferences(seed), plan)
        return RankReport(result, "none", result.steps, OMISSIONS, ["a remark"])
    found = judgments(seed)
    if seed % 2:
        result = rank(found, plan)
        return RankReport(result, "none", result.steps, (), (), untested(found))
    quality = check_quality(found)
    result = rank(quality.kept, plan)
    steps = (*quality.steps, *result.steps[1:])
    return RankReport(result, "crowd-alone", steps, OMISSIONS, result.remarks, quality.verdicts)


def of_agreement(seed: int) -> AgreementReport:
    if seed % 3 == 2:
        return AgreementReport(preference_consensus(preferences(seed)), omissions=OMISSIONS)
    categories = 5 if seed % 2 else None
    found = judgments(seed)
    second = replications(found, judgments(seed + 1)) if seed % 4 < 2 else ()
    return AgreementReport(
        consensus(found, categories=categories), second, categories, "none", (), ["a remark"]
    )


def of_metrics(seed: int) -> MetricsReport:
    rng = np.random.default_rng(seed)
    names = tuple("abcde")

    def findings(name: str, *, segments: bool) -> MetricFindings:
        values = rng.normal(size=(5, 20)) if segments else None
        scores = rng.normal(size=5) if values is None else values.mean(axis=1)
        shown = name.upper() if seed % 2 else None
        return MetricFindings(name, scores, rng.random(10), rng.random(10) < 0.5, values, shown)

    evaluations = []
    for scale in ("de-en, adequacy", "de-en, fluency")[: 1 + seed % 2]:
        people = Scores(names, rng.normal(size=5), rng.random(10))
        metrics = [findings(f"m{n}", segments=bool(n % 2)) for n in range(1 + seed % 4)]
        evaluations.append((scale, evaluate(people, metrics, trials=50, seed=seed)))
    return MetricsReport(evaluations, "none", 0.05, "holm", ["a remark"])


def told(make: Callable[[int], Any]) -> Callable[[int], Any]:
    """Return what makes a report that tells of its test set."""

    def made(seed: int) -> Any:
        documents = seed // 5 if seed % 2 else None
        return replace(make(seed), test_set=Extent(60 + seed, seed % 3, documents))

    return made


# Every kind of report, what makes it, and what shows it.
KINDS: dict[str, tuple[Callable[[int], Any], Any]] = {
    "human plan": (of_plan, human_plan.SHOWN),
    "human quality": (told(of_quality), human_quality.SHOWN),
    "human rank": (told(of_rank), human_rank.SHOWN),
    "human agreement": (told(of_agreement), human_agreement.SHOWN),
    "human metrics": (told(of_metrics), human_metrics.SHOWN),
}
