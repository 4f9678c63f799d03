"""Labels as files: our own JSON lines and TSV, and results of Mechanical Turk, ours or the paper's.

Of our own columns, `source`, `start`, `end`, `substring` and `label` are needed. `judge`, `at`,
`seconds`, `origin` and `corrects` tell more; without a judge it is an anonymous one. Words are
counted from 0, and `end` is the first word after the span. Times are in ISO 8601 with an offset.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from weigh.errors import InputError, did_you_mean
from weigh.read.answers import Omission
from weigh.read.records import Records, parse_records
from weigh.read.stream import quoted, read_whole, shown
from weigh.rypt import mturk
from weigh.rypt.labels import (
    ANONYMOUS,
    Agreement,
    Batch,
    Entry,
    EntryJudgment,
    Label,
    Labels,
    aggregated,
    agreements,
    check_rows,
    decider,
    utc,
    votes,
    without_contradictions,
)
from weigh.rypt.mturk import LabelIntake

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

    for one in judgments:
        known = {name: value for name, value in _fields(one).items() if value not in (None, "")}
        yield json.dumps(known, ensure_ascii=False)


def as_tsv(judgments: Iterable[EntryJudgment]) -> Iterator[str]:
    """Yield the columns' names and one line per judgment; what is not known is empty."""
    yield "\t".join(COLUMNS)
    for one in judgments:
        fields = _fields(one)
        cells = (fields[name] for name in COLUMNS)
        yield "\t".join("" if cell is None else str(cell) for cell in cells)


@dataclass(frozen=True, slots=True)
class Collected:
    """The judgments of a store in numbers.

    `judgments` are all that were ever given, `votes` the last of each judge on each entry, and
    `corrected` those that a later one took the place of. `labels` counts votes, `worth` what
    entries are in the end, by `aggregate`. `timed` judgments say how long they took, `seconds` in
    all. `given` holds the votes themselves, by entry and judge, and `agreements` how far each
    judge agrees with the others; judges are numbered, by their names.
    """

    judgments: int
    corrected: int
    sources: int
    spans: int
    entries: int
    judges: int
    labels: Mapping[Label, int]
    worth: Mapping[Label, int]
    timed: int
    seconds: float
    given: Mapping[Entry, Mapping[str, Label]]
    agreements: Sequence[Agreement]
    aggregate: str = "majority"

    @property
    def votes(self) -> int:
        """How many judgments count."""
        return self.judgments - self.corrected

    @property
    def seconds_per_label(self) -> float | None:
        """How long a label took on average, where that is known."""
        return self.seconds / self.timed if self.timed else None

    @property
    def labels_per_hour(self) -> float | None:
        """How many labels a judge gave in an hour."""
        return 3600 * self.timed / self.seconds if self.seconds else None


def collected(judgments: Sequence[EntryJudgment], aggregate: str = "majority") -> Collected:
    """Count what there is; `aggregate` says how several labels of an entry become one."""
    given = votes(judgments)
    times = [one.seconds for one in judgments if one.seconds is not None]
    labels = Counter(label for by_judge in given.values() for label in by_judge.values())
    worth = Counter(map(decider(aggregate, given.values), given.values()))
    return Collected(
        judgments=len(judgments),
        corrected=len(judgments) - labels.total(),
        sources=len({entry.source for entry in given}),
        spans=len({entry[:3] for entry in given}),
        entries=len(given),
        judges=len({one.judge for one in judgments}),
        labels={label: labels[label] for label in Label},
        worth={label: worth[label] for label in Label},
        timed=len(times),
        seconds=sum(times),
        given=given,
        agreements=list(agreements(given.values()).values()),
        aggregate=aggregate,
    )
