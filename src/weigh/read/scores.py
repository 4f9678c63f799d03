"""Segment scores of systems by metrics that other programs have computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weigh.errors import InputError, UsageError
from weigh.read.argument import file_names
from weigh.read.lines import read_texts
from weigh.read.score_file import ScoreColumn, read_score_file
from weigh.read.stream import exists, quoted, shown
from weigh.read.textset import Frame

_UNNAMED = "score"
_LOWER = "lower"


@dataclass(frozen=True, slots=True)
class ScoreArgument:
    """A file of scores, the metric that they are by, and whether small ones are good."""

    path: str
    metric: str = _UNNAMED
    lower: bool = False

    @classmethod
    def parse(cls, argument: str) -> ScoreArgument:
        """Read `path`, `METRIC=path` or `METRIC:lower=path`; an existing path wins.

        >>> ScoreArgument.parse("metricx:lower=out.jsonl")
        ScoreArgument(path='out.jsonl', metric='metricx', lower=True)
        """
        if exists(argument) or "=" not in argument:
            return cls(argument)
        name, _, path = argument.partition("=")
        metric, colon, option = name.partition(":")
        if not metric or not path or (colon and option != _LOWER):
            raise UsageError(
                f"{shown(argument)}: no such file, and not METRIC=path or METRIC:lower=path either"
            )
        return cls(path, metric, bool(colon))


@dataclass(frozen=True, slots=True)
class ScoreSet:
    """Scores by metric and system, all in one order of segments; `lower` names error metrics."""

    scores: Mapping[str, Mapping[str, tuple[float, ...]]]
    lower: tuple[str, ...] = ()
    ids: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None
    slices: tuple[str, ...] | None = None

    @property
    def segments(self) -> int:
        """The number of segments."""
        return len(next(iter(next(iter(self.scores.values())).values())))


def read_scores(
    arguments: Sequence[str],
    documents: str | None = None,
    slices: str | None = None,
    id_column: str | None = None,
) -> ScoreSet:
    """Read score files, each `path`, `METRIC=path` or `METRIC:lower=path`, and labels.

    A file that names no systems holds the scores of one, which is called by the file's name less
    `.gz` and less `.METRIC`: `ours.comet` and `ours.metricx` are scores of `ours`. Scores are
    joined by segment where files name segments, else by order. All metrics need scores of the
    same systems, which stand in the order of the first.
    """
    if not arguments:
        raise UsageError("no scores given; name at least one file of segment scores")
    files = [ScoreArgument.parse(argument) for argument in arguments]
    lower = _directions(files)
    columns = {
        metric: _of_metric([file for file in files if file.metric == metric], metric, id_column)
        for metric in lower
    }
    first_metric, first = next(iter(columns.items()))
    for metric, systems in columns.items():
        _check_systems(metric, systems, first_metric, first)
    frame = _frame([column for systems in columns.values() for column in systems.values()])
    scores = {
        metric: {system: _join(systems[system], frame) for system in first}
        for metric, systems in columns.items()
    }
    return ScoreSet(
        scores,
        tuple(metric for metric, small_is_good in lower.items() if small_is_good),
        None if frame.ids is None else tuple(frame.ids),
        None if documents is None else _labels(documents, frame),
        None if slices is None else _labels(slices, frame),
    )


def _directions(files: Sequence[ScoreArgument]) -> dict[str, bool]:
    """Return for every metric, in order of appearance, whether small scores are good."""
    lower: dict[str, bool] = {}
    for file in files:
        if lower.setdefault(file.metric, file.lower) != file.lower:
            raise UsageError(
                f"{shown(file.metric)}: given with and without :{_LOWER}; "
                "write it the same for every file"
            )
    return lower


def _of_metric(
    files: Sequence[ScoreArgument], metric: str, id_column: str | None
) -> dict[str, ScoreColumn]:
    names = file_names([file.path for file in files])
    systems: dict[str, ScoreColumn] = {}
    for file, file_name in zip(files, names, strict=True):
        for column in read_score_file(file.path, id_column):
            name = column.name if column.name is not None else _less_metric(file_name, metric)
            if name in systems:
                raise UsageError(
                    f"{column.label}: scores of {shown(name)} by {shown(metric)} were given by "
                    f"{systems[name].label} already; name another metric by METRIC=path"
                )
            systems[name] = column
    return systems


def _less_metric(name: str, metric: str) -> str:
    ending = f".{metric}"
    if len(name) > len(ending) and name.lower().endswith(ending.lower()):
        return name[: -len(ending)]
    return name


def _check_systems(
    metric: str,
    systems: Mapping[str, ScoreColumn],
    first_metric: str,
    first: Mapping[str, ScoreColumn],
) -> None:
    for missing, of, other in (
        (first.keys() - systems.keys(), metric, first_metric),
        (systems.keys() - first.keys(), first_metric, metric),
    ):
        if missing:
            raise InputError(
                f"{shown(of)}: no scores of {quoted(min(missing))}, but {shown(other)} has them; "
                "give every metric the same systems"
            )


def _frame(columns: Sequence[ScoreColumn]) -> Frame:
    chosen = next((each for each in columns if each.ids is not None), columns[0])
    return Frame(chosen.label, len(chosen.scores), chosen.ids)


def _join(column: ScoreColumn, frame: Frame) -> tuple[float, ...]:
    """Return the scores in the frame's order, one for every segment."""
    if frame.ids is None:
        if len(column.scores) != frame.size:
            remedy = (
                "look for a missing last line"
                if len(column.scores) == frame.size - 1
                else "check that both belong to one test set"
            )
            raise InputError(
                f"{column.label}: {len(column.scores):,} scores, but {frame.label} has "
                f"{frame.size:,}; {remedy}"
            )
        return column.scores
    if column.ids is None:
        raise InputError(
            f"{column.label}: scores without segment ids, but {frame.label} is joined by id; "
            "give all with ids or all without"
        )
    if column.ids == frame.ids:
        return column.scores
    found = dict(zip(column.ids, column.scores, strict=True))
    for key in frame.ids:
        if key not in found:
            raise InputError(
                f"{column.label}: no score of the segment {quoted(key)}, but {frame.label} has "
                "one; give every system the same segments"
            )
    if len(found) > frame.size:
        known = set(frame.ids)
        extra = next(key for key in column.ids if key not in known)
        raise InputError(
            f"{column.label}: the segment {quoted(extra)} is not in {frame.label}; "
            "give every system the same segments"
        )
    return tuple(found[key] for key in frame.ids)


def _labels(path: str, frame: Frame) -> tuple[str, ...]:
    labels = read_texts(path)
    frame.check_lines(shown(path), len(labels))
    return labels
