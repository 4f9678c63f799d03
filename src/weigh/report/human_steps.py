"""What is left of judgments at each step, as a grid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from weigh.report.grid import Cell, Column, Grid
from weigh.report.view import Part

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


def left_out(omissions: Iterable[Omission]) -> list[str]:
    """Return a sentence for everything that was left out when the files were read."""
    return [f"Left out before, {omission.extent}: {omission.why}." for omission in omissions]
