from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.report.pictures.drawings import drawn, of_class, texts
from weigh.report.pictures.histogram import Bins, histogram, split
from weigh.report.pictures.picture import Caption, Picture

bars_of = st.lists(st.integers(0, 50), min_size=1, max_size=12).filter(any)


# Places below the smallest normal number are lost when they are divided, and in every picture.
places = st.floats(-12, 12, allow_subnormal=False)


@given(bars_of, places, st.floats(0.1, 3), st.lists(places, max_size=2))
def test_splitting_bins_loses_nothing(
    counts: list[int], start: float, width: float, cuts: list[float]
) -> None:
    bars = Bins(start, width, counts).bars
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


def plot(bins: Bins, marked: tuple[float, str] = (2.0, "D = +2.00"), reach: float = 2.0) -> Picture:
    extreme = [(-math.inf, -reach), (reach, math.inf)]
    caption = Caption("histogram-1", "a and b")
    notes = ("c = 30 of 100", "first better →")
    return histogram(bins, caption, heading="a < b", marked=marked, extreme=extreme, notes=notes)


def test_bars_and_marks_stand_where_the_numbers_are() -> None:
    root = drawn(plot(Bins(-4.0, 4.0, (20, 80))))
    [usual], [extreme], [mark] = (of_class(root, c) for c in ("bars", "extreme", "actual"))
    # The bins go from -4 to 0 and from 0 to 4; what is beyond -2 and 2 is extreme.
    at = {"low": corners(extreme)[0][0], "high": corners(extreme)[-1][0]}
    pixel = (at["high"] - at["low"]) / 8
    assert corners(usual)[0][0] == pytest.approx(at["low"] + 2 * pixel, abs=0.11)
    assert max(x for x, _ in corners(usual)) == pytest.approx(at["low"] + 6 * pixel, abs=0.11)
    place = float(mark.attrib["d"][1:].split()[0])
    assert place == pytest.approx(at["low"] + 6 * pixel, abs=0.11)
    floor, ceiling = max(y for _, y in corners(usual)), min(y for _, y in corners(usual))
    heights = {round((floor - y) / (floor - ceiling), 2) for _, y in corners(usual)}
    assert heights == {0.0, 0.25, 1.0}
    assert {"D = +2.00", "c = 30 of 100", "a < b", "first better →"} <= set(texts(root))


@pytest.mark.parametrize(
    ("bins", "marked"),
    [
        (Bins(math.nan, 1.0, (1,)), 0.0),
        (Bins(0.0, math.inf, (1,)), 0.0),
        (Bins(0.0, 0.0, (1,)), 0.0),
        (Bins(0.0, 1.0, (0, 0)), 0.0),
        (Bins(0.0, 1.0, (1,)), math.nan),
    ],
)
def test_what_has_no_numbers_is_said_to_have_none(bins: Bins, marked: float) -> None:
    assert "No numbers to draw" in texts(drawn(plot(bins, (marked, ""))))
