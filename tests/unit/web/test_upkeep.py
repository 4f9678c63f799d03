"""What happens behind the answers: queries are dealt by usefulness, and judges are screened."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import text

from campaigns import close_all, started
from rypt_world import World
from unit.web.campaign_files import query, write_lines
from weigh.human.draws import Draws
from weigh.human.export import Sheet, as_jsonl
from weigh.human.hits import Hit
from weigh.human.quality import quality
from weigh.read import database
from weigh.read.alignment import link_line
from weigh.read.campaign_tables import read_campaign
from weigh.read.trees import Node
from weigh.rypt.hits import hit_files, make_hits
from weigh.rypt.labels import Label, Labels
from weigh.rypt.pools import Pool
from weigh.rypt.queries import make_queries
from weigh.rypt.sentences import asked_sentences
from weigh.rypt.tree import Tree
from weigh.types import Judgment
from weigh.web import upkeep
from weigh.web.assignment import Ended, Work
from weigh.web.campaigns import Campaign
from weigh.web.plan import CollectPlan
from weigh.web.upkeep import Upkeep
from weigh_lab.simulation import Habit, Judge, Simulation, answers, simulate

MAX_LENGTH = 2


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the disk take its time: nothing here is to outlive a loss of power."""
    prepare = database._prepare

    def prepared(connection: sqlite3.Connection, record: object) -> None:
        prepare(connection, record)
        connection.execute("PRAGMA synchronous = OFF")

    monkeypatch.setattr(database, "_prepare", prepared)
    yield
    close_all()


class Queries(NamedTuple):
    """Sentences with candidates, and the directory of the queries about them."""

    trees: Sequence[Tree]
    pools: Sequence[Pool]
    directory: Path

    def gains(self, labels: Labels) -> dict[tuple[str, int, int, str], float]:
        """Return the gains of queries that are made anew; what has two trees is asked twice."""
        gains: dict[tuple[str, int, int, str], float] = {}
        for each in make_queries(self.trees, self.pools, labels, MAX_LENGTH).queries:
            source = " ".join(self.trees[each.line - 1].words)
            entry = source, each.start, each.end, each.substring
            gains[entry] = gains.get(entry, 0.0) + each.gain
        return gains


def written(directory: Path, trees: Sequence[Tree], pools: Sequence[Pool], most: int) -> Queries:
    words = [tree.words for tree in trees]
    queries = make_queries(trees, pools, {}, MAX_LENGTH).queries
    hits = make_hits(queries, words, pools, most=most)
    sentences = asked_sentences([" ".join(each) for each in words], trees, pools, {}, MAX_LENGTH)
    directory.mkdir()
    for name, content in hit_files(hits, ["jsonl"], sentences).items():
        (directory / name).write_text(content, encoding="utf-8")
    return Queries(trees, pools, directory)


@pytest.fixture
def asked(tmp_path: Path) -> Queries:
    """Return queries about four sentences with ten candidates each, two on a HIT."""
    trees, pools = [], []
    for number in range(4):
        sentence = World(shortest=5, longest=8).sentence(number, 10)
        words = tuple(f"{number}{word}" for word in sentence.tree.words)
        trees.append(replace(sentence.tree, words=words))
        pool = Pool()
        links = link_line([(place, place) for place in range(len(words))])
        for line, candidate in enumerate(sentence.texts(), 1):
            pool.add(candidate, links, "x", line)
        pools.append(pool)
    return written(tmp_path / "queries", trees, pools, 2)


class Desk:
    """A campaign that is judged without its page."""

    def __init__(self, campaign: Campaign, names: Sequence[str] = ("anna", "bert")) -> None:
        self.campaign = campaign
        self.upkeep = Upkeep(campaign)
        self.judges = {judge.name: judge.id for judge in campaign.access.add(names)}

    def work(self, name: str) -> Work:
        work = self.campaign.assignment.work_for(self.judges[name])
        assert isinstance(work, Work), work
        return work

    def say(self, name: str, given: Mapping[str, Any], work: Work | None = None) -> Work:
        """Answer an item, or what comes next, and wait for what follows from it."""
        work = work or self.work(name)
        judge = self.judges[name]
        outcome = self.campaign.assignment.answer(
            judge,
            work.slot,
            work.item,
            work.revision,
            given,
            f"{name}-{work.slot}-{work.item}-{work.revision}",
            5.0,
        )
        assert outcome.state == "saved"
        self.upkeep.answered(judge, work.slot, work.item)
        assert self.upkeep.settle(60)
        return work

    def label(self, name: str, *labels: str, work: Work | None = None) -> Work:
        """Answer a HIT: with the last label, all that are left of it."""
        work = work or self.work(name)
        names = [question.name for question in work.screen.questions]
        said = [*labels, *[labels[-1]] * len(names)]
        return self.say(name, dict(zip(names, said, strict=False)), work)

    def rows(self, statement: str) -> list[Any]:
        with self.campaign.database.reading() as connection:
            return [tuple(row) for row in connection.execute(text(statement))]

    def about(self, work: Work) -> Any:
        ((about,),) = self.rows(f"SELECT about FROM campaign_items WHERE id = {work.item}")
        return json.loads(about)

    def source(self, work: Work) -> str:
        return str(self.about(work)["source"])

    def batches(self) -> dict[int, Any]:
        """Return what each HIT is about, by batch."""
        rows = self.rows("SELECT batch, about FROM campaign_items")
        return {batch: json.loads(about) for batch, about in rows}

    def priorities(self) -> dict[int, float]:
        """Return the usefulness of all HITs that nobody has begun."""
        return dict(
            self.rows(
                "SELECT batch, priority FROM campaign_slots WHERE state = 'open' "
                "AND batch NOT IN (SELECT batch FROM campaign_holdings)"
            )
        )

    def labels(self) -> Labels:
        """Return the labels of one judge each."""
        labels: Labels = {}
        for answer in read_campaign(self.campaign.database.name).answers:
            about = answer.about
            own = labels.setdefault(about["source"], {})
            for name, label in answer.answers.items():
                own[about["start"], about["end"], about["substrings"][name]] = Label(label)
        return labels

    def expected(self, queries: Queries, source: str | None = None) -> dict[int, float]:
        """Return what the usefulness should be by queries that are made anew."""
        gains = queries.gains(self.labels())
        return {
            batch: sum(
                gains.get((about["source"], about["start"], about["end"], each), 0.0)
                for each in about["substrings"].values()
            )
            for batch, about in self.batches().items()
            if source in (None, about["source"])
        }


def test_usefulness_is_that_of_queries_made_anew(asked: Queries) -> None:
    desk = Desk(started(asked.directory))
    said = ("NO", "YES", "NOT SURE", "NO", "YES", "YES")
    for turn in range(12):
        work = desk.label("anna", said[turn % 6], said[turn % 5])
        expected = desk.expected(asked, desk.source(work) if turn else None)
        left = desk.priorities()
        assert len(left) == len(desk.batches()) - turn - 1
        assert expected.keys() & left.keys()
        for batch in expected.keys() & left.keys():
            assert left[batch] == pytest.approx(expected[batch], rel=1e-12)
        # What comes next is the most useful of all.
        following = desk.work("anna")
        ((batch,),) = desk.rows(f"SELECT batch FROM campaign_slots WHERE id = {following.slot}")
        assert left[batch] == max(left.values())


def test_all_are_reckoned_anew_as_labels_grow(
    asked: Queries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "_SOURCES", 1)  # one sentence after the other
    monkeypatch.setattr(upkeep, "_GROWTH", 1.0)
    desk = Desk(started(asked.directory))
    for label in ("YES", "NO", "YES", "YES"):
        desk.label("anna", label)
        expected, left = desk.expected(asked), desk.priorities()
        assert left == pytest.approx({batch: expected[batch] for batch in left}, rel=1e-12)


def test_a_changed_answer_and_a_restart_count(asked: Queries) -> None:
    desk = Desk(started(asked.directory))
    first = desk.label("anna", "YES")
    before = desk.campaign.assignment.look_back(desk.judges["anna"])
    assert before is not None
    desk.label("anna", "NO", work=before)
    source = desk.source(first)
    left = desk.priorities()
    for batch, gain in desk.expected(asked, source).items():
        assert left.get(batch, gain) == pytest.approx(gain, rel=1e-12)
    desk.campaign.database.close()
    again = Desk(started(asked.directory))
    assert again.priorities() == left
    again.label("bert", "NO")
    expected, left = again.expected(asked), again.priorities()
    assert left == pytest.approx({batch: expected[batch] for batch in left}, rel=1e-12)


def test_who_is_set_aside_changes_all_sentences_that_were_answered(asked: Queries) -> None:
    desk = Desk(started(asked.directory))
    assert len({desk.source(desk.label("anna", "NO")) for _ in range(6)}) > 1
    desk.campaign.access.set_state(desk.judges["anna"], "void")
    desk.label("bert", "NOT SURE")
    expected, left = desk.expected(asked), desk.priorities()
    assert left == pytest.approx({batch: expected[batch] for batch in left}, rel=1e-12)


@pytest.fixture
def nested(tmp_path: Path) -> Queries:
    """Return queries about one sentence that has two trees: labels may decide others'."""
    words = ["v", "w", "x", "y", "z"]
    trees = [Tree.of(words, [Node("P", 0, 2)]), Tree.of(words, [])]
    pools = [Pool(), Pool()]
    for pool in pools:
        pool.add("a b c d e", "0-0 1-1 2-2 3-3 4-4", "x", 1)
    return written(tmp_path / "nested", trees, pools, 10)


def states(desk: Desk, start: int, end: int) -> list[str]:
    """Return the states of all slots that ask about a span."""
    rows = desk.rows("SELECT batch, state FROM campaign_slots ORDER BY id")
    asked = desk.batches()
    return [state for batch, state in rows if span_of(asked[batch]) == (start, end)]


def span_of(about: Mapping[str, Any]) -> tuple[int, int]:
    return about["start"], about["end"]


def label_words(desk: Desk, name: str, label: str) -> None:
    """Answer the queries about the two words of P, as if there were no others."""
    asked = desk.batches()
    words = [batch for batch, about in asked.items() if span_of(about) in ((0, 1), (1, 2))]
    for _ in words:
        desk.campaign.assignment.prioritise({batch: 0.01 * (batch in words) for batch in asked})
        assert span_of(desk.about(desk.label(name, label))) in ((0, 1), (1, 2))


def test_what_others_decide_is_not_dealt_and_comes_back(nested: Queries) -> None:
    desk = Desk(started(nested.directory))
    assert states(desk, 0, 2) == ["open"]
    label_words(desk, "anna", "NO")  # so that "a b" is not acceptable either
    assert (states(desk, 0, 2), states(desk, 2, 3)) == (["needless"], ["open"] * 2)
    spans = []
    while not isinstance(desk.campaign.assignment.work_for(desk.judges["bert"]), Ended):
        spans.append(span_of(desk.about(desk.label("bert", "YES"))))
    # What is asked for both trees is asked once.
    assert sorted(spans) == [(2, 3), (3, 4), (4, 5)]
    # What anna said is set aside: her queries are asked again, and after another answer P's too.
    desk.campaign.access.set_state(desk.judges["anna"], "void")
    assert (states(desk, 0, 1), states(desk, 1, 2)) == (["open"], ["open"])
    desk.label("bert", "NOT SURE")
    assert states(desk, 0, 2) == ["open"]
    assert span_of(desk.about(desk.work("bert"))) == (0, 2)


def test_judges_who_are_erased_or_let_in_again_are_noticed(nested: Queries) -> None:
    desk = Desk(started(nested.directory))
    anna = desk.judges["anna"]
    label_words(desk, "anna", "NO")
    assert states(desk, 0, 2) == ["needless"]
    # bert only ever answers the others, which are more useful.
    for change, state in (
        (lambda: desk.campaign.access.set_state(anna, "void"), "open"),
        (lambda: desk.campaign.access.set_state(anna, "active"), "needless"),
        (lambda: desk.campaign.access.erase(anna), "open"),
    ):
        change()
        held = desk.work("bert")
        assert span_of(desk.about(held))[0] >= 2
        desk.label("bert", "NOT SURE", work=held)
        assert states(desk, 0, 2) == [state]


def test_a_query_for_two_judges_gets_both(asked: Queries) -> None:
    """A label of the first would leave the second nothing to decide."""
    desk = Desk(started(asked.directory, plan=CollectPlan(per_item=2)))
    for name in ("anna", "bert"):
        while not isinstance(desk.campaign.assignment.work_for(desk.judges[name]), Ended):
            desk.label(name, "YES", "NO")
    assert desk.rows("SELECT DISTINCT state, answered FROM campaign_slots") == [("done", 1)]
    assert len(read_campaign(desk.campaign.database.name).answers) == 2 * len(desk.batches())


def test_the_majority_of_judges_decides(nested: Queries) -> None:
    names = ["anna", "bert", "cleo"]
    desk = Desk(started(nested.directory, plan=CollectPlan(per_item=3)), names)
    for name, label, state in zip(
        names, ("NO", "YES", "NO"), ("needless", "open", "needless"), strict=True
    ):
        label_words(desk, name, label)
        assert states(desk, 0, 2) == [state] * 3


def test_queries_that_the_sentences_do_not_tell_of_stay(asked: Queries) -> None:
    path = asked.directory / "hits.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    write_lines(path, [*lines, query("mine")])
    desk = Desk(started(asked.directory))
    (mine,) = (batch for batch, about in desk.batches().items() if about["hit"] == "mine")
    before = desk.priorities()[mine]
    for _ in range(3):
        desk.label("anna", "NO")
    assert desk.priorities()[mine] == before


def test_without_sentences_nothing_is_done(asked: Queries) -> None:
    (asked.directory / "sentences.jsonl").unlink()
    desk = Desk(started(asked.directory))
    before = desk.priorities()
    desk.label("anna", "NO")
    after = desk.priorities()
    assert after == {batch: before[batch] for batch in after}


def test_what_goes_wrong_is_said_once_and_judging_goes_on(
    asked: Queries, caplog: pytest.LogCaptureFixture
) -> None:
    (asked.directory / "sentences.jsonl").write_text("nonsense\n")
    desk = Desk(started(asked.directory))
    for _ in range(3):
        desk.label("anna", "NO")
    (said,) = caplog.messages
    assert "queries stay in the order that they have: " in said
    assert "line 1 is not JSON" in said


def test_a_fault_in_between_is_made_good_by_the_next_answer(
    asked: Queries, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk(started(asked.directory))
    desk.label("anna", "NO")
    with monkeypatch.context() as patch:
        patch.setattr(upkeep, "_answers", lambda *_: 1 / 0)
        desk.label("anna", "NO")
        desk.label("anna", "YES")
    assert caplog.messages == [
        "weigh: queries stay in the order that they have: ZeroDivisionError: division by zero"
    ]
    desk.label("anna", "YES")
    expected, left = desk.expected(asked), desk.priorities()
    assert left == pytest.approx({batch: expected[batch] for batch in left}, rel=1e-12)


# Screening

Sheets = Callable[..., Desk]
Fresh = Callable[[], str]


@pytest.fixture
def simulation() -> Simulation:
    return simulate(systems=3, segments=80, hits=3, judges=1)


@pytest.fixture
def sheets(tmp_path: Path, simulation: Simulation) -> Sheets:
    """Return what starts a campaign of three HITs, as `weigh human plan` makes them."""

    def start(most: int = 100, database: str | None = None, **options: Any) -> Desk:
        hits = [replace(hit, items=hit.items[:most]) for hit in simulation.hits]
        sheet = Sheet(hits, [str(n) for n in range(1, 81)], "xx-en", "crowd-alone", 1)
        (tmp_path / "adequacy.jsonl").write_text(as_jsonl(sheet), encoding="utf-8")
        plan = CollectPlan(**{"screen": "crowd-alone"} | options)
        return Desk(started(tmp_path, database, plan))

    return start


def judgments(
    simulation: Simulation, hit: Hit, name: str, habit: Habit, seed: int
) -> list[Judgment]:
    """Return what somebody with a habit says to a sheet."""
    judge = Judge(name, habit, bias=5.0, spread=0.8, noise=8.0)
    (references,) = simulation.test_set.references
    return answers(hit, references, judge, Draws(seed))


def rate(
    desk: Desk, simulation: Simulation, name: str, habit: Habit, most: int = 100, seed: int = 7
) -> list[Judgment]:
    """Answer the rest of a sheet, or the first items of one, as somebody with a habit does."""
    first = desk.work(name)
    hit = next(each for each in simulation.hits if each.name == desk.about(first)["hit"])
    given = judgments(simulation, hit, name, habit, seed)
    for place in range(first.place - 1, most):
        work = desk.work(name)
        assert work.place == place + 1
        desk.say(name, {"score": int(given[place].value)}, work)
    return given[:most]


def state_of(desk: Desk, name: str) -> str:
    return desk.campaign.access.judge(desk.judges[name]).state


@pytest.mark.parametrize("habit", ["random", "constant", "generous"])
def test_who_does_not_look_is_screened(
    sheets: Sheets, simulation: Simulation, habit: Habit
) -> None:
    desk = sheets()
    rate(desk, simulation, "anna", habit, 99)
    assert state_of(desk, "anna") == "active"  # a sheet is tested as a whole
    given = rate(desk, simulation, "anna", habit)
    assert desk.campaign.assignment.work_for(desk.judges["anna"]) == Ended("screened")
    ((detail,),) = desk.rows("SELECT detail FROM campaign_events WHERE what = 'screened'")
    (verdict,) = quality(given, "crowd-alone").judges
    assert json.loads(detail) == {
        "by": "crowd-alone",
        "p_value": verdict.p_value,
        "controls": 10,
        "reasons": ["fails the test"],
    }
    # Others are dealt the rest, and what was answered is kept.
    rate(desk, simulation, "bert", "honest")
    assert state_of(desk, "bert") == "active"
    assert len(read_campaign(desk.campaign.database.name).answers) == 200


def test_honest_judges_go_on_to_the_end(sheets: Sheets, simulation: Simulation) -> None:
    desk = sheets()
    for seed in range(3):
        rate(desk, simulation, "anna", "honest", seed=seed)
    assert state_of(desk, "anna") == "active"
    assert desk.rows("SELECT COUNT(*) FROM campaign_events") == [(0,)]


def test_all_sheets_of_a_judge_are_tested_together(sheets: Sheets, simulation: Simulation) -> None:
    desk = sheets()
    given = rate(desk, simulation, "anna", "honest")
    assert state_of(desk, "anna") == "active"
    given += rate(desk, simulation, "anna", "random")
    (verdict,) = quality(given, "crowd-alone").judges
    assert (verdict.kept, verdict.controls) == (False, 20)
    ((detail,),) = desk.rows("SELECT detail FROM campaign_events WHERE what = 'screened'")
    assert (json.loads(detail)["p_value"], json.loads(detail)["controls"]) == (verdict.p_value, 20)


@pytest.mark.parametrize(("later", "state"), [("honest", "active"), ("constant", "screened")])
def test_who_fails_by_little_has_another_sheet(
    sheets: Sheets, simulation: Simulation, later: Habit, state: str
) -> None:
    """An honest judge who fails on one sheet passes on two; others fail on these too."""

    def p_value(seed: int) -> float:
        given = judgments(simulation, simulation.hits[0], "anna", "random", seed)
        (verdict,) = quality(given, "crowd-alone").judges
        assert verdict.p_value is not None
        return verdict.p_value

    seed = next(seed for seed in range(1000) if 0.05 < p_value(seed) <= 0.2)
    desk = sheets()
    given = rate(desk, simulation, "anna", "random", seed=seed)
    assert given == judgments(simulation, simulation.hits[0], "anna", "random", seed)
    assert state_of(desk, "anna") == "active"
    given += rate(desk, simulation, "anna", later)
    (verdict,) = quality(given, "crowd-alone").judges
    assert (verdict.controls, verdict.kept) == (20, state == "active")
    assert state_of(desk, "anna") == state


def test_what_is_held_is_given_to_others(sheets: Sheets, simulation: Simulation) -> None:
    """A judge may have been dealt the next sheet before the last one was tested."""
    desk = sheets()
    held: list[Work] = []
    behind = desk.upkeep.answered

    def later(judge: int, slot: int, item: int) -> None:
        following = desk.campaign.assignment.work_for(judge)
        held.extend([following] if isinstance(following, Work) else [])
        behind(judge, slot, item)

    desk.upkeep.answered = later  # type: ignore[method-assign]
    rate(desk, simulation, "anna", "random")
    assert state_of(desk, "anna") == "screened"
    assert held[-1].place == 1
    desk.upkeep.answered = behind  # type: ignore[method-assign]
    assert (desk.work("bert").slot, desk.work("bert").place) == (held[-1].slot, 1)


def test_whom_the_organiser_lets_in_again_stays(sheets: Sheets, simulation: Simulation) -> None:
    desk = sheets()
    rate(desk, simulation, "anna", "random")
    assert state_of(desk, "anna") == "screened"
    desk.campaign.access.set_state(desk.judges["anna"], "active")
    rate(desk, simulation, "anna", "random")
    assert state_of(desk, "anna") == "active"


def test_too_few_controls_are_no_reason(sheets: Sheets, simulation: Simulation) -> None:
    desk = sheets(most=60)  # where two damaged texts stand with those that they are made from
    given = rate(desk, simulation, "anna", "constant", 60)
    (verdict,) = quality(given, "crowd-alone").judges
    assert (verdict.p_value, verdict.controls) == (1.0, 2)
    assert state_of(desk, "anna") == "active"
    for _ in range(2):
        rate(desk, simulation, "anna", "constant", 60)
    assert state_of(desk, "anna") == "screened"


def test_nobody_is_screened_without_controls(sheets: Sheets, simulation: Simulation) -> None:
    desk = sheets(most=40)  # whose damaged texts are made from others, further down
    for _ in range(3):
        given = rate(desk, simulation, "anna", "constant", 40)
    (verdict,) = quality(given, "crowd-alone").judges
    assert (verdict.kept, verdict.p_value) == (False, None)
    assert state_of(desk, "anna") == "active"


def test_screening_is_asked_for(sheets: Sheets, simulation: Simulation) -> None:
    desk = sheets(screen="none")
    rate(desk, simulation, "anna", "random")
    assert state_of(desk, "anna") == "active"


def test_hasty_work_is_screened_by_appraise(sheets: Sheets, simulation: Simulation) -> None:
    """An item takes five seconds here, and a hit of a hundred should take ten minutes."""
    desk = sheets(screen="appraise")
    rate(desk, simulation, "anna", "honest")
    ((detail,),) = desk.rows("SELECT detail FROM campaign_events WHERE what = 'screened'")
    assert (json.loads(detail)["by"], state_of(desk, "anna")) == ("appraise", "screened")


# Either kind of database.


def test_usefulness_in_any_database(nested: Queries, fresh: Fresh) -> None:
    desk = Desk(started(nested.directory, fresh()))
    label_words(desk, "anna", "NO")
    assert (states(desk, 0, 2), states(desk, 2, 3)) == (["needless"], ["open"] * 2)
    desk.campaign.access.set_state(desk.judges["anna"], "void")
    desk.label("bert", "NOT SURE")
    assert states(desk, 0, 2) == ["open"]


def test_screening_in_any_database(sheets: Sheets, simulation: Simulation, fresh: Fresh) -> None:
    desk = sheets(database=fresh())
    rate(desk, simulation, "anna", "random")
    rate(desk, simulation, "bert", "honest")
    assert (state_of(desk, "anna"), state_of(desk, "bert")) == ("screened", "active")
