"""The page of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.report.number import listed, plural
from weigh.report.page import embedded
from weigh.report.page.assembly import assembled
from weigh.report.page.sections import sections

if TYPE_CHECKING:
    from weigh.report.compared import CompareReport

_SCRIPTS = ("pairs.js", "words.js", "cards.js", "ngrams.js", "browser.js")


def page(report: CompareReport) -> str:
    """Return a comparison as one HTML file."""
    result = report.result
    systems = plural(len({entry.system for entry in result.scores}), "system")
    data = [embedded.data(report)]
    if result.evidence is not None and result.evidence.segments.numbers:
        data.append(embedded.segments(report, result.evidence.segments))
    return assembled(
        f"{systems} compared by {listed(list(report.titles.values()))}",
        report.size,
        sections(report),
        data,
        _SCRIPTS,
    )
