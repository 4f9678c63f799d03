"""MQM annotations as the WMT publishes them (Freitag et al. 2021): one row per error span.

All rows of one rater for one segment of one system make one judgment, minus the sum of what the
errors cost; a text without errors has a row that says so.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from math import fsum

from weigh.read.answers import Intake
from weigh.read.records import Records
from weigh.read.repeats import again_within
from weigh.read.spans import WEIGHTS, weight
from weigh.read.stream import quoted
from weigh.types import Judgment

COLUMNS = ("system", "seg_id", "rater", "category", "severity")
SCALE = "mqm"


def read(records: Records, intake: Intake, pair: str) -> None:
    """Add up the errors of every text that somebody has read."""
    costs: dict[tuple[str, str, str, str], list[float]] = {}
    rows: dict[tuple[str, str, str, str], int] = {}
    unknown = set()
    checked = list(records.checked())
    again = _again(checked)
    for row, cells in checked:
        if row in again:
            intake.omit(row, "the same errors again")
            continue
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
            unknown.add(key)
        else:
            costs.setdefault(key, []).append(cost)
            rows.setdefault(key, row)
    for key, each in costs.items():
        if key in unknown:  # the text has an error more, of which the cost cannot be told
            intake.omit(rows[key], "texts with an error that cannot be read")
            continue
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


def _again(rows: Sequence[tuple[int, Mapping[str, str]]]) -> Collection[int]:
    """Return the rows of documents that a rater's marks are there of several times, all of them."""
    documents: dict[tuple[str, str], dict[Hashable, list[int]]] = {}
    for row, cells in rows:
        contents = documents.setdefault((cells["rater"], cells.get("doc", "")), {})
        contents.setdefault(tuple(cells.items()), []).append(row)
    return {row for contents in documents.values() for row in again_within(contents)}
