"""Databases of campaigns, in which the judgment page keeps every answer: their tables, and reading.

Answers are only ever added. What somebody says of an item anew is a row with the next `revision`,
and the last one counts. A slot is one of the judgments that a batch of items is to get: it has
one answer to each of its items, whoever gives them, so that no item gets more than it should.

Times of day are texts in UTC; leases end at seconds since 1970.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from weigh.errors import InputError, MissingExtraError, did_you_mean
from weigh.read.text import shown

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from weigh.read.database import Database

VERSION = 1
"""The version of these tables; a database with a later one is left alone."""
SCHEMA = "campaign_schema"
_SQLITE = b"SQLite format 3\0"
# How a database of several campaigns names one of them: behind the file or the URL.
_OF = "#"
_LOCK = 0x57454947


def is_database(location: str) -> bool:
    """Return whether a name is that of a database: a URL, or a SQLite file."""
    place = split_location(location)[0]
    if "://" in place:
        return place.startswith(("postgresql:", "postgres:", "postgresql+psycopg:", "sqlite:"))
    with suppress(OSError, ValueError), Path(place).open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE
    return False


def split_location(location: str) -> tuple[str, str | None]:
    """Return where a database is, and which of its campaigns is meant, if that is said.

    >>> split_location("answers.db#pilot"), split_location("answers.db")
    (('answers.db', 'pilot'), ('answers.db', None))
    """
    place, hash_sign, name = location.rpartition(_OF)
    if not hash_sign or (Path(location).exists() and not Path(place).exists()):
        return location, None
    return place, name or None


class CollectedAnswer(NamedTuple):
    """One judge's last answer to an item of a campaign.

    `about` is what the judge was not told of the item, `answers` what was said, by question.
    `seconds` is how long it took; `slot` and `batch` name the piece of work.
    """

    kind: str
    about: Mapping[str, Any]
    answers: Mapping[str, Any]
    judge: str
    at: str
    seconds: float | None
    slot: int
    batch: str
    revision: int


class CollectedCampaign(NamedTuple):
    """A campaign of a database: its settings, and the answers that count."""

    name: str
    settings: Mapping[str, Any]
    answers: list[CollectedAnswer]
    left_out: int

    def of_kind(self, *kinds: str) -> list[CollectedAnswer]:
        """Return the answers to items of some kinds."""
        return [answer for answer in self.answers if answer.kind in kinds]


def open_database(place: str, *, pooled: bool = False) -> Database:
    """Return the database at a file or a URL."""
    try:
        from weigh.read.database import Contents, Database
    except ImportError as error:
        if error.name != "sqlalchemy":
            raise
        where = "postgresql://…" if "://" in place else shown(place)
        raise MissingExtraError(
            f"{where}: a database of answers needs SQLAlchemy 2; install it with "
            "pip install 'weigh[labels]'"
        ) from None
    return Database(place, Contents("answer", "web", lock=_LOCK), pooled=pooled)


def table_names(connection: Connection) -> list[str]:
    """Return the names of all tables of a database."""
    from sqlalchemy import inspect

    return inspect(connection).get_table_names()


def is_campaign(location: str) -> bool:
    """Return whether there is a database of campaigns at a file or a URL."""
    if not is_database(location):
        return False
    with open_database(split_location(location)[0]).reading() as connection:
        return SCHEMA in table_names(connection)


def check_version(version: int | None, name: str) -> None:
    """Refuse tables that this version of weigh does not know."""
    if version is None:
        raise InputError(f"{name}: a database without campaigns; check the name")
    if version > VERSION:
        raise InputError(
            f"{name}: made by a later weigh (version {version} of its tables; this one knows "
            f"{VERSION}); update weigh"
        )
    if version < VERSION:
        raise InputError(
            f"{name}: made by an older weigh (version {version} of its tables, now {VERSION}); "
            "weigh serve or weigh campaign list on it brings it up to date"
        )


def read_campaign(location: str) -> CollectedCampaign:
    """Return what people answered in a campaign: the last answer of each to each item.

    Training, controls with known answers, and judges whose work was set aside are left out; the
    latter are counted. Where the database has several campaigns, `#NAME` behind the location
    says which.
    """
    from sqlalchemy import text

    place, wanted = split_location(location)
    if "://" not in place and not Path(place).exists():
        raise InputError(f"{shown(place)}: no such file; check the path")
    database = open_database(place)
    with database.reading() as connection:
        if SCHEMA not in table_names(connection):
            check_version(None, database.name)
        version = connection.execute(text("SELECT MAX(version) FROM campaign_schema")).scalar()
        check_version(version, database.name)
        rows = connection.execute(text("SELECT id, name, settings FROM campaigns ORDER BY id"))
        known = {name: (number, json.loads(settings)) for number, name, settings in rows}
        if not known:
            raise InputError(f"{database.name}: no campaigns; make one with weigh serve")
        if wanted is None and len(known) > 1:
            raise InputError(
                f"{database.name}: {len(known)} campaigns ({', '.join(known)}); say which, as in "
                f"{database.name}#{next(iter(known))}"
            )
        name = wanted if wanted is not None else next(iter(known))
        if name not in known:
            raise InputError(
                f"{database.name}: no campaign {name!r}; {did_you_mean(name, [*known])}"
            )
        number, settings = known[name]
        answers = [*_answers(connection, number)]
        left_out = connection.execute(
            text(
                "SELECT COUNT(*) FROM campaign_answers a "
                "JOIN campaign_judges j ON j.id = a.judge "
                "WHERE j.campaign = :campaign AND j.state = 'void' AND a.revision = 1"
            ),
            {"campaign": number},
        ).scalar()
    return CollectedCampaign(name, settings, answers, left_out or 0)


def _answers(connection: Connection, campaign: int) -> Iterator[CollectedAnswer]:
    from sqlalchemy import text

    # Items are the same for all slots of a batch, so each is parsed once.
    items = {
        number: (kind, json.loads(about), name)
        for number, kind, about, name in connection.execute(
            text(
                "SELECT i.id, b.kind, i.about, b.name FROM campaign_items i "
                "JOIN campaign_batches b ON b.id = i.batch "
                "WHERE b.campaign = :campaign AND b.role = 'work'"
            ),
            {"campaign": campaign},
        )
    }
    last: dict[tuple[int, int], Any] = {}
    rows = connection.execute(
        text(
            "SELECT a.slot, a.item, a.revision, a.answer, a.seconds, a.at, j.name "
            "FROM campaign_answers a "
            "JOIN campaign_judges j ON j.id = a.judge "
            "WHERE j.campaign = :campaign AND j.state NOT IN ('void', 'erased') "
            "ORDER BY a.id"
        ),
        {"campaign": campaign},
    )
    for row in rows:
        if row[1] in items:
            last[row[0], row[1]] = row  # a later revision stands in for the one before
    for slot, item, revision, answer, seconds, at, judge in last.values():
        kind, about, batch = items[item]
        yield CollectedAnswer(
            kind, about, json.loads(answer), judge, at, seconds, slot, batch, revision
        )
