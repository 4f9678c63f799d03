"""What is shown of errors that people marked: how many, and where they are in the texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from weigh.read.spans import SEVERITIES
from weigh.report.grid import Column, Grid, table
from weigh.report.parts import BrowsedMetric, Browser, Part
from weigh.types import grouped
from weigh.wording import NO_NUMBER, fixed, listed, percent, plural

if TYPE_CHECKING:
    from weigh.human.errors import MarkedTexts, SystemErrors

_SCALES = {"esa": "ESA", "mqm": "MQM"}
# Of more categories only the most frequent are shown; documents have them all.
_MOST_CATEGORIES = 12


def error_parts(errors: Sequence[SystemErrors], texts: MarkedTexts | None) -> Iterator[Part]:
    """Yield the errors of systems by severity and by category, and a browser of their texts."""
    by_pair = grouped(errors, lambda each: each.pair)
    for pair, systems in by_pair.items():
        about = f"Errors{f' ({pair})' if pair else ''}"
        yield _severities_grid(systems).titled(
            f"{about} by severity", _explained(systems), section="Errors", paper=True
        )
        if any(each.categories for each in systems):
            yield _categories_grid(systems).titled(
                f"{about} by category", _left_out(systems), wide=True, paper=True
            )
    if texts is not None:
        yield _browser(texts)


def _severities_grid(systems: Sequence[SystemErrors]) -> Grid:
    """Return how many errors of each severity there are in 100 texts."""
    severities = [name for name in SEVERITIES if any(each.severities.get(name) for each in systems)]

    def rate(severity: str, errors: SystemErrors) -> str:
        return _rate(errors.severities.get(severity, 0), errors)

    return table(
        systems,
        [
            Column("System", lambda each: each.system),
            Column("Texts", lambda each: each.texts, kind="count"),
            Column(
                "No errors",
                lambda each: percent(round(each.without_errors / each.texts, 3)),
                kind="number",
            ),
            *(Column(name.capitalize(), partial(rate, name), kind="number") for name in severities),
            Column("All", lambda each: _rate(sum(each.severities.values()), each), kind="number"),
            Column("Missing", lambda each: _rate(each.missing, each), kind="number"),
        ],
    )


def _rate(count: int, errors: SystemErrors) -> str:
    """Return how many of something there are in 100 texts."""
    return fixed(100 * count / errors.texts, 1)


def _explained(systems: Sequence[SystemErrors]) -> list[str]:
    undecided = sum(each.severities.get("undecided", 0) for each in systems)
    said = (
        "Errors in 100 texts that somebody read; a text that two people read counts twice. "
        "Missing: what has no place in the text, or is not told where."
    )
    if undecided:
        said += f" {plural(undecided, 'error')} marked without a severity."
    return [said, "Fewest errors first. These are counts, and no tests."]


def _categories(systems: Sequence[SystemErrors]) -> list[str]:
    totals: Counter[str] = Counter()
    for each in systems:
        totals.update(each.categories)
    return sorted(totals, key=lambda name: (-totals[name], name))


def _categories_grid(systems: Sequence[SystemErrors]) -> Grid:
    """Return how many errors of each category there are in 100 texts, a column for every system."""

    def rate(errors: SystemErrors, name: str) -> str:
        return _rate(errors.categories[name], errors) if name in errors.categories else NO_NUMBER

    return table(
        _categories(systems)[:_MOST_CATEGORIES],
        [
            Column("Category", str),
            *(Column(each.system, partial(rate, each), kind="number") for each in systems),
        ],
    )


def _left_out(systems: Sequence[SystemErrors]) -> list[str]:
    rest = _categories(systems)[_MOST_CATEGORIES:]
    if not rest:
        return ["Errors in 100 texts, the most frequent category first."]
    return [
        "Errors in 100 texts, the most frequent category first. "
        f"Of {len(rest):,} more the JSON document tells: {listed(rest)}."
    ]


def _browser(texts: MarkedTexts) -> Browser:
    segments, names = texts.segments, texts.systems
    metrics = [
        BrowsedMetric(scale, _SCALES.get(scale, scale), 1, higher_is_better=True)
        for scale in segments.scores
    ]
    pair = (0, min(1, len(names) - 1))
    total = len(segments.numbers)
    return Browser(segments, names, metrics, pair, total, marks=texts.marks, section="Segments")
