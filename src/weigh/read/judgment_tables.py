"""Tables of judgments as several programs write them; the names of columns tell which it was."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from itertools import count
from math import fsum
from typing import NamedTuple

from weigh.read.answers import KINDS, Intake, again_within
from weigh.read.records import MAY_MISS, Records, parsed_number
from weigh.read.text import quoted, shown
from weigh.types import Judgment

# Error spans as MQM counts them: the weights are those of Freitag et al. (2021, table 4), 25 for a
# text that is no translation, 5 for a major error, 1 for a minor one, .1 for minor punctuation;
# what is neutral or no error costs nothing. A text's score is minus the sum, so that more is
# better.

WEIGHTS = {"major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0}
"""What an error of each severity costs, particular categories apart."""

_NO_TRANSLATION = 25.0
_MINOR_PUNCTUATION = 0.1


def weight(severity: str, category: str = "") -> float | None:
    """Return what an error costs, or None where the severity is unknown.

    >>> weight("Major", "Accuracy/Mistranslation"), weight("minor", "Fluency/Punctuation")
    (5.0, 0.1)
    """
    grade = severity.lower().replace("_", "-").replace(" ", "-")
    kind = category.lower()
    if grade == "major" and kind.startswith("non-translation"):
        return _NO_TRANSLATION
    if grade == "minor" and kind == "fluency/punctuation":
        return _MINOR_PUNCTUATION
    return WEIGHTS.get(grade)


# Times that programs write as seconds since 1970.

_LATEST = 253_402_300_799  # the last second of the year 9999


def from_epoch(row: int, cell: str, intake: Intake) -> str | None:
    """Return a time in ISO 8601, or None where the cell is empty."""
    from datetime import UTC, datetime

    value = _epoch(row, cell, intake)
    return None if value is None else datetime.fromtimestamp(value, UTC).isoformat()


def seconds_between(row: int, start: str, end: str, intake: Intake) -> float | None:
    """Return how long an answer took, or None where that is not told."""
    first, last = _epoch(row, start, intake), _epoch(row, end, intake)
    if first is None or last is None:
        return None
    if last < first:
        intake.faults.add(row, "it ends before it starts", "correct the times")
    return last - first


def _epoch(row: int, cell: str, intake: Intake) -> float | None:
    if not cell:
        return None
    value = parsed_number(cell)
    if value is None or not 0 <= value <= _LATEST:
        intake.faults.add(row, f"the time is {quoted(cell)}", "expected seconds since 1970")
        return None
    return value


# The results of an Amazon Mechanical Turk batch, as its site exports them to CSV.
#
# Columns are found by their names, whatever their order. One row is one HIT done by one worker.
# All its answers stand in one column, `Answer.Q1` say, separated by `|`, each written
# `SYSTEM_SEGMENT_TYPE_PLACE__SCORE` (Graham et al. 2017): `online-a_331_BAD_REF_0__71`. Where one
# name ends and the next begins is told by the columns `Input.sys_0`, `Input.sid_0` and
# `Input.tst_0` of each item; without them a segment's name has no underscore.

_MTURK_COLUMNS = (
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


def _read_mturk(records: Records, intake: Intake, pair: str) -> None:
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


# Scores of error span annotation as the WMT published them in 2024.
#
# `flag` says why a row does not count. That of a control item is `bad`: it is kept as one, and
# never enters a system's score; rows with any other flag are left out.

_ESA_COLUMNS = ("annotator", "system", "seg", "type", "score", "flag", "t_start", "t_end")
ESA = "esa"


def _read_esa(records: Records, intake: Intake, pair: str) -> None:
    """Take the rows that are not flagged; an annotator's account is judge and hit."""
    for row, cells in records.checked():
        kind = intake.kind(row, cells["type"])
        if cells["flag"] and (kind, cells["flag"]) != ("bad", "bad"):
            intake.omit(row, f"rows with the flag {shown(cells['flag'])}")
            continue
        value = intake.score(row, cells["score"])
        if value is None:
            continue
        intake.add(
            row,
            Judgment(
                judge=intake.filled(row, cells["annotator"], "annotator"),
                hit=cells["annotator"],
                pair=pair,
                kind=kind,
                system=intake.filled(row, cells["system"], "system"),
                segment=intake.filled(row, cells["seg"], "seg"),
                value=value,
                scale=ESA,
                seconds=seconds_between(row, cells["t_start"], cells["t_end"], intake),
                at=from_epoch(row, cells["t_end"], intake),
            ),
        )


# The scores that Appraise exports, with a line of column names on top or, as it writes them,
# none.
#
# `username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore,mqm,timeStart,timeEnd`;
# the columns of documents and of error spans may be missing. An account is one sheet of items, so
# it is judge and hit.

_APPRAISE_COLUMNS = (
    "username",
    "system",
    "itemId",
    "itemType",
    "srcLang",
    "trgLang",
    "score",
    "timeStart",
    "timeEnd",
)
_DOCUMENTS = (*_APPRAISE_COLUMNS[:7], "docId", "isDocScore", *_APPRAISE_COLUMNS[7:])
_SPANS = (*_APPRAISE_COLUMNS[:7], "docId", "isDocScore", "mqm", *_APPRAISE_COLUMNS[7:])
_EXPORTS = {len(names): names for names in (_APPRAISE_COLUMNS, _DOCUMENTS, _SPANS)}
_NUMBERS = ("score", "timeStart", "timeEnd")
_NO_SPANS = ("", "[]")
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
UNNAMED_FORM = (
    f"in 9 columns ({' '.join(_APPRAISE_COLUMNS)}), in 11 with docId isDocScore after the "
    "score, or in 12 with mqm after these"
)


def unnamed_columns(cells: Sequence[str]) -> tuple[str, ...] | None:
    """Return what the cells of a row without names are, None if it is no row of an export.

    Their number tells, and their form: the kind of an item, and numbers, or nothing, where
    numbers belong.
    """
    names = _EXPORTS.get(len(cells))
    if names is None:
        return None
    row = dict(zip(names, cells, strict=True))
    fits = (
        row["itemType"] in KINDS
        and all(not row[name] or parsed_number(row[name]) is not None for name in _NUMBERS)
        and row.get("isDocScore", "false").lower() in _TRUTHS
    )
    return names if fits else None


def _read_appraise(records: Records, intake: Intake, pair: str) -> None:
    """Take every row but the scores of whole documents; the language pair stands in the file.

    Where any row marks errors, it is error span annotation.
    """
    del pair
    rows = list(records.checked())
    spans = any(cells.get("mqm", "") not in _NO_SPANS for _, cells in rows)
    for row, cells in rows:
        if _TRUTHS.get(cells.get("isDocScore", "").lower(), False):
            intake.omit(row, "scores of whole documents")
            continue
        value = intake.score(row, cells["score"])
        if value is None:
            continue
        item = intake.filled(row, cells["itemId"], "itemId")
        document = cells.get("docId", "")
        intake.add(
            row,
            Judgment(
                judge=intake.filled(row, cells["username"], "username"),
                hit=cells["username"],
                pair=f"{cells['srcLang']}-{cells['trgLang']}",
                kind=intake.kind(row, cells["itemType"]),
                system=intake.filled(row, cells["system"], "system"),
                segment=f"{document}:{item}" if document else item,
                value=value,
                scale=ESA if spans else "adequacy",
                seconds=seconds_between(row, cells["timeStart"], cells["timeEnd"], intake),
                at=from_epoch(row, cells["timeEnd"], intake),
            ),
        )


# Direct assessments as the WMT published them in 2021 and 2022, one row per judgment.

_DA_COLUMNS = ("hit", "worker", "system", "type", "seg", "raw", "hit_seconds")


def _read_da(records: Records, intake: Intake, pair: str) -> None:
    """Take every row; the scores are those under `raw`, and the items share their hit's time."""
    for row, cells in records.checked():
        value = intake.score(row, cells["raw"])
        if value is None:
            continue
        intake.add(
            row,
            Judgment(
                judge=intake.filled(row, cells["worker"], "worker"),
                hit=intake.filled(row, cells["hit"], "hit"),
                pair=pair,
                kind=intake.kind(row, cells["type"]),
                system=intake.filled(row, cells["system"], "system"),
                segment=intake.filled(row, cells["seg"], "seg"),
                value=value,
                seconds=intake.seconds(row, cells["hit_seconds"]),
            ),
            shares_time=True,
        )


# MQM annotations as the WMT publishes them (Freitag et al. 2021): one row per error span.
#
# All rows of one rater for one segment of one system make one judgment, minus the sum of what the
# errors cost; a text without errors has a row that says so.

_MQM_COLUMNS = ("system", "seg_id", "rater", "category", "severity")
MQM = "mqm"


def _read_mqm(records: Records, intake: Intake, pair: str) -> None:
    """Add up the errors of every text that somebody has read."""
    costs: dict[tuple[str, str, str, str], list[float]] = {}
    rows: dict[tuple[str, str, str, str], int] = {}
    unknown = set()
    checked = list(records.checked())
    again = _again(checked)
    for row, cells in checked:
        if row in again:
            intake.omit(row, "the same errors again")
            continue
        key = (
            intake.filled(row, cells["rater"], "rater"),
            cells.get("doc", ""),
            intake.filled(row, cells["system"], "system"),
            intake.filled(row, cells["seg_id"], "seg_id"),
        )
        cost = weight(cells["severity"], cells["category"])
        if cost is None:
            intake.faults.add(
                row,
                f"unknown severity {quoted(cells['severity'])}",
                f"expected one of {', '.join(WEIGHTS)}",
            )
            unknown.add(key)
        else:
            costs.setdefault(key, []).append(cost)
            rows.setdefault(key, row)
    for key, each in costs.items():
        if key in unknown:  # the text has an error more, of which the cost cannot be told
            intake.omit(rows[key], "texts with an error that cannot be read")
            continue
        rater, document, system, segment = key
        value = 0.0 - fsum(each)  # and not −0
        intake.add(
            rows[key],
            Judgment(
                judge=rater,
                hit=document or rater,
                pair=pair,
                kind="system",
                system=system,
                segment=segment,
                value=value,
                scale=MQM,
            ),
        )


def _again(rows: Sequence[tuple[int, Mapping[str, str]]]) -> Collection[int]:
    """Return the rows of documents that a rater's marks are there of several times, all of them."""
    documents: dict[tuple[str, str], dict[Hashable, list[int]]] = {}
    for row, cells in rows:
        contents = documents.setdefault((cells["rater"], cells.get("doc", "")), {})
        contents.setdefault(tuple(cells.items()), []).append(row)
    return {row for contents in documents.values() for row in again_within(contents)}


# Our own table of judgments, TSV or JSON lines: one row per judgment.
#
# The columns are the fields of `weigh.types.Judgment`; `worker`, `language_pair`, `item_type` and
# `score` may stand for `judge`, `pair`, `kind` and `value`. Only those of `_OWN_COLUMNS` are
# needed.

_OWN_COLUMNS = ("judge", "hit", "kind", "system", "segment", "value")
ALIASES = {"worker": "judge", "language_pair": "pair", "item_type": "kind", "score": "value"}
_REJECTED = {"": False, "false": False, "true": True}


def _read_own(records: Records, intake: Intake, pair: str) -> None:
    """Take every row; `pair` is the language pair of rows that name none."""
    for row, given in records.checked():
        cells = {ALIASES.get(name, name): cell for name, cell in given.items()}
        value = intake.score(row, cells["value"])
        if value is None:
            continue
        intake.add(
            row,
            Judgment(
                judge=intake.filled(row, cells["judge"], "judge"),
                hit=intake.filled(row, cells["hit"], "hit"),
                pair=cells.get("pair") or pair,
                kind=intake.kind(row, cells["kind"]),
                system=intake.filled(row, cells["system"], "system"),
                segment=intake.filled(row, cells["segment"], "segment"),
                value=value,
                scale=cells.get("scale") or "adequacy",
                seconds=intake.seconds(row, cells.get("seconds", "")),
                at=_time(row, cells.get("at", ""), intake),
                item=cells.get("item") or None,
                of=cells.get("of") or None,
                rejected=_rejected(row, cells, intake),
                assignment=cells.get("assignment") or None,
            ),
        )


def _time(row: int, cell: str, intake: Intake) -> str | None:
    if not cell:
        return None
    try:
        datetime.fromisoformat(cell)
    except ValueError:
        intake.faults.add(row, f"the time is {quoted(cell)}", "expected ISO 8601")
    return cell


def _rejected(row: int, cells: Mapping[str, str], intake: Intake) -> bool:
    cell = cells.get("rejected", "").lower()
    if cell not in _REJECTED:
        intake.faults.add(row, f"rejected is {quoted(cell)}", "expected true or false")
    return _REJECTED.get(cell, False)


class TableFormat(NamedTuple):
    """The columns that a format needs, and what takes its rows; a language pair may be given."""

    columns: tuple[str, ...]
    read: Callable[[Records, Intake, str], None]


FORMATS = {
    "MTurk batch results": TableFormat(_MTURK_COLUMNS, _read_mturk),
    "Appraise exports": TableFormat(_APPRAISE_COLUMNS, _read_appraise),
    "WMT direct assessments": TableFormat(_DA_COLUMNS, _read_da),
    "WMT error span annotation": TableFormat(_ESA_COLUMNS, _read_esa),
    "WMT MQM annotations": TableFormat(_MQM_COLUMNS, _read_mqm),
    "weigh's own judgments": TableFormat(_OWN_COLUMNS, _read_own),
}
"""Every format by its name; a file is of the first whose columns it has."""
