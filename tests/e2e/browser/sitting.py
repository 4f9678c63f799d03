"""A campaign of every kind of task, served from this process, and a judge's look at it."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import Any

import uvicorn
from sqlalchemy import text

from weigh.web.app import make_app
from weigh.web.campaigns import Campaign, judge_links, start_campaign
from weigh.web.plan import CollectPlan

LONG = "Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle" * 2
ARABIC = "تغادر العبارة في الثامنة إذا انقشع الضباب بحلول ذلك الوقت ."
JAPANESE = "それまでに 霧が 晴れて いれば 、 フェリーは 八時に 出航 します 。"
HOSTILE = (
    "<script>window.hacked = 1</script> \"quoted\" & 'so' \u202egnp.exe </p></form> "
    "<img src=x onerror='window.hacked = 1'> {{ 7 * 7 }}"
)
CONSENT = "Your answers are kept without your name.\n\nYou may stop at any time, and ask <us>."
INSTRUCTIONS = "Read both texts.\n\nThen answer.\nTake your time."


def _rated(number: int, content: str, reference: str | None) -> dict[str, Any]:
    return {
        "number": number,
        "kind": "system",
        "system": "ash",
        "segment": str(number),
        "text": content,
        "reference": reference,
        "of": None,
    }


def _alternatives() -> list[dict[str, Any]]:
    candidates = [
        "The ferry leaves at eight if the fog has cleared by then .",
        "The boat goes at eight when the mist is gone .",
        f"At eight the ferry sails , {LONG} permitting .",
        HOSTILE,
        "If it has cleared up by then , the ferry is going to leave the harbour at eight o'clock "
        "in the morning , as it does on every other day of the week but Sunday .",
        ARABIC,
        "Ferry eight fog .",
        "They drive off at eight , if the fog is thin .",
        "The ferry departs at 8 , fog or no fog .",
        "Eight ferries left the fog .",
    ]
    return [
        {"substring": "x", "candidate": each, "places": [1, 2] if number % 3 else [0], "if_yes": 1}
        for number, each in enumerate(candidates)
    ]


def tasks() -> dict[str, list[dict[str, Any]]]:
    reference = "The ferry leaves at eight if the fog has lifted by then."
    query = {
        "hit": "hit-1",
        "source": JAPANESE,
        "start": 5,
        "end": 7,
        "reference": "The ferry leaves at eight if the fog has lifted by then .",
        "reference_places": [0, 1, 10],
        "alternatives": _alternatives(),
    }
    return {
        "adequacy.jsonl": [
            {
                "hit": "adequacy-1",
                "pair": "ja-en",
                "scale": "adequacy",
                "items": [
                    _rated(
                        1, "The ferry goes at eight when the fog is gone until then.", reference
                    ),
                    _rated(2, ARABIC, f"{reference} {LONG}"),
                    _rated(3, HOSTILE, reference),
                ],
            }
        ],
        "fluency.jsonl": [
            {
                "hit": "fluency-1",
                "pair": "ja-en",
                "scale": "fluency",
                "items": [_rated(1, "Nobody has said her that the library is closed.", None)],
            }
        ],
        "a-rypt.jsonl": [query],
        "pairs.jsonl": [
            {
                "pair": "p1",
                "source": JAPANESE,
                "reference": reference,
                "left": "The ferry departs at eight if the fog has lifted.",
                "right": f"{ARABIC} {HOSTILE}",
            }
        ],
        "training.jsonl": [
            {
                "scale": "adequacy",
                "text": "There was no milk left in the shop.",
                "reference": "The shop had run out of milk.",
                "expected": [70, 100],
                "feedback": "Both say the same in other words.",
            },
            {
                "left": "The shop had run out of milk.",
                "right": "Milk shop run.",
                "expected": "left",
                "feedback": "",
            },
        ],
    }


class Served:
    """A campaign at an address of this machine, which can go away and come back."""

    def __init__(
        self,
        folder: Path,
        judges: Sequence[str] = ("judge",),
        files: Mapping[str, list[dict[str, Any]]] | None = None,
    ) -> None:
        files = tasks() if files is None else files
        for name, lines in files.items():
            written = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
            (folder / name).write_text(written, encoding="utf-8")
        (folder / "consent.txt").write_text(CONSENT, encoding="utf-8")
        (folder / "instructions.txt").write_text(INSTRUCTIONS, encoding="utf-8")
        plan = CollectPlan(title=f"A ferry & {HOSTILE}", per_item=len(judges))
        self.campaign: Campaign = start_campaign(folder, plan)
        self.campaign.access.add(judges)
        tokens = {judge.name: token for judge, token in judge_links(self.campaign)}
        self.port = 0
        self.start()
        self.base = f"http://127.0.0.1:{self.port}"
        self.links = {name: f"{self.base}/enter/{token}" for name, token in tokens.items()}

    def start(self) -> None:
        """Listen, at the same port as before."""
        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", self.port))
        listening.listen()  # who comes before the server has started waits for it
        self.port = listening.getsockname()[1]
        config = uvicorn.Config(
            make_app(self.campaign), lifespan="off", log_level="error", timeout_graceful_shutdown=1
        )
        self._server = uvicorn.Server(config)
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [listening]}, daemon=True)
        self._listening = listening
        self._thread.start()

    def stop(self) -> None:
        """Be away."""
        self._server.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive()
        self._listening.close()

    def answers(self, judge: str = "judge") -> list[tuple[str, int, dict[str, Any]]]:
        """Return what a judge has answered: kind of task, revision and answers, in order."""
        with self.campaign.database.reading() as connection:
            rows = connection.execute(
                text(
                    "SELECT b.kind, a.revision, a.answer FROM campaign_answers a "
                    "JOIN campaign_slots s ON s.id = a.slot "
                    "JOIN campaign_batches b ON b.id = s.batch "
                    "JOIN campaign_judges j ON j.id = a.judge "
                    "WHERE j.name = :judge AND s.role = 'work' ORDER BY a.id"
                ),
                {"judge": judge},
            )
            return [(kind, revision, json.loads(answer)) for kind, revision, answer in rows]

    def seconds(self) -> list[float]:
        """Return how long the answers took, in order, without training."""
        with self.campaign.database.reading() as connection:
            rows = connection.execute(
                text(
                    "SELECT a.seconds FROM campaign_answers a JOIN campaign_slots s "
                    "ON s.id = a.slot WHERE s.role = 'work' ORDER BY a.id"
                )
            )
            return [row[0] for row in rows]


# What is wrong with a page for those who hear it, see little, or use keys or fingers.
PROBLEMS = """
() => {
  const problems = [];
  const shown = (each) => each.checkVisibility() && !each.closest(".unseen, .skip");
  const spoken = (each) => {
    const copy = each.cloneNode(true);
    for (const hidden of copy.querySelectorAll("[aria-hidden=true]")) hidden.remove();
    return copy.textContent.trim();
  };
  const named = (each) => each.getAttribute("aria-label") ||
    [...(each.labels || [])].map(spoken).join("") || spoken(each);
  const controls = [...document.querySelectorAll(
    "input:not([type=hidden]), button, select, textarea, a[href], summary")].filter(shown);
  for (const each of controls) if (!named(each)) problems.push(`no name: ${each.outerHTML}`);

  const channels = (colour) => {
    const numbers = colour.match(/[\\d.]+(e-?\\d+)?/g).map(Number);
    const scale = colour.startsWith("color(") ? 1 : 255;
    return [...numbers.slice(0, 3).map((value) => value / scale), numbers[3] ?? 1];
  };
  const over = (top, under) => [0, 1, 2].map((at) => top[at] * top[3] + under[at] * (1 - top[3]));
  const light = (colour) => {
    const [r, g, b] = colour.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = (each) => {
    if (!each) return [1, 1, 1];
    const own = channels(getComputedStyle(each).backgroundColor);
    return own[3] === 1 ? own.slice(0, 3) : over(own, paper(each.parentElement));
  };
  for (const each of document.querySelectorAll("body *")) {
    if (!shown(each)) continue;
    if (![...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const behind = paper(each);
    const ink = light(over(channels(getComputedStyle(each).color), behind));
    const ground = light(behind);
    const ratio = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
    if (ratio < 4.5) problems.push(`contrast ${ratio}: ${each.outerHTML}`);
  }

  for (const each of document.querySelectorAll("[tabindex]")) {
    if (each.tabIndex > 0) problems.push(`tabindex: ${each.outerHTML}`);
  }
  const boxes = controls.map((each) => (each.closest("label") || each).getBoundingClientRect());
  for (const [at, box] of boxes.entries()) {
    const control = controls[at].outerHTML;
    if (box.height < 43.9 || box.width < 24) problems.push(`${box.height} px: ${control}`);
    const next = boxes[at + 1];
    if (!next) continue;
    const isAbove = next.bottom <= box.top;
    const isBefore = next.right <= box.left && next.top < box.bottom && box.top < next.bottom;
    if (isAbove || isBefore) problems.push(`focus goes back after ${control}`);
  }

  if (!document.documentElement.lang) problems.push("no language");
  if (!document.title.trim()) problems.push("no title");
  if (document.querySelectorAll("main").length !== 1) problems.push("not one main");
  let level = 0;
  for (const each of document.querySelectorAll("h1, h2, h3, h4")) {
    const own = Number(each.tagName[1]);
    if (own > level + 1 || (own === 1 && level)) problems.push(`heading: ${each.outerHTML}`);
    level = own;
  }
  for (const each of document.querySelectorAll("fieldset")) {
    if (each.firstElementChild?.tagName !== "LEGEND") problems.push("fieldset without legend");
  }
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  if (new Set(ids).size < ids.length) problems.push(`ids: ${ids}`);
  for (const each of document.querySelectorAll("[aria-describedby]")) {
    for (const id of each.getAttribute("aria-describedby").split(" ")) {
      if (!ids.includes(id)) problems.push(`describedby ${id}`);
    }
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) problems.push(`${scrollWidth} px wide, of ${clientWidth}`);
  if (window.hacked !== undefined || document.images.length) problems.push("hacked");
  return problems;
}
"""


class Sitting:
    """A judge before a browser, with all that the pages asked for and complained about."""

    def __init__(self, browser: Any, served: Served, **options: Any) -> None:
        self.served = served
        given = {"viewport": {"width": 1400, "height": 900}, "reduced_motion": "reduce"} | options
        self.context = browser.new_context(**given)
        self.context.set_default_timeout(30_000)
        self.complaints: list[str] = []
        self.requests: set[str] = set()
        self.view = self.open()

    def open(self) -> Any:
        """Open another tab."""
        view = self.context.new_page()
        view.on("console", lambda message: self.complaints.append(message.text))
        view.on("pageerror", lambda error: self.complaints.append(str(error)))
        view.on("request", lambda request: self.requests.add(request.url))
        return view

    def enter(self) -> None:
        self.view.goto(self.served.links["judge"])

    def begin(self) -> None:
        """Come to the first real item, quickly."""
        access = self.served.campaign.access
        [number] = [each.id for each in access.judges() if each.name == "judge"]
        access.note(number, "consented")
        access.note(number, "begun")
        self.enter()
        while self.view.locator(".training").count():
            self.answer("80", "1")
            self.go(lambda: self.view.keyboard.press("Enter"))

    @property
    def kind(self) -> str:
        """The kind of task that is before the judge; empty where it is none."""
        form = self.view.locator("form.item")
        return str(form.get_attribute("data-kind")) if form.count() else ""

    def go(self, act: Any) -> None:
        """Do something and wait for the page that comes of it."""
        page = (
            "[performance.timeOrigin, document.querySelector('h1')?.textContent, "
            "document.querySelector('[name=submission]')?.value].join()"
        )
        before = self.view.evaluate(page)
        act()
        self.view.wait_for_function(
            f"(before) => document.readyState === 'complete' && {page} !== before", arg=before
        )

    def answer(self, number: str = "73", side: str = "2", labels: str = "") -> None:
        """Answer by keys whatever is asked, and save it."""
        keys = {"rypt": labels or LABEL_KEYS, "preference": side}.get(self.kind, number)
        for key in keys:
            self.view.keyboard.press(key)
        self.go(lambda: self.view.keyboard.press("Enter"))

    def close(self) -> None:
        """Leave, if the page was content and asked nobody else for anything."""
        self.context.close()
        # What the browser says by itself of answers such as 409.
        complaints = [each for each in self.complaints if "Failed to load resource" not in each]
        assert complaints == []
        assert {url for url in self.requests if not url.startswith(self.served.base)} <= {"data:,"}


LABEL_KEYS = "ynsyysnnyn"
LABELS = {
    f"label_{number}": {"y": "YES", "n": "NO", "s": "NOT SURE"}[key]
    for number, key in enumerate(LABEL_KEYS, 1)
}
EVERYTHING = [
    ("rypt", 1, LABELS),
    ("adequacy", 1, {"score": 73}),
    ("adequacy", 1, {"score": 73}),
    ("adequacy", 1, {"score": 73}),
    ("fluency", 1, {"score": 73}),
    ("preference", 1, {"choice": "right"}),
]
