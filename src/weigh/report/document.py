"""JSON documents: the part that programs rely on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from weigh import __version__

SCHEMA = "weigh/1"


@dataclass(frozen=True, slots=True)
class Extent:
    """What a document says of its test set; there may be no reference and no documents.

    Of people's answers, the segments are those that they have judged.
    """

    segments: int
    references: int
    documents: int | None = None

    @property
    def fields(self) -> dict[str, int | None]:
        """What the document holds."""
        return asdict(self)


NO_TEST_SET = Extent(0, 0)
"""Where nothing is known of it."""


def number(value: float | None) -> float | None:
    """Return the number, or None where JSON has none (NaN and infinities) or there is none."""
    return float(value) if value is not None and math.isfinite(value) else None


def render(command: str, parts: Mapping[str, Any]) -> str:
    """Return the document of a command, every entry of a list on a line of its own."""
    fields = {"schema": SCHEMA, "weigh": __version__, "command": command, **parts}
    lines = [f"  {_compact(name)}: {_value(value)}" for name, value in fields.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


def _value(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(f"    {_compact(entry)}" for entry in value) + "\n  ]"
    return _compact(value)


def _compact(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, allow_nan=False)
