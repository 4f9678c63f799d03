from __future__ import annotations

import json
import math
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from unit.report.made.compare import result_with_segments
from unit.report.page.documents import Document
from weigh.comparing.compare_result import CompareResult, Segments
from weigh.report.page.browser import segments_json
from weigh.report.page.html import pack
from weigh.report.parts import Browser
from weigh.report.view import view

ANYTHING = st.text(st.characters(exclude_categories=()))


@given(st.recursive(ANYTHING, lambda inner: st.lists(inner) | st.dictionaries(ANYTHING, inner)))
def test_a_document_is_read_back_from_a_page(value: object) -> None:
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only)
        made = Document(pack(text.encode("utf-8", "surrogatepass"), "data"))
        assert json.loads(made.unpacked("data")) == value


def browser_of(result: CompareResult) -> Browser:
    [browser] = [part for part in view(result).parts if isinstance(part, Browser)]
    return browser


@given(st.lists(st.text(), min_size=1))
def test_segments_are_read_back(texts: list[str]) -> None:
    browser = browser_of(result_with_segments(["x", "y"], texts))
    read = json.loads(
        Document(pack(segments_json(browser), "segment-data")).unpacked("segment-data")
    )
    assert read["texts"] == [[text] * 4 for text in texts]
    assert read["ids"] == texts
    assert read["systems"] == ["x", "y"]  # best first
    assert read["numbers"] == list(range(1, len(texts) + 1))
    places = range(len(texts))
    expected = [[float(f"{at / 3:.2f}") for at in places], [round(1 + at / 3, 2) for at in places]]
    assert read["scores"] == [expected, expected]


def test_scores_that_are_no_numbers_are_null() -> None:
    browser = browser_of(result_with_segments(["x", "y"], ["a"]))
    segments = Segments([1], {"bleu": {"x": [math.nan], "y": [math.inf]}})
    browser = replace(browser, segments=segments, metrics=browser.metrics[:1])
    read = json.loads(segments_json(browser))
    assert read["scores"] == [[[None], [None]]]
    assert (read["outputs"], read["references"], read["sources"]) == (False, 0, False)


def test_document_leaves_the_segments_out() -> None:
    result = result_with_segments(["x", "y"], ["a text to find"])
    document = Document(result.to_html()).unpacked("data")
    assert "a text to find" not in document
    assert json.loads(document)["details"]["segments"]["numbers"] == []
    plain = replace(result, details=None)
    assert "details" not in json.loads(Document(plain.to_html()).unpacked("data"))
