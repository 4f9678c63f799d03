"""Labels go to files and come back; files that are not right are refused with their rows."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from unit.rypt.labels import HOSTILE, judgment, judgment_lists, said, time
from weigh.errors import InputError
from weigh.rypt.collection import open_store, read_labels
from weigh.rypt.label_files import (
    COLUMNS,
    RESULTS,
    as_jsonl,
    as_tsv,
    read_judgments,
)
from weigh.rypt.labels import ANONYMOUS, Entry, EntryJudgment, Label

Fresh = Callable[[], str]
FORMS = {"labels.jsonl": as_jsonl, "labels.tsv": as_tsv}


def written(path: Path, content: str) -> str:
    path.write_text(content, encoding="utf-8", newline="")
    return str(path)


def refusal(path: str) -> str:
    with pytest.raises(InputError) as caught:
        read_judgments(path)
    message = str(caught.value)
    assert message.isprintable()
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kept=judgment_lists())
def test_what_is_written_is_read_back(
    name: str, kept: list[EntryJudgment], fresh: Fresh, tmp_path: Path
) -> None:
    store = open_store(fresh(), create=True)
    store.add(kept)
    there = list(store.judgments())
    if not there:
        return
    path = written(tmp_path / name, "".join(f"{line}\n" for line in FORMS[name](there)))
    read = read_judgments(path)
    assert (list(read.batch.judgments), read.omissions, read.remarks) == (there, (), ())
    assert read_labels(path) == said(kept)
    again = open_store(fresh(), create=True)
    for _ in range(2):
        again.add_batches([read.batch])
        assert list(again.judgments()) == there


def test_the_columns_are_these(tmp_path: Path) -> None:
    kept = [judgment(Label.NOT_SURE, seconds=8.5, origin="HIT 7", second=9, corrects=time(1))]
    [line] = as_jsonl(kept)
    assert json.loads(line) == {
        "source": "das haus steht",
        "start": 0,
        "end": 2,
        "substring": "the house",
        "label": "NOT SURE",
        "judge": "w1",
        "at": "2009-06-01T12:00:09.000000Z",
        "seconds": 8.5,
        "origin": "HIT 7",
        "corrects": "2009-06-01T12:00:01.000000Z",
    }
    assert tuple(next(as_tsv(kept)).split("\t")) == COLUMNS
    few = written(tmp_path / "few.tsv", "label\tsource\tstart\tend\tsubstring\nNO\ta b\t1\t2\tx\n")
    assert read_judgments(few).batch.judgments == [
        EntryJudgment(Entry("a b", 1, 2, "x"), Label.NO, ANONYMOUS)
    ]
    comma = written(tmp_path / "x.csv", 'label,source,start,end,substring\nNO,"a , b",1,2,x\n')
    assert read_labels(comma) == {"a , b": {(1, 2, "x"): Label.NO}}


def test_times_may_have_any_offset(tmp_path: Path) -> None:
    header = "source\tstart\tend\tsubstring\tlabel\tat\n"
    path = written(tmp_path / "x.tsv", header + "a\t0\t1\tx\tNO\t2009-06-01T14:00+02:00\n")
    assert [one.at for one in read_judgments(path).batch.judgments] == [time(0)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a b\t0\t1\tx\tyes\t\t", "the label is 'yes'; expected one of YES, NO, NOT SURE"),
        ("a b\t-1\t1\tx\tYES\t\t", "the start is '-1'; expected a number of words"),
        ("a b\t0\t1.0\tx\tYES\t\t", "the end is '1.0'; expected a number of words"),
        ("a b\t0\t3\tx\tYES\t\t", "the span is 0-3, but the source has 2 words"),
        ("a b\t0\t1\tx \tYES\t\t", "the substring is 'x '"),
        ("a b\t0\t1\tx\tYES\t2009-06-01T12:00\t", "the time is '2009-06-01T12:00'; expected ISO"),
        ("a b\t0\t1\tx\tYES\t\tsoon", "the time is 'soon'; expected seconds"),
        ("a b\t0\t1\tx\tYES", "has 5 cells, but the header has 7"),
        ("a\t0\t1\tx\tNO\t\t", "NO, but another judgment without judge or time says YES"),
    ],
)
def test_rows_that_are_refused(row: str, message: str, tmp_path: Path) -> None:
    header = "source\tstart\tend\tsubstring\tlabel\tat\tseconds\n"
    path = written(tmp_path / "x.tsv", f"{header}a\t0\t1\tx\tYES\t\t\n{row}\n")
    found = refusal(path)
    assert found.startswith("row 3")
    assert message in found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty, but a row of column names was expected"),
        ("source\tstart\tend\tlabel\nx\t0\t1\tNO\n", "no column 'substring'; labels need source,"),
        (
            '{"source": "a", "start": 0, "end": 1, "substring": "x", "label": "NO", "jugde": "w"}',
            "unknown column 'jugde'; did you mean 'judge'?",
        ),
        ('{"source": "a", "start": 0\n', "row 1 is not JSON"),
        (
            '{"source": "a", "start": 0, "end": 1, "substring": "\\u0000", "label": "NO"}',
            r"row 1: the substring '\x00' has a tab, a line end or a NUL",
        ),
    ],
)
def test_files_that_are_refused(content: str, message: str, tmp_path: Path) -> None:
    assert refusal(written(tmp_path / "x", content)).startswith(message)


def test_an_empty_file_is_told_what_its_name_promises(tmp_path: Path) -> None:
    assert refusal(written(tmp_path / "x.jsonl", "")) == "empty, but JSON lines were expected"


def results(*rows: dict[str, str]) -> str:
    text = io.StringIO()
    # The site has columns for those answers that somebody gave.
    answers = [f"Answer.label_{number}" for number in (2, 3)]
    header = [*RESULTS, *answers, "AssignmentId", "Approve", "Reject"]
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([row.get(name, "") for name in header[:-2]])
    return text.getvalue()


def assignment(**changed: str) -> dict[str, str]:
    return {
        "HITId": "3H1",
        "WorkerId": "A1",
        "AssignmentStatus": "Approved",
        "SubmitTime": "Mon Jun 01 05:00:09 PDT 2009",
        "WorkTimeInSeconds": "25",
        "Input.source": html.escape(HOSTILE),
        "Input.start": "1",
        "Input.end": "3",
        "Input.substring_1": "&#61;1 &lt;b&gt; [GAP] &amp;amp;",
        "Input.substring_2": "two",
        "Input.substring_3": "three",
        "Answer.label_1": "YES",
        "Answer.label_2": "NOT SURE",
    } | {name.replace("_of_", "."): value for name, value in changed.items()}


def test_results_of_mechanical_turk(tmp_path: Path) -> None:
    path = written(
        tmp_path / "batch.csv",
        results(
            assignment(),
            assignment(AssignmentStatus="Rejected", WorkerId="A2"),
            assignment(WorkerId="A3", WorkTimeInSeconds="", Answer_of_label_3="NO"),
        ),
    )
    read = read_judgments(path)
    first = Entry(HOSTILE, 1, 3, "=1 <b> [GAP] &amp;")
    # Two of three were answered, in 25 seconds.
    assert list(read.batch.judgments) == [
        EntryJudgment(first, Label.YES, "A1", time(9), 12.5, "3H1"),
        EntryJudgment(Entry(HOSTILE, 1, 3, "two"), Label.NOT_SURE, "A1", time(9), 12.5, "3H1"),
        EntryJudgment(first, Label.YES, "A3", time(9), None, "3H1"),
        EntryJudgment(Entry(HOSTILE, 1, 3, "two"), Label.NOT_SURE, "A3", time(9), None, "3H1"),
        EntryJudgment(Entry(HOSTILE, 1, 3, "three"), Label.NO, "A3", time(9), None, "3H1"),
    ]
    assert read.batch.rows == [2, 2, 4, 4, 4]
    assert {(omission.why.partition(": ")[2], omission.count) for omission in read.omissions} == {
        ("missing answers (row 2)", 1),
        ("of rejected assignments (row 3)", 2),
    }


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"SubmitTime": "2009-06-01"}, "row 2: the SubmitTime is '2009-06-01'; expected a time"),
        ({"Answer_of_label_1": "Y"}, "row 2: the label is 'Y'; expected one of YES, NO, NOT SURE"),
        ({"Input_of_end": "x"}, "row 2: the end is 'x'"),
        ({"Input_of_end": "99"}, "row 2: the span is 1-99, but the source has"),
        ({"WorkerId": ""}, "row 2: the WorkerId is empty; fill it in"),
        ({"WorkTimeInSeconds": "-3"}, "row 2: the time is '-3'; expected seconds"),
    ],
)
def test_results_that_are_refused(changed: dict[str, str], message: str, tmp_path: Path) -> None:
    path = written(tmp_path / "batch.csv", results(assignment(**changed)))
    assert refusal(path).startswith(message)


def test_results_of_other_hits_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "batch.csv", "WorkerId,Input.source\nA1,x\n")
    assert refusal(path).startswith("no column 'HITId'; give the results of HITs that weigh rypt")
