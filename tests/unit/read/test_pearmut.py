"""Pearmut's export, made from what `weigh human plan` writes for it, and by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reading import read_judgments
from weigh.errors import InputError
from weigh.human.export import Sheet, as_pearmut
from weigh.human.hits import make_hits
from weigh.types import Outputs, Span, System, TestSet


def written(path: Path, entries: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return str(path)


def answer(user: str, item_i: object, score: float | None, **more: Any) -> dict[str, Any]:
    return {
        "annotation": [{"A": {"score": score, "error_spans": [], "textfield": None}}],
        "item": [{"item_id": f"segment {item_i}", "tgt": {"A": "text"}}],
        "actions": [{"time": 100.0, "action": "load"}, {"time": 107.5, "action": "submit"}],
        "user_id": user,
        "item_i": item_i,
        **more,
    }


def test_a_planned_campaign_comes_back(tmp_path: Path) -> None:
    texts = [f"the text of number {at} is this one" for at in range(80)]
    systems = [System(name, Outputs([f"{name} {text}" for text in texts])) for name in "AB"]
    ids = [f"s{at}" for at in range(80)]
    hits = make_hits(TestSet([texts], ids=ids), systems, 2)
    campaign = json.loads(as_pearmut(Sheet(hits, ids, "de-en", "crowd-alone", 12345)))
    log = []
    for task, data in enumerate(campaign["data"]):
        for at, document in enumerate(data):
            [segment] = document
            [model] = segment["tgt"]
            given = [{model: {"score": at, "error_spans": []}}]
            log.append(answer(f"user{task}", at, None, annotation=given, item=document))
    read = read_judgments([written(tmp_path / "log.jsonl", log)])
    assert len(read.judgments) == 200
    assert not read.omissions
    found = {(one.hit, one.item): one for one in read.judgments}
    for task, hit in enumerate(hits):
        for item in hit.items:
            one = found[hit.name, str(item.number)]
            assert (one.kind, one.system, one.segment) == (item.kind, item.system, item.segment)
            assert one.of == (None if item.of is None else str(item.of))
            assert (one.judge, one.pair, one.scale) == (f"user{task}", "de-en", "adequacy")
            assert (one.value, one.seconds) == (item.number - 1, 7.5)
            assert one.at == "1970-01-01T00:01:47.500000+00:00"


@pytest.mark.parametrize("kind", ["esa", "mqm", "contrastive"])
def test_planned_campaigns_of_other_kinds_come_back(tmp_path: Path, kind: str) -> None:
    texts = [f"the text of number {at} is this one" for at in range(80)]
    systems = [System(name, Outputs([f"{name} {text}" for text in texts])) for name in "AB"]
    documents = [f"d{at // 8}" for at in range(80)]
    test_set = TestSet([texts], sources=texts, documents=documents)
    hits = make_hits(test_set, systems, 2, kind=kind, preset="appraise", split=10)
    sheet = Sheet(hits, [str(at) for at in range(1, 81)], "de-en", "appraise", 12345)
    log = []
    for task, data in enumerate(json.loads(as_pearmut(sheet))["data"]):
        for at, document in enumerate(data):
            given = [
                {
                    model: {
                        "score": len(text),
                        "error_spans": []
                        if kind == "contrastive"
                        else [{"start_i": 0, "end_i": 1, "severity": "Minor", "category": ""}],
                    }
                    for model, text in segment["tgt"].items()
                }
                for segment in document
            ]
            log.append(answer(f"user{task}", at, None, annotation=given, item=document))
    read = read_judgments([written(tmp_path / "log.jsonl", log)])
    scale = {"contrastive": "adequacy"}.get(kind, kind)
    found = {(one.hit, one.item): one for one in read.judgments if one.scale == scale}
    assert len(found) == sum(len(hit.items) for hit in hits)
    assert {one.scale for one in read.judgments} == {
        "esa": {"esa", "mqm"}, "mqm": {"mqm"}, "contrastive": {"adequacy"},
    }[kind]  # fmt: skip
    for hit in hits:
        for item in hit.items:
            one = found[hit.name, str(item.number)]
            assert (one.kind, one.system, one.segment) == (item.kind, item.system, item.segment)
            assert one.of == (None if item.of is None else str(item.of))
            assert one.document == item.document
            assert one.value == (-1 if kind == "mqm" else len(item.text))


def test_both_forms_of_the_export(tmp_path: Path) -> None:
    entries = [answer("x", 0, 50), answer("y", 0, 60)]
    lines = read_judgments([written(tmp_path / "a.jsonl", entries)], pair="de-en")
    for indent in (None, 2):
        whole = tmp_path / "annotations.json"
        whole.write_text(json.dumps({"camp": entries}, indent=indent), encoding="utf-8")
        read = read_judgments([str(whole)], pair="de-en")
        assert [one.value for one in read.judgments] == [50, 60]
        assert {one.hit for one in read.judgments} == {"camp"}
    assert [(one.hit, one.pair) for one in lines.judgments] == [("x", "de-en"), ("y", "de-en")]


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    log = [
        answer("x", "welcome_0", 10),
        answer("x", 0, 20),
        answer("x", 0, 30),
        answer("x", 1, 40),
        answer("x", 1, 40, annotation="RESET"),
        answer("x", 2, None),
        answer("x", 3, 1, annotation=[None]),
    ]
    read = read_judgments([written(tmp_path / "log.jsonl", log)])
    assert [one.value for one in read.judgments] == [30]
    counts = {omission.why.split(": ", 1)[1]: omission.count for omission in read.omissions}
    assert counts == {
        "Pearmut's own tutorials and checks (row 1)": 1,
        "answers that were later changed or reset (rows 2, 4)": 2,
        "missing answers (row 6)": 1,
        "segments that were skipped (row 7)": 1,
    }


def test_error_spans_cost_as_in_mqm(tmp_path: Path) -> None:
    spans = [
        {"start_i": 0, "end_i": 5, "severity": "minor", "category": None},
        {"start_i": 7, "end_i": 9, "severity": "Major", "category": "Accuracy/Omission"},
        {"start_i": 9, "end_i": 9, "severity": "minor", "category": "Fluency/Punctuation"},
    ]
    text = [{"item_id": "segment 0", "tgt": {"A": "A word is "}}]
    log = [
        answer("x", 0, 50, annotation=[{"A": {"score": 50, "error_spans": spans}}], item=text),
        answer("x", 1, 90),
    ]
    read = read_judgments([written(tmp_path / "log.jsonl", log)])
    marked = {(one.segment, one.scale): one.spans for one in read.judgments}
    assert marked["segment 0", "esa"] == (
        Span(0, 6, "minor"),
        Span(7, 10, "major", "Accuracy/Omission"),
        Span(9, 10, "minor", "Fluency/Punctuation"),
    )
    assert marked["segment 0", "mqm"] == marked["segment 0", "esa"]
    assert marked["segment 1", "esa"] == ()
    values = {(one.segment, one.scale): one.value for one in read.judgments}
    assert values == {
        ("segment 0", "esa"): 50,
        ("segment 0", "mqm"): pytest.approx(-6.1),
        ("segment 1", "esa"): 90,
        ("segment 1", "mqm"): 0,
    }


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (answer("x", 0, 101), "row 1: the score is '101'; expected a number from 0 to 100"),
        (answer("x", 0, 1, annotation=[]), "row 1 does not have one answer for every segment"),
        (answer("x", 0, 1, annotation=[3]), "row 1 is not what Pearmut writes; export it again"),
        (answer("x", 0, 1, annotation=[{"A": 3}]), "row 1 is not what Pearmut writes"),
        (answer("x", 0, 1, item=["x"]), "row 1 is not what Pearmut writes"),
        (answer("x", 0, 1, actions=[3]), "row 1 is not what Pearmut writes"),
        (answer("x", 0, 1, actions=3), "row 1 is not what Pearmut writes"),
        (
            answer("x", 0, 1, annotation=[{"A": {"score": 1, "error_spans": "x"}}]),
            "row 1 is not what Pearmut writes",
        ),
        (answer("x", 0, 1, annotation=[{"A": {"score": "x"}}]), "the score is \"'x'\"; expected"),
        (
            answer(
                "x", 0, 1, annotation=[{"A": {"score": 1, "error_spans": [{"severity": "huge"}]}}]
            ),
            "row 1: unknown severity 'huge'; expected one of major, minor",
        ),
        (
            answer(
                *("x", 0, 1),
                annotation=[
                    {
                        "A": {
                            "score": 1,
                            "error_spans": [{"start_i": 3, "end_i": 5, "severity": "minor"}],
                        }
                    }
                ],
            ),
            r"row 1: the spans are .* \(it ends at 6, and the text at 4\); expected",
        ),
    ],
)
def test_bad_exports(entry: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read_judgments([written(tmp_path / "log.jsonl", [entry])])


@pytest.mark.parametrize(
    "text", ["{", '{"a": 1}', "[]", '{"a": [1]}', '{"annotation": 1}\n{"a": 2}', "{}\n{}\n"]
)
def test_other_files_are_not_taken_for_exports(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"x\.json: "):
        read_judgments([str(path)])


def test_a_broken_line(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(answer("x", 0, 1)) + "\n{\n")
    with pytest.raises(InputError, match="row 2 is not what Pearmut writes"):
        read_judgments([str(path)])
