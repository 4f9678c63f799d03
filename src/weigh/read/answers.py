"""What people answered, as a file tells it: judgments or preferences, and what was left out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from weigh.errors import InputError, plural
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
BadRows = Literal["refuse", "skip"]


@dataclass(frozen=True, slots=True)
class Omission:
    """Answers, or rows of the file, that are not used, and why."""

    why: str
    count: int
    unit: Literal["answer", "row"] = "answer"

    @property
    def extent(self) -> str:
        """How much is left out, in words."""
        return plural(self.count, self.unit)

    @property
    def fields(self) -> dict[str, str | int]:
        """What a program wants to know of it."""
        unit = {} if self.unit == "answer" else {"unit": self.unit}
        return {"why": self.why, "count": self.count, **unit}


@dataclass(frozen=True, slots=True)
class Judgments:
    """All judgments of some files; `remarks` say what a reader of the results should know.

    `names` are those of the judges in the files, where the judgments number them.
    """

    judgments: tuple[Judgment, ...]
    omissions: tuple[Omission, ...] = ()
    remarks: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Preferences:
    """All preferences of some files, ties among them."""

    preferences: tuple[Preference, ...]
    omissions: tuple[Omission, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Taken:
    """One judgment of a file, and its row.

    `question`, where there is one, is what only the last answer to counts. `shares_time` says that
    the judgment's seconds are those of its whole hit.
    """

    row: int
    judgment: Judgment
    question: Hashable = None
    shares_time: bool = False


@dataclass(frozen=True, slots=True)
class Screen:
    """One row of a file of relative rankings: what its cells say, and the preferences in it."""

    row: int
    judge: str | None
    cells: tuple[tuple[str, str], ...]
    preferences: tuple[Preference, ...]


Answer = TypeVar("Answer", Taken, Screen)


@dataclass(frozen=True, slots=True)
class Holding(Generic[Answer]):
    """All that one file holds, repeated answers among it."""

    name: str
    answers: tuple[Answer, ...]
    omissions: tuple[Omission, ...] = ()
    remarks: tuple[str, ...] = ()


class Intake:
    """Takes the rows of one file, counts what is left out and remembers what is wrong."""

    def __init__(
        self, name: str, bounds: tuple[float, float] = BOUNDS, faults: Faults | None = None
    ) -> None:
        self.faults = faults or Faults(name)
        self._name = name
        self._bounds = bounds
        self._taken: list[Taken] = []
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

    def add(
        self,
        row: int,
        judgment: Judgment,
        *,
        question: Hashable = None,
        shares_time: bool = False,
    ) -> None:
        """Take a judgment."""
        self._taken.append(Taken(row, judgment, question, shares_time))

    def finish(self) -> Holding[Taken]:
        """Return what was taken; raise an error if a row was wrong and is not to be skipped."""
        self.faults.check()
        bad = self.faults.rows
        taken = tuple(each for each in self._taken if each.row not in bad)
        if not taken:
            raise none_left(self.faults, "judgments are left", "that it is the right file")
        return Holding(self._name, taken, self.omissions(), self.faults.remarks())

    def omissions(self) -> tuple[Omission, ...]:
        """Return what was left out so far."""
        bad = self.faults.rows
        kept = {why: [row for row in rows if row not in bad] for why, rows in self._omitted.items()}
        return (
            *(
                Omission(f"{self._name}: {why} ({named_rows(rows)})", len(rows))
                for why, rows in kept.items()
                if rows
            ),
            *unreadable(self.faults),
        )


def none_left(faults: Faults, what: str, check: str) -> InputError:
    """Return what is said of a file of which nothing can be used."""
    bad = faults.rows
    said = f" (of {len(bad):,} bad rows, the first: {next(iter(bad.values()))})" if bad else ""
    return InputError(f"{faults.name}: no {what}{said}; check {check}")


def unreadable(faults: Faults) -> list[Omission]:
    """Return how many rows were left out because they cannot be read."""
    rows = list(faults.rows)
    why = f"{faults.name}: rows that cannot be read ({named_rows(rows)})"
    return [Omission(why, len(rows), "row")] if rows else []
