from __future__ import annotations

import math

from unit.report.pictures.samples import NAMES, made_report, made_result, made_scores, with_score
from weigh.comparing.evidence import Histogram
from weigh.report.pictures.systems import slices
from weigh.report.scores import CompareReport


def pair(a: str, b: str, metric: str = "bleu") -> Histogram:
    return Histogram(metric, "randomization", a, b, -1.0, 1.0, (1, 1))


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def test_the_best_system_comes_first_whatever_its_direction() -> None:
    report, scores = made_report(), made_scores()
    for metric, sign in (("bleu", -1), ("ter", 1)):
        expected = sorted(NAMES, key=lambda name: sign * mean(scores[metric][name]))
        assert [entry.system for entry in report.ordered(metric)] == expected


def test_neighbours_are_next_to_each_other_in_the_order_of_scores() -> None:
    report = made_report()
    names = [entry.system for entry in report.ordered("ter")]
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            assert report.is_neighbour(pair(a, b, "ter")) == (abs(i - j) == 1)


def test_with_a_baseline_every_pair_is_asked_about() -> None:
    report = made_report(baseline="west")
    assert all(report.is_neighbour(pair(name, "west")) for name in NAMES if name != "west")


def test_a_system_without_a_score_has_no_place() -> None:
    report = CompareReport(with_score(made_result(), "east", math.nan))
    names = [entry.system for entry in report.ordered("bleu")]
    assert "east" not in names
    assert len(names) == len(NAMES) - 1
    assert not report.is_neighbour(pair("east", names[0]))
    assert report.is_neighbour(pair(names[0], names[1]))


def test_slices_follow_the_whole() -> None:
    report = made_report(slices=["x", "y"] * 30)
    assert slices(report)[:3] == [None, "x", "y"]
