"""The kinds of tasks, each a description: how a line of a file becomes screens, and their words.

What is shown and what the judge must not know (the system, the kind of an item, whose choice stands
where) are kept apart from the first: only screens are ever sent to a judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weigh.errors import InputError
from weigh.human.typology import CATEGORIES, SEVERITIES_ESA, SEVERITIES_MQM
from weigh.read.judgment_tables import weight
from weigh.read.text import quoted
from weigh.web.screens import (
    MOST_SPANS,
    Expected,
    Marking,
    Option,
    Passage,
    Question,
    Screen,
    SingleChoice,
    Slider,
)

Record = Mapping[str, Any]
"""One line of a file of tasks."""


@dataclass(frozen=True, slots=True)
class TaskItem:
    """A screen, its fields hidden from the judge, and in training the expected answers."""

    screen: Screen
    about: Mapping[str, Any]
    expected: tuple[Expected, ...] = ()
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class Batch:
    """Items that one judge is given in one go, in this order."""

    name: str
    kind: str
    items: tuple[TaskItem, ...]
    role: str = "work"
    pair: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of task: its name, instructions, and how its lines are recognised and read.

    `noun` is what an answer is called; `items` makes items of a line.
    """

    name: str
    title: str
    noun: str
    instructions: str
    is_line: Callable[[Record], bool]
    items: Callable[[Record], Sequence[TaskItem]]


def text_of(record: Record, name: str) -> str:
    """A required text of a line."""
    value = record.get(name)
    if not isinstance(value, str):
        raise InputError(f"{name} is {quoted(str(value))[:60]}; expected a text")
    return value


def optional(record: Record, name: str) -> str | None:
    """An optional text of a line."""
    return None if record.get(name) is None else text_of(record, name)


# Texts that are rated or in which errors are marked: a score (adequacy, fluency), marks and a score
# (esa), or marks with their kinds (mqm). Items of one screen stand on one page: the parts of a
# document, or the versions of one text that several systems made (contrastive).

_DISAGREE, _AGREE = "strongly disagree", "strongly agree"
_KEYS = {"neutral": "n", "minor": "m", "major": "j", "critical": "c"}
MOST_QUESTIONS = 50
"""Largest number of questions that fit into a form."""
_ABOUT = ("number", "kind", "system", "segment", "of")
CONTRASTIVE = "contrastive"


@dataclass(frozen=True, slots=True)
class _Sheet:
    """The settings that all items of a line share."""

    scale: str
    kind: str
    marking: Marking | None = None

    @property
    def is_contrastive(self) -> bool:
        return self.kind == CONTRASTIVE


def _marking(record: Record, scale: str) -> Marking | None:
    """Severities and categories of errors: those of the line, or the default ones."""
    if scale not in ("esa", "mqm"):
        return None
    usual = SEVERITIES_ESA if scale == "esa" else SEVERITIES_MQM
    severities = _names(record, "severities", usual)
    categories = _names(record, "categories", () if scale == "esa" else CATEGORIES)
    for name in severities:
        if weight(name) is None:
            raise InputError(
                f"unknown severity {quoted(name)}; expected some of {', '.join(usual)}"
            )
    taken = {"u", "x"}  # which go back, and say that something is missing
    options = []
    for name in severities:
        letters = [_KEYS.get(name, ""), *name.lower()]
        key = next((c for c in letters if c.isascii() and c.isalpha() and c not in taken), "")
        taken.add(key)
        options.append(Option(name, name[:1].upper() + name[1:], key))
    return Marking(tuple(options), tuple(categories), says_none=scale == "mqm")


def _names(record: Record, field: str, usual: Sequence[str]) -> Sequence[str]:
    value = record.get(field)
    if value is None:
        return usual
    is_named = isinstance(value, list) and all(isinstance(name, str) and name for name in value)
    if not is_named or not value or len({*value}) < len(value):
        raise InputError(f"{field} is {quoted(str(value))[:60]}; expected a list of names")
    return list(value)


def _beside(record: Record, place: str = "") -> tuple[Passage, ...]:
    """Context of a text: its source, a reference, both or neither."""
    source, reference = optional(record, "source"), optional(record, "reference")
    passages = [] if source is None else [Passage(f"Source{place}", source, side="source")]
    passages += [] if reference is None else [Passage(f"Reference{place}", reference)]
    return tuple(passages)


def _statement(scale: str, beside: Sequence[Passage], several: bool) -> str:
    """Statement about a text that a judge agrees with to some degree."""
    if scale == "fluency":
        return "The text is fluent: somebody who speaks the language well could have written it."
    if not beside:
        raise InputError(
            "no reference and no source, but adequacy is judged by comparing a text with one; "
            "add one"
        )
    if beside[0].side == "source":
        return "The translation says the same as the source."
    if several:
        return "The text says the same as the reference."
    return "The lower text says the same as the upper one."


_MARKED = {
    "esa": "Mark every error in {it}, if there are any.",
    "mqm": "Mark every error in {it}, and choose the type of each.",
}


_TOLD_ONCE = {
    "esa": "Drag over the wrong words, or tap the first and the last one, and choose how severe "
    "the error is; then rate each text as a whole.",
    "mqm": "Drag over the wrong words, or tap the first and the last one, and choose the severity "
    "and the type of the error. If a text has no errors, tick “No errors”.",
}


def _questions(
    record: Record,
    sheet: _Sheet,
    suffix: str,
    label: str,
    context: Sequence[Passage],
    several: bool,
) -> tuple[Question, ...]:
    """Question about a text; `own` is the context of this text alone."""
    text = Passage(label, text_of(record, "text"))
    if sheet.marking is None:
        statement = _statement(sheet.scale, _beside(record), several)
        slider = Slider(0, 100, _DISAGREE, _AGREE)
        return (Question(f"score{suffix}", statement, (*context, text), slider=slider),)
    it = label.lower() if several else f"the {label.lower()}"
    prompt = _MARKED[sheet.scale].format(it=it)
    marks = Question(f"spans{suffix}", prompt, (*context, text), marking=sheet.marking)
    if sheet.scale == "mqm":
        return (marks,)
    slider = Slider(0, 100, "completely wrong", "perfect")
    return marks, Question(f"score{suffix}", f"How good is {it} as a whole?", (), slider=slider)


def _label(record: Record, sheet: _Sheet) -> str:
    translated = sheet.scale != "fluency" and record.get("source") is not None
    return "Translation" if translated else "Text" if sheet.marking else "Text to rate"


def _single_text(record: Record, sheet: _Sheet) -> Screen:
    """Return a page with one text."""
    questions = _questions(record, sheet, "", _label(record, sheet), (), several=False)
    return Screen(sheet.scale, _beside(record), questions)


def _several_texts(records: Sequence[Record], sheet: _Sheet) -> Screen:
    """A page with several texts: versions of one text, or parts of a document."""
    is_shared = sheet.is_contrastive and len({_beside(record) for record in records}) == 1
    questions: list[Question] = []
    for number, part in enumerate(records, 1):
        noun = "Version" if sheet.is_contrastive else _label(part, sheet).removesuffix(" to rate")
        context = () if is_shared else _beside(part, f" {number}")
        label = f"{noun} {number}"
        questions += _questions(part, sheet, f"_{number}", label, context, several=True)
    if len(questions) > MOST_QUESTIONS:
        raise InputError(
            f"{len(questions)} questions on one page; at most {MOST_QUESTIONS} fit, so split it"
        )
    note = (
        "These are versions of one text. Rate each one by the same standard."
        if sheet.is_contrastive
        else "These texts belong together, in this order."
    )
    note = " ".join(filter(None, (note, _TOLD_ONCE.get(sheet.scale))))
    shared = _beside(records[0]) if is_shared else ()
    return Screen(sheet.scale, shared, tuple(questions), note)


def _rated_items(record: Record, scale: str) -> list[TaskItem]:
    """Return the pages of a HIT, or the one that a line of training is."""
    sheet = _Sheet(scale, str(record.get("kind") or ""), _marking(record, scale))
    if "items" not in record:
        screen = _single_text(record, sheet)
        return [TaskItem(screen, {}, *expected_of(record, _telling(screen)))]
    items = []
    for page in _pages(record["items"]):
        if len(page) == 1:
            [only] = page
            screen = _single_text(only, sheet)
            about, expected = _shared_fields(only), expected_of(only, _telling(screen))
        else:
            screen = _several_texts(page, sheet)
            parts = [
                {"suffix": f"_{number}", **_shared_fields(record)}
                for number, record in enumerate(page, 1)
            ]
            about, expected = {"parts": parts}, ((), "")
        items.append(TaskItem(screen, about | _line(record, scale), *expected))
    return items


def _line(record: Record, scale: str) -> dict[str, Any]:
    """Fields shared by all items of a line."""
    return {"hit": text_of(record, "hit"), "pair": record.get("pair", ""), "scale": scale}


def _shared_fields(record: Record) -> dict[str, Any]:
    document = {} if record.get("document") is None else {"document": record["document"]}
    return {name: record.get(name) for name in _ABOUT} | document


def _pages(items: Sequence[Record]) -> list[list[Record]]:
    """Return the items of every page: those that follow each other with the same screen."""
    pages: list[list[Record]] = []
    last = None
    seen = set()
    for item in items:
        screen = item.get("screen")
        if screen is None or screen != last:
            if screen is not None and screen in seen:
                raise InputError(f"items of screen {screen} are not consecutive; put them together")
            pages.append([])
            seen.add(screen)
        pages[-1].append(item)
        last = screen
    return pages


def _telling(screen: Screen) -> tuple[Question, ...]:
    """The questions with expected answers in training: scores, if there are any."""
    scored = tuple(question for question in screen.questions if question.slider)
    return scored or screen.questions


def _is_rated(record: Record, scale: str) -> bool:
    return (
        record.get("scale") == scale
        and record.get("kind") != CONTRASTIVE
        and ("items" in record or "text" in record)
    )


def _is_contrastive(record: Record) -> bool:
    scales = ("adequacy", "fluency", "esa", "mqm")
    return record.get("kind") == CONTRASTIVE and record.get("scale") in scales and "items" in record


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


LABELS = SingleChoice(
    (Option("YES", "Yes", "y"), Option("NO", "No", "n"), Option("NOT SURE", "Not sure", "s"))
)


def _labelled_items(record: Record) -> list[TaskItem]:
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
                    text_of(alternative, "candidate"),
                    _runs(alternative["places"], text_of(alternative, "candidate")),
                    "span",
                ),
            ),
            choice=LABELS,
        )
        for number, (name, alternative) in enumerate(zip(names, alternatives, strict=True), 1)
    )
    about = {
        "hit": record.get("hit", ""),
        "source": source,
        "start": start,
        "end": end,
        "substrings": {
            name: alternative.get("substring", "")
            for name, alternative in zip(names, alternatives, strict=True)
        },
    }
    expected, feedback = expected_of(record, questions)
    return [TaskItem(Screen("rypt", tuple(passages), questions), about, expected, feedback)]


# Blind pairs: which of two texts is better?

SIDES = SingleChoice(
    (
        Option("left", "The first", "1"),
        Option("right", "The second", "2"),
        Option("neither", "Neither", "3"),
    )
)


def _pair_item(record: Record) -> TaskItem:
    passages = _beside(record)
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
    return TaskItem(Screen("preference", passages, (question,)), about, expected, feedback)


# Pairs of systems' outputs, a HIT of them at a time; who wrote what stands in the same file.

_OF_PAIRS = (
    *("number", "kind", "segment", "left_system", "right_system", "document", "of", "better"),
)


def _pair_items(record: Record) -> list[TaskItem]:
    items = []
    for pair in record["items"]:
        item = _pair_item(pair)
        for name in ("left_system", "right_system"):
            text_of(pair, name)
        if pair.get("kind") == "bad" and pair.get("better") not in ("left", "right"):
            raise InputError(
                f"better is {quoted(str(pair.get('better')))[:60]} for a pair with a damaged "
                "text; expected left or right"
            )
        about = {name: pair.get(name) for name in _OF_PAIRS} | _line(record, "preference")
        items.append(TaskItem(item.screen, about, item.expected, item.feedback))
    return items


def expected_of(record: Record, questions: Sequence[Question]) -> tuple[tuple[Expected, ...], str]:
    """Expected answers of a line, if it has any, and the feedback.

    `expected` is a value, a range `[low, high]` of a scale or of how many errors are marked, or a
    list with one of these for each question.
    """
    answers = record.get("expected")
    if answers is None:
        return (), ""
    is_range = isinstance(answers, list) and len(answers) == 2 and all(map(_is_number, answers))
    listed = answers if isinstance(answers, list) and not is_range else [answers]
    if len(listed) != len(questions):
        raise InputError(
            f"{len(listed)} expected answers to {len(questions)} questions; give one for each"
        )
    expected = tuple(
        _expected(question, answer) for question, answer in zip(questions, listed, strict=True)
    )
    return expected, str(record.get("feedback") or "")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1


def _expected(question: Question, answer: Any) -> Expected:
    """Expected answer to one question, if it is a possible answer."""
    if question.choice is not None:
        options = [option.value for option in question.choice.options]
        if answer not in options:
            raise InputError(
                f"the expected answer {quoted(str(answer)[:60])} is not one of the answers; give "
                f"one of {', '.join(options)}"
            )
        return Expected(question.name, (answer,))
    ends = answer if isinstance(answer, list) else [answer, answer]
    least, most = (
        (question.slider.low, question.slider.high) if question.slider else (0, MOST_SPANS)
    )
    fits = len(ends) == 2 and all(map(_is_number, ends)) and least <= ends[0] <= ends[1] <= most
    if not fits:
        raise InputError(
            f"the expected {'score' if question.slider else 'number of errors'} "
            f"{quoted(str(answer)[:60])}; give a whole number from {least} to "
            f"{most}, or a range as [70, 100]"
        )
    return Expected(question.name, low=int(ends[0]), high=int(ends[1]))


_CONTROLS_TOLD = "Some texts appear twice, and some are damaged on purpose."
_SLIDER_TOLD = (
    "Move the slider to show how far you agree with the sentence above it. Use the whole scale. "
    f"{_CONTROLS_TOLD}"
)
_MARKING_TOLD = (
    "Mark every error: drag over the words, or tap the first and the last one, and choose how "
    "severe it is. Major errors change the meaning or make it hard to understand; minor ones "
    "do neither. If part of the source is missing, use the button."
)


def _rated_kind(scale: str, title: str, instructions: str) -> Kind:
    """The kind of tasks with texts rated on a scale."""
    return Kind(
        scale,
        title,
        "judgment",
        instructions,
        lambda record: _is_rated(record, scale),
        lambda record: _rated_items(record, scale),
    )


KINDS = {
    kind.name: kind
    for kind in (
        _rated_kind(
            "adequacy",
            "Does it say the same?",
            "You see a text with its source, or with a correct version of it. Rate how well the "
            "text expresses the same meaning; its style does not matter. "
            f"{_SLIDER_TOLD}",
        ),
        _rated_kind(
            "fluency",
            "Is it well written?",
            "You see one text at a time, or several that belong together. Rate how fluent each is, "
            "as if written by a native speaker; whether it is true does not matter. "
            f"{_SLIDER_TOLD}",
        ),
        _rated_kind(
            "esa",
            "What is wrong, and how good is it?",
            f"You see a translation with its source. {_MARKING_TOLD} Then rate the text as a "
            f"whole, from 0 to 100. {_CONTROLS_TOLD}",
        ),
        _rated_kind(
            "mqm",
            "What is wrong with it?",
            f"You see a translation with its source. {_MARKING_TOLD} Then choose the type of "
            f"each error. If a text has no errors, tick “No errors”. {_CONTROLS_TOLD}",
        ),
        Kind(
            CONTRASTIVE,
            "How good is each version?",
            "judgment",
            "You see several versions of one text, below its source or a correct version. Rate "
            "each one, so that better versions have higher scores. Use the whole scale. "
            f"{_CONTROLS_TOLD}",
            _is_contrastive,
            lambda record: _rated_items(record, str(record["scale"])),
        ),
        Kind(
            "rypt",
            "Is it translated well?",
            "label",
            "You see a sentence with some words marked, and translations with the "
            "corresponding words marked. For each translation, decide whether its marked words "
            "are a good translation of the words marked in the source. Judge only the marked "
            "words, in their context. A good translation of the whole sentence may be shown "
            "too; its words for the same part are marked in another colour. Other words may be "
            "just as good.",
            lambda record: isinstance(record.get("alternatives"), list),
            _labelled_items,
        ),
        Kind(
            "preference",
            "Which is better?",
            "choice",
            "You see two texts at a time. Choose the better one, or neither if they are equally "
            "good or bad.",
            lambda record: "left" in record and "right" in record,
            lambda record: [_pair_item(record)],
        ),
        Kind(
            "pair",
            "Which is better?",
            "choice",
            "You see two texts at a time. Choose the better one, or neither if they are equally "
            f"good or bad. {_CONTROLS_TOLD}",
            lambda record: record.get("kind") == "pair" and "items" in record,
            _pair_items,
        ),
    )
}


def kind_of(record: Record) -> Kind | None:
    """The kind of task of a line, or None."""
    return next((kind for kind in KINDS.values() if kind.is_line(record)), None)
