"""The kinds of tasks, each a description: how a line of a file becomes screens, and their words.

What is shown and what the judge must not know (the system, the kind of an item, whose choice stands
where) are kept apart from the first: only screens are ever sent to a judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weigh.errors import InputError
from weigh.read.text import quoted
from weigh.web.screens import Choice, Expected, Option, Passage, Question, Screen, Slider

Record = Mapping[str, Any]
"""One line of a file of tasks."""


@dataclass(frozen=True, slots=True)
class Item:
    """A screen, what the judge is not told of it, and in training what should be answered."""

    screen: Screen
    about: Mapping[str, Any]
    expected: tuple[Expected, ...] = ()
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """Items that one judge is given in one go, in this order; those of most priority come first."""

    name: str
    kind: str
    items: tuple[Item, ...]
    priority: float = 0.0
    role: str = "work"
    pair: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of task: its name, what a judge is told to do, and how its lines are known and read.

    `noun` is what an answer is called; `items` makes items of a line.
    """

    name: str
    title: str
    noun: str
    instructions: str
    is_line: Callable[[Record], bool]
    items: Callable[[Record], Sequence[Item]]


def text_of(record: Record, name: str, where: str = "") -> str:
    """Return a text of a line, which must be there."""
    value = record.get(name)
    if not isinstance(value, str):
        raise InputError(f"{where}{name} is {quoted(str(value))[:60]}; expected a text")
    return value


def optional(record: Record, name: str) -> str | None:
    """Return a text of a line, if it is there."""
    return None if record.get(name) is None else text_of(record, name)


# Direct assessment: a score for a text, with the reference beside or without.

_DISAGREE, _AGREE = "strongly disagree", "strongly agree"
_STATEMENTS = {
    "adequacy": "The lower text says the same as the upper one.",
    "fluency": "The text is fluent: somebody who speaks the language well could have written it.",
}


def _rated(record: Record, scale: str) -> Item:
    reference = optional(record, "reference")
    if scale == "adequacy" and reference is None:
        raise InputError("no reference, with which a text is compared for adequacy; add it")
    passages = () if reference is None else (Passage("Reference", reference),)
    question = Question(
        "score",
        _STATEMENTS[scale],
        (Passage("Text to rate", text_of(record, "text")),),
        slider=Slider(0, 100, _DISAGREE, _AGREE),
    )
    expected, feedback = expected_of(record, (question,))
    return Item(Screen(scale, passages, (question,)), {}, expected, feedback)


def _rated_items(record: Record, scale: str) -> list[Item]:
    """Return the items of a HIT, or the one that a line of training is."""
    if "items" not in record:
        return [_rated(record, scale)]
    made = []
    for each in record["items"]:
        item = _rated(each, scale)
        about = {name: each.get(name) for name in ("number", "kind", "system", "segment", "of")} | {
            "hit": text_of(record, "hit"),
            "pair": record.get("pair", ""),
            "scale": scale,
        }
        made.append(Item(item.screen, about, item.expected, item.feedback))
    return made


def _is_rated(record: Record, scale: str) -> bool:
    return record.get("scale") == scale and ("items" in record or "text" in record)


# RYPT: is this a translation of the marked words?


def _runs(places: Sequence[int], text: str) -> tuple[tuple[int, int], ...]:
    """Return runs of words of a text, by their places, as (first, end).

    >>> _runs([1, 2, 5], "a b c d e f")
    ((1, 3), (5, 6))
    """
    if not all(0 <= place < len(text.split(" ")) for place in places):
        raise InputError(f"places {list(places)[:10]} are not all in {quoted(text)[:60]}")
    runs: list[tuple[int, int]] = []
    for place in sorted(set(places)):
        if runs and runs[-1][1] == place:
            runs[-1] = runs[-1][0], place + 1
        else:
            runs.append((place, place + 1))
    return tuple(runs)


LABELS = Choice(
    (Option("YES", "Yes", "y"), Option("NO", "No", "n"), Option("NOT SURE", "Not sure", "s"))
)


def _labelled_items(record: Record) -> list[Item]:
    start, end = int(record["start"]), int(record["end"])
    source = text_of(record, "source")
    if not 0 <= start < end <= len(source.split(" ")):
        raise InputError(f"the span {start}-{end} is not in the source")
    passages = [Passage("Source", source, ((start, end),), "span", "source")]
    reference = optional(record, "reference")
    if reference is not None:
        places = _runs(record.get("reference_places") or (), reference)
        passages.append(Passage("Reference", reference, places, "reference"))
    alternatives = record["alternatives"]
    names = [f"label_{number}" for number in range(1, len(alternatives) + 1)]
    questions = tuple(
        Question(
            name,
            "Are the marked words a good translation of those marked in the source?",
            (
                Passage(
                    f"Translation {number}",
                    text_of(each, "candidate"),
                    _runs(each["places"], text_of(each, "candidate")),
                    "span",
                ),
            ),
            choice=LABELS,
        )
        for number, (name, each) in enumerate(zip(names, alternatives, strict=True), 1)
    )
    about = {
        "hit": record.get("hit", ""),
        "source": source,
        "start": start,
        "end": end,
        "substrings": {
            name: each.get("substring", "") for name, each in zip(names, alternatives, strict=True)
        },
    }
    expected, feedback = expected_of(record, questions)
    return [Item(Screen("rypt", tuple(passages), questions), about, expected, feedback)]


# Blind pairs: which of two texts is better?

SIDES = Choice(
    (
        Option("left", "The first", "1"),
        Option("right", "The second", "2"),
        Option("neither", "Neither", "3"),
    )
)


def _paired_items(record: Record) -> list[Item]:
    source, reference = optional(record, "source"), optional(record, "reference")
    passages = [] if source is None else [Passage("Source", source, side="source")]
    passages += [] if reference is None else [Passage("Reference", reference)]
    question = Question(
        "choice",
        "Which translation is better?" if passages else "Which text is better?",
        (
            Passage("First", text_of(record, "left")),
            Passage("Second", text_of(record, "right")),
        ),
        choice=SIDES,
    )
    expected, feedback = expected_of(record, (question,))
    about = {"pair": record.get("pair", "")}
    return [Item(Screen("preference", tuple(passages), (question,)), about, expected, feedback)]


def expected_of(record: Record, questions: Sequence[Question]) -> tuple[tuple[Expected, ...], str]:
    """Return what should be answered, where a line tells it, and what to say of it.

    `expected` is a value, a range `[low, high]` of a scale, or a list with one of these for each
    question.
    """
    given = record.get("expected")
    if given is None:
        return (), ""
    is_range = isinstance(given, list) and len(given) == 2 and all(map(_is_number, given))
    listed = given if isinstance(given, list) and not is_range else [given]
    if len(listed) != len(questions):
        raise InputError(
            f"{len(listed)} expected answers to {len(questions)} questions; give one for each"
        )
    expected = tuple(
        _expected(question, each) for question, each in zip(questions, listed, strict=True)
    )
    return expected, str(record.get("feedback") or "")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1


def _expected(question: Question, given: Any) -> Expected:
    """Return what should be answered to one question, if that can be answered at all."""
    if question.choice is not None:
        known = [option.value for option in question.choice.options]
        if given not in known:
            raise InputError(
                f"the expected answer {quoted(str(given)[:60])} is none; give one of "
                f"{', '.join(known)}"
            )
        return Expected(question.name, (given,))
    assert question.slider is not None
    ends = given if isinstance(given, list) else [given, given]
    least, most = question.slider.low, question.slider.high
    fits = len(ends) == 2 and all(map(_is_number, ends)) and least <= ends[0] <= ends[1] <= most
    if not fits:
        raise InputError(
            f"the expected score {quoted(str(given)[:60])}; give a whole number from {least} to "
            f"{most}, or a range as [70, 100]"
        )
    return Expected(question.name, low=int(ends[0]), high=int(ends[1]))


_SLIDER_TOLD = (
    "Move the slider to the place that tells how far you agree with the sentence above it. Use "
    "the whole of the scale. Some texts come twice, and some are damaged on purpose."
)
KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "adequacy",
            "Does it say the same?",
            "judgment",
            "You see two texts at a time. Say how well the lower one tells what the upper one "
            f"tells; its style does not matter. {_SLIDER_TOLD}",
            lambda record: _is_rated(record, "adequacy"),
            lambda record: _rated_items(record, "adequacy"),
        ),
        Kind(
            "fluency",
            "Is it well written?",
            "judgment",
            "You see one text at a time. Say how well it is written, as if by somebody who speaks "
            f"the language well; whether it is true does not matter. {_SLIDER_TOLD}",
            lambda record: _is_rated(record, "fluency"),
            lambda record: _rated_items(record, "fluency"),
        ),
        Kind(
            "rypt",
            "Is it translated well?",
            "label",
            "You see a sentence in which some words are marked, and translations in which the "
            "words are marked that stand for them. Say for each translation whether the marked "
            "words are a good translation of those marked in the source. Judge the marked words "
            "alone, in the place where they stand. A good translation of the whole sentence may "
            "be shown too; its own words for the span are marked in another colour, but others "
            "may be as good.",
            lambda record: isinstance(record.get("alternatives"), list),
            _labelled_items,
        ),
        Kind(
            "preference",
            "Which is better?",
            "choice",
            "You see two texts at a time. Choose the better one, or neither where both are as "
            "good or as bad.",
            lambda record: "left" in record and "right" in record,
            _paired_items,
        ),
    )
}


def kind_of(record: Record) -> Kind | None:
    """Return the kind of task that a line is, if it is one."""
    return next((kind for kind in KINDS.values() if kind.is_line(record)), None)
