"""Directories of tasks, as the planning verbs write them, made small."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HOSTILE = "<script>alert(1)</script> \" ' & \u202e ${x} '; DROP TABLE campaigns; --"


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    path.write_text(text, encoding="utf-8")


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
        "schema": "weigh/2",
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
