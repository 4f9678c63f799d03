"""Answers of campaigns, read by naming the database: which of them count, and what is said."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import text

import campaigns
from reading import read_judgments
from weigh.errors import InputError, UsageError, WeighError
from weigh.human.judgments import as_jsonl
from weigh.read import database
from weigh.read.answers import Omission
from weigh.read.campaign_tables import (
    CHOSEN,
    COMPARED,
    LABELLED,
    SCORED,
    VERSION,
    database_name,
    is_campaign,
    read_campaign,
)
from weigh.read.judgments import read_answers
from weigh.read.preferences import read_choices
from weigh.read.text import file_label
from weigh.rypt.collection import LabelSource
from weigh.types import Judgment
from weigh.web.assignment import Work
from weigh.web.campaigns import Campaign, list_campaigns
from weigh.web.plan import CollectPlan

Fresh = Callable[[], str]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    campaigns.close_all()


@pytest.fixture
def place(fresh: Fresh) -> str:
    return fresh()


@pytest.fixture
def campaign(place: str, tmp_path: Path) -> Campaign:
    """A campaign of every kind: 10 scores, 2 screens of labels and 3 pairs, twice each."""
    return campaigns.demonstration(tmp_path / "demo", place)


def spread(work: Work) -> dict[str, object]:
    """Answer with another score at every place, so that no two are alike."""
    told = campaigns.first_answers(work)
    if work.role == "training":
        return told
    return {name: 10 * work.place - 5 if value == 80 else value for name, value in told.items()}


def scores(place: str) -> dict[str, list[float]]:
    """Return what each judge said, in the order of the items."""
    by_judge: dict[str, list[float]] = {}
    judged = read_judgments([place]).judgments
    for one in sorted(judged, key=lambda each: int(each.item or 0)):
        by_judge.setdefault(one.judge, []).append(one.value)
    return by_judge


class TestJudgments:
    def test_all_fields(self, campaign: Campaign, place: str) -> None:
        campaigns.judge(campaign, "ann", spread, seconds=7.5)
        read = read_judgments([place])
        assert (len(read.judgments), read.omissions, read.remarks) == (10, (), ())
        first, *_, bad, repeat = sorted(read.judgments, key=lambda one: int(one.item or 0))
        assert first.at is not None
        slot = read_campaign(place).of_kind("adequacy")[0].slot
        assert first == Judgment(
            judge="ann",
            hit="adequacy-0001",
            pair="de-en",
            kind="system",
            system="ash",
            segment="1",
            value=5.0,
            scale="adequacy",
            seconds=7.5,
            at=first.at,
            item="1",
            of=None,
            rejected=False,
            assignment=f"demo/{slot}",
        )
        assert (bad.kind, bad.of, bad.value) == ("bad", "1", 85.0)
        assert (repeat.kind, repeat.of) == ("repeat", "2")

    def test_nor_do_controls(self, place: str, tmp_path: Path) -> None:
        folder = tmp_path / "demo"
        folder.mkdir()
        (folder / "controls.jsonl").write_text(
            '{"pair": "c1", "left": "good", "right": "bad", "expected": "left"}\n'
        )
        campaign = campaigns.demonstration(folder, place, CollectPlan(per_item=1, control_every=1))
        campaigns.judge(campaign, "ann")
        assert {choice.pair for choice in read_choices([place]).choices} == {
            f"p{number:010x}" for number in (1, 2, 3)
        }

    def test_a_correction_stands_in_for_what_was_said_first(
        self, campaign: Campaign, place: str
    ) -> None:
        ann = campaigns.judge(campaign, "ann", spread, most=4)
        work = campaigns.correct(campaign, ann, {"score": 99}, back=1)
        assert work.place == 3
        assert scores(place) == {"ann": [5.0, 15.0, 99.0, 35.0]}
        by_item = {one.item: one for one in read_judgments([place]).judgments}
        assert (by_item["3"].seconds, by_item["4"].seconds) == (4.0, 3.0)  # 1 s more for it
        assert [one.item for one in read_judgments([place]).judgments] == ["1", "2", "3", "4"]

    def test_judges_whose_work_was_set_aside(self, campaign: Campaign, place: str) -> None:
        campaigns.judge(campaign, "ann", spread)
        bea = campaigns.judge(campaign, "bea", spread, most=4)
        campaigns.correct(campaign, bea, {"score": 1})
        campaign.access.set_state(bea, "void")
        read = read_judgments([place])
        name = file_label(campaign.database.name)
        assert {one.judge for one in read.judgments} == {"ann"}
        assert read.omissions == (Omission(f"{name}: from judges whose work was set aside", 4),)
        campaign.access.set_state(bea, "active")
        again = read_judgments([place])
        assert ({one.judge for one in again.judgments}, again.omissions) == ({"ann", "bea"}, ())

    def test_of_erased_judges_nothing_is_left(self, campaign: Campaign, place: str) -> None:
        campaigns.judge(campaign, "ann", spread)
        bea = campaigns.judge(campaign, "bea", spread)
        campaign.access.erase(bea)
        read = read_judgments([place])
        assert ({one.judge for one in read.judgments}, read.omissions) == ({"ann"}, ())

    def test_hostile_names(self, campaign: Campaign, place: str) -> None:
        names = ["=1+1", "'; DROP TABLE campaigns; --", "<script>", 'a,b"c', "née 李"]
        for name in names[:2]:
            campaigns.judge(campaign, name, spread)
        assert scores(place).keys() == {*names[:2]}
        assert {each.judge for each in read_choices([place]).choices} == {*names[:2]}

    def test_scores_off_the_scale_that_is_stated(self, campaign: Campaign, place: str) -> None:
        campaigns.judge(campaign, "ann", spread)
        with pytest.raises(InputError, match=r"row 2: the score is '15'; expected .* from 0 to 10"):
            read_judgments([place], bounds=(0, 10))
        skipped = read_judgments([place], bounds=(0, 10), bad_rows="skip")
        assert [one.value for one in skipped.judgments] == [5.0]

    def test_columns_cannot_be_named(self, campaign: Campaign, place: str) -> None:
        campaigns.judge(campaign, "ann", spread)
        with pytest.raises(InputError, match="a database has fixed columns"):
            read_answers([place], roles={"judge": "who"})

    def test_the_same_answers_in_a_file_count_once(
        self, campaign: Campaign, place: str, tmp_path: Path
    ) -> None:
        campaigns.judge(campaign, "ann", spread)
        read = read_judgments([place])
        file = tmp_path / "exported.jsonl"
        file.write_text(as_jsonl(read.judgments))
        assert read_judgments([str(file)]).judgments == read.judgments
        assert read_judgments([place, str(file)]).judgments == read.judgments


class TestChoices:
    def test_all_fields(self, campaign: Campaign, place: str) -> None:
        campaigns.judge(campaign, "ann")
        read = read_choices([place])
        assert [(each.pair, each.judge, each.answer) for each in read.choices] == [
            (f"p{number:010x}", "ann", "left") for number in (1, 2, 3)
        ]
        assert (read.omissions, read.remarks) == ((), ())

    def test_conditions(self, campaign: Campaign, place: str) -> None:
        campaigns.judge(campaign, "ann")
        campaigns.judge(campaign, "bea")
        read = read_choices([place], {"judge": "bea"})
        assert [each.judge for each in read.choices] == ["bea"] * 3
        assert [each.count for each in read.omissions] == [3]
        with pytest.raises(
            UsageError, match="answers of a campaign have no column 'country' for --only"
        ):
            read_choices([place], {"country": "DE"})


class TestSeveralCampaigns:
    def test_it_must_be_said_which(self, campaign: Campaign, place: str, tmp_path: Path) -> None:
        other = campaigns.demonstration(tmp_path / "other", f"{place}#two; <b>")
        campaigns.judge(campaign, "ann", most=2)
        campaigns.judge(other, "ann", spread, most=3)
        name = campaign.database.name
        with pytest.raises(InputError, match=r"2 campaigns \(demo, two; <b>\); choose one, as in "):
            read_judgments([place])
        assert len(read_judgments([f"{place}#demo"]).judgments) == 2
        read = read_judgments([f"{place}#two; <b>"])
        assert [one.value for one in read.judgments] == [5.0, 15.0, 25.0]
        with pytest.raises(InputError) as refused:
            read_judgments([f"{place}#three"])
        assert str(refused.value).startswith(f"{name}: no campaign 'three'; ")
        both = read_judgments([f"{place}#demo", f"{place}#two; <b>"])
        assert len(both.judgments) == 5

    def test_unless_only_one_has_the_kind(
        self, campaign: Campaign, place: str, tmp_path: Path
    ) -> None:
        campaigns.judge(campaign, "ann", spread)
        pairs = tmp_path / "pairs"
        pairs.mkdir()
        (pairs / "pairs.jsonl").write_text('{"pair": "q1", "left": "one", "right": "other"}\n')
        campaigns.started(pairs, place)
        assert len(read_judgments([place]).judgments) == 10
        with pytest.raises(InputError, match=r"2 campaigns \(demo, pairs\)"):
            read_choices([place])
        with pytest.raises(InputError, match=r"#pairs: no answers of preference: nobody has"):
            read_choices([f"{place}#pairs"])


class TestErrors:
    def test_no_answers_yet(self, campaign: Campaign, place: str) -> None:
        name = campaign.database.name
        with pytest.raises(InputError) as refused:
            read_judgments([place])
        assert str(refused.value) == (
            f"{name}: no answers of adequacy: nobody has answered yet; "
            "collect some with weigh serve"
        )

    def test_answers_of_other_kinds(self, campaign: Campaign, place: str) -> None:
        campaigns.judge(campaign, "ann", most=2)
        with pytest.raises(
            InputError,
            match=r"no answers of preference: there are 2 of adequacy; use",
        ):
            read_choices([place])

    def test_all_set_aside(self, campaign: Campaign, place: str) -> None:
        ann = campaigns.judge(campaign, "ann", most=2)
        campaign.access.set_state(ann, "void")
        with pytest.raises(InputError, match="all 2 are from judges whose work was set aside"):
            read_judgments([place])

    @pytest.mark.parametrize(
        ("version", "said"),
        [
            (99, f"newer version of weigh .schema 99; this version supports {VERSION}"),
            (0, "older version of weigh"),
        ],
    )
    def test_other_versions(self, version: int, said: str, campaign: Campaign, place: str) -> None:
        campaigns.judge(campaign, "ann")
        with campaign.database.writing() as connection:
            connection.execute(text(f"UPDATE campaign_schema SET version = {version}"))
        with pytest.raises(InputError, match=said):
            read_judgments([place])

    def test_no_campaigns(self, campaign: Campaign, fresh: Fresh) -> None:
        from weigh.rypt.collection import open_store

        del campaign
        other = fresh()
        open_store(other, create=True)
        with pytest.raises(InputError, match="this database contains no campaigns; check the name"):
            read_judgments([other])

    def test_a_database_of_another_program(self, tmp_path: Path) -> None:
        path = tmp_path / "other.db"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE songs (name TEXT)")
        with pytest.raises(InputError, match="this database contains no campaigns; check the name"):
            read_judgments([str(path)])

    def test_a_broken_database(self, tmp_path: Path) -> None:
        path = tmp_path / "broken.db"
        path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
        with pytest.raises(InputError, match=r"broken\.db: .*"):
            read_judgments([str(path)])

    def test_no_such_file(self, tmp_path: Path) -> None:
        for place in (str(tmp_path / "no.db"), f"sqlite:///{tmp_path / 'no.db'}#pilot"):
            with pytest.raises(InputError, match="no such file"):
                read_campaign(place)
            assert not is_campaign(place)
        assert not (tmp_path / "no.db").exists()

    def test_a_locked_database(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(database, "PATIENCE", 0.1)
        campaign = campaigns.demonstration(tmp_path / "demo")
        campaigns.judge(campaign, "ann")
        campaign.database.close()
        path = tmp_path / "demo" / "campaign.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("PRAGMA journal_mode = DELETE")
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(WeighError, match="locked by another program"):
                read_judgments([str(path)])
            other.execute("ROLLBACK")
        assert read_judgments([str(path)]).judgments

    def test_without_sqlalchemy(self, tmp_path: Path) -> None:
        campaigns.demonstration(tmp_path / "demo").database.close()
        program = (
            "import sys; sys.modules['sqlalchemy'] = None\n"
            "from weigh.errors import MissingExtraError\n"
            "from weigh.read.judgments import read_answers\n"
            "try: read_answers(['demo/campaign.db'])\n"
            "except MissingExtraError as error: print(error)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.stdout == (
            "demo/campaign.db: a database of answers needs SQLAlchemy 2; install it with pip "
            "install 'weigh[labels]'\n"
        ), done.stderr


class TestNames:
    def test_pipes_are_not_read(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        text = as_jsonl([Judgment("j", "h", "de-en", "system", "A", "1", 5.0)])
        writer = Thread(target=lambda: pipe.write_text(text))
        writer.start()
        assert len(read_judgments([str(pipe)]).judgments) == 1
        writer.join()

    def test_passwords_are_not_shown(self) -> None:
        assert database_name("postgresql://me:secret@host/db") == "postgresql://…"


def test_kinds_are_those_of_the_page() -> None:
    from weigh.web.kinds import KINDS

    assert {*SCORED, *LABELLED, *CHOSEN, *COMPARED} == {*KINDS}


@pytest.mark.parametrize(
    "change",
    [
        "campaigns SET settings = '7'",
        "campaigns SET settings = '{\"kinds\": 7}'",
        "campaigns SET settings = 'no JSON'",
        "campaign_items SET about = '[]'",
        "campaign_items SET about = '{'",
        "campaign_items SET about = '{\"parts\": [1]}'",
        "campaign_answers SET answer = '1.5'",
        "campaign_answers SET answer = '{}'",
        "campaign_answers SET seconds = x'ff00'",
        "campaign_answers SET answer = CAST(x'ff00' AS TEXT)",
    ],
)
def test_what_the_page_has_not_written_is_refused_in_one_line(change: str, tmp_path: Path) -> None:
    """Every reader takes such answers, or says that something else has changed them."""
    made = campaigns.demonstration(tmp_path / "demo")
    campaigns.judge(made, "ann")
    campaigns.close_all()
    path = str(tmp_path / "demo" / "campaign.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE {change}")
        connection.commit()
    readers: list[Callable[[], object]] = [
        lambda: read_answers([path]),
        lambda: read_choices([path]),
        lambda: list_campaigns(path),
        lambda: LabelSource.read(path),
    ]
    said = []
    for read in readers:
        with suppress(WeighError):
            read()
            continue
        with pytest.raises(WeighError) as caught:
            read()
        said.append(str(caught.value))
    assert said
    assert all(each.startswith(path) and "\n" not in each for each in said)
