"""Pictures of results, one module per kind; each function takes a report and returns pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.report.pictures.agreement import agreement_plots
from weigh.report.pictures.forest import forest_plots
from weigh.report.pictures.heat_map import heat_maps
from weigh.report.pictures.histogram import histograms
from weigh.report.pictures.lengths import length_plots
from weigh.report.pictures.picture import STYLE, Picture
from weigh.report.pictures.samples import samples_pictures
from weigh.report.pictures.sweep import sweep_plots
from weigh.report.pictures.systems import is_neighbour
from weigh.report.pictures.validation import (
    accuracy_pictures,
    power_pictures,
)

if TYPE_CHECKING:
    from weigh.report.compared import CompareReport

__all__ = [
    "STYLE",
    "Picture",
    "accuracy_pictures",
    "agreement_plots",
    "comparison_pictures",
    "forest_plots",
    "heat_maps",
    "histograms",
    "is_neighbour",
    "length_plots",
    "power_pictures",
    "samples_pictures",
    "sweep_plots",
]


def comparison_pictures(report: CompareReport) -> list[Picture]:
    """Return every picture of a comparison."""
    return [
        *forest_plots(report),
        *heat_maps(report),
        *histograms(report),
        *sweep_plots(report),
        *length_plots(report),
        *agreement_plots(report),
    ]
