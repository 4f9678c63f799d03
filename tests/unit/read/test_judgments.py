"""Judgments in every format that is read, and what is said of files that are wrong."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from reading import read_judgments
from weigh.errors import InputError
from weigh.read.answers import Judgments, Omission, Preferences
from weigh.read.judgments import judgments_of, read_answers
from weigh.types import Judgment, Preference

OWN = "judge\thit\tpair\tkind\tsystem\tsegment\tvalue\n"


def written(folder: Path, text: str, name: str = "file") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def judged(folder: Path, text: str) -> Judgments:
    return read_judgments([written(folder, text)])


def complaint(folder: Path, text: str) -> str:
    path = written(folder, text)
    with pytest.raises(InputError) as caught:
        read_answers([path])
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


class TestOwn:
    def test_json_lines_with_all_fields(self, tmp_path: Path) -> None:
        read = judged(
            tmp_path,
            '{"judge": "ann", "hit": 3, "pair": "de-en", "kind": "bad", "system": "A", '
            '"segment": 7, "value": 20, "scale": "fluency", "seconds": 4.5, '
            '"at": "2024-05-01T10:00:00+02:00", "item": 12, "of": 50, "rejected": true}\n',
        )
        assert read.judgments == (
            Judgment(
                *("ann", "3", "de-en", "bad", "A", "7", 20.0, "fluency", 4.5),
                at="2024-05-01T10:00:00+02:00",
                item="12",
                of="50",
                rejected=True,
            ),
        )

    def test_other_names_of_columns(self, tmp_path: Path) -> None:
        header = "hit worker language_pair item_type system segment score seconds"
        rows = "h ann de-en BAD_REF A 7 62 5"
        read = judged(tmp_path, "\n".join([header, rows]).replace(" ", "\t"))
        assert read.judgments == (Judgment("ann", "h", "de-en", "bad", "A", "7", 62, seconds=5),)

    def test_scores_on_another_scale(self, tmp_path: Path) -> None:
        path = written(tmp_path, OWN + "ann\th\t\tsystem\tA\t1\t-3\n")
        assert read_judgments([path], bounds=(-5, 5)).judgments[0].value == -3


def test_mturk_columns_are_found_by_name(tmp_path: Path) -> None:
    header = (
        "Answer.Q1,WorkerId,SubmitTime,Input.src,AssignmentStatus,Input.item,HITId,"
        "Input.trg,WorkTimeInSeconds,Approve,Reject\n"
    )
    row = (
        "a_b_331_SYSTEM_0__71|a_b_331_BAD_REF_1__4,W1,Mon Nov 21 08:37:58 PST 2016,'en',"
        "Rejected,'ad',H1,'es',600\n"
    )
    whole = Judgment(
        *("W1", "H1", "en-es", "system", "a_b", "331", 71.0, "adequacy", 300.0),
        at="2016-11-21T08:37:58-08:00",
        item="0",
        rejected=True,
    )
    bad = Judgment(
        *("W1", "H1", "en-es", "bad", "a_b", "331", 4.0, "adequacy", 300.0),
        at="2016-11-21T08:37:58-08:00",
        item="1",
        rejected=True,
    )
    assert judged(tmp_path, header + row).judgments == (whole, bad)


MTURK = (
    "HITId,WorkerId,AssignmentStatus,SubmitTime,WorkTimeInSeconds,Input.src,Input.trg,Input.item,"
    "Input.sys_0,Input.sid_0,Input.tst_0,Input.sys_1,Input.sid_1,Input.tst_1,Answer.Q1\n"
    "H1,W1,Approved,never,600,'en','es','fl',a,'d_1:2',SYSTEM,a,'d_1:3',REF,"
)


def test_mturk_names_with_underscores_are_told_by_the_inputs(tmp_path: Path) -> None:
    read = judged(tmp_path, MTURK + "a_d_1:2_SYSTEM_0__71|a_d_1:3_REF_1__99\n")
    first, second = read.judgments
    assert (first.system, first.segment, first.kind) == ("a", "d_1:2", "system")
    assert (second.segment, second.kind, second.value) == ("d_1:3", "reference", 99)
    assert first.scale == "fluency"
    assert first.at is None


def test_mturk_missing_answers_are_counted(tmp_path: Path) -> None:
    path = written(tmp_path, MTURK + "a_d_1:2_SYSTEM_0__71|a_d_1:3_REF_1__\n")
    assert read_judgments([path]).omissions == (
        Omission(f"{Path(path).name}: missing answers (row 2)", 1),
    )
    path = written(tmp_path, MTURK + "a_d_1:2_SYSTEM_0__71\n")
    read = read_judgments([path])
    assert read.omissions == (Omission(f"{Path(path).name}: missing answers (row 2)", 1),)
    assert len(read.judgments) == 1


def test_mturk_items_are_told_by_their_places(tmp_path: Path) -> None:
    header = MTURK.replace("Input.tst_0,", "Input.tst_0,Input.rid_0,")
    header = header.replace("Input.tst_1,", "Input.tst_1,Input.rid_1,")
    shown = header.replace("a,'d_1:2',SYSTEM,a,'d_1:3',REF,", "a_b,c,SYSTEM,4,a,'b_c',SYSTEM,'7',")
    read = judged(tmp_path, shown + "a_b_c_SYSTEM_7__71|a_b_c_SYSTEM_4__20|a_b_c_SYSTEM_5__3\n")
    assert [(one.system, one.segment, one.item) for one in read.judgments][:2] == [
        ("a", "b_c", "7"),
        ("a_b", "c", "4"),
    ]


def test_mturk_an_unknown_type(tmp_path: Path) -> None:
    said = complaint(tmp_path, MTURK + "a_1_SYSTEN_0__71\n")
    assert said.startswith("row 2: unknown item type 'SYSTEN'; expected one of system, repeat,")


def test_mturk_an_answer_in_another_form(tmp_path: Path) -> None:
    said = complaint(tmp_path, MTURK + "a__1__71\n")
    assert said == (
        "row 2: the answer 'a__1__71'; expected SYSTEM_SEGMENT_TYPE_PLACE__SCORE, or leave bad "
        "rows out with --bad-rows skip"
    )


APPRAISE = (
    "username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore,timeStart,timeEnd"
)


def test_appraise(tmp_path: Path) -> None:
    rows = [
        "u1,A,3,TGT,eng,liv,77,d,False,0.5,10.0",
        "u1,A,4,BAD,eng,liv,7,d,False,10.0,86400.0",
        "u1,A,4,TGT,eng,liv,50,d,True,1,2",
    ]
    path = written(tmp_path, "\n".join([APPRAISE, *rows]))
    read = read_judgments([path])
    first = Judgment(
        *("u1", "u1", "eng-liv", "system", "A", "d:3", 77.0),
        seconds=9.5,
        at="1970-01-01T00:00:10+00:00",
        document="d",
    )
    assert read.judgments[0] == first
    assert [one.kind for one in read.judgments] == ["system", "bad"]
    assert read.omissions == (Omission(f"{Path(path).name}: scores of whole documents (row 4)", 1),)


@pytest.mark.parametrize("start", [0, 1, 2])
@pytest.mark.parametrize("cells", [9, 11, 12])
def test_appraise_without_names_reads_as_with_names(cells: int, start: int, tmp_path: Path) -> None:
    columns = APPRAISE.replace("isDocScore", "isDocScore,mqm").split(",")
    left_out = {9: {"docId", "isDocScore", "mqm"}, 11: {"mqm"}, 12: set()}[cells]
    rows = [  # among them one with equal cells, which are no double names
        ["u1", "A", "3", "TGT", "eng", "liv", "77", "d", "False", "[]", "0.5", "10.0"],
        ["u1", "A", "0", "CHK", "eng", "eng", "77", "d", "False", "[]", "10", "77"],
        ["u1", "A", "4", "BAD", "eng", "liv", "", "d", "False", "[]", "10.0", "86400.0"],
        ["u1", "A", "5", "BAD", "eng", "liv", "7", "d", "False", "[]", "10.0", "86400.0"],
    ]
    rows = rows[start:] + rows[:start]
    kept = [at for at, name in enumerate(columns) if name not in left_out]
    lines = [",".join(row[at] for at in kept) for row in [columns, *rows]]
    named = read_judgments([written(tmp_path, "\n".join(lines))])
    unnamed = read_judgments([written(tmp_path, "\n".join(lines[1:]))])
    assert len(kept) == cells
    assert unnamed.judgments == named.judgments
    assert [one.scale for one in unnamed.judgments] == ["adequacy"] * 3
    [omission] = unnamed.omissions
    assert f"missing answers (row {3 - start})" in omission.why


def test_appraise_with_spans_is_error_span_annotation(tmp_path: Path) -> None:
    rows = [
        "u1,A,3,TGT,eng,liv,77,d,False,[],0.5,10.0",
        'u1,A,4,TGT,eng,liv,7,d,False,"[{""start_i"": 1, ""end_i"": 4}]",1,2',
    ]
    read = read_judgments([written(tmp_path, "\n".join(rows))])
    assert [one.scale for one in read.judgments] == ["esa", "esa"]


def test_direct_assessments_share_the_time_of_their_hit(tmp_path: Path) -> None:
    text = "hit\tworker\tsys_id\tsystem\trid\ttype\tseg\traw\tz\thit_seconds\n"
    text += "h\tw\tA.1\tA\t9\tSYSTEM\t1\t40\t.3\t600\nh\tw\tA.1\tA\t9\tREPEAT\t1\t50\t.3\t600\n"
    read = judged(tmp_path, text)
    assert [(one.kind, one.value, one.seconds) for one in read.judgments] == [
        ("system", 40, 300),
        ("repeat", 50, 300),
    ]


def test_esa_leaves_out_flagged_rows_but_keeps_controls(tmp_path: Path) -> None:
    text = "annotator\tsystem\tseg\ttype\tscore\tdoc\tflag\tspans_json\tt_start\tt_end\n"
    text += "u\tA\t1\tTGT\t90\td\t\t[]\t1\t2\n"
    text += "u\tA\t1\tBAD\t20\td\tbad\t[]\t2\t3\n"
    text += "u\tA\t2\tBAD\t20\td\tincomplete\t[]\t2\t3\n"
    text += "u\tA\t2\tTGT\t20\td\tdup\t[]\t2\t3\n"
    path = written(tmp_path, text)
    read = read_judgments([path])
    assert [(one.kind, one.value, one.scale) for one in read.judgments] == [
        ("system", 90, "esa"),
        ("bad", 20, "esa"),
    ]
    assert read.omissions == (
        Omission(f"{Path(path).name}: rows with the flag incomplete (row 4)", 1),
        Omission(f"{Path(path).name}: rows with the flag dup (row 5)", 1),
    )


def test_rankings_become_all_pairs_of_a_screen(tmp_path: Path) -> None:
    text = "seg\tjudge\tsys1\tsys2\tsys3\tsys4\trank1\trank2\trank3\trank4\n"
    text += "5\tann\tA\tB\tC\tD\t2\t1\t2\t-1\n"
    path = written(tmp_path, text)
    read = read_answers([path])
    assert isinstance(read, Preferences)
    assert set(read.preferences) == {
        Preference("B", "A", "5", judge="ann"),
        Preference("B", "C", "5", judge="ann"),
        Preference("A", "C", "5", tied=True, judge="ann"),
    }
    assert read.omissions == (Omission(f"{Path(path).name}: outputs without a rank (row 2)", 1),)


def test_rows_are_named_once_however_many_outputs_they_leave_out(tmp_path: Path) -> None:
    text = "seg\tjudge\tsys1\tsys2\tsys3\tsys4\trank1\trank2\trank3\trank4\n"
    text += "5\tann\tA\tB\tC\tD\t-1\t-1\t-1\t-1\n5\tann\tA\tB\tC\tD\t1\t2\t-1\t-1\n"
    path = written(tmp_path, text)
    assert read_answers([path]).omissions == (
        Omission(f"{Path(path).name}: outputs without a rank (rows 2, 3)", 6),
    )
    many = text.replace("-1", "1" * 5_000)
    with pytest.raises(InputError, match=r"row 2: rank1 is '1111.*…"):
        read_answers([written(tmp_path, many)])
    wrong = text.replace("-1", "x")
    with pytest.raises(InputError, match=r"row 2: rank1 is 'x' and sys1 'A'; .* \(also row 3\), "):
        read_answers([written(tmp_path, wrong)])


def test_preferences(tmp_path: Path) -> None:
    read = read_answers([written(tmp_path, "seg\twinner\tloser\n9\tA\tB\n")])
    assert read == Preferences((Preference("A", "B", "9"),))


def test_files_are_read_together_and_unpacked(tmp_path: Path) -> None:
    one = written(tmp_path, OWN + "ann\th\t\tsystem\tA\t1\t5\n", "one.tsv")
    two = tmp_path / "two.tsv.gz"
    two.write_bytes(gzip.compress((OWN + "ben\th\t\tsystem\tA\t1\t6\n").encode()))
    assert [each.judge for each in read_judgments([one, str(two)]).judgments] == ["ann", "ben"]


def test_scores_and_rankings_do_not_mix(tmp_path: Path) -> None:
    one = written(tmp_path, OWN + "ann\th\t\tsystem\tA\t1\t5\n", "one.tsv")
    two = written(tmp_path, "seg\twinner\tloser\n9\tA\tB\n", "two.tsv")
    with pytest.raises(InputError, match="one kind at a time"):
        read_answers([one, two])


def test_cells_over_several_lines_count_as_one_row(tmp_path: Path) -> None:
    said = complaint(
        tmp_path,
        'judge,hit,kind,system,segment,value,said\nann,h,system,A,1,5,"a\nb\u2028"\n'
        "ann,h,system,A,2,500,\n",
    )
    assert said.startswith("row 3: the score is '500'")


ROW = "ann\th\t\tsystem\tA\t1\t"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty, but a row of column names was expected"),
        (OWN, "a header without rows; give at least one row"),
        (OWN + ROW + "5\t6\n", "row 2 has 8 cells, but the header has 7; give every row"),
        (
            "judge\thit\tkind\tsystem\tvalue\nann\th\tsystem\tA\t5\n",
            "no column segment, which long tables of judgments have; ",
        ),
        (
            APPRAISE.replace("itemType,", "").replace("score,", "") + "\n" + "," * 8,
            "no column itemType or score, which Appraise exports have",
        ),
        (
            "u1,A,3,TARGET,eng,liv,77,0.5,10.0\n" * 2,
            "row 1 has no known column name; only exports of Appraise may lack a "
            "header, in 9 columns (username system itemId itemType",
        ),
        ("u1,A,3,TGT,eng,liv,77,0.5\n" * 2, "row 1 has no known column name; only exports"),
        (
            'A "plain text, with a comma in it.\n"Cut" off, it is no table.\n',
            "plain text, but a table of judgments was expected, with columns such as judge, "
            "system, segment and score",
        ),
        ("a text\nof lines\n", "plain text, but a table of judgments was expected"),
        ("who,what\n1,2\n", "row 1 has no known column name; expected judge, system, segm"),
        ("judge\tjudge\n1\t2\n", "2 columns are called 'judge'; rename one"),
        (
            OWN + "".join(f"{ROW}{score}\n" for score in (5, 101, -1, "nan", "1_0")),
            "row 3: the score is '101'; expected a number from 0 to 100; correct it, or state the "
            "scale with --bounds LOW-HIGH (also rows 4, 5, 6)",
        ),
        (OWN + "ann\th\t\tSYS\tA\t1\t5\n", "row 2: unknown item type 'SYS'; expected one of"),
        (OWN + "\th\t\tsystem\tA\t1\t5\n", "row 2: the judge is empty; fill it in"),
        (OWN + ROW + "\n", "no judgments are left; check that it is the right file"),
        (
            'judge,hit,kind,system,segment,value,said\nann,h,system,A,1,5,"a"b\n',
            "row 2 is not CSV (',' expected after '\"')",
        ),
        (
            OWN.strip() + "\tat\n" + ROW + "5\tnoon\n",
            "row 2: the time is 'noon'; expected ISO 8601",
        ),
        (
            OWN.strip() + "\tseconds\n" + ROW + "5\t-3\n",
            "row 2: the time is '-3'; expected seconds",
        ),
        (
            OWN.strip() + "\trejected\n" + ROW + "5\tperhaps\n",
            "row 2: rejected is 'perhaps'; expected true or false",
        ),
        ('{"judge": "a"}\n[1]\n', "row 2 is not a JSON object; give one object on each line"),
        ('{"judge": "a"}\n{"judge\n', "row 2 is not JSON ("),
        ('{"judge": ["a"]}\n', "row 1: 'judge' is a list or an object; give a string or a number"),
        ('{"judge": "\\ud800"}\n', "row 1 has an unpaired surrogate"),
        (
            "seg\tjudge\tsys1\tsys2\trank1\trank2\n5\tann\tA\tA\t1\t2\n",
            "row 2: 'A' occurs twice; give every system once",
        ),
        (
            "seg\tjudge\tsys1\tsys2\trank1\trank2\n5\tann\tA\tB\t1\tx\n",
            "row 2: rank2 is 'x' and sys2 'B'; expected a system and its rank",
        ),
        (
            "seg\tjudge\tsys1\tsys2\tsys3\trank1\trank2\n5\tann\tA\tB\tC\t1\t2\n",
            "the column sys3 needs the column rank3 beside it; give both",
        ),
        (
            "seg\tjudge\tsys1\tsys2\trank1\trank2\trank3\n5\tann\tA\tB\t1\t2\t3\n",
            "the column rank3 needs the column sys3 beside it; give both",
        ),
        (
            "seg\tjudge\tsys1\tsys2\trank1\trank2\n5\tann\tA\tB\t1\t-1\n",
            "no two outputs are ranked; check the file",
        ),
        (
            "seg\twinner\tloser\n9\tA\tA\n",
            "row 2: the winner is 'A' and the loser 'A'; expected two systems",
        ),
        (
            APPRAISE + "\nu,A,3,TGT,eng,liv,77,d,False,20,10\n",
            "row 2: it ends before it starts; correct the times",
        ),
        (
            APPRAISE + "\nu,A,3,TGT,eng,liv,77,d,False,1,1e30\n",
            "row 2: the time is '1e30'; expected seconds since 1970",
        ),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str, tmp_path: Path) -> None:
    assert complaint(tmp_path, text).startswith(message)


LONG = "judge,system,segment,value\nann,A,1,70\nann,B,1,30\nbob,A,2,55\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("long.csv", LONG),
        ("long.tsv", LONG.replace(",", "\t").replace("judge", "worker").replace("value", "score")),
        (
            "long.jsonl",
            '{"judge": "ann", "system": "A", "segment": 1, "value": 70}\n'
            '{"judge": "ann", "system": "B", "segment": 1, "value": 30}\n'
            '{"judge": "bob", "system": "A", "segment": 2, "value": 55}\n',
        ),
    ],
)
def test_a_long_table_needs_four_columns(name: str, text: str, tmp_path: Path) -> None:
    assert read_judgments([written(tmp_path, text, name)]).judgments == (
        Judgment("ann", "ann", "", "system", "A", "1", 70.0),
        Judgment("ann", "ann", "", "system", "B", "1", 30.0),
        Judgment("bob", "bob", "", "system", "A", "2", 55.0),
    )


def test_columns_are_a_long_table_too() -> None:
    columns = {
        "annotator": ["ann", "bob"],
        "model": ["A", "A"],
        "segment": np.array([1, 2]),
        "rating": np.array([70.0, np.nan]),
        "kind": ["system", "bad"],
        "seconds": [None, 3],
    }
    roles = {"judge": "annotator", "system": "model", "value": "rating"}
    read = judgments_of(columns, roles, pair="de-en")
    assert read.judgments == (Judgment("ann", "ann", "de-en", "system", "A", "1", 70.0),)
    [left_out] = read.omissions
    assert left_out.why == "judgments: missing answers (row 2)"


@pytest.mark.parametrize(
    ("columns", "roles", "message"),
    [
        ({"judge": ["w"], "system": ["A"], "value": [1]}, {}, "no column segment"),
        (
            {"judge": ["w"]},
            {"system": "jugde"},
            "no column 'jugde' for system; did you mean 'judge'?",
        ),
        ({"judge": ["w"], "system": []}, {}, "columns need the same length"),
        ({}, {}, "columns need the same length"),
        (
            {"judge": ["w"], "system": ["A"], "segment": ["1"], "value": ["good"]},
            {},
            "row 1: the score is 'good'; expected a number from 0 to 100",
        ),
        (
            {"judge": ["w", ""], "system": ["A"] * 2, "segment": ["1"] * 2, "value": [1, 2]},
            {},
            "row 2: the judge is empty; fill it in",
        ),
        (
            {"judge": [["w"]], "system": ["A"], "segment": ["1"], "value": [1]},
            {},
            "row 1: 'judge' is a list or an object; give a string or a number",
        ),
    ],
)
def test_columns_that_are_no_judgments(
    columns: dict[str, list[object]], roles: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError) as error:
        judgments_of(columns, roles)
    assert str(error.value).startswith(f"judgments: {message}")


def test_bad_rows_of_columns_are_skipped_if_asked_for() -> None:
    columns = {"judge": ["w", ["w"]], "system": "AB", "segment": "12", "value": [1, 2]}
    read = judgments_of(columns, bad_rows="skip")
    assert [each.system for each in read.judgments] == ["A"]
    assert [each.unit for each in read.omissions] == ["row"]
