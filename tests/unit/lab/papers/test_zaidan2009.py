"""Zaidan & Callison-Burch 2009, run again on few sentences: numbers are those of the functions."""

from __future__ import annotations

import pytest

from shared_data import SHARED, needs_shared
from weigh.rypt.metric import Rypt
from weigh.rypt.queries import find_queries
from weigh_lab.papers.candidates import Sentences, coverage
from weigh_lab.papers.paper_result import PaperTable
from weigh_lab.papers.workshop import Workshop
from weigh_lab.papers.zaidan2009 import ZaidanResult, figure_2, generated_texts, pilot


@pytest.fixture(scope="module")
def sentences(zaidan_workshop: Workshop) -> Sentences:
    direction, parses, _ = generated_texts(zaidan_workshop)
    return Sentences.of(zaidan_workshop, direction.tuning, parses)


def numbers(result: ZaidanResult, title: str) -> dict[str, list[float | None]]:
    """Return our numbers of a table by the words of its rows."""
    (table,) = (table for table in result.tables if table.title == title)
    return _numbers(table)


def _numbers(table: PaperTable) -> dict[str, list[float | None]]:
    return {" ".join(row.about): [cell.ours for cell in row.cells] for row in table.rows}


def lists(sentences: Sentences) -> list[str]:
    return sorted(map(str, sentences.folder.glob("bleu-*/iteration*/nbest")))


def test_coverage_rises_by_percolation(zaidan_result, sentences) -> None:
    shown = numbers(zaidan_result, "answers")
    labels = str(sentences.folder / "labels.jsonl")
    rypt = Rypt(labels=labels, parses=sentences.parses)
    before, after = coverage(sentences, lists(sentences)[-1], rypt)
    assert shown["nodes labelled before percolation %"] == [before]
    assert shown["nodes labelled after percolation %"] == [after]
    assert 0 < before < after < 100
    # The same by what the queries themselves count.
    direct = find_queries(
        sentences.sources, sentences.parses, nbest=lists(sentences)[-1:], labels=labels
    )
    assert after == pytest.approx(100 * direct.found.covered / direct.found.places)


def test_no_label_is_asked_for_twice(zaidan_result) -> None:
    rows = numbers(zaidan_result, "MERT toward RYPT with judges in the loop").values()
    asked = 0.0
    for substrings, labels, before, tuned in rows:
        asked += labels
        assert asked <= substrings
        assert tuned >= before


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
