"""Whatever people hold, measured: lists of texts, arrays of scores, tables and data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from weigh.comparing.measure import Measured, measure_scores, measure_texts
from weigh.errors import InputError, UsageError
from weigh.metrics.custom import Definition, as_metric
from weigh.metrics.registry import expand_metrics, told_apart
from weigh.read.roles import ALL, LOWER, Roles
from weigh.read.text import quoted, shown
from weigh.types import Metric, Outputs, System, TestSet

if TYPE_CHECKING:
    from weigh.engine.threads import Progress

# What is given as metrics: names such as "bleu,chrf", or objects.
Metrics = str | Sequence[str | Metric | Definition]
# What systems are given as; a data frame may be of any library.
Systems = Any
DEFAULT_METRICS = ("bleu", "chrf")
# What may be said of texts, and of arrays of scores, beside what holds for all: that some may be
# missing.
_OF_TEXTS = ("test_set", "metrics", "references", "sources", "documents", "slices")
_OF_SCORES = ("metric", "lower_is_better", "documents", "slices", "pass_at")
_ROLES = tuple(each.name for each in fields(Roles) if each.name != "without")


@dataclass(frozen=True, slots=True)
class Data:
    """What systems are scored on and how, beside the systems themselves.

    `columns`, `allow_missing` and `missing` are for tables and frames, `references` and `sources`
    for lists of texts, `lower_is_better` and `pass_at` for scores. `metric` is the name of arrays
    of scores, or one metric of texts, or a column of a table.
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

    @property
    def takes_texts(self) -> bool:
        """Whether there are texts for sure, so that metrics are known before they are read."""
        return self.test_set is not None or self.references is not None

    @property
    def all_documents(self) -> Sequence[str] | None:
        """The document of each segment, if that is known before texts are read."""
        if self.documents is not None or self.test_set is None:
            return self.documents
        return self.test_set.documents


def names_of(systems: Systems) -> list[str] | None:
    """Return the names of systems where they can be seen without reading anything."""
    if isinstance(systems, Mapping):
        return list(systems)
    if isinstance(systems, Sequence) and all(isinstance(one, System) for one in systems):
        return [system.name for system in systems]
    return None


def split_options(options: Mapping[str, Any], **given: Any) -> tuple[Data, dict[str, Any]]:
    """Part the names of columns and what else is said of data from other options.

    The column of metrics bears the name `metric`, as the name of a single array of scores does.
    """
    of_data = {each.name for each in fields(Data)} - {"columns"}
    data = {name: value for name, value in options.items() if name in of_data}
    columns = {
        name: value for name, value in options.items() if name in _ROLES and name not in data
    }
    rest = {name: value for name, value in options.items() if name not in {*columns, *data}}
    data |= {name: value for name, value in given.items() if value is not None}
    if isinstance(data.get("pass_at"), int):
        data["pass_at"] = (data["pass_at"],)
    found = Data(columns=Roles.of(**columns), **data)
    if found.takes_texts and found.metric is not None:
        if found.metrics is not None:
            raise UsageError("metric and metrics are given; name all metrics as metrics=[…]")
        found = replace(found, metrics=found.metric, metric=None)
    return found, rest


def measured_data(
    systems: Systems, data: Data, *, threads: int = 0, progress: Progress | None = None
) -> Measured:
    """Return the rows of systems that are given in any form.

    They are texts with a test set; or a mapping of names to lists of texts, with references; or one
    of names to arrays or series of segment scores (runs × segments where there are several runs);
    or the path of a table (or a list of paths, or of `NAME=path`), or a data frame, whose columns
    are named; or what has been measured.
    """
    if isinstance(systems, Measured):
        _refuse_others(data, (), "what has been measured before")
        return systems
    if isinstance(systems, PathLike):
        systems = fspath(systems)
    from weigh.read.columns import is_frame

    if isinstance(systems, str) or _are_paths(systems) or is_frame(systems):
        return _table(systems, data, threads, progress)
    if data.columns != Roles():
        role = next(iter(data.columns.named().values()), "lower")
        raise UsageError(f"{role} names a column, but there is no table or data frame")
    if isinstance(systems, Mapping):
        if not systems:
            raise InputError("no scores and no texts; give at least one system")
        if all(_are_texts(name, given, data) for name, given in systems.items()):
            data, columns = _in_one_order(systems, data)
            listed = [_system(name, columns[name]) for name in systems]
            return _measure_texts(listed, _test_set(data), data, threads, progress)
        return _scores(systems, data)
    if not isinstance(systems, Sequence) or not all(isinstance(one, System) for one in systems):
        raise InputError(
            f"systems are given as {type(systems).__name__}; give a mapping of their names to "
            "texts or scores, a data frame, the path of a table, or a list of System"
        )
    if not data.takes_texts:
        raise InputError("systems of texts need a test set, or references")
    data, _ = _in_one_order({"the systems": None}, data)
    return _measure_texts(systems, _test_set(data), data, threads, progress)


def known_metrics(metrics: Metrics | None) -> list[Metric]:
    """Return metrics that are given by name or as objects."""
    if metrics is None or isinstance(metrics, str):
        return expand_metrics([metrics] if metrics is not None else DEFAULT_METRICS)
    found: list[Metric] = []
    for metric in metrics:
        found += expand_metrics([metric]) if isinstance(metric, str) else [as_metric(metric)]
    return told_apart(found)


def _measure_texts(
    systems: Sequence[System],
    test_set: TestSet,
    data: Data,
    threads: int,
    progress: Progress | None,
) -> Measured:
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
    return measure_texts(systems, test_set, metrics, threads=threads, progress=progress)


def _table(systems: Any, data: Data, threads: int, progress: Progress | None) -> Measured:
    from weigh.comparing.table import Gaps, measure_table, read_table, read_tables

    columns = data.columns
    if data.metric is not None:
        columns = replace(columns, metric=data.metric)
    if data.test_set is not None:
        raise UsageError(
            "a test set is given beside a table, which has none; give several tables as one list "
            "of paths, and texts as {'A': [...], 'B': [...]}"
        )
    for name in ("references", "sources", "documents", "slices"):
        if getattr(data, name) is not None:
            raise UsageError(f"{name} stand in columns of the table; name them, as in slice='…'")
    read = read_tables if _are_paths(systems) else read_table
    table, roles, said = read(systems, columns, texts=data.metrics is not None)
    if data.lower_is_better:
        if roles.holds_texts:
            _refuse_others(data, _OF_TEXTS, "texts")
        roles = replace(roles, lower=(ALL,))
    measured = measure_table(
        table,
        roles,
        known_metrics(data.metrics) if roles.holds_texts else (),
        gaps=Gaps(data.allow_missing, data.missing),
        pass_at=data.pass_at,
        threads=threads,
        progress=progress,
    )
    return replace(measured, remarks=(*said, *measured.remarks))


def _are_paths(systems: Systems) -> bool:
    return (
        isinstance(systems, list | tuple)
        and bool(systems)
        and all(isinstance(each, str) for each in systems)
    )


def _scores(systems: Mapping[str, Any], data: Data) -> Measured:
    """Measure arrays or series of scores: by system, or by metric and system."""
    if data.test_set is not None or data.metrics:
        raise UsageError("arrays of scores need neither a test set nor metrics")
    _refuse_others(data, _OF_SCORES, "arrays of scores")
    by_metric = systems
    if not all(isinstance(given, Mapping) for given in systems.values()):
        by_metric = {data.metric or "score": systems}
    names = {name: str(name).removesuffix(LOWER) for name in by_metric}
    lower = [
        short for name, short in names.items() if data.lower_is_better or str(name).endswith(LOWER)
    ]
    if len({*names.values()}) < len(names):
        raise UsageError(f"two metrics are called {shown(lower[0])}; name them apart")
    by_metric = {names[name]: own for name, own in by_metric.items()}
    labels = {"documents": data.documents, "slices": data.slices}
    given = {
        (metric, name): scores for metric, own in by_metric.items() for name, scores in own.items()
    }
    aligned = _aligned(
        given | {(name,): value for name, value in labels.items() if _is_series(value)}
    )
    scores = {
        metric: {name: aligned[metric, name] for name in own} for metric, own in by_metric.items()
    }
    if data.pass_at:
        if lower:
            raise UsageError(f"pass@k is of scores that are to be high, not of {lower[0]}")
        scores = _passed(scores, data.pass_at)
    return measure_scores(
        scores,
        lower=lower,
        documents=aligned.get(("documents",), data.documents),
        slices=aligned.get(("slices",), data.slices),
    )


def _passed(
    scores: Mapping[str, Mapping[str, Any]], pass_at: Sequence[int]
) -> dict[str, dict[str, Any]]:
    """Return pass@k of arrays of runs × items, by metric and system."""
    import numpy as np

    from weigh.comparing.table import passed

    result: dict[str, dict[str, Any]] = {}
    for metric, own in scores.items():
        runs = {name: np.atleast_2d(np.asarray(each, np.float64)) for name, each in own.items()}
        for name, each in runs.items():
            for title, chances in passed({metric: each}, [name] * len(each), pass_at).items():
                title = title if len(scores) == 1 else f"{metric} {title}"
                result.setdefault(title, {})[name] = chances[0]
    return result


def _refuse_others(data: Data, taken: Sequence[str], what: str) -> None:
    """Refuse what is said of data and has no meaning for theirs, rather than ignore it."""
    nothing = Data()
    for name in (each.name for each in fields(Data)):
        value, usual = getattr(data, name), getattr(nothing, name)
        is_given = value is not None if usual is None else value != usual
        if is_given and name not in (*taken, "allow_missing"):
            raise UsageError(f"{name} says nothing of {what}; leave it out")


# Lists and series.


def _are_texts(name: str, given: Any, data: Data) -> bool:
    """Return whether what is given of a system are texts; a text that is none is found later."""
    if isinstance(given, str):
        raise InputError(
            f"{shown(name)}: one text; give a list of them, or the path of a table of all systems"
        )
    if isinstance(given, Outputs):
        return True
    if isinstance(given, Mapping) or not (isinstance(given, Sequence) or hasattr(given, "shape")):
        return False
    found = {isinstance(each, str) for each in given}
    return found == {True} or (data.takes_texts and True in found)


def _is_series(given: Any) -> bool:
    """Return whether something has an index, as pandas' series have."""
    return hasattr(given, "reindex") and hasattr(given, "index")


def _aligned(columns: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return series in the order of the first one's index, and all else as it is.

    Rows that belong together have the same label, wherever they stand.
    """
    series = {name: given for name, given in columns.items() if _is_series(given)}
    if not series:
        return dict(columns)
    first, frame = next(iter(series.items()))
    others = [name for name in columns if name not in series]
    if others and frame.index.tolist() != list(range(len(frame))):
        raise InputError(
            f"{_called(first)} has an index, but {_called(others[0])} has none to be paired "
            "by; give both as series, or both as arrays"
        )
    result = dict(columns)
    for name, given in series.items():
        called = _called(name)
        if given.index.has_duplicates:
            label = given.index[given.index.duplicated()][0]
            raise InputError(
                f"{called}: the label {quoted(str(label))} stands twice in its index; give every "
                "item one"
            )
        if given.index.equals(frame.index):
            result[name] = given.to_numpy()
            continue
        only = given.index.difference(frame.index, sort=False)
        lacks = frame.index.difference(given.index, sort=False)
        if len(only) or len(lacks):
            other = _called(first)
            has, label = (called, only[0]) if len(only) else (other, lacks[0])
            raise InputError(
                f"{called} and {other} have different indexes: only {has} has "
                f"{quoted(str(label))}; give all systems the same items, or arrays to pair them "
                "by position"
            )
        result[name] = given.reindex(frame.index).to_numpy()
    return result


def _called(column: Any) -> str:
    """Return what a message calls a column: the system's name, where it is by metric and system."""
    name = column if isinstance(column, str) else column[-1]
    return f"reference {name + 1}" if isinstance(name, int) else shown(name)


def _in_one_order(systems: Mapping[str, Any], data: Data) -> tuple[Data, dict[Any, Any]]:
    """Return systems, and what else there is of every segment, in the order of the first series."""
    given: dict[tuple[Any, ...], Any] = {
        (name,): getattr(data, name) for name in ("sources", "documents", "slices")
    }
    several = not _is_series(data.references) and isinstance(data.references, list | tuple)
    if several and data.references and not isinstance(data.references[0], str):
        given |= {("references", at): each for at, each in enumerate(data.references)}
    else:
        given[("references",)] = data.references
    series = {key: each for key, each in given.items() if _is_series(each)}
    columns = _aligned({**systems, **series})
    aligned = given | {key: columns[key] for key in series}
    references = [each for key, each in aligned.items() if len(key) > 1]
    return replace(
        data,
        sources=aligned[("sources",)],
        documents=aligned[("documents",)],
        slices=aligned[("slices",)],
        references=references or aligned.get(("references",)),
    ), columns


def _system(name: str, given: Any) -> System:
    if isinstance(given, Outputs):
        return System(name, given)
    texts = list(given)
    for at, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise InputError(
                f"{shown(name)}: the text of segment {at:,} is {text!r} and not a string; give one "
                "for every segment, an empty one where nothing was written"
            )
    return System(name, Outputs(texts))


def _test_set(data: Data) -> TestSet:
    """Return the test set of references that are given as one list of texts, or as several."""
    sources, given = data.sources, data.references
    if data.test_set is not None:
        if sources is not None or given is not None:
            raise UsageError(
                "a test set is given, which has references and sources; give them once"
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
