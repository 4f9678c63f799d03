"""What is left of judgments at each step, as a grid and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from weigh.report.grid import Cell, Column, Grid
from weigh.report.number import plural
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
    left_out = [
        f"Left out before, {plural(omission.count, 'answer')}: {omission.why}."
        for omission in omissions
    ]
    return Piece("Steps", Grid(columns, [rows]), left_out)


def step_fields(steps: Sequence[Step], omissions: Sequence[Omission]) -> dict[str, Any]:
    """Return what a program wants to know of the steps."""
    return {
        "steps": [
            {"step": step.what, "judgments": step.judgments, "judges": step.judges}
            for step in steps
        ],
        "omissions": [{"why": each.why, "count": each.count} for each in omissions],
    }
