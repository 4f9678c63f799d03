"""From judgments to a ranking: standard scores, means, tests of every pair, clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Literal

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.human.conclusions import Conclusion, Order, by_net_wins, combined, judged, ordered
from weigh.human.ranksum import Alternative, rank_sum
from weigh.human.relative import ExpectedWins, Tally
from weigh.human.scores import HumanScore, Sample
from weigh.human.standardise import standardise
from weigh.human.steps import Step
from weigh.stats.multiplicity import FAMILYWISE
from weigh.stats.procedures import ADJUSTMENTS
from weigh.types import Judgment, Preference

COMBINED = "adequacy, then fluency"
_RAW = ("esa", "mqm")


@dataclass(frozen=True, slots=True)
class RankPlan:
    """How judgments become a ranking.

    `by` is `z` for standard scores, `raw` for scores as they are, None for raw scores of error
    span annotation, as the WMT ranks them, and standard scores of all else. `unit` is what the
    rank-sum test compares: `segment` means or single `judgment`s. `boundary` says where clusters
    end (see `weigh.human.conclusions.ordered`). Fewer judgments than `least_per_system` or
    `least_per_segment` are remarked on.
    """

    by: Literal["z", "raw"] | None = None
    unit: Literal["segment", "judgment"] = "segment"
    alternative: Alternative = "two-sided"
    adjust: str = "holm"
    alpha: float = 0.05
    boundary: Literal["all", "last"] = "all"
    level: float = 0.95
    least_per_system: int = 500
    least_per_segment: int = 1

    def __post_init__(self) -> None:
        choices = {
            "by": (self.by, ("z", "raw", None)),
            "unit": (self.unit, ("segment", "judgment")),
            "alternative": (self.alternative, ("two-sided", "better")),
            "adjust": (self.adjust, [each for each in ADJUSTMENTS if each != "maxt"]),
            "boundary": (self.boundary, ("all", "last")),
        }
        for name, (value, known) in choices.items():
            if value not in known:
                words = [each for each in known if each is not None]
                raise UsageError(f"{name} {value!r} is unknown; {did_you_mean(str(value), words)}")
        for name, share in (("alpha", self.alpha), ("level", self.level)):
            if not 0 < share < 1:
                raise UsageError(f"{name} {share}; give a number between 0 and 1")


PRESETS = {
    "weigh": RankPlan(),
    # The WMT's direct assessment as published in 2021.
    "wmt21": RankPlan(alternative="better", adjust="none", boundary="last"),
    # Graham et al. (2014): single judgments, one-sided, uncorrected.
    "graham2014": RankPlan(unit="judgment", alternative="better", adjust="none"),
}


@dataclass(frozen=True, slots=True)
class HumanRanking:
    """Systems of one language pair, judged on one scale, best first.

    Where fluency decides what adequacy leaves open, those are first that beat most systems, less
    those that beat them; the scores are of adequacy.
    """

    pair: str
    scale: str
    by: str
    scores: tuple[HumanScore, ...] | tuple[ExpectedWins, ...]
    conclusions: tuple[Conclusion, ...]
    order: Order

    @property
    def combined(self) -> bool:
        """Whether two scales decide."""
        return self.scale == COMBINED

    @property
    def uncorrected(self) -> bool:
        """Whether the ranks are no confidence statement: of one-sided tests, of two families of
        them, or of p-values that do not bound the chance of any false win."""
        return self.combined or any(
            one.alternative != "two-sided" or (one.family_size > 1 and one.adjust not in FAMILYWISE)
            for one in self.conclusions
        )


@dataclass(frozen=True, slots=True)
class HumanResult:
    """Every ranking, what was left at each step, and what a reader should know."""

    plan: RankPlan
    rankings: tuple[HumanRanking, ...]
    steps: tuple[Step, ...]
    remarks: tuple[str, ...]


def rank(judgments: Sequence[Judgment], plan: RankPlan | None = None) -> HumanResult:
    """Rank the systems of every language pair and scale.

    1. Standardise each judge's scores, over all items (`weigh.human.standardise`).
    2. A system's score is the mean over segments of the mean over its judgments, repeats
       included, controls not.
    3. Test every pair by the rank-sum test and adjust the p-values of the scale together.
    4. Where both adequacy and fluency were judged, fluency decides what adequacy leaves open.
    """
    plan = plan or RankPlan()
    steps = [Step.after("to be ranked", judgments)]
    remarks: list[str] = []
    usable = _values(judgments, plan, remarks)
    if len(usable) < len(judgments):
        steps.append(Step.after("scores that can be standardised", [one for one, _ in usable]))
    scored = [one for one, _ in usable if one.kind in ("system", "repeat")]
    steps.append(Step.after("outputs and repeats, without controls", scored))
    if not scored:
        raise InputError(_nothing_left(judgments, len(usable)))
    groups: dict[tuple[str, str], list[tuple[Judgment, float]]] = {}
    for one, value in usable:
        groups.setdefault((one.pair, one.scale), []).append((one, value))
    rankings: list[HumanRanking] = []
    for pair, scale in sorted(groups):
        sample = Sample(groups[pair, scale])
        if sample.systems:
            by = _by(scale, plan)
            rankings.append(_ranking(pair, scale, by, sample, plan))
            remarks += _few(pair, scale, sample, rankings[-1], plan)
    remarks += [remark for ranking in rankings for remark in _contradictions(ranking, plan)]
    rankings += _combinations(rankings, plan)
    return HumanResult(plan, tuple(rankings), tuple(steps), tuple(remarks))


def _nothing_left(judgments: Sequence[Judgment], usable: int) -> str:
    """Return what became of judgments of which none can be ranked by."""
    flat, judges = len(judgments) - usable, len({one.judge for one in judgments})
    why = [f"{usable:,} are of controls"] if usable else []
    if flat:
        why.append(
            f"{flat:,} are of judges who always give one score, which cannot be standardised"
        )
    remedy = "; take raw scores (--by raw)" if flat else ""
    return (
        f"no judgments of systems are left to rank by: of {len(judgments):,} by {judges:,} "
        f"judge{'' if judges == 1 else 's'}, {' and '.join(why) or 'none is left'}{remedy}"
    )


def _by(scale: str, plan: RankPlan) -> str:
    return plan.by or ("raw" if scale in _RAW else "z")


def _values(
    judgments: Sequence[Judgment], plan: RankPlan, remarks: list[str]
) -> list[tuple[Judgment, float]]:
    raw = [one for one in judgments if _by(one.scale, plan) == "raw"]
    rest = standardise([one for one in judgments if _by(one.scale, plan) == "z"])
    remarks += rest.remarks
    return [*((one, one.value) for one in raw), *zip(rest.judgments, rest.z, strict=True)]


def _ranking(pair: str, scale: str, by: str, sample: Sample, plan: RankPlan) -> HumanRanking:
    scores = sample.scores(plan.level)
    values = {
        one.system: sample.segment_means(one.system)
        if plan.unit == "segment"
        else sample.judgments(one.system)
        for one in scores
    }
    two_sided = plan.alternative == "two-sided"
    pairs = combinations(scores, 2) if two_sided else permutations(scores, 2)
    conclusions = []
    for a, b in pairs:
        found = rank_sum(values[a.system], values[b.system], plan.alternative)
        conclusions.append(
            Conclusion(
                a.system,
                b.system,
                a.score,
                b.score,
                difference=a.score - b.score,
                test="rank-sum",
                alternative=plan.alternative,
                p_value=found.p_value,
                ahead=found.ahead,
                count_a=len(values[a.system]),
                count_b=len(values[b.system]),
                scale=scale,
            )
        )
    final = judged(conclusions, plan.adjust, plan.alpha)
    order = ordered([one.system for one in scores], final, plan.boundary)
    return HumanRanking(pair, scale, by, tuple(scores), final, order)


def _combinations(rankings: Iterable[HumanRanking], plan: RankPlan) -> list[HumanRanking]:
    by_scale = {(ranking.pair, ranking.scale): ranking for ranking in rankings}
    found = []
    for (pair, scale), adequacy in by_scale.items():
        fluency = by_scale.get((pair, "fluency"))
        if scale == "adequacy" and fluency is not None:
            scores = {one.system: one for one in adequacy.scores if isinstance(one, HumanScore)}
            names, conclusions = by_net_wins(
                list(scores), combined(adequacy.conclusions, fluency.conclusions)
            )
            found.append(
                HumanRanking(
                    pair,
                    COMBINED,
                    adequacy.by,
                    tuple(scores[name] for name in names),
                    conclusions,
                    ordered(names, conclusions, plan.boundary),
                )
            )
    return found


def _few(pair: str, scale: str, sample: Sample, ranking: HumanRanking, plan: RankPlan) -> list[str]:
    about = ", ".join(filter(None, (pair, scale)))
    remarks = []
    few = [
        one.system
        for one in ranking.scores
        if isinstance(one, HumanScore) and one.judgments < plan.least_per_system
    ]
    if few:
        remarks.append(
            f"{about}: fewer than {plan.least_per_system:,} judgments of {', '.join(few)}"
        )
    thin = [name for name in sample.systems if sample.least_judged(name) < plan.least_per_segment]
    if thin:
        remarks.append(
            f"{about}: some segments have fewer than {plan.least_per_segment:,} judgments of "
            f"{', '.join(thin)}"
        )
    return remarks


def _contradictions(ranking: HumanRanking, plan: RankPlan) -> list[str]:
    about = ", ".join(filter(None, (ranking.pair, ranking.scale)))
    return [
        f"{about}: the test finds {one.a if one.ahead > 0 else one.b} better than "
        f"{one.b if one.ahead > 0 else one.a}, but the scores say the reverse; "
        "no conclusion is drawn"
        for one in ranking.conclusions
        if one.contradicts and one.p_adjusted <= plan.alpha
    ]


def rank_preferences(
    preferences: Sequence[Preference], plan: RankPlan | None = None
) -> HumanResult:
    """Rank systems by expected wins and test every pair by the sign test."""
    plan = plan or RankPlan()
    tally = Tally(preferences)
    scores = tally.scores()
    final = judged(tally.conclusions(scores, plan.alternative), plan.adjust, plan.alpha)
    order = ordered([one.system for one in scores], final, plan.boundary)
    ranking = HumanRanking("", "preference", "expected wins", tuple(scores), final, order)
    remarks = tuple(_contradictions(ranking, plan))
    ties = sum(one.tied for one in preferences)
    judges = len({one.judge for one in preferences if one.judge is not None})
    steps = (
        Step("pairs of outputs", len(preferences), judges),
        Step("without ties", len(preferences) - ties, judges),
    )
    return HumanResult(plan, (ranking,), steps, remarks)
