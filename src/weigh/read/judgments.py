"""Judgments from the files of several programs; the column names tell which program it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Protocol, cast

from weigh.errors import InputError
from weigh.read import judgments_appraise, preferences
from weigh.read.answers import (
    BOUNDS,
    BadRows,
    Holding,
    Intake,
    Judgments,
    Preferences,
    Screen,
    Taken,
)
from weigh.read.judgments_own import ALIASES
from weigh.read.pearmut import read_pearmut
from weigh.read.records import BadRowError, Faults, Records, parse_records
from weigh.read.repeats import judged_once, preferred_once
from weigh.read.stream import read_whole, shown


class _Reader(Protocol):
    COLUMNS: tuple[str, ...]

    def read(self, records: Records, intake: Intake, pair: str) -> None: ...


# Every format and the module that reads it.
FORMATS = {
    "MTurk batch results": "judgments_mturk",
    "Appraise exports": "judgments_appraise",
    "WMT direct assessments": "judgments_da",
    "WMT error span annotation": "judgments_esa",
    "WMT MQM annotations": "judgments_mqm",
    "weigh's own judgments": "judgments_own",
}
_PEARMUT = "Pearmut's export"
_RELATIVE = {
    "WMT rankings": (preferences.RANKED, preferences.read_rankings),
    "WMT preferences": (preferences.PAIRED, preferences.read_pairs),
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
    records = parse_records(text, name, judgments_appraise.columns_of, faults)
    names = {ALIASES.get(name, name) for name in records.header} | set(records.header)
    needed = {name: _reader(module).COLUMNS for name, module in FORMATS.items()}
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
                f"may come without names, {judgments_appraise.FORM} (with names, these are known: "
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
    _reader(FORMATS[form]).read(records, intake, pair)
    taken = intake.finish()
    judged.append(replace(taken, remarks=(*records.remarks, *taken.remarks)))


def _reader(module: str) -> _Reader:
    return cast(_Reader, import_module(f"weigh.read.{module}"))
