"""What is shown of scores and comparisons: `weigh score`, `weigh compare`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from weigh.comparing.compare_result import CompareResult, Comparison, Ranking
from weigh.comparing.dataset import MACRO
from weigh.comparing.methods import correction, has_runs, meaning, procedure, title_of
from weigh.report.compared import CompareReport
from weigh.report.findings import about_lines, conclusions, findings, how, undecided_pairs
from weigh.report.grid import Cell, Column, Grid
from weigh.report.pairs import (
    KEY,
    asked_of_group,
    further,
    identical_outputs,
    list_grid,
    matrix_grid,
    superscripts_grid,
    under_list,
    under_matrix,
    under_scores,
)
from weigh.report.phrases import NO_EVIDENCE, rank_text, rank_title
from weigh.report.scores import (
    OVERALL,
    SLICES,
    marked,
    systems_grid,
)
from weigh.report.view import (
    LATEX,
    PAGE,
    SUMMARY,
    TEXT,
    Alert,
    BrowsedMetric,
    Browser,
    Part,
    Used,
    View,
    view_of,
)
from weigh.result import encode
from weigh.types import grouped
from weigh.wording import listed, plural

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Evidence, Histogram, Sweep
    from weigh.report.pictures.picture import Picture

_TERMINAL = ("table",)
_MARKDOWN = ("markdown",)
# More pairs than this are a triangle, fewer a list.
_LONGEST_LIST = 10
# More rows than this are not read on a terminal.
_MOST_ROWS = 50
NO_DETAILS = (
    "This report was made from conclusions alone; weigh compare … --html, or --details for the "
    "data that weigh report reads, keeps what is shown here."
)
_MORE_SLICES = (
    "Scores of single slices are shown by --html FILE, --format markdown and --format json."
)
_NO_TRIALS = "A test by formula has no trials whose distribution could be shown."


@view_of(CompareResult)
def comparison(result: CompareResult) -> View:
    """Show scores, tested pairs, rankings, distributions and segments."""
    report = CompareReport(result)
    systems = plural(len({entry.system for entry in result.scores}), "system")
    gate = result.gate
    return View(
        title=f"{systems} compared by {listed([*report.titles.values()])}",
        subtitle=report.size,
        findings=findings(report),
        cautions=result.warnings,
        alert=None if gate is None else Alert(gate.verdict, f"Gate: {gate.verdict}", gate.reasons),
        parts=[*_text_parts(report, systems), *_latex_parts(report)],
        page_parts=lambda: _page_parts(report),
        methods=result.methods,
        signatures=report.signatures,
        records=lambda: _records(result.comparisons),
        used=_used(result),
    )


def _text_parts(report: CompareReport, systems: str) -> Iterator[Part]:
    """Yield everything for a terminal and for Markdown, in the order of reading."""
    result = report.result
    yield Part(sentences=[f"{systems}, {report.size}"], forms=TEXT)
    yield Part(grid=_scores_grid(report), sentences=under_scores(report), forms=_MARKDOWN)
    grid = _scores_grid(report, mark_best=report.ranks is not None)
    is_long = len(grid.rows) > _MOST_ROWS
    yield Part(
        grid=_of_the_whole(report, grid) if is_long else grid,
        sentences=[
            f"{how(report)}{about_lines(report)}.",
            _MORE_SLICES * (is_long and report.sliced),
        ],
        forms=_TERMINAL,
        depth="brief",
    )
    yield Part(sentences=conclusions(report), forms=_TERMINAL)
    for pairs in report.tests.values():
        yield _pairs_in_terminal(report, pairs)
        yield from _only(_all_pairs(report, pairs), _MARKDOWN)
    if _is_list(report, next(iter(report.tests.values()))):
        yield from _only(further(report), TEXT)
    elif asked := [
        said for pairs in _whole_groups(report) for said in asked_of_group(report, pairs)
    ]:
        yield Part(sentences=asked, forms=_TERMINAL)
    if identical := identical_outputs(report):
        yield Part(sentences=identical, forms=TEXT)
    if result.gate is not None:
        reasons = [f"  {reason}" for reason in result.gate.reasons]
        yield Part(sentences=[f"Gate: {result.gate.verdict}", *reasons], forms=TEXT)
    yield Part(sentences=[f"Methods: {result.methods}"], forms=TEXT)


def _all_pairs(report: CompareReport, pairs: Sequence[Comparison]) -> Iterator[Part]:
    """Yield every pair by a test: a list, or a triangle by metric and slice where it is long.

    How they are to be read is said once.
    """
    heading = title_of(pairs[0], report.result.plan)
    if _is_list(report, pairs):
        sentences = [_tested(report, pairs), *under_list(report, pairs)]
        yield Part(heading, list_grid(report, pairs), sentences)
        return
    for number, group in enumerate(_grouped(pairs)):
        once = [KEY, _tested(report, pairs), *report.label_cautions(pairs)] if number == 0 else []
        about = _about(report, group[0], heading)
        yield Part(about, matrix_grid(report, group), [*once, *under_matrix(report, group)])


def _pairs_in_terminal(report: CompareReport, pairs: Sequence[Comparison]) -> Part:
    """Return as many pairs by a test as are read on a terminal."""
    shown, which = _readable(report, pairs)
    sentences = under_list(report, shown)
    if has_runs(report.result):  # it tells which of two questions on runs is answered
        sentences = [_tested(report, pairs), *sentences]
    if len(shown) < len(pairs):
        sentences = [
            *sentences,
            f"{len(shown):,} of {plural(len(pairs), 'comparison')}, {which}; all are shown by "
            "--html FILE, --format markdown and --format tsv.",
        ]
    heading = title_of(pairs[0], report.result.plan)
    return Part(heading, list_grid(report, shown), sentences, forms=_TERMINAL)


def _readable(
    report: CompareReport, pairs: Sequence[Comparison]
) -> tuple[Sequence[Comparison], str]:
    """Return the pairs that a terminal lists, and which they are where those are not all.

    Where there are too many: those of the whole test set, then neighbours in rank, then those by
    the first metric.
    """
    first = next(iter(report.titles))
    is_triangle = not _is_list(report, pairs)
    which = []
    for said, is_left, is_wanted in (
        ("on the whole test set", lambda pair: pair.slice is None, False),
        ("neighbours in rank", lambda pair: report.is_neighbour(pair, pair.slice), is_triangle),
        (f"by {report.titles[first]}", lambda pair: pair.metric == first, False),
    ):
        left = [pair for pair in pairs if is_left(pair)]
        if len(left) < len(pairs) and (is_wanted or len(pairs) > _MOST_ROWS):
            pairs = left
            which.append(said)
    return pairs, ", ".join(which)


def _whole_groups(report: CompareReport) -> list[list[Comparison]]:
    """Return the pairs by the first test and each metric, on the whole test set."""
    first = next(iter(report.tests.values()))
    return [group for group in _grouped(first) if group[0].slice is None]


def _tested(report: CompareReport, pairs: Sequence[Comparison]) -> str:
    """Return what a test asks of its pairs, and how it is corrected, if it is."""
    return f"{meaning(pairs, report.result)} {correction(pairs[0], report.result.plan)}"


def _only(parts: Iterator[Part], forms: Sequence[str]) -> Iterator[Part]:
    return (replace(part, forms=forms) for part in parts)


def _scores_grid(report: CompareReport, *, mark_best: bool = False) -> Grid:
    clusters = report.lines(report.first_test)
    return systems_grid(report.scores, report.ranks, clusters, mark_best=mark_best)


def _of_the_whole(report: CompareReport, grid: Grid) -> Grid:
    """Return a table of scores without those of single slices, whose names stand first in it."""
    if not report.sliced:
        return grid
    whole = (OVERALL, MACRO)
    blocks = [[row for row in block if row[0].text in whole] for block in grid.blocks]
    return replace(grid, blocks=[block for block in blocks if block])


def _is_list(report: CompareReport, pairs: Sequence[Comparison]) -> bool:
    """Return whether pairs are listed; more would not be read but as a triangle."""
    return report.result.plan.baseline is not None or len(_grouped(pairs)[0]) <= _LONGEST_LIST


def _grouped(pairs: Sequence[Comparison]) -> list[list[Comparison]]:
    return [*grouped(pairs, lambda pair: (pair.metric, pair.slice)).values()]


def _about(report: CompareReport, pair: Comparison, heading: str) -> str:
    where = f", {OVERALL if pair.slice is None else pair.slice}" if report.sliced else ""
    return f"{report.titles[pair.metric]}{where}: {heading}"


def _latex_parts(report: CompareReport) -> Iterator[Part]:
    """Yield a table per test, with who beats whom in superscripts."""
    for pairs in report.tests.values():
        yield Part(
            grid=superscripts_grid(report, pairs),
            sentences=[_caption(report, pairs)],
            forms=LATEX,
            note=[
                (title, signature)
                for title, signature in report.signatures
                if title in report.titles.values() or title == pairs[0].test
            ],
        )


def _caption(report: CompareReport, pairs: Sequence[Comparison]) -> str:
    result, first = report.result, pairs[0]
    baseline = result.plan.baseline
    raised = (
        "A score's superscript names the systems that it is significantly better than"
        if baseline is None
        else f"+ and − mark scores significantly better and worse than those of {baseline}"
    )
    size = "; ".join(filter(None, (report.size, report.intervals)))
    said = f"{size}. {raised} ({procedure(first, result)})."
    if report.ranks_by(first.test) is not None:
        said += f" {report.about_ranks(first.test)}"
    return " ".join([said, *report.label_cautions(pairs)])


def _page_parts(report: CompareReport) -> Iterator[Part]:
    """Yield the sections of a page, in the order of reading."""
    from weigh.report import compare_pictures as pictures

    yield Part(section=SUMMARY, pictures=partial(pictures.forest_plots, report, sliced=False))
    yield from _slice_parts(report)
    if undecided := undecided_pairs(report):
        yield Part(sentences=undecided, folded=f"Pairs with {NO_EVIDENCE}")
    yield Part("Scores", _scores_grid(report), under_scores(report), section="Scores")
    if report.sliced:
        yield Part(pictures=partial(pictures.forest_plots, report, sliced=True), folded=SLICES)
    yield from _ranking_parts(report)
    yield from _pair_parts(report)
    yield from _distribution_parts(report)
    yield _segments_part(report)


def _drawn(report: CompareReport, draw: Callable[..., list[Picture]]) -> Iterator[Part]:
    """Yield pictures of the whole test set, and those of its slices, folded away."""
    yield Part(pictures=partial(draw, report, sliced=False))
    if report.sliced:
        yield Part(pictures=partial(draw, report, sliced=True), folded=SLICES)


def _slice_parts(report: CompareReport) -> Iterator[Part]:
    """Yield systems by slices, a table for each metric."""
    if not report.sliced:
        return
    places = report.places(next(iter(report.titles)))
    names = sorted({entry.system for entry in report.result.scores}, key=lambda n: places.get(n, 0))
    for metric, title in report.titles.items():
        scores = {
            (entry.slice, entry.system): entry
            for entry in report.scores.scores
            if entry.metric == metric
        }
        columns = [
            marked([scores[label, name] for name in names], report.scores)
            for label in report.slices
        ]
        rows = [[Cell(name), *cells] for name, *cells in zip(names, *columns, strict=True)]
        labels = [OVERALL if label is None else label for label in report.slices]
        heads = [Column(label, "higher" if report.higher(metric) else "lower") for label in labels]
        yield Part(f"{title} by slice", Grid([Column("System"), *heads], [rows]))


def _ranking_parts(report: CompareReport) -> Iterator[Part]:
    result = report.result
    if not result.rankings:
        why = (
            "one-sided tests make no ranking"
            if result.plan.baseline is None
            else f"all systems were compared with {result.plan.baseline} and not with each other"
        )
        yield Part(section="Ranking", sentences=[f"There are no clusters: {why}."])
        return
    said = (
        "A line stands where every system above is significantly better than every one below. "
        "Between two lines systems are listed by score; how far they are told apart, their ranks "
        "say."
    )
    yield Part(section="Ranking", sentences=[said])
    for ranking in sorted(result.rankings, key=lambda ranking: ranking.slice is not None):
        heading = f"{report.titles[ranking.metric]}, {ranking.test}"
        whole = ranking.slice is None
        yield Part(
            heading if whole else f"{heading}, {ranking.slice}",
            _clusters(ranking),
            folded="" if whole else SLICES,
            beside=True,
        )


def _clusters(ranking: Ranking) -> Grid:
    """Return systems by a metric and a test, each with its ranks, with lines between clusters."""
    columns = [Column(rank_title(ranking.uncorrected), kind="number"), Column("System")]
    blocks = [
        [[Cell(rank_text(ranking.ranks[name])), Cell(name)] for name in cluster]
        for cluster in ranking.clusters
    ]
    return Grid(columns, blocks, lined=True)


def _pair_parts(report: CompareReport) -> Iterator[Part]:
    from weigh.report import compare_pictures as pictures

    asked = []
    for pairs in report.tests.values():
        title = title_of(pairs[0], report.result.plan)
        asked.append(f"{title}{'' if title.endswith('?') else '.'} {_tested(report, pairs)}")
    yield Part(section="Pairs", sentences=asked)
    yield from _drawn(report, pictures.heat_maps)
    pairs = [pair for tested in report.tests.values() for pair in tested]
    yield Part(
        "All pairs",
        _pairs_grid(report),
        under_list(report, pairs),
        significant=[pair.decided for pair in pairs],
        about={
            "Metric": [report.titles[pair.metric] for pair in pairs],
            "Test": [pair.test for pair in pairs],
        },
    )
    yield from further(report)
    yield Part(sentences=identical_outputs(report))


def _pairs_grid(report: CompareReport) -> Grid:
    """Return the lists of all tests as one, with a column for the test where there are several."""
    grids = {test: list_grid(report, pairs) for test, pairs in report.tests.items()}
    columns = _merged([grid.columns for grid in grids.values()])
    several = len(grids) > 1
    rows = []
    for test, grid in grids.items():
        titles = [column.title for column in grid.columns]
        for row in grid.rows:
            cells = dict(zip(titles, row, strict=True))
            told = [cells.get(column.title, Cell("")) for column in columns]
            rows.append([Cell(test), *told] if several else told)
    return Grid([Column("Test"), *columns] if several else columns, [rows])


def _merged(lists: Sequence[Sequence[Column]]) -> list[Column]:
    """Return the columns of all lists, each after the one that it follows in its own."""
    merged: list[Column] = []
    for columns in lists:
        at = 0
        for column in columns:
            known = [other.title for other in merged]
            if column.title in known:
                at = known.index(column.title)
            else:
                merged.insert(at, column)
            at += 1
    return merged


def _distribution_parts(report: CompareReport) -> Iterator[Part]:
    from weigh.report import compare_pictures as pictures

    details = report.result.details
    if details is None:
        yield Part(section="Distributions", sentences=[NO_DETAILS])
    else:
        yield Part(
            section="Distributions",
            sentences=[] if details.histograms else [_NO_TRIALS],
        )
        yield from _histogram_parts(report, details)
        yield from _sweep_parts(report, details)
        if details.lengths:
            yield Part(
                "Scores and lengths", pictures=partial(pictures.length_plots, report), forms=PAGE
            )
    if len(report.titles) > 1:
        yield Part(
            "Agreement of metrics", pictures=partial(pictures.metric_pair_plots, report), forms=PAGE
        )


def _histogram_parts(report: CompareReport, details: Evidence) -> Iterator[Part]:
    """Yield the trials of every test: neighbours in the ranking, and the others folded away."""
    from weigh.report.compare_pictures import histograms

    ordered: list[Histogram] = _better_first(report, details.histograms)
    for (metric, test), group in grouped(ordered, lambda each: (each.metric, each.test)).items():
        near = [each for each in group if report.is_neighbour(each)]
        far = [each for each in group if not report.is_neighbour(each)]
        heading = f"{report.titles[metric]}: trials of the {test} test"
        yield Part(heading, pictures=partial(histograms, report, near), small=True)
        if far:
            label = f"{len(far):,} further pairs" if near else f"All {len(far):,} pairs"
            yield Part(folded=label, pictures=partial(histograms, report, far), small=True)


def _sweep_parts(report: CompareReport, details: Evidence) -> Iterator[Part]:
    """Yield neighbours on samples by the first metric, and by the others folded away."""
    from weigh.report.compare_pictures import sweep_plots, sweeps_to_draw

    ordered: list[Sweep] = _better_first(report, sweeps_to_draw(report))
    if ordered:
        yield Part(
            f"Samples of {plural(details.sample_size, report.result.unit)}",
            sentences=[
                "What would smaller test sets have said? Pairs that are neighbours in the ranking:"
            ],
        )
    groups = grouped(ordered, lambda sweep: sweep.metric)
    for number, (metric, sweeps) in enumerate(groups.items()):
        folded = report.titles[metric] if number else ""
        yield Part(pictures=partial(sweep_plots, report, sweeps), folded=folded, forms=PAGE)


def _better_first(report: CompareReport, pairs: Sequence[Any]) -> list[Any]:
    """Return what was seen of pairs metric by metric, that of the best systems first."""
    metrics = list(report.titles)
    ranks = {
        (metric, entry.system): rank
        for metric in metrics
        for rank, entry in enumerate(report.ordered(metric))
    }

    def place(pair: Any) -> tuple[int, list[int]]:
        both = sorted(ranks.get((pair.metric, name), len(ranks)) for name in (pair.a, pair.b))
        return metrics.index(pair.metric), both

    return sorted(pairs, key=place)


def _segments_part(report: CompareReport) -> Part:
    result = report.result
    if result.details is None or not result.details.segments.numbers:
        return Part(section="Segments", sentences=[NO_DETAILS])
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
        BrowsedMetric(metric, report.titles[metric], report.decimals(metric), report.higher(metric))
        for metric in segments.scores
    ]
    browser = Browser(segments, names, metrics, pair, result.test_set.segments)
    return Part(section="Segments", browser=browser)


_REQUIRED = ("metric", "a", "b", "test", "p_value", "p_adjusted", "significant")


def _records(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Return one record per comparison, less the columns in which nothing stands."""
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
        [each.metric for each in result.metrics],
        list(dict.fromkeys(pair.test for pair in pairs)),
        # Tests of all pairs at once are corrections themselves.
        [pair.adjust for pair in pairs if pair.family_size > 1 and pair.adjust != pair.test],
        [interval],
        margins=any(pair.margin is not None for pair in pairs),
    )
