"""Progress of a campaign: answers so far and to come, by kind and judge; pace, time and cost."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import NamedTuple

from sqlalchemy import Connection, text

from weigh.web.access import Judge
from weigh.web.campaigns import Campaign
from weigh.web.screens import is_as_expected
from weigh.web.tables import written

_HOUR = timedelta(hours=1)
# A pace is that of an hour; of a campaign that has just begun, of the time since, if not shorter.
_LEAST_PACE = timedelta(minutes=5)


class Right(NamedTuple):
    """The number of items with a known answer, and of those answered as expected."""

    right: int
    of: int


@dataclass(frozen=True, slots=True)
class KindProgress:
    """The progress of one kind of tasks.

    `lent` sheets are with judges now. `seconds` is the median time of an answer, None where none is
    timed.
    """

    kind: str
    answered: int
    wanted: int
    sheets_done: int
    sheets: int
    lent: int
    seconds: float | None

    @property
    def left(self) -> int:
        """How many answers are still wanted."""
        return max(0, self.wanted - self.answered)

    @property
    def share(self) -> float:
        """The share of answers that are there."""
        return self.answered / self.wanted if self.wanted else 1.0


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """The progress of one judge; all numbers except those of training and controls count work.

    `holds` are the answers that are left of what the judge holds now.
    """

    judge: Judge
    answers: int
    sheets_done: int
    holds: int
    seconds: float | None
    in_last_hour: int
    last_seen: str | None
    training: Right
    controls: Right


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """Progress of a campaign at a moment; `paid` counts all answers given, whatever became of
    them, `pace` is the number of answers per hour, and `price` what one costs."""

    at: str
    is_open: bool
    kinds: tuple[KindProgress, ...]
    judges: tuple[JudgeProgress, ...]
    paid: int
    in_last_hour: int
    pace: float
    price: float | None

    @property
    def answered(self) -> int:
        """The number of answers that count."""
        return sum(kind.answered for kind in self.kinds)

    @property
    def wanted(self) -> int:
        """The number of answers wanted in total."""
        return sum(kind.wanted for kind in self.kinds)

    @property
    def left(self) -> int:
        """How many answers are still wanted."""
        return sum(kind.left for kind in self.kinds)

    @property
    def seconds_of_work_left(self) -> float | None:
        """The time that one person would need for the rest, if known."""
        needed = [kind for kind in self.kinds if kind.left]
        if any(kind.seconds is None for kind in needed):
            return None
        return sum(kind.left * (kind.seconds or 0.0) for kind in needed)

    @property
    def hours_left(self) -> float | None:
        """The hours that the rest takes at the present pace; None without any pace."""
        if not self.left:
            return 0.0
        return self.left / self.pace if self.pace else None

    @property
    def cost(self) -> float | None:
        """The cost of the answers so far."""
        return None if self.price is None else self.paid * self.price

    @property
    def cost_left(self) -> float | None:
        """The cost of the answers still wanted."""
        return None if self.price is None else self.left * self.price


class _FirstAnswer(NamedTuple):
    """The first answer of a judge to an item."""

    judge: int
    kind: str
    role: str
    slot: int
    seconds: float | None
    at: str


def progress_of(campaign: Campaign, now: float | None = None) -> CampaignProgress:
    """Progress of a campaign; `now` is in seconds since 1970."""
    now = time.time() if now is None else now
    moment = datetime.fromtimestamp(now, UTC)
    with campaign.database.reading() as connection:
        answers, seen = _first_answers(connection, campaign.id)
        slots = _slots(connection, campaign.id)
        right_answers = _known_answers(connection, campaign.id)
        state = connection.execute(
            text("SELECT state FROM campaigns WHERE id = :id"), {"id": campaign.id}
        ).scalar()
    judges = campaign.access.judges()
    counted = {judge.id for judge in judges if judge.state not in ("void", "erased")}
    work = [answer for answer in answers if answer.role == "work"]
    by_judge: dict[int, list[_FirstAnswer]] = defaultdict(list)
    for response in work:
        by_judge[response.judge].append(response)
    recent = [answer.at for answer in work if answer.at >= written(moment - _HOUR)]
    return CampaignProgress(
        written(moment),
        state == "open",
        tuple(
            _kind(
                name, [*slots.values()], [answer for answer in work if answer.judge in counted], now
            )
            for name in campaign.settings["kinds"]
        ),
        tuple(
            _judge(
                judge, by_judge[judge.id], slots, seen, right_answers, written(moment - _HOUR), now
            )
            for judge in judges
        ),
        len(work),
        len(recent),
        _pace(recent, moment),
        campaign.plan.price,
    )


def _pace(times: Sequence[str], moment: datetime) -> float:
    """Answers per hour, from the last hour."""
    if not times:
        return 0.0
    since = moment - datetime.fromisoformat(min(times))
    return len(times) / (max(min(since, _HOUR), _LEAST_PACE) / _HOUR)


def _first_answers(
    connection: Connection, campaign: int
) -> tuple[list[_FirstAnswer], Mapping[int, str]]:
    """First answers by judge and item, and each judge's last time."""
    rows = connection.execute(
        text(
            "SELECT a.judge, b.kind, s.role, a.slot, a.item, a.seconds, a.at "
            "FROM campaign_answers a JOIN campaign_slots s ON s.id = a.slot "
            "JOIN campaign_batches b ON b.id = s.batch WHERE s.campaign = :campaign ORDER BY a.id"
        ),
        {"campaign": campaign},
    )
    first: dict[tuple[int, int, int], _FirstAnswer] = {}
    seen: dict[int, str] = {}
    for judge, kind, role, slot, item, seconds, at in rows:
        seen[judge] = at
        if (judge, slot, item) not in first:
            first[judge, slot, item] = _FirstAnswer(judge, kind, role, slot, seconds, at)
    return list(first.values()), seen


class _Slot(NamedTuple):
    id: int
    kind: str
    state: str
    size: int
    answered: int
    judge: int | None
    until: float | None

    def is_lent(self, now: float) -> bool:
        """Whether a judge holds it."""
        return self.state == "open" and self.judge is not None and (self.until or 0.0) >= now


def _slots(connection: Connection, campaign: int) -> dict[int, _Slot]:
    rows = connection.execute(
        text(
            "SELECT s.id, b.kind, s.state, s.size, s.answered, s.judge, s.until "
            "FROM campaign_slots s JOIN campaign_batches b ON b.id = s.batch "
            "WHERE s.campaign = :campaign AND s.role = 'work'"
        ),
        {"campaign": campaign},
    )
    return {row[0]: _Slot(*row) for row in rows}


def _known_answers(connection: Connection, campaign: int) -> Mapping[tuple[int, str], Right]:
    """The numbers of expected answers at the first attempt, by judge and role."""
    rows = connection.execute(
        text(
            "SELECT a.judge, s.role, i.expected, a.answer FROM campaign_answers a "
            "JOIN campaign_slots s ON s.id = a.slot JOIN campaign_items i ON i.id = a.item "
            "WHERE s.campaign = :campaign AND s.role <> 'work' AND a.revision = 1"
        ),
        {"campaign": campaign},
    )
    right: Counter[tuple[int, str]] = Counter()
    of: Counter[tuple[int, str]] = Counter()
    for judge, role, expected, answer in rows:
        of[judge, role] += 1
        right[judge, role] += is_as_expected(expected, answer)
    return {key: Right(right[key], count) for key, count in of.items()}


def _median(answers: Iterable[_FirstAnswer]) -> float | None:
    seconds = [answer.seconds for answer in answers if answer.seconds is not None]
    return median(seconds) if seconds else None


def _kind(
    name: str, slots: Sequence[_Slot], work: Sequence[_FirstAnswer], now: float
) -> KindProgress:
    slots_of_kind = [slot for slot in slots if slot.kind == name]
    wanted = [slot for slot in slots_of_kind if slot.state in ("open", "done")]
    return KindProgress(
        name,
        sum(slot.answered for slot in wanted),
        sum(slot.size for slot in wanted),
        sum(slot.state == "done" for slot in wanted),
        len(wanted),
        sum(slot.is_lent(now) for slot in wanted),
        _median(answer for answer in work if answer.kind == name),
    )


def _judge(
    judge: Judge,
    answers: Sequence[_FirstAnswer],
    slots: Mapping[int, _Slot],
    seen: Mapping[int, str],
    right_answers: Mapping[tuple[int, str], Right],
    hour_ago: str,
    now: float,
) -> JudgeProgress:
    answered = {answer.slot for answer in answers}
    held = [slot for slot in slots.values() if slot.judge == judge.id and slot.is_lent(now)]
    return JudgeProgress(
        judge,
        len(answers),
        sum(slots[slot].state == "done" for slot in answered),
        sum(slot.size - slot.answered for slot in held),
        _median(answers),
        sum(answer.at >= hour_ago for answer in answers),
        seen.get(judge.id),
        right_answers.get((judge.id, "training"), Right(0, 0)),
        right_answers.get((judge.id, "control"), Right(0, 0)),
    )
