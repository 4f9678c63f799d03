"""The tables of campaigns, and how a database gets them; `weigh.read.campaign_tables` reads them.

Columns hold what is needed and no more: of a link and of a session only the digest of its token,
of a judge who asked to be forgotten nothing but the number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    func,
    select,
)

from weigh.errors import InputError
from weigh.read.campaign_tables import SCHEMA as SCHEMA_NAME
from weigh.read.campaign_tables import VERSION, check_version, table_names
from weigh.read.database import Database

LONGEST_NAME = 200
_TIME = String(27)
_NAME = String(LONGEST_NAME)

metadata = MetaData()

SCHEMA = Table(
    SCHEMA_NAME, metadata, Column("version", Integer, primary_key=True, autoincrement=False)
)
CAMPAIGNS = Table(
    "campaigns",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", _NAME, nullable=False, unique=True),
    Column("digest", String(32), nullable=False),
    Column("settings", Text, nullable=False),
    Column("state", String(8), nullable=False),
    Column("created", _TIME, nullable=False),
)
# The key of what judges are sent: see `weigh.web.guard.Seal`.
SECRETS = Table(
    "campaign_secrets",
    metadata,
    Column("campaign", ForeignKey(CAMPAIGNS.c.id), primary_key=True, autoincrement=False),
    Column("secret", String(64), nullable=False),
)
# States of a judge: active; paused, for the time being; screened, out for failing; void, all
# answers set aside; erased, all answers gone.
JUDGES = Table(
    "campaign_judges",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("campaign", ForeignKey(CAMPAIGNS.c.id), nullable=False),
    Column("name", _NAME, nullable=False),
    Column("external", _NAME),
    Column("state", String(8), nullable=False),
    Column("code", String(16), nullable=False),
    Column("created", _TIME, nullable=False),
    Column("consented", _TIME),
    Column("begun", _TIME),
    Column("uninvited", Boolean, nullable=False, server_default=false()),  # came by the open link
    UniqueConstraint("campaign", "name"),
    UniqueConstraint("campaign", "external"),
)
TOKENS = Table(
    "campaign_tokens",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("campaign", ForeignKey(CAMPAIGNS.c.id), nullable=False),
    Column("role", String(9), nullable=False),  # judge, organiser, open
    Column("judge", ForeignKey(JUDGES.c.id)),
    Column("session", Boolean, nullable=False),  # of a browser, not of a link
    Column("created", _TIME, nullable=False),
)
BATCHES = Table(
    "campaign_batches",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("campaign", ForeignKey(CAMPAIGNS.c.id), nullable=False, index=True),
    Column("name", _NAME, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("role", String(8), nullable=False),  # work, training, control
    Column("size", Integer, nullable=False),
    UniqueConstraint("campaign", "role", "name"),
)
ITEMS = Table(
    "campaign_items",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("batch", ForeignKey(BATCHES.c.id), nullable=False),
    Column("place", Integer, nullable=False),
    Column("shown", Text, nullable=False),
    Column("about", Text, nullable=False),
    Column("expected", Text),
    UniqueConstraint("batch", "place"),
)
SLOTS = Table(
    "campaign_slots",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("campaign", ForeignKey(CAMPAIGNS.c.id), nullable=False),
    Column("batch", ForeignKey(BATCHES.c.id), nullable=False, index=True),
    Column("role", String(8), nullable=False),
    Column("copy", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("judge", ForeignKey(JUDGES.c.id), index=True),
    Column("until", Float(53)),
    Column("answered", Integer, nullable=False),
    # open, done, void (its answers do not count)
    Column("state", String(8), nullable=False),
    UniqueConstraint("batch", "copy"),
)
Index(
    "campaign_slots_open",
    SLOTS.c.campaign,
    SLOTS.c.role,
    SLOTS.c.state,
    SLOTS.c.copy,
    SLOTS.c.id,
)
HOLDINGS = Table(
    "campaign_holdings",
    metadata,
    Column("batch", ForeignKey(BATCHES.c.id), primary_key=True, autoincrement=False),
    Column("judge", ForeignKey(JUDGES.c.id), primary_key=True, autoincrement=False),
    Column("slot", ForeignKey(SLOTS.c.id), nullable=False),
)
ANSWERS = Table(
    "campaign_answers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("slot", ForeignKey(SLOTS.c.id), nullable=False),
    Column("item", ForeignKey(ITEMS.c.id), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("judge", ForeignKey(JUDGES.c.id), nullable=False, index=True),
    Column("answer", Text, nullable=False),
    Column("seconds", Float(53)),
    Column("at", _TIME, nullable=False),
    Column("submission", String(64), nullable=False),
    UniqueConstraint("slot", "item", "revision"),
    sqlite_autoincrement=True,  # so that no number is given again after an erasure
)
EVENTS = Table(
    "campaign_events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("campaign", ForeignKey(CAMPAIGNS.c.id), nullable=False, index=True),
    Column("at", _TIME, nullable=False),
    Column("what", String(32), nullable=False),
    Column("judge", Integer),
    Column("detail", Text, nullable=False),
)

MOST_ROWS = 2**31
"""No table has more; SQLite would not even look for rows of much greater numbers."""
MIGRATIONS: dict[int, Sequence[str]] = {
    1: (
        "UPDATE campaign_slots SET state = 'open' WHERE state = 'needless'",
        "DROP INDEX campaign_slots_open",
        "ALTER TABLE campaign_slots DROP COLUMN priority",
        "CREATE INDEX campaign_slots_open ON campaign_slots (campaign, role, state, copy, id)",
    ),
    2: (
        "CREATE TABLE campaign_secrets (campaign INTEGER NOT NULL PRIMARY KEY "
        "REFERENCES campaigns (id), secret VARCHAR(64) NOT NULL)",
        "ALTER TABLE campaign_judges ADD COLUMN uninvited BOOLEAN NOT NULL DEFAULT FALSE",
    ),
}
"""By the version of tables that are there, the statements that make the next one of them."""


def inserted(connection: Connection, table: Table, **values: Any) -> int:
    """Add a row and return its number."""
    key = connection.execute(table.insert().values(**values)).inserted_primary_key
    assert key is not None
    return int(key[0])


def written(moment: datetime) -> str:
    """Return a time of UTC, as all tables have it."""
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def now() -> str:
    """Return the time, as all tables have it."""
    return written(datetime.now(UTC))


def log(
    connection: Connection, campaign: int, what: str, judge: int | None, detail: Mapping[str, Any]
) -> None:
    """Note what the organiser, or the campaign by itself, has done."""
    text = json.dumps(dict(detail), ensure_ascii=False)
    inserted(connection, EVENTS, campaign=campaign, at=now(), what=what, judge=judge, detail=text)


def prepare(database: Database, *, create: bool = False) -> None:
    """Make the tables where that is asked for, and bring older ones up to date."""
    if create:
        database.create()
    with database.reading() as connection:
        version, names = _version(connection)
    if version == VERSION:
        return
    if version is None and not create:
        check_version(None, database.name)
    if (
        version is None
        and database.is_sqlite
        and not all(name.startswith(("campaign", "rypt_")) for name in names)
    ):
        raise InputError(f"{database.name}: a database of another program; name another file")
    with database.writing() as connection:
        version, _ = _version(connection)  # another may have been quicker
        if version is None:
            metadata.create_all(connection)
            connection.execute(SCHEMA.insert().values(version=VERSION))
            version = VERSION
        while version < VERSION and version in MIGRATIONS:
            for statement in MIGRATIONS[version]:
                connection.exec_driver_sql(statement)
            version += 1
            connection.execute(SCHEMA.insert().values(version=version))
    if version < VERSION:
        raise InputError(
            f"{database.name}: created by an older version of weigh (schema {version}, now "
            f"{VERSION}) and cannot be updated; export its answers with that version"
        )
    check_version(version, database.name)
    database.write_ahead()


def _version(connection: Connection) -> tuple[int | None, list[str]]:
    """Return the version of the tables, if there are any, and the names of all."""
    names = table_names(connection)
    if SCHEMA_NAME not in names:
        return None, names
    return connection.execute(select(func.max(SCHEMA.c.version))).scalar(), names
