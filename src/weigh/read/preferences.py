"""Relative rankings: which of two outputs somebody preferred.

Two formats of the WMT are read. In the rankings of 2012, a row is one screen of several outputs
(`sys1` …) with a rank each (`rank1` …), 1 the best; equal ranks are ties, and −1 is an output
without a rank. In the preferences of 2013, a row is a `winner` and a `loser`, ties left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, count

from weigh.errors import InputError
from weigh.read.answers import Holding, Omission, Screen, none_left, unreadable
from weigh.read.records import Faults, Records, named_rows
from weigh.read.stream import quoted
from weigh.types import Preference

RANKED = ("seg", "judge", "sys1", "sys2", "rank1", "rank2")
PAIRED = ("seg", "winner", "loser")
_UNRANKED = "-1"


def read_rankings(records: Records) -> Holding[Screen]:
    """Return every pair of outputs that a screen ranks."""
    faults = records.faults or Faults(records.name)
    places = _places(records)
    screens: list[Screen] = []
    unranked: list[int] = []
    for row, cells in records.checked():
        ranked: list[tuple[str, int]] = []
        for system, rank in places:
            name, given = cells[system], cells[rank]
            if given == _UNRANKED:
                unranked.append(row)
            elif not (given.isascii() and given.isdigit()) or not name:
                faults.add(
                    row,
                    f"{rank} is {quoted(given)} and {system} {quoted(name)}",
                    "expected a system and its rank, 1 the best, or -1 for none",
                )
            else:
                ranked.append((name, int(given)))
        found: list[Preference] = []
        for (one, rank_one), (other, rank_other) in combinations(ranked, 2):
            if one == other:
                faults.add(row, f"{quoted(one)} stands there twice", "give every system once")
            winner, loser = (one, other) if rank_one <= rank_other else (other, one)
            tied = rank_one == rank_other
            found.append(Preference(winner, loser, cells["seg"], tied, cells["judge"]))
        screens.append(_screen(row, cells, found))
    bad = faults.rows
    unranked = [row for row in unranked if row not in bad]
    why = f"{records.name}: outputs without a rank ({named_rows(unranked)})"
    return _held(records, faults, screens, [Omission(why, len(unranked))] if unranked else [])


def _places(records: Records) -> list[tuple[str, str]]:
    places = []
    for number in count(1):
        names = (f"sys{number}", f"rank{number}")
        present = [name in records.header for name in names]
        if not any(present):
            break
        if not all(present):
            there, missing = names[present.index(True)], names[present.index(False)]
            raise InputError(f"{records.name}: the column {there} without {missing}; give both")
        places.append(names)
    return places


def read_pairs(records: Records) -> Holding[Screen]:
    """Return the winners and losers as they stand."""
    faults = records.faults or Faults(records.name)
    screens = []
    for row, cells in records.checked():
        winner, loser = cells["winner"], cells["loser"]
        if not winner or not loser or winner == loser:
            faults.add(
                row,
                f"the winner is {quoted(winner)} and the loser {quoted(loser)}",
                "expected two systems",
            )
        preference = Preference(winner, loser, cells["seg"], judge=cells.get("judge") or None)
        screens.append(_screen(row, cells, [preference]))
    return _held(records, faults, screens, [])


def _screen(row: int, cells: Mapping[str, str], preferences: Sequence[Preference]) -> Screen:
    content = tuple(sorted(cells.items()))
    return Screen(row, cells.get("judge") or None, content, tuple(preferences))


def _held(
    records: Records, faults: Faults, screens: Sequence[Screen], omissions: Sequence[Omission]
) -> Holding[Screen]:
    faults.check()
    bad = faults.rows
    kept = tuple(screen for screen in screens if screen.row not in bad)
    if not any(screen.preferences for screen in kept):
        raise none_left(faults, "two outputs are ranked", "the file")
    left_out = (*omissions, *unreadable(faults))
    return Holding(records.name, kept, left_out, (*records.remarks, *faults.remarks()))
