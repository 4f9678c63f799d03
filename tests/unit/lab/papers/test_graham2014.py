"""Graham et al. 2014, run again on few generated sentences: numbers are those of the functions."""

from __future__ import annotations

import pytest

from weigh.comparing.dataset import from_texts
from weigh.errors import InputError
from weigh.metrics.registry import parse_metric
from weigh.validate.accuracy import accuracy
from weigh.validate.battery import Battery
from weigh_lab import paper
from weigh_lab.papers.graham2014 import (
    GrahamResult,
    accuracy_plan,
    close_pair,
    generated_campaign,
    graham2014,
    published_table,
)
from weigh_lab.papers.plan import PaperPlan
from weigh_lab.papers.workshop import Workshop


@pytest.fixture(scope="module")
def workshop(tmp_path_factory) -> Workshop:
    plan = PaperPlan(training=160, tuning=10, test=30, trials=999)
    return Workshop(plan, tmp_path_factory.mktemp("graham"))


@pytest.fixture(scope="module")
def result(workshop: Workshop) -> GrahamResult:
    return graham2014(workshop)


def test_accuracies_are_those_of_validate_accuracy(workshop: Workshop, result) -> None:
    campaign = generated_campaign(workshop)
    assert len(campaign.systems) == 12
    metrics = [parse_metric(name) for name in ("bleu", "nist", "ter")]
    measured = from_texts(campaign.systems, campaign.test_set, metrics)
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
    assert len(rows) == 11
    for row in rows:
        for cell in row.cells:
            assert cell.ours == pytest.approx(cell.published, abs=0.0501)


def test_figures_are_of_three_tests(result) -> None:
    has_meteor = any(key.startswith("meteor") for key in result.signatures)
    labels = ["Figure 5", "Figure 6"] if has_meteor else ["Figure 5"]
    assert [figure.label for figure in result.figures] == labels
    assert ("figure 6, which is by METEOR" in result.left_out) == (not has_meteor)
    for figure in result.figures:
        *tests, actual = figure.curves
        assert [curve.label for curve in tests] == [
            "paired-bootstrap",
            "bootstrap",
            "randomization",
        ]
        for curve in tests:
            assert sum(point.y for point in curve.points) == 999
        assert actual.points[0].x > 0


def test_counts_of_figure_5_are_one_sided(workshop: Workshop, result) -> None:
    """What the tests count is what their p-values by BLEU in the better direction are made of."""
    (table,) = (table for table in result.tables if table.label == "Figures 5 and 6")
    campaign = generated_campaign(workshop)
    metric = parse_metric("bleu")
    better, worse = close_pair(result.systems[0], "bleu", significant=True)
    systems = {system.name: system for system in campaign.systems}
    measured = from_texts([systems[better], systems[worse]], campaign.test_set, [metric])
    scores = measured.samples[0].scores()
    assert scores[0] > scores[1]
    battery = Battery(measured.samples, [(0, 1)], 999, workshop.plan.seed)
    direct = battery.run(("paired-bootstrap", "bootstrap", "randomization"))
    counts = {row.about[3]: row.cells[0].ours for row in table.rows if row.about[0] == "5"}
    for test, (outcome,) in direct.items():
        assert counts[test] == outcome.counts["better"][0]
        assert outcome.p_values["better"][0] == pytest.approx((counts[test] + 1) / 1000)


def test_data_without_the_campaign(tmp_path) -> None:
    with pytest.raises(InputError, match="no directory wmt12/es-en; give one that has it"):
        paper("graham2014", data=tmp_path)
