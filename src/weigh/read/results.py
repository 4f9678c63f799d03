"""Results of systems into one table with roles: tables, logs, folders of logs, files of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.errors import InputError, UsageError, WeighError, did_you_mean, plural
from weigh.read.formats import Format, find_format, read_folder, stack_logs
from weigh.read.inputs import FileArgument, name_systems
from weigh.read.log_stack import required_metrics
from weigh.read.plain import FRAME, is_table, read_frame, read_plain
from weigh.read.roles import RATIO, Roles, find_roles
from weigh.read.table import Labels, Table, stack
from weigh.read.text import STDIN, ending, file_labels, quoted, shown

if TYPE_CHECKING:
    from weigh.read.columns import Head, Kind

FILE = "(file)"
"""The column of systems where files are called after them."""
_RUN = "(run)"
# Endings that say nothing about the scores.
_NO_TITLES = ("", "txt", "score", "scores", "out", "json", "jsonl", "tsv", "seg")


def read_results(
    files: Sequence[str],
    stated: Roles,
    *,
    texts: bool = False,
    one_system: bool = False,
) -> tuple[Table, Roles]:
    """Read tables, logs, folders of logs or files of scores into one table, with its roles.

    A file is a path, `NAME=path` for one system, or `NAME@RUN=path` for one of its runs. A file
    that names no system is named after the file, if there are several files or `one_system` is
    expected.
    """
    arguments = [FileArgument.parse(file) for file in files]
    twice = next((other for at, other in enumerate(arguments) if other in arguments[:at]), None)
    if twice is not None:
        raise UsageError(
            f"{shown(twice.path)}: given twice; leave one out, or name runs with NAME@RUN="
        )
    names = name_systems([argument.path for argument in arguments])
    labels = file_labels(argument.path for argument in arguments)
    logs: list[Table] = []
    score_files: list[Table] = []
    tables: list[tuple[Table, Roles]] = []
    for argument, name in zip(arguments, names, strict=True):
        path = argument.path
        is_folder = Path(path).is_dir()
        file_format = None if is_folder else find_format(path)
        if texts and file_format is not None:
            _check_has_texts(path, file_format)
            file_format = None
        if is_folder:
            logs.append(_rename(read_folder(path), argument))
        elif file_format is None:
            needs_name = one_system or len(files) > 1
            table, roles = _plain_table(argument, name, stated, texts, one_system, needs_name)
            tables.append((_relabel(table, labels[path]), roles))
        elif file_format.is_log:
            logs.append(_rename(_relabel(file_format.read(path), labels[path]), argument))
        else:
            score_files.append(file_format.read(path))
            tables.append(_score_file(score_files[-1], argument, name))
    _check_equally_many(score_files)
    if logs and tables:
        raise InputError(
            f"{tables[0][0].name}: not a log, unlike {logs[0].name}; compare them separately"
        )
    if logs:
        table = stack_logs(logs)
        if not stated.score:
            table = required_metrics(table)
        return table, _log_roles(table, stated)
    first = tables[0][1]
    for table, roles in tables[1:]:
        if replace(roles, lower=first.lower) != first:
            raise InputError(
                f"{table.name}: its columns differ from those of {tables[0][0].name}; give "
                "tables with the same columns, or name them with --columns"
            )
    name = f"{tables[0][0].label} and {plural(len(tables) - 1, 'other table')}"
    return stack([table for table, _ in tables], name), first


def _check_has_texts(path: str, file_format: Format) -> None:
    """Reject a log or a file of scores that is no table from which texts could be read."""
    if ending(path) == ".json":
        raise UsageError(
            f"{shown(path)}: has scores ({file_format.name}), not texts that a metric could "
            "score; leave out -m"
        )


def _plain_table(
    argument: FileArgument,
    name: str,
    stated: Roles,
    texts: bool,
    one_system: bool,
    needs_name: bool,
) -> tuple[Table, Roles]:
    """Read a plain table, with the systems that it names or a single one."""
    path = argument.path
    if not is_table(path) and path != STDIN:
        raise _no_results(path, one_system)
    table, roles = _read_with_roles(
        lambda choose: read_plain(path, choose),
        stated,
        shown(path),
        texts,
        one_system=argument.name is not None or needs_name,
    )
    if roles.item is None and not one_system and not roles.is_wide:
        raise UsageError(
            f"{table.name}: no item column, which is needed to join files; name it with "
            "--columns item=NAME"
        )
    if roles.system and argument.name is None:
        return table, roles
    if roles.system:
        _check_one_system(table, roles.system[0], str(argument.name))
    return _of_system(table, roles, argument.name or name, argument.run)


def read_frame_results(frame: object, roles: Roles, *, texts: bool = False) -> tuple[Table, Roles]:
    """Read the columns of a data frame that have a role."""
    return _read_with_roles(lambda choose: read_frame(frame, choose), roles, FRAME, texts)


def _read_with_roles(
    read: Callable[[Callable[[Head], Mapping[str, Kind]]], Table],
    stated: Roles,
    name: str,
    texts: bool,
    one_system: bool = False,
) -> tuple[Table, Roles]:
    """Read the columns of a plain table that have a role."""
    roles = stated
    remarks: list[str] = []

    def choose(head: Head) -> Mapping[str, Kind]:
        nonlocal roles, remarks
        roles, remarks = find_roles(stated, head, name, texts=texts, one_system=one_system)
        return roles.kinds()

    table = read(choose)
    return replace(table, remarks=(*remarks, *table.remarks)), roles


def _no_results(path: str, one_system: bool) -> WeighError:
    if one_system:
        return InputError(
            f"{shown(path)}: not a file of scores; give one number on each line, or a table"
        )
    return UsageError(
        f"no reference given for the text {shown(path)}; add one with -r FILE, or give tables, "
        "logs or files with one score per line"
    )


def _relabel(table: Table, label: str) -> Table:
    """Name the file in remarks so that namesakes stay distinct."""
    start = f"{table.label}: "
    remarks = (
        f"{label}: {remark.removeprefix(start)}" if remark.startswith(start) else remark
        for remark in table.remarks
    )
    return replace(table, remarks=tuple(remarks))


def _rename(table: Table, argument: FileArgument) -> Table:
    """Rename a log's system and run as the user named its file."""
    if argument.name is not None:
        _check_one_system(table, "system", argument.name)
        table = table.with_label("system", argument.name)
    if argument.run is not None:
        table = table.with_label("run", argument.run)
    return table


def _check_one_system(table: Table, column: str, name: str) -> None:
    systems = table.labels(column).names
    if len(systems) > 1:
        raise UsageError(
            f"{table.name}: {len(systems):,} systems ({quoted(systems[0])}, "
            f"{quoted(systems[1])}, …), but only one name, {shown(name)}; give the file without "
            "a name"
        )


def _of_system(table: Table, roles: Roles, system: str, run: str | None) -> tuple[Table, Roles]:
    """A table of one system, or of one of its runs."""
    table = table.with_label(FILE, system)
    roles = replace(roles, system=(FILE,))
    if run is not None:
        if roles.run is not None:
            raise UsageError(
                f"{table.name}: run {shown(run)} is named, but the column {quoted(roles.run)} "
                "also holds runs; use only one of them"
            )
        table, roles = table.with_label(_RUN, run), replace(roles, run=_RUN)
    return table, roles


def _score_file(table: Table, argument: FileArgument, name: str) -> tuple[Table, Roles]:
    """A file of scores by one metric, of one system or of several that it names.

    Numbers without a name get that of the file's ending: `A.comet` has the `comet` scores of A.
    """
    if table.labels("metric").names == ["score"]:
        title = _title_by_ending(argument.path)
        table = table.with_label("metric", title)
        name = name.removesuffix(f".{title}")
    roles = Roles(
        item="item",
        metric="metric",
        score=RATIO if RATIO[0] in table.columns else ("score",),
        direction="lower_is_better" if "lower_is_better" in table.columns else None,
    )
    if "system" in table.columns and argument.name is None:
        return table, replace(roles, system=("system",))
    if "system" in table.columns:
        _check_one_system(table, "system", str(argument.name))
    return _of_system(table, roles, argument.name or name, argument.run)


def _check_equally_many(files: Sequence[Table]) -> None:
    """Reject files of scores paired by position if their numbers of scores differ."""
    counts = [(file, len(file.labels("item").names)) for file in files]
    numbered = [
        (file, count)
        for file, count in counts
        if file.labels("item").names == [str(at) for at in range(1, count + 1)]
    ]
    for file, count in numbered[1:]:
        first, expected = numbered[0]
        if count != expected:
            raise InputError(
                f"{file.name}: {plural(count, 'score')}, but {first.name} has {expected:,}; give "
                "every system one score for each item, in the same order"
            )


def _title_by_ending(path: str) -> str:
    """A title of scores by the file's ending: `comet` for `A.comet`."""
    suffix = ending(path).removeprefix(".")
    return "score" if suffix in _NO_TITLES else suffix


def _log_roles(table: Table, roles: Roles) -> Roles:
    """The roles of a log's columns, which have standard names; users may choose some."""

    def several(column: str) -> str | None:
        return column if column in table.columns and len(table.labels(column).names) > 1 else None

    named = {
        role: column
        for role in ("slice", "document", "run")
        if (column := getattr(roles, role)) is not None
    }
    for role, column in named.items():
        if column not in table.columns:
            raise UsageError(
                f"{table.name}: no column {quoted(column)} for the {role}; "
                f"{did_you_mean(column, table.columns)}"
            )
    others = {*roles.by_column().values()} - {"score", *named}
    if others:
        raise UsageError(f"logs name their own {min(others)}; leave it out of --columns")
    without = roles.without
    return Roles(
        system=("system",),
        item="item",
        score=("score",),
        metric="metric" if "metric" in table.columns else None,
        run=None if "run" in without else named.get("run", several("run")),
        slice=None if "slice" in without else named.get("slice", several("slice")),
        document=named.get("document", "document" if "document" in table.columns else None),
        direction="lower_is_better" if "lower_is_better" in table.columns else None,
        extra=tuple(
            title
            for title, column in table.columns.items()
            if not isinstance(column, Labels) and title != "score"
        ),
        lower=roles.lower,
        bounds=roles.bounds,
        chosen=roles.score,
    )
