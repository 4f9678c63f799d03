"""The organiser's pages in a real browser: wide and narrow, with script and without."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import uvicorn

from e2e.browser.visit import CONTRAST, OUTSIDE, expect
from unit.web.judged import judged_campaign
from weigh.web.app import make_app
from weigh.web.assignment import Work
from weigh.web.campaigns import Campaign
from weigh.web.plan import CollectPlan

_HOSTILE = "<script>window.hacked = 1</script>"
_LONG = "n" * 200


class Served:
    """A campaign with answers, and the address of its pages."""

    def __init__(self, campaign: Campaign, base: str) -> None:
        self.campaign = campaign
        self.base = base

    @property
    def link(self) -> str:
        """A new link for the organiser."""
        return f"{self.base}/enter/{self.campaign.access.link('organiser')}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    campaign, _ = judged_campaign(
        tmp_path_factory.mktemp("organiser") / "tasks",
        CollectPlan(title="Spring <b>pilot</b>", price=0.1),
        systems=5,
        segments=100,
        hits=8,
        judges=4,
        dishonest=0.25,
        most=620,
        names=["Anna", _HOSTILE, _LONG, "דנה"],
        called={"ash": _HOSTILE, "birch": "a-system-with-a-very-long-name-indeed-2026-11"},
    )
    campaign.access.set_state(campaign.access.judges()[1].id, "void")
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(make_app(campaign), log_level="warning", lifespan="off", access_log=False)
    )
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield Served(campaign, f"http://127.0.0.1:{listening.getsockname()[1]}")
    server.should_exit = True
    thread.join(10)
    campaign.database.close()


class Look:
    """A browser of the organiser's, with all that it complained about and asked for."""

    def __init__(self, chromium: Any, served: Served, **options: Any) -> None:
        given = {"viewport": {"width": 1400, "height": 900}, "reduced_motion": "reduce"} | options
        self.context = chromium.new_context(**given)
        self.view = self.context.new_page()
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.view.on("console", lambda each: self.complaints.append(each.text))
        self.view.on("pageerror", lambda each: self.complaints.append(str(each)))
        self.view.on("request", lambda each: self.asked.append(each.url))
        self.base = served.base
        self.view.goto(served.link)
        self.settle()

    def settle(self) -> None:
        """Wait until results have been worked out."""
        for _ in range(60):
            if self.view.locator("[data-pending]").count() == 0:
                return
            self.view.wait_for_timeout(500)
            self.view.reload()
        raise AssertionError("results do not come")

    def close(self) -> None:
        """Close it; nothing may have gone wrong, and nothing may come from elsewhere."""
        self.context.close()
        assert self.complaints == []
        assert all(url.startswith((self.base, "data:")) for url in self.asked)


def test_the_ranking_says_its_control_and_can_be_switched(chromium: Any, served: Served) -> None:
    look = Look(chromium, served)
    now, current = look.view.locator("#now"), look.view.locator(".switch [aria-current]")
    expect(now).to_contain_text("Ranking from 2 of 3 judges; quality control: crowd-alone.")
    expect(current).to_have_text("crowd-alone")
    look.view.click(".switch >> text=all judges")
    # It is worked out behind the page, which shows it by itself.
    expect(now).to_contain_text(
        "Ranking from 3 of 3 judges; quality control: none.", timeout=30_000
    )
    expect(current).to_have_text("no control (all judges)")
    look.view.click("#results >> text=Ranking, with all pairs")
    expect(look.view.locator("body")).to_contain_text(
        "Ranking from 3 of 3 judges; quality control: none"
    )
    look.view.go_back()
    look.view.click(".switch >> text=Default")
    expect(now).to_contain_text("control: crowd-alone.")
    look.view.goto(f"{look.base}/organiser?control=<script>")
    expect(now).to_contain_text("control: crowd-alone.")
    look.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_pages_fit_the_screen_and_can_be_read(
    chromium: Any, served: Served, width: int, scheme: str, tmp_path: Path
) -> None:
    look = Look(chromium, served, viewport={"width": width, "height": 900}, color_scheme=scheme)
    judge = served.campaign.access.judges()[2].id
    for path in ("/organiser", f"/organiser/judges/{judge}", f"/organiser/judges/{judge}/erase"):
        look.view.goto(f"{look.base}{path}")
        look.settle()
        look.view.screenshot(path=tmp_path / "page.png", full_page=True)
        assert look.view.evaluate("document.documentElement.scrollWidth") <= width, path
        assert look.view.evaluate(CONTRAST) == [], path
        assert look.view.evaluate(OUTSIDE) == [], path
        assert look.view.evaluate("window.hacked") is None
        small = look.view.evaluate(
            "[...document.querySelectorAll('button, .button')].filter((each) => "
            "each.getBoundingClientRect().height < 31).map((each) => each.outerHTML)"
        )
        assert small == [], path
    look.close()


def test_every_field_has_a_label_and_every_part_a_name(chromium: Any, served: Served) -> None:
    look = Look(chromium, served)
    unnamed = """
    () => [
      ...[...document.querySelectorAll("input:not([type=hidden]), textarea, select")]
        .filter((each) => !each.labels.length && !each.ariaLabel),
      ...[...document.querySelectorAll("button, a")].filter((each) => !each.innerText.trim()),
      ...[...document.querySelectorAll("progress, section, [role=region], nav")]
        .filter((each) => !each.ariaLabel && !each.getAttribute("aria-labelledby")),
      ...[...document.querySelectorAll("[aria-labelledby]")].filter((each) =>
        each.getAttribute("aria-labelledby").split(" ").some((id) => !document.getElementById(id))),
    ].map((each) => each.outerHTML)
    """
    repeated = """
    () => {
      const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
      return ids.filter((id, at) => ids.indexOf(id) !== at);
    }
    """
    judge = served.campaign.access.judges()[0].id
    for path in ("/organiser", f"/organiser/judges/{judge}"):
        look.view.goto(f"{look.base}{path}")
        assert look.view.evaluate(unnamed) == []
        assert look.view.evaluate(repeated) == []
        levels = look.view.evaluate(
            "[...document.querySelectorAll('h1, h2, h3')].map((each) => +each.tagName[1])"
        )
        assert levels[0] == 1
        assert all(after - before <= 1 for before, after in pairwise(levels))
    look.close()


def test_without_script_everything_works(chromium: Any, served: Served) -> None:
    look = Look(chromium, served, java_script_enabled=False)
    view = look.view
    view.fill("#names", "Frieda\nGustav")
    view.get_by_role("button", name="Add", exact=True).click()
    expect(view.locator("table code")).to_have_count(2)
    view.get_by_role("link", name="Back to the campaign").click()
    expect(view.locator("table.judges tbody tr")).to_have_count(6)
    view.get_by_role("button", name="Close the campaign").click()
    expect(view.locator("#state")).to_contain_text("Closed")
    view.get_by_role("button", name="Reopen the campaign").click()
    expect(view.locator("#state")).to_contain_text("Open")
    for judge in served.campaign.access.judges()[4:]:
        served.campaign.access.erase(judge.id)
    look.close()


def test_the_page_shows_news_by_itself_and_leaves_what_is_being_written(
    chromium: Any, served: Served
) -> None:
    look = Look(chromium, served)
    view, campaign = look.view, served.campaign
    view.clock.install()
    view.reload()
    view.fill("#names", "half a na")
    (anna, *_) = campaign.access.judges()
    before = view.locator("#state").inner_text()
    work = campaign.assignment.work_for(anna.id)
    assert isinstance(work, Work)
    place = anna.id, work.slot, work.item, work.revision
    assert campaign.assignment.answer(*place, {"score": 7}, "news", 5.0).state == "saved"
    view.clock.run_for(16_000)
    view.wait_for_function(
        "(before) => document.getElementById('state').innerText !== before", arg=before
    )
    assert view.input_value("#names") == "half a na"
    look.close()
