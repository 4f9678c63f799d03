"""Relative rankings: which of two outputs somebody preferred.

Two formats of the WMT are read. In the rankings of 2012, a row is one screen of several outputs
(`sys1` …) with a rank each (`rank1` …), 1 the best; equal ranks are ties, and −1 is an output
without a rank. In the preferences of 2013, a row is a `winner` and a `loser`, ties left out.
"""

from __future__ import annotations

from itertools import combinations, count

from weigh.errors import InputError
from weigh.read.answers import Omission, Preferences
from weigh.read.records import Faults, Records, named_rows
from weigh.read.stream import quoted
from weigh.types import Preference

RANKED = ("seg", "judge", "sys1", "sys2", "rank1", "rank2")
PAIRED = ("seg", "winner", "loser")
_UNRANKED = "-1"


def read_rankings(records: Records) -> Preferences:
    """Return every pair of outputs that a screen ranks."""
    faults = Faults(records.name)
    places = _places(records)
    found: list[Preference] = []
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
        for (one, rank_one), (other, rank_other) in combinations(ranked, 2):
            if one == other:
                faults.add(row, f"{quoted(one)} stands there twice", "give every system once")
            winner, loser = (one, other) if rank_one <= rank_other else (other, one)
            tied = rank_one == rank_other
            found.append(Preference(winner, loser, cells["seg"], tied, cells["judge"]))
    faults.check()
    why = f"{records.name}: outputs without a rank ({named_rows(unranked)})"
    return _preferences(records, found, [Omission(why, len(unranked))] if unranked else [])


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


def read_pairs(records: Records) -> Preferences:
    """Return the winners and losers as they stand."""
    faults = Faults(records.name)
    found = []
    for row, cells in records.checked():
        winner, loser = cells["winner"], cells["loser"]
        if not winner or not loser or winner == loser:
            faults.add(
                row,
                f"the winner is {quoted(winner)} and the loser {quoted(loser)}",
                "expected two systems",
            )
        found.append(Preference(winner, loser, cells["seg"], judge=cells.get("judge") or None))
    faults.check()
    return _preferences(records, found, [])


def _preferences(
    records: Records, found: list[Preference], omissions: list[Omission]
) -> Preferences:
    if not found:
        raise InputError(f"{records.name}: no two outputs are ranked; check the file")
    return Preferences(tuple(found), tuple(omissions))
