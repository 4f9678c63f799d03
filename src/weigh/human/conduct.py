"""How judges went about their work: means by kind of item, time, constant answers, rejections.

These are advice to a person who looks at a judge, as in the published crowd pipeline (Graham et
al. 2017); no judge is dropped for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import fsum

from weigh.stats.rounding import with_ties
from weigh.types import Judgment, Kind

LEAST_SECONDS = 300.0
LONGEST_RUN = 8
TASK = 100  # items that a task of direct assessment has
LONGEST_PAUSE = 1800.0  # seconds between two answers to one task


@dataclass(frozen=True, slots=True)
class Conduct:
    """What is known of one judge's work.

    `means` are by kind of item. `hits` are those that the file names, or else the tasks that
    `tasks_of` tells apart. `least_seconds` is the shortest time of one, divided by how many
    were open at once; of a task that is told apart, the time that 100 items would have taken.
    `least_seconds_per_item` is that of the quickest. `longest_run` is the longest run of one score
    within a hit. All are None where times, or the order of the items, are not told.
    """

    judgments: int
    hits: int
    means: dict[Kind, float]
    seconds_per_hit: float | None
    least_seconds: float | None
    longest_run: int | None
    rejected_hits: int
    least_seconds_per_item: float | None = None

    @property
    def flags(self) -> tuple[str, ...]:
        """What a person should look at."""
        found = []
        bad, system, reference = (self.means.get(k) for k in ("bad", "system", "reference"))
        if bad is not None and system is not None and bad >= system:
            found.append("bad items ≥ outputs")
        if system is not None and reference is not None and system >= reference:
            found.append("outputs ≥ references")
        if self.least_seconds is not None and self.least_seconds < LEAST_SECONDS:
            found.append(f"hit below {LEAST_SECONDS:g} s")
        if self.longest_run is not None and self.longest_run > LONGEST_RUN:
            found.append(f"run of {self.longest_run}")
        if self.rejected_hits:
            found.append("rejected hits")
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Task:
    """What a judge did at a stretch: a hit that the file names, or a piece told apart by times."""

    judgments: tuple[Judgment, ...]
    named: bool

    @property
    def items(self) -> int:
        """How many items were answered, on however many scales at once."""
        return len(_items(self.judgments))

    @property
    def seconds(self) -> float | None:
        """The time that it took, None where it is not told of every item."""
        if not self.named and _times(self.judgments) is None:
            return None
        seconds = [one.seconds for one in _items(self.judgments)]
        known = [each for each in seconds if each is not None]
        return fsum(known) if len(known) == len(seconds) else None

    @property
    def seconds_per_item(self) -> float | None:
        """The mean time of an item."""
        return None if self.seconds is None else self.seconds / self.items


def tasks_of(judgments: Iterable[Judgment]) -> list[Task]:
    """Return the tasks of one judge.

    Where the file names none, which it also does not where a hit has more than 100 items, the
    answers in order of time are split where more than 30 minutes pass between the end of one and
    the start of the next, and after every 100 items. Without times they cannot be told apart.
    """
    hits: dict[str, list[Judgment]] = {}
    for one in judgments:
        hits.setdefault(one.hit, []).append(one)
    tasks = []
    for hit, own in hits.items():
        named = hit != own[0].judge
        if named and len(_items(own)) <= TASK:
            tasks.append(Task(tuple(own), named=True))
        else:
            pieces = _pieces(own)
            tasks += [Task(tuple(piece), named=False) for piece in pieces or []]
            tasks += [] if pieces else [Task(tuple(own), named=named)]
    return tasks


def _items(judgments: Iterable[Judgment]) -> list[Judgment]:
    """Return one judgment for every item, answered on however many scales at once."""
    found: dict[tuple[object, ...], Judgment] = {}
    for one in judgments:
        item = (one.pair, one.kind, one.system, one.segment, one.item, one.at, one.seconds)
        # Without the moment, answers on two scales may be two answers; so may two to one item.
        found.setdefault(item if one.at is not None else (len(found), one), one)
    return list(found.values())


def _times(judgments: Sequence[Judgment]) -> list[tuple[float, float]] | None:
    """Return when answers began and ended, in seconds of any common clock, if all tell it."""
    if any(one.at is None or one.seconds is None for one in judgments):
        return None
    ends = [datetime.fromisoformat(one.at or "") for one in judgments]
    if len({end.tzinfo is None for end in ends}) > 1:
        return None
    return [
        (end.timestamp() - (one.seconds or 0.0), end.timestamp())
        for end, one in zip(ends, judgments, strict=True)
    ]


def _pieces(judgments: Sequence[Judgment]) -> list[list[Judgment]] | None:
    """Return answers split by pauses and after every 100 items, None without times."""
    items = _items(judgments)
    times = _times(items)
    if times is None:
        return None
    order = sorted(
        zip(times, items, strict=True),
        key=lambda each: (each[0], each[1].system, each[1].segment, each[1].kind, each[1].value),
    )
    pieces: list[list[Judgment]] = []
    last = 0.0
    for (start, end), one in order:
        # To the millisecond, since the start is a difference of large numbers.
        if not pieces or round(start - last, 3) > LONGEST_PAUSE or len(pieces[-1]) == TASK:
            pieces.append([])
        pieces[-1].append(one)
        last = max(last, end)
    return pieces


def conduct_of(judgments: Sequence[Judgment]) -> Conduct:
    """Describe the work of one judge, whose judgments these are, in any order."""
    by_kind: dict[Kind, list[float]] = {}
    for one in judgments:
        by_kind.setdefault(one.kind, []).append(one.value)
    tasks = tasks_of(judgments)
    times = [task.seconds for task in tasks]
    known = [time for time in times if time is not None]
    paces = [pace for task in tasks if (pace := task.seconds_per_item) is not None]
    spans = [_span(task.judgments, time) for task, time in zip(tasks, times, strict=True)]
    shared = [
        (time if task.named else time * TASK / task.items)
        / (1 if span is None else _open_at_once(span, spans))
        for task, time, span in zip(tasks, times, spans, strict=True)
        if time is not None
    ]
    runs = [run for task in tasks if (run := _longest_run(task.judgments)) is not None]
    return Conduct(
        judgments=len(judgments),
        hits=len(tasks),
        means=_means(by_kind),
        seconds_per_hit=fsum(known) / len(known) if known else None,
        least_seconds=min(shared, default=None),
        longest_run=max(runs, default=None),
        rejected_hits=sum(any(one.rejected for one in task.judgments) for task in tasks),
        least_seconds_per_item=min(paces, default=None),
    )


def _means(by_kind: Mapping[Kind, Sequence[float]]) -> dict[Kind, float]:
    """Return the mean of every kind of item, equal ones without the order of their rounding."""
    means = [fsum(values) / len(values) for values in by_kind.values()]
    scale = max(abs(value) for values in by_kind.values() for value in values)
    return dict(zip(by_kind, with_ties(means, scale).tolist(), strict=True))


def _span(hit: Iterable[Judgment], seconds: float | None) -> tuple[float, float] | None:
    """Return when a hit was begun and ended, in seconds of any common clock."""
    times = [datetime.fromisoformat(one.at) for one in hit if one.at is not None]
    if not times or seconds is None or len({time.tzinfo is None for time in times}) > 1:
        return None
    end = round(max(time.timestamp() for time in times), 3)
    # To the millisecond, so that shared seconds add up to a start that may be another hit's end.
    return round(end - seconds, 3), end


def _open_at_once(span: tuple[float, float], spans: Sequence[tuple[float, float] | None]) -> int:
    """Return the largest number of hits that were open at one moment of this one's span."""
    known = [each for each in spans if each is not None]
    # The number only rises where a hit begins.
    moments = [start for start, _ in known if span[0] <= start <= span[1]]
    return max(sum(start <= moment <= end for start, end in known) for moment in moments)


def _longest_run(hit: Sequence[Judgment]) -> int | None:
    """Return the longest run of one score, None where the order of the items is not known."""
    if all(one.item is not None and one.item.isdigit() for one in hit):
        places = [int(one.item or 0) for one in hit]
    elif all(one.at is not None for one in hit):
        places = [int(1e6 * datetime.fromisoformat(one.at or "").timestamp()) for one in hit]
    else:
        return None
    if len(set(places)) < len(places):
        return None
    longest = run = 0
    last: float | None = None
    for _, one in sorted(zip(places, hit, strict=True), key=lambda pair: pair[0]):
        run = run + 1 if one.value == last else 1
        last = one.value
        longest = max(longest, run)
    return longest
