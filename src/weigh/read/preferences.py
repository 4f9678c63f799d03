"""Relative rankings: which of two outputs somebody preferred.

Two formats of the WMT: in the rankings of 2012, a row is one screen of several outputs (`sys1` …)
with a rank each (`rank1` …; 1 is best, equal ranks are ties, −1 means no rank). In the preferences
of 2013, a row is a `winner` and a `loser`, without ties. In tables of chat arenas, a row has
`model_a`, which was shown first, `model_b` and the `winner`.

In the tables of chat arenas a row has `model_a`, which was shown first, `model_b` and the `winner`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, count
from typing import Literal, cast, get_args

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.read.answers import (
    TELLING,
    BadRows,
    Holding,
    Omission,
    RankedScreen,
    nothing_left,
    unreadable,
)
from weigh.read.campaign_tables import (
    CHOSEN,
    CollectedCampaign,
    is_database,
    labels_of_answers,
    read_campaign,
    reports_damage,
)
from weigh.read.records import (
    ARENA,
    MAY_MISS,
    Faults,
    Records,
    list_rows,
    parse_records,
    skippable,
)
from weigh.read.text import quoted, read_whole, shown
from weigh.types import Preference

RANKED = ("seg", "judge", "sys1", "sys2", "rank1", "rank2")
PAIRED = ("seg", "winner", "loser")
_UNRANKED = "-1"
_RANK = re.compile("[0-9]{1,9}")


def read_rankings(records: Records) -> Holding[RankedScreen]:
    """The preference in every pair of outputs that a screen ranks."""
    faults = records.faults
    places = _places(records)
    screens: list[RankedScreen] = []
    unranked: list[int] = []
    for row, cells in records.rows_by_name():
        ranked: list[tuple[str, int]] = []
        for system, rank in places:
            name, text = cells[system], cells[rank]
            if text == _UNRANKED:
                unranked.append(row)
            elif not _RANK.fullmatch(text) or not name:
                faults.add(
                    row,
                    f"{rank} is {quoted(text)} and {system} {quoted(name)}",
                    "expected a system and its rank, 1 the best, or -1 for none",
                )
            else:
                ranked.append((name, int(text)))
        preferences: list[Preference] = []
        for (first, rank_one), (other, rank_other) in combinations(ranked, 2):
            if first == other:
                faults.add(row, f"{quoted(first)} occurs twice", "give every system once")
            winner, loser = (first, other) if rank_one <= rank_other else (other, first)
            tied = rank_one == rank_other
            preferences.append(Preference(winner, loser, cells["seg"], tied, cells["judge"]))
        screens.append(_screen(row, cells, preferences))
    bad = faults.rows
    unranked = [row for row in unranked if row not in bad]
    why = f"{records.label}: outputs without a rank ({list_rows(unranked)})"
    return _held(records, screens, [Omission(why, len(unranked))] if unranked else [])


def _places(records: Records) -> list[tuple[str, str]]:
    places = []
    for number in count(1):
        names = (f"sys{number}", f"rank{number}")
        present = [name in records.header for name in names]
        if not any(present):
            break
        if not all(present):
            there, missing = names[present.index(True)], names[present.index(False)]
            raise InputError(
                f"{records.name}: the column {there} needs the column {missing} beside it; give "
                "both"
            )
        places.append(names)
    return places


def read_pairs(records: Records) -> Holding[RankedScreen]:
    """The winners and losers of each row."""
    faults = records.faults
    screens = []
    for row, cells in records.rows_by_name():
        winner, loser = cells["winner"], cells["loser"]
        if not winner or not loser or winner == loser:
            faults.add(
                row,
                f"the winner is {quoted(winner)} and the loser {quoted(loser)}",
                "expected two systems",
            )
        preference = Preference(winner, loser, cells["seg"], judge=cells.get("judge") or None)
        screens.append(_screen(row, cells, [preference]))
    return _held(records, screens, [])


def _screen(row: int, cells: Mapping[str, str], preferences: Sequence[Preference]) -> RankedScreen:
    content = tuple(sorted(cells.items()))
    return RankedScreen(row, cells.get("judge") or None, content, tuple(preferences))


def _held(
    records: Records, screens: Sequence[RankedScreen], omissions: Sequence[Omission]
) -> Holding[RankedScreen]:
    faults = records.faults
    faults.check()
    bad = faults.rows
    kept = tuple(screen for screen in screens if screen.row not in bad)
    if not any(screen.preferences for screen in kept):
        raise nothing_left(faults, "two outputs are ranked", "the file")
    left_out = (*omissions, *unreadable(faults))
    return Holding(records.label, kept, left_out, (*records.remarks, *faults.remarks()))


# Tables of chat arenas.

_FIRST, _SECOND = "model_a", "model_b"
# Names of the columns of judges and questions, the most specific first.
_JUDGE = ("judge", "annotator", "user_id", "user", "evaluation_session_id")
_QUESTION = ("question_id", "segment", "seg", "item", "prompt_id", "id")
_TIES = frozenset(
    ("tie", "tie (bothbad)", "tie (both bad)", "both_bad", "bothbad", "both bad", "draw", "neither")
)
_MOST_COLUMNS_NAMED = 8


def read_arena(records: Records) -> Holding[RankedScreen]:
    """The winners between `model_a` and `model_b`; `model_a` was shown first.

    The `winner` is the name of one of the two columns, the name of one of the two models, or a tie.
    A row without a winner has no answer.
    """
    faults = records.faults
    header = records.header
    first, second, won = (header.index(name) for name in ARENA)
    judge = next((header.index(name) for name in _JUDGE if name in header), None)
    question = next((header.index(name) for name in _QUESTION if name in header), None)
    telling = [(at, name) for at, name in enumerate(header) if name in TELLING]
    # In the order of names, because the order of columns does not matter.
    order = sorted(range(len(header)), key=header.__getitem__)
    names = tuple(header[at] for at in order)
    screens: list[RankedScreen] = []
    missing: list[int] = []
    for row, cells in records.full_rows():
        a, b, winner = cells[first], cells[second], cells[won]
        if not a or not b or a == b:
            faults.add(row, f"the models are {quoted(a)} and {quoted(b)}", "expected two models")
            continue
        if not winner.strip():
            missing.append(row)
            continue
        outcome = _outcome(winner, a, b)
        if outcome is None:
            faults.add(
                row,
                f"the winner is {quoted(winner)}, which is neither {quoted(a)} nor {quoted(b)}",
                "expected model_a, model_b, tie, or the name of one of the two",
            )
            continue
        by = None if judge is None else cells[judge] or None
        segment = "" if question is None else cells[question]
        if outcome < 0:
            preference = Preference(b, a, segment, False, by, a)
        else:
            preference = Preference(a, b, segment, outcome == 0, by, a)
        # All cells at once, because there may be millions of rows.
        values = tuple([cells[at] for at in order])
        content = ((names, values), *((name, cells[at]) for at, name in telling))
        screens.append(RankedScreen(row, by, content, (preference,)))
    why = f"{records.label}: rows without a winner ({list_rows(missing)})"
    held = _held(records, screens, [Omission(why, len(missing))] if missing else [])
    return replace(held, remarks=(*held.remarks, *_unused_columns(records, judge, question)))


def _outcome(winner: str, a: str, b: str) -> int | None:
    """1 if a won, −1 if b won, 0 if neither did, and None for anything else."""
    if winner == a:
        return 1
    if winner == b:
        return -1
    word = winner.strip().lower()
    return 1 if word == _FIRST else -1 if word == _SECOND else 0 if word in _TIES else None


def _unused_columns(records: Records, judge: int | None, question: int | None) -> list[str]:
    """A remark on columns that are not used."""
    used = {*ARENA, *TELLING}
    used |= {records.header[at] for at in (judge, question) if at is not None}
    rest = [shown(name)[:40] for name in records.header if name not in used]
    if not rest:
        return []
    more = len(rest) - _MOST_COLUMNS_NAMED
    named = ", ".join(rest[:_MOST_COLUMNS_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    return [f"{records.label}: ignored columns: {named}"]


# People's choices between two texts, left and right: JSON lines, TSV or CSV, including Mechanical
# Turk's.
#
# A row is one answer: `pair`, `judge` and `choice`, which is left, right or neither; further
# columns may describe the judge, such as `country`. In the results of an Amazon Mechanical Turk
# batch these columns are `Input.pair`, `WorkerId` and `Answer.choice`. Choices may also come from a
# database of the judgment page.

Answer = Literal["left", "right", "neither"]

_COLUMNS = {
    "pair": ("pair", "Input.pair"),
    "judge": ("judge", "WorkerId"),
    "choice": ("choice", "Answer.choice", "Answer.choice.label"),
}
_STATUS = "AssignmentStatus"
_WORK = ("AssignmentId", "assignment", "SubmitTime")

OWN_COLUMNS = tuple(_COLUMNS)


@dataclass(frozen=True, slots=True)
class Choice:
    """One person's answer to one pair; `where` names its file and row in messages.

    `at`, `seconds` and `assignment` are the time of the answer, its duration and its piece of work,
    if known.
    """

    pair: str
    judge: str
    answer: Answer
    where: str = field(default="", compare=False)
    at: str = field(default="", compare=False)
    seconds: float | None = field(default=None, compare=False)
    assignment: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Choices:
    """Answers, and those left out."""

    choices: tuple[Choice, ...]
    omissions: tuple[Omission, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Given:
    """The answer in a row; `work` is its assignment, or the time of submission.

    `wanted`: whether it meets the conditions.
    """

    row: int
    choice: Choice
    work: str
    rejected: bool
    wanted: bool


def read_choices(
    paths: Sequence[str], only: Mapping[str, str] | None = None, bad_rows: BadRows = "refuse"
) -> Choices:
    """The answers of all files that meet the conditions of `only`.

    A judge answers a pair once. The same answer again, as in a batch that was downloaded twice,
    counts once, and as rejected if any copy is. With `bad_rows` "skip", unreadable rows are left
    out and reported.
    """
    omissions: list[Omission] = []
    remarks: list[str] = []
    files: list[tuple[Faults, list[_Given]]] = []
    chosen: dict[tuple[str, str], _Given] = {}
    with skippable():
        labels = labels_of_answers(paths)
        for path in paths:
            faults = Faults(shown(path), label=labels[path], skip=bad_rows == "skip")
            if is_database(path):
                campaign = read_campaign(path, CHOSEN, labels[path])
                faults = Faults(campaign.place, label=campaign.label, skip=faults.skip)
                files.append((faults, _campaign_answers(campaign, only or {})))
                omissions += campaign.omissions(CHOSEN)
                continue
            text = read_whole(path, lenient=faults.skip)
            records = parse_records(text, faults)
            files.append((faults, _table_answers(records, only or {})))
            remarks += records.remarks
        rejected = {
            _identity(answer) for _, answers in files for answer in answers if answer.rejected
        }
        for faults, given_answers in files:
            omissions += _count(given_answers, rejected, chosen, faults, only or {})
            faults.check()
            omissions += unreadable(faults)
            remarks += faults.remarks()
    if not chosen:
        raise InputError("no answers are left to count; check the files and --only")
    choices = tuple(answer.choice for answer in chosen.values())
    return Choices(choices, tuple(omissions), tuple(remarks))


def _table_answers(records: Records, only: Mapping[str, str]) -> list[_Given]:
    faults = records.faults
    columns = {name: _column(records, name) for name in _COLUMNS}
    for name in only:
        if name not in records.header:
            raise UsageError(
                f"{records.name}: no column {quoted(name)} for --only; "
                f"{did_you_mean(name, records.header)}"
            )
    records.note_unclosed([*columns.values(), *only])
    answers = []
    for row, cells in records.rows_by_name(MAY_MISS):
        pair, judge, side = (cells[columns[name]].strip() for name in _COLUMNS)
        answer = side.lower()
        if not pair or not judge:
            faults.add(row, "no pair or no judge", "give both")
        elif answer not in get_args(Answer):
            faults.add(row, f"the choice {quoted(side)}", "expected left, right or neither")
        else:
            where = f"{records.name}: row {row:,}"
            choice = Choice(pair, judge, cast(Answer, answer), where)
            work = next((cells[name] for name in _WORK if cells.get(name)), "")
            wanted = all(cells[name] == value for name, value in only.items())
            answers.append(_Given(row, choice, work, cells.get(_STATUS) == "Rejected", wanted))
    faults.check()
    return answers


@reports_damage
def collected_choices(campaign: CollectedCampaign) -> list[Choice]:
    """The choices of a campaign."""
    return [
        Choice(
            str(answer.about["pair"]),
            answer.judge,
            answer.answers["choice"],
            f"{campaign.place}: row {row:,}",
            answer.at,
            answer.seconds,
            f"{campaign.name}/{answer.slot}",
        )
        for row, answer in enumerate(campaign.require(CHOSEN), 1)
    ]


def _campaign_answers(campaign: CollectedCampaign, only: Mapping[str, str]) -> list[_Given]:
    """The answers of a campaign, whose only further column is the judge."""
    for name in only:
        if name not in OWN_COLUMNS:
            raise UsageError(
                f"{campaign.place}: answers of a campaign have no column {quoted(name)} for "
                f"--only; {did_you_mean(name, OWN_COLUMNS)}"
            )
    answers = []
    for row, choice in enumerate(collected_choices(campaign), 1):
        cells = dict(zip(OWN_COLUMNS, (choice.pair, choice.judge, choice.answer), strict=True))
        wanted = all(cells[name] == value for name, value in only.items())
        answers.append(_Given(row, choice, choice.assignment, rejected=False, wanted=wanted))
    return answers


def _identity(answer: _Given) -> tuple[str, str, str, str]:
    return answer.choice.pair, answer.choice.judge, answer.choice.answer, answer.work


def _count(
    answers: Sequence[_Given],
    rejected: Collection[tuple[str, ...]],
    choices: dict[tuple[str, str], _Given],
    faults: Faults,
    only: Mapping[str, str],
) -> list[Omission]:
    """Add a file's new answers that count; return the omissions."""
    refused = others = 0
    again = []
    bad = faults.rows
    for answer in answers:
        choice = answer.choice
        key = (choice.pair, choice.judge)
        if answer.row in bad:
            continue
        if _identity(answer) in rejected:
            refused += 1
        elif not answer.wanted:
            others += 1
        elif key in choices and _identity(choices[key]) == _identity(answer):
            again.append(answer.row)
        elif key in choices:
            faults.add(
                answer.row,
                f"the judge answers the pair {quoted(choice.pair)} twice",
                "keep one answer of each judge",
            )
        else:
            choices[key] = answer
    conditions = " and ".join(f"{name}={value}" for name, value in only.items())
    left_out = {
        "rejected assignments": refused,
        f"answers without {conditions}": others,
        f"duplicates of other judgments ({list_rows(again)})": len(again),
    }
    return [Omission(f"{faults.label}: {why}", count) for why, count in left_out.items() if count]


def _column(records: Records, name: str) -> str:
    for alternatives in _COLUMNS[name]:
        if alternatives in records.header:
            return alternatives
    raise InputError(
        f"{records.name}: no column {' or '.join(_COLUMNS[name][:2])}; "
        "give one answer on each row: pair, judge, choice"
    )
