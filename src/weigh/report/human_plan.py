"""The plan of a campaign as a table, Markdown, LaTeX, TSV or JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weigh import __version__
from weigh.report import document, pieces, table, tsv
from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import fixed, percent, plural, share
from weigh.report.pieces import Piece

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
    parts["version"] = f"weigh-{__version__}"
    return [("plan", "|".join(f"{name}:{value}" for name, value in parts.items()))]


def as_table(report: PlanReport, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text."""
    return pieces.as_table(_pieces(report), _signatures(report), screen)


def as_markdown(report: PlanReport) -> str:
    """Return a pipe table."""
    return pieces.as_markdown(_pieces(report), _signatures(report))


def as_latex(report: PlanReport) -> str:
    """Return a table."""
    return pieces.as_latex(_pieces(report))


def as_tsv(report: PlanReport) -> str:
    """Return one row, with all digits."""
    fields = _fields(report)
    cells = [Cell("" if value is None else str(value)) for value in fields.values()]
    return tsv.render(Grid([Column(name) for name in fields], [[cells]]))


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


def as_json(report: PlanReport) -> str:
    """Return the document that programs read."""
    return document.render(
        "human plan",
        {
            "plan": _fields(report),
            "scales": list(report.scales),
            "files": list(report.files),
        },
    )


# Every format but the table, which also wants to know the screen.
FORMATS: dict[str, Callable[[PlanReport], str]] = {
    "json": as_json,
    "tsv": as_tsv,
    "markdown": as_markdown,
    "latex": as_latex,
}
