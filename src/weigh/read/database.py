"""Databases in SQLite or PostgreSQL: transactions with errors in plain words.

This module needs SQLAlchemy 2, so it is imported only where a database is opened.
"""

from __future__ import annotations

import logging
import os
import re
import select
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock
from typing import Any, TypeVar
from weakref import finalize

import sqlalchemy
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import NullPool, QueuePool

from weigh.errors import InputError, MissingExtraError, WeighError
from weigh.read.text import shown

# What SQLAlchemy would print, such as a Ctrl-C while a connection is closed, is raised as well.
logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())

T = TypeVar("T")
PATIENCE = 20
"""The default time that a writer waits for another, in seconds."""

_WRITING = "weigh_writing"
_LOOSE = "weigh_loose"
_IDLE = 30.0  # seconds without use, after which somebody between us may have cut a connection
_LOCK_STATES = ("55P03", "40P01")  # lock not available, deadlock
_CONNECTIONS = 16  # as many as are kept open, and no more are opened beside them


@dataclass(frozen=True, slots=True)
class Contents:
    """What a database holds, as messages name it, and the lock of its writers."""

    what: str
    """The noun for one stored thing, such as `label`."""

    extra: str
    """The extra of `weigh[...]` that installs its dependencies."""

    lock: int
    """Any number, as long as all writers of such things use the same one."""

    files: tuple[str, ...] = ()
    """File endings to suggest instead."""


class _Request:
    """Work to do in a transaction, and its outcome."""

    def __init__(self, work: Callable[[Connection], Any]) -> None:
        self.work = work
        self.done = Event()
        self.outcome: Any = None
        self.error: Exception | None = None


class Database:
    """A SQLite file, or a database on a PostgreSQL server.

    Every transaction has its own connection; if `pooled`, connections stay open for later
    transactions of any thread, until `close`. `patience` is the number of seconds that a
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
        self._engine = self._new_engine(pooled)
        # Whoever forgets to close it loses nothing, and leaves nothing open.
        finalize(self, self._engine.dispose)
        # Who finds a file locked sleeps and looks again, so that some writers of many would wait
        # for seconds; threads that share connections wait for each other instead.
        self._turn = Lock() if pooled and self.is_sqlite else None
        self._file = Path(self._url.database or "") if pooled and self.is_sqlite else None
        self._known_file: tuple[int, int] | None = None
        self._written_at: float | None = None
        self._asking, self._leading = Lock(), Lock()
        self._requests: list[_Request] = []

    @property
    def is_there(self) -> bool:
        """Whether the database exists; a server always does."""
        return not self.is_sqlite or Path(self._url.database or "").exists()

    def create(self) -> None:
        """Create the file if it does not exist; only its owner may read it.

        SQLite gives the files beside it the same permissions.
        """
        if not self.is_there and "uri" not in self._url.query:
            with suppress(OSError):  # which SQLite explains when it opens the file
                os.close(os.open(self._url.database or "", os.O_CREAT | os.O_WRONLY, 0o600))

    def close(self) -> None:
        """Close idle connections; new ones are opened when needed."""
        if self._written_at is not None and self.is_there:
            with suppress(WeighError):  # SQLite reads the log when the file is opened again
                self.checkpoint()
        self._engine.dispose()

    def _new_engine(self, pooled: bool) -> Engine:
        # Errors would tell the values of rows, which are nobody's business.
        options: dict[str, Any] = {"poolclass": NullPool, "hide_parameters": True}
        if pooled:
            options |= {
                "poolclass": QueuePool,
                "pool_size": _CONNECTIONS,
                "max_overflow": 0,
                "pool_timeout": self._patience,
            }
        if self.is_sqlite:
            arguments = {"timeout": self._patience, "check_same_thread": not pooled}
            engine = sqlalchemy.create_engine(self._url, connect_args=arguments, **options)
            event.listen(engine, "connect", _prepare)
            event.listen(engine, "begin", _begin)
            return engine
        try:
            engine = sqlalchemy.create_engine(self._url, **options)
        except ImportError:
            raise MissingExtraError(
                f"{self.name}: PostgreSQL needs psycopg; install it with "
                f"pip install 'weigh[{self._contents.extra},postgres]'"
            ) from None
        event.listen(engine, "checkin", _note_use)
        event.listen(engine, "checkout", _check_alive)
        return engine

    @contextmanager
    def reading(self, *, snapshot: bool = True) -> Iterator[Connection]:
        """Open a transaction with a consistent view of the database.

        Without `snapshot`, every query sees the current state, which is faster.
        """
        with self._explain_errors(), self._engine.connect() as connection:
            if not self.is_sqlite:
                level: Any = "REPEATABLE READ" if snapshot else "AUTOCOMMIT"
                connection = connection.execution_options(isolation_level=level)
            elif not snapshot:
                connection = connection.execution_options(**{_LOOSE: True})
            with connection.begin():
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that excludes other writers; an error rolls it back."""
        self._check_file()
        with self._in_turn(), self._explain_errors(), self._engine.connect() as connection:
            connection = connection.execution_options(**{_WRITING: True})
            with connection.begin():
                if not self.is_sqlite:
                    lock = self._contents.lock
                    connection.exec_driver_sql(
                        f"SET LOCAL lock_timeout = '{self._patience}s'; "
                        f"SELECT pg_advisory_xact_lock({lock})"
                    )
                yield connection
            if self._file is not None:
                self._written_at = time.monotonic()

    def _check_file(self) -> None:
        """Reject writing to a file that was removed while connections to it are open."""
        if self._file is None:
            return
        identity = _identity(self._file)
        if self._known_file is None:
            self._known_file = identity
        elif identity != self._known_file:
            raise WeighError(
                f"{self.name}: was removed or replaced while it was open; restore it, or restart"
            )

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        if self._turn is None:
            yield
            return
        if not self._turn.acquire(timeout=self._patience):
            raise self._busy()
        try:
            yield
        finally:
            self._turn.release()

    def write_together(self, work: Callable[[Connection], T]) -> T:
        """Do some work in a transaction shared by several writers; return its committed result.

        A commit takes as long as the disk needs, however little was written. So the requests of
        other threads meanwhile are collected and committed together in the next transaction.
        """
        request = _Request(work)
        with self._asking:
            self._requests.append(request)
        if self._leading.acquire(timeout=self._patience):
            try:
                if not request.done.is_set():  # by who led before
                    with self._asking:
                        requests, self._requests = self._requests, []
                    self._write_all(requests)
            finally:
                self._leading.release()
        else:
            with self._asking:
                is_waiting = request in self._requests
                if is_waiting:
                    self._requests.remove(request)
            if is_waiting:
                raise self._busy()
            request.done.wait()  # somebody is at it
        if request.error is not None:
            raise request.error
        outcome: T = request.outcome
        return outcome

    def _write_all(self, requests: Sequence[_Request]) -> None:
        try:
            with self.writing() as connection:
                outcomes = [request.work(connection) for request in requests]
            for request, outcome in zip(requests, outcomes, strict=True):
                request.outcome = outcome
        except Exception as error:
            is_wrong = isinstance(error, InputError) or not isinstance(error, WeighError)
            if is_wrong and len(requests) > 1:  # something is, of one of them
                for request in requests:
                    self._write_all([request])
            else:
                for request in requests:
                    request.error = error
        finally:
            for request in requests:
                request.done.set()

    def _busy(self) -> WeighError:
        return WeighError(
            f"{self.name}: other writers held the lock for {self._patience:g} s; try again later"
        )

    def write_ahead(self) -> None:
        """Use write-ahead logging, so that reading continues while somebody writes."""
        if self.is_sqlite:
            with self._explain_errors(), self._engine.connect() as connection:
                cursor = connection.connection.cursor()
                with suppress(sqlite3.OperationalError):
                    cursor.execute("PRAGMA journal_mode = WAL")

    @property
    def seconds_since_write(self) -> float | None:
        """Seconds since the last write that may be only in the write-ahead log."""
        return None if self._written_at is None else time.monotonic() - self._written_at

    def checkpoint(self, *, wait: bool = True) -> None:
        """Move the write-ahead log's content to the file itself.

        Without `wait`, it does not block others: what they are reading stays in the log.
        """
        if not self.is_sqlite:
            return
        written_at = self._written_at
        mode = "TRUNCATE" if wait else "PASSIVE"
        turn = self._in_turn() if wait else nullcontext()
        with turn, self._explain_errors(), self._engine.connect() as connection:
            row = (
                connection.connection.cursor().execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
            )
            is_busy, pages, done = row
            if not is_busy and pages == done and self._written_at == written_at:
                self._written_at = None

    def back_up(self, place: Path) -> None:
        """Write a copy of a SQLite database to a new file, while others may write to it."""
        until = time.monotonic() + self._patience

        def check(status: int, _remaining: int, _total: int) -> None:
            locked = status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if locked and time.monotonic() > until:
                raise self._busy()

        os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with (
            self._explain_errors(),
            self._engine.connect() as connection,
            closing(sqlite3.connect(place)) as copy,
        ):
            try:
                # In one step, so that it is a copy of one state.
                connection.connection.driver_connection.backup(copy, progress=check)  # type: ignore[union-attr]
                (verdict,) = copy.execute("PRAGMA quick_check(1)").fetchone()
            except sqlite3.Error as error:
                raise WeighError(f"{self.name}: cannot be copied: {error}") from error
            if verdict != "ok":
                raise InputError(f"{self.name}: is damaged; restore an earlier backup")

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:  # of SQLAlchemy, or of a cursor of its own
            raise self._explanation(error) from error
        except UnicodeDecodeError:  # in what SQLite says of a table, or in its name
            raise InputError(f"{self.name}: text in it is not UTF-8; restore a backup") from None
        except PoolTimeoutError as error:
            raise WeighError(
                f"{self.name}: all {_CONNECTIONS} connections were in use for "
                f"{self._patience:g} s; try again later"
            ) from error

    def _explanation(self, error: DBAPIError | sqlite3.Error) -> WeighError:
        original = error.orig if isinstance(error, DBAPIError) else error
        reason = re.sub(r"\s+", " ", str(original)).strip(" .")
        locked = getattr(original, "sqlstate", None) in _LOCK_STATES
        if locked or getattr(original, "sqlite_errorcode", 0) & 0xFF in (
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
                else "check this user's permissions"
            )
            return InputError(f"{self.name}: PostgreSQL refuses ({reason}); {remedy}")
        *others, last = ("a SQLite file", "a postgresql:// URL", *self._contents.files)
        remedy = {
            sqlite3.SQLITE_NOTADB: f"give {', '.join(others)} or {last}",
            sqlite3.SQLITE_CORRUPT: "restore a backup",
            sqlite3.SQLITE_FULL: "free some disk space",
        }.get(
            getattr(original, "sqlite_errorcode", 0) & 0xFF,
            "check that its directory exists and is writable",
        )
        return InputError(f"{self.name}: {reason}; {remedy}")


def _identity(path: Path) -> tuple[int, int] | None:
    """Data that distinguish a file from another of the same name; None if there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _url_of(location: str, what: str) -> sqlalchemy.URL:
    if "://" not in location:
        if not location or "\0" in location:
            raise InputError(f"{shown(location)}: not a valid path; check it")
        return _on_disk(sqlalchemy.URL.create("sqlite", database=location))
    try:
        url = sqlalchemy.make_url(location)
    except (ArgumentError, ValueError):  # whose own message would show the password
        raise InputError(
            f"the URL of the {what} store is not valid; write it as postgresql://USER@HOST/DATABASE"
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
    return _on_disk(url.set(drivername=driver))


def _on_disk(url: sqlalchemy.URL) -> sqlalchemy.URL:
    """The URL, unless it names a database in memory."""
    if url.drivername == "sqlite" and url.database in (None, "", ":memory:"):
        raise InputError("an in-memory store would be lost at once; name a file")
    return url


def _prepare(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # so that transactions begin where we say, and as we say
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")  # what is kept outlives a loss of power
    connection.execute("PRAGMA secure_delete = ON")  # what is erased is overwritten


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if not options.get(_LOOSE):
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(_WRITING) else "BEGIN")


def _note_use(_connection: object, record: Any) -> None:
    record.info["used"] = time.monotonic()


def _check_alive(connection: Any, record: Any, _proxy: object) -> None:
    """Replace an idle connection that the server has closed.

    Unread data on an idle connection mean that the server has closed it. Otherwise no query is
    needed, unless the connection was idle for long.
    """
    used = record.info.get("used")
    if used is None:
        return
    ready = select.poll()
    ready.register(connection.fileno(), select.POLLIN)
    if ready.poll(0) or time.monotonic() - used > _IDLE:
        try:
            connection.execute("SELECT 1")
            connection.rollback()
        except Exception as error:
            raise DisconnectionError from error
