"""Transactions of many threads at once, with connections that are kept and without."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import Connection

from weigh.errors import InputError, MissingExtraError, WeighError
from weigh.read import database
from weigh.read.database import Contents, Database

ANSWERS = Contents("answer", "web", lock=7)

Fresh = Callable[[], str]


@pytest.fixture(params=[False, True], ids=["single", "pooled"])
def tally(request: pytest.FixtureRequest, fresh: Fresh) -> Iterator[Database]:
    """A database with a table of one number, 0."""
    place = Database(fresh(), ANSWERS, pooled=request.param)
    with place.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE tally (number INTEGER NOT NULL)")
        connection.exec_driver_sql("INSERT INTO tally VALUES (0)")
    place.write_ahead()
    yield place
    place.close()


def number(place: Database) -> int:
    with place.reading() as connection:
        found = connection.exec_driver_sql("SELECT number FROM tally").scalar()
        assert isinstance(found, int)
        return found


def add(place: Database) -> None:
    with place.writing() as connection:
        now = connection.exec_driver_sql("SELECT number FROM tally").scalar()
        assert isinstance(now, int)
        connection.exec_driver_sql(f"UPDATE tally SET number = {now + 1}")


def test_writers_of_many_threads_wait_for_each_other(tally: Database) -> None:
    with ThreadPoolExecutor(8) as threads:
        for work in [threads.submit(add, tally) for _ in range(80)]:
            work.result()
    assert number(tally) == 80


def test_what_fails_is_undone_and_the_next_goes_on(tally: Database) -> None:
    def fail(failure: type[Exception]) -> None:
        with tally.writing() as connection:
            connection.exec_driver_sql("UPDATE tally SET number = 5")
            raise failure

    for failure in (KeyError, WeighError):
        with pytest.raises(failure):
            fail(failure)
    assert number(tally) == 0
    add(tally)
    assert number(tally) == 1


def test_a_reader_sees_one_state(tally: Database) -> None:
    with tally.reading() as connection:
        [before] = connection.exec_driver_sql("SELECT number FROM tally").scalars()
        writer = Thread(target=add, args=(tally,))
        writer.start()
        writer.join()
        [after] = connection.exec_driver_sql("SELECT number FROM tally").scalars()
    assert (before, after) == (0, 0)
    assert number(tally) == 1


def test_no_connection_left(fresh: Fresh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.1)
    monkeypatch.setattr(database, "_CONNECTIONS", 1)
    place = Database(fresh(), ANSWERS, pooled=True)
    with place.reading(), pytest.raises(WeighError) as caught, place.reading():
        pass
    assert str(caught.value) == (
        f"{place.name}: all 1 connections were in use for 0.1 s; try again later"
    )
    with place.reading():
        pass
    place.close()


def test_threads_that_share_connections_write_in_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.1)
    place = Database(str(tmp_path / "x.db"), ANSWERS, pooled=True)
    with place.writing(), pytest.raises(WeighError) as caught, place.writing():
        pass
    assert str(caught.value) == (
        f"{place.name}: other writers held the lock for 0.1 s; try again later"
    )
    with place.writing(), place.reading():  # readers need not wait
        pass
    with place.writing():
        pass
    place.close()


def test_a_server_that_ended_a_kept_connection(server: str) -> None:
    place = Database(server, ANSWERS, pooled=True)
    with place.reading() as connection:
        process = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
    with Database(server, ANSWERS).writing() as connection:
        connection.exec_driver_sql(f"SELECT pg_terminate_backend({process}, 5000)")
    with place.reading() as connection:
        assert connection.exec_driver_sql("SELECT pg_backend_pid()").scalar() != process
    place.close()


def test_a_full_file_says_so_and_keeps_what_is_there(tmp_path: Path) -> None:
    place = Database(str(tmp_path / "x.db"), ANSWERS, pooled=True)
    with place.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE texts (text TEXT)")
        connection.exec_driver_sql("PRAGMA max_page_count = 3")  # of the connection that is kept
    with (
        pytest.raises(InputError, match="full; free some disk space"),
        place.writing() as connection,
    ):
        connection.exec_driver_sql("INSERT INTO texts VALUES (?)", ("x" * 100_000,))
    with place.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM texts").scalar() == 0
    place.close()


def test_messages_name_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def complaint(location: str) -> str:
        with pytest.raises(WeighError) as caught, Database(location, ANSWERS).reading():
            pass
        assert str(caught.value).isprintable()
        return str(caught.value)

    assert complaint("mysql://me:secret@host/db") == (
        "mysql://…: answers are kept in SQLite or PostgreSQL; give a file, or write "
        "postgresql://USER@HOST/DATABASE"
    )
    assert complaint("postgresql://me:secret@host:port/db") == (
        "the URL of the answer store is not valid; write it as postgresql://USER@HOST/DATABASE"
    )
    (tmp_path / "text").write_text("some text, long enough for a header of SQLite\n" * 99)
    text = Database(str(tmp_path / "text"), ANSWERS)
    with pytest.raises(InputError) as caught, text.reading() as connection:
        connection.exec_driver_sql("SELECT * FROM sqlite_master")
    assert str(caught.value).endswith("; give a SQLite file or a postgresql:// URL")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'weigh\[web,postgres\]'"):
        Database("postgresql://me@host/db", ANSWERS)


def test_a_locked_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.2)
    place = Database(str(tmp_path / "x.db"), ANSWERS, pooled=True)
    other = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(WeighError, match=r"locked by another program for 0\.2 s"), place.writing():
        pass
    other.execute("COMMIT")
    other.close()
    with place.writing() as connection:
        assert connection.exec_driver_sql("SELECT 1").scalar() == 1
    place.close()


def test_nothing_imports_it_before_there_is_a_database() -> None:
    program = (
        "import sys; import weigh.cli.parser, weigh.read, weigh.rypt.collection; "
        "print('sqlalchemy' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout == "False\n", ran.stderr


def test_what_many_threads_write_together_is_kept_once(tally: Database) -> None:
    """One that fails takes nothing of the others with it, and nobody is told too much."""

    def add_one(connection: Connection, number: int) -> int:
        now = connection.exec_driver_sql("SELECT number FROM tally").scalar()
        assert isinstance(now, int)
        connection.exec_driver_sql(f"UPDATE tally SET number = {now + 1}")
        if number % 10 == 3:
            connection.exec_driver_sql("INSERT INTO no_such_table VALUES (1)")
        if number % 10 == 7:
            raise KeyError(number)
        return number

    def ask(number: int) -> int | type[Exception]:
        try:
            return tally.write_together(lambda connection: add_one(connection, number))
        except (InputError, KeyError) as error:
            return type(error)

    with ThreadPoolExecutor(20) as threads:
        outcomes = [*threads.map(ask, range(100))]
    fails = {3: InputError, 7: KeyError}
    assert outcomes == [fails.get(number % 10, number) for number in range(100)]
    assert number(tally) == 80


def test_who_writes_together_waits_no_longer_than_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE", 1.0)
    place = Database(str(tmp_path / "x.db"), ANSWERS, pooled=True)
    with place.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE tally (number INTEGER)")
    other = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    def ask(_: int) -> str:
        try:
            place.write_together(lambda made: made.exec_driver_sql("INSERT INTO tally VALUES (1)"))
        except WeighError as error:
            return str(error)
        return ""

    began = time.monotonic()
    with ThreadPoolExecutor(8) as threads:
        said = [*threads.map(ask, range(8))]
    assert time.monotonic() - began < 8 * 1.0
    assert all("try again" in each for each in said)
    other.execute("ROLLBACK")
    other.close()
    assert ask(0) == ""
    with place.reading() as connection:
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM tally").scalar() == 1
    place.close()
