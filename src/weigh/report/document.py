"""JSON documents: the part that programs rely on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from weigh import __version__
from weigh.result import NO_TEST_SET as NO_TEST_SET
from weigh.result import SCHEMA as SCHEMA
from weigh.result import Extent as Extent


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
