"""Our own table of judgments, TSV or JSON lines: one row per judgment.

The columns are the fields of `weigh.types.Judgment`; `worker`, `language_pair`, `item_type` and
`score` may stand for `judge`, `pair`, `kind` and `value`. Only those of `COLUMNS` are needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from weigh.read.answers import Intake
from weigh.read.records import Records
from weigh.read.stream import quoted
from weigh.types import Judgment

COLUMNS = ("judge", "hit", "kind", "system", "segment", "value")
ALIASES = {"worker": "judge", "language_pair": "pair", "item_type": "kind", "score": "value"}
_REJECTED = {"": False, "false": False, "true": True}


def read(records: Records, intake: Intake, pair: str) -> None:
    """Take every row; `pair` is the language pair of rows that name none."""
    for row, given in records.checked():
        cells = {ALIASES.get(name, name): cell for name, cell in given.items()}
        value = intake.score(row, cells["value"])
        if value is None:
            continue
        intake.add(
            row,
            Judgment(
                judge=intake.filled(row, cells["judge"], "judge"),
                hit=intake.filled(row, cells["hit"], "hit"),
                pair=cells.get("pair") or pair,
                kind=intake.kind(row, cells["kind"]),
                system=intake.filled(row, cells["system"], "system"),
                segment=intake.filled(row, cells["segment"], "segment"),
                value=value,
                scale=cells.get("scale") or "adequacy",
                seconds=intake.seconds(row, cells.get("seconds", "")),
                at=_time(row, cells.get("at", ""), intake),
                item=cells.get("item") or None,
                of=cells.get("of") or None,
                rejected=_rejected(row, cells, intake),
                assignment=cells.get("assignment") or None,
            ),
        )


def _time(row: int, cell: str, intake: Intake) -> str | None:
    if not cell:
        return None
    try:
        datetime.fromisoformat(cell)
    except ValueError:
        intake.faults.add(row, f"the time is {quoted(cell)}", "expected ISO 8601")
    return cell


def _rejected(row: int, cells: Mapping[str, str], intake: Intake) -> bool:
    cell = cells.get("rejected", "").lower()
    if cell not in _REJECTED:
        intake.faults.add(row, f"rejected is {quoted(cell)}", "expected true or false")
    return _REJECTED.get(cell, False)
