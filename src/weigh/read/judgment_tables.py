"""Judgment tables of several programs, recognised by the names of their columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from math import fsum
from typing import NamedTuple

from weigh.read.answers import KINDS, Intake
from weigh.read.cells import strip_quotes
from weigh.read.records import MAY_MISS, Records, read_number
from weigh.read.spans import appraise_spans, locate_marks, spans_json
from weigh.read.text import quoted, shown
from weigh.types import Judgment, Span

# MQM's weights of error spans (Freitag et al. 2021, table 4): 25 for a text that is no translation,
# 5 for a major error, 1 for a minor one, .1 for minor punctuation, and 0 for neutral or no error. A
# text's score is minus the sum, so that higher is better.

WEIGHTS = {"major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0}
"""What an error of each severity costs, particular categories apart."""

_NO_TRANSLATION = 25.0
_MINOR_PUNCTUATION = 0.1


def weight(severity: str, category: str = "") -> float | None:
    """The cost of an error, or None if its severity is unknown.

    >>> weight("Major", "Accuracy/Mistranslation"), weight("minor", "Fluency/Punctuation")
    (5.0, 0.1)
    """
    grade, kind = weight_name(severity), category.lower()
    if grade == "major" and kind.startswith("non-translation"):
        return _NO_TRANSLATION
    if grade == "minor" and kind == "fluency/punctuation":
        return _MINOR_PUNCTUATION
    return WEIGHTS.get(grade)


def weight_name(severity: str) -> str:
    """The name of a severity in `WEIGHTS`, or None.

    >>> weight_name("No_error")
    'no-error'
    """
    return severity.lower().replace("_", "-").replace(" ", "-")


def cost_of(row: int, severity: str, category: str, intake: Intake) -> float | None:
    """The cost of an error, or None and a fault if the severity is unknown."""
    cost = weight(severity, category)
    if cost is None:
        remedy = f"expected one of {', '.join(WEIGHTS)}"
        intake.faults.add(row, f"unknown severity {quoted(severity)}", remedy)
    return cost


class TableEntry(NamedTuple):
    """The judgment in a row.

    `cells` are by column name. `fields` are derived from them, by the names of a judgment's fields
    (see `weigh.read.answers.Intake.take`), and so is the `value` of marked errors.
    """

    row: int
    cells: Mapping[str, str]
    fields: Mapping[str, str] = {}
    value: float | None = None


def _plain(records: Records, _: Intake) -> Iterator[TableEntry]:
    """Yield all rows unchanged."""
    for row, cells in records.rows_by_name():
        yield TableEntry(row, cells)


@dataclass(frozen=True, slots=True)
class TableFormat:
    """A program's judgment table: the column of each field of a judgment.

    A table of the format has all of `columns`, and may have the `optional` ones. `needed` are
    further columns used by `entries`, which yields the judgments of a table.
    """

    columns: Mapping[str, str]
    entries: Callable[[Records, Intake], Iterable[TableEntry]] = _plain
    needed: tuple[str, ...] = ()
    optional: Mapping[str, str] = field(default_factory=dict)

    @property
    def all_needed(self) -> tuple[str, ...]:
        """The columns that identify the format."""
        return (*self.columns.values(), *self.needed)

    def take(self, records: Records, intake: Intake) -> None:
        """Take all judgments of a table."""
        fields = {**self.columns, **self.optional}
        for row, cells, fields_of_entry, value in self.entries(records, intake):
            entry_cells = {
                name: cells[column] for name, column in fields.items() if column in cells
            }
            intake.take(
                row, {**entry_cells, **fields_of_entry} if fields_of_entry else entry_cells, value
            )


# Results of an Amazon Mechanical Turk batch, exported by its site as CSV.
#
# Columns are found by name, in any order. One row is one HIT by one worker. All its answers are in
# one column, such as `Answer.Q1`, separated by `|` and written as
# `SYSTEM_SEGMENT_TYPE_PLACE__SCORE` (Graham et al. 2017): `online-a_331_BAD_REF_0__71`. The columns
# `Input.sys_0`, `Input.sid_0` and `Input.tst_0` of each item show where one name ends and the next
# begins, and `Input.rid_0` is the item's place. Without them, a segment's name has no underscore.

_SCALES = {"ad": "adequacy", "fl": "fluency"}
_IN_ANSWERS = ("system", "segment", "kind", "item", "value")

_TYPES = "|".join(sorted(KINDS, key=len, reverse=True))
# The shortest system is tried first, so that the REF of BAD_REF is not taken for the type.
_ANSWER = re.compile(rf"(.+?)_([^_]+)_({_TYPES})_([0-9]+)__([^_]*)")
_UNKNOWN_TYPE = re.compile(r".+_[^_]+_([A-Za-z]+)_[0-9]+__[^_]*")

_HOURS = {
    **{"UTC": 0, "GMT": 0, "EDT": -4, "EST": -5, "CDT": -5, "CST": -6},
    **{"MDT": -6, "MST": -7, "PDT": -7, "PST": -8},
}


def _mturk_entries(records: Records, intake: Intake) -> Iterator[TableEntry]:
    """Yield the answers of every row; the language pair is in the file."""
    columns = [name for name in records.header if name.startswith("Answer.")]
    for row, cells in records.rows_by_name(MAY_MISS):
        # A cell that is not closed is the last one.
        readable = [*cells][:-1] if row in records.unclosed else cells
        packed = (cells[name] for name in columns if name in readable and "__" in cells[name])
        yield from _unpack(row, cells, next(packed, None), intake)


def _unpack(
    row: int, cells: Mapping[str, str], packed: str | None, intake: Intake
) -> Iterator[TableEntry]:
    if packed is None:
        intake.faults.add(
            row, "no column Answer.… holds scores", "expected SYSTEM_SEGMENT_TYPE_PLACE__SCORE|…"
        )
        return
    items = list(_items(cells))
    answers = list(_answers(row, packed, items, intake))
    for _ in range(len(items) - len(answers)):
        intake.omit(row, "missing answers")
    seconds = intake.seconds(row, cells["WorkTimeInSeconds"])
    scale = strip_quotes(cells["Input.item"])
    common = {
        "pair": f"{strip_quotes(cells['Input.src'])}-{strip_quotes(cells['Input.trg'])}",
        "scale": _SCALES.get(scale, scale),
        "seconds": "" if seconds is None else repr(seconds / max(1, len(answers))),
        "at": time_of(cells["SubmitTime"]) or "",
        "rejected": "true" if cells["AssignmentStatus"] == "Rejected" else "",
    }
    for answer in answers:
        yield TableEntry(row, cells, common | dict(zip(_IN_ANSWERS, answer, strict=True)))


def _items(cells: Mapping[str, str]) -> Iterator[tuple[str, str, str, str]]:
    """Yield system, segment, type and place of each item of the HIT, if columns name them."""
    for number in count():
        names = [f"Input.{column}_{number}" for column in ("sys", "sid", "tst")]
        if any(name not in cells for name in names):
            return
        system, segment, kind = (strip_quotes(cells[name]) for name in names)
        if system or segment or kind:  # other HITs of the batch may show more
            yield system, segment, kind, strip_quotes(cells.get(f"Input.rid_{number}", ""))


def _answers(
    row: int, packed: str, items: Sequence[tuple[str, str, str, str]], intake: Intake
) -> Iterator[tuple[str, ...]]:
    placed = {"_".join(item): item for item in items}
    items_by_name = {"_".join(item[:3]): item[:3] for item in items}
    for text in packed.split("|"):
        head, _, score = text.rpartition("__")
        item, _, place = head.rpartition("_")
        if head in placed and place.isdigit():
            yield (*placed[head], score)
        elif item in items_by_name and place.isdigit():
            yield (*items_by_name[item], place, score)
        elif match := _ANSWER.fullmatch(text):
            yield match.groups()
        elif unknown := _UNKNOWN_TYPE.fullmatch(text):
            intake.kind(row, unknown[1])
        else:
            intake.faults.add(
                row, f"the answer {quoted(text)}", "expected SYSTEM_SEGMENT_TYPE_PLACE__SCORE"
            )


def time_of(cell: str) -> str | None:
    """A time such as `Mon Nov 21 08:37:58 PST 2016` in ISO 8601, or None."""
    words = cell.split(" ")
    if len(words) != 6 or words[4] not in _HOURS:
        return None
    fraction = ".%f" if "." in words[3] else ""
    try:
        local = datetime.strptime(" ".join([*words[1:4], words[5]]), f"%b %d %H:%M:%S{fraction} %Y")
    except ValueError:
        return None
    return local.replace(tzinfo=timezone(timedelta(hours=_HOURS[words[4]]))).isoformat()


def moment(at: str) -> datetime:
    """A time in ISO 8601 converted to UTC, which is assumed without an offset."""
    time = datetime.fromisoformat(at)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


# Scores of error span annotation, as published by the WMT in 2024.
#
# `flag` is the reason why a row does not count. Rows flagged `bad` are control items, which never
# enter a system's score; rows with any other flag are left out.

ESA = "esa"


def _esa_entries(records: Records, intake: Intake) -> Iterator[TableEntry]:
    """Yield the rows without a flag; the annotator's account is both judge and HIT."""
    for row, cells in records.rows_by_name():
        kind = intake.kind(row, cells["type"])
        if cells["flag"] and (kind, cells["flag"]) != ("bad", "bad"):
            intake.omit(row, f"rows with the flag {shown(cells['flag'])}")
        else:
            fields = {"scale": ESA}
            if "spans_json" in cells:
                fields |= _spans_field(row, cells["spans_json"], intake)
            yield TableEntry(row, cells, fields)


def _spans_field(row: int, cell: str, intake: Intake) -> dict[str, str]:
    """Convert the errors in a cell of Appraise's to our own form."""
    spans = intake.read_spans(row, cell, lambda: appraise_spans(cell))
    return {} if spans is None else {"spans": spans_json(spans)}


# Scores exported by Appraise, with or without a header (Appraise writes none).
#
# `username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore,mqm,timeStart,timeEnd`;
# the columns of documents and error spans may be missing. An account is one sheet of items, so it
# is both judge and hit.

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
# The suffix of a document's name when it occurs again, damaged or not.
_COPY = re.compile("#(?:bad|reference|repeat|part)[0-9]*$")
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
UNNAMED_FORM = (
    f"in 9 columns ({' '.join(_APPRAISE_COLUMNS)}), in 11 with docId isDocScore after the "
    "score, or in 12 with mqm after these"
)


def unnamed_columns(cells: Sequence[str]) -> tuple[str, ...] | None:
    """The columns of a row without a header, or None if it is not from an Appraise export.

    They are identified by their number and content: the kind of an item, and numbers, or nothing,
    in the columns of numbers.
    """
    names = _EXPORTS.get(len(cells))
    if names is None:
        return None
    row = dict(zip(names, cells, strict=True))
    fits = (
        row["itemType"] in KINDS
        and all(not row[name] or read_number(row[name]) is not None for name in _NUMBERS)
        and row.get("isDocScore", "false").lower() in _TRUTHS
    )
    return names if fits else None


def _appraise_entries(records: Records, intake: Intake) -> Iterator[TableEntry]:
    """Yield all rows except scores of whole documents; the language pair is in the file.

    If any row marks errors, the table is error span annotation.
    """
    rows = [*records.rows_by_name()]
    spans = any(cells.get("mqm", "") not in _NO_SPANS for _, cells in rows)
    for row, cells in rows:
        if _TRUTHS.get(cells.get("isDocScore", "").lower(), False):
            intake.omit(row, "scores of whole documents")
            continue
        place = filter(None, (_COPY.sub("", cells.get("docId", "")), cells["itemId"]))
        fields = {
            "pair": f"{cells['srcLang']}-{cells['trgLang']}",
            "segment": ":".join(place) if cells["itemId"] else "",
            "scale": ESA if spans else "",
        }
        if spans:
            fields |= _spans_field(row, cells.get("mqm", ""), intake)
        yield TableEntry(row, cells, fields)


# MQM annotations as the WMT publishes them (Freitag et al. 2021): one row per error span.
#
# All rows of one rater for one segment of one system make one judgment: minus the sum of the
# errors' costs. A text without errors has a row that says so. The error is between <v> and </v> in
# the column `target`; omissions are marked only in the source.

MQM = "mqm"


def _mqm_entries(records: Records, intake: Intake) -> Iterator[TableEntry]:
    """Add up the errors of every text that somebody has read."""
    costs: dict[tuple[str, str, str, str], list[float]] = {}
    spans: dict[tuple[str, str, str, str], list[Span]] = {}
    first: dict[tuple[str, str, str, str], TableEntry] = {}
    unknown = set()
    contents: set[Hashable] = set()
    for row, cells in records.rows_by_name():
        content = tuple(cells.items())
        if content in contents:
            intake.note_identical(row)
        contents.add(content)
        key = (
            intake.required_cell(row, cells["rater"], "rater"),
            cells.get("doc", ""),
            intake.required_cell(row, cells["system"], "system"),
            intake.required_cell(row, cells["seg_id"], "seg_id"),
        )
        cost = cost_of(row, cells["severity"], cells["category"], intake)
        if cost is None:
            unknown.add(key)
        else:
            costs.setdefault(key, []).append(cost)
            spans.setdefault(key, []).extend(_mqm_span(row, cells, intake))
            hit = {"hit": cells["doc"]} if cells.get("doc") else {}
            first.setdefault(key, TableEntry(row, cells, {"scale": MQM, **hit}))
    for key, entry in first.items():
        if key in unknown:  # the text has an error more, of which the cost cannot be told
            intake.omit(entry.row, "texts with an error that cannot be read")
        else:
            fields = {**entry.fields, "spans": spans_json(spans[key])}
            yield entry._replace(fields=fields, value=0.0 - fsum(costs[key]))  # and not −0


def _mqm_span(row: int, cells: Mapping[str, str], intake: Intake) -> Iterator[Span]:
    """The error of a row, if it has one."""
    severity, text = weight_name(cells["severity"]), cells.get("target", "")
    if severity != "no-error":
        try:
            start, end = locate_marks(text) or (None, None)
        except ValueError:
            remedy = "expected the error between <v> and </v>"
            intake.faults.add(row, f"the target is {quoted(text[:60])}", remedy)
        else:
            yield Span(start, end, severity, cells["category"])


# Long tables of judgments, TSV, CSV or JSON lines: one row per judgment, and our own format.
#
# The columns are the fields of `weigh.types.Judgment`, only four of which are required; `worker`,
# `language_pair`, `item_type`, `score`, `doc` and `domain` are other names for `judge`, `pair`,
# `kind`, `value`, `document` and `slice`.

LONG = "long tables of judgments"
ALIASES = {
    **{"worker": "judge", "language_pair": "pair", "item_type": "kind", "score": "value"},
    **{"doc": "document", "domain": "slice"},
}
_LONG = ("judge", "system", "segment", "value")


def _long_entries(records: Records, _: Intake) -> Iterator[TableEntry]:
    """Yield every row, with cells by the names of a judgment's fields.

    MQM values are sums of the costs of errors, and negative.
    """
    names = [ALIASES.get(name, name) for name in records.header]
    for row, cells in records.full_rows():
        named = dict(zip(names, cells, strict=True))
        cost = read_number(named["value"].strip(" ")) if named.get("scale") == MQM else None
        yield TableEntry(row, named, value=cost if cost is not None and cost <= 0 else None)


# Long tables without judges: means of several people's scores, one for each segment and system.

MEANS = "tables of means"
_OF_MEANS = ("pair", "scale", "kind", "document", "slice")


def _mean_entries(records: Records, intake: Intake) -> Iterator[TableEntry]:
    """Yield the means, which need not be on the scale: they may be of standard scores."""
    rows: dict[tuple[str, ...], int] = {}
    for row, named in records.rows_by_name():
        cells = {ALIASES.get(name, name): cell for name, cell in named.items()}
        item = tuple(cells.get(name, "") for name in ("system", "segment", *_OF_MEANS))
        first = rows.setdefault(item, row)
        value = intake.mean(row, cells["value"])
        if first != row:
            intake.faults.add(
                row,
                f"segment {quoted(item[1])} of {quoted(item[0])} repeats row {first:,}",
                "without a judge column, a segment can have only one mean; name the column, as "
                "in --columns judge=NAME",
            )
        elif value is not None:
            yield TableEntry(row, cells, value=value)


FORMATS = {
    "MTurk batch results": TableFormat(
        {"hit": "HITId", "judge": "WorkerId"},
        _mturk_entries,
        needed=(
            "AssignmentStatus",
            "SubmitTime",
            "WorkTimeInSeconds",
            "Input.src",
            "Input.trg",
            "Input.item",
        ),
        optional={"assignment": "AssignmentId"},
    ),
    "Appraise exports": TableFormat(
        {
            "judge": "username",
            "system": "system",
            "segment": "itemId",
            "kind": "itemType",
            "value": "score",
            "start": "timeStart",
            "end": "timeEnd",
        },
        _appraise_entries,
        needed=("srcLang", "trgLang"),
        optional={"document": "docId"},
    ),
    # The WMT published these in 2021 and 2022; the items share the time of their hit.
    "WMT direct assessments": TableFormat(
        {
            "hit": "hit",
            "judge": "worker",
            "system": "system",
            "kind": "type",
            "segment": "seg",
            "value": "raw",
            "hit_seconds": "hit_seconds",
        }
    ),
    "WMT error span annotation": TableFormat(
        {
            "judge": "annotator",
            "system": "system",
            "segment": "seg",
            "kind": "type",
            "value": "score",
            "start": "t_start",
            "end": "t_end",
        },
        _esa_entries,
        needed=("flag",),
        optional={"document": "doc"},
    ),
    "WMT MQM annotations": TableFormat(
        {"system": "system", "segment": "seg_id", "judge": "rater"},
        _mqm_entries,
        needed=("category", "severity"),
        optional={"document": "doc"},
    ),
    LONG: TableFormat(
        {name: name for name in _LONG},
        _long_entries,
        optional={field.name: field.name for field in fields(Judgment)},
    ),
    MEANS: TableFormat(
        {name: name for name in _LONG if name != "judge"},
        _mean_entries,
        optional={name: name for name in _OF_MEANS},
    ),
}
"""Every format by its name; a file is of the first whose columns it has."""
