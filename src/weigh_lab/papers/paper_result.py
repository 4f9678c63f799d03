"""Results of re-running a paper: tables and figures beside the published ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from weigh.result import Extent, Result, checked, sometimes
from weigh_lab.papers.plan import PaperPlan


@dataclass(frozen=True, slots=True)
class PaperCell:
    """A number of ours and the one that was published; either may be missing.

    `printed` is the published number as the paper prints it, in our unit. `note` says what differs
    and why, where that is more than the table's own notes say.
    """

    ours: float | None = None
    published: float | None = sometimes()
    note: str = sometimes("")
    printed: str = sometimes("")

    @classmethod
    def beside(cls, ours: float | None, printed: str, note: str = "") -> PaperCell:
        """Put a number as it was printed beside ours; "" where the paper has none.

        >>> PaperCell.beside(0.0002, "<.0001").published
        0.0001
        """
        published = float(printed.removeprefix("<").replace(",", "")) if printed else None
        return cls(ours, published, note, printed)


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A row of a table: what it is about, as many words as the table has keys, and its cells."""

    about: tuple[str, ...]
    cells: tuple[PaperCell, ...]

    @classmethod
    def of(cls, about: tuple[str, ...], ours: Iterable[float | None]) -> PaperRow:
        """Return a row of numbers of ours alone."""
        return cls(about, tuple(map(PaperCell, ours)))

    @classmethod
    def of_paper(cls, about: tuple[str, ...], printed: Iterable[str]) -> PaperRow:
        """A row of published numbers only; "" where the paper has none."""
        return cls(about, tuple(PaperCell.beside(None, text) for text in printed))


@dataclass(frozen=True, slots=True)
class PaperColumn:
    """A column of numbers: its title, and how its numbers are shown.

    A column of `p_values` shows them as papers print them; one of whole numbers has 0 decimals.
    """

    title: str
    decimals: int = 2
    p_values: bool = sometimes(False)


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table of a paper, as `label` names it; `notes` say what differs and why.

    `published` are rows of the paper that are about its own systems or texts, and so have no
    number of ours beside them.
    """

    label: str
    title: str
    keys: tuple[str, ...]
    columns: tuple[PaperColumn, ...]
    rows: tuple[PaperRow, ...]
    notes: tuple[str, ...] = ()
    published: tuple[PaperRow, ...] = sometimes(())

    def __post_init__(self) -> None:
        for row in (*self.rows, *self.published):
            fits = len(row.about) == len(self.keys) and len(row.cells) == len(self.columns)
            checked(fits, f"{self.label}: a row that is not as wide as its table")


@dataclass(frozen=True, slots=True)
class PaperPoint:
    """A point of a curve, and the ends of its interval where it has one."""

    x: float
    y: float
    interval: tuple[float, float] | None = sometimes()


@dataclass(frozen=True, slots=True)
class PaperCurve:
    """Points with what they are called; those that are no course are not `joined`."""

    label: str
    points: tuple[PaperPoint, ...]
    joined: bool = sometimes(True)


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """A figure of a paper, as `label` names it, with our numbers."""

    label: str
    title: str
    across: str
    up: str
    curves: tuple[PaperCurve, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PaperResult(Result):
    """A reproduced paper: every paper has its own class and command.

    `material` names the texts; `test_set` is the one that most tables are about. `findings` say in
    words what came of it, `left_out` what was not run again and why.
    """

    paper: str
    plan: PaperPlan
    material: str
    test_set: Extent
    signatures: Mapping[str, str]
    tables: tuple[PaperTable, ...]
    figures: tuple[PaperFigure, ...] = ()
    findings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
