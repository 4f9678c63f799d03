"""Campaigns: tasks become rows of a database, which is opened again, listed and closed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import Any

from sqlalchemy import Connection, insert, text

from weigh.errors import InputError, UsageError, did_you_mean, plural
from weigh.files import temporary_path
from weigh.human.collecting import CampaignsResult, ListedCampaign
from weigh.read.campaign_tables import (
    DATABASE,
    SCHEMA,
    check_version,
    damage_errors,
    database_name,
    kinds_of,
    open_database,
    split_location,
    table_names,
)
from weigh.read.database import Database
from weigh.read.text import public_path, quoted, shown
from weigh.result import decode, encode
from weigh.web.access import Access, Judge
from weigh.web.assignment import Assignment
from weigh.web.kinds import Batch
from weigh.web.plan import HOST, PORT, CollectPlan
from weigh.web.screens import encoded
from weigh.web.slots import add_slot
from weigh.web.tables import BATCHES, CAMPAIGNS, ITEMS, SECRETS, inserted, log, now, prepare
from weigh.web.tasks import Tasks, read_tasks

_PATIENCE = 3.0  # seconds: whoever waits longer for a page takes it for broken

_SECRET_BYTES = 32
_NO_TASKS = "-"  # the digest of a campaign that has still to get them


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign in an open database.

    `settings` are what the organiser tells the judges, and the keys of blind pairs. `location`
    names it as commands do.
    """

    id: int
    name: str
    database: Database
    plan: CollectPlan
    settings: Mapping[str, Any]
    location: str = field(default="", repr=False)  # with a password, it may be

    @property
    def assignment(self) -> Assignment:
        """Its work."""
        return Assignment(self.database, self.id, self.plan)

    @property
    def access(self) -> Access:
        """Its judges and links."""
        return Access(self.database, self.id)

    @property
    def title(self) -> str:
        """The title on the campaign's pages."""
        return self.plan.title or self.name

    @property
    def sheets(self) -> int:
        """The number of sheets available."""
        with self.database.reading() as connection:
            count = connection.execute(
                text(
                    "SELECT COUNT(*) FROM campaign_slots "
                    "WHERE campaign = :id AND role = 'work' AND state = 'open'"
                ),
                {"id": self.id},
            ).scalar()
        return int(count or 0)

    def secret(self) -> bytes:
        """The key that seals what judges are sent; made once, and never shown to anybody."""
        parameters = {"id": self.id}
        query = text("SELECT secret FROM campaign_secrets WHERE campaign = :id")
        with self.database.reading() as connection:
            secret = connection.execute(query, parameters).scalar()
        if secret is None:
            with self.database.writing() as connection:
                # Another process may have been quicker.
                secret = connection.execute(query, parameters).scalar()
                if secret is None:
                    secret = token_hex(_SECRET_BYTES)
                    connection.execute(SECRETS.insert().values(campaign=self.id, secret=secret))
        with damage_errors(self.database.name):
            return _key(secret)

    def remember_url(self, url: str) -> None:
        """Note where judges reach the pages, for links that are made elsewhere."""
        settings = json.dumps({**self.settings, "url": url}, ensure_ascii=False)
        with self.database.writing() as connection:
            connection.execute(
                text("UPDATE campaigns SET settings = :settings WHERE id = :id"),
                {"settings": settings, "id": self.id},
            )

    @property
    def is_open(self) -> bool:
        """Whether answers are taken."""
        with self.database.reading() as connection:
            state = connection.execute(
                text("SELECT state FROM campaigns WHERE id = :id"), {"id": self.id}
            ).scalar()
        return state == "open"

    def set_open(self, is_open: bool) -> None:
        """Take answers, or take none any more."""
        state = "open" if is_open else "closed"
        with self.database.writing() as connection:
            connection.execute(
                text("UPDATE campaigns SET state = :state WHERE id = :id"),
                {"state": state, "id": self.id},
            )
            log(connection, self.id, state, None, {})


def _key(secret: str) -> bytes:
    key = bytes.fromhex(secret)
    if len(key) != _SECRET_BYTES:
        raise ValueError("not a key")
    return key


def start_campaign(
    tasks: Tasks | str | Path,
    plan: CollectPlan | None = None,
    *,
    database: str | None = None,
) -> Campaign:
    """Start the campaign of some tasks, or continue it.

    The database is a file in the directory of the tasks unless another is named, and is made where
    there is none.
    """
    if not isinstance(tasks, Tasks):
        database = database or str(Path(tasks) / DATABASE)
        tasks = read_tasks(tasks)
    if database is None:
        raise UsageError("no database given; name a file or a postgresql:// URL")
    plan = plan or CollectPlan()
    if not plan.pair:
        plan = replace(plan, pair=tasks.pair)
    if plan.per_item is None:
        plan = replace(plan, per_item=tasks.judges_per_item)
    place, wanted = split_location(database)
    with _opened(place) as opened:
        prepare(opened, create=True)
        with opened.writing() as connection:
            name = wanted or _same_tasks(connection, tasks) or tasks.name
            number = _campaign_id(connection, name)
            if number is None:
                number = inserted(
                    connection,
                    CAMPAIGNS,
                    name=name,
                    digest=_NO_TASKS,
                    settings="{}",
                    state="open",
                    created=now(),
                )
            _take_tasks(connection, opened, number, name, tasks, plan)
        return _campaign(opened, place, name)


@contextmanager
def _opened(place: str) -> Iterator[Database]:
    """Open a database for good, unless something goes wrong in the beginning."""
    opened = open_database(place, pooled=True, patience=_PATIENCE)
    try:
        yield opened
    except BaseException:
        opened.close()
        raise


def _same_tasks(connection: Connection, tasks: Tasks) -> str | None:
    """The name of the only campaign with these tasks, whose directory may be renamed."""
    rows = connection.execute(
        text("SELECT name FROM campaigns WHERE digest = :digest"), {"digest": tasks.digest}
    ).all()
    return rows[0][0] if len(rows) == 1 else None


def _campaign_id(connection: Connection, name: str) -> int | None:
    number = connection.execute(
        text("SELECT id FROM campaigns WHERE name = :name"), {"name": name}
    ).scalar()
    return None if number is None else int(number)


def _take_tasks(
    connection: Connection,
    database: Database,
    number: int,
    name: str,
    tasks: Tasks,
    plan: CollectPlan,
) -> None:
    """Set the tasks of a campaign; they can change while nobody has answered."""
    digest = connection.execute(
        text("SELECT digest FROM campaigns WHERE id = :id"), {"id": number}
    ).scalar()
    if digest == tasks.digest:
        with damage_errors(database.name):
            _update(connection, number, tasks, plan)
        return
    answers = connection.execute(
        text(
            "SELECT COUNT(*) FROM campaign_answers a JOIN campaign_slots s ON s.id = a.slot "
            "WHERE s.campaign = :id"
        ),
        {"id": number},
    ).scalar()
    if answers:
        raise InputError(
            f"{database.name}: the campaign {name!r} has other tasks, training or controls than "
            f"these, and {plural(answers, 'answer')}; restore the files, or start a new "
            "campaign with --database"
        )
    batches = "SELECT id FROM campaign_batches WHERE campaign = :id"
    for statement in (
        f"DELETE FROM campaign_holdings WHERE batch IN ({batches})",
        "DELETE FROM campaign_slots WHERE campaign = :id",
        f"DELETE FROM campaign_items WHERE batch IN ({batches})",
        "DELETE FROM campaign_batches WHERE campaign = :id",
    ):
        connection.execute(text(statement), {"id": number})
    connection.execute(
        text("UPDATE campaigns SET digest = :digest, settings = :settings WHERE id = :id"),
        {"digest": tasks.digest, "settings": _settings(tasks, plan), "id": number},
    )
    for batch in (*tasks.batches, *tasks.training, *tasks.controls):
        _insert_batch(connection, number, batch, plan.per_item or 1)


def _settings(tasks: Tasks, plan: CollectPlan) -> str:
    settings = {
        "plan": encode(plan),
        "instructions": tasks.instructions,
        "consent": tasks.consent,
        "keys": list(tasks.keys),
        "kinds": tasks.kinds,
    }
    return json.dumps(settings, ensure_ascii=False)


def _insert_batch(connection: Connection, campaign: int, batch: Batch, copies: int) -> None:
    number = inserted(
        connection,
        BATCHES,
        campaign=campaign,
        name=batch.name,
        kind=batch.kind,
        role=batch.role,
        size=len(batch.items),
    )
    connection.execute(
        insert(ITEMS),
        [
            {
                "batch": number,
                "place": place,
                "shown": encoded(item.screen),
                "about": json.dumps(dict(item.about), ensure_ascii=False),
                "expected": json.dumps(
                    {
                        "answers": [asdict(expected) for expected in item.expected],
                        "feedback": item.feedback,
                    },
                    ensure_ascii=False,
                )
                if item.expected
                else None,
            }
            for place, item in enumerate(batch.items, 1)
        ],
    )
    if batch.role == "work":
        for copy in range(1, copies + 1):
            add_slot(connection, campaign, number, "work", copy, len(batch.items))


def _update(connection: Connection, number: int, tasks: Tasks, plan: CollectPlan) -> None:
    """Apply new settings to a continued campaign; items may get more judges."""
    connection.execute(
        text("UPDATE campaigns SET settings = :settings WHERE id = :id"),
        {"settings": _settings(tasks, plan), "id": number},
    )
    rows = connection.execute(
        text(
            "SELECT batch, MAX(copy), MAX(size) FROM campaign_slots "
            "WHERE campaign = :id AND role = 'work' GROUP BY batch"
        ),
        {"id": number},
    ).all()
    for batch, copies, size in rows:
        for copy in range(copies + 1, (plan.per_item or 1) + 1):
            add_slot(connection, number, batch, "work", copy, size)


def open_campaign(location: str) -> Campaign:
    """Open a campaign of a database, by location: `answers.db#pilot`."""
    place, wanted = split_location(location)
    with _opened(place) as opened:
        if not opened.is_there:  # SQLite would make it
            raise InputError(f"{opened.name}: no such file; check the path")
        prepare(opened)
        return _campaign(opened, place, wanted)


def _campaign(opened: Database, place: str, wanted: str | None) -> Campaign:
    with opened.reading() as connection:
        rows = connection.execute(text("SELECT id, name, settings FROM campaigns ORDER BY id"))
        campaigns = {name: (number, settings) for number, name, settings in rows}
    if not campaigns:
        raise InputError(f"{opened.name}: no campaigns; create one with weigh serve")
    if wanted is None and len(campaigns) > 1:
        raise InputError(
            f"{opened.name}: {len(campaigns)} campaigns ({', '.join(campaigns)}); choose one, "
            f"as in {opened.name}#{next(iter(campaigns))}"
        )
    name = next(iter(campaigns)) if wanted is None else wanted
    if name not in campaigns:
        raise InputError(f"{opened.name}: no campaign {name!r}; {did_you_mean(name, [*campaigns])}")
    number, stored = campaigns[name]
    with damage_errors(opened.name):
        settings = json.loads(stored)
        plan = decode(CollectPlan, settings["plan"], f"{opened.name}: settings")
    return Campaign(number, name, opened, plan, settings, location=f"{place}#{name}")


@contextmanager
def database_at(location: str) -> Iterator[Database]:
    """Open a database of campaigns."""
    place = split_location(location)[0]
    database = open_database(place)
    if not database.is_there:  # SQLite would make it
        raise InputError(f"{database.name}: no such file; check the path")
    prepare(database)
    yield database


def list_campaigns(location: str) -> CampaignsResult:
    """All campaigns of a database, or the named one, with their progress."""
    wanted = split_location(location)[1]
    with (
        database_at(location) as database,
        damage_errors(database.name),
        database.reading() as connection,
    ):
        rows = connection.execute(
            text("SELECT id, name, state, settings, created FROM campaigns ORDER BY id")
        ).all()
        campaigns = tuple(
            ListedCampaign(
                name,
                state,
                tuple(kinds_of(json.loads(settings))),
                *_counts(connection, number),
                created,
            )
            for number, name, state, settings, created in rows
            if wanted is None or name == wanted
        )
    if wanted is not None and not campaigns:
        names = [row.name for row in rows]
        raise InputError(
            f"{database.name}: no campaign {quoted(wanted)}; {did_you_mean(wanted, names)}"
        )
    return CampaignsResult(public_path(database.name), campaigns)


def back_up(location: str, file: str | Path) -> int:
    """Copy a database of campaigns to a new file; return how many answers the copy has.

    The copy is complete and consistent, also while the campaigns are served.
    """
    place, wanted = split_location(location)
    if wanted is not None:
        raise UsageError(f"#{shown(wanted)}: a backup contains all campaigns; leave out the name")
    if place.startswith("postgres"):
        raise UsageError(f"{database_name(place)}: back up PostgreSQL with pg_dump")
    database = open_database(place)
    if not database.is_there:  # SQLite would make it
        raise InputError(f"{database.name}: no such file; check the path")
    if os.path.lexists(file):
        raise InputError(f"{shown(str(file))}: exists; name another file")
    with database.reading() as connection:
        if SCHEMA not in table_names(connection):
            check_version(None, database.name)
    with temporary_path(file) as unnamed:
        database.back_up(unnamed)
        with open_database(str(unnamed)).reading() as connection:
            count = connection.execute(text("SELECT COUNT(*) FROM campaign_answers")).scalar()
    return int(count or 0)


def _counts(connection: Connection, campaign: int) -> tuple[int, int, int, int]:
    def count(query: str) -> int:
        return int(connection.execute(text(query), {"id": campaign}).scalar() or 0)

    return (
        count("SELECT COUNT(*) FROM campaign_judges WHERE campaign = :id AND state <> 'erased'"),
        count(
            "SELECT COUNT(*) FROM (SELECT DISTINCT a.slot, a.item, a.judge FROM campaign_answers a "
            "JOIN campaign_slots s ON s.id = a.slot "
            "WHERE s.campaign = :id AND s.role = 'work') AS answers"
        ),
        count("SELECT SUM(answered) FROM campaign_slots WHERE campaign = :id AND role = 'work'"),
        count("SELECT SUM(size) FROM campaign_slots WHERE campaign = :id AND role = 'work'"),
    )


def judge_of(campaign: Campaign, name: str) -> Judge:
    """A judge by name; raises an error for unknown or erased ones."""
    judges = {judge.name: judge for judge in campaign.access.judges() if judge.state != "erased"}
    if name not in judges:
        raise InputError(f"no judge {quoted(name)}; {did_you_mean(name, [*judges])}")
    return judges[name]


def judge_links(
    campaign: Campaign, names: Sequence[str] = (), *, revoke: bool = False
) -> list[tuple[Judge, str]]:
    """New tokens for all judges or the named ones; earlier tokens stay valid.

    With `revoke` they do not.
    """
    access = campaign.access
    judges = [judge for judge in access.judges() if judge.state != "erased"]
    if names:
        judges = [judge_of(campaign, name) for name in dict.fromkeys(names)]
    if revoke:
        for judge in judges:
            access.revoke(judge.id)
    tokens = access.links(judge.id for judge in judges)
    return [(judge, tokens[judge.id]) for judge in judges]


def make_links(
    campaign: Campaign,
    base: str | None = None,
    *,
    judges: Sequence[str] = (),
    add: int | Sequence[str] = 0,
    revoke: bool = False,
    open_link: bool = False,
) -> list[tuple[str, str]]:
    """New links for the organiser and all judges, with their names.

    If `judges` are named, or some are to be added, so many or with these names, the links are for
    them alone. `revoke` makes the links that they had worthless; where nobody is named these are
    all links that there are. `base` is what links begin with, as when it was last served if that
    is not said.
    """
    base = base or campaign.settings.get("url") or f"http://{HOST}:{PORT}"
    access = campaign.access
    named = [*(judge_of(campaign, name).name for name in judges)]
    if isinstance(add, int):
        named += [access.deal_out().name for _ in range(add)]
    else:
        named += [judge.name for judge in access.add(add)]
    tokens: list[tuple[str, str]] = []
    if not named:
        if revoke:
            access.revoke()
        tokens.append(("organiser", access.link("organiser")))
    tokens += [
        (judge.name, token)
        for judge, token in judge_links(campaign, named, revoke=revoke and bool(named))
    ]
    if open_link:
        tokens.append(("open", access.link("open")))
    return [(name, f"{base.rstrip('/')}/enter/{token}") for name, token in tokens]
