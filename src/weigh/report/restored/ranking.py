"""Rankings by people from their documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from weigh.errors import InputError
from weigh.human.conclusions import Conclusion, Order
from weigh.human.rank import HumanRanking, HumanResult, RankPlan
from weigh.human.relative import ExpectedWins
from weigh.human.scores import HumanScore
from weigh.read.answers import Omission
from weigh.report import human_rank
from weigh.report.decoding import decode
from weigh.report.document import Extent
from weigh.report.human_rank import RankReport
from weigh.report.page import human_page
from weigh.report.pictures import human_pictures
from weigh.report.restored.human import JudgeWritten, StepWritten
from weigh.report.restored.saved import Saved, presented


@dataclass(frozen=True, slots=True)
class _Score:
    """A system's score as documents hold it: by judgments, or by wins."""

    pair: str
    scale: str
    system: str
    by: Literal["z", "raw", "expected wins"]
    score: float
    rank: tuple[int, int]
    interval: tuple[float, float] | None = None
    raw: float = float("nan")
    judgments: int = 0
    segments: int = 0
    wins: int = 0
    losses: int = 0
    ties: int = 0

    @property
    def judged(self) -> HumanScore:
        return HumanScore(
            self.system, self.score, self.interval, self.raw, self.judgments, self.segments
        )

    @property
    def won(self) -> ExpectedWins:
        return ExpectedWins(self.system, self.score, self.wins, self.losses, self.ties)


@dataclass(frozen=True, slots=True)
class _Pair:
    pair: str
    scale: str
    decided_by: str


@dataclass(frozen=True, slots=True)
class _Ranking:
    pair: str
    scale: str
    clusters: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A document of `weigh human rank`."""

    test_set: Extent
    quality: Literal["none", "crowd-alone", "appraise"]
    plan: RankPlan
    steps: tuple[StepWritten, ...]
    omissions: tuple[Omission, ...]
    judges: tuple[JudgeWritten, ...]
    scores: tuple[_Score, ...]
    comparisons: tuple[Mapping[str, Any], ...]
    rankings: tuple[_Ranking, ...]
    remarks: tuple[str, ...]


def restore_ranking(document: Mapping[str, Any], name: str) -> Saved[RankReport]:
    """Return what `weigh human rank` has written."""
    given = decode(_Ranked, document, name)
    conclusions: dict[tuple[str, str], list[Conclusion]] = {}
    for each in given.comparisons:
        pair = decode(_Pair, each, f"{name}.comparisons")
        one = decode(Conclusion, {**each, "scale": pair.decided_by}, f"{name}.comparisons")
        conclusions.setdefault((pair.pair, pair.scale), []).append(one)
    rankings = [_ranking(one, given, conclusions) for one in given.rankings]
    if not rankings or not all(map(_fits, rankings)):
        raise InputError(
            f"{name}: scores, comparisons and clusters are not of the same systems; "
            "give a file that weigh has written"
        )
    steps = tuple(one.read for one in given.steps)
    report = RankReport(
        HumanResult(given.plan, tuple(rankings), steps, ()),
        given.quality,
        steps,
        given.omissions,
        given.remarks,
        tuple(one.read for one in given.judges),
        given.test_set,
    )
    return presented(report, human_rank.SHOWN, human_page, human_pictures)


def _ranking(
    one: _Ranking, given: _Ranked, conclusions: Mapping[tuple[str, str], list[Conclusion]]
) -> HumanRanking:
    key = (one.pair, one.scale)
    own = [score for score in given.scores if (score.pair, score.scale) == key]
    by = own[0].by
    return HumanRanking(
        one.pair,
        one.scale,
        by,
        tuple(score.won for score in own)
        if by == "expected wins"
        else tuple(score.judged for score in own),
        tuple(conclusions.get(key, ())),
        Order(one.clusters, {score.system: score.rank for score in own}),
    )


def _fits(ranking: HumanRanking) -> bool:
    """Return whether all parts speak of the same systems, and of tests that there are."""
    systems = [score.system for score in ranking.scores]
    clustered = [name for cluster in ranking.order.clusters for name in cluster]
    return (
        clustered == systems
        and len(set(systems)) == len(systems)
        and all(ranking.order.clusters)
        and all(
            {one.a, one.b} <= set(systems)
            and one.a != one.b
            and one.test in ("rank-sum", "sign")
            and one.alternative in ("two-sided", "better")
            and one.ahead in (-1, 0, 1)
            for one in ranking.conclusions
        )
    )


RESTORERS = {"human rank": restore_ranking}
