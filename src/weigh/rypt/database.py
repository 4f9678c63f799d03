"""The database of a label store: its tables, to which rows are only added, and connecting to it.

Texts are known by a digest of their own: so two stores that hold the same texts hold the same
keys, and no index has to hold a whole sentence, which PostgreSQL would refuse.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path

import sqlalchemy
from sqlalchemy import (
    CheckConstraint,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    event,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from sqlalchemy.pool import NullPool

from weigh.errors import InputError, MissingExtraError, WeighError
from weigh.read.text import shown
from weigh.rypt.labels import LONGEST_NAME, Entry, Label

VERSION = 1
"""The version of these tables; a store with a later one is left alone."""

_DIGEST = String(32)
_NAME = String(LONGEST_NAME)
_TIME = String(27)

metadata = MetaData()

schema = Table(
    "rypt_schema",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
)
sources = Table(
    "rypt_sources",
    metadata,
    Column("id", _DIGEST, primary_key=True),
    Column("text", Text, nullable=False),
    sqlite_with_rowid=False,
)
spans = Table(
    "rypt_spans",
    metadata,
    Column("source", _DIGEST, ForeignKey(sources.c.id)),
    Column("first_word", Integer),
    Column("end_word", Integer, nullable=False),
    PrimaryKeyConstraint("source", "first_word", "end_word"),
    CheckConstraint("0 <= first_word AND first_word < end_word"),
    sqlite_with_rowid=False,
)
substrings = Table(
    "rypt_substrings",
    metadata,
    Column("id", _DIGEST, primary_key=True),
    Column("source", _DIGEST, nullable=False, index=True),
    Column("first_word", Integer, nullable=False),
    Column("end_word", Integer, nullable=False),
    Column("text", Text, nullable=False),
    ForeignKeyConstraint(
        ["source", "first_word", "end_word"],
        [spans.c.source, spans.c.first_word, spans.c.end_word],
    ),
    sqlite_with_rowid=False,
)
judgments = Table(
    "rypt_judgments",
    metadata,
    Column("substring", _DIGEST, ForeignKey(substrings.c.id)),
    Column("judge", _NAME),
    Column("at", _TIME),
    Column("label", String(8), nullable=False),
    Column("seconds", Float(53)),
    Column("origin", _NAME, nullable=False),
    Column("corrects", _TIME, nullable=False),
    PrimaryKeyConstraint("substring", "judge", "at"),
    CheckConstraint(f"label IN ({', '.join(repr(str(label)) for label in Label)})"),
    sqlite_with_rowid=False,
)


def digest(*parts: object) -> str:
    """Return what texts and numbers are known by; none of them holds a NUL."""
    return blake2b("\0".join(map(str, parts)).encode(), digest_size=16).hexdigest()


def entry_digest(entry: Entry) -> str:
    """Return what an entry is known by."""
    return digest(*entry)


PATIENCE = 20
"""For how many seconds a writer waits for another."""

_WRITING = "weigh_writing"
# Any number will do, as long as all writers of labels take the same.
_ADVISORY_LOCK = 0x52595054
_LOCK_STATES = ("55P03", "40P01")  # lock not available, deadlock


class Database:
    """Where labels are kept; every transaction has a connection of its own."""

    def __init__(self, location: str) -> None:
        self._url = _url_of(location)
        self.is_sqlite = self._url.get_backend_name() == "sqlite"
        self.name = (
            shown(self._url.database or "")
            if self.is_sqlite
            else shown(f"postgresql://{self._url.host or ''}/{self._url.database or ''}")
        )
        self._engine = self._made()

    @property
    def is_there(self) -> bool:
        """Whether there is a file, if it is one."""
        return not self.is_sqlite or Path(self._url.database or "").exists()

    def _made(self) -> Engine:
        if self.is_sqlite:
            engine = sqlalchemy.create_engine(
                self._url, poolclass=NullPool, connect_args={"timeout": PATIENCE}
            )
            event.listen(engine, "connect", _prepare)
            event.listen(engine, "begin", _begin)
            return engine
        try:
            return sqlalchemy.create_engine(self._url, poolclass=NullPool)
        except ImportError:
            raise MissingExtraError(
                f"{self.name}: PostgreSQL needs psycopg; install it with "
                "pip install 'weigh[labels,postgres]'"
            ) from None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that sees one state of the database from beginning to end."""
        with self._explained(), self._engine.connect() as connection:
            if not self.is_sqlite:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that no other writer's overlaps; what is in it is kept or undone."""
        with self._explained(), self._engine.connect() as connection:
            connection = connection.execution_options(**{_WRITING: True})
            with connection.begin():
                if not self.is_sqlite:
                    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{PATIENCE}s'")
                    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
                yield connection

    def write_ahead(self) -> None:
        """Let readers go on while somebody writes; whoever is in the way now may stay there."""
        if self.is_sqlite:
            with self._explained(), self._engine.connect() as connection:
                cursor = connection.connection.cursor()
                with suppress(sqlite3.OperationalError):
                    cursor.execute("PRAGMA journal_mode = WAL")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise self._explanation(error) from error

    def _explanation(self, error: DBAPIError) -> WeighError:
        reason = re.sub(r"\s+", " ", str(error.orig)).strip(" .")
        locked = getattr(error.orig, "sqlstate", None) in _LOCK_STATES
        if locked or getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in (
            sqlite3.SQLITE_BUSY,
            sqlite3.SQLITE_LOCKED,
        ):
            return WeighError(
                f"{self.name}: locked by another program for {PATIENCE} s; "
                "try again when it is done"
            )
        if not self.is_sqlite:
            remedy = (
                "check the URL and whether the server runs"
                if isinstance(error, OperationalError)
                else "check what this user may do there"
            )
            return InputError(f"{self.name}: PostgreSQL refuses ({reason}); {remedy}")
        remedy = {
            sqlite3.SQLITE_NOTADB: "give a SQLite file, a postgresql:// URL, .jsonl or .tsv",
            sqlite3.SQLITE_CORRUPT: "take a copy that is not broken",
            sqlite3.SQLITE_FULL: "make room for it",
        }.get(
            getattr(error.orig, "sqlite_errorcode", 0) & 0xFF,
            "check that its directory is there and can be written",
        )
        return InputError(f"{self.name}: {reason}; {remedy}")


def _url_of(location: str) -> sqlalchemy.URL:
    if "://" not in location:
        if not location or "\0" in location:
            raise InputError(f"{shown(location)}: not a path; check it")
        return _kept(sqlalchemy.URL.create("sqlite", database=location))
    try:
        url = sqlalchemy.make_url(location)
    except (ArgumentError, ValueError):  # whose own message would show the password
        raise InputError(
            "the URL of the label store cannot be read; write it as postgresql://USER@HOST/DATABASE"
        ) from None
    driver = {
        "sqlite": "sqlite",
        "postgres": "postgresql+psycopg",
        "postgresql": "postgresql+psycopg",
        "postgresql+psycopg": "postgresql+psycopg",
    }.get(url.drivername)
    if driver is None:
        raise InputError(
            f"{shown(url.drivername)}://…: labels are kept in SQLite or PostgreSQL; "
            "give a file, or write postgresql://USER@HOST/DATABASE"
        )
    return _kept(url.set(drivername=driver))


def _kept(url: sqlalchemy.URL) -> sqlalchemy.URL:
    """Return a URL unless what it names would be lost at once."""
    if url.drivername == "sqlite" and url.database in (None, "", ":memory:"):
        raise InputError("a store in memory would be lost at once; name a file")
    return url


def _prepare(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # so that transactions begin where we say, and as we say
    connection.execute("PRAGMA foreign_keys = ON")


def _begin(connection: Connection) -> None:
    writing = connection.get_execution_options().get(_WRITING)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
