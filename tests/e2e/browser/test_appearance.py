from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from e2e.browser.visit import (
    HOSTILE_NAMES,
    HOSTILE_TEXTS,
    Visit,
    compared,
    expect,
    resize,
)
from generated import generated
from weigh.types import Outputs, TestSet


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    systems, test_set = generated(len(HOSTILE_NAMES), 40)
    systems = [
        replace(
            system,
            name=name,
            outputs=Outputs([*HOSTILE_TEXTS[at:], *HOSTILE_TEXTS[:at], *system.outputs.texts]),
        )
        for at, (system, name) in enumerate(zip(systems, HOSTILE_NAMES, strict=True))
    ]
    references = [*HOSTILE_TEXTS, *test_set.references[0]]
    ids = [f"<b>{number}</b>" for number in range(len(references))]
    path = tmp_path_factory.mktemp("page") / "hostile.html"
    test_set = TestSet([references], sources=references, ids=ids)
    compared(systems, test_set).to_html(path)
    return path


def test_hostile_texts_are_shown_as_text(chromium: Any, hostile_file: Path) -> None:
    visit = Visit(chromium, hostile_file, width=390, height=844)
    visit.browse()
    view = visit.view
    view.select_option("#browse-order", "place")
    visit.click(".card button.others >> nth=0")
    visit.click("#ngram-panel summary")
    view.wait_for_selector("#ngrams table")
    shown = view.locator(".card").nth(0).locator(".text").all_text_contents()
    assert shown[0] == HOSTILE_TEXTS[0]
    sources = [
        view.locator(".card").nth(at).locator(".text").first.text_content() for at in range(6)
    ]
    assert sources == [text or "(empty)" for text in HOSTILE_TEXTS]
    expect(view.locator(".card header bdi").first).to_have_text("<b>0</b>")
    options = view.locator("#browse-a option").all_text_contents()
    assert {HOSTILE_NAMES[0], HOSTILE_NAMES[1], HOSTILE_NAMES[3]} < set(options)
    assert r"\u202egnp.exe & 'co'\nand more" in options
    labels = view.locator(".card").first.locator(".label").all_text_contents()
    assert {label.removeprefix("A: ").removeprefix("B: ") for label in labels[2:]} == set(options)
    for query in (HOSTILE_TEXTS[0], "(", "[a", "\\", "$&"):
        view.fill("#browse-text", query)
        view.wait_for_timeout(200)
    assert view.evaluate("window.hacked") is None
    assert view.locator("img").count() == 0
    assert view.evaluate("document.scripts.length") == 3
    for width in (390, 1400):
        resize(view, width)
        fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert view.evaluate(fits)
    visit.leave()
    assert visit.complaints == []
    assert visit.requests == [visit.address]


def test_everything_is_reached_by_keyboard(visit: Visit) -> None:
    visit.browse()
    unnamed = visit.view.evaluate(
        """() => [...document.querySelectorAll("button, input, select, summary")]
            .filter((e) => !(e.textContent.trim() || e.labels?.length)).map((e) => e.id)"""
    )
    assert unnamed == []
    # From the top, and not from what was clicked last.
    visit.view.evaluate("document.body.tabIndex = -1; document.body.focus(); scrollTo(0, 0)")
    visit.view.keyboard.press("Tab")
    assert visit.view.evaluate("document.activeElement.textContent") == "Skip to content"
    outline = visit.view.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_without_scripts_all_but_the_segments_is_there(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file, scripts=False)
    view = visit.view
    assert view.locator("#pair-table tbody tr").count() == 396
    assert view.locator("#summary svg").count() == 3
    assert view.locator(".controls:visible, button:visible").count() == 0
    assert "JavaScript, which is switched off" in view.inner_text("#segments")
    visit.leave()
