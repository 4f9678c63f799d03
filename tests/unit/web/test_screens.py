"""What a judge sees as data, and what is made of a form: above all of marked words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from weigh.web.screens import (
    LONGEST_SPANS,
    MOST_SPANS,
    Expected,
    Marking,
    Option,
    Passage,
    Question,
    Screen,
    Slider,
    decoded,
    encoded,
    read_answers,
)

TEXT = "The 🎉 fog"  # 9 characters, of which JavaScript would count 10
GRADES = (Option("minor", "Minor", "m"), Option("major", "Major", "j"))


def screen(categories: tuple[str, ...] = (), *, says_none: bool = False) -> Screen:
    marking = Marking(GRADES, categories, says_none)
    passages = (Passage("Source", "Der Nebel"), Passage("Translation", TEXT))
    return Screen("esa", (), (Question("spans", "Mark.", passages, marking=marking),))


def span(start: Any, end: Any, severity: Any = "minor", **more: Any) -> dict[str, Any]:
    return {"start": start, "end": end, "severity": severity, "category": "", **more}


def kept(given: str, shown: Screen | None = None) -> list[dict[str, Any]]:
    read = read_answers(shown or screen(), {"spans": given})
    assert not read.faults
    answer = json.loads(str(read.answers["spans"]))
    assert isinstance(answer, list)
    return answer


def fault(given: str, shown: Screen | None = None) -> str:
    read = read_answers(shown or screen(), {"spans": given})
    assert not read.answers
    assert "\n" not in read.faults["spans"]
    return read.faults["spans"]


def test_marks_are_kept_in_the_order_of_the_text() -> None:
    given = [span(None, None, "major"), span(6, 9), span(0, 3), span(4, 5, note="no field of ours")]
    assert kept(json.dumps(given)) == [
        span(0, 3),
        span(4, 5),
        span(6, 9),
        span(None, None, "major"),
    ]
    assert kept("[]") == []


def test_marks_may_overlap_and_two_things_may_be_missing() -> None:
    given = [span(0, 5), span(4, 9), span(None, None), span(None, None)]
    assert len(kept(json.dumps(given))) == 4


def test_characters_are_counted_and_not_halves_of_them() -> None:
    assert kept(json.dumps([span(8, 9)])) == [span(8, 9)]
    assert "outside the text" in fault(json.dumps([span(8, 10)]))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([span(0, 0)], "outside the text"),
        ([span(3, 1)], "outside the text"),
        ([span(-1, 3)], "outside the text"),
        ([span(None, 3)], "outside the text"),
        ([span(True, 3)], "outside the text"),
        ([span(0.0, 3)], "outside the text"),
        ([span("0", 3)], "outside the text"),
        ([span(0, 10**30)], "outside the text"),
        ([{}], "how severe"),
        ([span(0, 3, "fatal")], "how severe"),
        ([span(0, 3, ["minor"])], "how severe"),
        ([span(0, 3, None)], "how severe"),
        ([span(0, 3, category="Style")], "the type"),
        ([span(0, 3, category=None)], "the type"),
        ([span(0, 3), span(0, 3, "major")], "marked twice"),
        ([span(None, None)] * (MOST_SPANS + 1), "Too many"),
        ({"start": 0}, "are not valid"),
        ([[0, 3]], "are not valid"),
        ("[]", "are not valid"),
        (None, "are not valid"),
    ],
)
def test_what_is_no_mark_is_refused_in_a_line(given: object, said: str) -> None:
    assert said in fault(json.dumps(given))


@pytest.mark.parametrize("given", ["{", "[" * 9000, "9" * 5000, "NaN", "[1e999]", "\ud800", '"'])
def test_what_is_no_json_is_refused_in_a_line(given: str) -> None:
    assert "are not valid" in fault(given)


def test_a_long_answer_is_not_even_read() -> None:
    assert "Too many" in fault("[" + " " * LONGEST_SPANS + "]")


def test_categories_are_asked_where_there_are_some() -> None:
    shown = screen(("Style/Awkward", "Other"), says_none=True)
    given = span(0, 3, category="Other")
    assert kept(json.dumps([given]), shown) == [given]
    both = [given, span(0, 3, category="Style/Awkward")]
    assert len(kept(json.dumps(both), shown)) == 2
    assert "the type" in fault(json.dumps([span(0, 3)]), shown)
    assert "or tick “No errors”" in fault("", shown)
    assert "JavaScript" in fault("")


def test_screens_of_older_databases_are_read() -> None:
    slider = Slider(0, 100, "bad", "good")
    shown = Screen("fluency", (), (Question("score", "Good?", (), slider=slider),))
    told = json.loads(encoded(shown))
    del told["note"]
    del told["questions"][0]["marking"]
    assert decoded(json.dumps(told)) == shown
    assert decoded(encoded(screen())) == screen()


def test_training_expects_a_number_of_marks() -> None:
    expected = Expected("spans", low=1, high=2)
    for count, fits in ((0, False), (1, True), (2, True), (3, False)):
        assert expected.fits({"spans": json.dumps([span(None, None)] * count)}) == fits


def test_a_question_is_answered_in_one_way() -> None:
    with pytest.raises(ValueError, match="one way"):
        Question("x", "?", (), slider=Slider(0, 1, "a", "b"), marking=Marking(GRADES))
