"""What a verb works on: texts, given scores and tables."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from weigh.cli import terminal
from weigh.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.comparing.measure import Measured
    from weigh.engine.threads import Progress
    from weigh.types import Metric, System, TestSet


@dataclass(frozen=True, slots=True)
class Inputs:
    """Texts that were read and are to be measured."""

    systems: tuple[System, ...]
    test_set: TestSet
    metrics: Sequence[Metric]
    remarks: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return [system.name for system in self.systems]

    @property
    def documents(self) -> Sequence[str] | None:
        """The document of each segment."""
        return self.test_set.documents

    def measured(self, threads: int = 0, progress: Progress | None = None) -> Measured:
        """Return the rows of all systems by all metrics."""
        from weigh.comparing.measure import measure_texts

        made = measure_texts(
            self.systems, self.test_set, self.metrics, threads=threads, progress=progress
        )
        return replace(made, remarks=(*self.remarks, *made.remarks))


# What means nothing for given scores.
_FOR_TEXTS = ("ref", "src", "metric", "text")


def measure(arguments: argparse.Namespace, progress: Progress | None = None) -> Measured:
    """Read what the arguments name, texts or scores, and measure it."""
    found = read(arguments)
    return found.measured(arguments.threads, progress) if isinstance(found, Inputs) else found


def read(arguments: argparse.Namespace) -> Inputs | Measured:
    """Read all that the arguments name; given scores are measured already.

    A verb need not have all options.
    """
    if _is_table(arguments):
        return _read_table(arguments)
    if vars(arguments).get("scores"):
        return _read_scores(arguments)
    from weigh.metrics.registry import expand_metrics
    from weigh.metrics.statistics import supplied
    from weigh.read import read_inputs
    from weigh.read.inputs import FileArgument
    from weigh.read.text import ending, file_label

    metrics = expand_metrics(arguments.metric)
    references_needed = any(metric.needs_references for metric in metrics)
    if references_needed and not arguments.ref and arguments.systems:
        _refuse_without_reference(arguments)
    option = vars(arguments).get
    test_set, systems = read_inputs(
        arguments.systems,
        arguments.ref,
        option("src"),
        option("documents"),
        option("slices"),
        option("id", "id"),
        option("text", "text"),
        references_needed=references_needed,
    )
    systems, test_set, missing = supplied(
        systems, test_set, metrics, allow_missing=bool(arguments.allow_missing)
    )
    remarks = [] if missing is None else [str(missing)]
    for path in (FileArgument.parse(name).path for name in arguments.systems):
        if ending(path) == ".csv":
            remarks.append(
                f"{file_label(path)}: read as a text, each line a segment; if it is a table, name "
                "its columns by --columns and leave out --ref"
            )
    return Inputs(systems, test_set, metrics, tuple(remarks))


def _refuse_without_reference(arguments: argparse.Namespace) -> NoReturn:
    """Tell which files are texts and which are tables, and what each needs."""
    from pathlib import Path

    from weigh.read.columns import is_table
    from weigh.read.inputs import FileArgument
    from weigh.read.text import exists, shown

    paths = [FileArgument.parse(name).path for name in arguments.systems]
    for path in paths:  # what is no file at all needs no reference
        if not exists(path):
            raise InputError(f"{shown(path)}: no such file; check the path")
        if Path(path).is_dir():
            raise InputError(f"{shown(path)}: a directory, but a file was expected")
    texts = [shown(path) for path in paths if not is_table(path)]
    tables = [shown(path) for path in paths if is_table(path)]
    if not texts:
        raise UsageError(
            f"no reference given for texts in {tables[0]}; add --ref FILE, or name columns of a "
            "table by --columns, or give a table of scores without options for texts"
        )
    if tables:
        raise UsageError(
            f"no reference given for {texts[0]}, which is a text, beside {tables[0]}, which is a "
            "table; give texts with --ref FILE, or tables alone"
        )
    remedy = ", or --scores if it holds scores" if "scores" in arguments else ""
    raise UsageError(f"no reference given for the text {texts[0]}; add one with --ref FILE{remedy}")


def given_scores(files: Sequence[str], columns: str | None = None) -> Measured | None:
    """Read files of segment scores, or a table of them, as they stand beside other input.

    Segments that some system has no score of are left out.
    """
    if not files:
        return None
    found = read(
        argparse.Namespace(
            systems=list(files),
            scores=True,
            columns=columns,
            documents=None,
            allow_missing=True,
            given=frozenset(),
            chosen=frozenset(),
        )
    )
    if isinstance(found, Inputs):
        raise UsageError(f"{files[0]}: texts, but a metric's scores were expected")
    return found


def _is_table(arguments: argparse.Namespace) -> bool:
    """Return whether the systems stand in tables: that is said, or there is nothing but tables."""
    option = vars(arguments).get
    if option("columns") is not None or option("missing") is not None or option("pass_at"):
        return True
    others = ("ref", "src", "statistics", "metric", "documents", "slices", "id", "text")
    if any(name in arguments.given for name in others):
        return False
    from weigh.read.columns import is_long_table, is_table

    systems = arguments.systems
    if option("scores"):  # whose own formats have some of the endings of tables
        return bool(systems) and all(is_long_table(name) for name in systems)
    return "columns" in arguments and bool(systems) and all(is_table(name) for name in systems)


def _read_table(arguments: argparse.Namespace) -> Inputs | Measured:
    from weigh.comparing.table import Gaps, measure_table, read_tables, texts_of
    from weigh.read.roles import Roles

    for name in ("ref", "src", "statistics", "documents", "slices", "id", "text"):
        if name in arguments.given:
            raise UsageError(
                f"--{name} is for files of texts and not for a table, whose columns hold all; "
                "leave it out"
            )
    if not arguments.systems:
        raise UsageError("no table given; name its file")
    option = vars(arguments).get
    columns = option("columns")
    asked = Roles() if columns is None else Roles.parse(columns)
    table, roles, said = read_tables(arguments.systems, asked, texts="metric" in arguments.given)
    for guess in said:
        terminal.say(guess)
    if not roles.holds_texts:
        if "metric" in arguments.given:
            raise UsageError("-m is for texts, but the table holds scores; leave it out")
        gaps = Gaps(bool(arguments.allow_missing), option("missing"))
        return measure_table(table, roles, gaps=gaps, pass_at=option("pass_at", ()))
    if option("missing") is not None or option("pass_at"):
        raise UsageError("--missing and --pass-at are for scores, but the table holds texts")
    from weigh.metrics.registry import expand_metrics

    systems, test_set = texts_of(table, roles)
    return Inputs(systems, test_set, expand_metrics(arguments.metric))


def _read_scores(arguments: argparse.Namespace) -> Measured:
    for name in _FOR_TEXTS:
        if name in arguments.given:
            raise UsageError(f"--{name} is for texts and not for --scores; leave it out")
    from weigh.comparing.measure import measure_scores
    from weigh.read.scores import read_scores

    given = read_scores(
        arguments.systems,
        arguments.documents,
        vars(arguments).get("slices"),
        arguments.id if "id" in arguments.chosen else None,
        allow_missing=bool(arguments.allow_missing),
    )
    measured = measure_scores(
        given.scores,
        lower=given.lower,
        ratio=given.ratio,
        documents=given.documents,
        slices=given.slices,
        numbers=given.numbers,
        remarks=() if given.missing is None else (str(given.missing),),
    )
    return measured if given.numbers is not None else replace(measured, ids=given.ids)


def read_references(
    references: Sequence[str], sources: str | None, metrics: Sequence[Metric]
) -> TestSet:
    """Read the test set of a list, which some metrics need no references for."""
    from weigh.read import read_test_set

    return read_test_set(
        references, sources, references_needed=any(metric.needs_references for metric in metrics)
    )


def key_of_metric(arguments: argparse.Namespace) -> Callable[[str], str]:
    """Return what makes a metric's name in results of its name on the command line."""
    from weigh.metrics.registry import key_of, parse_metric

    def key(name: str) -> str:
        try:
            return key_of(parse_metric(name))
        except UsageError:  # a name that the metric was given, perhaps
            return name

    return str if arguments.scores else key
