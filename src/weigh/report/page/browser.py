"""The segment browser of a page, and the data that it reads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from weigh.read.spans import SEVERITIES
from weigh.report.grid import visible
from weigh.report.markup import Markup, element
from weigh.report.page.html import controls, search_field, select_field
from weigh.wording import plural

if TYPE_CHECKING:
    from weigh.human.errors import Mark
    from weigh.report.parts import BrowsedMetric, Browser


def unpack(text: str) -> str:
    """Decode the JSON that `pack` put into a script element."""
    import base64
    import gzip

    return gzip.decompress(base64.b64decode(text)).decode("utf-8", "surrogatepass")


def segments_json(browsed: Browser) -> bytes:
    """Format the segments as JSON, with systems in the order of the report.

    The texts of a segment (source, references, outputs) are stored together, because similar texts
    compress well.
    """
    import json

    segments, systems = browsed.segments, browsed.systems
    outputs = segments.outputs
    columns = [
        *([segments.sources] if segments.sources is not None else []),
        *segments.references,
        *(outputs[name] for name in systems if name in outputs),
    ]
    content = {
        "unit": browsed.unit,
        "systems": list(map(visible, systems)),
        "metrics": [
            {
                "name": metric.metric,
                "title": f"{metric.title} (%)" if metric.is_percent else metric.title,
                "decimals": metric.decimals,
                "higher": metric.higher_is_better,
            }
            for metric in browsed.metrics
        ],
        "numbers": list(segments.numbers),
        "ids": None if segments.ids is None else list(segments.ids),
        "sources": segments.sources is not None,
        "references": len(segments.references),
        "outputs": bool(outputs),
        **_marks(browsed),
        "texts": list(zip(*columns, strict=True)),
        "scores": [
            [_round(segments.scores[metric.metric][name], metric) for name in systems]
            for metric in browsed.metrics
        ],
    }
    # Lone surrogates are not valid UTF-8; browsers show a replacement character.
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def _marks(browsed: Browser) -> dict[str, Any]:
    """The marked errors, by system and segment, and the lists that their numbers refer to.

    An error is its start and end in UTF-16 units (None for an omission), and the positions of its
    severity, category and judge in the lists of these.
    """
    if not browsed.marks:
        return {}
    severities = _severities(browsed)
    categories = list(dict.fromkeys(mark.span.category for mark in browsed.all_marks))
    judges = list(dict.fromkeys(mark.judge for mark in browsed.all_marks))
    numbers = [
        {name: at for at, name in enumerate(names)} for names in (severities, categories, judges)
    ]

    def as_numbers(mark: Mark, text: str) -> list[int | None]:
        span = mark.span
        ends = [
            None if end is None else _utf16_length(text[:end]) for end in (span.start, span.end)
        ]
        keys = (span.severity, span.category, mark.judge)
        return [*ends, *(number[key] for number, key in zip(numbers, keys, strict=True))]

    outputs = browsed.segments.outputs
    return {
        "marks": [
            [
                [as_numbers(mark, text) for mark in marks]
                for marks, text in zip(browsed.marks[name], outputs[name], strict=True)
            ]
            for name in browsed.systems
        ],
        "severities": severities,
        "categories": categories,
        "judges": judges,
    }


def _severities(browsed: Browser) -> list[str]:
    """The severities of the marked errors, the worst first."""
    severities = {mark.span.severity for mark in browsed.all_marks}
    return [name for name in SEVERITIES if name in severities]


def _utf16_length(text: str) -> int:
    """The length of text in JavaScript."""
    return len(text) + sum(character > "\uffff" for character in text)


def _round(scores: Sequence[float], metric: BrowsedMetric) -> list[float | None]:
    scale = 100 if metric.is_percent else 1
    return [
        round(scale * score, metric.decimals) if math.isfinite(score) else None for score in scores
    ]


_ORDERS = {
    "difference": "largest difference",
    "a": "A better by most",
    "b": "B better by most",
    "place": "order in the test set",
}
_BY_ERRORS = {"errors": "most errors of A and B"}
_LENGTHS = {"shortest": "shortest reference", "longest": "longest reference"}
_BUCKETS = {
    "": "any",
    "1-10": "1–10 words",
    "11-20": "11–20 words",
    "21-30": "21–30 words",
    "31-50": "31–50 words",
    "51-": "51 words or more",
}
_SIZES = {
    "": "1 to 4 words",
    "1": "1 word",
    "2": "2 words",
    "3": "3 words",
    "4": "4 words",
}


def browser(browsed: Browser) -> list[Markup]:
    """Format the segment browser, with a message for browsers without JavaScript."""
    content = [
        element(
            "noscript",
            element("p", "This list needs JavaScript, which is switched off in this browser."),
        )
    ]
    segments = browsed.segments
    if len(segments.numbers) < browsed.total:
        text = (
            f"This page contains {len(segments.numbers):,} of "
            f"{plural(browsed.total, browsed.unit)}: those on which the systems differ most."
        )
        content.append(element("p", text))
    a, b = browsed.pair
    systems = {str(at): name for at, name in enumerate(browsed.systems)}
    metrics = {str(at): metric.title for at, metric in enumerate(browsed.metrics)}
    fields = [
        select_field("browse-a", "System A", systems, str(a)),
        select_field("browse-b", "System B", systems, str(b)),
        select_field("browse-metric", "Score" if browsed.marks else "Metric", metrics),
        select_field(
            "browse-order",
            "Order",
            (_BY_ERRORS if browsed.marks else {})
            | _ORDERS
            | (_LENGTHS if segments.references else {}),
        ),
    ]
    if browsed.marks:
        fields.append(select_field("browse-errors", "Errors in A or B", _kinds_of_errors(browsed)))
    if segments.references:
        fields.append(select_field("browse-length", "Reference length", _BUCKETS))
    fields.append(
        search_field("browse-text", "Search" if segments.outputs else "Search numbers and names")
    )
    content += [
        controls(*fields),
        element("p", id="browse-status", role="status", class_="faint"),
    ]
    if segments.references and segments.outputs:
        content += [_ngrams(), _legend(len(segments.references))]
    if severities := _severities(browsed):
        content.append(_legend_of_errors(severities))
    return [
        *content,
        element("div", id="cards"),
        element("button", "Show 25 more", type="button", id="browse-more", hidden=True),
    ]


def _kinds_of_errors(browsed: Browser) -> dict[str, str]:
    """The errors to filter by: severities, then categories."""
    categories = sorted({mark.span.category for mark in browsed.all_marks} - {None, ""})
    return {
        "": "any or none",
        **{f"s:{name}": name for name in _severities(browsed)},
        **{f"c:{name}": name for name in categories},
    }


def _legend_of_errors(severities: Sequence[str]) -> Markup:
    """The legend of error marks."""
    marks = [element("mark", f"{name} errors", class_=f"error {name}") for name in severities]
    parts = [part for mark in marks for part in (mark, ", ")][:-1]
    return element(
        "p",
        "Marked by people: ",
        *parts,
        "; an omission is marked after the text. Hover over a mark to see its category and judge.",
        class_="faint legend",
    )


def _ngrams() -> Markup:
    """The panel for n-grams that one system matches more often than the other."""
    text = (
        "Words and phrases from the references that one system matches more often than the other, "
        "over all segments. Select one to search for it."
    )
    return element(
        "details",
        element("summary", "Phrases that make the difference"),
        element("p", text, class_="faint"),
        controls(select_field("ngram-size", "Length", _SIZES)),
        element("p", id="ngram-status", role="status", class_="faint"),
        element("div", id="ngrams"),
        id="ngram-panel",
        hidden=True,
    )


def _legend(references: int) -> Markup:
    several = references > 1
    return element(
        "p",
        "In outputs, ",
        element("mark", f"words that are {'in no' if several else 'not in the'} reference"),
        f" are marked; in {'each' if several else 'the'} reference, ",
        element("span", "words missing from A", class_="lacks-a"),
        ", ",
        element("span", "words missing from B", class_="lacks-b"),
        " and ",
        element("span", "words missing from both", class_="lacks-both"),
        ".",
        class_="faint legend",
        id="browse-legend",
        hidden=True,
    )
