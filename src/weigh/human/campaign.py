"""Plan a campaign: the judgments it needs, what a budget can show, and its HITs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import ClassVar, Literal

from weigh.errors import UsageError
from weigh.human.damage import unit_of
from weigh.human.export import Sheet
from weigh.human.hits import make_hits, usual_size
from weigh.human.plan import PACES, USUAL_DIFFERENCE, CampaignPlan, Unit, scale_asked
from weigh.keywords import keywords
from weigh.result import Result, checked, sometimes, unsaved
from weigh.stats.power import decisions_needed, normal_noncentrality
from weigh.types import System, TestSet

# How much a rank-sum test gets out of n normal values: as much as a t-test out of this share.
RANK_SUM_EFFICIENCY = 3 / math.pi
# A million judgments, which is more than any campaign has collected.
_MOST_HITS = 10_000
_BISECTIONS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """Cost of a campaign and the difference that it can show.

    `difference` is what was asked for and `hours_allowed` the budget, each None if none was given;
    `detectable` is the smallest difference, in standard deviations, that these HITs show with the
    power that was asked for, and `enough` whether that is what was asked for. `unit` is what texts
    were counted in when controls were made, None if none were made. `judgments` are all that are
    given, those of controls and of work that is not kept among them; `money` is what they cost at
    `rate` an hour. Of pairs, `choices_per_pair` are those that are kept, and `preferred` is the
    share of choices, ties aside, for the better system where it is better by `detectable`.
    `seconds_source` tells where the seconds are from, `design_effect` by how much judgments were
    multiplied for documents. `segments` are those of the test set.
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
    kind: str = sometimes("da")
    judgments: int | None = sometimes()
    rate: float | None = sometimes()
    money: float | None = sometimes()
    seconds_source: str = sometimes("")
    correlation: float | None = sometimes()
    ties: float | None = sometimes()
    choices_per_pair: int | None = sometimes()
    preferred: float | None = sometimes()
    split: int | None = sometimes()
    design_effect: float | None = sometimes()
    segments: int | None = sometimes()

    @property
    def pairs(self) -> int:
        """The number of pairs of systems."""
        return math.comb(self.systems, 2)

    @property
    def judged(self) -> int:
        """The judgments that are kept of each system, or the choices of each pair."""
        return self.judgments_per_system if self.choices_per_pair is None else self.choices_per_pair

    @property
    def repeats_segments(self) -> bool:
        """Whether segments are judged repeatedly because there are fewer segments than judgments.

        Of direct assessment that is nothing special.
        """
        return self.kind != "da" and self.segments is not None and self.judged > self.segments


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

    @property
    def hits(self) -> int:
        """The number of HITs for all scales."""
        return self.plan.hits_per_scale * len(self.scales)


@keywords(CampaignPlan)
def plan_campaign(
    systems: int | Sequence[System],
    test_set: TestSet | None = None,
    plan: CampaignPlan | None = None,
    *,
    difference: float | None = None,
    hours: float | None = None,
    hits: int | None = None,
    rate: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    adjust: str = "holm",
    seconds: float | None = None,
    kept: float = 0.73,
    correlation: float = 0.25,
    ties: float = 0.15,
    kind: str = "da",
    preset: str | None = None,
    split: int | None = None,
    design_effect: float | None = None,
    scales: tuple[str, ...] = ("adequacy",),
    unit: str = "auto",
    pair: str = "xx-yy",
    seed: int = 12345,
    source_based: bool = False,
) -> CampaignResult:
    """Plan as many HITs as a difference needs, but no more than the hours allow.

    Of systems, their number is enough; with their texts and a test set, the HITs are made too.
    The keywords are the fields of `CampaignPlan`, which explains them; they replace those of
    a `plan` that is given too. Without a difference the whole budget is used.

    >>> plan_campaign(4, difference=0.3).plan.hits_per_scale
    23
    """
    count = systems if isinstance(systems, int) else len(systems)
    plan = replace(plan or CampaignPlan(), systems=count)
    if plan.difference is plan.hours is plan.hits is None:
        plan = replace(plan, difference=USUAL_DIFFERENCE)
    hit_count = _hits(plan)
    damage_unit: Unit | None = None
    sheets: dict[str, Sheet] = {}
    size = _Size(hit_count * _outputs(plan), hit_count * _items(plan))
    if test_set is not None:
        if isinstance(systems, int):
            raise UsageError("only the number of systems is given, but HITs need their outputs")
        damage_unit, sheets = _sheets(plan, hit_count, test_set, systems)
        first = sheets[plan.scales_asked[0]]
        hit_count, size = len(first.hits), _size(first)
    kept_judgments = size.outputs * plan.kept / _groups(plan)
    smallest = _detectable(plan, kept_judgments)
    work = size.items * plan.seconds_each / 3600 * len(plan.scales)
    is_pair = plan.kind == "pair"
    campaign = Campaign(
        systems=count,
        preset=plan.controls,
        hits_per_scale=hit_count,
        hours=work,
        hours_allowed=plan.hours,
        judgments_per_system=int(kept_judgments * (count - 1) if is_pair else kept_judgments),
        difference=plan.difference,
        detectable=smallest,
        enough=None if plan.difference is None else _is_enough(plan, kept_judgments),
        alpha=plan.alpha,
        power=plan.power,
        adjust="holm" if plan.adjust == "holm" else "none",
        seconds_per_judgment=plan.seconds_each,
        kept=plan.kept,
        unit=damage_unit,
        seed=plan.seed,
        kind=plan.kind,
        judgments=size.items * len(plan.scales),
        rate=plan.rate,
        money=None if plan.rate is None else plan.rate * work,
        seconds_source="given" if plan.seconds else PACES[plan.kind].source or "assumed",
        correlation=plan.correlation if plan.is_paired else None,
        ties=plan.ties if is_pair else None,
        choices_per_pair=int(kept_judgments) if is_pair else None,
        preferred=_preferred(plan, smallest) if is_pair else None,
        split=plan.split,
        design_effect=plan.clustering if plan.clustering != 1 else None,
        segments=None if test_set is None else len(test_set),
    )
    return CampaignResult(campaign, plan.scales_asked, sheets=sheets)


@dataclass(frozen=True, slots=True)
class _Size:
    """The numbers of outputs (or pairs) and items judged on one scale."""

    outputs: int
    items: int


def _size(sheet: Sheet) -> _Size:
    entries = [entry for hit in sheet.hits for entry in hit.entries]
    return _Size(sum(entry.kind == "system" for entry in entries), len(entries))


def _hits(plan: CampaignPlan) -> int:
    if plan.hits is not None:
        return plan.hits
    needed = None if plan.difference is None else hits_needed(plan, plan.difference)
    allowed = None if plan.hours is None else hits_affordable(plan, plan.hours)
    hits = min(number for number in (needed, allowed) if number is not None)
    if hits == 0:
        per_scale = " of each scale" if len(plan.scales) > 1 else ""
        raise UsageError(
            f"{plan.hours:g} hours are not enough for one HIT{per_scale}, which takes "
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
                f"{system.name}@{system.run}: people do not judge runs separately; give every "
                "system once"
            )
    texts = test_set.references[0] if test_set.references else systems[0].outputs.texts
    if plan.unit == "auto":
        unit = unit_of(texts)
    else:
        unit = "words" if plan.unit == "words" else "characters"
    segments = test_set.ids or tuple(map(str, range(1, len(test_set) + 1)))
    sheets: dict[str, Sheet] = {}
    for scale in plan.scales:

        def make(count: int, scale: str = scale) -> Sheet:
            planned = make_hits(
                test_set,
                systems,
                count,
                kind=plan.kind,
                preset=plan.controls,
                scale=scale,
                unit=unit,
                seed=plan.seed,
                split=plan.split,
                source_based=plan.source_based,
            )
            return Sheet(planned, segments, plan.pair, plan.controls, plan.seed)

        draft = make(hits) if sheets else _fit_hits(plan, make, hits)
        sheets[scale_asked(plan.kind, scale)] = draft
        hits = len(draft.hits)
    return unit, sheets


def _fit_hits(plan: CampaignPlan, make: Callable[[int], Sheet], hits: int) -> Sheet:
    """Make as many HITs as the plan needs; HITs of whole documents differ in length."""
    sheet = make(hits)
    if plan.hits is not None:
        return sheet
    if plan.difference is not None:
        needed = judgments_needed(plan, plan.difference) * _groups(plan) / plan.kept
        while (outputs := _size(sheet).outputs) * (1 + 1e-12) < needed:
            count = max(len(sheet.hits) + 1, math.ceil(len(sheet.hits) * needed / outputs))
            if count > _MOST_HITS or _work(plan, sheet) > (plan.hours or math.inf):
                break
            sheet = make(count)
        while len(sheet.hits) > 1:
            fewer = replace(sheet, hits=sheet.hits[:-1])
            if _size(fewer).outputs * (1 + 1e-12) < needed:
                break
            sheet = fewer
    while len(sheet.hits) > 1 and _work(plan, sheet) > (plan.hours or math.inf) * (1 + 1e-12):
        sheet = replace(sheet, hits=sheet.hits[:-1])
    return sheet


def _work(plan: CampaignPlan, sheet: Sheet) -> float:
    return _size(sheet).items * plan.seconds_each / 3600 * len(plan.scales)


def judgments_needed(plan: CampaignPlan, difference: float) -> int:
    """Number of judgments per system, or choices per pair, needed to find a difference.

    Systems that are judged apart: n = 2 (z_{1−α/2} + z_power)² / (δ² · 3/π), δ in standard
    deviations of the judgments; 3/π is the efficiency of the rank-sum test under normality
    (Lehmann 1975, §2.4). Standardised scores have deviation 1 for every judge, and a little less
    within a system. Where a judge scores all versions of a segment, the test is the signed-rank
    test on differences d of variance σ² = 2 (1 − ρ): n = (z_{1−α/2} + z_power)² / (3 (P − ½)²), P
    the chance that d + d' > 0 for two segments, Φ(√2 δ/σ) (Noether 1987). Choices: those that a
    sign test needs for the share Φ(δ/σ) that prefer the better one, and ties beside these. All
    are multiplied by the design effect where the segments of documents are judged.

    >>> judgments_needed(CampaignPlan(2), 0.2)
    411
    """
    if plan.kind == "pair":
        share = _preferred(plan, difference)
        decisions = decisions_needed(share, _level(plan), plan.power)
        return math.ceil(plan.clustering * decisions / (1 - plan.ties) * (1 - 1e-12))
    if plan.is_paired:
        over = NormalDist().cdf(difference / math.sqrt(_variance(plan) / 2)) - 0.5
        exact = _distance(plan) ** 2 / (3 * over**2)
    else:
        exact = 2 * (_distance(plan) / difference) ** 2 / RANK_SUM_EFFICIENCY
    return max(2, math.ceil(plan.clustering * exact * (1 - 1e-12)))


def detectable(plan: CampaignPlan, hits: int) -> float:
    """Smallest difference that a number of HITs is likely to show."""
    return _detectable(plan, hits * _outputs(plan) * plan.kept / _groups(plan))


def _detectable(plan: CampaignPlan, judgments: float) -> float:
    """Smallest difference that a number of judgments, or choices, is likely to show."""
    if judgments < 2:
        return math.inf
    if plan.kind == "pair":
        return _detectable_by_choices(plan, judgments)
    judgments /= plan.clustering
    if plan.is_paired:
        over = 0.5 + _distance(plan) / math.sqrt(3 * judgments)
        return NormalDist().inv_cdf(over) * math.sqrt(_variance(plan) / 2) if over < 1 else math.inf
    return _distance(plan) * math.sqrt(2 / (judgments * RANK_SUM_EFFICIENCY))


def _detectable_by_choices(plan: CampaignPlan, choices: float) -> float:
    """Difference whose share of preferences needs exactly this number of choices."""
    low, high = 0.0, 8.0 * math.sqrt(_variance(plan))
    if judgments_needed(plan, high) > choices:
        return math.inf
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if judgments_needed(plan, middle) > choices * (1 + 1e-12):
            low = middle
        else:
            high = middle
    return high


def _preferred(plan: CampaignPlan, difference: float) -> float:
    """The share of choices, ties aside, for the better of two systems."""
    return NormalDist().cdf(difference / math.sqrt(_variance(plan)))


def _variance(plan: CampaignPlan) -> float:
    """The variance of a difference between a judge's scores of two versions."""
    return 2 * (1 - plan.correlation)


def _is_enough(plan: CampaignPlan, kept: float) -> bool:
    assert plan.difference is not None
    return kept * (1 + 1e-12) >= judgments_needed(plan, plan.difference)


def hits_needed(plan: CampaignPlan, difference: float) -> int:
    """Number of HITs that give every system its judgments, with rejected ones replaced."""
    collected = _groups(plan) * judgments_needed(plan, difference) / plan.kept
    return math.ceil(collected / _outputs(plan) * (1 - 1e-12))


def hits_affordable(plan: CampaignPlan, allowed: float) -> int:
    """Number of whole HITs per scale within the budget."""
    return math.floor(allowed / len(plan.scales) / hours(plan, 1) * (1 + 1e-12))


def hours(plan: CampaignPlan, hits: int) -> float:
    """Hours of work on a number of HITs of one scale."""
    return hits * _items(plan) * plan.seconds_each / 3600


def _groups(plan: CampaignPlan) -> int:
    """Number of systems, or of pairs, that share the judgments."""
    return plan.pairs if plan.kind == "pair" else plan.systems


def _outputs(plan: CampaignPlan) -> int:
    return usual_size(plan.kind, plan.controls, plan.systems)[0]


def _items(plan: CampaignPlan) -> int:
    return usual_size(plan.kind, plan.controls, plan.systems)[1]


def _level(plan: CampaignPlan) -> float:
    return plan.alpha / plan.pairs if plan.adjust == "holm" else plan.alpha


def _distance(plan: CampaignPlan) -> float:
    return normal_noncentrality(_level(plan), plan.power)
