"""What is said of the plan of a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weigh.report import document
from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import fixed, percent, plural, share
from weigh.report.pieces import Piece
from weigh.report.presentation import Presentation, signature

if TYPE_CHECKING:
    from weigh.human.plan import CampaignPlan


@dataclass(frozen=True, slots=True)
class PlanReport:
    """All that `weigh human plan` says; the plan is for each of the `scales`.

    `unit` is what texts were counted in when controls were made, None if none were made.
    """

    plan: CampaignPlan
    scales: Sequence[str]
    seed: int
    unit: str | None = None
    files: Sequence[str] = ()


def _pieces(report: PlanReport) -> list[Piece]:
    plan, campaign = report.plan, report.plan.campaign
    rows = [
        ("Systems", f"{campaign.systems:,}"),
        ("HITs for each scale", f"{plan.hits:,}"),
        ("Scales", ", ".join(report.scales)),
        ("Hours of work in all", fixed(plan.hours * len(report.scales), 1)),
        ("Judgments of each system that are kept", f"{plan.judgments_per_system:,}"),
        ("Detectable difference (standard deviations)", fixed(plan.detectable, 3)),
    ]
    if plan.difference is not None:
        rows.append(("Difference that was asked for", fixed(plan.difference, 3)))
    if plan.hours_allowed is not None:
        allowed = plan.hours_allowed * len(report.scales)
        rows.append(("Hours that were allowed", fixed(allowed, 1)))
    grid = Grid(
        [Column("Plan"), Column("", kind="number")],
        [[[Cell(name), Cell(value)] for name, value in rows]],
    )
    corrected = (
        f", Holm's correction for {plural(campaign.pairs, 'pair')}"
        if campaign.adjust == "holm"
        else ", no correction"
    )
    sentences = [
        f"A true difference of that size is found {percent(campaign.power)} of the time by a "
        f"two-sided rank-sum test at α = {share(campaign.alpha)}{corrected}. Assumed: "
        f"{campaign.seconds:g} s for a judgment, {percent(campaign.kept)} of judgments kept by "
        "quality control."
    ]
    return [Piece("", grid, sentences)]


def _signatures(report: PlanReport) -> list[tuple[str, str]]:
    parts = {"preset": report.plan.campaign.preset}
    if report.unit is not None:
        parts |= {"unit": report.unit, "seed": str(report.seed)}
    return [("plan", signature(parts))]


def _fields(report: PlanReport) -> dict[str, Any]:
    plan, campaign = report.plan, report.plan.campaign
    allowed = plan.hours_allowed
    return {
        "systems": campaign.systems,
        "preset": campaign.preset,
        "hits_per_scale": plan.hits,
        "hours": plan.hours * len(report.scales),
        "hours_allowed": None if allowed is None else allowed * len(report.scales),
        "judgments_per_system": plan.judgments_per_system,
        "difference": plan.difference,
        "detectable": document.number(plan.detectable),
        "enough": plan.is_enough,
        "alpha": campaign.alpha,
        "power": campaign.power,
        "adjust": campaign.adjust,
        "seconds_per_judgment": campaign.seconds,
        "kept": campaign.kept,
        "unit": report.unit,
        "seed": report.seed,
    }


def _document(report: PlanReport) -> dict[str, Any]:
    return {
        "plan": _fields(report),
        "scales": list(report.scales),
        "files": list(report.files),
    }


SHOWN = Presentation(
    "human plan", _pieces, _signatures, lambda report: [_fields(report)], _document
)
