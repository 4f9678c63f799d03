"""Databases of other versions are brought up to date or refused; those of others are left alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from unit.web.small_campaign import campaign_in, rated
from weigh.errors import InputError, WeighError
from weigh.read import campaign_tables
from weigh.read.campaign_tables import open_database, read_campaign
from weigh.web import tables
from weigh.web.assignment import Work
from weigh.web.campaigns import list_campaigns, open_campaign, start_campaign
from weigh.web.plan import CollectPlan
from weigh.web.tables import prepare
from weigh.web.tasks import Tasks

PLAN = CollectPlan()


@pytest.fixture
def old(fresh: Callable[[], str]) -> str:
    """A database with a campaign, as this version makes it."""
    place = fresh()
    campaign_in(place, (rated("sheet"),), PLAN).database.close()
    return place


@pytest.fixture
def later(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two versions after that."""
    del old
    version = tables.VERSION + 2
    for module in (tables, campaign_tables):
        monkeypatch.setattr(module, "VERSION", version)


def versions(place: str) -> list[int]:
    with open_database(place).reading() as connection:
        rows = connection.execute(text("SELECT version FROM campaign_schema ORDER BY version"))
        return [version for (version,) in rows]


@pytest.mark.usefixtures("later")
def test_an_older_database_is_brought_up_to_date(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = versions(old)[-1]
    with pytest.raises(InputError, match=r"older version of weigh.*updates it"):
        read_campaign(old)
    steps = {
        first: ["ALTER TABLE campaign_judges ADD COLUMN note TEXT"],
        first + 1: ["UPDATE campaign_judges SET note = 'kept'", "DROP TABLE campaign_events"],
    }
    monkeypatch.setattr(tables, "MIGRATIONS", steps)
    assert [listed.name for listed in list_campaigns(old)] == ["small"]
    assert versions(old) == [first, first + 1, first + 2]
    assert read_campaign(old).name == "small"
    prepare(open_database(old))  # and once is enough
    assert versions(old) == [first, first + 1, first + 2]


def test_a_database_of_version_2_gets_a_secret(old: str) -> None:
    with open_database(old).writing() as connection:
        for statement in (
            "DROP TABLE campaign_secrets",
            "ALTER TABLE campaign_judges DROP COLUMN uninvited",
            "UPDATE campaign_schema SET version = 2",
        ):
            connection.execute(text(statement))
    campaign = open_campaign(old)
    assert versions(old) == [2, 3]
    assert len(campaign.secret()) == 32
    assert campaign.access.add(["anna"])
    campaign.database.close()


def test_a_database_of_version_1_deals_its_tasks_in_order(old: str) -> None:
    with open_database(old).writing() as connection:
        for statement in (
            "DROP INDEX campaign_slots_open",
            "ALTER TABLE campaign_slots ADD COLUMN priority FLOAT NOT NULL DEFAULT 0",
            "CREATE INDEX campaign_slots_open ON campaign_slots (campaign, priority DESC)",
            "UPDATE campaign_slots SET state = 'needless'",
            "DROP TABLE campaign_secrets",
            "ALTER TABLE campaign_judges DROP COLUMN uninvited",
            "UPDATE campaign_schema SET version = 1",
        ):
            connection.execute(text(statement))
    campaign = open_campaign(old)
    assert versions(old) == [1, 2, 3]
    (anna,) = campaign.access.add(["anna"])
    assert isinstance(campaign.assignment.work_for(anna.id), Work)
    campaign.database.close()


@pytest.mark.usefixtures("later")
def test_a_step_that_fails_leaves_the_database_as_it_was(
    old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = versions(old)
    steps = {
        before[-1]: ["ALTER TABLE campaign_judges ADD COLUMN note TEXT"],
        before[-1] + 1: ["ALTER TABLE no_such_table ADD COLUMN note TEXT"],
    }
    monkeypatch.setattr(tables, "MIGRATIONS", steps)
    with pytest.raises(WeighError):
        prepare(open_database(old))
    assert versions(old) == before
    with open_database(old).reading() as connection, pytest.raises(Exception, match="note"):
        connection.execute(text("SELECT note FROM campaign_judges"))


@pytest.mark.usefixtures("later")
def test_an_older_database_without_a_way_up_is_refused_with_the_remedy(old: str) -> None:
    before = versions(old)
    for read in (list_campaigns, open_campaign):
        with pytest.raises(InputError, match=r"older version of weigh.*export its answers"):
            read(old)
    assert versions(old) == before


def test_a_later_database_is_refused_and_left_as_it_is(old: str) -> None:
    with open_database(old).writing() as connection:
        connection.execute(text("INSERT INTO campaign_schema VALUES (99)"))
    before = versions(old)
    for read in (read_campaign, list_campaigns, open_campaign):
        with pytest.raises(InputError, match=r"newer version of weigh \(schema 99.*update weigh"):
            read(old)
    with pytest.raises(InputError, match="update weigh"):
        start_campaign(Tasks("small", (rated("sheet"),)), PLAN, database=old)
    assert versions(old) == before


def test_a_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    place = tmp_path / "bookmarks.db"
    other = sqlite3.connect(place)
    other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.execute("INSERT INTO bookmarks VALUES ('x')")
    other.commit()
    other.close()
    before = place.read_bytes()
    with pytest.raises(InputError, match="a database of another program"):
        campaign_in(place, (rated("sheet"),), PLAN)
    for read in (read_campaign, list_campaigns, open_campaign):
        with pytest.raises(InputError, match="contains no campaigns"):
            read(str(place))
    assert place.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["bookmarks.db"]


def test_what_is_no_database_is_left_alone(tmp_path: Path) -> None:
    place = tmp_path / "notes.txt"
    place.write_text("some notes, long enough to be taken for something else\n" * 99)
    before = place.read_bytes()
    with pytest.raises(InputError, match="not a database"):
        campaign_in(place, (rated("sheet"),), PLAN)
    with pytest.raises(InputError):
        open_campaign(str(place))
    assert place.read_bytes() == before
    missing = tmp_path / "none.db"
    with pytest.raises(InputError, match="no such file"):
        open_campaign(str(missing))
    assert not missing.exists()


def test_tables_stand_beside_those_of_labels(tmp_path: Path) -> None:
    place = tmp_path / "both.db"
    with open_database(str(place)).writing() as connection:
        connection.execute(text("CREATE TABLE rypt_labels (x INTEGER)"))
    campaign_in(place, (rated("sheet"),), PLAN).database.close()
    assert read_campaign(str(place)).name == "small"
