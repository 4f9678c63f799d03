"""Stores keep what they are given, in SQLite and in PostgreSQL alike."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unit.rypt.labels import HOSTILE, judgment, judgment_lists, said, time
from weigh.errors import InputError, MissingExtraError, WeighError
from weigh.rypt.collection import open_store
from weigh.rypt.labels import Added, Entry, EntryJudgment, Label, LabelBatch

Fresh = Callable[[], str]
few = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


def complaint(*arguments: object, create: bool = False) -> str:
    with pytest.raises(WeighError) as caught:
        open_store(*arguments, create=create)  # type: ignore[arg-type]
    message = str(caught.value)
    assert message.isprintable()
    return message


def test_everything_comes_back(fresh: Fresh) -> None:
    place = fresh()
    kept = [
        judgment(seconds=8.4, origin="HIT 7"),
        judgment(Label.NOT_SURE, "w2", 1, HOSTILE, HOSTILE),
        judgment(Label.NO, "w1", 9, corrects=time(0)),
        EntryJudgment(Entry("x", 0, 1, "a [GAP] b"), Label.NO),
    ]
    store = open_store(place, create=True)
    assert store.add(kept) == Added(4, 0)
    assert set(open_store(place).judgments()) == set(kept)
    assert set(store.judgments(["x"])) == {kept[3]}
    assert store.aggregate() == said(kept)
    # One of three sources is looked up; for two the whole store is gone through.
    assert store.aggregate(["x"]) == {"x": {(0, 1, "a [GAP] b"): Label.NO}}
    assert store.aggregate(["x", "unknown"]) == {"x": {(0, 1, "a [GAP] b"): Label.NO}}
    assert store.aggregate([]) == {}


def test_texts_may_be_long(fresh: Fresh) -> None:
    # Words that do not compress, since PostgreSQL's limit is on what is left after that.
    words = " ".join(f"{number * 2654435761 % 2**32:x}" for number in range(20_000))
    store = open_store(fresh(), create=True)
    store.add([judgment(source=words, substring=words[:-1])])
    assert [one.entry for one in store.judgments()] == [Entry(words, 0, 2, words[:-1])]


def test_adding_again_adds_nothing(fresh: Fresh) -> None:
    store = open_store(fresh(), create=True)
    kept = [judgment(), judgment(judge="w2")]
    assert store.add(kept) == Added(2, 0)
    assert store.add([*kept, judgment(judge="w3"), judgment(judge="w3")]) == Added(1, 2, 1)
    assert len(list(store.judgments())) == 3
    assert store.add([]) == Added(0, 0)


def test_contradictions_are_refused_with_their_rows(fresh: Fresh) -> None:
    store = open_store(fresh(), create=True)
    store.add([judgment(Label.YES)])
    batch = LabelBatch(
        "more.tsv",
        [judgment(judge="w2"), judgment(Label.NO), judgment(Label.NOT_SURE)],
        [2, 5, 9],
    )
    with pytest.raises(InputError) as caught:
        store.add_batches([LabelBatch("first.tsv", [judgment(judge="w9")]), batch])
    assert str(caught.value) == (
        "more.tsv: row 5: NO, but the same judge said YES at the same time; correct one of "
        "them, or give the correction a later time (also row 9)"
    )
    # Neither what came before it nor the other file is there.
    assert list(store.judgments()) == [judgment(Label.YES)]
    with pytest.raises(InputError, match=r"b\.tsv: row 1: NO, but the same judge said YES"):
        store.add_batches(
            [
                LabelBatch("a.tsv", [judgment(judge="w2")]),
                LabelBatch("b.tsv", [judgment(Label.NO, "w2")]),
            ]
        )
    assert list(store.judgments()) == [judgment(Label.YES)]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"entry": Entry("a  b", 0, 1, "x")}, "the source is 'a  b'; expected a source of words"),
        ({"entry": Entry("", 0, 1, "x")}, "the source is ''"),
        ({"entry": Entry("a b", 0, 3, "x")}, "the span is 0-3, but the source has 2 words; count"),
        ({"entry": Entry("a b", 1, 1, "x")}, "the span is 1-1"),
        ({"entry": Entry("a b", -1, 1, "x")}, "the span is -1-1"),
        ({"entry": Entry("a b", 0, 1, "")}, "the substring is ''"),
        ({"entry": Entry("a b", 0, 1, "x\ty")}, r"the substring 'x\ty' has a tab"),
        ({"entry": Entry("a b", 0, 1, "\0")}, r"the substring '\x00' has a tab, a line end or a"),
        ({"entry": Entry("a b", 0, 1, "\ud800")}, "an unpaired surrogate"),
        ({"entry": Entry("a b", 0, 1, "[GAP] x")}, "the substring is '[GAP] x'; expected one"),
        ({"entry": Entry("a b", 0, 1, "x [GAP] [GAP] y")}, "expected one [GAP] for each run"),
        ({"judge": ""}, "the judge has 0 characters; expected from 1 to 200"),
        ({"judge": "x" * 201}, "the judge has 201 characters"),
        ({"origin": "a\nb"}, r"the origin 'a\nb' has a tab, a line end"),
        ({"at": "yesterday"}, "the time is 'yesterday'; expected UTC, such as"),
        ({"at": "2009-06-01T12:00:00Z"}, "the time is '2009-06-01T12:00:00Z'"),
        ({"corrects": time(0)}, f"it corrects a judgment of {time(0)}, but is itself of {time(0)}"),
        ({"at": "", "corrects": time(0)}, "but is itself of no known time"),
        ({"seconds": -1.0}, "it took -1 seconds; expected a number from 0 to 1e9"),
        ({"seconds": float("nan")}, "it took nan seconds"),
    ],
)
def test_what_is_no_judgment_is_refused(
    changed: dict[str, object], message: str, tmp_path: Path
) -> None:
    store = open_store(tmp_path / "x.db", create=True)
    wrong = judgment()._replace(**changed)
    with pytest.raises(InputError) as caught:
        store.add_batches([LabelBatch("file", [judgment(), wrong])])
    assert str(caught.value).startswith("file: row 2: ")
    assert message in str(caught.value)
    assert str(caught.value).isprintable()
    assert not list(store.judgments())


@few
@given(kept=judgment_lists(), data=st.data())
def test_any_order_of_adding_and_merging_gives_the_same(
    fresh: Fresh, kept: list[EntryJudgment], data: st.DataObject
) -> None:
    """A store that gets everything at once, and stores that are filled and merged at random."""
    shuffled = data.draw(st.permutations(kept))
    stores = [open_store(fresh(), create=True) for _ in range(2)]
    while shuffled:
        size = data.draw(st.integers(1, len(shuffled)))
        data.draw(st.sampled_from(stores)).add(shuffled[:size])
        shuffled = shuffled[size:]
    into, other = data.draw(st.permutations(stores))
    into.add(other.judgments())
    expected = said(kept)
    assert into.aggregate() == expected
    assert into.aggregate(expected) == expected
    assert {one[:4] for one in into.judgments()} == {one[:4] for one in kept}
    assert len(list(into.judgments())) == len({one[:4] for one in kept})


WRITER = """
import sys
from weigh.rypt.labels import EntryJudgment
from weigh.rypt.labels import Entry, Label
from weigh.rypt.collection import open_store
place, name = sys.argv[1:]
store = open_store(place, create=True)
for number in range(20):
    # Both write the same entries, in opposite orders, and a judgment that is the same for both.
    parts = range(12) if name == "a" else range(11, -1, -1)
    entries = [Entry("eins zwei", 0, 1, f"one {number} {part}") for part in parts]
    store.add(EntryJudgment(entry, Label.YES, judge) for entry in entries for judge in (name, "c"))
"""


def test_two_programs_that_write_at_once_lose_nothing(fresh: Fresh) -> None:
    place = fresh()
    both = [subprocess.Popen([sys.executable, "-c", WRITER, place, name]) for name in "ab"]
    assert [program.wait(120) for program in both] == [0, 0]
    store = open_store(place)
    found = [(one.entry.substring, one.judge) for one in store.judgments()]
    assert len(found) == len(set(found)) == 20 * 12 * 3
    assert {judge for _, judge in found} == {"a", "b", "c"}


KILLED = """
import os, sys
from weigh.rypt import store
from weigh.rypt.collection import open_store
from weigh.rypt.labels import EntryJudgment
from weigh.rypt.labels import Entry, Label
insert = store._insert
def die(*arguments):
    insert(*arguments)
    os._exit(9)
store._insert = die
open_store(sys.argv[1]).add([EntryJudgment(Entry("a", 0, 1, "b"), Label.YES)])
"""


def test_who_dies_while_writing_leaves_nothing(fresh: Fresh) -> None:
    place = fresh()
    store = open_store(place, create=True)
    assert subprocess.run([sys.executable, "-c", KILLED, place], check=False).returncode == 9
    assert not list(store.judgments())
    assert store.add([judgment()]) == Added(1, 0)


def test_a_store_of_a_later_version(fresh: Fresh) -> None:
    place = fresh()
    store = open_store(place, create=True)
    with store._database.writing() as connection:
        connection.exec_driver_sql("INSERT INTO rypt_schema VALUES (7)")
    for create in (False, True):
        assert complaint(place, create=create) == (
            f"{store.name}: created by a newer version of weigh (schema 7; this version supports "
            "1); update weigh"
        )


def test_a_database_without_labels(fresh: Fresh) -> None:
    place = fresh()
    if "://" not in place:
        Path(place).touch()
    assert complaint(place).endswith(
        ": this database contains no labels; check the name, or create a store with weigh rypt "
        "labels import"
    )
    assert open_store(place, create=True).aggregate() == {}
    assert open_store(place).aggregate() == {}


def test_a_server_may_hold_other_tables_but_a_file_may_not(server: str, tmp_path: Path) -> None:
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA shared CREATE TABLE other (id INTEGER)")
    open_store(f"{server}&options=-csearch_path%3Dshared", create=True)
    with sqlite3.connect(tmp_path / "cookies.db") as file:
        file.execute("CREATE TABLE other (id INTEGER)")
    file.close()
    message = complaint(tmp_path / "cookies.db", create=True)
    assert "a database of another program; name another file" in message


def test_a_server_on_which_nothing_may_be_made(server: str) -> None:
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN")
    message = complaint(server.replace("postgres@", "guest@"), create=True)
    assert "PostgreSQL refuses (permission denied" in message
    assert message.endswith("; check this user's permissions")


def test_files_that_are_no_stores(tmp_path: Path) -> None:
    assert complaint(tmp_path / "none.db") == (
        f"{tmp_path}/none.db: no such file; check the path, or create a store with "
        "weigh rypt labels import"
    )
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "text").write_text("some text, long enough for a header of SQLite\n" * 99)
    for create in (False, True):
        assert "file is not a database; give a SQLite file" in complaint(
            tmp_path / "text", create=create
        )
    assert "check that its directory exists" in complaint(tmp_path, create=True)
    assert "check that its directory" in complaint(tmp_path / "no" / "x.db", create=True)
    assert "not a valid path" in complaint("a\0b")
    assert "not a valid path" in complaint("", create=True)
    assert "lost at once; name a file" in complaint(":memory:", create=True)
    broken = tmp_path / "broken.db"
    open_store(broken, create=True).add([judgment()])
    data = broken.read_bytes()
    broken.write_bytes(data[:100] + b"\xff" * (len(data) - 100))
    assert "restore a backup" in complaint(broken)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A directory in which only its owner, root say, may write, but which all can see."""
    with TemporaryDirectory() as name:
        path = Path(name)
        open_store(path / "x.db", create=True)
        path.chmod(0o555)
        if os.geteuid() == 0:
            os.seteuid(65534)
        try:
            yield path
        finally:
            os.seteuid(os.getuid())
            path.chmod(0o755)


def test_a_directory_that_cannot_be_written(folder: Path) -> None:
    remedy = "; check that its directory exists and is writable"
    for name, create in (("x.db", False), ("x.db", True), ("new.db", True)):
        message = complaint(folder / name, create=create)
        assert message.startswith(f"{folder / name}: ")
        assert message.endswith(remedy)


def test_urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_store(f"sqlite:///{tmp_path}/x.db", create=True)
    assert (tmp_path / "x.db").exists()
    assert complaint("mysql://me:secret@host/db") == (
        "mysql://…: labels are kept in SQLite or PostgreSQL; give a file, or write "
        "postgresql://USER@HOST/DATABASE"
    )
    assert "secret" not in complaint("postgresql://me:secret@host:port/db")
    assert "an in-memory store would be lost at once" in complaint("sqlite://", create=True)
    nobody = f"postgresql://me:secret@/db?host={tmp_path}"
    message = complaint(nobody)
    assert message.startswith("postgresql:///db: PostgreSQL refuses (")
    assert message.endswith("; check the URL and whether the server runs")
    assert "secret" not in message
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'weigh\[labels,postgres\]'"):
        open_store(nobody)


@pytest.mark.parametrize("there", [None, ModuleType("sqlalchemy")])
def test_without_sqlalchemy_or_with_an_old_one(
    there: ModuleType | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy", there)
    monkeypatch.delitem(sys.modules, "weigh.rypt.store")
    with pytest.raises(MissingExtraError) as caught:
        open_store("labels.db")
    assert str(caught.value) == (
        "labels.db: a label store needs SQLAlchemy 2; install it with "
        "pip install 'weigh[labels]', or give labels as .jsonl or .tsv"
    )


def test_labels_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    store = open_store(str(path), create=True)
    store.add([judgment()])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE rypt_judgments SET label = 'PERHAPS'")
        connection.commit()
    for read in (lambda: list(store.judgments()), store.aggregate):
        with pytest.raises(InputError, match=r"the database was changed by another program"):
            read()
