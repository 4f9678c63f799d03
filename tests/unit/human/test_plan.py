"""The number of judgments gives the power that was asked for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from weigh.errors import UsageError
from weigh.human.plan import Campaign, CampaignPlan, plan


@pytest.mark.parametrize(("systems", "difference"), [(2, 0.3), (4, 0.4)])
def test_power_by_simulation(systems: int, difference: float) -> None:
    campaign = Campaign(systems)
    judgments = campaign.judgments_needed(difference)
    generator = np.random.default_rng(1)
    level = 0.05 / campaign.pairs
    better = generator.normal(difference, 1, (2000, judgments))
    other = generator.normal(0, 1, (2000, judgments))
    p = stats.mannwhitneyu(better, other, axis=1, method="asymptotic").pvalue
    # Four standard errors of a share of .8 in 2,000 trials.
    assert abs(np.mean(p <= level) - 0.8) < 4 * math.sqrt(0.16 / 2000)


def test_the_formula_by_hand() -> None:
    # 1.959964 + .841621 = 2.801585; 2 · 2.801585² / (.04 · .954930) = 410.97
    assert Campaign(2).judgments_needed(0.2) == 411
    # 411 / .73 = 563.01 collected of each of 2, 70 to a HIT: 16.09
    assert Campaign(2).hits_needed(0.2) == 17
    assert Campaign(2, kept=1.0).hits_needed(0.2) == 12  # 822/70 = 11.74
    assert Campaign(2, preset="appraise", kept=1.0).hits_needed(0.2) == 11  # 822/80 = 10.3
    assert Campaign(2).hours(9) == 9 * 100 * 16 / 3600 == 4.0
    assert Campaign(2).hits_affordable(4.0) == 9


campaigns = st.builds(
    Campaign,
    systems=st.integers(2, 30),
    preset=st.sampled_from(["crowd-alone", "appraise"]),
    alpha=st.floats(0.001, 0.2),
    power=st.floats(0.5, 0.99),
    adjust=st.sampled_from(["holm", "none"]),
    seconds=st.floats(1, 100),
    kept=st.floats(0.1, 1),
)


@settings(deadline=None)
@given(campaigns, st.floats(0.01, 3))
def test_needed_hits_show_the_difference(campaign: Campaign, difference: float) -> None:
    hits = campaign.hits_needed(difference)
    assert campaign.detectable(hits) <= difference * (1 + 1e-9)
    made = CampaignPlan(campaign, hits, difference)
    assert made.is_enough
    assert made.judgments_per_system >= campaign.judgments_needed(difference) - 1
    assert not CampaignPlan(campaign, hits - 1, difference).is_enough


@settings(deadline=None)
@given(campaigns, st.floats(0.01, 1), st.floats(1, 1000))
def test_a_plan_keeps_to_its_budget(campaign: Campaign, difference: float, hours: float) -> None:
    if campaign.hits_affordable(hours) == 0:
        with pytest.raises(UsageError, match="not enough for one HIT"):
            plan(campaign, hours=hours)
        return
    both = plan(campaign, difference=difference, hours=hours)
    assert both.hours <= hours * (1 + 1e-9)
    assert both.hits == min(campaign.hits_needed(difference), plan(campaign, hours=hours).hits)
    assert both.is_enough == (both.hits == campaign.hits_needed(difference))
    assert plan(campaign, difference=difference, hits=3).hits == 3


def test_adjustment_asks_for_more() -> None:
    alone, together = (Campaign(5, adjust=adjust) for adjust in ("none", "holm"))
    assert alone.judgments_needed(0.2) == Campaign(2).judgments_needed(0.2)
    assert together.judgments_needed(0.2) == Campaign(2, alpha=0.005).judgments_needed(0.2)
    assert plan(together, hits=1).is_enough is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"systems": 1}, "1 systems; a comparison needs two at least"),
        ({"systems": 2, "seconds": 0.0}, "0 seconds per judgment; give a number from .01"),
        ({"systems": 2, "kept": 1.5}, "share of judgments kept 1.5"),
        ({"systems": 2, "alpha": 0.0}, "alpha 0.0; give a number between 0 and 1"),
        ({"systems": 2, "power": math.nan}, "power nan"),
        ({"systems": 2, "preset": "none"}, "unknown preset 'none'"),
    ],
)
def test_wrong_settings(settings: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Campaign(**settings)  # type: ignore[arg-type]


def test_wrong_aims() -> None:
    with pytest.raises(UsageError, match="nothing to plan by"):
        plan(Campaign(2))
    with pytest.raises(UsageError, match="difference 0; give a number of at least"):
        plan(Campaign(2), difference=0)
    with pytest.raises(UsageError, match="difference 1e-300"):
        plan(Campaign(2), difference=1e-300)
    with pytest.raises(UsageError, match="budget of inf hours"):
        plan(Campaign(2), hours=math.inf)
    assert Campaign(500).detectable(1) == math.inf
