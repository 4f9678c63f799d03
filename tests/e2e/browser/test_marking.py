"""Errors marked in a real browser: by mouse, by finger, by keys; and pages with several texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="weigh[web] is not installed")
from e2e.browser.sitting import ARABIC, HOSTILE, PROBLEMS, Served, Sitting
from e2e.browser.visit import expect, resize
from reading import read_judgments
from unit.web.campaign_files import document, part, sheet
from weigh.types import Span

EMOJI = "The 👩‍🚀 ferry 🎉🎉 leaves at eight."
JAPANESE = "霧が晴れると、フェリーは出ます。"
Serve = Callable[..., Sitting]


@pytest.fixture
def serve(chromium: Any, tmp_path: Path) -> Iterator[Serve]:
    """Serve some lines, and sit down before the first page."""
    made: list[tuple[Served, Sitting]] = []

    def serving(*lines: dict[str, Any], **options: Any) -> Sitting:
        served = Served(tmp_path, files={"tasks.jsonl": [*lines]})
        sitting = Sitting(chromium, served, **options)
        made.append((served, sitting))
        if options.get("java_script_enabled", True):
            sitting.begin()
        return sitting

    yield serving
    for served, sitting in made:
        sitting.close()
        served.stop()
        served.campaign.database.close()


def checked(sitting: Sitting) -> None:
    """Look for what is wrong with a page, in light and in dark, on a phone and on a desk."""
    size = sitting.view.viewport_size
    for width in (390, 1400):
        resize(sitting.view, width)
        for scheme in ("light", "dark"):
            sitting.view.emulate_media(color_scheme=scheme)
            assert sitting.view.evaluate(PROBLEMS) == []
    resize(sitting.view, **size)


def given(sitting: Sitting, name: str = "spans") -> list[tuple[Any, Any, str]]:
    """Return the marks that would be sent."""
    value = sitting.view.locator(f"[name={name}]").input_value()
    return [(each["start"], each["end"], each["severity"]) for each in json.loads(value or "[]")]


def keys(sitting: Sitting, *pressed: str) -> None:
    for key in pressed:
        sitting.view.keyboard.press(key)


def draw(sitting: Sitting, first: int, last: int) -> None:
    """Draw from one word to another."""
    words = sitting.view.locator(".markable .unit")
    boxes = [words.nth(place).bounding_box() for place in (first, last)]
    (start, _), (end, _) = points = [
        (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes
    ]
    mouse = sitting.view.mouse
    mouse.move(*points[0])
    mouse.down()
    mouse.move((start + end) / 2, points[0][1])
    mouse.move(*points[1])
    mouse.up()


def test_marks_by_mouse(serve: Serve) -> None:
    sitting = serve(sheet("esa", [part(1, "The ferry leaves at eight, if the fog has lifted.")]))
    view = sitting.view
    checked(sitting)
    view.click(".mark-tools >> text=Minor")  # before any words
    expect(view.locator(".hint")).to_contain_text("Select words first")
    draw(sitting, 1, 3)
    expect(view.locator(".unit.chosen")).to_have_text(["ferry", "leaves", "at"])
    view.click(".mark-tools >> text=Minor")
    words = view.locator(".markable .unit")
    for place in (8, 7):  # the last word before the first
        words.nth(place).click()
    view.click(".mark-tools >> text=Major")
    view.click(".mark-tools .missing")
    assert given(sitting) == [(4, 19, "minor"), (30, 37, "major"), (None, None, "minor")]
    assert view.locator(".marked bdi").all_inner_texts() == [
        *("ferry leaves at", "the fog", "Something is missing")
    ]
    expect(view.locator("#said")).to_contain_text("3 errors marked")
    checked(sitting)
    # What is chosen and not marked is not lost silently; the same word again lets go of it.
    words.nth(0).click()
    keys(sitting, "7")
    view.click(".primary")
    expect(view.locator(".fault:visible")).to_contain_text("how severe the error is")
    words.nth(0).click()
    expect(view.locator(".chosen")).to_have_count(0)
    # A marked word leads to its entry, where it is changed or removed.
    words.nth(2).click()
    assert view.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Severity")
    view.locator(".marked select").first.select_option("major")
    view.locator(".marked button").nth(1).click()
    assert view.evaluate("document.activeElement.textContent") == "Remove"
    assert given(sitting) == [(4, 19, "major"), (None, None, "minor")]
    sitting.go(lambda: view.click(".primary"))
    [(kind, revision, answer)] = sitting.served.answers()
    assert (kind, revision, answer["score"]) == ("esa", 1, 7)
    assert json.loads(answer["spans"])[0] == {
        "start": 4,
        "end": 19,
        "severity": "major",
        "category": "",
    }


def test_marks_by_keys(serve: Serve) -> None:
    sitting = serve(sheet("esa", [part(1, EMOJI), part(2, "Nothing is wrong."), part(3, ARABIC)]))
    view = sitting.view
    # A number is the score, wherever one is; the text is one up.
    keys(sitting, "8", "ArrowUp")
    assert view.evaluate("document.activeElement.getAttribute('role')") == "application"
    keys(sitting, "ArrowRight", "ArrowRight", "m")  # an astronaut, in three characters
    assert given(sitting) == [(4, 7, "minor")]
    keys(sitting, "ArrowRight", "Shift+ArrowRight")
    expect(view.locator("#said")).to_contain_text("ferry 🎉🎉")
    keys(sitting, "j")
    assert given(sitting) == [(4, 7, "minor"), (8, 16, "major")]
    keys(sitting, "End", "ArrowLeft", "Space", "ArrowLeft", "ArrowLeft", "Space", "m", "x")
    assert given(sitting)[2:] == [(17, 32, "minor"), (None, None, "minor")]
    keys(sitting, "Home", "ArrowRight", "j")
    assert given(sitting)[0] == (4, 7, "major")
    keys(sitting, "ArrowRight", "Delete", "Delete")
    assert given(sitting) == [(4, 7, "major"), (17, 32, "minor"), (None, None, "minor")]
    checked(sitting)
    keys(sitting, "?")
    expect(view.locator(".keys dt >> text=Delete")).to_be_visible()
    keys(sitting, "?")
    # A reload keeps what was marked and scored.
    view.reload()
    assert len(given(sitting)) == 3
    assert view.locator(".marked li").count() == 3
    assert view.locator("[name=score]").input_value() == "8"
    sitting.go(lambda: keys(sitting, "Enter"))
    sitting.answer("95")  # no errors need not be said
    # In writing from right to left the next word is to the left.
    keys(sitting, "5", "ArrowUp", "ArrowLeft", "ArrowLeft", "m")
    assert given(sitting) == [(6, 13, "minor")]
    sitting.go(lambda: keys(sitting, "Enter"))
    first, second, third = read_judgments([str(sitting.served.campaign.location)]).judgments
    assert first.spans == (
        Span(4, 7, "major"),
        Span(17, 32, "minor"),
        Span(None, None, "minor"),
    )
    assert [EMOJI[s.start : s.end] for s in first.spans[:2]] == ["👩‍🚀", "leaves at eight"]
    assert (second.value, second.spans) == (95, ())
    assert third.spans is not None
    assert ARABIC[third.spans[0].start : third.spans[0].end] == ARABIC.split(" ")[1]
    # Back to the last answer: it is as it was, and another one replaces it.
    sitting.go(lambda: keys(sitting, "u"))
    assert given(sitting) == [(6, 13, "minor")]
    keys(sitting, "ArrowLeft", "ArrowLeft", "Backspace")
    sitting.go(lambda: keys(sitting, "Enter"))
    assert sitting.served.answers()[-1] == ("esa", 2, {"spans": "[]", "score": 5})


def test_stray_keys_answer_nothing(serve: Serve) -> None:
    sitting = serve(sheet("esa", [part(1, "The ferry leaves at eight."), part(2, "It is late.")]))
    view = sitting.view
    score, fault = view.locator("[name=score]"), view.locator(".fault:visible")

    def is_fresh() -> None:
        expect(view.locator(".markable")).to_be_focused()
        expect(view.locator(".unit.cursor")).to_have_count(0)
        keys(sitting, "j", "m", "Space", "Delete")
        expect(view.locator("#said")).to_have_text("Select words first.")
        expect(view.locator(".hint")).to_contain_text("Select words first")
        assert (given(sitting), score.input_value()) == ([], "")

    is_fresh()
    # Arrows go from word to word, wherever the focus was, and never set the score.
    keys(sitting, "ArrowRight", "ArrowRight", "ArrowLeft")
    expect(view.locator(".unit.cursor")).to_have_text("The")
    for blurred in ("document.activeElement.blur()", "document.querySelector('.primary').focus()"):
        view.evaluate(blurred)
        keys(sitting, "ArrowRight", "ArrowLeft", "PageUp", "End", "Backspace", "j", "M")
        expect(view.locator("#said")).to_have_text("Select words first.")
        assert (given(sitting), score.input_value()) == ([], "")
    view.evaluate("document.activeElement.blur()")
    keys(sitting, "Enter")
    expect(fault).to_have_text("First move the slider or type a number.")
    assert sitting.served.answers() == []
    # The slider has the focus now: letters still are for the text, and arrows move it.
    expect(view.locator("input[type=range]")).to_be_focused()
    keys(sitting, "j")
    expect(view.locator("#said")).to_have_text("Select words first.")
    keys(sitting, "ArrowRight")
    expect(score).to_have_value("51")
    keys(sitting, "6")
    sitting.go(lambda: keys(sitting, "Enter"))
    is_fresh()
    assert sitting.served.answers() == [("esa", 1, {"spans": "[]", "score": 6})]


def test_arrows_alone_are_no_score(serve: Serve) -> None:
    sitting = serve(sheet("adequacy", [part(1, "The ferry leaves at eight.")]))
    score = sitting.view.locator("[name=score]")
    keys(sitting, "ArrowRight", "ArrowLeft", "ArrowUp", "PageUp", "Home", "End", "Backspace")
    keys(sitting, "Enter")
    expect(sitting.view.locator(".fault:visible")).to_have_count(1)
    assert score.input_value() == ""
    keys(sitting, "7")
    sitting.view.evaluate("document.activeElement.blur()")
    keys(sitting, "ArrowRight")  # of what is set
    expect(score).to_have_value("8")


def test_kinds_of_errors(serve: Serve) -> None:
    sitting = serve(sheet("mqm", [part(1, JAPANESE), part(2, f"{HOSTILE} \r\n end")]))
    view = sitting.view
    keys(sitting, "Enter")
    expect(view.locator(".fault:visible")).to_contain_text("tick “No errors”")
    view.check("text=No errors")
    assert view.locator("[name=spans]").input_value() == "[]"
    # Writing without spaces is marked by characters.
    view.focus(".markable")
    keys(sitting, "ArrowRight", "ArrowRight", "Shift+ArrowRight", "j")
    expect(view.locator(".marking .tick")).to_be_hidden()
    expect(view.locator(".marked bdi")).to_have_text("が晴")
    keys(sitting, "f", "Enter")  # the first kind of that letter, and back to the text
    expect(view.locator(".marked select").nth(1)).to_have_value("Fluency/Punctuation")
    assert view.evaluate("document.activeElement.className").startswith("markable")
    checked(sitting)
    keys(sitting, "End", "n")
    view.click(".primary")
    expect(view.locator(".fault:visible")).to_contain_text("type of every error")
    checked(sitting)
    view.locator(".marked select").nth(3).select_option("Other")
    assert view.locator(".fault:visible").count() == 0
    sitting.go(lambda: view.click(".primary"))
    # Line ends and all signs have their places, and nothing that a text says is done.
    words = view.locator(".markable .unit")
    words.last.click()
    view.click(".mark-tools >> text=Major")
    view.locator(".marked select").nth(1).select_option("Non-translation")
    checked(sitting)
    sitting.go(lambda: view.click(".primary"))
    one, other = read_judgments([str(sitting.served.campaign.location)]).judgments
    assert one.spans == (
        Span(1, 3, "major", "Fluency/Punctuation"),
        Span(15, 16, "neutral", "Other"),
    )
    assert (one.value, other.value) == (-5, -25)
    text = f"{HOSTILE} \r\n end"
    assert other.spans == (Span(len(text) - 3, len(text), "major", "Non-translation"),)


def test_without_scripts_it_is_said_what_is_missing(serve: Serve) -> None:
    sitting = serve(sheet("esa", [part(1, "The ferry.")]), java_script_enabled=False)
    access = sitting.served.campaign.access
    for what in ("consented", "begun"):
        access.note(access.judges()[0].id, what)
    sitting.enter()
    assert "This task needs JavaScript" in sitting.view.inner_text(".unmarkable")
    assert sitting.view.locator("form:visible, button:visible, input:visible").count() == 0
    assert sitting.view.locator("main p:visible").count() == 1
    assert sitting.view.evaluate(PROBLEMS) == []


def test_a_document_on_one_page(serve: Serve) -> None:
    sitting = serve(document("esa"), document("adequacy"))
    view = sitting.view
    checked(sitting)
    # Source and translation stand side by side where there is room.
    tops = "(all) => all.map((each) => Math.round(each.getBoundingClientRect().top))"
    for width, beside in ((1400, True), (390, False)):
        resize(view, width)
        source, target, *_ = view.eval_on_selector_all(".question .passage", tops)
        assert (source == target) == beside
    resize(view, 1400)
    keys(sitting, "9")  # the first score
    keys(sitting, "ArrowDown")
    expect(view.locator(".current")).to_have_id("question-3")
    keys(sitting, "Home", "ArrowRight", "j", "7", "0")  # a mark and a score of the second text
    expect(view.locator("[name=score_2]")).to_have_value("70")
    keys(sitting, "Enter")
    expect(view.locator(".fault:visible")).to_have_count(1)
    keys(sitting, "5")
    view.reload()
    values = "(all) => all.map((each) => each.value)"
    assert view.eval_on_selector_all("[data-slider]", values) == ["9", "70", "5"]
    assert given(sitting, "spans_2") == [(4, 7, "major")]
    sitting.go(lambda: keys(sitting, "Enter"))
    checked(sitting)
    for number in (1, 2, 3):
        keys(sitting, str(number), "ArrowDown")
    sitting.go(lambda: keys(sitting, "Enter"))
    judgments = read_judgments([str(sitting.served.campaign.location)]).judgments
    assert [(each.scale, each.value) for each in judgments] == [
        *(("esa", 9), ("esa", 70), ("esa", 5)),
        *(("adequacy", 1), ("adequacy", 2), ("adequacy", 3)),
    ]
    assert {each.document for each in judgments} == {"news-1"}
