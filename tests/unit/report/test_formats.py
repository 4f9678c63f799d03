from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.errors import UsageError
from weigh.report.formats import (
    aligned,
    as_table,
    code_span,
    escape_markdown,
    escape_tsv,
    pipe_table,
    tab_separated,
)
from weigh.report.grid import Cell, Column, Depth, Grid, Screen, width
from weigh.report.view import Part, View

COLUMNS = [Column("System"), Column("BLEU", "higher"), Column("TER", "lower")]


def grid(*rows: tuple[str, str, str]) -> Grid:
    return Grid(COLUMNS, [[[Cell(text) for text in row] for row in rows]])


def test_columns_are_aligned_and_the_best_is_marked() -> None:
    table = Grid(
        COLUMNS,
        [
            [
                [Cell("a"), Cell("9.00"), Cell("31.00", best=True)],
                [Cell("longer"), Cell("10.00", best=True), Cell("100.00")],
            ]
        ],
    )
    assert aligned(table).split("\n") == [
        "System  BLEU ↑     TER ↓",
        "─" * 26,
        "a         9.00     31.00 *",
        "longer   10.00 *  100.00",
    ]


def test_wide_and_combining_characters_do_not_shift_columns() -> None:
    rows = [("日本語", "1.00", "2.00"), ("cafe\u0301", "10.00", "20.00"), ("x", "3.00", "4.00")]
    lines = aligned(grid(*rows)).split("\n")
    assert len({width(line) for line in lines}) == 1


def test_blocks_are_set_apart() -> None:
    row = [Cell("a"), Cell("1.00"), Cell("2.00")]
    lines = aligned(Grid(COLUMNS, [[row], [row]])).split("\n")
    assert [line.startswith("─") for line in lines] == [False, True, False, True, False]


def test_a_narrow_screen_gets_several_tables_with_whole_names() -> None:
    name = "a-system-with-quite-a-long-name"
    columns = [Column("System"), *(Column(f"metric{n}", "higher") for n in range(5))]
    row = [Cell(name), *(Cell(f"{n}.25") for n in range(5))]
    text = aligned(Grid(columns, [[row]]), Screen(columns=60))
    tables = text.split("\n\n")
    assert len(tables) == 3
    assert all(width(line) <= 60 for line in text.split("\n"))
    assert all(table.count(name) == 1 for table in tables)
    assert re.findall(r"\d\.25", text) == ["0.25", "1.25", "2.25", "3.25", "4.25"]


def test_a_screen_narrower_than_one_column_still_shows_all() -> None:
    text = aligned(grid(("a-long-name", "1.00", "2.00")), Screen(columns=5))
    assert text.count("a-long-name") == 2
    assert "1.00" in text
    assert "2.00" in text


def test_colour_changes_nothing_but_colour() -> None:
    table = Grid(COLUMNS, [[[Cell("a"), Cell("1.00", best=True), Cell("2.00")]]])
    coloured = aligned(table, Screen(colour=True))
    assert "\x1b[1m" in coloured
    plain = re.sub(r"\x1b\[\d*m", "", coloured)
    assert [line.rstrip() for line in plain.split("\n")] == aligned(table).split("\n")


def test_control_characters_in_names_are_shown_not_obeyed() -> None:
    text = aligned(grid(("evil\x1b[31m\nname", "1.00", "2.00")))
    assert r"evil\x1b[31m\nname" in text
    assert len(text.split("\n")) == 3


def test_a_pipe_table_reads_well_as_source_too() -> None:
    grid = Grid(
        [Column("System"), Column("TER", "lower")],
        [[[Cell("a"), Cell("31.00", best=True)], [Cell("日本"), Cell("100.00")]]],
    )
    assert pipe_table(grid) == (
        "| System |     TER ↓ |\n"
        "| ------ | --------: |\n"
        "| a      | **31.00** |\n"
        "| 日本   |    100.00 |"
    )


def test_special_characters_are_escaped() -> None:
    assert escape_markdown(r"a|b\c") == r"a\|b\\c"
    assert escape_markdown("<b>*_`[x]") == r"\<b\>\*\_\`\[x\]"
    assert escape_markdown("two\nlines") == r"two\nlines".replace("\\", "\\\\")


def test_code_spans_hold_backticks() -> None:
    assert code_span("plain") == "`plain`"
    assert code_span("a`b") == "`` a`b ``"


def test_rows_and_cells_are_separated_by_tabs() -> None:
    grid = Grid([Column("a"), Column("b")], [[[Cell("1"), Cell("x\ty")]], [[Cell(""), Cell("z")]]])
    assert tab_separated(grid) == "a\tb\n1\tx\\ty\n\tz"


@given(st.text(st.characters(exclude_categories=())))
def test_escapes_can_be_undone(text: str) -> None:
    escaped = escape_tsv(text)
    assert "\t" not in escaped
    assert "\n" not in escaped
    assert escaped.encode("latin-1", "backslashreplace").decode("unicode_escape") == text


def test_a_table_is_as_deep_as_was_asked() -> None:
    grid = Grid([Column("a")], [[[Cell("1")]]])
    shown = View(
        title="t",
        parts=[
            Part(sentences=["opening"]),
            Part(grid=grid, sentences=["read"], depth="brief"),
            Part("More", grid),
        ],
        signatures=[("s", "sig:x")],
    )
    depths: tuple[Depth, ...] = ("brief", "usual")
    brief, usual = (as_table(shown, Screen(depth=depth)) for depth in depths)
    assert brief == "a\n─\n1\nread"
    assert usual == f"opening\n\n{brief}\n\nMore\na\n─\n1\n\ns  sig:x"


def test_what_says_nothing_of_depth_is_brief_with_its_first_table() -> None:
    grid = Grid([Column("a")], [[[Cell("1")]]])
    shown = View("t", [Part(sentences=["opening"]), Part("One", grid), Part("Two", grid)])
    assert as_table(shown, Screen(depth="brief")) == "One\na\n─\n1"


def test_an_unknown_depth_is_refused() -> None:
    with pytest.raises(UsageError, match="depth 'breif'; did you mean 'brief'"):
        Screen(depth="breif")  # type: ignore[arg-type]
