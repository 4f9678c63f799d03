"""How many judgments a campaign needs, and what a budget of hours can show."""

from __future__ import annotations

import math
from dataclasses import dataclass

from weigh.errors import UsageError
from weigh.human.hits import preset_named
from weigh.stats.power import detectable_difference

# How much a rank-sum test gets out of n normal values: as much as a t-test out of this share.
RANK_SUM_EFFICIENCY = 3 / math.pi
# Figures of a published run (Graham et al. 2017, run A): a HIT of 100 items took 1,606 s in the
# median, and 7,700 of 10,500 judgments were kept.
SECONDS_PER_JUDGMENT = 16.0
KEPT = 0.73

ADJUSTMENTS = ("holm", "none")


@dataclass(frozen=True, slots=True)
class Campaign:
    """What is to be found out, and what work costs.

    `kept` is the share of judgments that quality control leaves. `adjust` says whether all pairs
    are tested together: by Holm's procedure the first of m has to pass α/m, which is planned for.
    """

    systems: int
    preset: str = "crowd-alone"
    alpha: float = 0.05
    power: float = 0.8
    adjust: str = "holm"
    seconds: float = SECONDS_PER_JUDGMENT
    kept: float = KEPT

    def __post_init__(self) -> None:
        preset_named(self.preset)
        if self.systems < 2:
            raise UsageError(f"{self.systems} systems; a comparison needs two at least")
        if not 0.01 <= self.seconds <= 1e6:
            raise UsageError(
                f"{self.seconds:g} seconds per judgment; give a number from .01 to 1e6"
            )
        if not 0.01 <= self.kept <= 1:
            raise UsageError(f"share of judgments kept {self.kept:g}; give a number from .01 to 1")
        for name, value in (("alpha", self.alpha), ("power", self.power)):
            if not 0 < value < 1:
                raise UsageError(f"{name} {value}; give a number between 0 and 1")

    @property
    def pairs(self) -> int:
        """The number of pairs of systems."""
        return self.systems * (self.systems - 1) // 2

    def judgments_needed(self, difference: float) -> int:
        """Return how many judgments each system needs so that a difference is found.

        n = 2 (z_{1−α/2} + z_power)² / (δ² · 3/π), δ in standard deviations of the judgments; 3/π
        is the efficiency of the rank-sum test under normality (Lehmann 1975, §2.4). Standardised
        scores have deviation 1 for every judge, and a little less within a system.

        >>> Campaign(2).judgments_needed(0.2)
        411
        """
        if not 1e-4 <= difference < math.inf:
            raise UsageError(f"difference {difference:g}; give a number of at least .0001")
        exact = 2 * (self._distance() / difference) ** 2 / RANK_SUM_EFFICIENCY
        return max(2, math.ceil(exact * (1 - 1e-12)))

    def detectable(self, hits: int) -> float:
        """Return the smallest difference that so many HITs are likely to show."""
        judgments = hits * preset_named(self.preset).outputs_per_hit * self.kept / self.systems
        if judgments < 2:
            return math.inf
        return self._distance() * math.sqrt(2 / (judgments * RANK_SUM_EFFICIENCY))

    def hits_needed(self, difference: float) -> int:
        """Return how many HITs give every system its judgments, rejected ones replaced."""
        collected = self.systems * self.judgments_needed(difference) / self.kept
        return math.ceil(collected / preset_named(self.preset).outputs_per_hit * (1 - 1e-12))

    def hits_affordable(self, hours: float) -> int:
        """Return how many whole HITs can be paid for."""
        if not 0 < hours <= 1e9:
            raise UsageError(f"budget of {hours:g} hours; give a positive number, up to 1e9")
        return math.floor(hours / self.hours(1) * (1 + 1e-12))

    def hours(self, hits: int) -> float:
        """Return how long people work on so many HITs."""
        return hits * preset_named(self.preset).items_per_hit * self.seconds / 3600

    def _distance(self) -> float:
        level = self.alpha / self.pairs if self.adjust == "holm" else self.alpha
        return detectable_difference(1.0, level, self.power)


@dataclass(frozen=True, slots=True)
class CampaignPlan:
    """What a campaign of so many HITs takes and shows.

    `difference` is what was asked for, `hours_allowed` the budget, each None if none was given;
    `detectable` is what these HITs show with the power that was asked for.
    """

    campaign: Campaign
    hits: int
    difference: float | None = None
    hours_allowed: float | None = None

    @property
    def hours(self) -> float:
        """How long people work on it."""
        return self.campaign.hours(self.hits)

    @property
    def detectable(self) -> float:
        """The smallest difference, in standard deviations, that it is likely to show."""
        return self.campaign.detectable(self.hits)

    @property
    def judgments_per_system(self) -> int:
        """How many judgments of each system quality control is expected to leave."""
        preset = preset_named(self.campaign.preset)
        return int(self.hits * preset.outputs_per_hit * self.campaign.kept / self.campaign.systems)

    @property
    def is_enough(self) -> bool | None:
        """Whether it shows the difference that was asked for, if one was."""
        if self.difference is None:
            return None
        return self.hits >= self.campaign.hits_needed(self.difference)


def plan(
    campaign: Campaign,
    *,
    difference: float | None = None,
    hours: float | None = None,
    hits: int | None = None,
) -> CampaignPlan:
    """Plan as many HITs as a difference needs, but no more than the hours allow.

    `hits` fixes their number. Without a difference the whole budget is used.
    """
    if hits is None:
        needed = None if difference is None else campaign.hits_needed(difference)
        allowed = None if hours is None else campaign.hits_affordable(hours)
        if needed is None and allowed is None:
            raise UsageError(
                "nothing to plan by; give a difference with --detect, a budget with --hours or "
                "a number with --hits"
            )
        hits = min(number for number in (needed, allowed) if number is not None)
        if hits == 0:
            raise UsageError(
                f"{hours:g} hours: not enough for one HIT, which takes {campaign.hours(1):.2f}; "
                "give a larger budget"
            )
    return CampaignPlan(campaign, hits, difference, hours)
