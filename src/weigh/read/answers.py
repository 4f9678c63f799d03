"""What people answered, as a file tells it: judgments or preferences, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass

from weigh.errors import InputError
from weigh.read.records import Faults, named_rows, parsed_number
from weigh.read.stream import quoted
from weigh.types import Judgment, Kind, Preference

# What other programs call the kinds of items.
KINDS: dict[str, Kind] = {
    "system": "system",
    "repeat": "repeat",
    "reference": "reference",
    "bad": "bad",
    "SYSTEM": "system",
    "REPEAT": "repeat",
    "REF": "reference",
    "BAD_REF": "bad",
    "TGT": "system",
    "CHK": "repeat",
    "BAD": "bad",
}
BOUNDS = (0.0, 100.0)


@dataclass(frozen=True, slots=True)
class Omission:
    """Answers that a file holds and that are not used, and why."""

    why: str
    count: int


@dataclass(frozen=True, slots=True)
class Judgments:
    """All judgments of some files; `remarks` say what a reader of the results should know."""

    judgments: tuple[Judgment, ...]
    omissions: tuple[Omission, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Preferences:
    """All preferences of some files, ties among them."""

    preferences: tuple[Preference, ...]
    omissions: tuple[Omission, ...] = ()
    remarks: tuple[str, ...] = ()


class Intake:
    """Takes the rows of one file, counts what is left out and remembers what is wrong."""

    def __init__(self, name: str, bounds: tuple[float, float] = BOUNDS) -> None:
        self.faults = Faults(name)
        self._name = name
        self._bounds = bounds
        self._judgments: list[Judgment] = []
        self._rows: list[int] = []
        self._omitted: dict[str, list[int]] = {}

    def omit(self, row: int, why: str) -> None:
        """Count an answer that is left out."""
        self._omitted.setdefault(why, []).append(row)

    def filled(self, row: int, cell: str, column: str) -> str:
        """Return a cell that must not be empty."""
        if not cell:
            self.faults.add(row, f"the {column} is empty", "fill it in")
        return cell

    def kind(self, row: int, cell: str) -> Kind:
        """Return the kind of an item by any of its names."""
        if cell not in KINDS:
            self.faults.add(
                row, f"unknown item type {quoted(cell)}", f"expected one of {', '.join(KINDS)}"
            )
        return KINDS.get(cell, "system")

    def score(self, row: int, cell: str) -> float | None:
        """Return a score on the scale, or None where the answer is missing, which is counted."""
        stripped = cell.strip(" ")
        if not stripped:
            self.omit(row, "missing answers")
            return None
        value = parsed_number(stripped)
        low, high = self._bounds
        if value is None or not low <= value <= high:
            self.faults.add(
                row,
                f"the score is {quoted(stripped)}",
                f"expected a number from {low:g} to {high:g}; correct it, or state the scale with "
                "--bounds LOW-HIGH",
            )
        return value

    def seconds(self, row: int, cell: str) -> float | None:
        """Return a duration, or None where it is not told."""
        if not cell:
            return None
        value = parsed_number(cell)
        if value is None or value < 0:
            self.faults.add(row, f"the time is {quoted(cell)}", "expected seconds")
        return value

    def add(self, row: int, judgment: Judgment) -> None:
        """Take a judgment."""
        self._judgments.append(judgment)
        self._rows.append(row)

    def finish(self) -> Judgments:
        """Return what was taken, each identical row once; raise an error if a row was wrong."""
        self.faults.check()
        kept: dict[Judgment, int] = {}
        for row, judgment in zip(self._rows, self._judgments, strict=True):
            if judgment in kept:
                self.omit(row, "rows that repeat another in every cell")
            else:
                kept[judgment] = row
        if not kept:
            raise InputError(
                f"{self._name}: no judgments are left; check that it is the right file"
            )
        return Judgments(tuple(kept), self.omissions(), self._several_answers(kept))

    def omissions(self) -> tuple[Omission, ...]:
        """Return what was left out so far."""
        return tuple(
            Omission(f"{self._name}: {why} ({named_rows(rows)})", len(rows))
            for why, rows in self._omitted.items()
        )

    def _several_answers(self, kept: dict[Judgment, int]) -> tuple[str, ...]:
        """Return a remark on items that one judge answered several times in one hit."""
        first: set[tuple[str, ...]] = set()
        again = []
        for one, row in kept.items():
            key = (one.judge, one.hit, one.pair, one.kind, one.system, one.segment, one.scale)
            if key in first:
                again.append(row)
            first.add(key)
        if not again:
            return ()
        return (
            f"{self._name}: {len(again):,} answers to an item that the same judge had answered in "
            f"the same hit ({named_rows(again)}); all are kept",
        )
