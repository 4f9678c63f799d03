"""Campaigns for the tests: tasks in a directory, and judges who answer them without a browser."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from weigh.web.assignment import Ended, Work
from weigh.web.campaigns import Campaign, start_campaign
from weigh.web.plan import CollectPlan
from weigh.web.tasks import write_demonstration

Say = Callable[[Work], dict[str, Any]]
_NUMBERS = count()
_STARTED: list[Campaign] = []


def started(
    tasks: str | Path, database: str | None = None, plan: CollectPlan | None = None
) -> Campaign:
    """Start a campaign whose database is closed by `close_all`."""
    campaign = start_campaign(tasks, plan, database=database)
    _STARTED.append(campaign)
    return campaign


def close_all() -> None:
    """Let go of the databases of all campaigns."""
    while _STARTED:
        _STARTED.pop().database.close()


def demonstration(
    folder: Path, database: str | None = None, plan: CollectPlan | None = None
) -> Campaign:
    """Start a campaign with tasks that need no script, of which two judgments each are wanted."""
    folder.mkdir(parents=True, exist_ok=True)
    write_demonstration(folder, marked=False)
    return started(folder, database, plan or CollectPlan(per_item=2))


def first_answers(work: Work) -> dict[str, Any]:
    """Answer as somebody does who takes the first of everything, and 80 on every scale."""
    return {
        question.name: question.choice.options[0].value
        if question.choice
        else "[]"
        if question.marking
        else 80
        for question in work.screen.questions
    }


def judge(
    campaign: Campaign,
    name: str,
    say: Say = first_answers,
    most: int | None = None,
    seconds: float | None = 3.0,
) -> int:
    """Let a judge answer what there is, or so many scores.

    Return the judge's number.
    """
    [known] = campaign.access.add([name])
    done = 0
    while most is None or done < most:
        work = campaign.assignment.work_for(known.id)
        if isinstance(work, Ended):
            break
        answer(campaign, known.id, work, say(work), seconds)
        done += (work.role, work.kind) == ("work", "adequacy")
    return known.id


def answer(
    campaign: Campaign,
    number: int,
    work: Work,
    answers: dict[str, Any],
    seconds: float | None = 3.0,
) -> None:
    """Give one answer, which must be kept."""
    outcome = campaign.assignment.answer(
        number, work.slot, work.item, work.revision, answers, f"s{next(_NUMBERS)}", seconds
    )
    assert outcome.state == "saved", outcome


def correct(campaign: Campaign, number: int, answers: dict[str, Any], back: int = 0) -> Work:
    """Answer anew what a judge answered last, or so many items before."""
    work = campaign.assignment.look_back(number)
    for _ in range(back):
        assert work is not None
        work = campaign.assignment.look_back(number, work.slot, work.item)
    assert work is not None
    answer(campaign, number, work, answers, 1.0)
    return work
