"""What is shown of errors that people marked: how many, and where they are in the texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from weigh.read.spans import SEVERITIES
from weigh.report.grid import Column, Grid, cells, number_columns, tabulated
from weigh.report.view import EVERYWHERE, LATEX, PAGE, TEXT, BrowsedMetric, Browser, Part
from weigh.types import grouped
from weigh.wording import NO_NUMBER, fixed, listed, percent, plural

if TYPE_CHECKING:
    from weigh.human.errors import MarkedTexts, SystemErrors

_SCALES = {"esa": "ESA", "mqm": "MQM"}
# Of more categories only the most frequent are shown; documents have them all.
_MOST_CATEGORIES = 12
# Of more systems only the first and the last are shown beside each other in a terminal.
_MOST_BESIDE = 5


def error_parts(errors: Sequence[SystemErrors], texts: MarkedTexts | None) -> Iterator[Part]:
    """Yield the errors of systems by severity and by category, and a browser of their texts."""
    by_pair = grouped(errors, lambda each: each.pair)
    for pair, systems in by_pair.items():
        about = f"Errors{f' ({pair})' if pair else ''}"
        yield Part(
            f"{about} by severity",
            _severities_grid(systems),
            _explained(systems),
            section="Errors",
        )
        if any(each.categories for each in systems):
            wide = len(systems) > _MOST_BESIDE
            heading, said = f"{about} by category", _left_out(systems)
            if wide:  # too wide for a terminal
                yield Part(heading, _categories_list(systems), said, forms=(*TEXT, *LATEX))
            forms = PAGE if wide else EVERYWHERE
            yield Part(heading, _categories_grid(systems), said, forms=forms)
    if texts is not None:
        yield Part(section="Segments", browser=_browser(texts), forms=PAGE)


def _severities_grid(systems: Sequence[SystemErrors]) -> Grid:
    """Return how many errors of each severity there are in 100 texts."""
    severities = [name for name in SEVERITIES if any(each.severities.get(name) for each in systems)]

    def rate(severity: str, errors: SystemErrors) -> str:
        return _rate(errors.severities.get(severity, 0), errors)

    return tabulated(
        [systems],
        {"System": lambda each: each.system},
        {
            "Texts": lambda each: f"{each.texts:,}",
            "No errors": lambda each: percent(round(each.without_errors / each.texts, 3)),
            **{name.capitalize(): partial(rate, name) for name in severities},
            "All": lambda each: _rate(sum(each.severities.values()), each),
            "Missing": lambda each: _rate(each.missing, each),
        },
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

    return tabulated(
        [_categories(systems)[:_MOST_CATEGORIES]],
        {"Category": str},
        {each.system: partial(rate, each) for each in systems},
    )


def _categories_list(systems: Sequence[SystemErrors]) -> Grid:
    """Return how many errors of each category there are in all, and who has fewest and most."""
    texts = sum(each.texts for each in systems)
    [number] = number_columns("")
    columns = [Column("Category"), *number_columns("All")]
    columns += [Column("Fewest"), number, Column("Most"), number]
    rows = []
    for name in _categories(systems)[:_MOST_CATEGORIES]:
        rates = {each.system: each.categories.get(name, 0) / each.texts for each in systems}
        total = sum(each.categories.get(name, 0) for each in systems)
        told = [name, fixed(100 * total / texts, 1)]
        for system in (min(rates, key=rates.__getitem__), max(rates, key=rates.__getitem__)):
            told += [system, fixed(100 * rates[system], 1)]
        rows.append(cells(told))
    return Grid(columns, [rows])


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
    return Browser(segments, names, metrics, pair, len(segments.numbers), texts.marks)
