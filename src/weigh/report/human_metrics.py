"""The view of `weigh human metrics`: agreement of metrics with people, by system and segment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from weigh.human.contests import MetricContest
from weigh.human.deltas import DRAWS, NEAR, DeltaCurve, DeltaData, DeltasResult
from weigh.human.metrics import MetricsResult, ScaleMetrics
from weigh.human.segment_accuracy import FOLDS
from weigh.report.grid import Cell, Column, Grid, table
from weigh.report.human import quality_works
from weigh.report.parts import Part, Pictures, draw_later, summary
from weigh.report.phrases import BY, adjusted_by, interval_column
from weigh.report.view import Used, View, signature, view_of
from weigh.result import encode
from weigh.wording import NO_NUMBER, listed, percent, plural, share

_MEASURES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "accuracy": "Accuracy",
    "soft_accuracy": "Soft accuracy",
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
    "; how often people agree with a difference between two systems was read from a logistic "
    "curve that is one half at no difference (cf. Kocmi et al. 2024), with intervals from "
    f"{DRAWS:,} bootstrap draws of systems"
)


@view_of(MetricsResult)
def metrics(result: MetricsResult) -> View:
    """Show how well metrics agree with people, and whether one agrees better than another."""
    scales = result.by_scale()
    findings = [_name_best(scale) for scale in scales]
    for curve in result.deltas:
        findings += [f"{curve.scale}: {text}" for text in _agreement_sentences([curve])]
    works = ["rank correlation", "pairwise accuracy", "soft pairwise accuracy", "sensitivity"]
    works += quality_works(result.quality)
    works += ["Williams' test"] if result.contests else []
    works += ["tie calibration"] if result.segments else []
    works += ["differences of metrics"] if result.deltas else []
    keys = list(dict.fromkeys(row.metric for row in result.metrics))
    about = {"quality": result.quality, "trials": result.trials, "seed": result.seed}
    compared = (
        "; two metrics were compared by Williams' test and by permutation tests (Deutsch, Dror & "
        f"Roth 2021) of at most {plural(result.trials, 'trial')}"
    )
    return View(
        title=f"{plural(len(keys), 'metric')} compared with people",
        subtitle="; ".join(scale.scale for scale in scales),
        parts=[
            *summary(findings, result.remarks),
            *(part for at, scale in enumerate(scales) for part in _scale_parts(result, scale, at)),
        ],
        methods="Metrics and people were compared over systems by correlations of their scores, by "
        "pairwise accuracy (Kocmi et al. 2021) and by soft pairwise accuracy (Thompson et al. 2024)"
        f"{compared if result.contests else ''}{_CALIBRATED if result.segments else ''}"
        f"{_READ if result.deltas else ''} {BY}",
        signatures=[("metrics", signature(about))],
        records=_records(result),
        used=Used(keys, ["randomization"], [result.adjust], works=works),
    )


def _name_best(scale: ScaleMetrics) -> str:
    """A sentence on the metrics that order most pairs as people do."""
    best = scale.most_accurate
    verb = "orders" if len(best) == 1 else "order"
    most_of = "" if len(scale.metrics) == 1 else f", the most of {len(scale.metrics):,} metrics"
    accuracy = percent(round(best[0].accuracy, 3))
    names = listed([scale.names[row.metric] for row in best])
    return f"{scale.scale}: {names} {verb} {accuracy} of pairs as people do{most_of}."


def _scale_parts(result: MetricsResult, scale: ScaleMetrics, at: int) -> Iterator[Part]:
    """Yield the tables of one scale; only those of the first scale have notes."""
    about, names, is_first = scale.scale, scale.names, at == 0
    metric = Column("Metric", lambda row: names[row.metric])
    yield table(
        scale.metrics,
        [
            metric,
            *(
                Column(title, name, "score", better="higher", decimals=3, marks_best=True)
                for name, title in _MEASURES.items()
            ),
            Column("Sensitivity", "sensitivity", "score", decimals=3),
        ],
        title=f"{about}, {plural(len(scale.systems), 'system')}",
        notes=_about_metrics(result) if is_first else [],
        section="Metrics",
        paper=True,
    )
    yield Pictures(draw_later("human_pictures.metric_plot", scale, at + 1))
    if scale.contests:
        yield table(
            scale.contests,
            [
                Column("A", lambda row: names[row.a]),
                Column("B", lambda row: names[row.b]),
                Column("t", "t", "difference"),
                *(Column(title, name, "p") for name, title in _P_VALUES.items()),
            ],
            title=f"{about}: two metrics",
            notes=_about_contests(scale.contests, result.trials) if is_first else [],
            paper=True,
        )
    if scale.segments:
        yield table(
            scale.segments,
            [
                metric,
                Column("Pairs", "pairs", "count"),
                Column(
                    "Accuracy", "held_out", "score", better="higher", decimals=3, marks_best=True
                ),
                interval_column(result.level, "interval", 3),
                Column("Chance", "chance", "score", decimals=3),
                Column("No ties", "plain", "score", decimals=3),
                Column("Best ties", "accuracy", "score", decimals=3),
                Column("Threshold", lambda row: _digits(row.threshold), "number"),
            ],
            title=f"{about}: outputs for one segment, {plural(scale.most_segments, 'segment')}",
            notes=_about_segments(scale) if is_first else [],
            section="Segments",
            paper=True,
        )
    if scale.deltas:
        yield from _deltas_parts(
            scale.deltas,
            f"{about}: what differences mean to people",
            f"From these judgments, {plural(scale.deltas[0].systems, 'system')}.",
            result.level,
            result.deltas.index(scale.deltas[0]),
        )


def _about_metrics(result: MetricsResult) -> list[str]:
    return [
        "Pearson, Spearman, Kendall: correlations of system scores. Accuracy: share of pairs of "
        "systems that the metric orders as people do. Soft accuracy: mean of 1 minus the "
        "difference between the metric's p-value and people's. Sensitivity: share of pairs that "
        f"differ significantly by the metric (α = {share(result.alpha)}, "
        f"{adjusted_by(result.adjust)})."
    ]


def _about_contests(contests: Sequence[MetricContest], trials: int) -> list[str]:
    notes = [
        "p-values, two-sided, of the hypothesis that two metrics agree equally well with people: "
        "Williams' test for Pearson's correlation, permutation tests of at most "
        f"{plural(trials, 'trial')} for the others. With few systems, no evidence of a difference "
        "does not mean that the metrics are equal."
    ]
    if any(row.p_soft_accuracy is None for row in contests):
        notes.append(
            "Soft accuracy is tested only between metrics whose scores were read from files and "
            "whose system score is the mean of segment scores."
        )
    return notes


def _records(result: MetricsResult) -> list[dict[str, Any]]:
    """A record for every metric: its agreement on systems, and on segments if measured."""
    segments = {
        (row.scale, row.metric): {
            "segment_pairs": row.pairs,
            "segment_accuracy": row.held_out,
            "segment_chance": row.chance,
            "segment_threshold": row.threshold,
        }
        for row in result.segments
    }
    none = dict.fromkeys(next(iter(segments.values()), {}))
    return [
        encode(row) | encode(segments.get((row.scale, row.metric), none)) for row in result.metrics
    ]


# Pairs of outputs for one segment.


def _about_segments(scale: ScaleMetrics) -> list[str]:
    tied = percent(round(scale.most_tied, 3))
    return [
        "Accuracy: share of pairs of outputs for one segment on which metric and people agree "
        "(first better, second better, tie), mean over segments. For people, "
        f"{tied} of pairs are ties. For a metric, a pair is a tie if the scores differ by at most "
        "a threshold, chosen by cross-validation. The interval is for other segments and these "
        "systems. Chance: the same with the metric's scores shuffled within each segment.",
        "No ties: only equal scores tie. Best ties: the best threshold for these segments, as "
        "published (Deutsch, Foster & Freitag 2023), which is slightly too optimistic.",
    ]


# The meaning of differences.


def _deltas_parts(
    curves: Sequence[DeltaCurve], heading: str, source: str, level: float, before: int = 0
) -> Iterator[Part]:
    """Yield tables of differences and agreement, in both directions, and the curves.

    `before` is the number of curves drawn earlier, for the names of pictures.
    """
    needed = "Difference at which people agree in this share of pairs"
    notes = _about_deltas(curves, level)
    if any(curve.asked for curve in curves):
        yield table(
            [(curve, row) for curve in curves for row in curve.asked],
            [
                Column("Metric", lambda row: row[0].name),
                Column("Difference", lambda row: f"{row[1].delta:g}", "number"),
                Column("People agree", lambda row: row[1].share, "percent", decimals=1),
                interval_column(level, lambda row: Cell(row[1].interval, percent=True), 1),
                Column("Pairs near it", lambda row: row[1].pairs, "count"),
                Column("Agreed there", lambda row: row[1].agreed, "count"),
            ],
            title=heading,
            notes=[source],
            section="Differences",
            paper=True,
        )
        yield _needed_grid(curves).with_title(needed, notes, paper=True)
    else:
        notes.insert(0, f"{needed}. {source}")
        yield _needed_grid(curves).with_title(heading, notes, section="Differences", paper=True)
    yield Pictures(draw_later("human_pictures.delta_plots", curves, before + 1))


def _agreement_sentences(curves: Sequence[DeltaCurve]) -> list[str]:
    """A sentence on people's agreement for every difference that the user asked about."""
    return [
        f"{row.delta:g} {curve.name}: people agree in {row.share:.0%} "
        f"[{100 * row.interval[0]:.0f}, {100 * row.interval[1]:.0f}] of such pairs."
        for curve in curves
        for row in curve.asked
    ]


def _needed_grid(curves: Sequence[DeltaCurve]) -> Grid:
    return table(
        curves,
        [
            Column("Metric", "name"),
            *(
                Column(percent(row.share), partial(_difference_text, at), "number")
                for at, row in enumerate(curves[0].needed)
            ),
            Column("Pairs", "pairs", "count"),
            Column("Agreed", "agreed", "count"),
        ],
    )


def _difference_text(at: int, curve: DeltaCurve) -> str:
    row = curve.needed[at]
    if row.delta is None or row.interval is None:
        return NO_NUMBER
    low, high = row.interval
    upper = "…" if high is None or curve.is_beyond(high) else _digits(high)
    middle = f">{_digits(curve.largest)}" if curve.is_beyond(row.delta) else _digits(row.delta)
    return f"{middle} [{_digits(low)}, {upper}]"


def _digits(value: float) -> str:
    """A difference with two significant digits, or with all digits before the decimal point.

    >>> _digits(0.01234), _digits(1.26), _digits(123.4)
    ('0.012', '1.3', '123')
    """
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def _about_deltas(curves: Sequence[DeltaCurve], level: float) -> list[str]:
    notes = [
        "The share of pairs of systems in which people prefer the metric's choice is modelled as "
        f"1/(1 + exp(−slope · Δ)). {percent(level)} intervals come from {DRAWS:,} draws of "
        "systems, not of pairs, and are for other systems like these."
    ]
    if any(curve.asked for curve in curves):
        notes.append(
            f"Pairs near a difference Δ are those from Δ/{NEAR:g} to {NEAR:g} Δ. These counts "
            "vary a lot, because few systems make many pairs; the curve predicts other systems "
            "better."
        )
    if any(curve.goes_beyond for curve in curves):
        notes.append("…: larger than any difference between two systems here.")
    return notes


@view_of(DeltasResult)
def deltas(result: DeltasResult) -> View:
    """Show how often people agree with differences of metrics on WMT data."""
    first, last = result.years
    pairs = f"{plural(result.pairs, 'pair')} of systems"
    source = (
        f"From WMT data of {first}–{last}, not from your judgments: "
        f"{plural(result.pairs, 'pair')} of {plural(result.systems, 'system')} in "
        f"{plural(len(result.data), 'data set')}. Other languages, domains and kinds of systems "
        "may differ."
    )
    about = {"data": f"wmt{first}-{last}", "draws": result.draws, "seed": result.seed}
    return View(
        title="What differences of metrics mean to people",
        subtitle=f"WMT data of {first}–{last}, {pairs}",
        parts=[
            *summary(_agreement_sentences(result.deltas), [source]),
            *_deltas_parts(result.deltas, "What differences mean to people", source, result.level),
            table(
                result.data,
                [
                    Column("Data", "data"),
                    Column("Systems", "systems", "count"),
                    Column("Pairs", "pairs", "count"),
                    *(
                        Column(
                            curve.name,
                            partial(DeltaData.share, metric=curve.metric),
                            "percent",
                            decimals=0,
                        )
                        for curve in result.deltas
                    ),
                ],
                title="Share of pairs in which people agree, by data set",
                section="Data sets",
                paper=True,
            ),
        ],
        methods=f"On WMT data of {first}–{last} ({pairs}){_READ[1:]} {BY}",
        signatures=[("deltas", signature(about))],
        records=_delta_records(result.deltas),
        used=Used([curve.metric for curve in result.deltas], works=["differences of metrics"]),
    )


def _delta_records(curves: Sequence[DeltaCurve]) -> list[dict[str, Any]]:
    """A record for every difference."""
    rows: list[dict[str, Any]] = []
    for curve in curves:
        about: dict[str, Any] = {"metric": curve.metric, "pairs": curve.pairs, "slope": curve.slope}
        for kind, differences in (("share", curve.asked), ("delta", curve.needed)):
            for row in differences:
                low, high = row.interval or (None, None)
                numbers = {"delta": row.delta, "share": row.share, "low": low, "high": high}
                rows.append(about | {"about": kind} | numbers)
    return encode(rows)  # type: ignore[no-any-return]
