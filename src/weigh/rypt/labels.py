"""Labels of translated source spans: judgments, their faults, and aggregation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeVar

from weigh.errors import plural
from weigh.read.records import Faults
from weigh.read.text import quoted
from weigh.result import checked, derived


class Label(StrEnum):
    """Whether a substring of the output is an acceptable translation of a source span."""

    YES = "YES"
    NO = "NO"
    NOT_SURE = "NOT SURE"


class Entry(NamedTuple):
    """The subject of a label; candidates of a source sentence share it, sentences do not."""

    source: str  # the sentence's words, joined by single spaces
    start: int
    end: int  # half-open
    substring: str  # the words of the output, with GAP for each run of others between them


GAP = "[GAP]"


ANONYMOUS = "anonymous"
LONGEST_NAME = 200
"""The most characters that the name of a judge or of an origin may have."""

# Texts, names and times recur in a file, so what was found out of them is kept for a while.
_CACHED = 1 << 16
_BREAKING = frozenset("\0\t\n\r")

Known = TypeVar("Known")
SpanLabels = Mapping[tuple[int, int, str], Label]
"""The labels of one source sentence by (start, end, substring)."""
Labels = dict[str, dict[tuple[int, int, str], Label]]
"""Labels by source and by (start, end, substring)."""


class EntryJudgment(NamedTuple):
    """One person's answer on one entry.

    `at` and `corrects` are times as `utc` writes them, so that they sort as texts; they are empty
    where nothing is known. A judge who changes his mind gives a new judgment: `corrects` is the
    time of the one that it takes the place of. `origin` names the batch that it came with.
    """

    entry: Entry
    label: Label
    judge: str = ANONYMOUS
    at: str = ""
    seconds: float | None = None
    origin: str = ""
    corrects: str = ""


class Fault(NamedTuple):
    """An error in a judgment, with its remedy."""

    what: str
    remedy: str


@lru_cache(maxsize=_CACHED)
def utc(text: str) -> str | None:
    """Return a time in ISO 8601 as UTC, always equally long; None if it is none or has no offset.

    >>> utc("2009-06-01T14:00:00+02:00"), utc("2009-06-01T14:00:00")
    ('2009-06-01T12:00:00.000000Z', None)
    """
    from datetime import UTC, datetime

    try:
        time = datetime.fromisoformat(text)
        if time.tzinfo is None:
            return None
        return time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError):
        return None


def fault_of(judgment: EntryJudgment) -> Fault | None:
    """Fault of a judgment, or None."""
    source, start, end, substring = judgment.entry
    words, fault = _examined(source, "source")
    if fault is not None:
        return fault
    if not 0 <= start < end <= words:
        return Fault(
            f"the span is {start}-{end}, but the source has {plural(words, 'word')}",
            "count words from 0; the end is the first word after the span",
        )
    return (
        substring_fault(substring)
        or _name_fault(judgment.judge, "judge")
        or (_name_fault(judgment.origin, "origin") if judgment.origin else None)
        or _time_fault(judgment)
        or _seconds_fault(judgment.seconds)
    )


def source_fault(source: str) -> Fault | None:
    """Fault of a source sentence, or None."""
    return _examined(source, "source")[1]


def substring_fault(substring: str) -> Fault | None:
    """Fault of a substring, or None."""
    return _examined(substring, "substring")[1] or _gap_fault(substring)


@lru_cache(maxsize=_CACHED)
def _examined(text: str, what: str) -> tuple[int, Fault | None]:
    """The number of words, and the fault in them, if any."""
    words = text.split(" ")
    if not all(words):
        return 0, Fault(
            f"the {what} is {quoted(text)}",
            f"expected a {what} of words separated by single spaces",
        )
    return len(words), _character_fault(text, what)


def _character_fault(text: str, what: str) -> Fault | None:
    if not _BREAKING.isdisjoint(text):
        return Fault(
            f"the {what} {quoted(text)} has a tab, a line end or a NUL", "leave such characters out"
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        return Fault(f"the {what} has an unpaired surrogate", "write the complete character")
    return None


def _gap_fault(substring: str) -> Fault | None:
    if GAP not in substring:
        return None
    words = substring.split(" ")
    twice = any(a == b == GAP for a, b in pairwise(words))
    if twice or GAP in (words[0], words[-1]):
        return Fault(
            f"the substring is {quoted(substring)}",
            f"expected one {GAP} for each run of other words, and none at either end",
        )
    return None


@lru_cache(maxsize=_CACHED)
def _name_fault(text: str, what: str) -> Fault | None:
    if not 0 < len(text) <= LONGEST_NAME:
        return Fault(
            f"the {what} has {len(text):,} characters", f"expected from 1 to {LONGEST_NAME}"
        )
    return _character_fault(text, what)


def _time_fault(judgment: EntryJudgment) -> Fault | None:
    for time in (judgment.at, judgment.corrects):
        if time and utc(time) != time:
            return Fault(
                f"the time is {quoted(time)}", "expected UTC, such as 2009-06-01T12:00:00.000000Z"
            )
    if judgment.corrects and not judgment.corrects < judgment.at:
        return Fault(
            f"it corrects a judgment of {judgment.corrects}, but is itself of "
            f"{judgment.at or 'no known time'}",
            "give a correction a later time",
        )
    return None


def _seconds_fault(seconds: float | None) -> Fault | None:
    if seconds is not None and not 0 <= seconds < 1e9:
        return Fault(f"it took {seconds:g} seconds", "expected a number from 0 to 1e9")
    return None


def votes(judgments: Iterable[EntryJudgment]) -> dict[Entry, dict[str, Label]]:
    """Each judge's last label, by entry."""
    last: dict[Entry, dict[str, tuple[str, Label]]] = {}
    for judgment in judgments:
        by_judge = last.setdefault(judgment.entry, {})
        if judgment.judge not in by_judge or by_judge[judgment.judge][0] < judgment.at:
            by_judge[judgment.judge] = judgment.at, judgment.label
    return {
        entry: {judge: label for judge, (_, label) in by_judge.items()}
        for entry, by_judge in last.items()
    }


def majority(labels: Iterable[Label]) -> Label:
    """The most frequent label; NOT SURE on a tie.

    >>> str(majority([Label.YES, Label.YES, Label.NO])), str(majority([Label.YES, Label.NO]))
    ('YES', 'NOT SURE')
    """
    return _heaviest(Counter(labels))


# Sums of weights that differ by less are equal: rounding alone may do that.
_SLACK = 1e-9

Votes = Mapping[str, Label]
"""Each judge's last label of one entry."""


def ratio(part: float, whole: float) -> float:
    """A part of a whole; NaN if the whole is 0."""
    return part / whole if whole else float("nan")


@dataclass(frozen=True, slots=True)
class Agreement:
    """A judge's agreement with the others; judges are numbered in order of their names.

    A pair is one label of the judge and one of another judge on the same entry. `weight` is
    (agreeing + 1) / (pairs + 2): the share of pairs that agree, drawn toward 1/2 as if there were
    two more, of which one agrees. So a judge whom nobody can be held against weighs 1/2.
    """

    judge: int
    labels: int
    pairs: int
    agreeing: int

    def __post_init__(self) -> None:
        checked(
            0 <= self.agreeing <= self.pairs,
            f"{self.agreeing:,} of {self.pairs:,} pairs of labels agree",
        )

    @property
    def share(self) -> float:
        """The share of pairs that agree; NaN without any."""
        return ratio(self.agreeing, self.pairs)

    @property
    @derived
    def weight(self) -> float:
        """The weight of this judge's votes."""
        return (self.agreeing + 1) / (self.pairs + 2)


def agreements(all_votes: Iterable[Votes]) -> dict[str, Agreement]:
    """Each judge's agreement with all others over all entries, in order of names.

    >>> found = agreements([{"a": Label.YES, "b": Label.YES}, {"a": Label.YES, "b": Label.NO}])
    >>> found["a"].agreeing, found["a"].pairs, found["a"].weight
    (1, 2, 0.5)
    """
    counts: dict[str, list[int]] = {}
    for by_judge in all_votes:
        votes = list(by_judge.values())
        for judge, label in by_judge.items():
            count = counts.setdefault(judge, [0, 0, 0])
            count[0] += 1
            count[1] += len(votes) - 1
            count[2] += votes.count(label) - 1
    return {
        judge: Agreement(number, *counts[judge]) for number, judge in enumerate(sorted(counts), 1)
    }


def decider(how: str, all_votes: Callable[[], Iterable[Votes]]) -> Callable[[Votes], Label]:
    """Function that combines the votes on an entry into one label.

    1. `majority`: the label that most gave.
    2. `any-yes`: YES if anybody said so, otherwise the majority.
    3. `weighted`: the label with the largest sum of the judges' weights, by their agreement with
       each other over `all_votes`.

    Where two labels have the most, it is NOT SURE.
    """
    if how == "weighted":
        weights = {judge: agreement.weight for judge, agreement in agreements(all_votes()).items()}
        return lambda votes: _weighted(votes, weights)
    if how == "any-yes":
        return lambda votes: Label.YES if Label.YES in votes.values() else majority(votes.values())
    return lambda votes: majority(votes.values())


def _weighted(votes: Votes, weights: Mapping[str, float]) -> Label:
    sums: dict[Label, float] = {}
    for judge, label in votes.items():
        sums[label] = sums.get(label, 0.0) + weights[judge]
    return _heaviest(sums)


def _heaviest(sums: Mapping[Label, float]) -> Label:
    """The label with the largest sum of weights; NOT SURE on a tie."""
    if len(sums) == 1:
        return next(iter(sums))
    (first, most), (_, next_most), *_ = sorted(sums.items(), key=lambda pair: -pair[1])
    return Label.NOT_SURE if most - next_most < _SLACK else first


def aggregated(by_entry: Mapping[Entry, Votes], how: str = "majority") -> Labels:
    """Return one label for every entry, by source."""
    decide = decider(how, by_entry.values)
    return by_source((entry, decide(votes)) for entry, votes in by_entry.items())


def by_source(
    entries: Iterable[tuple[Entry, Known]],
) -> dict[str, dict[tuple[int, int, str], Known]]:
    """Combined labels of entries, by source and by (start, end, substring)."""
    sources: dict[str, dict[tuple[int, int, str], Known]] = {}
    for (source, start, end, substring), label in entries:
        sources.setdefault(source, {})[start, end, substring] = label
    return sources


@dataclass(frozen=True, slots=True)
class Added:
    """The numbers of new judgments, of those already stored, and of repetitions."""

    new: int
    known: int
    repeated: int = 0


Key = tuple[Entry, str, str]
"""The key of a judgment: its entry, judge and time."""


@dataclass(frozen=True, slots=True)
class LabelBatch:
    """Judgments, and for messages the name of their file and the row of each."""

    name: str
    judgments: Sequence[EntryJudgment]
    rows: Sequence[int] | None = None

    def row(self, place: int) -> int:
        """The row number of a judgment."""
        return place + 1 if self.rows is None else self.rows[place]


def key_of(judgment: EntryJudgment) -> Key:
    """Key of a judgment: its entry, judge and time."""
    return judgment.entry, judgment.judge, judgment.at


def check_rows(batch: LabelBatch) -> None:
    """Refuse judgments that are none."""
    faults = Faults(batch.name)
    for place, judgment in enumerate(batch.judgments):
        fault = fault_of(judgment)
        if fault is not None:
            faults.add(batch.row(place), fault.what, fault.remedy)
    faults.check()


def without_contradictions(
    batches: Sequence[LabelBatch], stored: Mapping[Key, Label]
) -> dict[Key, EntryJudgment]:
    """The judgments that are not stored yet, each once.

    One that contradicts another of the same entry, judge and time is refused.
    """
    new: dict[Key, EntryJudgment] = {}
    for batch in batches:
        faults = Faults(batch.name)
        for place, judgment in enumerate(batch.judgments):
            key = key_of(judgment)
            label = stored.get(key)
            if label is None:
                label = new.setdefault(key, judgment).label
            if label != judgment.label:
                faults.add(batch.row(place), *_contradiction(judgment, label))
        faults.check()
    return new


def _contradiction(judgment: EntryJudgment, label: Label) -> tuple[str, str]:
    """Fault of a judgment that contradicts another label with the same key, or None."""
    if judgment.judge == ANONYMOUS and not judgment.at:
        return (
            f"{judgment.label}, but another judgment without judge or time says {label}",
            "add a judge, or a time",
        )
    return (
        f"{judgment.label}, but the same judge said {label} at the same time",
        "correct one of them, or give the correction a later time",
    )
