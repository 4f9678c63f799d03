"""What a person said of an entry, and what several people say together."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from weigh.errors import plural
from weigh.read.stream import quoted
from weigh.rypt.label import GAP, Entry, Label

ANONYMOUS = "anonymous"
LONGEST_NAME = 200
"""The most characters that the name of a judge or of an origin may have."""

# Texts, names and times recur in a file, so what was found out of them is kept for a while.
_CACHED = 1 << 16
_BREAKING = frozenset("\0\t\n\r")

Labels = dict[str, dict[tuple[int, int, str], Label]]
"""What is known: by source, the label of every (start, end, substring)."""


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
    """What is wrong, and what to do about it."""

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
    """Return what is wrong with a judgment, or None where nothing is."""
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
    """Return what is wrong with a source sentence, or None."""
    return _examined(source, "source")[1]


def substring_fault(substring: str) -> Fault | None:
    """Return what is wrong with a substring, or None."""
    return _examined(substring, "substring")[1] or _gap_fault(substring)


@lru_cache(maxsize=_CACHED)
def _examined(text: str, what: str) -> tuple[int, Fault | None]:
    """Return the number of words, and what is wrong with them."""
    words = text.split(" ")
    if not all(words):
        return 0, Fault(
            f"the {what} is {quoted(text)}", f"expected a {what} of words with one space between"
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
        return Fault(f"the {what} has half of a surrogate pair", "write the whole character")
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
    """Return the label that each judge gave last, by entry."""
    last: dict[Entry, dict[str, tuple[str, Label]]] = {}
    for one in judgments:
        given = last.setdefault(one.entry, {})
        if one.judge not in given or given[one.judge][0] < one.at:
            given[one.judge] = one.at, one.label
    return {
        entry: {judge: label for judge, (_, label) in given.items()}
        for entry, given in last.items()
    }


def majority(labels: Iterable[Label]) -> Label:
    """Return the label that most gave; where two have the most, nobody can be sure.

    >>> str(majority([Label.YES, Label.YES, Label.NO])), str(majority([Label.YES, Label.NO]))
    ('YES', 'NOT SURE')
    """
    given = list(labels)
    if len(given) == 1:
        return given[0]
    counts = sorted(((given.count(label), label) for label in set(given)), reverse=True)
    if len(counts) > 1 and counts[0][0] == counts[1][0]:
        return Label.NOT_SURE
    return counts[0][1]
