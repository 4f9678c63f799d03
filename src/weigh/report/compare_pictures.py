"""Pictures of scores and comparisons."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, islice, product
from typing import TYPE_CHECKING, Any

from weigh.comparing.methods import title_of, trials_wanted
from weigh.report.contrasts import FEWEST_SYSTEMS, LEVELS, Contrast, contrast_map
from weigh.report.grid import rank_text, visible
from weigh.report.pairs import PairRow
from weigh.report.pictures.axes import Axis, Symbol
from weigh.report.pictures.forest import Row, forest_plot
from weigh.report.pictures.histogram import Bins, Region, histogram
from weigh.report.pictures.picture import Caption, Picture, name_of
from weigh.report.pictures.scatter import LabelledPoint, scatter_plot
from weigh.report.svg import cut, is_drawable
from weigh.stats.procedures import PROCEDURES
from weigh.types import grouped
from weigh.wording import fixed, p_value

if TYPE_CHECKING:
    from weigh.comparing.compare_result import Comparison, Histogram, Sweep
    from weigh.comparing.plan import Plan
    from weigh.comparing.score_result import SystemScore
    from weigh.report.compared import CompareReport
    from weigh.report.scores import ScoreTable

_MOST_METRIC_PAIRS = 10


def forest_plots(report: ScoreTable, *, sliced: bool = False) -> Iterator[Picture]:
    """Draw scores on the whole test set, or on its slices, by every metric.

    In a comparison, scores have ranks, and lines separate clusters.
    """
    for number, (metric, label) in enumerate(product(report.metrics, report.slices), 1):
        rows = list(_forest_rows(report, metric, label))
        if rows and (label is not None) == sliced:
            caption = Caption(
                name_of("forest", number, metric, label),
                f"Scores by {report.heading(metric, label)}",
            )
            axis = Axis(f"{report.unit(metric)}, {report.direction(metric)}", robust=True)
            yield forest_plot(rows, caption, axis, report.decimals(metric))


def _forest_rows(report: ScoreTable, metric: str, label: str | None) -> Iterator[Row]:
    ranking = report.rankings.get((metric, label))
    clusters = () if ranking is None else ranking.clusters
    numbers = {name: at for at, names in enumerate(clusters) for name in names}
    for entry in report.drawable_scores(metric, label):
        name = entry.system if entry.run is None else f"{entry.system}@{entry.run}"
        cluster, rank = None, ""
        if ranking is not None and entry.system in numbers:
            cluster, rank = numbers[entry.system], rank_text(ranking.ranks[entry.system])
        score = entry.score, entry.interval, entry.level
        yield _row(report, metric, name, *score, cluster=cluster, rank=rank)


def _row(
    report: ScoreTable,
    metric: str,
    name: str,
    value: float,
    interval: tuple[float, float] | None,
    level: float | None,
    **more: Any,
) -> Row:
    """A score or difference with its interval, in percent if the metric is a share."""
    if interval is not None:
        interval = report.scaled(metric, interval[0]), report.scaled(metric, interval[1])
    return Row(name, report.scaled(metric, value), interval, level, **more)


def heat_maps(report: CompareReport, *, sliced: bool = False) -> Iterator[Picture]:
    """Draw pairs by every test and metric, on the whole test set or on its slices."""
    pairs_of_tests = [pair for pairs in report.tests.values() for pair in pairs]
    groups = grouped(pairs_of_tests, lambda pair: (pair.test, pair.metric, pair.slice))
    plan = report.result.plan
    for number, ((test, metric, label), pairs) in enumerate(groups.items(), 1):
        names = [entry.system for entry in report.drawable_scores(metric, label)]
        if len(names) >= FEWEST_SYSTEMS and (label is not None) == sliced:
            caption = Caption(
                name_of("heat", number, metric, test, label),
                f"{report.heading(metric, label)}: {visible(title_of(pairs[0], plan))}",
            )
            contrasts = [_contrast(report, pair) for pair in pairs]
            levels = _out_of_reach(pairs, plan)
            yield contrast_map(names, contrasts, caption, plan.baseline, levels)


def _out_of_reach(pairs: Sequence[Comparison], plan: Plan) -> dict[float, str]:
    """The levels that no adjusted p-value can reach, with the trials that they would need."""
    if any(pair.exact for pair in pairs):
        return {}
    pair = max(pairs, key=lambda pair: pair.trials)
    needed = {level: trials_wanted(pair, plan, level) for level, _ in LEVELS}
    return {level: f"{trials:,} trials" for level, trials in needed.items() if trials is not None}


def _contrast(report: CompareReport, pair: Comparison) -> Contrast:
    higher, is_contradicted = report.higher_is_better(pair.metric), pair.contradicts
    favoured = pair.a if pair.favours_a(higher_is_better=higher) else pair.b
    return Contrast(
        pair,
        ahead=None if is_contradicted else favoured,
        beats=pair.beats(higher_is_better=higher),
        difference=report.scaled(pair.metric, pair.difference),
        unit="percentage points" if report.is_percent(pair.metric) else report.heading(pair.metric),
        decimals=report.decimals(pair.metric),
    )


def histograms(report: CompareReport, chosen: Sequence[Histogram]) -> Iterator[Picture]:
    """Draw the distributions of test trials (Graham et al. 2014, §5)."""
    details = report.result.details
    assert details is not None, "histograms are details"
    numbers = {id(trials): number for number, trials in enumerate(details.histograms, 1)}
    comparisons = {
        (pair.metric, pair.test, pair.a, pair.b): pair
        for pair in report.result.comparisons
        if pair.slice is None
    }
    for trials in chosen:
        key = (trials.metric, trials.test, trials.a, trials.b)
        name = name_of("histogram", numbers[id(trials)], *key)
        yield _histogram(report, trials, comparisons[key], name)


def _histogram(report: CompareReport, trials: Histogram, pair: Comparison, name: str) -> Picture:
    """Draw the trials of a pair, with the systems in the order of `PairRow`."""
    row = PairRow.of(report, pair)
    scaled = partial(report.scaled, pair.metric)
    difference = scaled(row.difference)
    trials = replace(trials, start=scaled(trials.start), width=scaled(trials.width))
    if row.flipped:
        end = trials.start + trials.width * len(trials.counts)
        trials = replace(trials, start=-end, counts=trials.counts[::-1])
    observed = fixed(difference, report.decimals(pair.metric), sign=True)
    around_zero = PROCEDURES[pair.test].around_zero
    marked = (difference, f"observed {observed}") if around_zero else (0.0, "0")
    names = f"{visible(row.first)} and {visible(row.second)}"
    return histogram(
        Bins(trials.start, trials.width, trials.counts),
        Caption(name, f"{names} by {report.heading(pair.metric)}: {pair.test}"),
        heading=f"{cut(row.first, 16)} / {cut(row.second, 16)}",
        marked=marked if is_drawable(difference) else (difference, ""),
        extreme=extreme_regions(trials, pair, difference),
        notes=(p_value(pair.p_value), "first better →"),
    )


def extreme_regions(trials: Histogram, pair: Comparison, difference: float) -> tuple[Region, ...]:
    """The regions of trials that count towards the p-value.

    `difference` is positive if a is better, like the trials. Trials around zero count if they reach
    the difference; trials around the difference (paired bootstrap, Koehn 2004 §6) count if they
    reach zero. In two-sided tests, the former count on both sides and the latter on the smaller.
    """
    below, above = (-math.inf, 0.0), (0.0, math.inf)
    if not PROCEDURES[pair.test].around_zero:
        if pair.alternative == "two-sided":
            return (below if _share_below_zero(trials) <= 0.5 else above,)
        return (below if pair.alternative == "better" else above,)
    if pair.alternative == "two-sided":
        return ((-math.inf, -abs(difference)), (abs(difference), math.inf))
    if pair.alternative == "better":
        return ((difference, math.inf),)
    return ((-math.inf, difference),)


def _share_below_zero(trials: Histogram) -> float:
    """The approximate share of negative trials, if the trials of a bin are spread evenly."""
    zero = -trials.start / trials.width  # in bins from the start: bins may be extremely narrow
    below = sum(count * min(max(zero - at, 0.0), 1.0) for at, count in enumerate(trials.counts))
    return below / sum(trials.counts)


def length_plots(report: CompareReport) -> Iterator[Picture]:
    """Draw score against length by every metric, with a line at the length of the references."""
    details = report.result.details
    if details is None:
        return
    unit = details.length_unit
    lengths = {
        name: (length, f"length {fixed(length, 3)}")
        for name, length in details.lengths.items()
        if is_drawable(length)
    }
    across = Axis(f"Length: output {unit}s per {unit} of the references", marked=[(1.0, "dashed")])
    for number, metric in enumerate(report.titles, 1):
        if points := _score_points(report, lengths, metric):
            name = name_of("length", number, metric)
            caption = Caption(name, f"{report.heading(metric)} against length")
            yield scatter_plot(points, caption, across, _score_axis(report, metric, "up"))


def _score_points(
    report: CompareReport, numbers: Mapping[str, tuple[float, str]], metric: str
) -> list[LabelledPoint]:
    """Systems at a number and their score; `numbers` come with their text for tooltips."""
    return [
        LabelledPoint(
            entry.system,
            numbers[entry.system][0],
            report.scaled(metric, entry.score),
            f"{visible(entry.system)}: {numbers[entry.system][1]}, {_score_text(report, entry)}",
        )
        for entry in report.drawable_scores(metric)
        if entry.system in numbers
    ]


def _score_text(report: CompareReport, entry: SystemScore) -> str:
    return f"{report.text(entry.metric, entry.score)} {report.heading(entry.metric)}"


def _score_axis(report: CompareReport, metric: str, better: str) -> Axis:
    title = f"{report.unit(metric)}, {report.direction(metric)} ({better}: better)"
    return Axis(title, reverse=not report.higher_is_better(metric))


def metric_pair_plots(report: CompareReport) -> Iterator[Picture]:
    """Draw one metric against another, for the first ten pairs of metrics."""
    pairs = islice(combinations(report.titles, 2), _MOST_METRIC_PAIRS)
    for number, (first, second) in enumerate(pairs, 1):
        across = {
            entry.system: (report.scaled(first, entry.score), _score_text(report, entry))
            for entry in report.drawable_scores(first)
        }
        points = _score_points(report, across, second)
        if len(points) > 1:
            caption = Caption(
                name_of("agreement", number, first, second),
                f"{report.heading(first)} and {report.heading(second)}",
            )
            axes = _score_axis(report, first, "right"), _score_axis(report, second, "up")
            yield scatter_plot(points, caption, *axes, size=(400.0, 380.0))


def sweeps_to_draw(report: CompareReport) -> list[Sweep]:
    """The results on samples of pairs that are neighbours in the ranking, each pair once."""
    details = report.result.details
    pairs: dict[tuple[str, frozenset[str]], Sweep] = {}
    for sweep in () if details is None else details.sweeps:
        has_numbers = any(is_drawable(difference) for difference in sweep.differences)
        if has_numbers and report.is_neighbour(sweep):
            # One-sided tests run in both directions; one picture shows both.
            pairs.setdefault((sweep.metric, frozenset((sweep.a, sweep.b))), sweep)
    return list(pairs.values())


def sweep_plots(report: CompareReport, chosen: Sequence[Sweep]) -> list[Picture]:
    """Draw the results of pairs on samples (Koehn 2004, figures 4, 7, 8)."""
    numbers = {id(sweep): number for number, sweep in enumerate(sweeps_to_draw(report), 1)}
    return [_sweep_plot(report, sweep, numbers[id(sweep)]) for sweep in chosen]


# Classes of samples by their conclusion.
_A, _UNSURE, _B = "", "open", "against"


def _sweep_plot(report: CompareReport, sweep: Sweep, number: int) -> Picture:
    metric, level = sweep.metric, report.result.plan.level
    decimals = report.decimals(metric)
    samples = enumerate(zip(sweep.differences, sweep.intervals, sweep.winners, strict=True), 1)
    kinds = {sweep.a: _A, None: _UNSURE, sweep.b: _B}
    rows = [
        _row(report, metric, f"sample {at}", difference, interval, level, kind=kinds[winner])
        for at, (difference, interval, winner) in samples
        if is_drawable(difference, *interval)
    ]
    counts = Counter(row.kind for row in rows)
    title = f"Difference by {report.unit(metric)}"
    lines = [(0.0, "axis")]
    whole = report.scaled(metric, _whole_difference(report, sweep))
    if is_drawable(whole):
        title += f"; dashed: whole test set, {fixed(whole, decimals, sign=True)}"
        lines.append((whole, "dashed"))
    caption = Caption(
        name_of("sweep", number, metric, sweep.a, sweep.b),
        f"{visible(sweep.a)} and {visible(sweep.b)} by {report.heading(metric)}, sample by sample",
    )
    entries = [
        (Symbol("circle", "point"), f"{cut(sweep.a, 13)} better: {counts[_A]}"),
        (Symbol("circle", "point open"), f"no evidence: {counts[_UNSURE]}"),
        (Symbol("circle", "point against"), f"{cut(sweep.b, 13)} better: {counts[_B]}"),
    ]
    return forest_plot(rows, caption, Axis(title, marked=lines), decimals, entries=entries)


def _whole_difference(report: CompareReport, sweep: Sweep) -> float:
    """The difference on the whole test set, positive if a is better."""
    scores = {
        entry.system: entry.score for entry in report.metrics[sweep.metric] if entry.slice is None
    }
    difference = scores[sweep.a] - scores[sweep.b]
    return difference if report.higher_is_better(sweep.metric) else -difference
