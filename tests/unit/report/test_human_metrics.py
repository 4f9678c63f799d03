"""What is shown of metrics against people."""

from __future__ import annotations

import json
from dataclasses import replace

from unit.report.made.human import of_known_deltas, of_metrics
from weigh.human.deltas import DeltaNeeded


class TestMetrics:
    def test_metrics_are_called_by_name_in_text_and_as_asked_for_in_json(self) -> None:
        result = of_metrics(3)
        rows = [line.split()[0] for line in str(result).split("\n") if line[:1] == "M"]
        assert {"M0", "M1", "M2", "M3"} <= set(rows)
        document = json.loads(result.to_json())
        assert {each["metric"] for each in document["metrics"]} == {"m0", "m1", "m2", "m3"}
        assert {each["name"] for each in document["metrics"]} == {"M0", "M1", "M2", "M3"}
        alike = replace(result, metrics=tuple(replace(each, name="M") for each in result.metrics))
        assert "\nm0 " in str(alike)


class TestDeltas:
    def test_differences_that_do_not_exist_or_are_beyond_all(self) -> None:
        result = of_known_deltas(1)
        [curve] = result.deltas
        none = DeltaNeeded(0.6, None, None)
        far = DeltaNeeded(0.9, 3 * curve.largest, (curve.largest / 2, None))
        near = DeltaNeeded(0.95, curve.largest / 4, (curve.largest / 5, curve.largest / 3))
        shown = str(replace(result, deltas=(replace(curve, needed=(none, far, near)),)))
        [row] = [line for line in shown.split("\n") if line.startswith("BLEU")]
        assert row.split()[1] == "–"
        assert ">18 [9, …]" in row
        assert "…: larger than any difference" in shown
        nearest = replace(result, deltas=(replace(curve, needed=(none, near)),))
        assert "…: larger than any difference" not in str(nearest)
