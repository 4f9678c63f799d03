"""Whom to thank, to pay and to refuse."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from unit.human.judgments import one
from weigh.human.judgments import numbers, renamed
from weigh.human.payments import Payment, as_mturk, as_tsv, payments
from weigh.human.quality import quality
from weigh.read.answers import Judgments
from weigh.result import document
from weigh.types import Judgment


def work(judge: str, low: float, count: int = 6, **rest: object) -> list[Judgment]:
    """Return outputs with their damaged copies, which somebody scores so low."""
    made = []
    for segment in range(1, count + 1):
        genuine = one(
            *("A", segment, 80.0 + segment, judge),
            hit=f"hit of {judge}",
            seconds=10.0,
            assignment=f"work of {judge}",
        )
        genuine = replace(genuine, **rest)  # type: ignore[arg-type]
        made += [genuine, replace(genuine, kind="bad", value=low + segment % 3)]
    return made


JUDGMENTS = [
    *work("=ann", 10.0),
    *work("ben", 90.0),
    *work("cat", 10.0, 1),
    *work("dan", 10.0, rejected=True),
    *work("eve", 10.0, seconds=None),
]


@pytest.fixture(scope="module")
def listed() -> dict[str, Payment]:
    known = numbers(each.judge for each in JUDGMENTS)
    names = {number: name for name, number in known.items()}
    answers = Judgments(renamed(JUDGMENTS, known), names=names)
    result = quality(answers)
    assert not any(each.judge in document(result) for each in JUDGMENTS)
    return {each.judge: each for each in payments(answers, result)}


def test_decisions_with_the_names_that_the_platform_knows(listed: dict[str, Payment]) -> None:
    decisions = {name: each.decision for name, each in listed.items()}
    assert decisions == {
        "=ann": "thank",
        "eve": "thank",
        "cat": "pay",  # of whom nothing bad is known
        "ben": "refuse",
        "dan": "refuse",
    }
    assert [*decisions.values()] == sorted(decisions.values(), key=["thank", "pay", "refuse"].index)


def test_work_is_counted(listed: dict[str, Payment]) -> None:
    ann = listed["=ann"]
    assert (ann.hits, ann.judgments, ann.seconds) == (1, 12, pytest.approx(120))
    assert listed["eve"].seconds is None


def test_a_table_has_a_row_for_every_judge(listed: dict[str, Payment]) -> None:
    header, *rows = [row.split("\t") for row in as_tsv([*listed.values()]).split("\n") if row]
    table = [dict(zip(header, row, strict=True)) for row in rows]
    assert [row["judge"] for row in table] == [*listed]
    assert {row["judge"]: row["assignments"] for row in table}["ben"] == "work of ben"
    assert {row["judge"]: row["seconds"] for row in table}["eve"] == ""


def test_what_mechanical_turk_takes_back(listed: dict[str, Payment]) -> None:
    rows = [*csv.DictReader(io.StringIO(as_mturk([*listed.values()])))]
    told = {row["WorkerId"]: (row["AssignmentId"], row["Approve"], row["Reject"]) for row in rows}
    assert told == {
        "'=ann": ("work of =ann", "x", ""),  # no formula for a spreadsheet
        "eve": ("work of eve", "x", ""),
        "cat": ("work of cat", "x", ""),
        "ben": ("work of ben", "", listed["ben"].why),
        "dan": ("work of dan", "", ""),  # which was rejected before
    }
