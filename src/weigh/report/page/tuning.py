"""The page of a tuning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import plural
from weigh.report.page import embedded
from weigh.report.page.assembly import assembled
from weigh.report.page.blocks import Section, described, figures, kept, paragraphs
from weigh.report.page.html import Markup, element, joined
from weigh.report.page.tables import table
from weigh.report.tuning import (
    as_json,
    iterations_grid,
    methods,
    remarks,
    runs_grid,
    signatures,
    weights_grid,
)

if TYPE_CHECKING:
    from weigh.report.pictures.tuning import TuningPictures
    from weigh.report.tuning import TuneReport
    from weigh.tuning.views import SegmentView


def tuning_page(
    report: TuneReport, pictures: TuningPictures, segment: SegmentView | None = None
) -> str:
    """Return a tuning as one HTML file; `segment` is what its envelope was drawn of."""
    sections = {"summary": Section("Summary", _summary(report))}
    if report.iterations:
        shown = [*figures(pictures.iterations), table(iterations_grid(report), "Iterations")]
        sections["iterations"] = Section("Iterations", shown)
    if len(report.runs) > 1:
        sections["runs"] = Section("Runs", [table(runs_grid(report), "Runs")])
    sections["weights"] = Section("Weights", [table(weights_grid(report), "Weights")])
    if pictures.surfaces:
        sections["surfaces"] = Section("Error surface", _surfaces(report, pictures))
    if segment is not None:
        sections["envelope"] = Section("Envelope of one segment", _envelope(segment, pictures))
    sections["methods"] = Section(
        "Methods and signatures", described(methods(report), signatures(report))
    )
    sections["document"] = Section("Data", kept())
    size = [
        plural(report.segments, "segment"),
        plural(report.candidates, "candidate"),
        plural(report.references, "reference"),
    ]
    return assembled(
        f"Tuning toward {report.name}",
        ", ".join(size),
        sections,
        [embedded.document(as_json(report))],
    )


def _summary(report: TuneReport) -> list[Markup]:
    which = "higher is better" if report.higher_is_better else "lower is better"
    found = joined(
        element("strong", report.name),
        f" ({which}): {report.shown(report.start_score)} before, ",
        element("strong", report.shown(report.score)),
        f" after tuning by {report.optimizer.upper()}.",
    )
    left_out = ""
    if report.left_out:
        left_out = f"Left out: {plural(report.left_out, 'segment')} without candidates."
    careful = ""
    if report.held_out is None:
        careful = (
            "The score is that of the candidates that were tuned on, which is always partly luck: "
            "score the weights on another list before believing it."
        )
    sentences = [f"{text[0].upper()}{text[1:]}." for text in remarks(report)]
    return [*paragraphs([found, *sentences, left_out]), *paragraphs([careful], "faint")]


def _surfaces(report: TuneReport, pictures: TuningPictures) -> list[Markup]:
    said = (
        f"{report.name} changes in steps, where the best candidate of some segment changes. These "
        "are all of them within the range drawn, from the weights found: the solid upright line is "
        "the weight found, the dashed one the start."
    )
    return [*paragraphs([said]), *figures(pictures.surfaces)]


def _envelope(view: SegmentView, pictures: TuningPictures) -> list[Markup]:
    said = (
        f"Each candidate's score is a straight line over the weight of {view.feature}, and the "
        "highest line is chosen. Lines are drawn less the mean of all, which changes no choice. "
        "Numbers are those of the table; the upright line is the weight found. This is the segment "
        "whose choice changes most often."
    )
    starts = ["", *(f"{at:.6g}" for at in view.breakpoints)]
    rows = [
        [Cell(str(number)), Cell(start), Cell(text)]
        for number, (start, text) in enumerate(zip(starts, view.texts, strict=True), 1)
    ]
    columns = [
        Column("Number", kind="number"),
        Column("From weight", kind="number"),
        Column("Candidate chosen", kind="remark"),
    ]
    return [
        *paragraphs([said]),
        *figures(pictures.envelopes),
        table(Grid(columns, [rows]), "Candidates chosen"),
    ]
