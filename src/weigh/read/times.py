"""Times that programs write as seconds since 1970."""

from __future__ import annotations

from weigh.read.answers import Intake
from weigh.read.records import parsed_number
from weigh.read.stream import quoted

_LATEST = 253_402_300_799  # the last second of the year 9999


def from_epoch(row: int, cell: str, intake: Intake) -> str | None:
    """Return a time in ISO 8601, or None where the cell is empty."""
    from datetime import UTC, datetime

    value = _parsed(row, cell, intake)
    return None if value is None else datetime.fromtimestamp(value, UTC).isoformat()


def seconds_between(row: int, start: str, end: str, intake: Intake) -> float | None:
    """Return how long an answer took, or None where that is not told."""
    first, last = _parsed(row, start, intake), _parsed(row, end, intake)
    if first is None or last is None:
        return None
    if last < first:
        intake.faults.add(row, "it ends before it starts", "correct the times")
    return last - first


def _parsed(row: int, cell: str, intake: Intake) -> float | None:
    if not cell:
        return None
    value = parsed_number(cell)
    if value is None or not 0 <= value <= _LATEST:
        intake.faults.add(row, f"the time is {quoted(cell)}", "expected seconds since 1970")
        return None
    return value
