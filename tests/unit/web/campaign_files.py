"""Directories of tasks, as the planning verbs write them, made small."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from weigh.web.screens import Screen

HOSTILE = "<script>alert(1)</script> \" ' & \u202e ${x} '; DROP TABLE campaigns; --"


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    path.write_text(text, encoding="utf-8")


def labels_shown(screen: Screen) -> list[str]:
    """Return what the texts of a screen are called, those of its questions too."""
    questioned = [passage for question in screen.questions for passage in question.passages]
    return [passage.label for passage in (*screen.passages, *questioned)]


def assessment(
    hit: str = "adequacy-0001", size: int = 4, scale: str = "adequacy", text: str = "A text"
) -> dict[str, Any]:
    """Return a HIT of direct assessment; the last item is damaged, made from the first."""
    items = [
        {
            "number": place,
            "kind": "bad" if place == size and size > 1 else "system",
            "system": f"secret-{place % 2}",
            "segment": str(place),
            "text": f"{text} {place}",
            "reference": f"{text} to compare" if scale == "adequacy" else None,
            "of": 1 if place == size and size > 1 else None,
        }
        for place in range(1, size + 1)
    ]
    return {"hit": hit, "pair": "de-en", "scale": scale, "items": items}


def query(hit: str = "hit-00001", text: str = "gut", alternatives: int = 2) -> dict[str, Any]:
    """Return a HIT of RYPT labels."""
    return {
        "hit": hit,
        "line": 1,
        "source": f"das ist {text} .",
        "start": 2,
        "end": 3,
        "reference": "that is good .",
        "reference_places": [2],
        "alternatives": [
            {
                "substring": f"w{number}",
                "candidates": 1,
                "candidate": f"that is w{number} .",
                "places": [2],
                "if_yes": 1,
                "if_no": 2,
            }
            for number in range(alternatives)
        ],
    }


def blind_pair(name: str = "p0000000001", text: str = "text") -> dict[str, Any]:
    """Return a blind pair."""
    return {"pair": name, "source": "ein Text", "left": f"one {text}", "right": f"other {text}"}


def key_of(names: Iterable[str], judges: int = 3) -> dict[str, Any]:
    """Return the key of blind pairs."""
    names = list(names)
    return {
        "schema": "weigh/3",
        "weigh": "0.2.0",
        "command": "validate preference key",
        "a": "secret metric a",
        "b": "secret metric b",
        "signatures": {"secret metric a": "x", "secret metric b": "y"},
        "segments": len(names),
        "same": 0,
        "unscored": 0,
        "broken_ties": {"secret metric a": 0, "secret metric b": 0},
        "judges": judges,
        "reference_shown": False,
        "seed": 1,
        "pairs": [
            {"pair": name, "segment": str(at), "left": "ab"[at % 2]}
            for at, name in enumerate(names, 1)
        ],
    }


SOURCE = "Die Fähre legt um acht ab, wenn sich der Nebel gelichtet hat."


def part(number: int, content: str, **more: Any) -> dict[str, Any]:
    """Return an item of a sheet from the source."""
    return {
        "number": number,
        "kind": "system",
        "system": "secret-1",
        "segment": str(number),
        "text": content,
        "reference": None,
        "source": SOURCE,
        "of": None,
        "document": None,
        **more,
    }


def sheet(
    scale: str, items: Iterable[Mapping[str, Any]], kind: str = "", hit: str = "", **more: Any
) -> dict[str, Any]:
    """Return a HIT of any kind whose texts are rated or marked."""
    name = hit or f"{kind or scale}-0001"
    return {
        "hit": name,
        "pair": "de-en",
        "kind": kind or {"adequacy": "da", "fluency": "da"}.get(scale, scale),
        "scale": scale,
        "items": [*items],
        **more,
    }


def document(scale: str = "esa", size: int = 3, hit: str = "") -> dict[str, Any]:
    """Return a HIT of one document: its texts stand on one page."""
    texts = ("The ferry leaves at eight.", "The fog has lifted 🎉 now.", "Nobody had told her.")
    items = [
        part(number, texts[(number - 1) % 3], document="news-1", screen=1)
        for number in range(1, size + 1)
    ]
    return sheet(scale, items, hit=hit or f"document-{scale}")


def versions(scale: str = "adequacy", size: int = 3, hit: str = "") -> dict[str, Any]:
    """Return a HIT of all systems' versions of one segment."""
    items = [
        part(
            number,
            f"The ferry leaves at eight o'clock, version {number}.",
            system=f"secret-{number}",
            segment="7",
            screen=1,
        )
        for number in range(1, size + 1)
    ]
    return sheet(scale, items, "contrastive", hit or f"versions-{scale}")


def pairs(size: int = 3, hit: str = "pairs-0001") -> dict[str, Any]:
    """Return a HIT of pairs of two systems; the last is damaged on its right."""
    items = [
        {
            "number": number,
            "kind": "bad" if number == size else "system",
            "segment": str(number),
            "left": f"One text {number}.",
            "right": f"Other text {number}.",
            "left_system": "secret-a" if number % 2 else "secret-b",
            "right_system": "secret-b" if number % 2 else "secret-a",
            "source": SOURCE,
            "reference": None,
            "document": None,
            "of": 1 if number == size else None,
            "better": "left" if number == size else None,
        }
        for number in range(1, size + 1)
    ]
    return sheet("preference", items, "pair", hit)
