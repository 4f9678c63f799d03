"""HITs as files for the places where they are judged: MTurk, Appraise, Pearmut, our own page.

Texts come from systems and may hold anything. JSON files carry them as they are; to escape them is
for the page that shows them. A CSV file for MTurk is different: its values are put into a page
without further ado, so they are HTML there, and spreadsheets, which take a value that begins
with `=`, `+`, `-` or `@` for a formula, are kept from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from weigh.errors import UsageError
from weigh.human.hits import Hit, Item
from weigh.read.cells import csv_text, html
from weigh.result import SCHEMA
from weigh.types import Kind

MTURK_TYPES = {"system": "SYSTEM", "repeat": "REPEAT", "reference": "REF", "bad": "BAD_REF"}
MTURK_SCALES = {"adequacy": "ad", "fluency": "fl"}
APPRAISE_TYPES = {"system": "TGT", "repeat": "CHK", "reference": "REF", "bad": "BAD"}


@dataclass(frozen=True, slots=True)
class Sheet:
    """HITs of one scale and what all of them have in common.

    `pair` is the language pair, `de-en`; `segments` holds the ids in the order of the test set.
    """

    hits: Sequence[Hit]
    segments: Sequence[str]
    pair: str
    preset: str
    seed: int

    @property
    def languages(self) -> tuple[str, str]:
        """The source and the target language."""
        return languages_of(self.pair)


def languages_of(pair: str) -> tuple[str, str]:
    """Return the source and the target language of a pair."""
    source, dash, target = pair.partition("-")
    if not (source and dash and target):
        raise UsageError(f"language pair {pair!r}; write it as SOURCE-TARGET, like de-en")
    return source, target


def as_jsonl(sheet: Sheet) -> str:
    """Return one JSON object per HIT, with all that is known of its items."""
    import json

    from weigh import __version__

    return "".join(
        json.dumps(
            {
                "schema": SCHEMA,
                "weigh": __version__,
                "hit": hit.name,
                "pair": sheet.pair,
                **({} if _is_plain(hit) else {"kind": hit.kind}),
                "scale": hit.scale,
                "preset": sheet.preset,
                "seed": sheet.seed,
                "items": [_told(asdict(item), hit) for item in hit.entries],
            },
            ensure_ascii=False,
        )
        + "\n"
        for hit in sheet.hits
    )


# What the items of plain direct assessment do not have, which is written as it always was.
_NOT_PLAIN = ("source", "document", "screen", "damage")


def _is_plain(hit: Hit) -> bool:
    """Return whether a HIT is direct assessment of single texts, with references or nothing."""
    return hit.kind == "da" and all(
        (item.source, item.document, item.screen) == (None, None, None) for item in hit.items
    )


def _told(fields: dict[str, Any], hit: Hit) -> dict[str, Any]:
    """Return the fields of an item that its line tells; a screen and damage where there are any."""
    if _is_plain(hit):
        return {name: value for name, value in fields.items() if name not in _NOT_PLAIN}
    optional = ("screen", "damage", "better")
    return {name: v for name, v in fields.items() if name not in optional or v is not None}


def as_mturk(sheet: Sheet) -> str:
    """Return a CSV file with one row per HIT, for a template that shows `${html_0}` and so on.

    The columns are those of the published pipeline (Graham et al. 2017): `src`, `trg`, `item`,
    `hit`, and for each item `sys_0`, `sid_0` (segment), `tst_0` (type) and `rid_0` (number), their
    values in single quotes; beside them `html_0` and `ref_html_0`, the text and its reference.
    """
    source, target = sheet.languages
    columns = ("sys", "sid", "tst", "rid", "html", "ref_html")
    named = [f"{column}_{at}" for at, _ in enumerate(sheet.hits[0].items) for column in columns]
    rows = [["src", "trg", "item", "hit", *named]]
    for hit in sheet.hits:
        row = [f"'{name}'" for name in (source, target, MTURK_SCALES[hit.scale], hit.name)]
        for item in hit.items:
            names = (item.system, item.segment, MTURK_TYPES[item.kind], str(item.number))
            row += [f"'{name}'" for name in names]
            row += [html(item.text), html(item.reference or "")]
        rows.append(row)
    return csv_text(rows)


def as_appraise(sheet: Sheet) -> str:
    """Return a JSON file of batches for Appraise's direct assessment.

    `itemID` is the number of the segment in the test set, as Appraise needs whole numbers. The
    reference stands where Appraise has the source: its judges compare with that.
    """
    source, target = sheet.languages
    number = {segment: at for at, segment in enumerate(sheet.segments, 1)}
    return _json(
        [
            {
                "items": [
                    _appraise_item(item, number[item.segment], at)
                    for at, item in enumerate(hit.items)
                ],
                "task": {
                    "batchNo": batch,
                    "batchSize": len(hit.items),
                    "randomSeed": sheet.seed,
                    "requiredAnnotations": 1,
                    "sourceLanguage": source,
                    "targetLanguage": target,
                },
            }
            for batch, hit in enumerate(sheet.hits, 1)
        ]
    )


def _appraise_item(item: Item, segment: int, at: int) -> dict[str, Any]:
    return {
        "_block": at // 10,
        "_item": at,
        "itemID": segment,
        "itemType": APPRAISE_TYPES[item.kind],
        "sourceID": "reference",
        "sourceText": item.reference or "",
        "targetID": item.system,
        "targetText": item.text,
    }


def as_pearmut(sheet: Sheet) -> str:
    """Return a campaign for Pearmut: every HIT is a task, every item a document of one segment.

    Controls are outputs of `reference` and `bad`, so that Pearmut's own ranking leaves systems
    alone; what they are made of stands under the key `weigh`, which its export keeps.
    """
    scale = sheet.hits[0].scale
    return _json(
        {
            "campaign_id": f"weigh-{sheet.pair}-{scale}",
            "info": {"assignment": "task-based", "protocol": "DA", "shuffle": False},
            "data": [
                [[_pearmut_item(item, hit, sheet.pair)] for item in hit.items] for hit in sheet.hits
            ],
        }
    )


def pearmut_model(system: str, kind: Kind) -> str:
    """Return what Pearmut is told that an item is by."""
    return system if kind in ("system", "repeat") else kind


def _pearmut_item(item: Item, hit: Hit, pair: str) -> dict[str, Any]:
    model = pearmut_model(item.system, item.kind)
    shown = {"ref": item.reference} if item.reference is not None else {}
    return {
        "item_id": f"{hit.name}:{item.number}",
        **shown,
        "tgt": {model: item.text},
        "weigh": {
            "hit": hit.name,
            "pair": pair,
            "scale": hit.scale,
            "item": item.number,
            "kind": item.kind,
            "system": item.system,
            "segment": item.segment,
            "of": item.of,
        },
    }


def _json(content: Any) -> str:
    import json

    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


WRITERS: dict[str, Callable[[Sheet], str]] = {
    "jsonl": as_jsonl,
    "mturk": as_mturk,
    "appraise": as_appraise,
    "pearmut": as_pearmut,
}
"""What writes each of the exports."""
