"""The view of `weigh human plan`."""

from __future__ import annotations

from collections.abc import Iterator

from weigh.human.campaign import Campaign, CampaignResult
from weigh.human.plan import SCALED
from weigh.report.grid import facts
from weigh.report.human import quality_works, scale_works
from weigh.report.parts import summary
from weigh.report.phrases import BY
from weigh.report.view import Used, View, signature, view_of
from weigh.result import encode
from weigh.wording import fixed, listed, percent, percentage, plural, share

_KINDS = {
    "da": "direct assessment",
    "esa": "error span annotation",
    "mqm": "MQM",
    "pair": "blind pairs",
    "contrastive": "versions side by side",
}
_TESTS = {"da": "rank-sum test", "pair": "sign test"}
_PAIRED = "signed-rank test"


@view_of(CampaignResult)
def campaign(result: CampaignResult) -> View:
    """Show the work and cost of a campaign, and the difference that it can detect."""
    plan, scales = result.plan, result.scales
    corrected = ""
    if plan.pairs > 1:
        correction = "with Holm's" if plan.adjust == "holm" else "without"
        corrected = f" {correction} correction for {plural(plan.pairs, 'pair')}"
    test = _TESTS.get(plan.kind, _PAIRED)
    tested = f"two-sided {test} at α = {share(plan.alpha)}{corrected}"
    enough = {
        None: "",
        True: ", as requested",
        False: f" instead of the requested {fixed(plan.difference, 3)}",
    }
    parts: dict[str, object] = {} if plan.kind == "da" else {"kind": plan.kind}
    parts["preset"] = plan.preset
    if plan.split is not None:
        parts["split"] = plan.split
    if plan.unit is not None:
        parts |= {"unit": plan.unit, "seed": plan.seed}
    questions = listed(scales) if plan.kind in SCALED else _KINDS[plan.kind]
    money = "" if plan.money is None else f" that cost {_money(plan.money)}"
    works, source = _works(plan)
    return View(
        title=f"A campaign for {plural(plan.systems, 'system')}",
        subtitle=f"{plural(plan.hits_per_scale, 'HIT')} for {questions}"
        + (" each" if plan.kind in SCALED else ""),
        parts=[
            *summary(
                [
                    f"{plural(result.hits, 'HIT')}, {fixed(plan.hours, 1)} hours of work{money}, "
                    f"{'shows' if result.hits == 1 else 'show'} a difference of "
                    f"{fixed(plan.detectable, 3)} standard deviations{enough[plan.enough]}."
                ],
                _cautions(plan),
            ),
            facts(
                "Plan",
                _rows(result),
                notes=[
                    f"A {tested} finds a true difference of that size {percent(plan.power)} of "
                    f"the time. {_assumptions(plan)}"
                ],
                section="Plan",
                paper=True,
            ),
        ],
        methods=f"The number of judgments was chosen so that a {tested} finds a difference of "
        f"{fixed(plan.detectable, 3)} standard deviations with a power of {percent(plan.power)}"
        f"{source}; HITs follow the design {plan.preset} {BY}",
        signatures=[("plan", signature(parts))],
        records=[encode(plan)],
        used=Used(
            adjustments=[plan.adjust] if plan.systems > 2 else [],
            works=[*works, *quality_works(plan.preset)],
        ),
    )


def _works(plan: Campaign) -> tuple[list[str], str]:
    """The works to cite for a plan, and the citation in the paragraph on methods."""
    if plan.kind == "pair":
        return [], ""
    works = [*scale_works([plan.kind]), "number of judgments"]
    if plan.kind == "da":
        return works, " (Lehmann 1975)"
    return [*works, "number of paired judgments"], " (Noether 1987)"


def _rows(result: CampaignResult) -> Iterator[tuple[str, object]]:
    plan = result.plan
    yield "Systems", plan.systems
    if plan.kind != "da":
        yield "What is judged", _KINDS[plan.kind]
    yield "HITs per scale" if plan.kind in SCALED else "HITs", plan.hits_per_scale
    if plan.kind in SCALED:
        yield "Scales", ", ".join(result.scales)
    if plan.split is not None:
        how = "in a row" if plan.kind in ("pair", "contrastive") else "shown together"
        yield f"Maximum segments of a document {how}", plan.split
    if plan.judgments is not None:
        yield "Total judgments", plan.judgments
    yield "Total hours of work", fixed(plan.hours, 1)
    if plan.money is not None and plan.rate is not None:
        yield f"Total cost, at {plan.rate:,g} an hour", _money(plan.money)
    if plan.choices_per_pair is None:
        yield "Judgments kept per system", plan.judgments_per_system
    else:
        yield "Choices kept per pair", plan.choices_per_pair
    yield "Detectable difference (standard deviations)", fixed(plan.detectable, 3)
    if plan.preferred is not None:
        preferred = f"{percentage(plan.preferred)}"
        yield "Share of choices for the better system", preferred
    if plan.difference is not None:
        yield "Requested difference", fixed(plan.difference, 3)
    if plan.hours_allowed is not None:
        yield "Hours available", fixed(plan.hours_allowed, 1)


def _money(amount: float) -> str:
    return f"{amount:,.2f}"


def _assumptions(plan: Campaign) -> str:
    """The assumptions behind the numbers, and their sources."""
    source = f" ({plan.seconds_source})" if plan.seconds_source not in ("", "assumed") else ""
    assumptions = [
        f"{plan.seconds_per_judgment:g} s for a judgment{source}",
        f"{percent(plan.kept)} of judgments kept by quality control",
    ]
    if plan.correlation is not None:
        assumptions.append(
            f"a correlation of {share(plan.correlation)} between a judge's scores of two versions "
            "of a segment"
        )
    if plan.ties is not None:
        assumptions.append(f"{percent(plan.ties)} of choices for neither")
    if plan.design_effect is not None:
        assumptions.append(
            f"a design effect of {plan.design_effect:g} for segments of one document"
        )
    return f"Assumed: {listed(assumptions)}."


def _cautions(plan: Campaign) -> list[str]:
    """A warning if segments are judged several times."""
    if not plan.repeats_segments:
        return []
    judged = "system" if plan.choices_per_pair is None else "pair"
    return [
        f"Judgments kept for each {judged}: {plan.judged:,}, but the test set has only "
        f"{plural(plan.segments or 0, 'segment')}. Some are judged several times, which is less "
        "informative than judging other segments: the true detectable difference is larger than "
        "this one."
    ]
