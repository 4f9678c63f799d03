"""Choices between two outputs from Mechanical Turk, on the pages that `weigh human plan` lays out.

A row is a HIT done by one worker. Of each pair, `Input.left_0` and `Input.right_0` are the systems,
`Input.sid_0` the segment, `Input.tst_0` the type, `Input.better_0` the side that should be chosen
where the other is damaged, and `Answer.choice_0` is left, right or neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from weigh.read.answers import KINDS, Holding, Omission, RankedScreen, nothing_left, unreadable
from weigh.read.campaign_tables import CollectedAnswer
from weigh.read.cells import strip_quotes
from weigh.read.judgment_tables import time_of
from weigh.read.records import MAY_MISS, Records, list_rows, read_number
from weigh.read.text import quoted
from weigh.types import Judgment, Preference

PAIR_RESULTS = (
    *("HITId", "WorkerId", "AssignmentStatus", "Input.left_0", "Input.right_0", "Input.sid_0"),
    *("Input.tst_0", "Answer.choice_0"),
)
AS_CONTROLS = "control pairs, in which one text is damaged"
"""The reason why they are left out of rankings; they test judges."""
# The scores that a choice gives to the left and the right text.
_CHOSEN = {"left": (100.0, 0.0), "right": (0.0, 100.0), "neither": (50.0, 50.0)}


def read_pair_results(records: Records) -> Holding[RankedScreen]:
    """The choices in every row; rejected work and controls are left out and counted.

    Controls test judges; for this, each choice becomes a judgment of both texts.
    """
    faults = records.faults
    screens: list[RankedScreen] = []
    aside: dict[str, list[int]] = {}
    for row, cells in records.rows_by_name(MAY_MISS):
        answers = list(_answers(cells))
        if cells["AssignmentStatus"] == "Rejected":
            aside.setdefault("answers of rejected assignments", []).extend([row] * len(answers))
            continue
        preferences: list[Preference] = []
        judged: list[Judgment] = []
        for answer in answers:
            about, choice = answer.about, answer.answers["choice"]
            first, second = about["left_system"], about["right_system"]
            if not choice:
                aside.setdefault("missing answers", []).append(row)
            elif choice not in _CHOSEN:
                faults.add(row, f"the choice {quoted(choice)}", "expected left, right or neither")
            elif about["kind"] not in KINDS.values():
                kinds = ", ".join(KINDS)
                faults.add(row, f"the type {quoted(about['kind'])}", f"expected one of {kinds}")
            elif about["kind"] == "bad":
                aside.setdefault(AS_CONTROLS, []).append(row)
                judged += judge_sides(answer, cells.get("AssignmentId", ""))
            elif not first or not second or first == second:
                faults.add(row, f"{quoted(first)} against {quoted(second)}", "expected two systems")
            else:
                winner, loser = (second, first) if choice == "right" else (first, second)
                tied = choice == "neither"
                preferences.append(
                    Preference(winner, loser, about["segment"], tied, answer.judge or None, first)
                )
                judged += judge_sides(answer, cells.get("AssignmentId", ""))
        judge = cells["WorkerId"] or None
        content = tuple(sorted(cells.items()))
        screens.append(RankedScreen(row, judge, content, tuple(preferences), tuple(judged)))
    faults.check()
    bad = faults.rows
    kept = tuple(screen for screen in screens if screen.row not in bad)
    if not any(screen.preferences for screen in kept):
        raise nothing_left(faults, "a choice was made", "the file")
    omissions = [
        Omission(f"{records.label}: {why} ({list_rows(sorted(set(rows)))})", len(rows))
        for why, rows in aside.items()
    ]
    remarks = (*records.remarks, *faults.remarks())
    return Holding(records.label, kept, (*omissions, *unreadable(faults)), remarks)


def _answers(cells: Mapping[str, str]) -> Iterator[CollectedAnswer]:
    """Yield the answer to each pair of a row in the form of our own page."""
    spent = read_number(cells.get("WorkTimeInSeconds", ""))
    pairs = list(_pairs(cells))
    languages = [strip_quotes(cells.get(f"Input.{name}", "")) for name in ("src", "trg")]
    for number, (about, choice) in enumerate(pairs, 1):
        about |= {"number": number, "pair": "-".join(filter(None, languages))}
        yield CollectedAnswer(
            "pair",
            about,
            {"choice": choice},
            cells["WorkerId"],
            time_of(cells.get("SubmitTime", "")) or "",
            None if spent is None else spent / len(pairs),
            0,
            cells["HITId"],
            0,
        )


def _pairs(cells: Mapping[str, str]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the description of each pair and the choice."""
    columns = {
        "left_system": "left",
        "right_system": "right",
        "segment": "sid",
        "kind": "tst",
        "better": "better",
    }
    for number in count():
        names = {name: f"Input.{column}_{number}" for name, column in columns.items()}
        if names["kind"] not in cells:
            return
        about: dict[str, Any] = {
            name: strip_quotes(cells.get(cell, "")) for name, cell in names.items()
        }
        if about["kind"]:  # other HITs of the batch may show more
            about["kind"] = KINDS.get(about["kind"], about["kind"])
            yield about, cells.get(f"Answer.choice_{number}", "").strip().lower()


def judge_sides(answer: CollectedAnswer, work: str = "") -> tuple[Judgment, ...]:
    """Judgments of the two texts from a choice; `work` names the assignment.

    Both have the seconds that the choice took.
    """
    about, choice = answer.about, str(answer.answers["choice"])
    items = [str(2 * int(about["number"]) - 1), str(2 * int(about["number"]))]
    judgments = []
    for place, side in enumerate(("left", "right")):
        is_bad = about["kind"] == "bad" and about["better"] != side
        judgments.append(
            Judgment(
                judge=answer.judge,
                hit=answer.batch,
                pair=str(about["pair"] or ""),
                kind="bad" if is_bad else "system",
                system=str(about[f"{side}_system"]),
                segment=str(about["segment"]),
                value=_CHOSEN[choice][place],
                scale="preference",
                seconds=answer.seconds,
                at=answer.at,
                item=items[place],
                of=items[1 - place] if is_bad else None,
                assignment=work or None,
            )
        )
    return tuple(judgments)
