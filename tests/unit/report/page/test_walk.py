from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.report.made.compare import compare_result, result_with_segments
from unit.report.page.documents import Document
from weigh.comparing.compare_result import CompareResult, Gate, Ranking
from weigh.report.grid import Cell, Column, Grid, visible
from weigh.report.page import html
from weigh.report.page.walk import as_page, as_sections, policy_of
from weigh.report.view import SUMMARY, Alert, Part, View, restored

GRID = Grid([Column("System")], [[[Cell("a")]]])


def main_of(*parts: Part, **fields: object) -> str:
    html = as_page(View("A <title>", parts, **fields), "{}")  # type: ignore[arg-type]
    Document(html)
    found = re.search("<main>(.*)</main>", html, re.DOTALL)
    assert found is not None
    return found[1]


def test_sections_are_linked_by_their_titles() -> None:
    parts = [Part("x", section="First part"), Part(section="Data"), Part(section="Überall")]
    html = main_of(*parts, Part(section="Methods"), signatures=[("a", "b")])
    assert re.findall('<section id="([^"]*)"', html) == [
        *("summary", "first-part", "part-2", "berall", "part-4", "methods", "document")
    ]


def test_parts_may_stand_in_the_summary() -> None:
    shown = Part(section=SUMMARY, sentences=["shown"])
    html = main_of(shown, Part(section="Next"), findings=["found"], cautions=["careful"])
    assert re.findall("<h2[^>]*>([^<]*)", html) == ["Summary", "Next", "Data"]
    places = [html.index(text) for text in ("found", "shown", "careful", "Next")]
    assert places == sorted(places)


def test_a_part_without_a_section_belongs_to_the_one_before() -> None:
    html = main_of(Part("One"), Part("Two", GRID), Part("Three", section="Three"), Part("Two"))
    assert re.findall("<h2[^>]*>([^<]*)", html) == ["Summary", "One", "Three", "Data"]
    # A heading that its section has already is not repeated.
    assert re.findall("<h3>([^<]*)", html) == ["Two", "Two"]


def test_neighbours_with_one_label_are_hidden_together() -> None:
    parts = [Part("a", GRID, folded="More"), Part("b", GRID, folded="More"), Part("c", GRID)]
    html = main_of(Part(section="S"), *parts, Part("Other", GRID, folded="Other"))
    first, second = re.findall("<details>(.*?)</details>", html, re.DOTALL)
    assert first.startswith("<summary>More</summary>")
    assert (first.count("<table"), re.findall("<h3>([^<]*)", first)) == (2, ["a", "b"])
    assert second.startswith("<summary>Other</summary>")
    assert "<h3>" not in second
    assert html.count("<table") == 4
    assert "<details>" not in main_of(Part(section="S"), Part(folded="Nothing"))


def test_neighbours_stand_beside_each_other() -> None:
    parts = [Part(name, GRID, beside=True) for name in "ab"]
    html = main_of(Part(section="S"), *parts, Part("c", GRID))
    row, rest = html.split('<div class="beside">')[1].split("<h3>c</h3>")
    assert (row.count("<table"), rest.count("<table")) == (2, 1)


def test_a_verdict_stands_before_all_else() -> None:
    alert = Alert("fail", "Gate: fail", ["too <bad>"])
    html = main_of(Part(), alert=alert, findings=["found"], cautions=["careful"])
    places = [html.index(text) for text in ("Gate: fail.", "too &lt;bad&gt;", "found", "careful")]
    assert places == sorted(places)


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


@given(NAMES)
@settings(deadline=None, max_examples=30)
def test_no_name_can_become_markup(systems: list[str]) -> None:
    plain = Document(with_all(["x", "y", "z"]).to_html())
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


def test_page_leads_nowhere_outside() -> None:
    html = result_with_segments(["x", "y"], ["a b"]).to_html()
    addresses = re.findall(r"""(?:https?:)?//[\w.]+|url\(|@import""", re.sub("<script.*", "", html))
    assert addresses == []
    read = Document(html)
    assert all(
        value is not None and value.startswith("#")
        for _, name, value in read.attributes
        if name in ("href", "src")
    )
    assert len(read.ids()) == len(set(read.ids()))


def test_data_are_read_back() -> None:
    result = with_all(["x", "<script>", "\u2028z"])
    read = restored(result.to_html(), "page.html")
    assert isinstance(read, CompareResult)
    assert read.comparisons == result.comparisons
    assert read.rankings == result.rankings
    assert read.gate == result.gate


def test_page_of_a_page_has_no_segments() -> None:
    html = result_with_segments(["x", "y"], ["some text"]).to_html()
    first = Document(html)
    second = Document(restored(html, "page.html").to_html())
    assert "segment-data" not in second.scripts
    assert "browse-a" in first.ids()
    assert "browse-a" not in second.ids()


def test_baseline_has_no_ranking() -> None:
    texts = " ".join(
        Document(compare_result(["x", "y", "z"], PAIRS, baseline=True).to_html()).texts
    )
    assert "all systems were compared with x and not with each other" in texts


def test_warnings_and_gate_are_told() -> None:
    texts = Document(with_all(["x", "y", "z"], "only 12 units").to_html()).texts
    assert texts.count("only 12 units") == 2
    assert "Gate: fail." in texts


def test_long_lists_of_pairs_are_cut_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "MOST_ROWS", 4)
    read = Document(compare_result(["x", "y", "z"], PAIRS).to_html())
    assert "The first 4 of 6 rows; all are in the data." in read.texts
    assert [value for _, name, value in read.attributes if name == "data-significant"] == [
        *("yes", "no", "yes", "yes")
    ]


def test_segments_that_were_left_out_are_counted() -> None:
    result = result_with_segments(["x", "y"], ["a", "b"], total=3000)
    texts = " ".join(Document(result.to_html()).texts)
    assert "2 of 3,000 segments are kept here" in texts


def test_sections_stand_in_other_pages_without_what_needs_a_script() -> None:
    parts = [
        Part("One", GRID, section="First", sentences=["<said>"]),
        Part("Listed", GRID, significant=[True]),
        Part("Two", GRID, section="Second"),
    ]
    html = as_sections(View("A title", parts), ["First"])
    assert re.findall("<h3>([^<]*)", html) == ["One"]
    assert (html.count("<table"), html.count("<input"), "&lt;said&gt;" in html) == (1, 0, True)
    assert re.findall("<h3>([^<]*)", as_sections(View("A title", parts))) == ["One", "Two"]
    assert "<script" not in html
    assert as_sections(View("A title", parts), ["Third"]) == ""


def test_the_policy_of_a_page_is_what_it_declares() -> None:
    page = as_page(View("A title", [Part("One", GRID)]), "{}")
    script = re.findall("<script>(.*?)</script>", page, re.DOTALL)[-1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy_of(page)
    assert policy_of("<p>no page of ours</p>") == "default-src 'none'"
