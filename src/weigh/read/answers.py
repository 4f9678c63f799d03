"""People's answers from files without duplicates, and the answers left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from operator import attrgetter
from typing import Generic, Literal, TypeVar

from weigh.errors import InputError, plural
from weigh.read.records import Faults, list_rows, read_number
from weigh.read.spans import FORM, span_of
from weigh.read.text import quoted
from weigh.types import Judgment, Kind, Preference, Span, grouped

# Other programs' names for the kinds of items.
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
_MOST = 1e12  # of numbers that no scale bounds: their squares can be summed
BOUNDS = (0.0, 100.0)
BadRows = Literal["refuse", "skip"]
Averaged = Literal["raw", "z"]
_REJECTED = {"": False, "false": False, "true": True}
_LATEST = 253_402_300_799  # the last second of the year 9999, from 1970 on


@dataclass(frozen=True, slots=True)
class Omission:
    """Answers, or rows of the file, that are not used, and why."""

    why: str
    count: int
    unit: Literal["answer", "row"] = "answer"

    @property
    def extent(self) -> str:
        """The number of answers left out, in words."""
        return plural(self.count, self.unit)

    @property
    def remark(self) -> str:
        """The number of answers left out and the reason, in words."""
        return f"{self.extent} left out: {self.why}"

    @property
    def fields(self) -> dict[str, str | int]:
        """The fields of the omission in a document."""
        unit = {} if self.unit == "answer" else {"unit": self.unit}
        return {"why": self.why, "count": self.count, **unit}


@dataclass(frozen=True, slots=True)
class Judgments:
    """All judgments of some files; `remarks` say what a reader of the results should know.

    `names` are the judges' names in the files, if the judgments number judges. If the files have
    means over unnamed judges, `averaged` is the kind of scores.
    """

    judgments: tuple[Judgment, ...]
    omissions: tuple[Omission, ...] = ()
    remarks: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    averaged: Averaged | None = None


@dataclass(frozen=True, slots=True)
class Preferences:
    """All preferences of some files, including ties.

    `judgments` are the choices as judgments of single texts, including damaged ones, if known; only
    quality control uses them. `names` are the judges' names, if they are numbered.
    """

    preferences: tuple[Preference, ...]
    omissions: tuple[Omission, ...] = ()
    remarks: tuple[str, ...] = ()
    judgments: tuple[Judgment, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Taken:
    """A judgment from a row of a file.

    If a judge may answer one `question` several times, only the last answer counts. With
    `shares_time`, the judgment's seconds are those of its whole HIT.
    """

    row: int
    judgment: Judgment
    question: Hashable = None
    shares_time: bool = False


@dataclass(frozen=True, slots=True)
class RankedScreen:
    """One row of a file of relative rankings: what its cells say, and the preferences in it.

    `judgments` are the choices as judgments of single texts, if some are controls.
    """

    row: int
    judge: str | None
    cells: tuple[tuple[Hashable, Hashable], ...]
    preferences: tuple[Preference, ...]
    judgments: tuple[Judgment, ...] = ()


Answer = TypeVar("Answer", Taken, RankedScreen)


@dataclass(frozen=True, slots=True)
class Holding(Generic[Answer]):
    """All answers of one file, including duplicates."""

    name: str
    answers: tuple[Answer, ...]
    omissions: tuple[Omission, ...] = ()
    remarks: tuple[str, ...] = ()
    averaged: Averaged | None = None


class Intake:
    """Reads the rows of one file, and records omissions and faults.

    `pair` is the language pair of rows that name none; `titles` are the file's names for the fields
    of a judgment, for messages.
    """

    def __init__(
        self,
        faults: Faults,
        bounds: tuple[float, float] = BOUNDS,
        *,
        pair: str = "",
        titles: Mapping[str, str] | None = None,
    ) -> None:
        self.faults = faults
        self._bounds = bounds
        self._pair = pair
        self._titles = titles or {}
        self._taken: list[Taken] = []
        self._omitted: dict[str, list[int]] = {}
        self._identical: list[int] = []
        # Millions of answers name few judges, systems and segments: each name is kept once.
        self._names: dict[str, str] = {}

    def omit(self, row: int, why: str) -> None:
        """Count an answer that is left out."""
        self._omitted.setdefault(why, []).append(row)

    def note_identical(self, row: int) -> None:
        """Record a row that is identical to another one but still counts."""
        self._identical.append(row)

    def required_cell(self, row: int, cell: str, field: str) -> str:
        """The cell of a field that must not be empty."""
        if not cell:
            column = self._titles.get(field, field)
            self.faults.add(row, f"the {column} is empty", "fill it in")
        return self._names.setdefault(cell, cell)

    def kind(self, row: int, cell: str) -> Kind:
        """The kind of an item, from any of its names."""
        if cell not in KINDS:
            self.faults.add(
                row, f"unknown item type {quoted(cell)}", f"expected one of {', '.join(KINDS)}"
            )
        return KINDS.get(cell, "system")

    def score(self, row: int, cell: str) -> float | None:
        """A score on the scale, or None (which is counted) if the answer is missing."""
        low, high = self._bounds
        value = read_number(cell.strip(" "))
        if value is not None and low <= value <= high:
            return value
        if not cell.strip(" "):
            self.omit(row, "missing answers")
        remedy = (
            f"expected a number from {low:g} to {high:g}; correct it, or state the scale with "
            "--bounds LOW-HIGH"
        )
        return self._number(row, cell.strip(" "), "score", low, high, remedy)

    def mean(self, row: int, cell: str) -> float | None:
        """A mean of scores on any scale, or None (which is counted) if it is missing."""
        if not cell.strip(" "):
            self.omit(row, "missing answers")
        remedy = f"expected a number between -{_MOST:.0e} and {_MOST:.0e}"
        return self._number(row, cell.strip(" "), "score", -_MOST, _MOST, remedy)

    def seconds(self, row: int, cell: str) -> float | None:
        """A duration, or None if there is none."""
        return self._number(row, cell, "time", 0, _MOST, "expected seconds")

    def _number(
        self, row: int, cell: str, what: str, low: float, high: float, remedy: str
    ) -> float | None:
        """A number between two limits, or None if the cell is empty."""
        if not cell:
            return None
        value = read_number(cell)
        if value is None or not low <= value <= high:
            self.faults.add(row, f"the {what} is {quoted(cell)}", remedy)
            return None
        return value

    def take(
        self,
        row: int,
        cells: Mapping[str, str],
        value: float | None = None,
        question: Hashable = None,
    ) -> None:
        """Add the judgment in a row (cells by field name), unless it has no answer.

        Judge, system, segment and value are required, but means over several judges have no judge.
        A missing hit is replaced by the judge's name, and a missing kind means an output. Instead
        of `seconds` and `at` there may be `start` and `end` (seconds since 1970), or `hit_seconds`,
        which all items of a hit share. A computed `value` need not be on the scale.
        """
        if value is None:
            value = self.score(row, cells["value"])
        if value is None:
            return

        get = cells.get
        judge = self.required_cell(row, cells["judge"], "judge") if "judge" in cells else ""
        judgment = Judgment(
            judge=judge,
            hit=self.required_cell(row, cells["hit"], "hit") if "hit" in cells else judge,
            pair=get("pair") or self._pair,
            kind=self.kind(row, get("kind", "system")),
            system=self.required_cell(row, cells["system"], "system"),
            segment=self.required_cell(row, cells["segment"], "segment"),
            value=value,
            scale=get("scale") or "adequacy",
            seconds=self.seconds(row, get("seconds") or get("hit_seconds") or ""),
            at=self._time(row, get("at") or None),
            item=get("item") or None,
            of=get("of") or None,
            rejected=self._is_rejected(row, get("rejected", "").lower()),
            assignment=get("assignment") or None,
            document=get("document") or None,
            slice=get("slice") or None,
            spans=self._spans(row, get("spans") or None),
        )
        if "end" in cells:
            seconds, at = self._span(row, cells["start"], cells["end"])
            judgment = replace(judgment, seconds=seconds, at=at)
        self._taken.append(Taken(row, judgment, question, shares_time="hit_seconds" in cells))

    def _time(self, row: int, cell: str | None) -> str | None:
        if cell is not None:
            try:
                datetime.fromisoformat(cell)
            except ValueError:
                self.faults.add(row, f"the time is {quoted(cell)}", "expected ISO 8601")
        return cell

    def _spans(self, row: int, cell: str | None) -> tuple[Span, ...] | None:
        """Parse marked errors: a JSON list of objects with the fields of a span."""
        if cell is None:
            return None
        import json

        return self.read_spans(row, cell, lambda: tuple(map(span_of, json.loads(cell))))

    def read_spans(
        self, row: int, cell: object, read: Callable[[], tuple[Span, ...]]
    ) -> tuple[Span, ...] | None:
        """The marked errors, or None and a fault if the cell is not valid."""
        try:
            return read()
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            why = f" ({error})" if type(error) is ValueError else ""
            self.faults.add(row, f"the spans are {quoted(str(cell)[:60])}{why}", FORM)
            return None

    def _is_rejected(self, row: int, cell: str) -> bool:
        if cell not in _REJECTED:
            self.faults.add(row, f"rejected is {quoted(cell)}", "expected true or false")
        return _REJECTED.get(cell, False)

    def _span(self, row: int, start: str, end: str) -> tuple[float | None, str | None]:
        """The duration and the end time of an answer, where recorded."""
        first, last = (
            self._number(row, cell, "time", 0, _LATEST, "expected seconds since 1970")
            for cell in (start, end)
        )
        at = None if last is None else datetime.fromtimestamp(last, UTC).isoformat()
        if first is None or last is None:
            return None, at
        if last < first:
            self.faults.add(row, "it ends before it starts", "correct the times")
        return last - first, at

    def finish(self) -> Holding[Taken]:
        """The answers taken; raises an error for wrong rows unless they are skipped."""
        self.faults.check()
        bad = self.faults.rows
        taken = tuple(answer for answer in self._taken if answer.row not in bad)
        if not taken:
            raise nothing_left(self.faults, "judgments are left", "that it is the right file")
        rows = [row for row in self._identical if row not in bad]
        remarks = [identical_remark({self.faults.label: rows})] if rows else []
        remarks = [*self.faults.remarks(), *remarks]
        return Holding(self.faults.label, taken, self.omissions(), tuple(remarks))

    def omissions(self) -> tuple[Omission, ...]:
        """The omissions so far."""
        bad = self.faults.rows
        kept = {why: [row for row in rows if row not in bad] for why, rows in self._omitted.items()}
        return (
            *(
                Omission(f"{self.faults.label}: {why} ({list_rows(rows)})", len(rows))
                for why, rows in kept.items()
                if rows
            ),
            *unreadable(self.faults),
        )


def nothing_left(faults: Faults, what: str, check: str) -> InputError:
    """The error for a file without usable answers."""
    bad = faults.rows
    bad_rows = f" (of {len(bad):,} bad rows, the first: {next(iter(bad.values()))})" if bad else ""
    return InputError(f"{faults.name}: no {what}{bad_rows}; check {check}")


def unreadable(faults: Faults) -> list[Omission]:
    """The omission of rows that cannot be read."""
    rows = list(faults.rows)
    why = f"{faults.label}: unreadable rows ({list_rows(rows)})"
    return [Omission(why, len(rows), "row")] if rows else []


# Judgments that are given twice, within a file or across files, and count once.
#
# A batch that is downloaded again holds what the first download held. A duplicate has the same
# assignment, or the same judge, item and time. Without either a judge may well have given the same
# answer twice, so identical answers all count, and a remark says so.

_AGAIN = "duplicates of other judgments"
_ANEW = "answers replaced by another file"
TELLING = ("AssignmentId", "assignment", "at", "SubmitTime", "tstamp", "timestamp")
"""The columns that identify a row of rankings."""


def distinct_judgments(files: Sequence[Holding[Taken]]) -> Judgments:
    """The judgments of all files without duplicates."""
    averaged = {file.averaged for file in files}
    if len(averaged) > 1:
        names = [next(file.name for file in files if file.averaged == kind) for kind in averaged]
        raise InputError(
            f"{' and '.join(sorted(names))} hold scores of different kinds: means (raw or z), or "
            "single judgments; give one kind at a time"
        )
    taken = [(at, answer) for at, file in enumerate(files) for answer in file.answers]
    anew = _replaced_answers(taken)
    first = _repeats(taken, _keys)
    rejected = {
        first.get(index, index)
        for index, (_, answer) in enumerate(taken)
        if answer.judgment.rejected
    }
    kept = [index for index in range(len(taken)) if index not in first and index not in anew]
    remarks = [remark for file in files for remark in file.remarks]
    changed = [
        index for index in kept if index in rejected and not taken[index][1].judgment.rejected
    ]
    changed += [
        index
        for index, stays in first.items()
        if taken[stays][1].judgment.rejected and not taken[index][1].judgment.rejected
    ]
    if changed:
        remarks.append(
            f"{plural(len(changed), 'judgment')} from assignments that one file marks as "
            "rejected and another does not: they count as rejected; if that is wrong, leave "
            "out the older file"
        )
    sizes = Counter(_work(taken[index][1]) for index in kept if taken[index][1].shares_time)
    judgments = []
    for index in kept:
        answer = taken[index][1]
        judgment = answer.judgment
        if answer.shares_time and judgment.seconds is not None:
            judgment = replace(judgment, seconds=judgment.seconds / sizes[_work(answer)])
        if index in rejected:
            judgment = replace(judgment, rejected=True)
        judgments.append(judgment)
    omissions = [omission for file in files for omission in file.omissions]
    omissions += _omissions(files, taken, first, _AGAIN)
    omissions += _omissions(files, taken, anew - first.keys(), _ANEW)
    remarks += _several_answers(files, [taken[index] for index in kept])
    return Judgments(
        tuple(judgments), tuple(omissions), tuple(remarks), averaged=next(iter(averaged))
    )


def distinct_preferences(files: Sequence[Holding[RankedScreen]]) -> Preferences:
    """The preferences of all files without duplicate rows."""
    screens = [(at, answer) for at, file in enumerate(files) for answer in file.answers]
    first = _repeats(screens, _screen_keys)
    kept = [screen for index, screen in enumerate(screens) if index not in first]
    return Preferences(
        tuple(preference for _, screen in kept for preference in screen.preferences),
        (
            *(omission for file in files for omission in file.omissions),
            *_omissions(files, screens, first, _AGAIN),
        ),
        (*(remark for file in files for remark in file.remarks), *_identical_rows(files, kept)),
        tuple(judgment for _, screen in kept for judgment in screen.judgments),
    )


def count_identical(first: Iterable[Judgment], second: Iterable[Judgment]) -> int:
    """Count the judgments of a second run that are identical to one of the first."""
    earlier = {key for judgment in first for key in _identity(judgment)}
    return sum(not earlier.isdisjoint(_identity(judgment)) for judgment in second)


def _identity(judgment: Judgment) -> Sequence[Hashable]:
    return _judgment_keys(judgment) or (_CONTENT(judgment),)


_FIELDS = ("judge", "pair", "kind", "system", "document", "segment", "value", "scale", "item")
_ITEM = attrgetter(*_FIELDS)
_CONTENT = attrgetter(*_FIELDS, "hit", "seconds", "at", "of")


def _keys(taken: Taken) -> Sequence[Hashable]:
    """Keys that a judgment shares only with its duplicates; none if these are unrecognisable."""
    keys = _judgment_keys(taken.judgment)
    if taken.question is not None:
        keys.append((taken.question, *_ITEM(taken.judgment)))
    return keys


def _judgment_keys(judgment: Judgment) -> list[Hashable]:
    keys: list[Hashable] = []
    if judgment.assignment is not None:
        keys.append((judgment.assignment, *_ITEM(judgment)))
    if judgment.at is not None or not judgment.judge:  # an item has one mean of unnamed judges
        keys.append(_CONTENT(judgment))
    return keys


def _work(taken: Taken) -> tuple[str, str]:
    return taken.judgment.judge, taken.judgment.hit


def _screen_keys(screen: RankedScreen) -> Sequence[Hashable]:
    is_identified = any(name in TELLING and cell for name, cell in screen.cells)
    return (screen.cells,) if is_identified else ()


def _repeats(
    answers: Sequence[tuple[int, Answer]], keys_of: Callable[[Answer], Sequence[Hashable]]
) -> dict[int, int]:
    """Find the answers that are duplicates, each with the earlier one that stays."""
    first: dict[int, int] = {}
    first_places: dict[Hashable, int] = {}
    for index, (_, answer) in enumerate(answers):
        keys = keys_of(answer)
        stays = next((first_places[key] for key in keys if key in first_places), index)
        for key in keys:
            first_places.setdefault(key, stays)
        if stays != index:
            first[index] = stays
    return first


def _replaced_answers(taken: Sequence[tuple[int, Taken]]) -> set[int]:
    """Answers that a later answer to the same question in another file replaces."""
    named = [index for index, (_, answer) in enumerate(taken) if answer.question is not None]
    replaced: set[int] = set()
    for group in grouped(named, lambda index: taken[index][1].question).values():
        files = grouped(group, lambda index: taken[index][0])
        times = {
            file: max(taken[index][1].judgment.at or "" for index in indices)
            for file, indices in files.items()
        }
        last = max(times, key=lambda file: (times[file], file))
        replaced.update(
            index
            for file, indices in files.items()
            if times[file] != times[last]
            for index in indices
        )
    return replaced


def _omissions(
    files: Sequence[Holding[Taken]] | Sequence[Holding[RankedScreen]],
    answers: Sequence[tuple[int, Answer]],
    dropped: Iterable[int],
    why: str,
) -> list[Omission]:
    """The numbers of answers left out, by file and reason."""
    by_file = grouped((answers[index] for index in sorted(dropped)), lambda place: place[0])
    return [
        Omission(
            f"{files[file].name}: {why} ({list_rows([answer.row for _, answer in answers])})",
            len(answers),
        )
        for file, answers in sorted(by_file.items())
    ]


def _several_answers(
    files: Sequence[Holding[Taken]], kept: Sequence[tuple[int, Taken]]
) -> list[str]:
    """Remarks on items that one judge answered several times in one hit."""
    item = attrgetter("pair", "kind", "system", "document", "segment", "scale")
    again, identical = [], []
    for group in grouped(kept, lambda entry: _work(entry[1])).values():
        seen: set[Hashable] = set()
        contents: set[Hashable] = set()
        for file, taken in group:
            key, content = item(taken.judgment), _CONTENT(taken.judgment)
            if content in contents and not _keys(taken):
                identical.append((file, taken.row))
            elif key in seen:
                again.append((file, taken.row))
            seen.add(key)
            contents.add(content)
    return [
        *_remark_on_identical(files, identical),
        *(
            f"{files[file].name}: {len(answers):,} answers to an item that the same judge had "
            f"already answered in the same HIT ({list_rows([row for _, row in answers])}); all "
            "are kept"
            for file, answers in sorted(grouped(sorted(again), lambda place: place[0]).items())
        ),
    ]


def _identical_rows(
    files: Sequence[Holding[RankedScreen]], kept: Sequence[tuple[int, RankedScreen]]
) -> list[str]:
    """A remark on identical rows that name a judge, in one file or in two."""
    first: dict[Hashable, int] = {}
    identical = []
    for file, screen in kept:
        if _screen_keys(screen):
            continue
        if screen.cells not in first:
            first[screen.cells] = file
        elif screen.judge is not None or first[screen.cells] != file:
            identical.append((file, screen.row))
    return _remark_on_identical(files, identical)


def _remark_on_identical(
    files: Sequence[Holding[Taken]] | Sequence[Holding[RankedScreen]],
    places: Sequence[tuple[int, int]],
) -> list[str]:
    by_file = grouped(sorted(places), lambda place: place[0])
    rows = {files[file].name: [row for _, row in answers] for file, answers in by_file.items()}
    return [identical_remark(rows)] if rows else []


def identical_remark(rows: Mapping[str, Sequence[int]]) -> str:
    """A remark on rows that are identical to others but still count."""
    count = plural(sum(map(len, rows.values())), "row")
    where = "; ".join(f"{name}: {list_rows(numbers)}" for name, numbers in rows.items())
    return (
        f"{count} identical to others, with no assignment id or time to tell duplicates from "
        f"equal answers ({where}); all are counted, so give each file once"
    )
