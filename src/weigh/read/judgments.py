"""Judgments from files of several programs, recognised by the names of their columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from math import fsum
from typing import Any, NamedTuple

from weigh.errors import InputError, did_you_mean, plural
from weigh.read.answers import (
    BOUNDS,
    Averaged,
    BadRows,
    Holding,
    Intake,
    Judgments,
    Omission,
    Preferences,
    RankedScreen,
    Taken,
    distinct_judgments,
    distinct_preferences,
)
from weigh.read.campaign_tables import (
    COMPARED,
    SCORED,
    CollectedCampaign,
    database_name,
    is_database,
    labels_of_answers,
    read_campaign,
    reports_damage,
)
from weigh.read.json_text import unique_keys
from weigh.read.judgment_tables import (
    ALIASES,
    ESA,
    FORMATS,
    LONG,
    MEANS,
    MQM,
    UNNAMED_FORM,
    cost_of,
    unnamed_columns,
    weight,
)
from weigh.read.pair_results import (
    AS_CONTROLS,
    PAIR_RESULTS,
    judge_sides,
    read_pair_results,
)
from weigh.read.plain import read_columns_of
from weigh.read.preferences import PAIRED, RANKED, read_arena, read_pairs, read_rankings
from weigh.read.records import (
    ARENA,
    UNREADABLE,
    BadRowError,
    Faults,
    Records,
    parse_records,
    records_of,
    skippable,
)
from weigh.read.roles import columns_for
from weigh.read.spans import pearmut_span, spans_json
from weigh.read.text import ending, quoted, read_whole, shown
from weigh.types import Preference, Span
from weigh.wording import listed

# The fields of a judgment in a long table, with the roles whose common column names apply.
_GUESSED = {"judge": "judge", "system": "system", "segment": "item", "value": "score"}
_RELATIVE = {
    "WMT rankings": (RANKED, read_rankings),
    "WMT preferences": (PAIRED, read_pairs),
    "MTurk results of pairs": (PAIR_RESULTS, read_pair_results),
    "chat arenas' tables": (ARENA, read_arena),
}
# Any table without judges could contain means, so names do not identify these.
_BY_NAMES = tuple(name for name in (*FORMATS, *_RELATIVE) if name != MEANS)
# A first row with this many cells may come from an export without a header; a cell with this many
# words is not a name.
_LIKE_APPRAISE, _WORDS = 8, 5
# Column names of means, and of means of standard scores.
_MEAN = re.compile("(raw|z)|(raw|z)?[-_. ]?(mean|average|avg)([-_. ]?(raw|z|(z[-_. ]?)?score))?")
_STANDARD = re.compile("(^|[-_. ])z([-_. ]|$)")


def read_answers(
    paths: Sequence[str],
    pair: str = "",
    bounds: tuple[float, float] = BOUNDS,
    bad_rows: BadRows = "refuse",
    roles: Mapping[str, str] | None = None,
) -> Judgments | Preferences:
    """The judgments, or the preferences, of all files without duplicates.

    `pair` names the language pair of files that do not name one. Scores outside `bounds` are
    errors, and so are unreadable rows, unless `bad_rows` is "skip": then they are left out and
    reported. `roles` maps fields of a judgment to the columns of a long table; without it, in a
    file of no known format, columns are recognised by common names.
    """
    judged: list[Holding[Taken]] = []
    preferred: list[Holding[RankedScreen]] = []
    labels = labels_of_answers(paths)
    for path in paths:
        faults = Faults(shown(path), label=labels[path], skip=bad_rows == "skip")
        with skippable():
            if is_database(path):
                if roles is not None:
                    raise InputError(
                        f"{database_name(path)}: a database has fixed columns; leave out --columns"
                    )
                campaign = read_campaign(path, (*SCORED, *COMPARED), labels[path])
                if campaign.of_kind(*COMPARED) and not campaign.of_kind(*SCORED):
                    preferred.append(collected_preferences(campaign))
                else:
                    judged.append(collected_judgments(campaign, pair, bounds, skip=faults.skip))
            else:
                _read_table(path, faults, pair, bounds, roles, judged, preferred)
    if judged and preferred:
        raise InputError(
            f"{plural(len(judged), 'file')} with scores and {len(preferred)} with preferences; "
            "give one kind at a time"
        )
    return distinct_preferences(preferred) if preferred else distinct_judgments(judged)


def _read_table(
    path: str,
    faults: Faults,
    pair: str,
    bounds: tuple[float, float],
    roles: Mapping[str, str] | None,
    judged: list[Holding[Taken]],
    preferred: list[Holding[RankedScreen]],
) -> None:
    """Add a table to the judgments or to the preferences, and free its rows."""
    if ending(path) == ".parquet":
        records = records_of(read_columns_of(path), faults)
    else:
        text = read_whole(path, lenient=faults.skip)
        exported = read_pearmut(text, faults, pair, bounds) if roles is None else None
        if exported is not None:
            judged.append(exported)
            return
        unnamed = unnamed_columns if roles is None else None
        try:
            records = parse_records(text, faults, unnamed)
        except BadRowError:
            first = text.partition("\n")[0].split(",")
            if not text.startswith("{") and _is_prose(first):
                raise InputError(_no_table(faults.name, first)) from None
            raise
        del text
    table = _recognise(records, roles)
    if table.form in _RELATIVE:
        preferred.append(_RELATIVE[table.form][1](table.records))
    else:
        judged.append(_read_judgments(table, pair, bounds))


def judgments_of(
    columns: Mapping[str, Sequence[object]],
    roles: Mapping[str, str] | None = None,
    *,
    name: str = "judgments",
    pair: str = "",
    bounds: tuple[float, float] = BOUNDS,
    bad_rows: BadRows = "refuse",
) -> Judgments:
    """The judgments of a long table, given as columns by name.

    `roles` maps fields of a judgment to columns with other names. Judge, system, segment and value
    are required; everything else is as in files.

    >>> table = {"who": ["w1", "w2"], "system": ["A", "A"], "segment": [1, 2], "value": [70, 80.5]}
    >>> [(each.judge, each.value) for each in judgments_of(table, {"judge": "who"}).judgments]
    [('w1', 70.0), ('w2', 80.5)]
    """
    faults = Faults(name, skip=bad_rows == "skip")
    with skippable():
        table = _recognise(records_of(columns, faults), roles or {}, [LONG])
        taken = _read_judgments(table, pair, bounds)
    return distinct_judgments([taken])


def preferences_of(
    columns: Mapping[str, Sequence[object]],
    *,
    name: str = "preferences",
    bad_rows: BadRows = "refuse",
) -> Preferences | None:
    """The preferences of an arena's data frame, or None for another table."""
    if not columns.keys() >= {*ARENA}:
        return None
    faults = Faults(name, skip=bad_rows == "skip")
    with skippable():
        return distinct_preferences([read_arena(records_of(columns, faults))])


def _read_judgments(table: _Table, pair: str, bounds: tuple[float, float]) -> Holding[Taken]:
    records, form = table.records, FORMATS[table.form]
    intake = Intake(records.faults, bounds, pair=pair, titles=form.columns)
    form.take(records, intake)
    taken = intake.finish()
    remarks = [*records.remarks, *taken.remarks]
    if table.form == LONG and "kind" not in records.header:
        label = records.label
        remarks.append(f"{label}: no column 'kind', so no judgment counts as a control item")
    return replace(taken, remarks=tuple(remarks), averaged=table.averaged)


class _Table(NamedTuple):
    """A table with our column names, its format, and the scores of which it has means."""

    records: Records
    form: str
    averaged: Averaged | None = None


def _recognise(
    records: Records, roles: Mapping[str, str] | None, formats: Sequence[str] = _BY_NAMES
) -> _Table:
    """Convert a table by its columns, or by the roles stated for them.

    A table of no known format is a long table if its columns have common names, and a table of
    means if none of them names judges.
    """
    named = _rename_columns(records, roles) if roles else records
    try:
        return _Table(named, _format_of(named, [LONG] if roles else formats))
    except InputError:
        guess = _guess(named.header)
        if guess is None or (roles and "judge" in guess):
            raise
    form = LONG if "judge" in guess else MEANS
    table = _rename_columns(named, guess)
    _format_of(table, [form])
    remarks = [_columns_remark(records.label, {**guess, **(roles or {})}, named.header)]
    averaged: Averaged | None = None
    if form == MEANS:
        averaged = "z" if _STANDARD.search((roles or guess).get("value", "").lower()) else "raw"
        kind = "standard scores" if averaged == "z" else "scores"
        remarks.append(
            f"{records.label}: no judge column, so each value is used as the mean of a "
            f"segment's {kind}"
        )
    return _Table(replace(table, remarks=(*table.remarks, *remarks)), form, averaged)


def _guess(header: Sequence[str]) -> dict[str, str] | None:
    """Columns by field of a judgment; None if they are ambiguous.

    Without a column of judges, the table may have means, which have further common names.
    """
    fits = {
        field: [name for name in header if ALIASES.get(name, name) == field]
        or columns_for(role, header)
        for field, role in _GUESSED.items()
    }
    if not fits["judge"]:
        del fits["judge"]
        fits["segment"] = fits["segment"] or [name for name in header if name.lower() == "seg"]
        means = [name for name in header if _MEAN.fullmatch(name.lower())]
        standard = [name for name in means if _STANDARD.search(name.lower())]
        fits["value"] = fits["value"] or standard or means
    if any(len(names) != 1 for names in fits.values()):
        return None
    return {field: names[0] for field, names in fits.items()}


def _columns_remark(name: str, columns: Mapping[str, str], header: Sequence[str]) -> str:
    """A remark on the columns that are used, and on means that are not."""
    used = ", ".join(f"{field}={shown(column)}" for field, column in columns.items())
    others = [title for title in header if _MEAN.fullmatch(title.lower())]
    others = [shown(title) for title in others if title != columns["value"]]
    beside = f" (and not {', '.join(others)})" if "judge" not in columns and others else ""
    return f"{name}: using columns {used}{beside}; override with --columns"


def _rename_columns(records: Records, roles: Mapping[str, str]) -> Records:
    """Rename the columns of a table to the fields of a judgment."""
    chosen = {column: field for field, column in roles.items()}
    if len(chosen) < len(roles):
        raise InputError(
            f"{records.name}: one column is named for two of the roles {', '.join(roles)}; name "
            "one for each"
        )
    for column, field in chosen.items():
        if column not in records.header:
            suggestion = did_you_mean(column, [shown(title)[:60] for title in records.header[:40]])
            raise InputError(
                f"{records.name}: no column {quoted(column)} for {field}; {suggestion}"
            )
    # A column that has the name of a field without being one is ignored.
    header = tuple(
        chosen.get(column, f"({column})" if column in roles else column)
        for column in records.header
    )
    return replace(records, header=header)


def _format_of(records: Records, formats: Sequence[str]) -> str:
    """The first of some formats whose columns a table has."""
    names = {ALIASES.get(name, name) for name in records.header} | set(records.header)
    needed = {name: form.all_needed for name, form in FORMATS.items()}
    needed |= {name: columns for name, (columns, _) in _RELATIVE.items()}
    needed = {name: needed[name] for name in formats}
    missing = {
        name: [column for column in columns if column not in names]
        for name, columns in needed.items()
    }
    nearest = min(missing, key=lambda name: len(missing[name]) / len(needed[name]))
    if not missing[nearest]:
        columns = needed[nearest]
        records.note_unclosed([*columns, *(a for a, name in ALIASES.items() if name in columns)])
        return nearest
    if not names & {column for columns in needed.values() for column in columns}:
        raise InputError(_no_table(records.name, records.header))
    raise InputError(
        f"{records.name}: no column {' or '.join(missing[nearest])}, which {nearest} have; "
        "name the columns in the first row, or with --columns"
    )


def _no_table(name: str, header: Sequence[str]) -> str:
    """The error message for a first row without known column names."""
    if _is_prose(header):
        return (
            f"{name}: plain text, but a table of judgments was expected, with columns such as "
            "judge, system, segment and score"
        )
    if len(header) >= _LIKE_APPRAISE:
        return (
            f"{name}: row 1 has no known column name; only exports of Appraise may lack a "
            f"header, {UNNAMED_FORM}"
        )
    return (
        f"{name}: row 1 has no known column name; expected judge, system, segment and score, or "
        "name the columns: --columns judge=NAME,system=NAME,item=NAME,score=NAME; preferences "
        f"have the columns {listed(ARENA)}"
    )


def _is_prose(header: Sequence[str]) -> bool:
    """Whether a first row looks like text rather than column names."""
    return len(header) == 1 or any(len(name.split(" ")) >= _WORDS for name in header)


# Databases of campaigns, written by the judgment page.


@reports_damage
def collected_judgments(
    campaign: CollectedCampaign,
    pair: str = "",
    bounds: tuple[float, float] = BOUNDS,
    *,
    skip: bool = False,
) -> Holding[Taken]:
    """The judgments of a campaign: the last answer to each text, scored or marked.

    Rows are numbered in the order of the answers. With `skip`, unusable ones are left out and
    reported. If errors are marked without a score, the value is minus the sum of their costs.
    """
    intake = Intake(Faults(campaign.place, label=campaign.label, skip=skip), bounds, pair=pair)
    parts = (part for answer in campaign.require(SCORED) for part in answer.parts)
    for row, answer in enumerate(parts, 1):
        members = {
            **{name: answer.about.get(name) for name in _OF_JUDGED},
            "judge": answer.judge,
            "hit": answer.batch,
            "value": answer.answers.get("score"),
            "spans": answer.answers.get("spans"),
            "seconds": answer.seconds,
            "at": answer.at,
            "item": answer.about.get("number"),
            # Every database numbers its slots from 1, so numbers alone do not identify them.
            "assignment": f"{campaign.name}/{answer.slot}",
        }
        cells = {name: "" if value is None else str(value) for name, value in members.items()}
        is_marked = cells["scale"] == MQM and bool(cells["spans"])
        intake.take(row, cells, _marked_value(cells["spans"]) if is_marked else None)
    taken = intake.finish()
    aside = [*campaign.omissions(SCORED)]
    choices = len(campaign.of_kind(*COMPARED))
    if choices:
        aside.append(Omission(f"{campaign.label}: choices between two texts", choices))
    return replace(taken, omissions=(*aside, *taken.omissions))


# Facts about a judged item.
_OF_JUDGED = ("pair", "kind", "system", "segment", "scale", "of", "document")


def _marked_value(spans: str) -> float:
    """The score of marked errors: minus the sum of their costs."""
    import json

    return 0.0 - fsum(
        weight(span["severity"], span["category"]) or 0.0 for span in json.loads(spans)
    )  # and not −0


@reports_damage
def collected_preferences(campaign: CollectedCampaign) -> Holding[RankedScreen]:
    """The preferences of a campaign; the system on the left is shown first.

    Pairs with a damaged side do not count as preferences. They test judges: each choice becomes a
    judgment of both texts, 100 for the chosen one and 0 for the other, or 50 for both.
    """
    screens = []
    for row, answer in enumerate(campaign.require(COMPARED), 1):
        about, choice = answer.about, str(answer.answers["choice"])
        first, second = str(about["left_system"]), str(about["right_system"])
        winner, loser = (second, first) if choice == "right" else (first, second)
        preference = Preference(
            winner, loser, str(about["segment"]), choice == "neither", answer.judge, first
        )
        work = f"{campaign.name}/{answer.slot}"
        cells = {"assignment": work, "item": str(about["number"]), "choice": choice}
        screens.append(
            RankedScreen(
                row,
                answer.judge,
                tuple(sorted(cells.items())),
                () if about["kind"] == "bad" else (preference,),
                judge_sides(answer, work),
            )
        )
    damaged = sum(not screen.preferences for screen in screens)
    if damaged == len(screens):
        raise InputError(f"{campaign.place}: no choices between outputs yet, only controls")
    aside = [*campaign.omissions(COMPARED)]
    if damaged:
        aside.append(Omission(f"{campaign.label}: {AS_CONTROLS}", damaged))
    return Holding(campaign.label, tuple(screens), tuple(aside))


# Pearmut's exports: its log of answers, as JSON lines or one JSON object of campaigns.
#
# An entry is one judged document: `item` has its segments, `annotation` the score and error spans
# of each segment by model. What `weigh human plan` wrote under the key `weigh` adds the rest: kind,
# system, segment, hit. The last answer to a document counts.

_ENTRY_KEYS = {"annotation", "item", "user_id"}
# Prefixes of tutorials, attention checks and forms, whose numbers contain words.
_ASIDE = ("welcome_", "random_", "goodbye_")
# Keys of an item under `weigh`.
_OF_ITEM = ("hit", "pair", "kind", "system", "segment", "scale", "item", "of", "document", "slice")

# An entry: its campaign, its number in the file, and its content.
_Entry = tuple[str, int, Mapping[str, Any]]
# An answer: the segment, the model, and the annotation.
_Answer = tuple[Mapping[str, Any], str, Mapping[str, Any]]


def read_pearmut(
    text: str, faults: Faults, pair: str = "", bounds: tuple[float, float] = BOUNDS
) -> Holding[Taken] | None:
    """The judgments of a Pearmut export, or None if the text is something else.

    Scores are on the scale for which the campaign was planned, or else `adequacy`; with error
    spans, they are on the scale `esa`, and the spans add a judgment on the scale `mqm`.
    """
    entries = _entries(text, faults)
    if entries is None:
        return None
    intake = Intake(faults, bounds, pair=pair)
    latest: dict[tuple[str, str, str], _Entry] = {}
    for campaign, number, entry in entries:
        key = (campaign, str(entry.get("user_id")), str(entry.get("item_i")))
        if key[2].startswith(_ASIDE):
            intake.omit(number, "Pearmut's own tutorials and checks")
            continue
        if key in latest:
            intake.omit(latest[key][1], "answers that were later changed or reset")
        latest[key] = (campaign, number, entry)
        if not isinstance(entry["annotation"], list):  # the mark of a reset
            del latest[key]
    answers: dict[int, list[_Answer]] = {}
    for _, number, entry in latest.values():
        with faults.noting(number):
            answers[number] = list(_answers(number, entry, faults.name))
    spans = any(
        annotation.get("error_spans")
        for entries in answers.values()
        for _, _, annotation in entries
    )
    for campaign, number, entry in latest.values():
        if number in answers:
            with faults.noting(number):
                _take_entry(campaign, number, entry, answers[number], spans, intake)
    return intake.finish()


def _entries(text: str, faults: Faults) -> list[_Entry] | None:
    if not text.startswith("{"):
        return None
    lines = [line for line in text.split("\n") if line.strip()]
    first = _parse_line(lines[0])
    whole = first if len(lines) == 1 else _parse_line(text) if first is None else None
    if faults.skip and first is None and whole is None:  # the first line may be the bad one
        first = next((entry for line in lines if _is_entry(entry := _parse_line(line))), None)
    if _is_entry(first):
        numbered = [("", number, _parse_line(line)) for number, line in enumerate(lines, 1)]
    elif isinstance(whole, dict):
        flat = [
            (campaign, entry)
            for campaign, entries in whole.items()
            if isinstance(entries, list)
            for entry in entries
        ]
        numbered = [(campaign, number, entry) for number, (campaign, entry) in enumerate(flat, 1)]
    else:
        return None
    if not any(_is_entry(entry) for _, _, entry in (numbered if faults.skip else numbered[:1])):
        return None
    entries = []
    for campaign, number, entry in numbered:
        if _is_entry(entry):
            entries.append((campaign, number, entry))
        else:
            faults.refuse(number, "is not what Pearmut writes", "export it again")
    return entries


def _is_entry(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() >= _ENTRY_KEYS


def _parse_line(text: str) -> Any:
    import json

    if UNREADABLE.search(text):
        return None
    try:
        return json.loads(text, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError):
        return None


def _answers(number: int, entry: Mapping[str, Any], name: str) -> Iterator[_Answer]:
    """Yield every segment of a document with a model and the annotation of its output."""
    items, annotations = entry["item"], entry["annotation"]
    where = f"{name}: row {number:,}"
    if not isinstance(items, list) or len(items) != len(annotations):
        raise BadRowError(f"{where} does not have one answer for every segment; export it again")
    for item, annotation in zip(items, annotations, strict=True):
        for model, marks in _object(annotation or {}, where).items():
            yield _object(item, where), model, _object(marks, where)


def _object(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadRowError(f"{where} is not what Pearmut writes; export it again")
    return value


def _times(entry: Mapping[str, Any], where: str) -> list[float]:
    """The times of all actions, in seconds since 1970."""
    actions = entry.get("actions") or []
    if not isinstance(actions, list):
        raise BadRowError(f"{where} is not what Pearmut writes; export it again")
    times = [_object(action, where).get("time") for action in actions]
    return [float(time) for time in times if isinstance(time, int | float) and 0 <= time < 1e11]


def _take_entry(
    campaign: str,
    number: int,
    entry: Mapping[str, Any],
    answers: Sequence[_Answer],
    spans: bool,
    intake: Intake,
) -> None:
    where = f"{intake.faults.name}: row {number:,}"
    for annotation in entry["annotation"]:
        if not annotation:
            intake.omit(number, "segments that were skipped")
    times = _times(entry, where)
    judge, place = str(entry["user_id"]), str(entry.get("item_i"))
    question = judge, place, repr(entry["item"])
    for item, model, marks in answers:
        details = _object(item.get("weigh") or {}, where)
        # If several models are judged side by side, the details of each are under its name.
        versions = _object(details.get("models") or {}, where)
        details = {**details, **_object(versions.get(model) or {}, where)}
        cells = {
            "judge": judge,
            "hit": campaign or judge,
            "system": model,
            "segment": str(item.get("item_id", entry.get("item_i"))),
            "value": "" if marks.get("score") is None else repr(marks["score"]),
            "scale": ESA if spans else "",
        }
        if times:
            cells["seconds"] = repr((max(times) - min(times)) / len(answers))
            cells["at"] = datetime.fromtimestamp(max(times), UTC).isoformat()
        cells |= {
            name: str(details[name]) for name in _OF_ITEM if details.get(name) not in (None, "")
        }
        intake.kind(number, cells.get("kind", "system"))
        marked = marks.get("error_spans") or []
        errors = [
            _object(mark, where) for mark in (marked if isinstance(marked, list) else [marked])
        ]
        errors_alone = cells["scale"] == MQM  # as it was planned
        if spans or errors_alone:
            cost = _cost(errors, number, intake)
            placed = intake.read_spans(
                number,
                errors,
                partial(_located_spans, errors, _object(item.get("tgt") or {}, where).get(model)),
            )
            cells["spans"] = spans_json(placed or ())
        if not errors_alone:
            intake.take(number, cells, question=question)
        if spans or errors_alone:
            intake.take(number, cells | {"scale": MQM}, 0.0 - cost, question)


def _located_spans(spans: Iterable[Mapping[str, Any]], text: Any) -> tuple[Span, ...]:
    original = text if isinstance(text, str) else None
    return tuple(pearmut_span(span, original) for span in spans)


def _cost(spans: Iterable[Mapping[str, Any]], number: int, intake: Intake) -> float:
    costs = []
    for span in spans:
        severity, category = (str(span.get(name) or "") for name in ("severity", "category"))
        costs.append(cost_of(number, severity, category, intake) or 0.0)
    return fsum(costs)
