from __future__ import annotations

import pytest

from weigh.metrics.registry import key_of, parse_metrics
from weigh.metrics.segment import GivenMean
from weigh.report.phrases import metric_name, signatures_by_name


def signatures(*asked: str) -> dict[str, str]:
    return {key_of(metric): metric.signature(1) for metric in parse_metrics(asked)}


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (["bleu", "chrf", "ter"], ["BLEU", "chrF2", "TER"]),
        (["chrf:word_order=2", "chrf"], ["chrF2++", "chrF2"]),
        (["bleu", "bleu:lowercase", "ter"], ["bleu", "bleu:lowercase", "TER"]),
    ],
)
def test_metrics_are_called_by_name_where_that_tells_them_apart(
    asked: list[str], names: list[str]
) -> None:
    by_key = signatures(*asked)
    assert [metric_name(metric, by_key) for metric in by_key] == names
    assert signatures_by_name(by_key) == list(zip(names, by_key.values(), strict=True))


def test_what_weigh_did_not_compute_is_called_as_the_user_does() -> None:
    scores = GivenMean("chrf", True)
    assert metric_name("chrf", {"chrf": scores.signature(0)}) == "chrf"
    assert metric_name("elsewhere", {"elsewhere": "nrefs:1"}) == "elsewhere"
    assert metric_name("adequacy (z)", {}) == "adequacy (z)"
