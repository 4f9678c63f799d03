"""JSON Schemas of all results, and what is written of names that reorder text."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import weigh
from unit.report.made import MADE
from weigh.cli import main
from weigh.report.formats import FORMATS
from weigh.result import document
from weigh.wording import REORDERING

RAW = re.compile(f"[{''.join(REORDERING)}]")
OLD = Path(__file__).parent / "weigh2"


@cache
def validator(command: str) -> Any:
    """Return what holds documents to a schema, which is not ours; the schema must be one."""
    kind = pytest.importorskip("jsonschema").Draft202012Validator
    schema = weigh.json_schema(command)
    kind.check_schema(schema)
    return kind(schema)


def errors(written: dict[str, Any], command: str) -> list[str]:
    """Return the places where a document is not as its schema says."""
    return [error.json_path for error in validator(command).iter_errors(written)]


@pytest.mark.parametrize("kind", MADE)
def test_every_result_is_as_its_schema_says(kind: str) -> None:
    result = MADE[kind](1)
    written = json.loads(document(result))
    assert errors(written, result.command) == []
    schema = weigh.json_schema(result.command)
    named = [set(each["properties"]) for each in schema.get("anyOf", [schema])]
    assert any(set(written) <= names for names in named)
    assert errors({**written, "schema": "weigh/2"}, result.command)
    for name in ("weigh", "command"):
        assert errors({key: value for key, value in written.items() if key != name}, result.command)


def test_what_is_wrong_inside_is_found() -> None:
    written = json.loads(document(MADE["compare"](1)))
    assert errors({**written, "comparisons": [{}]}, "compare") == ["$.comparisons[0]"] * 24
    for name, value in (
        ("p_value", "small"),
        ("significant", 1),
        ("interval", [0.5]),
        ("interval", [0.5, 1, 2]),
        ("margin_verdict", "perhaps"),
        ("trials", 1.5),
    ):
        changed = {**written["comparisons"][0], name: value}
        [place] = errors({**written, "comparisons": [changed]}, "compare")
        assert place.startswith(f"$.comparisons[0].{name}")
    with pytest.raises(weigh.UsageError, match="no command 'bake' writes results"):
        weigh.json_schema("bake")


def test_keys_of_comparisons_are_those_of_the_contract() -> None:
    schema = weigh.json_schema("compare")["$defs"]["Comparison"]
    contract = (
        "metric a b score_a score_b difference interval level test alternative trials exact count "
        "p_value p_stderr p_adjusted adjust family_size significant detectable detectable_reason "
        "equivalent non_inferior seed"
    )
    assert set(schema["required"]) == set(contract.split())


@pytest.mark.parametrize("path", sorted(OLD.iterdir()), ids=lambda path: path.stem)
def test_documents_of_an_earlier_schema_are_read(path: Path) -> None:
    """Written by weigh 0.2.0."""
    old = json.loads(path.read_text(encoding="utf-8"))
    assert old["schema"] == "weigh/2"
    result = weigh.load(path)
    written = json.loads(document(result))
    assert written["schema"] == "weigh/3"
    assert errors(written, result.command) == []
    for part in ("scores", "comparisons"):
        for entry, again in zip(old[part], written[part], strict=True):
            assert all(again[name] == entry[name] for name in entry.keys() & again.keys())
    assert str(result)


def test_names_that_reorder_text_reach_no_reader_raw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, page = tmp_path / "t.csv", tmp_path / "page.html"
    marks = "".join(sorted(REORDERING))
    rows = [
        f"{system},{item},{(item * step) % 7},part{marks}{item % 2}\n"
        for system, step in ((f"a{marks}", 3), (f"{marks}b", 5))
        for item in range(12)
    ]
    path.write_text("system,item,score,slice\n" + "".join(rows), encoding="utf-8")
    for form in FORMATS:
        assert main(["compare", str(path), "--format", form, "--html", str(page)]) == 0
        said = capsys.readouterr()
        assert not RAW.search(said.out + said.err), form
        assert "202e" in said.out
    text = page.read_text(encoding="utf-8")
    assert not RAW.search(text)
    assert {score.system for score in weigh.load(page).scores} == {f"a{marks}", f"{marks}b"}
    with pytest.warns(weigh.WeighWarning, match="202e") as caught:
        assert not RAW.search(weigh.compare(path)._repr_html_())
    assert not any(RAW.search(str(each.message)) for each in caught)
