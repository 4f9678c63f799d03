"""The organiser's pages: what they show, what they change, and what nobody else gets."""

from __future__ import annotations

import re
import time
from html import unescape
from pathlib import Path

import pytest
from sqlalchemy import text

import campaigns
from unit.web.campaign_files import (
    HOSTILE,
    assessment,
    document,
    pairs,
    part,
    sheet,
    versions,
    write_lines,
)
from unit.web.judged import judged_campaign
from unit.web.visiting import BASE, Visitor
from weigh.web.app import make_app
from weigh.web.assignment import Ended, Work
from weigh.web.campaigns import Campaign, start_campaign
from weigh.web.live import Live
from weigh.web.plan import CollectPlan

_LINK = rf"{BASE}(/enter/[\w-]{{43}})"
_HOSTILE_SYSTEM = '<img src=x onerror=alert(1)> & "co" \''


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """Return a campaign of three judges with hostile names, who have judged 300 items."""
    campaign, _ = judged_campaign(
        tmp_path_factory.mktemp("campaign") / "tasks",
        CollectPlan(title="Pilot <b>1</b>", price=0.25),
        hits=5,
        most=300,
        names=["<script>alert(1)</script>", 'Bert & "co"', "'; DROP TABLE campaigns; --"],
        called={"ash": _HOSTILE_SYSTEM},
    )
    return campaign


@pytest.fixture
def small(tmp_path: Path) -> Campaign:
    """Return a campaign that somebody has begun."""
    hits = [assessment("a-1"), assessment("a-2", text="Other")]
    write_lines(tmp_path / "tasks" / "adequacy.jsonl", hits)
    campaign = start_campaign(tmp_path / "tasks")
    anna, _ = campaign.access.add(["anna", "bert"])
    answer(campaign, anna.id, 10, 80)
    return campaign


def answer(campaign: Campaign, judge: int, *scores: int) -> None:
    for score in scores:
        work = campaign.assignment.work_for(judge)
        assert isinstance(work, Work)
        place = judge, work.slot, work.item, work.revision
        campaign.assignment.answer(*place, {"score": score}, f"{judge}-{work.item}", 5.0)


class Organiser:
    """Somebody with the organiser's link."""

    def __init__(self, campaign: Campaign) -> None:
        self.browser = Visitor(make_app(campaign))
        self.browser.enter(campaign.access.link("organiser"))

    def page(self, path: str = "/organiser", status: int = 200) -> str:
        response = self.browser.get(path)
        assert response.status_code == status
        return response.text

    def settled(self) -> str:
        """Return the overview when results have been worked out."""
        until = time.monotonic() + 30
        while "data-pending" in (page := self.page()):
            assert time.monotonic() < until
            time.sleep(0.1)
        return page

    def csrf(self) -> str:
        """Return what forms carry."""
        found = re.search(r'name="csrf" value="([0-9a-f]+)"', self.page())
        assert found is not None
        return found[1]

    def do(self, path: str, status: int = 200, **fields: object) -> str:
        """Send a form and return the page that it leads to."""
        given = {"csrf": self.csrf(), **{name: str(value) for name, value in fields.items()}}
        response = self.browser.post(path, given)
        if response.is_redirect:
            response = self.browser.get(response.headers["location"].partition("#")[0])
        assert response.status_code == status
        return response.text


@pytest.fixture
def organiser(small: Campaign) -> Organiser:
    return Organiser(small)


def words_of(page: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", page)))


def test_the_overview_says_the_conclusion_first_then_progress_results_and_judges(
    judged: Campaign,
) -> None:
    page = Organiser(judged).settled()
    headings = [words_of(each) for each in re.findall(r"<h2[^>]*>.*?</h2>", page)]
    assert headings[:3] == ["Conclusions so far", "Progress", "Results"]
    assert headings[-3:] == ["Judges", "Campaign", "Files"]
    words = words_of(page)
    assert "300 of 500 answers" in words
    assert "75.00 for 300 answers; 50.00 for the remaining ones" in words
    assert "pairs differ significantly" in words
    assert "As of " in words
    assert "100%" not in words.split("Results")[0]
    assert "<svg" in page  # the heat map, and scores with intervals


def test_hostile_names_are_shown_as_text(judged: Campaign) -> None:
    organiser = Organiser(judged)
    judges = [f"/organiser/judges/{judge.id}" for judge in judged.access.judges()]
    reports = [f"/organiser/results/{name}" for name in ("ranking", "quality", "agreement")]
    organiser.settled()
    for path in ["/organiser", *judges, *(f"{each}/erase" for each in judges), *reports]:
        page = organiser.page(path)
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "Pilot <b>" not in page
    overview = words_of(organiser.page())
    for name in ("<script>alert(1)</script>", 'Bert & "co"', "'; DROP TABLE campaigns; --"):
        assert name in overview
    assert _HOSTILE_SYSTEM in overview


def test_reports_are_whole_pages_with_a_policy_that_fits_them(judged: Campaign) -> None:
    organiser = Organiser(judged)
    organiser.settled()
    for name in ("ranking", "quality", "agreement"):
        response = organiser.browser.get(f"/organiser/results/{name}")
        policy = response.headers["content-security-policy"]
        declared = re.search(r'Content-Security-Policy" content="([^"]*)"', response.text)
        assert declared is not None
        assert policy == f"{unescape(declared[1])}; frame-ancestors 'none'"
        assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
        assert '<script type="application/octet-stream" id="data">' in response.text
    assert organiser.page("/organiser/results/ranking").count('class="picture"') >= 2


def test_only_the_organiser_gets_in(small: Campaign) -> None:
    stranger = Visitor(make_app(small))
    judge = Visitor(make_app(small))
    (anna, _) = small.access.judges()
    judge.get(f"/enter/{small.access.link('judge', anna.id)}")
    for browser in (stranger, judge):
        for path in (
            "/organiser",
            "/organiser/results/ranking",
            f"/organiser/judges/{anna.id}",
            f"/organiser/judges/{anna.id}/erase",
            "/organiser/export/scores-jsonl",
        ):
            response = browser.get(path)
            assert response.status_code == 401
            assert "bert" not in response.text
        for path in ("/organiser/judge", "/organiser/campaign", "/organiser/leave"):
            fields = {"judge": str(anna.id), "do": "void", "csrf": "0" * 32}
            assert browser.post(path, fields).status_code == 401
    assert small.access.judge(anna.id).state == "active"


def test_a_judge_is_paused_and_goes_on(small: Campaign, organiser: Organiser) -> None:
    (anna, bert) = small.access.judges()
    page = organiser.do("/organiser/judge", judge=anna.id, do="paused")
    assert "paused" in words_of(page)
    assert small.assignment.work_for(anna.id) == Ended("paused")
    assert isinstance(small.assignment.work_for(bert.id), Work)
    organiser.do("/organiser/judge", judge=anna.id, do="active", **{"from": "list"})
    assert isinstance(small.assignment.work_for(anna.id), Work)


def test_what_a_judge_holds_is_given_to_others(small: Campaign, organiser: Organiser) -> None:
    (anna, bert) = small.access.judges()
    held = small.assignment.work_for(anna.id)
    assert isinstance(held, Work)
    page = organiser.do("/organiser/judge", judge=anna.id, do="release")
    assert "1 sheet released to other judges" in words_of(page)
    taken = small.assignment.work_for(bert.id)
    assert isinstance(taken, Work)
    assert (taken.slot, taken.place) == (held.slot, 3)
    page = organiser.do("/organiser/judge", judge=anna.id, do="release")
    assert "No sheets were assigned" in words_of(page)


def test_a_judge_is_set_aside_and_taken_back_in(small: Campaign, organiser: Organiser) -> None:
    (anna, _) = small.access.judges()
    organiser.do("/organiser/judge", judge=anna.id, do="void")
    page = words_of(organiser.settled())
    assert "0 of 8 answers" in page
    assert "without 2 that were set aside" in page
    page = words_of(organiser.do("/organiser/judge", judge=anna.id, do="active"))
    assert "active" in page
    assert "set aside" in page  # in what was done
    assert "2 of 8 answers" in words_of(organiser.page())


def test_an_erasure_is_asked_for_twice_and_leaves_a_tally(
    small: Campaign, organiser: Organiser
) -> None:
    (anna, _) = small.access.judges()
    page = words_of(organiser.page(f"/organiser/judges/{anna.id}/erase"))
    assert "2 answers of adequacy" in page
    assert "cannot be undone" in page
    assert "the number of erased answers" in page
    page = organiser.do("/organiser/judge", judge=anna.id, do="erase")
    assert "cannot be undone" in words_of(page)  # not sure yet
    assert small.access.judge(anna.id).state == "active"
    page = organiser.do("/organiser/judge", judge=anna.id, do="erase", sure="yes")
    assert "2 answers and everything" in words_of(page)
    assert "anna" not in organiser.page()
    with small.database.reading() as connection:
        answers = connection.execute(text("SELECT COUNT(*) FROM campaign_answers")).scalar()
        detail = connection.execute(
            text("SELECT detail FROM campaign_events WHERE what = 'erased'")
        ).scalar()
    assert (answers, detail) == (0, '{"adequacy": 2}')
    organiser.do("/organiser/judge", 404, judge=anna.id, do="active")
    organiser.page(f"/organiser/judges/{anna.id}/erase", 404)


def test_a_new_link_lets_a_judge_in_and_may_end_those_before(
    small: Campaign, organiser: Organiser
) -> None:
    (anna, _) = small.access.judges()
    before = small.access.link("judge", anna.id)
    page = organiser.do("/organiser/judge", judge=anna.id, do="link")
    (link,) = re.findall(_LINK, page)
    for each in (link, f"/enter/{before}"):
        assert Visitor(make_app(small)).get(each).status_code == 200
    page = organiser.do("/organiser/judge", judge=anna.id, do="link", revoke="yes")
    (newest,) = re.findall(_LINK, page)
    assert Visitor(make_app(small)).get(newest).status_code == 200
    for each in (link, f"/enter/{before}"):
        assert Visitor(make_app(small)).get(each).status_code == 401
    assert organiser.page()  # whose own session goes on


def test_judges_are_added_by_name(small: Campaign, organiser: Organiser) -> None:
    names = "cleo\r\n\r\n  dora \r\nanna\r\ncleo"
    page = organiser.do("/organiser/campaign", do="add", names=names)
    assert len(re.findall(_LINK, page)) == 3
    assert [judge.name for judge in small.access.judges()] == ["anna", "bert", "cleo", "dora"]
    organiser.do("/organiser/campaign", 400, do="add", names=" \n")
    refused = organiser.do("/organiser/campaign", 400, do="add", names="a\tb\nemil")
    assert "is not a valid judge name" in refused
    assert len(small.access.judges()) == 4


def test_an_open_link_deals_out_judges(small: Campaign, organiser: Organiser) -> None:
    page = organiser.do("/organiser/campaign", do="open-link")
    (link,) = re.findall(_LINK, page)
    newcomer = Visitor(make_app(small))
    assert "Begin" in newcomer.get(link).text
    newcomer.post("/begin", {"token": link.removeprefix("/enter/")})
    assert len(small.access.judges()) == 3


def test_a_campaign_is_closed_and_reopened(small: Campaign, organiser: Organiser) -> None:
    (anna, _) = small.access.judges()
    assert "Closed: no answers" in organiser.do("/organiser/campaign", do="close")
    assert not small.is_open
    assert small.assignment.work_for(anna.id) == Ended("closed")
    assert "Open;" in organiser.do("/organiser/campaign", do="reopen")
    assert isinstance(small.assignment.work_for(anna.id), Work)


def test_what_cannot_be_done_is_refused(small: Campaign, organiser: Organiser) -> None:
    (anna, _) = small.access.judges()
    organiser.do("/organiser/judge", 400, judge=anna.id, do=HOSTILE)
    organiser.do("/organiser/judge", 400, judge=anna.id, do="screened")
    organiser.do("/organiser/campaign", 400, do=HOSTILE)
    for number in ("", "99", "1 OR 1=1"):
        organiser.do("/organiser/judge", 404, judge=number, do="void")
    organiser.page("/organiser/judges/99", 404)
    assert small.access.judge(anna.id).state == "active"


def test_who_leaves_is_out(organiser: Organiser) -> None:
    organiser.do("/organiser/leave")
    organiser.page(status=401)


def test_headers_of_the_organisers_pages_allow_no_script_but_ours(organiser: Organiser) -> None:
    response = organiser.browser.get("/organiser")
    policy = response.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "style-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert response.headers["cache-control"] == "no-store"
    inline = [each for each in re.findall(r"<script[^>]*>", response.text) if "src=" not in each]
    assert inline == []
    assert not re.search(r"\son\w+=", re.sub(r">[^<]*<", "><", response.text))
    style = organiser.browser.get("/organiser/report.css")
    assert style.headers["content-type"].startswith("text/css")


def test_results_are_worked_out_once_for_each_change(
    small: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    from weigh.web import live as module
    from weigh.web.standing import standing_of

    (anna, bert) = small.access.judges()
    worked_out = []

    def counted(campaign: Campaign, _: object) -> object:
        worked_out.append(campaign.id)
        return standing_of(campaign)

    monkeypatch.setattr(module, "standing_of", counted)
    live = Live(small, share=1.0)
    for _ in range(3):
        findings, pending = live.findings(patience=30)
        assert findings is not None
        assert (findings.standing.answers, pending) == (2, False)
    assert len(worked_out) == 1
    answer(small, bert.id, 10)
    findings, _ = live.findings(patience=30)
    assert findings is not None
    assert findings.standing.answers == 3
    small.access.set_state(anna.id, "void")
    findings, _ = live.findings(patience=30)
    assert findings is not None
    assert findings.standing.answers == 1
    assert len(worked_out) == 3


def test_those_who_ask_do_not_wait_and_get_what_was_known_before(
    small: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    from threading import Event

    from weigh.web import live as module
    from weigh.web.standing import standing_of

    go_on = Event()
    (_, bert) = small.access.judges()
    live = Live(small, share=1.0)
    live.findings(patience=30)

    def slow(campaign: Campaign, _: object) -> object:
        assert go_on.wait(30)
        return standing_of(campaign)

    monkeypatch.setattr(module, "standing_of", slow)
    answer(small, bert.id, 10)
    findings, pending = live.findings(patience=0.01)
    assert findings is not None
    assert (findings.standing.answers, pending) == (2, True)
    go_on.set()
    findings, pending = live.findings(patience=30)
    assert findings is not None
    assert (findings.standing.answers, pending) == (3, False)


def test_a_database_that_is_gone_fails_no_thread(
    small: Campaign, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import threading

    from weigh.web import live as module

    def closed(*_: object) -> None:
        raise OSError("unable to open database file")

    unhandled: list[object] = []
    monkeypatch.setattr(threading, "excepthook", unhandled.append)
    monkeypatch.setattr(module, "standing_of", closed)
    live = Live(small, share=1.0)
    assert live.findings(patience=30) == (None, True)
    assert live.failure.startswith("an internal error occurred")
    assert "unable to open database file" in caplog.text
    while any(thread.name == "weigh-findings" for thread in threading.enumerate()):
        time.sleep(0.01)
    assert not unhandled


def test_results_take_no_more_than_their_share_of_the_time(small: Campaign) -> None:
    (_, bert) = small.access.judges()
    live = Live(small, share=0.001)
    live.findings(patience=30)
    answer(small, bert.id, 10)
    findings, pending = live.findings(patience=30)
    assert findings is not None
    assert (findings.standing.answers, pending) == (2, True)


def test_judges_see_no_system_and_no_name_of_another(judged: Campaign) -> None:
    judge = judged.access.judges()[1]
    browser = Visitor(make_app(judged))
    browser.get(f"/enter/{judged.access.link('judge', judge.id)}")
    page = browser.get("/work").text
    for secret in ("onerror", "birch", "alert(1)", "DROP"):
        assert secret not in page


def test_answers_are_saved_as_files_that_our_readers_read(judged: Campaign, tmp_path: Path) -> None:
    from weigh.human.judgments import read_judgments

    organiser = Organiser(judged)
    page = organiser.page()
    names = re.findall(r'href="/organiser/export/([\w-]+)"', page)
    assert names == [f"scores-{form}" for form in ("jsonl", "tsv")]
    for name in names:
        response = organiser.browser.get(f"/organiser/export/{name}")
        assert response.status_code == 200
        disposition = response.headers["content-disposition"]
        told = re.fullmatch(
            r'attachment; filename="(tasks-scores(?:-\w+)?\.(?:jsonl|tsv|csv|json))"', disposition
        )
        assert told is not None
        path = tmp_path / f"{name}{Path(told[1]).suffix}"
        path.write_bytes(response.content)
        read = read_judgments(str(path), names=True)
        assert len(read.judgments) == 300  # type: ignore[union-attr]


def test_files_without_answers_are_refused_in_words(organiser: Organiser) -> None:
    assert "no answers of" in organiser.page("/organiser/export/labels-tsv", 422)


def test_of_very_many_judges_those_are_listed_who_were_seen_last(
    small: Campaign, organiser: Organiser
) -> None:
    small.access.add([f"judge {number}" for number in range(300)])
    rows = re.findall(r"/organiser/judges/\d+\"><bdi>([^<]*)", organiser.page())
    assert len(rows) == 200
    assert rows[0] == "anna"  # the only one who has answered
    rows = re.findall(r"/organiser/judges/\d+\"><bdi>", organiser.page("/organiser?judges=all"))
    assert len(rows) == 302


def test_answers_that_cannot_be_worked_out_are_told(small: Campaign) -> None:
    with small.database.writing() as connection:
        connection.execute(text('UPDATE campaign_answers SET answer = \'{"score": "a lot"}\''))
    organiser = Organiser(small)
    until = time.monotonic() + 30
    while "could not be computed" not in (page := organiser.page()):
        assert time.monotonic() < until
        time.sleep(0.1)
    assert "2 of 8 answers" in words_of(page)
    assert "the score is 'a lot'" in words_of(page)


@pytest.mark.parametrize(
    ("lines", "kinds", "shown"),
    [
        (
            [document("esa"), document("mqm", hit="m"), versions("adequacy")],
            ["Errors and scores (ESA), by page", "Errors (MQM), by page", "Versions side by side"],
            ["scores-jsonl", "scores-tsv"],
        ),
        ([pairs(6)], ["Pairs of systems"], ["preferences-jsonl", "preferences-tsv"]),
        (
            [pairs(6), sheet("esa", [part(1, "A"), part(2, "B")])],
            ["Pairs of systems", "Errors and scores (ESA), by page"],
            ["scores-tsv", "preferences-tsv"],
        ),
    ],
)
def test_every_kind_is_counted_shown_and_exported(
    tmp_path: Path, lines: list[dict[str, object]], kinds: list[str], shown: list[str]
) -> None:
    write_lines(tmp_path / "tasks.jsonl", lines)
    campaign = campaigns.started(tmp_path, plan=CollectPlan(per_item=2))
    for name in ("anna", "bert"):
        campaigns.judge(campaign, name)
    organiser = Organiser(campaign)
    page = organiser.settled()
    for kind in kinds:
        assert f">{kind}" in page
    assert "could not be computed" not in page
    for name in shown:
        assert organiser.page(f"/organiser/export/{name}").count("\n") > 1
    results = re.findall(r'href="/organiser/results/(\w+)"', page)
    assert "ranking" in results
    for name in results:
        assert "<h1" in organiser.page(f"/organiser/results/{name}")
    assert "secret-" in organiser.page("/organiser/results/ranking")
    campaigns.close_all()
