"""Reports on campaigns, judges, agreement and metrics from their documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from weigh.human.agreement import Consistency, Kappas
from weigh.human.conduct import Conduct
from weigh.human.consensus import Consensus, ConsensusReport
from weigh.human.evaluation import Evaluation, MetricAgreement, MetricContest
from weigh.human.plan import Campaign, CampaignPlan
from weigh.human.quality import Preset, Quality, Verdict
from weigh.human.replication import Replication
from weigh.human.steps import Step
from weigh.read.answers import Omission
from weigh.report import human_agreement, human_metrics, human_plan, human_quality
from weigh.report.decoding import decode
from weigh.report.document import Extent
from weigh.report.human_agreement import AgreementReport
from weigh.report.human_metrics import MetricsReport
from weigh.report.human_plan import PlanReport
from weigh.report.human_quality import QualityReport
from weigh.report.restored.saved import Saved, presented
from weigh.types import Kind


@dataclass(frozen=True, slots=True)
class _Plan:
    systems: int
    preset: str
    hits_per_scale: int
    hours_allowed: float | None
    difference: float | None
    alpha: float
    power: float
    adjust: Literal["holm", "none"]
    seconds_per_judgment: float
    kept: float
    unit: str | None
    seed: int


@dataclass(frozen=True, slots=True)
class _Planned:
    """A document of `weigh human plan`."""

    plan: _Plan
    scales: tuple[str, ...]
    files: tuple[str, ...]


def restore_plan(document: Mapping[str, Any], name: str) -> Saved[PlanReport]:
    """Return what `weigh human plan` has written."""
    given = decode(_Planned, document, name)
    plan = given.plan
    campaign = Campaign(
        plan.systems,
        preset=plan.preset,
        alpha=plan.alpha,
        power=plan.power,
        adjust=plan.adjust,
        seconds=plan.seconds_per_judgment,
        kept=plan.kept,
    )
    allowed = plan.hours_allowed
    hours = None if allowed is None else allowed / len(given.scales)
    made = CampaignPlan(campaign, plan.hits_per_scale, plan.difference, hours)
    report = PlanReport(made, given.scales, plan.seed, plan.unit, given.files)
    return presented(report, human_plan.SHOWN)


@dataclass(frozen=True, slots=True)
class StepWritten:
    """A step as documents hold it."""

    step: str
    judgments: int
    judges: int

    @property
    def read(self) -> Step:
        """The step itself."""
        return Step(self.step, self.judgments, self.judges)


@dataclass(frozen=True, slots=True)
class JudgeWritten:
    """A judge as documents hold him or her."""

    judge: str
    p_value: float | None
    controls: int
    mean_bad: float | None
    mean_system: float | None
    mean_reference: float | None
    judgments: int
    hits: int
    rejected_hits: int
    seconds_per_hit: float | None
    least_seconds: float | None
    longest_run: int | None
    reasons: tuple[str, ...]
    least_seconds_per_item: float | None = None

    @property
    def read(self) -> Verdict:
        """The verdict, with what led to it."""
        found: dict[Kind, float | None] = {
            "bad": self.mean_bad,
            "system": self.mean_system,
            "reference": self.mean_reference,
        }
        conduct = Conduct(
            judgments=self.judgments,
            hits=self.hits,
            means={kind: mean for kind, mean in found.items() if mean is not None},
            seconds_per_hit=self.seconds_per_hit,
            least_seconds=self.least_seconds,
            longest_run=self.longest_run,
            rejected_hits=self.rejected_hits,
            least_seconds_per_item=self.least_seconds_per_item,
        )
        return Verdict(self.judge, self.controls, self.p_value, self.reasons, conduct)


@dataclass(frozen=True, slots=True)
class _Checked:
    """A document of `weigh human quality`."""

    test_set: Extent
    preset: str
    test: Literal["paired-t", "mann-whitney"]
    alpha: float
    least_seconds: float | None
    steps: tuple[StepWritten, ...]
    omissions: tuple[Omission, ...]
    judges: tuple[JudgeWritten, ...]
    remarks: tuple[str, ...]


def restore_quality(document: Mapping[str, Any], name: str) -> Saved[QualityReport]:
    """Return what `weigh human quality` has written; the judgments themselves are not in it."""
    given = decode(_Checked, document, name)
    quality = Quality(
        given.preset,
        tuple(one.read for one in given.judges),
        (),
        tuple(one.read for one in given.steps),
        (),
    )
    preset = Preset(given.test, given.alpha, given.least_seconds)
    report = QualityReport(quality, preset, given.omissions, given.remarks, given.test_set)
    return presented(report, human_quality.SHOWN)


@dataclass(frozen=True, slots=True)
class _Scale:
    pair: str
    scale: str
    judges: int
    judged: int
    judged_by_several: int
    cohen_kappa: float = float("nan")
    cohen_pairs: int | None = None
    fleiss_kappa: float = float("nan")
    fleiss_units: int = 0
    fleiss_judges: int = 0
    intra_kappa: float = float("nan")
    intra_units: int | None = None

    def read(self, alphas: Mapping[str, float]) -> Consensus:
        kappas = None
        if self.cohen_pairs is not None:
            kappas = Kappas(
                self.cohen_kappa,
                self.cohen_pairs,
                self.fleiss_kappa,
                self.fleiss_units,
                self.fleiss_judges,
            )
        return Consensus(
            self.pair,
            self.scale,
            self.judges,
            self.judged,
            self.judged_by_several,
            dict(alphas),
            kappas,
            None if self.intra_units is None else (self.intra_kappa, self.intra_units),
        )


@dataclass(frozen=True, slots=True)
class _Repeats:
    judge: str
    repeats: int
    difference: float
    distance: float
    r: float


@dataclass(frozen=True, slots=True)
class _Agreed:
    """A document of `weigh human agreement`."""

    test_set: Extent
    categories: int | None
    weights: str
    agreement: tuple[_Scale, ...]
    repeats: tuple[_Repeats, ...]
    replication: tuple[Replication, ...]
    omissions: tuple[Omission, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Alpha:
    value: float


def restore_agreement(document: Mapping[str, Any], name: str) -> Saved[AgreementReport]:
    """Return what `weigh human agreement` has written."""
    given = decode(_Agreed, document, name)
    scales = []
    for one, raw in zip(given.agreement, document["agreement"], strict=True):
        alphas = {
            key.removeprefix("alpha_"): decode(_Alpha, {"value": raw[key]}, f"{name}.{key}").value
            for key in raw
            if key.startswith("alpha_")
        }
        scales.append(one.read(alphas))
    repeats = tuple(
        Consistency(one.judge, one.repeats, one.difference, one.distance, one.r)
        for one in given.repeats
    )
    report = AgreementReport(
        ConsensusReport(tuple(scales), repeats, ()),
        given.replication,
        given.categories,
        given.weights,
        given.omissions,
        given.remarks,
        given.test_set,
    )
    return presented(report, human_agreement.SHOWN)


@dataclass(frozen=True, slots=True)
class _Systems:
    scale: str
    systems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Held:
    """A document of `weigh human metrics`."""

    test_set: Extent
    quality: str
    alpha: float
    adjust: str
    trials: int
    seed: int
    systems: tuple[_Systems, ...]
    remarks: tuple[str, ...]
    metrics: tuple[Mapping[str, Any], ...]
    contests: tuple[Mapping[str, Any], ...]


def restore_metrics(document: Mapping[str, Any], name: str) -> Saved[MetricsReport]:
    """Return what `weigh human metrics` has written."""
    given = decode(_Held, document, name)
    evaluations = [
        (
            one.scale,
            Evaluation(
                one.systems,
                tuple(
                    decode(MetricAgreement, each, f"{name}.metrics")
                    for each in given.metrics
                    if each["scale"] == one.scale
                ),
                tuple(
                    decode(MetricContest, each, f"{name}.contests")
                    for each in given.contests
                    if each["scale"] == one.scale
                ),
                given.trials,
                given.seed,
            ),
        )
        for one in given.systems
    ]
    report = MetricsReport(
        evaluations, given.quality, given.alpha, given.adjust, given.remarks, given.test_set
    )
    return presented(report, human_metrics.SHOWN)


RESTORERS = {
    "human plan": restore_plan,
    "human quality": restore_quality,
    "human agreement": restore_agreement,
    "human metrics": restore_metrics,
}
