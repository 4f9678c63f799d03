"""Take the pictures of docs/report.md: screenshots of a report on a generated data set.

    python scripts/make_gallery.py

It needs Playwright and a Chromium at /usr/bin/chromium (or $CHROMIUM), and runs the weigh that is
installed beside this Python.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from generated import generated  # noqa: E402
from weigh import Bleu, Chrf, Ter, compare  # noqa: E402

FOLDER = ROOT / "docs/gallery"


# The pictures under a heading that contains a word.
AFTER = "xpath=//h3[contains(., '{}')]/following-sibling::div[1]"
# Name of the picture, the section it shows, width of the window, colours, pixels from the top.
SHOTS = [
    ("summary", "body", 1400, "light", 900),
    ("pairs", "#pairs", 1100, "light", 1000),
    ("distributions", "#distributions", 1100, "light", 900),
    ("samples", AFTER.format("Samples"), 1100, "light", 700),
    ("agreement", AFTER.format("Agreement"), 1100, "light", 700),
    ("segments", "#segments", 1100, "light", 1000),
    ("segments-dark", "#segments", 1100, "dark", 1000),
    ("phone", "body", 390, "light", 900),
    ("phone-segments", "#segments", 390, "dark", 800),
]


def report() -> str:
    """Return the page of a comparison of eight generated systems."""
    systems, test_set = generated(systems=8, segments=1000)
    return compare(systems, test_set, [Bleu(), Chrf(), Ter()], details=True).to_html()


def shoot(page: Page, name: str, selector: str, height: int) -> None:
    """Save the upper part of a section."""
    page.locator(selector).first.scroll_into_view_if_needed()
    page.wait_for_timeout(1500)  # for what is unpacked when it comes into view
    box = page.locator(selector).first.bounding_box()
    assert box is not None, selector
    clip = {
        "x": max(0, box["x"] - 16),
        "y": box["y"] + page.evaluate("scrollY"),
        "width": box["width"] + 32,
        "height": min(box["height"], height),
    }
    page.screenshot(path=FOLDER / f"{name}.png", clip=clip, full_page=True)
    print(f"docs/gallery/{name}.png")


def main() -> None:
    """Make the page and take all pictures of it."""
    FOLDER.mkdir(exist_ok=True)
    chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "report.html"
        path.write_text(report(), encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"] if root else []
        )
        for name, selector, width, colours, height in SHOTS:
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=colours)
            page.goto(path.as_uri())
            shoot(page, name, selector, height)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
