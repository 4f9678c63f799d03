from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.report.pictures.samples import (
    TESTS,
    drawn,
    made_report,
    made_result,
    made_scores,
    of_class,
    texts,
    with_score,
)
from weigh.comparing.compare_result import Histogram
from weigh.report.compared import CompareReport
from weigh.report.pictures import histograms
from weigh.report.pictures.histogram import bins, extreme_parts, split

ALTERNATIVES = ("two-sided", "better", "worse")


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_shaded_part_holds_the_trials_that_count(alternative: str) -> None:
    report = made_report(tests=TESTS, alternative=alternative, trials=1000)
    tested = {(c.metric, c.test, c.a, c.b): c for c in report.result.comparisons}
    details = report.result.details
    assert details is not None
    partly = 0
    for one in details.histograms:
        found = tested[one.metric, one.test, one.a, one.b]
        turned = -found.difference if one.metric == "ter" else found.difference
        parts = extreme_parts(one, found, turned)
        inside = touching = 0
        for low, high, count in bins(one):
            if any(start <= low and high <= end for start, end in parts):
                inside += count
            if any(start <= high and low <= end for start, end in parts):
                touching += count
        assert inside <= found.count <= touching
        partly += 0 < found.count < found.trials / 2
    assert partly > 5  # so that not all is one side


bars_of = st.lists(st.integers(0, 50), min_size=1, max_size=12).filter(any)


# Places below the smallest normal number are lost when they are divided, and in every picture.
places = st.floats(-12, 12, allow_subnormal=False)


@given(bars_of, places, st.floats(0.1, 3), st.lists(places, max_size=2))
def test_splitting_bins_loses_nothing(
    counts: list[int], start: float, width: float, cuts: list[float]
) -> None:
    bars = bins(Histogram("m", "bootstrap", "a", "b", start, width, tuple(counts)))
    assert sum(count for _, _, count in bars) == sum(counts)
    if len(cuts) == 2:
        regions = [(-math.inf, min(cuts)), (max(cuts), math.inf)]
    else:
        regions = [(each, math.inf) for each in cuts]
    usual, extreme = split(bars, regions)
    area = math.fsum((high - low) * count for low, high, count in bars)
    found = math.fsum((high - low) * count for low, high, count in usual + extreme)
    assert math.isclose(area, found, rel_tol=1e-9)
    for low, high, _ in extreme:
        assert any(first <= low and high <= last for first, last in regions)
    for low, high, _ in usual:
        assert not any(first < (low + high) / 2 < last for first, last in regions)


def corners(path: ET.Element) -> list[tuple[float, float]]:
    """Return the points that a path of M, H, V and Z goes through."""
    x = y = 0.0
    found = []
    for command, rest in re.findall(r"([MHVZ])([^MHVZ]*)", path.attrib["d"]):
        numbers = [float(each) for each in rest.split()]
        if command == "M":
            x, y = numbers
        elif command == "H":
            [x] = numbers
        elif command == "V":
            [y] = numbers
        found.append((x, y))
    return found


@pytest.mark.parametrize(("metric", "difference"), [("bleu", 2.0), ("ter", -2.0)])
def test_bars_and_marks_stand_where_the_numbers_are(metric: str, difference: float) -> None:
    result = made_result(made_scores(["a", "b"], [metric]), tests=("randomization",))
    [comparison] = result.comparisons
    counted = replace(comparison, difference=difference, trials=100, count=30)
    one = Histogram(metric, "randomization", "a", "b", -4.0, 4.0, (20, 80))
    assert result.details is not None
    details = replace(result.details, histograms=(one,))
    drawn_from = replace(result, details=details, comparisons=(counted,))
    [picture] = histograms(CompareReport(drawn_from))
    root = drawn(picture)
    [usual], [extreme], [mark] = (of_class(root, c) for c in ("bars", "extreme", "actual"))
    # The bins go from -4 to 0 and from 0 to 4; what is beyond -2 and 2 counts.
    at = {"low": corners(extreme)[0][0], "high": corners(extreme)[-1][0]}
    pixel = (at["high"] - at["low"]) / 8
    assert corners(usual)[0][0] == pytest.approx(at["low"] + 2 * pixel, abs=0.11)
    assert max(x for x, _ in corners(usual)) == pytest.approx(at["low"] + 6 * pixel, abs=0.11)
    place = float(mark.attrib["d"][1:].split()[0])
    assert place == pytest.approx(at["low"] + 6 * pixel, abs=0.11)
    floor, ceiling = max(y for _, y in corners(usual)), min(y for _, y in corners(usual))
    heights = {round((floor - y) / (floor - ceiling), 2) for _, y in corners(usual)}
    assert heights == {0.0, 0.25, 1.0}
    assert "D = +2.00" in texts(root)
    assert "c = 30 of 100" in texts(root)
    assert "c = 30" in picture.description


def test_the_paired_bootstrap_marks_the_origin() -> None:
    report = made_report(tests=("paired-bootstrap",))
    details = report.result.details
    assert details is not None
    for picture, one in zip(histograms(report), details.histograms, strict=True):
        root = drawn(picture)
        assert "0" in texts(root)
        assert not any(text.startswith("D =") for text in texts(root))
        [mark] = of_class(root, "actual")
        place = float(mark.attrib["d"][1:].split()[0])
        sides = [x for each in of_class(root, "bars") for x, _ in corners(each)]
        middle = one.start + one.width * len(one.counts) / 2
        assert (sum(sides) / len(sides) > place) == (middle > 0)


def test_there_is_a_picture_for_every_histogram_in_order() -> None:
    report = made_report(tests=TESTS)
    details = report.result.details
    assert details is not None
    pictures = histograms(report)
    for picture, one in zip(pictures, details.histograms, strict=True):
        assert picture.title == f"{one.a} and {one.b} by {one.metric}: {one.test}"
        assert len(picture.inline()) < 2000
    broken = CompareReport(with_score(report.result, "east", math.nan))
    assert [each.name for each in histograms(broken)] == [each.name for each in pictures]
    assert sum("No numbers to draw" in texts(drawn(each)) for each in histograms(broken)) > 0


def test_bins_that_are_too_narrow_to_tell_apart_are_drawn() -> None:
    result = made_result(made_scores(["a", "b"], ["bleu"]), tests=("paired-bootstrap",))
    one = Histogram("bleu", "paired-bootstrap", "a", "b", 5.0, 1e-17, (3, 4, 5))
    assert result.details is not None
    details = replace(result.details, histograms=(one,))
    [picture] = histograms(CompareReport(replace(result, details=details)))
    assert len(of_class(drawn(picture), "bars")) == 1
