"""What is shown of metrics against people."""

from __future__ import annotations

import json
from dataclasses import replace

from unit.report.made.human import of_known_deltas, of_metrics
from weigh.human.deltas import DeltaNeeded
from weigh.report.view import restored


class TestMetrics:
    WHY = "Soft accuracy has no p-value where one of two metrics was computed from texts"

    def test_a_missing_p_value_is_explained(self) -> None:
        mixed = of_metrics(3)  # metrics with segment scores and without
        assert self.WHY in " ".join(str(mixed).split())
        contests = tuple(replace(each, p_soft_accuracy=0.5) for each in mixed.contests)
        assert self.WHY not in " ".join(str(replace(mixed, contests=contests)).split())

    def test_metrics_are_called_by_name_in_text_and_as_asked_for_in_json(self) -> None:
        result = of_metrics(3)
        rows = [line.split()[0] for line in str(result).split("\n") if line[:1] == "M"]
        assert {"M0", "M1", "M2", "M3"} <= set(rows)
        document = json.loads(result.to_json())
        assert {each["metric"] for each in document["metrics"]} == {"m0", "m1", "m2", "m3"}
        assert {each["name"] for each in document["metrics"]} == {"M0", "M1", "M2", "M3"}
        alike = replace(result, metrics=tuple(replace(each, name="M") for each in result.metrics))
        assert "\nm0 " in str(alike)

    def test_the_conclusion_is_who_orders_most_pairs_as_people_do(self) -> None:
        result = of_metrics(1)
        best = max(each.accuracy for each in result.metrics if each.scale.endswith("fluency"))
        assert f"of people, {round(100 * best, 1):g}%." in result.view().findings[1]


class TestSegments:
    def test_accuracy_stands_beside_chance(self) -> None:
        result = of_metrics(2)
        text = str(result)
        assert "outputs for one segment, 11 segments" in text
        first = result.segments[0]
        [row] = [line.split() for line in text.split("\n") if line.startswith("m0  ")][-1:]
        assert row[2].rstrip("*") == f"{first.held_out:.3f}"
        assert f"{first.chance:.3f}" in row
        tsv = result.to_text("tsv").split("\n")
        values = dict(zip(tsv[0].split("\t"), tsv[1].split("\t"), strict=True))
        assert float(values["segment_accuracy"]) == first.held_out
        assert float(values["segment_chance"]) == first.chance

    def test_a_single_segment_and_none(self) -> None:
        single = of_metrics(1)
        segments = tuple(
            replace(each, held_out=None, chance=None, interval=None) for each in single.segments
        )
        assert " – " in str(replace(single, segments=segments))
        without = of_metrics(3)
        assert without.segments == ()
        assert "outputs for one segment" not in str(without)
        assert "segment_accuracy" not in without.to_text("tsv")


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
        assert "…: more than any difference" in shown
        nearest = replace(result, deltas=(replace(curve, needed=(none, near)),))
        assert "…: more than any difference" not in str(nearest)

    def test_a_document_of_each_kind_is_read_back_as_that_kind(self) -> None:
        for result in (of_metrics(1), of_known_deltas(2)):
            assert type(restored(result.to_json(), "r.json")) is type(result)

    def test_pictures_tell_all_pairs(self) -> None:
        result = of_known_deltas(2)
        pictures = result.view().pictures()
        assert [each.name for each in pictures] == ["differences-1-ter", "differences-2-chrf"]
        for curve, picture in zip(result.deltas, pictures, strict=True):
            for each in curve.bins:
                assert f"{each.agreed:,} of {each.pairs:,} pairs" in picture.description
