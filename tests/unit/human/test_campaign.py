"""The number of judgments gives the power that was asked for."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scipy_names import ASYMPTOTIC
from weigh.errors import UsageError
from weigh.human.campaign import (
    detectable,
    hits_affordable,
    hits_needed,
    hours,
    judgments_needed,
    plan_campaign,
)
from weigh.human.plan import KINDS, CampaignPlan
from weigh.report.parts import Note
from weigh.stats.power import decisions_needed
from weigh.types import Outputs, System, TestSet


@pytest.mark.parametrize(("systems", "difference"), [(2, 0.3), (4, 0.4)])
def test_power_by_simulation(systems: int, difference: float) -> None:
    plan = CampaignPlan(systems)
    judgments = judgments_needed(plan, difference)
    generator = np.random.default_rng(1)
    level = 0.05 / plan.pairs
    better = generator.normal(difference, 1, (2000, judgments))
    other = generator.normal(0, 1, (2000, judgments))
    p = stats.mannwhitneyu(better, other, axis=1, method="asymptotic").pvalue
    # Four standard errors of a share of .8 in 2,000 trials.
    assert abs(np.mean(p <= level) - 0.8) < 4 * math.sqrt(0.16 / 2000)


@pytest.mark.parametrize(
    ("kind", "systems", "difference", "correlation"),
    [("esa", 2, 0.3, 0.25), ("mqm", 3, 0.4, 0.6), ("contrastive", 2, 0.25, 0.0)],
)
def test_power_of_paired_kinds_by_simulation(
    kind: str, systems: int, difference: float, correlation: float
) -> None:
    plan = CampaignPlan(systems, kind=kind, correlation=correlation)
    segments = judgments_needed(plan, difference)
    generator = np.random.default_rng(2)
    # Scores of deviation 1 that share a part of their variance within a segment.
    shared = generator.normal(0, math.sqrt(correlation), (800, segments))
    own = generator.normal(0, math.sqrt(1 - correlation), (2, 800, segments))
    better, other = shared + own[0] + difference, shared + own[1]
    tested = stats.wilcoxon(better, other, axis=1, correction=True, method=ASYMPTOTIC)
    assert abs(np.mean(tested.pvalue <= 0.05 / plan.pairs) - 0.8) < 0.05


@pytest.mark.parametrize(
    ("systems", "difference", "correlation", "ties"),
    [(2, 0.3, 0.25, 0.15), (3, 0.5, 0.5, 0.4), (2, 0.2, 0.0, 0.0)],
)
def test_power_of_pairs_by_simulation(
    systems: int, difference: float, correlation: float, ties: float
) -> None:
    plan = CampaignPlan(systems, kind="pair", correlation=correlation, ties=ties)
    choices = judgments_needed(plan, difference)
    generator = np.random.default_rng(3)
    # What a judge feels about two versions; a share of choices is for neither, whatever they are.
    felt = generator.normal(difference, math.sqrt(2 * (1 - correlation)), (2000, choices))
    decided = generator.random((2000, choices)) >= ties
    wins, decisions = ((felt > 0) & decided).sum(axis=1), decided.sum(axis=1)
    tail = stats.binom.cdf(np.minimum(wins, decisions - wins), decisions, 0.5)
    power = np.mean(np.minimum(1, 2 * tail) <= 0.05 / plan.pairs)
    assert abs(power - 0.8) < 0.05


def test_the_formulas_of_other_kinds_by_hand() -> None:
    # By a correlation of .25, Φ(√2 · .2/√1.5) = .591321; 2.801585² / (3 · .091321²) = 313.7
    assert judgments_needed(CampaignPlan(2, kind="contrastive"), 0.2) == 314
    # Φ(.2) = .579260: 416.5
    assert judgments_needed(CampaignPlan(2, kind="esa", correlation=0.0), 0.2) == 417
    # Φ(.2/√1.5) = .56486 of choices are for the better one
    plan = CampaignPlan(2, kind="pair", ties=0.0, kept=1.0)
    decisions = judgments_needed(plan, 0.2)
    assert decisions == decisions_needed(0.5648623, 0.05, 0.8)
    assert judgments_needed(replace(plan, ties=0.5), 0.2) == 2 * decisions
    # 80 choices of 100 items, 20 s each
    assert hits_needed(plan, 0.2) == math.ceil(decisions / 80)
    assert hours(plan, 9) == 9 * 100 * 20 / 3600 == 5.0
    # Three pairs share the choices.
    assert detectable(replace(plan, systems=3, adjust="none"), 3) == detectable(plan, 1)


def test_cost() -> None:
    made = plan_campaign(3, kind="esa", hits=6, rate=20.0).plan
    assert (made.judgments, made.hours) == (600, pytest.approx(5.5))
    assert made.money == pytest.approx(110)
    assert made.seconds_source == "the WMT's campaign of 2024, English-Czech"
    assert plan_campaign(3, kind="mqm", hits=1).plan.seconds_source == "assumed"
    assert plan_campaign(3, kind="mqm", hits=1, seconds=9.0).plan.seconds_source == "given"
    both = plan_campaign(3, hits=6, rate=20.0, scales=("adequacy", "fluency")).plan
    assert (both.judgments, both.money) == (1200, pytest.approx(1200 * 16 / 3600 * 20))
    assert plan_campaign(3, hits=1).plan.money is None


@pytest.mark.parametrize("kind", KINDS)
def test_hits_of_documents_are_as_many_as_are_needed(kind: str) -> None:
    size = 120
    texts = [f"a line of {n} words or so" for n in range(size)]
    documents = [f"d{n // 17}" for n in range(size)]
    test_set = TestSet([texts], sources=texts, documents=documents)
    systems = [System(name, Outputs(texts)) for name in "ABC"]
    options: dict[str, Any] = {"kind": kind, "split": 10, "source_based": True, "kept": 1.0}
    made = plan_campaign(systems, test_set, difference=0.6, **options)
    plan, [sheet] = made.plan, made.sheets.values()
    assert plan.enough
    assert plan.detectable <= 0.6
    entries = [entry for hit in sheet.hits for entry in hit.entries]
    assert plan.judgments == len(entries)
    assert plan.hours == pytest.approx(len(entries) * plan.seconds_per_judgment / 3600)
    if len(sheet.hits) > 1:
        fewer = plan_campaign(
            systems, test_set, difference=0.6, hits=len(sheet.hits) - 1, **options
        )
        assert not fewer.plan.enough
    budget = plan_campaign(systems, test_set, difference=0.1, hours=plan.hours, **options)
    assert budget.plan.hours <= plan.hours * (1 + 1e-9)
    many = plan_campaign(systems, test_set, hits=30, **options)
    notes = [part for part in many.view().parts if isinstance(part, Note)]
    cautions = [line for note in notes if note.caution for line in note.lines]
    assert bool(cautions) == (kind != "da")
    by_segment = kind in ("pair", "contrastive")
    assert ("Maximum segments of a document in a row" in str(made)) == by_segment
    assert ("Maximum segments of a document shown together" in str(made)) != by_segment


def test_the_formula_by_hand() -> None:
    # 1.959964 + .841621 = 2.801585; 2 · 2.801585² / (.04 · .954930) = 410.97
    assert judgments_needed(CampaignPlan(2), 0.2) == 411
    # 411 / .73 = 563.01 collected of each of 2, 70 to a HIT: 16.09
    assert hits_needed(CampaignPlan(2), 0.2) == 17
    assert hits_needed(CampaignPlan(2, kept=1.0), 0.2) == 12  # 822/70 = 11.74
    assert hits_needed(CampaignPlan(2, preset="appraise", kept=1.0), 0.2) == 11  # 822/80 = 10.3
    assert hours(CampaignPlan(2), 9) == 9 * 100 * 16 / 3600 == 4.0
    assert hits_affordable(CampaignPlan(2), 4.0) == 9
    assert hits_affordable(CampaignPlan(2, scales=("adequacy", "fluency")), 8.0) == 9


campaigns = st.builds(
    CampaignPlan,
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
def test_needed_hits_show_the_difference(plan: CampaignPlan, difference: float) -> None:
    hits = hits_needed(plan, difference)
    made = plan_campaign(plan.systems, plan=plan, difference=difference).plan
    assert made.hits_per_scale == hits
    assert made.detectable == detectable(plan, hits) <= difference * (1 + 1e-9)
    assert made.enough
    assert made.judgments_per_system >= judgments_needed(plan, difference) - 1
    if hits > 1:
        fewer = plan_campaign(plan.systems, plan=plan, difference=difference, hits=hits - 1)
        assert not fewer.plan.enough


@settings(deadline=None)
@given(campaigns, st.floats(0.01, 1), st.floats(1, 1000))
def test_a_plan_keeps_to_its_budget(plan: CampaignPlan, difference: float, allowed: float) -> None:
    count = plan.systems
    if hits_affordable(plan, allowed) == 0:
        with pytest.raises(UsageError, match="not enough for one HIT"):
            plan_campaign(count, plan=plan, hours=allowed)
        return
    alone = plan_campaign(count, plan=plan, hours=allowed).plan
    both = plan_campaign(count, plan=plan, difference=difference, hours=allowed).plan
    needed = hits_needed(plan, difference)
    assert both.hours <= allowed * (1 + 1e-9)
    assert both.hits_per_scale == min(needed, alone.hits_per_scale)
    assert both.enough == (both.hits_per_scale == needed)
    assert alone.difference is None
    fixed = plan_campaign(count, plan=plan, difference=difference, hits=3).plan
    assert fixed.hits_per_scale == 3


@pytest.mark.parametrize("kind", ["da", "esa", "pair"])
def test_segments_of_documents_need_more_judgments(kind: str) -> None:
    plain, split = CampaignPlan(3, kind=kind), CampaignPlan(3, kind=kind, split=10)
    needed = judgments_needed(plain, 0.2)
    assert judgments_needed(split, 0.2) == pytest.approx(2.7 * needed, abs=2)
    given_one = CampaignPlan(3, kind=kind, split=10, design_effect=4.0)
    assert judgments_needed(given_one, 0.2) == pytest.approx(4 * needed, abs=3)
    assert judgments_needed(CampaignPlan(3, kind=kind, design_effect=4.0), 0.2) > 3.9 * needed
    for plan in (plain, split, given_one):
        hits = hits_needed(plan, 0.2)
        assert detectable(plan, hits) <= 0.2 < detectable(plan, hits - 1)


def test_adjustment_asks_for_more() -> None:
    alone, together = (CampaignPlan(5, adjust=adjust) for adjust in ("none", "holm"))
    assert judgments_needed(alone, 0.2) == judgments_needed(CampaignPlan(2), 0.2)
    assert judgments_needed(together, 0.2) == judgments_needed(CampaignPlan(2, alpha=0.005), 0.2)
    assert plan_campaign(5, plan=together, hits=1).plan.enough is None


def test_without_an_aim_the_usual_difference_is_one() -> None:
    assert plan_campaign(2).plan.difference == 0.2
    assert plan_campaign(2, hours=10.0).plan.difference is None


def test_few_judgments_show_nothing() -> None:
    assert detectable(CampaignPlan(500), 1) == math.inf


def test_hits_are_made_where_there_are_texts() -> None:
    references = [f"a line of {n} words or so" for n in range(60)]
    systems = [System(name, Outputs(references)) for name in "AB"]
    scales = ("fluency", "adequacy")
    made = plan_campaign(systems, TestSet([references]), hits=2, scales=scales, pair="de-en")
    assert [(name, len(sheet.hits)) for name, sheet in made.sheets.items()] == [
        ("fluency", 2),
        ("adequacy", 2),
    ]
    assert (made.plan.unit, made.plan.systems) == ("words", 2)
    assert made.sheets["fluency"].pair == "de-en"
    with pytest.raises(UsageError, match="HITs need their outputs"):
        plan_campaign(2, TestSet([references]))
    twice = [System("A", Outputs(references), run=run) for run in ("1", "2")]
    with pytest.raises(UsageError, match="people do not judge runs separately"):
        plan_campaign(twice, TestSet([references]), hits=1)
    with pytest.raises(UsageError, match="but 10,000 at most are written"):
        plan_campaign(systems, TestSet([references]), hits=10_001)
