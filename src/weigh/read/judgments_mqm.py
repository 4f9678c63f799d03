"""MQM annotations as the WMT publishes them (Freitag et al. 2021): one row per error span.

All rows of one rater for one segment of one system make one judgment, minus the sum of what the
errors cost; a text without errors has a row that says so.
"""

from __future__ import annotations

from math import fsum

from weigh.read.answers import Intake
from weigh.read.records import Records
from weigh.read.spans import WEIGHTS, weight
from weigh.read.stream import quoted
from weigh.types import Judgment

COLUMNS = ("system", "seg_id", "rater", "category", "severity")
SCALE = "mqm"


def read(records: Records, intake: Intake, pair: str) -> None:
    """Add up the errors of every text that somebody has read."""
    costs: dict[tuple[str, str, str, str], list[float]] = {}
    rows: dict[tuple[str, str, str, str], int] = {}
    for row, cells in records.checked():
        key = (
            intake.filled(row, cells["rater"], "rater"),
            cells.get("doc", ""),
            intake.filled(row, cells["system"], "system"),
            intake.filled(row, cells["seg_id"], "seg_id"),
        )
        cost = weight(cells["severity"], cells["category"])
        if cost is None:
            intake.faults.add(
                row,
                f"unknown severity {quoted(cells['severity'])}",
                f"expected one of {', '.join(WEIGHTS)}",
            )
        else:
            costs.setdefault(key, []).append(cost)
            rows.setdefault(key, row)
    for key, each in costs.items():
        rater, document, system, segment = key
        value = 0.0 - fsum(each)  # and not −0
        intake.add(
            rows[key],
            Judgment(
                judge=rater,
                hit=document or rater,
                pair=pair,
                kind="system",
                system=system,
                segment=segment,
                value=value,
                scale=SCALE,
            ),
        )
