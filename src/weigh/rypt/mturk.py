"""Labels from Mechanical Turk: the columns of a HIT, and results as the site exports them.

A HIT asks about one source span and at most ten alternatives. Its input names the source, the
span and the alternatives; the site repeats them as `Input.…` beside the answers, so that results
say by themselves what they are about. Inputs are HTML, since the site puts them into its page as
they stand; in results they are read back as text.

The paper's own HITs (Zaidan & Callison-Burch 2009) show a source sentence in three parts, of which
the second is highlighted, and alternatives in five, of which 1 and 3 are, around the gap 2. They do
not name their spans: what stands before the highlighted part tells where it begins, also where its
words occur twice. Alternatives that differ in what is left out between their parts are one entry
to us.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import unescape
from typing import NamedTuple

from weigh.errors import InputError
from weigh.read.alignment import plain_word, words_of
from weigh.read.answers import Intake
from weigh.read.judgment_tables import time_of
from weigh.read.records import MAY_MISS, Records
from weigh.read.text import quoted
from weigh.rypt.labels import GAP, Batch, Entry, EntryJudgment, Label, majority, utc
from weigh.rypt.plan import ALTERNATIVES

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


SOURCE, START, END = "source", "start", "end"
SUBSTRINGS = tuple(f"substring_{number}" for number in range(1, ALTERNATIVES + 1))
ANSWERS = tuple(f"label_{number}" for number in range(1, ALTERNATIVES + 1))

NEEDED = (
    *("HITId", "WorkerId", "AssignmentStatus", "SubmitTime", "WorkTimeInSeconds"),
    *(f"Input.{name}" for name in (SOURCE, START, END, *SUBSTRINGS)),
    f"Answer.{ANSWERS[0]}",  # the site has no columns for answers that nobody gave
)


def are_results(records: Records) -> bool:
    """Return whether a table comes from the site and is about our HITs."""
    return {"WorkerId", f"Input.{SOURCE}"} <= set(records.header)


def read_results(records: Records, intake: LabelIntake) -> None:
    """Take the answers of all assignments; those of rejected ones are only counted."""
    missing = next((name for name in NEEDED if name not in records.header), None)
    if missing is not None:
        raise InputError(
            f"{records.name}: no column {quoted(missing)}; give the results of HITs that "
            "weigh rypt queries made, as the site exports them"
        )
    for row, cells in records.checked(MAY_MISS):
        _take(row, cells, intake)


def _take(row: int, cells: Mapping[str, str], intake: LabelIntake) -> None:
    """Take one worker's answers to one HIT; they share its time equally."""
    asked = [
        (unescape(cells[f"Input.{substring}"]), cells.get(f"Answer.{answer}", ""))
        for substring, answer in zip(SUBSTRINGS, ANSWERS, strict=True)
        if cells[f"Input.{substring}"]
    ]
    given = [(substring, answer) for substring, answer in asked if answer]
    if cells["AssignmentStatus"] == "Rejected":
        for _ in given:
            intake.omit(row, "of rejected assignments")
        return
    for _ in range(len(asked) - len(given)):
        intake.omit(row, "missing answers")
    source = unescape(cells[f"Input.{SOURCE}"])
    start = intake.whole(row, cells[f"Input.{START}"], START)
    end = intake.whole(row, cells[f"Input.{END}"], END)
    at = submit_time(row, cells, intake)
    seconds = intake.seconds(row, cells["WorkTimeInSeconds"])
    for substring, answer in given:
        intake.add_label(
            row,
            EntryJudgment(
                Entry(source, start, end, substring),
                intake.label(row, answer),
                intake.filled(row, cells["WorkerId"], "WorkerId"),
                at,
                None if seconds is None else seconds / len(given),
                cells["HITId"],
            ),
        )


def submit_time(row: int, cells: Mapping[str, str], intake: LabelIntake) -> str:
    """Return when an assignment was handed in."""
    at = utc(time_of(cells["SubmitTime"]) or "")
    if at is None:
        intake.faults.add(
            row,
            f"the SubmitTime is {quoted(cells['SubmitTime'])}",
            "expected a time as the site writes it, such as Mon Jun 01 12:00:00 PDT 2009",
        )
    return at or ""


_SOURCE = tuple(f"Input.source_part{part}" for part in (1, 2, 3))
_PAPER_NEEDED = (
    *("HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "SubmitTime", "WorkTimeInSeconds"),
    *_SOURCE,
)
_ALTERNATIVE = re.compile(r"Input\.translation([0-9]{1,3})_part1")
_ANSWERS = {"YES": "YES", "NO": "NO", "NOTSURE": "NOT SURE", "NOT SURE": "NOT SURE"}


class Sources:
    """Source sentences, to be found by their words whatever their case and escapes."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._exact: set[tuple[str, ...]] = set()
        self._plain: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
        for text in texts:
            words = tuple(words_of(text))
            self._exact.add(words)
            self._plain.setdefault(_plain(words), set()).add(words)

    def find(self, words: Sequence[str]) -> tuple[str, ...] | None:
        """Return the words of the sentence as the sources write it, None where none is meant."""
        given = tuple(words)
        if given in self._exact:
            return given
        alike = self._plain.get(_plain(given), set())
        return next(iter(alike)) if len(alike) == 1 else None


def _plain(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(plain_word, words))


class _Assignment(NamedTuple):
    row: int
    cells: Mapping[str, str]


def are_paper_results(records: Records) -> bool:
    """Return whether a table holds results of the paper's HITs."""
    return {"WorkerId", _SOURCE[1]} <= set(records.header)


def read_paper_results(
    records: Records, intake: LabelIntake, sources: Iterable[str] | None
) -> None:
    """Take the answers of all assignments, each once; what is left out is counted."""
    if sources is None:
        raise InputError(
            f"{records.name}: results of the paper's HITs, which do not name their sentences; "
            "import them with weigh rypt labels import STORE FILE -s SRC"
        )
    numbers = [int(match[1]) for name in records.header if (match := _ALTERNATIVE.fullmatch(name))]
    parts = [f"Input.translation{number}_part{part}" for number in numbers for part in (2, 3)]
    missing = next((name for name in (*_PAPER_NEEDED, *parts) if name not in records.header), None)
    if missing is not None or not numbers:
        raise InputError(
            f"{records.name}: no column {quoted(missing or 'Input.translation1_part1')}; give the "
            "results as the site exports them"
        )
    known = Sources(sources)
    for assignment in _once(records, intake):
        _take_paper(assignment, numbers, known, intake)


def _once(records: Records, intake: LabelIntake) -> list[_Assignment]:
    """Return each assignment once, by its id; it is rejected if it is so anywhere."""
    kept: dict[str, _Assignment] = {}
    for row, cells in records.checked(MAY_MISS):
        name = intake.filled(row, cells["AssignmentId"], "AssignmentId")
        first = kept.get(name)
        if first is None:
            kept[name] = _Assignment(row, cells)
            continue
        if _content(first.cells) != _content(cells):
            intake.faults.add(
                row,
                f"the assignment {quoted(name)} of row {first.row:,} with other texts or answers",
                "keep one of the two rows",
            )
        for _ in _given(cells):
            intake.omit(row, "of assignments that stand there twice")
        if cells["AssignmentStatus"] == "Rejected":
            kept[name] = _Assignment(first.row, cells)
    return list(kept.values())


def _content(cells: Mapping[str, str]) -> dict[str, str]:
    """Return what must not change when a batch is downloaded again."""
    return {
        name: cell
        for name, cell in cells.items()
        if name.startswith(("Input.", "Answer.")) or name == "WorkerId"
    }


def _given(cells: Mapping[str, str]) -> list[str]:
    return [name for name, cell in cells.items() if name.startswith("Answer.RANK_") and cell]


def _take_paper(
    assignment: _Assignment, numbers: Sequence[int], sources: Sources, intake: LabelIntake
) -> None:
    """Take one worker's answers to one HIT; they share its time equally."""
    row, cells = assignment
    answers: dict[str, list[Label]] = {}
    unanswered = blank = 0
    for number in numbers:
        parts = [_words(cells[f"Input.translation{number}_part{part}"]) for part in (1, 2, 3)]
        answer = cells.get(f"Answer.RANK_{number}", "")
        if not parts[0] and not parts[2]:
            blank += bool(answer)
        elif not answer:
            unanswered += 1
        else:
            label = intake.label(row, _ANSWERS.get(answer, answer))
            answers.setdefault(_substring(*parts), []).append(label)
    given = sum(map(len, answers.values()))
    if cells["AssignmentStatus"] == "Rejected":
        _omit(intake, row, given + blank, "of rejected assignments")
        return
    _omit(intake, row, unanswered, "missing answers")
    _omit(intake, row, blank, "to blank alternatives")
    before, span, after = (_words(cells[name]) for name in _SOURCE)
    words = sources.find([*before, *span, *after])
    if words is None:
        _omit(intake, row, given, "on sentences that the source file does not have")
        return
    if not span:
        intake.faults.add(row, f"{_SOURCE[1]} is blank", "expected the words that are asked about")
    at = submit_time(row, cells, intake)
    seconds = intake.seconds(row, cells["WorkTimeInSeconds"])
    entry = Entry(" ".join(words), len(before), len(before) + len(span), "")
    for substring, labels in answers.items():
        _omit(
            intake, row, len(labels) - 1, "on alternatives that differ only in a gap, taken as one"
        )
        intake.add_label(
            row,
            EntryJudgment(
                entry._replace(substring=substring),
                majority(labels),
                intake.filled(row, cells["WorkerId"], "WorkerId"),
                at,
                None if seconds is None else seconds * len(labels) / given,
                cells["HITId"],
            ),
        )


def _omit(intake: LabelIntake, row: int, count: int, why: str) -> None:
    for _ in range(count):
        intake.omit(row, why)


def _words(cell: str) -> list[str]:
    text = unescape(cell)
    return words_of(text) if text.strip() else []  # as &nbsp; keeps a cell open


def _substring(first: Sequence[str], gap: Sequence[str], second: Sequence[str]) -> str:
    """Return the highlighted words, with one mark for what stands between them."""
    between = [GAP] if first and gap and second else []
    return " ".join([*first, *between, *second])
