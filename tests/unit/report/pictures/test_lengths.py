from __future__ import annotations

from dataclasses import replace

import pytest

from unit.report.pictures.samples import (
    NAMES,
    drawn,
    is_straight,
    made_report,
    made_result,
    of_class,
    texts,
    title,
)
from weigh.report.pictures import length_plots
from weigh.report.scores import CompareReport


def test_points_stand_where_lengths_and_scores_are() -> None:
    report = made_report()
    details = report.result.details
    assert details is not None
    for picture, metric in zip(length_plots(report), ("bleu", "ter"), strict=True):
        scores = {e.system: e.score for e in report.result.scores if e.metric == metric}
        root = drawn(picture)
        [one] = of_class(root, "dashed")
        across, up = [(1.0, float(one.attrib["d"][1:].split()[0]))], []
        for point in of_class(root, "point"):
            name = title(point).partition(":")[0]
            across.append((details.lengths[name], float(point.attrib["cx"])))
            up.append((scores[name], float(point.attrib["cy"])))
        assert len(up) == len(NAMES)
        assert is_straight(across)
        assert is_straight(up)
        best = (min if metric == "ter" else max)(up)
        assert best[1] == min(y for _, y in up)  # up is better
        assert set(NAMES) <= set(texts(root))


@pytest.mark.parametrize("unit", ["word", "character"])
def test_lengths_are_told_in_their_unit(unit: str) -> None:
    result = made_result()
    assert result.details is not None
    details = replace(result.details, length_unit=unit)
    [picture, _] = length_plots(CompareReport(replace(result, details=details)))
    assert f"Length: {unit}s for every {unit} of the references" in texts(drawn(picture))
    assert "0.900 (north) to 1.100" in picture.description


def test_without_lengths_there_is_no_plot() -> None:
    result = made_result()
    assert result.details is not None
    details = replace(result.details, lengths={})
    assert length_plots(CompareReport(replace(result, details=details))) == []


def test_systems_without_a_length_are_left_out() -> None:
    result = made_result()
    assert result.details is not None
    lengths = {"north": 1.0, "east": 1e200, "south": 1.1}
    details = replace(result.details, lengths=lengths)
    for picture in length_plots(CompareReport(replace(result, details=details))):
        names = {title(point).partition(":")[0] for point in of_class(drawn(picture), "point")}
        assert names == {"north", "south"}
