"""Files of labels: JSON lines and TSV are read and written, results of Mechanical Turk only read.

Our own columns are those of an entry and of a judgment on it: words are counted from 0, and `end`
is the first word after the span. Results of Mechanical Turk are those of our HITs or the paper's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape

from weigh.errors import InputError, did_you_mean
from weigh.read.alignment import plain_word, words_of
from weigh.read.answers import Intake, Omission
from weigh.read.judgment_tables import time_of
from weigh.read.records import MAY_MISS, Faults, Records, parse_records
from weigh.read.text import quoted, read_whole, shown
from weigh.rypt.hits import ANSWERS, END, SOURCE, START, SUBSTRINGS
from weigh.rypt.labels import (
    ANONYMOUS,
    GAP,
    Entry,
    EntryJudgment,
    Label,
    LabelBatch,
    check_rows,
    majority,
    utc,
    without_contradictions,
)

ENDINGS = (".jsonl", ".tsv", ".csv")


def is_file_of_labels(location: str) -> bool:
    """Whether a name is that of a file of labels rather than a store."""
    return "://" not in location and location.lower().removesuffix(".gz").endswith(ENDINGS)


NEEDED = ("source", "start", "end", "substring", "label")
COLUMNS = (*NEEDED, "judge", "at", "seconds", "origin", "corrects")

# A HIT asks about one source span and at most ten alternatives. Its input names the source, the
# span and the alternatives; the site repeats them as `Input.…` beside the answers, so that results
# say by themselves what they are about.
_SITE = ("HITId", "WorkerId", "AssignmentStatus", "SubmitTime", "WorkTimeInSeconds")
_INPUTS = tuple(f"Input.{name}" for name in (SOURCE, START, END, *SUBSTRINGS))
_ANSWERS = tuple(f"Answer.{name}" for name in ANSWERS)
RESULTS = (*_SITE, *_INPUTS, _ANSWERS[0])  # the site has no columns for answers that nobody gave


def _fields(judgment: EntryJudgment) -> dict[str, object]:
    fields = {**judgment.entry._asdict(), **judgment._asdict()}
    del fields["entry"]
    return fields


def as_jsonl(judgments: Iterable[EntryJudgment]) -> Iterator[str]:
    """One JSON object per judgment, without unknown fields."""
    import json

    for judgment in judgments:
        filled = {
            name: value for name, value in _fields(judgment).items() if value not in (None, "")
        }
        yield json.dumps(filled, ensure_ascii=False)


def as_tsv(judgments: Iterable[EntryJudgment]) -> Iterator[str]:
    """A header and one line per judgment; unknown fields are empty."""
    yield "\t".join(COLUMNS)
    for judgment in judgments:
        fields = _fields(judgment)
        cells = (fields[name] for name in COLUMNS)
        yield "\t".join("" if cell is None else str(cell) for cell in cells)


WRITERS: dict[str, Callable[[Iterable[EntryJudgment]], Iterator[str]]] = {
    "jsonl": as_jsonl,
    "tsv": as_tsv,
}
"""What writes labels in each of the forms, as lines."""


# Reading: each file is read as what its columns say.


@dataclass(frozen=True, slots=True)
class Imported:
    """The judgments of one file, what was left out of it, and what a reader should know.

    `used_sources` says that sentences were found in the sources that were given.
    """

    batch: LabelBatch
    omissions: tuple[Omission, ...] = ()
    remarks: tuple[str, ...] = ()
    used_sources: bool = False


_LABELS = {str(label): label for label in Label}


class LabelIntake(Intake):
    """Takes labels row by row, counts what is left out and remembers what is wrong."""

    def __init__(self, faults: Faults) -> None:
        super().__init__(faults)
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

    def time(self, row: int, cell: str) -> str:
        """Return a time as UTC, empty where there is none."""
        if not cell:
            return ""
        time = utc(cell)
        if time is None:
            self.faults.add(
                row,
                f"the time is {quoted(cell)}",
                "expected ISO 8601 with an offset, such as 2009-06-01T12:00:00Z",
            )
        return time or ""

    def omit_several(self, row: int, count: int, why: str) -> None:
        """Count answers that are left out."""
        for _ in range(count):
            self.omit(row, why)

    def add_label(self, row: int, judgment: EntryJudgment) -> None:
        """Take a judgment on an entry."""
        self._labels.append(judgment)
        self._label_rows.append(row)

    def batch(self) -> LabelBatch:
        """Return the labels read; raise an error if a cell was wrong."""
        self.faults.check()
        return LabelBatch(self.faults.name, self._labels, self._label_rows)


def read_judgments(path: str, sources: Iterable[str] | None = None) -> Imported:
    """Return the judgments of a file in any of the formats; its columns tell which.

    `sources` are where results of the paper's own HITs find their sentences.
    """
    records = parse_records(read_whole(path), Faults(shown(path)))
    intake = LabelIntake(records.faults)
    columns = set(records.header)
    of_paper = {"WorkerId", _PAPER_SOURCE[1]} <= columns
    if {"WorkerId", f"Input.{SOURCE}"} <= columns:
        _read_results(records, intake)
    elif of_paper:
        _read_paper_results(records, intake, sources)
    else:
        _read_own(records, intake)
    batch = intake.batch()
    check_rows(batch)
    without_contradictions([batch], {})
    return Imported(batch, intake.omissions(), records.remarks, of_paper)


def _missing_column(records: Records, needed: Iterable[str]) -> str | None:
    """Return the first column that a file lacks."""
    return next((name for name in needed if name not in records.header), None)


# Our own columns, of which NEEDED are needed. Without a judge it is an anonymous one. Times are in
# ISO 8601 with an offset.


def _read_own(records: Records, intake: LabelIntake) -> None:
    missing = _missing_column(records, NEEDED)
    if missing is not None:
        raise InputError(
            f"{records.name}: no column {quoted(missing)}; labels need {', '.join(NEEDED)}"
        )
    unknown = next((name for name in records.header if name not in COLUMNS), None)
    if unknown is not None:
        raise InputError(
            f"{records.name}: unknown column {quoted(unknown)}; {did_you_mean(unknown, COLUMNS)}"
        )
    for row, cells in records.rows_by_name():
        entry = Entry(
            cells["source"],
            intake.whole(row, cells["start"], "start"),
            intake.whole(row, cells["end"], "end"),
            cells["substring"],
        )
        judgment = EntryJudgment(
            entry,
            intake.label(row, cells["label"]),
            cells.get("judge") or ANONYMOUS,
            intake.time(row, cells.get("at", "")),
            intake.seconds(row, cells.get("seconds", "")),
            cells.get("origin", ""),
            intake.time(row, cells.get("corrects", "")),
        )
        intake.add_label(row, judgment)


# Results of Mechanical Turk, as the site exports them: columns RESULTS, of which the inputs are
# HTML, since the site puts them into its page as they stand.


def _read_results(records: Records, intake: LabelIntake) -> None:
    """Take the answers of all assignments; those of rejected ones are only counted."""
    missing = _missing_column(records, RESULTS)
    if missing is not None:
        raise InputError(
            f"{records.name}: no column {quoted(missing)}; give the results of HITs that "
            "weigh rypt queries made, as the site exports them"
        )
    for row, cells in records.rows_by_name(MAY_MISS):
        _take_assignment(row, cells, intake)


def _take_assignment(row: int, cells: Mapping[str, str], intake: LabelIntake) -> None:
    """Take one worker's answers to one HIT."""
    pairs = [
        (unescape(cells[f"Input.{substring}"]), cells.get(f"Answer.{answer}", ""))
        for substring, answer in zip(SUBSTRINGS, ANSWERS, strict=True)
        if cells[f"Input.{substring}"]
    ]
    answered = [(substring, answer) for substring, answer in pairs if answer]
    if cells["AssignmentStatus"] == "Rejected":
        intake.omit_several(row, len(answered), "of rejected assignments")
        return
    intake.omit_several(row, len(pairs) - len(answered), "missing answers")
    start, end = (intake.whole(row, cells[f"Input.{name}"], name) for name in (START, END))
    entry = Entry(unescape(cells[f"Input.{SOURCE}"]), start, end, "")
    labels = ((substring, intake.label(row, answer), 1) for substring, answer in answered)
    _add_answers(row, cells, intake, entry, labels, len(answered))


def _add_answers(
    row: int,
    cells: Mapping[str, str],
    intake: LabelIntake,
    entry: Entry,
    labels: Iterable[tuple[str, Label, int]],
    total: int,
) -> None:
    """Take labels of a span's substrings, each made of some of an assignment's answers.

    So many answers in `total` share the assignment's time equally.
    """
    at = utc(time_of(cells["SubmitTime"]) or "")
    if at is None:
        intake.faults.add(
            row,
            f"the SubmitTime is {quoted(cells['SubmitTime'])}",
            "expected a time as the site writes it, such as Mon Jun 01 12:00:00 PDT 2009",
        )
    seconds = intake.seconds(row, cells["WorkTimeInSeconds"])
    for substring, label, answers in labels:
        intake.add_label(
            row,
            EntryJudgment(
                entry._replace(substring=substring),
                label,
                intake.required_cell(row, cells["WorkerId"], "WorkerId"),
                at or "",
                None if seconds is None else seconds * answers / total,
                cells["HITId"],
            ),
        )


# The paper's own HITs (Zaidan & Callison-Burch 2009) show a source sentence in three parts, of
# which the second is highlighted, and alternatives in five, of which 1 and 3 are, around the gap 2.
# They do not name their spans: what stands before the highlighted part tells where it begins, also
# where its words occur twice. Alternatives that differ in what is left out between their parts are
# one entry to us.

_PAPER_SOURCE = tuple(f"Input.source_part{part}" for part in (1, 2, 3))
_PAPER_NEEDED = (
    *("HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "SubmitTime", "WorkTimeInSeconds"),
    *_PAPER_SOURCE,
)
_ALTERNATIVE = re.compile(r"Input\.translation([0-9]{1,3})_part1")
_PAPER_LABELS = {"YES": "YES", "NO": "NO", "NOTSURE": "NOT SURE", "NOT SURE": "NOT SURE"}


Sentences = Mapping[tuple[str, ...], Collection[tuple[str, ...]]]
"""The words of source sentences by their form without case and escapes."""


def _sentences(texts: Iterable[str]) -> Sentences:
    sentences: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for text in texts:
        words = tuple(words_of(text))
        sentences.setdefault(tuple(map(plain_word, words)), set()).add(words)
    return sentences


def _meant(words: tuple[str, ...], sentences: Sentences) -> tuple[str, ...] | None:
    """The sentence as the sources write it; None if none or several match."""
    alike = sentences.get(tuple(map(plain_word, words)), ())
    if words in alike:
        return words
    return next(iter(alike)) if len(alike) == 1 else None


def _read_paper_results(
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
    missing = _missing_column(records, (*_PAPER_NEEDED, *parts))
    if missing is not None or not numbers:
        raise InputError(
            f"{records.name}: no column {quoted(missing or 'Input.translation1_part1')}; give the "
            "results as the site exports them"
        )
    sentences = _sentences(sources)
    for row, cells in _distinct_assignments(records, intake):
        _take_paper_assignment(row, cells, numbers, sentences, intake)


def _distinct_assignments(
    records: Records, intake: LabelIntake
) -> Iterable[tuple[int, Mapping[str, str]]]:
    """Return each assignment once, by its id; it is rejected if it is so anywhere."""
    kept: dict[str, tuple[int, Mapping[str, str]]] = {}
    for row, cells in records.rows_by_name(MAY_MISS):
        name = intake.required_cell(row, cells["AssignmentId"], "AssignmentId")
        first, before = kept.setdefault(name, (row, cells))
        if first == row:
            continue
        if _content(before) != _content(cells):
            intake.faults.add(
                row,
                f"the assignment {quoted(name)} is also in row {first:,}, with other texts or "
                "answers",
                "keep one of the two rows",
            )
        columns = [
            column for column in cells if column.startswith("Answer.RANK_") and cells[column]
        ]
        intake.omit_several(row, len(columns), "of assignments that occur twice")
        if cells["AssignmentStatus"] == "Rejected":
            kept[name] = first, cells
    return kept.values()


def _content(cells: Mapping[str, str]) -> dict[str, str]:
    """Fields that must not change when a batch is downloaded again."""
    return {
        name: cell
        for name, cell in cells.items()
        if name.startswith(("Input.", "Answer.")) or name == "WorkerId"
    }


def _take_paper_assignment(
    row: int,
    cells: Mapping[str, str],
    numbers: Sequence[int],
    sentences: Sentences,
    intake: LabelIntake,
) -> None:
    """Take one worker's answers to one HIT."""
    answers: dict[str, list[Label]] = {}
    unanswered = blank = 0
    for number in numbers:
        first, gap, second = (
            _words(cells[f"Input.translation{number}_part{part}"]) for part in (1, 2, 3)
        )
        answer = cells.get(f"Answer.RANK_{number}", "")
        if not first and not second:
            blank += bool(answer)
        elif not answer:
            unanswered += 1
        else:
            between = [GAP] if first and gap and second else []
            label = intake.label(row, _PAPER_LABELS.get(answer, answer))
            answers.setdefault(" ".join([*first, *between, *second]), []).append(label)
    count = sum(map(len, answers.values()))
    if cells["AssignmentStatus"] == "Rejected":
        intake.omit_several(row, count + blank, "of rejected assignments")
        return
    intake.omit_several(row, unanswered, "missing answers")
    intake.omit_several(row, blank, "to blank alternatives")
    before, span, after = (_words(cells[name]) for name in _PAPER_SOURCE)
    words = _meant((*before, *span, *after), sentences)
    if words is None:
        intake.omit_several(row, count, "on sentences that the source file does not have")
        return
    if not span:
        intake.faults.add(row, f"{_PAPER_SOURCE[1]} is blank", "expected the words of the question")
    again = count - len(answers)
    intake.omit_several(row, again, "on alternatives that differ only in a gap, merged")
    entry = Entry(" ".join(words), len(before), len(before) + len(span), "")
    labels = ((text, majority(votes), len(votes)) for text, votes in answers.items())
    _add_answers(row, cells, intake, entry, labels, count)


def _words(cell: str) -> list[str]:
    text = unescape(cell)
    return words_of(text) if text.strip() else []  # as &nbsp; keeps a cell open
