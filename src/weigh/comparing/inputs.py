"""Build a `Dataset` from any input: files, logs, data frames, arrays or lists of texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Integral
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.comparing.dataset import (
    Dataset,
    as_runs,
    direction_remarks,
    from_arrays,
    from_texts,
    map_arrays,
)
from weigh.comparing.joining import Filter, Gaps, from_table, texts_from_table
from weigh.comparing.pass_at import pass_at_k
from weigh.engine.executors import accepts_executor
from weigh.errors import InputError, UsageError
from weigh.keywords import keywords
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.registry import expand_metrics, with_distinct_keys
from weigh.metrics.segment import GivenMean, GivenScores, Segment
from weigh.read.inputs import find_system
from weigh.read.roles import ALL, LOWER, RATIO, ROLE_NAMES, Roles, parse_score
from weigh.read.table import Labels, Table, is_frame
from weigh.read.text import quoted, read_texts, shown
from weigh.result import warn_caller
from weigh.types import Metric, Outputs, System, TestSet

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from weigh.comparing.dataset import ScoreArrays
    from weigh.engine.threads import Progress

Metrics = str | Sequence[str | Metric | Definition]
"""Metrics by name, such as "bleu,chrf", or as objects."""
Systems = Any
"""Systems in any of the forms that `dataset_of` accepts."""
Columns = str | Sequence[str] | None
"""The name of a column, or the names of several."""
ByRole = Mapping[str, str | Sequence[str]]
"""Labels by role, such as {"system": ["A", "B"]}."""
DEFAULT_METRICS = ("bleu", "chrf")
_METRIC = "(metric)"
# Options that apply to texts, and to arrays of scores.
_OF_TEXTS = ("test_set", "metrics", "references", "sources", "documents", "slices", "choice")
_OF_SCORES = ("metric", "lower_is_better", "documents", "slices", "pass_at", "choice")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """Options that describe the data.

    `columns`, `allow_missing` and `missing` apply to tables and data frames, `references` and
    `sources` to lists of texts, `lower_is_better` and `pass_at` to scores. `metric` is the name of
    arrays of scores, a single metric for texts, or a column of a table. A system in a table whose
    texts equal a reference is an error, unless it is one of `kept_references`; None allows all.
    """

    test_set: TestSet | None = None
    metrics: Metrics | None = None
    references: Any = None
    sources: Sequence[str] | None = None
    documents: Sequence[str] | None = None
    slices: Sequence[str] | None = None
    metric: str | None = None
    lower_is_better: bool = False
    columns: Roles = field(default_factory=Roles)
    allow_missing: bool = False
    missing: float | None = None
    pass_at: Sequence[int] = ()
    choice: Filter = field(default_factory=Filter)
    kept_references: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if self.test_set is not None and not isinstance(self.test_set, TestSet):
            raise UsageError(
                f"test_set is of type {type(self.test_set).__name__}; give several tables as one "
                "list of paths, and texts as {'A': [...], 'B': [...]} with references=[...]"
            )

    @property
    def takes_texts(self) -> bool:
        """Whether the data must be texts, so that metrics can be checked before reading them."""
        return self.test_set is not None or self.references is not None

    @property
    def all_documents(self) -> Sequence[str] | None:
        """The document of each segment, if known before texts are read."""
        if self.documents is not None or self.test_set is None:
            return self.documents
        return self.test_set.documents


def names_of(systems: Systems) -> list[str] | None:
    """The names of the systems; None if data must be read to know them."""
    if isinstance(systems, Mapping):
        return list(systems)
    if isinstance(systems, Sequence) and all(isinstance(system, System) for system in systems):
        return [system.name for system in systems]
    return None


DATA_KEYWORDS = (
    *(
        option.name
        for option in fields(DataOptions)
        if option.name not in ("columns", "choice", "kept_references")
    ),
    *(role for role in (*ROLE_NAMES, LOWER) if role != "metric"),
    *("only", "without"),
)
"""The keywords of public functions that describe the data.

`metric` is either the column of metrics or the name of a single array of scores.
"""


def data_options(keywords: Mapping[str, Any]) -> DataOptions:
    """The data options among the keywords of a public function."""
    stated = {name: keywords[name] for name in DATA_KEYWORDS if keywords.get(name) is not None}
    choice = {
        name: _labels_by_role(name, stated.pop(name))
        for name in ("only", "without")
        if name in stated
    }
    columns = {
        role: stated.pop(role)
        for role in (*ROLE_NAMES, LOWER)
        if role in stated and role != "metric"
    }
    if "pass_at" in stated:
        counts = stated["pass_at"]
        stated["pass_at"] = tuple(counts) if isinstance(counts, Sequence) else (counts,)
        if not all(isinstance(k, Integral) and not isinstance(k, bool) for k in stated["pass_at"]):
            raise UsageError(f"pass_at {counts!r}; give a whole number, or several")
    data = DataOptions(columns=Roles.of(**columns), choice=Filter(**choice), **stated)
    if data.takes_texts and data.metric is not None:
        if data.metrics is not None:
            raise UsageError("both metric and metrics are given; name all metrics as metrics=[…]")
        data = replace(data, metrics=data.metric, metric=None)
    return data


def _labels_by_role(name: str, by_role: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(by_role, Mapping) or not all(
        isinstance(labels, Iterable) for labels in by_role.values()
    ):
        raise UsageError(f'{name}: give labels by role, such as {{"system": ["A", "B"]}}')
    return {
        role: (labels,) if isinstance(labels, str) else tuple(map(str, labels))
        for role, labels in by_role.items()
    }


def dataset_of(
    systems: Systems,
    options: DataOptions | None = None,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> Dataset:
    """Read systems in any form.

    These are a list of `System`s with a test set; a mapping of names to lists of texts, with
    references; a mapping of names to arrays or series of scores (runs × items for several runs);
    the path of a table, a log or a folder of logs, or a list of paths or `NAME=path`; a data frame;
    or a dataset.
    """
    data = options or DataOptions()
    if isinstance(systems, Dataset):
        _reject_others(data, (), "a dataset")
        return systems
    if isinstance(systems, PathLike):
        systems = fspath(systems)
    if isinstance(systems, str) or _are_paths(systems) or is_frame(systems):
        joined = _from_results(systems, data, threads, progress)
        warn_caller(joined.reading)
        return joined
    if data.columns != Roles():
        role = next(iter(data.columns.by_column().values()), "lower")
        raise UsageError(f"{role} names a column, but the data is not a table or data frame")
    if isinstance(systems, Mapping):
        _check_names(systems)
        if not all(_are_texts(name, outputs, data) for name, outputs in systems.items()):
            return _from_scores(systems, data)
        columns, data = _align({(name,): outputs for name, outputs in systems.items()}, data)
        listed = [_system(name, outputs) for (name,), outputs in columns.items()]
        return _from_texts(listed, data, threads, progress)
    if not isinstance(systems, Sequence) or not all(
        isinstance(system, System) for system in systems
    ):
        raise InputError(
            f"systems are given as {type(systems).__name__}; give a mapping of their names to "
            "texts or scores, a data frame, the path of a table, or a list of System"
        )
    if not data.takes_texts:
        raise InputError("systems with texts need a test set or references")
    _, data = _align({("the systems",): None}, data)
    return _from_texts(systems, data, threads, progress)


def _check_names(systems: Mapping[Any, Any]) -> None:
    if not systems:
        raise InputError("no scores and no texts; give at least one system")
    for name in systems:
        if not isinstance(name, str) or not name:
            raise InputError(
                f"a system is named {name!r}; give it a nonempty string as a name, such as 'A'"
            )


@accepts_executor
@keywords()
def dataset(
    systems: Systems,
    test_set: TestSet | None = None,
    metrics: Metrics | None = None,
    *,
    references: Any = None,
    sources: Sequence[str] | None = None,
    documents: Sequence[str] | None = None,
    slices: Sequence[str] | None = None,
    lower_is_better: bool = False,
    allow_missing: bool = False,
    missing: float | None = None,
    pass_at: int | Sequence[int] = (),
    only: ByRole | None = None,
    without: ByRole | None = None,
    system: Columns = None,
    item: str | None = None,
    score: Columns = None,
    run: str | None = None,
    slice: str | None = None,
    set: str | None = None,
    document: str | None = None,
    metric: str | None = None,
    direction: str | None = None,
    hypothesis: str | None = None,
    reference: Columns = None,
    source: str | None = None,
    extra: Columns = None,
    lower: Columns = None,
    threads: int = 0,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Dataset:
    """Read systems once, for several calls of `weigh.compare` and `weigh.score`.

    The keywords are those of `weigh.compare` that describe the data.

    >>> import weigh
    >>> data = weigh.dataset({"A": [3, 5, 4, 6, 8], "B": [1, 4, 2, 6, 5]}, metric="points")
    >>> data.names, data.test_set.segments
    (('A', 'B'), 5)
    """
    return dataset_of(systems, data_options(locals()), threads=threads, progress=progress)


def resolve_metrics(metrics: Metrics | None) -> list[Metric]:
    """Resolve metrics given by name or as objects."""
    if metrics is None or isinstance(metrics, str):
        return expand_metrics([metrics] if metrics is not None else DEFAULT_METRICS)
    if not isinstance(metrics, Iterable):
        raise UsageError(f"metrics {metrics!r}; give names, such as 'bleu,chrf', or a list")
    listed: list[Metric] = []
    for metric in metrics:
        listed += expand_metrics([metric]) if isinstance(metric, str) else [as_metric(metric)]
    return with_distinct_keys(listed)


# Texts.


def _from_texts(
    systems: Sequence[System], data: DataOptions, threads: int, progress: Progress | None
) -> Dataset:
    _reject_others(data, _OF_TEXTS, "texts")
    test_set = replace(_test_set(data), **_labels_of_items(data))
    metrics = resolve_metrics(data.metrics)
    if systems and not test_set.references and not systems[0].references:
        needing = next((metric for metric in metrics if metric.needs_references), None)
        if needing is not None:
            raise InputError(f"{needing.name} needs references; give them as references=[…]")
    systems, test_set = filter_texts(systems, test_set, data.choice)
    return from_texts(systems, test_set, metrics, threads=threads, progress=progress)


def _system(name: str, outputs: Any) -> System:
    if isinstance(outputs, Outputs):
        return System(name, outputs)
    return System(name, Outputs(_as_texts(shown(name), outputs)))


def _test_set(data: DataOptions) -> TestSet:
    """The test set; references may be one list of texts or several lists."""
    sources, references = data.sources, data.references
    if data.test_set is not None:
        if sources is not None or references is not None:
            raise UsageError(
                "a test set includes its references and sources; leave out references= and sources="
            )
        return data.test_set
    if not _are_several(references):
        several = [] if references is None else [_as_texts("references", references)]
    else:
        several = [_as_texts(f"reference {at}", texts) for at, texts in enumerate(references, 1)]
    if not any(map(len, several)) and sources is None:
        raise InputError("lists of texts need references=[…], or sources=[…], or a test set")
    return TestSet(several, None if sources is None else _as_texts("sources", sources))


def _are_several(references: Any) -> bool:
    """Whether references are several lists of texts instead of one."""
    return (
        isinstance(references, list | tuple)
        and bool(references)
        and not isinstance(references[0], str)
    )


def _as_texts(what: str, texts: Any) -> list[str]:
    """Texts as a list of strings; raise InputError for other values."""
    listed = _as_list(what, texts, "text")
    for at, text in enumerate(listed, 1):
        if not isinstance(text, str):
            raise InputError(
                f"{what}: segment {at:,} is {text!r}, not a string; give one text for every "
                "segment, an empty one for empty output"
            )
    return listed


def _labels_of_items(data: DataOptions) -> dict[str, Any]:
    """The labels of documents and slices as strings; a missing one raises InputError."""
    labels = {}
    for name in ("documents", "slices"):
        if getattr(data, name) is not None:
            listed = _as_list(name, getattr(data, name), "label")
            for at, label in enumerate(listed, 1):
                if label is None or type(label).__name__ in ("NAType", "NaTType") or label != label:
                    raise InputError(f"{name}: item {at:,} has no label; give one for every item")
            labels[name] = tuple(map(str, listed))
    return labels


def _as_list(what: str, values: Any, noun: str) -> list[Any]:
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        kind = f"one {noun}" if isinstance(values, str) else f"of type {type(values).__name__}"
        raise InputError(f"{what}: {kind}; give a list of one {noun} for every segment")
    return list(values)


def filter_texts(
    systems: Sequence[System], test_set: TestSet, choice: Filter
) -> tuple[Sequence[System], TestSet]:
    """Filter the systems, and the slices and documents of the test set."""
    kept = choice.keeps("system", [system.name for system in systems])
    systems = [system for system, keep in zip(systems, kept, strict=True) if keep]
    labels = {"slice": test_set.slices, "document": test_set.documents}
    places = choice.items(len(test_set), labels)
    if len(places) < len(test_set):
        test_set = test_set.part(places)
        systems = [system.part(places) for system in systems]
    return systems, test_set


def check_references(
    systems: Sequence[System], test_set: TestSet, kept_references: Sequence[str]
) -> None:
    """Reject a system that equals a reference, unless it is in `kept_references`."""
    names = [system.name for system in systems]
    kept = {find_system(name, names) or name for name in kept_references}
    for system in systems:
        texts = tuple(system.outputs.texts)
        if system.name not in kept and any(
            tuple(reference) == texts for reference in test_set.references
        ):
            raise UsageError(
                f"{system.name} has the same texts as a reference; leave it out, or compare it on "
                f"purpose with --keep-reference {system.name}"
            )


# Files and frames.


def naming_metrics(metrics: Metrics | None) -> list[Segment]:
    """The `segment` metrics without a file, which name the scores in a table."""
    requested = [] if metrics is None else resolve_metrics(metrics)
    naming = [metric for metric in requested if isinstance(metric, Segment) and not metric.file]
    if naming and len(naming) < len(requested):
        raise UsageError(
            "segment without a file names the scores in a table, but other metrics score texts; "
            "give only one kind"
        )
    return naming


def _name_scores(table: Table, roles: Roles, naming: Sequence[Segment]) -> tuple[Table, Roles]:
    """Apply the names and directions of `segment` metrics to the scores of a table."""
    if not naming:
        return table, roles
    names = tuple(metric.name for metric in naming)
    lower = tuple(metric.name for metric in naming if metric.lower)
    if roles.metric is None or len(table.labels(roles.metric).names) == 1:
        if len(names) > 1 or (len(roles.score) > 1 and roles.score != RATIO):
            raise UsageError(
                "segment:name=… names one column of scores; give one name, and one score column"
            )
        roles = replace(roles, metric=roles.metric or _METRIC)
        table = table.with_label(str(roles.metric), names[0])
    return table, replace(roles, chosen=names, lower=(*roles.lower, *lower))


def _from_results(
    systems: Any, data: DataOptions, threads: int, progress: Progress | None
) -> Dataset:
    for name in ("test_set", "references", "sources"):
        if getattr(data, name) is not None:
            raise UsageError(
                f"{name} does not apply to a table; give several tables as one list of paths, "
                "texts as {'A': [...], 'B': [...]}, and columns of texts by name"
            )
    from weigh.read.results import read_frame_results, read_results

    naming = naming_metrics(data.metrics)
    texts = data.metrics is not None and not naming
    columns = data.columns
    if data.metric is not None:
        columns = replace(columns, metric=data.metric)
    if any(metric.ratio for metric in naming) and not columns.score:
        columns = replace(columns, score=RATIO)
    if is_frame(systems):
        for name in ("documents", "slices"):
            if getattr(data, name) is not None:
                raise UsageError(
                    f"a data frame has its {name} in a column; name it with {name[:-1]}='COL'"
                )
        table, roles = read_frame_results(systems, columns, texts=texts)
    else:
        files = [systems] if isinstance(systems, str) else list(systems)
        table, roles = read_results(files, columns, texts=texts)
    if roles.holds_texts:
        _reject_others(data, (*_OF_TEXTS, "columns"), "texts")
        outputs, test_set = texts_from_table(table, roles, data.choice)
        if data.kept_references is not None:
            check_references(outputs, test_set, data.kept_references)
        scored = from_texts(
            outputs, test_set, resolve_metrics(data.metrics), threads=threads, progress=progress
        )
        return replace(scored, reading=table.remarks)
    if texts:
        raise UsageError("metrics score texts, but the table has scores; leave out the metrics")
    for role, labels in (("document", data.documents), ("slice", data.slices)):
        if labels is not None:
            table, roles = _with_line_labels(table, roles, role, labels)
    table, roles = _name_scores(table, roles, naming)
    if data.lower_is_better:
        roles = replace(roles, lower=(ALL,))
    return from_table(
        table,
        roles,
        gaps=Gaps(data.allow_missing, data.missing),
        pass_at=data.pass_at,
        choice=data.choice,
    )


def _with_line_labels(
    table: Table, roles: Roles, role: str, labels: Sequence[str]
) -> tuple[Table, Roles]:
    """Add labels from a list or file with one label per item, by item number."""
    if getattr(roles, role) is not None or roles.item is None:
        raise UsageError(f"the table already has a column of {role}s; leave out --{role}s")
    items = table.required_labels(roles.item, "item")
    expected = {str(at) for at in range(1, len(labels) + 1)}
    unknown = next((name for name in items.names if name not in expected), None)
    if unknown is not None or len(items.names) < len(labels):
        content = (
            f"item {quoted(unknown)}" if unknown is not None else f"{len(items.names):,} items"
        )
        raise InputError(
            f"{len(labels):,} labels of {role}s, but {table.name} has {content}; give one label "
            "for every item, and number items from 1"
        )
    codes = np.array([int(name) - 1 for name in items.names], np.int64)[items.codes]
    label_column = Labels.of(labels)
    column = f"({role})"
    columns = {**table.columns, column: Labels(label_column.codes[codes], label_column.names)}
    table = replace(table, columns=columns)
    if role == "slice":
        return table, replace(roles, slice=column)
    return table, replace(roles, document=column)


def read_labels(path: str | None) -> tuple[str, ...] | None:
    """Read labels from a file, one per line."""
    return None if path is None else read_texts(path)


def _are_paths(systems: Systems) -> bool:
    return (
        isinstance(systems, list | tuple)
        and bool(systems)
        and all(isinstance(path, str | PathLike) for path in systems)
    )


def _reject_others(data: DataOptions, taken: Sequence[str], what: str) -> None:
    """Reject options that do not apply to this kind of data."""
    defaults = DataOptions()
    for name in (option.name for option in fields(DataOptions)):
        value, default = getattr(data, name), getattr(defaults, name)
        is_set = value is not None if default is None else value != default
        if is_set and name not in (*taken, "allow_missing", "kept_references"):
            raise UsageError(f"{name} does not apply to {what}; leave it out")


# Arrays, lists and series.


def _from_scores(systems: Mapping[str, Any], data: DataOptions) -> Dataset:
    """A dataset of arrays or series of scores: by system, or by metric and system."""
    if data.test_set is not None or data.metrics:
        raise UsageError("arrays of scores take no test set and no metrics; leave them out")
    _reject_others(data, _OF_SCORES, "arrays of scores")
    by_metric = systems
    if not all(isinstance(arrays, Mapping) for arrays in systems.values()):
        by_metric = {data.metric or "score": systems}
    columns: _Columns = {
        (title, name): arrays[name] for title, arrays in by_metric.items() for name in arrays
    }
    aligned, data = _align(columns, data)
    labels = _labels_of_items(data)
    scores: ScoreArrays = {}
    metrics: dict[str, GivenScores] = {}
    for title, arrays in by_metric.items():
        _check_names(arrays)
        metric, is_lower, bounds = parse_score(title)
        if metric in metrics:
            raise UsageError(f"two metrics are called {shown(metric)}; rename one")
        metrics[metric] = GivenMean(metric, not (is_lower or data.lower_is_better), bounds)
        kept = data.choice.keeps("system", list(arrays))
        names = [name for name, keep in zip(arrays, kept, strict=True) if keep]
        scores[metric] = {name: as_runs(name, aligned[title, name]) for name in names}
    if data.pass_at:
        scores, metrics = pass_at_k(scores, metrics, data.pass_at)
    remarks = tuple(direction_remarks(metrics.values()))
    everything = from_arrays(scores, metrics, **labels, remarks=remarks)
    size = everything.test_set.segments
    by_role = {"slice": everything.slices, "document": everything.documents}
    items = data.choice.items(size, by_role)
    if len(items) == size:
        return everything
    return from_arrays(
        map_arrays(scores, lambda runs: runs[:, items]),
        metrics,
        numbers=tuple(at + 1 for at in items),
        remarks=remarks,
        **{name: [column[at] for at in items] for name, column in labels.items()},
    )


def _are_texts(name: str, outputs: Any, data: DataOptions) -> bool:
    """Whether a system's outputs are texts; single values that are not are reported later."""
    if isinstance(outputs, str):
        raise InputError(
            f"{shown(name)}: one text; give a list of texts, or the path of a table of all systems"
        )
    if isinstance(outputs, Outputs):
        return True
    if isinstance(outputs, Mapping) or not (
        isinstance(outputs, Sequence) or hasattr(outputs, "shape")
    ):
        return False
    are_strings = {isinstance(output, str) for output in outputs}
    return are_strings == {True} or (data.takes_texts and True in are_strings)


def _is_series(values: Any) -> bool:
    """Whether an object has an index, like a pandas series."""
    return hasattr(values, "reindex") and hasattr(values, "index")


_Columns = dict[tuple[str, ...], Any]  # the last part of a key names the column in messages


def _align(systems: _Columns, data: DataOptions) -> tuple[_Columns, DataOptions]:
    """Reorder all series by the index of the first one; leave other data unchanged.

    Series are matched by index labels, not by position.
    """
    options: _Columns = {
        (name,): getattr(data, name) for name in ("sources", "documents", "slices", "references")
    }
    if _are_several(data.references):
        options |= {
            ("references", f"reference {at}"): texts for at, texts in enumerate(data.references, 1)
        }
    series = {key: column for key, column in (systems | options).items() if _is_series(column)}
    if not series:
        return systems, data
    first = next(iter(series))
    index = series[first].index
    other = next((key for key in systems if key not in series), None)
    if other is not None and index.tolist() != list(range(len(index))):
        raise InputError(
            f"{shown(first[-1])} has an index, but {shown(other[-1])} has none; give both as "
            "series, or both as arrays"
        )
    aligned = {key: _reindex(key, column, first, index) for key, column in series.items()}
    changed = {
        key[0]: values for key, values in aligned.items() if key in options and len(key) == 1
    }
    if _are_several(data.references):
        several = [key for key in options if len(key) > 1]
        changed["references"] = [aligned.get(key, options[key]) for key in several]
    columns = {key: aligned.get(key, column) for key, column in systems.items()}
    return columns, replace(data, **changed)


def _reindex(key: tuple[str, ...], values: Any, first: tuple[str, ...], index: Any) -> Any:
    """The values of a series, reordered by the index of the first one."""
    name, other = shown(key[-1]), shown(first[-1])
    if values.index.has_duplicates:
        label = values.index[values.index.duplicated()][0]
        raise InputError(
            f"{name}: the label {quoted(str(label))} occurs twice in its index; give every item "
            "a different label"
        )
    if values.index.equals(index):
        return values.to_numpy()
    extra = values.index.difference(index, sort=False)
    lacking = index.difference(values.index, sort=False)
    if len(extra) or len(lacking):
        owner, label = (name, extra[0]) if len(extra) else (other, lacking[0])
        raise InputError(
            f"{name} and {other} have different indexes: only {owner} has {quoted(str(label))}; "
            "give all systems the same items, or arrays to pair them by position"
        )
    return values.reindex(index).to_numpy()
