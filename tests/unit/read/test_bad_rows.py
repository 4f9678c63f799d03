"""Rows that cannot be read: refused, or left out one by one and told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reading import read_judgments
from shared_data import SHARED, lines
from unit.read.test_answers import APPRAISE, DA, MQM, OWN, PAIRED, RANKED, pearmut
from weigh.errors import InputError
from weigh.read.answers import Judgments, Preferences
from weigh.read.judgments import read_answers
from weigh.read.preferences import read_choices

SKIP = "leave bad rows out with --bad-rows skip"
COMMENTED = (
    '"HITId","WorkerId","AssignmentStatus","SubmitTime","WorkTimeInSeconds","Input.src",'
    '"Input.trg","Input.item","Answer.Q1","Answer.comments","Approve","Reject"'
)


def commented(worker: int, comment: str) -> str:
    answers = "|".join(f"A_{s}_SYSTEM_{s}__{worker + s}" for s in range(3))
    return f'"3H","w{worker}","Submitted","never","600","en","es","ad","{answers}",{comment}'


def written(folder: Path, text: str | bytes) -> str:
    path = folder / "file"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def table(*rows: str) -> str:
    return "".join(f"{row}\n" for row in rows)


def judges(read: Judgments | Preferences) -> list[str | None]:
    answers = read.judgments if isinstance(read, Judgments) else read.preferences
    return list(dict.fromkeys(one.judge for one in answers))


GOOD = "ann\th\t\tsystem\tA\t1\t5"
LAST = "ben\th\t\tsystem\tA\t1\t6"


@pytest.mark.parametrize(
    ("text", "row", "why"),
    [
        (table(OWN, GOOD, GOOD + "00", LAST), 3, "the score is '500'"),
        (table(OWN, GOOD, GOOD + "\tmore", LAST), 3, "it has 8 cells, but the header has 7"),
        (table(OWN, GOOD, GOOD[3:], LAST), 3, "the judge is empty"),
        (table(OWN, GOOD, GOOD.replace("system", "SYS"), LAST), 3, "unknown item type 'SYS'"),
        (
            table(APPRAISE, *(f"{j},A,3,TGT,de,en,7,{t}" for j, t in
                              (("ann", "1,2"), ("x", "2,1"), ("ben", "1,2")))),
            3,
            "it ends before it starts",
        ),
        (
            table(DA, *(f"h\t{j}\tA.1\tA\t9\tSYSTEM\t1\t{s}\t0\t60" for j, s in
                        (("ann", 7), ("x", "seven"), ("ben", 7)))),
            3,
            "the score is 'seven'",
        ),
        (table(RANKED, "5\tann\tA\tB\t1\t2", "5\tx\tA\tA\t1\t2", "5\tben\tA\tB\t1\t2"), 3,
         "'A' occurs twice"),
        (table(PAIRED, "5\tann\tA\tB", "5\tx\tA\t", "5\tben\tA\tB"), 3, "the winner is 'A' and"),
        (table(pearmut("ann", 1, 5), pearmut("x", 1, 500), pearmut("ben", 1, 6)), 2,
         "the score is '500'"),
        (table(pearmut("ann", 1, 5), pearmut("x", 1, 5)[:-9], pearmut("ben", 1, 6)), 2,
         "it is not what Pearmut writes"),
        (table(pearmut("ann", 1, 5), pearmut("x", 1, 5).replace('[{"A"', '[7, {"A"'),
               pearmut("ben", 1, 6)), 2, "does not have one answer for every segment"),
        (table(pearmut("x", 1, 5)[:-9], pearmut("ann", 1, 5), pearmut("ben", 1, 6)), 1,
         "it is not what Pearmut writes"),
    ],
)  # fmt: skip
def test_a_bad_row_is_refused_or_left_out(text: str, row: int, why: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    if row > 1:  # what the first line is tells the format
        with pytest.raises(InputError) as caught:
            read_answers([path])
        assert f"row {row}" in str(caught.value)
        assert SKIP in str(caught.value)
    read = read_answers([path], bad_rows="skip")
    assert judges(read) == ["ann", "ben"]
    [remark] = read.remarks
    assert remark.startswith(f"{Path(path).name}: row {row} left out: {why}")
    [omission] = read.omissions
    assert omission.fields == {
        "why": f"{Path(path).name}: unreadable rows (row {row})",
        "count": 1,
        "unit": "row",
    }


def test_rows_of_json_lines(tmp_path: Path) -> None:
    def line(judge: str, value: object) -> str:
        return json.dumps({"judge": judge, "hit": "h", "kind": "system", "system": "A",
                           "segment": 1, "value": value})  # fmt: skip

    bad = ['{"judge": ', "[1]", line("x", [1]), line("x", 1).replace("x", "\\ud800"), "", "7"]
    path = written(tmp_path, table(line("ann", 5), *bad, line("ben", 6)))
    read = read_judgments([path], bad_rows="skip")
    assert judges(read) == ["ann", "ben"]
    assert [each.count for each in read.omissions] == [6]
    assert len(read.remarks) == 6


def test_a_key_twice_in_one_object(tmp_path: Path) -> None:
    good = '{"judge": "a", "system": "S", "segment": "1", "value": 50}'
    bad = good.replace("50}", '50, "value": 90}')
    path = tmp_path / "j.jsonl"
    path.write_text(f"{good}\n{bad}\n")
    with pytest.raises(InputError, match=r"row 2 is ambiguous .the key 'value' occurs twice"):
        read_judgments([str(path)])
    assert len(read_judgments([str(path)], bad_rows="skip").judgments) == 1
    array = tmp_path / "j.json"
    array.write_text(f"[{good}, {bad}]")
    with pytest.raises(InputError, match="the key 'value' occurs twice in one object; keep one"):
        read_judgments([str(array)])
    true = tmp_path / "t.jsonl"
    true.write_text(f"{good}\n{good.replace('50', 'true')}\n")
    with pytest.raises(InputError, match="row 2"):
        read_judgments([str(true)])


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    text = table(OWN, GOOD, GOOD.replace("ann", "bö"), LAST).encode("latin-1")
    path = written(tmp_path, text)
    with pytest.raises(InputError, match="line 3 is not UTF-8"):
        read_judgments([path])
    read = read_judgments([path], bad_rows="skip")
    assert judges(read) == ["ann", "ben"]
    assert read.remarks == (f"{Path(path).name}: row 3 left out: it is not UTF-8 text",)


def test_bytes_that_are_no_text_in_json_lines(tmp_path: Path) -> None:
    lines = [
        f'{{"judge": "{judge}", "system": "A", "segment": 1, "value": 5}}'
        for judge in ("ann", "bö", "ben")
    ]
    path = written(tmp_path, table(*lines).encode("latin-1"))
    read = read_judgments([path], bad_rows="skip")
    assert judges(read) == ["ann", "ben"]
    assert f"{Path(path).name}: row 2 left out: it is not UTF-8 text" in read.remarks


def test_a_text_with_an_unknown_error_is_not_judged_by_its_others(tmp_path: Path) -> None:
    rows = [f"A\t{s}\tann\td\t{c}" for s, c in ((1, "Style\tMinor"), (1, "Style\tGrave"))]
    path = written(tmp_path, table(MQM, *rows, "A\t2\tann\td\tStyle\tMajor"))
    read = read_judgments([path], bad_rows="skip")
    assert [(one.segment, one.value) for one in read.judgments] == [("2", -5)]
    assert sorted(each.count for each in read.omissions) == [1, 1]


def test_when_no_row_is_left_the_first_reason_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, table(OWN, GOOD + "00"))
    with pytest.raises(
        InputError, match=r"no judgments are left \(of 1 bad rows, the first: the s"
    ):
        read_judgments([path], bad_rows="skip")


def test_choices(tmp_path: Path) -> None:
    path = written(tmp_path, "pair,judge,choice\np,x,left\np,y,both\np,x,right\np,z\np,w,right\n")
    with pytest.raises(InputError, match=SKIP):
        read_choices([path])
    found = read_choices([path], bad_rows="skip")
    assert [(one.judge, one.answer) for one in found.choices] == [("x", "left"), ("w", "right")]
    assert len(found.remarks) == 3
    assert [each.count for each in found.omissions] == [3]


class TestCellWithoutItsClosingQuote:
    """As in a published batch; the cells before it are those that count."""

    rows = (commented(1, '"fine"'), commented(2, '"oh, ""well""'), commented(3, '"{}"'))

    def test_the_default_is_to_refuse(self, tmp_path: Path) -> None:
        path = written(tmp_path, table(COMMENTED, *self.rows))
        with pytest.raises(InputError, match=r"row 3 is not CSV .*--bad-rows skip"):
            read_judgments([path])

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    @pytest.mark.parametrize("place", range(3))
    def test_all_rows_survive(self, place: int, end: str, tmp_path: Path) -> None:
        rows = [self.rows[0], self.rows[2]]
        rows.insert(place, self.rows[1])
        path = written(tmp_path, "".join(f"{row}{end}" for row in (COMMENTED, *rows)))
        read = read_judgments([path], bad_rows="skip")
        assert sorted((one.judge, one.value) for one in read.judgments) == [
            (f"w{worker}", worker + s) for worker in (1, 2, 3) for s in range(3)
        ]
        [remark] = read.remarks
        assert f"row {place + 2}" in remark

    def test_several(self, tmp_path: Path) -> None:
        comments = ['"', '"a\n b, c', '"x\n\n"', '""', '"y', '"', '"z"', '"']
        rows = [commented(worker, comment) for worker, comment in enumerate(comments)]
        read = read_judgments([written(tmp_path, table(COMMENTED, *rows))], bad_rows="skip")
        assert judges(read) == [f"w{worker}" for worker in range(len(comments))]
        assert len(read.remarks) == 5

    def test_answers_that_are_not_closed_are_left_out(self, tmp_path: Path) -> None:
        cut = commented(2, "")[:-2]  # inside of the answers, where a 2 may have been a 25
        path = written(tmp_path, table(COMMENTED, self.rows[0], cut, self.rows[2]))
        read = read_judgments([path], bad_rows="skip")
        assert judges(read) == ["w1", "w3"]
        assert f"{Path(path).name}: row 3 left out: " in read.remarks[0]

    def test_nothing_after_it_is_swallowed(self, tmp_path: Path) -> None:
        # No other quote follows, so that the cell goes on to the end of the file.
        header = "judge,hit,kind,system,segment,value,said"
        rows = [f"{j},h,system,A,1,5,{said}" for j, said in (("a", "so"), ("b", '"hm'), ("c", ""))]
        path = written(tmp_path, table(header, *rows))
        with pytest.raises(InputError, match="row 3 has a cell without a closing quote"):
            read_judgments([path])
        assert judges(read_judgments([path], bad_rows="skip")) == ["a", "b", "c"]
        # Here another quote ends it, by chance where a cell may end.
        path = written(tmp_path, table(header, *rows[:2], 'c,h,system,A,2,5,5"'))
        with pytest.raises(InputError, match="row 3 has a cell without a closing quote"):
            read_judgments([path])
        assert judges(read_judgments([path], bad_rows="skip")) == ["a", "b", "c"]

    @pytest.mark.parametrize("bad_rows", ["refuse", "skip"])
    def test_cells_may_go_over_several_lines(self, bad_rows: str, tmp_path: Path) -> None:
        """What is left of a row after the line end in a cell can have as many cells as a row."""
        header = "judge,hit,kind,system,segment,value"
        names = ["a\nb", "a\nb,c", "\n", 'a\r\n"', "\n,\n,"]
        cells = [name.replace('"', '""') for name in names]
        rows = [f'"{cell}","h","system","A","1","5"' for cell in cells]
        read = read_judgments([written(tmp_path, table(header, *rows))], bad_rows=bad_rows)
        assert judges(read) == names

    @pytest.mark.parametrize("bad_rows", ["refuse", "skip"])
    def test_a_score_may_not_be_cut_off(self, bad_rows: str, tmp_path: Path) -> None:
        header = "judge,hit,kind,system,segment,value"
        path = written(tmp_path, f'{header}\na,h,system,A,1,"51"\na,h,system,A,2,"5')
        if bad_rows == "refuse":
            with pytest.raises(InputError, match="row 3: the cell 'value' is cut off"):
                read_judgments([path])
        else:
            assert len(read_judgments([path], bad_rows="skip").judgments) == 1

    def test_rows_of_appraise_without_names(self, tmp_path: Path) -> None:
        rows = [f'{j},A,3,TGT,de,en,7,d,False,{m},1,2' for j, m in
                (("a", "[]"), ("b", '"[{'), ("c", "[]"))]  # fmt: skip
        read = read_judgments([written(tmp_path, table(*rows))], bad_rows="skip")
        assert judges(read) == ["a", "c"]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_damage_leaves_the_other_rows(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Cut a character out of one row, or put a quote in: only that row may be missing."""
    rows = [commented(worker, '"well, ""so""\nso"') for worker in range(5)]
    hurt = data.draw(st.integers(0, 4))
    at = data.draw(st.integers(0, len(rows[hurt]) - 1))
    cut = data.draw(st.booleans())
    rows[hurt] = rows[hurt][:at] + ("" if cut else '"') + rows[hurt][at + cut :]
    path = written(tmp_path_factory.mktemp("damaged"), table(COMMENTED, *rows))
    read = read_judgments([path], bad_rows="skip")
    others = {f"w{worker}" for worker in range(5) if worker != hurt}
    found = {one.judge for one in read.judgments if one.judge in others}
    assert found == others
    assert sum(one.judge in others for one in read.judgments) >= 12
    if len(judges(read)) < 5:
        assert any(f"row {hurt + 2}" in remark for remark in read.remarks)


def test_the_published_batch(tmp_path: Path) -> None:
    batch = SHARED / "data/da-pipeline-eacl2017/runA/Batch_2603232_batch_results.csv.gz"
    if not batch.exists():
        pytest.skip("../shared, with data that may not be published, is not here")
    whole = read_judgments([str(batch)]).judgments
    rows = lines(batch)
    # Its last row ends inside of a comment; put it among the others.
    path = written(tmp_path, table(*rows[:20], rows[-1], *rows[20:-1]))
    with pytest.raises(InputError, match=SKIP):
        read_judgments([path])
    read = read_judgments([path], bad_rows="skip")
    assert len(whole) == 5_500
    assert set(read.judgments) == set(whole)
    assert read.remarks == (
        f"{Path(path).name}: row 21: its last cell has no closing quote and is left out; the "
        "cells before it are kept",
    )
