"""The page of a ranking by people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from weigh.human.quality import PRESETS
from weigh.report import pictures
from weigh.report.grid import Cell, Column, Grid
from weigh.report.human_methods import methods
from weigh.report.human_quality import ADVICE, rule, verdicts_grid
from weigh.report.human_rank import (
    SHOWN,
    about,
    about_ranks,
    decimals_of,
    how_ordered,
    how_tested,
    list_grid,
    records_of_wins,
    scores_grid,
    signatures,
)
from weigh.report.human_steps import dropped_grid, left_out
from weigh.report.number import fixed, plural, share
from weigh.report.page import embedded, pairwise, summary
from weigh.report.page.assembly import assembled
from weigh.report.page.blocks import Section, careful, described, figures, kept, paragraphs
from weigh.report.page.controls import choice
from weigh.report.page.html import Markup, element, joined
from weigh.report.page.tables import ranked_table, table

if TYPE_CHECKING:
    from weigh.human.quality import Verdict
    from weigh.human.rank import HumanRanking
    from weigh.report.human_rank import RankReport

_MOST_NAMED = 6
_MEASURES = {"z": "z", "raw": "score", "expected wins": "expected wins"}
_BOUNDARIES = {
    "all": "A cluster ends where every system above beats every one below; lines part clusters.",
    "last": "A cluster ends below a system that beats every one below it, and those above are not "
    "asked (preset wmt21); lines part clusters.",
}
_UNCONTROLLED = "No quality control: every judge's answers count."


def human_page(report: RankReport) -> str:
    """Return a ranking by people as one HTML file."""
    rankings = report.result.rankings
    systems = {(ranking.pair, one.system) for ranking in rankings for one in ranking.scores}
    named = [about(ranking) for ranking in rankings]
    if len(named) > _MOST_NAMED:
        named = [*named[: _MOST_NAMED - 1], f"{len(named) - _MOST_NAMED + 1:,} more rankings"]
    tested = any(ranking.conclusions for ranking in rankings)
    return assembled(
        f"{plural(len(systems), 'system')} judged by people",
        "; ".join([*named, *_used(report)]),
        {
            name: Section(title, content)
            for name, (title, make) in _MAKERS.items()
            if (content := make(report))
        },
        [embedded.document(SHOWN.as_json(report))],
        ["pairs.js"] if tested else [],
    )


def _used(report: RankReport) -> list[str]:
    """Return how many judgments the scores are made of, if that is known."""
    if not report.steps:
        return []
    last = report.steps[-1]
    judges = f" of {plural(last.judges, 'judge')}" if last.judges else ""
    return [f"{plural(last.judgments, 'judgment')}{judges}"]


def _summary(report: RankReport) -> list[Markup]:
    found = [joined(_best(ranking), _tested(ranking, report)) for ranking in report.result.rankings]
    return [*paragraphs(found), *paragraphs([_left(report)]), *careful(report.remarks)]


def _best(ranking: HumanRanking) -> Markup:
    if ranking.combined:
        return _first(ranking)
    decimals = decimals_of(ranking)
    scores = {one.system: fixed(one.score, decimals) for one in ranking.scores}
    remark = f"{_MEASURES[ranking.by]}, higher is better"
    if len(scores) > 1:
        return summary.best(about(ranking), remark, scores)
    [(name, score)] = scores.items()
    return joined(element("strong", about(ranking)), f" ({remark}): {name} has {score}.")


def _first(ranking: HumanRanking) -> Markup:
    """Return who stands first where adequacy and fluency decide together, and why."""
    won = records_of_wins(ranking)
    net = {name: beats - beaten for name, (beats, beaten) in won.items()}
    most = max(net.values())
    first = [name for name in net if net[name] == most]
    beats, beaten = won[first[0]]
    names = element("strong", summary.names_of(first))
    said = f" stands first: it beats {beats:,} of {plural(len(won) - 1, 'other')}"
    said += f" and is beaten by {beaten:,}" if beaten else ""
    if len(first) > 1:
        said = f" stand first: the systems that they beat, less those that beat them, are {most:+,}"
    return joined(element("strong", about(ranking)), ": ", names, said, ".")


def _tested(ranking: HumanRanking, report: RankReport) -> str:
    if not ranking.conclusions:
        return ""
    first = ranking.conclusions[0]
    adjusted = first.family_size > 1 and first.adjust != "none"
    names = [one.system for one in ranking.scores]
    said = summary.conclusion(
        names,
        list(combinations(names, 2)),
        [one.beats for one in ranking.conclusions if one.beats is not None],
    )
    count = len(ranking.order.clusters)
    clusters = f" The systems make {plural(count, 'cluster')}."
    level = f"p ≤ {share(report.result.plan.alpha)}{', adjusted' * adjusted}"
    return f" By the {first.test} test ({level}), {said}.{clusters}"


def _left(report: RankReport) -> str:
    """Return what became of the judgments, in a sentence."""
    if not report.steps:
        return ""
    first, last = report.steps[0], report.steps[-1]
    said = f"{last.judgments:,} of {plural(first.judgments, 'judgment')} count"
    if first.judges:
        said += f", those of {last.judges:,} of {plural(first.judges, 'judge')}"
    rest = "; the steps below tell what became of the others" * (last.judgments < first.judgments)
    return f"{said}{rest}."


def _scores(report: RankReport) -> list[Markup]:
    rankings = report.result.rankings
    notes = [_notes(ranking, report) for ranking in rankings]
    alike = len(set(notes)) == 1
    content = []
    for ranking, own in zip(rankings, notes, strict=True):
        if len(rankings) > 1:
            content.append(element("h3", about(ranking)))
        content.append(ranked_table(_scores_grid(ranking, report), f"Scores: {about(ranking)}"))
        if not alike or ranking is rankings[-1]:
            content += paragraphs(own, "faint")
    return [*content, *figures(pictures.human_forest_plots(report))]


def _notes(ranking: HumanRanking, report: RankReport) -> tuple[str, ...]:
    """Return how the order, the lines and the ranks of a table are to be read."""
    if not ranking.conclusions:
        return ()
    boundary = _BOUNDARIES[report.result.plan.boundary]
    return (*how_ordered(ranking), boundary, about_ranks(ranking, report))


def _scores_grid(ranking: HumanRanking, report: RankReport) -> Grid:
    """Return the systems with the number of their cluster, since rows may be sorted."""
    grid = scores_grid(ranking, report)
    if not ranking.conclusions:
        return grid
    blocks = [[[*row, Cell(f"{at}")] for row in block] for at, block in enumerate(grid.blocks, 1)]
    return Grid([*grid.columns, Column("Cluster", kind="number")], blocks, lined=True)


def _pairs(report: RankReport) -> list[Markup]:
    tested = [ranking for ranking in report.result.rankings if ranking.conclusions]
    if not tested:
        return paragraphs(["There are no pairs: one system was judged."])
    sentences: dict[str, None] = {}
    for ranking in tested:
        sentences |= dict.fromkeys(how_tested(ranking, report))
    pairs = [(ranking, one) for ranking in tested for one in ranking.conclusions]
    shown = pairs[: pairwise.MOST_ROWS]
    choices = []
    if len(tested) > 1:
        names = {about(ranking): about(ranking) for ranking in tested}
        choices.append(choice("pair-metric", "Judged", {"": "all", **names}))
    marks = [pairwise.marked(about(which), one.test, one.significant) for which, one in shown]
    return [
        *paragraphs(sentences),
        *figures(pictures.human_heat_maps(report)),
        element("h3", "All pairs"),
        *pairwise.filtered(list_grid(shown, report), marks, choices, len(pairs)),
    ]


def _steps(report: RankReport) -> list[Markup]:
    control = _UNCONTROLLED
    if report.quality != "none":
        control = f"Quality control {report.quality}: {rule(PRESETS[report.quality])}"
    return [
        *paragraphs([control]),
        table(dropped_grid(report.steps), "Steps"),
        *paragraphs(left_out(report.omissions), "faint"),
    ]


def _judges(report: RankReport) -> list[Markup]:
    """Return who was kept and who was not, with reasons; preferences have no such judges."""
    verdicts = report.verdicts
    if not verdicts:
        return []
    dropped = [one for one in verdicts if not one.kept]
    kept = [one for one in verdicts if one.kept]
    flagged = sum(bool(one.conduct.flags) for one in verdicts)
    said = [
        "Nobody was tested, so nobody was dropped for failing."
        if report.quality == "none"
        else f"{len(kept):,} of {plural(len(verdicts), 'judge')} are kept and {len(dropped):,} "
        "dropped.",
        f"{plural(flagged, 'judge')} {'has' if flagged == 1 else 'have'} advice in brackets"
        f"{ADVICE}",
    ]
    return [
        *paragraphs(said),
        table(_verdicts_grid(dropped, kept), "Judges", name="judge-table"),
    ]


def _verdicts_grid(dropped: Sequence[Verdict], kept: Sequence[Verdict]) -> Grid:
    """Return the judges in one block to be sorted, those first who are dropped."""
    grid = verdicts_grid([dropped, kept])
    return Grid(grid.columns, [grid.rows])


def _methods(report: RankReport) -> list[Markup]:
    return described(methods(report), signatures(report))


def _data(_: RankReport) -> list[Markup]:
    return kept()


_MAKERS: dict[str, tuple[str, Callable[[RankReport], list[Markup]]]] = {
    "summary": ("Summary", _summary),
    "scores": ("Scores and ranks", _scores),
    "pairs": ("Pairs", _pairs),
    "steps": ("Judgments, step by step", _steps),
    "judges": ("Judges", _judges),
    "methods": ("Methods and signatures", _methods),
    "document": ("Data", _data),
}
