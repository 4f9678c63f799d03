"""The segment browser: its controls; the script fills in what they ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.report.page.controls import choice, controls, words
from weigh.report.page.html import Markup, element
from weigh.wording import plural

if TYPE_CHECKING:
    from weigh.report.view import Browser

_ORDERS = {
    "difference": "largest difference",
    "a": "A ahead most",
    "b": "B ahead most",
    "place": "place in the test set",
}
_LENGTHS = {"shortest": "shortest reference", "longest": "longest reference"}
_BUCKETS = {
    "": "any",
    "1-10": "1–10 words",
    "11-20": "11–20 words",
    "21-30": "21–30 words",
    "31-50": "31–50 words",
    "51-": "51 words or more",
}
_SIZES = {"": "1 to 4 words", "1": "1 word", "2": "2 words", "3": "3 words", "4": "4 words"}


def browser(browsed: Browser) -> list[Markup]:
    """Return the section's content; without JavaScript it only says what is missing."""
    content = [
        element(
            "noscript",
            element("p", "The segments are shown by a script, and scripts are switched off here."),
        )
    ]
    segments = browsed.segments
    if len(segments.numbers) < browsed.total:
        said = (
            f"{len(segments.numbers):,} of {plural(browsed.total, 'segment')} are kept here: "
            "those on which the systems differ most."
        )
        content.append(element("p", said))
    a, b = browsed.pair
    systems = {str(at): name for at, name in enumerate(browsed.systems)}
    metrics = {str(at): metric.title for at, metric in enumerate(browsed.metrics)}
    asked = [
        choice("browse-a", "System A", systems, str(a)),
        choice("browse-b", "System B", systems, str(b)),
        choice("browse-metric", "Metric", metrics),
        choice("browse-order", "Order", _ORDERS | (_LENGTHS if segments.references else {})),
    ]
    if segments.references:
        asked.append(choice("browse-length", "Reference length", _BUCKETS))
    asked.append(words("browse-text", "Search" if segments.outputs else "Search numbers and names"))
    content += [
        controls(*asked),
        element("p", id="browse-status", role="status", class_="faint"),
    ]
    if segments.references and segments.outputs:
        content += [_ngrams(), _legend(len(segments.references))]
    return [
        *content,
        element("div", id="cards"),
        element("button", "Show 25 more", type="button", id="browse-more", hidden=True),
    ]


def _ngrams() -> Markup:
    """Return the place for the n-grams that one system gets right and the other does not."""
    said = (
        "Words and phrases of the references that one system matches oftener than the other, over "
        "all segments. Choose one to search for it."
    )
    return element(
        "details",
        element("summary", "Phrases that make the difference"),
        element("p", said, class_="faint"),
        controls(choice("ngram-size", "Length", _SIZES)),
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
        element("span", "words that A lacks", class_="lacks-a"),
        ", ",
        element("span", "words that B lacks", class_="lacks-b"),
        " and ",
        element("span", "words that both lack", class_="lacks-both"),
        ".",
        class_="faint legend",
        id="browse-legend",
        hidden=True,
    )
