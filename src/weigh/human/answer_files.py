"""Answers of direct assessment as files of the places where they could have been given.

What is written is read back as the same judgments, as far as the form has room for what is known
of them. JSON lines hold everything, TSV everything but names with tabs or line ends; what the
others leave out their functions say. What a form would turn into something else is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import fields
from math import fsum
from types import MappingProxyType
from typing import Any

from weigh.errors import InputError
from weigh.human.export import (
    APPRAISE_TYPES,
    MTURK_SCALES,
    MTURK_TYPES,
    languages_of,
    pearmut_model,
)
from weigh.human.judgments import as_jsonl
from weigh.read.cells import csv_text, guarded, tsv_text
from weigh.read.judgment_tables import MQM, moment, submit_time
from weigh.read.spans import span_fields, spans_json
from weigh.read.text import quoted
from weigh.types import Judgment, Span, grouped
from weigh.wording import number_text

_FIELDS = tuple(field.name for field in fields(Judgment))


def as_tsv(judgments: Sequence[Judgment]) -> str:
    """Return a table of one row per judgment; a column is a field, empty where nothing is known."""
    rows = ([_cell(getattr(judgment, name)) for name in _FIELDS] for judgment in judgments)
    return tsv_text([_FIELDS, *rows])


def _cell(value: str | float | bool | tuple[Span, ...] | None) -> str:
    if isinstance(value, bool):
        return "true" if value else ""
    if isinstance(value, tuple):
        return spans_json(value)
    if isinstance(value, str | None):
        return value or ""
    return number_text(value)


# Results of an Amazon Mechanical Turk batch: a row is what one judge answered of one hit.

_SITE = ("HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "SubmitTime", "WorkTimeInSeconds")
_INPUTS = ("src", "trg", "item", "hit")
_PLACED = ("sys", "sid", "tst", "rid")
_BETWEEN = "|"


def as_mturk(judgments: Sequence[Judgment]) -> str:
    """Return the results of a batch of HITs, in the form of the published pipeline.

    A row holds what a judge answered of a hit, a scale and a pair of languages. It has one time:
    all answers are of when the last was given, and share the seconds equally, which are not told
    where those of one are unknown. `item` is a number: what is none is numbered by its place in
    the row. `of`, documents and marked errors are not told.
    """
    _only_scores(judgments, "MTurk")
    rows = _assignments(judgments)
    most = max((len(row) for row in rows), default=0)
    items = [f"Input.{column}_{place}" for place in range(most) for column in _PLACED]
    header = [*_SITE, *(f"Input.{name}" for name in _INPUTS), *items, "Answer.Q1"]
    return csv_text([header, *(_mturk_row(row, len(items)) for row in rows)])


# An item on a HIT: system, segment, type and place, and what was answered of it.
_Shown = tuple[tuple[str, str, str, str], Judgment]


def _assignments(judgments: Sequence[Judgment]) -> list[list[_Shown]]:
    """Return the items of every row, no two of which are called the same."""
    rows: list[list[_Shown]] = []
    open_rows: dict[Hashable, tuple[list[_Shown], set[str]]] = {}
    for judgment in judgments:
        work = (
            *(judgment.judge, judgment.hit, judgment.pair, judgment.scale),
            *(judgment.rejected, judgment.assignment),
        )
        row, names = open_rows.get(work, ([], set()))
        item = _shown_item(judgment, len(row))
        if not row or "_".join(item) in names:
            row, names = [], set()
            item = _shown_item(judgment, 0)
            open_rows[work] = row, names
            rows.append(row)
        row.append((item, judgment))
        names.add("_".join(item))
    return rows


def _shown_item(judgment: Judgment, place: int) -> tuple[str, str, str, str]:
    for name in (judgment.system, judgment.segment):
        if _BETWEEN in name:
            raise InputError(
                f"{quoted(name)} has a {_BETWEEN}, which stands between answers in results of "
                "MTurk; write another form"
            )
    number = judgment.item or ""
    is_number = number.isascii() and number.isdigit()
    kind = MTURK_TYPES[judgment.kind]
    return judgment.system, judgment.segment, kind, number if is_number else str(place)


def _mturk_row(row: Sequence[_Shown], width: int) -> list[str]:
    judgments = [judgment for _, judgment in row]
    first = judgments[0]
    times = [judgment.at for judgment in judgments if judgment.at is not None]
    seconds = [judgment.seconds for judgment in judgments if judgment.seconds is not None]
    inputs = (*languages_of(first.pair), MTURK_SCALES.get(first.scale, first.scale), first.hit)
    items = [f"'{name}'" for item, _ in row for name in item]
    answers = [f"{'_'.join(item)}__{number_text(judgment.value)}" for item, judgment in row]
    return [
        guarded(first.hit),
        guarded(first.assignment or ""),
        guarded(first.judge),
        "Rejected" if first.rejected else "Submitted",
        submit_time(max(times, key=moment)) if times else "",
        number_text(fsum(seconds)) if len(seconds) == len(judgments) else "",
        *(f"'{name}'" for name in inputs),
        *items,
        *[""] * (width - len(items)),
        guarded(_BETWEEN.join(answers)),
    ]


# Appraise's scores, under its names of columns; each row is a judgment.

_APPRAISE = (
    *("username", "system", "itemId", "itemType", "srcLang", "trgLang", "score"),
    *("docId", "isDocScore", "timeStart", "timeEnd"),
)
# What Appraise has no columns for, and what goes there. They are added only where they are needed,
# since answers would otherwise be taken for those on another scale, or for good ones.
_ADDED: Mapping[str, Callable[[Judgment], str]] = {
    "scale": lambda judgment: "" if judgment.scale == "adequacy" else judgment.scale,
    "rejected": lambda judgment: "true" if judgment.rejected else "",
    "spans": lambda judgment: "" if judgment.spans is None else spans_json(judgment.spans),
}


Texts = Mapping[tuple[str, str], str]
"""The texts in which errors were marked, by hit and item, as far as they are known."""


def _text(judgment: Judgment, texts: Texts) -> str | None:
    return texts.get((judgment.hit, judgment.item or ""))


def _marks(judgment: Judgment, texts: Texts) -> str:
    """Return marked errors as Appraise tells them."""
    import json

    if judgment.spans is None:
        return ""
    marks = _places(judgment, _text(judgment, texts), "error_type")
    return json.dumps([*marks], ensure_ascii=False)


def _places(
    judgment: Judgment, text: str | None, kind: str, uncounted: str = ""
) -> Iterator[dict[str, Any]]:
    """Yield marked errors as other programs tell them: by the first and the last place.

    These count as JavaScript does, a character outside of the basic plane twice, and some
    characters not at all. Where the text is not known, all are counted once.
    """

    def place(at: int) -> int:
        if text is None:
            return at
        return sum((ord(each) > 0xFFFF) + (each not in uncounted) for each in text[:at])

    for span in judgment.spans or ():
        first: int | str = "missing"
        last: int | str = "missing"
        if span.start is not None and span.end is not None:
            first, last = place(span.start), place(span.end) - 1
        elif text is not None and uncounted:  # Pearmut's, which has a place for it
            first = last = place(len(text))
        category = span.category or None
        yield {"start_i": first, "end_i": last, "severity": span.severity, kind: category}


def as_appraise(judgments: Sequence[Judgment], texts: Texts = MappingProxyType({})) -> str:
    """Return scores as Appraise exports them, with its names of columns on top.

    It names no hits, so that a judge's name stands for all of his or hers; `item`, `of` and
    `assignment` are not told, and `seconds` only where `at` is. A segment `DOCUMENT:NUMBER` is
    told as such. Where scales other than adequacy, rejected answers or marked errors are among the
    judgments, columns say so; the places of errors are Appraise's where `texts` are known.
    """
    _only_scores(judgments, "Appraise")

    def marks(judgment: Judgment) -> str:
        return _marks(judgment, texts)

    cells = {**_ADDED, "mqm": marks}
    added = [name for name, cell in cells.items() if any(map(cell, judgments))]
    rows = (
        [*_appraise_row(judgment), *(guarded(cells[name](judgment)) for name in added)]
        for judgment in judgments
    )
    return csv_text([[*_APPRAISE, *added], *rows])


def _only_scores(judgments: Sequence[Judgment], form: str) -> None:
    """Refuse sums of what errors cost, which would be taken for scores that are out of range."""
    if any(judgment.scale == MQM for judgment in judgments):
        raise InputError(
            f"values of MQM are no scores from 0 to 100, which {form} has; write jsonl, tsv or "
            "pearmut"
        )


def _appraise_row(judgment: Judgment) -> list[str]:
    document, _, number = judgment.segment.rpartition(":")
    if not document or not number:
        document, number = "", judgment.segment
    names = (judgment.judge, judgment.system, number, APPRAISE_TYPES[judgment.kind])
    return [
        *map(guarded, (*names, *languages_of(judgment.pair))),
        number_text(judgment.value),
        guarded(document),
        "False",
        *map(_appraise_time, _span(judgment)),
    ]


def _span(judgment: Judgment) -> tuple[float | None, float | None]:
    """Return when an answer began and ended, in seconds since 1970, as far as that is known."""
    if judgment.at is None:
        return None, None
    end = moment(judgment.at).timestamp()
    return None if judgment.seconds is None else end - judgment.seconds, end


def _appraise_time(time: float | None) -> str:
    return "" if time is None or time < 0 else number_text(time)  # which Appraise does not write


# Pearmut's export: by campaign, every document that somebody has judged, here of one segment.


def as_pearmut(judgments: Sequence[Judgment], texts: Texts = MappingProxyType({})) -> str:
    """Return an export of Pearmut, in which the keys `weigh` tell all that is known.

    Every pair of languages and scale is a campaign, as where HITs are written for Pearmut. Texts
    are told where errors were marked in them and `texts` are known.
    """
    import json

    campaigns = grouped(judgments, lambda each: f"weigh-{each.pair}-{each.scale}")
    content = {name: _pearmut_entries(each, texts) for name, each in campaigns.items()}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _pearmut_entries(judgments: Sequence[Judgment], texts: Texts) -> list[dict[str, Any]]:
    entries = []
    places: dict[str, int] = {}
    for judgment in judgments:
        place = places[judgment.judge] = places.get(judgment.judge, -1) + 1
        asked = (*("hit", "pair", "scale", "item", "kind", "system", "segment", "of"), "document")
        answered = ("seconds", "at", "rejected", "assignment")
        known = {name: getattr(judgment, name) for name in (*asked, *answered)}
        text, model = _text(judgment, texts), pearmut_model(judgment.system, judgment.kind)
        answer: dict[str, Any] = {
            "score": judgment.value,
            "error_spans": [*_places(judgment, text, "category", uncounted="\n")],
            "weigh": {name: known[name] for name in answered},
        }
        if judgment.spans is not None:
            answer["weigh"]["spans"] = [span_fields(span) for span in judgment.spans]
        entries.append(
            {
                "user_id": judgment.judge,
                "item_i": place,
                "item": [
                    {
                        "item_id": f"{judgment.hit}:{judgment.item or place}",
                        "weigh": {name: known[name] for name in asked},
                        **({} if text is None else {"tgt": {model: text}}),
                    }
                ],
                "annotation": [{model: answer}],
                "actions": [{"time": time} for time in _span(judgment) if time is not None],
            }
        )
    return entries


WRITERS: dict[str, Callable[..., str]] = {
    "jsonl": as_jsonl,
    "tsv": as_tsv,
    "mturk": as_mturk,
    "appraise": as_appraise,
    "pearmut": as_pearmut,
}
"""What writes answers in each of the forms."""
