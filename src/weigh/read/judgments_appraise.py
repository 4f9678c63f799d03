"""The scores that Appraise exports, with a line of column names on top.

`username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore,timeStart,timeEnd`; the
columns of documents may be missing. An account is one sheet of items, so it is judge and hit.
"""

from __future__ import annotations

from weigh.read.answers import Intake
from weigh.read.records import Records
from weigh.read.times import from_epoch, seconds_between
from weigh.types import Judgment

COLUMNS = (
    "username",
    "system",
    "itemId",
    "itemType",
    "srcLang",
    "trgLang",
    "score",
    "timeStart",
    "timeEnd",
)


def read(records: Records, intake: Intake, pair: str) -> None:
    """Take every row but the scores of whole documents; the language pair stands in the file."""
    del pair
    for row, cells in records.checked():
        if cells.get("isDocScore", "").lower() in ("true", "1"):
            intake.omit(row, "scores of whole documents")
            continue
        value = intake.score(row, cells["score"])
        if value is None:
            continue
        item = intake.filled(row, cells["itemId"], "itemId")
        document = cells.get("docId", "")
        intake.add(
            row,
            Judgment(
                judge=intake.filled(row, cells["username"], "username"),
                hit=cells["username"],
                pair=f"{cells['srcLang']}-{cells['trgLang']}",
                kind=intake.kind(row, cells["itemType"]),
                system=intake.filled(row, cells["system"], "system"),
                segment=f"{document}:{item}" if document else item,
                value=value,
                seconds=seconds_between(row, cells["timeStart"], cells["timeEnd"], intake),
                at=from_epoch(row, cells["timeEnd"], intake),
            ),
        )
