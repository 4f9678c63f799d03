"""What Pearmut exports: its log of answers, JSON lines or one JSON object of campaigns.

An entry is one document that somebody has judged: `item` holds its segments, `annotation` for each
of them a score and error spans by model. What `weigh human plan` has written under the key
`weigh` tells the rest: kind, system, segment, hit. The last answer to a document counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from math import fsum
from typing import Any

from weigh.read.answers import BOUNDS, Holding, Intake, Taken
from weigh.read.judgments_mqm import SCALE as MQM
from weigh.read.records import UNREADABLE, BadRowError, Faults
from weigh.read.spans import WEIGHTS, weight
from weigh.read.stream import quoted
from weigh.types import Judgment

_NEEDED = {"annotation", "item", "user_id"}
# Tutorials, attention checks and forms, which Pearmut numbers by words.
_ASIDE = ("welcome_", "random_", "goodbye_")
_WITH_SPANS = "esa"

# What an entry is: its campaign, its number in the file, and its content.
_Entry = tuple[str, int, Mapping[str, Any]]
# What was said of a segment: the segment, the model, and the answer.
_Answer = tuple[Mapping[str, Any], str, Mapping[str, Any]]


def read_pearmut(
    text: str,
    name: str,
    pair: str = "",
    bounds: tuple[float, float] = BOUNDS,
    faults: Faults | None = None,
) -> Holding[Taken] | None:
    """Return the judgments of an export, or None where the text is something else.

    Scores are judgments on the scale that the campaign was planned for, or else `adequacy`; with
    error spans `esa`, and then there is a judgment on the scale `mqm` too, from the spans.
    """
    faults = faults or Faults(name)
    entries = _entries(text, faults)
    if entries is None:
        return None
    intake = Intake(name, bounds, faults)
    latest: dict[tuple[str, str, str], _Entry] = {}
    for campaign, number, entry in entries:
        key = (campaign, str(entry.get("user_id")), str(entry.get("item_i")))
        if key[2].startswith(_ASIDE):
            intake.omit(number, "tutorials and checks of Pearmut's own")
            continue
        if key in latest:
            intake.omit(latest[key][1], "answers that were given anew or reset")
        latest[key] = (campaign, number, entry)
        if not isinstance(entry["annotation"], list):  # the mark of a reset
            del latest[key]
    answers: dict[int, list[_Answer]] = {}
    for _, number, entry in latest.values():
        with _noting(number, name, faults):
            answers[number] = list(_given(number, entry, name))
    spans = any(given.get("error_spans") for each in answers.values() for _, _, given in each)
    for campaign, number, entry in latest.values():
        if number in answers:
            with _noting(number, name, faults):
                _take(campaign, number, entry, answers[number], pair, spans, intake, name)
    return intake.finish()


@contextmanager
def _noting(number: int, name: str, faults: Faults) -> Iterator[None]:
    """Note that an entry cannot be read, if such entries are to be skipped."""
    try:
        yield
    except BadRowError as error:
        if not faults.skip:
            raise
        faults.add(number, str(error).removeprefix(f"{name}: row {number:,} "), "")


def _entries(text: str, faults: Faults) -> list[_Entry] | None:
    if not text.startswith("{"):
        return None
    lines = [line for line in text.split("\n") if line.strip()]
    first = _parsed(lines[0])
    whole = first if len(lines) == 1 else _parsed(text) if first is None else None
    if faults.skip and first is None and whole is None:  # the first line may be the bad one
        first = next((entry for line in lines if _is_entry(entry := _parsed(line))), None)
    if _is_entry(first):
        found = [("", number, _parsed(line)) for number, line in enumerate(lines, 1)]
    elif isinstance(whole, dict):
        listed = [
            (campaign, entry)
            for campaign, entries in whole.items()
            if isinstance(entries, list)
            for entry in entries
        ]
        found = [(campaign, number, entry) for number, (campaign, entry) in enumerate(listed, 1)]
    else:
        return None
    if not any(_is_entry(entry) for _, _, entry in (found if faults.skip else found[:1])):
        return None
    entries = []
    for campaign, number, entry in found:
        if _is_entry(entry):
            entries.append((campaign, number, entry))
        else:
            faults.refuse(number, "is not what Pearmut writes", "export it again")
    return entries


def _is_entry(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() >= _NEEDED


def _parsed(text: str) -> Any:
    import json

    if UNREADABLE.search(text):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _given(number: int, entry: Mapping[str, Any], name: str) -> Iterator[_Answer]:
    """Yield every segment of a document with a model and what was said of its output."""
    items, annotations = entry["item"], entry["annotation"]
    where = f"{name}: row {number:,}"
    if not isinstance(items, list) or len(items) != len(annotations):
        raise BadRowError(f"{where} has not one answer for every segment; export it again")
    for item, annotation in zip(items, annotations, strict=True):
        for model, given in _table(annotation or {}, where).items():
            yield _table(item, where), model, _table(given, where)


def _table(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadRowError(f"{where} is not what Pearmut writes; export it again")
    return value


def _times(number: int, entry: Mapping[str, Any], name: str) -> list[float]:
    """Return when anything was done, in seconds since 1970."""
    where = f"{name}: row {number:,}"
    actions = entry.get("actions") or []
    times = [_table(action, where).get("time") for action in actions]
    return [float(time) for time in times if isinstance(time, int | float) and 0 <= time < 1e11]


def _take(
    campaign: str,
    number: int,
    entry: Mapping[str, Any],
    answers: Sequence[_Answer],
    pair: str,
    spans: bool,
    intake: Intake,
    name: str,
) -> None:
    for annotation in entry["annotation"]:
        if not annotation:
            intake.omit(number, "segments that were skipped")
    times = _times(number, entry, name)
    question = (judge := str(entry["user_id"]), str(entry.get("item_i")), repr(entry["item"]))
    for item, model, given in answers:
        known = _table(item.get("weigh") or {}, f"{name}: row {number:,}")
        judgment = Judgment(
            judge=judge,
            hit=str(known.get("hit") or campaign or entry["user_id"]),
            pair=str(known.get("pair") or pair),
            kind=intake.kind(number, str(known.get("kind") or "system")),
            system=str(known.get("system") or model),
            segment=str(known.get("segment") or item.get("item_id", entry.get("item_i"))),
            value=0.0,
            scale=str(known.get("scale") or (_WITH_SPANS if spans else "adequacy")),
            seconds=(max(times) - min(times)) / len(answers) if times else None,
            at=datetime.fromtimestamp(max(times), UTC).isoformat() if times else None,
            item=None if known.get("item") is None else str(known["item"]),
            of=None if known.get("of") is None else str(known["of"]),
        )
        score = given.get("score")
        value = intake.score(number, "" if score is None else repr(score))
        if value is not None:
            intake.add(number, replace(judgment, value=value), question=question)
        if spans:
            cost = _cost(given.get("error_spans") or [], number, intake, name)
            intake.add(number, replace(judgment, value=0.0 - cost, scale=MQM), question=question)


def _cost(spans: Any, number: int, intake: Intake, name: str) -> float:
    costs = []
    for each in spans if isinstance(spans, list) else [spans]:
        span = _table(each, f"{name}: row {number:,}")
        severity = str(span.get("severity") or "")
        found = weight(severity, str(span.get("category") or ""))
        if found is None:
            intake.faults.add(
                number,
                f"unknown severity {quoted(severity)}",
                f"expected one of {', '.join(WEIGHTS)}",
            )
        costs.append(found or 0.0)
    return fsum(costs)
