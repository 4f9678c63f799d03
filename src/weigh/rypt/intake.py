"""The rows of a file of labels: what their cells mean, and what is wrong with them."""

from __future__ import annotations

from weigh.read.answers import Intake
from weigh.read.stream import quoted
from weigh.rypt.batch import Batch
from weigh.rypt.judgment import EntryJudgment
from weigh.rypt.label import Label

_LABELS = {str(label): label for label in Label}


class LabelIntake(Intake):
    """Takes labels row by row, counts what is left out and remembers what is wrong."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._labels: list[EntryJudgment] = []
        self._label_rows: list[int] = []

    def whole(self, row: int, cell: str, column: str) -> int:
        """Return a whole number."""
        if not (cell.isascii() and cell.isdigit() and len(cell) < 10):
            self.faults.add(row, f"the {column} is {quoted(cell)}", "expected a number of words")
            return 0
        return int(cell)

    def label(self, row: int, cell: str) -> Label:
        """Return a label by its name."""
        if cell not in _LABELS:
            self.faults.add(
                row, f"the label is {quoted(cell)}", f"expected one of {', '.join(_LABELS)}"
            )
        return _LABELS.get(cell, Label.NOT_SURE)

    def add_label(self, row: int, judgment: EntryJudgment) -> None:
        """Take a judgment on an entry."""
        self._labels.append(judgment)
        self._label_rows.append(row)

    def batch(self) -> Batch:
        """Return what was taken; raise an error if a cell was wrong."""
        self.faults.check()
        return Batch(self._name, self._labels, self._label_rows)
