"""The metrics of a table: columns of scores, or labels in a column of metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.errors import InputError, UsageError, did_you_mean
from weigh.metrics.segment import GivenMean, GivenScores, SegmentRatio
from weigh.read.roles import ALL, RATIO, Roles
from weigh.read.table import Labels, Table, group
from weigh.read.text import quoted, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

SCORE = "score"
"""The default name of scores."""
_MOST_NAMED = 6


class ScorePlace(NamedTuple):
    """The location of a metric's scores: rows of one column, or of two columns for ratios."""

    rows: Integers
    columns: tuple[str, ...]


def score_places(table: Table, roles: Roles, remarks: list[str]) -> dict[str, ScorePlace]:
    """Locate each metric's scores: the rows with its label, or a column of its own."""
    everything = np.arange(len(table))
    is_ratio = roles.score == RATIO
    if roles.metric is None and is_ratio:
        return {SCORE: ScorePlace(everything, RATIO)}
    if roles.metric is None:
        return {column: ScorePlace(everything, (column,)) for column in roles.score}
    if len(roles.score) > 1 and not is_ratio:
        raise UsageError("a column of metrics needs one column of scores; name one")
    labels = table.required_labels(roles.metric, "metric")
    names = roles.chosen or _common_metrics(table, roles, labels, remarks)
    unknown = next((name for name in names if name not in labels.names), None)
    if unknown is not None:
        raise _no_score(table, unknown, labels.names)
    codes = {name: code for code, name in enumerate(labels.names)}
    return {
        name: ScorePlace(np.flatnonzero(labels.codes == codes[name]), roles.score) for name in names
    }


def _no_score(table: Table, name: str, metrics: Iterable[str]) -> UsageError:
    likely = did_you_mean(name, map(shown, metrics))
    return UsageError(f"{table.name}: no score is called {quoted(name)}; {likely}")


def metrics_of(
    table: Table, roles: Roles, places: Mapping[str, ScorePlace]
) -> dict[str, GivenScores]:
    """The metrics, with directions and bounds as stated for the metric or for its column."""
    names = {*places, *roles.score, ALL}
    unknown = next((name for name in (*roles.lower, *roles.bounds) if name not in names), None)
    if unknown is not None:
        raise _no_score(table, unknown, places)
    metrics: dict[str, GivenScores] = {}
    for name, (rows, columns) in places.items():
        is_lower = not {name, columns[0], ALL}.isdisjoint(roles.lower)
        if roles.direction is not None:
            stated = _direction(table, roles.direction, name, rows)
            if is_lower and not stated:
                raise UsageError(
                    f"{table.name}: {shown(name)} is stated to be lower-is-better, but the "
                    f"column {quoted(roles.direction)} says false; state it in one place"
                )
            is_lower = stated
        if columns == RATIO:
            metrics[name] = SegmentRatio(name, not is_lower)
        else:
            bounds = roles.bounds.get(name, roles.bounds.get(columns[0]))
            metrics[name] = GivenMean(name, not is_lower, bounds)
    return metrics


def one_score_per_slice(table: Table, roles: Roles, remarks: list[str]) -> tuple[Table, Roles]:
    """If each slice has one metric, but not all the same one, treat them as a single metric.

    For example, inspect_ai may score one task by `match` and another by `choice`. Unless the user
    names the metrics, all scores must lie between 0 and 1.
    """
    if roles.metric is None or roles.slice is None or len(roles.score) > 1:
        return table, roles
    labels, slices = table.required_labels(roles.metric, "metric"), table.labels(roles.slice)
    if len(labels.names) == 1 or roles.lower or roles.bounds:
        return table, roles
    is_candidate = np.array([not roles.chosen or name in roles.chosen for name in labels.names])
    occurs = _occurrences(table, roles, labels, slices.codes) & is_candidate[:, np.newaxis]
    [metrics] = occurs.any(axis=1).nonzero()
    scores = table.numbers(roles.score[0])[np.isin(labels.codes, metrics)]
    is_bounded = not ((scores < 0) | (scores > 1)).any()
    if (occurs.sum(axis=0) > 1).any() or len(metrics) < 2 or not (roles.chosen or is_bounded):
        return table, roles
    if roles.direction is not None:
        of_metrics = [np.flatnonzero(labels.codes == metric) for metric in metrics]
        if len({_direction(table, roles.direction, SCORE, rows) for rows in of_metrics}) > 1:
            return table, roles
    used = ", ".join(
        f"{shown(labels.names[metric])} in {shown(slices.names[place])}"
        for place, metric in np.argwhere(occurs.T)
    )
    remarks.append(f"slices have different metrics, which are compared as one score: {used}")
    table = table.take(np.flatnonzero(is_candidate[labels.codes])).with_label(roles.metric, SCORE)
    return table, replace(roles, chosen=())


def _common_metrics(table: Table, roles: Roles, labels: Labels, remarks: list[str]) -> list[str]:
    """The metrics that every system has in every slice; all if the table has only one metric."""
    columns = [table.labels(name) for role in ("system", "slice") for name in roles.columns(role)]
    cells, _ = group(columns, len(table))
    occurs = _occurrences(table, roles, labels, cells)
    common = [name for name, cells_of in zip(labels.names, occurs, strict=True) if cells_of.all()]
    if not common and len(labels.names) > 1:
        raise InputError(
            f"{table.name}: no score is common to all systems and slices "
            f"({', '.join(map(shown, labels.names[:10]))}); choose slices with --only slice=NAME, "
            "or one score for each slice with --columns score=NAME,score=NAME"
        )
    others = [
        shown(name)
        for name, cells_of in zip(labels.names, occurs, strict=True)
        if cells_of.any() and not cells_of.all()
    ]
    if common and others:
        names = ", ".join(others[:_MOST_NAMED])
        more = f" and {len(others) - _MOST_NAMED:,} more" if len(others) > _MOST_NAMED else ""
        remarks.append(
            f"left out {names}{more}: some systems or slices lack these scores; compare slices "
            "that have them with --only slice=NAME"
        )
    return common or list(labels.names)


def _occurrences(
    table: Table, roles: Roles, labels: Labels, cells: Integers | NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Which metrics have scores in which cells: a metrics × cells mask."""
    rows = np.flatnonzero(~np.isnan(table.numbers(roles.score[0])))
    occurs = np.zeros((len(labels.names), int(cells.max(initial=0)) + 1), bool)
    occurs[labels.codes[rows], cells[rows]] = True
    return occurs


def _direction(table: Table, column: str, metric: str, rows: Integers) -> bool:
    """Whether lower scores of a metric are better; all its rows must agree."""
    labels = table.labels(column)
    stated = {labels.names[code].lower() for code in np.unique(labels.codes[rows]) if code >= 0}
    if not stated <= {"true", "false"} or len(stated) > 1:
        raise InputError(
            f"{table.name}: {quoted(column)} is {' and '.join(map(quoted, sorted(stated)))} for "
            f"{shown(metric)}; give true or false, the same for all its scores"
        )
    return stated == {"true"}
