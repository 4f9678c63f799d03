"""The page for Mechanical Turk: filled as the site fills it, answered, handed in, and read back."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from e2e.browser.visit import HOSTILE_TEXTS, expect
from weigh.human.export import Sheet, as_mturk, as_mturk_page
from weigh.human.hits import make_hits
from weigh.read.answers import Judgments, Preferences
from weigh.read.judgments import read_answers
from weigh.types import Outputs, System, TestSet

SITE = "https://workers.invalid"
SIZE = 90
NAMES = ("ours", "their's <b>", "a_b")


def sheet(kind: str, *, source: bool = False, split: int | None = None) -> Sheet:
    hostile = [text[:300].replace("\0", "") for text in HOSTILE_TEXTS]  # no file of texts has it
    texts = [f"{hostile[at % len(hostile)]} and {at}" for at in range(SIZE)]
    test_set = TestSet(
        [[f"reference {text}" for text in texts]],
        sources=[f"source {text}" for text in texts] if source else None,
        documents=[f"d{at // 6}" for at in range(SIZE)],
    )
    systems = [System(name, Outputs([f"{name} {text}" for text in texts])) for name in NAMES]
    hits = make_hits(test_set, systems, 1, kind=kind, split=split, source_based=source)
    return Sheet(hits, [str(at) for at in range(1, SIZE + 1)], "de-en", "crowd-alone", 12345)


def filled(layout: str, row: Mapping[str, str]) -> str:
    """Return the page of one HIT, as the site makes it of layout and row."""
    page = re.sub(r"\$\{(\w+)\}", lambda match: row[match[1]], layout)
    assert "${" not in page.partition("<script>")[0]
    return page


class Sitting:
    """A worker at the page; what is asked of the site, and what is handed in."""

    def __init__(self, chromium: Any, page: str, query: str) -> None:
        self.requests: list[str] = []
        self.posted: dict[str, str] | None = None
        self.complaints: list[str] = []
        self.view = chromium.new_page()
        self.view.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.view.on("console", lambda message: self.complaints.append(message.text))
        self._page = page
        self.view.route("**/*", self._answer)
        self.view.goto(f"{SITE}/hit?{query}")

    def _answer(self, route: Any) -> None:
        self.requests.append(route.request.url)
        if route.request.method == "POST":
            sent = parse_qs(route.request.post_data, keep_blank_values=True)
            self.posted = {name: value for name, [value] in sent.items()}
            route.fulfill(content_type="text/html", body="<title>Thanks</title>")
        else:
            route.fulfill(content_type="text/html; charset=utf-8", body=self._page)


IN_FORM = (
    "<!doctype html><html lang=en><title>HIT</title><body><form method=post "
    "action='/mturk/externalSubmit'><input type=hidden name=assignmentId value=A1>{}"
    "<p><input type=submit id=submitButton value=Submit></p></form>"
)
BARE = "<!doctype html><html lang=en><title>HIT</title><body style='background: #fff'>{}"

# Answers every page but the last: the slider of item i, from 0, says 7 i mod 101; choices go round.
ANSWER = """
() => {
  const root = document.getElementById("weigh");
  const items = [...root.querySelectorAll(".item")];
  const next = root.querySelector("button");
  let pages = 0;
  for (;;) {
    for (const item of items.filter((each) => !each.hidden)) {
      const at = items.indexOf(item);
      const slider = item.querySelector("input[type=range]");
      if (slider) {
        slider.value = (7 * at) % 101;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
      } else {
        item.querySelectorAll("input[type=radio]")[at % 3].click();
      }
    }
    pages += 1;
    const [, number, all] = root.querySelector("h2").textContent.match(/Page (\\d+) of (\\d+)/);
    if (number === all) return pages;
    next.click();
  }
}
"""


def results(row: Mapping[str, str], answers: Mapping[str, str], path: Path) -> str:
    """Write the results of a batch as the site does, and return where."""
    site = {
        "HITId": "H1",
        "AssignmentId": answers["assignmentId"],
        "WorkerId": "W1",
        "AssignmentStatus": "Submitted",
        "SubmitTime": "Mon Nov 21 08:37:58 PST 2016",
        "WorkTimeInSeconds": "900",
    }
    inputs = {f"Input.{name}": cell for name, cell in row.items()}
    given = {f"Answer.{name}": cell for name, cell in answers.items() if name != "assignmentId"}
    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, [*site, *inputs, *given], quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerow(site | inputs | given)
    path.write_text(table.getvalue(), encoding="utf-8")
    return str(path)


CASES = {
    "da": sheet("da"),
    "da from the source, by document": sheet("da", source=True, split=5),
    "contrastive": sheet("contrastive", source=True),
    "pair": sheet("pair"),
    "pair by document": sheet("pair", source=True, split=5),
}


@pytest.mark.parametrize("case", CASES)
def test_answers_come_back(chromium: Any, tmp_path: Path, case: str) -> None:
    frame = IN_FORM if case in ("da", "pair by document") else BARE
    made = CASES[case]
    [hit] = made.hits
    [row] = csv.DictReader(io.StringIO(as_mturk(made), newline=""))
    page = frame.format(filled(as_mturk_page(made), row))
    sitting = Sitting(chromium, page, f"assignmentId=A1&turkSubmitTo={SITE}")
    view = sitting.view
    shown = view.locator(".text, .left, .right").all_text_contents()
    texts = [item.text for item in hit.items]
    texts += [text for pair in hit.pairs for text in (pair.left, pair.right)]
    assert [" ".join(text.split()) for text in shown] == [" ".join(text.split()) for text in texts]
    pages = view.evaluate(ANSWER)
    screens = {entry.screen or entry.number for entry in hit.items}
    assert pages == len(screens or hit.pairs)
    view.locator("#submitButton:visible, #weigh button:visible").click()
    view.wait_for_function("document.title === 'Thanks'")
    assert sitting.posted is not None
    assert sitting.posted["assignmentId"] == "A1"
    assert view.evaluate("window.hacked") is None
    assert sitting.complaints == []
    assert {url.partition("?")[0] for url in sitting.requests} == {
        f"{SITE}/hit",
        f"{SITE}/mturk/externalSubmit",
    }
    read = read_answers([results(row, sitting.posted, tmp_path / "batch.csv")])
    view.close()
    if hit.pairs:
        assert isinstance(read, Preferences)
        check_choices(made, read)
        return
    assert sitting.posted.keys() == {"assignmentId", "Q1"}
    assert isinstance(read, Judgments)
    assert not read.omissions
    found = {one.item: one for one in read.judgments}
    assert len(found) == len(hit.items)
    for at, item in enumerate(hit.items):
        one = found[str(item.number)]
        assert (one.kind, one.system, one.segment) == (item.kind, item.system, item.segment)
        assert (one.value, one.scale, one.pair) == (7 * at % 101, "adequacy", "de-en")


def check_choices(made: Sheet, read: Preferences) -> None:
    """The choices go round: the first, the second, neither."""
    [hit] = made.hits
    expected = []
    for at, pair in enumerate(hit.pairs):
        if pair.kind != "bad":
            sides = (pair.left_system, pair.right_system)
            winner, loser = sides[::-1] if at % 3 == 1 else sides
            expected.append((winner, loser, pair.segment, at % 3 == 2, "W1", pair.left_system))
    assert [
        (one.winner, one.loser, one.segment, one.tied, one.judge, one.first)
        for one in read.preferences
    ] == expected
    assert [each.count for each in read.omissions] == [len(hit.pairs) - len(expected)]


def test_a_preview_takes_no_answers(chromium: Any) -> None:
    made = CASES["pair"]
    [row] = csv.DictReader(io.StringIO(as_mturk(made), newline=""))
    page = IN_FORM.format(filled(as_mturk_page(made), row))
    sitting = Sitting(chromium, page, "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
    sitting.view.get_by_role("button", name="Next").click()
    expect(sitting.view.locator("#weigh [role=alert]")).to_contain_text("accept the HIT")
    expect(sitting.view.locator("#weigh h2")).to_have_text("Page 1 of 100")
    expect(sitting.view.locator("#submitButton")).to_be_hidden()
    assert sitting.posted is None
    sitting.view.close()


def test_without_javascript_a_line_says_so(chromium: Any) -> None:
    made = CASES["da"]
    [row] = csv.DictReader(io.StringIO(as_mturk(made), newline=""))
    context = chromium.new_context(java_script_enabled=False)
    view = context.new_page()
    view.set_content(IN_FORM.format(filled(as_mturk_page(made), row)))
    assert "This page needs JavaScript" in view.locator("body").inner_text()
    assert view.locator(".item:visible").count() == 0
    context.close()
