"""The scores that Appraise exports, with a line of column names on top or, as it writes them, none.

`username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore,mqm,timeStart,timeEnd`; the
columns of documents and of error spans may be missing. An account is one sheet of items, so it is
judge and hit.
"""

from __future__ import annotations

from collections.abc import Sequence

from weigh.read.answers import KINDS, Intake
from weigh.read.judgments_esa import SCALE as ESA
from weigh.read.records import Records, parsed_number
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
_DOCUMENTS = (*COLUMNS[:7], "docId", "isDocScore", *COLUMNS[7:])
_SPANS = (*COLUMNS[:7], "docId", "isDocScore", "mqm", *COLUMNS[7:])
_EXPORTS = {len(names): names for names in (COLUMNS, _DOCUMENTS, _SPANS)}
_NUMBERS = ("score", "timeStart", "timeEnd")
_NO_SPANS = ("", "[]")
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
FORM = (
    f"in 9 columns ({' '.join(COLUMNS)}), in 11 with docId isDocScore after the score, or in 12 "
    "with mqm after these"
)


def columns_of(cells: Sequence[str]) -> tuple[str, ...] | None:
    """Return what the cells of a row without names are, None if it is no row of an export.

    Their number tells, and their form: the kind of an item, and numbers, or nothing, where
    numbers belong.
    """
    names = _EXPORTS.get(len(cells))
    if names is None:
        return None
    row = dict(zip(names, cells, strict=True))
    fits = (
        row["itemType"] in KINDS
        and all(not row[name] or parsed_number(row[name]) is not None for name in _NUMBERS)
        and row.get("isDocScore", "false").lower() in _TRUTHS
    )
    return names if fits else None


def read(records: Records, intake: Intake, pair: str) -> None:
    """Take every row but the scores of whole documents; the language pair stands in the file.

    Where any row marks errors, it is error span annotation.
    """
    del pair
    rows = list(records.checked())
    spans = any(cells.get("mqm", "") not in _NO_SPANS for _, cells in rows)
    for row, cells in rows:
        if _TRUTHS.get(cells.get("isDocScore", "").lower(), False):
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
                scale=ESA if spans else "adequacy",
                seconds=seconds_between(row, cells["timeStart"], cells["timeEnd"], intake),
                at=from_epoch(row, cells["timeEnd"], intake),
            ),
        )
