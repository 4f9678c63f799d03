"""What goes wrong around the pages: a server that is killed, a full disk, a locked database."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event

import httpx
import pytest
from sqlalchemy import event, text

from unit.web.campaign_files import assessment, write_lines
from unit.web.small_campaign import campaign_in, rated
from unit.web.visiting import Form, Page, Visitor
from weigh.errors import InputError, WeighError
from weigh.read.campaign_tables import open_database
from weigh.web import campaigns
from weigh.web.app import make_app
from weigh.web.campaigns import Campaign, back_up, open_campaign
from weigh.web.guard import Seal
from weigh.web.plan import CollectPlan
from weigh.web.serving import checkpoints

JUDGES = 4
ENOUGH = 40
SHEETS, SIZE = 3, 10


@contextmanager
def served(folder: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """Run the command; yield the process, and the links that it prints."""
    command = [sys.executable, "-m", "weigh", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(
        [*command, "--judges", str(JUDGES), "--per-item", str(JUDGES - 1)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as server:
        try:
            assert server.stdout is not None
            lines = [server.stdout.readline().rstrip("\n") for _ in range(JUDGES + 1)]
            yield server, dict(tuple(line.split("\t")) for line in lines)
        finally:
            server.kill()


class Judge:
    """Somebody who judges over the network, and notes what the server said is saved."""

    def __init__(self, link: str, secret: bytes) -> None:
        self.secret = secret
        self.http = httpx.Client(timeout=20)
        self.http.get(link)
        self.base = link.partition("/enter/")[0]
        self.saved: list[tuple[int, int, int]] = []
        self.unsure: Form | None = None

    def send(self, form: Form) -> None:
        answer = self.http.post(self.base + form.action, data=form.fields)
        assert answer.status_code == 303, answer.text
        if form.action == "/work/answer":
            fields = form.fields
            (session,) = self.http.cookies.values()
            seal = Seal(self.secret, session)
            slot, item = (seal.reveal(name, int(fields[name])) for name in ("slot", "item"))
            self.saved.append((slot, item, int(fields["score"])))

    def judge(self, stopped: Event, enough: Callable[[], bool]) -> None:
        """Judge until there is nothing left, or the server is gone."""
        while True:
            try:
                page = Page(self.http.get(f"{self.base}/work").text)
                if not page.forms:
                    return
                form = page.form
                if "score" in form.fields:
                    form.fields["score"] = str(len(self.saved) % 101)
                self.unsure = form
                self.send(form)
                self.unsure = None
            except httpx.TransportError:
                return
            if enough():
                stopped.set()


def test_what_was_saved_outlives_a_server_that_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    write_lines(folder / "hits.jsonl", [assessment(f"hit-{n}", SIZE) for n in range(SHEETS)])
    stopped = Event()

    def enough() -> bool:
        return sum(len(judge.saved) for judge in judges) >= ENOUGH

    with ThreadPoolExecutor(JUDGES) as threads:
        with served(folder) as (server, links):
            secret = secret_of(folder)
            judges = [Judge(link, secret) for name, link in links.items() if name != "organiser"]
            at_work = [threads.submit(judge.judge, stopped, enough) for judge in judges]
            assert stopped.wait(30)
            server.kill()  # in the middle of it
            for each in at_work:
                each.result()
            server.wait()
            assert server.stderr is not None
            said = server.stderr.read()
        told = [saved for judge in judges for saved in judge.saved]
        assert ENOUGH <= len(told) < SHEETS * SIZE * (JUDGES - 1)
        tokens = [link.rpartition("/")[2] for link in links.values()]
        tokens += [value for judge in judges for value in judge.http.cookies.values()]
        assert not [token for token in tokens if token in said]
        kept = answers_in(folder)
        assert set(told) <= set(kept)
        with served(folder) as (server, links):
            base = links["organiser"].partition("/enter/")[0]
            for judge in judges:
                judge.base = base
                if judge.unsure is not None:
                    judge.send(judge.unsure)  # kept already or not, it counts once
            at_work = [threads.submit(judge.judge, stopped, lambda: False) for judge in judges]
            for each in at_work:
                each.result()
    for judge in judges:
        judge.http.close()
    told = [saved for judge in judges for saved in judge.saved]
    kept = answers_in(folder)
    assert sorted(set(told)) == sorted(kept)
    assert len(kept) == SHEETS * SIZE * (JUDGES - 1)


def secret_of(folder: Path) -> bytes:
    campaign = open_campaign(str(folder / "campaign.db"))
    campaign.database.close()
    return campaign.secret()


def test_a_copy_of_the_file_alone_has_all_answers_once_nobody_writes(tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    write_lines(folder / "hits.jsonl", [assessment("hit", SIZE)])
    with served(folder) as (_, links):
        judge = Judge(links["judge 1"], secret_of(folder))
        judge.judge(Event(), lambda: False)
        assert len(judge.saved) == SIZE
        log = folder / "campaign.db-wal"
        until = time.monotonic() + 60
        while log.stat().st_size and time.monotonic() < until:
            time.sleep(0.1)
        copy = tmp_path / "copy" / "campaign.db"
        copy.parent.mkdir()
        copy.write_bytes((folder / "campaign.db").read_bytes())
        judge.http.close()
    assert sorted(answers_in(copy.parent)) == sorted(judge.saved)


def test_the_log_is_emptied_while_answers_keep_coming_in(tmp_path: Path) -> None:
    campaign = campaign_in(tmp_path / "x.db", (rated("sheet"),), CollectPlan())
    copy = tmp_path / "copy.db"

    def count(place: Path) -> int:
        with open_database(str(place)).reading() as connection:
            return connection.execute(text("SELECT COUNT(*) FROM campaign_judges")).scalar() or 0

    with checkpoints(campaign.database, every=0.2, rest=0.1):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            campaign.access.add([f"judge {time.monotonic()}"])  # more often than it could rest
            copy.write_bytes((tmp_path / "x.db").read_bytes())
            if count(copy):
                break
    assert count(copy) > 0
    campaign.database.close()


@pytest.mark.skipif(sys.platform == "win32", reason="files have no largest size there")
def test_a_full_disk_does_not_end_the_checkpoints(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log cannot be written to the file: that is said in a line, and tried again."""
    from resource import RLIMIT_FSIZE, getrlimit, setrlimit

    campaign = campaign_in(tmp_path / "x.db", (rated("sheet"),), CollectPlan())
    campaign.database.checkpoint()
    size = (tmp_path / "x.db").stat().st_size
    campaign.access.add([f"judge {number}" for number in range(2000)])
    log = tmp_path / "x.db-wal"
    soft, hard = getrlimit(RLIMIT_FSIZE)

    def waits_until(is_so: Callable[[], bool]) -> bool:
        until = time.monotonic() + 60
        while not is_so() and time.monotonic() < until:
            time.sleep(0.02)
        return is_so()

    with checkpoints(campaign.database, every=0.2, rest=0.1):
        setrlimit(RLIMIT_FSIZE, (size, hard))
        try:
            assert waits_until(lambda: "could not be emptied" in caplog.text)
        finally:
            setrlimit(RLIMIT_FSIZE, (soft, hard))
        assert waits_until(lambda: log.stat().st_size == 0)
    (line,) = [record.getMessage() for record in caplog.records if record.name == "weigh"]
    assert "\n" not in line
    # Nor is it a bug where the server ends.
    campaign.access.add([f"other {number}" for number in range(2000)])
    setrlimit(RLIMIT_FSIZE, (size, hard))
    try:
        campaign.database.close()
    finally:
        setrlimit(RLIMIT_FSIZE, (soft, hard))
    assert campaign.access.judges()[-1].name == "other 1999"
    campaign.database.close()


def test_closing_a_database_empties_the_log(tmp_path: Path) -> None:
    campaign = campaign_in(tmp_path / "x.db", (rated("sheet"),), CollectPlan())
    reader = sqlite3.connect(tmp_path / "x.db")  # whose connection keeps the log
    reader.execute("SELECT COUNT(*) FROM campaigns").fetchall()
    campaign.access.add(["jo"])
    assert (tmp_path / "x.db-wal").stat().st_size > 0
    campaign.database.close()
    assert (tmp_path / "x.db-wal").stat().st_size == 0
    reader.close()


def test_files_of_a_database_are_the_owners_alone(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        campaign = campaign_in(tmp_path / "x.db", (rated("sheet"),), CollectPlan())
        campaign.access.add(["jo"])
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
        assert modes == dict.fromkeys(("x.db", "x.db-wal", "x.db-shm"), 0o600)
        back_up(str(tmp_path / "x.db"), tmp_path / "copy.db")
        assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(previous)
    campaign.database.close()


def test_a_backup_has_all_that_was_saved_before_it(tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    write_lines(folder / "hits.jsonl", [assessment(f"hit-{n}", SIZE) for n in range(SHEETS)])
    told: list[list[tuple[int, int, int]]] = []
    with served(folder) as (_, links), ThreadPoolExecutor(JUDGES) as threads:
        secret = secret_of(folder)
        judges = [Judge(link, secret) for name, link in links.items() if name != "organiser"]
        at_work = [threads.submit(judge.judge, Event(), lambda: False) for judge in judges]
        while not all(each.done() for each in at_work) or not told:
            told.append([saved for judge in judges for saved in list(judge.saved)])
            copy = tmp_path / f"copy-{len(told)}"
            copy.mkdir()
            back_up(str(folder / "campaign.db"), copy / "campaign.db")
            assert [path.name for path in copy.iterdir()] == ["campaign.db"]
            time.sleep(0.05)  # which leaves the processor to the server and the judges
        for each in at_work:
            each.result()
        for judge in judges:
            judge.http.close()
    assert len(told) > 1
    assert any(0 < len(saved) < SHEETS * SIZE * (JUDGES - 1) for saved in told)
    for number, saved in enumerate(told, 1):
        place = tmp_path / f"copy-{number}"
        assert set(saved) <= set(answers_in(place))
        with closing(sqlite3.connect(place / "campaign.db")) as copy_of_it:
            assert copy_of_it.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_backup_that_fails_leaves_nothing(tmp_path: Path) -> None:
    place = tmp_path / "x.db"
    campaign_in(place, (rated("sheet"),), CollectPlan()).database.close()
    with place.open("r+b") as file:  # damaged behind the list of its tables
        file.seek(4096)
        file.write(b"x" * 60_000)
    with pytest.raises(WeighError):
        back_up(str(place), tmp_path / "copy.db")
    assert [path.name for path in tmp_path.iterdir()] == ["x.db"]


def test_a_campaign_whose_slots_are_damaged_does_not_go_on(tmp_path: Path) -> None:
    place = tmp_path / "x.db"
    campaign_in(place, (rated("sheet"),), CollectPlan()).database.close()
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("UPDATE campaign_slots SET copy = 'x'")
        connection.commit()
    with pytest.raises(InputError, match="restore a backup"):
        campaign_in(place, (rated("sheet"),), CollectPlan())


def answers_in(folder: Path) -> list[tuple[int, int, int]]:
    with open_database(str(folder / "campaign.db")).reading() as connection:
        rows = connection.execute(text("SELECT slot, item, answer FROM campaign_answers"))
        return [(slot, item, json.loads(answer)["score"]) for slot, item, answer in rows]


@pytest.fixture
def campaign(fresh: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Campaign]:
    monkeypatch.setattr(campaigns, "_PATIENCE", 0.2)
    made = campaign_in(fresh(), (rated("sheet", 100),), CollectPlan())
    yield made
    made.database.close()


def judge_of(campaign: Campaign) -> Visitor:
    [jo] = campaign.access.add(["jo"])
    visitor = Visitor(make_app(campaign))
    visitor.enter(campaign.access.link("judge", jo.id))
    return visitor


def check_kept(answer: httpx.Response, form: Form) -> Form:
    """Assert that a page has the answer in a form that can be sent again; return the form."""
    assert answer.status_code == 503
    again = Page(answer.text).form
    assert again.action == form.action
    assert again.fields == form.fields
    return again


def saved(campaign: Campaign) -> list[int]:
    with campaign.database.reading() as connection:
        rows = connection.execute(text("SELECT answer FROM campaign_answers ORDER BY id"))
        return [json.loads(answer)["score"] for (answer,) in rows]


def test_a_locked_database_leaves_the_answer_in_the_form(campaign: Campaign) -> None:
    judge = judge_of(campaign)
    form = judge.item()
    form.fields["score"] = "73"
    link = campaign.access.link("organiser")
    place = campaign.database._url.render_as_string(hide_password=False)
    with open_database(place).writing():
        again = check_kept(judge.post(form.action, form.fields), form)
        assert judge.get("/work").status_code == 200  # whoever reads need not wait
        coming = Visitor(make_app(campaign))
        assert coming.enter(link).status_code == 503
        assert saved(campaign) == []
    assert judge.post(again.action, again.fields).status_code == 303
    assert judge.post(again.action, again.fields).status_code == 303
    assert saved(campaign) == [73]
    assert coming.enter(link).status_code == 200


def test_a_full_disk_leaves_the_answer_in_the_form(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    campaign = campaign_in(tmp_path / "full.db", (rated("sheet", 100),), CollectPlan())
    judge = judge_of(campaign)
    judge.item()
    pages = 1

    def limit(connection: object, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")  # type: ignore[attr-defined]

    event.listen(campaign.database._engine, "checkout", limit)
    for number in range(100):
        form = judge.item()
        form.fields["score"] = str(number)
        answer = judge.post(form.action, form.fields | {"submission": "x" * 60 + str(number)})
        if answer.status_code != 303:
            break
    form.fields["submission"] = "x" * 60 + str(number)
    again = check_kept(answer, form)
    assert "full" in answer.text
    for _ in range(5):
        assert judge.post(again.action, again.fields).status_code == 503
    (line,) = [record.getMessage() for record in caplog.records if record.name == "weigh"]
    assert "full" in line
    assert str(tmp_path / "full.db") in line
    assert "\n" not in line
    assert judge.get("/work").status_code == 200
    pages = 2**30
    assert judge.post(again.action, again.fields).status_code == 303
    assert saved(campaign) == [*range(number + 1)]
    campaign.database.close()
