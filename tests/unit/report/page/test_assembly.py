from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from weigh.report.restored import restore

from unit.report.page.documents import Document, report_with_segments
from unit.report.reports import compare_report
from weigh.comparing.result import Gate, Ranking
from weigh.report.compared import CompareReport
from weigh.report.page import page, pairwise
from weigh.report.text import visible

NAMES = st.lists(
    st.text(st.characters(exclude_categories=()), min_size=1), min_size=3, max_size=3, unique=True
)
PAIRS = {(0, 1): 0.01, (0, 2): 0.2, (1, 2): 0.02}


def with_all(systems: list[str], words: str = "words") -> CompareReport:
    report = compare_report(systems, PAIRS, sliced=True, tests=("randomization", "multeval"))
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
    return CompareReport(
        replace(
            report.result, rankings=rankings, warnings=(words,), gate=Gate("fail", (words, "more"))
        )
    )


@given(NAMES)
@settings(deadline=None, max_examples=30)
def test_no_name_can_become_markup(systems: list[str]) -> None:
    plain = Document(page(with_all(["x", "y", "z"])))
    html = page(with_all(systems, "<b>" + systems[0]))
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
    plain = Document(page(report_with_segments(["x", "y"], ["text"] * len(texts))))
    assert Document(page(report_with_segments(["x", "y"], texts))).tags == plain.tags


def test_page_runs_its_own_script_and_nothing_else() -> None:
    read = Document(page(report_with_segments(["x", "y"], ["a b"])))
    assert list(read.scripts) == ["data", "segments", None]
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
    html = page(report_with_segments(["x", "y"], ["a b"]))
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
    report = with_all(["x", "<script>", "\u2028z"])
    document = Document(page(report)).scripts["data"]
    read = restore(document, "page.html").report
    assert isinstance(read, CompareReport)
    assert read.result.comparisons == report.result.comparisons
    assert read.result.rankings == report.result.rankings
    assert read.result.gate == report.result.gate


def test_page_without_details_says_what_is_missing() -> None:
    texts = " ".join(Document(page(compare_report(["x", "y", "z"], PAIRS))).texts)
    assert texts.count("weigh compare … --html") == 2
    assert "one-sided tests make no ranking" in texts


def test_page_of_a_page_has_no_segments() -> None:
    first = Document(page(report_with_segments(["x", "y"], ["some text"])))
    again = restore(first.scripts["data"], "page.html").report
    assert isinstance(again, CompareReport)
    second = Document(page(again))
    assert "segments" not in second.scripts
    assert "browse-a" in first.ids()
    assert "browse-a" not in second.ids()


def test_baseline_has_no_ranking() -> None:
    texts = " ".join(Document(page(compare_report(["x", "y", "z"], PAIRS, baseline=True))).texts)
    assert "all systems were compared with x and not with each other" in texts


def test_warnings_and_gate_are_told() -> None:
    texts = Document(page(with_all(["x", "y", "z"], "only 12 units"))).texts
    assert texts.count("only 12 units") == 2
    assert "Gate: fail." in texts


def test_long_lists_of_pairs_are_cut_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairwise, "MOST_ROWS", 4)
    read = Document(page(compare_report(["x", "y", "z"], PAIRS)))
    assert "The first 4 of 6 comparisons; all are in the data." in read.texts
    assert [value for _, name, value in read.attributes if name == "data-significant"] == [
        *("yes", "no", "yes", "yes")
    ]


def test_segments_that_were_left_out_are_counted() -> None:
    report = report_with_segments(["x", "y"], ["a", "b"])
    report = CompareReport(replace(report.result, segments=3000))
    texts = " ".join(Document(page(report)).texts)
    assert "2 of 3,000 segments are kept here" in texts
