"""The results of an Amazon Mechanical Turk batch, as its site exports them to CSV.

Columns are found by their names, whatever their order. One row is one HIT done by one worker. All
its answers stand in one column, `Answer.Q1` say, separated by `|`, each written
`SYSTEM_SEGMENT_TYPE_PLACE__SCORE` (Graham et al. 2017): `online-a_331_BAD_REF_0__71`. Where one
name ends and the next begins is told by the columns `Input.sys_0`, `Input.sid_0` and
`Input.tst_0` of each item; without them a segment's name has no underscore.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from itertools import count

from weigh.read.answers import KINDS, Intake
from weigh.read.records import MAY_MISS, Records
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
    for row, cells in records.checked(MAY_MISS):
        # A cell that is not closed is the last one.
        readable = [*cells][:-1] if row in records.unclosed else cells
        _take(row, cells, [cells[name] for name in columns if name in readable], intake)


def _take(row: int, cells: Mapping[str, str], answers: list[str], intake: Intake) -> None:
    packed = next((each for each in answers if "__" in each), None)
    if packed is None:
        intake.faults.add(
            row, "no column Answer.… holds scores", "expected SYSTEM_SEGMENT_TYPE_PLACE__SCORE|…"
        )
        return
    shown = list(_items(cells))
    given = list(_answers(row, packed, shown, intake))
    seconds = intake.seconds(row, cells["WorkTimeInSeconds"])
    for _ in range(len(shown) - len(given)):
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
                    at=time_of(cells["SubmitTime"]),
                    item=place,
                    rejected=cells["AssignmentStatus"] == "Rejected",
                    assignment=cells.get("AssignmentId") or None,
                ),
            )


def _items(cells: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield system, segment and type of what the HIT showed, where the columns tell."""
    for number in count():
        names = [f"Input.{column}_{number}" for column in ("sys", "sid", "tst")]
        if any(name not in cells for name in names):
            return
        system, segment, kind = (_unquoted(cells[name]) for name in names)
        yield system, segment, kind


def _answers(
    row: int, packed: str, shown: Sequence[tuple[str, str, str]], intake: Intake
) -> Iterator[tuple[str, ...]]:
    known = {"_".join(item): item for item in shown}
    for text in packed.split("|"):
        head, _, score = text.rpartition("__")
        item, _, place = head.rpartition("_")
        if item in known and place.isdigit():
            yield (*known[item], place, score)
        elif match := _ANSWER.fullmatch(text):
            yield match.groups()
        elif unknown := _UNKNOWN_TYPE.fullmatch(text):
            intake.kind(row, unknown[1])
        else:
            intake.faults.add(
                row, f"the answer {quoted(text)}", "expected SYSTEM_SEGMENT_TYPE_PLACE__SCORE"
            )


def _unquoted(cell: str) -> str:
    """Return a cell without the single quotes that the batch file had around every value."""
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == "'" else cell


def _scale(cell: str) -> str:
    name = _unquoted(cell)
    return _SCALES.get(name, name)


def time_of(cell: str) -> str | None:
    """Return a time such as `Mon Nov 21 08:37:58 PST 2016` in ISO 8601, None where it is none."""
    words = cell.split(" ")
    if len(words) != 6 or words[4] not in _HOURS:
        return None
    try:
        local = datetime.strptime(" ".join([*words[1:4], words[5]]), "%b %d %H:%M:%S %Y")
    except ValueError:
        return None
    return local.replace(tzinfo=timezone(timedelta(hours=_HOURS[words[4]]))).isoformat()
