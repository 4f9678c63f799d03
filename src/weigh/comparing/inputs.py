"""Whatever people hold into a `Dataset`: files, logs, data frames, arrays and lists of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.comparing.dataset import Dataset, from_arrays, from_texts
from weigh.comparing.joining import (
    Filter,
    Gaps,
    chance_metric,
    filter_rows,
    from_table,
    pass_chances,
    texts_from_table,
)
from weigh.engine.executors import spreads
from weigh.errors import InputError, UsageError
from weigh.keywords import keywords
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.registry import expand_metrics, told_apart
from weigh.metrics.segment import Segment, SegmentMean
from weigh.read.inputs import find_system
from weigh.read.roles import ALL, LOWER, RATIO, ROLE_NAMES, Roles, parse_score
from weigh.read.table import Labels, Table, is_frame
from weigh.read.text import quoted, read_texts, shown
from weigh.result import warn_caller
from weigh.types import Metric, Outputs, System, TestSet

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from weigh.engine.threads import Progress

Metrics = str | Sequence[str | Metric | Definition]
"""Metrics by name, such as "bleu,chrf", or as objects."""
Systems = Any
"""What systems are given as; a data frame may be of any library."""
Columns = str | Sequence[str] | None
"""The name of a column, or the names of several."""
ByRole = Mapping[str, str | Sequence[str]]
"""Labels by role, such as {"system": ["A", "B"]}."""
DEFAULT_METRICS = ("bleu", "chrf")
# Which options apply to texts and to arrays of scores.
_OF_TEXTS = ("test_set", "metrics", "references", "sources", "documents", "slices", "choice")
_OF_SCORES = ("metric", "lower_is_better", "documents", "slices", "pass_at", "choice")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """How data are to be read, beside the data themselves.

    `columns`, `allow_missing` and `missing` apply to tables and frames, `references` and `sources`
    to lists of texts, `lower_is_better` and `pass_at` to scores. `metric` names arrays of scores,
    one metric of texts, or a column of a table. A table's systems must not have the texts of a
    reference, unless they are `kept_references`; None allows all.
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

    @property
    def takes_texts(self) -> bool:
        """Whether texts are certain, so that metrics are known before anything is read."""
        return self.test_set is not None or self.references is not None

    @property
    def all_documents(self) -> Sequence[str] | None:
        """The document of each segment, if that is known before texts are read."""
        if self.documents is not None or self.test_set is None:
            return self.documents
        return self.test_set.documents


def names_of(systems: Systems) -> list[str] | None:
    """The names of systems, where they can be seen without reading anything."""
    if isinstance(systems, Mapping):
        return list(systems)
    if isinstance(systems, Sequence) and all(isinstance(one, System) for one in systems):
        return [system.name for system in systems]
    return None


DATA_KEYWORDS = (
    *(
        each.name
        for each in fields(DataOptions)
        if each.name not in ("columns", "choice", "kept_references")
    ),
    *(role for role in (*ROLE_NAMES, LOWER) if role != "metric"),
    *("only", "without"),
)
"""The keywords of public functions that say how data are read.

`metric` is both the column of metrics and the name of a single array of scores.
"""


def data_options(keywords: Mapping[str, Any]) -> DataOptions:
    """The options about data among the keywords of a public function."""
    named = {name: keywords[name] for name in DATA_KEYWORDS if keywords.get(name) is not None}
    option_names = {option.name for option in fields(DataOptions)}
    options = {name: value for name, value in named.items() if name in option_names}
    columns = {
        name: value
        for name, value in named.items()
        if name in (*ROLE_NAMES, LOWER) and name not in option_names
    }
    choice = {
        name: _label_lists(name, named[name]) for name in ("only", "without") if named.get(name)
    }
    if "pass_at" in options:
        counts = options["pass_at"]
        options["pass_at"] = tuple(counts) if isinstance(counts, Sequence) else (counts,)
        if not all(isinstance(count, int) for count in options["pass_at"]):
            raise UsageError(f"pass_at {counts!r}; give a whole number, or several")
    data = DataOptions(columns=Roles.of(**columns), choice=Filter(**choice), **options)
    if data.takes_texts and data.metric is not None:
        if data.metrics is not None:
            raise UsageError("metric and metrics are given; name all metrics as metrics=[…]")
        data = replace(data, metrics=data.metric, metric=None)
    return data


def _label_lists(name: str, by_role: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(by_role, Mapping):
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
    """Read systems that are given in any form.

    They are texts with a test set; a mapping of names to lists of texts, with references; a
    mapping of names to arrays or series of scores (runs × items where there are several runs); the
    path of a table, a log or a folder of logs, or a list of paths or `NAME=path`; a data frame; or
    a dataset.
    """
    data = options or DataOptions()
    if isinstance(systems, Dataset):
        _refuse_others(data, (), "a dataset")
        return systems
    if isinstance(systems, Mapping):
        for name in systems:
            if not isinstance(name, str) or not name:
                raise InputError(f"a system is named {name!r}; name it by a text, such as 'A'")
    if isinstance(systems, PathLike):
        systems = fspath(systems)
    if isinstance(systems, str) or _are_paths(systems) or is_frame(systems):
        joined = _from_results(systems, data, threads, progress)
        warn_caller(joined.reading)
        return joined
    if data.columns != Roles():
        role = next(iter(data.columns.named().values()), "lower")
        raise UsageError(f"{role} names a column, but there is no table or data frame")
    if isinstance(systems, Mapping):
        if not systems:
            raise InputError("no scores and no texts; give at least one system")
        if all(_are_texts(name, given, data) for name, given in systems.items()):
            data, columns = _align_texts(systems, data)
            listed = [_system(name, columns[name]) for name in systems]
            return _from_texts(listed, _test_set(data), data, threads, progress)
        return _from_scores(systems, data)
    if not isinstance(systems, Sequence) or not all(
        isinstance(system, System) for system in systems
    ):
        raise InputError(
            f"systems are given as {type(systems).__name__}; give a mapping of their names to "
            "texts or scores, a data frame, the path of a table, or a list of System"
        )
    if not data.takes_texts:
        raise InputError("systems of texts need a test set, or references")
    data, _ = _align_texts({"the systems": None}, data)
    return _from_texts(systems, _test_set(data), data, threads, progress)


@spreads
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

    The keywords are those of `weigh.compare` about data.

    >>> import weigh
    >>> data = weigh.dataset({"A": [3, 5, 4, 6, 8], "B": [1, 4, 2, 6, 5]}, metric="points")
    >>> data.names, data.test_set.segments
    (('A', 'B'), 5)
    """
    return dataset_of(systems, data_options(locals()), threads=threads, progress=progress)


def known_metrics(metrics: Metrics | None) -> list[Metric]:
    """Metrics that are given by name or as objects."""
    if metrics is None or isinstance(metrics, str):
        return expand_metrics([metrics] if metrics is not None else DEFAULT_METRICS)
    listed: list[Metric] = []
    for metric in metrics:
        listed += expand_metrics([metric]) if isinstance(metric, str) else [as_metric(metric)]
    return told_apart(listed)


def _from_texts(
    systems: Sequence[System],
    test_set: TestSet,
    data: DataOptions,
    threads: int,
    progress: Progress | None,
) -> Dataset:
    _refuse_others(data, _OF_TEXTS, "texts")
    if data.documents is not None:
        test_set = replace(test_set, documents=tuple(map(str, data.documents)))
    if data.slices is not None:
        test_set = replace(test_set, slices=tuple(map(str, data.slices)))
    metrics = known_metrics(data.metrics)
    if systems and not test_set.references and not systems[0].references:
        needing = next((metric for metric in metrics if metric.needs_references), None)
        if needing is not None:
            raise InputError(f"{needing.name} needs references; give them as references=[…]")
    systems, test_set = filter_texts(systems, test_set, data.choice)
    return from_texts(systems, test_set, metrics, threads=threads, progress=progress)


def filter_texts(
    systems: Sequence[System], test_set: TestSet, choice: Filter
) -> tuple[Sequence[System], TestSet]:
    """The chosen systems, on the chosen slices and documents of the test set."""
    for role in choice.roles:
        if role == "system":
            kept = choice.kept(role, [system.name for system in systems])
            systems = [system for system, keep in zip(systems, kept, strict=True) if keep]
            continue
        labels = {"slice": test_set.slices, "document": test_set.documents}.get(role)
        if labels is None:
            raise UsageError(f"the test set has no {role}s, so none can be chosen")
        places = [at for at, keep in enumerate(choice.kept(role, labels)) if keep]
        test_set = test_set.part(places)
        systems = [system.part(places) for system in systems]
    return systems, test_set


def check_references(
    systems: Sequence[System], test_set: TestSet, kept_references: Sequence[str]
) -> None:
    """Reject a system that is identical to a reference, unless it is to be kept."""
    names = [system.name for system in systems]
    kept = {find_system(name, names) or name for name in kept_references}
    for system in systems:
        texts = tuple(system.outputs.texts)
        if system.name not in kept and any(tuple(own) == texts for own in test_set.references):
            raise UsageError(
                f"{system.name}: the same texts as a reference; leave it out, or compare it on "
                f"purpose with --keep-reference {system.name}"
            )


# Files and frames.


def naming_metrics(metrics: Metrics | None) -> list[Segment]:
    """`segment` without a file, which names scores that are given and their direction."""
    requested = [] if metrics is None else known_metrics(metrics)
    naming = [metric for metric in requested if isinstance(metric, Segment) and not metric.file]
    if naming and len(naming) < len(requested):
        raise UsageError(
            "segment without a file names the scores in a table, but other metrics score texts; "
            "give only one kind"
        )
    return naming


def _name_scores(table: Table, roles: Roles, naming: Sequence[Segment]) -> tuple[Table, Roles, str]:
    """Apply the names and directions of given scores; the third is the name of unnamed ones."""
    if len(naming) == 1:
        [only] = naming
        if roles.metric is not None and len(table.labels(roles.metric).names) == 1:
            table = table.with_label(roles.metric, only.name)
        elif roles.metric is not None:
            roles = replace(roles, chosen=(only.name,))
        return table, replace(roles, lower=(ALL,) if only.lower else roles.lower), only.name
    if naming and roles.metric is None:
        raise UsageError("several names for one column of scores; give one segment:name=…")
    if naming:
        lower = [metric.name for metric in naming if metric.lower]
        roles = replace(roles, chosen=tuple(metric.name for metric in naming), lower=tuple(lower))
    return table, roles, "score"


def _from_results(
    systems: Any, data: DataOptions, threads: int, progress: Progress | None
) -> Dataset:
    for name in ("test_set", "references", "sources"):
        if getattr(data, name) is not None:
            raise UsageError(
                f"{name} beside a table; give several tables as one list of paths, texts as "
                "{'A': [...], 'B': [...]}, and columns of texts by name"
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
        _refuse_others(data, (*_OF_TEXTS, "columns"), "texts")
        outputs, test_set = texts_from_table(filter_rows(table, roles, data.choice), roles)
        if data.kept_references is not None:
            check_references(outputs, test_set, data.kept_references)
        scored = from_texts(
            outputs, test_set, known_metrics(data.metrics), threads=threads, progress=progress
        )
        return replace(scored, reading=table.remarks)
    if texts:
        raise UsageError("metrics score texts, but the table holds scores; leave them out")
    for role, labels in (("document", data.documents), ("slice", data.slices)):
        if labels is not None:
            table, roles = _with_line_labels(table, roles, role, labels)
    table, roles, title = _name_scores(table, roles, naming)
    if data.lower_is_better:
        roles = replace(roles, lower=(ALL,))
    return from_table(
        table,
        roles,
        title=title,
        gaps=Gaps(data.allow_missing, data.missing),
        pass_at=data.pass_at,
        choice=data.choice,
    )


def _with_line_labels(
    table: Table, roles: Roles, role: str, labels: Sequence[str]
) -> tuple[Table, Roles]:
    """Add a label for each item, where items are numbered as lines are."""
    if getattr(roles, role) is not None or roles.item is None:
        raise UsageError(f"the table holds a column of {role}s; leave out --{role}s")
    items = table.filled(roles.item, "item")
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
    own = Labels.of(labels)
    column = f"({role})"
    columns = {**table.columns, column: Labels(own.codes[codes], own.names)}
    table = replace(table, columns=columns)
    if role == "slice":
        return table, replace(roles, slice=column)
    return table, replace(roles, document=column)


def read_labels(path: str | None) -> tuple[str, ...] | None:
    """The labels of a file, one on each line."""
    return None if path is None else read_texts(path)


def _are_paths(systems: Systems) -> bool:
    return (
        isinstance(systems, list | tuple)
        and bool(systems)
        and all(isinstance(path, str | PathLike) for path in systems)
    )


def _refuse_others(data: DataOptions, taken: Sequence[str], what: str) -> None:
    """Reject options that do not apply to this kind of data."""
    nothing = DataOptions()
    for name in (each.name for each in fields(DataOptions)):
        value, usual = getattr(data, name), getattr(nothing, name)
        is_given = value is not None if usual is None else value != usual
        if is_given and name not in (*taken, "allow_missing", "kept_references"):
            raise UsageError(f"{name} does not apply to {what}; leave it out")


# Arrays, lists and series.


def _from_scores(systems: Mapping[str, Any], data: DataOptions) -> Dataset:
    """Take arrays or series of scores: by system, or by metric and system."""
    if data.test_set is not None or data.metrics:
        raise UsageError("arrays of scores take no test set and no metrics; leave them out")
    _refuse_others(data, _OF_SCORES, "arrays of scores")
    by_metric = systems
    if not all(isinstance(arrays, Mapping) for arrays in systems.values()):
        by_metric = {data.metric or "score": systems}
    parsed = {name: parse_score(str(name)) for name in by_metric}
    names = {name: short for name, (short, _, _) in parsed.items()}
    lower = [short for short, is_lower, _ in parsed.values() if data.lower_is_better or is_lower]
    if len({*names.values()}) < len(names):
        raise UsageError(f"two metrics are called {shown(lower[0])}; rename one")
    arrays = {
        (names[metric], name): scores
        for metric, own in by_metric.items()
        for name, scores in own.items()
    }
    labels = {"documents": data.documents, "slices": data.slices}
    aligned = _align(
        arrays | {(name,): value for name, value in labels.items() if _is_series(value)}
    )
    scores = {
        names[metric]: {name: aligned[names[metric], name] for name in own}
        for metric, own in by_metric.items()
    }
    metrics = {
        short: SegmentMean(short, short not in lower, bounds)
        for short, _, bounds in parsed.values()
    }
    if data.pass_at:
        if lower:
            raise UsageError(f"pass@k needs scores where large is good, unlike {lower[0]}")
        scores = _array_chances(scores, data.pass_at)
        metrics = {name: chance_metric(name) for name in scores}
    if data.choice:
        scores = {
            metric: {
                name: own[name]
                for name, keep in zip(own, data.choice.kept("system", list(own)), strict=True)
                if keep
            }
            for metric, own in scores.items()
        }
    return from_arrays(
        scores,
        metrics,
        documents=aligned.get(("documents",), data.documents),
        slices=aligned.get(("slices",), data.slices),
    )


def _array_chances(
    scores: Mapping[str, Mapping[str, Any]], pass_at: Sequence[int]
) -> dict[str, dict[str, Any]]:
    """pass@k of arrays of runs × items, by metric and system."""
    result: dict[str, dict[str, Any]] = {}
    for metric, own in scores.items():
        for name, given in own.items():
            runs = np.atleast_2d(np.asarray(given, np.float64))
            for title, chances in pass_chances({metric: runs}, [name] * len(runs), pass_at).items():
                title = title if len(scores) == 1 else f"{metric} {title}"
                result.setdefault(title, {})[name] = chances[0]
    return result


def _are_texts(name: str, outputs: Any, data: DataOptions) -> bool:
    """Whether a system is given as texts; one that is not a string is found later."""
    if isinstance(outputs, str):
        raise InputError(
            f"{shown(name)}: one text; give a list of them, or the path of a table of all systems"
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
    """Whether something has an index, as pandas' series have."""
    return hasattr(values, "reindex") and hasattr(values, "index")


def _align(columns: Mapping[Any, Any]) -> dict[Any, Any]:
    """Series in the order of the first one's index, and all else as it is.

    Rows that belong together have the same label, wherever they stand.
    """
    series = {name: values for name, values in columns.items() if _is_series(values)}
    if not series:
        return dict(columns)
    first, frame = next(iter(series.items()))
    others = [name for name in columns if name not in series]
    if others and frame.index.tolist() != list(range(len(frame))):
        raise InputError(
            f"{_column_name(first)} has an index, but {_column_name(others[0])} has none to be "
            "paired by; give both as series, or both as arrays"
        )
    result = dict(columns)
    for name, values in series.items():
        called = _column_name(name)
        if values.index.has_duplicates:
            label = values.index[values.index.duplicated()][0]
            raise InputError(
                f"{called}: the label {quoted(str(label))} occurs twice in its index; give every "
                "item one"
            )
        if values.index.equals(frame.index):
            result[name] = values.to_numpy()
            continue
        extra = values.index.difference(frame.index, sort=False)
        lacking = frame.index.difference(values.index, sort=False)
        if len(extra) or len(lacking):
            other = _column_name(first)
            has, label = (called, extra[0]) if len(extra) else (other, lacking[0])
            raise InputError(
                f"{called} and {other} have different indexes: only {has} has "
                f"{quoted(str(label))}; give all systems the same items, or arrays to pair them "
                "by position"
            )
        result[name] = values.reindex(frame.index).to_numpy()
    return result


def _column_name(column: Any) -> str:
    """What a message calls a column: the system's name, where it is by metric and system."""
    name = column if isinstance(column, str) else column[-1]
    return f"reference {name + 1}" if isinstance(name, int) else shown(name)


def _align_texts(
    systems: Mapping[str, Any], data: DataOptions
) -> tuple[DataOptions, dict[Any, Any]]:
    """Systems, references, sources and labels in the order of the first series among them."""
    parts: dict[tuple[Any, ...], Any] = {
        (name,): getattr(data, name) for name in ("sources", "documents", "slices")
    }
    several = not _is_series(data.references) and isinstance(data.references, list | tuple)
    if several and data.references and not isinstance(data.references[0], str):
        parts |= {("references", at): part for at, part in enumerate(data.references)}
    else:
        parts[("references",)] = data.references
    series = {key: part for key, part in parts.items() if _is_series(part)}
    columns = _align({**systems, **series})
    aligned = parts | {key: columns[key] for key in series}
    references = [part for key, part in aligned.items() if len(key) > 1]
    return replace(
        data,
        sources=aligned[("sources",)],
        documents=aligned[("documents",)],
        slices=aligned[("slices",)],
        references=references or aligned.get(("references",)),
    ), columns


def _system(name: str, outputs: Any) -> System:
    if isinstance(outputs, Outputs):
        return System(name, outputs)
    texts = list(outputs)
    for at, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise InputError(
                f"{shown(name)}: the text of segment {at:,} is {text!r} and not a string; give one "
                "for every segment, an empty one where nothing was written"
            )
    return System(name, Outputs(texts))


def _test_set(data: DataOptions) -> TestSet:
    """The test set of references that are given as one list of texts, or as several."""
    sources, given = data.sources, data.references
    if data.test_set is not None:
        if sources is not None or given is not None:
            raise UsageError(
                "the test set already has references and sources; leave out the others"
            )
        return data.test_set
    references: list[Sequence[str]] = []
    if given is not None:
        if isinstance(given, str):
            raise InputError("references: one text; give a list of one for every segment")
        given = list(given)
        references = [given] if given and isinstance(given[0], str) else [list(r) for r in given]
        for number, texts in enumerate(references, 1):
            wrong = next((at for at, text in enumerate(texts) if not isinstance(text, str)), None)
            if wrong is not None:
                raise InputError(
                    f"reference {number}: segment {wrong + 1:,} is {texts[wrong]!r} and not a "
                    "string; give one text for every segment"
                )
    if not references and sources is None:
        raise InputError("lists of texts need references=[…], or sources=[…], or a test set")
    return TestSet(references, None if sources is None else list(sources))
