"""Choices between two outputs from Mechanical Turk, on the pages that `weigh human plan` lays out.

A row is a HIT done by one worker. Of each pair, `Input.left_0` and `Input.right_0` are the systems,
`Input.sid_0` the segment, `Input.tst_0` the type, `Input.better_0` the side that should be chosen
where one is damaged, and `Answer.choice_0` is left, right or neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from weigh.read.answers import KINDS, Holding, Omission, Screen, none_left, unreadable
from weigh.read.cells import unguarded, unquoted
from weigh.read.records import MAY_MISS, Faults, Records, named_rows
from weigh.read.text import quoted
from weigh.types import Preference

PAIR_RESULTS = (
    *("HITId", "WorkerId", "AssignmentStatus", "Input.left_0", "Input.right_0", "Input.sid_0"),
    *("Input.tst_0", "Answer.choice_0"),
)
_CHOICES = ("left", "right", "neither")


def read_pair_results(records: Records) -> Holding[Screen]:
    """Return the choices of every row; rejected work and controls are left out and counted."""
    faults = records.faults or Faults(records.name)
    screens: list[Screen] = []
    rejected: list[int] = []
    missing: list[int] = []
    controls: list[int] = []
    misled: list[int] = []
    for row, cells in records.checked(MAY_MISS):
        if cells["AssignmentStatus"] == "Rejected":
            rejected += [row for _ in _pairs(cells)]
            continue
        judge = unguarded(cells["WorkerId"]) or None
        found: list[Preference] = []
        for left, right, segment, kind, better, choice in _pairs(cells):
            if not choice:
                missing.append(row)
            elif choice not in _CHOICES:
                faults.add(row, f"the choice {quoted(choice)}", "expected left, right or neither")
            elif KINDS.get(kind) is None:
                faults.add(row, f"the type {quoted(kind)}", f"expected one of {', '.join(KINDS)}")
            elif KINDS[kind] == "bad":
                controls.append(row)
                misled += [row] if choice != better else []
            elif not left or not right or left == right:
                faults.add(row, f"{quoted(left)} against {quoted(right)}", "expected two systems")
            else:
                winner, loser = (right, left) if choice == "right" else (left, right)
                tied = choice == "neither"
                found.append(Preference(winner, loser, segment, tied, judge, left))
        screens.append(Screen(row, judge, tuple(sorted(cells.items())), tuple(found)))
    faults.check()
    bad = faults.rows
    kept = tuple(screen for screen in screens if screen.row not in bad)
    if not any(screen.preferences for screen in kept):
        raise none_left(faults, "a choice was made", "the file")
    told = {
        "answers of rejected assignments": rejected,
        "missing answers": missing,
        "controls, a text against its damaged version": controls,
    }
    omissions = [
        Omission(f"{records.name}: {why} ({named_rows(sorted(set(rows)))})", len(rows))
        for why, rows in told.items()
        if rows
    ]
    remarks = [*records.remarks, *faults.remarks()]
    if controls:
        remarks.append(
            f"{records.name}: in {len(misled):,} of {len(controls):,} controls the genuine text "
            "was not preferred to its damaged version"
            + (f" ({named_rows(sorted(set(misled)))})" if misled else "")
        )
    return Holding(records.name, kept, (*omissions, *unreadable(faults)), tuple(remarks))


def _pairs(cells: Mapping[str, str]) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Yield systems, segment, type, the better side if one is known, and choice of each pair."""
    for number in count():
        names = [f"Input.{name}_{number}" for name in ("left", "right", "sid", "tst", "better")]
        if names[0] not in cells:
            return
        left, right, segment, kind, better = (unquoted(cells.get(name, "")) for name in names)
        if kind:  # other HITs of the batch may show more
            choice = cells.get(f"Answer.choice_{number}", "").strip().lower()
            yield left, right, segment, kind, better, choice
