"""Campaigns begin, go on, and give what they are asked: leases, revisions, judges, links."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from unit.web.campaign_files import assessment, blind_pair, key_of, query, write_lines
from weigh.errors import InputError, WeighError
from weigh.read.campaign_tables import is_campaign, is_database, read_campaign, split_location
from weigh.web import assignment
from weigh.web.assignment import AnswerOutcome, Ended, Work
from weigh.web.campaigns import (
    Campaign,
    list_campaigns,
    make_links,
    open_campaign,
    start_campaign,
)
from weigh.web.plan import CollectPlan

Made = Callable[..., Campaign]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Return a directory of two blind pairs for three judges each."""
    names = ["p0000000001", "p0000000002"]
    write_lines(tmp_path / "tasks" / "pairs.jsonl", [blind_pair(name) for name in names])
    (tmp_path / "tasks" / "key.json").write_text(json.dumps(key_of(names)))
    return tmp_path / "tasks"


def say(campaign: Campaign, judge: int, answer: str = "left", **changed: object) -> AnswerOutcome:
    """Answer what a judge is given next."""
    work = campaign.assignment.work_for(judge)
    assert isinstance(work, Work)
    asked = {"slot": work.slot, "item": work.item, "revision": work.revision} | changed
    return campaign.assignment.answer(
        judge, **asked, answers={"choice": answer}, submission=f"{judge}-{asked}", seconds=2.0
    )


def selected(path: Path, query: str) -> list[tuple[object, ...]]:
    """Return what a query finds in a file."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_every_pair_is_judged_by_as_many_as_it_was_made_for(pairs: Path) -> None:
    campaign = start_campaign(pairs)
    judges = campaign.access.add(["anna", "bert", "cleo", "dora"])
    for judge in judges[:3]:
        assert [say(campaign, judge.id).state for _ in range(2)] == ["saved", "saved"]
        assert isinstance(campaign.assignment.work_for(judge.id), Ended)
    assert campaign.assignment.work_for(judges[3].id) == Ended("finished")
    (listed,) = list_campaigns(str(pairs / "campaign.db"))
    assert (listed.answers, listed.items_done, listed.items) == (6, 6, 6)
    collected = read_campaign(str(pairs / "campaign.db"))
    assert sorted((each.judge, each.about["pair"]) for each in collected.answers) == sorted(
        (name, pair) for name in ("anna", "bert", "cleo") for pair in ("p0000000001", "p0000000002")
    )
    assert collected.settings["keys"][0]["a"] == "secret metric a"


def test_a_campaign_goes_on_where_it_was_left(pairs: Path) -> None:
    campaign = start_campaign(pairs)
    (anna,) = campaign.access.add(["anna"])
    say(campaign, anna.id)
    campaign.database.close()
    again = start_campaign(pairs, CollectPlan(title="Pilot"))
    assert [judge.name for judge in again.access.add(["anna"])] == ["anna"]
    assert (again.id, again.title, again.plan.per_item) == (campaign.id, "Pilot", 3)
    say(again, anna.id)
    assert again.assignment.work_for(anna.id) == Ended("finished")


def test_more_judgments_may_be_wanted_later(pairs: Path) -> None:
    campaign = start_campaign(pairs, CollectPlan(per_item=1))
    (anna, bert) = campaign.access.add(["anna", "bert"])
    for _ in range(2):
        say(campaign, anna.id)
    assert campaign.assignment.work_for(bert.id) == Ended("finished")
    more = start_campaign(pairs, CollectPlan(per_item=2))
    assert [say(more, bert.id).state for _ in range(2)] == ["saved", "saved"]
    assert more.assignment.work_for(anna.id) == Ended("finished")


def test_tasks_may_be_changed_until_somebody_has_answered(pairs: Path) -> None:
    (anna,) = start_campaign(pairs).access.add(["anna"])
    write_lines(pairs / "pairs.jsonl", [blind_pair("p0000000009")])
    (pairs / "key.json").unlink()
    changed = start_campaign(pairs)
    assert [judge.name for judge in changed.access.judges()] == ["anna"]
    assert say(changed, anna.id).state == "saved"
    assert changed.assignment.work_for(anna.id) == Ended("finished")
    write_lines(pairs / "pairs.jsonl", [blind_pair("p0000000010")])
    with pytest.raises(InputError, match="has other tasks, training or controls than these, and 1"):
        start_campaign(pairs)


def test_a_directory_may_be_renamed(pairs: Path) -> None:
    campaign = start_campaign(pairs)
    (anna,) = campaign.access.add(["anna"])
    say(campaign, anna.id)
    campaign.database.close()
    renamed = start_campaign(pairs.rename(pairs.with_name("renamed")))
    assert (renamed.name, [judge.name for judge in renamed.access.judges()]) == ("tasks", ["anna"])


def test_a_directory_stands_for_its_database(pairs: Path) -> None:
    start_campaign(pairs)
    assert is_campaign(str(pairs))
    assert [each.name for each in list_campaigns(str(pairs)).campaigns] == ["tasks"]


def test_a_database_that_is_removed_takes_nothing_any_more(pairs: Path) -> None:
    campaign = start_campaign(pairs)
    (anna,) = campaign.access.add(["anna"])
    say(campaign, anna.id)
    (pairs / "campaign.db").unlink()
    with pytest.raises(WeighError, match="was removed or replaced"):
        say(campaign, anna.id)


def test_two_campaigns_in_one_database_are_told_apart(pairs: Path, tmp_path: Path) -> None:
    write_lines(tmp_path / "hits" / "hits.jsonl", [query()])
    place = str(tmp_path / "all.db")
    start_campaign(pairs, database=place)
    start_campaign(tmp_path / "hits", database=f"{place}#labels")
    assert [each.name for each in list_campaigns(place)] == ["tasks", "labels"]
    assert open_campaign(f"{place}#labels").settings["kinds"] == ["rypt"]
    with pytest.raises(InputError, match="2 campaigns"):
        open_campaign(place)
    with pytest.raises(InputError, match="2 campaigns"):
        read_campaign(place)
    assert read_campaign(f"{place}#tasks").answers == []
    with pytest.raises(InputError, match="no campaign 'tusks'"):
        read_campaign(f"{place}#tusks")


def test_work_that_nobody_goes_on_with_is_given_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_lines(tmp_path / "adequacy.jsonl", [assessment(size=3)])
    campaign = start_campaign(tmp_path, CollectPlan(lease=10))
    anna, bert = campaign.access.add(["anna", "bert"])
    clock = [1e9]
    monkeypatch.setattr(assignment.time, "time", lambda: clock[0])

    def rate(judge: int) -> AnswerOutcome:
        work = campaign.assignment.work_for(judge)
        assert isinstance(work, Work)
        return campaign.assignment.answer(
            judge, work.slot, work.item, work.revision, {"score": 50}, f"{judge}-{work.item}"
        )

    rate(anna.id)
    held = campaign.assignment.work_for(anna.id)
    assert isinstance(held, Work)
    clock[0] += 599
    assert campaign.assignment.work_for(bert.id) == Ended("waiting")
    clock[0] += 600
    taken = campaign.assignment.work_for(bert.id)
    assert isinstance(taken, Work)
    assert (taken.slot, taken.place) == (held.slot, 2)
    late = campaign.assignment.answer(anna.id, held.slot, held.item, 0, {"score": 1}, "late")
    assert late.state == "refused"
    rate(bert.id), rate(bert.id)
    said = {
        each.about["number"]: each.judge
        for each in read_campaign(f"{tmp_path}/campaign.db").answers
    }
    assert said == {1: "anna", 2: "bert", 3: "bert"}
    assert campaign.assignment.work_for(anna.id) == Ended("finished")


def test_erasing_a_judge_leaves_the_tally_alone(pairs: Path) -> None:
    campaign = start_campaign(pairs, CollectPlan(per_item=1))
    anna, bert = campaign.access.add(["anna-zipporah", "bert"])
    token = campaign.access.link("judge", anna.id)
    say(campaign, anna.id)
    assert campaign.access.erase(anna.id) == {"preference": 1}
    assert campaign.access.visitor(token, session=False) is None
    content = b"".join(path.read_bytes() for path in pairs.glob("campaign.db*"))
    assert b"anna-zipporah" not in content
    assert b'"choice"' not in content.replace(b'"name":"choice"', b"").replace(b'"choice":{', b"")
    events = selected(pairs / "campaign.db", "SELECT what, detail FROM campaign_events")
    assert events == [("erased", '{"preference": 1}')]
    assert [say(campaign, bert.id).state for _ in range(2)] == ["saved", "saved"]


def test_the_open_link_knows_those_who_come_back(pairs: Path) -> None:
    access = start_campaign(pairs).access
    access.add(["judge 2"])
    first, again, other = (access.deal_out(each) for each in ("x1", "x1", None))
    assert first.id == again.id != other.id
    assert len({judge.name for judge in access.judges()}) == 3


def test_training_comes_first_and_screens(tmp_path: Path) -> None:
    write_lines(tmp_path / "hits.jsonl", [query()])
    trained = {"left": "a", "right": "b", "expected": "left", "feedback": "a is better"}
    write_lines(tmp_path / "training.jsonl", [trained, {**trained, "right": "c"}])
    campaign = start_campaign(tmp_path)
    anna, bert = campaign.access.add(["anna", "bert"])
    work = campaign.assignment.work_for(anna.id)
    assert isinstance(work, Work)
    assert (work.role, work.kind) == ("training", "preference")
    assert say(campaign, anna.id).role == "training"
    told = campaign.assignment.feedback(anna.id, work.slot, work.item)
    assert told is not None
    assert told.explanation == "a is better"
    assert say(campaign, anna.id).state == "saved"
    following = campaign.assignment.work_for(anna.id)
    assert isinstance(following, Work)
    assert following.role == "work"
    for _ in range(2):
        say(campaign, bert.id, "right")
    assert campaign.assignment.work_for(bert.id) == Ended("screened")
    assert read_campaign(f"{tmp_path}/campaign.db").answers == []


def test_controls_are_hidden_in_the_stream(tmp_path: Path) -> None:
    names = [f"p{number:010d}" for number in range(8)]
    write_lines(tmp_path / "pairs.jsonl", [blind_pair(name) for name in names])
    control = {"left": "good", "right": "bad", "expected": "left"}
    write_lines(tmp_path / "controls.jsonl", [control, control, control, control])
    campaign = start_campaign(tmp_path, CollectPlan(control_every=2, per_item=2))
    anna, bert = campaign.access.add(["anna", "bert"])
    roles = []
    while isinstance(work := campaign.assignment.work_for(anna.id), Work):
        roles.append(work.role)
        say(campaign, anna.id)
    assert roles == ["work", "work", "control"] * 4
    while isinstance(campaign.assignment.work_for(bert.id), Work):
        say(campaign, bert.id, "right")
    assert campaign.assignment.work_for(bert.id) == Ended("screened")
    assert len(read_campaign(f"{tmp_path}/campaign.db").answers) == 8 + 6


def test_a_judge_has_no_more_sheets_than_allowed(pairs: Path) -> None:
    campaign = start_campaign(pairs, CollectPlan(most=1))
    (anna,) = campaign.access.add(["anna"])
    say(campaign, anna.id)
    assert campaign.assignment.work_for(anna.id) == Ended("quota")


def test_queries_are_dealt_in_the_order_of_the_file(tmp_path: Path) -> None:
    sizes = {"hit-00001": 1, "hit-00002": 5, "hit-00003": 2}
    lines = [query(name, alternatives=size) for name, size in sizes.items()]
    write_lines(tmp_path / "hits.jsonl", lines)
    campaign = start_campaign(tmp_path)
    for judge, size in zip(campaign.access.add(["a", "b", "c"]), sizes.values(), strict=True):
        work = campaign.assignment.work_for(judge.id)
        assert isinstance(work, Work)
        assert len(work.screen.questions) == size


def test_names_of_judges_are_checked(pairs: Path) -> None:
    access = start_campaign(pairs).access
    for name in ("", " x", "a\nb", "x" * 201, "\0"):
        with pytest.raises(InputError, match="is not a valid judge name"):
            access.add([name])


def test_databases_are_known_by_what_they_hold(pairs: Path, tmp_path: Path) -> None:
    start_campaign(pairs).database.close()
    other = tmp_path / "other.db"
    selected(other, "CREATE TABLE mine (x)")
    (tmp_path / "text").write_text("SQLite?")
    assert is_campaign(str(pairs / "campaign.db"))
    assert is_database(str(other))
    assert not is_campaign(str(other))
    assert not is_database(str(tmp_path / "text"))
    assert not is_database(str(tmp_path / "nothing"))
    assert is_database("postgresql://x/y")
    assert split_location("a#b") == ("a", "b")
    (tmp_path / "a#b").write_text("")
    assert split_location(str(tmp_path / "a#b")) == (str(tmp_path / "a#b"), None)
    with pytest.raises(InputError, match="another program"):
        start_campaign(pairs, database=str(other))


def test_languages_come_from_the_tasks_or_the_plan(tmp_path: Path) -> None:
    write_lines(tmp_path / "adequacy.jsonl", [assessment()])
    campaign = start_campaign(tmp_path)
    assert campaign.plan.languages == ("de", "en")
    assert replace(campaign.plan, pair="xx-yy").languages == ("", "")


class TestLinks:
    """New links are for whom they are asked for, and old ones stay unless they are revoked."""

    @staticmethod
    def visitors(campaign: Campaign, links: list[tuple[str, str]]) -> list[str | None]:
        """Return the roles of whom links let in now."""
        tokens = [link.rpartition("/enter/")[2] for _, link in links]
        found = [campaign.access.visitor(token, session=False) for token in tokens]
        return [None if each is None else each.role for each in found]

    def test_all(self, pairs: Path) -> None:
        campaign = start_campaign(pairs)
        campaign.access.add(["anna", "bert"])
        links = make_links(campaign, "https://judge.example.org/")
        assert [name for name, _ in links] == ["organiser", "anna", "bert"]
        assert all(link.startswith("https://judge.example.org/enter/") for _, link in links)
        assert self.visitors(campaign, links) == ["organiser", "judge", "judge"]
        more = make_links(campaign, "http://x", open_link=True)
        assert more[-1][0] == "open"
        assert self.visitors(campaign, more) == ["organiser", "judge", "judge", "open"]
        assert None not in self.visitors(campaign, links)
        last = make_links(campaign, "http://x", revoke=True)
        assert self.visitors(campaign, links + more) == [None] * 7
        assert None not in self.visitors(campaign, last)

    def test_of_some_judges(self, pairs: Path) -> None:
        campaign = start_campaign(pairs)
        campaign.access.add(["anna", "bert"])
        before = make_links(campaign, "http://x")
        links = make_links(campaign, "http://x", judges=["bert", "bert"], revoke=True)
        assert [name for name, _ in links] == ["bert"]
        assert self.visitors(campaign, before + links) == ["organiser", "judge", None, "judge"]
        with pytest.raises(InputError, match="no judge 'berta'; did you mean 'bert'"):
            make_links(campaign, "http://x", judges=["berta"])

    def test_of_new_judges(self, pairs: Path) -> None:
        campaign = start_campaign(pairs)
        campaign.access.add(["anna", "judge 2"])
        links = make_links(campaign, "http://x", add=2)
        assert [name for name, _ in links] == ["judge 3", "judge 4"]
        links = make_links(campaign, "http://x", add=["cleo", "<b>"], judges=["anna"])
        assert [name for name, _ in links] == ["anna", "cleo", "<b>"]
        assert len(campaign.access.judges()) == 6

    def test_erased_judges_get_none(self, pairs: Path) -> None:
        campaign = start_campaign(pairs)
        (anna,) = campaign.access.add(["anna"])
        campaign.access.erase(anna.id)
        assert [name for name, _ in make_links(campaign, "http://x")] == ["organiser"]
        with pytest.raises(InputError, match="no judge"):
            make_links(campaign, "http://x", judges=[f"erased {anna.id}"])


def test_campaigns_are_listed_with_what_is_done(pairs: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "all.db")
    campaign = start_campaign(pairs, database=f"{place}#<b>one")
    start_campaign(pairs, database=f"{place}#two").set_open(False)
    anna, bert = campaign.access.add(["anna", "bert"])
    for _ in range(2):
        say(campaign, anna.id)
    say(campaign, bert.id)
    campaign.access.set_state(bert.id, "void")
    first, second = list_campaigns(place)
    assert (first.name, first.state, first.judges) == ("<b>one", "open", 2)
    assert (first.answers, first.items_done, first.items) == (3, 2, 6)
    assert (second.name, second.state, second.items_done) == ("two", "closed", 0)
    assert [each.name for each in list_campaigns(f"{place}#two")] == ["two"]
    with pytest.raises(InputError, match="no campaign 'three'"):
        list_campaigns(f"{place}#three")
    campaign.access.erase(anna.id)
    assert next(iter(list_campaigns(place))).judges == 1
