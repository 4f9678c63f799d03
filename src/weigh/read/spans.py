"""Marked errors in texts, from the formats of several programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from weigh.types import Span

SEVERITIES = ("critical", "major", "minor", "neutral", "undecided")
"""How grave an error may be; Appraise calls undecided what a judge marked and left at that."""

FORM = f'expected a list of {{"start": 0, "end": 4, "severity": {" or ".join(SEVERITIES)}}}'


def span_of(fields: Mapping[str, Any]) -> Span:
    """Parse a marked error in our own form."""
    start, end = fields.get("start"), fields.get("end")
    placed = type(start) is int and type(end) is int and 0 <= start < end
    if not placed and (start, end) != (None, None):
        raise ValueError("a span needs a start and a later end, or neither")
    category, unit = fields.get("category") or "", fields.get("unit", "character")
    if not isinstance(category, str) or unit not in ("character", "utf-16"):
        raise TypeError("a category must be a text, and a unit character or utf-16")
    return Span(start, end, severity_of(fields["severity"]), category, unit)


def severity_of(name: Any) -> str:
    """A severity by its name, in lower case; ValueError if there is none.

    >>> severity_of("Major")
    'major'
    """
    if not isinstance(name, str) or name.lower() not in SEVERITIES:
        raise ValueError(f"no severity is called {name!r}")
    return name.lower()


def span_fields(span: Span) -> dict[str, Any]:
    """A marked error in our own form."""
    fields = {
        "start": span.start,
        "end": span.end,
        "severity": span.severity,
        "category": span.category,
    }
    return fields if span.unit == "character" else fields | {"unit": span.unit}


def spans_json(spans: Iterable[Span]) -> str:
    """Marked errors in our own form, for a cell of a table."""
    return json.dumps([span_fields(span) for span in spans], ensure_ascii=False)


# Appraise, also as published by the WMT: a JSON list of objects with the first and the last
# position (`start_i`, `end_i`; both "missing" for an omission in the text), `severity`, and
# `error_type`, which is null in ESA. Positions count like JavaScript: characters outside the basic
# plane count twice. The file does not contain the text, so spans keep this unit.

_MISSING = "missing"


def appraise_spans(cell: str) -> tuple[Span, ...]:
    """The errors in a cell of Appraise's.

    >>> appraise_spans('[{"start_i": 3, "end_i": 5, "severity": "minor", "error_type": null}]')
    (Span(start=3, end=6, severity='minor', category='', unit='utf-16'),)
    """
    listed = json.loads(cell) if cell else []
    if isinstance(listed, dict):  # a tutorial's, which has its instruction beside
        listed = listed["payload"]
    return tuple(_appraise_span(span) for span in listed)


def _appraise_span(fields: Mapping[str, Any]) -> Span:
    first, last, kind = fields["start_i"], fields["end_i"], fields.get("error_type")
    category = "/".join(kind) if isinstance(kind, list) else kind or ""
    severity = severity_of(fields.get("severity") or "undecided")
    if (first, last) == (_MISSING, _MISSING):
        return Span(None, None, severity, category)
    if type(first) is not int or type(last) is not int or not 0 <= first <= last:
        raise ValueError("the start is after the end")
    return Span(first, last + 1, severity, category, "utf-16")


# Pearmut: the same positions, but line ends do not count; the position after the text is that of an
# omission. The file contains the text.


def pearmut_span(fields: Mapping[str, Any], text: str | None) -> Span:
    """One error of a Pearmut answer, in characters if the text is known.

    >>> pearmut_span({"start_i": 2, "end_i": 3, "severity": "minor"}, "\\U0001f600ab").start
    1
    """
    severity, category = severity_of(fields.get("severity")), fields.get("category") or ""
    first, last = fields.get("start_i"), fields.get("end_i")
    if first in (None, _MISSING):
        return Span(None, None, severity, category)
    if type(first) is not int or type(last) is not int or not 0 <= first <= last:
        raise ValueError("the start is after the end")
    if text is None:
        return Span(first, last + 1, severity, category, "utf-16")
    places = _utf16_places(text, line_ends=False)
    if first == last == len(places):
        return Span(None, None, severity, category)
    if last >= len(places):
        raise ValueError(f"it ends at {last + 1:,}, and the text at {len(places):,}")
    return Span(places[first], places[last] + 1, severity, category)


def _utf16_places(text: str, *, line_ends: bool = True) -> list[int]:
    """The character to which each UTF-16 unit belongs, including line ends on request."""
    return [
        at
        for at, character in enumerate(text)
        if line_ends or character != "\n"
        for _ in range(2 if ord(character) > 0xFFFF else 1)
    ]


# MQM of the WMT: the error stands between marks in the text itself.

_OPEN, _CLOSE = "<v>", "</v>"


def locate_marks(text: str) -> tuple[int, int] | None:
    """The place of marks in a text, not counting the marks, or None without marks.

    If one error has several pairs of marks, it extends from the first mark to the last.

    >>> locate_marks("a <v>bad</v> word")
    (2, 5)
    """
    opened, closed = text.count(_OPEN), text.count(_CLOSE)
    start, end = text.find(_OPEN), text.rfind(_CLOSE)
    if opened != closed or end < start:
        raise ValueError("marks that are not closed")
    end -= len(_OPEN) * opened + len(_CLOSE) * (closed - 1)
    return (start, end) if opened and start < end else None


def place_span(span: Span, text: str) -> Span:
    """A span in characters of its text; ValueError if it ends outside the text.

    >>> place_span(Span(2, 3, "minor", unit="utf-16"), "\\U0001f600a").start
    1
    """
    if span.start is None or span.end is None:
        return span
    places = _utf16_places(text) if span.unit == "utf-16" else range(len(text))
    if span.end > len(places):
        raise ValueError(f"it ends at {span.end:,}, and the text at {len(places):,}")
    start, end = places[span.start], places[span.end - 1] + 1
    return Span(start, end, span.severity, span.category)
