"""Cells hold what they are given, and none is taken for a formula."""

from __future__ import annotations

import csv
import html
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weigh.errors import InputError
from weigh.read.cells import csv_text, escape_formula, tsv_text
from weigh.read.cells import html as as_html
from weigh.read.records import read_number
from weigh.wording import number_text

_FIRST = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_starts = st.text("'=+-@\t\r\n＝＋－＠ 1.", max_size=4)
_names = st.builds(str.__add__, _starts, st.text(max_size=4))


@given(_names)
@example("-1")
@example("\r\n")
def test_no_guarded_name_is_a_formula(name: str) -> None:
    cell = escape_formula(name)
    assert cell in (name, f"'{name}")
    assert not cell.startswith(_FIRST) or read_number(cell) is not None


@given(_names | st.text())
@example("${html_0}")
@example("𝒳 = 1")
@example("＝1")
def test_html_shows_the_text(text: str) -> None:
    shown = as_html(text)
    # HTML has no null character, and a reference to it or to some controls means another.
    if all(character.isprintable() or character in "\t\n\u2028" for character in text):
        assert html.unescape(shown) == text
    assert not shown.startswith(_FIRST)
    assert not set(shown) & set("<>\"'\n\r$")


@given(st.lists(st.lists(st.text(st.characters(exclude_characters="\0")), min_size=2, max_size=2)))
def test_csv_comes_back(rows: list[list[str]]) -> None:
    assert list(csv.reader(io.StringIO(csv_text(rows), newline=""))) == rows


def test_tsv_holds_everything_but_its_separators() -> None:
    assert tsv_text([["a", " b "], ["=1", "\u2028"]]) == "a\t b \n=1\t\u2028\n"
    for cell in ("a\tb", "a\n", "\ra"):
        with pytest.raises(InputError, match="has a tab or a line end") as caught:
            tsv_text([["x", cell]])
        assert str(caught.value).isprintable()


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(1e300)
@example(2.0**53)
@example(-0.0)
def test_numbers_come_back(number: float) -> None:
    assert read_number(number_text(number)) == number
