"""Judgments from the files of several programs; the column names tell which program it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from math import fsum
from typing import Any

from weigh.errors import InputError
from weigh.read.answers import (
    BOUNDS,
    BadRows,
    Holding,
    Intake,
    Judgments,
    Preferences,
    Screen,
    Taken,
    judged_once,
    preferred_once,
)
from weigh.read.judgment_tables import (
    ALIASES,
    FORMATS,
    MQM,
    UNNAMED_FORM,
    WEIGHTS,
    unnamed_columns,
    weight,
)
from weigh.read.preferences import PAIRED, RANKED, read_pairs, read_rankings
from weigh.read.records import UNREADABLE, BadRowError, Faults, parse_records
from weigh.read.text import quoted, read_whole, shown
from weigh.types import Judgment

_PEARMUT = "Pearmut's export"
_RELATIVE = {
    "WMT rankings": (RANKED, read_rankings),
    "WMT preferences": (PAIRED, read_pairs),
}


def read_answers(
    paths: Sequence[str],
    pair: str = "",
    bounds: tuple[float, float] = BOUNDS,
    bad_rows: BadRows = "refuse",
) -> Judgments | Preferences:
    """Return the judgments, or the preferences, of all files together, each once.

    `pair` names the language pair where a file does not. Scores outside `bounds` are errors. Rows
    that cannot be read are errors too; with `bad_rows` "skip" they are left out and told.
    """
    judged: list[Holding[Taken]] = []
    preferred: list[Holding[Screen]] = []
    for path in paths:
        try:
            _read_file(path, pair, bounds, bad_rows == "skip", judged, preferred)
        except BadRowError as error:
            raise InputError(f"{error}, or leave bad rows out with --bad-rows skip") from None
    if judged and preferred:
        raise InputError(
            f"{len(judged)} files with scores and {len(preferred)} with relative rankings; "
            "give one kind at a time"
        )
    return preferred_once(preferred) if preferred else judged_once(judged)


def read_judgments(
    paths: Sequence[str],
    pair: str = "",
    bounds: tuple[float, float] = BOUNDS,
    bad_rows: BadRows = "refuse",
) -> Judgments:
    """Return the judgments of all files; relative rankings are refused."""
    answers = read_answers(paths, pair, bounds, bad_rows)
    if isinstance(answers, Preferences):
        raise InputError(f"{paths[0]}: relative rankings, but scores were expected")
    return answers


def _read_file(
    path: str,
    pair: str,
    bounds: tuple[float, float],
    skip: bool,
    judged: list[Holding[Taken]],
    preferred: list[Holding[Screen]],
) -> None:
    text, name = read_whole(path, lenient=skip), shown(path)
    faults = Faults(name, skip=skip)
    exported = read_pearmut(text, name, pair, bounds, faults)
    if exported is not None:
        judged.append(exported)
        return
    records = parse_records(text, name, unnamed_columns, faults)
    names = {ALIASES.get(name, name) for name in records.header} | set(records.header)
    needed = {name: form.columns for name, form in FORMATS.items()}
    needed |= {name: columns for name, (columns, _) in _RELATIVE.items()}
    missing = {
        name: [column for column in columns if column not in names]
        for name, columns in needed.items()
    }
    form = next((name for name, columns in missing.items() if not columns), None)
    if form is None:
        nearest = min(missing, key=lambda name: len(missing[name]) / len(needed[name]))
        known = ", ".join([*FORMATS, *_RELATIVE, _PEARMUT])
        if not names & {column for columns in needed.values() for column in columns}:
            raise InputError(
                f"{records.name}: no column name in row 1 that is known; only exports of Appraise "
                f"may come without names, {UNNAMED_FORM} (with names, these are known: "
                f"{known})"
            )
        raise InputError(
            f"{records.name}: no column {' or '.join(missing[nearest])}, which {nearest} have; "
            f"the first row should name them (these are known: {known})"
        )
    columns = needed[form]
    records.note_unclosed([*columns, *(a for a, name in ALIASES.items() if name in columns)])
    if form in _RELATIVE:
        preferred.append(_RELATIVE[form][1](records))
        return
    intake = Intake(records.name, bounds, faults)
    FORMATS[form].read(records, intake, pair)
    taken = intake.finish()
    judged.append(replace(taken, remarks=(*records.remarks, *taken.remarks)))


# What Pearmut exports: its log of answers, JSON lines or one JSON object of campaigns.
#
# An entry is one document that somebody has judged: `item` holds its segments, `annotation` for
# each of them a score and error spans by model. What `weigh human plan` has written under the key
# `weigh` tells the rest: kind, system, segment, hit. The last answer to a document counts.

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
