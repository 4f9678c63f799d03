"""What happens behind the answers: judges are screened."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from campaigns import close_all, started
from weigh.human.draws import Draws
from weigh.human.export import Sheet, as_jsonl
from weigh.human.hits import Hit
from weigh.human.quality import quality
from weigh.read import database
from weigh.read.campaign_tables import read_campaign
from weigh.types import Judgment
from weigh.web import upkeep
from weigh.web.assignment import Ended, Work
from weigh.web.campaigns import Campaign
from weigh.web.plan import CollectPlan
from weigh.web.upkeep import Upkeep
from weigh_lab.simulation import Habit, SimulatedJudge, Simulation, answers, simulate


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the disk take its time: nothing here is to outlive a loss of power."""
    prepare = database._prepare

    def prepared(connection: sqlite3.Connection, record: object) -> None:
        prepare(connection, record)
        connection.execute("PRAGMA synchronous = OFF")

    monkeypatch.setattr(database, "_prepare", prepared)
    yield
    close_all()


class Desk:
    """A campaign that is judged without its page."""

    def __init__(self, campaign: Campaign, names: Sequence[str] = ("anna", "bert")) -> None:
        self.campaign = campaign
        self.upkeep = Upkeep(campaign)
        self.judges = {judge.name: judge.id for judge in campaign.access.add(names)}

    def work(self, name: str) -> Work:
        work = self.campaign.assignment.work_for(self.judges[name])
        assert isinstance(work, Work), work
        return work

    def say(self, name: str, given: Mapping[str, Any], work: Work | None = None) -> Work:
        """Answer an item, or what comes next, and wait for what follows from it."""
        work = work or self.work(name)
        judge = self.judges[name]
        outcome = self.campaign.assignment.answer(
            judge,
            work.slot,
            work.item,
            work.revision,
            given,
            f"{name}-{work.slot}-{work.item}-{work.revision}",
            5.0,
        )
        assert outcome.state == "saved"
        self.upkeep.answered(judge, work.slot)
        assert self.upkeep.settle(60)
        return work

    def rows(self, statement: str) -> list[Any]:
        with self.campaign.database.reading() as connection:
            return [tuple(row) for row in connection.execute(text(statement))]

    def about(self, work: Work) -> Any:
        ((about,),) = self.rows(f"SELECT about FROM campaign_items WHERE id = {work.item}")
        return json.loads(about)


Sheets = Callable[..., Desk]
Fresh = Callable[[], str]


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return simulate(systems=3, segments=80, hits=3, judges=1)


@pytest.fixture
def sheets(tmp_path: Path, simulation: Simulation) -> Sheets:
    """Return what starts a campaign of three HITs, as `weigh human plan` makes them."""

    def start(most: int = 100, database: str | None = None, **options: Any) -> Desk:
        hits = [replace(hit, items=hit.items[:most]) for hit in simulation.hits]
        sheet = Sheet(hits, [str(n) for n in range(1, 81)], "xx-en", "crowd-alone", 1)
        (tmp_path / "adequacy.jsonl").write_text(as_jsonl(sheet), encoding="utf-8")
        plan = CollectPlan(**{"screen": "crowd-alone"} | options)
        return Desk(started(tmp_path, database, plan))

    return start


def judgments(
    simulation: Simulation, hit: Hit, name: str, habit: Habit, seed: int
) -> list[Judgment]:
    """Return what somebody with a habit says to a sheet."""
    judge = SimulatedJudge(name, habit, bias=5.0, spread=0.8, noise=8.0)
    (references,) = simulation.test_set.references
    return answers(hit, references, judge, Draws(seed))


def rate(
    desk: Desk, simulation: Simulation, name: str, habit: Habit, most: int = 100, seed: int = 7
) -> list[Judgment]:
    """Answer the rest of a sheet, or the first items of one, as somebody with a habit does."""
    first = desk.work(name)
    hit = next(each for each in simulation.hits if each.name == desk.about(first)["hit"])
    given = judgments(simulation, hit, name, habit, seed)
    for place in range(first.place - 1, most):
        work = desk.work(name)
        assert work.place == place + 1
        desk.say(name, {"score": int(given[place].value)}, work)
    return given[:most]


def state_of(desk: Desk, name: str) -> str:
    return desk.campaign.access.judge(desk.judges[name]).state


@pytest.mark.parametrize("habit", ["random", "constant", "generous"])
def test_who_does_not_look_is_screened(
    sheets: Sheets, simulation: Simulation, habit: Habit
) -> None:
    desk = sheets()
    rate(desk, simulation, "anna", habit, 99)
    assert state_of(desk, "anna") == "active"  # a sheet is tested as a whole
    given = rate(desk, simulation, "anna", habit)
    assert desk.campaign.assignment.work_for(desk.judges["anna"]) == Ended("screened")
    ((detail,),) = desk.rows("SELECT detail FROM campaign_events WHERE what = 'screened'")
    (verdict,) = quality(given, "crowd-alone").judges
    assert json.loads(detail) == {
        "by": "crowd-alone",
        "p_value": verdict.p_value,
        "controls": 10,
        "reasons": ["fails the test"],
    }
    # Others are dealt the rest, and what was answered is kept.
    rate(desk, simulation, "bert", "honest")
    assert state_of(desk, "bert") == "active"
    assert len(read_campaign(desk.campaign.database.name).answers) == 200


def test_honest_judges_go_on_to_the_end(sheets: Sheets, simulation: Simulation) -> None:
    desk = sheets()
    for seed in range(3):
        rate(desk, simulation, "anna", "honest", seed=seed)
    assert state_of(desk, "anna") == "active"
    assert desk.rows("SELECT COUNT(*) FROM campaign_events") == [(0,)]


def test_all_sheets_of_a_judge_are_tested_together(sheets: Sheets, simulation: Simulation) -> None:
    desk = sheets()
    given = rate(desk, simulation, "anna", "honest")
    assert state_of(desk, "anna") == "active"
    given += rate(desk, simulation, "anna", "random")
    (verdict,) = quality(given, "crowd-alone").judges
    assert (verdict.kept, verdict.controls) == (False, 20)
    ((detail,),) = desk.rows("SELECT detail FROM campaign_events WHERE what = 'screened'")
    assert (json.loads(detail)["p_value"], json.loads(detail)["controls"]) == (verdict.p_value, 20)


@pytest.mark.parametrize(("later", "state"), [("honest", "active"), ("constant", "screened")])
def test_who_fails_by_little_has_another_sheet(
    sheets: Sheets, simulation: Simulation, later: Habit, state: str
) -> None:
    """An honest judge who fails on one sheet passes on two; others fail on these too."""

    def p_value(seed: int) -> float:
        given = judgments(simulation, simulation.hits[0], "anna", "random", seed)
        (verdict,) = quality(given, "crowd-alone").judges
        assert verdict.p_value is not None
        return verdict.p_value

    seed = next(seed for seed in range(1000) if 0.05 < p_value(seed) <= 0.2)
    desk = sheets()
    given = rate(desk, simulation, "anna", "random", seed=seed)
    assert given == judgments(simulation, simulation.hits[0], "anna", "random", seed)
    assert state_of(desk, "anna") == "active"
    given += rate(desk, simulation, "anna", later)
    (verdict,) = quality(given, "crowd-alone").judges
    assert (verdict.controls, verdict.kept) == (20, state == "active")
    assert state_of(desk, "anna") == state


def test_what_is_held_is_given_to_others(sheets: Sheets, simulation: Simulation) -> None:
    """A judge may have been dealt the next sheet before the last one was tested."""
    desk = sheets()
    held: list[Work] = []
    behind = desk.upkeep.answered

    def later(judge: int, slot: int) -> None:
        following = desk.campaign.assignment.work_for(judge)
        held.extend([following] if isinstance(following, Work) else [])
        behind(judge, slot)

    desk.upkeep.answered = later  # type: ignore[method-assign]
    rate(desk, simulation, "anna", "random")
    assert state_of(desk, "anna") == "screened"
    assert held[-1].place == 1
    desk.upkeep.answered = behind  # type: ignore[method-assign]
    assert (desk.work("bert").slot, desk.work("bert").place) == (held[-1].slot, 1)


def test_whom_the_organiser_lets_in_again_stays(sheets: Sheets, simulation: Simulation) -> None:
    desk = sheets()
    rate(desk, simulation, "anna", "random")
    assert state_of(desk, "anna") == "screened"
    desk.campaign.access.set_state(desk.judges["anna"], "active")
    rate(desk, simulation, "anna", "random")
    assert state_of(desk, "anna") == "active"


def test_too_few_controls_are_no_reason(sheets: Sheets, simulation: Simulation) -> None:
    desk = sheets(most=60)  # where two damaged texts stand with those that they are made from
    given = rate(desk, simulation, "anna", "constant", 60)
    (verdict,) = quality(given, "crowd-alone").judges
    assert (verdict.p_value, verdict.controls) == (1.0, 2)
    assert state_of(desk, "anna") == "active"
    for _ in range(2):
        rate(desk, simulation, "anna", "constant", 60)
    assert state_of(desk, "anna") == "screened"


def test_nobody_is_screened_without_controls(sheets: Sheets, simulation: Simulation) -> None:
    desk = sheets(most=40)  # whose damaged texts are made from others, further down
    for _ in range(3):
        given = rate(desk, simulation, "anna", "constant", 40)
    (verdict,) = quality(given, "crowd-alone").judges
    assert (verdict.kept, verdict.p_value) == (False, None)
    assert state_of(desk, "anna") == "active"


def test_screening_is_asked_for(sheets: Sheets, simulation: Simulation) -> None:
    desk = sheets(screen="none")
    rate(desk, simulation, "anna", "random")
    assert state_of(desk, "anna") == "active"


def test_what_goes_wrong_is_said_once_and_judging_goes_on(
    sheets: Sheets,
    simulation: Simulation,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = sheets()
    monkeypatch.setattr(upkeep, "screen_judge", lambda *_: 1 / 0)
    rate(desk, simulation, "anna", "random", most=3)
    said = "weigh: judges are not screened: ZeroDivisionError: division by zero"
    assert caplog.messages == [said]


def test_hasty_work_is_screened_by_appraise(sheets: Sheets, simulation: Simulation) -> None:
    """An item takes five seconds here, and a hit of a hundred should take ten minutes."""
    desk = sheets(screen="appraise")
    rate(desk, simulation, "anna", "honest")
    ((detail,),) = desk.rows("SELECT detail FROM campaign_events WHERE what = 'screened'")
    assert (json.loads(detail)["by"], state_of(desk, "anna")) == ("appraise", "screened")


# Either kind of database.


def test_screening_in_any_database(sheets: Sheets, simulation: Simulation, fresh: Fresh) -> None:
    desk = sheets(database=fresh())
    rate(desk, simulation, "anna", "random")
    rate(desk, simulation, "bert", "honest")
    assert (state_of(desk, "anna"), state_of(desk, "bert")) == ("screened", "active")
