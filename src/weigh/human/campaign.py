"""How many judgments a campaign needs, what a budget of hours can show, and the HITs for it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from weigh.errors import UsageError
from weigh.human.damage import unit_of
from weigh.human.export import Sheet
from weigh.human.hits import layout_named, make_hits
from weigh.human.plan import USUAL_DIFFERENCE, CampaignPlan, Unit
from weigh.result import Result, checked, unsaved
from weigh.stats.power import detectable_difference
from weigh.types import System, TestSet

# How much a rank-sum test gets out of n normal values: as much as a t-test out of this share.
RANK_SUM_EFFICIENCY = 3 / math.pi
# A million judgments, which is more than any campaign has collected.
_MOST_HITS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """What a campaign of so many HITs takes and shows.

    `difference` is what was asked for and `hours_allowed` the budget, each None if none was given;
    `detectable` is the smallest difference, in standard deviations, that these HITs show with the
    power that was asked for, and `enough` whether that is what was asked for. `unit` is what texts
    were counted in when controls were made, None if none were made.
    """

    systems: int
    preset: str
    hits_per_scale: int
    hours: float
    hours_allowed: float | None
    judgments_per_system: int
    difference: float | None
    detectable: float
    enough: bool | None
    alpha: float
    power: float
    adjust: Literal["holm", "none"]
    seconds_per_judgment: float
    kept: float
    unit: Unit | None
    seed: int


@dataclass(frozen=True, slots=True)
class CampaignResult(Result):
    """A campaign, the scales that its HITs are for, and the files that they were written to."""

    command: ClassVar[str] = "human plan"

    plan: Campaign
    scales: tuple[str, ...]
    files: tuple[str, ...] = ()
    sheets: Mapping[str, Sheet] = unsaved(default_factory=dict)
    """The HITs of every scale, if any were made."""

    def __post_init__(self) -> None:
        checked(bool(self.scales), "a plan for no scale")


def plan_campaign(
    systems: int | Sequence[System],
    test_set: TestSet | None = None,
    plan: CampaignPlan | None = None,
    **options: Any,
) -> CampaignResult:
    """Plan as many HITs as a difference needs, but no more than the hours allow.

    Of systems, their number is enough; with their texts and a test set, the HITs are made too.
    All choices are those of `CampaignPlan`, given as `options` or as a `plan`. Without a
    difference the whole budget is used.

    >>> plan_campaign(4, difference=0.3).plan.hits_per_scale
    23
    """
    count = systems if isinstance(systems, int) else len(systems)
    if plan is None:
        plan = CampaignPlan(count, **options)
    else:
        plan = replace(plan, systems=count, **options)
    if plan.difference is plan.hours is plan.hits is None:
        plan = replace(plan, difference=USUAL_DIFFERENCE)
    hits = _hits(plan)
    unit: Unit | None = None
    sheets: dict[str, Sheet] = {}
    if test_set is not None:
        if isinstance(systems, int):
            raise UsageError("the number of systems alone; HITs need their outputs")
        unit, sheets = _sheets(plan, hits, test_set, systems)
    made = Campaign(
        systems=count,
        preset=plan.preset,
        hits_per_scale=hits,
        hours=hours(plan, hits) * len(plan.scales),
        hours_allowed=plan.hours,
        judgments_per_system=int(hits * _outputs(plan) * plan.kept / count),
        difference=plan.difference,
        detectable=detectable(plan, hits),
        enough=None if plan.difference is None else hits >= hits_needed(plan, plan.difference),
        alpha=plan.alpha,
        power=plan.power,
        adjust="holm" if plan.adjust == "holm" else "none",
        seconds_per_judgment=plan.seconds,
        kept=plan.kept,
        unit=unit,
        seed=plan.seed,
    )
    return CampaignResult(made, plan.scales, sheets=sheets)


def _hits(plan: CampaignPlan) -> int:
    if plan.hits is not None:
        return plan.hits
    needed = None if plan.difference is None else hits_needed(plan, plan.difference)
    allowed = None if plan.hours is None else hits_affordable(plan, plan.hours)
    hits = min(number for number in (needed, allowed) if number is not None)
    if hits == 0:
        each = " of each scale" if len(plan.scales) > 1 else ""
        raise UsageError(
            f"{plan.hours:g} hours: not enough for one HIT{each}, which takes "
            f"{hours(plan, 1) * len(plan.scales):.2f}; give a larger budget"
        )
    return hits


def _sheets(
    plan: CampaignPlan, hits: int, test_set: TestSet, systems: Sequence[System]
) -> tuple[Unit, dict[str, Sheet]]:
    if hits > _MOST_HITS:
        raise UsageError(
            f"{hits:,} HITs, but {_MOST_HITS:,} at most are written; ask for a larger "
            "difference, or for fewer with --hits"
        )
    for system in systems:
        if system.run is not None:
            raise UsageError(
                f"{system.name}@{system.run}: runs of one system are not judged apart; "
                "give every system once"
            )
    if plan.unit == "auto":
        unit = unit_of(test_set.references[0] if test_set.references else ())
    else:
        unit = "words" if plan.unit == "words" else "characters"
    segments = test_set.ids or tuple(map(str, range(1, len(test_set) + 1)))
    sheets = {}
    for scale in plan.scales:
        made = make_hits(
            test_set, systems, hits, preset=plan.preset, scale=scale, unit=unit, seed=plan.seed
        )
        sheets[scale] = Sheet(made, segments, plan.pair, plan.preset, plan.seed)
    return unit, sheets


def judgments_needed(plan: CampaignPlan, difference: float) -> int:
    """Return how many judgments each system needs so that a difference is found.

    n = 2 (z_{1−α/2} + z_power)² / (δ² · 3/π), δ in standard deviations of the judgments; 3/π
    is the efficiency of the rank-sum test under normality (Lehmann 1975, §2.4). Standardised
    scores have deviation 1 for every judge, and a little less within a system.

    >>> judgments_needed(CampaignPlan(2), 0.2)
    411
    """
    exact = 2 * (_distance(plan) / difference) ** 2 / RANK_SUM_EFFICIENCY
    return max(2, math.ceil(exact * (1 - 1e-12)))


def detectable(plan: CampaignPlan, hits: int) -> float:
    """Return the smallest difference that so many HITs are likely to show."""
    judgments = hits * _outputs(plan) * plan.kept / plan.systems
    if judgments < 2:
        return math.inf
    return _distance(plan) * math.sqrt(2 / (judgments * RANK_SUM_EFFICIENCY))


def hits_needed(plan: CampaignPlan, difference: float) -> int:
    """Return how many HITs give every system its judgments, rejected ones replaced."""
    collected = plan.systems * judgments_needed(plan, difference) / plan.kept
    return math.ceil(collected / _outputs(plan) * (1 - 1e-12))


def hits_affordable(plan: CampaignPlan, allowed: float) -> int:
    """Return how many whole HITs of every scale can be paid for."""
    return math.floor(allowed / len(plan.scales) / hours(plan, 1) * (1 + 1e-12))


def hours(plan: CampaignPlan, hits: int) -> float:
    """Return how long people work on so many HITs of one scale."""
    return hits * layout_named(plan.preset).items_per_hit * plan.seconds / 3600


def _outputs(plan: CampaignPlan) -> int:
    return layout_named(plan.preset).outputs_per_hit


def _distance(plan: CampaignPlan) -> float:
    level = plan.alpha / plan.pairs if plan.adjust == "holm" else plan.alpha
    return detectable_difference(1.0, level, plan.power)
