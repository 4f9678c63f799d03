"""Who is given what to judge, and the answers: dealt by leases, kept for good, never twice.

1. A batch (a HIT, or one screen) has as many slots as it is to have judgments. A slot is lent to
   one judge at a time. Without an answer for some time it may be given to another judge, who goes
   on where the first one stopped.
2. Nobody is ever given a batch twice, whatever slot it is in. What was taken back from a judge
   unfinished may come back to the same judge, who goes on with it, if nobody else has taken it and
   there is nothing else to do.
3. An answer names the revision that it follows. So one that is sent twice is kept once, and of two
   tabs that answer the same item the second learns of the first. Going back in a browser and
   sending another answer is such a second one.
4. Whoever came by the open link and has answered nothing yet is lent a sheet for a few minutes, and
   all of these together hold half of the sheets at most: nobody can keep the work from the others
   by coming again and again.
5. The batch that comes next is the one with the fewest judgments, and among those the first in the
   order of the tasks.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, text

from weigh.read.database import Database
from weigh.web.plan import CollectPlan
from weigh.web.screens import (
    Answers,
    Expected,
    Screen,
    decoded,
    expected_answers,
    is_as_expected,
)
from weigh.web.slots import add_slot, finish, hold, lend, screen_out
from weigh.web.tables import MOST_ROWS, now

NEWCOMER_LEASE = 5 * 60.0
"""Seconds for which a sheet is lent to somebody who was not invited and has answered nothing."""
_LEAST_CONTROLS = 3  # fewer tell nothing of a judge


class Work(NamedTuple):
    """An item that is before a judge: what is shown, where it stands, and what was said of it.

    `revision` is what an answer to it follows, 0 where nobody has answered. `answers` are the
    judge's own, if this is a look back.
    """

    slot: int
    item: int
    place: int
    size: int
    kind: str
    role: str
    shown: str
    revision: int
    answers: Mapping[str, Any] | None = None

    @property
    def screen(self) -> Screen:
        """The screen of this item."""
        return decoded(self.shown)


class Ended(NamedTuple):
    """Why there is nothing to do.

    `waiting`: all that is left is with others, and may come back.
    """

    why: Literal["finished", "waiting", "quota", "paused", "screened", "closed"]


class AnswerOutcome(NamedTuple):
    """The outcome of saving an answer.

    `saved`: it is kept, now or, as it was sent twice, before. `conflict`: another answer to the
    item has come in between, whose revision and content are told. `refused`: the item is not, or
    no longer, this judge's; `closed`: nothing is taken any more, or not of this judge.
    """

    state: Literal["saved", "conflict", "refused", "closed"]
    revision: int = 0
    answers: Mapping[str, Any] | None = None
    role: str = "work"


class Done(NamedTuple):
    """A judge's progress: items answered, time spent, and answers that can be changed."""

    items: int
    seconds: float
    changeable: int


class _StoredAnswer(NamedTuple):
    """An answer as it is kept, and the state of who gave it."""

    revision: int
    judge: int
    answer: str
    submission: str
    state: str

    @property
    def counts(self) -> bool:
        return self.state not in ("void", "erased")


class _Place(NamedTuple):
    """An item in a slot, with all answers to it."""

    holder: int | None
    state: str
    role: str
    size: int
    answered: int
    batch: int
    kind: str
    place: int
    shown: str
    answers: list[_StoredAnswer]

    @property
    def counted(self) -> list[_StoredAnswer]:
        return [answer for answer in self.answers if answer.counts]

    @property
    def revision(self) -> int:
        return self.answers[-1].revision if self.answers else 0


class Feedback(NamedTuple):
    """Feedback on an answer in training."""

    work: Work
    expected: tuple[Expected, ...]
    explanation: str


_OWN = text(
    "SELECT s.id, s.batch, s.until, s.size, s.role, b.kind FROM campaign_slots s "
    "JOIN campaign_batches b ON b.id = s.batch "
    "WHERE s.judge = :judge AND s.state = 'open' ORDER BY s.id LIMIT 1"
)
_NEXT_ITEM = text(
    "SELECT i.id, i.place, i.shown, (SELECT MAX(r.revision) FROM campaign_answers r "
    "WHERE r.slot = :slot AND r.item = i.id) "
    "FROM campaign_items i WHERE i.batch = :batch AND NOT EXISTS ("
    "SELECT 1 FROM campaign_answers a JOIN campaign_judges j ON j.id = a.judge "
    "WHERE a.slot = :slot AND a.item = i.id AND j.state NOT IN ('void', 'erased')) "
    "ORDER BY i.place LIMIT 1"
)
# An item in a slot, once for each answer to it, or once without any.
_PLACE = text(
    "SELECT s.judge, s.state, s.role, s.size, s.answered, s.batch, b.kind, i.place, i.shown, "
    "a.revision, a.judge, a.answer, a.submission, j.state FROM campaign_slots s "
    "JOIN campaign_batches b ON b.id = s.batch JOIN campaign_items i ON i.batch = s.batch "
    "LEFT JOIN campaign_answers a ON a.slot = s.id AND a.item = i.id "
    "LEFT JOIN campaign_judges j ON j.id = a.judge "
    "WHERE s.id = :slot AND i.id = :item AND s.campaign = :campaign ORDER BY a.revision"
)
_FREE = text(
    "SELECT s.id, s.batch, s.size, b.kind FROM campaign_slots s "
    "JOIN campaign_batches b ON b.id = s.batch "
    "WHERE s.campaign = :campaign AND s.role = 'work' AND s.state = 'open' "
    "AND (s.judge IS NULL OR s.until < :now) "
    "AND NOT EXISTS (SELECT 1 FROM campaign_holdings h "
    "WHERE h.batch = s.batch AND h.judge = :judge) "
    "ORDER BY s.copy, s.id LIMIT 1"
)
# What was taken back from a judge, or given to another who has gone, and is still not done.
_BEGUN = text(
    "SELECT s.id, s.batch, s.size, b.kind FROM campaign_holdings h "
    "JOIN campaign_slots s ON s.id = h.slot JOIN campaign_batches b ON b.id = s.batch "
    "WHERE h.judge = :judge AND s.role = 'work' AND s.state = 'open' "
    "AND (s.judge IS NULL OR s.until < :now) ORDER BY s.copy, s.id LIMIT 1"
)
_UNSEEN = text(
    "SELECT b.id, b.size, b.kind FROM campaign_batches b "
    "WHERE b.campaign = :campaign AND b.role = :role AND NOT EXISTS ("
    "SELECT 1 FROM campaign_holdings h WHERE h.batch = b.id AND h.judge = :judge) "
    "ORDER BY b.id LIMIT 1"
)
_HELD = text(
    "SELECT s.role, COUNT(*) FROM campaign_holdings h JOIN campaign_slots s ON s.id = h.slot "
    "WHERE h.judge = :judge GROUP BY s.role"
)
_DONE = text(
    "SELECT COUNT(*), COALESCE(SUM(a.seconds), 0), "
    "COALESCE(SUM(CASE WHEN s.role = 'training' THEN 1 ELSE 0 END), 0) "
    "FROM campaign_answers a JOIN campaign_slots s ON s.id = a.slot WHERE a.judge = :judge "
    "AND (a.revision = 1 OR NOT EXISTS (SELECT 1 FROM campaign_answers b "
    "WHERE b.slot = a.slot AND b.item = a.item AND b.judge = :judge AND b.revision < a.revision))"
)
# Judges who were not invited and have answered nothing.
_NEWCOMER = "j.uninvited AND NOT EXISTS (SELECT 1 FROM campaign_answers a WHERE a.judge = j.id)"
_IS_NEWCOMER = text(f"SELECT 1 FROM campaign_judges j WHERE j.id = :judge AND {_NEWCOMER}")
# How many sheets are open, and how many of these newcomers hold.
_SHEETS = text(
    "SELECT COUNT(*), "
    f"COALESCE(SUM(CASE WHEN s.until >= :now AND {_NEWCOMER} THEN 1 ELSE 0 END), 0) "
    "FROM campaign_slots s LEFT JOIN campaign_judges j ON j.id = s.judge "
    "WHERE s.campaign = :campaign AND s.role = 'work' AND s.state = 'open'"
)
_SAVED = text(
    "INSERT INTO campaign_answers (slot, item, revision, judge, answer, seconds, at, submission) "
    "VALUES (:slot, :item, :revision, :judge, :answer, :seconds, :at, :submission)"
)
_STANDING = text(
    "SELECT j.state, c.state FROM campaign_judges j JOIN campaigns c ON c.id = j.campaign "
    "WHERE j.id = :judge"
)


class Assignment:
    """The work of one campaign."""

    def __init__(self, database: Database, campaign: int, plan: CollectPlan) -> None:
        self._database = database
        self._campaign = campaign
        self._plan = plan

    @property
    def _lease(self) -> float:
        return self._plan.lease * 60

    def work_for(self, judge: int) -> Work | Ended:
        """The judge's next item, or the reason why there is none."""
        with self._database.reading(snapshot=False) as connection:
            ended = self._ended(connection, judge)
            if ended is not None:
                return ended
            work, until = self._held(connection, judge)
        if work is not None and until - time.time() > self._lease / 2:
            return work
        return self._database.write_together(lambda connection: self._deal(connection, judge))

    def ended(self, judge: int) -> Ended | None:
        """Why no answer of a judge is taken: the campaign is closed, or the judge may not go on."""
        with self._database.reading(snapshot=False) as connection:
            return self._ended(connection, judge)

    def _ended(self, connection: Connection, judge: int) -> Ended | None:
        state, campaign = connection.execute(_STANDING, {"judge": judge}).one()
        if campaign != "open":
            return Ended("closed")
        if state in ("paused", "screened"):
            return Ended(state)
        return Ended("closed") if state != "active" else None

    def _held(self, connection: Connection, judge: int) -> tuple[Work | None, float]:
        """The next item on a judge's sheet, and the end of its lease."""
        held = connection.execute(_OWN, {"judge": judge}).one_or_none()
        if held is None:
            return None, 0.0
        slot, batch, until, size, role, kind = held
        return self._next(connection, slot, batch, size, kind, role), until or 0.0

    def _next(
        self, connection: Connection, slot: int, batch: int, size: int, kind: str, role: str
    ) -> Work | None:
        following = connection.execute(_NEXT_ITEM, {"slot": slot, "batch": batch}).one_or_none()
        if following is None:
            return None
        item, place, content, revision = following
        return Work(slot, item, place, size, kind, role, content, revision or 0)

    def _deal(self, connection: Connection, judge: int) -> Work | Ended:
        ended = self._ended(connection, judge)
        if ended is not None:
            return ended
        is_newcomer = connection.execute(_IS_NEWCOMER, {"judge": judge}).one_or_none() is not None
        lease = min(self._lease, NEWCOMER_LEASE) if is_newcomer else self._lease
        work, _ = self._held(connection, judge)
        if work is not None:
            lend(connection, work.slot, judge, lease)
            return work
        held = {row[0]: row[1] for row in connection.execute(_HELD, {"judge": judge})}
        work = self._lend_once(connection, judge, "training")
        if work is None and self._is_control_due(held):
            work = self._lend_once(connection, judge, "control")
        if work is not None:
            return work
        parameters = {"campaign": self._campaign, "judge": judge, "now": time.time()}
        if is_newcomer:
            sheets, lent = connection.execute(_SHEETS, parameters).one()
            if sheets and lent >= max(1, sheets // 2):
                return Ended("waiting")
        enough = self._plan.most is not None and held.get("work", 0) >= self._plan.most
        free = None if enough else connection.execute(_FREE, parameters).one_or_none()
        if free is not None:
            slot, batch, size, kind = free
            hold(connection, slot, batch, judge, lease)
        else:
            begun = connection.execute(_BEGUN, parameters).one_or_none()
            if begun is None:
                return Ended("quota") if enough else self._nothing_left(connection, judge)
            slot, batch, size, kind = begun
            lend(connection, slot, judge, lease)
        work = self._next(connection, slot, batch, size, kind, "work")
        if work is None:  # nothing is left of it to answer
            finish(connection, slot)
            return self._deal(connection, judge)
        return work

    def _is_control_due(self, held: Mapping[str, int]) -> bool:
        return held.get("work", 0) // self._plan.control_every > held.get("control", 0)

    def _lend_once(self, connection: Connection, judge: int, role: str) -> Work | None:
        """Lend a batch of training, or a control, that every judge has once."""
        parameters = {"campaign": self._campaign, "role": role, "judge": judge}
        unseen = connection.execute(_UNSEEN, parameters).one_or_none()
        if unseen is None:
            return None
        batch, size, kind = unseen
        slot = add_slot(connection, self._campaign, batch, role, judge, size)
        hold(connection, slot, batch, judge, self._lease)
        return self._next(connection, slot, batch, size, kind, role)

    def _nothing_left(self, connection: Connection, judge: int) -> Ended:
        waiting = connection.execute(
            text(
                "SELECT 1 FROM campaign_slots s WHERE s.campaign = :campaign AND s.role = 'work' "
                "AND s.state = 'open' AND NOT EXISTS (SELECT 1 FROM campaign_holdings h "
                "WHERE h.batch = s.batch AND h.judge = :judge) LIMIT 1"
            ),
            {"campaign": self._campaign, "judge": judge},
        ).one_or_none()
        return Ended("finished" if waiting is None else "waiting")

    def answer(
        self,
        judge: int,
        slot: int,
        item: int,
        revision: int,
        answers: Answers,
        submission: str,
        seconds: float | None = None,
    ) -> AnswerOutcome:
        """Keep an answer, once; `submission` tells one that is sent again."""
        sent = (judge, slot, item, revision, answers, submission, seconds)
        return self._database.write_together(lambda connection: self._answer(connection, *sent))

    def _answer(
        self,
        connection: Connection,
        judge: int,
        slot: int,
        item: int,
        revision: int,
        answers: Answers,
        submission: str,
        seconds: float | None,
    ) -> AnswerOutcome:
        place = self._place(connection, slot, item)
        if place is None:
            return AnswerOutcome("refused")
        if any(
            (answer.judge, answer.submission) == (judge, submission)
            and json.loads(answer.answer) == dict(answers)
            for answer in place.answers
        ):
            return AnswerOutcome("saved", place.revision, role=place.role)
        if self._ended(connection, judge) is not None:
            return AnswerOutcome("closed")
        counted = place.counted
        is_own = bool(counted) and counted[-1].judge == judge
        if not is_own and (counted or place.holder != judge or place.state != "open"):
            return AnswerOutcome("refused")
        if place.revision != revision:
            stored = json.loads(counted[-1].answer) if is_own else None
            return AnswerOutcome("conflict", place.revision, stored)
        if place.role == "training" and is_own:  # what was expected has been told
            return AnswerOutcome("refused")
        connection.execute(
            _SAVED,
            {
                "slot": slot,
                "item": item,
                "revision": revision + 1,
                "judge": judge,
                "answer": json.dumps(dict(answers), ensure_ascii=False),
                "seconds": seconds,
                "at": now(),
                "submission": submission,
            },
        )
        if not is_own:
            self._extend_lease(connection, slot, judge, place)
        return AnswerOutcome("saved", revision + 1, role=place.role)

    def _place(self, connection: Connection, slot: int, item: int) -> _Place | None:
        parameters = {"slot": slot, "item": item, "campaign": self._campaign}
        rows = connection.execute(_PLACE, parameters).all()
        if not rows:
            return None
        stored_answers = [_StoredAnswer(*row[9:]) for row in rows if row[9] is not None]
        holder, state, role, size, answered, batch, kind, place, content = rows[0][:9]
        return _Place(
            holder, state, role, size, answered, batch, kind, place, content, stored_answers
        )

    def _extend_lease(self, connection: Connection, slot: int, judge: int, place: _Place) -> None:
        """Lend a slot for longer after an answer, or take it back if that was the last."""
        is_last = place.answered + 1 >= place.size
        connection.execute(
            text(
                "UPDATE campaign_slots SET answered = answered + 1, until = :until, "
                "state = :state WHERE id = :slot"
            ),
            {
                "until": None if is_last else time.time() + self._lease,
                "state": "done" if is_last else "open",
                "slot": slot,
            },
        )
        if is_last and place.role != "work":
            self._screen(connection, judge, place.role)

    def _screen(self, connection: Connection, judge: int, role: str) -> None:
        """Exclude a judge who does not answer training items or controls as expected."""
        if role == "training" and self._is_unseen(connection, judge, role):
            return
        rows = connection.execute(
            text(
                "SELECT i.expected, a.answer FROM campaign_answers a "
                "JOIN campaign_slots s ON s.id = a.slot JOIN campaign_items i ON i.id = a.item "
                "WHERE a.judge = :judge AND s.role = :role AND a.revision = 1"
            ),
            {"judge": judge, "role": role},
        ).all()
        right = sum(is_as_expected(expected, answer) for expected, answer in rows)
        enough = role == "training" or len(rows) >= _LEAST_CONTROLS
        if enough and right < self._plan.passed * len(rows):
            detail = {"by": role, "right": right, "of": len(rows)}
            screen_out(connection, self._campaign, judge, detail)

    def _is_unseen(self, connection: Connection, judge: int, role: str) -> bool:
        parameters = {"campaign": self._campaign, "role": role, "judge": judge}
        return connection.execute(_UNSEEN, parameters).one_or_none() is not None

    def look_back(
        self, judge: int, slot: int | None = None, item: int | None = None
    ) -> Work | None:
        """A judge's last answer, or the last before an item; None if there is none."""
        before = ""
        parameters: dict[str, Any] = {"judge": judge}
        if item is not None:
            before = (
                "HAVING MIN(a.id) < COALESCE((SELECT MIN(id) FROM campaign_answers "
                "WHERE judge = :judge AND slot = :slot AND item = :item), 1e18) "
            )
            parameters |= {"item": item, "slot": slot}
        with self._database.reading() as connection:
            row = connection.execute(
                text(
                    "SELECT a.slot, a.item FROM campaign_answers a "
                    "JOIN campaign_slots s ON s.id = a.slot "
                    "WHERE a.judge = :judge AND s.role <> 'training' GROUP BY a.slot, a.item "
                    f"{before}ORDER BY MIN(a.id) DESC LIMIT 1"
                ),
                parameters,
            ).one_or_none()
            return None if row is None else self._answered(connection, judge, *row)

    def requested_work(self, judge: int, slot: int, item: int) -> Work | None:
        """An item that a judge may answer, for the first time or again; None if not."""
        with self._database.reading(snapshot=False) as connection:
            place = self._place(connection, slot, item)
            if place is None:
                return None
            mine = [answer for answer in place.answers if answer.judge == judge]
            if not mine and (place.counted or place.holder != judge or place.state != "open"):
                return None
            # Who has done all before it has been shown it.
            if not mine and place.place != place.answered + 1:
                parameters = {"slot": slot, "batch": place.batch}
                following = connection.execute(_NEXT_ITEM, parameters).one_or_none()
                if following is None or following[0] != item:
                    return None
        return Work(
            slot,
            item,
            place.place,
            place.size,
            place.kind,
            place.role,
            place.shown,
            mine[-1].revision if mine else place.revision,
            json.loads(mine[-1].answer) if mine else None,
        )

    def answered(self, judge: int, slot: int, item: int) -> Work | None:
        """An item that a judge has answered, with the answer; None if not answered."""
        with self._database.reading() as connection:
            return self._answered(connection, judge, slot, item)

    def _answered(self, connection: Connection, judge: int, slot: int, item: int) -> Work | None:
        if max(slot, item) >= MOST_ROWS:
            return None
        row = connection.execute(
            text(
                "SELECT i.place, s.size, b.kind, s.role, i.shown, a.revision, a.answer "
                "FROM campaign_answers a JOIN campaign_items i ON i.id = a.item "
                "JOIN campaign_slots s ON s.id = a.slot "
                "JOIN campaign_batches b ON b.id = s.batch "
                "WHERE a.judge = :judge AND a.slot = :slot AND a.item = :item "
                "AND s.campaign = :campaign ORDER BY a.revision DESC LIMIT 1"
            ),
            {"judge": judge, "slot": slot, "item": item, "campaign": self._campaign},
        ).one_or_none()
        if row is None:
            return None
        place, size, kind, role, content, revision, answer = row
        return Work(slot, item, place, size, kind, role, content, revision, json.loads(answer))

    def done_by(self, judge: int) -> Done:
        """Progress of a judge."""
        with self._database.reading(snapshot=False) as connection:
            items, seconds, training = connection.execute(_DONE, {"judge": judge}).one()
        return Done(items, float(seconds), items - training)

    def feedback(self, judge: int, slot: int, item: int) -> Feedback | None:
        """Feedback on an answer in training; None for other answers."""
        with self._database.reading() as connection:
            work = self._answered(connection, judge, slot, item)
            if work is None or work.role != "training":
                return None
            expected = connection.execute(
                text("SELECT expected FROM campaign_items WHERE id = :item"), {"item": item}
            ).scalar()
        keys = json.loads(expected or "{}")
        return Feedback(work, expected_answers(expected), str(keys.get("feedback", "")))
