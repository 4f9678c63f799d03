"""A judge's work in a real browser: by keys, by touch, without scripts, and against all odds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from e2e.browser.visit import expect

pytest.importorskip("starlette", reason="weigh[web] is not installed")
from sqlalchemy import text

from e2e.browser.sitting import (
    ARABIC,
    EVERYTHING,
    HOSTILE,
    JAPANESE,
    LABELS,
    PROBLEMS,
    Served,
    Sitting,
    tasks,
)
from weigh.web.assignment import Work

Sit = Callable[..., Sitting]
STORE = "JSON.stringify(Object.values(sessionStorage))"


@pytest.fixture
def served(chromium: Any, tmp_path: Path) -> Iterator[Served]:
    del chromium  # which may not be there
    made = Served(tmp_path)
    yield made
    made.stop()
    made.campaign.database.close()


@pytest.fixture
def sit(chromium: Any, served: Served) -> Iterator[Sit]:
    made = []

    def sitting(**options: Any) -> Sitting:
        made.append(Sitting(chromium, served, **options))
        return made[-1]

    yield sitting
    for each in made:
        each.close()


def checked(sitting: Sitting) -> None:
    """Look for what is wrong with a page, in light and in dark."""
    for scheme in ("light", "dark"):
        sitting.view.emulate_media(color_scheme=scheme)
        assert sitting.view.evaluate(PROBLEMS) == []


def test_problems_are_found(chromium: Any) -> None:
    view = chromium.new_page()
    view.set_content(
        """<style>a { display: inline-block; min-height: 44px }</style><main>
        <h1>Title</h1><h3>Too deep</h3><p id=x style="color: #888">Faint</p>
        <a href=# tabindex=2>Second in line</a><input aria-describedby=nothing>
        <a href=# style="min-height: 0">Small</a>
        <a href=# style="position: absolute; top: 0">Above</a>
        <fieldset><p id=x>No legend</p></fieldset><p style="width: 3000px">Wide</p></main>"""
    )
    found = " ".join(view.evaluate(PROBLEMS))
    view.close()
    for problem in (
        "no name: <input",
        "contrast 3.5",
        "tabindex: <a",
        "px: <a",
        "focus goes back",
        "no language",
        "no title",
        "heading: <h3",
        "without legend",
        "ids: ",
        "describedby nothing",
        "px wide",
    ):
        assert problem in found


def test_keys_are_enough(sit: Sit) -> None:
    sitting = sit()
    view = sitting.view
    sitting.enter()
    checked(sitting)
    assert view.locator(".prose p").all_inner_texts() == [
        "Your answers are kept without your name.",
        "You may stop at any time, and ask <us>.",
    ]
    for key in ("Tab", "Tab", "Space"):
        view.keyboard.press(key)
    sitting.go(lambda: view.keyboard.press("Enter"))
    checked(sitting)
    assert view.locator(".prose p").all_inner_texts()[1] == "Then answer.\nTake your time."
    sitting.go(lambda: view.keyboard.press("Enter"))
    # Training: what is not answered is not sent, and what is expected is told.
    assert sitting.kind == "adequacy"
    view.keyboard.press("Enter")
    faults = view.locator(".fault:visible")
    expect(faults).to_have_text(["First move the slider or type a number."])
    slider = view.locator("input[type=range]")
    assert slider.get_attribute("aria-valuetext") == "not answered yet"
    for key, value in (
        ("ArrowRight", "51"),
        ("PageUp", "61"),
        ("ArrowDown", "60"),
        ("End", "100"),
        ("Home", "0"),
        ("1", "1"),
        ("2", "12"),
        ("Backspace", ""),
        ("6", "6"),
    ):
        view.keyboard.press(key)
        expect(view.locator("[name=score]")).to_have_value(value)
    checked(sitting)
    sitting.go(lambda: view.keyboard.press("Enter"))
    assert view.locator("h1").inner_text() == "Not quite"
    assert "Your answer: 6. Expected: 70 to 100." in view.inner_text("main")
    checked(sitting)
    sitting.go(lambda: view.keyboard.press("Enter"))
    sitting.answer(side="1")
    assert view.locator("h1").inner_text() == "As expected"
    sitting.go(lambda: view.keyboard.press("Enter"))
    # One judge who fails half of the training is given no more.
    assert "no more tasks for you" in view.inner_text("main")
    checked(sitting)


def test_a_batch_of_every_kind_by_keys(sit: Sit, served: Served) -> None:
    sitting = sit()
    view = sitting.view
    sitting.begin()
    texts: list[str] = []
    while sitting.kind:
        checked(sitting)
        if sitting.kind == "rypt":
            view.keyboard.press("y")
            view.keyboard.press("ArrowUp")
            expect(view.locator(".current")).to_have_id("question-1")
            view.keyboard.press("?")
            expect(view.locator(".keys dl")).to_be_visible()
            checked(sitting)
            # Single keys can be switched off.
            for key in ("Tab", "Space"):
                view.keyboard.press(key)
            view.evaluate("document.activeElement.blur()")
            view.keyboard.press("n")
            assert view.locator("[type=radio]:checked").count() == 1
            expect(view.locator(".choice kbd:visible")).to_have_count(0)
            view.check("#single-keys")
            view.focus("summary")
            view.keyboard.press("Enter")  # on what shows the keys, which hides them again
            view.evaluate("document.activeElement.blur()")
            view.keyboard.press("ArrowDown")
            view.keyboard.press("ArrowUp")
            expect(view.locator(".shared")).to_have_class(re.compile(r"\bstays\b"))
        texts += view.locator(".passage p").all_text_contents()
        # New items are told to those who hear the page, who go on from its heading.
        assert sitting.kind == "rypt" or view.evaluate("document.activeElement.tagName") == "H1"
        sitting.answer()
        if sitting.kind:
            expect(view.locator("#said")).to_contain_text("Saved.")
    assert served.answers() == EVERYTHING
    assert view.locator("h1").inner_text() == "Thank you"
    code = view.inner_text("#code")
    assert len(code) == 10
    checked(sitting)
    assert HOSTILE in texts
    assert any("[marked: " in each for each in texts)
    assert JAPANESE in [each.replace("[marked: ", "").replace("]", "") for each in texts]
    # The last answer, the one before, and a change of that; Escape changes nothing.
    sitting.go(lambda: view.keyboard.press("u"))
    checked(sitting)
    assert view.locator("[type=radio]:checked").get_attribute("value") == "right"
    view.keyboard.press("1")
    sitting.go(lambda: view.keyboard.press("Escape"))
    sitting.go(lambda: view.keyboard.press("u"))
    assert view.locator("[type=radio]:checked").get_attribute("value") == "right"
    sitting.go(lambda: view.keyboard.press("u"))
    assert view.locator("[name=score]").input_value() == "73"
    sitting.answer("5")
    assert served.answers()[6:] == [("fluency", 2, {"score": 5})]
    assert view.inner_text("#code") == code


def test_fingers_are_enough_on_a_phone(sit: Sit, served: Served) -> None:
    sitting = sit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    view = sitting.view
    sitting.enter()
    checked(sitting)
    view.tap(".tick")
    sitting.go(lambda: view.tap(".primary"))
    sitting.go(lambda: view.tap(".primary"))
    while view.locator(".primary").count():
        checked(sitting)
        assert view.locator("kbd:visible").count() == 0
        if sitting.kind == "rypt":
            for name, label in LABELS.items():
                view.tap(f"label:has([name={name}][value='{label}'])")
        elif sitting.kind == "preference":
            side = "left" if view.locator(".training").count() else "right"
            view.tap(f"label:has([value={side}])")
        elif sitting.kind:
            box = view.locator("input[type=range]").bounding_box()
            # The middle of the thumb, whose width is left free at both ends.
            at = 14 + (box["width"] - 28) * 0.73
            view.locator("input[type=range]").tap(position={"x": at, "y": box["height"] / 2})
        sitting.go(lambda: view.tap(".primary"))
    assert served.answers() == EVERYTHING
    checked(sitting)


def test_scripts_are_not_needed(sit: Sit, served: Served) -> None:
    sitting = sit(java_script_enabled=False)
    view = sitting.view
    sitting.enter()
    assert view.locator("kbd:visible, .keys:visible").count() == 0
    view.check("[name=agree]")
    follow(view, ".primary")
    follow(view, ".primary")
    while view.locator(".primary").count():
        answer_plainly(sitting)
        follow(view, ".primary")
    assert served.answers() == EVERYTHING
    assert len(view.inner_text("#code")) == 10
    # An answer to change, sent twice by two pages: the second is told of the first.
    follow(view, "text=Review your last answer")
    address = view.url
    other = sitting.open()
    other.goto(address)
    for page, side in ((view, "left"), (other, "neither")):
        page.check(f"[value={side}]")
        follow(page, ".primary")
    assert "Save again to replace" in other.inner_text("[role=alert]")
    assert other.locator("[type=radio]:checked").get_attribute("value") == "neither"
    follow(other, ".primary")
    assert [each[1:] for each in served.answers()[6:]] == [
        (2, {"choice": "left"}),
        (3, {"choice": "neither"}),
    ]


def answer_plainly(sitting: Sitting) -> None:
    view = sitting.view
    if sitting.kind == "rypt":
        for name, label in LABELS.items():
            view.check(f"[name={name}][value='{label}']")
    elif sitting.kind == "preference":
        view.check("[value=left]" if view.locator(".training").count() else "[value=right]")
    elif sitting.kind:
        view.fill("[name=score]", "73")


def follow(view: Any, selector: str) -> None:
    """Click on what leads to another page, and wait for that."""
    with view.expect_navigation():
        view.click(selector)


def test_another_device_goes_on_where_the_first_stopped(sit: Sit, served: Served) -> None:
    first = sit()
    first.begin()
    first.answer()
    second = sit(viewport={"width": 390, "height": 844})
    second.enter()
    assert second.kind == "adequacy"
    assert second.view.locator(".place").inner_text().startswith("1 of 3")
    assert second.view.locator(".time").inner_text().startswith("3 done")
    arabic = second.view.locator(".passage p", has_text=ARABIC[:10])
    assert arabic.count() == 0
    second.answer()
    arabic = second.view.locator(".passage p", has_text=ARABIC[:10])
    assert arabic.evaluate("(text) => getComputedStyle(text).direction") == "rtl"
    assert arabic.get_attribute("lang") == "en"
    # The first device still shows what the second has answered.
    first.answer("10")
    assert "Save again to replace" in first.view.inner_text("[role=alert]")
    assert served.answers() == EVERYTHING[:2]
    first.go(lambda: first.view.keyboard.press("Enter"))
    assert served.answers()[2:] == [("adequacy", 2, {"score": 10})]


def test_double_clicks_reloads_and_ways_back(sit: Sit, served: Served) -> None:
    sitting = sit()
    view = sitting.view
    sitting.begin()
    # Half an answer outlives a reload.
    for key in "yns":
        view.keyboard.press(key)
    view.reload()
    values = "(all) => all.map((each) => each.value)"
    assert view.eval_on_selector_all("[type=radio]:checked", values) == ["YES", "NO", "NOT SURE"]
    view.keyboard.press("Enter")
    expect(view.locator(".fault:visible")).to_have_count(7)
    for key in "yysnnyn":
        view.keyboard.press(key)
    sitting.go(lambda: view.dblclick(".primary"))
    assert sitting.kind == "adequacy"
    # The second click may come when the next item is there.
    view.dispatch_event(".primary", "click", {"detail": 2})
    assert view.locator(".fault:visible").count() == 0
    assert served.answers() == EVERYTHING[:1]
    view.keyboard.press("4")
    view.click("text=Instructions")
    view.wait_for_selector("text=Back to the task")
    sitting.go(lambda: view.keyboard.press("Enter"))
    assert view.locator("[name=score]").input_value() == "4"
    # The browser's way back leads to the answer before; another one replaces it.
    sitting.answer("73")
    sitting.go(view.go_back)
    assert view.locator("[name=score]").input_value() == "73"
    assert "already answered this" in view.inner_text(".said")
    sitting.answer("20")
    assert served.answers()[1:] == [
        ("adequacy", 1, {"score": 73}),
        ("adequacy", 2, {"score": 20}),
    ]
    assert view.locator(".place").inner_text().startswith("2 of 3")


def test_time_counts_while_the_page_is_looked_at(sit: Sit, served: Served) -> None:
    sitting = sit()
    sitting.begin()
    view = sitting.view
    hide = """(hidden) => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    began = perf_counter()
    view.evaluate(hide, True)
    view.wait_for_timeout(1200)
    view.evaluate(hide, False)
    sitting.answer()
    [seconds] = served.seconds()
    assert 0 < seconds < perf_counter() - began - 1


def test_two_tabs(sit: Sit, served: Served) -> None:
    sitting = sit()
    sitting.begin()
    first = sitting.view
    other = sitting.open()
    other.goto(first.url)
    sitting.answer()
    sitting.view = other
    sitting.answer(labels="n" * 10)
    assert "Save again to replace" in other.inner_text("[role=alert]")
    assert other.locator("[type=radio]:checked").first.get_attribute("value") == "NO"
    assert served.answers() == EVERYTHING[:1]
    other.click("text=Leave it as it is")
    other.wait_for_selector("input[type=range]")
    assert other.locator("[name=score]").input_value() == ""


def test_an_answer_waits_for_the_server(sit: Sit, served: Served) -> None:
    sitting = sit()
    view = sitting.view
    sitting.begin()
    asked = []
    view.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    served.stop()
    for key in "ynsyysnnyn":
        view.keyboard.press(key)
    view.keyboard.press("Enter")
    view.wait_for_selector(".unsaved")
    assert "Not saved yet; trying again" in view.inner_text(".unsaved")
    assert view.locator("[type=radio]:checked").count() == 10
    assert view.evaluate(PROBLEMS) == []
    with view.expect_event("dialog"):
        view.evaluate("setTimeout(() => location.reload())")
    assert asked == ["beforeunload"]
    # The page may try by itself before the button is clicked.
    click = "document.querySelector('.unsaved button')?.click()"
    sitting.go(lambda: (served.start(), view.evaluate(click)))
    assert sitting.kind == "adequacy"
    assert served.answers() == EVERYTHING[:1]

    # The answer arrives, and what is said of it does not: it is sent again, and kept once.
    tries = []

    def lossy(route: Any) -> None:
        tries.append(route.request.post_data)
        if len(tries) == 1:
            route.fetch(max_redirects=0)
            route.abort()
        elif len(tries) == 2:
            route.fulfill(status=503, content_type="text/html", body="<main>Later</main>")
        else:
            route.continue_()

    view.route("**/work/answer", lossy)
    for key in "73":
        view.keyboard.press(key)
    view.keyboard.press("Enter")
    view.wait_for_selector(".unsaved")
    sitting.go(lambda: view.click("text=Try now"))
    assert len(tries) == 3
    assert len(set(tries)) == 1
    assert served.answers() == EVERYTHING[:2]
    assert view.locator(".unsaved").count() == 0


# An answer that is not stored: never "Saved.", and never lost.


@pytest.fixture
def rated(chromium: Any, tmp_path: Path) -> Iterator[tuple[Served, Sitting]]:
    """Sit down before the first of three items of one sheet; another judge waits."""
    files = {"adequacy.jsonl": tasks()["adequacy.jsonl"]}
    made = Served(tmp_path, ("judge", "other"), files)
    sitting = Sitting(chromium, made)
    sitting.begin()
    yield made, sitting
    sitting.close()
    made.stop()
    made.campaign.database.close()


def number_of(served: Served, name: str) -> int:
    [number] = [each.id for each in served.campaign.access.judges() if each.name == name]
    return number


def save(sitting: Sitting, *keys: str) -> None:
    for key in (*keys, "Enter"):
        sitting.view.keyboard.press(key)


def is_kept(sitting: Sitting, value: str) -> None:
    """Look whether an answer was refused, and is still before the judge."""
    view = sitting.view
    expect(view.locator(".unsaved [role=alert]")).to_contain_text("Not saved")
    expect(view.locator("#said")).not_to_contain_text("Saved")
    assert view.locator("[name=score]").input_value() == value
    assert f'["score","{value}"]' in view.evaluate(STORE).replace("\\", "")
    checked(sitting)


def test_a_sheet_that_was_taken_over(rated: tuple[Served, Sitting]) -> None:
    served, sitting = rated
    other = number_of(served, "other")
    with served.campaign.database.writing() as connection:
        connection.execute(text("UPDATE campaign_slots SET until = 0 WHERE judge IS NOT NULL"))
    taken = served.campaign.assignment.work_for(other)
    save(sitting, "4", "2")
    expect(sitting.view.locator(".unsaved")).to_contain_text("another judge")
    is_kept(sitting, "42")
    assert served.answers() == []
    # What comes next is offered: here nothing, until the other judge has gone as well.
    sitting.go(lambda: sitting.view.click(".unsaved a"))
    assert sitting.view.locator("h1").inner_text() == "Thank you"
    assert isinstance(taken, Work)
    served.campaign.access.release(other)
    sitting.view.goto(f"{served.base}/work")
    assert sitting.view.locator("[name=score]").input_value() == "42"
    save(sitting)
    expect(sitting.view.locator("#said")).to_contain_text("Saved.")
    assert served.answers() == [("adequacy", 1, {"score": 42})]


def test_a_campaign_that_was_closed(rated: tuple[Served, Sitting]) -> None:
    served, sitting = rated
    served.campaign.set_open(False)
    save(sitting, "4", "2")
    expect(sitting.view.locator(".unsaved")).to_contain_text("closed")
    is_kept(sitting, "42")
    with sitting.view.expect_response("**/work/answer"):
        sitting.view.click(".unsaved button")
    expect(sitting.view.locator(".item[aria-busy]")).to_have_count(0)
    is_kept(sitting, "42")
    assert served.answers() == []
    served.campaign.set_open(True)
    sitting.go(lambda: sitting.view.click(".unsaved button"))
    expect(sitting.view.locator("#said")).to_contain_text("Saved.")
    assert served.answers() == [("adequacy", 1, {"score": 42})]


def test_a_judge_who_was_paused(rated: tuple[Served, Sitting]) -> None:
    served, sitting = rated
    judge = number_of(served, "judge")
    served.campaign.access.set_state(judge, "paused")
    save(sitting, "4", "2")
    expect(sitting.view.locator(".unsaved")).to_contain_text("paused")
    is_kept(sitting, "42")
    sitting.go(lambda: sitting.view.click(".unsaved a"))
    assert sitting.view.locator("h1").inner_text() == "Paused"
    assert served.answers() == []
    served.campaign.access.set_state(judge, "active")
    sitting.view.goto(f"{served.base}/work")
    assert sitting.view.locator("[name=score]").input_value() == "42"


def test_pages_that_say_nothing_of_an_answer(rated: tuple[Served, Sitting]) -> None:
    served, sitting = rated
    view = sitting.view

    def astray(route: Any) -> None:
        """Lead elsewhere, as proxies do that ask for a password."""
        route.fulfill(status=303, headers={"location": "/static/style.css?saved=other"})

    view.route("**/work/answer", astray)
    view.route(
        "**/static/style.css?*",
        lambda route: route.fulfill(content_type="text/html", body="<main><h1>Log in</h1></main>"),
    )
    save(sitting, "4", "2")
    is_kept(sitting, "42")
    view.unroute("**/work/answer")
    # Whoever left in another window has no session.
    cookies = sitting.context.cookies()
    sitting.context.clear_cookies()
    view.click(".unsaved button")
    expect(view.locator(".unsaved")).to_contain_text("Open that link again")
    assert view.locator("[name=score]").input_value() == "42"
    sitting.context.add_cookies(cookies)
    sitting.go(lambda: view.click(".unsaved button"))
    assert served.answers() == [("adequacy", 1, {"score": 42})]
