"""What a judge sees at a time, as data: texts, some of their words marked, and questions on them.

Every kind of task is screens of this one form. The page shows any of them, and checks the answers
to any of them, without knowing the kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

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
class Choice:
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
class Question:
    """What is asked, of which texts, and how it is answered."""

    name: str
    prompt: str
    passages: tuple[Passage, ...]
    choice: Choice | None = None
    slider: Slider | None = None

    def __post_init__(self) -> None:
        if (self.choice is None) == (self.slider is None):
            raise ValueError("a question is answered in one way")


@dataclass(frozen=True, slots=True)
class Screen:
    """What stands on one page: texts that all questions are about, and the questions."""

    kind: str
    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]

    @property
    def passages_of_all(self) -> Iterator[Passage]:
        """All texts, those of the questions too."""
        yield from self.passages
        for question in self.questions:
            yield from question.passages


Answers = Mapping[str, str | int]
"""What was answered, by the names of questions."""


def encoded(screen: Screen) -> str:
    """Return a screen as JSON."""
    import json

    return json.dumps(encode(screen), ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=1024)  # several judges see the same, and every one when it is shown and sent
def decoded(text: str) -> Screen:
    """Return a screen from JSON."""
    import json

    return decode(Screen, json.loads(text), "screen")


class AnswersRead(NamedTuple):
    """What a form says: the answers that can be used, and what is wrong with the others."""

    answers: dict[str, str | int]
    faults: dict[str, str]


def read_answers(screen: Screen, form: Mapping[str, str]) -> AnswersRead:
    """Return the answers to all questions of a screen from the fields of a form."""
    answers: dict[str, str | int] = {}
    faults: dict[str, str] = {}
    for question in screen.questions:
        given = form.get(question.name, "").strip()
        if not given:
            faults[question.name] = (
                "Move the slider, or type a number, first."
                if question.slider
                else "Choose an answer."
            )
        elif question.choice is not None:
            if given in (option.value for option in question.choice.options):
                answers[question.name] = given
            else:
                faults[question.name] = "Choose one of the answers."
        elif question.slider is not None:
            low, high = question.slider.low, question.slider.high
            is_whole = given.isascii() and given.removeprefix("-").isdigit() and len(given) < 7
            if is_whole and low <= int(given) <= high:
                answers[question.name] = int(given)
            else:
                faults[question.name] = f"Give a whole number from {low} to {high}."
    return AnswersRead(answers, faults)


@dataclass(frozen=True, slots=True)
class Expected:
    """What the answer to a question should be: a value, or a range of a scale, and what to say."""

    question: str
    values: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None

    def fits(self, answers: Answers) -> bool:
        """Return whether an answer is what it should be."""
        given = answers.get(self.question)
        if self.values:
            return given in self.values
        return (
            isinstance(given, int)
            and (self.low is None or given >= self.low)
            and (self.high is None or given <= self.high)
        )
