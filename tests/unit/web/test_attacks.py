"""Attacks on the pages: scripts in texts, forged forms, guessed links, and everything too large."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator
from hashlib import blake2b
from itertools import count, product
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from unit.web.small_campaign import batch_of, campaign_in, known, rated
from unit.web.visiting import BASE, Page, Visitor
from weigh.errors import UsageError
from weigh.web import judging
from weigh.web.app import make_app
from weigh.web.assignment import NEWCOMER_LEASE
from weigh.web.campaigns import Campaign, open_campaign, start_campaign
from weigh.web.guard import LARGEST_BODY, Rates, Seal
from weigh.web.plan import CollectPlan
from weigh.web.tasks import Tasks

PROBE = "\"'><xss-probe onload=alert(1)></xss-probe><script>alert(2)</script>{{7*7}}<!--"
SQL = (
    "'; DROP TABLE campaign_answers; --",
    "1 OR 1=1",
    "1) UNION SELECT hash FROM campaign_tokens",
)
HEADERS = (
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "x-frame-options",
    "cache-control",
    "permissions-policy",
    "cross-origin-opener-policy",
)


def query(said: str, **more: Any) -> dict[str, Any]:
    """Return a line of RYPT queries."""
    alternative = {
        "candidate": f"{said} b c",
        "places": [0, 2],
        "substring": f"{said} SUBSTRINGQXSECRET",
    }
    return {
        "hit": f"{said} q",
        "source": f"x {said} y",
        "start": 1,
        "end": 2,
        "reference": f"r {said}",
        "reference_places": [1],
        "alternatives": [alternative, alternative],
    } | more


def every_kind(said: str) -> dict[str, Any]:
    """Return tasks of every kind, with a text in all their fields."""
    secret = {
        "system": f"SYSTEMQXSECRET{said}",
        "segment": f"SEGMENTQXSECRET{said}",
        "kind": f"KINDQXSECRET{said}",
    }
    one = {**secret, "number": 1, "of": "OFQXSECRET", "text": said, "reference": said}
    two = one | {"number": 2}
    work = (
        {"hit": f"HITQXSECRET {said}", "pair": "de-en", "scale": "adequacy", "items": [one, two]},
        {"hit": f"HITQXSECRET f{said}", "pair": "de-en", "scale": "fluency", "items": [one]},
        query(said),
        {
            "pair": f"PAIRQXSECRET {said}",
            "source": said,
            "reference": said,
            "left": said,
            "right": said,
        },
    )
    training = {"hit": "t", "scale": "adequacy", "text": said, "expected": [0, 100]}
    training["reference"] = said
    pair = {"pair": "t2", "left": said, "right": said, "expected": "left", "feedback": said}
    control = {"pair": "CONTROLQXSECRET", "left": said, "right": said, "expected": "left"}
    return {
        "batches": tuple(map(batch_of, work)),
        "training": tuple(
            batch_of(each, "training") for each in (training | {"feedback": said}, pair)
        ),
        "controls": (batch_of(control, "control"),),
        "instructions": said,
        "consent": said,
        "keys": ({"secret": "KEYQXSECRET", "judges": 1},),
    }


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Campaign]]:
    numbers = count()
    made: list[Campaign] = []

    def campaign(tasks: dict[str, Any] | None = None, **plan: Any) -> Campaign:
        tasks = tasks or {"batches": (rated("sheet"), rated("other"))}
        place = tmp_path / f"{next(numbers)}.db"
        made.append(campaign_in(place, tasks.pop("batches"), CollectPlan(**plan), **tasks))
        return made[-1]

    yield campaign
    for each in made:
        each.database.close()


def judge_of(campaign: Campaign, name: str = "jo", app: Any = None) -> Visitor:
    """Return a judge who has come in."""
    [judge] = campaign.access.add([name])
    visitor = Visitor(app or make_app(campaign))
    assert visitor.enter(campaign.access.link("judge", judge.id)).status_code == 200
    return visitor


def answers_in(campaign: Campaign) -> list[Any]:
    with campaign.database.reading() as connection:
        return connection.execute(
            text("SELECT slot, item, revision, judge, answer FROM campaign_answers ORDER BY id")
        ).all()


def token_of(visitor: Visitor) -> str:
    [token] = visitor.http.cookies.values()
    return token


# What is sent to people.


def check_page(answer: httpx.Response) -> None:
    """Assert that nothing of a text has become an element, an attribute or a script.

    Pages of results, which are there if they were worked out in time, have scripts and styles of
    their own, which their policy names by digests.
    """
    is_report = answer.url.path.startswith("/organiser/results/")
    for tag, given in Page(answer.text).elements:
        assert tag != "xss-probe"
        if is_report:
            assert "'sha256-" in answer.headers["content-security-policy"]
            assert not [name for name in given if name.startswith("on")]
            continue
        if tag == "script":
            assert re.fullmatch(r"/static/[\w.-]+(\?[\w.=-]+)?", given.get("src", ""))
        for name, value in given.items():
            assert not name.startswith("on"), (tag, name)
            assert name != "style"
            if name in ("href", "src", "action"):
                assert value.startswith(("/", "#", "https://", "data:,")), value
                assert not value.startswith("//")
    assert "<!--" not in answer.text
    assert "49" not in re.findall(r"xss-probe&gt;\S*?(\d+)", answer.text)


def test_a_script_in_any_text_stays_text(make: Callable[..., Campaign]) -> None:
    url = f"https://end.test/?x={PROBE}&c={{code}}"
    campaign = make(
        every_kind(PROBE), title=PROBE, pair=f"{PROBE}-{PROBE}", completion_url=url, control_every=1
    )
    app = make_app(campaign)
    judge = judge_of(campaign, PROBE, app)
    assert judge.judge_all() >= 8
    judge.get("/work/back")
    judge.get("/work/instructions")
    judge.get(f"/work/{PROBE}")
    form = Page(judge.get("/work/back").text).form
    judge.post(form.action, dict.fromkeys(form.fields, PROBE) | {"csrf": form.fields["csrf"]})
    judge.post(form.action, form.fields | {"revision": "0", "submission": PROBE, "began": PROBE})
    stranger = Visitor(app)
    stranger.get(f"/enter/{PROBE}")
    invited = Visitor(app)
    link = campaign.access.link("open")
    begin = Page(invited.get(f"/enter/{link}", params={"PROLIFIC_PID": PROBE}).text).form
    assert begin.fields["external"] == PROBE
    invited.post("/begin", begin.fields)
    invited.get("/work")
    pages = [each for who in (judge, stranger, invited) for each in who.seen]
    pages += crawl(campaign, app)
    assert sum(PROBE[:9].replace('"', "&#34;") in each.text or "xss" in each.text for each in pages)
    for each in pages:
        if "html" in each.headers.get("content-type", ""):
            check_page(each)


def crawl(campaign: Campaign, app: Any) -> list[httpx.Response]:
    """Return all pages that an organiser can come to by links."""
    organiser = Visitor(app)
    to_see = [organiser.enter(campaign.access.link("organiser"))]
    seen = {"/organiser"}
    while to_see:
        for tag, given in Page(to_see.pop().text).elements:
            path = given.get("href", "").partition("#")[0]
            if tag == "a" and path.startswith("/") and path not in seen and len(seen) < 60:
                seen.add(path)
                answer = organiser.get(path)
                assert answer.status_code < 500, path
                if "html" in answer.headers.get("content-type", ""):
                    to_see.append(answer)
    return organiser.seen


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//evil.test", "x"])
def test_a_judge_is_led_to_web_pages_only(url: str) -> None:
    with pytest.raises(UsageError):
        CollectPlan(completion_url=url)


def test_a_judge_is_never_sent_what_should_not_be_known(make: Callable[..., Campaign]) -> None:
    campaign = make(every_kind("plain"), title="Title", control_every=1)
    judge = judge_of(campaign)
    assert judge.judge_all() >= 8
    judge.get("/work/back")
    sent = b"".join(
        each.content + repr(each.headers.raw).encode() + str(each.url).encode()
        for each in judge.seen
    )
    assert b"plain" in sent
    found = re.findall(rb"\w+QXSECRET\w*", sent)
    assert found == []


def test_controls_look_like_all_other_items(make: Callable[..., Campaign]) -> None:
    tasks = {"batches": tuple(rated(f"s{n}", 1) for n in range(3)), "controls": ()}
    tasks["controls"] = (known("c", "control"),)
    campaign = make(tasks, control_every=1)
    judge = judge_of(campaign)
    judge.item()

    shapes = []
    roles = []
    for _ in range(4):
        page = judge.get("/work").text
        shapes.append([tag for tag, _ in Page(page).elements if tag not in ("h3", "p", "div")])
        form = Page(page).form
        with campaign.database.reading() as connection:
            roles.append(
                connection.execute(text("SELECT role FROM campaign_slots WHERE until > 0")).scalar()
            )
        to = judge.post(form.action, form.fields).headers["location"]
        assert to == f"/work?saved={form.fields['submission']}"
    assert roles == ["work", "control", "work", "work"]
    assert shapes[1] == shapes[2]


def own_mac(cookie: str, text: str) -> str:
    """What a judge can compute: a digest keyed by the own cookie."""
    key = blake2b(cookie.encode()).digest()
    return blake2b(text.encode(), key=key, digest_size=16).hexdigest()


def own_number(cookie: str, number: int) -> int:
    """What a judge makes of a number in the page with the own cookie."""
    left, right = number >> 16, number & 0xFFFF
    for turn in reversed(range(4)):
        left, right = right ^ int(own_mac(cookie, f"{turn} {left}")[:4], 16), left
    return left << 16 | right


def test_a_judge_cannot_tell_controls_apart_by_cookie_and_page(
    make: Callable[..., Campaign],
) -> None:
    tasks = {"batches": tuple(rated(f"s{n}", 1) for n in range(9))}
    controls = tuple(known(f"c{n}", "control") for n in range(8))
    campaign = make(tasks | {"controls": controls}, control_every=1, passed=0.0)
    judge = judge_of(campaign)
    judge.item()
    cookie = token_of(judge)
    forms, roles = [], []
    for _ in range(17):
        forms.append(judge.item())
        with campaign.database.reading() as connection:
            held = "SELECT role FROM campaign_slots WHERE state = 'open' AND judge IS NOT NULL"
            roles.append(connection.execute(text(held)).scalar())
        assert judge.post(forms[-1].action, forms[-1].fields).status_code == 303
    assert roles.count("control") == 8
    rows = [{name: int(form.fields[name]) for name in ("slot", "item")} for form in forms]
    # Numbers of rows are small, so that what is small was decrypted.
    assert all(own_number(cookie, number) > 999 for row in rows for number in row.values())
    # A sheet of one item has the number of its item, a control that is added later has not.
    assert all(row["slot"] != row["item"] for row in rows)


@pytest.mark.parametrize("claimed", [3600.0, 0.0])
def test_a_judge_cannot_forge_times(
    make: Callable[..., Campaign], claimed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = make()
    judge = judge_of(campaign)
    first = judge.item()
    assert judge.post(first.action, first.fields).status_code == 303
    form = judge.item()
    cookie, at = token_of(judge), f"{time.time() - claimed:.3f}"
    own, mac = form.fields["began"].split("-")
    for forged in (
        f"{at}-{own_mac(cookie, at)}",
        f"-{own_mac(cookie, '')}",
        "",
        "-",
        own,
        f"{at}-{mac}",
        first.fields["began"],  # of another item
    ):
        answer = judge.post(form.action, form.fields | {"began": forged, "active": str(claimed)})
        assert answer.status_code == 400, forged
        assert "Traceback" not in answer.text
    without = {name: value for name, value in form.fields.items() if name != "began"}
    assert judge.post(form.action, without).status_code == 400
    assert len(answers_in(campaign)) == 1
    assert judge.post(form.action, form.fields | {"active": "3600"}).status_code == 303
    # Nor is an answer that is changed later taken to have lasted since the first one.
    later = time.time() + 3600
    monkeypatch.setattr(time, "time", lambda: later)
    again = Page(judge.get("/work/back").text).form
    old = again.fields | {"began": form.fields["began"], "active": "3600", "score": "51"}
    assert again.fields["revision"] == "1"
    assert judge.post(again.action, old).status_code == 400
    assert judge.post(again.action, again.fields | {"active": "3600"}).status_code == 303
    with campaign.database.reading() as connection:
        seconds = connection.execute(text("SELECT seconds FROM campaign_answers")).scalars().all()
    assert len(seconds) == 3
    assert all(0 <= each < 60 for each in seconds)


def test_a_judge_cannot_make_the_token_of_a_form(make: Callable[..., Campaign]) -> None:
    judge = judge_of(make())
    form = judge.item()
    forged = form.fields | {"csrf": own_mac(token_of(judge), "csrf")}
    assert judge.post(form.action, forged).status_code == 403


def test_the_secret_of_a_campaign_is_kept_and_never_sent(make: Callable[..., Campaign]) -> None:
    campaign, other = make(every_kind("plain")), make()
    app = make_app(campaign)
    judge = judge_of(campaign, app=app)
    judge.judge_all()
    secret = campaign.secret()
    assert len(secret) == 32
    assert campaign.secret() == secret != other.secret()
    assert open_campaign(campaign.location).secret() == secret
    sent = b"".join(each.content for each in [*judge.seen, *crawl(campaign, app)])
    assert secret.hex().encode() not in sent


# Parameters.


@pytest.mark.parametrize(
    "attack", [*SQL, "\0", "\ud800", "-1", "9" * 400, "1e309", "٣", "\r\nX: y"]
)
def test_nothing_in_a_parameter_breaks_or_changes_anything(
    make: Callable[..., Campaign], attack: str
) -> None:
    campaign = make()
    app = make_app(campaign)
    judge = judge_of(campaign, app=app)
    form = judge.item()
    sent = attack.encode("utf-8", "surrogatepass")
    for name in form.fields:
        if name != "submission":
            fields = {each: value.encode() for each, value in form.fields.items()}
            judge.post(form.action, fields | {name: sent, "score": b"50"})
    for path in ("back", f"feedback/{'9' * 30}/1", "feedback/1/1", "item/1/1"):
        judge.get(f"/work/{path}", params={"slot": sent, "item": sent})
    link = campaign.access.link("open")
    judge.get(f"/enter/{link}", params={"PROLIFIC_PID": sent, "workerId": sent})
    for name in ("token", "external"):
        judge.post("/begin", {"token": link.encode(), "external": b"x"} | {name: sent})
    for path in ("/enter/", "/work/", "/work/feedback/", "/static/", "/organiser/"):
        judge.get(path + re.sub(rb"[^\w-]", lambda m: b"%%%02x" % m[0][0], sent).decode("latin-1"))
    judge.http.cookies = {
        name: attack.encode("ascii", "replace").decode().replace("\0", "").replace("\r\n", "")
        for name in judge.http.cookies
    }
    judge.get("/work")
    judge.http.cookies = {}
    assert {each.status_code for each in judge.seen if each.status_code >= 500} == set()
    for each in judge.seen:
        assert "x" not in each.headers
        assert each.headers.get("location", "/").startswith("/")
    # Only what did no harm was saved, which is an answer of 50 with strange times.
    assert {row[4] for row in answers_in(campaign)} == {'{"score": 50}'}
    with campaign.database.reading() as connection:
        seconds = connection.execute(text("SELECT seconds FROM campaign_answers")).scalars().all()
    assert all(each is None or 0 <= each < 1e5 for each in seconds)


def test_what_names_a_submission_is_kept_as_it_is(make: Callable[..., Campaign]) -> None:
    campaign = make()
    judge = judge_of(campaign)
    for attack in SQL:
        form = judge.item()
        assert judge.post(form.action, form.fields | {"submission": attack}).status_code == 303
    with campaign.database.reading() as connection:
        kept = connection.execute(text("SELECT submission FROM campaign_answers ORDER BY id"))
        assert kept.scalars().all() == [*SQL]


def test_numbers_off_the_scale_are_not_saved_and_stay_in_the_form(
    make: Callable[..., Campaign],
) -> None:
    campaign = make()
    judge = judge_of(campaign)
    form = judge.item()
    for score in ("", "-1", "101", "1e2", "0x10", "NaN", "5.5", "٥", "9" * 99):
        answer = judge.post(form.action, form.fields | {"score": score, "active": "nan"})
        assert answer.status_code == 422, score
        again = Page(answer.text).form.fields
        assert {**again, "score": "", "began": ""} == {**form.fields, "score": "", "began": ""}
    assert answers_in(campaign) == []


# Forms from elsewhere.


def changing(app: Any) -> list[str]:
    """Return the paths of all forms."""
    from starlette.routing import Route

    return [
        re.sub(r"{\w+(:\w+)?}", "1", route.path)
        for route in routes_of(app)
        if isinstance(route, Route) and "POST" in (route.methods or ())
    ]


def routes_of(app: Any) -> list[Any]:
    while not hasattr(app, "routes"):
        app = app._app
    return list(app.routes)


def dump(campaign: Campaign) -> list[Any]:
    """Return all rows of all tables but those of sessions."""
    from weigh.web.tables import metadata

    with campaign.database.reading() as connection:
        return [
            sorted(map(repr, connection.execute(table.select())))
            for table in metadata.sorted_tables
            if table.name != "campaign_tokens"
        ]


FOREIGN = (
    {"origin": "https://evil.test"},
    {"origin": "null"},
    {"origin": "http://["},
    {"origin": f"{BASE}.evil.test"},
    {"origin": f"{BASE}:81"},
    {"referer": "https://evil.test/judging.test"},
    {"referer": "garbage"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"origin": "null", "host": ""},
)


def test_forms_from_elsewhere_change_nothing(make: Callable[..., Campaign]) -> None:
    campaign = make()
    app = make_app(campaign)
    judge = judge_of(campaign, app=app)
    form = judge.item()
    other = judge_of(campaign, "other", app)
    stolen = other.item().fields["csrf"]
    organiser = Visitor(app)
    organiser.enter(campaign.access.link("organiser"))
    link = campaign.access.link("open")
    before = dump(campaign)
    forged: list[tuple[dict[str, str], dict[str, str]]] = [
        ({"csrf": value}, {"origin": BASE}) for value in ("", "x" * 32, stolen, "é", "\0")
    ]
    for path in changing(app):
        who = organiser if path.startswith("/organiser") else judge
        page = organiser.get("/organiser") if who is organiser else None
        own = form.fields["csrf"] if page is None else csrf_in(page.text)
        cases = [*forged, *(({"csrf": own}, headers) for headers in FOREIGN)]
        if path == "/begin":
            cases = cases[len(forged) :]
        for fields, headers in cases:
            sent = form.fields | {"token": link, "agree": "yes"} | fields
            answer = who.post(path, sent, headers=headers)
            assert answer.status_code == 403, (path, fields, headers)
        sent = {**form.fields, "token": link}
        if path != "/begin":
            del sent["csrf"]
            assert who.post(path, sent).status_code == 403
            assert Visitor(app).post(path, sent).status_code == 401
    assert dump(campaign) == before


def csrf_in(page: str) -> str:
    return next((form.fields["csrf"] for form in Page(page).forms if "csrf" in form.fields), "")


def test_forms_of_our_own_pages_are_taken(make: Callable[..., Campaign]) -> None:
    judge = judge_of(make())
    for headers in (
        {"origin": BASE},
        {"referer": f"{BASE}/work"},
        {"sec-fetch-site": "same-origin"},
        {},
    ):
        form = judge.item()
        assert judge.post(form.action, form.fields, headers=headers).status_code == 303, headers


# Links and cookies.


def test_guessing_is_slowed_down_and_every_wrong_link_looks_the_same(
    make: Callable[..., Campaign],
) -> None:
    campaign, other = make(), make()
    app = make_app(campaign)
    [jo] = campaign.access.add(["jo"])
    revoked = campaign.access.link("judge", jo.id)
    campaign.access.revoke(jo.id)
    valid = campaign.access.link("judge", jo.id)
    session = campaign.access.enter(campaign.access.visitor(valid, session=False))  # type: ignore[arg-type]
    wrong = ["x", "x" * 43, revoked, other.access.link("organiser"), session, "é" * 999]
    guesser = Visitor(app)
    answers = [guesser.get(f"/enter/{token}") for token in wrong]
    assert {(each.status_code, each.content) for each in answers} == {(401, answers[0].content)}
    assert not guesser.http.cookies
    codes = [guesser.get(f"/enter/{number}").status_code for number in range(40)]
    assert codes[-1] == 429
    posted = [guesser.post("/begin", {"token": "x"}).status_code for _ in range(3)]
    assert posted == [429] * 3
    # Whoever has a link is not shut out by those who guess from the same place.
    assert guesser.get(f"/enter/{valid}").status_code == 200


def test_a_cookie_is_no_link_and_a_link_no_cookie(make: Callable[..., Campaign]) -> None:
    campaign, other = make(), make()
    app = make_app(campaign)
    judge = judge_of(campaign, app=app)
    [(name, token)] = judge.http.cookies.items()
    assert Visitor(app).enter(token).status_code == 401
    [[number]] = [[each.id] for each in campaign.access.judges()]
    there = judge_of(other, "there")
    organiser = Visitor(app)
    organiser.enter(campaign.access.link("organiser"))
    for value in (
        campaign.access.link("judge", number),
        token_of(there),
        token_of(organiser),
        campaign.access.link("open"),
        "x",
        "x" * 10_000,
    ):
        thief = Visitor(app)
        thief.http.cookies.set(name, value)
        assert thief.get("/work").status_code == 401
        assert thief.get("/organiser").status_code == 401
    judge.http.cookies.set(name.replace("judge", "organiser"), token)
    assert judge.get("/organiser").status_code == 401


def test_a_session_cannot_be_chosen_by_others(make: Callable[..., Campaign]) -> None:
    campaign = make()
    app = make_app(campaign)
    [jo] = campaign.access.add(["jo"])
    link = campaign.access.link("judge", jo.id)
    first, second = Visitor(app), Visitor(app)
    first.enter(link)
    [(name, token)] = first.http.cookies.items()
    second.http.cookies.set(name, "fixed", domain="judging.test", path="/")
    second.enter(link)
    assert second.http.cookies.get(name) not in ("fixed", token)
    fixed = Visitor(app)
    fixed.http.cookies.set(name, "fixed")
    assert fixed.get("/work").status_code == 401


def test_cookies_are_out_of_reach_of_scripts_and_of_other_sites(
    make: Callable[..., Campaign],
) -> None:
    campaign = make()
    for base, embed in ((BASE, ()), ("https://judging.test", ()), (BASE, ("https://x.test",))):
        app = make_app(campaign, embed=embed)
        for role, number in (("judge", campaign.access.add(["jo"])[0].id), ("organiser", None)):
            visitor = Visitor(app, base)
            visitor.enter(campaign.access.link(role, number))  # type: ignore[arg-type]
            cookie = visitor.seen[0].headers["set-cookie"].lower()
            assert "httponly" in cookie
            assert "path=/" in cookie
            assert ("; secure" in cookie) == (base != BASE or bool(embed))
            assert ("samesite=none" if embed else "samesite=lax") in cookie


def test_the_database_holds_no_token(make: Callable[..., Campaign], tmp_path: Path) -> None:
    campaign = make()
    judge = judge_of(campaign)
    judge.judge_all()
    links = [campaign.access.link("organiser"), campaign.access.link("open"), token_of(judge)]
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("*.db*"))
    assert b"campaign_tokens" in kept
    for token in links:
        assert token.encode() not in kept


# What belongs to somebody else.


def test_items_of_others_are_out_of_reach(
    make: Callable[..., Campaign], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Rates, "allows", lambda *_: True)  # all of them are tried
    campaign = make()
    place = campaign.database.name
    tasks = Tasks("second", (rated("elsewhere"),), digest="x")
    second = start_campaign(tasks, CollectPlan(), database=place)
    app = make_app(campaign)
    judge, other = judge_of(campaign, app=app), judge_of(campaign, "other", app)
    form, theirs = judge.item(), other.item()
    assert other.post(theirs.action, theirs.fields).status_code == 303
    with second.database.reading() as connection:
        every_slot = connection.execute(text("SELECT id FROM campaign_slots")).scalars().all()
        every_item = connection.execute(text("SELECT id FROM campaign_items")).scalars().all()
    before = dump(campaign)
    seal = Seal(campaign.secret(), token_of(judge))  # which no judge knows
    for number, other_number in product(every_slot, every_item):
        slot, item = seal.hide("slot", number), seal.hide("item", other_number)
        place_of_it = {"slot": str(slot), "item": str(item)}
        if (form.fields["slot"], form.fields["item"]) == (str(slot), str(item)):
            continue
        sent = form.fields | place_of_it
        assert judge.post(form.action, sent).status_code == 400  # the stamp is of another item
        sent["began"] = seal.stamp(number, other_number, 0, time.time())
        assert judge.post(form.action, sent).status_code == 409
        for path in (f"/work/feedback/{slot}/{item}", f"/work/item/{slot}/{item}"):
            shown = judge.http.get(path)
            assert shown.status_code in (303, 404), path
        assert "elsewhere" not in judge.get("/work/back", params=place_of_it).text
    assert dump(campaign) == before
    elsewhere = Visitor(make_app(second))
    elsewhere.http.cookies.update(judge.http.cookies)
    assert elsewhere.get("/work").status_code == 401
    second.database.close()


def test_the_organiser_of_one_campaign_has_no_say_in_another(make: Callable[..., Campaign]) -> None:
    from weigh.errors import InputError

    campaign = make()
    place = campaign.database.name
    second = start_campaign(
        Tasks("second", (rated("elsewhere"),), digest="x"), CollectPlan(), database=place
    )
    [jo] = second.access.add(["jo"])
    second.assignment.work_for(jo.id)
    before = dump(campaign)
    for change in (
        lambda: campaign.access.release(jo.id),
        lambda: campaign.access.erase(jo.id),
        lambda: campaign.access.set_state(jo.id, "void"),
        lambda: campaign.access.note(jo.id, "begun"),
    ):
        with pytest.raises(InputError):
            change()
    campaign.access.revoke(jo.id)
    assert dump(campaign) == before
    second.database.close()


@pytest.mark.parametrize(
    "path",
    [
        "../app.py",
        "..%2fapp.py",
        "%2e%2e/app.py",
        "....//app.py",
        "/etc/passwd",
        "..\\app.py",
        "%00",
        "style.css/..%2f../app.py",
    ],
)
def test_files_outside_are_out_of_reach(make: Callable[..., Campaign], path: str) -> None:
    visitor = Visitor(make_app(make()))
    answer = visitor.http.get(httpx.URL(BASE, raw_path=f"/static/{path}".encode()))
    assert answer.status_code in (404, 405)
    assert "import" not in answer.text


# Sizes, methods and hosts.


def test_bodies_that_are_too_large_are_not_read(make: Callable[..., Campaign]) -> None:
    campaign = make()
    judge = judge_of(campaign)
    form = judge.item()
    sent = 0

    async def body() -> AsyncIterator[bytes]:
        nonlocal sent
        yield b"csrf=" + form.fields["csrf"].encode() + b"&score="
        for _ in range(50 * 16):
            sent += 1 << 16
            yield b"5" * (1 << 16)

    urlencoded = {"content-type": "application/x-www-form-urlencoded"}
    for headers in (urlencoded, urlencoded | {"content-length": str(50 << 20)}):
        sent = 0
        answer = judge.http.post(form.action, content=body(), headers=headers)
        assert answer.status_code == 413
        assert sent <= 4 * LARGEST_BODY
        judge.seen.append(answer)
    for length in ("-1", "x", "1" * 5000, "0x10"):
        answer = judge.http.post(form.action, content=b"x=1", headers={"content-length": length})
        assert answer.status_code in (400, 413)
    large = judge.post(form.action, form.fields | {"score": "5" * LARGEST_BODY})
    assert large.status_code == 413
    assert answers_in(campaign) == []
    assert judge.post(form.action, form.fields).status_code == 303


def test_other_kinds_of_forms_are_refused(make: Callable[..., Campaign]) -> None:
    campaign = make()
    judge = judge_of(campaign)
    form = judge.item()
    many = form.fields | {f"x{number}": "" for number in range(100)}
    assert judge.post(form.action, many).status_code == 400
    assert judge.post(form.action, form.fields, files={"f": b"x" * 99}).status_code == 415
    multipart = b"--b\r\nContent-Disposition: form-data; name=csrf\r\n\r\n+2AA-\r\n--b--\r\n"
    for kind in (
        "multipart/form-data; boundary=b; charset=utf-7",
        "multipart/form-data; boundary=b; charset=undefined",
        "multipart/form-data",
        "application/json",
        "text/plain",
        "",
    ):
        answer = judge.http.post(form.action, content=multipart, headers={"content-type": kind})
        assert answer.status_code == 415, kind
        judge.seen.append(answer)
    assert judge.http.post("/begin", json={"token": "x"}).status_code == 415
    assert answers_in(campaign) == []
    check_headers(judge.seen)


def test_methods_that_are_not_meant_do_nothing(make: Callable[..., Campaign]) -> None:
    campaign = make()
    app = make_app(campaign)
    judge = judge_of(campaign, app=app)
    judge.item()
    before = dump(campaign)
    paths = [re.sub(r"{\w+(:\w+)?}", "1", getattr(route, "path", "")) for route in routes_of(app)]
    for path in paths:
        for method in ("HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "BREW"):
            answer = judge.http.request(method, path or "/")
            assert answer.status_code < 500, (method, path)
            assert method == "HEAD" or answer.status_code in (404, 405)
            judge.seen.append(answer)
    for path in changing(app):
        assert judge.http.get(path).status_code in (401, 404, 405)
    assert dump(campaign) == before
    check_headers(judge.seen)


def test_no_answer_leads_to_a_host_that_was_only_named(make: Callable[..., Campaign]) -> None:
    campaign = make()
    app = make_app(campaign)
    [jo] = campaign.access.add(["jo"])
    link = campaign.access.link("judge", jo.id)
    for host in ("evil.test", "evil.test:80@judging.test", "", "judging.test\tx"):
        for path in (
            "/work/",
            "//evil.test/work",
            "/work//",
            f"/enter/{link}",
            f"/enter/{link}/",
            "/organiser/",
            "/static",
            "/static/",
            "/%0d%0aX:y/",
            "/\\evil.test",
        ):
            visitor = Visitor(app)
            answer = visitor.http.get(
                httpx.URL(BASE, raw_path=path.encode()),
                headers={"host": host, "x-forwarded-host": host},
            )
            assert answer.status_code < 500
            to = answer.headers.get("location", "/")
            assert to in ("/", "/work"), (host, path)
            assert "evil" not in answer.text


# Every answer.


def check_headers(answers: list[httpx.Response]) -> None:
    for each in answers:
        for name in HEADERS:
            assert name in each.headers, (each.request.method, each.url, each.status_code, name)
        policy = each.headers["content-security-policy"]
        # Results are coloured by attributes; nothing else is ever taken from a page itself.
        assert "unsafe" not in policy.replace("style-src-attr 'unsafe-inline'", "")
        assert "default-src 'none'" in policy
        assert "server" not in each.headers
        assert "Traceback" not in each.text


def test_every_answer_has_headers_that_keep_it_safe(
    make: Callable[..., Campaign], monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = make()

    def broken(*_: Any) -> Any:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr(judging, "instructions", broken)
    judge = judge_of(campaign)
    judge.item()
    codes = [
        judge.get("/work/instructions").status_code,
        judge.get("/static/style.css").status_code,
        judge.get("/static/none.css").status_code,
        judge.get("/none").status_code,
        judge.get("/health").status_code,
        judge.post("/work", {}).status_code,
        judge.post("/work/answer", {"x": "1"}).status_code,
        judge.post("/work/answer", {"x": "x" * 70_000}).status_code,
        Visitor(make_app(campaign)).get("/work").status_code,
    ]
    assert codes == [500, 200, 404, 404, 200, 405, 403, 413, 401]
    check_headers(judge.seen)
    assert all("secret of the house" not in each.text for each in judge.seen)
    assert "allow" in judge.http.request("PUT", "/work").headers
    tag = judge.get("/static/style.css").headers["etag"]
    unchanged = judge.http.get("/static/style.css", headers={"if-none-match": tag})
    assert unchanged.status_code == 304
    check_headers([unchanged])


def test_only_sites_that_are_named_may_frame_the_pages(make: Callable[..., Campaign]) -> None:
    framed = Visitor(make_app(make(), embed=("https://www.mturk.com",))).get("/")
    assert "frame-ancestors https://www.mturk.com" in framed.headers["content-security-policy"]
    assert "x-frame-options" not in framed.headers


# The same answer twice, and two answers at once.


def test_an_answer_that_is_sent_again_is_kept_once(make: Callable[..., Campaign]) -> None:
    campaign = make()
    judge = judge_of(campaign)
    form = judge.item()
    answers = [judge.post(form.action, form.fields) for _ in range(3)]
    assert [each.status_code for each in answers] == [303] * 3
    judge.item()
    assert judge.post(form.action, form.fields).status_code == 303
    assert len(answers_in(campaign)) == 1


def test_of_two_tabs_the_second_learns_of_the_first(make: Callable[..., Campaign]) -> None:
    campaign = make()
    judge = judge_of(campaign)
    one, two = judge.item(), judge.item()
    assert judge.post(one.action, one.fields | {"score": "10"}).status_code == 303
    told = judge.post(two.action, two.fields | {"score": "20"})
    assert told.status_code == 409
    again = Page(told.text).form
    assert again.fields["score"] == "20"
    assert len(answers_in(campaign)) == 1
    assert judge.post(again.action, again.fields).status_code == 303
    assert judge.post(again.action, again.fields).status_code == 303
    rows = [(row[2], json.loads(row[4])["score"]) for row in answers_in(campaign)]
    assert rows == [(1, 10), (2, 20)]


def test_revisions_that_never_were_are_no_way_round(make: Callable[..., Campaign]) -> None:
    campaign = make()
    judge = judge_of(campaign)
    form = judge.item()
    for revision in ("1", "7", "999999999"):
        assert judge.post(form.action, form.fields | {"revision": revision}).status_code == 400
    assert answers_in(campaign) == []
    assert judge.post(form.action, form.fields).status_code == 303


# The organiser's pages.


@pytest.fixture
def organised(make: Callable[..., Campaign]) -> tuple[Campaign, Visitor, str]:
    """A campaign, its organiser, and what the organiser's forms carry."""
    campaign = make()
    app = make_app(campaign)
    judge_of(campaign, app=app).judge_all()
    organiser = Visitor(app)
    page = organiser.enter(campaign.access.link("organiser"))
    return campaign, organiser, csrf_in(page.text)


def test_exports_have_the_names_that_are_offered(
    organised: tuple[Campaign, Visitor, str],
) -> None:
    _, organiser, _ = organised
    names = ("../../etc/passwd", "..%2f..%2fetc%2fpasswd", "scores-tsv/../x", "%00", "x%0d%0aX:y")
    for name, where in product((*names, *SQL), (b"export", b"results", b"judges")):
        path = name.encode() if "%" in name else re.sub(rb"[^\w./-]", b"%20", name.encode())
        url = httpx.URL(BASE, raw_path=b"/organiser/" + where + b"/" + path)
        answer = organiser.http.get(url)
        assert answer.status_code == 404, path
        assert "root:" not in answer.text
        check_headers([answer])


def test_an_exported_file_has_a_harmless_name(tmp_path: Path) -> None:
    hostile = 'x"\r\nX: y/../../é<b>'
    campaign = start_campaign(
        Tasks(hostile, (rated("sheet"),)), CollectPlan(), database=str(tmp_path / "x.db")
    )
    app = make_app(campaign)
    judge_of(campaign, app=app).judge_all()
    organiser = Visitor(app)
    page = organiser.enter(campaign.access.link("organiser"))
    files = {
        given["href"]
        for tag, given in Page(page.text).elements
        if tag == "a" and given.get("href", "").startswith("/organiser/export/")
    }
    assert files
    for path in files:
        answer = organiser.get(path)
        assert "x" not in answer.headers
        told = answer.headers.get("content-disposition", "")
        assert answer.status_code == 422 or re.fullmatch(r'attachment; filename="[\w.-]+"', told), (
            told
        )
        check_headers([answer])
    campaign.database.close()


def test_nothing_in_an_organisers_form_breaks_anything(
    organised: tuple[Campaign, Visitor, str],
) -> None:
    campaign, organiser, csrf = organised
    answers = answers_in(campaign)
    own = str(campaign.access.judges()[0].id)
    for attack in (*SQL, "", "\0", "-1", "9" * 30, "٣", PROBE, "\r\nX: y"):
        for judge in (own, attack):
            for do in ("active", "release", "link", "erase", attack):
                organiser.post("/organiser/judge", {"csrf": csrf, "judge": judge, "do": do})
        for do in ("add", "open-link", attack):
            organiser.post("/organiser/campaign", {"csrf": csrf, "do": do, "names": attack})
    for path in ("judges/1", f"judges/{'9' * 30}", f"judges/{'9' * 30}/erase", "judges/0"):
        organiser.get(f"/organiser/{path}")
    assert [each.url for each in organiser.seen if each.status_code >= 500] == []
    for each in organiser.seen:
        assert "x" not in each.headers
        if "html" in each.headers.get("content-type", ""):
            check_page(each)
    assert answers_in(campaign) == answers


def test_judges_are_handed_in_only_where_the_pages_may_be_framed(
    make: Callable[..., Campaign],
) -> None:
    campaign = make(per_item=5)
    app = make_app(campaign, embed=("https://www.mturk.test",))
    link = campaign.access.link("open")
    for site, shown in (
        ("https://www.mturk.test", True),
        ("https://evil.test", False),
        ("https://www.mturk.test.evil.test", False),
        ("javascript:alert(1)//", False),
        ("https://www.mturk.test\r\nX: y", False),
    ):
        visitor = Visitor(app, "https://judging.test")
        asked = {"assignmentId": "A1", "turkSubmitTo": site, "workerId": f"w{len(site)}"}
        page = Page(visitor.get(f"/enter/{link}", params=asked).text)
        begun = visitor.post("/begin", page.form.fields)
        assert begun.status_code == 303
        assert "x" not in begun.headers
        assert shown == any("assignment" in name for name in visitor.http.cookies)
        if not shown:  # nor is the browser believed
            visitor.http.cookies.set("weigh_assignment", f"A1@{site}".replace("\r\n", ""))
        assert visitor.judge_all() > 0
        actions = [form.action for form in Page(visitor.get("/work").text).forms]
        assert [each for each in actions if "mturk.test/" in each] == (
            [f"{site}/mturk/externalSubmit"] if shown else []
        )
        assert not [action for action in actions if "evil" in action or "javascript" in action]


def comers(campaign: Campaign, app: Any, count: int) -> list[int]:
    """Let so many people come by the open link and look at an item; return the answers to that."""
    link = campaign.access.link("open")
    codes = []
    for _ in range(count):
        visitor = Visitor(app)
        codes.append(visitor.post("/begin", {"token": link}).status_code)
        if codes[-1] == 303:
            for form in Page(visitor.get("/work").text).forms:
                visitor.post(form.action, form.fields)
            visitor.get("/work")
    return codes


def held_sheets(campaign: Campaign) -> int:
    with campaign.database.reading() as connection:
        held = "SELECT COUNT(*) FROM campaign_slots WHERE until > :now"
        return connection.execute(text(held), {"now": time.time()}).scalar() or 0


def test_the_open_link_makes_no_judges_without_end(
    make: Callable[..., Campaign], monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = make()
    app = make_app(campaign)
    monkeypatch.setattr(time, "monotonic", lambda: 1e6)
    link = campaign.access.link("open")
    codes = [Visitor(app).post("/begin", {"token": link}).status_code for _ in range(70)]
    assert codes == [303] * 60 + [429] * 10
    assert len(campaign.access.judges()) == 60
    monkeypatch.setattr(time, "monotonic", lambda: 1e6 + 60)
    assert Visitor(app).post("/begin", {"token": link}).status_code == 303


def test_those_who_answer_nothing_cannot_hold_all_sheets(
    make: Callable[..., Campaign], monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = make({"batches": tuple(rated(f"s{n}") for n in range(6))})
    app = make_app(campaign)
    assert comers(campaign, app, 8) == [303] * 8
    assert held_sheets(campaign) == 3
    # Whoever was invited is given the others.
    invited = judge_of(campaign, "jo", app)
    form = invited.item()
    assert held_sheets(campaign) == 4
    assert invited.post(form.action, form.fields).status_code == 303
    # Who does not answer is not waited for as long as others are.
    later = time.time() + NEWCOMER_LEASE + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert held_sheets(campaign) == 1
    link = campaign.access.link("open")
    newcomer = Visitor(app)
    newcomer.post("/begin", {"token": link})
    form = newcomer.item()
    assert newcomer.post(form.action, form.fields).status_code == 303
    # Whoever has answered has as long as everybody else.
    much_later = later + 20 * 60
    monkeypatch.setattr(time, "time", lambda: much_later)
    assert held_sheets(campaign) == 2


def test_no_database_trips_over_characters_or_numbers(fresh: Callable[[], str]) -> None:
    campaign = campaign_in(fresh(), (rated("sheet", 10),), CollectPlan())
    judge = judge_of(campaign)
    attacks = (b"\0", b"\xed\xa0\x80", b"\xff", "\U0010ffff\u202e".encode(), SQL[0].encode(), b"%s")
    for attack in attacks:
        form = judge.item()
        fields = {name: value.encode() for name, value in form.fields.items()}
        assert judge.post(form.action, fields | {"submission": attack}).status_code == 303
        assert judge.post("/begin", {"token": attack, "external": attack}).status_code == 401
        link = campaign.access.link("open").encode()
        assert judge.post("/begin", {"token": link, "external": attack}).status_code in (303, 400)
        judge.enter(campaign.access.link("judge", 1))
    largest = "999999999"
    form = judge.item()
    for name in ("slot", "item", "revision"):
        assert judge.post(form.action, form.fields | {name: largest}).status_code in (400, 409)
    for path in (
        f"item/{largest}/{largest}",
        f"feedback/{'9' * 30}/{'9' * 30}",
        "back?slot=1&item=1",
    ):
        assert judge.get(f"/work/{path}").status_code == 200
    assert len(answers_in(campaign)) == len(attacks)
    campaign.database.close()
