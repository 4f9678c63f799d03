"""Judgments in our own format, which `weigh.read.judgments_own` reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weigh.types import Judgment


def as_jsonl(judgments: Iterable[Judgment]) -> str:
    """Return one JSON object per judgment; fields that are not known are left out."""
    import json
    from dataclasses import asdict

    lines = []
    for one in judgments:
        known = {name: value for name, value in asdict(one).items() if value not in (None, False)}
        lines.append(json.dumps(known | {"value": one.value}, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)
