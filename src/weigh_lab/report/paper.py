"""The views of `weigh paper`: papers that were run again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from weigh import __version__
from weigh.report.grid import Column, Grid
from weigh.report.parts import Note, Part, Pictures, summary
from weigh.report.phrases import sentences, signatures_by_name
from weigh.report.view import Used, View, signature, view_of
from weigh.wording import NO_NUMBER, fixed, plural, probability
from weigh_lab.papers.graham2014 import GrahamResult
from weigh_lab.papers.koehn2004 import KoehnResult
from weigh_lab.papers.paper_result import (
    PaperColumn,
    PaperResult,
    PaperRow,
    PaperTable,
)
from weigh_lab.papers.riezler2005 import RiezlerResult
from weigh_lab.papers.zaidan2009 import ZaidanResult

PUBLISHED = "published"


@view_of(KoehnResult)
def koehn2004(result: KoehnResult) -> View:
    """Show the tables and figures of Koehn 2004, and the study of samples behind some of them."""
    return _view(result, list(_sample_parts(result)), ["samples of a test set"])


@view_of(RiezlerResult)
def riezler2005(result: RiezlerResult) -> View:
    """Show the tables of Riezler & Maxwell 2005."""
    return _view(result, [], ["errors of type I", "log-linear reranking"])


@view_of(ZaidanResult)
def zaidan2009(result: ZaidanResult) -> View:
    """Show the tables of Zaidan & Callison-Burch 2009."""
    return _view(result, [], ["minimum error rate training"])


@view_of(GrahamResult)
def graham2014(result: GrahamResult) -> View:
    """Show the tables of Graham et al. 2014, and who is better than whom by people and metrics."""
    works = ["accuracy of tests", "exact binomial intervals"]
    view = _view(result, list(_map_parts(result)), works)
    return replace(
        view,
        methods=f"The experiments of {result.paper} were run again on {result.material} with weigh "
        f"{__version__}, {plural(result.plan.trials, 'trial')} in each test.",
    )


def _map_parts(result: GrahamResult) -> Iterator[Part]:
    """Show the heat maps of figures 7 and 8, one language pair after the other."""
    from weigh.report.compare_pictures import heat_maps
    from weigh.report.compared import CompareReport
    from weigh.report.human_pictures import ranking_maps
    from weigh.report.pictures.picture import Picture

    def number_pictures(number: int, drawn: Iterable[Picture]) -> list[Picture]:
        return [replace(picture, name=f"pair{number}-{picture.name}") for picture in drawn]

    for number, (pair, ranking) in enumerate(zip(result.pairs, result.people, strict=True), 1):
        yield Pictures(
            partial(lambda n, people: number_pictures(n, ranking_maps(people)), number, ranking),
            f"Figure 7: {pair}, who is better according to people",
            section="Figure 7: people",
        )
    for number, (pair, compared) in enumerate(zip(result.pairs, result.systems, strict=True), 1):
        report = CompareReport(compared)
        yield Pictures(
            partial(lambda n, metrics: number_pictures(n, heat_maps(metrics)), number, report),
            f"Figure 8: {pair}, who is better according to metrics",
            section="Figure 8: metrics",
            small=True,
        )


def _sample_parts(result: KoehnResult) -> Iterator[Part]:
    """Show what the study of samples draws: figures 2 to 4, and tables 3 and 4 as curves.

    Of its tables there is only the first: the others are tables 3 and 4.
    """
    if result.samples is None:
        return
    from weigh.report.validate_samples import samples

    parts = samples(result.samples).parts
    scores = next(part for part in parts if isinstance(part, Grid))
    plots, *curves = [part for part in parts if isinstance(part, Pictures)]
    yield replace(scores, title=f"Figures 2 to 4 and 6: {scores.title}")
    yield plots
    for part in curves:
        yield replace(part, title="Tables 3 and 4 as curves", section="Tables 3 and 4 as curves")


def _view(result: PaperResult, more: list[Part], works: list[str]) -> View:
    """Show every table with what was published beside it, then the figures."""
    plan = result.plan
    parts = {
        "training": plan.training or "all",
        "tuning": plan.tuning,
        "test": plan.test or "all",
        "trials": plan.trials,
        "seed": plan.seed,
    }
    return View(
        title=f"{result.paper}, run again",
        subtitle=f"{result.material}; {plural(result.test_set.segments, 'segment')}; "
        f"{plural(plan.trials, 'trial')}",
        parts=[
            *summary(result.findings, level="normal"),
            *(_table_part(table) for table in result.tables),
            *_figure_parts(result),
            *more,
            *_remark_parts(result),
        ],
        methods=f"The experiments of {result.paper} were run again on {result.material} with the "
        f"translator of weigh {__version__}, {plural(plan.trials, 'trial')} in each test.",
        signatures=[*signatures_by_name(result.signatures), ("paper", signature(parts))],
        records=[*_records(result)],
        used=Used(list(result.signatures), works=works, draws=True),
    )


def _remark_parts(result: PaperResult) -> Iterator[Part]:
    notes = [*(f"Left out: {text}" for text in result.left_out), *sentences(result.remarks)]
    if notes:
        yield Note(notes, "Left out and remarks", caution=True)


def _table_part(table: PaperTable) -> Part:
    heading = f"{table.label}: {table.title}"
    return grid_of(table).with_title(heading, table.notes, section=heading, paper=True)


def _figure_parts(result: PaperResult) -> Iterator[Part]:
    from weigh_lab.report.figures import figure_pictures

    for figure in result.figures:
        heading = f"{figure.label}: {figure.title}"
        yield Grid(
            [Column("Curve"), *(Column(x, kind="number") for x in (figure.across, figure.up))],
            [
                [[curve.label, f"{point.x:g}", f"{point.y:.4g}"] for point in curve.points]
                for curve in figure.curves
            ],
        ).with_title(heading, figure.notes, section=heading, paper=True)
        yield Pictures(partial(figure_pictures, result, figure))


def grid_of(table: PaperTable) -> Grid:
    """A table with a column of published numbers beside each of ours that has some.

    Rows of the paper's own systems follow below a line, in the columns of ours where none is of
    published numbers.
    """
    columns = [Column(key, partial(_about, at)) for at, key in enumerate(table.keys)]
    for at, column in enumerate(table.columns):
        cells = [row.cells[at] for row in table.rows]
        is_ours = any(cell.ours is not None for cell in cells)
        if all(cell.published is None for cell in cells):
            columns.append(Column(column.title, partial(_either, at, column), "number"))
            continue
        if is_ours:
            columns.append(Column(column.title, partial(_ours, at, column), "number"))
        title = PUBLISHED if is_ours else f"{column.title}, {PUBLISHED}"
        columns.append(Column(title, partial(_published, at, column), "number", attached=is_ours))
    if any(map(_notes, (*table.rows, *table.published))):
        columns.append(Column("Remark", _notes, "text"))
    of_paper = [
        replace(row, about=(f"{row.about[0]} ({PUBLISHED})", *row.about[1:]))
        for row in table.published
    ]
    return Grid(columns, [block for block in (table.rows, of_paper) if block] or [[]])


def _about(at: int, row: PaperRow) -> str:
    return row.about[at]


def _either(at: int, column: PaperColumn, row: PaperRow) -> str:
    return (_published if row.cells[at].ours is None else _ours)(at, column, row)


def _published(at: int, column: PaperColumn, row: PaperRow) -> str:
    cell = row.cells[at]
    return cell.printed or _number(cell.published, column)


def _ours(at: int, column: PaperColumn, row: PaperRow) -> str:
    return _number(row.cells[at].ours, column)


def _number(value: float | None, column: PaperColumn) -> str:
    if value is None:
        return NO_NUMBER
    if column.p_values:
        return probability(value)
    return fixed(value, column.decimals) if column.decimals else f"{value:,.0f}"


def _notes(row: PaperRow) -> str:
    return "; ".join(dict.fromkeys(cell.note for cell in row.cells if cell.note))


def _records(result: PaperResult) -> Iterator[dict[str, Any]]:
    for table in result.tables:
        for row in (*table.rows, *table.published):
            for column, cell in zip(table.columns, row.cells, strict=True):
                yield {
                    "table": table.label,
                    "row": " ".join(row.about),
                    "column": column.title,
                    "ours": cell.ours,
                    "published": cell.published,
                    "note": cell.note,
                }
