from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from unit.report.made.compare import compare_result, result_with_segments
from unit.report.page.documents import Document
from weigh.comparing.compare_result import CompareResult, Gate, Ranking
from weigh.errors import InputError
from weigh.report.grid import Column, Grid, visible
from weigh.report.page.walk import as_page, as_sections, policy_of
from weigh.report.view import View, parse_result

GRID = Grid([Column("System")], [[["a"]]])


NAMES = st.lists(
    st.text(st.characters(exclude_categories=()), min_size=1), min_size=3, max_size=3, unique=True
)
PAIRS = {(0, 1): 0.01, (0, 2): 0.2, (1, 2): 0.02}


def with_all(systems: list[str], words: str = "words") -> CompareResult:
    result = compare_result(systems, PAIRS, sliced=True, tests=("randomization", "bootstrap"))
    rankings = tuple(
        Ranking(
            metric,
            "randomization",
            ((systems[0],), (systems[1], systems[2])),
            {systems[0]: (1, 1), systems[1]: (2, 3), systems[2]: (2, 3)},
            label,
        )
        for metric in ("bleu", "ter")
        for label in (None, "news & more")
    )
    gate = Gate("fail", (words, "more"))
    return replace(result, rankings=rankings, warnings=(words,), gate=gate)


@cache
def plain_page() -> Document:
    return Document(with_all(["x", "y", "z"]).to_html())


@given(NAMES)
@settings(deadline=None, max_examples=30)
def test_no_name_can_become_markup(systems: list[str]) -> None:
    plain = plain_page()
    html = with_all(systems, "<b>" + systems[0]).to_html()
    html.encode("utf-8")
    hostile = Document(html)
    assert hostile.tags == plain.tags
    assert [(tag, name) for tag, name, _ in hostile.attributes] == [
        (tag, name) for tag, name, _ in plain.attributes
    ]
    assert set(map(visible, systems)) <= set(hostile.texts)


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",))), min_size=1, max_size=5))
@settings(deadline=None, max_examples=30)
def test_no_segment_can_become_markup(texts: list[str]) -> None:
    plain = Document(result_with_segments(["x", "y"], ["text"] * len(texts)).to_html())
    assert Document(result_with_segments(["x", "y"], texts).to_html()).tags == plain.tags


def test_page_runs_its_own_script_and_nothing_else() -> None:
    read = Document(result_with_segments(["x", "y"], ["a b"]).to_html())
    assert list(read.scripts) == ["data", "segment-data", None]
    digest = base64.b64encode(hashlib.sha256(read.scripts[None].encode()).digest()).decode()
    [policy] = [
        value
        for tag, name, value in read.attributes
        if (tag, name) == ("meta", "content")
        if value is not None and "script-src" in value
    ]
    assert f"default-src 'none'; script-src 'sha256-{digest}'; " in policy
    assert not any(name.startswith("on") for _, name, _ in read.attributes)


def test_page_of_a_page_has_no_segments() -> None:
    html = result_with_segments(["x", "y"], ["some text"]).to_html()
    first = Document(html)
    second = Document(parse_result(html, "page.html").to_html())
    assert "segment-data" not in second.scripts
    assert "browse-a" in first.ids()
    assert "browse-a" not in second.ids()


@given(st.integers(0, 400), st.characters(codec="ascii"))
def test_a_page_with_a_damaged_document_is_refused_in_one_line(at: int, sign: str) -> None:
    html = result_with_segments(["x", "y"], ["some text"]).to_html()
    start = html.index('id="data">') + len('id="data">') + at
    damaged = html[:start] + sign + html[start + 1 :]
    message = ""
    try:
        parse_result(damaged, "page.html")
    except InputError as error:
        message = str(error)
    assert "\n" not in message


def test_sections_stand_in_other_pages_without_what_needs_a_script() -> None:
    parts = [
        GRID.with_title("One", ["<said>"], section="First"),
        GRID.with_title("Listed", significant=[True] * 30),
        GRID.with_title("Two", section="Second"),
    ]
    html = as_sections(View("A title", parts), ["First"])
    assert re.findall("<h3>([^<]*)", html) == ["One"]
    assert (html.count("<table"), html.count("<input"), "&lt;said&gt;" in html) == (1, 0, True)
    assert re.findall("<h3>([^<]*)", as_sections(View("A title", parts))) == ["One", "Two"]
    assert "<script" not in html
    assert as_sections(View("A title", parts), ["Third"]) == ""


def test_the_policy_of_a_page_is_what_it_declares() -> None:
    page = as_page(View("A title", [GRID.with_title("One")]), "{}")
    script = re.findall("<script>(.*?)</script>", page, re.DOTALL)[-1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy_of(page)
    assert policy_of("<p>no page of ours</p>") == "default-src 'none'"
