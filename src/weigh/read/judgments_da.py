"""Direct assessments as the WMT published them in 2021 and 2022, one row per judgment."""

from __future__ import annotations

from weigh.read.answers import Intake
from weigh.read.records import Records
from weigh.types import Judgment

COLUMNS = ("hit", "worker", "system", "type", "seg", "raw", "hit_seconds")


def read(records: Records, intake: Intake, pair: str) -> None:
    """Take every row; the scores are those under `raw`, and the items share their hit's time."""
    for row, cells in records.checked():
        value = intake.score(row, cells["raw"])
        if value is None:
            continue
        intake.add(
            row,
            Judgment(
                judge=intake.filled(row, cells["worker"], "worker"),
                hit=intake.filled(row, cells["hit"], "hit"),
                pair=pair,
                kind=intake.kind(row, cells["type"]),
                system=intake.filled(row, cells["system"], "system"),
                segment=intake.filled(row, cells["seg"], "seg"),
                value=value,
                seconds=intake.seconds(row, cells["hit_seconds"]),
            ),
            shares_time=True,
        )
