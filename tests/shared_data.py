"""Real data and reference values, which stand beside the project and are not part of it."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
GOLDEN = SHARED / "golden"
WMT13 = SHARED / "data" / "wmt13" / "es-en"

needs_shared = pytest.mark.skipif(
    not GOLDEN.is_dir(), reason="../shared, with data that may not be published, is not here"
)


@cache
def lines(path: Path) -> list[str]:
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return text.removesuffix("\n").split("\n")


@cache
def records(implementation: str) -> list[dict[str, Any]]:
    if not GOLDEN.is_dir():
        return []
    everything = json.loads((GOLDEN / "golden.json").read_text())
    return [record for record in everything if record["implementation"] == implementation]


def corpus(data_set: str, system: str) -> tuple[list[str], list[list[str]]]:
    """A system's output and the references of one of the golden data sets."""
    folder = GOLDEN / "data" / data_set
    references = [lines(path) for path in sorted(folder.glob("ref*"))]
    if not data_set.startswith("nt13"):
        [output] = (p for p in (folder / "sys").iterdir() if p.name.removesuffix(".gz") == system)
        return lines(output), references
    name = system.replace("MES.", "MES_.")
    return lines(WMT13 / "sys" / f"{name}.en.gz"), [lines(WMT13 / "ref.en.gz"), *references]


def segment_table(record: dict[str, Any]) -> list[dict[str, str]]:
    header, *rows = (line.split("\t") for line in lines(GOLDEN / (record["segments"] + ".gz")))
    return [dict(zip(header, row, strict=True)) for row in rows]
