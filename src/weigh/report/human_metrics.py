"""What is said of metrics held against people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from weigh.report import document
from weigh.report.document import NO_TEST_SET, Extent
from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import NO_NUMBER, fixed, plural, probability, share
from weigh.report.pieces import Piece
from weigh.report.presentation import Presentation, signature

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
    test_set: Extent = NO_TEST_SET


def _pieces(report: MetricsReport) -> list[Piece]:
    parts = []
    for number, (scale, evaluation) in enumerate(report.evaluations):
        sentences = [] if number else _explained(report)
        parts.append(
            Piece(
                f"{scale}, {plural(len(evaluation.systems), 'system')}",
                _metrics_grid(evaluation),
                sentences,
            )
        )
        if evaluation.contests:
            parts.append(
                Piece(
                    f"{scale}: two metrics",
                    _contests_grid(evaluation),
                    [] if number else _contests_explained(evaluation),
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


def _contests_explained(evaluation: Evaluation) -> list[str]:
    said = (
        "Two-sided p-values that two metrics agree equally well with people: Williams' test for "
        "Pearson's correlation, permutation tests for the others, of "
        f"{plural(evaluation.trials, 'trial')} at most. Few systems show little: no evidence of a "
        "difference does not make metrics equal."
    )
    if all(each.p_soft_accuracy is not None for each in evaluation.contests):
        return [said]
    return [
        said,
        "Soft accuracy has no p-value where one of two metrics was computed from texts: its test "
        "exchanges scores of segments, whose mean must be the score of the system, so it needs "
        "them from files (--scores) for both.",
    ]


def _called(evaluation: Evaluation) -> dict[str, str]:
    """Return what metrics are called: by name, or as asked for where two have one name."""
    names = [each.name for each in evaluation.metrics]
    return {
        each.metric: each.metric if each.name is None or names.count(each.name) > 1 else each.name
        for each in evaluation.metrics
    }


def _metrics_grid(evaluation: Evaluation) -> Grid:
    metrics, called = evaluation.metrics, _called(evaluation)
    best = {
        name: max((round(getattr(each, name), 3) for each in metrics), default=0.0)
        for name in _MEASURES[:-1]
    }
    rows = [
        [
            Cell(called[each.metric]),
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


def _contests_grid(evaluation: Evaluation) -> Grid:
    called = _called(evaluation)
    titles = ("t", "Williams", "Kendall", "Accuracy", "Soft accuracy")
    rows = [
        [
            Cell(called[each.a]),
            Cell(called[each.b]),
            Cell(fixed(each.t, 2, sign=True)),
            *(Cell(_probability(getattr(each, name))) for name in _P_VALUES),
        ]
        for each in evaluation.contests
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
    }
    return [("metrics", signature(parts))]


def _records(report: MetricsReport) -> list[dict[str, Any]]:
    return [
        {"scale": scale, **_fields(each)}
        for scale, evaluation in report.evaluations
        for each in evaluation.metrics
    ]


def _fields(each: MetricAgreement | MetricContest) -> dict[str, Any]:
    return {
        name: document.number(value) if isinstance(value, float) else value
        for name, value in asdict(each).items()
    }


def _document(report: MetricsReport) -> dict[str, Any]:
    first = report.evaluations[0][1]
    return {
        "test_set": report.test_set.fields,
        "quality": report.quality,
        "alpha": report.alpha,
        "adjust": report.adjust,
        "trials": first.trials,
        "seed": first.seed,
        "systems": [
            {"scale": scale, "systems": list(evaluation.systems)}
            for scale, evaluation in report.evaluations
        ],
        "metrics": _records(report),
        "contests": [
            {"scale": scale, **_fields(each)}
            for scale, evaluation in report.evaluations
            for each in evaluation.contests
        ],
        "remarks": list(report.remarks),
    }


SHOWN = Presentation("human metrics", _pieces, _signatures, _records, _document)
