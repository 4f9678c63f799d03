"""Assignment against a model of it: whatever judges and organisers do, in whatever order.

The model knows nothing of tables. It says who is to be given what, and what becomes of an answer;
and when all is over, that every item has as many judgments as it was to have, of as many people.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from sqlalchemy import text

from unit.web.small_campaign import batch_of, campaign_in, counters, known, rated, recounted
from weigh.read.campaign_tables import read_campaign
from weigh.web import assignment, slots
from weigh.web.assignment import AnswerOutcome, Ended, Work
from weigh.web.campaigns import list_campaigns
from weigh.web.plan import CollectPlan

PER_ITEM = 2
LEASE = 30 * 60.0
CONTROL_EVERY = 2
PLAN = CollectPlan(per_item=PER_ITEM, lease=LEASE / 60, control_every=CONTROL_EVERY, passed=0.0)
BATCHES = (
    rated("sheet"),
    batch_of({"pair": "p1", "left": "one", "right": "other"}),
    batch_of({"pair": "p2", "left": "this", "right": "that"}),
    rated("single", 1),
)
MOST_JUDGES = 5


class Given(NamedTuple):
    revision: int
    judge: int
    value: Any
    submission: str


@dataclass
class Slot:
    number: int
    batch: int
    items: list[int]
    copy: int
    role: str = "work"
    holder: int | None = None
    until: float = 0.0
    is_done: bool = False


@dataclass
class Model:
    """What should be so, in plain Python."""

    slots: dict[int, Slot]
    unseen: dict[str, list[tuple[int, list[int]]]]
    clock: float = 1e9
    is_open: bool = True
    judges: dict[int, str] = field(default_factory=dict)
    held: dict[tuple[int, int], int] = field(default_factory=dict)
    answers: dict[tuple[int, int], list[Given]] = field(default_factory=lambda: defaultdict(list))

    def ended(self, judge: int) -> Ended | None:
        if not self.is_open:
            return Ended("closed")
        state = self.judges[judge]
        if state == "paused":
            return Ended("paused")
        return None if state == "active" else Ended("closed")

    def counted(self, slot: int, item: int) -> list[Given]:
        return [
            given
            for given in self.answers[slot, item]
            if self.judges[given.judge] not in ("void", "erased")
        ]

    def next_item(self, slot: Slot) -> int | None:
        return next((item for item in slot.items if not self.counted(slot.number, item)), None)

    def own(self, judge: int) -> Slot | None:
        held = [s for s in self.slots.values() if s.holder == judge and not s.is_done]
        return min(held, key=lambda slot: slot.number, default=None)

    def known_due(self, judge: int) -> tuple[str, int] | None:
        """Return the training or control that is due, and its batch."""
        held = [
            slot.role
            for (_, who), n in self.held.items()
            if who == judge
            for slot in [self.slots[n]]
        ]
        for role in ("training", "control"):
            due = role == "training" or (
                held.count("work") // CONTROL_EVERY > held.count("control")
            )
            for batch, _ in self.unseen[role]:
                if due and (batch, judge) not in self.held:
                    return role, batch
        return None

    def free(self, judge: int) -> Slot | None:
        """Return the slot that a judge is to be given, of those that anybody may have."""
        at_hand = [
            slot
            for slot in self.slots.values()
            if slot.role == "work"
            and not slot.is_done
            and (slot.holder is None or slot.until < self.clock)
        ]
        fresh = [slot for slot in at_hand if (slot.batch, judge) not in self.held]
        begun = [slot for slot in at_hand if self.held.get((slot.batch, judge)) == slot.number]
        return min(fresh or begun, key=lambda slot: (slot.copy, slot.number), default=None)

    def nothing_left(self, judge: int) -> Ended:
        others = any(
            slot.role == "work" and not slot.is_done and (slot.batch, judge) not in self.held
            for slot in self.slots.values()
        )
        return Ended("waiting" if others else "finished")

    def lend(self, slot: Slot, judge: int) -> None:
        slot.holder, slot.until = judge, self.clock + LEASE
        self.held[slot.batch, judge] = slot.number

    def outcome(
        self, judge: int, slot: Slot, item: int, revision: int, value: Any, submission: str
    ) -> str:
        given = self.answers[slot.number, item]
        if any((g.judge, g.value, g.submission) == (judge, value, submission) for g in given):
            return "saved"
        if self.ended(judge) is not None:
            return "closed"
        counted = self.counted(slot.number, item)
        is_own = bool(counted) and counted[-1].judge == judge
        if not is_own and (counted or slot.holder != judge or slot.is_done):
            return "refused"
        last = given[-1].revision if given else 0
        if last != revision:
            return "conflict"
        if slot.role == "training" and is_own:
            return "refused"
        given.append(Given(revision + 1, judge, value, submission))
        if not is_own:
            slot.until = self.clock + LEASE
            slot.is_done = self.next_item(slot) is None
        return "saved"

    def release(self, judge: int) -> None:
        for slot in self.slots.values():
            if slot.holder == judge and not slot.is_done and slot.role == "work":
                slot.holder = None

    def recount(self) -> None:
        for slot in self.slots.values():
            if slot.role == "work":
                was, slot.is_done = slot.is_done, self.next_item(slot) is None
                if was and not slot.is_done:
                    slot.holder = None


class Page(NamedTuple):
    """What stands in a browser."""

    judge: int
    work: Work


def answered(work: Work, value: int) -> dict[str, str | int]:
    """Return an answer to what is shown."""
    [question] = work.screen.questions
    if question.choice is None:
        return {question.name: value}
    options = question.choice.options
    return {question.name: options[value % len(options)].value}


class Machine(RuleBasedStateMachine):
    """Judges who come and go, and an organiser who does whatever can be done."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.place = self.folder / "campaign.db"
        extra = {"training": (known("t", "training"),), "controls": (known("c", "control"),)}
        self.campaign = campaign_in(self.place, BATCHES, PLAN, **extra)
        self.assignment, self.access = self.campaign.assignment, self.campaign.access
        with self.campaign.database.reading() as connection:
            items = defaultdict(list)
            for batch, item in connection.execute(
                text("SELECT batch, id FROM campaign_items ORDER BY batch, place")
            ):
                items[batch].append(item)
            copies = connection.execute(text("SELECT id, batch, copy FROM campaign_slots")).all()
            roles = connection.execute(text("SELECT id, role FROM campaign_batches")).all()
        self.model = Model(
            {n: Slot(n, batch, items[batch], copy) for n, batch, copy in copies},
            {
                role: [(batch, items[batch]) for batch, is_for in roles if is_for == role]
                for role in ("training", "control")
            },
        )
        self.pages: list[Page] = []
        self.sent: list[tuple[Page, dict[str, str | int], str]] = []
        self.submissions = 0
        clock = SimpleNamespace(time=lambda: self.model.clock)
        assignment.time = slots.time = clock  # type: ignore[attr-defined]

    def teardown(self) -> None:
        import time

        try:
            self.finish()
        finally:
            assignment.time = slots.time = time  # type: ignore[attr-defined]
            self.campaign.database.close()
            shutil.rmtree(self.folder)

    def some_judge(self, data: Any) -> int:
        return data.draw(st.sampled_from(sorted(self.model.judges)), "judge")

    # Judges.

    @precondition(lambda self: len(self.model.judges) < MOST_JUDGES)
    @rule()
    def come(self) -> None:
        self.model.judges[self.access.deal_out().id] = "active"

    @precondition(lambda self: self.model.judges)
    @rule(data=st.data())
    def look(self, data: Any) -> None:
        self.look_as(self.some_judge(data))

    def look_as(self, judge: int) -> Work | Ended:
        model = self.model
        seen = self.assignment.work_for(judge)
        if isinstance(seen, Work):
            self.pages.append(Page(judge, seen))
        ended = model.ended(judge)
        if ended is not None:
            assert seen == ended
            return seen
        own = model.own(judge)
        if own is not None:
            if own.until - model.clock <= LEASE / 2:
                own.until = model.clock + LEASE
        elif (due := model.known_due(judge)) is not None:
            role, batch = due
            assert isinstance(seen, Work)
            assert seen.role == role
            items = dict(model.unseen[role])[batch]
            own = model.slots[seen.slot] = Slot(seen.slot, batch, items, judge, role)
            model.lend(own, judge)
        elif (own := model.free(judge)) is not None:
            model.lend(own, judge)
        else:
            assert seen == model.nothing_left(judge)
            return seen
        assert isinstance(seen, Work)
        item = model.next_item(own)
        assert item is not None
        given = model.answers[own.number, item]
        last = given[-1].revision if given else 0
        assert (seen.slot, seen.item, seen.revision) == (own.number, item, last)
        assert (seen.place, seen.size) == (own.items.index(item) + 1, len(own.items))
        return seen

    @precondition(lambda self: self.model.judges)
    @rule(data=st.data(), times=st.integers(1, 6))
    def work(self, data: Any, times: int) -> None:
        judge = self.some_judge(data)
        for _ in range(times):
            seen = self.look_as(judge)
            if isinstance(seen, Ended):
                break
            self.submissions += 1
            outcome = self.send(Page(judge, seen), answered(seen, times), f"s{self.submissions}")
            assert outcome.state == "saved"

    @precondition(lambda self: self.pages)
    @rule(data=st.data(), value=st.integers(0, 3))
    def answer(self, data: Any, value: int) -> None:
        page = data.draw(st.sampled_from(self.pages), "page")
        self.submissions += 1
        self.send(page, answered(page.work, value), f"s{self.submissions}")

    @precondition(lambda self: self.pages)
    @rule(value=st.integers(0, 3))
    def answer_the_last_page(self, value: int) -> None:
        self.submissions += 1
        self.send(self.pages[-1], answered(self.pages[-1].work, value), f"s{self.submissions}")

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_again(self, data: Any) -> None:
        self.send(*data.draw(st.sampled_from(self.sent), "sent before"))

    @precondition(lambda self: self.pages)
    @rule(data=st.data())
    def send_for_another(self, data: Any) -> None:
        page = data.draw(st.sampled_from(self.pages), "page")
        thief = page._replace(judge=self.some_judge(data))
        self.send(thief, answered(page.work, 1), "stolen")

    def send(self, page: Page, answers: dict[str, str | int], submission: str) -> AnswerOutcome:
        work = page.work
        slot = self.model.slots[work.slot]
        asked = (page.judge, slot, work.item, work.revision, answers, submission)
        expected = self.model.outcome(*asked)
        outcome = self.assignment.answer(
            page.judge, work.slot, work.item, work.revision, answers, submission
        )
        assert outcome.state == expected
        self.sent.append((page, answers, submission))
        return outcome

    @precondition(lambda self: self.model.judges)
    @rule(data=st.data())
    def look_back(self, data: Any) -> None:
        judge = self.some_judge(data)
        seen = self.assignment.look_back(judge)
        mine = {
            place
            for place, given in self.model.answers.items()
            if self.model.slots[place[0]].role != "training"
            and any(g.judge == judge for g in given)
        }
        assert (seen is None) == (not mine)
        if seen is not None:
            assert (seen.slot, seen.item) in mine
            last = [g for g in self.model.answers[seen.slot, seen.item] if g.judge == judge][-1]
            assert (seen.answers, seen.revision) == (last.value, last.revision)
            self.pages.append(Page(judge, seen))

    @precondition(lambda self: self.model.judges)
    @rule(data=st.data())
    def count_done(self, data: Any) -> None:
        judge = self.some_judge(data)
        mine = [
            p for p, given in self.model.answers.items() if any(g.judge == judge for g in given)
        ]
        assert self.assignment.done_by(judge)[0] == len(mine)

    @rule(minutes=st.sampled_from([1, 16, 31]))
    def wait(self, minutes: int) -> None:
        self.model.clock += 60 * minutes

    # The organiser.

    @precondition(lambda self: self.model.judges)
    @rule(data=st.data(), state=st.sampled_from(["active", "active", "paused", "void"]))
    def set_state(self, data: Any, state: Any) -> None:
        judge = self.some_judge(data)
        if self.model.judges[judge] == "erased":
            return
        self.access.set_state(judge, state)
        self.model.judges[judge] = state
        if state != "active":
            self.model.release(judge)
        self.model.recount()

    @precondition(lambda self: self.model.judges)
    @rule(data=st.data())
    def release(self, data: Any) -> None:
        judge = self.some_judge(data)
        self.access.release(judge)
        self.model.release(judge)

    @precondition(lambda self: self.model.judges)
    @rule(data=st.data(), sure=st.integers(0, 2))
    def erase(self, data: Any, sure: int) -> None:
        judge = self.some_judge(data)
        if sure:
            return
        tally = self.access.erase(judge)
        before = sum(g.judge == judge for given in self.model.answers.values() for g in given)
        assert sum(tally.values()) == before
        self.model.judges[judge] = "erased"
        for place, given in self.model.answers.items():
            self.model.answers[place] = [g for g in given if g.judge != judge]
        self.model.release(judge)
        self.model.recount()

    @rule()
    def open_or_close(self) -> None:
        self.model.is_open = not self.model.is_open
        self.campaign.set_open(self.model.is_open)

    # What is always so.

    @invariant()
    def counters_are_what_a_recount_says(self) -> None:
        assert counters(self.campaign.database) == recounted(self.campaign.database)

    @invariant()
    def answers_are_read_once(self) -> None:
        model = self.model
        expected = {}
        for (slot, item), _ in model.answers.items():
            counted = model.counted(slot, item)
            if counted and model.slots[slot].role == "work":
                expected[slot, item] = (counted[-1].value, counted[-1].revision)
        read = read_campaign(str(self.place)).answers
        items = {(a.slot, str(a.about.get("number", ""))) for a in read}
        assert len(items) == len(read) == len(expected)
        by_slot: dict[int, list[Any]] = defaultdict(list)
        for (slot, _), value in expected.items():
            by_slot[slot].append(value)
        for slot, values in by_slot.items():
            found = [(a.answers, a.revision) for a in read if a.slot == slot]
            assert sorted(map(str, found)) == sorted(map(str, values))

    @invariant()
    def nobody_judges_an_item_twice(self) -> None:
        judges: dict[int, list[int]] = defaultdict(list)
        for (slot, item), _ in self.model.answers.items():
            for judge in {given.judge for given in self.model.counted(slot, item)}:
                judges[item].append(judge)
        assert all(len(set(who)) == len(who) for who in judges.values())

    def finish(self) -> None:
        """Let new judges do all that is left: nothing is lost, and nothing is too much."""
        if not self.model.is_open:
            self.open_or_close()
        self.model.clock += 10 * LEASE
        for _ in range(PER_ITEM):
            judge = self.access.deal_out().id
            self.model.judges[judge] = "active"
            while isinstance(work := self.look_as(judge), Work):
                self.submissions += 1
                page = Page(judge, work)
                self.send(page, answered(work, 1), f"s{self.submissions}")
        given = {
            (place, each.judge)
            for place, answers in self.model.answers.items()
            for each in answers
            if self.model.slots[place[0]].role == "work"
        }
        assert [listed.answers for listed in list_campaigns(str(self.place))] == [len(given)]
        read = read_campaign(str(self.place)).answers
        judges: dict[tuple[str, str], list[str]] = defaultdict(list)
        for answer in read:
            judges[answer.batch, str(answer.about.get("number", ""))].append(answer.judge)
        assert len(judges) == sum(len(batch.items) for batch in BATCHES)
        for who in judges.values():
            assert len(who) == len(set(who)) == PER_ITEM


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=15, stateful_step_count=40, deadline=None)
