"""What holds for every result: its document, its formats, its page and its pictures."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any
from xml.etree import ElementTree

import narwhals as nw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.report.damage import damaged
from unit.report.latex_syntax import check
from unit.report.made import MADE, SEEDS
from unit.report.page.documents import Document
from weigh.cli.app import verbs
from weigh.errors import InputError
from weigh.report.formats import FORMATS
from weigh.report.view import View, as_input_errors, parse_result, result_kinds, show, view
from weigh.result import Result, document

kinds = pytest.mark.parametrize("kind", MADE)
TEXTS = tuple(form for form in FORMATS if form != "json")
# Verbs whose output is no result: files for other tools, lists, references.
NO_RESULT = {
    *("report", "cite", "sample", "metrics", "demo", "rypt align", "serve"),
    *("sacrebleu", "completion"),
    *(f"campaign {verb}" for verb in ("close", "export", "backup", "links", "erase")),
    *(f"translate {verb}" for verb in ("align", "train", "decode")),
}


def written(kind: str, seed: int = 2) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(document(MADE[kind](seed)))
    return found


cached = cache(written)


def test_every_verb_with_a_result_is_here() -> None:
    commands = {make(0).command for make in MADE.values()}
    assert commands == set(verbs()) - NO_RESULT


@kinds
@pytest.mark.parametrize("seed", SEEDS)
def test_a_result_reads_back_as_it_was_and_its_texts_are_whole(kind: str, seed: int) -> None:
    result = MADE[kind](seed)
    written = document(result)
    again = parse_result(written, "r.json")
    assert type(again) is type(result)
    assert document(again) == written
    texts = {form: result.to_text(form) for form in TEXTS}
    for form, text in texts.items():
        assert again.to_text(form) == text, form
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text.replace("\t", "")), form
    check(texts["latex"])
    assert len({row.count("\t") for row in texts["tsv"].split("\n")}) == 1


@pytest.mark.parametrize(
    ("kind", "library"),
    [*((kind, "pandas") for kind in MADE), ("compare", "polars"), ("compare", "pyarrow")],
)
def test_a_frame_has_the_rows_and_columns_of_tsv(kind: str, library: str) -> None:
    pytest.importorskip(library)
    result = MADE[kind](1)
    frame = nw.from_native(result.to_frame(library), eager_only=True)
    header, *rows = result.to_text("tsv").split("\n")
    assert type(frame.to_native()).__module__.partition(".")[0] == library
    assert "\t".join(frame.columns) == header
    assert len(frame) == len(rows)


def test_a_result_is_laid_out_once_for_all_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = [MADE["compare"](seed) for seed in (2, 3)]
    kinds = result_kinds("compare")
    calls: list[Result] = []

    def counted(made: Any) -> View:
        calls.append(made)
        return lay_out(made)

    lay_out = kinds[type(shown[0])]
    monkeypatch.setitem(kinds, type(shown[0]), counted)
    for made in shown:
        for form in (*TEXTS, "html", "notebook"):
            show(made, form)
    assert [id(made) for made in calls] == [id(made) for made in shown]


@kinds
def test_print_and_notebook(kind: str) -> None:
    result = MADE[kind](1)
    assert str(result) == result.to_text("table")
    Document(f"<div>{result._repr_html_()}</div>")


@kinds
@pytest.mark.parametrize("seed", [0, 1])
def test_page_is_whole_and_needs_nothing(kind: str, seed: int) -> None:
    result = MADE[kind](seed)
    html = result.to_html()
    read = Document(html)
    assert re.findall(r"(?:https?:)?//[\w.]+|url\(|@import", re.sub("<script.*", "", html)) == []
    assert len(read.ids()) == len(set(read.ids()))
    links = [value for _, name, value in read.attributes if name == "href" and value is not None]
    assert {link.removeprefix("#") for link in links} <= set(read.ids())
    assert parse_result(html, "page.html").to_html() == result.within_page().to_html()


@kinds
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_picture_is_whole_and_has_a_name_of_its_own(kind: str, seed: int) -> None:
    pictures = view(MADE[kind](seed)).pictures()
    assert len({one.name for one in pictures}) == len(pictures)
    for one in pictures:
        ElementTree.fromstring(one.standalone())
        assert one.title
        assert one.description.endswith(".")


@kinds
@settings(max_examples=10)
@given(data=st.data())
def test_a_damaged_document_is_shown_or_refused(kind: str, data: st.DataObject) -> None:
    """Any value anywhere: it reads, and can be shown, or there is one clear line."""
    said = refusal(json.dumps(damaged(cached(kind), data)), shown=True)
    assert said is None or (said.startswith("r") and "\n" not in said)


def refusal(text: str, shown: bool = False) -> str | None:
    """Return what is said of a document that cannot be read, or cannot be shown."""
    try:
        with as_input_errors("r"):
            result: Result = parse_result(text, "r")
            if shown:
                for form in TEXTS:
                    result.to_text(form)
                result.to_html()
    except InputError as error:
        return str(error)
    return None


@kinds
def test_a_part_that_is_missing_is_named(kind: str) -> None:
    whole = cached(kind)
    for part in whole.keys() - {"weigh", "schema", "command"}:
        rest = {name: value for name, value in whole.items() if name != part}
        said = refusal(json.dumps(rest))
        assert said is None or (part in said and "\n" not in said)


def test_other_documents_get_one_clear_line() -> None:
    for text, said in (
        ('{"schema": "weigh/3", "command": "bake"}', "a result of 'bake'"),
        ('{"schema": "weigh/1", "command": "score"}', "weigh/1.*run the command again"),
        ('{"schema": "weigh/3", "command": "score", "x": NaN}', "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("<!DOCTYPE html>\n<html></html>", "a page without a weigh result"),
    ):
        with pytest.raises(InputError, match=said) as caught:
            parse_result(text, "r")
        assert "\n" not in str(caught.value)
