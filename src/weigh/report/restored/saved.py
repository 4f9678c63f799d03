"""A report that was read back, with all the ways to show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from weigh.report.pictures import Picture
    from weigh.report.presentation import Presentation
    from weigh.report.table import Screen

Report = TypeVar("Report")


@dataclass(frozen=True, slots=True)
class Saved(Generic[Report]):
    """A report and what shows it; `page` and `pictures` are None where there are none."""

    command: str
    report: Report
    as_table: Callable[[Report, Screen], str]
    formats: Mapping[str, Callable[[Report], str]]
    page: Callable[[Report], str] | None = None
    pictures: Callable[[Report], Sequence[Picture]] | None = None


def presented(
    report: Report,
    shown: Presentation[Report],
    page: Callable[[Report], str] | None = None,
    pictures: Callable[[Report], Sequence[Picture]] | None = None,
) -> Saved[Report]:
    """Return a report with the formats of its kind."""
    return Saved(shown.command, report, shown.as_table, shown.formats, page, pictures)
