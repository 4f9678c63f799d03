"""Figures of papers, drawn with our numbers: curves or points over two axes of any kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from weigh.report.grid import visible
from weigh.report.pictures.picture import (
    Box,
    Mark,
    Picture,
    Scale,
    bar,
    bottom_axis,
    dot,
    left_axis,
    legend,
    name_of,
    polyline,
)
from weigh.report.svg import drawable
from weigh.wording import plural
from weigh_lab.papers.paper_result import PaperCurve, PaperFigure, PaperPoint, PaperResult

_WIDTH, _HEIGHT = 480.0, 300.0
# Classes of the drawing, one for each curve in turn.
_KINDS = ("", "open", "good2", "good3", "good1", "hollow")


def figure_pictures(result: PaperResult, figure: PaperFigure) -> list[Picture]:
    """Draw a figure; none where no point of it has numbers."""
    number = result.figures.index(figure) + 1
    curves = [replace(curve, points=_places(curve)) for curve in figure.curves]
    if not any(curve.points for curve in curves):
        return []
    frame = Box(52, 26, _WIDTH - 14, _HEIGHT - 46)
    x = frame.across([point.x for curve in curves for point in curve.points])
    y = frame.up([value for curve in curves for value in _heights(curve)])
    parts = [left_axis(y, frame), bottom_axis(x, frame)]
    for at, curve in enumerate(curves):
        parts.append(_drawn(curve, x, y, _KINDS[at % len(_KINDS)]))
    parts += [frame.above(figure.up), frame.below(figure.across)]
    entries = [
        (Mark("circle", f"point {_KINDS[at % len(_KINDS)]}".rstrip()), curve.label)
        for at, curve in enumerate(curves)
    ]
    told, bottom = legend(entries, 8, _HEIGHT + 10, _WIDTH - 8)
    name = name_of("figure", number, result.paper, figure.label)
    title = f"{figure.label}: {figure.title}"
    body = "".join([*parts, told])
    return [Picture(name, title, _described(figure, curves), _WIDTH, bottom + 11, body)]


def _places(curve: PaperCurve) -> tuple[PaperPoint, ...]:
    return tuple(
        point for point in curve.points if drawable(point.x, point.y, *(point.interval or ()))
    )


def _heights(curve: PaperCurve) -> Iterator[float]:
    for point in curve.points:
        yield from (point.y, *(point.interval or ()))


def _drawn(curve: PaperCurve, x: Scale, y: Scale, kind: str) -> str:
    places = [(x(point.x), y(point.y)) for point in curve.points]
    parts = []
    if curve.joined and len(places) > 1:
        parts.append(polyline(places, f"curve {kind}".rstrip()))
    for point, (across, up) in zip(curve.points, places, strict=True):
        if point.interval is not None:
            parts.append(bar(across, y, point.interval, kind))
        told = f"{visible(curve.label)}: {point.x:g}, {point.y:.4g}"
        parts.append(dot(across, up, told, kind, 3.5 if curve.joined else 2.5))
    return "".join(parts)


def _described(figure: PaperFigure, curves: Sequence[PaperCurve]) -> str:
    said = [f"{figure.up} by {figure.across}."]
    for curve in curves:
        heights = [point.y for point in curve.points]
        if heights:
            said.append(
                f"{curve.label}: {plural(len(heights), 'point')} from {min(heights):.4g} to "
                f"{max(heights):.4g}."
            )
    return " ".join(said)
