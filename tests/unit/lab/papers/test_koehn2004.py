"""Koehn 2004, run again: numbers against direct calls of what they come from."""

from __future__ import annotations

import pytest
from scipy import stats

from weigh_lab.papers.koehn2004 import (
    t_table,
)


def test_factors_of_t_are_those_of_scipy_and_the_slip_is_marked() -> None:
    rows = {row.about: row.cells for row in t_table().rows}
    for (level, size), (ours, printed) in rows.items():
        share = 0.5 + float(level.removesuffix("%")) / 200
        n = float(size.replace(",", "").replace("∞", "inf"))
        assert ours.ours == pytest.approx(stats.t.ppf(share, n - 1), abs=1e-12)
        assert printed.ours == pytest.approx(stats.t.ppf(share, n), abs=1e-12)
    assert rows["95%", "100"][1].published == 1.9849
    assert "1.9840" in rows["95%", "100"][1].note
    slips = [("95%", "100"), ("99%", "600"), ("99%", "∞")]
    assert [about for about, cells in rows.items() if cells[1].note] == slips
    unpublished = [about for about, cells in rows.items() if cells[1].published is None]
    assert unpublished == [("95%", "2,000"), ("95%", "3,000")]
    for about, (_, cell) in rows.items():
        if about not in (*slips, *unpublished):
            assert cell.published == round(cell.ours or 0.0, 4)
