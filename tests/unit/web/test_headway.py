"""How far campaigns are: counted by kind and by judge, with pace, time left and cost."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from unit.web.campaign_files import assessment, blind_pair, key_of, write_lines
from weigh.web.assignment import Work
from weigh.web.campaigns import Campaign, start_campaign
from weigh.web.headway import Right, progress_of
from weigh.web.plan import CollectPlan


def answered(campaign: Campaign, judge: int, seconds: Iterable[float], score: int = 50) -> None:
    """Answer as many items as there are times."""
    for each in seconds:
        work = campaign.assignment.work_for(judge)
        assert isinstance(work, Work)
        answers = {
            question.name: score if question.slider else "left"
            for question in work.screen.questions
        }
        outcome = campaign.assignment.answer(
            judge, work.slot, work.item, work.revision, answers, f"{judge}-{work.item}", each
        )
        assert outcome.state == "saved"


def moved(campaign: Campaign, seconds: float) -> None:
    """Make all answers older."""
    with campaign.database.writing() as connection:
        rows = connection.execute(text("SELECT id, at FROM campaign_answers")).all()
        for number, at in rows:
            earlier = datetime.fromisoformat(at) - timedelta(seconds=seconds)
            connection.execute(
                text("UPDATE campaign_answers SET at = :at WHERE id = :id"),
                {
                    "at": earlier.isoformat(timespec="microseconds").replace("+00:00", "Z"),
                    "id": number,
                },
            )


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Return a directory of two sheets of four, and two blind pairs."""
    folder = tmp_path / "tasks"
    write_lines(folder / "adequacy.jsonl", [assessment("a-1"), assessment("a-2", text="Other")])
    names = ["p0000000001", "p0000000002"]
    write_lines(folder / "pairs.jsonl", [blind_pair(name) for name in names])
    (folder / "key.json").write_text(json.dumps(key_of(names, judges=1)))
    return folder


def test_a_campaign_that_nobody_has_begun(tasks: Path) -> None:
    campaign = start_campaign(tasks, CollectPlan(price=0.5))
    campaign.access.add(["anna"])
    progress = progress_of(campaign)
    assert [(each.kind, each.answered, each.wanted) for each in progress.kinds] == [
        ("adequacy", 0, 8),
        ("preference", 0, 2),
    ]
    assert (progress.answered, progress.wanted, progress.left) == (0, 10, 10)
    assert (progress.pace, progress.hours_left, progress.seconds_of_work_left) == (0.0, None, None)
    assert (progress.cost, progress.cost_left) == (0.0, 5.0)
    (anna,) = progress.judges
    assert (anna.answers, anna.last_seen, anna.seconds) == (0, None, None)
    assert progress.is_open


def test_answers_are_counted_by_kind_and_by_judge(tasks: Path) -> None:
    campaign = start_campaign(tasks, CollectPlan(price=0.5))
    anna, bert = campaign.access.add(["anna", "bert"])
    answered(campaign, anna.id, [4, 10, 6, 8])
    answered(campaign, bert.id, [20, 30])
    progress = progress_of(campaign)
    adequacy, preference = progress.kinds
    assert (adequacy.answered, adequacy.sheets_done, adequacy.sheets, adequacy.lent) == (6, 1, 2, 1)
    assert adequacy.seconds == 9.0
    assert (preference.answered, preference.seconds) == (0, None)
    assert progress.seconds_of_work_left is None  # nobody knows how long a pair takes
    first, second = progress.judges
    assert (first.answers, first.sheets_done, first.holds, first.seconds) == (4, 1, 0, 7.0)
    assert (second.answers, second.sheets_done, second.holds, second.seconds) == (2, 0, 2, 25.0)
    assert (first.in_last_hour, progress.in_last_hour) == (4, 6)
    assert (progress.cost, progress.cost_left) == (3.0, 2.0)
    answered(campaign, anna.id, [5.0])
    later = progress_of(campaign)
    assert later.seconds_of_work_left == 2 * 9 + 1 * 5
    assert later.judges[0].last_seen is not None


def test_the_pace_is_that_of_the_last_hour(tasks: Path) -> None:
    campaign = start_campaign(tasks)
    anna, bert = campaign.access.add(["anna", "bert"])
    answered(campaign, anna.id, [5.0] * 4)
    moved(campaign, 1800)
    progress = progress_of(campaign)
    assert progress.pace == pytest.approx(8.0, rel=0.01)  # four in half an hour
    assert progress.hours_left == pytest.approx(6 / 8, rel=0.01)
    moved(campaign, 1900)
    answered(campaign, bert.id, [5.0])
    progress = progress_of(campaign)
    assert (progress.in_last_hour, progress.judges[0].in_last_hour) == (1, 0)
    assert progress.pace == 12.0  # of five minutes at least
    assert progress_of(campaign, time.time() + 7200).hours_left is None


def test_leases_that_have_ended_are_held_by_nobody(tasks: Path) -> None:
    campaign = start_campaign(tasks)
    (anna,) = campaign.access.add(["anna"])
    answered(campaign, anna.id, [5.0])
    assert progress_of(campaign).judges[0].holds == 3
    assert progress_of(campaign).kinds[0].lent == 1
    later = progress_of(campaign, time.time() + 31 * 60)
    assert (later.judges[0].holds, later.kinds[0].lent) == (0, 0)


def test_what_is_set_aside_is_wanted_again_and_has_cost_what_it_cost(tasks: Path) -> None:
    campaign = start_campaign(tasks, CollectPlan(price=1.0))
    anna, bert = campaign.access.add(["anna", "bert"])
    answered(campaign, anna.id, [5.0] * 4)
    answered(campaign, bert.id, [9.0])
    campaign.access.set_state(anna.id, "void")
    progress = progress_of(campaign)
    assert (progress.answered, progress.left, progress.paid) == (1, 9, 5)
    assert (progress.cost, progress.cost_left) == (5.0, 9.0)
    assert progress.kinds[0].seconds == 9.0
    campaign.access.erase(anna.id)
    progress = progress_of(campaign)
    assert (progress.paid, progress.judges[0].answers) == (1, 0)
    campaign.set_open(False)
    assert not progress_of(campaign).is_open


def test_training_and_controls_are_counted_apart(tasks: Path) -> None:
    line = {"scale": "adequacy", "text": "a", "reference": "a"}
    write_lines(tasks / "training.jsonl", [line | {"expected": [70, 100]}] * 2)
    write_lines(tasks / "controls.jsonl", [line | {"expected": [0, 20]}])
    campaign = start_campaign(tasks, CollectPlan(control_every=1, passed=0.5))
    (anna,) = campaign.access.add(["anna"])
    answered(campaign, anna.id, [3.0], score=90)
    answered(campaign, anna.id, [3.0], score=20)
    answered(campaign, anna.id, [5.0] * 4, score=50)
    answered(campaign, anna.id, [2.0], score=10)
    progress = progress_of(campaign)
    (first,) = progress.judges
    assert (first.training, first.controls) == (Right(1, 2), Right(1, 1))
    assert (first.answers, progress.answered, progress.paid) == (4, 4, 4)
    assert first.seconds == 5.0


def test_corrections_are_no_further_answers(tasks: Path) -> None:
    campaign = start_campaign(tasks)
    (anna,) = campaign.access.add(["anna"])
    answered(campaign, anna.id, [5.0])
    before = campaign.assignment.look_back(anna.id)
    assert before is not None
    campaign.assignment.answer(
        anna.id, before.slot, before.item, before.revision, {"score": 1}, "again", 1.0
    )
    progress = progress_of(campaign)
    assert (progress.answered, progress.paid, progress.judges[0].seconds) == (1, 1, 5.0)
