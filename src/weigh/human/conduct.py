"""Conduct of judges: tasks, time, constant answers, means by kind of item.

It is advice to a person who looks at a judge, as in the published crowd pipeline (Graham et al.
2017); no judge is dropped for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import fsum

from weigh.human.plan import PREFERENCE
from weigh.result import derived
from weigh.stats.ranking import with_ties
from weigh.types import Judgment, Kind, grouped

LEAST_SECONDS = 300.0
LONGEST_RUN = 8
TASK = 100  # items that a task of direct assessment has
_LARGEST = 150  # items of a hit that is one task; whole documents may make it larger than 100
LONGEST_PAUSE = 1800.0  # seconds between two answers to one task
_LONGEST_STEP = 600.0  # seconds from one answer to the next that may have been spent on it


@dataclass(frozen=True, slots=True)
class Conduct:
    """Summary of one judge's work.

    Means are by kind of item. `hits` are those that the file names, or else the tasks that
    `tasks_of` tells apart. `least_seconds` is the shortest time of one, divided by how many
    were open at once; of a task that is told apart, the time that 100 items would have taken.
    `least_seconds_per_item` is that of the quickest. `longest_run` is the longest run of one score
    within a hit. All are None where times, or the order of the items, are not told.
    """

    judge: str
    judgments: int
    hits: int
    rejected_hits: int
    mean_bad: float | None
    mean_system: float | None
    mean_reference: float | None
    seconds_per_hit: float | None
    least_seconds: float | None
    least_seconds_per_item: float | None
    longest_run: int | None

    @property
    @derived
    def flags(self) -> tuple[str, ...]:
        """Signs of careless judging that a person should check."""
        flags = []
        bad, system, reference = self.mean_bad, self.mean_system, self.mean_reference
        if bad is not None and system is not None and bad >= system:
            flags.append("bad items ≥ outputs")
        if system is not None and reference is not None and system >= reference:
            flags.append("outputs ≥ references")
        if self.least_seconds is not None and self.least_seconds < LEAST_SECONDS:
            flags.append(f"hit below {LEAST_SECONDS:g} s")
        if self.longest_run is not None and self.longest_run > LONGEST_RUN:
            flags.append(f"run of {self.longest_run}")
        if self.rejected_hits:
            flags.append("rejected hits")
        return tuple(flags)


@dataclass(frozen=True, slots=True)
class Task:
    """One task of a judge: a hit that the file names, or a period separated by pauses.

    `items` are those that were answered, on however many scales at once. `seconds` is the time
    that it took, None where it is not told of every item: that of the items together, or of a piece
    that from its first answer to its last, without long rests, if this is longer.
    """

    judgments: tuple[Judgment, ...]
    named: bool
    items: int
    seconds: float | None


def _task(judgments: Sequence[Judgment], named: bool, items: Sequence[Judgment]) -> Task:
    seconds = [judgment.seconds for judgment in items if judgment.seconds is not None]
    times = None if named else _times(judgments)
    is_timed = len(seconds) == len(items) and (named or times is not None)
    spent = max(fsum(seconds), _elapsed(times or [])) if is_timed else None
    return Task(tuple(judgments), named, len(items), spent)


def _elapsed(times: Sequence[tuple[float, float]]) -> float:
    """The time from the first answer to the last, without breaks of more than ten minutes.

    On pages with whole documents, what is told of one text may be the moment of its answer alone.
    """
    ends = sorted(end for _, end in times)
    steps = [after - before for before, after in pairwise(ends)]
    steps.append(max((end - start for start, end in times if end == ends[0]), default=0.0))
    return fsum(step for step in steps if step <= _LONGEST_STEP)


def tasks_of(judgments: Iterable[Judgment]) -> list[Task]:
    """Return the tasks of one judge.

    Where the file names none, which it also does not where a hit has more than 150 items, the
    answers in order of time are split where more than 30 minutes pass between the end of one and
    the start of the next, and after every 100 items. Without times they cannot be told apart.
    """
    tasks = []
    for hit, answers in grouped(judgments, lambda judgment: judgment.hit).items():
        named, items = hit != answers[0].judge, _items(answers)
        pieces = [] if named and len(items) <= _LARGEST else _pieces(items)
        tasks += [_task(piece, False, piece) for piece in pieces]
        tasks += [] if pieces else [_task(answers, named, items)]
    return tasks


def _items(judgments: Iterable[Judgment]) -> list[Judgment]:
    """Return one judgment for every item, answered on however many scales at once.

    Two texts between which somebody chose are one item.
    """
    items: dict[tuple[object, ...], Judgment] = {}
    for judgment in judgments:
        if judgment.scale == PREFERENCE and judgment.item is not None:
            place = (int(judgment.item) + 1) // 2
            items.setdefault((judgment.judge, judgment.hit, place, judgment.at), judgment)
            continue
        item = (
            judgment.pair,
            judgment.kind,
            judgment.system,
            judgment.segment,
            judgment.item,
            judgment.at,
            judgment.seconds,
        )
        # Without the moment, answers on two scales may be two answers; so may two to one item.
        items.setdefault(item if judgment.at else (len(items),), judgment)
    return list(items.values())


def single_answers(judgments: Sequence[Judgment]) -> Sequence[Judgment]:
    """One judgment per text: a choice between two texts becomes a judgment of each."""
    chosen = any(judgment.scale == PREFERENCE for judgment in judgments)
    return _items(judgments) if chosen else judgments


def _ends(judgments: Iterable[Judgment]) -> list[datetime]:
    """Times of the answers, where files have them."""
    return [datetime.fromisoformat(judgment.at) for judgment in judgments if judgment.at]


def _times(judgments: Sequence[Judgment]) -> list[tuple[float, float]] | None:
    """Start and end of answers in seconds of a common clock, if all have them."""
    ends = _ends(judgments)
    if len(ends) < len(judgments) or any(judgment.seconds is None for judgment in judgments):
        return None
    if len({end.tzinfo is None for end in ends}) > 1:
        return None
    return [
        (end.timestamp() - (judgment.seconds or 0.0), end.timestamp())
        for end, judgment in zip(ends, judgments, strict=True)
    ]


def _pieces(items: Sequence[Judgment]) -> list[list[Judgment]]:
    """Answers split at pauses and after every 100 items; none without times."""
    times = _times(items)
    if times is None:
        return []
    order = sorted(
        zip(times, items, strict=True),
        key=lambda entry: (
            entry[0],
            entry[1].system,
            entry[1].segment,
            entry[1].kind,
            entry[1].value,
        ),
    )
    pieces: list[list[Judgment]] = []
    last = 0.0
    for (start, end), judgment in order:
        # To the millisecond, since the start is a difference of large numbers.
        if not pieces or round(start - last, 3) > LONGEST_PAUSE or len(pieces[-1]) == TASK:
            pieces.append([])
        pieces[-1].append(judgment)
        last = max(last, end)
    return pieces


def conduct_of(judgments: Sequence[Judgment]) -> Conduct:
    """Describe the work of one judge, whose judgments these are, in any order."""
    tasks = tasks_of(judgments)
    times = [task.seconds for task in tasks]
    recorded = [time for time in times if time is not None]
    paces = [time / task.items for task, time in zip(tasks, times, strict=True) if time is not None]
    spans = [_span(task.judgments, time) for task, time in zip(tasks, times, strict=True)]
    shared = [
        (time if task.named else time * TASK / task.items)
        / (1 if span is None else _open_at_once(span, spans))
        for task, time, span in zip(tasks, times, spans, strict=True)
        if time is not None
    ]
    runs = [run for task in tasks if (run := _longest_run(task.judgments)) is not None]
    means = _means(judgments)
    return Conduct(
        judge=judgments[0].judge,
        judgments=len(single_answers(judgments)),
        hits=len(tasks),
        mean_bad=means.get("bad"),
        mean_system=means.get("system"),
        mean_reference=means.get("reference"),
        seconds_per_hit=fsum(recorded) / len(recorded) if recorded else None,
        least_seconds=min(shared, default=None),
        longest_run=max(runs, default=None),
        rejected_hits=sum(any(judgment.rejected for judgment in task.judgments) for task in tasks),
        least_seconds_per_item=min(paces, default=None),
    )


def _means(judgments: Sequence[Judgment]) -> dict[Kind, float]:
    """The mean of every kind of item, independent of the order of the answers."""
    by_kind = grouped(judgments, lambda judgment: judgment.kind)
    means = [fsum(judgment.value for judgment in group) / len(group) for group in by_kind.values()]
    scale = max(abs(judgment.value) for judgment in judgments)
    return dict(zip(by_kind, with_ties(means, scale).tolist(), strict=True))


def _span(hit: Iterable[Judgment], seconds: float | None) -> tuple[float, float] | None:
    """Start and end of a hit, in seconds of a common clock."""
    times = _ends(hit)
    if not times or seconds is None or len({time.tzinfo is None for time in times}) > 1:
        return None
    end = round(max(time.timestamp() for time in times), 3)
    # To the millisecond, so that shared seconds add up to a start that may be another hit's end.
    return round(end - seconds, 3), end


def _open_at_once(span: tuple[float, float], spans: Sequence[tuple[float, float] | None]) -> int:
    """The largest number of HITs that were open at the same time as this one."""
    timed = [span for span in spans if span is not None]
    # The number only rises where a hit begins.
    moments = [start for start, _ in timed if span[0] <= start <= span[1]]
    return max(sum(start <= moment <= end for start, end in timed) for moment in moments)


def _longest_run(hit: Sequence[Judgment]) -> int | None:
    """The longest run of equal scores; None if the order of the items is unknown."""
    if all(judgment.item is not None and judgment.item.isdigit() for judgment in hit):
        places = [int(judgment.item or 0) for judgment in hit]
    elif len(ends := _ends(hit)) == len(hit):
        places = [int(1e6 * end.timestamp()) for end in ends]
    else:
        return None
    if len(set(places)) < len(places):
        return None
    longest = run = 0
    last: float | None = None
    for _, judgment in sorted(zip(places, hit, strict=True), key=lambda pair: pair[0]):
        run = run + 1 if judgment.value == last else 1
        last = judgment.value
        longest = max(longest, run)
    return longest
