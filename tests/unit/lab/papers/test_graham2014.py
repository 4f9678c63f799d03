"""Graham et al. 2014, run again on few generated sentences: numbers are those of the functions."""

from __future__ import annotations

import pytest

from weigh.comparing.measure import measure_texts
from weigh.errors import InputError
from weigh.metrics.registry import parse_metric
from weigh.validate.accuracy import accuracy
from weigh_lab import paper
from weigh_lab.papers.graham2014 import (
    GrahamResult,
    accuracy_plan,
    generated_campaign,
    graham2014,
    published_table,
)
from weigh_lab.papers.plan import PaperPlan
from weigh_lab.papers.workshop import Workshop


@pytest.fixture(scope="module")
def workshop(tmp_path_factory) -> Workshop:
    plan = PaperPlan(training=160, tuning=10, test=40, trials=999)
    return Workshop(plan, tmp_path_factory.mktemp("graham"))


@pytest.fixture(scope="module")
def result(workshop: Workshop) -> GrahamResult:
    return graham2014(workshop)


def test_accuracies_are_those_of_validate_accuracy(workshop: Workshop, result) -> None:
    campaign = generated_campaign(workshop)
    assert len(campaign.systems) == 12
    metrics = [parse_metric(name) for name in ("bleu", "nist", "ter")]
    measured = measure_texts(campaign.systems, campaign.test_set, metrics)
    plan = accuracy_plan(999, workshop.plan.seed, "crowd-alone")
    found = accuracy(measured, campaign.answers, plan)
    same, fixed, _ = (table for table in result.tables if table.label == "Tables 1 and 2")
    for table, agreements in ((same, found.same_level), (fixed, found.fixed_level)):
        shown = {row.about: [cell.ours for cell in row.cells] for row in table.rows}
        for one in agreements:
            level = f"{one.alpha:g}".removeprefix("0")
            (row,) = (
                cells
                for (alpha, metric, tests), cells in shown.items()
                if (alpha, metric.lower()) == (level, one.metric)
                and (tests == "all" or one.test in tests.split(", "))
            )
            assert row[:3] == [one.agree, one.pairs, 100 * one.accuracy]
            assert row[5:] == [one.significant, one.human_significant, one.wrong_direction]


def test_published_accuracies_follow_from_their_counts() -> None:
    rows = published_table().rows
    assert [row.about[1] for row in rows] == ["53 of 66", "54 of 66", "34 of 55", "30 of 55"]
    for row in rows:
        for cell in row.cells:
            assert cell.ours == pytest.approx(cell.published, abs=0.0501)


def test_data_without_the_campaign(tmp_path) -> None:
    with pytest.raises(InputError, match="no directory wmt12/es-en; give one that has it"):
        paper("graham2014", data=tmp_path)
