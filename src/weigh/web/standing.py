"""What the answers of a campaign mean so far, by the functions that the commands use too.

Judges are named: this is for the organiser.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from sqlalchemy import text

from weigh.errors import InputError, UsageError, plural
from weigh.read.answers import Judgments, Preferences
from weigh.read.campaign_tables import (
    CHOSEN,
    COMPARED,
    LABELLED,
    SCORED,
    CollectedCampaign,
    read_campaign,
)
from weigh.web.campaigns import Campaign
from weigh.web.tables import now
from weigh.wording import listed, share

if TYPE_CHECKING:
    from weigh.human.plan import Quality
    from weigh.human.quality import Verdict
    from weigh.human.rank_result import RankResult
    from weigh.result import Result
    from weigh.validate.forecast import Forecast

PEEKING = (
    "Stopping at the first significant result raises the error rate above α. Decide beforehand how "
    "many answers to collect."
)
FORECAST = (
    "Each range gives the numbers for the two ends of the difference's confidence interval. "
    "Without an upper limit, the systems may be equal, and then no number of answers decides "
    "between them."
)


@dataclass(frozen=True, slots=True)
class CampaignMark:
    """Which state of a campaign something was worked out from: the last answer and event."""

    answer: int
    event: int


@dataclass(frozen=True, slots=True)
class Standing:
    """What the answers mean.

    `results` are those of `human rank`, `human quality`, `human agreement`, `rypt labels` and
    `validate preference`, under the names `ranking`, `quality`, `agreement`, `labels` and `pairs`,
    as far as there are answers for them. `verdicts` are those on judges, by their names. `remarks`
    say what is missing. `control` is the quality control whose judges are ranked.
    """

    at: str
    mark: CampaignMark
    answers: int
    set_aside: int
    results: Mapping[str, Result]
    forecasts: tuple[Forecast, ...] = ()
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    control: Quality = "none"

    @property
    def basis(self) -> str:
        """How many judges the ranking is made of, and the quality control that chose them."""
        from weigh.human.rank_result import ranking_basis

        if "ranking" not in self.results:
            return ""
        return f"{ranking_basis(cast('RankResult', self.results['ranking']))}."

    @property
    def conclusion(self) -> list[str]:
        """The conclusions so far, in a few sentences."""
        return [*_conclusion(self)] or ["There are no results yet."]


def mark_of(campaign: Campaign) -> CampaignMark:
    """A mark of a campaign's state, which changes with its answers and judges."""
    with campaign.database.reading() as connection:
        answer = connection.execute(
            text(
                "SELECT MAX(a.id) FROM campaign_answers a JOIN campaign_slots s ON s.id = a.slot "
                "WHERE s.campaign = :campaign"
            ),
            {"campaign": campaign.id},
        ).scalar()
        event = connection.execute(
            text("SELECT MAX(id) FROM campaign_events WHERE campaign = :campaign"),
            {"campaign": campaign.id},
        ).scalar()
    return CampaignMark(answer or 0, event or 0)


def standing_of(campaign: Campaign, control: Quality | None = None) -> Standing:
    """Current results of a campaign.

    The ranking is that of judges who pass a quality control. Without one it is that of `human
    rank`: `crowd-alone` where there are control items.
    """
    mark, at = mark_of(campaign), now()
    collected = read_campaign(campaign.location)
    kinds = campaign.settings["kinds"]
    standing = Standing(at, mark, len(collected.answers), collected.left_out, {})
    if any(kind in (*SCORED, *COMPARED) for kind in kinds):
        standing = _with_ranking(standing, campaign, collected, control)
    if any(kind in LABELLED for kind in kinds):
        standing = _with_labels(standing, campaign, collected)
    if any(kind in CHOSEN for kind in kinds):
        standing = _with_pairs(standing, campaign, collected)
    return standing


# Scores, marks, and choices between systems' outputs: a ranking of systems, judges and their
# controls, and their agreement. Where there are scores, choices are not in the ranking.


def _with_ranking(
    standing: Standing, campaign: Campaign, collected: CollectedCampaign, requested: Quality | None
) -> Standing:
    from weigh.human.agreement import agreement
    from weigh.human.plan import DEFAULT_CONTROL
    from weigh.human.quality import answers_of_kept_judges, apply_control, quality
    from weigh.human.rank import rank
    from weigh.validate.forecast import judgment_forecasts

    if not collected.of_kind(*SCORED, *COMPARED):
        return standing
    if all(answer.about.get("kind") == "bad" for answer in collected.of_kind(*SCORED, *COMPARED)):
        return replace(
            standing,
            remarks=(*standing.remarks, "There is no ranking yet: only controls were answered."),
        )
    read = _answers(collected)
    results: dict[str, Result] = {}
    remarks: list[str] = []
    control: Quality = requested or "none"
    remaining: Judgments | Preferences | None = None
    forecasts: Sequence[Forecast] = ()
    try:
        control, tested, notes = apply_control(read, requested)
        remarks += [f"{remark[:1].upper()}{remark[1:]}." for remark in notes]
        remaining = read if tested is None else answers_of_kept_judges(read, tested)
        ranking = rank(read, quality=requested)
        results["ranking"] = ranking
        if isinstance(remaining, Judgments):
            forecasts = judgment_forecasts(remaining.judgments, ranking)
    except (InputError, UsageError) as error:
        remarks.append(f"There is no ranking yet: {error}.")
    verdicts: Mapping[str, Verdict] = {}
    if any(judgment.kind == "bad" for judgment in read.judgments):
        # Judges are tested even where all of them count.
        screen = campaign.plan.screen if control == "none" else control
        results["quality"] = result = quality(read, DEFAULT_CONTROL if screen == "none" else screen)
        verdicts = {verdict.judge: verdict for verdict in result.judges}
    if remaining is not None:
        try:
            results["agreement"] = agreement(replace(remaining, remarks=read.remarks))
        except InputError as error:
            remarks.append(f"Agreement cannot be computed yet: {error}.")
    return replace(
        standing,
        results={**standing.results, **results},
        forecasts=(*standing.forecasts, *forecasts),
        verdicts=verdicts,
        remarks=(*standing.remarks, *remarks),
        control=control,
    )


def _answers(collected: CollectedCampaign) -> Judgments | Preferences:
    from weigh.read.answers import distinct_judgments, distinct_preferences
    from weigh.read.judgments import collected_judgments, collected_preferences

    if collected.of_kind(*SCORED):
        return distinct_judgments([collected_judgments(collected)])
    return distinct_preferences([collected_preferences(collected)])


# RYPT: what the labels are.


def _with_labels(standing: Standing, campaign: Campaign, collected: CollectedCampaign) -> Standing:
    from weigh.rypt.collection import CollectedLabels, LabelsResult, collected_labels
    from weigh.rypt.plan import CollectionPlan

    screens = len(collected.of_kind(*LABELLED))
    if not screens:
        return standing
    judgments = [*collected_labels(collected).judgments]
    price = campaign.plan.price
    paid = None if price is None else price * screens
    summary = CollectedLabels.of(campaign.title, judgments, CollectionPlan(paid=paid))
    return replace(standing, results={**standing.results, "labels": LabelsResult(summary)})


# Blind pairs: whose choices people like better.


def _with_pairs(standing: Standing, campaign: Campaign, collected: CollectedCampaign) -> Standing:
    from weigh.validate.forecast import choice_forecasts
    from weigh.validate.preference import preference

    if not collected.of_kind(*CHOSEN):
        return standing
    try:
        result = preference(None, campaign.location)
    except (InputError, UsageError) as error:
        return replace(
            standing, remarks=(*standing.remarks, f"Choices cannot be counted: {error}.")
        )
    return replace(
        standing,
        results={**standing.results, "pairs": result},
        forecasts=(*standing.forecasts, *choice_forecasts(result)),
    )


# What can be said, in words.


def _conclusion(standing: Standing) -> Iterator[str]:
    from weigh.report.view import view

    results = standing.results
    if not standing.answers:
        yield "There are no results yet, because no answers count."
    if "ranking" in results:
        yield from _ranking_lines(cast("RankResult", results["ranking"]))
    if "pairs" in results:
        yield from view(results["pairs"]).verdict
    yield from _undecided_lines(standing)
    if "labels" in results:
        yield from view(results["labels"]).verdict


def _ranking_lines(result: RankResult) -> Iterator[str]:
    """Yield the leading system of each ranking, and the number of decided pairs."""
    for ranking in result.rankings:
        first = ranking.scores[0].system
        if not ranking.comparisons:
            yield f"{ranking.about}: only {first} was judged, so there is nothing to compare."
            continue
        others = len(ranking.scores) - 1
        beaten = sum(row.winner == first for row in ranking.comparisons)
        place = "ranks first" if ranking.combined else "scores best"
        better = f"significantly better than {beaten:,} of {plural(others, 'other system')}"
        if others == 1:
            better = f"significantly better than {ranking.scores[1].system}"
        outcome = f"is {better}" if beaten else "is not significantly better than any other yet"
        if others == 1 and not beaten:
            outcome = f"is not significantly better than {ranking.scores[1].system} yet"
        decided = sum(row.significant for row in ranking.comparisons)
        pairs = ""
        if others > 1:
            pairs = f" {decided:,} of {len(ranking.comparisons):,} pairs differ significantly"
            pairs += f" (p ≤ {share(result.plan.alpha)}, adjusted for the number of pairs)."
        yield f"{ranking.about}: {first} {place} and {outcome}.{pairs}"


def _undecided_lines(standing: Standing) -> Iterator[str]:
    """Yield the number of undecided pairs and the answers they may need."""
    from weigh.validate.forecast import in_words, nearest

    if not standing.forecasts:
        return
    count = len(standing.forecasts)
    sentence = f"{count:,} pairs are not decided" if count > 1 else "One pair is not decided"
    first = nearest(standing.forecasts)
    if all(forecast.too_early for forecast in standing.forecasts):
        yield f"{sentence}; it is too early to tell how many more answers that takes."
        return
    if first is None:
        yield (
            f"{sentence}: deciding any of them would take more answers than a campaign can collect."
        )
        return
    which = f"the nearest, {first.a} and {first.b}," if count > 1 else f"{first.a} and {first.b}"
    needed = in_words(first).replace("more of each", "more judgments of each")
    yield f"{sentence}: {which} may take {needed}."


def level_in_words(forecasts: Sequence[Forecast]) -> str:
    """The tests, their levels and the power behind the ranges."""
    levels = sorted({forecast.alpha for forecast in forecasts})
    power = forecasts[0].power
    how = []
    if any(forecast.unit == "judgment" for forecast in forecasts):
        how.append(
            "the ranking's tests at the level that Holm's correction requires of the next pair "
            "(.05 divided by the number of undecided pairs)"
        )
    if any(forecast.unit == "sentence" for forecast in forecasts):
        how.append("sign tests at .05")
    return (
        f"Pairs are decided by {listed(how)} (here "
        f"{listed([share(round(level, 4)) for level in levels])}). If the true difference is at "
        "one end of the interval, the number for that end decides the pair with a probability "
        f"of {100 * power:.0f}%."
    )
