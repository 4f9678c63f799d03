"""Judgments from the files of several programs; the column names tell which program it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Protocol, cast

from weigh.errors import InputError
from weigh.read import judgments_appraise, preferences
from weigh.read.answers import BOUNDS, Intake, Judgments, Preferences
from weigh.read.judgments_own import ALIASES
from weigh.read.pearmut import read_pearmut
from weigh.read.records import Records, parse_records
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
    paths: Sequence[str], pair: str = "", bounds: tuple[float, float] = BOUNDS
) -> Judgments | Preferences:
    """Return the judgments, or the preferences, of all files together.

    `pair` names the language pair where a file does not. Scores outside `bounds` are errors.
    """
    read = [_read_file(path, pair, bounds) for path in paths]
    judged = [each for each in read if isinstance(each, Judgments)]
    preferred = [each for each in read if isinstance(each, Preferences)]
    if judged and preferred:
        raise InputError(
            f"{len(judged)} files with scores and {len(preferred)} with relative rankings; "
            "give one kind at a time"
        )
    omissions = tuple(omission for each in read for omission in each.omissions)
    remarks = tuple(remark for each in read for remark in each.remarks)
    if preferred:
        found = tuple(one for each in preferred for one in each.preferences)
        return Preferences(found, omissions, remarks)
    return Judgments(tuple(one for each in judged for one in each.judgments), omissions, remarks)


def read_judgments(
    paths: Sequence[str], pair: str = "", bounds: tuple[float, float] = BOUNDS
) -> Judgments:
    """Return the judgments of all files; relative rankings are refused."""
    answers = read_answers(paths, pair, bounds)
    if isinstance(answers, Preferences):
        raise InputError(f"{paths[0]}: relative rankings, but scores were expected")
    return answers


def _read_file(path: str, pair: str, bounds: tuple[float, float]) -> Judgments | Preferences:
    text, name = read_whole(path), shown(path)
    exported = read_pearmut(text, name, pair, bounds)
    if exported is not None:
        return exported
    records = parse_records(text, name, judgments_appraise.columns_of)
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
    if form in _RELATIVE:
        return _RELATIVE[form][1](records)
    intake = Intake(records.name, bounds)
    _reader(FORMATS[form]).read(records, intake, pair)
    return replace(taken := intake.finish(), remarks=(*records.remarks, *taken.remarks))


def _reader(module: str) -> _Reader:
    return cast(_Reader, import_module(f"weigh.read.{module}"))
