"""Read the inputs of a verb: texts with references, or results of systems."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from weigh.cli import terminal
from weigh.cli.arguments import (
    COLUMNS_OF_TEXTS,
    METRICS,
    SOURCES,
    Argument,
    Section,
    argument,
    counts,
    files,
    number,
    repeatable,
    section,
    switch,
)
from weigh.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.comparing.dataset import Dataset
    from weigh.comparing.joining import Filter
    from weigh.engine.threads import Progress
    from weigh.read.roles import Roles
    from weigh.types import Metric, System, TestSet

    # Looks at a plan before hours of work: metrics, names of systems, documents.
    Check = Callable[[Sequence[Metric], Sequence[str], Sequence[str] | None], None]

SYSTEMS = files(
    "systems SYS",
    "a system's output, one segment per line; or a table of results, a log, a folder of logs, or "
    "a file with one score per line. NAME=FILE names the system, NAME@RUN=FILE one of its runs. "
    "'-' is stdin; .gz and .zst files are decompressed",
)
REFERENCES = (
    repeatable(
        "-r --ref REF",
        "references, one segment per line; repeat for several references; NAME=FILE is a "
        "reference for the system NAME only",
    ),
    SOURCES,
    argument(
        "--documents FILE",
        "the document of each segment, one per line; tests and intervals then use "
        "documents as units",
    ),
)
SLICES = argument(
    "--slices FILE",
    "a label for each segment, one per line; each slice is also reported separately",
)
TABLES = section(
    "tables of results",
    argument(
        "--columns ROLE=COL,...",
        "the columns of a table (CSV, TSV, JSON lines, JSON, Parquet), such as "
        "system=model,item=id,score=passed. Other roles: run, slice, document, metric, direction; "
        "hypothesis, reference, source for texts. score=COL:lower if lower is better, "
        "score=COL:0..10 for bounds. Repeat a role for several columns; slice= ignores slices "
        "(default: recognised by name)",
    ),
    argument(
        "--missing SCORE",
        "use this score where a table has none, such as 0 for failures",
        type=number,
        advanced=True,
    ),
    argument(
        "--pass-at K,...",
        "score pass@K: the probability that at least one of K attempts succeeds; the runs of a "
        "table are the attempts",
        type=counts,
        default=(),
    ),
    switch(
        "--allow-missing",
        "drop items for which a system has no score, and report how many",
        advanced=True,
    ),
)


def input_sections(
    *options: Argument | Iterable[Argument], slices: bool = False
) -> tuple[Section, ...]:
    """The options that `Inputs` has, with those that choose among the systems."""
    return (
        section("systems", SYSTEMS, *options),
        METRICS,
        section("references", REFERENCES, SLICES if slices else (), COLUMNS_OF_TEXTS),
        TABLES,
    )


_FOR_TEXTS = ("ref", "src", "id", "text")
_FOR_TABLES = ("columns", "missing", "pass_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The files of systems and how to read them; the fields are named like the options.

    A verb need not have all options. `on_command_line` names the options that are not from
    weigh.toml.
    """

    systems: Sequence[str]
    metric: Sequence[str]
    ref: Sequence[str] = ()
    src: str | None = None
    documents: str | None = None
    slices: str | None = None
    id: str = "id"
    text: str = "text"
    columns: str | None = None
    missing: float | None = None
    pass_at: tuple[int, ...] = ()
    allow_missing: bool | None = None
    systems_chosen: str | None = None
    only: Sequence[str] = ()
    without: Sequence[str] = ()
    keep_reference: Sequence[str] | None = None
    sets: str | None = None
    threads: int = 0
    on_command_line: Collection[str] = ()

    @classmethod
    def of(cls, arguments: argparse.Namespace, **changes: Any) -> Inputs:
        """The inputs that the arguments name, with some of them changed."""
        names = {field.name for field in fields(cls)}
        values = {name: value for name, value in vars(arguments).items() if name in names}
        return cls(**values | changes)

    def read(self, progress: Progress | None = None, check: Check | None = None) -> Dataset:
        """Read the files, compute the rows of texts, and print how files were read."""
        dataset = self._read_sets(progress, check) if self.sets else self._read(progress, check)
        if not terminal.is_quiet():
            terminal.warn(dataset.reading)
        return dataset

    def _read(self, progress: Progress | None, check: Check | None) -> Dataset:
        if not self.systems:
            raise UsageError("no system given; name a file, or a folder of logs")
        if self._are_texts():
            return self._read_texts(progress, check)
        from weigh.comparing.inputs import DataOptions, dataset_of, read_labels

        options = DataOptions(
            metrics=self.metric if "metric" in self.on_command_line else None,
            documents=read_labels(self.documents),
            slices=read_labels(self.slices),
            columns=_parse_roles(self.columns),
            allow_missing=bool(self.allow_missing),
            missing=self.missing,
            pass_at=self.pass_at,
            choice=self._filter(),
            kept_references=self.keep_reference,
        )
        return dataset_of(list(self.systems), options, threads=self.threads, progress=progress)

    def _read_sets(self, progress: Progress | None, check: Check | None) -> Dataset:
        """Read test sets, whose names stand for `{set}` in the paths."""
        from weigh.comparing.sets import join_sets

        names = list(dict.fromkeys((self.sets or "").split(",")))
        example = "such as --sets en-de,en-ja -r {set}/ref.txt {set}/a.txt {set}/b.txt"
        if len(names) < 2:
            raise UsageError(f"--sets: give two names or more, {example}")
        for path in (*self.systems, *self.ref):
            if "{set}" not in path:
                raise UsageError(f"--sets: the path {path} has no {{set}}; add it, {example}")
        return join_sets({name: self._of_set(name)._read(progress, check) for name in names})

    def _of_set(self, name: str) -> Inputs:
        def fill(value: Any) -> Any:
            if isinstance(value, list):
                return [path.replace("{set}", name) for path in value]
            return value and value.replace("{set}", name)

        with_paths = ("systems", "metric", "ref", "src", "documents", "slices")
        return replace(self, **{option: fill(getattr(self, option)) for option in with_paths})

    def _are_texts(self) -> bool:
        """Whether the systems are files of texts: references say so, or metrics that need none."""
        of_tables = [name for name in _FOR_TABLES if getattr(self, name) not in (None, ())]
        of_texts = [name for name in _FOR_TEXTS if name in self.on_command_line]
        if of_tables and of_texts:
            raise UsageError(
                f"--{of_texts[0]} is for files of texts, but --{of_tables[0].replace('_', '-')} is "
                "for tables; leave one out"
            )
        if of_tables or of_texts:
            return bool(of_texts)
        if self.ref:  # in weigh.toml, for all systems that are texts
            return not any(map(_holds_results, self.systems))
        if "metric" not in self.on_command_line:
            return False
        from weigh.comparing.inputs import naming_metrics
        from weigh.metrics.registry import expand_metrics

        if naming_metrics(self.metric):
            return False
        return not any(metric.needs_references for metric in expand_metrics(self.metric))

    def _read_texts(self, progress: Progress | None, check: Check | None) -> Dataset:
        from weigh.comparing.dataset import from_texts
        from weigh.metrics.registry import expand_metrics
        from weigh.metrics.statistics import supplied
        from weigh.read import read_inputs

        metrics = expand_metrics(self.metric)
        systems: Sequence[System]
        test_set, systems = read_inputs(
            self.systems,
            self.ref,
            self.src,
            self.documents,
            self.slices,
            self.id,
            self.text,
            references_needed=any(metric.needs_references for metric in metrics),
        )
        if self.only or self.without or self.systems_chosen is not None:
            from weigh.comparing.inputs import filter_texts

            systems, test_set = filter_texts(systems, test_set, self._filter())
        if check is not None:
            check(metrics, [system.name for system in systems], test_set.documents)
        if self.keep_reference is not None:
            from weigh.comparing.inputs import check_references

            check_references(systems, test_set, self.keep_reference)
        systems, test_set, missing = supplied(
            systems, test_set, metrics, allow_missing=bool(self.allow_missing)
        )
        dataset = from_texts(systems, test_set, metrics, threads=self.threads, progress=progress)
        remarks = () if missing is None else (str(missing),)
        return replace(
            dataset, remarks=(*remarks, *dataset.remarks), reading=tuple(self._table_remarks())
        )

    def _table_remarks(self) -> list[str]:
        from weigh.read.inputs import FileArgument
        from weigh.read.text import ending, file_label

        paths = [FileArgument.parse(file).path for file in self.systems]
        return [
            f"{file_label(path)}: read as a text, each line a segment; if it is a table, leave out "
            "--ref and name its columns with --columns"
            for path in paths
            if ending(path) == ".csv"
        ]

    def _filter(self) -> Filter:
        """Parse --only, --without and --systems."""
        from weigh.comparing.joining import Filter

        only, without = _parse_labels(self.only, "--only"), _parse_labels(self.without, "--without")
        if self.systems_chosen is not None:
            if "system" in only:
                raise UsageError("--systems and --only system=… are given; give one of them")
            only["system"] = tuple(self.systems_chosen.split(","))
        return Filter(only, without)


def _parse_labels(texts: Sequence[str], option: str) -> dict[str, tuple[str, ...]]:
    from weigh.read.roles import ROLE_NAMES

    labels: dict[str, tuple[str, ...]] = {}
    for text in texts:
        role, equals, names = text.partition("=")
        if not equals or role not in ROLE_NAMES or not names:
            raise UsageError(
                f"{option} {text}: expected ROLE=LABEL with the role of a column (not its name), "
                "such as system=A,B or slice=math"
            )
        labels[role] = (*labels.get(role, ()), *names.split(","))
    return labels


def _holds_results(system: str) -> bool:
    """Whether a system is a table, a log, a folder of logs or a file of scores."""
    from pathlib import Path

    from weigh.read.formats import find_format
    from weigh.read.inputs import FileArgument
    from weigh.read.plain import is_table

    path = FileArgument.parse(system).path
    return is_table(path) or Path(path).is_dir() or find_format(path) is not None


def _parse_roles(columns: str | None) -> Roles:
    from weigh.read.roles import Roles

    return Roles() if columns is None else Roles.parse(columns)


def read_metric_scores(files: Sequence[str], columns: str | None = None) -> Dataset | None:
    """Read a metric's scores; items without a score are dropped."""
    if not files:
        return None
    from weigh.comparing.inputs import DataOptions, dataset_of

    options = DataOptions(columns=_parse_roles(columns), allow_missing=True)
    return dataset_of(list(files), options)


def read_references(
    references: Sequence[str], sources: str | None, metrics: Sequence[Metric]
) -> TestSet:
    """Read the test set of an n-best list; references only if a metric needs them."""
    from weigh.read import read_test_set

    needed = any(metric.needs_references for metric in metrics)
    return read_test_set(references, sources, references_needed=needed)
