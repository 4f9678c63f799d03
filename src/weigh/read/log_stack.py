"""Several logs in one table: copies count once, repetitions become runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from weigh.errors import InputError, plural
from weigh.read.log_table import Log
from weigh.read.table import Labels, Table, group, stack
from weigh.read.text import quoted, shown

_MOST_NAMED = 3
_NEVER = datetime.min.replace(tzinfo=UTC)


def combine(tables: Sequence[Table], name: str, kinds: Mapping[str, int]) -> Table:
    """Stack logs, and say how many there are of each kind."""
    remarks: list[str] = []
    kept = _without_copies(tables, remarks)
    _check_contents(kept)
    kept = _number_runs(kept, remarks)
    table = _agree_on_optional(stack(kept, name))
    if kinds:
        remarks.insert(0, _summary(table, kinds))
    return replace(table, remarks=(*remarks, *table.remarks))


def _summary(table: Table, kinds: Mapping[str, int]) -> str:
    """The numbers of logs in a table by tool, model and task, in words."""
    logs = " and ".join(plural(count, kind) for kind, count in kinds.items())
    counts = {"system": "model", "slice": "task"}
    parts = [
        plural(len(table.labels(column).names), noun)
        for column, noun in counts.items()
        if column in table.columns
    ]
    return f"{logs} of {' and '.join(parts)}"


def _without_copies(tables: Sequence[Table], remarks: list[str]) -> list[Table]:
    """Keep one of the logs that are copies of the same evaluation: the one with most scores."""
    kept: dict[object, Table] = {}
    copies = []
    for table in tables:
        if not isinstance(table, Log):
            kept[id(table)] = table
            continue
        key = (table.facts.id, *(tuple(table.labels(role).names) for role in ("system", "slice")))
        other = kept.setdefault(key, table)
        if other is table:
            continue
        ours, theirs = _scores(table), _scores(other)
        if not (ours <= theirs or theirs <= ours):
            raise InputError(
                f"{shown(table.name)}: the same evaluation as {shown(other.name)}, but with "
                "different scores; leave one of them out"
            )
        copies.append(table.label)
        if len(ours) > len(theirs):
            kept[key] = table
    if copies:
        remarks.append(f"copies of other logs, ignored: {listing(copies)}")
    return list(kept.values())


def _scores(table: Table) -> set[tuple[object, ...]]:
    columns = [table.labels(column).cells() for column in ("item", "run", "metric")]
    scores = [None if score != score else score for score in table.numbers("score").tolist()]
    return set(zip(*columns, scores, strict=True))


def _check_contents(tables: Sequence[Table]) -> None:
    """Reject logs that give one name to different items."""
    seen: dict[tuple[str, str], tuple[str, str]] = {}
    for table in tables:
        if isinstance(table, Log):
            for (task, item), (content, where) in table.contents.items():
                before, first = seen.setdefault((task, item), (content, where))
                if before != content:
                    raise InputError(
                        f"{where}: item {quoted(item)} in {shown(task)} has a different input "
                        f"from {first}; compare results on the same version of the data set"
                    )


def _number_runs(tables: Sequence[Table], remarks: list[str]) -> list[Table]:
    """Number repeated logs of a model and task as runs.

    Logs that share no item are parts of one run already.
    """
    evaluations: dict[object, list[Table]] = {}
    for table in tables:
        if not isinstance(table, Log):
            evaluations[id(table)] = [table]
            continue
        for log in _by_evaluation(table):
            key = log.labels("system").names[0], log.labels("slice").names[0]
            evaluations.setdefault(key, []).append(log)
    numbered: list[Table] = []
    repeated = []
    for parts in evaluations.values():
        logs = [part for part in parts if isinstance(part, Log)]
        if len(logs) < 2 or not _share_items(logs):
            numbered += parts
            continue
        system, task = (shown(logs[0].labels(role).names[0]) for role in ("system", "slice"))
        _check_settings(logs, f"{system} and {task}")
        if all(log.facts.created for log in logs):
            logs.sort(key=lambda log: log.facts.created or _NEVER)
        count = 0
        for log in logs:
            runs = log.labels("run")
            order = sorted(runs.names, key=lambda run: (len(run), run))
            names = [str(count + order.index(run) + 1) for run in runs.names]
            numbered.append(replace(log, columns={**log.columns, "run": Labels(runs.codes, names)}))
            count += len(names)
        repeated.append(f"{count:,} of {system} in {task}")
    if repeated:
        remarks.append(f"repeated logs count as runs: {listing(repeated)}")
    return numbered


def _by_evaluation(log: Log) -> list[Log]:
    """The parts of a log, of one system and one task each."""
    groups = group([log.labels("system"), log.labels("slice")], len(log))
    parts = range(len(groups.first_rows))
    if len(parts) == 1:
        return [log]
    return [log.take(np.flatnonzero(groups.of_row == part)).compact() for part in parts]


def _share_items(logs: Sequence[Log]) -> bool:
    columns = ("run", "item", "metric")
    rows = [
        set(zip(*(log.labels(column).cells() for column in columns), strict=True)) for log in logs
    ]
    return len(set().union(*rows)) < sum(map(len, rows))


def _check_settings(logs: Sequence[Log], what: str) -> None:
    first = logs[0]
    for log in logs[1:]:
        settings = [{**entry.facts.settings} for entry in (first, log)]
        for key in dict.fromkeys([*settings[0], *settings[1]]):
            values = [values_of_log.get(key, "not given") for values_of_log in settings]
            if values[0] != values[1]:
                raise InputError(
                    f"{shown(log.name)}: {what} as in {shown(first.name)}, but {key} is "
                    f"{values[1][:60]} and not {values[0][:60]}; name the systems with NAME=path"
                )


def required_metrics(table: Table) -> Table:
    """The rows of metrics that are compared unless the user names others."""
    if "optional" not in table.columns:
        return table
    labels = table.labels("optional")
    is_optional = np.array([name == "true" for name in labels.names] + [False])
    kept = table.take(np.flatnonzero(~is_optional[labels.codes]))
    return replace(kept, columns={k: v for k, v in kept.columns.items() if k != "optional"})


def _agree_on_optional(table: Table) -> Table:
    """A metric is optional only if it is in all logs that have it."""
    if "optional" not in table.columns:
        return table
    cells = list(zip(table.labels("metric").cells(), table.labels("optional").cells(), strict=True))
    required = {metric for metric, optional in cells if optional != "true"}
    optional = ["false" if metric in required else "true" for metric, _ in cells]
    return replace(table, columns={**table.columns, "optional": Labels.of(optional)})


def listing(texts: Sequence[str]) -> str:
    """The first texts of a list, and how many more there are."""
    named = ", ".join(texts[:_MOST_NAMED])
    more = len(texts) - _MOST_NAMED
    return f"{named} and {more:,} more" if more > 0 else named
