"""Figures of papers, drawn with our numbers."""

from __future__ import annotations

from weigh.report.grid import visible
from weigh.report.pictures.axes import Axis
from weigh.report.pictures.curve import Curve, CurvePoint, curve_plot
from weigh.report.pictures.picture import Caption, Picture, name_of
from weigh_lab.papers.paper_result import PaperFigure, PaperResult

# Classes of the drawing, one for each curve in turn.
_KINDS = ("", "open", "good2", "good3", "good1", "hollow")


def figure_pictures(result: PaperResult, figure: PaperFigure) -> list[Picture]:
    """Draw a figure; none where no point of it has numbers."""
    curves = []
    for at, curve in enumerate(figure.curves):
        label = visible(curve.label)
        points = [
            CurvePoint(point.x, point.y, f"{label}: {point.x:g}, {point.y:.4g}", point.interval)
            for point in curve.points
        ]
        drawable = [point for point in points if point.is_drawable]
        curves.append(Curve(curve.label, drawable, _KINDS[at % len(_KINDS)], curve.joined))
    if not any(curve.points for curve in curves):
        return []
    number = result.figures.index(figure) + 1
    caption = Caption(
        name_of("figure", number, result.paper, figure.label),
        f"{figure.label}: {figure.title}",
    )
    return [curve_plot(curves, caption, Axis(figure.across), Axis(figure.up))]
