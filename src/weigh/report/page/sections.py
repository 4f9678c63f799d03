"""The sections of a comparison's page, in the order of reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from weigh.report import pictures
from weigh.report.compared import CompareReport
from weigh.report.comparisons import identical_outputs, under_scores
from weigh.report.methods import methods
from weigh.report.number import plural
from weigh.report.page import browser, pairwise, summary
from weigh.report.page.blocks import (
    Section,
    careful,
    described,
    figures,
    folded,
    kept,
    paragraphs,
)
from weigh.report.page.html import Markup, element
from weigh.report.page.tables import ranked_table
from weigh.report.pictures.systems import ordered
from weigh.report.ranks import rank_text
from weigh.report.scores import systems_grid

if TYPE_CHECKING:
    from weigh.comparing.evidence import Evidence, Histogram, Sweep
    from weigh.report.pictures.picture import Picture
    from weigh.types import Ranking

    _Pair = TypeVar("_Pair", Histogram, Sweep)

_SLICES = "Slices of the test set"
NO_DETAILS = (
    "This report was made from conclusions alone; weigh compare … --html, or --details for the "
    "data that weigh report reads, keeps what is shown here."
)
_NO_TRIALS = "A test by formula has no trials whose distribution could be shown."


def sections(report: CompareReport) -> dict[str, Section]:
    """Return the sections by the names that they are linked with."""
    return {name: Section(title, make(report)) for name, (title, make) in _MAKERS.items()}


def _whole_first(
    report: CompareReport, draw: Callable[[CompareReport], list[Picture]]
) -> list[Markup]:
    """Return pictures of the whole test set, those of its slices folded away."""
    made = draw(report)
    if not report.sliced:
        return figures(made)
    result = report.result
    only = replace(
        result,
        scores=tuple(one for one in result.scores if one.slice is None),
        comparisons=tuple(one for one in result.comparisons if one.slice is None),
        rankings=tuple(one for one in result.rankings if one.slice is None),
    )
    whole = {one.title for one in draw(CompareReport(only, report.digits))}
    return [
        *figures([one for one in made if one.title in whole]),
        folded(_SLICES, figures([one for one in made if one.title not in whole])),
    ]


def _summary(report: CompareReport) -> list[Markup]:
    content = paragraphs(summary.findings(report))
    gate, warnings = report.result.gate, report.result.warnings
    if gate is not None:
        content.append(element("p", element("strong", f"Gate: {gate.verdict}."), class_="gate"))
        content.append(element("ul", *(element("li", reason) for reason in gate.reasons)))
    return [*content, *careful(warnings)]


def _scores(report: CompareReport) -> list[Markup]:
    clusters = report.lines(report.first_test)
    grid = systems_grid(report.scores, report.ranks, clusters, mark_best=False)
    return [
        ranked_table(grid, "Scores"),
        *paragraphs(under_scores(report), "faint"),
        *_whole_first(report, pictures.forest_plots),
    ]


def _ranking(report: CompareReport) -> list[Markup]:
    result = report.result
    if not result.rankings:
        why = (
            "one-sided tests make no ranking"
            if result.plan.baseline is None
            else f"all systems were compared with {result.plan.baseline} and not with each other"
        )
        return paragraphs([f"There are no clusters: {why}."])
    whole = [_clusters(report, one) for one in result.rankings if one.slice is None]
    slices = [_clusters(report, one) for one in result.rankings if one.slice is not None]
    said = (
        "A line stands where every system above is significantly better than every one below. "
        "Between two lines systems are listed by score; how far they are told apart, their ranks "
        "say."
    )
    content = [*paragraphs([said]), element("div", *whole, class_="rankings")]
    if slices:
        content.append(folded(_SLICES, [element("div", *slices, class_="rankings")]))
    return content


def _clusters(report: CompareReport, ranking: Ranking) -> Markup:
    """Return a metric's systems by a test, each with its ranks, with lines between clusters."""
    items = [
        element(
            "li",
            element("span", rank_text(ranking.ranks[name]), class_="place"),
            element("bdi", name),
            class_="boundary" if at == 0 else None,
        )
        for cluster in ranking.clusters
        for at, name in enumerate(cluster)
    ]
    heading = f"{report.titles[ranking.metric]}, {ranking.test}"
    if ranking.slice is not None:
        heading += f", {ranking.slice}"
    heading += " (uncorrected)" * ranking.uncorrected
    return element("div", element("h3", heading), element("ul", *items, class_="clusters"))


def _pairs(report: CompareReport) -> list[Markup]:
    return [
        *pairwise.explained(report),
        *_whole_first(report, pictures.heat_maps),
        element("h3", "All pairs"),
        *pairwise.listing(report),
        *paragraphs(identical_outputs(report), "faint"),
    ]


def _distributions(report: CompareReport) -> list[Markup]:
    evidence = report.result.evidence
    if evidence is None:
        return [*paragraphs([NO_DETAILS]), *_agreement(report)]
    lengths = pictures.length_plots(report)
    return [
        *(_histograms(report, evidence) or paragraphs([_NO_TRIALS])),
        *_sweeps(report, evidence),
        *([element("h3", "Scores and lengths"), *figures(lengths)] if lengths else []),
        *_agreement(report),
    ]


def _histograms(report: CompareReport, evidence: Evidence) -> list[Markup]:
    """Return the trials of every test: neighbours in the ranking, and the others folded away."""
    groups: dict[tuple[str, str], tuple[list[Picture], list[Picture]]] = {}
    drawn = zip(evidence.histograms, pictures.histograms(report), strict=True)
    for one, picture in _better_first(report, drawn):
        near, far = groups.setdefault((one.metric, one.test), ([], []))
        (near if pictures.is_neighbour(report, one) else far).append(picture)
    content = []
    for (metric, test), (near, far) in groups.items():
        content.append(element("h3", f"{report.titles[metric]}: trials of the {test} test"))
        content += figures(near, "small")
        if far:
            label = f"{len(far):,} further pairs" if near else f"All {len(far):,} pairs"
            content.append(folded(label, figures(far, "small")))
    return content


def _sweeps(report: CompareReport, evidence: Evidence) -> list[Markup]:
    """Return neighbours on samples by the first metric, and by the others folded away."""
    near = [one for one in evidence.sweeps if pictures.is_neighbour(report, one)]
    groups: dict[str, list[Picture]] = {}
    drawn = zip(near, pictures.sweep_plots(report), strict=True)
    for one, picture in _better_first(report, drawn):
        groups.setdefault(one.metric, []).append(picture)
    if not groups:
        return []
    title = f"Samples of {plural(evidence.sample_size, report.result.unit)}"
    said = "What would smaller test sets have said? Pairs that are neighbours in the ranking:"
    content = [element("h3", title), element("p", said)]
    for metric, made in groups.items():
        shown = figures(made)
        content += shown if metric == next(iter(groups)) else [folded(report.titles[metric], shown)]
    return content


def _better_first(
    report: CompareReport, drawn: Iterable[tuple[_Pair, Picture]]
) -> list[tuple[_Pair, Picture]]:
    """Return pictures of pairs metric by metric, those of the best systems first."""
    metrics = list(report.titles)
    ranks = {
        (metric, entry.system): rank
        for metric in metrics
        for rank, entry in enumerate(ordered(report, metric))
    }

    def place(entry: tuple[_Pair, Picture]) -> tuple[int, list[int]]:
        one = entry[0]
        both = sorted(ranks.get((one.metric, name), len(ranks)) for name in (one.a, one.b))
        return metrics.index(one.metric), both

    return sorted(drawn, key=place)


def _agreement(report: CompareReport) -> list[Markup]:
    made = pictures.agreement_plots(report)
    return [element("h3", "Agreement of metrics"), *figures(made)] if made else []


def _segments(report: CompareReport) -> list[Markup]:
    evidence = report.result.evidence
    if evidence is None or not evidence.segments.numbers:
        return paragraphs([NO_DETAILS])
    return browser.browser(report, evidence.segments)


def _methods(report: CompareReport) -> list[Markup]:
    return described(methods(report.result, list(report.titles.values())), report.signatures)


def _data(report: CompareReport) -> list[Markup]:
    evidence = report.result.evidence
    if evidence is None or not evidence.segments.numbers:
        return kept()
    return kept("; the texts of the segments are beside it")


# The ids of sections, which "segments" and "data" are not: those are the data themselves.
_MAKERS: dict[str, tuple[str, Callable[[CompareReport], list[Markup]]]] = {
    "summary": ("Summary", _summary),
    "scores": ("Scores", _scores),
    "ranking": ("Ranking", _ranking),
    "pairs": ("Pairs", _pairs),
    "distributions": ("Distributions", _distributions),
    "browse": ("Segments", _segments),
    "methods": ("Methods and signatures", _methods),
    "document": ("Data", _data),
}
