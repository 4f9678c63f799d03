"""Databases of campaigns, in which the judgment page stores answers: their tables, and readers.

Answers are only ever added. A corrected answer is a row with the next `revision`, and the last one
counts. A slot is one of the judgments that a batch of items needs: it has one answer to each item,
by any judge, so that no item gets more answers than needed. Times of day are texts in UTC; leases
end at seconds since 1970.

Times of day are texts in UTC; leases end at seconds since 1970.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from weigh.errors import InputError, MissingExtraError, did_you_mean
from weigh.read.answers import Omission
from weigh.read.text import file_label, file_labels, quoted, shown

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from weigh.read.database import Database

VERSION = 3
"""The version of these tables; databases with later versions are refused."""
SCHEMA = "campaign_schema"
DATABASE = "campaign.db"
"""The default database of a campaign, in the directory of its tasks."""
# The kinds of tasks by what their answers are: scores of texts or errors marked in them, labels of
# marked words, and which of two texts is better, whose systems a key tells (CHOSEN) or the task.
SCORED = ("adequacy", "fluency", "esa", "mqm", "contrastive")
LABELLED, CHOSEN, COMPARED = ("rypt",), ("preference",), ("pair",)
_SQLITE = b"SQLite format 3\0"
# How a database of several campaigns names one of them: behind the file or the URL.
_OF = "#"
_LOCK = 0x57454947


def is_database(location: str) -> bool:
    """Whether a name is that of a database: a URL, or a SQLite file."""
    place = split_location(location)[0]
    if "://" in place:
        return place.startswith(("postgresql:", "postgres:", "postgresql+psycopg:", "sqlite:"))
    # Pipes are left alone, as what is read of them is gone.
    with suppress(OSError, ValueError):
        if Path(place).is_file():
            with Path(place).open("rb") as file:
                return file.read(len(_SQLITE)) == _SQLITE
    return False


def split_location(location: str) -> tuple[str, str | None]:
    """Split a location into a database and the name of a campaign, if given.

    A directory means the database in it.

    >>> split_location("answers.db#pilot"), split_location("answers.db")
    (('answers.db', 'pilot'), ('answers.db', None))
    """
    place, name = _split(location)
    within = Path(place) / DATABASE if "://" not in place else Path(place)
    return (str(within) if within.is_file() else place), name


def _split(location: str) -> tuple[str, str | None]:
    if "://" in location:
        place, _, name = location.partition(_OF)
        return place, name or None
    if _OF not in location or Path(location).is_file():
        return location, None
    # Folders, files and campaigns may have such a sign in their names.
    parts = location.split(_OF)
    for size in range(1, len(parts)):
        if Path(_OF.join(parts[:size])).is_file():
            return _OF.join(parts[:size]), _OF.join(parts[size:]) or None
    folder, slash, file = location.rpartition("/")
    if not Path(folder or slash or ".").is_dir():
        folder, slash, file = "", "", location
    place, _, name = file.partition(_OF)
    return f"{folder}{slash}{place}", name or None


def labels_of_answers(locations: Iterable[str]) -> dict[str, str | None]:
    """Labels of answer files for results, databases included; None for those on a server."""
    files = {
        location: split_location(location)[0] if is_database(location) else location
        for location in locations
    }
    labels = file_labels(file for file in files.values() if "://" not in file)
    return {location: labels.get(file) for location, file in files.items()}


def database_name(location: str) -> str:
    """The database's name in messages, without passwords.

    >>> database_name("answers.db#pilot"), database_name("postgresql://me:secret@host/db")
    ('answers.db#pilot', 'postgresql://…')
    """
    return f"{location.partition(':')[0]}://…" if "://" in location else shown(location)


Given = ParamSpec("Given")
Made = TypeVar("Made")


@contextmanager
def damage_errors(name: str) -> Iterator[None]:
    """Report contents that weigh did not write as a damaged database."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise InputError(
            f"{name}: the database was changed by another program, or is damaged; restore a backup"
        ) from None


class CollectedAnswer(NamedTuple):
    """One judge's last answer to an item of a campaign.

    `about` has facts that the judge did not see, `answers` the answers by question. `seconds` is
    the time taken, including answers that this one corrects, if all of it is known; `slot` and
    `batch` identify the work.
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

    @property
    def parts(self) -> Iterator[CollectedAnswer]:
        """The answer to every text of the page; they share its time equally."""
        parts = self.about.get("parts")
        if parts is None:
            yield self
            return
        common = {name: value for name, value in self.about.items() if name != "parts"}
        seconds = None if self.seconds is None else self.seconds / len(parts)
        for part in parts:
            suffix = part["suffix"]
            names = {f"{name}{suffix}": name for name in ("score", "spans")}
            yield self._replace(
                about={**common, **part},
                answers={
                    names[name]: answer for name, answer in self.answers.items() if name in names
                },
                seconds=seconds,
            )


class CollectedCampaign(NamedTuple):
    """A campaign of a database: its settings, and the answers that count.

    Errors name it by `place`, remarks in results by `label`. `set_aside` counts the answers, by
    kind, of judges whose work was set aside.
    """

    name: str
    place: str
    label: str
    settings: Mapping[str, Any]
    answers: list[CollectedAnswer]
    set_aside: Mapping[str, int]

    @property
    def left_out(self) -> int:
        """The number of answers set aside."""
        return sum(self.set_aside.values())

    def of_kind(self, *kinds: str) -> list[CollectedAnswer]:
        """The answers to items of some kinds."""
        return [answer for answer in self.answers if answer.kind in kinds]

    def require(self, kinds: Sequence[str]) -> list[CollectedAnswer]:
        """The answers to items of some kinds; raises an error if there are none."""
        answers = self.of_kind(*kinds)
        if answers:
            return answers
        void = sum(self.set_aside.get(kind, 0) for kind in kinds)
        counts = Counter(answer.kind for answer in self.answers)
        if void:
            why = f"all {void:,} are from judges whose work was set aside; reinstate one of them"
        elif counts:
            had = " and ".join(f"{count:,} of {kind}" for kind, count in counts.items())
            why = f"there are {had}; use those, or name another campaign"
        else:
            why = "nobody has answered yet; collect some with weigh serve"
        collected_kinds = [
            kind for kind in kinds if kind in self.settings.get("kinds", kinds)
        ] or kinds
        raise InputError(f"{self.place}: no answers of {' or '.join(collected_kinds)}: {why}")

    def omissions(self, kinds: Sequence[str]) -> tuple[Omission, ...]:
        """The omissions from the answers to items of some kinds."""
        void = sum(self.set_aside.get(kind, 0) for kind in kinds)
        why = f"{self.label}: from judges whose work was set aside"
        return (Omission(why, void),) if void else ()


def reports_damage(
    function: Callable[Concatenate[CollectedCampaign, Given], Made],
) -> Callable[Concatenate[CollectedCampaign, Given], Made]:
    """Decorate a function of a campaign's answers to report a damaged database."""

    @wraps(function)
    def guarded(
        campaign: CollectedCampaign, /, *arguments: Given.args, **options: Given.kwargs
    ) -> Made:
        with damage_errors(campaign.place):
            return function(campaign, *arguments, **options)

    return guarded


def open_database(place: str, *, pooled: bool = False, patience: float | None = None) -> Database:
    """The database in a file or at a URL."""
    try:
        from weigh.read.database import Contents, Database
    except ImportError as error:
        if error.name != "sqlalchemy":
            raise
        raise MissingExtraError(
            f"{database_name(place)}: a database of answers needs SQLAlchemy 2; install it with "
            "pip install 'weigh[labels]'"
        ) from None
    contents = Contents("answer", "web", lock=_LOCK)
    return Database(place, contents, pooled=pooled, patience=patience)


def table_names(connection: Connection) -> list[str]:
    """The names of all tables of a database."""
    from sqlalchemy import inspect

    return inspect(connection).get_table_names()


def tables_at(location: str) -> list[str]:
    """The names of all tables of a database; none if it is not a database."""
    if not is_database(location):
        return []
    database = open_database(split_location(location)[0])
    if not database.is_there:  # SQLite would make it
        return []
    with database.reading() as connection:
        return table_names(connection)


def is_campaign(location: str) -> bool:
    """Whether there is a database of campaigns at a file or a URL."""
    return SCHEMA in tables_at(location)


def kinds_at(location: str) -> list[str]:
    """The kinds of tasks in the campaigns of a database."""
    database = open_database(split_location(location)[0])
    from sqlalchemy import text

    with damage_errors(database.name), database.reading() as connection:
        rows = connection.execute(text("SELECT settings FROM campaigns ORDER BY id"))
        return [kind for (settings,) in rows for kind in kinds_of(json.loads(settings))]


def kinds_of(settings: Mapping[str, Any]) -> list[str]:
    """The kinds of tasks in the settings of a campaign."""
    kinds = settings.get("kinds", [])
    if not isinstance(kinds, list) or not all(isinstance(kind, str) for kind in kinds):
        raise TypeError("no list of names")
    return kinds


def check_version(version: int | None, name: str) -> None:
    """Reject tables that this version of weigh does not know."""
    if version is None:
        raise InputError(f"{name}: this database contains no campaigns; check the name")
    if version > VERSION:
        raise InputError(
            f"{name}: created by a newer version of weigh (schema {version}; this version "
            f"supports {VERSION}); update weigh"
        )
    if version < VERSION:
        raise InputError(
            f"{name}: created by an older version of weigh (schema {version}, now {VERSION}); "
            "weigh serve or weigh campaign list updates it"
        )


class _OpenCampaign(NamedTuple):
    """A campaign that is being read."""

    connection: Connection
    number: int
    name: str
    place: str
    label: str
    settings: Mapping[str, Any]

    def with_answers(self, answers: list[CollectedAnswer]) -> CollectedCampaign:
        """The campaign with these answers."""
        aside = _set_aside(self.connection, self.number)
        return CollectedCampaign(self.name, self.place, self.label, self.settings, answers, aside)


@contextmanager
def _open_campaign(
    location: str, kinds: Sequence[str], label: str | None = None
) -> Iterator[_OpenCampaign]:
    """Open the selected campaign, in a transaction with a consistent view of it."""
    place, wanted = split_location(location)
    database = open_database(place)
    if not database.is_there:  # SQLite would make it
        raise InputError(f"{database.name}: no such file; check the path")
    from sqlalchemy import text

    with damage_errors(database.name), database.reading() as connection:
        if SCHEMA not in table_names(connection):
            check_version(None, database.name)
        version = connection.execute(text("SELECT MAX(version) FROM campaign_schema")).scalar()
        check_version(version, database.name)
        rows = connection.execute(text("SELECT id, name, settings FROM campaigns ORDER BY id"))
        campaigns = {name: (number, json.loads(settings)) for number, name, settings in rows}
        name = _select_campaign(campaigns, wanted, kinds, database.name)
        number, settings = campaigns[name]
        kinds_of(settings)
        which = f"{_OF}{shown(name)}" if len(campaigns) > 1 else ""
        label = file_label(database.name) if label is None else label
        names = f"{database.name}{which}", f"{label}{which}"
        yield _OpenCampaign(connection, number, name, *names, settings)


def read_campaign(
    location: str, kinds: Sequence[str] = (), label: str | None = None
) -> CollectedCampaign:
    """The answers of a campaign: the last one to each item of each slot.

    Training, controls with known answers, and judges whose work was set aside are left out; the
    latter are counted. If the database has several campaigns, `#NAME` after the location selects
    one, unless only one has tasks of the requested `kinds`. Results call the database `label`, by
    default its base name.
    """
    with _open_campaign(location, kinds, label) as opened:
        items = _items(opened.connection, opened.number)
        answers = [*_answers(opened.connection, opened.number, items)]
        return opened.with_answers(answers)


def read_omissions(location: str, kinds: Sequence[str]) -> tuple[Omission, ...]:
    """The omissions of `read_campaign` for some kinds of tasks."""
    with _open_campaign(location, kinds) as opened:
        return opened.with_answers([]).omissions(kinds)


_Known = Mapping[str, tuple[int, Mapping[str, Any]]]
"""The number and the settings of campaigns, by name."""


def _select_campaign(
    campaigns: _Known, wanted: str | None, kinds: Sequence[str], place: str
) -> str:
    """Select a campaign by name, or the only one."""
    if not campaigns:
        raise InputError(f"{place}: no campaigns; create one with weigh serve")
    if wanted is None:
        fitting = [name for name in campaigns if {*kinds_of(campaigns[name][1])} & {*kinds}]
        meant = fitting if fitting else [*campaigns]
        if len(meant) > 1:
            raise InputError(
                f"{place}: {len(meant)} campaigns ({', '.join(map(shown, meant))}); choose one, "
                f"as in {place}{_OF}{shown(meant[0])}"
            )
        return meant[0]
    if wanted not in campaigns:
        raise InputError(
            f"{place}: no campaign {quoted(wanted)}; {did_you_mean(wanted, [*campaigns])}"
        )
    return wanted


class _Item(NamedTuple):
    """An item that counts: its kind, its batch, and facts about it that judges did not see."""

    kind: str
    about: Mapping[str, Any]
    batch: str


def _items(connection: Connection, campaign: int) -> dict[int, _Item]:
    """The items of a campaign's work; those of a batch are the same for all its slots."""
    from sqlalchemy import text

    rows = connection.execute(
        text(
            "SELECT i.id, b.kind, i.about, b.name FROM campaign_items i "
            "JOIN campaign_batches b ON b.id = i.batch "
            "WHERE b.campaign = :campaign AND b.role = 'work'"
        ),
        {"campaign": campaign},
    )
    return {number: _Item(kind, json.loads(about), batch) for number, kind, about, batch in rows}


def _answers(
    connection: Connection, campaign: int, items: Mapping[int, _Item]
) -> Iterator[CollectedAnswer]:
    from sqlalchemy import text

    latest: dict[tuple[int, int], list[Any]] = {}
    rows = connection.execute(
        text(
            "SELECT a.slot, a.item, a.judge, a.revision, a.answer, a.seconds, a.at, j.name "
            "FROM campaign_answers a "
            "JOIN campaign_judges j ON j.id = a.judge "
            "WHERE j.campaign = :campaign AND j.state NOT IN ('void', 'erased') "
            "ORDER BY a.id"
        ),
        {"campaign": campaign},
    )
    for row in rows:
        if row.item in items:
            latest.setdefault((row.slot, row.item), []).append(row)
    for revisions in latest.values():
        last = max(revisions, key=lambda row: row.revision)
        times = [row.seconds for row in revisions if row.judge == last.judge]
        item = items[last.item]
        yield CollectedAnswer(
            item.kind,
            item.about,
            json.loads(last.answer),
            last.name,
            last.at,
            None if None in times else fsum(times),
            last.slot,
            item.batch,
            last.revision,
        )


def _set_aside(connection: Connection, campaign: int) -> dict[str, int]:
    """Numbers of answers, by kind, that do not count because their judge was set aside."""
    from sqlalchemy import text

    rows = connection.execute(
        text(
            "SELECT b.kind, COUNT(*) FROM campaign_answers a "
            "JOIN campaign_judges j ON j.id = a.judge "
            "JOIN campaign_slots s ON s.id = a.slot JOIN campaign_batches b ON b.id = s.batch "
            "WHERE j.campaign = :campaign AND j.state = 'void' AND b.role = 'work' "
            "AND NOT EXISTS (SELECT 1 FROM campaign_answers o WHERE o.slot = a.slot "
            "AND o.item = a.item AND o.judge = a.judge AND o.revision < a.revision) "
            "GROUP BY b.kind ORDER BY b.kind"
        ),
        {"campaign": campaign},
    )
    return {kind: int(count) for kind, count in rows}
