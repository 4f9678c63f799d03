"""HITs as files for the places where they are judged: MTurk, Pearmut, our own page.

Texts come from systems and may hold anything. JSON files carry them as they are; to escape them is
for the page that shows them. A CSV file for MTurk is different: its values are put into a page
without further ado, so they are HTML there, and spreadsheets, which take a value that begins
with `=`, `+`, `-` or `@` for a formula, are kept from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from weigh.errors import UsageError
from weigh.human.hits import Hit, Item, PairItem, name_of
from weigh.human.judgments import OUTPUTS
from weigh.human.typology import CATEGORIES, SEVERITIES_MQM
from weigh.read.cells import csv_text, html
from weigh.result import SCHEMA
from weigh.types import Kind, grouped

MTURK_TYPES = {"system": "SYSTEM", "repeat": "REPEAT", "reference": "REF", "bad": "BAD_REF"}
MTURK_SCALES = {"adequacy": "ad", "fluency": "fl"}


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
    def kind(self) -> str:
        """The kind of task."""
        return self.hits[0].kind

    @property
    def languages(self) -> tuple[str, str]:
        """The source and the target language."""
        return languages_of(self.pair)


def languages_of(pair: str) -> tuple[str, str]:
    """Return the source and the target language of a pair."""
    source, dash, target = pair.partition("-")
    if not (source and dash and target):
        raise UsageError(f"language pair {pair!r}; write it as SOURCE-TARGET, such as de-en")
    return source, target


def as_jsonl(sheet: Sheet) -> str:
    """One JSON object per HIT, with all fields of its items."""
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
                "items": [_line_fields(asdict(item), hit) for item in hit.entries],
            },
            ensure_ascii=False,
        )
        + "\n"
        for hit in sheet.hits
    )


# What the items of plain direct assessment do not have, which is written as it always was.
_NOT_PLAIN = ("source", "document", "screen", "damage")


def _is_plain(hit: Hit) -> bool:
    """Whether a HIT consists of single texts, scored with references or alone."""
    return hit.kind == "da" and all(
        (item.source, item.document, item.screen) == (None, None, None) for item in hit.items
    )


def _line_fields(fields: dict[str, Any], hit: Hit) -> dict[str, Any]:
    """The fields of an item in its line; a screen and damage if there are any."""
    if _is_plain(hit):
        return {name: value for name, value in fields.items() if name not in _NOT_PLAIN}
    optional = ("screen", "damage", "better")
    return {name: v for name, v in fields.items() if name not in optional or v is not None}


# Which kinds the places know; to the others our own page is open, `weigh serve`.
_KNOWN = {
    "mturk": ("da", "pair", "contrastive"),
    "pearmut": ("da", "esa", "mqm", "contrastive"),
}


def check_export(export: str, kind: str) -> None:
    """Refuse an export for a place that does not know the kind."""
    if kind in _KNOWN.get(export, (kind,)):
        return
    others = [name for name, kinds in _KNOWN.items() if kind in kinds]
    elsewhere = "".join(f", or --export {name}" for name in others)
    raise UsageError(
        f"--export {export} with kind {kind}: not supported; use weigh serve{elsewhere}"
    )


def as_mturk(sheet: Sheet) -> str:
    """A CSV file with one row per HIT, for a template with placeholders such as `${html_0}`.

    The columns are those of the published pipeline (Graham et al. 2017): `src`, `trg`, `item`,
    `hit`, and for each item `sys_0`, `sid_0` (segment), `tst_0` (type) and `rid_0` (number), their
    values in single quotes; beside them `html_0` and `ref_html_0`, the text and its reference.
    Where sources are shown there is `src_html_0`, and where items share a screen `screen_0`. Of
    pairs there are `left_0` and `right_0`, the systems, with `left_html_0` and `right_html_0`
    instead. HITs with fewer items than others have empty cells.
    """
    columns = mturk_columns(sheet)
    source, target = sheet.languages
    most = max(len(hit.entries) for hit in sheet.hits)
    named = [f"{column}_{at}" for at in range(most) for column in columns]
    # Pairs have no scale: a scale marks answers as scores.
    scaled = [] if sheet.kind == "pair" else ["item"]
    rows = [["src", "trg", *scaled, "hit", *named]]
    for hit in sheet.hits:
        scale = [MTURK_SCALES[hit.scale]] if scaled else []
        row = [f"'{name}'" for name in (source, target, *scale, hit.name)]
        row += [columns[column](entry) for entry in hit.entries for column in columns]
        rows.append([*row, *[""] * (len(rows[0]) - len(row))])
    return csv_text(rows)


def mturk_columns(sheet: Sheet) -> dict[str, Callable[[Any], str]]:
    """Cells of each item of a HIT, by column name without its number."""
    if sheet.kind == "pair":
        named: dict[str, Callable[[Any], str]] = {
            "left": lambda item: f"'{item.left_system}'",
            "right": lambda item: f"'{item.right_system}'",
        }
        texts: dict[str, Callable[[Any], str]] = {
            "left_html": lambda item: html(item.left),
            "right_html": lambda item: html(item.right),
        }
    else:
        named = {"sys": lambda item: f"'{item.system}'"}
        texts = {"html": lambda item: html(item.text)}
    named |= {
        "sid": lambda item: f"'{item.segment}'",
        "tst": lambda item: f"'{MTURK_TYPES[item.kind]}'",
        "rid": lambda item: f"'{item.number}'",
    }
    texts["ref_html"] = lambda item: html(item.reference or "")
    entries = [entry for hit in sheet.hits for entry in hit.entries]
    if any(entry.source is not None for entry in entries):
        texts["src_html"] = lambda item: html(item.source or "")
    if any(isinstance(entry, Item) and entry.screen is not None for entry in entries):
        texts["screen"] = lambda item: str(item.screen)
    if any(isinstance(entry, PairItem) for entry in entries):
        texts["better"] = lambda item: item.better or ""
    return named | texts


def as_mturk_page(sheet: Sheet) -> str:
    """The page layout for Mechanical Turk, which fills in a row of the CSV file."""
    from weigh.human.mturk_page import page

    return page(sheet, mturk_columns(sheet))


# Pearmut's names of protocols.
_PROTOCOLS = {"esa": "ESA", "mqm": "MQM"}


def as_pearmut(sheet: Sheet) -> str:
    """Return a campaign for Pearmut: every HIT is a task, every screen a document.

    Controls are outputs of `reference` and `bad`, so that Pearmut's own ranking leaves systems
    alone; what they are made of stands under the key `weigh`, which its export keeps. All versions
    of a segment are outputs of several models, each of which has to score higher than its damaged
    version; whether that is so Pearmut notes without a word to the judge.
    """
    first = sheet.hits[0]
    info: dict[str, Any] = {
        "assignment": "task-based",
        "protocol": _PROTOCOLS.get(sheet.kind, "DA"),
        "shuffle": False,
    }
    if sheet.kind == "mqm":
        info["mqm_categories"] = _pearmut_categories()
        info["mqm_severities"] = [severity.capitalize() for severity in SEVERITIES_MQM]
    return _json(
        {
            "campaign_id": f"weigh-{sheet.pair}-{name_of(sheet.kind, first.scale)}",
            "info": info,
            "data": [[*_pearmut_documents(hit, sheet.pair)] for hit in sheet.hits],
        }
    )


def _pearmut_categories() -> dict[str, list[str]]:
    """Error categories in Pearmut's form, grouped by type."""
    categories: dict[str, list[str]] = {}
    for name in CATEGORIES:
        kind, _, particular = name.partition("/")
        categories.setdefault(kind, []).extend([particular] if particular else [])
    return categories


def _pearmut_documents(hit: Hit, pair: str) -> Iterator[list[dict[str, Any]]]:
    screens = grouped(hit.items, lambda item: item.screen or item.number)
    for items in screens.values():
        if hit.kind == "contrastive":
            yield [_pearmut_versions(items, hit, pair)]
        else:
            yield [_pearmut_item(item, hit, pair) for item in items]


def pearmut_model(system: str, kind: Kind) -> str:
    """System name that Pearmut gets for an item."""
    return system if kind in OUTPUTS else kind


def _pearmut_item(item: Item, hit: Hit, pair: str) -> dict[str, Any]:
    return {
        "item_id": f"{hit.name}:{item.number}",
        **_pearmut_shown(item),
        "tgt": {pearmut_model(item.system, item.kind): item.text},
        "weigh": _pearmut_hit(item, hit, pair) | _pearmut_role(item),
    }


def _pearmut_versions(items: Sequence[Item], hit: Hit, pair: str) -> dict[str, Any]:
    models = {
        item.number: f"bad {item.system}" if item.kind == "bad" else item.system for item in items
    }
    checks = {
        models[item.of]: {"score_greaterthan": models[item.number]}
        for item in items
        if item.kind == "bad" and item.of is not None
    }
    return {
        "item_id": f"{hit.name}:{items[0].number}",
        **_pearmut_shown(items[0]),
        "tgt": {models[item.number]: item.text for item in items},
        **({"validation": checks} if checks else {}),
        "weigh": {
            **_pearmut_hit(items[0], hit, pair),
            "models": {models[item.number]: _pearmut_role(item) for item in items},
        },
    }


def _pearmut_shown(item: Item) -> dict[str, str]:
    context = {"src": item.source, "ref": item.reference}
    return {name: text for name, text in context.items() if text is not None}


def _pearmut_hit(item: Item, hit: Hit, pair: str) -> dict[str, Any]:
    document = {} if item.document is None else {"document": item.document}
    return {"hit": hit.name, "pair": pair, "scale": hit.scale, **document}


def _pearmut_role(item: Item) -> dict[str, Any]:
    return {
        "item": item.number,
        "kind": item.kind,
        "system": item.system,
        "segment": item.segment,
        "of": item.of,
    }


def _json(content: Any) -> str:
    import json

    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


WRITERS: dict[str, Mapping[str, Callable[[Sheet], str]]] = {
    "jsonl": {".jsonl": as_jsonl},
    "mturk": {".mturk.csv": as_mturk, ".mturk.html": as_mturk_page},
    "pearmut": {".pearmut.json": as_pearmut},
}
"""What writes each file of the exports, by how its name ends."""


def hit_files(sheets: Mapping[str, Sheet], exports: Iterable[str] = ("jsonl",)) -> dict[str, str]:
    """The files of HITs in the formats of some exports, by name."""
    contents: dict[str, str] = {}
    for scale, sheet in sheets.items():
        for export in dict.fromkeys(exports):
            check_export(export, sheet.kind)
            for ending, write in WRITERS[export].items():
                contents[f"{name_of(sheet.kind, scale)}{ending}"] = write(sheet)
    return contents
