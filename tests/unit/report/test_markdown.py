from __future__ import annotations

from weigh.report.grid import Cell, Column, Grid
from weigh.report.markdown import code, escape, render


def test_table_reads_well_as_source_too() -> None:
    grid = Grid(
        [Column("System"), Column("TER", "lower")],
        [[[Cell("a"), Cell("31.00", best=True)], [Cell("日本"), Cell("100.00")]]],
    )
    assert render(grid) == (
        "| System |     TER ↓ |\n"
        "| ------ | --------: |\n"
        "| a      | **31.00** |\n"
        "| 日本   |    100.00 |"
    )


def test_special_characters_are_escaped() -> None:
    assert escape(r"a|b\c") == r"a\|b\\c"
    assert escape("<b>*_`[x]") == r"\<b\>\*\_\`\[x\]"
    assert escape("two\nlines") == r"two\nlines".replace("\\", "\\\\")


def test_code_spans_hold_backticks() -> None:
    assert code("plain") == "`plain`"
    assert code("a`b") == "`` a`b ``"
