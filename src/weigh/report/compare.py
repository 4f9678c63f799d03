"""The view of `weigh compare`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from weigh.comparing.compare_result import CompareResult, Comparison
from weigh.comparing.methods import correction, has_runs, meaning, title_of
from weigh.report.compared import CompareReport
from weigh.report.findings import conclusions, describe_test, gate_lines
from weigh.report.grid import Cell, Column, Grid, in_clusters
from weigh.report.pairs import identical_outputs, margins_grid, pairs_grid, sample_sizes_grid
from weigh.report.parts import BrowsedMetric, Browser, Note, Part, Pictures, Verdict, draw_later
from weigh.report.phrases import confidence, why_uncorrected
from weigh.report.view import Used, View, drop_empty_columns, view_of
from weigh.result import encode
from weigh.types import grouped
from weigh.wording import plural

# Limits of text formats: systems in the ranking, and systems in each slice.
_MOST_SYSTEMS, _MOST_SLICE_ROWS = 50, 20
# Pages draw at most this many pairs of neighbours in rank.
_MOST_PLOTS = 20
NO_DETAILS = (
    "This result was saved without details. Use weigh compare --html, or save the result with "
    "--details, to see distributions and segments."
)
_NO_TRIALS = "These tests draw no trials, so there is no distribution to show."


@view_of(CompareResult)
def comparison(result: CompareResult) -> View:
    """Show the verdict, the ranking, tested pairs, distributions and segments."""
    report = CompareReport(result)
    verdict = Verdict(
        conclusions(report),
        "neutral" if result.gate is None else result.gate.verdict,
        gate_lines(result.gate),
    )
    return View(
        title=verdict.lines[0].rstrip("."),
        subtitle=report.size,
        parts=[verdict, *_parts(report)],
        methods=result.methods,
        signatures=report.signatures,
        caption=_caption(report),
        records=lambda: _records(result.comparisons),
        used=_works_used(result),
    )


def _parts(report: CompareReport) -> Iterator[Part]:
    """Yield everything below the verdict, in reading order."""
    result = report.result
    yield _ranking_grid(report)
    yield Pictures(draw_later("compare_pictures.forest_plots", report))
    yield Note(result.warnings, "Cautions", caution=True, level="page")
    if len(report.slices) > 1 and not result.sets:
        yield Grid(
            report.system_columns(),
            [report.rows(label) for label in report.slices if label is not None],
            "Slices",
            limit=_MOST_SLICE_ROWS,
            section="Slices",
            paper=True,
        )
        yield Pictures(
            draw_later("compare_pictures.forest_plots", report, sliced=True),
            folded="Scores of each slice",
        )
    yield pairs_grid(report)
    yield Pictures(draw_later("compare_pictures.heat_maps", report))
    if any(pair.slice is not None for pair in result.comparisons):
        pairs = pairs_grid(report, sliced=True)
        yield pairs
        if not pairs.is_too_long:
            draw = draw_later("compare_pictures.heat_maps", report, sliced=True)
            yield Pictures(draw, folded=pairs.folded)
    yield from margins_grid(report)
    yield from sample_sizes_grid(report)
    yield Note(identical_outputs(report))
    yield Note(
        [_test_sentences(report, pairs) for pairs in report.tests.values()],
        "What was tested",
        level="normal" if has_runs(result) else "page",
    )
    yield _segments(report)
    yield from _distribution_parts(report)


def _test_sentences(report: CompareReport, pairs: Sequence[Comparison]) -> str:
    """The question that a test answers, and its correction for multiple comparisons."""
    result = report.result
    title = title_of(pairs[0], result.plan)
    stop = "" if title.endswith("?") else "."
    return f"{title}{stop} {meaning(pairs, result)} {correction(pairs[0], result.plan)}"


# Scores and ranks.


def _ranking_grid(report: CompareReport) -> Grid:
    """The systems in clusters, with scores and ranks by every metric."""
    rows, clusters, sets = report.rows(None), report.clusters, report.result.sets
    columns = [*report.system_columns(sliced=False), *report.extra_columns(report.result.extras)]
    about = [*_about_ranking(report)]
    if sets and report.rankings:
        about.append("Ranks are by the average.")
    return Grid(
        [*_set_columns(report)] if sets else columns,
        in_clusters(rows, clusters) if clusters else [rows],
        report.size,
        [" ".join(about)],
        level="brief",
        limit=None if sets else _MOST_SYSTEMS,
        clustered=bool(clusters),
        paper=True,
    )


def _set_columns(report: CompareReport) -> Iterator[Column]:
    """Yield the scores on each test set, then the averages and ranks."""
    entries = {(entry.metric, entry.slice, entry.system): entry for entry in report.scores}
    first = report.first_metric

    def score(metric: str, label: str | None, row: Mapping[str, Any]) -> Cell:
        return report.score_cell(entries[metric, label, row[first].system])

    several = len(report.titles) > 1
    yield from report.key_columns()
    for label, (metric, title) in product((*report.result.sets, None), report.titles.items()):
        test_set = label or report.overall
        yield report.score_column(
            metric,
            title if several else test_set,
            partial(score, metric, label),
            group=test_set if several else title,
            attached=metric != first,
        )
    for metric, title in report.titles.items() if report.rankings else ():
        rank = replace(report.rank_column(metric), attached=metric != first, optional=0)
        yield replace(rank, title=title, group=rank.title) if several else rank


def _about_ranking(report: CompareReport) -> Iterator[str]:
    """Yield sentences on the test, the lines between clusters and the ranks."""
    yield describe_test(report)
    if len(report.tests) > 1 and report.rankings:
        yield f"Ranks and lines are by the {report.first_test} test."
    if len(report.clusters) > 1:
        by = f" (by {report.titles[report.first_metric]})" if len(report.titles) > 1 else ""
        yield f"Lines separate clusters{by}."
    if report.rankings:
        plan = report.result.plan
        uncorrected = any(ranking.uncorrected for ranking in report.rankings.values())
        yield confidence(plan.alpha, why_uncorrected(plan.adjust) if uncorrected else "")


def _caption(report: CompareReport) -> str:
    """The shortest explanation of a paper's table: at most three lines of a column."""
    baseline = report.result.plan.baseline
    by_test = f" by the {report.first_test} test" if len(report.tests) > 1 else ""
    sentences = []
    if report.superscripts and baseline is None:
        sentences.append(f"Superscripts: significantly worse systems{by_test}.")
    elif report.superscripts:
        sentences.append(f"+/−: significantly better/worse than {baseline}{by_test}.")
    if len(report.clusters) > 1:
        sentences.append("Lines: clusters.")
    sentences += [describe_test(report, is_short=True), *report.label_cautions(report.first_pairs)]
    return " ".join(sentences)


# Parts for pages only.


def _distribution_parts(report: CompareReport) -> Iterator[Part]:
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
        neighbours = [trials for trials in group if report.is_neighbour(trials)]
        others = [trials for trials in group if not report.is_neighbour(trials)]
        title = f"{report.titles[metric]}: trials of the {test} test{_first_of(report, neighbours)}"
        draw = partial(draw_later, "compare_pictures.histograms", report)
        yield Pictures(draw(neighbours[:_MOST_PLOTS]), title, small=True, section=section)
        if others:
            count = f"All {len(others):,} pairs"
            label = plural(len(others), "further pair") if neighbours else count
            yield Pictures(draw(others), small=True, folded=label, section=section)
    yield from _sweep_parts(report, section)
    if details.lengths:
        draw_lengths = draw_later("compare_pictures.length_plots", report)
        yield Pictures(draw_lengths, "Scores and lengths", section=section)
    if len(report.titles) > 1:
        draw_metrics = draw_later("compare_pictures.metric_pair_plots", report)
        yield Pictures(draw_metrics, "Agreement of metrics", section=section)


def _first_of(report: CompareReport, pairs: Sequence[object]) -> str:
    """The end of a title if not all of the main pairs are drawn."""
    if len(pairs) <= _MOST_PLOTS:
        return ""
    return f", first {_MOST_PLOTS} of {len(pairs):,} {_main_pairs(report)}"


def _main_pairs(report: CompareReport) -> str:
    """What the pairs are for which `CompareReport.is_neighbour` is true, in words."""
    baseline = report.result.plan.baseline
    return "pairs of neighbours in rank" if baseline is None else f"pairs with {baseline}"


def _sweep_parts(report: CompareReport, section: str) -> Iterator[Part]:
    """Yield results of neighbours on samples; metrics after the first are folded."""
    from weigh.report.compare_pictures import sweep_plots, sweeps_to_draw

    ordered = _better_first(report, sweeps_to_draw(report))
    details = report.result.details
    if ordered and details is not None:
        unit = report.result.unit
        yield Note(
            [f"Results on small parts of the test set, for {_main_pairs(report)}."],
            f"Samples of {plural(details.sample_size, unit)}{_first_of(report, ordered)}",
            level="page",
            section=section,
        )
    groups = grouped(ordered, lambda sweep: sweep.metric)
    for number, (metric, sweeps) in enumerate(groups.items()):
        folded = report.titles[metric] if number else ""
        drawn = sweeps[:_MOST_PLOTS]
        yield Pictures(partial(sweep_plots, report, drawn), folded=folded, section=section)


def _better_first(report: CompareReport, pairs: Sequence[Any]) -> list[Any]:
    """Evidence on pairs, metric by metric, with the best systems first."""
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
    order = dict.fromkeys(entry.system for entry in report.scores)
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
            report.higher_is_better(metric),
            report.is_percent(metric),
        )
        for metric in segments.scores
    ]
    return Browser(
        segments, names, metrics, pair, result.test_set.segments, report.item, section=section
    )


_REQUIRED = ("metric", "a", "b", "test", "p_value", "p_adjusted", "significant")


def _records(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """One record per comparison, without empty columns."""
    records = []
    for comparison in comparisons:
        record = encode(comparison)
        margin = record.pop("margin_interval", None) or (None, None)
        record |= {"margin_low": margin[0], "margin_high": margin[1]}
        records.append(record)
    return drop_empty_columns(records, _REQUIRED)


def _works_used(result: CompareResult) -> Used:
    pairs, interval = result.comparisons, result.plan.interval
    return Used(
        [metric.metric for metric in result.metrics],
        list(dict.fromkeys(pair.test for pair in pairs)),
        # Tests of all pairs at once are their own correction.
        list(dict.fromkeys(p.adjust for p in pairs if p.family_size > 1 and p.adjust != p.test)),
        [interval],
        margins=any(pair.margin is not None for pair in pairs),
    )
