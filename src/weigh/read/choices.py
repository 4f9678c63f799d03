"""Choices of people between two texts, left and right: JSON lines, TSV or CSV, MTurk's among them.

A row is one answer: `pair`, `judge` and `choice`, which is left, right or neither; what else is
known of the judge, such as `country`, may stand in further columns. In the results of an Amazon
Mechanical Turk batch these are `Input.pair`, `WorkerId` and `Answer.choice`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.read.answers import Omission
from weigh.read.records import Faults, Records, parse_records
from weigh.read.stream import quoted, read_whole, shown

Answer = Literal["left", "right", "neither"]

_COLUMNS = {
    "pair": ("pair", "Input.pair"),
    "judge": ("judge", "WorkerId"),
    "choice": ("choice", "Answer.choice", "Answer.choice.label"),
}
_STATUS = "AssignmentStatus"
# MTurk's site names these in the header and leaves them off in rows that nobody has reviewed.
_MAY_MISS = ("Approve", "Reject")


@dataclass(frozen=True, slots=True)
class Choice:
    """One person's answer to one pair; `where` names its file and row in messages."""

    pair: str
    judge: str
    answer: Answer
    where: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Choices:
    """Answers, and what was left out of them."""

    choices: tuple[Choice, ...]
    omissions: tuple[Omission, ...]
    remarks: tuple[str, ...]


def read_choices(paths: Sequence[str], only: Mapping[str, str] | None = None) -> Choices:
    """Return the answers of all files; those whose columns have other values than `only` left out.

    A judge answers a pair once.
    """
    found: dict[tuple[str, str], Choice] = {}
    omissions: list[Omission] = []
    remarks: list[str] = []
    for path in paths:
        records = parse_records(read_whole(path), shown(path))
        remarks += records.remarks
        _take(records, only or {}, found, omissions)
    if not found:
        raise InputError("no answers are left to count; check the files and --only")
    return Choices(tuple(found.values()), tuple(omissions), tuple(remarks))


def _take(
    records: Records,
    only: Mapping[str, str],
    found: dict[tuple[str, str], Choice],
    omissions: list[Omission],
) -> None:
    columns = {name: _column(records, name) for name in _COLUMNS}
    for name in only:
        if name not in records.header:
            raise UsageError(
                f"{records.name}: no column {quoted(name)} for --only; "
                f"{did_you_mean(name, records.header)}"
            )
    faults = Faults(records.name)
    rejected = others = 0
    for row, cells in records.checked(_MAY_MISS):
        pair, judge, given = (cells[columns[name]].strip() for name in _COLUMNS)
        answer = given.lower()
        if not pair or not judge:
            faults.add(row, "no pair or no judge", "give both")
        elif answer not in get_args(Answer):
            faults.add(row, f"the choice {quoted(given)}", "expected left, right or neither")
        elif cells.get(_STATUS) == "Rejected":
            rejected += 1
        elif any(cells[name] != value for name, value in only.items()):
            others += 1
        elif (pair, judge) in found:
            faults.add(
                row,
                f"the judge answers the pair {quoted(pair)} a second time",
                "keep one answer of each judge",
            )
        else:
            where = f"{records.name}: row {row:,}"
            found[pair, judge] = Choice(pair, judge, cast(Answer, answer), where)
    faults.check()
    if rejected:
        omissions.append(Omission(f"{records.name}: rejected assignments", rejected))
    if others:
        wanted = " and ".join(f"{name}={value}" for name, value in only.items())
        omissions.append(Omission(f"{records.name}: answers without {wanted}", others))


def _column(records: Records, name: str) -> str:
    for known in _COLUMNS[name]:
        if known in records.header:
            return known
    raise InputError(
        f"{records.name}: no column {' or '.join(_COLUMNS[name][:2])}; "
        "give one answer on each row: pair, judge, choice"
    )
