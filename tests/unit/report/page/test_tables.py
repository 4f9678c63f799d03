from __future__ import annotations

from weigh.report.grid import Cell, Column, Grid
from weigh.report.page.tables import table


def test_cells_stand_under_titles_with_their_kind() -> None:
    columns = [Column("System"), Column("BLEU", "higher"), Column("95%", kind="number")]
    blocks = [
        [[Cell("a<b"), Cell("1.5"), Cell("[ 1.0,  12.0]")]],
        [[Cell("c"), Cell("2"), Cell("")]],
    ]
    made = table(Grid(columns, blocks), "Scores", [{"data_metric": "bleu"}], "scores")
    assert '<table class="sortable" id="scores">' in made
    assert '<th scope="col" class="number">BLEU ↑</th>' in made
    assert made.count("<tbody>") == 2
    assert (
        '<tr data-metric="bleu"><th scope="row" class="key"><span>a&lt;b</span></th>'
        '<td class="number">1.5</td><td class="number">[1.0, 12.0]</td></tr>'
    ) in made
