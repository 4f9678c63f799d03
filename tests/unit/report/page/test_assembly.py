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
from weigh.comparing.result import CompareResult, Gate, Ranking
from weigh.report.grid import visible
from weigh.report.page import tables
from weigh.report.view import restored

NAMES = st.lists(
    st.text(st.characters(exclude_categories=()), min_size=1), min_size=3, max_size=3, unique=True
)
PAIRS = {(0, 1): 0.01, (0, 2): 0.2, (1, 2): 0.02}


def with_all(systems: list[str], words: str = "words") -> CompareResult:
    result = compare_result(systems, PAIRS, sliced=True, tests=("randomization", "multeval"))
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


def test_page_without_details_says_what_is_missing() -> None:
    texts = " ".join(Document(compare_result(["x", "y", "z"], PAIRS).to_html()).texts)
    assert texts.count("weigh compare … --html") == 2
    assert "one-sided tests make no ranking" in texts


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
    monkeypatch.setattr(tables, "MOST_ROWS", 4)
    read = Document(compare_result(["x", "y", "z"], PAIRS).to_html())
    assert "The first 4 of 6 rows; all are in the data." in read.texts
    assert [value for _, name, value in read.attributes if name == "data-significant"] == [
        *("yes", "no", "yes", "yes")
    ]


def test_segments_that_were_left_out_are_counted() -> None:
    result = result_with_segments(["x", "y"], ["a", "b"], total=3000)
    texts = " ".join(Document(result.to_html()).texts)
    assert "2 of 3,000 segments are kept here" in texts
