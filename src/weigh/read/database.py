"""A database in SQLite or PostgreSQL: transactions that explain what goes wrong in them.

What imports this module needs SQLAlchemy 2, so it is imported where a database is opened.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import sqlalchemy
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import NullPool, QueuePool

from weigh.errors import InputError, MissingExtraError, WeighError
from weigh.read.text import shown

PATIENCE = 20
"""For how many seconds a writer waits for another, where nobody says for how many."""

_WRITING = "weigh_writing"
_LOCK_STATES = ("55P03", "40P01")  # lock not available, deadlock
_CONNECTIONS = 16  # as many as are kept open, and no more are opened beside them


@dataclass(frozen=True, slots=True)
class Contents:
    """What a database is to hold, as its messages name it, and what its writers lock."""

    what: str
    """One of the things that it keeps: `label`, say."""

    extra: str
    """What `weigh[...]` installs for it."""

    lock: int
    """Any number will do, as long as all writers of such things take the same."""

    files: tuple[str, ...] = ()
    """The endings of files that could be given instead."""


class Database:
    """Where things are kept.

    Every transaction has a connection of its own; `pooled` keeps connections open for the
    transactions after it, of any thread, until `close`. `patience` is for how many seconds a
    transaction waits for others.
    """

    def __init__(
        self,
        location: str,
        contents: Contents,
        *,
        pooled: bool = False,
        patience: float | None = None,
    ) -> None:
        self._contents = contents
        self._patience = PATIENCE if patience is None else patience
        self._url = _url_of(location, contents.what)
        self.is_sqlite = self._url.get_backend_name() == "sqlite"
        self.name = (
            shown(self._url.database or "")
            if self.is_sqlite
            else shown(f"postgresql://{self._url.host or ''}/{self._url.database or ''}")
        )
        self._engine = self._made(pooled)
        # Who finds a file locked sleeps and looks again, so that some writers of many would wait
        # for seconds; threads that share connections wait for each other instead.
        self._turn = Lock() if pooled and self.is_sqlite else None

    @property
    def is_there(self) -> bool:
        """Whether there is a file, if it is one."""
        return not self.is_sqlite or Path(self._url.database or "").exists()

    def close(self) -> None:
        """Close the connections that are kept and not in use; more are opened when needed."""
        self._engine.dispose()

    def _made(self, pooled: bool) -> Engine:
        # Errors would tell the values of rows, which are nobody's business.
        options: dict[str, Any] = {"poolclass": NullPool, "hide_parameters": True}
        if pooled:
            options |= {
                "poolclass": QueuePool,
                "pool_size": _CONNECTIONS,
                "max_overflow": 0,
                "pool_timeout": self._patience,
                # A server may have ended connections while they were not in use.
                "pool_pre_ping": not self.is_sqlite,
            }
        if self.is_sqlite:
            arguments = {"timeout": self._patience, "check_same_thread": not pooled}
            engine = sqlalchemy.create_engine(self._url, connect_args=arguments, **options)
            event.listen(engine, "connect", _prepare)
            event.listen(engine, "begin", _begin)
            return engine
        try:
            return sqlalchemy.create_engine(self._url, **options)
        except ImportError:
            raise MissingExtraError(
                f"{self.name}: PostgreSQL needs psycopg; install it with "
                f"pip install 'weigh[{self._contents.extra},postgres]'"
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
        with self._in_turn(), self._explained(), self._engine.connect() as connection:
            connection = connection.execution_options(**{_WRITING: True})
            with connection.begin():
                if not self.is_sqlite:
                    lock = self._contents.lock
                    connection.exec_driver_sql(
                        f"SET LOCAL lock_timeout = '{self._patience}s'; "
                        f"SELECT pg_advisory_xact_lock({lock})"
                    )
                yield connection

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        if self._turn is None:
            yield
            return
        if not self._turn.acquire(timeout=self._patience):
            raise WeighError(
                f"{self.name}: others wrote for {self._patience:g} s; try again when there is less "
                "to do"
            )
        try:
            yield
        finally:
            self._turn.release()

    def write_ahead(self) -> None:
        """Let readers go on while somebody writes; whoever is in the way now may stay there."""
        if self.is_sqlite:
            with self._explained(), self._engine.connect() as connection:
                cursor = connection.connection.cursor()
                with suppress(sqlite3.OperationalError):
                    cursor.execute("PRAGMA journal_mode = WAL")

    def forget(self) -> None:
        """Leave nothing of what was erased in the files."""
        if self.is_sqlite:
            with self._in_turn(), self._explained(), self._engine.connect() as connection:
                connection.connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise self._explanation(error) from error
        except PoolTimeoutError as error:
            raise WeighError(
                f"{self.name}: all {_CONNECTIONS} connections were in use for "
                f"{self._patience:g} s; try again when there is less to do"
            ) from error

    def _explanation(self, error: DBAPIError) -> WeighError:
        reason = re.sub(r"\s+", " ", str(error.orig)).strip(" .")
        locked = getattr(error.orig, "sqlstate", None) in _LOCK_STATES
        if locked or getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in (
            sqlite3.SQLITE_BUSY,
            sqlite3.SQLITE_LOCKED,
        ):
            return WeighError(
                f"{self.name}: locked by another program for {self._patience:g} s; "
                "try again when it is done"
            )
        if not self.is_sqlite:
            remedy = (
                "check the URL and whether the server runs"
                if isinstance(error, OperationalError)
                else "check what this user may do there"
            )
            return InputError(f"{self.name}: PostgreSQL refuses ({reason}); {remedy}")
        *others, last = ("a SQLite file", "a postgresql:// URL", *self._contents.files)
        remedy = {
            sqlite3.SQLITE_NOTADB: f"give {', '.join(others)} or {last}",
            sqlite3.SQLITE_CORRUPT: "take a copy that is not broken",
            sqlite3.SQLITE_FULL: "make room for it",
        }.get(
            getattr(error.orig, "sqlite_errorcode", 0) & 0xFF,
            "check that its directory is there and can be written",
        )
        return InputError(f"{self.name}: {reason}; {remedy}")


def _url_of(location: str, what: str) -> sqlalchemy.URL:
    if "://" not in location:
        if not location or "\0" in location:
            raise InputError(f"{shown(location)}: not a path; check it")
        return _kept(sqlalchemy.URL.create("sqlite", database=location))
    try:
        url = sqlalchemy.make_url(location)
    except (ArgumentError, ValueError):  # whose own message would show the password
        raise InputError(
            f"the URL of the {what} store cannot be read; "
            "write it as postgresql://USER@HOST/DATABASE"
        ) from None
    driver = {
        "sqlite": "sqlite",
        "postgres": "postgresql+psycopg",
        "postgresql": "postgresql+psycopg",
        "postgresql+psycopg": "postgresql+psycopg",
    }.get(url.drivername)
    if driver is None:
        raise InputError(
            f"{shown(url.drivername)}://…: {what}s are kept in SQLite or PostgreSQL; "
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
    connection.execute("PRAGMA synchronous = FULL")  # what is kept outlives a loss of power
    connection.execute("PRAGMA secure_delete = ON")  # what is erased is overwritten


def _begin(connection: Connection) -> None:
    writing = connection.get_execution_options().get(_WRITING)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
