"""One list of parts, rendered by every format."""

from __future__ import annotations

import re

import pytest

from weigh.report.formats import as_markdown, as_table
from weigh.report.grid import Cell, Column, Grid, Interval, Screen, table
from weigh.report.latex import as_latex
from weigh.report.page.walk import as_fragment, as_page
from weigh.report.parts import Note, Part, Pictures, Verdict, summary
from weigh.report.pictures.axes import Axis, Box, without_outliers
from weigh.report.view import View

ROWS = [(f"system {at}", at / 8) for at in range(30)]
COLUMNS = [
    Column("System", lambda row: row[0]),
    Column("", lambda row: chr(97 + int(8 * row[1]) % 26), kind="label"),
    Column("Score", lambda row: Cell(row[1], raised="x"), kind="score", better="higher"),
]
PARTS: list[Part] = [
    Verdict(["First is best."]),
    table(ROWS, COLUMNS, title="Ranking", notes=["A note."], limit=5, level="brief", paper=True),
    Note(["Normal words."]),
    table(ROWS[:2], COLUMNS, title="More"),
    Note(["Words on pages."], level="page"),
]
VIEW = View("A title", PARTS, methods="It was done.", signatures=[("m", "a:1")], caption="Short.")


def order(text: str) -> list[str]:
    words = ("First is best", "Ranking", "A note", "Normal words", "More", "Words on pages")
    found = {word: text.find(word) for word in words}
    return sorted((word for word in words if found[word] >= 0), key=lambda word: found[word])


NORMAL = ["First is best", "Ranking", "A note", "Normal words", "More"]


def test_every_format_shows_the_parts_of_its_level_in_the_same_order() -> None:
    for text in (as_table(VIEW), as_markdown(VIEW), as_fragment(VIEW)):
        assert order(text) == NORMAL
    for brief in (as_table, as_markdown):
        text = brief(VIEW, Screen(depth="brief"))
        assert order(text) == NORMAL[:3]
        assert "It was done" not in text
    assert order(re.sub("<script.*", "", as_page(VIEW, "{}"))) == [*NORMAL, "Words on pages"]


def test_a_limit_holds_for_text_and_says_where_the_rest_is() -> None:
    for text in (as_table(VIEW), as_markdown(VIEW), as_fragment(VIEW)):
        assert ("system 4" in text, "system 5" in text) == (True, False)
        assert "5 of 30 rows; --html FILE and --format tsv show all." in text
    assert "system 29" in as_page(VIEW, "{}")


def test_pages_limit_what_is_too_long_for_them_unless_it_is_filtered() -> None:
    rows = [(f"system {at}", at / 8) for at in range(6000)]
    page = as_page(View("A title", [table(rows, COLUMNS, limit=5)]), "{}")
    assert ("system 4" in page, "system 5" in page) == (True, False)
    assert "5 of 6,000 rows; --format tsv shows all." in page
    filtered = table(rows, COLUMNS, limit=5, significant=[True] * 6000)
    assert "Show all 6,000 rows" in as_page(View("A title", [filtered]), "{}")


def test_latex_has_the_grids_for_papers_with_verdict_and_methods_as_the_caption() -> None:
    text = as_latex(VIEW)
    assert (text.count(r"\begin{tabular}"), "Normal words" in text, "system 29" in text) == (
        1,
        False,
        True,
    )
    assert r"\caption{First is best. Short.}" in text
    assert r"\label{tab:weigh}" in text
    assert r"\textsuperscript{x}" in text
    assert "\nsystem 0 & a & " in text
    brief = as_latex(VIEW, Screen(depth="brief"))
    assert (r"\begin{tabular}" in brief, r"\caption" in brief) == (True, False)


def test_labels_stand_only_where_superscripts_do() -> None:
    assert re.search(r"^system 1 +0\.12$", as_table(VIEW), re.MULTILINE)
    assert re.search(r"^\| system 1 +\| +0\.12 \|$", as_markdown(VIEW), re.MULTILINE)


@pytest.mark.parametrize(
    ("kind", "cell", "shown"),
    [
        ("score", Cell(0.705, percent=True, decimals=1), "70.5%"),
        ("difference", Cell(0.025, percent=True, decimals=1), "+2.5"),
        ("difference", Cell(-1.5), "-1.50"),
        ("size", Cell(1.5, decimals=1), "1.5"),
        ("percent", Cell(0.5, decimals=0), "50%"),
        ("p", Cell(0.000001), "<.0001"),
        ("range", Cell((2, 4)), "2–4"),
        ("count", Cell(1234567), "1,234,567"),
        ("interval", Cell((0.5, 1.0)), "[0.50, 1.00]"),
        ("interval", Cell(Interval(0.5, 1.0)), "[+0.50, +1.00]"),
        ("interval", Cell(Interval(0.0, 1.0, excludes_zero=True), raised="†"), "(0, +1.00]†"),
        ("score", Cell(None), "–"),
        ("text", Cell(None), ""),
        ("score", Cell(float("nan")), "–"),
    ],
)
def test_a_kind_says_how_a_value_is_shown(kind: str, cell: Cell, shown: str) -> None:
    column = Column("x", kind=kind)  # type: ignore[arg-type]
    assert column.texts([cell]) == [shown]


def wide(columns: int) -> str:
    grid = table(
        [("a", 1.0, "b" * 10, "many words " * 6)],
        [
            Column("Name"),
            Column("Score", kind="score"),
            Column("Extra", kind="number", optional=1, note="Extra: more."),
            Column("Remark", kind="text"),
        ],
    )
    return as_table(View("A title", [grid]), Screen(columns=columns))


def test_a_narrow_terminal_leaves_out_what_is_optional_and_breaks_long_texts() -> None:
    assert "Extra: more." in wide(120)
    assert "A wider terminal" not in wide(120)
    narrow = wide(44)
    assert "A wider terminal also shows Extra." in narrow
    assert "Extra: more." not in narrow
    assert (narrow.count("many"), narrow.count("words")) == (6, 6)
    assert max(map(len, narrow.split("\n")[:8])) <= 44


def test_clusters_and_other_blocks_look_different() -> None:
    blocks = [ROWS[:1], ROWS[1:2]]
    for lined, rule in ((True, "─"), (False, "┄")):
        grid = Grid(COLUMNS, blocks, clustered=lined)
        assert as_table(View("A title", [grid])).split("\n")[3].strip(rule) == ""


def test_a_gate_has_its_colour() -> None:
    for tone, colour in (("pass", 32), ("fail", 31), ("inconclusive", 33)):
        view = View("A title", [Verdict(["Gate"], tone)])  # type: ignore[arg-type]
        assert as_table(view, Screen(colour=True)).startswith(f"\x1b[{colour}m▌")
        assert as_table(view) == "▌ Gate"


def test_pictures_are_drawn_when_they_are_needed() -> None:
    def draw() -> list[object]:
        raise AssertionError

    view = View("A title", [*summary(["Found."]), Pictures(draw), GRID])  # type: ignore[arg-type]
    assert "system 0" in as_table(view)


GRID = table(ROWS[:1], COLUMNS)


def test_an_outlier_does_not_squeeze_the_others() -> None:
    values = [1.0, *(50.0 + at for at in range(8))]
    scale = Axis(robust=True).horizontal_scale(Box(0, 0, 100, 10), values)
    assert (scale(50.0) < 10, scale(57.0) > 90, scale(1.0) < 0) == (True, True, True)
    assert without_outliers([1.0, 1.0, 1.0, 1.0, 9.0]) == [1.0, 1.0, 1.0, 1.0, 9.0]
