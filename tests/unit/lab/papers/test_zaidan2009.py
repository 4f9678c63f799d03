"""Zaidan & Callison-Burch 2009, run again on few sentences: numbers are those of the functions."""

from __future__ import annotations

import pytest

from shared_data import SHARED, needs_shared
from weigh_lab.papers.paper_result import PaperTable
from weigh_lab.papers.zaidan2009 import figure_2, pilot


def _numbers(table: PaperTable) -> dict[str, list[float | None]]:
    return {" ".join(row.about): [cell.ours for cell in row.cells] for row in table.rows}


@needs_shared
def test_the_pilot(zaidan_pilot) -> None:
    counts, sizes = map(_numbers, zaidan_pilot)
    assert counts["sentences with a parse"] == [1853]
    assert counts["candidates whose phrase links are the authors'"] == [2174]
    assert sizes["frontier nodes of a sentence"] == [pytest.approx(13.69, abs=0.005)]
    assert sizes["alternatives of a node"] == [pytest.approx(876 / 127)]


@needs_shared
def test_figure_2() -> None:
    (table,) = figure_2(SHARED / "data")
    for row in table.rows:
        assert row.cells[0].ours == pytest.approx(row.cells[0].published, abs=0.005)


def test_without_the_pilot(tmp_path) -> None:
    assert not list(pilot(tmp_path))
    assert not list(figure_2(tmp_path))
