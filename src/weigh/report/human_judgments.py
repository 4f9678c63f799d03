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
        fields = asdict(one)
        known = {name: fields[name] for name in fields if fields[name] not in (None, "")}
        if not one.rejected:
            del known["rejected"]
        lines.append(json.dumps(known, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)
