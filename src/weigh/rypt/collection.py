"""Labels that people gave, in files and stores: read, add, write, and sum up.

Files are our own JSON lines and TSV, and results of Mechanical Turk, of our HITs or the paper's.

Of our own columns, `source`, `start`, `end`, `substring` and `label` are needed. `judge`, `at`,
`seconds`, `origin` and `corrects` tell more; without a judge it is an anonymous one. Words are
counted from 0, and `end` is the first word after the span. Times are in ISO 8601 with an offset.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from weigh.errors import InputError, UsageError, did_you_mean, plural
from weigh.read.alignment import words_of
from weigh.read.answers import Omission
from weigh.read.records import Records, parse_records
from weigh.read.text import quoted, read_texts, read_whole, shown
from weigh.result import Result, checked, derived
from weigh.rypt import mturk
from weigh.rypt.labels import (
    ANONYMOUS,
    Agreement,
    Batch,
    Entry,
    EntryJudgment,
    Label,
    Labels,
    SpanLabels,
    aggregated,
    agreements,
    check_rows,
    decider,
    utc,
    votes,
    without_contradictions,
)
from weigh.rypt.mturk import LabelIntake
from weigh.rypt.plan import AGGREGATES, CollectionPlan
from weigh.rypt.store import Added, open_store

NEEDED = ("source", "start", "end", "substring", "label")
COLUMNS = (*NEEDED, "judge", "at", "seconds", "origin", "corrects")
ENDINGS = (".jsonl", ".tsv", ".csv")


@dataclass(frozen=True, slots=True)
class Imported:
    """The judgments of one file, what was left out of it, and what a reader should know.

    `used_sources` says that sentences were found in the sources that were given.
    """

    batch: Batch
    omissions: tuple[Omission, ...] = ()
    remarks: tuple[str, ...] = ()
    used_sources: bool = False


def is_file_of_labels(location: str) -> bool:
    """Return whether a name is that of a file of labels, and not of a store."""
    return "://" not in location and location.lower().removesuffix(".gz").endswith(ENDINGS)


def read_judgments(path: str, sources: Iterable[str] | None = None) -> Imported:
    """Return the judgments of a file in any of the formats; its columns tell which.

    `sources` are where results of the paper's own HITs find their sentences.
    """
    records = parse_records(read_whole(path), shown(path))
    intake = LabelIntake(records.name)
    of_paper = mturk.are_paper_results(records)
    if mturk.are_results(records):
        mturk.read_results(records, intake)
    elif of_paper:
        mturk.read_paper_results(records, intake, sources)
    else:
        _read_own(records, intake)
    batch = intake.batch()
    check_rows(batch)
    without_contradictions([batch], {})
    return Imported(batch, intake.omissions(), records.remarks, of_paper)


def read_labels(
    path: str, sources: Iterable[str] | None = None, aggregate: str = "majority"
) -> Labels:
    """Return what the judges' last labels on every entry of a file say together, by source."""
    return aggregated(votes(read_judgments(path, sources).batch.judgments), aggregate)


def _read_own(records: Records, intake: LabelIntake) -> None:
    missing = next((name for name in NEEDED if name not in records.header), None)
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
        intake.add_label(row, _judgment(row, cells, intake))


def _judgment(row: int, cells: Mapping[str, str], intake: LabelIntake) -> EntryJudgment:
    return EntryJudgment(
        Entry(
            cells["source"],
            intake.whole(row, cells["start"], "start"),
            intake.whole(row, cells["end"], "end"),
            cells["substring"],
        ),
        intake.label(row, cells["label"]),
        cells.get("judge") or ANONYMOUS,
        _time(row, cells.get("at", ""), intake),
        intake.seconds(row, cells.get("seconds", "")),
        cells.get("origin", ""),
        _time(row, cells.get("corrects", ""), intake),
    )


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


def _fields(judgment: EntryJudgment) -> dict[str, object]:
    entry, label, judge, at, seconds, origin, corrects = judgment
    return {
        **entry._asdict(),
        "label": str(label),
        "judge": judge,
        "at": at,
        "seconds": seconds,
        "origin": origin,
        "corrects": corrects,
    }


def as_jsonl(judgments: Iterable[EntryJudgment]) -> Iterator[str]:
    """Yield one JSON object per judgment; what is not known is left out."""
    import json

    for judgment in judgments:
        known = {
            name: value for name, value in _fields(judgment).items() if value not in (None, "")
        }
        yield json.dumps(known, ensure_ascii=False)


def as_tsv(judgments: Iterable[EntryJudgment]) -> Iterator[str]:
    """Yield the columns' names and one line per judgment; what is not known is empty."""
    yield "\t".join(COLUMNS)
    for judgment in judgments:
        fields = _fields(judgment)
        cells = (fields[name] for name in COLUMNS)
        yield "\t".join("" if cell is None else str(cell) for cell in cells)


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
    opened = [open_store(place) for place in others]
    return _add(store, [Batch(each.name, list(each.judgments())) for each in opened])


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


class LabelSource(NamedTuple):
    """The judgments of a store, or of a file of labels, and its name for messages."""

    name: str
    judgments: Iterable[EntryJudgment]

    @classmethod
    def read(cls, location: str, sources: Collection[str] | None = None) -> LabelSource:
        """Open a store or read a file; of `sources` alone where they are named."""
        if is_file_of_labels(location):
            batch = read_judgments(location, sources).batch
            return cls(batch.name, batch.judgments)
        store = open_store(location)
        return cls(store.name, store.judgments(sources))


def export_labels(location: str, form: str = "jsonl") -> Iterator[str]:
    """Yield the lines of all labels of a store or a file as `jsonl` or as `tsv`."""
    if form not in WRITERS:
        raise UsageError(f"unknown format {form!r}; {did_you_mean(form, WRITERS)}")
    return WRITERS[form](LabelSource.read(location).judgments)


WRITERS = {"jsonl": as_jsonl, "tsv": as_tsv}


def read_labels_of(
    location: str, sources: Sequence[str], aggregate: str = "majority"
) -> Mapping[str, SpanLabels]:
    """Return the labels of these sources, from a store or from a file.

    `aggregate` says how those of several judges become one.
    """
    if is_file_of_labels(location):
        return read_labels(location, sources, aggregate)
    wanted = {" ".join(words_of(source)) for source in sources}
    return open_store(location).aggregate(wanted, aggregate)


@dataclass(frozen=True, slots=True)
class CollectedLabels:
    """The judgments of a store in numbers.

    `judgments` are all that were ever given, of which `corrected` ones have a later one in their
    place; `labels` are the last of each judge on each entry. Entries are counted by what they are
    in the end, by `aggregate`. `timed` judgments say how long they took, `seconds` in all; `paid`
    is what all cost, where that is told. So many entries were `judged_by_several`; of the pairs of
    labels on one entry, the share `agreeing_pairs` are the same, NaN without any pair.
    """

    store: str
    sources: int
    spans: int
    entries: int
    judges: int
    judgments: int
    corrected: int
    labels_yes: int
    labels_no: int
    labels_not_sure: int
    entries_yes: int
    entries_no: int
    entries_not_sure: int
    timed: int
    seconds: float
    paid: float | None
    judged_by_several: int
    agreeing_pairs: float
    cohen_kappa: float
    cohen_pairs: int
    fleiss_kappa: float
    fleiss_units: int
    fleiss_judges: int
    aggregate: str
    agreement_by_judge: tuple[Agreement, ...] = ()

    def __post_init__(self) -> None:
        checked(self.aggregate in AGGREGATES, f"labels taken together by {self.aggregate!r}")

    @property
    @derived
    def labels(self) -> int:
        """How many judgments count."""
        return self.judgments - self.corrected

    @property
    @derived
    def seconds_per_label(self) -> float | None:
        """How long a label took on average, where that is known."""
        return self.seconds / self.timed if self.timed else None

    @property
    @derived
    def labels_per_hour(self) -> float | None:
        """How many labels a judge gave in an hour."""
        return 3600 * self.timed / self.seconds if self.seconds else None

    @property
    @derived
    def cost_per_label(self) -> float | None:
        """What a label cost, where it is told what all did."""
        return self.paid / self.judgments if self.paid is not None and self.judgments else None


@dataclass(frozen=True, slots=True)
class LabelsResult(Result):
    """What a store or a file of labels holds."""

    command: ClassVar[str] = "rypt labels"

    labels: CollectedLabels


def summarize_labels(location: str, plan: CollectionPlan | None = None) -> LabelsResult:
    """Count what a store or a file of labels holds, and how far its judges agree."""
    source = LabelSource.read(location)
    return LabelsResult(collected(source.name, list(source.judgments), plan or CollectionPlan()))


def collected(
    store: str, judgments: Sequence[EntryJudgment], plan: CollectionPlan
) -> CollectedLabels:
    """Count judgments; `store` is where they are from."""
    from weigh.stats.agreement import kappas

    entries = votes(judgments)
    times = [judgment.seconds for judgment in judgments if judgment.seconds is not None]
    labels = Counter(label for by_judge in entries.values() for label in by_judge.values())
    worth = Counter(map(decider(plan.aggregate, entries.values), entries.values()))
    same = pairs = 0
    for by_judge in entries.values():
        said = list(by_judge.values())
        pairs += len(said) * (len(said) - 1) // 2
        same += sum(count * (count - 1) // 2 for count in map(said.count, set(said)))
    code = {label: at for at, label in enumerate(Label)}
    units = (
        {judge: code[label] for judge, label in by_judge.items()} for by_judge in entries.values()
    )
    agreeing = kappas(units)
    return CollectedLabels(
        store=store,
        sources=len({entry.source for entry in entries}),
        spans=len({entry[:3] for entry in entries}),
        entries=len(entries),
        judges=len({judgment.judge for judgment in judgments}),
        judgments=len(judgments),
        corrected=len(judgments) - labels.total(),
        labels_yes=labels[Label.YES],
        labels_no=labels[Label.NO],
        labels_not_sure=labels[Label.NOT_SURE],
        entries_yes=worth[Label.YES],
        entries_no=worth[Label.NO],
        entries_not_sure=worth[Label.NOT_SURE],
        timed=len(times),
        seconds=float(sum(times)),
        paid=plan.paid,
        judged_by_several=sum(len(by_judge) > 1 for by_judge in entries.values()),
        agreeing_pairs=same / pairs if pairs else float("nan"),
        cohen_kappa=agreeing.mean,
        cohen_pairs=agreeing.pairs,
        fleiss_kappa=agreeing.fleiss,
        fleiss_units=agreeing.units,
        fleiss_judges=agreeing.judges,
        aggregate=plan.aggregate,
        agreement_by_judge=tuple(agreements(entries.values()).values()),
    )
