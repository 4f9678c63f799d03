"""Pictures of results, one module per kind; each function takes a report and returns pictures."""

from __future__ import annotations

from weigh.report.pictures.heat_map import heat_maps, ranking_maps, win_rate_maps
from weigh.report.pictures.histogram import histograms
from weigh.report.pictures.intervals import difference_plots, forest_plots, ranking_plots
from weigh.report.pictures.panels import drawn_sweeps, sweep_plots
from weigh.report.pictures.picture import STYLE, Picture
from weigh.report.pictures.ranked import ranked_plot
from weigh.report.pictures.scatter import agreement_plots, length_plots

__all__ = [
    "STYLE",
    "Picture",
    "agreement_plots",
    "difference_plots",
    "drawn_sweeps",
    "forest_plots",
    "heat_maps",
    "histograms",
    "length_plots",
    "ranked_plot",
    "ranking_maps",
    "ranking_plots",
    "sweep_plots",
    "win_rate_maps",
]
