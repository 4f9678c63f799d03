"""Errors that people marked: their number by severity and category, and a browser of the texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from weigh.human.errors import frequent_categories, undecided_errors
from weigh.read.spans import SEVERITIES
from weigh.report.grid import Column, Grid, table
from weigh.report.parts import BrowsedMetric, Browser, Part
from weigh.types import grouped
from weigh.wording import listed, plural

if TYPE_CHECKING:
    from weigh.human.errors import MarkedTexts, SystemErrors

_SCALES = {"esa": "ESA", "mqm": "MQM"}
# Only the most frequent categories are shown; JSON documents contain all.
_MOST_CATEGORIES = 12


def error_parts(errors: Sequence[SystemErrors], texts: MarkedTexts | None) -> Iterator[Part]:
    """Yield the errors of systems by severity and by category, and a browser of their texts."""
    for pair, systems in grouped(errors, lambda row: row.pair).items():
        title = f"Errors ({pair})" if pair else "Errors"
        yield _severities_grid(systems, f"{title} by severity")
        if any(row.categories for row in systems):
            yield _categories_grid(systems, f"{title} by category")
    if texts is not None:
        yield _browser(texts)


def _severities_grid(systems: Sequence[SystemErrors], title: str) -> Grid:
    """The number of errors per 100 texts, by severity."""
    severities = [name for name in SEVERITIES if any(row.severities.get(name) for row in systems)]
    columns = [
        Column("System", "system"),
        Column("Texts", "texts", "count"),
        Column("No errors", "share_without_errors", "percent", decimals=1),
        *(
            Column(name.capitalize(), partial(_rate, name), "score", decimals=1)
            for name in severities
        ),
        Column("All", "all_per_hundred", "score", decimals=1),
        Column("Missing", "missing_per_hundred", "score", decimals=1),
    ]
    about = (
        "Errors per 100 texts read; a text that two people read counts twice. Missing: errors "
        "without a place in the text."
    )
    if undecided := undecided_errors(systems):
        about += f" Without a severity: {plural(undecided, 'error')}."
    notes = [about, "Fewest errors first. These are counts, not tests."]
    return table(systems, columns, title=title, notes=notes, section="Errors", paper=True)


def _rate(severity: str, row: SystemErrors) -> float:
    return row.per_hundred.get(severity, 0.0)


def _categories_grid(systems: Sequence[SystemErrors], title: str) -> Grid:
    """The number of errors per 100 texts, by category, with a column for every system."""
    categories = frequent_categories(systems)
    note = "Errors per 100 texts, most frequent category first."
    if rest := categories[_MOST_CATEGORIES:]:
        note += f" The JSON document contains {len(rest):,} more: {listed(rest)}."
    columns = [
        Column("Category", str),
        *(
            Column(row.system, row.categories_per_hundred.get, "score", decimals=1)
            for row in systems
        ),
    ]
    rows = categories[:_MOST_CATEGORIES]
    return table(rows, columns, title=title, notes=[note], wide=True, paper=True)


def _browser(texts: MarkedTexts) -> Browser:
    segments, names = texts.segments, texts.systems
    metrics = [
        BrowsedMetric(scale, _SCALES.get(scale, scale), 1, higher_is_better=True)
        for scale in segments.scores
    ]
    pair = (0, min(1, len(names) - 1))
    total = len(segments.numbers)
    return Browser(segments, names, metrics, pair, total, marks=texts.marks, section="Segments")
