"""Results of the paper's own HITs, on made sentences and on ten real rows."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest

from shared_data import SHARED, lines, needs_shared
from unit.rypt.labels import time
from weigh.errors import InputError
from weigh.rypt.collection import open_store, read_labels
from weigh.rypt.label_files import read_judgments
from weigh.rypt.labels import Entry, EntryJudgment, Label

SOURCES = ["der hund , der hund schläft", "er sagte `` nein '' & ging", "es regnet"]
ALTERNATIVES = 4
HEADER = [
    *("HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "SubmitTime", "WorkTimeInSeconds"),
    *(f"Input.source_part{part}" for part in (1, 2, 3)),
    *(f"Input.translation{n}_part{p}" for n in range(1, ALTERNATIVES + 1) for p in range(5)),
    *(f"Answer.RANK_{n}" for n in (2, 3, 4, 1)),
    *("Approve", "Reject"),
]


def row(source, *alternatives, **changed) -> dict[str, str]:
    """A HIT about (before, span, after) with alternatives ((0, 1, 2, 3, 4), answer)."""
    made = {
        "HITId": "H1",
        "AssignmentId": "X1",
        "WorkerId": "W1",
        "AssignmentStatus": "Submitted",
        "SubmitTime": "Mon Jun 01 12:00:09 GMT 2009",
        "WorkTimeInSeconds": "12",
    } | changed
    made |= {f"Input.source_part{at}": part for at, part in enumerate(source, 1)}
    for number, (parts, answer) in enumerate(alternatives, 1):
        made |= {f"Input.translation{number}_part{at}": part for at, part in enumerate(parts)}
        made[f"Answer.RANK_{number}"] = answer
    return made


def written(path: Path, *rows: dict[str, str]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(HEADER)
    for one in rows:
        writer.writerow([one.get(name, "") for name in HEADER[:-2]])
    path.write_text(text.getvalue(), encoding="utf-8")
    return str(path)


SECOND = ("der hund &#44;", "der hund", "schläft")
FIRST = ("", "der hund", "&#44; der hund schläft")


def omitted(read) -> dict[str, int]:
    return {one.why.partition(": ")[2].partition(" (")[0]: one.count for one in read.omissions}


def test_spans_and_gaps(tmp_path) -> None:
    path = written(
        tmp_path / "results.csv",
        row(
            SECOND,
            (("", "the dog", "", "", "sleeps"), "YES"),
            (("so", "the", "big &amp;", "dog", "sleeps"), "NOTSURE"),
            (("", "a", "", "dog", ""), "NO"),  # nothing stands between: no gap
            (("", "", "then", "the hound", "sleeps"), "NO"),
        ),
        row(FIRST, (("", "the dog", "", "", ""), "NO"), AssignmentId="X2"),
    )
    read = read_judgments(path, SOURCES)
    source = SOURCES[0]
    assert list(read.batch.judgments) == [
        EntryJudgment(Entry(source, 3, 5, "the dog"), Label.YES, "W1", time(9), 3, "H1"),
        EntryJudgment(Entry(source, 3, 5, "the [GAP] dog"), Label.NOT_SURE, "W1", time(9), 3, "H1"),
        EntryJudgment(Entry(source, 3, 5, "a dog"), Label.NO, "W1", time(9), 3, "H1"),
        EntryJudgment(Entry(source, 3, 5, "the hound"), Label.NO, "W1", time(9), 3, "H1"),
        # The same words, but nothing stands before them.
        EntryJudgment(Entry(source, 0, 2, "the dog"), Label.NO, "W1", time(9), 12, "H1"),
    ]
    assert omitted(read) == {}


def test_what_is_left_out_is_counted(tmp_path) -> None:
    dog = ("", "the dog", "", "", "")
    path = written(
        tmp_path / "results.csv",
        row(SECOND, (dog, "YES"), (("",) * 5, "NO"), (("", "&nbsp;", "", "", ""), "NO")),
        row(
            SECOND,
            (dog, "YES"),
            (("",) * 5, "YES"),
            AssignmentStatus="Rejected",
            AssignmentId="X2",
        ),
        row(("", "wer", "ist da"), (dog, "YES"), AssignmentId="X3"),
        row(SECOND, (dog, ""), (("", "a dog", "", "", ""), "NO"), AssignmentId="X4", WorkerId="W2"),
    )
    read = read_judgments(path, SOURCES)
    assert [(one.judge, one.label, one.entry[1:]) for one in read.batch.judgments] == [
        ("W1", "YES", (3, 5, "the dog")),
        ("W2", "NO", (3, 5, "a dog")),
    ]
    assert omitted(read) == {
        "to blank alternatives": 2,
        "of rejected assignments": 2,
        "on sentences that the source file does not have": 1,
        "missing answers": 1,
    }


def test_an_assignment_counts_once(tmp_path) -> None:
    first = row(SECOND, (("", "the dog", "", "", ""), "YES"), (("", "a dog", "", "", ""), "NO"))
    path = written(tmp_path / "twice.csv", first, first)
    read = read_judgments(path, SOURCES)
    assert len(read.batch.judgments) == 2
    assert omitted(read) == {"of assignments that occur twice": 2}
    store = open_store(tmp_path / "labels.db", create=True)
    added = store.add_batches([read.batch, read.batch])
    assert (added.new, added.known, added.repeated) == (2, 0, 2)
    added = store.add_batches([read.batch, read.batch])
    assert (added.new, added.known, added.repeated) == (0, 2, 2)
    # Whoever downloads a batch again after the review finds assignments rejected.
    again = first | {"AssignmentStatus": "Rejected"}
    for rows in ((first, again), (again, first)):
        read = read_judgments(written(tmp_path / "both.csv", *rows), SOURCES)
        assert not read.batch.judgments
    with pytest.raises(
        InputError, match="row 3: the assignment 'X1' is also in row 2, with other texts or"
    ):
        read_judgments(
            written(tmp_path / "other.csv", first, first | {"Answer.RANK_1": "NO"}), SOURCES
        )


def test_alternatives_that_differ_in_the_gap_are_one(tmp_path) -> None:
    def read(*answers):
        parts = [("", "the", gap, "dog", "") for gap in ("big", "small and big", "old")]
        made = row(SECOND, *zip(parts, answers, strict=False))
        return read_judgments(written(tmp_path / "x.csv", made), SOURCES)

    for answers, label in (
        (("YES", "YES"), Label.YES),
        (("YES", "NO"), Label.NOT_SURE),
        (("YES", "NO", "NO"), Label.NO),
    ):
        found = read(*answers)
        [one] = found.batch.judgments
        assert (one.entry.substring, one.label, one.seconds) == ("the [GAP] dog", label, 12)
        assert sum(omitted(found).values()) == len(answers) - 1


def test_sources_are_written_as_the_file_has_them(tmp_path) -> None:
    """Entities are decoded once; case and brackets or quotes of another tokeniser do not matter."""
    given = ("Er sagte", "&quot; nein &quot;", "&amp; ging")
    path = written(tmp_path / "x.csv", row(given, (("", "&lt;b&gt; &amp;amp;", "", "", ""), "NO")))
    [one] = read_judgments(path, SOURCES).batch.judgments
    assert one.entry == Entry(SOURCES[1], 2, 5, "<b> &amp;")
    # Two sentences that differ in case alone: neither is meant for certain.
    assert read_judgments(path, [*SOURCES, SOURCES[1].upper()]).batch.judgments == []
    # The metric gives the sources itself, so that such a file is one of labels.
    assert read_labels(path, SOURCES) == {SOURCES[1]: {(2, 5, "<b> &amp;"): Label.NO}}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"Answer.RANK_1": "=HYPERLINK()"}, "row 2: the label is '=HYPERLINK()'; expected one of"),
        ({"Answer.RANK_1": "yes"}, "row 2: the label is 'yes'"),
        (
            {"Input.translation1_part1": "a\x00b"},
            "line 2 contains a NUL byte; save it as UTF-8 text",
        ),
        ({"Input.translation1_part1": "a&#10;b"}, r"row 2: the substring 'a\nb' has a tab"),
        ({"Input.translation1_part1": "a [GAP]"}, "row 2: the substring is 'a [GAP]'"),
        ({"SubmitTime": "today"}, "row 2: the SubmitTime is 'today'"),
        ({"WorkerId": ""}, "row 2: the WorkerId is empty"),
        ({"AssignmentId": ""}, "row 2: the AssignmentId is empty"),
        ({"WorkTimeInSeconds": "1e9999"}, "row 2: the time is '1e9999'; expected seconds"),
    ],
)
def test_rows_that_are_refused(changed, message, tmp_path) -> None:
    made = row(SECOND, (("", "the dog", "", "", ""), "YES")) | changed
    path = written(tmp_path / "x.csv", made)
    with pytest.raises(InputError) as caught:
        read_judgments(path, SOURCES)
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


def test_files_that_are_refused(tmp_path) -> None:
    good = row(SECOND, (("", "the dog", "", "", ""), "YES"))
    path = written(tmp_path / "x.csv", good)
    with pytest.raises(
        InputError, match=r"import them with weigh rypt labels import STORE FILE -s"
    ):
        read_judgments(path)
    text = (tmp_path / "x.csv").read_text(encoding="utf-8")
    for name in ("Input.source_part3", "Input.translation2_part3", "AssignmentId"):
        (tmp_path / "y.csv").write_text(text.replace(f'"{name}"', '"other"'), encoding="utf-8")
        with pytest.raises(InputError, match=f"no column '{name}'"):
            read_judgments(str(tmp_path / "y.csv"), SOURCES)
    blank = written(tmp_path / "z.csv", good | {"Input.source_part1": "", "Input.source_part2": "",
                    "Input.source_part3": SOURCES[0]})  # fmt: skip
    with pytest.raises(InputError, match=r"row 2: Input.source_part2 is blank"):
        read_judgments(blank, SOURCES)


@needs_shared
def test_ten_real_rows() -> None:
    """Counted by hand in the file: nine assignments that were not rejected, 83 answers."""
    folder = SHARED / "data" / "rypt"
    sources = lines(folder / "newstest2008.de.tok.lc.gz")
    read = read_judgments(str(folder / "rypt.amt.results.head.csv"), sources)
    # 10 + 10 + 10 + 10 + 10 + 10 + 3 + 3 + 10 answers to alternatives; those that differ only in
    # what the gap leaves out, once in row 4, 7 and 8 each, are one.
    assert len(read.batch.judgments) == 76 - 3
    assert omitted(read) == {
        "of rejected assignments": 10,
        "to blank alternatives": 7,
        "on alternatives that differ only in a gap, merged": 3,
    }
    spans = Counter((one.entry.source, one.entry[1:3]) for one in read.batch.judgments)
    assert spans == {
        (sources[0], (0, 5)): 10,
        (sources[6], (5, 10)): 53,
        (sources[6], (7, 10)): 10,
    }
    words = sources[6].split(" ")
    assert words[5:10] == ["die", "ezb", "in", "der", "zwickmühle"]
    said = {(one.judge, one.entry.start, one.entry.substring): one for one in read.batch.judgments}
    assert said["W02", 0, "food responsible [GAP] european inflation"].label == Label.YES
    assert said["W02", 0, "food to [GAP] for european inflation"].label == Label.NO
    assert said["W02", 0, "food for european ,"].label == Label.NO
    assert said["W02", 5, "the european central bank ( ecb caught"].label == Label.NOT_SURE
    assert said["W03", 5, "the ecb [GAP] in the mess"].label == Label.YES
    assert said["W02", 7, "in the [GAP] mess"].seconds == 1.7
    assert "W01" not in {one.judge for one in read.batch.judgments}
