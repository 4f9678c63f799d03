"""What is left of judgments at each step, as a grid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from weigh.report.grid import Cell, Column, Grid
from weigh.report.pieces import Piece
from weigh.report.view import Part
from weigh.result import encode

if TYPE_CHECKING:
    from weigh.human.judgments import Step
    from weigh.read.answers import Omission


def steps_part(
    steps: Sequence[Step], omissions: Iterable[Omission], before: Sequence[str] = ()
) -> Part:
    """Return the steps with what each dropped, and what was left out when files were read."""
    titles = ("Judgments", "Judges", "Judgments dropped", "Judges dropped")
    columns = [Column("What is left"), *(Column(title, kind="number") for title in titles)]
    rows = []
    for last, step in zip([None, *steps], steps, strict=False):
        texts = [step.step, f"{step.judgments:,}", f"{step.judges:,}"]
        if last is None:
            texts += ["", ""]
        else:
            texts += [f"{last.judgments - step.judgments:,}", f"{last.judges - step.judges:,}"]
        rows.append([Cell(text) for text in texts])
    return Part(
        "Steps",
        Grid(columns, [rows]),
        [*before, *left_out(omissions)],
        section="Judgments, step by step",
    )


def steps_piece(steps: Sequence[Step], omissions: Iterable[Omission]) -> Piece:
    """Return the steps for reports that are no views yet."""
    part = steps_part(steps, omissions)
    return Piece(part.heading, part.grid, part.sentences)


def step_fields(steps: Sequence[Step], omissions: Iterable[Omission]) -> dict[str, Any]:
    """Return the steps for documents that are written by hand."""
    return {"steps": encode(tuple(steps)), "omissions": [each.fields for each in omissions]}


def left_out(omissions: Iterable[Omission]) -> list[str]:
    """Return a sentence for everything that was left out when the files were read."""
    return [f"Left out before, {omission.extent}: {omission.why}." for omission in omissions]
