"""Labels as results of Mechanical Turk are read back as they were."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unit.rypt.labels import HOSTILE, judgment, judgment_lists, said, time
from weigh.errors import InputError
from weigh.read.records import parsed_number
from weigh.rypt.label_files import RESULTS, WRITERS, Imported, as_mturk, read_judgments
from weigh.rypt.labels import EntryJudgment, Label

FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def text_of(judgments: Sequence[EntryJudgment]) -> str:
    return "".join(f"{line}\n" for line in as_mturk(judgments))


def read_back(judgments: Sequence[EntryJudgment]) -> Imported:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "results.csv"
        path.write_bytes(text_of(judgments).encode())
        return read_judgments(str(path))


_names = st.sampled_from(["w1", "=1+1", "'@x", 'a "b", c', " w ", "\u202eשלום", "-5", "Ω"])


@st.composite
def timed(draw: st.DrawFn) -> list[EntryJudgment]:
    """Judgments with times, to the microsecond too, and names that spreadsheets would compute."""
    made: dict[tuple[object, ...], EntryJudgment] = {}
    for each in draw(judgment_lists()):
        fraction = draw(st.sampled_from(["000000", "000001", "999999"]))
        changed = each._replace(
            judge=draw(_names),
            at=(each.at or time(7)).replace("000000Z", f"{fraction}Z"),
            origin=draw(_names | st.just("")),
            seconds=draw(st.none() | st.sampled_from([0.1, 0.7, 3.0]) | st.floats(0, 1e6)),
            corrects="",
        )
        made[changed.entry, changed.judge, changed.at] = changed
    return [*made.values()]


@given(timed().filter(bool))
@example([judgment(substring=f"s{at}", seconds=0.1) for at in range(25)])
@example([judgment(substring=HOSTILE, source=HOSTILE, judge=HOSTILE, origin=HOSTILE)])
def test_results_are_read_back(kept: list[EntryJudgment]) -> None:
    read = read_back(kept)
    assert (list(read.batch.judgments), read.omissions, read.remarks) == (kept, (), ())


@given(timed().filter(bool))
def test_no_cell_is_a_formula(kept: list[EntryJudgment]) -> None:
    header, *rows = csv.reader(io.StringIO(text_of(kept), newline=""))
    assert set(RESULTS) <= set(header)
    for row in rows:
        assert len(row) == len(header)
        for cell in row:
            assert not cell.startswith(FORMULAS) or parsed_number(cell) is not None


def test_labels_of_one_time_stand_on_one_row() -> None:
    kept = [judgment(substring=f"s{at}", seconds=3.0, origin="H1") for at in range(12)]
    rows = list(csv.DictReader(io.StringIO(text_of(kept), newline="")))
    assert [row["WorkTimeInSeconds"] for row in rows] == ["30", "6"]
    assert [row["Input.substring_10"] for row in rows] == ["s9", ""]
    assert rows[0]["SubmitTime"] == "Mon Jun 01 12:00:00 UTC 2009"
    assert (rows[0]["HITId"], rows[0]["WorkerId"], rows[0]["Answer.label_1"]) == ("H1", "w1", "YES")


def test_what_was_corrected_follows_from_the_times() -> None:
    kept = [judgment(Label.YES), judgment(Label.NO, second=5, corrects=time(0))]
    read = read_back(kept).batch.judgments
    assert list(read) == [kept[0], kept[1]._replace(corrects="")]
    assert said(read) == said(kept)


def test_labels_without_a_time_are_refused() -> None:
    with pytest.raises(InputError, match="a label of 'w1' has no time, which results of MTurk"):
        list(as_mturk([judgment()._replace(at="")]))


def test_nothing_to_write() -> None:
    assert {form: len(list(write([]))) for form, write in WRITERS.items()} == {
        "jsonl": 0,
        "tsv": 1,
        "mturk": 1,
    }
