"""Labels that people gave, in files and stores: read, add and write them.

A collection is a store, a campaign or a file, and is named by its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from weigh.errors import MissingExtraError, UsageError, did_you_mean
from weigh.read.alignment import words_of
from weigh.read.answers import Omission
from weigh.read.campaign_tables import (
    LABELLED,
    SCHEMA,
    CollectedCampaign,
    is_campaign,
    kinds_at,
    read_campaign,
    read_omissions,
    reports_damage,
    split_location,
    tables_at,
)
from weigh.read.text import file_label, read_texts, shown
from weigh.result import Result, checked, derived
from weigh.rypt.label_files import WRITERS, is_file_of_labels, read_judgments
from weigh.rypt.labels import (
    Added,
    Agreement,
    Entry,
    EntryJudgment,
    Label,
    LabelBatch,
    SpanLabels,
    aggregated,
    agreements,
    check_rows,
    decider,
    majority,
    ratio,
    votes,
    without_contradictions,
)
from weigh.rypt.plan import AGGREGATES, CollectionPlan

if TYPE_CHECKING:
    from weigh.rypt.store import LabelStore

_STORE = "rypt_schema"  # the table that every store has


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
    """The judgments of a store, of a campaign or of a file of labels, and its base name."""

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
            return cls(file_label(location), batch.judgments)
        tables = tables_at(location)
        name = split_location(location)[1]
        if SCHEMA in tables and (_STORE not in tables or name is not None):
            return collected_labels(read_campaign(location, LABELLED), sources)
        store = open_store(location)
        if SCHEMA not in tables or not {*LABELLED} & {*kinds_at(location)}:
            return cls(file_label(store.name), store.judgments(sources))
        collected = collected_labels(read_campaign(location, LABELLED), sources, needed=False)
        return cls(
            f"{file_label(store.name)} (labels of the store and of a campaign)",
            [*store.judgments(sources), *collected.judgments],
            collected.omissions,
        )


@reports_damage
def collected_labels(
    campaign: CollectedCampaign, sources: Collection[str] | None = None, *, needed: bool = True
) -> LabelSource:
    """The labels of a campaign: the last answer to each screen of each slot.

    The labels of a screen share its time equally.
    """
    judgments = []
    for answer in campaign.require(LABELLED) if needed else campaign.of_kind(*LABELLED):
        about = answer.about
        labels: dict[str, list[Label]] = {}
        for name, substring in about["substrings"].items():
            labels.setdefault(substring, []).append(Label(answer.answers[name]))
        screen = len(about["substrings"])
        judgments += [
            EntryJudgment(
                Entry(about["source"], about["start"], about["end"], substring),
                majority(label),  # of one, unless the screen showed the same words twice
                answer.judge,
                answer.at,
                None if answer.seconds is None else answer.seconds * len(label) / screen,
                answer.batch,
            )
            for substring, label in labels.items()
            if sources is None or about["source"] in sources
        ]
    check_rows(LabelBatch(campaign.place, judgments))
    return LabelSource(campaign.label, judgments, campaign.omissions(LABELLED))


def remarks_on_labels(location: str) -> tuple[str, ...]:
    """Labels of a campaign that do not count; none in other collections."""
    if is_file_of_labels(location) or not is_campaign(location):
        return ()
    if split_location(location)[1] is None and not {*LABELLED} & {*kinds_at(location)}:
        return ()
    return tuple(omission.remark for omission in read_omissions(location, LABELLED))


def read_labels(
    location: str, sources: Sequence[str] | None = None, aggregate: str = "majority"
) -> Mapping[str, SpanLabels]:
    """Combined label of every entry from the judges' last labels, by source.

    They are those of a store, a campaign or a file, and `aggregate` says how several become one. A
    store is asked for those of `sources` alone.
    """
    if is_file_of_labels(location):
        return aggregated(votes(read_judgments(location, sources).batch.judgments), aggregate)
    if is_campaign(location):
        return aggregated(votes(LabelSource.read(location).judgments), aggregate)
    wanted = None if sources is None else {" ".join(words_of(source)) for source in sources}
    return open_store(location).aggregate(wanted, aggregate)


class LabelCount(NamedTuple):
    """The numbers of labels and of entries of one kind, with their shares."""

    label: Label
    labels: int
    labels_share: float
    entries: int
    entries_share: float


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

    @classmethod
    def of(
        cls, store: str, judgments: Sequence[EntryJudgment], plan: CollectionPlan
    ) -> CollectedLabels:
        """Count judgments; `store` is where they are from."""
        from weigh.stats.agreement import kappas

        entries = votes(judgments)
        times = [judgment.seconds for judgment in judgments if judgment.seconds is not None]
        labels = Counter(label for by_judge in entries.values() for label in by_judge.values())
        worth = Counter(map(decider(plan.aggregate, entries.values), entries.values()))
        judges = tuple(agreements(entries.values()).values())
        # Each pair is counted twice, and so is its agreement.
        pairs = sum(judge.pairs for judge in judges)
        agreed = sum(judge.agreeing for judge in judges)
        code = {label: at for at, label in enumerate(Label)}
        agreement = kappas(
            {judge: code[label] for judge, label in by_judge.items()}
            for by_judge in entries.values()
        )
        return cls(
            store=store,
            sources=len({entry.source for entry in entries}),
            spans=len({entry[:3] for entry in entries}),
            entries=len(entries),
            judges=len(judges),
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
            agreeing_pairs=agreed / pairs if pairs else float("nan"),
            cohen_kappa=agreement.mean,
            cohen_pairs=agreement.pairs,
            fleiss_kappa=agreement.fleiss,
            fleiss_units=agreement.units,
            fleiss_judges=agreement.judges,
            aggregate=plan.aggregate,
            agreement_by_judge=judges,
        )

    @property
    @derived
    def labels(self) -> int:
        """The number of judgments that count."""
        return self.judgments - self.corrected

    @property
    def counts(self) -> tuple[LabelCount, ...]:
        """The labels and the entries that are YES, NO and NOT SURE."""
        numbers = {
            Label.YES: (self.labels_yes, self.entries_yes),
            Label.NO: (self.labels_no, self.entries_no),
            Label.NOT_SURE: (self.labels_not_sure, self.entries_not_sure),
        }
        return tuple(
            LabelCount(
                label, labels, ratio(labels, self.labels), entries, ratio(entries, self.entries)
            )
            for label, (labels, entries) in numbers.items()
        )

    @property
    def untimed(self) -> int:
        """The number of judgments without a duration."""
        return self.judgments - self.timed

    @property
    def hours(self) -> float:
        """The total duration of the timed judgments."""
        return self.seconds / 3600

    @property
    def least_agreeing(self) -> tuple[Agreement, ...]:
        """The judges who share entries with others, those who agree least first."""
        judges = [judge for judge in self.agreement_by_judge if judge.pairs]
        return tuple(sorted(judges, key=lambda judge: (judge.weight, judge.judge)))

    @property
    @derived
    def seconds_per_label(self) -> float | None:
        """The mean duration per label, if known."""
        return self.seconds / self.timed if self.timed else None

    @property
    @derived
    def labels_per_hour(self) -> float | None:
        """The number of labels per hour of work."""
        return 3600 * self.timed / self.seconds if self.seconds else None

    @property
    @derived
    def cost_per_label(self) -> float | None:
        """Cost of a label, if the total cost is given."""
        return self.paid / self.judgments if self.paid is not None and self.judgments else None


@dataclass(frozen=True, slots=True)
class LabelsResult(Result):
    """A summary of the labels in a store or file."""

    command: ClassVar[str] = "rypt labels"

    labels: CollectedLabels


def summarize_labels(location: str, plan: CollectionPlan | None = None) -> LabelsResult:
    """Count what a store, a campaign or a file of labels holds, and how far its judges agree."""
    source = LabelSource.read(location)
    return LabelsResult(
        CollectedLabels.of(source.name, list(source.judgments), plan or CollectionPlan())
    )


@dataclass(frozen=True, slots=True)
class Addition:
    """The numbers of labels added to a store, with its name and remarks on the files."""

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
    if texts is not None and not any(file.used_sources for file in read):
        raise UsageError("--src applies only to results of the paper's own HITs; leave it out")
    remarks: list[str] = []
    for file in read:
        remarks += file.remarks
        remarks += [f"{omission.extent} left out: {omission.why}" for omission in file.omissions]
    return _add(store, [file.batch for file in read], remarks)


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
    remarks = [omission.remark for source in opened for omission in source.omissions]
    batches = [LabelBatch(source.name, list(source.judgments)) for source in opened]
    return _add(store, batches, remarks)


def _check_store(action: str, place: str) -> None:
    """Refuse a name that every reader takes for a file of labels."""
    if is_file_of_labels(place):
        raise UsageError(
            f"{action}: {shown(place)} is the name of a file of labels, not of a store; "
            "name the store first, such as labels.db"
        )


def _add(place: str, batches: Sequence[LabelBatch], remarks: Sequence[str]) -> Addition:
    without_contradictions(batches, {})  # before a store is made that would stay empty
    store = open_store(place, create=True)
    return Addition(store.name, store.add_batches(batches), tuple(remarks))


def export_labels(location: str, form: str = "jsonl") -> Iterator[str]:
    """Yield the lines of all labels of a store or a file as `jsonl` or `tsv`."""
    if form not in WRITERS:
        raise UsageError(f"unknown format {form!r}; {did_you_mean(form, WRITERS)}")
    return WRITERS[form](LabelSource.read(location).judgments)
