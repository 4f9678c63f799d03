"""The data inside the page: the JSON document, and the segments to browse in."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from weigh.report.grid import visible
from weigh.report.page.html import Markup

if TYPE_CHECKING:
    from weigh.report.view import Browser

# What could end the script element, and what JavaScript or UTF-8 cannot hold.
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def script_json(text: str) -> Markup:
    r"""Return a JSON document that is safe inside a script element and says the same.

    >>> print(script_json('{"a": "</script>"}'))
    {"a": "\u003c/script\u003e"}
    """
    return Markup(_UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def document(text: str) -> Markup:
    """Return a JSON document as a script element that is never run."""
    return Markup(f'<script type="application/json" id="data">{script_json(text)}</script>')


def segments(browsed: Browser) -> Markup:
    """Return the segments, compressed, as a script element that is never run."""
    import base64
    import gzip

    # No time of day in there: the same comparison makes the same page.
    packed = gzip.compress(segments_json(browsed), 6, mtime=0)
    text = base64.b64encode(packed).decode("ascii")
    return Markup(f'<script type="application/octet-stream" id="segment-data">{text}</script>')


def segments_json(browsed: Browser) -> bytes:
    """Return the segments as JSON.

    All texts of a segment stand together, which are alike and so compress well: source,
    references, outputs. Systems stand in the order of the report, best first.
    """
    import json

    found, systems = browsed.segments, browsed.systems
    outputs = found.outputs
    columns = [
        *([found.sources] if found.sources is not None else []),
        *found.references,
        *(outputs[name] for name in systems if name in outputs),
    ]
    content = {
        "systems": list(map(visible, systems)),
        "metrics": [
            {
                "name": metric.metric,
                "title": metric.title,
                "decimals": metric.decimals,
                "higher": metric.higher_is_better,
            }
            for metric in browsed.metrics
        ],
        "numbers": list(found.numbers),
        "ids": None if found.ids is None else list(found.ids),
        "sources": found.sources is not None,
        "references": len(found.references),
        "outputs": bool(outputs),
        "texts": list(zip(*columns, strict=True)),
        "scores": [
            [_rounded(found.scores[metric.metric][name], metric.decimals) for name in systems]
            for metric in browsed.metrics
        ],
    }
    # Half a pair of surrogates cannot be written as UTF-8; the browser shows what is in its place.
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def _rounded(scores: Sequence[float], decimals: int) -> list[float | None]:
    return [round(score, decimals) if math.isfinite(score) else None for score in scores]
