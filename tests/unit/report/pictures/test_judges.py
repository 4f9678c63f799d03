"""Pictures of what people did: errors, judges, agreement, and metrics against people."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from unit.report.made.human import of_agreement, of_metrics, of_quality
from unit.report.pictures.samples import drawn, texts, title
from weigh.human.errors import SystemErrors
from weigh.report.pictures.judges import (
    coefficient_plot,
    error_plots,
    judge_plots,
    metric_plots,
    repeat_plots,
)

ERRORS = (
    SystemErrors("", "A", 50, 30, {"major": 5, "minor": 20}, {}, 0),
    SystemErrors("", "<B>", 40, 10, {"major": 30, "undecided": 10}, {}, 3),
)


def test_bars_are_as_long_as_systems_have_errors() -> None:
    [picture] = error_plots(ERRORS, "")
    bars = [each for each in drawn(picture).iter() if each.tag.endswith("rect") and len(each)]
    wide = {title(each): float(each.get("width", 0)) for each in bars}
    rates = {"A: 10.0 major": 10, "A: 40.0 minor": 40, "<B>: 75.0 major": 75}
    scale = wide["A: 10.0 major in 100 texts (5)"] / 10
    for told, rate in rates.items():
        [found] = [width for name, width in wide.items() if name.startswith(told)]
        assert found == pytest.approx(scale * rate, abs=0.2)
    assert len(bars) == 4
    assert "Fewest has A, 50.0; most has <B>, 100.0." in picture.description


def test_texts_without_errors_have_no_bars() -> None:
    assert error_plots([replace(each, severities={}) for each in ERRORS], "") == []


def test_every_judge_has_means_and_those_who_stay_stand_first() -> None:
    judges = of_quality(0).judges
    [picture] = judge_plots(judges)
    shown = [text for text in texts(drawn(picture)) if text.startswith("j")]
    assert len(shown) == len(judges)
    dropped = [text.endswith("dropped") for text in shown]
    assert dropped == sorted(dropped)
    assert sum(dropped) == sum(not each.kept for each in judges) > 0
    marks = [each for each in drawn(picture).iter() if "point" in each.get("class", "")]
    told = [title(each) for each in marks if len(each)]
    means = [each.mean_bad for each in judges] + [each.mean_system for each in judges]
    assert len(told) == sum(mean is not None for mean in means)
    assert judge_plots([]) == []


@pytest.mark.parametrize("count", [1, 40, 200])
def test_many_judges_stand_closer_together(count: int) -> None:
    [judge, *_] = of_quality(0).judges
    [picture] = judge_plots([replace(judge, judge=f"judge {at}") for at in range(count)])
    assert picture.height < 1_800


def test_what_cannot_be_told_is_not_drawn() -> None:
    [picture] = coefficient_plot([("adequacy", [("α", 0.25), ("κ", math.nan)])], 1)
    assert "α: 0.250." in picture.description
    assert "κ" not in picture.description
    assert coefficient_plot([("adequacy", [("α", math.nan)])], 1) == []


def test_repeats_stand_by_their_distance() -> None:
    repeats = of_agreement(1).repeats
    [picture] = repeat_plots(repeats)
    shown = [text for text in texts(drawn(picture)) if text.startswith("j") and text.endswith(")")]
    ordered = sorted(repeats, key=lambda each: each.distance)
    assert shown == [f"{each.judge} ({each.repeats})" for each in ordered]


def test_metrics_stand_by_accuracy() -> None:
    result = of_metrics(2)
    called = {each.metric: each.metric for each in result.metrics}
    [picture] = metric_plots(result.metrics, called, 1)
    shown = [text for text in texts(drawn(picture)) if text in called]
    assert shown == [
        each.metric for each in sorted(result.metrics, key=lambda each: -each.accuracy)
    ]
