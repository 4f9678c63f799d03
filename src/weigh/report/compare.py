"""The view of `weigh compare`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import product
from string import ascii_lowercase
from typing import Any

from weigh.comparing.compare_result import CompareResult, Comparison
from weigh.comparing.methods import correction, has_runs, meaning, title_of
from weigh.comparing.score_result import SystemScore
from weigh.report.compared import CompareReport
from weigh.report.findings import how, verdict_lines
from weigh.report.grid import Cell, Grid, in_clusters
from weigh.report.pairs import identical_outputs, margins_grid, pairs_grids
from weigh.report.parts import BrowsedMetric, Browser, Note, Part, Pictures, Verdict
from weigh.report.phrases import confidence, rank_title, why_uncorrected
from weigh.report.scores import SLICES, Ranked, extra_columns, key_columns, system_columns
from weigh.report.view import Used, View, view_of
from weigh.result import encode
from weigh.types import grouped
from weigh.wording import plural

# Text formats show so many systems, and so many of each slice.
_MOST_SYSTEMS, _MOST_SLICE_ROWS = 50, 20
# Pages draw so many pairs of neighbours in rank.
_MOST_PLOTS = 20
_BETTER, _WORSE = "+", "−"
NO_DETAILS = (
    "This result was saved without details. Use weigh compare --html, or save the result with "
    "--details, to see distributions and segments."
)
_NO_TRIALS = "A test by formula has no trials whose distribution could be shown."


@view_of(CompareResult)
def comparison(result: CompareResult) -> View:
    """Show the verdict, the ranking, tested pairs, distributions and segments."""
    report = CompareReport(result)
    systems = plural(len({entry.system for entry in result.scores}), "system")
    verdict = verdict_lines(report)
    headline = verdict[0 if result.gate is None else 1 + len(result.gate.decisive)].rstrip(".")
    return View(
        title=headline,
        subtitle=f"{systems}, {report.size}",
        parts=list(_parts(report, verdict, systems)),
        methods=result.methods,
        signatures=report.signatures,
        caption=_caption(report),
        records=lambda: _records(result.comparisons),
        used=_used(result),
    )


def _parts(report: CompareReport, verdict: Sequence[str], systems: str) -> Iterator[Part]:
    """Yield everything in the order of reading."""
    from weigh.report import compare_pictures as pictures

    result = report.result
    yield Verdict(verdict, "neutral" if result.gate is None else result.gate.verdict)
    size = f"{systems}, {report.size}"
    yield _sets_grid(report, size) if result.sets else _ranking_grid(report, size)
    yield Pictures(partial(pictures.forest_plots, report, sliced=False))
    if result.warnings:
        yield Note(result.warnings, "To be careful about", caution=True, level="page")
    if report.sliced and not result.sets:
        yield from _slice_parts(report)
    yield from pairs_grids(report)
    yield Pictures(partial(pictures.heat_maps, report, sliced=False))
    if report.sliced:
        yield Pictures(partial(pictures.heat_maps, report, sliced=True), folded=SLICES)
    yield from margins_grid(report)
    if identical := identical_outputs(report):
        yield Note(identical)
    yield Note(
        [_tested(report, pairs) for pairs in report.tests.values()],
        "What was tested",
        level="normal" if has_runs(result) else "page",
    )
    yield _segments(report)
    yield from _distribution_parts(report)


def _tested(report: CompareReport, pairs: Sequence[Comparison]) -> str:
    """What a test asks of its pairs, and how it is corrected."""
    result = report.result
    title = title_of(pairs[0], result.plan)
    stop = "" if title.endswith("?") else "."
    return f"{title}{stop} {meaning(pairs, result)} {correction(pairs[0], result.plan)}"


# Scores and ranks.


def _ranking_grid(report: CompareReport, title: str) -> Grid:
    """The systems in their clusters, with scores and ranks by every metric."""
    rows, clusters = report.scores.rows(None), report.clusters
    first = next(iter(report.scores.metrics))
    return Grid(
        [
            *system_columns(report.scores, _ranked(report), sliced=False),
            *extra_columns(report.result.extras, first),
        ],
        in_clusters(rows, clusters) if clusters else [rows],
        title,
        [" ".join(_about_ranking(report))],
        level="brief",
        limit=_MOST_SYSTEMS,
        lined=bool(clusters),
        paper=True,
    )


def _sets_grid(report: CompareReport, title: str) -> Grid:
    """One row per system, a group of columns per test set, their averages and ranks."""
    scores, ranked = report.scores, _ranked(report)
    entries = {(entry.metric, entry.slice, entry.system): entry for entry in scores.scores}
    first = next(iter(scores.metrics))

    def score(metric: str, label: str | None, row: Mapping[str, Any]) -> Cell:
        entry = entries[metric, label, row[first].system]
        return scores.cell(metric, entry.score, raised=ranked.superscripts(entry))

    several = len(scores.metrics) > 1
    columns = key_columns(scores, ranked)
    for label, metric in product((*report.result.sets, None), scores.metrics):
        test_set, name = label or "Average", scores.titles[metric]
        column = scores.score_column(
            metric,
            name if several else test_set,
            partial(score, metric, label),
            group=test_set if several else name,
            attached=metric != first,
        )
        columns.append(column)
    for metric in scores.metrics:
        rank = ranked.column(metric)
        if several:
            rank = replace(rank, title=scores.titles[metric], group=rank.title)
        columns.append(replace(rank, attached=metric != first))
    return replace(
        _ranking_grid(report, title),
        columns=columns,
        notes=[" ".join([*_about_ranking(report), "Ranks are those of the average."])],
        limit=None,
    )


def _about_ranking(report: CompareReport) -> Iterator[str]:
    """Yield how systems were tested, and how to read lines and ranks."""
    yield how(report)
    if len(report.clusters) > 1:
        title = next(iter(report.titles.values()))
        by = f" (by {title})" if len(report.titles) > 1 else ""
        yield f"Lines separate clusters{by}."
    rankings = [ranking for ranking in report.result.rankings if ranking.test == report.first_test]
    if rankings:
        plan = report.result.plan
        uncorrected = any(ranking.uncorrected for ranking in rankings)
        yield confidence(plan.alpha, why_uncorrected(plan.adjust) if uncorrected else "")


def _ranked(report: CompareReport) -> Ranked:
    """Ranks by the first test, and superscripts that name the systems that one beats."""
    names = list(dict.fromkeys(entry.system for entry in report.scores.scores))
    labels = dict(zip(names, _labels(len(names)), strict=True))
    rankings = [ranking for ranking in report.result.rankings if ranking.test == report.first_test]
    return Ranked(
        rank_title(any(ranking.uncorrected for ranking in rankings)),
        {(ranking.metric, ranking.slice): ranking.ranks for ranking in rankings},
        _superscripts(report, labels),
        {} if report.result.plan.baseline is not None else labels,
    )


def _superscripts(report: CompareReport, labels: Mapping[str, str]) -> Callable[[SystemScore], str]:
    """What a paper raises at a score: labels of the systems it beats, or its sign to a baseline."""
    baseline = report.result.plan.baseline
    places = {name: at for at, name in enumerate(labels)}

    @cache
    def beaten() -> dict[tuple[str, str | None, str], list[str]]:
        losers: dict[tuple[str, str | None, str], list[str]] = {}
        for pair in report.tests[report.first_test]:
            if (winner := report.winner(pair)) is not None:
                loser = pair.b if winner == pair.a else pair.a
                losers.setdefault((pair.metric, pair.slice, winner), []).append(loser)
        return losers

    def superscript(entry: SystemScore) -> str:
        losers = beaten().get((entry.metric, entry.slice, entry.system), [])
        if baseline is None:
            return ranges([places[name] for name in losers], [*labels.values()])
        if baseline in losers:
            return _BETTER
        winners = beaten().get((entry.metric, entry.slice, baseline), [])
        return _WORSE if entry.system in winners else ""

    return superscript


def _labels(count: int) -> list[str]:
    """Letters, or numbers where there are not enough letters."""
    if count <= len(ascii_lowercase):
        return list(ascii_lowercase[:count])
    return [str(number) for number in range(1, count + 1)]


def ranges(places: Sequence[int], labels: Sequence[str]) -> str:
    """Labels with three or more neighbours drawn together.

    >>> ranges([1, 3, 4, 5], "abcdef")
    'b,d–f'
    """
    runs: list[list[int]] = []
    for place in sorted(set(places)):
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    texts: list[str] = []
    for run in runs:
        names = [labels[place] for place in run]
        texts += names if len(names) < 3 else [f"{names[0]}–{names[-1]}"]
    return ",".join(texts)


def _caption(report: CompareReport) -> str:
    """The shortest text that makes a paper's table readable."""
    baseline = report.result.plan.baseline
    raised = (
        "Superscripts: significantly worse systems"
        if baseline is None
        else f"+/−: significantly better/worse than {baseline}"
    )
    test = how(report).rstrip(".")
    caption = f"{raised} ({test[0].lower()}{test[1:]})."
    return " ".join([caption, *report.label_cautions(report.first_pairs)])


def _slice_parts(report: CompareReport) -> Iterator[Part]:
    from weigh.report import compare_pictures as pictures

    yield Grid(
        system_columns(report.scores, _ranked(report)),
        [report.scores.rows(label) for label in report.slices if label is not None],
        "Slices",
        limit=_MOST_SLICE_ROWS,
        section="Slices",
        paper=True,
    )
    yield Pictures(partial(pictures.forest_plots, report, sliced=True), folded=SLICES)


# What only pages show.


def _distribution_parts(report: CompareReport) -> Iterator[Part]:
    from weigh.report import compare_pictures as pictures

    details, section = report.result.details, "Distributions"
    if details is None:
        yield Note([NO_DETAILS], level="page", section=section)
        return
    if not details.histograms:
        yield Note([_NO_TRIALS], level="page", section=section)
    groups = grouped(
        _better_first(report, details.histograms), lambda trials: (trials.metric, trials.test)
    )
    for (metric, test), group in groups.items():
        near = [trials for trials in group if report.is_neighbour(trials)]
        far = [trials for trials in group if not report.is_neighbour(trials)]
        title = f"{report.titles[metric]}: trials of the {test} test{_first_of(near)}"
        draw = pictures.histograms
        yield Pictures(
            partial(draw, report, near[:_MOST_PLOTS]), title, small=True, section=section
        )
        if far:
            label = plural(len(far), "further pair") if near else f"All {len(far):,} pairs"
            yield Pictures(partial(draw, report, far), small=True, folded=label, section=section)
    yield from _sweep_parts(report, section)
    if details.lengths:
        draw = partial(pictures.length_plots, report)
        yield Pictures(draw, "Scores and lengths", section=section)
    if len(report.titles) > 1:
        draw = partial(pictures.metric_pair_plots, report)
        yield Pictures(draw, "Agreement of metrics", section=section)


def _first_of(pairs: Sequence[object]) -> str:
    """Say that not all neighbours are drawn."""
    if len(pairs) <= _MOST_PLOTS:
        return ""
    return f", the first {_MOST_PLOTS} of {len(pairs):,} pairs of neighbours"


def _sweep_parts(report: CompareReport, section: str) -> Iterator[Part]:
    """Yield neighbours on samples by the first metric, and by the others folded away."""
    from weigh.report.compare_pictures import sweep_plots, sweeps_to_draw

    ordered = _better_first(report, sweeps_to_draw(report))
    details = report.result.details
    if ordered and details is not None:
        yield Note(
            ["What would smaller test sets have shown? Pairs that are neighbours in rank:"],
            f"Samples of {plural(details.sample_size, report.unit)}{_first_of(ordered)}",
            level="page",
            section=section,
        )
    groups = grouped(ordered, lambda sweep: sweep.metric)
    for number, (metric, sweeps) in enumerate(groups.items()):
        folded = report.titles[metric] if number else ""
        drawn = sweeps[:_MOST_PLOTS]
        yield Pictures(partial(sweep_plots, report, drawn), folded=folded, section=section)


def _better_first(report: CompareReport, pairs: Sequence[Any]) -> list[Any]:
    """Evidence on pairs, metric by metric, that of the best systems first."""
    metrics = {metric: at for at, metric in enumerate(report.titles)}

    def place(pair: Any) -> tuple[int, list[int]]:
        places = report.places[pair.metric, None]
        both = sorted(places.get(name, len(places)) for name in (pair.a, pair.b))
        return metrics[pair.metric], both

    return sorted(pairs, key=place)


def _segments(report: CompareReport) -> Part:
    result, section = report.result, f"{report.item.capitalize()}s"
    if result.details is None or not result.details.segments.numbers:
        return Note([NO_DETAILS], level="page", section=section)
    segments = result.details.segments
    scored = next(iter(segments.scores.values()), {})
    order = dict.fromkeys(entry.system for entry in report.scores.scores)
    names = [name for name in order if name in scored]
    baseline = result.plan.baseline
    pair = (0, min(1, len(names) - 1))
    if baseline in names:
        at = names.index(baseline)
        pair = (1 if at == 0 else 0), at
    metrics = [
        BrowsedMetric(
            metric,
            report.titles[metric],
            report.decimals(metric),
            report.higher(metric),
            report.scores.is_percent(metric),
        )
        for metric in segments.scores
    ]
    return Browser(
        segments, names, metrics, pair, result.test_set.segments, report.item, section=section
    )


_REQUIRED = ("metric", "a", "b", "test", "p_value", "p_adjusted", "significant")


def _records(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """One record per comparison, less the columns that are empty."""
    records = []
    for comparison in comparisons:
        record = encode(comparison)
        margin = record.pop("margin_interval", None) or (None, None)
        record |= {"margin_low": margin[0], "margin_high": margin[1]}
        records.append(record)
    used = {
        name
        for record in records
        for name, value in record.items()
        if name in _REQUIRED or value not in (None, [])
    }
    return [{name: value for name, value in record.items() if name in used} for record in records]


def _used(result: CompareResult) -> Used:
    pairs, interval = result.comparisons, result.plan.interval
    return Used(
        [metric.metric for metric in result.metrics],
        list(dict.fromkeys(pair.test for pair in pairs)),
        # Tests of all pairs at once are corrections themselves.
        list(dict.fromkeys(p.adjust for p in pairs if p.family_size > 1 and p.adjust != p.test)),
        [interval],
        margins=any(pair.margin is not None for pair in pairs),
    )
