"""Join the rows of a table into items × systems × runs: `from_table`.

Items with the same id in different slices or documents are different items, and documents with the
same name in different slices are different documents. Systems are compared on the same items:
missing scores are rejected, left out for all systems, or replaced by a stated score.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from weigh.comparing.dataset import (
    Dataset,
    all_arrays,
    direction_remarks,
    from_arrays,
    map_arrays,
)
from weigh.comparing.pass_at import pass_at_k
from weigh.comparing.table_metrics import (
    SCORE,
    ScorePlace,
    metrics_of,
    one_score_per_slice,
    score_places,
)
from weigh.errors import InputError, UsageError, did_you_mean, plural
from weigh.metrics.segment import GivenMean, GivenScores
from weigh.read.inputs import find_system
from weigh.read.roles import Roles
from weigh.read.table import Labels, Table, group
from weigh.read.text import is_line_number, quoted, shown
from weigh.types import Outputs, System, TestSet
from weigh.wording import listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.comparing.dataset import Floats, ScoreArrays

    Integers = NDArray[np.int64]

MOST_SYSTEMS = 1000
"""With more, the column is probably an id; 1,000 systems already make half a million pairs."""
_SYSTEM, _TEXT, _ITEM = "(system)", "(text)", "(item)"
_NO_SYSTEM = "the system"
_FILTERED = ("system", "item", "run", "slice", "set", "document", "metric")


@dataclass(frozen=True, slots=True)
class Gaps:
    """The treatment of missing scores: error, leave the item out, or fill in a number."""

    allow: bool = False
    instead: float | None = None

    def __post_init__(self) -> None:
        if self.instead is not None and not math.isfinite(self.instead):
            raise UsageError(f"missing scores counted as {self.instead}; give a finite number")
        if self.instead is not None and self.allow:
            raise UsageError("missing scores are both dropped and replaced by a number; choose one")


@dataclass(frozen=True, slots=True)
class Filter:
    """The labels to keep by role: `only` these, or all `without` those."""

    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    without: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for role in self.roles:
            if role not in _FILTERED:
                raise UsageError(
                    f"items cannot be filtered by {role!r}; {did_you_mean(role, _FILTERED)}"
                )

    @property
    def roles(self) -> list[str]:
        """The roles that are filtered."""
        return list(dict.fromkeys([*self.only, *self.without]))

    def keeps(self, role: str, labels: Sequence[str]) -> list[bool]:
        """Whether each label of a role is kept; unknown names raise UsageError."""
        only, without = (
            {_find_label(role, name, labels) for name in chosen.get(role, ())}
            for chosen in (self.only, self.without)
        )
        return [
            (label in only or role not in self.only) and label not in without for label in labels
        ]

    def items(self, size: int, labels: Mapping[str, Sequence[str] | None]) -> list[int]:
        """Indices of the items whose slices and documents are kept."""
        kept = np.ones(size, bool)
        for role in self.roles:
            labels_of_role = labels.get(role)
            if labels_of_role is not None:
                kept &= self.keeps(role, labels_of_role)
            elif role != "system":
                raise UsageError(f"the test set has no {role}s to filter by; leave the filter out")
        if size and not kept.any():
            raise UsageError("the filter leaves no items; choose other labels")
        return np.flatnonzero(kept).tolist()


def _find_label(role: str, name: str, labels: Sequence[str]) -> str:
    label = find_system(name, labels) if role == "system" else name
    if label is None or label not in labels:
        raise UsageError(
            f"no {role} is called {quoted(name)}; {did_you_mean(name, map(shown, labels))}"
        )
    return label


def from_table(
    table: Table,
    roles: Roles,
    *,
    gaps: Gaps | None = None,
    pass_at: Sequence[int] = (),
    choice: Filter | None = None,
) -> Dataset:
    """Join the scores of a table into a dataset.

    The steps are: melt wide tables, filter rows, number items and runs, reject duplicate rows, fill
    gaps as stated, compute pass@k, and reject or leave out items that still have gaps. For each k
    in `pass_at`, runs are independent attempts at an item, and its score is the probability that at
    least one of k attempts succeeds (Chen et al. 2021).
    """
    gaps = gaps or Gaps()
    remarks: list[str] = []
    table, roles = _long(table, roles)
    table, roles = _choose_rows(table, roles, choice or Filter())
    table, roles = one_score_per_slice(table, roles, remarks)
    join = _Join.of(table, roles)
    _check_common_items(join)
    places = score_places(table, roles, remarks)
    metrics = metrics_of(table, roles, places)
    if roles.direction is None:
        remarks += direction_remarks(metrics.values())
    scores: ScoreArrays = {metric: join.scores(place) for metric, place in places.items()}
    missing = ""
    if gaps.instead is not None and any(np.isnan(runs).any() for runs in all_arrays(scores)):
        scores = _fill_gaps(scores, gaps.instead, table, remarks)
        missing = f"{gaps.instead:g}"
    if pass_at:  # before the check for gaps: items may have different numbers of attempts
        scores, metrics = pass_at_k(scores, metrics, pass_at, f"{table.name}: ", join.items.name)
        join = join.without_runs()
    run_counts, pass_fail = _unequal_runs(scores, join.items), set()
    if run_counts is not None:
        pass_fail = _pass_fail_metrics(scores)
        scores = _mean_over_runs(scores, run_counts, join.items, table, remarks)
        join = join.without_runs()
    kept = _complete_items(scores, metrics, join, gaps, remarks)
    items = join.items
    if len(kept) < len(items.ids):
        missing = "left_out"
    if missing:
        metrics = {name: metric.with_note("missing", missing) for name, metric in metrics.items()}
    ids, slices = _take(items.ids, kept), _take(items.slices, kept)
    if slices is not None and roles.set is None and len({*slices}) == 1:
        slices = None  # the other slices have no complete item
    is_numbered = len(kept) < len(items.ids) and all(map(is_line_number, items.ids))
    dataset = from_arrays(
        map_arrays(scores, lambda runs: runs[:, kept]),
        metrics,
        documents=_take(items.documents, kept),
        slices=slices,
        ids=ids,
        numbers=tuple(map(int, ids or ())) if is_numbered else None,
        runs=tuple(join.runs.values()),
        extras=_extras(join, next(iter(places.values())).rows),
        has_sets=roles.set is not None,
        remarks=tuple(remarks),
        reading=table.remarks,
    )
    if run_counts is None:
        return dataset
    samples = (
        replace(sample, run_shares=1 / run_counts[kept]) if name in pass_fail else sample
        for name, sample in zip(scores, dataset.samples, strict=True)
    )
    return replace(dataset, samples=tuple(samples))


def _long(table: Table, roles: Roles) -> tuple[Table, Roles]:
    """Reshape to one row per item and system: melt wide tables, number rows without ids."""
    if roles.item is None:
        numbers = Labels(
            np.arange(len(table), dtype=np.int32), [str(at) for at in range(1, len(table) + 1)]
        )
        table = replace(table, columns={**table.columns, _ITEM: numbers})
        roles = replace(roles, item=_ITEM)
    if roles.is_wide and roles.holds_texts:
        table = table.melt(roles.system, into=_SYSTEM, value=_TEXT)
        roles = replace(roles, system=(_SYSTEM,), hypothesis=_TEXT)
    elif roles.is_wide:
        table = table.melt(roles.system, into=_SYSTEM, value=SCORE)
        roles = replace(roles, system=(_SYSTEM,), score=(SCORE,))
    if roles.set is not None:
        if roles.slice is not None:
            raise UsageError(
                "the table has both a test set and a slice column; name only one of them"
            )
        roles = replace(roles, slice=roles.set)
    return table, roles


def _choose_rows(table: Table, roles: Roles, choice: Filter) -> tuple[Table, Roles]:
    """Filter the rows; a single slice is the whole test set, so it is not reported again."""
    table = _filter_rows(table, roles, choice)
    if roles.set is None and roles.slice is not None:
        slices = table.required_labels(roles.slice, "slice")
        if len(slices.names) == 1:
            roles = replace(roles, slice=None)
    return table, roles


def _filter_rows(table: Table, roles: Roles, choice: Filter) -> Table:
    rows = np.ones(len(table), bool)
    for role in choice.roles:
        columns = roles.columns(role)
        if not columns:
            raise UsageError(f"the table has no {role} column to filter by; leave the filter out")
        labels = table.labels(columns[0])
        kept = np.array([*choice.keeps(role, labels.names), False])  # a missing label is not kept
        rows &= kept[labels.codes]
    if rows.all():
        return table
    if not rows.any():
        raise UsageError(f"{table.name}: the filter leaves no rows; choose other labels")
    return table.take(np.flatnonzero(rows)).compact()


# Items, systems and their runs.


@dataclass(frozen=True, slots=True)
class _Items:
    """The items of a table: the item number of each row, and the labels of each item."""

    of_row: Integers
    ids: tuple[str, ...]
    slices: tuple[str, ...] | None
    documents: tuple[str, ...] | None

    @classmethod
    def of(cls, table: Table, roles: Roles) -> _Items:
        """Number the items in order of appearance."""
        columns = {
            role: table.required_labels(column, role)
            for role in ("slice", "document", "item")
            if (column := getattr(roles, role)) is not None
        }
        of_row, rows = group(list(columns.values()), len(table))
        slices = columns["slice"].at(rows) if "slice" in columns else None
        documents = columns["document"].at(rows) if "document" in columns else None
        if slices is not None and documents is not None:
            counts = Counter(document for document, _ in set(zip(documents, slices, strict=True)))
            documents = tuple(
                f"{place}: {document}" if counts[document] > 1 else document
                for document, place in zip(documents, slices, strict=True)
            )
        return cls(of_row, columns["item"].at(rows), slices, documents)

    def name(self, item: int) -> str:
        """The name of an item in messages."""
        places = [
            f" in {shown(labels[item])}"
            for labels in (self.documents, self.slices)
            if labels is not None
        ]
        return f"item {quoted(self.ids[item])}{''.join(places)}"


@dataclass(frozen=True, slots=True)
class _Join:
    """The item, system and run of each row of a table.

    `runs` names the runs of each system; a single unnamed run is None. Runs are numbered across
    systems, with those of a system in sequence; `run_of_row` holds these numbers.
    """

    table: Table
    roles: Roles
    items: _Items
    runs: Mapping[str, tuple[str | None, ...]]
    system_of_row: Integers
    run_of_row: Integers

    @classmethod
    def of(cls, table: Table, roles: Roles) -> _Join:
        """Number items, systems and runs in order of appearance."""
        items = _Items.of(table, roles)
        labels = [_check_systems(table, roles)] if roles.system else []
        system_of_row, first = group(labels, len(table))
        systems = labels[0].at(first) if labels else (_NO_SYSTEM,)
        if roles.run is None:
            runs = dict.fromkeys(systems, (None,))
            return cls(table, roles, items, runs, system_of_row, system_of_row)
        run_labels = table.required_labels(roles.run, "run")
        of_row, first = group([*labels, run_labels], len(table))
        owners = system_of_row[first]
        order = np.argsort(owners, kind="stable")
        numbers = np.empty_like(order)
        numbers[order] = np.arange(len(order))
        names: dict[str, tuple[str | None, ...]] = {
            system: run_labels.at(first[owners == at]) for at, system in enumerate(systems)
        }
        return cls(table, roles, items, names, system_of_row, numbers[of_row])

    def scores(self, place: ScorePlace) -> dict[str, Floats]:
        """The scores of a metric by system: runs × items."""
        self.check_once(place.rows)
        values = np.full((len(self.every_run()), len(self.items.ids), len(place.columns)), np.nan)
        runs, items = self.run_of_row[place.rows], self.items.of_row[place.rows]
        for at, column in enumerate(place.columns):
            values[runs, items, at] = self.table.numbers(column)[place.rows]
        if len(place.columns) == 1:
            values = values[:, :, 0]
        ends = np.cumsum([len(runs) for runs in self.runs.values()])
        return dict(zip(self.runs, np.split(values, ends[:-1]), strict=True))

    def every_run(self) -> list[tuple[str, int]]:
        """System and index of each run, in the order of run numbers."""
        return [(system, run) for system, runs in self.runs.items() for run in range(len(runs))]

    def without_runs(self) -> _Join:
        """The join with a single unnamed run for each system."""
        return replace(self, runs=dict.fromkeys(self.runs, (None,)))

    def run_name(self, system: str, run: int) -> str:
        """The name of a run in messages."""
        label = self.runs[system][run]
        return shown(system) if label is None else f"run {shown(label)} of {shown(system)}"

    def check_once(self, rows: Integers) -> None:
        """Raise InputError if two rows have the same item, system and run."""
        keys = self.run_of_row[rows] * len(self.items.ids) + self.items.of_row[rows]
        counts = np.bincount(keys, minlength=1)
        if counts.max() < 2:
            return
        first, second = rows[np.flatnonzero(keys == (counts > 1).argmax())[:2]].tolist()
        roles, table = self.roles, self.table
        item = self.items.name(int(self.items.of_row[first]))
        names = [self.run_name(system, run) for system, run in self.every_run()]
        owner = f" of {names[self.run_of_row[first]]}" if roles.system else ""
        absent = {
            role: "…" for role in ("run", "slice", "document") if getattr(roles, role) is None
        }
        if "run" in absent and roles.judge is not None:
            absent = {"run": shown(roles.judge)}
        columns = ", ".join(f"{role}={column}" for role, column in absent.items())
        advice = f"name the column that distinguishes the rows ({columns}), or " if absent else ""
        raise InputError(
            f"{table.where(second)}: repeats {item}{owner}, first in "
            f"{table.where(first).removeprefix(f'{table.name}: ')}; {advice}keep only one of them"
        )

    def gap_error(
        self, by_metric: str, gaps: Mapping[str, NDArray[np.bool_]], worst: float | None
    ) -> InputError:
        """An error that names the first missing score; `worst` is the score of a failure."""
        system = next(name for name, gap in gaps.items() if gap.any())
        run, item = np.argwhere(gaps[system])[0].tolist()
        more = sum(int(gap.sum()) for gap in gaps.values()) - 1
        others = f" (and {plural(more, 'more score')} missing)" if more else ""
        choice = "choose other scores with --columns score=NAME, " if by_metric else ""
        skipped = [remark for remark in self.table.remarks if remark.startswith("skipped")]
        advice = "; ".join([*skipped, choice])
        absent = self._without_slice(gaps)
        if absent:
            names, labels = (
                [*dict.fromkeys(map(shown, part))] for part in zip(*absent, strict=True)
            )
            role = "slice" if self.roles.set is None else "set"
            return InputError(
                f"{self.table.name}: {names[0]} has no score{by_metric} in {labels[0]}{others}; "
                f"{advice}leave out what is missing with --without {role}={','.join(labels)} or "
                f"--without system={','.join(names)}"
            )
        instead = (
            "give them a score with --missing SCORE"
            if worst is None
            else f"count them as failures with --missing {worst:g}"
        )
        return InputError(
            f"{self.table.name}: {self.run_name(system, run)} has no score{by_metric} for "
            f"{self.items.name(item)}{others}; {advice}leave out such items "
            f"for all systems with --allow-missing, or {instead}"
        )

    def _without_slice(self, gaps: Mapping[str, NDArray[np.bool_]]) -> list[tuple[str, str]]:
        """The systems without any score in a slice, with the slice, if leaving them out helps."""
        if self.items.slices is None:
            return []
        slices = Labels.of(self.items.slices)
        absent = [
            (system, label)
            for system, gap in gaps.items()
            for code, label in enumerate(slices.names)
            if gap[:, slices.codes == code].all()
        ]
        helps = len({label for _, label in absent}) < len(slices.names)
        return absent if helps and len({system for system, _ in absent}) < len(gaps) - 1 else []


def _check_systems(table: Table, roles: Roles) -> Labels:
    systems = table.required_labels(roles.system[0], "system")
    if len(systems.names) > MOST_SYSTEMS:
        raise UsageError(
            f"{table.name}: {len(systems.names):,} systems in the column "
            f"{quoted(roles.system[0])}, such as {quoted(systems.names[0])}; is it an id? name the "
            f"column of systems with --columns system=NAME, or give at most {MOST_SYSTEMS:,}"
        )
    stripped: dict[str, str] = {}
    for name in systems.names:
        other = stripped.setdefault(name.strip(), name)
        if other != name:
            raise InputError(
                f"{table.name}: the systems {quoted(other)} and {quoted(name)} differ only by "
                "spaces; use the same spelling"
            )
    return systems


def _extras(join: _Join, rows: Integers) -> dict[str, dict[str, float]]:
    """Means of further numbers by column and system, over the rows of one metric."""
    extras: dict[str, dict[str, float]] = {}
    owners, size = join.system_of_row[rows], len(join.runs)
    for column in join.roles.extra:
        values = join.table.numbers(column)[rows]
        is_known = ~np.isnan(values)
        counts = np.bincount(owners[is_known], minlength=size)
        sums = np.bincount(owners[is_known], values[is_known], size)
        if (counts > 0).all():
            extras[column] = dict(zip(join.runs, (sums / counts).tolist(), strict=True))
    return extras


# Gaps and runs.


def _fill_gaps(
    scores: ScoreArrays, instead: float, table: Table, remarks: list[str]
) -> ScoreArrays:
    """Replace missing scores by a stated one."""
    count = sum(int(np.isnan(runs).sum()) for runs in all_arrays(scores))
    remarks.append(f"{table.label}: {plural(count, 'missing score')} counted as {instead:g}")
    return map_arrays(scores, lambda runs: np.where(np.isnan(runs), instead, runs))


def _unequal_runs(scores: ScoreArrays, items: _Items) -> Floats | None:
    """The number of runs of each item, if it differs between slices but not within them."""
    arrays = all_arrays(scores)
    if items.slices is None or any(runs.ndim > 2 for runs in arrays):
        return None
    counts = np.array([(~np.isnan(runs)).sum(axis=0) for runs in arrays])
    slices = Labels.of(items.slices)
    for code in range(len(slices.names)):
        if len(np.unique(counts[:, slices.codes == code])) > 1:
            return None
    if counts.min() == counts.max() or counts.min() == 0:
        return None
    return np.asarray(counts[0], dtype=np.float64)


def _pass_fail_metrics(scores: ScoreArrays) -> set[str]:
    """The metrics whose scores are all 0 or 1."""
    return {
        metric
        for metric, by_system in scores.items()
        if all((np.isnan(runs) | np.isin(runs, (0, 1))).all() for runs in by_system.values())
    }


def _mean_over_runs(
    scores: ScoreArrays, run_counts: Floats, items: _Items, table: Table, remarks: list[str]
) -> ScoreArrays:
    """Replace runs by their mean, because slices differ in the number of runs."""
    runs_in = dict(zip(items.slices or (), run_counts.tolist(), strict=True))
    counts = ", ".join(f"{count:,.0f} in {shown(label)}" for label, count in runs_in.items())
    remarks.append(
        f"{table.label}: slices differ in the number of runs ({counts}), so an item's score is its "
        "mean over runs"
    )
    return map_arrays(scores, lambda runs: np.nanmean(runs, axis=0, keepdims=True))


def _check_common_items(join: _Join) -> None:
    """Refuse systems that have no item in common, as if each numbered its own items."""
    systems = len(join.runs)
    cells = np.unique(join.items.of_row * systems + join.system_of_row)
    if systems > 1 and np.bincount(cells // systems, minlength=1).max() == 1:
        raise InputError(
            f"{join.table.name}: no two systems have the same item; check that all systems use "
            "the same item ids"
        )


def _worst_score(metric: GivenScores, by_system: Mapping[str, Floats]) -> float | None:
    """The score of a failure, if it is known: that of pass/fail scores, or a stated bound."""
    bounds = metric.bounds if isinstance(metric, GivenMean) else None
    if bounds is not None:
        return bounds[0 if metric.higher_is_better else 1]
    pass_fail = all((np.isnan(runs) | np.isin(runs, (0, 1))).all() for runs in by_system.values())
    return float(not metric.higher_is_better) if pass_fail else None


def _complete_items(
    scores: ScoreArrays,
    metrics: Mapping[str, GivenScores],
    join: _Join,
    gaps: Gaps,
    remarks: list[str],
) -> Integers:
    """The items with scores for every system; others are rejected or left out."""
    table, missing = join.table, np.zeros(len(join.items.ids), bool)
    is_missing = map_arrays(scores, lambda runs: np.isnan(runs if runs.ndim == 2 else runs.sum(2)))
    for metric, by_system in is_missing.items():
        for gap in by_system.values():
            missing |= gap.any(axis=0)
        if missing.any() and not gaps.allow:
            worst = _worst_score(metrics[metric], scores[metric])
            by_metric = "" if len(scores) == 1 else f" by {shown(metric)}"
            raise join.gap_error(by_metric, by_system, worst)
    kept = np.flatnonzero(~missing)
    if not len(kept):
        raise InputError(
            f"{table.name}: no item has a score for every system and run; check that all systems "
            "use the same item ids"
        )
    count = len(missing) - len(kept)
    if count:
        verb = "is" if count == 1 else "are"
        whole = _missing_slices(join.items, kept)
        remarks.append(
            f"{table.label}: {count:,} of {plural(len(missing), 'item')} {verb} left out "
            f"for all systems, because some have no score{whole}"
        )
    return kept


def _missing_slices(items: _Items, kept: Integers) -> str:
    """Name the slices that have no item left."""
    if items.slices is None:
        return ""
    remaining = {items.slices[item] for item in kept.tolist()}
    missing = [shown(label) for label in dict.fromkeys(items.slices) if label not in remaining]
    return f"; no items remain in {listed(missing)}" if missing else ""


def _take(labels: Sequence[str] | None, kept: Integers) -> tuple[str, ...] | None:
    if labels is None:
        return None
    return tuple(labels) if len(kept) == len(labels) else tuple(labels[at] for at in kept.tolist())


# Texts.


def texts_from_table(
    table: Table, roles: Roles, choice: Filter
) -> tuple[tuple[System, ...], TestSet]:
    """The systems' texts, and their common test set."""
    table, roles = _long(table, roles)
    table = _filter_rows(table, roles, choice)
    assert roles.hypothesis is not None
    join = _Join.of(table, roles)
    items, everything = join.items, np.arange(len(table))
    join.check_once(everything)
    systems = []
    for number, (name, run) in enumerate(join.every_run()):
        rows = np.flatnonzero(join.run_of_row == number)
        texts = _texts_by_item(table, roles.hypothesis, items, rows, join.run_name(name, run))
        systems.append(System(name, Outputs(texts), join.runs[name][run]))
    shared = {
        column: _texts_by_item(table, column, items, everything, column, shared=True)
        for column in (*roles.reference, *roles.columns("source"))
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
    table: Table, column: str, items: _Items, rows: Integers, who: str, *, shared: bool = False
) -> tuple[str, ...]:
    """One text for every item; texts `shared` by all systems must be the same in all rows."""
    labels = table.labels(column)
    rows = rows[labels.codes[rows] >= 0]
    codes = np.full(len(items.ids), -1, np.int32)
    backwards = rows[::-1]  # so that an item gets the text of its first row
    codes[items.of_row[backwards]] = labels.codes[backwards]
    others = rows[codes[items.of_row[rows]] != labels.codes[rows]]
    if shared and len(others):
        raise InputError(
            f"{table.where(int(others[0]))}: {quoted(column)} of "
            f"{items.name(int(items.of_row[others[0]]))} differs from an earlier row; give all "
            "systems the same texts"
        )
    if (codes < 0).any():
        raise InputError(
            f"{table.name}: {who} has no text for {items.name(int((codes < 0).argmax()))}; give "
            "one for every item, an empty one for empty output"
        )
    return Labels(codes, labels.names).at(np.arange(len(codes)))
