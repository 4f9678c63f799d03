"""Exports hold what the HITs hold, whatever the texts contain."""

from __future__ import annotations

import csv
import html
import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from weigh.human.export import (
    WRITERS,
    Sheet,
    as_jsonl,
    as_mturk,
    as_pearmut,
)
from weigh.human.hits import make_hits
from weigh.human.plan import EXPORTS
from weigh.types import Outputs, System, TestSet

HOSTILE = [
    '=HYPERLINK("http://x")',
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "<script>alert(1)</script> & co",
    'a "quoted", text',
    "line\u2028separator\x0b",
    "'single'",
    "日本語",
]


def sheet(scale: str = "adequacy", names: tuple[str, ...] = ("A", "=B", "c'd")) -> Sheet:
    size = 90
    texts = [f"{HOSTILE[at % len(HOSTILE)]} and number {at}" for at in range(size)]
    test_set = TestSet([[f"ref {text}" for text in texts]])
    systems = [System(name, Outputs([f"{text} by {name}" for text in texts])) for name in names]
    hits = make_hits(test_set, systems, 2, scale=scale)
    return Sheet(hits, [str(at) for at in range(1, size + 1)], "de-en", "crowd-alone", 12345)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_mturk_columns() -> None:
    made = sheet()
    header, *_ = csv.reader(io.StringIO(as_mturk(made), newline=""))
    assert header[:8] == ["src", "trg", "item", "hit", "sys_0", "sid_0", "tst_0", "rid_0"]
    assert len(header) == len(set(header)) == 4 + 100 * 6
    for hit, row in zip(made.hits, rows(as_mturk(made)), strict=True):
        assert (row["src"], row["trg"], row["item"]) == ("'de'", "'en'", "'ad'")
        assert row["hit"] == f"'{hit.name}'"
        for at, item in enumerate(hit.items):
            assert row[f"sys_{at}"] == f"'{item.system}'"
            assert row[f"sid_{at}"] == f"'{item.segment}'"
            assert row[f"rid_{at}"] == f"'{item.number}'"
            assert html.unescape(row[f"html_{at}"]) == item.text
            assert html.unescape(row[f"ref_html_{at}"]) == item.reference
        types = [row[f"tst_{at}"] for at in range(100)]
        assert types.count("'SYSTEM'") == 70
        assert {kind: types.count(kind) for kind in ("'REF'", "'BAD_REF'", "'REPEAT'")} == {
            "'REF'": 10,
            "'BAD_REF'": 10,
            "'REPEAT'": 10,
        }


def test_no_cell_is_a_formula() -> None:
    for row in csv.reader(io.StringIO(as_mturk(sheet()), newline="")):
        assert not [cell for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_fluency_has_no_references() -> None:
    [first, _] = rows(as_mturk(sheet("fluency")))
    assert first["item"] == "'fl'"
    assert {first[f"ref_html_{at}"] for at in range(100)} == {""}
    [document, *_] = json.loads(as_pearmut(sheet("fluency")))["data"][0]
    assert "ref" not in document[0]


def test_pearmut() -> None:
    made = sheet()
    campaign = json.loads(as_pearmut(made))
    assert campaign["info"]["protocol"] == "DA"
    assert len(campaign["data"]) == 2
    for hit, task in zip(made.hits, campaign["data"], strict=True):
        for item, [entry] in zip(hit.items, task, strict=True):
            [(model, text)] = entry["tgt"].items()
            assert text == item.text
            genuine = item.kind in ("system", "repeat")
            assert model == (item.system if genuine else item.kind)
            assert entry["weigh"]["of"] == item.of
            assert entry["ref"] == item.reference


def test_json_lines() -> None:
    made = sheet()
    lines = as_jsonl(made).removesuffix("\n").split("\n")
    for hit, line in zip(made.hits, lines, strict=True):
        found = json.loads(line)
        assert (found["schema"], found["hit"], found["scale"]) == ("weigh/3", hit.name, "adequacy")
        assert (found["preset"], found["seed"], found["pair"]) == ("crowd-alone", 12345, "de-en")
        for item, entry in zip(hit.items, found["items"], strict=True):
            assert (entry["number"], entry["kind"], entry["of"]) == (
                item.number,
                item.kind,
                item.of,
            )
            assert (entry["text"], entry["reference"]) == (item.text, item.reference)


def by_document(kind: str, *, systems: int = 3) -> Sheet:
    size = 90
    texts = [f"the text of number {at} is this one" for at in range(size)]
    test_set = TestSet(
        [[f"ref {text}" for text in texts]],
        sources=[f"source {text}" for text in texts],
        documents=[f"d{at // 25}" for at in range(size)],
    )
    made = [System(f"S{at}", Outputs([f"{at} {text}" for text in texts])) for at in range(systems)]
    hits = make_hits(test_set, made, 4, kind=kind, preset="appraise", split=10, source_based=True)
    return Sheet(hits, [str(at) for at in range(1, size + 1)], "de-en", "appraise", 12345)


def test_pearmut_by_document() -> None:
    made = by_document("mqm")
    campaign = json.loads(as_pearmut(made))
    assert campaign["info"]["protocol"] == "MQM"
    assert campaign["info"]["mqm_severities"] == ["Neutral", "Minor", "Major"]
    assert campaign["info"]["mqm_categories"]["Fluency"][0] == "Punctuation"
    assert campaign["info"]["mqm_categories"]["Other"] == []
    assert json.loads(as_pearmut(by_document("esa")))["info"]["protocol"] == "ESA"
    for hit, task in zip(made.hits, campaign["data"], strict=True):
        entries = [entry for document in task for entry in document]
        assert len(task) == len({item.screen for item in hit.items})
        for item, entry in zip(hit.items, entries, strict=True):
            assert entry["src"] == item.source
            assert "ref" not in entry
            assert [*entry["tgt"].values()] == [item.text]
            assert entry["weigh"]["document"] == item.document


def test_pearmut_shows_versions_side_by_side() -> None:
    made = by_document("contrastive")
    campaign = json.loads(as_pearmut(made))
    assert (campaign["info"]["protocol"], campaign["info"]["shuffle"]) == ("DA", False)
    for hit, task in zip(made.hits, campaign["data"], strict=True):
        shown = {item.number: item for item in hit.items}
        for [entry] in task:
            told = entry["weigh"]["models"]
            assert told.keys() == entry["tgt"].keys()
            for model, text in entry["tgt"].items():
                item = shown.pop(told[model]["item"])
                assert (item.text, item.system, item.kind) == (
                    text, told[model]["system"], told[model]["kind"],
                )  # fmt: skip
            for genuine, rule in entry.get("validation", {}).items():
                damaged = told[rule["score_greaterthan"]]
                assert (damaged["kind"], damaged["of"]) == ("bad", told[genuine]["item"])
        assert not shown


def test_columns_for_other_kinds() -> None:
    made = by_document("contrastive")
    first = rows(as_mturk(made))[0]
    item = made.hits[0].items[0]
    assert (html.unescape(first["src_html_0"]), first["ref_html_0"]) == (item.source, "")
    assert first["screen_0"] == "1"
    made = by_document("pair")
    table = rows(as_mturk(made))
    most = max(len(hit.pairs) for hit in made.hits)
    for hit, row in zip(made.hits, table, strict=True):
        assert "item" not in row
        for at, pair in enumerate(hit.pairs):
            assert (row[f"left_{at}"], row[f"right_{at}"]) == (
                f"'{pair.left_system}'", f"'{pair.right_system}'",
            )  # fmt: skip
            assert html.unescape(row[f"left_html_{at}"]) == pair.left
            assert row[f"better_{at}"] == (pair.better or "")
        assert {row[f"tst_{at}"] for at in range(len(hit.pairs), most)} <= {""}


@settings(max_examples=20)
@given(st.text(min_size=1).filter(lambda text: text.isprintable()))
def test_system_names_survive(name: str) -> None:
    made = sheet(names=(name, "other"))
    [row, _] = rows(as_mturk(made))
    assert {row[f"sys_{at}"][1:-1] for at in range(100)} == {name, "other"}
    for write in (as_pearmut, as_jsonl):
        assert json.dumps(name, ensure_ascii=False) in write(made)


def test_every_export_has_an_ending_of_its_own() -> None:
    assert {export: tuple(files) for export, files in WRITERS.items()} == EXPORTS
    endings = [ending for files in WRITERS.values() for ending in files]
    assert len(set(endings)) == len(endings)
