"""The systems of a report as pictures show them: best first, where they have a score to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.report.pictures.axis import drawable
from weigh.report.text import visible

if TYPE_CHECKING:
    from weigh.comparing.evidence import Histogram, Sweep
    from weigh.metrics.scoring import SystemScore
    from weigh.report.compared import CompareReport


def ordered(report: CompareReport, metric: str, label: str | None = None) -> list[SystemScore]:
    """Return the scores by a metric, of a slice or of all, best first; none that is no number."""
    sign = -1 if report.higher(metric) else 1
    entries = [
        entry
        for entry in report.result.scores
        if (entry.metric, entry.slice) == (metric, label) and drawable(entry.score)
    ]
    return sorted(entries, key=lambda entry: sign * entry.score)


def slices(report: CompareReport) -> list[str | None]:
    """Return the whole test set, None, and its slices."""
    return list(dict.fromkeys(entry.slice for entry in report.result.scores))


def is_neighbour(report: CompareReport, pair: Histogram | Sweep) -> bool:
    """Return whether a pair is one that a reader asks about first.

    Those are neighbours in the order of scores; with a baseline, all pairs.
    """
    if report.result.plan.baseline is not None:
        return True
    names = [entry.system for entry in ordered(report, pair.metric)]
    if pair.a not in names or pair.b not in names:
        return False
    return abs(names.index(pair.a) - names.index(pair.b)) == 1


def heading(report: CompareReport, metric: str, label: str | None = None) -> str:
    """Return what a metric is called, and the slice."""
    parts = [report.titles[metric]] + ([] if label is None else [label])
    return ", ".join(map(visible, parts))


def direction(report: CompareReport, metric: str) -> str:
    """Return which scores are good."""
    return "higher is better" if report.higher(metric) else "lower is better"
