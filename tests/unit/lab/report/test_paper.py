"""What is shown of papers: published numbers beside ours, where there are any."""

from __future__ import annotations

from dataclasses import replace

from weigh.report.grid import Grid
from weigh_lab.papers.paper_result import PaperCell, PaperColumn, PaperRow, PaperTable
from weigh_lab.report.paper import grid_of


def made(*rows: PaperRow) -> PaperTable:
    columns = (PaperColumn("BLEU"), PaperColumn("p", p_values=True), PaperColumn("n", 0))
    return PaperTable("Table 1", "scores", ("System",), columns, rows)


def texts_of(grid: Grid) -> list[list[str]]:
    """The rows of a grid as they are shown."""
    columns = [
        column.texts(cells) for column, cells in zip(grid.columns, grid.cells(), strict=True)
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def test_published_numbers_stand_beside_ours() -> None:
    cells = (PaperCell(12.345, 11.0, "other texts"), PaperCell(0.00001), PaperCell(1234.0))
    grid = grid_of(made(PaperRow(("a",), cells)))
    assert [column.title for column in grid.columns] == [
        "System",
        "BLEU",
        "published",
        "p",
        "n",
        "Remark",
    ]
    texts = texts_of(grid)[0]
    assert texts == ["a", "12.35", "11.00", "<.0001", "1,234", "other texts"]


def test_published_numbers_are_shown_as_printed() -> None:
    cells = (
        PaperCell.beside(12.345, "11.0"),
        PaperCell.beside(0.5, "<.0001"),
        PaperCell.beside(9.0, "1042"),
    )
    grid = grid_of(made(PaperRow(("a",), cells)))
    texts = texts_of(grid)[0]
    assert texts == ["a", "12.35", "11.0", ".5000", "<.0001", "9", "1042"]


def test_rows_of_the_paper_stand_below_ours() -> None:
    table = replace(
        made(PaperRow.of(("a",), (12.345, 0.5, 3.0))),
        published=(PaperRow.of_paper(("Spanish",), ("28.9", "", "30")),),
    )
    grid = grid_of(table)
    assert [column.title for column in grid.columns] == ["System", "BLEU", "p", "n"]
    assert list(grid.in_blocks(texts_of(grid))) == [
        [["a", "12.35", ".5000", "3"]],
        [["Spanish (published)", "28.9", "–", "30"]],
    ]


def test_rows_of_the_paper_use_a_published_column_where_there_is_one() -> None:
    ours = PaperRow(("a",), (PaperCell.beside(12.345, "11.0"), PaperCell(0.5), PaperCell(3.0)))
    paper = PaperRow.of_paper(("F",), ("38.5", ".424", ""))
    grid = grid_of(replace(made(ours), published=(paper,)))
    assert [column.title for column in grid.columns] == ["System", "BLEU", "published", "p", "n"]
    assert texts_of(grid)[1] == ["F (published)", "–", "38.5", ".424", "–"]


def test_a_column_that_is_published_alone_says_so() -> None:
    cells = (PaperCell(None, 11.0), PaperCell(0.5), PaperCell(None))
    grid = grid_of(made(PaperRow(("a",), cells)))
    assert [column.title for column in grid.columns] == ["System", "BLEU, published", "p", "n"]
    assert texts_of(grid)[0] == ["a", "11.00", ".5000", "–"]
