"""Tables of chat arenas as they are: who won, what was shown first, and what is wrong in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from weigh.errors import InputError
from weigh.human.agreement import agreement
from weigh.human.judgments import read_judgments
from weigh.human.rank import rank
from weigh.read.answers import Preferences
from weigh.read.judgments import read_answers
from weigh.types import Preference

ROWS = [
    {"question_id": "q1", "model_a": "A", "model_b": "B", "winner": "model_a", "judge": "u1"},
    {"question_id": "q2", "model_a": "B", "model_b": "A", "winner": "model_a", "judge": "u2"},
    {"question_id": "q3", "model_a": "A", "model_b": "C", "winner": "model_b", "judge": "u1"},
    {"question_id": "q4", "model_a": "C", "model_b": "B", "winner": "tie", "judge": "u2"},
    {"question_id": "q5", "model_a": "A", "model_b": "B", "winner": "tie (bothbad)", "judge": ""},
]
WANTED = (
    Preference("A", "B", "q1", False, "u1", "A"),
    Preference("B", "A", "q2", False, "u2", "B"),
    Preference("C", "A", "q3", False, "u1", "A"),
    Preference("C", "B", "q4", True, "u2", "C"),
    Preference("A", "B", "q5", True, None, "A"),
)


def file(tmp_path: Path, text: str, name: str = "arena.csv") -> str:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def read(tmp_path: Path, text: str, name: str = "arena.csv", **options: str) -> Preferences:
    answers = read_answers([file(tmp_path, text, name)], **options)
    assert isinstance(answers, Preferences)
    return answers


def separated(rows: list[dict[str, str]], by: str) -> str:
    lines = [by.join(rows[0]), *(by.join(row.values()) for row in rows)]
    return "".join(f"{line}\n" for line in lines)


def test_formats_say_the_same(tmp_path):
    nested = [{**row, "conversation_a": [{"role": "user"}], "tag": {"x": 1}} for row in ROWS]
    for name, text in {
        "a.csv": separated(ROWS, ","),
        "a.tsv": separated(ROWS, "\t"),
        "a.jsonl": "".join(f"{json.dumps(row)}\n" for row in nested),
        "a.json": json.dumps(nested),
        "b.json": json.dumps(nested, indent=1),
    }.items():
        found = read(tmp_path, text, name)
        assert found.preferences == WANTED
        assert (found.omissions, found.remarks) == ((), ())


def test_parquet_and_frames(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame([{**row, "conversation_a": [{"role": "user"}]} for row in ROWS])
    frame.to_parquet(tmp_path / "a.parquet")
    assert read_answers([str(tmp_path / "a.parquet")]).preferences == WANTED
    assert read_judgments(frame).preferences == WANTED
    assert rank(frame).rankings[0].by == "bradley-terry"


@pytest.mark.parametrize(
    ("winner", "outcome"),
    [
        ("model_a", "A"),
        ("Model_B", "B"),
        ("A", "A"),
        ("B", "B"),
        ("both_bad", None),
        ("tie (both bad)", None),
        ("Tie", None),
        ("draw", None),
    ],
)
def test_what_winners_are_called(tmp_path, winner, outcome):
    found = read(tmp_path, f"model_a,model_b,winner\nA,B,{winner}\n")
    [preference] = found.preferences
    assert preference.first == "A"
    assert preference.segment == ""
    assert preference.tied == (outcome is None)
    assert outcome in (None, preference.winner)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("A,B,C", "row 2: the winner is 'C', which is neither 'A' nor 'B'; expected model_a"),
        ("A,B,left", "row 2: the winner is 'left'"),
        ("A,A,tie", "row 2: the models are 'A' and 'A'; expected two models"),
        (",B,tie", "row 2: the models are '' and 'B'"),
        ("A,B,tie,more", "row 2 has 4 cells"),
    ],
)
def test_bad_rows_are_named_or_left_out(tmp_path, row, words):
    text = f"model_a,model_b,winner\n{row}\nA,B,tie\n"
    with pytest.raises(InputError, match=words) as caught:
        read(tmp_path, text)
    assert "\n" not in str(caught.value)
    found = read(tmp_path, text, bad_rows="skip")
    assert len(found.preferences) == 1
    assert [(each.count, each.unit) for each in found.omissions] == [(1, "row")]


def test_rows_that_nobody_answered_are_counted(tmp_path):
    found = read(tmp_path, "model_a,model_b,winner\nA,B,tie\nA,C,\nB,C,\n")
    assert len(found.preferences) == 1
    [omission] = found.omissions
    assert (omission.count, "without a winner (rows 3, 4)" in omission.why) == (2, True)


def test_answers_at_the_same_time_are_one(tmp_path):
    text = "model_a,model_b,winner,tstamp\nA,B,tie,7\nA,B,tie,7\nA,B,tie,8\n"
    found = read(tmp_path, text)
    assert len(found.preferences) == 2


def test_other_arrays_and_brackets(tmp_path):
    judged = [{"judge": "u", "system": "A", "segment": 1, "value": 50.5}]
    [judgment] = read_answers([file(tmp_path, json.dumps(judged), "long.json")]).judgments
    assert judgment.value == 50.5
    with pytest.raises(InputError, match="row 2 is not a JSON object"):
        read(tmp_path, json.dumps([ROWS[0], 3]), "a.json")
    with pytest.raises(InputError, match="row 1 has no known column name"):
        read(tmp_path, "[a],[b]\n1,2\n")
    with pytest.raises(
        InputError, match="preferences have the columns model_a, model_b and winner"
    ):
        read(tmp_path, "Model A,Model B,Winner\nA,B,A\n")
    with pytest.raises(InputError, match="'spam' is a list or an object"):
        read(tmp_path, '[{"judge": "u", "system": "A", "segment": 1, "value": 5, "spam": []}]')


def test_agreement_of_an_arena(tmp_path):
    rows = [
        {"question_id": q, "model_a": a, "model_b": b, "winner": w, "judge": j}
        for q in ("q1", "q2")
        for j, a, b, w in (("u1", "A", "B", "model_a"), ("u2", "B", "A", "model_b"))
    ]
    found = agreement(read(tmp_path, separated(rows, ",")))
    [scale] = found.agreement
    assert (scale.judges, scale.judged, scale.judged_by_several) == (2, 2, 2)
    assert scale.cohen_pairs == 1
    with pytest.raises(InputError, match="name no questions"):
        agreement(read(tmp_path, "model_a,model_b,winner,judge\nA,B,tie,u\n"))
    with pytest.raises(InputError, match="name no judges"):
        agreement(read(tmp_path, "model_a,model_b,winner\nA,B,tie\n"))
