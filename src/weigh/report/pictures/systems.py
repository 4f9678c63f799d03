"""The systems of a report as pictures show them: best first, where they have a score to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.report.grid import visible

if TYPE_CHECKING:
    from weigh.report.scores import CompareReport


def slices(report: CompareReport) -> list[str | None]:
    """Return the whole test set, None, and its slices."""
    return list(dict.fromkeys(entry.slice for entry in report.result.scores))


def heading(report: CompareReport, metric: str, label: str | None = None) -> str:
    """Return what a metric is called, and the slice."""
    parts = [report.titles[metric]] + ([] if label is None else [label])
    return ", ".join(map(visible, parts))


def direction(report: CompareReport, metric: str) -> str:
    """Return which scores are good."""
    return "higher is better" if report.higher(metric) else "lower is better"
