"""Tables of papers: what does not fit is refused."""

from __future__ import annotations

import pytest

from weigh.errors import InputError
from weigh_lab.papers.paper_result import PaperCell, PaperColumn, PaperRow, PaperTable


@pytest.mark.parametrize(
    "row",
    [
        PaperRow(("a", "b"), (PaperCell(1.0),)),
        PaperRow(("a",), (PaperCell(1.0), PaperCell(2.0))),
        PaperRow((), ()),
    ],
)
def test_a_row_is_as_wide_as_its_table(row: PaperRow) -> None:
    with pytest.raises(InputError, match="Table 9: a row that is not as wide"):
        PaperTable("Table 9", "scores", ("System",), (PaperColumn("BLEU"),), (row,))
