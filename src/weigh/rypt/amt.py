"""Labels from Mechanical Turk: the columns of a HIT, and its results as the site exports them.

A HIT asks about one source span and at most ten alternatives. Its input names the source, the
span and the alternatives; the site repeats them as `Input.…` beside the answers, so that results
say by themselves what they are about. Inputs are HTML, since the site puts them into its page as
they stand; in results they are read back as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import unescape

from weigh.errors import InputError
from weigh.read.judgments_mturk import time_of
from weigh.read.records import MAY_MISS, Records
from weigh.read.stream import quoted
from weigh.rypt.intake import LabelIntake
from weigh.rypt.judgment import EntryJudgment, utc
from weigh.rypt.label import Entry

ALTERNATIVES = 10
"""The most alternatives that stand in one HIT."""
SOURCE, START, END = "source", "start", "end"
SUBSTRINGS = tuple(f"substring_{number}" for number in range(1, ALTERNATIVES + 1))
ANSWERS = tuple(f"label_{number}" for number in range(1, ALTERNATIVES + 1))

NEEDED = (
    *("HITId", "WorkerId", "AssignmentStatus", "SubmitTime", "WorkTimeInSeconds"),
    *(f"Input.{name}" for name in (SOURCE, START, END, *SUBSTRINGS)),
    f"Answer.{ANSWERS[0]}",  # the site has no columns for answers that nobody gave
)


def are_results(records: Records) -> bool:
    """Return whether a table comes from the site and is about our HITs."""
    return {"WorkerId", f"Input.{SOURCE}"} <= set(records.header)


def read_results(records: Records, intake: LabelIntake) -> None:
    """Take the answers of all assignments; those of rejected ones are only counted."""
    missing = next((name for name in NEEDED if name not in records.header), None)
    if missing is not None:
        raise InputError(
            f"{records.name}: no column {quoted(missing)}; give the results of HITs that "
            "weigh rypt queries made, as the site exports them"
        )
    for row, cells in records.checked(MAY_MISS):
        _take(row, cells, intake)


def _take(row: int, cells: Mapping[str, str], intake: LabelIntake) -> None:
    """Take one worker's answers to one HIT; they share its time equally."""
    asked = [
        (unescape(cells[f"Input.{substring}"]), cells.get(f"Answer.{answer}", ""))
        for substring, answer in zip(SUBSTRINGS, ANSWERS, strict=True)
        if cells[f"Input.{substring}"]
    ]
    given = [(substring, answer) for substring, answer in asked if answer]
    if cells["AssignmentStatus"] == "Rejected":
        for _ in given:
            intake.omit(row, "of rejected assignments")
        return
    for _ in range(len(asked) - len(given)):
        intake.omit(row, "missing answers")
    source = unescape(cells[f"Input.{SOURCE}"])
    start = intake.whole(row, cells[f"Input.{START}"], START)
    end = intake.whole(row, cells[f"Input.{END}"], END)
    at = submit_time(row, cells, intake)
    seconds = intake.seconds(row, cells["WorkTimeInSeconds"])
    for substring, answer in given:
        intake.add_label(
            row,
            EntryJudgment(
                Entry(source, start, end, substring),
                intake.label(row, answer),
                intake.filled(row, cells["WorkerId"], "WorkerId"),
                at,
                None if seconds is None else seconds / len(given),
                cells["HITId"],
            ),
        )


def submit_time(row: int, cells: Mapping[str, str], intake: LabelIntake) -> str:
    """Return when an assignment was handed in."""
    at = utc(time_of(cells["SubmitTime"]) or "")
    if at is None:
        intake.faults.add(
            row,
            f"the SubmitTime is {quoted(cells['SubmitTime'])}",
            "expected a time as the site writes it, such as Mon Jun 01 12:00:00 PDT 2009",
        )
    return at or ""
