"""The rows of a table joined into items × systems × runs: `from_table`.

An item is its id within its slice and document, and a document is one within its slice. Systems
are compared on the same items: what is missing is refused, left out for all, or counted as a
stated score.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.comparing.dataset import Dataset, from_arrays
from weigh.errors import InputError, UsageError, did_you_mean, plural
from weigh.metrics.segment import SegmentMean, SegmentRatio
from weigh.read.inputs import find_system
from weigh.read.roles import ALL, RATIO, Roles
from weigh.read.table import Labels, Table, group
from weigh.read.text import is_line_number, quoted, shown
from weigh.types import Outputs, System, TestSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Metric

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]

MOST_SYSTEMS = 1000
"""More are ids by mistake: so many systems make half a million pairs."""
_SYSTEM, _SCORE, _ITEM = "(system)", "score", "(item)"
_NO_SYSTEM = "the system"


@dataclass(frozen=True, slots=True)
class Gaps:
    """What to do where a system has no score for an item: refuse, leave out, or fill in."""

    allow: bool = False
    instead: float | None = None

    def __post_init__(self) -> None:
        if self.instead is not None and not math.isfinite(self.instead):
            raise UsageError(f"missing scores counted as {self.instead}; give a finite number")
        if self.instead is not None and self.allow:
            raise UsageError("missing scores are both dropped and replaced by a number; choose one")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which labels are kept, by role: `only` these, `without` those."""

    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    without: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything is left out."""
        return bool(self.only or self.without)

    def kept(self, role: str, labels: Sequence[str]) -> list[bool]:
        """Whether each label of a role is kept; names that do not occur are refused."""
        only, without = (
            None if names is None else [_find_label(role, name, labels) for name in names]
            for names in (self.only.get(role), self.without.get(role, ()))
        )
        assert without is not None
        return [(only is None or label in only) and label not in without for label in labels]

    @property
    def roles(self) -> list[str]:
        """The roles that are filtered."""
        return list(dict.fromkeys([*self.only, *self.without]))


def _find_label(role: str, name: str, labels: Sequence[str]) -> str:
    found = find_system(name, labels) if role == "system" else name
    if found is None or found not in labels:
        raise UsageError(
            f"no {role} is called {quoted(name)}; {did_you_mean(name, map(shown, labels))}"
        )
    return found


def from_table(
    table: Table,
    roles: Roles,
    *,
    title: str = "score",
    gaps: Gaps | None = None,
    pass_at: Sequence[int] = (),
    choice: Filter | None = None,
) -> Dataset:
    """Join the scores of a table; `title` names scores that have no column name of their own.

    With `pass_at` the runs are independent attempts at each item, and its score is the chance
    that at least one of so many succeeds (Chen et al. 2021).
    """
    reading = table.remarks
    table, roles = _long(table, roles)
    has_sets = roles.set is not None
    if has_sets:
        if roles.slice is not None:
            raise UsageError("a table has a column of test sets or one of slices; name one of them")
        roles = replace(roles, slice=roles.set)
    table = filter_rows(table, roles, choice or Filter())
    if (
        choice
        and not has_sets
        and roles.slice is not None
        and len(table.labels(roles.slice).names) == 1
    ):
        roles = replace(roles, slice=None)  # the one slice is the whole
    table, roles = _one_score_per_slice(table, roles)
    items = Items.of(table, roles)
    system_runs = _SystemRuns.of(table, roles)
    scores, metrics = _scores(table, roles, items, system_runs, title)
    grid = _Grid(table, items, system_runs.names, scores)
    remarks: list[str] = list(table.remarks[len(reading) :])
    gaps = gaps or Gaps()
    if gaps.instead is not None:
        grid = grid.fill(gaps.instead, remarks)
    if pass_at:
        lower = [name for name, metric in metrics.items() if not metric.higher_is_better]
        if lower:
            raise UsageError(f"pass@k needs scores where large is good, unlike {lower[0]}")
        grid = grid.pass_at(pass_at)
        metrics = {name: chance_metric(name) for name in grid.scores}
    grid = grid.mean_over_runs(remarks)
    kept = grid.complete_items(gaps, remarks)
    names = list(dict.fromkeys(name for name, _ in grid.system_runs))
    ids = _some(items.ids, kept)
    numbered = len(kept) < len(items.ids) and all(map(is_line_number, items.ids))
    owners = np.array([names.index(name) for name, _ in grid.system_runs])
    joined = from_arrays(
        {
            metric: {name: values[owners == at][:, kept] for at, name in enumerate(names)}
            for metric, values in grid.scores.items()
        },
        metrics,
        documents=_some(items.documents, kept),
        slices=_some(items.slices, kept),
        ids=ids,
        numbers=tuple(map(int, ids or ())) if numbered else None,
        runs=tuple(
            tuple(run for owner, run in grid.system_runs if owner == name) for name in names
        ),
        extras=_extras(table, roles, system_runs, names),
        has_sets=has_sets,
        remarks=tuple(remarks),
    )
    return replace(joined, reading=reading)


def _long(table: Table, roles: Roles) -> tuple[Table, Roles]:
    """One row per item and system: wide tables are melted, and rows without ids are numbered."""
    if roles.item is None:
        numbers = Labels(
            np.arange(len(table), dtype=np.int32), [str(at) for at in range(1, len(table) + 1)]
        )
        table = replace(table, columns={**table.columns, _ITEM: numbers})
        roles = replace(roles, item=_ITEM)
    if roles.is_wide:
        table = table.melt(roles.system, into=_SYSTEM, value=_SCORE)
        roles = replace(roles, system=(_SYSTEM,), score=(_SCORE,))
    return table, roles


def filter_rows(table: Table, roles: Roles, choice: Filter) -> Table:
    """The rows whose labels were chosen."""
    rows = np.ones(len(table), bool)
    for role in choice.roles:
        given = getattr(roles, role, None)
        column = given[0] if isinstance(given, tuple) and given else given
        if not isinstance(column, str):
            raise UsageError(f"the table has no column for the {role}, so none can be chosen")
        labels = table.labels(column)
        kept = np.array([*choice.kept(role, labels.names), False])  # a missing label is not kept
        rows &= kept[labels.codes]
    if rows.all():
        return table
    if not rows.any():
        raise UsageError(f"{table.name}: no row is left; choose other labels")
    return table.take(np.flatnonzero(rows)).compact()


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a table: the number of each row's item, and the labels of each item."""

    of_row: Integers
    ids: tuple[str, ...]
    slices: tuple[str, ...] | None
    documents: tuple[str, ...] | None

    @classmethod
    def of(cls, table: Table, roles: Roles) -> Items:
        """Number the items in order of appearance."""
        columns = {
            role: table.filled(column, role)
            for role in ("slice", "document", "item")
            if (column := getattr(roles, role)) is not None
        }
        of_row, rows = group(list(columns.values()), len(table))
        slices = columns["slice"].at(rows) if "slice" in columns else None
        documents = columns["document"].at(rows) if "document" in columns else None
        if slices is not None and documents is not None:
            places = set(zip(documents, slices, strict=True))
            counts = Counter(document for document, _ in places)
            documents = tuple(
                f"{place}: {document}" if counts[document] > 1 else document
                for document, place in zip(documents, slices, strict=True)
            )
        return cls(of_row, columns["item"].at(rows), slices, documents)

    def name(self, item: int) -> str:
        """What a message calls an item."""
        places = [
            f" of {shown(labels[item])}"
            for labels in (self.documents, self.slices)
            if labels is not None
        ]
        return f"item {quoted(self.ids[item])}{''.join(places)}"


@dataclass(frozen=True, slots=True)
class _SystemRuns:
    """Systems with their runs: the number of each row's, and their names."""

    of_row: Integers
    names: tuple[tuple[str, str | None], ...]

    @classmethod
    def of(cls, table: Table, roles: Roles) -> _SystemRuns:
        """Number them so that the runs of a system stand together, systems as they appear."""
        labels = []
        if roles.system:
            labels.append(_check_systems(table, roles))
        if roles.run is not None:
            labels.append(table.filled(roles.run, "run"))
        of_row, first = group(labels, len(table))
        systems = labels[0].at(first) if roles.system else (_NO_SYSTEM,) * len(first)
        runs: Sequence[str | None] = [None] * len(first)
        if roles.run is not None:
            runs = labels[-1].at(first)
        places = {name: at for at, name in enumerate(dict.fromkeys(systems))}
        order = sorted(range(len(systems)), key=lambda at: (places[systems[at]], at))
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        return cls(rank[of_row], tuple((systems[at], runs[at]) for at in order))


def _check_systems(table: Table, roles: Roles) -> Labels:
    systems = table.filled(roles.system[0], "system")
    if len(systems.names) > MOST_SYSTEMS:
        raise UsageError(
            f"{table.name}: {len(systems.names):,} systems in the column "
            f"{quoted(roles.system[0])}, such as {quoted(systems.names[0])}; is it an id? name the "
            f"column of systems with --columns system=NAME, or give at most {MOST_SYSTEMS:,}"
        )
    return systems


def _scores(
    table: Table, roles: Roles, items: Items, system_runs: _SystemRuns, title: str
) -> tuple[dict[str, Floats], dict[str, Metric]]:
    """Scores by metric, a row per run of a system and a column per item; and the metrics."""
    parts = _metric_rows(table, roles, title)
    shape = (len(system_runs.names), len(items.ids))
    scores: dict[str, Floats] = {}
    metrics: dict[str, Metric] = {}
    lower = dict.fromkeys(roles.lower)
    for metric, (rows, column) in parts.items():
        _check_once(table, roles, items, system_runs, rows)
        places = system_runs.of_row[rows], items.of_row[rows]
        if column == RATIO:
            scores[metric] = np.full((*shape, 2), np.nan)
            for at, part in enumerate(RATIO):
                scores[metric][(*places, at)] = table.numbers(part)[rows]
        else:
            scores[metric] = np.full(shape, np.nan)
            scores[metric][places] = table.numbers(str(column))[rows]
        is_lower = metric in lower or ALL in lower
        if roles.direction is not None:
            stated = _direction(table, roles.direction, metric, rows)
            if is_lower and not stated:
                raise UsageError(
                    f"{table.name}: {shown(metric)} is given as lower-is-better, but "
                    f"{quoted(roles.direction)} says false; say it once"
                )
            is_lower = stated
        if column == RATIO:
            metrics[metric] = SegmentRatio(metric, not is_lower)
        else:
            metrics[metric] = SegmentMean(metric, not is_lower, roles.bounds.get(metric))
    unknown = [name for name in (*lower, *roles.bounds) if name != ALL and name not in parts]
    if unknown:
        raise UsageError(
            f"{table.name}: no score is called {quoted(unknown[0])}; "
            f"{did_you_mean(unknown[0], map(shown, parts))}"
        )
    return scores, metrics


def _metric_rows(
    table: Table, roles: Roles, title: str
) -> dict[str, tuple[Integers, str | tuple[str, str]]]:
    """The rows and the column of each metric: those of one label, or all of a score column."""
    everything = np.arange(len(table))
    if roles.metric is None:
        if roles.score == RATIO:
            return {title: (everything, RATIO)}
        return {
            title if column == _SCORE else column: (everything, column) for column in roles.score
        }
    column = RATIO if roles.score == RATIO else roles.score[0]
    if len(roles.score) > 1 and column != RATIO:
        raise UsageError("a column of metrics needs one column of scores; name one")
    labels = table.filled(roles.metric, "metric")
    names = roles.chosen or _common_metrics(table, roles, labels)
    for name in names:
        if name not in labels.names:
            raise UsageError(
                f"{table.name}: no score is called {quoted(name)}; "
                f"{did_you_mean(name, map(shown, labels.names))}"
            )
    places = {name: code for code, name in enumerate(labels.names)}
    return {name: (np.flatnonzero(labels.codes == places[name]), column) for name in names}


def _one_score_per_slice(table: Table, roles: Roles) -> tuple[Table, Roles]:
    """Compare slices together that have one metric each, but not all the same one.

    inspect_ai scores one task by `match`, say, and another by `choice`. Unless the user names the
    metrics, their scores must lie between 0 and 1.
    """
    if roles.metric is None or roles.slice is None or len(roles.score) > 1:
        return table, roles
    labels = table.filled(roles.metric, "metric")
    if len(labels.names) == 1 or roles.lower or roles.bounds:
        return table, roles
    is_candidate = np.array([not roles.chosen or name in roles.chosen for name in labels.names])
    scores = table.numbers(roles.score[0])
    rows = np.flatnonzero(is_candidate[labels.codes] & ~np.isnan(scores))
    slices = table.labels(roles.slice)
    pairs = np.unique(slices.codes[rows].astype(np.int64) * len(labels.names) + labels.codes[rows])
    places, metrics = (part.tolist() for part in divmod(pairs, len(labels.names)))
    is_bounded = bool(((scores[rows] >= 0) & (scores[rows] <= 1)).all())
    if len(set(places)) < len(places) or len(set(metrics)) < 2:
        return table, roles
    if not roles.chosen and not is_bounded:
        return table, roles
    if roles.direction is not None:
        of_metrics = [np.flatnonzero(labels.codes == metric) for metric in set(metrics)]
        stated = {_direction(table, roles.direction, _SCORE, own) for own in of_metrics}
        if len(stated) > 1:
            return table, roles
    used = ", ".join(
        f"{shown(labels.names[metric])} in {shown(slices.names[place])}"
        for place, metric in zip(places, metrics, strict=True)
    )
    table = table.take(np.flatnonzero(is_candidate[labels.codes])).with_label(roles.metric, _SCORE)
    remark = f"slices have different metrics, which are compared as one score: {used}"
    return replace(table, remarks=(*table.remarks, remark)), replace(roles, chosen=())


def _common_metrics(table: Table, roles: Roles, labels: Labels) -> list[str]:
    """The metrics that every system has in every slice, if some are had by all."""
    columns = [table.labels(roles.system[0])] if roles.system else []
    if roles.slice is not None:
        columns.append(table.labels(roles.slice))
    cells, _ = group(columns, len(table))
    known = ~np.isnan(table.numbers(roles.score[0]))
    count = int(cells.max(initial=0)) + 1
    common = [
        name
        for code, name in enumerate(labels.names)
        if len(np.unique(cells[known & (labels.codes == code)])) == count
    ]
    if not common and len(labels.names) > 1:
        raise InputError(
            f"{table.name}: no score is common to all systems and slices "
            f"({', '.join(map(shown, labels.names[:10]))}); choose slices with --only slice=NAME, "
            "or one score for each slice with --columns score=NAME,score=NAME"
        )
    return common or list(labels.names)


def _direction(table: Table, column: str, metric: str, rows: Integers) -> bool:
    """Whether small scores of a metric are good, on which all its rows must agree."""
    labels = table.labels(column)
    stated = {labels.names[code].lower() for code in np.unique(labels.codes[rows]) if code >= 0}
    if not stated <= {"true", "false"} or len(stated) > 1:
        raise InputError(
            f"{table.name}: {quoted(column)} is {' and '.join(map(quoted, sorted(stated)))} for "
            f"{shown(metric)}; give true or false, the same for all its scores"
        )
    return stated == {"true"}


def _extras(
    table: Table, roles: Roles, system_runs: _SystemRuns, names: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Means of further numbers by column and system, over one row per item and run."""
    if not roles.extra:
        return {}
    rows = next(iter(_metric_rows(table, roles, _SCORE).values()))[0]
    owners = np.array([names.index(name) for name, _ in system_runs.names])
    owners = owners[system_runs.of_row[rows]]
    extras: dict[str, dict[str, float]] = {}
    for column in roles.extra:
        values = table.numbers(column)[rows]
        known = ~np.isnan(values)
        counts = np.bincount(owners[known], minlength=len(names))
        sums = np.bincount(owners[known], values[known], len(names))
        if (counts > 0).all():
            means = (sums / counts).tolist()
            extras[column] = dict(zip(names, means, strict=True))
    return extras


def _check_once(
    table: Table, roles: Roles, items: Items, system_runs: _SystemRuns, rows: Integers
) -> None:
    """Refuse two rows of one item, system and run."""
    keys = system_runs.of_row[rows] * len(items.ids) + items.of_row[rows]
    counts = np.bincount(keys, minlength=1)
    if counts.max() < 2:
        return
    key = int(np.flatnonzero(counts > 1)[0])
    first, second = rows[np.flatnonzero(keys == key)[:2]].tolist()
    place, item = divmod(key, len(items.ids))
    name, run = system_runs.names[place]
    system = f" of {shown(name)}" if roles.system else ""
    of_run = f", run {shown(run)}" if run else ""
    absent = {role: "…" for role in ("run", "slice", "document") if getattr(roles, role) is None}
    if "run" in absent and roles.judge is not None:
        absent = {"run": shown(roles.judge)}
    named = ", ".join(f"{role}={column}" for role, column in absent.items())
    advice = f"name the column that tells them apart ({named}), or " if absent else ""
    raise InputError(
        f"{table.where(second)}: {items.name(item)}{system}{of_run} again, after "
        f"{table.where(first).removeprefix(f'{table.name}: ')}; {advice}give one row for each"
    )


@dataclass(frozen=True, slots=True)
class _Grid:
    """Scores by metric: a row per run of a system, a column per item, NaN where there is none."""

    table: Table
    items: Items
    system_runs: tuple[tuple[str, str | None], ...]
    scores: Mapping[str, Floats]

    def fill(self, instead: float, remarks: list[str]) -> _Grid:
        """Count missing scores as a stated one."""
        count = sum(int(np.isnan(values).sum()) for values in self.scores.values())
        if count:
            remarks.append(
                f"{self.table.label}: {plural(count, 'missing score')} counted as {instead:g}"
            )
        filled = {
            metric: np.where(np.isnan(values), instead, values)
            for metric, values in self.scores.items()
        }
        return replace(self, scores=filled)

    def pass_at(self, counts: Sequence[int]) -> _Grid:
        """Turn the runs of a system into its chance to pass with so many attempts."""
        owners = [name for name, _ in self.system_runs]
        chances = pass_chances(self.scores, owners, counts, f"{self.table.name}: ", self.items.name)
        runs = tuple((name, None) for name in dict.fromkeys(owners))
        return replace(self, scores=chances, system_runs=runs)

    def mean_over_runs(self, remarks: list[str]) -> _Grid:
        """Give items their mean over runs where slices differ in the number of runs.

        All systems must have the same number in a slice. Gaps of any other kind stay.
        """
        has_gaps = any(bool(np.isnan(values).any()) for values in self.scores.values())
        if self.items.slices is None or not has_gaps:
            return self
        owners = [name for name, _ in self.system_runs]
        names = list(dict.fromkeys(owners))
        numbers = np.array([names.index(name) for name in owners])
        runs_in: dict[str, set[int]] = {label: set() for label in self.items.slices}
        for values in self.scores.values():
            if values.ndim > 2:
                return self
            known = ~np.isnan(values)
            for at in range(len(names)):
                counts = known[numbers == at].sum(axis=0).tolist()
                for label, count in zip(self.items.slices, counts, strict=True):
                    runs_in[label].add(count)
        counts_of = {label: max(counts) for label, counts in runs_in.items() if len(counts) == 1}
        if len(counts_of) < len(runs_in) or len({*counts_of.values()}) == 1:
            return self
        remarks.append(
            f"{self.table.label}: slices differ in the number of runs "
            f"({', '.join(f'{count:,} in {shown(label)}' for label, count in counts_of.items())}), "
            "so an item's score is its mean over runs"
        )
        means = {
            metric: np.array(
                [np.nanmean(values[numbers == at], axis=0) for at in range(len(names))]
            )
            for metric, values in self.scores.items()
        }
        return replace(self, scores=means, system_runs=tuple((name, None) for name in names))

    def complete_items(self, gaps: Gaps, remarks: list[str]) -> Integers:
        """The items that every system has a score for; others are refused, or left out."""
        missing = np.zeros(len(self.items.ids), bool)
        for metric, values in self.scores.items():
            gap = np.isnan(values if values.ndim == 2 else values.sum(axis=2))
            missing |= gap.any(axis=0)
            if gap.any() and not gaps.allow:
                raise self._gap_error(metric, gap)
        kept = np.flatnonzero(~missing)
        if not len(kept):
            raise InputError(
                f"{self.table.name}: no item has a score of every system and run; do the systems "
                "name their items alike?"
            )
        count = len(missing) - len(kept)
        if count:
            verb = "is" if count == 1 else "are"
            remarks.append(
                f"{self.table.label}: {count:,} of {plural(len(missing), 'item')} {verb} left out "
                "for all systems, because some have no score"
            )
        return kept

    def _gap_error(self, metric: str, gap: NDArray[np.bool_]) -> InputError:
        place, item = np.argwhere(gap)[0]
        name, run = self.system_runs[place]
        who = shown(name) if run is None else f"{shown(name)}, run {shown(run)},"
        more = int(gap.sum()) - 1
        others = f" (and {plural(more, 'more score')} missing)" if more else ""
        by_metric = "" if len(self.scores) == 1 else f" by {shown(metric)}"
        return InputError(
            f"{self.table.name}: {who} has no score{by_metric} for {self.items.name(int(item))}"
            f"{others}; leave out such items for all systems with --allow-missing, or count them "
            "as failures with --missing 0"
        )


def _some(labels: Sequence[str] | None, kept: Integers) -> tuple[str, ...] | None:
    if labels is None:
        return None
    return tuple(labels) if len(kept) == len(labels) else tuple(labels[at] for at in kept.tolist())


def pass_chances(
    scores: Mapping[str, Floats],
    owners: Sequence[str],
    counts: Sequence[int],
    where: str = "",
    item_name: Callable[[int], str] = lambda item: f"item {item + 1:,}",
) -> dict[str, Floats]:
    """pass@k = 1 − C(n − c, k)/C(n, k) of every item with c successes in n attempts.

    Chen et al. 2021, equation 1. Scores have a row for each run, whose `owners` are systems, and
    are NaN where there is no attempt; results have a row for each system.
    """
    from scipy.special import gammaln

    names = list(dict.fromkeys(owners))
    numbers = np.array([names.index(name) for name in owners])
    result: dict[str, Floats] = {}
    for metric, values in scores.items():
        known = ~np.isnan(values)
        if not np.isin(values[known], (0.0, 1.0)).all():
            raise InputError(
                f"{where}{quoted(metric)} has scores other than 0 and 1 (false and true), which "
                "pass@k counts; leave out --pass-at"
            )
        tries = np.array([known[numbers == at].sum(axis=0) for at in range(len(names))])
        right = np.array([np.nansum(values[numbers == at], axis=0) for at in range(len(names))])
        for k in counts:
            if k < 1:
                raise UsageError(f"pass@{k} counts {k} runs; give a k of 1 or more")
            for system, item in np.argwhere((tries < k) & (tries > 0))[:1].tolist():
                raise UsageError(
                    f"pass@{k} needs at least {k} runs of every item, but {names[system]} has "
                    f"{tries[system, item]} of {item_name(item)}; give a smaller k, or more runs"
                )
            wrong = tries - right
            with np.errstate(all="ignore"):
                chance = 1 - np.exp(
                    gammaln(wrong + 1)
                    - gammaln(wrong - k + 1)
                    - gammaln(tries + 1)
                    + gammaln(tries - k + 1)
                )
            chance = np.where(wrong < k, 1.0, chance)
            chance = np.where(right == 0, 0.0, chance)
            title = f"pass@{k}" if len(scores) == 1 else f"{metric} pass@{k}"
            result[title] = np.where(tries == 0, np.nan, chance)
    return result


def chance_metric(name: str) -> SegmentMean:
    """The mean of chances, such as pass@k."""
    return SegmentMean(name, bounds=(0.0, 1.0))


# Texts.


def texts_from_table(table: Table, roles: Roles) -> tuple[tuple[System, ...], TestSet]:
    """The systems' texts, and the test set that they share."""
    items = Items.of(table, roles)
    system_runs = _SystemRuns.of(table, roles)
    assert roles.hypothesis is not None
    _check_once(table, roles, items, system_runs, np.arange(len(table)))
    systems = []
    for at, (name, run) in enumerate(system_runs.names):
        who = shown(name) if run is None else f"{shown(name)}, run {shown(run)}"
        rows = np.flatnonzero(system_runs.of_row == at)
        texts = _texts_by_item(table, roles.hypothesis, items, rows, who)
        systems.append(System(name, Outputs(texts), run))
    everything = np.arange(len(table))
    shared = {
        column: _texts_by_item(table, column, items, everything, column, shared=True)
        for column in (*roles.reference, *([] if roles.source is None else [roles.source]))
    }
    test_set = TestSet(
        tuple(shared[column] for column in roles.reference),
        None if roles.source is None else shared[roles.source],
        documents=items.documents,
        ids=items.ids,
        slices=items.slices,
    )
    return tuple(systems), test_set


def _texts_by_item(
    table: Table, column: str, items: Items, rows: Integers, who: str, *, shared: bool = False
) -> tuple[str, ...]:
    """One text for every item; those that systems share must be the same in all rows."""
    labels = table.labels(column)
    codes = np.full(len(items.ids), -1, np.int32)
    for row in rows[labels.codes[rows] >= 0].tolist():
        item, code = items.of_row[row], labels.codes[row]
        if shared and codes[item] not in (-1, code):
            raise InputError(
                f"{table.where(row)}: another {quoted(column)} of {items.name(int(item))} than "
                "above; systems are compared on the same texts"
            )
        codes[item] = code
    if (codes < 0).any():
        raise InputError(
            f"{table.name}: {who} has no text for {items.name(int((codes < 0).argmax()))}; give "
            "one for every item, an empty one where nothing was written"
        )
    return Labels(codes, labels.names).at(np.arange(len(codes)))
