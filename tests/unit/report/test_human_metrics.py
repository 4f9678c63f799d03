from __future__ import annotations

import json
from dataclasses import replace

from unit.report.studies import of_metrics
from weigh.report.human_metrics import SHOWN, MetricsReport

WHY = "Soft accuracy has no p-value where one of two metrics was computed from texts"


def test_a_missing_p_value_is_explained() -> None:
    mixed = of_metrics(3)  # metrics with segment scores and without
    assert WHY in SHOWN.as_table(mixed)
    evaluations = [
        (
            scale,
            replace(
                found, contests=tuple(replace(one, p_soft_accuracy=0.5) for one in found.contests)
            ),
        )
        for scale, found in mixed.evaluations
    ]
    assert WHY not in SHOWN.as_table(MetricsReport(evaluations, "none", 0.05, "holm"))


def test_metrics_are_called_by_name_in_text_and_as_asked_for_in_json() -> None:
    report = of_metrics(3)
    rows = [line.split()[0] for line in SHOWN.as_table(report).split("\n") if line[:1] == "M"]
    assert {"M0", "M1", "M2", "M3"} <= set(rows)
    document = json.loads(SHOWN.as_json(report))
    assert {each["metric"] for each in document["metrics"]} == {"m0", "m1", "m2", "m3"}
    assert {each["name"] for each in document["metrics"]} == {"M0", "M1", "M2", "M3"}
    scale, found = report.evaluations[0]
    alike = [replace(each, name="M") for each in found.metrics]
    same = replace(report, evaluations=[(scale, replace(found, metrics=tuple(alike)))])
    assert "\nm0 " in SHOWN.as_table(same)
