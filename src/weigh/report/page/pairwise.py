"""The tested pairs: what was asked, and a list of all of them to sort and to filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weigh.report.comparisons import DETECTABLE, POWERLESS, further
from weigh.report.grid import Cell, Column, Grid
from weigh.report.methods import FLAWED_TESTS, correction, is_powerless, meaning, title_of
from weigh.report.number import plural
from weigh.report.page.controls import choice, controls, tick, words
from weigh.report.page.html import Markup, element
from weigh.report.page.tables import table
from weigh.report.pairs import list_grid, shows_detectable

if TYPE_CHECKING:
    from weigh.report.compared import CompareReport
    from weigh.types import Comparison

# More rows than this make the page slow and are not read.
_MOST_ROWS = 2000


def explained(report: CompareReport) -> list[Markup]:
    """Return what each test asks, and how its p-values were corrected."""
    plan = report.result.plan
    content = []
    for test, pairs in report.tests.items():
        title = title_of(pairs[0], plan)
        said = meaning(pairs[0], report.result)
        if test not in FLAWED_TESTS:
            said += f" {correction(pairs[0], plan)}"
        end = "" if title.endswith("?") else "."
        content.append(element("p", element("strong", f"{title}{end}"), f" {said}"))
    return content


def listing(report: CompareReport) -> list[Markup]:
    """Return the list of pairs with its controls, and what is to be said of it."""
    pairs = [one for test in report.tests.values() for one in test]
    shown = pairs[:_MOST_ROWS]
    notes = []
    if len(shown) < len(pairs):
        notes.append(
            f"The first {len(shown):,} of {plural(len(pairs), 'comparison')}; all are in the data."
        )
    if is_powerless(pairs[0], report.result):
        notes.append(POWERLESS)
    elif shows_detectable(report, pairs):
        notes.append(DETECTABLE)
    content = [
        _filters(report),
        element("p", plural(len(shown), "row"), id="pair-count", role="status", class_="faint"),
        table(_grid(report, shown), "All pairs", [_marks(one) for one in shown], "pair-table"),
        *(element("p", note, class_="faint") for note in notes),
    ]
    for heading, grid, sentences in further(report):
        content.append(element("h3", heading))
        if grid is not None:
            content.append(table(grid, heading))
        content += [element("p", sentence, class_="faint") for sentence in sentences]
    return content


def _filters(report: CompareReport) -> Markup:
    asked = [words("pair-text", "Systems or words")]
    if len(report.titles) > 1:
        asked.append(choice("pair-metric", "Metric", {"": "all", **report.titles}))
    if len(report.tests) > 1:
        asked.append(choice("pair-test", "Test", {"": "all", **{t: t for t in report.tests}}))
    asked.append(tick("pair-significant", "Only significant"))
    return controls(*asked)


def _marks(one: Comparison) -> dict[str, str]:
    """Return what a row is filtered by."""
    return {
        "data_metric": one.metric,
        "data_test": one.test,
        "data_significant": "yes" if one.significant else "no",
    }


def _grid(report: CompareReport, pairs: Sequence[Comparison]) -> Grid:
    """Return the lists of all tests as one, with a column for the test where there are several."""
    tests: dict[str, list[Comparison]] = {}
    for one in pairs:
        tests.setdefault(one.test, []).append(one)
    grids = {test: list_grid(report, own) for test, own in tests.items()}
    columns = _merged([grid.columns for grid in grids.values()])
    rows = []
    for test, grid in grids.items():
        places = {column.title: at for at, column in enumerate(grid.columns)}
        for row in grid.rows:
            cells = [row[places[c.title]] if c.title in places else Cell("") for c in columns]
            rows.append([*([Cell(test)] if len(report.tests) > 1 else []), *cells])
    test_column = [Column("Test")] if len(report.tests) > 1 else []
    return Grid([*test_column, *columns], [rows])


def _merged(lists: Sequence[Sequence[Column]]) -> list[Column]:
    """Return the columns of all lists, each after the one that it follows in its own."""
    merged: list[Column] = []
    for columns in lists:
        at = 0
        for column in columns:
            titles = [known.title for known in merged]
            if column.title in titles:
                at = titles.index(column.title)
            else:
                merged.insert(at, column)
            at += 1
    return merged
