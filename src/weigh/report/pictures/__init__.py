"""Pictures of results, one module per kind; each function takes a report and returns pictures."""

from __future__ import annotations

from weigh.report.pictures.agreement import agreement_plots
from weigh.report.pictures.forest import forest_plots
from weigh.report.pictures.heat_map import heat_maps
from weigh.report.pictures.histogram import histograms
from weigh.report.pictures.lengths import length_plots
from weigh.report.pictures.picture import STYLE, Picture
from weigh.report.pictures.sweep import drawn_sweeps, sweep_plots

__all__ = [
    "STYLE",
    "Picture",
    "agreement_plots",
    "drawn_sweeps",
    "forest_plots",
    "heat_maps",
    "histograms",
    "length_plots",
    "sweep_plots",
]
