"""Judgments that come together, and what is refused of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weigh.read.records import Faults
from weigh.rypt.judgment import ANONYMOUS, EntryJudgment, fault_of
from weigh.rypt.label import Entry, Label

Key = tuple[Entry, str, str]
"""What a judgment is known by: its entry, its judge and its time."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Judgments, and for messages the name of their file and the row of each."""

    name: str
    judgments: Sequence[EntryJudgment]
    rows: Sequence[int] | None = None

    def row(self, place: int) -> int:
        """Return the row that a judgment stands in."""
        return place + 1 if self.rows is None else self.rows[place]


def key_of(judgment: EntryJudgment) -> Key:
    """Return what a judgment is known by."""
    return judgment.entry, judgment.judge, judgment.at


def check_rows(batch: Batch) -> None:
    """Refuse judgments that are none."""
    faults = Faults(batch.name)
    for place, judgment in enumerate(batch.judgments):
        fault = fault_of(judgment)
        if fault is not None:
            faults.add(batch.row(place), fault.what, fault.remedy)
    faults.check()


def without_contradictions(
    batches: Sequence[Batch], known: Mapping[Key, Label]
) -> dict[Key, EntryJudgment]:
    """Return the judgments that are not known, each once.

    One that contradicts another of the same entry, judge and time is refused.
    """
    new: dict[Key, EntryJudgment] = {}
    for batch in batches:
        faults = Faults(batch.name)
        for place, judgment in enumerate(batch.judgments):
            key = key_of(judgment)
            label = known.get(key)
            if label is None:
                label = new.setdefault(key, judgment).label
            if label != judgment.label:
                faults.add(batch.row(place), *_contradiction(judgment, label))
        faults.check()
    return new


def _contradiction(judgment: EntryJudgment, label: Label) -> tuple[str, str]:
    """Return what is wrong with a judgment if there is another label of the same key."""
    if judgment.judge == ANONYMOUS and not judgment.at:
        return (
            f"{judgment.label}, but there is {label} of it too, and no judge and no time are given",
            "add a judge, or a time",
        )
    return (
        f"{judgment.label}, but the same judge said {label} of it at the same time",
        "correct one of them, or give the correction a later time",
    )
