"""The tested pairs: what was asked, and a list of all of them to sort and to filter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from weigh.report.comparisons import by_reading, further, said_of_power
from weigh.report.grid import Cell, Column, Grid
from weigh.report.methods import correction, meaning, title_of
from weigh.report.number import plural
from weigh.report.page.controls import choice, controls, tick, words
from weigh.report.page.html import Markup, element
from weigh.report.page.tables import table
from weigh.report.pairs import list_grid
from weigh.stats.procedures import FLAWED_TESTS

if TYPE_CHECKING:
    from weigh.report.compared import CompareReport
    from weigh.types import Comparison

# More rows than this make the page slow and are not read.
MOST_ROWS = 2000


def explained(report: CompareReport) -> list[Markup]:
    """Return what each test asks, and how its p-values were corrected."""
    plan = report.result.plan
    content = []
    for test, pairs in report.tests.items():
        title = title_of(pairs[0], plan)
        said = meaning(pairs, report.result)
        if test not in FLAWED_TESTS:
            said += f" {correction(pairs[0], plan)}"
        end = "" if title.endswith("?") else "."
        content.append(element("p", element("strong", f"{title}{end}"), f" {said}"))
    return content


def listing(report: CompareReport) -> list[Markup]:
    """Return the list of pairs with its controls, and what is to be said of it."""
    pairs = [one for test in report.tests.values() for one in test]
    shown = pairs[:MOST_ROWS]
    notes = [said] if (said := said_of_power(report, pairs)) else []
    choices = []
    if len(report.titles) > 1:
        choices.append(choice("pair-metric", "Metric", {"": "all", **report.titles}))
    if len(report.tests) > 1:
        choices.append(choice("pair-test", "Test", {"": "all", **{t: t for t in report.tests}}))
    marks = [marked(one.metric, one.test, one.decided) for one in shown]
    content = filtered(_grid(report, shown), marks, choices, len(pairs), notes)
    first = shown if len(report.tests) == 1 else [one for one in shown if one.test == pairs[0].test]
    for heading, grid, sentences in (*by_reading(first, report), *further(report)):
        content.append(element("h3", heading))
        if grid is not None:
            content.append(table(grid, heading))
        content += [element("p", sentence, class_="faint") for sentence in sentences]
    return content


def filtered(
    grid: Grid,
    marks: Sequence[Mapping[str, str]],
    choices: Sequence[Markup],
    total: int,
    notes: Sequence[str] = (),
) -> list[Markup]:
    """Return a list of pairs, or the first of a total, with fields to filter it by.

    `marks` are what each row is filtered by, from `marked`; `choices` are fields for them.
    """
    count = len(grid.rows)
    asked = [words("pair-text", "Systems or words"), *choices]
    if count < total:
        cut = f"The first {count:,} of {plural(total, 'comparison')}; all are in the data."
        notes = [cut, *notes]
    return [
        controls(*asked, tick("pair-significant", "Only significant")),
        element("p", plural(count, "row"), id="pair-count", role="status", class_="faint"),
        table(grid, "All pairs", marks, "pair-table"),
        *(element("p", note, class_="faint") for note in notes),
    ]


def marked(metric: str, test: str, significant: bool) -> dict[str, str]:
    """Return what a row is filtered by."""
    return {
        "data_metric": metric,
        "data_test": test,
        "data_significant": "yes" if significant else "no",
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
