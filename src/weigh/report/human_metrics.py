"""What is shown of metrics against people: over systems, over segments, and by difference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from weigh.comparing.methods import ADJUSTMENTS
from weigh.human.contests import MetricAgreement, MetricContest
from weigh.human.deltas import DRAWS, NEAR, DeltaCurve, DeltaData, DeltaNeeded, DeltasResult
from weigh.human.metrics import MetricsResult
from weigh.human.segment_accuracy import FOLDS, SegmentAccuracy
from weigh.report.grid import Cell, Column, Grid, table
from weigh.report.human import quality_works
from weigh.report.parts import Part, Pictures, summary
from weigh.report.phrases import BY
from weigh.report.view import Used, View, signature, view_of
from weigh.result import encode
from weigh.wording import NO_NUMBER, intervals, listed, percent, plural, probability, share

if TYPE_CHECKING:
    from weigh.report.pictures.picture import Picture

_MEASURES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "accuracy": "Accuracy",
    "soft_accuracy": "Soft accuracy",
    "sensitivity": "Sensitivity",
}
_P_VALUES = {
    "p_williams": "Williams",
    "p_kendall": "Kendall",
    "p_accuracy": "Accuracy",
    "p_soft_accuracy": "Soft accuracy",
}

_CALIBRATED = (
    "; over pairs of outputs for one segment by accuracy with tie calibration (Deutsch, Foster & "
    f"Freitag 2023), the threshold of ties being chosen by {FOLDS}-fold cross-validation over "
    "segments"
)
_READ = (
    "; people's agreement with a difference between two systems was read off a logistic curve "
    "through one half at no difference (cf. Kocmi et al. 2024), with intervals from "
    f"{DRAWS:,} bootstrap draws of systems"
)


@view_of(MetricsResult)
def metrics(result: MetricsResult) -> View:
    """Show how well metrics agree with people, and whether one does better."""
    parts: list[Part] = []
    findings, told = [], []
    for number, group in enumerate(result.systems):
        scale = group.scale
        held = [each for each in result.metrics if each.scale == scale]
        contests = [each for each in result.contests if each.scale == scale]
        called = _called(held)
        findings.append(_best_metric(scale, held, called))
        parts += [
            _metrics_grid(held, called).titled(
                f"{scale}, {plural(len(group.systems), 'system')}",
                [] if number else _explained_metrics(result),
                section="Metrics",
                paper=True,
            ),
            Pictures(partial(_plots, held, called, number + 1)),
        ]
        if contests:
            parts.append(
                _contests_grid(contests, called).titled(
                    f"{scale}: two metrics",
                    [] if number else _explained_contests(contests, result.trials),
                    paper=True,
                )
            )
        rows = [each for each in result.segments if each.scale == scale]
        if rows:
            parts.append(_segments_part(scale, rows, called, result.level, first=not number))
        curves = [each for each in result.deltas if each.scale == scale]
        if curves:
            told += [f"{scale}: {text}" for text in _asked(curves)]
            parts += _deltas_parts(
                curves,
                f"{scale}: what differences mean to people",
                f"By these judgments, {plural(curves[0].systems, 'system')}.",
                result.level,
                result.deltas.index(curves[0]),
            )
    works = ["rank correlation", "pairwise accuracy", "soft pairwise accuracy", "sensitivity"]
    works += quality_works(result.quality)
    works += ["Williams' test"] if result.contests else []
    works += ["tie calibration"] if result.segments else []
    works += ["differences of metrics"] if result.deltas else []
    keys = list(dict.fromkeys(row.metric for row in result.metrics))
    about = {"quality": result.quality, "trials": result.trials, "seed": result.seed}
    compared = (
        "; two metrics were compared by Williams' test and by permutation tests (Deutsch, Dror & "
        f"Roth 2021) of {plural(result.trials, 'trial')} at most"
    )
    return View(
        title=f"{plural(len(keys), 'metric')} held against people",
        subtitle="; ".join(row.scale for row in result.systems),
        parts=[*summary([*findings, *told], result.remarks), *parts],
        methods="Metrics and people were compared over systems by correlations of their scores, by "
        "pairwise accuracy (Kocmi et al. 2021) and by soft pairwise accuracy (Thompson et al. 2024)"
        f"{compared if result.contests else ''}{_CALIBRATED if result.segments else ''}"
        f"{_READ if result.deltas else ''} {BY}",
        signatures=[("metrics", signature(about))],
        records=_records(result),
        used=Used(keys, ["randomization"], [result.adjust], works=works),
    )


def _best_metric(scale: str, metrics: Sequence[MetricAgreement], called: dict[str, str]) -> str:
    """Return which metric orders most pairs as people do."""
    most = max(each.accuracy for each in metrics)
    best = listed([called[each.metric] for each in metrics if each.accuracy == most])
    if len(metrics) == 1:
        return f"{scale}: {best} puts {percent(round(most, 3))} of pairs in the order of people."
    verb = "puts" if sum(each.accuracy == most for each in metrics) == 1 else "put"
    return (
        f"{scale}: {best} {verb} the most pairs in the order of people, {percent(round(most, 3))}."
    )


def _plots(held: Sequence[MetricAgreement], called: dict[str, str], number: int) -> list[Picture]:
    from weigh.report.human_pictures import metric_plot

    return metric_plot(held, called, number)


def _explained_metrics(result: MetricsResult) -> list[str]:
    correction = (
        "not adjusted" if result.adjust == "none" else f"adjusted by {ADJUSTMENTS[result.adjust]}"
    )
    return [
        "Correlations of system scores; accuracy: share of pairs of systems in the order that "
        "people give; soft accuracy: mean of 1 less the difference between the metric's p-value "
        "and people's; sensitivity: share of pairs that the metric finds to differ "
        f"(α = {share(result.alpha)}, {correction})."
    ]


def _explained_contests(contests: Sequence[MetricContest], trials: int) -> list[str]:
    said = (
        "Two-sided p-values that two metrics agree equally well with people: Williams' test for "
        "Pearson's correlation, permutation tests for the others, of "
        f"{plural(trials, 'trial')} at most. Few systems show little: no evidence of a "
        "difference does not make metrics equal."
    )
    if all(each.p_soft_accuracy is not None for each in contests):
        return [said]
    return [
        said,
        "Soft accuracy has no p-value where one of two metrics was computed from texts: its test "
        "exchanges scores of segments, whose mean must be the score of the system, so it needs "
        "them from files for both.",
    ]


def _called(metrics: Sequence[MetricAgreement]) -> dict[str, str]:
    """Return what metrics are called: by name, or as asked for where two have one name."""
    names = [each.name for each in metrics]
    return {
        each.metric: each.metric if each.name is None or names.count(each.name) > 1 else each.name
        for each in metrics
    }


def _metrics_grid(metrics: Sequence[MetricAgreement], called: dict[str, str]) -> Grid:
    *compared, last = _MEASURES

    def measured(name: str, metric: MetricAgreement) -> Cell:
        return _best(getattr(metric, name), [getattr(each, name) for each in metrics])

    return table(
        metrics,
        [
            Column("Metric", lambda metric: called[metric.metric]),
            *(
                Column(
                    _MEASURES[name],
                    partial(measured, name),
                    kind="score",
                    decimals=3,
                    better="higher",
                )
                for name in compared
            ),
            Column(_MEASURES[last], lambda metric: getattr(metric, last), kind="score", decimals=3),
        ],
    )


def _best(value: float | None, values: Sequence[float | None]) -> Cell:
    """Return a number, marked where it is the best of several as they are shown."""
    known = [round(each, 3) for each in values if each is not None]
    is_best = len(values) > 1 and value is not None and round(value, 3) == max(known)
    return Cell(value, best=is_best)


def _contests_grid(contests: Sequence[MetricContest], called: dict[str, str]) -> Grid:
    return table(
        contests,
        [
            Column("A", lambda each: called[each.a]),
            Column("B", lambda each: called[each.b]),
            Column("t", lambda each: each.t, kind="difference", decimals=2),
            *(
                Column(title, partial(_p_value, name), kind="number")
                for name, title in _P_VALUES.items()
            ),
        ],
    )


def _p_value(name: str, contest: MetricContest) -> str:
    p = getattr(contest, name)
    return NO_NUMBER if p is None or p != p else probability(p)  # NaN is not itself


def _records(result: MetricsResult) -> list[dict[str, Any]]:
    """Return a row for every metric: its agreement over systems, and over segments if known."""
    known = {
        (each.scale, each.metric): {
            "segment_pairs": each.pairs,
            "segment_accuracy": each.held_out,
            "segment_chance": each.chance,
            "segment_threshold": each.threshold,
        }
        for each in result.segments
    }
    none = dict.fromkeys(next(iter(known.values()), {}))
    return [
        encode(each) | encode(known.get((each.scale, each.metric), none)) for each in result.metrics
    ]


# Pairs of outputs for one segment.


def _segments_part(
    scale: str,
    rows: Sequence[SegmentAccuracy],
    called: dict[str, str],
    level: float,
    *,
    first: bool,
) -> Part:
    ends = dict(zip(rows, intervals([each.interval for each in rows], 3), strict=True))
    grid = table(
        rows,
        [
            Column("Metric", lambda row: called[row.metric]),
            Column("Pairs", lambda row: row.pairs, kind="count"),
            Column(
                "Accuracy",
                lambda row: _best(row.held_out, [each.held_out for each in rows]),
                kind="score",
                decimals=3,
                better="higher",
            ),
            Column(f"{percent(level)} interval", lambda row: ends[row], kind="number"),
            Column("Chance", lambda row: row.chance, kind="score", decimals=3),
            Column("No ties", lambda row: row.plain, kind="score", decimals=3),
            Column("Best ties", lambda row: row.accuracy, kind="score", decimals=3),
            Column("Threshold", lambda row: _size(row.threshold), kind="number"),
        ],
    )
    return grid.titled(
        f"{scale}: outputs for one segment, {plural(max(row.segments for row in rows), 'segment')}",
        _explained_segments(rows) if first else [],
        section="Segments",
        paper=True,
    )


def _explained_segments(rows: Sequence[SegmentAccuracy]) -> list[str]:
    tied = max(each.tied for each in rows)
    return [
        "Accuracy: share of pairs of outputs for one segment of which the metric says what people "
        "say, one is better, the other, or neither; the mean over segments. People find "
        f"{percent(round(tied, 3))} of pairs level. For the metric outputs are level whose scores "
        "differ by no more than a threshold, which was chosen on other segments than those that it "
        "is used on; the interval is for other segments and these systems. Chance: what the "
        "metric's scores get if they are shuffled among the outputs for each segment.",
        "No ties: only equal scores are level. Best ties: the threshold is the best for these very "
        "segments, as it was published (Deutsch, Foster & Freitag 2023), which flatters a little.",
    ]


# What differences mean.


def _deltas_parts(
    curves: Sequence[DeltaCurve], heading: str, source: str, level: float, before: int = 0
) -> list[Part]:
    """Return what was asked, the differences that mean a certain agreement, and the curves.

    `before` is the number of other curves that are drawn before these.
    """
    asked = _asked(curves)
    needed = "Differences at which people agree in so many pairs"
    parts: list[Part] = []
    if asked:
        grid = _asked_grid(curves, level)
        parts.append(grid.titled(heading, [*asked, source], section="Differences", paper=True))
    parts += [
        _needed_grid(curves).titled(
            needed if asked else heading,
            [*([] if asked else [f"{needed}. {source}"]), *_explained_deltas(curves, level)],
            section="" if asked else "Differences",
            paper=True,
        ),
        Pictures(partial(_pictures, curves, before + 1)),
    ]
    return parts


def _asked(curves: Sequence[DeltaCurve]) -> list[str]:
    """Return what differences meant that were asked about, one sentence each."""
    return [
        f"{each.delta:g} {curve.name}: people agreed in {each.share:.0%} "
        f"[{100 * each.interval[0]:.0f}, {100 * each.interval[1]:.0f}] of such pairs."
        for curve in curves
        for each in curve.asked
    ]


def _asked_grid(curves: Sequence[DeltaCurve], level: float) -> Grid:
    return table(
        [(curve, each) for curve in curves for each in curve.asked],
        [
            Column("Metric", lambda row: row[0].name),
            Column("Difference", lambda row: f"{row[1].delta:g}", kind="number"),
            Column("People agree", lambda row: 100 * row[1].share, kind="score", decimals=1),
            Column(
                f"{percent(level)} interval",
                lambda row: f"[{100 * row[1].interval[0]:.1f}, {100 * row[1].interval[1]:.1f}]",
                kind="number",
            ),
            Column("Pairs near it", lambda row: row[1].pairs, kind="count"),
            Column("Agreed there", lambda row: row[1].agreed, kind="count"),
        ],
    )


def _needed_grid(curves: Sequence[DeltaCurve]) -> Grid:
    shares = [percent(each.share) for each in curves[0].needed]
    return table(
        curves,
        [
            Column("Metric", lambda curve: curve.name),
            *(
                Column(title, partial(_needed, at), kind="number")
                for at, title in enumerate(shares)
            ),
            Column("Pairs", lambda curve: curve.pairs, kind="count"),
            Column("Agreed", lambda curve: curve.agreed, kind="count"),
        ],
    )


def _needed(at: int, curve: DeltaCurve) -> str:
    each: DeltaNeeded = curve.needed[at]
    if each.delta is None or each.interval is None:
        return NO_NUMBER
    low, high = each.interval
    upper = "…" if high is None or high > curve.largest else _size(high)
    middle = f">{_size(curve.largest)}" if each.delta > curve.largest else _size(each.delta)
    return f"{middle} [{_size(low)}, {upper}]"


def _size(value: float) -> str:
    """Return a difference with two digits, or as many as it has before the point.

    >>> _size(0.01234), _size(1.26), _size(123.4)
    ('0.012', '1.3', '123')
    """
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def _explained_deltas(curves: Sequence[DeltaCurve], level: float) -> list[str]:
    said = (
        "Pairs of systems by the size of the metric's difference: the share in which people prefer "
        "the system that the metric prefers, 1/(1 + exp(−slope · Δ)), is one half at no "
        f"difference and grows with it. {percent(level)} intervals come from {DRAWS:,} draws of "
        "systems, not of pairs, and are for other systems like these."
    )
    near = (
        f"Pairs near a difference Δ are those from Δ/{NEAR:g} to {NEAR:g} Δ, counted as they are. "
        "Few systems make many of them, so they scatter; the curve foretells other systems better."
    )
    beyond = "…: more than any difference of two systems here."
    return [
        said,
        *([near] if any(curve.asked for curve in curves) else []),
        *([beyond] if any(map(_goes_beyond, curves)) else []),
    ]


def _goes_beyond(curve: DeltaCurve) -> bool:
    return any(
        each.interval is not None and (each.interval[1] or curve.largest + 1) > curve.largest
        for each in curve.needed
    )


def _pictures(curves: Sequence[DeltaCurve], first: int) -> list[Picture]:
    from weigh.report.human_pictures import delta_plots

    return delta_plots(curves, first)


@view_of(DeltasResult)
def known_deltas(result: DeltasResult) -> View:
    """Show what differences of metrics meant to people on data of the WMT."""
    first, last = result.years
    systems, pairs = (sum(getattr(each, of) for each in result.data) for of in ("systems", "pairs"))
    source = (
        f"From WMT data of {first}–{last} and no judgments of yours: {pairs:,} pairs of "
        f"{systems:,} systems in {plural(len(result.data), 'data set')}. Other languages, domains "
        "and kinds of systems may differ."
    )
    about = {"data": f"wmt{first}-{last}", "draws": result.draws, "seed": result.seed}
    return View(
        title="What differences of metrics mean to people",
        subtitle=f"WMT data of {first}–{last}, {pairs:,} pairs of systems",
        parts=[
            *summary(_asked(result.deltas), [source]),
            *_deltas_parts(result.deltas, "What differences mean to people", source, result.level),
            _data_grid(result.data, result.deltas).titled(
                "Pairs in which people agree, by data set", section="Data sets", paper=True
            ),
        ],
        methods=f"On WMT data of {first}–{last} ({pairs:,} pairs of systems){_READ[1:]} {BY}",
        signatures=[("deltas", signature(about))],
        records=_delta_records(result.deltas),
        used=Used([each.metric for each in result.deltas], works=["differences of metrics"]),
    )


def _data_grid(data: Sequence[DeltaData], curves: Sequence[DeltaCurve]) -> Grid:
    def agreed(metric: str, each: DeltaData) -> str:
        return percent(round(each.agreed[metric] / each.pairs, 2)) if each.pairs else NO_NUMBER

    return table(
        data,
        [
            Column("Data", lambda each: each.data),
            Column("Systems", lambda each: each.systems, kind="count"),
            Column("Pairs", lambda each: each.pairs, kind="count"),
            *(Column(curve.name, partial(agreed, curve.metric), kind="number") for curve in curves),
        ],
    )


def _delta_records(curves: Sequence[DeltaCurve]) -> list[dict[str, Any]]:
    """Return a row for every difference that something is said of."""
    rows: list[dict[str, Any]] = []
    for curve in curves:
        about: dict[str, Any] = {"metric": curve.metric, "pairs": curve.pairs, "slope": curve.slope}
        for asked in curve.asked:
            rows.append(
                about
                | {"about": "share", "delta": asked.delta, "share": asked.share}
                | dict(zip(("low", "high"), asked.interval, strict=True))
            )
        for needed in curve.needed:
            rows.append(
                about
                | {"about": "delta", "delta": needed.delta, "share": needed.share}
                | dict(zip(("low", "high"), needed.interval or (None, None), strict=True))
            )
    return [encode(row) for row in rows]
