"""Scores of error span annotation as the WMT published them in 2024.

`flag` says why a row does not count. That of a control item is `bad`: it is kept as one, and
never enters a system's score; rows with any other flag are left out.
"""

from __future__ import annotations

from weigh.read.answers import Intake
from weigh.read.records import Records
from weigh.read.stream import shown
from weigh.read.times import from_epoch, seconds_between
from weigh.types import Judgment

COLUMNS = ("annotator", "system", "seg", "type", "score", "flag", "t_start", "t_end")
SCALE = "esa"


def read(records: Records, intake: Intake, pair: str) -> None:
    """Take the rows that are not flagged; an annotator's account is judge and hit."""
    for row, cells in records.checked():
        kind = intake.kind(row, cells["type"])
        if cells["flag"] and (kind, cells["flag"]) != ("bad", "bad"):
            intake.omit(row, f"rows with the flag {shown(cells['flag'])}")
            continue
        value = intake.score(row, cells["score"])
        if value is None:
            continue
        intake.add(
            row,
            Judgment(
                judge=intake.filled(row, cells["annotator"], "annotator"),
                hit=cells["annotator"],
                pair=pair,
                kind=kind,
                system=intake.filled(row, cells["system"], "system"),
                segment=intake.filled(row, cells["seg"], "seg"),
                value=value,
                scale=SCALE,
                seconds=seconds_between(row, cells["t_start"], cells["t_end"], intake),
                at=from_epoch(row, cells["t_end"], intake),
            ),
        )
