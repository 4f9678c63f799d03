from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unit.report.page.documents import Document
from weigh.report.grid import visible
from weigh.report.markup import Markup, element, escape

ANYTHING = st.text(st.characters(exclude_categories=()))


@given(ANYTHING, ANYTHING)
def test_text_and_attributes_are_read_back_as_they_are_shown(text: str, value: str) -> None:
    read = Document(element("p", text, "<", title=value))
    assert read.tags == ["p"]
    assert "".join(read.texts) == visible(text) + "<"
    assert read.attributes == [("p", "title", visible(value))]


@given(ANYTHING)
def test_markup_is_not_escaped_twice(text: str) -> None:
    once = escape(text)
    assert escape(once) == once


def test_attributes_may_be_bare_or_left_out() -> None:
    made = element("input", type="checkbox", disabled=True, hidden=False, id=None, for_="x")
    assert made == '<input type="checkbox" disabled for="x">'
    assert isinstance(made, Markup)
