from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weigh.report.grid import Cell, Column, Grid
from weigh.report.tsv import escape, render


def test_rows_and_cells() -> None:
    grid = Grid([Column("a"), Column("b")], [[[Cell("1"), Cell("x\ty")]], [[Cell(""), Cell("z")]]])
    assert render(grid) == "a\tb\n1\tx\\ty\n\tz"


@given(st.text(st.characters(exclude_categories=())))
def test_escapes_can_be_undone(text: str) -> None:
    escaped = escape(text)
    assert "\t" not in escaped
    assert "\n" not in escaped
    assert escaped.encode("latin-1", "backslashreplace").decode("unicode_escape") == text
