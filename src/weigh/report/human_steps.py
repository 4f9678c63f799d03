"""What is left of judgments at each step, as a grid and for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from weigh.report.grid import Cell, Column, Grid
from weigh.report.pieces import Piece

if TYPE_CHECKING:
    from weigh.human.steps import Step
    from weigh.read.answers import Omission


def steps_piece(steps: Sequence[Step], omissions: Sequence[Omission]) -> Piece:
    """Return the table of steps, with what was left out when the files were read under it."""
    columns = [
        Column("What is left"),
        Column("Judgments", kind="number"),
        Column("Judges", kind="number"),
    ]
    rows = [
        [Cell(step.what), Cell(f"{step.judgments:,}"), Cell(f"{step.judges:,}")] for step in steps
    ]
    return Piece("Steps", Grid(columns, [rows]), left_out(omissions))


def left_out(omissions: Iterable[Omission]) -> list[str]:
    """Return a sentence for everything that was left out when the files were read."""
    return [f"Left out before, {omission.extent}: {omission.why}." for omission in omissions]


def dropped_grid(steps: Sequence[Step]) -> Grid:
    """Return the steps with what each of them dropped."""
    columns = [Column("What is left")]
    titles = ("Judgments", "Judges", "Judgments dropped", "Judges dropped")
    columns += [Column(title, kind="number") for title in titles]
    rows = []
    for before, step in zip([None, *steps], steps, strict=False):
        texts = [step.what, f"{step.judgments:,}", f"{step.judges:,}"]
        if before is None:
            texts += ["", ""]
        else:
            texts += [f"{before.judgments - step.judgments:,}", f"{before.judges - step.judges:,}"]
        rows.append([Cell(text) for text in texts])
    return Grid(columns, [rows])


def step_fields(steps: Sequence[Step], omissions: Sequence[Omission]) -> dict[str, Any]:
    """Return what a program wants to know of the steps."""
    return {
        "steps": [
            {"step": step.what, "judgments": step.judgments, "judges": step.judges}
            for step in steps
        ],
        "omissions": [each.fields for each in omissions],
    }
