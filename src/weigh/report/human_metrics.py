"""Metrics against people as a table, Markdown, LaTeX, TSV or JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from weigh import __version__
from weigh.report import document, pieces, table, tsv
from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import NO_NUMBER, fixed, plural, probability, share
from weigh.report.pieces import Piece

if TYPE_CHECKING:
    from weigh.human.evaluation import Evaluation, MetricAgreement, MetricContest

_MEASURES = ("pearson", "spearman", "kendall", "accuracy", "soft_accuracy", "sensitivity")
_TITLES = ("Pearson", "Spearman", "Kendall", "Accuracy", "Soft accuracy", "Sensitivity")
_P_VALUES = ("p_williams", "p_kendall", "p_accuracy", "p_soft_accuracy")


@dataclass(frozen=True, slots=True)
class MetricsReport:
    """All that `weigh human metrics` says; `evaluations` holds one for each scale.

    `alpha` and `adjust` are those of the metrics' own tests, for sensitivity.
    """

    evaluations: Sequence[tuple[str, Evaluation]]
    quality: str
    alpha: float
    adjust: str
    remarks: Sequence[str] = ()


def _pieces(report: MetricsReport) -> list[Piece]:
    parts = []
    for number, (scale, evaluation) in enumerate(report.evaluations):
        sentences = [] if number else _explained(report)
        parts.append(
            Piece(
                f"{scale}, {plural(len(evaluation.systems), 'system')}",
                _metrics_grid(evaluation.metrics),
                sentences,
            )
        )
        if evaluation.contests:
            parts.append(
                Piece(
                    f"{scale}: two metrics",
                    _contests_grid(evaluation.contests),
                    [] if number else [_contests_explained(evaluation)],
                )
            )
    return parts


def _explained(report: MetricsReport) -> list[str]:
    correction = "not adjusted" if report.adjust == "none" else f"adjusted by {report.adjust}"
    return [
        "Correlations of system scores; accuracy: share of pairs of systems in the order that "
        "people give; soft accuracy: mean of 1 less the difference between the metric's p-value "
        "and people's; sensitivity: share of pairs that the metric finds to differ "
        f"(α = {share(report.alpha)}, {correction})."
    ]


def _contests_explained(evaluation: Evaluation) -> str:
    return (
        "Two-sided p-values that two metrics agree equally well with people: Williams' test for "
        "Pearson's correlation, permutation tests for the others, of "
        f"{plural(evaluation.trials, 'trial')} at most. Few systems show little: no evidence of a "
        "difference does not make metrics equal."
    )


def _metrics_grid(metrics: Sequence[MetricAgreement]) -> Grid:
    best = {
        name: max((round(getattr(each, name), 3) for each in metrics), default=0.0)
        for name in _MEASURES[:-1]
    }
    rows = [
        [
            Cell(each.metric),
            *(
                Cell(
                    fixed(getattr(each, name), 3),
                    best=len(metrics) > 1 and round(getattr(each, name), 3) == best.get(name),
                )
                for name in _MEASURES
            ),
        ]
        for each in metrics
    ]
    columns = [Column("Metric"), *(Column(title, better="higher") for title in _TITLES[:-1])]
    return Grid([*columns, Column(_TITLES[-1], kind="number")], [rows])


def _contests_grid(contests: Sequence[MetricContest]) -> Grid:
    titles = ("t", "Williams", "Kendall", "Accuracy", "Soft accuracy")
    rows = [
        [
            Cell(each.a),
            Cell(each.b),
            Cell(fixed(each.t, 2, sign=True)),
            *(Cell(_probability(getattr(each, name))) for name in _P_VALUES),
        ]
        for each in contests
    ]
    columns = [Column("A"), Column("B"), *(Column(title, kind="number") for title in titles)]
    return Grid(columns, [rows])


def _probability(p: float | None) -> str:
    return NO_NUMBER if p is None or p != p else probability(p)  # NaN is not itself


def _signatures(report: MetricsReport) -> list[tuple[str, str]]:
    evaluation = report.evaluations[0][1]
    parts = {
        "quality": report.quality,
        "trials": str(evaluation.trials),
        "seed": str(evaluation.seed),
        "version": f"weigh-{__version__}",
    }
    return [("metrics", "|".join(f"{name}:{value}" for name, value in parts.items()))]


def as_table(report: MetricsReport, screen: table.Screen = table.PLAIN) -> str:
    """Return aligned text."""
    return pieces.as_table(_pieces(report), _signatures(report), screen)


def as_markdown(report: MetricsReport) -> str:
    """Return pipe tables."""
    return pieces.as_markdown(_pieces(report), _signatures(report))


def as_latex(report: MetricsReport) -> str:
    """Return tables."""
    return pieces.as_latex(_pieces(report))


def as_tsv(report: MetricsReport) -> str:
    """Return one row per scale and metric, with all digits."""
    records = [
        {"scale": scale, **_fields(each)}
        for scale, evaluation in report.evaluations
        for each in evaluation.metrics
    ]
    rows = [
        [Cell("" if value is None else str(value)) for value in record.values()]
        for record in records
    ]
    return tsv.render(Grid([Column(name) for name in records[0]], [rows]))


def _fields(each: MetricAgreement | MetricContest) -> dict[str, Any]:
    return {
        name: document.number(value) if isinstance(value, float) else value
        for name, value in asdict(each).items()
    }


def as_json(report: MetricsReport) -> str:
    """Return the document that programs read."""
    first = report.evaluations[0][1]
    return document.render(
        "human metrics",
        {
            "quality": report.quality,
            "alpha": report.alpha,
            "adjust": report.adjust,
            "trials": first.trials,
            "seed": first.seed,
            "systems": [
                {"scale": scale, "systems": list(evaluation.systems)}
                for scale, evaluation in report.evaluations
            ],
            "metrics": [
                {"scale": scale, **_fields(each)}
                for scale, evaluation in report.evaluations
                for each in evaluation.metrics
            ],
            "contests": [
                {"scale": scale, **_fields(each)}
                for scale, evaluation in report.evaluations
                for each in evaluation.contests
            ],
            "remarks": list(report.remarks),
        },
    )


# Every format but the table, which also wants to know the screen.
FORMATS: dict[str, Callable[[MetricsReport], str]] = {
    "json": as_json,
    "tsv": as_tsv,
    "markdown": as_markdown,
    "latex": as_latex,
}
