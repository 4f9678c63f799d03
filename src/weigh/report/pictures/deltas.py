"""Pictures of what differences of metrics mean: people's agreement against the difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weigh.report.pictures.picture import Picture, Scale, name_of
from weigh.report.pictures.shares import Curve, Point, curve_plot
from weigh.wording import plural

if TYPE_CHECKING:
    from weigh.human.deltas import DeltaCurve

_POINTS = 24


def delta_plots(curves: Sequence[DeltaCurve], first: int = 1) -> list[Picture]:
    """Draw for every metric the curve, and the shares of pairs that it is drawn through.

    Names are numbered, beginning with `first`.
    """
    return [_plot(curve, number) for number, curve in enumerate(curves, first)]


def _plot(curve: DeltaCurve, number: int) -> Picture:
    sizes = [curve.largest * at / _POINTS for at in range(_POINTS + 1)]
    fitted = [
        Point(size, 100 * curve.share(size), f"Δ = {size:.3g}: {curve.share(size):.0%}")
        for size in sizes
    ]
    counted = [
        Point(
            (each.low + each.high) / 2,
            100 * each.agreed / each.pairs,
            f"Δ from {each.low:.3g} to {each.high:.3g}: {each.agreed:,} of {each.pairs:,} pairs",
        )
        for each in curve.bins
    ]
    told = "; ".join(point.told for point in counted)
    return curve_plot(
        [Curve("pairs of systems", counted, "hollow", joined=False), Curve("curve", fitted)],
        name=name_of("differences", number, curve.metric),
        title=f"{curve.name}: differences and people",
        description=f"How often people prefer the system that {curve.name} prefers, by the size of "
        f"the difference, over {plural(curve.pairs, 'pair')} of systems. {told}.",
        above="share of pairs in which people agree with the metric",
        axis=f"difference in {curve.name}",
        ticks=Scale(0.0, curve.largest, 0.0, 1.0).ticks(6),
        marked=50.0,
        labelled=False,
    )
