"""Scores against the length of the outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.pictures.axis import Scale, bottom_axis, left_axis
from weigh.report.pictures.picture import Picture, name_of
from weigh.report.pictures.scatter import Box, Point, scatter
from weigh.report.pictures.systems import direction, heading
from weigh.report.svg import cut, drawable, line, words
from weigh.wording import fixed, plural

if TYPE_CHECKING:
    from weigh.report.scores import CompareReport

_WIDTH, _HEIGHT = 480.0, 320.0
_FRAME = Box(52, 24, _WIDTH - 20, _HEIGHT - 40)
_ROOM = Box(_FRAME.left, _FRAME.top, _WIDTH - 2, _FRAME.bottom)  # for labels
_MARGIN = 0.1  # which labels use too


def length_plots(report: CompareReport) -> list[Picture]:
    """Return a plot for every metric: score against length, with a line at the references'."""
    evidence = report.result.details
    if evidence is None:
        return []
    pictures: list[Picture] = []
    for metric in report.titles:
        found = {
            entry.system: (evidence.lengths[entry.system], entry.score)
            for entry in report.ordered(metric)
            if drawable(evidence.lengths.get(entry.system, float("nan")))
        }
        if found:
            name = name_of("length", len(pictures) + 1, metric)
            pictures.append(_plot(report, metric, found, evidence.length_unit, name))
    return pictures


def _plot(
    report: CompareReport, metric: str, found: dict[str, tuple[float, float]], unit: str, name: str
) -> Picture:
    across = Scale.over(
        [1.0, *(length for length, _ in found.values())], _FRAME.left, _FRAME.right, _MARGIN
    )
    ends = (_FRAME.bottom, _FRAME.top)
    up = Scale.over(
        (score for _, score in found.values()),
        *(ends if report.higher(metric) else ends[::-1]),
        margin=_MARGIN,
    )
    decimals, called = report.decimals(metric), heading(report, metric)
    points = [
        Point(
            across(length),
            up(score),
            system,
            f"{visible(system)}: {fixed(score, decimals)} {called}, length {length:.3f}",
        )
        for system, (length, score) in found.items()
    ]
    dots, homeless = scatter(points, _ROOM)
    parts = [
        bottom_axis(across, _FRAME.top, _FRAME.bottom),
        left_axis(up, _FRAME.left, _FRAME.right),
        line(across(1), _FRAME.top, across(1), _FRAME.bottom, "dashed"),
        dots,
        words(6, 14, cut(f"{called}, {direction(report, metric)} (up: better)", 56), "small soft"),
        words(
            (_FRAME.left + _FRAME.right) / 2,
            _HEIGHT - 8,
            f"Length: {unit}s for every {unit} of the references",
            "small soft middle",
        ),
    ]
    shortest, longest = (pick(found, key=lambda one: found[one][0]) for pick in (min, max))
    said = (
        f"Outputs have from {found[shortest][0]:.3f} ({visible(shortest)}) to "
        f"{found[longest][0]:.3f} {unit}s ({visible(longest)}) for every {unit} of the references; "
        "better scores stand higher, and the dashed line is at a length of 1."
    )
    if homeless:
        said += f" {plural(homeless, 'name')} found no room."
    return Picture(name, f"{called} against length", said, _WIDTH, _HEIGHT, "".join(parts))
