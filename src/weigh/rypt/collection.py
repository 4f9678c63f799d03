"""Labels that people gave, in files and stores: read, add and write them.

Files are our own JSON lines and TSV, and results of Mechanical Turk, of our HITs or the paper's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from os import PathLike, fspath
from typing import TYPE_CHECKING, NamedTuple

from weigh.errors import InputError, MissingExtraError, UsageError, did_you_mean, plural
from weigh.read.alignment import plain_word, words_of
from weigh.read.answers import Intake, Omission
from weigh.read.campaign_tables import (
    LABELLED,
    SCHEMA,
    CollectedCampaign,
    from_written,
    is_campaign,
    kinds_at,
    read_campaign,
    read_omissions,
    split_location,
    tables_at,
)
from weigh.read.cells import unguarded
from weigh.read.judgment_tables import time_of
from weigh.read.records import MAY_MISS, Records, parse_records
from weigh.read.text import quoted, read_texts, read_whole, shown
from weigh.rypt.hits import ANSWERS, END, SOURCE, START, SUBSTRINGS
from weigh.rypt.label_files import COLUMNS, NEEDED, RESULTS, WRITERS
from weigh.rypt.labels import (
    ANONYMOUS,
    GAP,
    Added,
    Batch,
    Entry,
    EntryJudgment,
    Label,
    LabelsResult,
    SpanLabels,
    aggregated,
    check_rows,
    collected,
    majority,
    utc,
    votes,
    without_contradictions,
)
from weigh.rypt.plan import CollectionPlan

if TYPE_CHECKING:
    from weigh.rypt.store import LabelStore

ENDINGS = (".jsonl", ".tsv", ".csv")
_STORE = "rypt_schema"  # the table that every store has


def is_file_of_labels(location: str) -> bool:
    """Return whether a name is that of a file of labels, and not of a store."""
    return "://" not in location and location.lower().removesuffix(".gz").endswith(ENDINGS)


def open_store(location: str | PathLike[str], create: bool = False) -> LabelStore:
    """Return the store in a SQLite file or at the URL of a PostgreSQL database.

    `create` makes one where there is none.
    """
    place = fspath(location)
    try:
        from weigh.rypt.store import LabelStore
    except ImportError as error:  # it is not there, or older than 2
        if error.name != "sqlalchemy":
            raise
        shown_place = "postgresql://…" if "://" in place else shown(place)
        raise MissingExtraError(
            f"{shown_place}: a label store needs SQLAlchemy 2; install it with "
            "pip install 'weigh[labels]', or give labels as .jsonl or .tsv"
        ) from None
    return LabelStore(place, create)


class LabelSource(NamedTuple):
    """The judgments of a store, of a campaign or of a file of labels, and its name for messages."""

    name: str
    judgments: Iterable[EntryJudgment]
    omissions: tuple[Omission, ...] = ()

    @classmethod
    def read(cls, location: str, sources: Collection[str] | None = None) -> LabelSource:
        """Open a store, or read a campaign or a file; of `sources` alone where they are named.

        In a database that has both, the labels of the store and of the campaign are taken
        together, unless `#NAME` behind it names the campaign.
        """
        if is_file_of_labels(location):
            batch = read_judgments(location, sources).batch
            return cls(batch.name, batch.judgments)
        tables = tables_at(location)
        name = split_location(location)[1]
        if SCHEMA in tables and (_STORE not in tables or name is not None):
            return collected_labels(read_campaign(location, LABELLED), sources)
        store = open_store(location)
        if SCHEMA not in tables or not {*LABELLED} & {*kinds_at(location)}:
            return cls(store.name, store.judgments(sources))
        collected = collected_labels(read_campaign(location, LABELLED), sources, needed=False)
        return cls(
            f"{store.name} (labels of the store and of a campaign)",
            [*store.judgments(sources), *collected.judgments],
            collected.omissions,
        )


@from_written
def collected_labels(
    campaign: CollectedCampaign, sources: Collection[str] | None = None, *, needed: bool = True
) -> LabelSource:
    """Return the labels of a campaign: what was said last of each screen of each slot.

    The labels of a screen share its time equally.
    """
    judgments = []
    for answer in campaign.needed(LABELLED) if needed else campaign.of_kind(*LABELLED):
        about = answer.about
        labels: dict[str, list[Label]] = {}
        for name, substring in about["substrings"].items():
            labels.setdefault(substring, []).append(Label(answer.answers[name]))
        screen = len(about["substrings"])
        judgments += [
            EntryJudgment(
                Entry(about["source"], about["start"], about["end"], substring),
                majority(given),  # of one, unless the screen showed the same words twice
                answer.judge,
                answer.at,
                None if answer.seconds is None else answer.seconds * len(given) / screen,
                answer.batch,
            )
            for substring, given in labels.items()
            if sources is None or about["source"] in sources
        ]
    check_rows(Batch(campaign.place, judgments))
    return LabelSource(campaign.place, judgments, campaign.omissions(LABELLED))


def remarks_on_labels(location: str) -> tuple[str, ...]:
    """Return what is left out of the labels of a campaign; of others nothing is."""
    if is_file_of_labels(location) or not is_campaign(location):
        return ()
    if split_location(location)[1] is None and not {*LABELLED} & {*kinds_at(location)}:
        return ()
    return tuple(
        f"{each.extent} left out: {each.why}" for each in read_omissions(location, LABELLED)
    )


def read_labels(
    location: str, sources: Sequence[str] | None = None, aggregate: str = "majority"
) -> Mapping[str, SpanLabels]:
    """Return what the judges' last labels on every entry say together, by source.

    They are those of a store, a campaign or a file, and `aggregate` says how several become one. A
    store is asked for those of `sources` alone.
    """
    if is_file_of_labels(location):
        return aggregated(votes(read_judgments(location, sources).batch.judgments), aggregate)
    if is_campaign(location):
        return aggregated(votes(LabelSource.read(location).judgments), aggregate)
    wanted = None if sources is None else {" ".join(words_of(source)) for source in sources}
    return open_store(location).aggregate(wanted, aggregate)


def summarize_labels(location: str, plan: CollectionPlan | None = None) -> LabelsResult:
    """Count what a store, a campaign or a file of labels holds, and how far its judges agree."""
    source = LabelSource.read(location)
    return LabelsResult(collected(source.name, list(source.judgments), plan or CollectionPlan()))


@dataclass(frozen=True, slots=True)
class Addition:
    """What was added to a store, by its name for messages, and what to know of the files."""

    store: str
    added: Added
    remarks: tuple[str, ...] = ()


def import_labels(store: str, files: Sequence[str], sources: str | None = None) -> Addition:
    """Add the labels of files to a store, all or none; it is made where there is none.

    `sources` is a file of source texts, in which results of the paper's own HITs find theirs.
    """
    _check_store("import", store)
    texts = None if sources is None else read_texts(sources)
    read = [read_judgments(path, texts) for path in files]
    if texts is not None and not any(each.used_sources for each in read):
        raise UsageError("--src is for results of the paper's own HITs; leave it out")
    remarks = [
        said
        for each in read
        for said in (
            *each.remarks,
            *(f"left out, {plural(some.count, 'answer')}: {some.why}" for some in each.omissions),
        )
    ]
    return _add(store, [each.batch for each in read], remarks)


def merge_labels(store: str, others: Sequence[str]) -> Addition:
    """Add the labels of other stores to a store, all or none; it is made where there is none."""
    _check_store("merge", store)
    if store in others:
        raise UsageError(f"merge: {store!r} is named twice; name another store")
    for other in others:
        if is_file_of_labels(other):
            raise UsageError(
                f"merge: {shown(other)} is the name of a file of labels, not of a store; add it "
                "with weigh rypt labels import"
            )
    opened = [LabelSource.read(place) for place in others]
    said = [
        f"{omission.extent} left out: {omission.why}"
        for each in opened
        for omission in each.omissions
    ]
    return _add(store, [Batch(each.name, list(each.judgments)) for each in opened], said)


def _check_store(action: str, place: str) -> None:
    """Refuse a name that every reader takes for a file of labels."""
    if is_file_of_labels(place):
        raise UsageError(
            f"{action}: {shown(place)} is the name of a file of labels, not of a store; "
            "name the store first, such as labels.db"
        )


def _add(place: str, batches: Sequence[Batch], remarks: Sequence[str] = ()) -> Addition:
    without_contradictions(batches, {})  # before a store is made that would stay empty
    store = open_store(place, create=True)
    return Addition(store.name, store.add_batches(batches), tuple(remarks))


# Files, of which each is read as what its columns say.


@dataclass(frozen=True, slots=True)
class Imported:
    """The judgments of one file, what was left out of it, and what a reader should know.

    `used_sources` says that sentences were found in the sources that were given.
    """

    batch: Batch
    omissions: tuple[Omission, ...] = ()
    remarks: tuple[str, ...] = ()
    used_sources: bool = False


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

    def omit_several(self, row: int, count: int, why: str) -> None:
        """Count answers that are left out."""
        for _ in range(count):
            self.omit(row, why)

    def add_label(self, row: int, judgment: EntryJudgment) -> None:
        """Take a judgment on an entry."""
        self._labels.append(judgment)
        self._label_rows.append(row)

    def batch(self) -> Batch:
        """Return what was taken; raise an error if a cell was wrong."""
        self.faults.check()
        return Batch(self._name, self._labels, self._label_rows)


def read_judgments(path: str, sources: Iterable[str] | None = None) -> Imported:
    """Return the judgments of a file in any of the formats; its columns tell which.

    `sources` are where results of the paper's own HITs find their sentences.
    """
    records = parse_records(read_whole(path), shown(path))
    intake = LabelIntake(records.name)
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


def _missing(records: Records, needed: Iterable[str]) -> str | None:
    """Return the first column that a file lacks."""
    return next((name for name in needed if name not in records.header), None)


# Our own columns, of which NEEDED are needed. Without a judge it is an anonymous one. Times are in
# ISO 8601 with an offset.


def _read_own(records: Records, intake: LabelIntake) -> None:
    missing = _missing(records, NEEDED)
    if missing is not None:
        raise InputError(
            f"{records.name}: no column {quoted(missing)}; labels need {', '.join(NEEDED)}"
        )
    unknown = next((name for name in records.header if name not in COLUMNS), None)
    if unknown is not None:
        raise InputError(
            f"{records.name}: unknown column {quoted(unknown)}; {did_you_mean(unknown, COLUMNS)}"
        )
    for row, cells in records.checked():
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
            _time(row, cells.get("at", ""), intake),
            intake.seconds(row, cells.get("seconds", "")),
            cells.get("origin", ""),
            _time(row, cells.get("corrects", ""), intake),
        )
        intake.add_label(row, judgment)


def _time(row: int, cell: str, intake: LabelIntake) -> str:
    if not cell:
        return ""
    time = utc(cell)
    if time is None:
        intake.faults.add(
            row,
            f"the time is {quoted(cell)}",
            "expected ISO 8601 with an offset, such as 2009-06-01T12:00:00Z",
        )
    return time or ""


def export_labels(location: str, form: str = "jsonl") -> Iterator[str]:
    """Yield the lines of all labels of a store or a file as `jsonl`, `tsv` or `mturk`."""
    if form not in WRITERS:
        raise UsageError(f"unknown format {form!r}; {did_you_mean(form, WRITERS)}")
    return WRITERS[form](LabelSource.read(location).judgments)


# Results of Mechanical Turk, as the site exports them: columns RESULTS, of which the inputs are
# HTML, since the site puts them into its page as they stand.


def _read_results(records: Records, intake: LabelIntake) -> None:
    """Take the answers of all assignments; those of rejected ones are only counted."""
    missing = _missing(records, RESULTS)
    if missing is not None:
        raise InputError(
            f"{records.name}: no column {quoted(missing)}; give the results of HITs that "
            "weigh rypt queries made, as the site exports them"
        )
    for row, cells in records.checked(MAY_MISS):
        _take(row, cells, intake)


def _take(row: int, cells: Mapping[str, str], intake: LabelIntake) -> None:
    """Take one worker's answers to one HIT."""
    asked = [
        (unescape(cells[f"Input.{substring}"]), cells.get(f"Answer.{answer}", ""))
        for substring, answer in zip(SUBSTRINGS, ANSWERS, strict=True)
        if cells[f"Input.{substring}"]
    ]
    given = [(substring, answer) for substring, answer in asked if answer]
    if cells["AssignmentStatus"] == "Rejected":
        intake.omit_several(row, len(given), "of rejected assignments")
        return
    intake.omit_several(row, len(asked) - len(given), "missing answers")
    start, end = (intake.whole(row, cells[f"Input.{name}"], name) for name in (START, END))
    entry = Entry(unescape(cells[f"Input.{SOURCE}"]), start, end, "")
    labels = ((substring, intake.label(row, answer), 1) for substring, answer in given)
    _add_answers(row, cells, intake, entry, labels, len(given))


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
                intake.filled(row, unguarded(cells["WorkerId"]), "WorkerId"),
                at or "",
                None if seconds is None else seconds * answers / total,
                unguarded(cells["HITId"]),
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
_ANSWERS = {"YES": "YES", "NO": "NO", "NOTSURE": "NOT SURE", "NOT SURE": "NOT SURE"}


Sentences = Mapping[tuple[str, ...], Collection[tuple[str, ...]]]
"""The words of source sentences as these write them, by what they are without case and escapes."""


def _sentences(texts: Iterable[str]) -> Sentences:
    sentences: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for text in texts:
        words = tuple(words_of(text))
        sentences.setdefault(tuple(map(plain_word, words)), set()).add(words)
    return sentences


def _meant(words: tuple[str, ...], sentences: Sentences) -> tuple[str, ...] | None:
    """Return the sentence as the sources write it, None where none or more than one is meant."""
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
    missing = _missing(records, (*_PAPER_NEEDED, *parts))
    if missing is not None or not numbers:
        raise InputError(
            f"{records.name}: no column {quoted(missing or 'Input.translation1_part1')}; give the "
            "results as the site exports them"
        )
    sentences = _sentences(sources)
    for row, cells in _once(records, intake):
        _take_paper(row, cells, numbers, sentences, intake)


def _once(records: Records, intake: LabelIntake) -> Iterable[tuple[int, Mapping[str, str]]]:
    """Return each assignment once, by its id; it is rejected if it is so anywhere."""
    kept: dict[str, tuple[int, Mapping[str, str]]] = {}
    for row, cells in records.checked(MAY_MISS):
        name = intake.filled(row, cells["AssignmentId"], "AssignmentId")
        first, before = kept.setdefault(name, (row, cells))
        if first == row:
            continue
        if _content(before) != _content(cells):
            intake.faults.add(
                row,
                f"the assignment {quoted(name)} of row {first:,} with other texts or answers",
                "keep one of the two rows",
            )
        given = [column for column in cells if column.startswith("Answer.RANK_") and cells[column]]
        intake.omit_several(row, len(given), "of assignments that stand there twice")
        if cells["AssignmentStatus"] == "Rejected":
            kept[name] = first, cells
    return kept.values()


def _content(cells: Mapping[str, str]) -> dict[str, str]:
    """Return what must not change when a batch is downloaded again."""
    return {
        name: cell
        for name, cell in cells.items()
        if name.startswith(("Input.", "Answer.")) or name == "WorkerId"
    }


def _take_paper(
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
            label = intake.label(row, _ANSWERS.get(answer, answer))
            answers.setdefault(" ".join([*first, *between, *second]), []).append(label)
    given = sum(map(len, answers.values()))
    if cells["AssignmentStatus"] == "Rejected":
        intake.omit_several(row, given + blank, "of rejected assignments")
        return
    intake.omit_several(row, unanswered, "missing answers")
    intake.omit_several(row, blank, "to blank alternatives")
    before, span, after = (_words(cells[name]) for name in _PAPER_SOURCE)
    words = _meant((*before, *span, *after), sentences)
    if words is None:
        intake.omit_several(row, given, "on sentences that the source file does not have")
        return
    if not span:
        intake.faults.add(
            row, f"{_PAPER_SOURCE[1]} is blank", "expected the words that are asked about"
        )
    again = given - len(answers)
    intake.omit_several(row, again, "on alternatives that differ only in a gap, taken as one")
    entry = Entry(" ".join(words), len(before), len(before) + len(span), "")
    labels = ((text, majority(each), len(each)) for text, each in answers.items())
    _add_answers(row, cells, intake, entry, labels, given)


def _words(cell: str) -> list[str]:
    text = unescape(cell)
    return words_of(text) if text.strip() else []  # as &nbsp; keeps a cell open
