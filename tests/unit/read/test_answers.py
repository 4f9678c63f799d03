"""Duplicates that an id or a time tells count once; all other answers count as given."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reading import read_judgments
from weigh.read.answers import Judgments, Preferences
from weigh.read.judgments import read_answers
from weigh.read.preferences import read_choices
from weigh.types import Judgment

OWN = "judge\thit\tpair\tkind\tsystem\tsegment\tvalue"
MTURK = (
    "HITId,AssignmentId,WorkerId,AssignmentStatus,SubmitTime,WorkTimeInSeconds,"
    "Input.src,Input.trg,Input.item,Answer.Q1"
)
APPRAISE = "username,system,itemId,itemType,srcLang,trgLang,score,timeStart,timeEnd"
ESA = "annotator\tsystem\tseg\ttype\tscore\tdoc\tflag\tspans_json\tt_start\tt_end"
DA = "hit\tworker\tsys_id\tsystem\trid\ttype\tseg\traw\tz\thit_seconds"
MQM = "system\tseg_id\trater\tdoc\tcategory\tseverity"
RANKED = "seg\tjudge\tsys1\tsys2\trank1\trank2"
PAIRED = "seg\tjudge\twinner\tloser"


def pearmut(user: str, document: int, score: float, time: float | None = None) -> str:
    return json.dumps(
        {
            "user_id": user,
            "item_i": document,
            "item": [{"item_id": f"d{document}", "src": "x"}],
            "annotation": [{"A": {"score": score, "error_spans": []}}],
            "actions": [] if time is None else [{"time": time - 9}, {"time": time}],
        }
    )


def submitted(at: int) -> str:
    return f"Mon Nov 21 08:{at:02}:00 PST 2016"


# Of every format a header and rows of two judges, in which nothing is given twice.
FORMATS = {
    "own": (OWN, [f"{j}\th\t\tsystem\tA\t{s}\t{50 + s}" for j in "ab" for s in range(4)]),
    "own with times": (
        f"{OWN}\tat",
        [f"{j}\th\t\tsystem\tA\t{s}\t50\t2024-05-01T10:0{s}:00Z" for j in "ab" for s in range(4)],
    ),
    "mturk": (
        MTURK,
        [
            f"h{h},a{h}{j},{j},Submitted,{submitted(h)},600,en,es,ad,"
            f"A_1_SYSTEM_0__{h}|A_2_SYSTEM_1__5|A_1_REPEAT_2__{h}"
            for j in "ab"
            for h in range(3)
        ],
    ),
    "appraise": (
        APPRAISE,
        [f"{j},A,{s},TGT,de,en,50,{100 * s},{100 * s + 9}" for j in "ab" for s in range(4)],
    ),
    "esa": (
        ESA,
        [f"{j}\tA\t{s}\tTGT\t50\td\t\t[]\t{100 * s}\t{s}09" for j in "ab" for s in range(4)],
    ),
    "da": (
        DA,
        [f"h\t{j}\tA.1\tA\t1\tSYSTEM\t{s}\t{50 + s}\t0\t600" for j in "ab" for s in range(4)],
    ),
    "mqm": (MQM, [f"A\t{s}\t{j}\td\tStyle{s}\tMinor" for j in "ab" for s in (1, 2, 2, 3)]),
    "pearmut": ("", [pearmut(j, s, 50.0 + s) for j in "ab" for s in range(4)]),
    "pearmut with times": ("", [pearmut(j, s, 50, 1e9 + s) for j in "ab" for s in range(4)]),
    "rankings": (RANKED, [f"{s}\t{j}\tA\tB\t1\t2" for j in "ab" for s in range(4)]),
    "preferences": (PAIRED, [f"{s}\t{j}\tA\tB" for j in "ab" for s in range(4)]),
    "preferences of nobody": (
        "seg\twinner\tloser",
        [f"{s}\t{w}" for s in range(4) for w in ("A\tB", "C\tB")],
    ),
}  # fmt: skip
# Formats whose rows have an assignment or a time, or whose judges answer a question once.
TELLING = ["own with times", "mturk", "appraise", "esa", "pearmut", "pearmut with times"]
SILENT = [name for name in FORMATS if name not in TELLING]
NOBODY = "preferences of nobody"


def written(folder: Path, header: str, rows: Sequence[str], name: str = "one") -> str:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in (header, *rows) if line), encoding="utf-8")
    return str(path)


def content(read: Judgments | Preferences) -> Counter[object]:
    return Counter(read.judgments if isinstance(read, Judgments) else read.preferences)


def left_out(read: Judgments | Preferences) -> int:
    return sum(each.count for each in read.omissions if "duplicates of other judgments" in each.why)


def remarks_on_identical_rows(read: Judgments | Preferences) -> list[str]:
    return [remark for remark in read.remarks if "identical to others" in remark]


@pytest.mark.parametrize("name", TELLING)
class TestFormatsWithIdsOrTimes:
    def test_a_second_download_with_more_rows(self, name: str, tmp_path: Path) -> None:
        header, rows = FORMATS[name]
        whole = written(tmp_path, header, rows)
        early = written(tmp_path, header, rows[: len(rows) // 2], "early")
        expected = content(read_answers([whole]))
        for paths in ([early, whole], [whole, early]):
            read = read_answers(paths)
            assert content(read) == expected
            [omission] = read.omissions
            assert omission.why.startswith(f"{Path(paths[1]).name}: ")


@pytest.mark.parametrize("name", SILENT)
class TestFormatsWithoutIdsAndTimes:
    """Nothing tells a duplicate from an equal answer: all rows count, and one remark says so."""

    @pytest.mark.parametrize("seed", [None, 3])
    def test_the_same_rows_in_two_files(self, seed: int | None, name: str, tmp_path: Path) -> None:
        header, rows = FORMATS[name]
        again = rows if seed is None else random.Random(seed).sample(rows, len(rows))
        paths = [written(tmp_path, header, rows), written(tmp_path, header, again, "two")]
        once, twice = read_answers(paths[:1]), read_answers(paths)
        assert sum(content(twice).values()) == 2 * sum(content(once).values())
        assert left_out(twice) == 0
        # Errors of MQM that are marked twice in each file have a remark for each file.
        remark = remarks_on_identical_rows(twice)[-1]
        assert remark.startswith(f"{sum(content(once).values())} rows identical to others, with no")
        assert "(two: rows " in remark

    def test_an_equal_answer_counts(self, name: str, tmp_path: Path) -> None:
        header, rows = FORMATS[name]
        once = read_answers([written(tmp_path, header, rows)])
        more = read_answers([written(tmp_path, header, [*rows, rows[0]])])
        remarks = [] if name == NOBODY else ["1 row identical"]  # anybody else may have said so
        if name == "mqm":  # where a row is an error, and not an answer
            assert content(more) != content(once)
            remarks = ["3 rows identical"]
        else:
            assert sum(content(more).values()) == sum(content(once).values()) + 1
        assert [each.partition(" to")[0] for each in remarks_on_identical_rows(more)] == remarks


@pytest.mark.parametrize("name", ["own", "own with times", "appraise", "da"])
def test_a_repeat_with_the_same_score_stays(name: str, tmp_path: Path) -> None:
    header, rows = FORMATS[name]
    repeats = [
        row.replace("system", "repeat").replace("TGT", "CHK").replace("SYSTEM", "REPEAT")
        for row in rows
    ]
    path = written(tmp_path, header, [*rows, *repeats])
    assert len(read_judgments([path]).judgments) == 2 * len(rows)


def test_the_status_of_an_assignment_that_changed(tmp_path: Path) -> None:
    header, rows = FORMATS["mturk"]
    early = written(tmp_path, header, rows[:4], "early")
    late = [row.replace("Submitted", "Approved") for row in rows]
    late[0] = rows[0].replace("Submitted", "Rejected")
    whole = written(tmp_path, header, late, "late")
    for paths in ([early, whole], [whole, early]):
        read = read_judgments(paths)
        assert len(read.judgments) == 18
        rejected = {(one.judge, one.hit) for one in read.judgments if one.rejected}
        assert rejected == {("a", "h0")}
        assert any(
            "3 judgments from assignments that one file marks as rejected" in r
            for r in read.remarks
        )
        assert sum(one.rejected for one in read.judgments) == 3


def test_the_same_times_in_another_format(tmp_path: Path) -> None:
    from weigh.human.judgments import as_jsonl

    header, rows = FORMATS["mturk"]
    batch = written(tmp_path, header, rows)
    read = read_judgments([batch])
    assert {one.assignment for one in read.judgments} == {
        f"a{h}{j}" for j in "ab" for h in range(3)
    }
    again = tmp_path / "kept.jsonl"
    again.write_text(as_jsonl(read.judgments), encoding="utf-8")
    assert content(read_judgments([batch, str(again)])) == content(read)
    without = [replace(one, assignment=None) for one in read.judgments]
    again.write_text(as_jsonl(without), encoding="utf-8")
    assert content(read_judgments([batch, str(again)])) == content(read)


def test_a_document_that_was_judged_anew_after_the_first_export(tmp_path: Path) -> None:
    early = written(tmp_path, "", [pearmut("a", 1, 20, 1e9), pearmut("a", 2, 30, 1e9)], "early")
    late = written(tmp_path, "", [pearmut("a", 1, 20, 1e9), pearmut("a", 1, 90, 1e9 + 60)], "late")
    for paths in ([early, late], [late, early]):
        read = read_judgments(paths)
        assert sorted((one.segment, one.value) for one in read.judgments) == [
            ("d1", 90),
            ("d2", 30),
        ]


def test_choices_that_were_downloaded_twice(tmp_path: Path) -> None:
    header = "AssignmentId,WorkerId,AssignmentStatus,Input.pair,Answer.choice"
    rows = ["1,x,Submitted,p1,left", "2,y,Submitted,p1,right", "3,x,Submitted,p2,left"]
    first = written(tmp_path, header, rows[:2])
    later = [row.replace("Submitted", "Approved") for row in rows]
    later[1] = rows[1].replace("Submitted", "Rejected")
    second = written(tmp_path, header, later, "two")
    for paths in ([first, second], [second, first]):
        found = read_choices(paths)
        assert {(one.judge, one.pair) for one in found.choices} == {("x", "p1"), ("x", "p2")}
        assert sum(each.count for each in found.omissions if "duplicates" in each.why) == 1
        assert sum(each.count for each in found.omissions if "rejected" in each.why) == 2


@st.composite
def judged(draw: st.DrawFn) -> list[Judgment]:
    """Judgments with times, which only the same judgment shares."""
    values = draw(st.lists(st.integers(0, 3), min_size=1, max_size=12))
    return [
        Judgment("abc"[at % 3], "h", "", "system", "A", str(value), float(value),
                 at=f"2024-05-01T10:00:{at:02}+00:00")
        for at, value in enumerate(values)
    ]  # fmt: skip


@settings(max_examples=25)
@given(judged(), st.data())
def test_files_that_overlap_in_any_way_are_their_union(
    tmp_path_factory: pytest.TempPathFactory, judgments: list[Judgment], data: st.DataObject
) -> None:
    from weigh.human.judgments import as_jsonl

    folder = tmp_path_factory.mktemp("files")
    parts = data.draw(
        st.lists(st.lists(st.sampled_from(judgments), min_size=1), min_size=1, max_size=3)
    )
    paths = []
    for number, part in enumerate(parts):
        path = folder / f"{number}"
        path.write_text(as_jsonl(part), encoding="utf-8")
        paths.append(str(path))
    read = read_judgments(paths)
    assert len(read.judgments) == len(set(read.judgments))
    assert set(read.judgments) == {one for part in parts for one in part}
    assert len(read.judgments) + left_out(read) == sum(map(len, parts))
