"""Pictures of results, one module per kind; each function takes a report and returns pictures."""

from weigh.report.pictures.agreement import agreement_plots
from weigh.report.pictures.forest import forest_plots
from weigh.report.pictures.heat_map import heat_maps
from weigh.report.pictures.histogram import histograms
from weigh.report.pictures.lengths import length_plots
from weigh.report.pictures.picture import STYLE, Picture
from weigh.report.pictures.sweep import sweep_plots
from weigh.report.pictures.systems import is_neighbour

__all__ = [
    "STYLE",
    "Picture",
    "agreement_plots",
    "forest_plots",
    "heat_maps",
    "histograms",
    "is_neighbour",
    "length_plots",
    "sweep_plots",
]
