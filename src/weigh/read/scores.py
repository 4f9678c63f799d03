"""Segment scores of systems by metrics that other programs have computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weigh.errors import InputError, UsageError
from weigh.read.inputs import file_names
from weigh.read.score_file import Score, ScoreColumn, ScoreFormat, read_score_file
from weigh.read.text import Frame, exists, is_line_number, quoted, read_texts, shown


@dataclass(frozen=True, slots=True)
class Missing:
    """How many of `segments` have no score, by metric and system; None stands for no score.

    A segment that one system has no score of is left out of all systems, and for all metrics:
    systems are compared on the same segments or not at all.
    """

    segments: int
    counts: Mapping[tuple[str, str], int]
    kept: tuple[int, ...]

    @classmethod
    def of(cls, columns: Mapping[tuple[str, str], Sequence[Any]]) -> Missing | None:
        """Look through columns by metric and system; return None if nothing is missing.

        >>> print(Missing.of({("comet", "A"): [0.5, None], ("comet", "B"): [0.1, 0.2]}))
        1 of 2 segments is left out for all systems, as scores are missing: comet of A 1
        """
        gaps = {
            key: [at for at, value in enumerate(column) if value is None]
            for key, column in columns.items()
        }
        out = {at for places in gaps.values() for at in places}
        if not out:
            return None
        segments = len(next(iter(columns.values())))
        kept = tuple(at for at in range(segments) if at not in out)
        if not kept:
            raise InputError(
                f"none of the {segments:,} segments has a score of every system; "
                "leave out the systems or metrics whose scores are missing"
            )
        return cls(segments, {key: len(places) for key, places in gaps.items() if places}, kept)

    def __str__(self) -> str:
        out = self.segments - len(self.kept)
        where = ", ".join(
            f"{shown(metric)} of {shown(system)} {count:,}"
            for (metric, system), count in self.counts.items()
        )
        verb = "is" if out == 1 else "are"
        return (
            f"{out:,} of {self.segments:,} segments {verb} left out for all systems, "
            f"as scores are missing: {where}"
        )

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers, from 1, of the segments that are left."""
        return tuple(at + 1 for at in self.kept)

    def keep(self, column: Sequence[Any]) -> tuple[Any, ...]:
        """Return what a column holds of the segments that are left."""
        return tuple(column[at] for at in self.kept)


_UNNAMED = "score"
_LOWER, _RATIO = "lower", "ratio"


@dataclass(frozen=True, slots=True)
class ScoreArgument:
    """A file of scores, the metric that they are by, and what it says of them.

    `lower` means that small scores are good, `ratio` that each is two numbers.
    """

    path: str
    metric: str = _UNNAMED
    lower: bool = False
    ratio: bool = False

    @classmethod
    def parse(cls, argument: str) -> ScoreArgument:
        """Read `path`, `METRIC=path` or `METRIC:lower:ratio=path`; an existing path wins.

        >>> ScoreArgument.parse("metricx:lower=out.jsonl")
        ScoreArgument(path='out.jsonl', metric='metricx', lower=True, ratio=False)
        """
        if exists(argument) or "=" not in argument:
            return cls(argument)
        name, _, path = argument.partition("=")
        metric, *options = name.split(":")
        if not metric or not path or not {_LOWER, _RATIO}.issuperset(options):
            raise UsageError(
                f"{shown(argument)}: no such file, and not METRIC=path, METRIC:lower=path or "
                "METRIC:ratio=path either"
            )
        return cls(path, metric, _LOWER in options, _RATIO in options)


@dataclass(frozen=True, slots=True)
class ScoreSet:
    """Scores by metric and system, all in one order of segments.

    `lower` names error metrics, `ratio` those whose scores are two numbers each. `missing` tells
    of the segments that were left out. Segments whose ids are numbers stand in their order.
    """

    scores: Mapping[str, Mapping[str, tuple[Score, ...]]]
    lower: tuple[str, ...] = ()
    ratio: tuple[str, ...] = ()
    missing: Missing | None = None
    ids: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None
    slices: tuple[str, ...] | None = None

    @property
    def segments(self) -> int:
        """The number of segments."""
        return len(next(iter(next(iter(self.scores.values())).values())))

    @property
    def numbers(self) -> tuple[int, ...] | None:
        """The numbers of segments that are left, from 1; None where all are."""
        if self.ids is not None and all(map(is_line_number, self.ids)):
            return tuple(map(int, self.ids))
        return None if self.missing is None else self.missing.numbers


def read_scores(
    arguments: Sequence[str],
    documents: str | None = None,
    slices: str | None = None,
    id_column: str | None = None,
    *,
    allow_missing: bool = False,
) -> ScoreSet:
    """Read score files, each `path`, `METRIC=path` or `METRIC:lower:ratio=path`, and labels.

    A file that names no systems holds the scores of one, which is called by the file's name less
    `.gz` and less `.METRIC`: `ours.comet` and `ours.metricx` are scores of `ours`. Scores are
    joined by segment where files name segments, else by order. All metrics need scores of the
    same systems, which stand in the order of the first. Labels are joined by order to scores
    without ids; ids are joined to them as numbers of lines. With `allow_missing`, segments without
    some score are left out.
    """
    if not arguments:
        raise UsageError("no scores given; name at least one file of segment scores")
    files = [ScoreArgument.parse(argument) for argument in arguments]
    lower, ratio = (_flags(files, flag) for flag in (_LOWER, _RATIO))
    columns = {
        metric: _of_metric(
            [file for file in files if file.metric == metric],
            metric,
            ScoreFormat(id_column, ratio[metric], allow_missing),
        )
        for metric in lower
    }
    for metric, systems in columns.items():
        lower[metric] = _is_lower(metric, lower[metric], systems.values())
    first_metric, first = next(iter(columns.items()))
    for metric, systems in columns.items():
        _check_systems(metric, systems, first_metric, first)
    frame = _frame(
        [column for systems in columns.values() for column in systems.values()], allow_missing
    )
    labels = {path: read_texts(path) for path in (documents, slices) if path is not None}
    for at, (path, lines) in enumerate(labels.items()):  # the first alone may tell of more segments
        frame = _numbered(frame, shown(path), len(lines), allow_missing and at == 0)
    joined = {
        (metric, system): join_scores(systems[system], frame, allow_missing=allow_missing)
        for metric, systems in columns.items()
        for system in first
    }
    missing = Missing.of(joined)
    keep: Callable[[Sequence[Any]], tuple[Any, ...]] = tuple if missing is None else missing.keep
    return ScoreSet(
        {metric: {system: keep(joined[metric, system]) for system in first} for metric in columns},
        tuple(metric for metric in lower if lower[metric]),
        tuple(metric for metric in ratio if ratio[metric]),
        missing,
        None if frame.ids is None else keep(frame.ids),
        None if documents is None else keep(labels[documents]),
        None if slices is None else keep(labels[slices]),
    )


def _flags(files: Sequence[ScoreArgument], flag: str) -> dict[str, bool]:
    """Return for every metric, in order of appearance, whether it is given with this flag."""
    flags: dict[str, bool] = {}
    for file in files:
        if flags.setdefault(file.metric, getattr(file, flag)) != getattr(file, flag):
            raise UsageError(
                f"{shown(file.metric)}: given with and without :{flag}; "
                "write it the same for every file"
            )
    return flags


def _is_lower(metric: str, asked: bool, columns: Iterable[ScoreColumn]) -> bool:
    """Return whether small scores are good: as is asked for, or as files say themselves."""
    said = {column.lower: column.label for column in columns}
    if asked and False in said:
        raise UsageError(
            f"{shown(metric)}:lower, but {said[False]} says that large scores are good; leave out "
            ":lower"
        )
    if True in said and len(said) > 1 and not asked:
        other = next(label for lower, label in said.items() if not lower)
        raise InputError(
            f"{said[True]}: small scores are good, which {other} does not say; name the metric "
            "METRIC:lower=path for both, or give files of one metric"
        )
    return asked or True in said


def _of_metric(
    files: Sequence[ScoreArgument], metric: str, form: ScoreFormat
) -> dict[str, ScoreColumn]:
    names = file_names([file.path for file in files])
    systems: dict[str, ScoreColumn] = {}
    for file, file_name in zip(files, names, strict=True):
        for column in read_score_file(file.path, form):
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


def _frame(columns: Sequence[ScoreColumn], allow_missing: bool) -> Frame:
    chosen = next((each for each in columns if each.ids is not None), columns[0])
    if chosen.ids is None or not allow_missing:
        ids = chosen.ids
    else:
        ids = tuple(dict.fromkeys(key for each in columns for key in each.ids or ()))
    if ids is None:
        return Frame(chosen.label, len(chosen.scores))
    if all(map(is_line_number, ids)):
        ids = tuple(sorted(ids, key=int))
    return Frame(chosen.label, len(ids), ids)


def _numbered(frame: Frame, label: str, lines: int, allow_missing: bool) -> Frame:
    """Return the frame whose segments are the lines of a file, which ids must be numbers of.

    Rows of scores have no order that could tell which line is theirs, as in WMT's files.
    """
    if frame.ids is None:
        frame.check_lines(label, lines)
        return frame
    other = next((key for key in frame.ids if not is_line_number(key)), None)
    if other is not None:
        raise InputError(
            f"{label}: has a label on each line, but {frame.label} has the segment "
            f"{quoted(other)}; number the segments from 1, as lines are"
        )
    numbers = tuple(map(str, range(1, lines + 1)))
    if allow_missing and int(frame.ids[-1]) <= lines:
        return Frame(label, lines, numbers)
    frame.check_lines(label, lines)
    if frame.ids != numbers:
        raise InputError(
            f"{label}: {lines:,} lines, but {frame.label} has the segment "
            f"{quoted(frame.ids[-1])}; number the segments from 1, as lines are"
        )
    return frame


def join_scores(
    column: ScoreColumn, frame: Frame, *, allow_missing: bool = False
) -> tuple[Score | None, ...]:
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
    known = set(frame.ids)
    extra = next((key for key in column.ids if key not in known), None)
    for key in frame.ids:
        if key not in found and not allow_missing:
            raise InputError(
                f"{column.label}: no score of the segment {quoted(key)}, but {frame.label} has "
                "one; give every system the same segments, or add --allow-missing"
            )
    if extra is not None:
        raise InputError(
            f"{column.label}: the segment {quoted(extra)} is not in {frame.label}; "
            "give every system the same segments"
        )
    return tuple(found.get(key) for key in frame.ids)
