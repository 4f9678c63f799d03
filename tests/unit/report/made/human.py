"""Small results of `weigh human`, for a seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from unit.report.studies import judgments, preferences
from weigh.human.agreement import AgreementResult, agreement
from weigh.human.campaign import CampaignResult, plan_campaign
from weigh.human.contests import Gold, MetricAgreement, MetricContest, MetricFindings, evaluate
from weigh.human.deltas import DeltaCurve, DeltasResult, Scored, delta_curve, known_deltas
from weigh.human.metrics import MetricsResult, ScaleSystems
from weigh.human.plan import PRESETS, RankPlan
from weigh.human.powered import PoweredScore
from weigh.human.quality import QualityResult, quality
from weigh.human.rank import rank
from weigh.human.rank_result import RankResult
from weigh.human.segment_accuracy import OutputPairs, SegmentAccuracy, segment_accuracy
from weigh.read.answers import Judgments, Omission, Preferences
from weigh.read.spans import SEVERITIES
from weigh.result import Extent, Result
from weigh.types import Judgment, Span

OMISSIONS = (
    Omission("file: missing <answers> (row 3)", 2),
    Omission("file: rows that cannot be read (row 4)", 1, "row"),
)


def marked(made: Sequence[Judgment]) -> list[Judgment]:
    """Return judgments in which errors were marked, where they are on that scale."""
    spans = [
        Span(
            at,
            at + 2,
            SEVERITIES[at % len(SEVERITIES)],
            ("", "<Style>", "Accuracy/Addition")[at % 3],
        )
        for at in range(15)
    ]
    missing = Span(None, None, "major", "Accuracy/Omission")
    return [
        replace(each, spans=(*spans[: at % 16], *[missing] * (at % 5 == 0)))
        if each.scale == "esa"
        else each
        for at, each in enumerate(made)
    ]


def of_plan(seed: int) -> CampaignResult:
    """Return a campaign with a difference, a budget or both, for one scale or two, and its cost."""
    result = plan_campaign(
        2 + seed % 9,
        difference=None if seed % 3 == 0 else 0.2,
        hours=None if seed % 3 == 1 else 40.5,
        adjust="none" if seed % 2 else "holm",
        scales=("adequacy", "fluency")[: 1 + seed % 2],
        kind="contrastive" if seed % 4 == 2 else "da",
        rate=12.5 if seed % 3 == 2 else None,
        seed=seed,
    )
    made = replace(result.plan, unit=None if seed % 2 else "words")
    return replace(result, plan=made, files=("hits/<x>.jsonl",))


def of_quality(seed: int) -> QualityResult:
    """Return verdicts by either preset, with times and without."""
    made = judgments(seed)
    if seed % 3 == 1:
        made = [replace(one, seconds=None) for one in made]
    answers = Judgments(tuple(made), OMISSIONS, ("a <remark>",))
    return quality(answers, "appraise" if seed % 2 else "crowd-alone")


def of_rank(seed: int) -> RankResult:
    """Return rankings by scores or by preferences, with quality control and without."""
    plan = RankPlan(alternative="better", adjust="none") if seed % 3 == 1 else RankPlan()
    if seed % 7 > 4:
        plan = replace(plan, test="randomization" if seed % 7 == 5 else "rank-sum", trials=199)
    if seed % 4 == 3:
        plan = replace(plan, test=None)
        return rank(Preferences(tuple(preferences(seed)), OMISSIONS, ("a remark",)), plan)
    if seed % 2:
        scales = ("adequacy", "esa")[: 1 + seed % 3]
        return _helped(rank(marked(judgments(seed, scales)), plan), seed)
    if seed % 3 == 0:
        plan = replace(plan, unranked=("C_c",))
    made = judgments(seed)
    if seed % 4 == 0:
        labels = ("<news>", "talk|s")
        made = [replace(one, slice=labels[int(one.segment) // 7]) for one in made]
    return rank(
        Judgments(tuple(made), OMISSIONS, ("a <remark>",)),
        PRESETS["wmt21"] if seed % 5 == 4 else plan,
        quality="crowd-alone",
    )


def of_strengths(seed: int) -> RankResult:
    """Return rankings by strength: with judges and without, one of whom nothing is known."""
    made = [
        replace(
            each,
            first=each.winner if at % 3 else each.loser,
            judge=None if seed % 3 == 2 else each.judge,
        )
        for at, each in enumerate(preferences(seed))
    ]
    if seed % 4 == 1:  # somebody always wins
        made += [replace(each, winner="<always>", tied=False, first=None) for each in made[:9]]
    plan = RankPlan(alternative="better") if seed % 2 else RankPlan()
    return rank(Preferences(tuple(made), OMISSIONS, ("a <remark>",)), plan)


def _helped(result: RankResult, seed: int) -> RankResult:
    """Return a ranking whose scores and differences a metric has helped to estimate."""
    ranking = result.rankings[0]
    names = [score.system for score in ranking.scores]
    rows = [(name, None) for name in names] + list(combinations(names, 2))[: 3 + seed]
    powered = tuple(
        PoweredScore(
            pair=ranking.pair,
            scale=ranking.scale,
            system=system,
            against=against,
            metric="<b>comet\x1b",
            labelled=40,
            unlabelled=1000 + seed,
            weight=-0.3,
            score=0.5 - at / 10,
            interval=(0.3 - at / 10, 0.7 - at / 10),
            classical=0.4,
            classical_interval=(-0.1, 0.9),
            saved=(0.6, 1.0, -0.2)[(at + seed) % 3],
        )
        for at, (system, against) in enumerate(rows)
    )
    return replace(result, powered=powered)


def of_agreement(seed: int) -> AgreementResult:
    """Return agreement on scores, cut into categories or not, or on preferences; two runs."""
    if seed % 3 == 2:
        return agreement(Preferences(tuple(preferences(seed)), OMISSIONS))
    categories = 5 if seed % 2 else None
    second = judgments(seed + 1) if seed % 4 < 2 else None
    answers = Judgments(tuple(judgments(seed)), (), ("a <remark>",))
    return agreement(answers, categories=categories, replicate=second)


def of_metrics(seed: int) -> MetricsResult:
    """Return one to four metrics on one scale or two, with segment scores and without."""
    rng = np.random.default_rng(seed)
    names = tuple("abcde")

    def findings(name: str, *, segments: bool) -> MetricFindings:
        values = rng.normal(size=(5, 20)) if segments else None
        scores = rng.normal(size=5) if values is None else values.mean(axis=1)
        shown = name.upper() if seed % 2 else None
        return MetricFindings(name, scores, rng.random(10), rng.random(10) < 0.5, values, shown)

    scales: list[ScaleSystems] = []
    metrics: list[MetricAgreement] = []
    contests: list[MetricContest] = []
    segments: list[SegmentAccuracy] = []
    deltas: list[DeltaCurve] = []
    for scale in ("de-en, <adequacy>", "de-en, fluency")[: 1 + seed % 2]:
        people = Gold(names, rng.normal(size=5), rng.random(10))
        held = [findings(f"m{n}", segments=bool(n % 2)) for n in range(1 + seed % 4)]
        found = evaluate(people, held, scale=scale, trials=50, seed=seed)
        scales.append(ScaleSystems(scale, names))
        metrics += found.metrics
        contests += found.contests
        if seed % 3:
            segments += [of_segments(rng, scale, each.metric, 1 + 5 * (seed % 3)) for each in held]
        if seed % 4 == 1:
            deltas += [of_delta(rng, scale, each.metric) for each in held]
    extent = Extent(60 + seed, seed % 3, seed // 5 if seed % 2 else None)
    return MetricsResult(
        extent,
        "appraise" if seed % 5 == 1 else "none",
        0.05,
        "none" if seed % 5 == 2 else "holm",
        50,
        seed,
        tuple(scales),
        tuple(metrics),
        tuple(contests),
        ("a <remark>",),
        tuple(segments),
        tuple(deltas),
    )


def of_segments(rng: np.random.Generator, scale: str, metric: str, size: int) -> SegmentAccuracy:
    """Return what a metric says of outputs for single segments, of which there may be one."""
    places = np.repeat(np.arange(size), 3)
    first, second = np.tile([0, 0, 1], size), np.tile([1, 2, 2], size)
    pairs = OutputPairs(places, first, second, rng.integers(-1, 2, 3 * size))
    accuracy = segment_accuracy(pairs, rng.normal(size=(3, size)), scale=scale, metric=metric)
    assert accuracy is not None
    return accuracy


def of_delta(rng: np.random.Generator, scale: str, metric: str) -> DeltaCurve:
    """Return what differences mean, by a metric that is good, useless or worse."""
    scores = rng.normal(size=9)
    people = rng.choice([-1.0, 0.0, 3.0]) * scores + rng.normal(size=9)
    return delta_curve([Scored(people, scores)], metric, scale=scale, differences=[0.5])


def of_known_deltas(seed: int) -> DeltasResult:
    """Return what differences meant on the WMT's data, asked for in several ways."""
    if seed % 2:
        return known_deltas(["bleu"], level=0.9, seed=seed)
    return known_deltas(["ter"], {"ter": 0.5 + seed, "chrf": 1.0}, seed=seed)


MADE: dict[str, Callable[[int], Result]] = {
    "human plan": of_plan,
    "human quality": of_quality,
    "human rank": of_rank,
    "human rank by strength": of_strengths,
    "human agreement": of_agreement,
    "human metrics": of_metrics,
    "human metrics, known": of_known_deltas,
}
