from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import example, given
from hypothesis import strategies as st

from weigh.report.grid import visible, width
from weigh.report.markup import coordinate, element
from weigh.report.svg import cut, pixels, text_element

anything = st.text(st.characters(), max_size=40)  # surrogates and control characters too


def readable(text: str) -> str:
    """Return what a reader of the file gets to see."""
    return visible(text.replace("\ufffe", r"\ufffe").replace("\uffff", r"\uffff"))


@given(anything, anything)
@example("\ufffe\uffff\x00\ud800", "]]>\t\n")
@example("<script>", "\"&quot;'")
def test_text_comes_back_from_an_xml_parser(content: str, title: str) -> None:
    shape = element("rect", element("title", title), x=0)
    made = element("g", text_element(1, 2, content), shape, data_name=content)
    read = ET.fromstring(made)
    assert (read[0].text or "") == readable(content)
    assert (read[1][0].text or "") == readable(title)
    assert read.get("data-name") == readable(content)


@given(st.floats(-1e6, 1e6))
def test_coordinates_are_right_to_a_tenth(value: float) -> None:
    text = coordinate(value)
    assert abs(float(text) - value) <= 0.0500001
    assert not text.endswith(".0")
    assert text != "-0"


@given(anything, st.integers(2, 30))
@example("e" + "\u0301" * 10_000, 10)
@example("日本語の名前", 5)
def test_a_label_is_as_long_as_it_may_be(text: str, cells: int) -> None:
    made = cut(text, cells)
    assert width(made) <= cells
    assert len(made) <= 2 * cells + 1
    if made == visible(text):
        return
    assert made.endswith("…")
    assert visible(text).startswith(made[:-1])


def test_marks_do_not_pile_up_into_the_lines_above() -> None:
    thai = "ที่นี่"  # two marks on a letter, as they are written
    assert cut(thai, 10) == thai
    assert cut("e" + "\u0301" * 9 + "x", 30) == "e" + "\u0301" * 3 + "…"


@given(st.text("abcXYZ 日本", min_size=1, max_size=20), st.floats(8, 20))
def test_more_text_is_wider(text: str, size: float) -> None:
    assert pixels(text + "x", size) > pixels(text, size) > 0
    assert pixels(text.upper(), size) >= pixels(text.lower(), size)
