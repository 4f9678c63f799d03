"""What is shown of papers: published numbers beside ours, where there are any."""

from __future__ import annotations

from weigh_lab.papers.paper_result import PaperCell, PaperColumn, PaperRow, PaperTable
from weigh_lab.report.paper import grid_of


def made(*rows: PaperRow) -> PaperTable:
    columns = (PaperColumn("BLEU"), PaperColumn("p", p_values=True), PaperColumn("n", 0))
    return PaperTable("Table 1", "scores", ("System",), columns, rows)


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
    texts = [cell.text for cell in grid.rows[0]]
    assert texts == ["a", "12.35", "11.00", "<.0001", "1,234", "other texts"]


def test_a_column_that_is_published_alone_says_so() -> None:
    cells = (PaperCell(None, 11.0), PaperCell(0.5), PaperCell(None))
    grid = grid_of(made(PaperRow(("a",), cells)))
    assert [column.title for column in grid.columns] == ["System", "BLEU, published", "p", "n"]
    assert [cell.text for cell in grid.rows[0]] == ["a", "11.00", ".5000", "–"]
