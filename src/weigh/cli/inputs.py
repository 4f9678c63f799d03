"""Read the inputs of a verb: texts with references, or results of systems."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from weigh.cli import terminal
from weigh.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.comparing.dataset import Dataset
    from weigh.comparing.joining import Filter
    from weigh.engine.threads import Progress
    from weigh.types import Metric, System, TestSet

    # Looks at a plan before hours of work: metrics, names of systems, documents.
    Check = Callable[[Sequence[Metric], Sequence[str], Sequence[str] | None], None]

_FOR_TEXTS = ("ref", "src", "id", "text")
_WITH_SETS = ("systems", "ref", "src", "documents", "slices", "metric")
_FOR_TABLES = ("columns", "missing", "pass_at")


def read_dataset(
    arguments: argparse.Namespace, progress: Progress | None = None, check: Check | None = None
) -> Dataset:
    """Read what the arguments name, compute the rows of texts, and print how files were read.

    A verb need not have all options.
    """
    made = _read_data(arguments, progress, check)
    terminal.warn(made.reading)
    return made


def _read_data(
    arguments: argparse.Namespace, progress: Progress | None, check: Check | None
) -> Dataset:
    if not arguments.systems:
        raise UsageError("no system given; name a file, or a folder of logs")
    if vars(arguments).get("sets"):
        return _read_sets(arguments, progress, check)
    if _are_texts(arguments):
        return _read_texts(arguments, progress, check)
    from weigh.comparing.inputs import DataOptions, dataset_of, read_labels
    from weigh.read.roles import Roles

    option = vars(arguments).get
    columns = option("columns")
    options = DataOptions(
        metrics=arguments.metric if "metric" in arguments.given else None,
        documents=read_labels(option("documents")),
        slices=read_labels(option("slices")),
        columns=Roles() if columns is None else Roles.parse(columns),
        allow_missing=bool(arguments.allow_missing),
        missing=option("missing"),
        pass_at=option("pass_at", ()),
        choice=parse_filter(arguments),
        kept_references=option("keep_reference"),
    )
    return dataset_of(
        list(arguments.systems), options, threads=arguments.threads, progress=progress
    )


def _read_sets(
    arguments: argparse.Namespace, progress: Progress | None, check: Check | None
) -> Dataset:
    """Read test sets, whose names stand for `{set}` in the paths."""
    from weigh.comparing.dataset import join_sets

    names = list(dict.fromkeys(arguments.sets.split(",")))
    paths = [*arguments.systems, *arguments.ref]
    lacking = next((path for path in paths if "{set}" not in path), None)
    if lacking is not None or len(names) < 2:
        raise UsageError(
            "--sets: give two names or more, and {set} in every path, such as "
            "--sets en-de,en-ja -r {set}/ref.txt {set}/a.txt {set}/b.txt"
        )

    def fill(value: object, name: str) -> object:
        if isinstance(value, list):
            return [fill(each, name) for each in value]
        return value.replace("{set}", name) if isinstance(value, str) else value

    sets = {}
    for name in names:
        options = {
            key: fill(value, name) if key in _WITH_SETS else value
            for key, value in vars(arguments).items()
        }
        own = argparse.Namespace(**options | {"sets": None})
        sets[name] = _read_data(own, progress, check)
    return join_sets(sets)


def _are_texts(arguments: argparse.Namespace) -> bool:
    """Whether the systems are files of texts: references say so, or metrics that need none."""
    option = vars(arguments).get
    of_tables = [name for name in _FOR_TABLES if option(name) not in (None, ())]
    of_texts = [name for name in _FOR_TEXTS if name in arguments.given]
    if of_tables and of_texts:
        raise UsageError(
            f"--{of_texts[0]} is for files of texts, but --{of_tables[0].replace('_', '-')} is for "
            "tables, whose columns hold everything; leave one out"
        )
    if of_tables or of_texts:
        return bool(of_texts)
    if "metric" not in arguments.given:
        return False
    from weigh.comparing.inputs import naming_metrics
    from weigh.metrics.registry import expand_metrics

    if naming_metrics(arguments.metric):
        return False
    return not any(metric.needs_references for metric in expand_metrics(arguments.metric))


def _read_texts(
    arguments: argparse.Namespace, progress: Progress | None, check: Check | None
) -> Dataset:
    from weigh.comparing.dataset import from_texts
    from weigh.metrics.registry import expand_metrics
    from weigh.metrics.statistics import supplied
    from weigh.read import read_inputs

    metrics = expand_metrics(arguments.metric)
    option = vars(arguments).get
    test_set, systems = read_inputs(
        arguments.systems,
        arguments.ref,
        option("src"),
        option("documents"),
        option("slices"),
        option("id", "id"),
        option("text", "text"),
        references_needed=any(metric.needs_references for metric in metrics),
    )
    chosen: Sequence[System] = systems
    if option("only") or option("without") or option("systems_chosen"):
        from weigh.comparing.inputs import filter_texts

        chosen, test_set = filter_texts(systems, test_set, parse_filter(arguments))
    if check is not None:
        check(metrics, [system.name for system in chosen], test_set.documents)
    if "keep_reference" in arguments:
        from weigh.comparing.inputs import check_references

        check_references(chosen, test_set, arguments.keep_reference)
    systems, test_set, missing = supplied(
        chosen, test_set, metrics, allow_missing=bool(arguments.allow_missing)
    )
    made = from_texts(systems, test_set, metrics, threads=arguments.threads, progress=progress)
    remarks = () if missing is None else (str(missing),)
    return replace(
        made,
        remarks=(*remarks, *made.remarks),
        reading=tuple(_table_remarks(arguments.systems)),
    )


def _table_remarks(files: Sequence[str]) -> list[str]:
    from weigh.read.inputs import FileArgument
    from weigh.read.text import ending, file_label

    paths = [FileArgument.parse(file).path for file in files]
    return [
        f"{file_label(path)}: read as a text, each line a segment; if it is a table, leave out "
        "--ref and name its columns with --columns"
        for path in paths
        if ending(path) == ".csv"
    ]


def parse_filter(arguments: argparse.Namespace) -> Filter:
    """Read --only, --without and --systems."""
    from weigh.comparing.joining import Filter

    option = vars(arguments).get
    chosen = {name: _parse_labels(option(name) or (), f"--{name}") for name in ("only", "without")}
    systems = option("systems_chosen")
    if systems is not None:
        if "system" in chosen["only"]:
            raise UsageError("--systems and --only system=… are given; give one of them")
        chosen["only"]["system"] = tuple(systems.split(","))
    return Filter(**chosen)


def _parse_labels(given: Sequence[str], option: str) -> dict[str, tuple[str, ...]]:
    from weigh.read.roles import ROLE_NAMES

    labels: dict[str, tuple[str, ...]] = {}
    for text in given:
        role, equals, names = text.partition("=")
        if not equals or role not in ROLE_NAMES or not names:
            raise UsageError(
                f"{option} {text}: expected ROLE=LABEL,LABEL, such as system=A,B or slice=math"
            )
        labels[role] = (*labels.get(role, ()), *names.split(","))
    return labels


def read_metric_scores(files: Sequence[str], columns: str | None = None) -> Dataset | None:
    """Read a metric's scores; items without a score are dropped."""
    if not files:
        return None
    from weigh.comparing.inputs import DataOptions, dataset_of
    from weigh.read.roles import Roles

    roles = Roles() if columns is None else Roles.parse(columns)
    return dataset_of(list(files), DataOptions(columns=roles, allow_missing=True))


def read_references(
    references: Sequence[str], sources: str | None, metrics: Sequence[Metric]
) -> TestSet:
    """Read the test set of an n-best list; references only if a metric needs them."""
    from weigh.read import read_test_set

    return read_test_set(
        references, sources, references_needed=any(metric.needs_references for metric in metrics)
    )


def metric_key(name: str) -> str:
    """The key of a metric in results, by its name on the command line."""
    from weigh.metrics.registry import key_of, parse_metric

    try:
        return key_of(parse_metric(name))
    except UsageError:  # the name of a column of scores, perhaps
        return name
