"""A small campaign with tasks of every kind, to look at: sentences of our own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from weigh.files import write_files

# A reference, with what three systems made of the same source.
_SENTENCES = (
    (
        "The ferry leaves at eight if the fog has lifted by then.",
        "The ferry departs at eight if the fog has lifted.",
        "The ferry goes at eight when the fog is gone until then.",
        "The ferry at eight leaves, the fog lifted.",
    ),
    (
        "Nobody had told her that the library was closed on Mondays.",
        "No one had told her the library was closed on Mondays.",
        "Nobody has said her that the library on Mondays is closed.",
        "She closed the library on Monday, nobody said.",
    ),
    (
        "He repaired the old radio and gave it to his neighbour.",
        "He fixed the old radio and gave it to his neighbour.",
        "He repaired the old radio and gave it his neighbour.",
        "He has the old radio and his neighbour repaired.",
    ),
    (
        "The bread was still warm when the children came home.",
        "The bread was still warm when the children came home.",
        "The bread was yet warm as the children home came.",
        "The warm bread came home with the children.",
    ),
)
_SYSTEMS = ("ash", "birch", "cedar")
_SOURCE = "Die Fähre legt um acht ab , wenn sich der Nebel bis dahin gelichtet hat ."


def _assessment() -> list[dict[str, Any]]:
    outputs = [
        {
            "kind": "system",
            "system": _SYSTEMS[(number + turn) % 3],
            "segment": str(number + 1),
            "text": sentence[1 + (number + turn) % 3],
            "reference": sentence[0],
        }
        for turn in range(2)
        for number, sentence in enumerate(_SENTENCES)
    ]
    items = [{"number": place, "of": None, **each} for place, each in enumerate(outputs, 1)]
    first = items[0]
    damaged = "The ferry goes at a window fog is gone until then."
    items.append({**first, "number": len(items) + 1, "kind": "bad", "text": damaged, "of": 1})
    items.append({**items[1], "number": len(items) + 1, "kind": "repeat", "of": 2})
    return [
        {"hit": "adequacy-0001", "pair": "de-en", "scale": "adequacy", "items": items},
    ]


def _marked() -> list[dict[str, Any]]:
    """Return a sheet of error spans: two systems' translations of one source."""
    texts = (
        ("ash", "The ferry departs at eight if the fog has lifted by then."),
        ("cedar", "The ferry at eight takes off, when the fog is gone."),
    )
    items = [
        {
            "number": number,
            "kind": "system",
            "system": system,
            "segment": "1",
            "text": translation,
            "reference": None,
            "source": _SOURCE.replace(" ,", ",").replace(" .", "."),
            "of": None,
        }
        for number, (system, translation) in enumerate(texts, 1)
    ]
    sheet = {"hit": "esa-0001", "pair": "de-en", "kind": "esa", "scale": "esa", "items": items}
    return [sheet]


def _queries() -> list[dict[str, Any]]:
    words = _SOURCE.split(" ")
    reference = "The ferry leaves at eight if the fog has lifted by then ."

    def alternative(candidate: str, places: Sequence[int]) -> dict[str, Any]:
        spoken = candidate.split(" ")
        return {
            "substring": " ".join(spoken[place] for place in places),
            "candidates": 1,
            "candidate": candidate,
            "places": places,
            "if_yes": 3,
            "if_no": 2,
        }

    ferry = words.index("Fähre")
    fog = words.index("Nebel")
    return [
        {
            "hit": "hit-00001",
            "line": 1,
            "source": _SOURCE,
            "start": ferry - 1,
            "end": ferry + 1,
            "reference": reference,
            "reference_places": [0, 1],
            "alternatives": [
                alternative("The boat goes at eight if the fog has lifted by then .", [0, 1]),
                alternative("The ferry leaves at eight when the fog is gone .", [0, 1]),
                alternative("They drive off at eight , if the fog is thin .", [0]),
            ],
        },
        {
            "hit": "hit-00002",
            "line": 1,
            "source": _SOURCE,
            "start": fog - 1,
            "end": fog + 1,
            "reference": reference,
            "reference_places": [6, 7],
            "alternatives": [
                alternative("The ferry leaves at eight when the mist is gone .", [6, 7]),
                alternative("The ferry leaves at eight if the fog has lifted .", [6, 7]),
            ],
        },
    ]


def _pairs() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    pairs = [
        {"pair": f"p{number:010x}", "reference": one[0], "left": one[1], "right": one[2]}
        for number, one in enumerate(_SENTENCES[:3], 1)
    ]
    key = {
        "schema": "weigh/2",
        "command": "validate preference key",
        "a": "first",
        "b": "second",
        "signatures": {"first": "made up", "second": "made up"},
        "segments": len(pairs),
        "same": 0,
        "unscored": 0,
        "broken_ties": {"first": 0, "second": 0},
        "judges": 1,
        "reference_shown": True,
        "seed": 1,
        "pairs": [
            {"pair": each["pair"], "segment": str(number), "left": "a"}
            for number, each in enumerate(pairs, 1)
        ],
    }
    return pairs, key


_TRAINING = (
    {
        "scale": "adequacy",
        "text": "There was no milk left in the shop.",
        "reference": "The shop had run out of milk.",
        "expected": [70, 100],
        "feedback": "Both say the same in other words, which is all that counts here.",
    },
)


def write_demonstration(directory: str | Path | None = None, *, marked: bool = True) -> Path:
    """Write the tasks to a directory, a new temporary one unless it is named.

    `marked` says whether errors are to be marked too, for which a judge needs JavaScript.
    """
    folder = Path(mkdtemp(prefix="weigh-demo-") if directory is None else directory)
    pairs, key = _pairs()
    files: Mapping[str, Sequence[Mapping[str, Any]]] = {
        "adequacy.jsonl": _assessment(),
        "hits.jsonl": _queries(),
        "pairs.jsonl": pairs,
        "training.jsonl": _TRAINING,
    }
    if marked:
        files = {**files, "esa.jsonl": _marked()}
    contents = {
        name: "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
        for name, lines in files.items()
    }
    write_files(folder, {**contents, "key.json": json.dumps(key)})
    return folder
