"""Panels side by side: what single samples say, a panel for every size of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from weigh.report.pictures.axis import Scale, left_axis
from weigh.report.pictures.legend import Mark, legend, legend_height
from weigh.report.pictures.picture import Picture
from weigh.report.svg import cut, line, pixels, words

WIDTH = 480.0
LEFT, TOP, RIGHT, BOTTOM = 52.0, 38.0, WIDTH - 8, 200.0
_GAP = 12.0

Sample = TypeVar("Sample")


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of the picture for samples of one size; `x` tells where each of them stands."""

    size: int
    x: Scale


def panels(counts: Mapping[int, int], unit: str) -> tuple[list[Panel], str]:
    """Return a panel for every size with so many samples, and their titles as drawn.

    They are as wide as they have samples, but wide enough for their titles.
    """
    room = RIGHT - LEFT - _GAP * (len(counts) - 1)
    titles = {size: f"{size:,} {unit}s" for size in counts}
    least = max(pixels(text, 11) for text in titles.values())
    if least * len(counts) > room:
        titles = {size: f"{size:,}" for size in counts}
        least = room / len(counts)
    spare = room - least * len(counts)
    total = sum(counts.values())
    found, parts, start = [], [], LEFT
    for size, count in counts.items():
        stop = start + least + spare * count / total
        found.append(Panel(size, Scale(0.5, count + 0.5, start, stop)))
        parts.append(words(start, TOP - 8, titles[size], "small soft"))
        start = stop + _GAP
    return found, "".join(parts)


def panel_plot(
    samples: Mapping[int, Sequence[Sample]],
    draw: Callable[[Sample, float, Scale], str],
    *,
    y: Scale,
    unit: str,
    lines: Iterable[tuple[float, str]],
    above: str,
    entries: Sequence[tuple[Mark, str]],
    name: str,
    title: str,
    description: str,
) -> Picture:
    """Draw samples of each size one after another, over a common axis.

    `draw` returns one of them at a place; `lines` are values with the class of a line across all
    panels, `above` says what the axis means and `entries` what the marks do.
    """
    places, titles = panels({size: len(found) for size, found in samples.items()}, unit)
    parts = [words(6, 14, cut(above, 74), "small soft"), titles]
    for panel in places:
        left, right = panel.x.start, panel.x.stop
        parts.append(left_axis(y, left, right, named=left == LEFT))
        parts += [
            draw(sample, panel.x(number), y) for number, sample in enumerate(samples[panel.size], 1)
        ]
        parts += [line(left, y(value), right, y(value), kind) for value, kind in lines]
    bottom = BOTTOM + 22
    parts.append(legend(entries, 8, bottom, RIGHT))
    height = bottom + legend_height(entries, 8, RIGHT) - 8
    return Picture(name, title, description, WIDTH, height, "".join(parts))
