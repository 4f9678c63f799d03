from __future__ import annotations

import re

from weigh.report.grid import Cell, Column, Grid, width
from weigh.report.table import Screen, render

COLUMNS = [Column("System"), Column("BLEU", "higher"), Column("TER", "lower")]


def grid(*rows: tuple[str, str, str]) -> Grid:
    return Grid(COLUMNS, [[[Cell(text) for text in row] for row in rows]])


def test_columns_are_aligned_and_the_best_is_marked() -> None:
    made = Grid(
        COLUMNS,
        [
            [
                [Cell("a"), Cell("9.00"), Cell("31.00", best=True)],
                [Cell("longer"), Cell("10.00", best=True), Cell("100.00")],
            ]
        ],
    )
    assert render(made).split("\n") == [
        "System  BLEU ↑     TER ↓",
        "─" * 26,
        "a         9.00     31.00 *",
        "longer   10.00 *  100.00",
    ]


def test_wide_and_combining_characters_do_not_shift_columns() -> None:
    rows = [("日本語", "1.00", "2.00"), ("cafe\u0301", "10.00", "20.00"), ("x", "3.00", "4.00")]
    lines = render(grid(*rows)).split("\n")
    assert len({width(line) for line in lines}) == 1


def test_blocks_are_set_apart() -> None:
    row = [Cell("a"), Cell("1.00"), Cell("2.00")]
    lines = render(Grid(COLUMNS, [[row], [row]])).split("\n")
    assert [line.startswith("─") for line in lines] == [False, True, False, True, False]


def test_a_narrow_screen_gets_several_tables_with_whole_names() -> None:
    name = "a-system-with-quite-a-long-name"
    columns = [Column("System"), *(Column(f"metric{n}", "higher") for n in range(5))]
    row = [Cell(name), *(Cell(f"{n}.25") for n in range(5))]
    text = render(Grid(columns, [[row]]), Screen(columns=60))
    tables = text.split("\n\n")
    assert len(tables) == 3
    assert all(width(line) <= 60 for line in text.split("\n"))
    assert all(table.count(name) == 1 for table in tables)
    assert re.findall(r"\d\.25", text) == ["0.25", "1.25", "2.25", "3.25", "4.25"]


def test_a_screen_narrower_than_one_column_still_shows_all() -> None:
    text = render(grid(("a-long-name", "1.00", "2.00")), Screen(columns=5))
    assert text.count("a-long-name") == 2
    assert "1.00" in text
    assert "2.00" in text


def test_colour_changes_nothing_but_colour() -> None:
    made = Grid(COLUMNS, [[[Cell("a"), Cell("1.00", best=True), Cell("2.00")]]])
    coloured = render(made, Screen(colour=True))
    assert "\x1b[1m" in coloured
    plain = re.sub(r"\x1b\[\d*m", "", coloured)
    assert [line.rstrip() for line in plain.split("\n")] == render(made).split("\n")


def test_control_characters_in_names_are_shown_not_obeyed() -> None:
    text = render(grid(("evil\x1b[31m\nname", "1.00", "2.00")))
    assert r"evil\x1b[31m\nname" in text
    assert len(text.split("\n")) == 3
