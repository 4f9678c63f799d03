"""A real browser's look at pages: what every test of them needs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from weigh.comparing.compare import compare
from weigh.comparing.compare_result import CompareResult
from weigh.metrics.registry import parse_metrics
from weigh.types import System, TestSet

HOSTILE_TEXTS = [
    "<script>window.hacked = 1</script> and </script><img src=x onerror='window.hacked = 1'>",
    "\"double\" & 'single' &lt;b&gt; {{7*7}} ${window.hacked = 1}",
    "left \u202ethgir\u202c \u2067isolated\u2069 \u05e9\u05dc\u05d5\u05dd \u2028 separator",
    "w" * 10_000,
    "",
    "--> <!-- ]]> \\u003c \x00 \x1b[31m \t tab",
]
HOSTILE_NAMES = [
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror=window.hacked=1>',
    "\u202egnp.exe & 'co'\nand more",
    "n" * 300,
]

CONTRAST = """
() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = channels(colour).slice(0, 3).map((value) => {
      const c = value / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  const poor = [];
  for (const each of document.querySelectorAll("main *, header *, nav *")) {
    if (each.closest("svg, mark") || !each.checkVisibility()) continue;
    if (![...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const ink = light(getComputedStyle(each).color);
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (ratio < 4.5) poor.push(`${each.tagName} ${each.className} ${ratio}`);
  }
  return poor;
}
"""

# What is drawn beyond its picture.
OUTSIDE = """
[...document.querySelectorAll("svg")].flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text, path, circle")].filter((shape) => {
    const box = shape.getBoundingClientRect();
    return box.left < frame.left - 1 || box.right > frame.right + 1 ||
      box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
  }).map((shape) => shape.outerHTML);
})
"""


def expect(what: Any) -> Any:
    """Return Playwright's assertions about a locator or page, which wait until they hold."""
    from playwright.sync_api import expect as assertions

    assertions.set_options(timeout=30_000)
    return assertions(what)


def resize(view: Any, width: int, height: int = 900) -> None:
    """Change the size of a page, and wait until it has it."""
    view.set_viewport_size({"width": width, "height": height})
    view.wait_for_function("(width) => innerWidth === width", arg=width)


def compared(
    systems: Sequence[System], test_set: TestSet, metrics: str = "bleu,chrf,ter", **plan: Any
) -> CompareResult:
    chosen = parse_metrics([metrics])
    return compare(systems, test_set, chosen, details=True, **{"trials": 200} | plan)


class Visit:
    """A page from disk, with all that it asked for and all that it complained about.

    Visits follow each other in one tab, since a new one costs more than most pages do, and pages
    keep nothing in a browser.
    """

    free: ClassVar[list[Any]] = []  # tabs that were left

    def __init__(
        self,
        browser: Any,
        path: Path,
        *,
        width: int = 1400,
        height: int = 900,
        scheme: str = "light",
        scripts: bool = True,
    ) -> None:
        self.scripts = scripts
        self.view = (
            self.free.pop()
            if self.free and scripts
            else browser.new_page(reduced_motion="reduce", java_script_enabled=scripts)
        )
        self.view.set_viewport_size({"width": width, "height": height})
        self.view.emulate_media(media="null", color_scheme=scheme)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.heard = {
            "console": lambda message: self.complaints.append(message.text),
            "pageerror": lambda error: self.complaints.append(str(error)),
            "request": lambda request: self.requests.append(request.url),
        }
        for event, hear in self.heard.items():
            self.view.on(event, hear)
        self.address = path.as_uri()
        self.view.goto(self.address)

    def leave(self) -> None:
        """End the page, which may complain till then, and leave the tab to the next visit."""
        if not self.scripts:
            self.view.close()
            return
        self.view.goto("about:blank")
        for event, hear in self.heard.items():
            self.view.remove_listener(event, hear)
        self.free.append(self.view)

    def browse(self) -> None:
        self.view.evaluate("document.getElementById('segments').scrollIntoView()")
        self.view.wait_for_selector(".card")

    def click(self, what: Any) -> None:
        """Click on a selector or a locator."""
        (self.view.locator(what) if isinstance(what, str) else what).click()
        self.settle()

    def saved(self) -> Any:
        """Return the data that a click saves; a busy browser may lose a download: then again."""
        from playwright.sync_api import TimeoutError as TooLongError

        for patience in (15_000, 30_000, 60_000):
            try:
                with self.view.expect_download(timeout=patience) as download:
                    self.view.click("#save")
                return json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
            except TooLongError:
                continue
        raise AssertionError("nothing was saved by three clicks")

    def settle(self) -> None:
        """Let the page do what it does on input, which a busy machine may bring to it late."""
        self.view.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")

    def cards(self, count: int) -> None:
        """Wait until there are so many cards."""
        self.view.wait_for_function(
            "(count) => document.querySelectorAll('.card').length === count", arg=count
        )

    def numbers(self) -> list[int]:
        titles = self.view.locator(".card h4").all_text_contents()
        return [int(re.sub(r"\D", "", title)) for title in titles]

    def cells(self, table: str, column: int) -> list[str]:
        rows: list[str] = self.view.eval_on_selector_all(
            f"{table} tbody tr:not([hidden])",
            "(rows, at) => rows.map((row) => row.cells[at].textContent)",
            column,
        )
        return rows


@contextmanager
def seen(
    chromium: Any, folder: Path, html: str, width: int, scheme: str
) -> Iterator[tuple[Visit, list[str]]]:
    """Look at what holds for every page; give the titles of its sections."""
    path = folder / "page.html"
    path.write_text(html, encoding="utf-8")
    visit = Visit(chromium, path, width=width, height=844, scheme=scheme)
    view = visit.view
    size = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    assert view.evaluate(size) == [width, width]
    assert view.evaluate(CONTRAST) == []
    assert view.evaluate(OUTSIDE) == []
    assert view.evaluate("window.hacked") is None
    titles = view.locator("main > section > h2").all_inner_texts()
    assert titles == view.locator("nav a").all_inner_texts()
    yield visit, titles
    visit.leave()
    assert visit.complaints == []
    assert visit.requests == [visit.address]
