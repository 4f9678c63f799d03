"""Koehn 2004, run again: numbers against direct calls of what they come from."""

from __future__ import annotations

import pytest
from scipy import stats

from weigh import Bleu, System, TestSet
from weigh.comparing.dataset import Dataset, from_texts
from weigh.validate.plan import SamplesPlan
from weigh.validate.samples import samples
from weigh.validate.samples_result import SamplesResult
from weigh_lab.papers.koehn2004 import (
    brackets_table,
    conclusions_table,
    score_table,
    systems_of,
    t_table,
)
from weigh_lab.papers.workshop import Workshop

BLEU = Bleu(tokenize="none")


@pytest.fixture(scope="module")
def systems(workshop: Workshop) -> list[System]:
    """The systems of the paper."""
    material = workshop.material()
    trained = {name: workshop.translator(each) for name, each in material.directions.items()}
    return systems_of(workshop, material, trained)


@pytest.fixture(scope="module")
def measured(workshop: Workshop, systems: list[System]) -> Dataset:
    """Their rows by BLEU."""
    test_set = TestSet([workshop.material().references])
    return from_texts(systems, test_set, [BLEU], threads=1)


@pytest.fixture(scope="module")
def study(measured: Dataset) -> SamplesResult:
    """A small study of samples."""
    return samples(measured, SamplesPlan(sizes=(10, 20), samples=30, trials=50), threads=1)


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


def test_scores_and_gains_are_bleus(measured: Dataset) -> None:
    sample = measured.samples[0]
    table = score_table(measured, BLEU)
    scores = dict(zip(sample.names, sample.scores().tolist(), strict=True))
    assert [row.cells[0].ours for row in table.rows] == sorted(scores.values(), reverse=True)
    for row in table.rows:
        sums = sample.rows[sample.names.index(row.about[0])][0].sum(axis=0)
        assert row.cells[0].ours == scores[row.about[0]]
        assert row.cells[2].ours == pytest.approx(100 * sums[3] / sums[7])
        more = sums.astype(float)
        more[5] += 100
        assert row.cells[8].ours == pytest.approx(float(BLEU.score(more)) - scores[row.about[0]])


def test_conclusions_and_levels_are_those_of_the_study(study: SamplesResult) -> None:
    table = conclusions_table(study)
    differences = [row.cells[0].ours or 0.0 for row in table.rows]
    assert differences == sorted(differences, reverse=True)
    found = {(one.a, one.b, one.size): one for one in study.conclusions}
    scores = {one.system: one.score for one in study.scores}
    for row in table.rows:
        better, worse = row.about
        assert scores[better] > scores[worse]
        one = found.get((better, worse, 20)) or found[worse, better, 20]
        assert row.cells[3].ours == pytest.approx(100 * one.right / 30)
        assert row.cells[4].ours == pytest.approx(100 * one.wrong / 30)
    levels = brackets_table(study)
    assert [row.cells[0].ours for row in levels.rows] == [one.conclusions for one in study.brackets]
