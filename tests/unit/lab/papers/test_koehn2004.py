"""Koehn 2004, run again: numbers against direct calls of what they come from."""

from __future__ import annotations

import re

import pytest
from scipy import stats

from weigh import Bleu, Outputs, System, TestSet, score
from weigh.comparing.measure import Measured, measure_texts
from weigh.validate.plan import SamplesPlan
from weigh.validate.samples import SamplesResult, samples
from weigh_lab.papers.koehn2004 import (
    KoehnResult,
    brackets_table,
    conclusions_table,
    koehn2004,
    score_table,
    systems_of,
    t_table,
)
from weigh_lab.papers.workshop import Workshop, tokenised_texts
from weigh_lab.translator.generated import LANGUAGES
from weigh_lab.translator.translator import WEIGHTS_AT_FIRST

BLEU = Bleu(tokenize="none")


@pytest.fixture(scope="module")
def result(workshop: Workshop) -> KoehnResult:
    """The paper, run again on little."""
    return koehn2004(workshop)


@pytest.fixture(scope="module")
def systems(workshop: Workshop) -> list[System]:
    """The systems of the paper."""
    material = workshop.material()
    trained = {name: workshop.translator(each) for name, each in material.directions.items()}
    return systems_of(workshop, material, trained)


@pytest.fixture(scope="module")
def measured(workshop: Workshop, systems: list[System]) -> Measured:
    """Their rows by BLEU."""
    test_set = TestSet([workshop.material().references])
    return measure_texts(systems, test_set, [BLEU], threads=1)


@pytest.fixture(scope="module")
def study(measured: Measured) -> SamplesResult:
    """A small study of samples."""
    return samples(measured, SamplesPlan(sizes=(10, 20), samples=30, trials=50), threads=1)


def test_factors_of_t_are_those_of_scipy_and_the_slip_is_marked() -> None:
    rows = {row.about[0]: row.cells for row in t_table().rows}
    for size, (ours, printed) in rows.items():
        n = int(size.replace(",", ""))
        assert ours.ours == pytest.approx(stats.t.ppf(0.975, n - 1), abs=1e-12)
        assert printed.ours == pytest.approx(stats.t.ppf(0.975, n), abs=1e-12)
    assert rows["100"][1].published == 1.9849
    assert "1.9840" in rows["100"][1].note
    assert [size for size, cells in rows.items() if cells[1].note] == ["100"]
    for size, cells in rows.items():
        if size != "100":
            assert cells[1].published == round(cells[1].ours or 0.0, 4)


def test_systems_are_those_of_all_languages_tuned_and_not(
    workshop: Workshop, systems: list[System]
) -> None:
    languages = list(workshop.material().directions)
    names = [each.name for each in systems]
    assert [name for name in names if "," not in name] == languages
    assert {name.partition(",")[0] for name in names} == set(languages)
    assert len({tuple(each.outputs.texts) for each in systems}) == len(systems)


def test_a_translator_that_tuning_left_alone_is_one_system(workshop: Workshop) -> None:
    material = workshop.material()
    trained = {
        name: workshop.translator(each, tuned=False) for name, each in material.directions.items()
    }
    assert [each.name for each in systems_of(workshop, material, trained)] == [*trained]


def test_tuning_is_not_worse_on_the_sentences_that_it_saw(workshop: Workshop) -> None:
    for direction in workshop.material().directions.values():
        trained = workshop.translator(direction)
        references = TestSet([tokenised_texts(direction.tuning.target)])
        scores = []
        for weights in (WEIGHTS_AT_FIRST, trained.translator.weights):
            found = workshop.translations(trained, direction.tuning.source, weights=weights)
            system = System("x", Outputs([best[0].text for best in found]))
            scores.append(score([system], references, [BLEU], threads=1).scores[0].score)
        assert scores[1] >= scores[0]


def test_scores_and_gains_are_bleus(measured: Measured) -> None:
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


def test_the_paper_as_a_whole(result: KoehnResult) -> None:
    assert [table.label for table in result.tables] == [f"Table {n}" for n in range(1, 5)]
    [figure] = result.figures
    assert [curve.label for curve in figure.curves] == ["BLEU", "GTM"]
    ratios = [point.x for point in figure.curves[0].points]
    assert ratios == sorted(ratios)
    assert ratios[-1] > ratios[0]
    assert re.findall(r"(\S+) [+-]\d+\.\d\d and", result.findings[-1]) == [*LANGUAGES]
    assert result.samples is not None
    assert result.samples.plan.sizes == (20,)
