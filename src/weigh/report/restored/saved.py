"""A report that was read back, with all the ways to show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from weigh.errors import InputError

if TYPE_CHECKING:
    from weigh.report.pictures import Picture
    from weigh.report.presentation import Presentation
    from weigh.report.table import Screen

Report = TypeVar("Report")
_MOST_DECIMALS = 12  # a double has few more digits


@dataclass(frozen=True, slots=True)
class Saved(Generic[Report]):
    """A report and what shows it; `page` and `pictures` are None where there are none.

    `needs` says of a verb with a page what the document lacks for it.
    """

    command: str
    report: Report
    as_table: Callable[[Report, Screen], str]
    formats: Mapping[str, Callable[[Report], str]]
    page: Callable[[Report], str] | None = None
    pictures: Callable[[Report], Sequence[Picture]] | None = None
    needs: str = ""


def presented(
    report: Report,
    shown: Presentation[Report],
    page: Callable[[Report], str] | None = None,
    pictures: Callable[[Report], Sequence[Picture]] | None = None,
) -> Saved[Report]:
    """Return a report with the formats of its kind."""
    return Saved(shown.command, report, shown.as_table, shown.formats, page, pictures)


def unfit(name: str, why: str) -> InputError:
    """Return what is said of a document that no verb has written."""
    return InputError(f"{name}: {why}; give a file that weigh has written")


def checked_decimals(decimals: int, metric: str, name: str) -> int:
    """Return with how many decimals a metric is shown, if numbers have so many."""
    if not 0 <= decimals <= _MOST_DECIMALS:
        raise unfit(
            name, f"{decimals} decimals of {metric!r}, but 0 to {_MOST_DECIMALS} can be shown"
        )
    return decimals


def checked_p_value(p_value: float, name: str) -> float:
    """Return a p-value, if it can be one."""
    if not 0 <= p_value <= 1:
        raise unfit(name, f"a p_value of {p_value}, which is not from 0 to 1")
    return p_value
