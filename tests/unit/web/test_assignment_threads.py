"""Many judges at once on one database, some of whom go away in the middle: nothing is lost."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier

from sqlalchemy import text

from unit.web.small_campaign import batch_of, campaign_in, counters, rated, recounted
from weigh.read.campaign_tables import read_campaign
from weigh.web.assignment import Ended
from weigh.web.campaigns import Campaign
from weigh.web.plan import CollectPlan

JUDGES = 20
PER_ITEM = 5
BATCHES = (
    *(rated(f"sheet-{number}") for number in range(5)),
    *(batch_of({"pair": f"p{n}", "left": "one", "right": "other"}) for n in range(10)),
)
ITEMS = sum(len(batch.items) for batch in BATCHES)
PLAN = CollectPlan(per_item=PER_ITEM, lease=0.01)


def judge_all(campaign: Campaign, judge: int, start: Barrier) -> list[tuple[int, int, int]]:
    """Judge until there is nothing left; return what was saved, as (slot, item, value)."""
    random = Random(judge)
    saved = []
    start.wait()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        work = campaign.assignment.work_for(judge)
        if isinstance(work, Ended):
            if work.why == "finished":
                return saved
            time.sleep(0.05)
            continue
        if random.random() < 0.04:
            time.sleep(0.7)  # away for longer than the lease
        value = random.randrange(101)
        answers: dict[str, str | int] = (
            {"score": value} if work.kind == "adequacy" else {"choice": "left"}
        )
        sent = (judge, work.slot, work.item, work.revision, answers, f"{judge}-{len(saved)}")
        outcome = campaign.assignment.answer(*sent)
        if outcome.state == "saved":
            saved.append((work.slot, work.item, value))
            if random.random() < 0.2:
                assert campaign.assignment.answer(*sent).state == "saved"
        else:
            assert outcome.state == "refused"  # it was given to another
    raise AssertionError("not done in a minute")


def test_twenty_judges_at_once_lose_nothing_and_double_nothing(fresh: Callable[[], str]) -> None:
    place = fresh()
    campaign = campaign_in(place, BATCHES, PLAN)
    judges = [judge.id for judge in campaign.access.add([f"j{n}" for n in range(JUDGES)])]
    start = Barrier(JUDGES)
    with ThreadPoolExecutor(JUDGES) as threads:
        all_saved = [threads.submit(judge_all, campaign, judge, start) for judge in judges]
        saved = {judge: each.result() for judge, each in zip(judges, all_saved, strict=True)}
    with campaign.database.reading() as connection:
        rows = connection.execute(text("SELECT slot, item, judge FROM campaign_answers")).all()
    told = {(slot, item, judge) for judge, each in saved.items() for slot, item, _ in each}
    assert len(rows) == len(told) == ITEMS * PER_ITEM
    assert set(map(tuple, rows)) == told
    by_item: dict[int, list[int]] = defaultdict(list)
    for _, item, judge in rows:
        by_item[item].append(judge)
    assert all(len(who) == len(set(who)) == PER_ITEM for who in by_item.values())
    assert counters(campaign.database) == recounted(campaign.database)
    campaign.database.close()
    assert len(read_campaign(place).answers) == ITEMS * PER_ITEM
