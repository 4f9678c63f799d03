"""What a judge sees at a time, as data: texts, some of their words marked, and questions on them.

Every kind of task is screens of this one form. The page shows any of them, and checks the answers
to any of them, without knowing the kind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from weigh.result import decode, encode

Tone = Literal["", "span", "reference"]


class Piece(NamedTuple):
    """A part of a text, which stands out or does not."""

    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to be read; `marks` are the runs of its words, from 0, that stand out.

    `tone` is what the marks are about: the span that is asked about, or the reference. `side`
    says whether it is a text as it was before the translation, or after: which language it is in.
    """

    label: str
    text: str
    marks: tuple[tuple[int, int], ...] = ()
    tone: Tone = ""
    side: Literal["source", "target"] = "target"

    @property
    def pieces(self) -> list[Piece]:
        """The text in parts, spaces kept as they are."""
        if not self.marks:
            return [Piece(self.text, False)]
        words = self.text.split(" ")
        pieces, at = [], 0
        for start, end in self.marks:
            before, inside = words[at:start], words[start:end]
            if before:
                pieces.append(Piece(" ".join(before) + " ", False))
            more = end < len(words)
            pieces.append(Piece(" ".join(inside), True))
            if more:
                pieces.append(Piece(" ", False))
            at = end
        if at < len(words):
            pieces.append(Piece(" ".join(words[at:]), False))
        return pieces


@dataclass(frozen=True, slots=True)
class Option:
    """One of the answers to choose from, and the key that chooses it."""

    value: str
    label: str
    key: str


@dataclass(frozen=True, slots=True)
class SingleChoice:
    """An answer that is one of several."""

    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Slider:
    """An answer that is a number on a scale whose ends have names."""

    low: int
    high: int
    low_label: str
    high_label: str


@dataclass(frozen=True, slots=True)
class Marking:
    """An answer that is words marked in a text, the last of the question's passages.

    Each mark has a severity and, where there are `categories`, one of these. With `says_none` a
    text without errors has to be called so.
    """

    severities: tuple[Option, ...]
    categories: tuple[str, ...] = ()
    says_none: bool = False


MOST_SPANS = 60
"""The maximum number of marks in a text."""
LONGEST_SPANS = 12_000
"""The maximum number of characters of an answer with marks."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about some texts, with the form of its answer.

    A question without texts of its own is about those of the question before it.
    """

    name: str
    prompt: str
    passages: tuple[Passage, ...]
    choice: SingleChoice | None = None
    slider: Slider | None = None
    marking: Marking | None = None

    def __post_init__(self) -> None:
        if sum(way is not None for way in (self.choice, self.slider, self.marking)) != 1:
            raise ValueError("a question is answered in one way")

    @property
    def marked_text(self) -> str:
        """The text in which words are marked."""
        return self.passages[-1].text


@dataclass(frozen=True, slots=True)
class Screen:
    """One page: texts shared by all questions, and the questions.

    `note` tells what several texts have to do with each other.
    """

    kind: str
    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]
    note: str = ""

    @property
    def needs_script(self) -> bool:
        """Whether it cannot be answered without JavaScript."""
        return any(question.marking for question in self.questions)


Answers = Mapping[str, str | int]
"""The answers, by name of question."""


def encoded(screen: Screen) -> str:
    """Return a screen as JSON."""
    return json.dumps(encode(screen), ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=1024)  # several judges see the same, and every one when it is shown and sent
def decoded(text: str) -> Screen:
    """Return a screen from JSON."""
    return decode(Screen, json.loads(text), "screen")


class AnswersRead(NamedTuple):
    """The valid answers of a form, and the faults of the others."""

    answers: dict[str, str | int]
    faults: dict[str, str]


def read_answers(screen: Screen, form: Mapping[str, str]) -> AnswersRead:
    """Return the answers to all questions of a screen from the fields of a form."""
    answers: dict[str, str | int] = {}
    faults: dict[str, str] = {}
    for question in screen.questions:
        try:
            answers[question.name] = _answer(question, form.get(question.name, "").strip())
        except ValueError as error:
            faults[question.name] = str(error)
    return AnswersRead(answers, faults)


def _answer(question: Question, answer: str) -> str | int:
    """The answer to one question; the error message says what to correct."""
    if question.marking is not None:
        return _spans(question, question.marking, answer)
    if not answer:
        raise ValueError(
            "First move the slider or type a number." if question.slider else "Choose an answer."
        )
    if question.choice is not None:
        if answer not in (option.value for option in question.choice.options):
            raise ValueError("Choose one of the answers.")
        return answer
    assert question.slider is not None
    low, high = question.slider.low, question.slider.high
    is_whole = answer.isascii() and answer.removeprefix("-").isdigit() and len(answer) < 7
    if not is_whole or not low <= int(answer) <= high:
        raise ValueError(f"Give a whole number from {low} to {high}.")
    return int(answer)


def _spans(question: Question, marking: Marking, answer: str) -> str:
    """Return marks as they are kept: a JSON list in the order of the text, missing parts last.

    The page sends a list as soon as it is answered at all, an empty one for no errors.
    """
    if not answer:
        raise ValueError(
            "Mark the errors, or tick “No errors”."
            if marking.says_none
            else "Marking errors needs JavaScript; switch it on and reload the page."
        )
    broken = "The marks are not valid; reload the page and mark the errors again."
    if len(answer) > LONGEST_SPANS:
        raise ValueError(f"Too many marks; keep at most {MOST_SPANS}.")
    try:
        marks = json.loads(answer)
    except (ValueError, RecursionError):
        raise ValueError(broken) from None
    if not isinstance(marks, list) or not all(isinstance(mark, dict) for mark in marks):
        raise ValueError(broken)
    if len(marks) > MOST_SPANS:
        raise ValueError(f"Too many marks; keep at most {MOST_SPANS}.")
    length = len(question.marked_text)
    severities = [option.value for option in marking.severities]
    kept: list[dict[str, Any]] = []
    for mark in marks:
        start, end = mark.get("start"), mark.get("end")
        is_placed = type(start) is int and type(end) is int
        if (start, end) != (None, None) and not (is_placed and 0 <= start < end <= length):
            raise ValueError("A mark is outside the text; remove it and mark the words again.")
        severity, category = mark.get("severity"), mark.get("category", "")
        if severity not in severities:
            raise ValueError("Choose how severe every error is.")
        if category not in (marking.categories or ("",)):
            raise ValueError("Choose the type of every error.")
        span = {"start": start, "end": end, "severity": severity, "category": category}
        if is_placed and any(_is_same(span, other) for other in kept):
            raise ValueError("The same words are marked twice; remove one of the marks.")
        kept.append(span)
    kept.sort(key=lambda span: (span["start"] is None, span["start"] or 0, span["end"] or 0))
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def _is_same(span: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(span[name] == other[name] for name in ("start", "end", "category"))


@dataclass(frozen=True, slots=True)
class Expected:
    """What the answer to a question should be: a value, or a range.

    The range is one of a scale, or of how many errors are marked.
    """

    question: str
    values: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None

    def fits(self, answers: Answers) -> bool:
        """Whether an answer is the expected one."""
        answer = answers.get(self.question)
        if self.values:
            return answer in self.values
        if isinstance(answer, str):
            answer = len(json.loads(answer))
        return (
            isinstance(answer, int)
            and (self.low is None or answer >= self.low)
            and (self.high is None or answer <= self.high)
        )


def expected_answers(stored: str | None) -> tuple[Expected, ...]:
    """Expected answers of an item, from its row."""
    answers = json.loads(stored or "{}").get("answers", [])
    return tuple(decode(Expected, answer, "expected") for answer in answers)


def is_as_expected(expected: str | None, answer: str) -> bool:
    """Whether all answers to an item are the expected ones."""
    answers = json.loads(answer)
    return all(expectation.fits(answers) for expectation in expected_answers(expected))
