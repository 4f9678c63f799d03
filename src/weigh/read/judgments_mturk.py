"""The results of an Amazon Mechanical Turk batch, as its site exports them to CSV.

Columns are found by their names, whatever their order. One row is one HIT done by one worker. All
its answers stand in one column, `Answer.Q1` say, separated by `|`, each written
`SYSTEM_SEGMENT_TYPE_PLACE__SCORE` (Graham et al. 2017): `online-a_331_BAD_REF_0__71`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone

from weigh.read.answers import KINDS, Intake
from weigh.read.records import Records
from weigh.read.stream import quoted
from weigh.types import Judgment

COLUMNS = (
    "HITId",
    "WorkerId",
    "AssignmentStatus",
    "SubmitTime",
    "WorkTimeInSeconds",
    "Input.src",
    "Input.trg",
    "Input.item",
)
# The site names these in the header and leaves them off in rows that nobody has reviewed.
_MAY_MISS = ("Approve", "Reject")
_SCALES = {"ad": "adequacy", "fl": "fluency"}

_TYPES = "|".join(sorted(KINDS, key=len, reverse=True))
# The shortest system goes first, so that the REF of BAD_REF is not taken for the type.
_ANSWER = re.compile(rf"(.+?)_([^_]+)_({_TYPES})_([0-9]+)__([^_]*)")
_UNKNOWN_TYPE = re.compile(r".+_[^_]+_([A-Za-z]+)_[0-9]+__[^_]*")

_HOURS = {"UTC": 0, "GMT": 0, "EDT": -4, "EST": -5, "CDT": -5, "CST": -6} | {
    "MDT": -6,
    "MST": -7,
    "PDT": -7,
    "PST": -8,
}


def read(records: Records, intake: Intake, pair: str) -> None:
    """Take the answers of every row; the language pair stands in the file."""
    del pair
    columns = [name for name in records.header if name.startswith("Answer.")]
    for row, cells in records.checked(_MAY_MISS):
        _take(row, cells, [cells[name] for name in columns], intake)


def _take(row: int, cells: Mapping[str, str], answers: list[str], intake: Intake) -> None:
    packed = next((each for each in answers if "__" in each), None)
    if packed is None:
        intake.faults.add(
            row, "no column Answer.… holds scores", "expected SYSTEM_SEGMENT_TYPE_PLACE__SCORE|…"
        )
        return
    given = list(_answers(row, packed, intake))
    seconds = intake.seconds(row, cells["WorkTimeInSeconds"])
    missing = sum(_unquoted(cells[name]) != "" for name in cells if _is_item(name)) - len(given)
    for _ in range(missing):
        intake.omit(row, "missing answers")
    for system, segment, kind, place, score in given:
        value = intake.score(row, score)
        if value is not None:
            intake.add(
                row,
                Judgment(
                    judge=intake.filled(row, cells["WorkerId"], "WorkerId"),
                    hit=intake.filled(row, cells["HITId"], "HITId"),
                    pair=f"{_unquoted(cells['Input.src'])}-{_unquoted(cells['Input.trg'])}",
                    kind=intake.kind(row, kind),
                    system=system,
                    segment=segment,
                    value=value,
                    scale=_scale(cells["Input.item"]),
                    seconds=None if seconds is None else seconds / len(given),
                    at=_time(cells["SubmitTime"]),
                    item=place,
                    rejected=cells["AssignmentStatus"] == "Rejected",
                ),
            )


def _answers(row: int, packed: str, intake: Intake) -> Iterator[tuple[str, ...]]:
    for text in packed.split("|"):
        match = _ANSWER.fullmatch(text)
        if match is not None:
            yield match.groups()
        elif unknown := _UNKNOWN_TYPE.fullmatch(text):
            intake.kind(row, unknown[1])
        else:
            intake.faults.add(
                row, f"the answer {quoted(text)}", "expected SYSTEM_SEGMENT_TYPE_PLACE__SCORE"
            )


def _is_item(column: str) -> bool:
    return re.fullmatch(r"Input\.sys_[0-9]+", column) is not None


def _unquoted(cell: str) -> str:
    """Return a cell without the single quotes that the batch file had around every value."""
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == "'" else cell


def _scale(cell: str) -> str:
    name = _unquoted(cell)
    return _SCALES.get(name, name)


def _time(cell: str) -> str | None:
    """Return a time such as `Mon Nov 21 08:37:58 PST 2016` in ISO 8601, None where it is none."""
    words = cell.split(" ")
    if len(words) != 6 or words[4] not in _HOURS:
        return None
    try:
        local = datetime.strptime(" ".join([*words[1:4], words[5]]), "%b %d %H:%M:%S %Y")
    except ValueError:
        return None
    return local.replace(tzinfo=timezone(timedelta(hours=_HOURS[words[4]]))).isoformat()
