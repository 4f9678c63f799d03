from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.errors import UsageError
from weigh.report import formats
from weigh.report.formats import code_span, escape_markdown, escape_tsv
from weigh.report.grid import Cell, Column, Grid, Screen, width
from weigh.report.parts import Verdict
from weigh.report.view import View

COLUMNS = [
    Column("System"),
    Column("BLEU", kind="score", better="higher"),
    Column("TER", kind="score", better="lower"),
]


def align(table: Grid, screen: Screen | None = None) -> str:
    text, _ = formats.align(table, screen or Screen())
    return text


def grid(*rows: tuple[str, str, str]) -> Grid:
    return Grid(COLUMNS, [rows])


def test_wide_and_combining_characters_do_not_shift_columns() -> None:
    rows = [("日本語", "1.00", "2.00"), ("cafe\u0301", "10.00", "20.00"), ("x", "3.00", "4.00")]
    lines = align(grid(*rows)).split("\n")
    assert len({width(line) for line in lines}) == 1


def test_a_narrow_screen_gets_several_tables_with_whole_names() -> None:
    name = "a-system-with-quite-some-name"
    columns = [
        Column("System"),
        *(Column(f"metric{n}", kind="score", better="higher") for n in range(5)),
    ]
    row = [name, *(n + 0.25 for n in range(5))]
    text = align(Grid(columns, [[row]]), Screen(columns=60))
    tables = text.split("\n\n")
    assert len(tables) == 3
    assert all(width(line) <= 60 for line in text.split("\n"))
    assert all(table.count(name) == 1 for table in tables)
    assert re.findall(r"\d\.25", text) == ["0.25", "1.25", "2.25", "3.25", "4.25"]


@pytest.mark.parametrize("name", ["mistralai/Mixtral-8x22B-Instruct-v0.1", "系统" * 12, "x" * 70])
def test_names_that_take_half_the_screen_are_broken(name: str) -> None:
    columns = [Column("A"), Column("B"), *(Column(title, kind="score") for title in ("d", "p"))]
    text = align(Grid(columns, [[[name, name, 1.25, 0.5]]]), Screen(columns=60))
    head, _, *rows = text.split("\n")
    assert head.split() == ["A", "B", "d", "p"]
    assert all(width(line) <= 60 for line in text.split("\n"))
    letters = Counter("".join(rows).replace(" ", ""))
    assert letters == Counter(2 * name + "1.25" + "0.50")


def test_names_longer_than_a_line_are_broken_after_signs_in_a_verdict() -> None:
    """They were broken within words."""
    name = "-".join(["word"] * 30)
    shown = View("Title", parts=[Verdict([f"By BLEU, {name} scores best."])])
    lines = formats.as_table(shown, Screen(columns=60)).split("\n")
    assert all(width(line) <= 60 for line in lines)
    assert [line[-1] for line in lines[:-1]] == [",", "-", "-"]
    assert "".join(lines).count("word") == 30


def test_colour_changes_nothing_but_colour() -> None:
    table = Grid(COLUMNS, [[["a", Cell(1.0, best=True), 2.0]]])
    coloured = align(table, Screen(colour=True))
    assert "\x1b[1m" in coloured
    plain = re.sub(r"\x1b\[\d*m", "", coloured)
    assert [line.rstrip() for line in plain.split("\n")] == align(table).split("\n")


def test_control_characters_in_names_are_shown_not_obeyed() -> None:
    text = align(grid(("evil\x1b[31m\nname", "1.00", "2.00")))
    assert r"evil\x1b[31m\nname" in text
    assert len(text.split("\n")) == 3


def test_special_characters_are_escaped() -> None:
    assert escape_markdown(r"a|b\c") == r"a\|b\\c"
    assert escape_markdown("<b>*_`[x]") == r"\<b\>\*\_\`\[x\]"
    assert escape_markdown("two\nlines") == r"two\nlines".replace("\\", "\\\\")


def test_code_spans_hold_backticks() -> None:
    assert code_span("plain") == "`plain`"
    assert code_span("a`b") == "`` a`b ``"


@given(st.text(st.characters(exclude_categories=())))
def test_escapes_can_be_undone(text: str) -> None:
    escaped = escape_tsv(text)
    assert "\t" not in escaped
    assert "\n" not in escaped
    assert escaped.encode("latin-1", "backslashreplace").decode("unicode_escape") == text


def test_an_unknown_depth_is_refused() -> None:
    with pytest.raises(UsageError, match="depth 'breif'; did you mean 'brief'"):
        Screen(depth="breif")  # type: ignore[arg-type]
