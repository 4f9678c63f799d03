"""A table of people's own, one row per item and system, into one `Measured`.

An item is known by its id, within its slice and its document where the table has them. Systems
are compared on the same items: what is missing is named, left out for all, or counted as a given
score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.comparing.measure import Measured, measure_scores, measure_texts
from weigh.errors import InputError, UsageError, plural
from weigh.read.columns import (
    Labels,
    Table,
    check_same_words,
    frame_table,
    is_frame,
    read_columns,
)
from weigh.read.inputs import FileArgument, file_names
from weigh.read.layouts import known_table, known_tables
from weigh.read.roles import ALL, FRAME, Roles, columns_for, kinds_of, settled_roles
from weigh.read.text import quoted, shown
from weigh.types import Outputs, System, TestSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.engine.threads import Progress
    from weigh.metrics.custom import Definition
    from weigh.read.columns import Head, Kind
    from weigh.types import Metric

    Integers = NDArray[np.int64]

# More are ids by mistake: so many systems have half a million pairs.
_MOST_SYSTEMS = 1000
# Up to so many combinations of labels are numbered by a table of all of them.
_MOST_CELLS = 1 << 26
_NO_SYSTEM = "the system"
# The column of systems where files are called after them.
_FILE = "(file)"


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is to be done where a system has no score of an item.

    It is refused, unless such items are left out for all systems, or the score is `instead`.
    """

    allow: bool = False
    instead: float | None = None

    def __post_init__(self) -> None:
        if self.instead is not None and not math.isfinite(self.instead):
            raise UsageError(f"missing scores counted as {self.instead}; give a finite number")
        if self.instead is not None and self.allow:
            raise UsageError("missing scores are left out, or counted as one; choose one of them")


def read_table(
    data: object, roles: Roles, *, texts: bool = False
) -> tuple[Table, Roles, list[str]]:
    """Read the columns that have a role; return them with the roles, and what was guessed.

    `data` is the path of a file, or a data frame. Files of tools that are known by their content
    need no roles.
    """
    table, found, said = _read_one(data, roles, texts)
    return table, found, [*said, *_counted_words(table, found)]


def _read_one(
    data: object, roles: Roles, texts: bool, system: str | None = None
) -> tuple[Table, Roles, list[str]]:
    """Read a table; one that names no system, where `system` is given, is of that one."""
    if isinstance(data, str) and not texts:
        known = known_table(data, roles)
        if known is not None:
            return known
    settled: list[Any] = []
    others: tuple[str, ...] = ()
    name = shown(data) if isinstance(data, str) else FRAME

    def choose(head: Head) -> Mapping[str, Kind]:
        nonlocal others
        settled[:] = settled_roles(roles, head, name, texts=texts, one_system=system is not None)
        wanted = kinds_of(settled[0])
        others = tuple(title for title in head if title not in wanted)
        return wanted

    if isinstance(data, str):
        table = read_columns(data, choose)
    elif is_frame(data):
        table = frame_table(data, choose)
    else:
        raise InputError(f"{name}: a {type(data).__name__}; give a file or a data frame")
    found, said = settled
    table = replace(table, others=others)
    if system is not None and not found.system:
        found = replace(found, system=(_FILE,))
        table = table.with_label(_FILE, system)
    return table, found, said


def _counted_words(table: Table, roles: Roles) -> list[str]:
    """Return what is to be said of words that count as numbers; all systems must have the same."""
    if roles.is_wide and not roles.holds_texts:
        check_same_words([(table, column) for column in roles.system])
    columns: dict[tuple[str, ...], list[str]] = {}
    for column, words in table.words.items():
        columns.setdefault(words, []).append(shown(column))
    return [
        f"{table.label}: in {', '.join(named)}, {passed} counts as 1 and {failed} as 0"
        for (passed, failed), named in columns.items()
    ]


def read_tables(
    files: Sequence[str], roles: Roles, *, texts: bool = False
) -> tuple[Table, Roles, list[str]]:
    """Read files that make one table: each a path, or `NAME=path` for a table of one system.

    The columns are those of the first file. A file that names no system is of the one that it is
    called after, if there are several files.
    """
    arguments = [FileArgument.parse(file) for file in files]
    if not texts:
        known = known_tables(arguments, roles)
        if known is not None:
            return known
    names = file_names([argument.path for argument in arguments])
    tables: list[Table] = []
    said: list[str] = []
    for argument, name in zip(arguments, names, strict=True):
        own = replace(roles, system=()) if roles.system == (_FILE,) else roles
        if argument.name is not None:
            own = replace(own, system=())
        system = argument.name or (name if len(files) > 1 else None)
        table, settled, guesses = _read_one(argument.path, own, texts, system)
        if argument.name is not None and settled.system != (_FILE,):
            settled = replace(settled, system=(_FILE,))
            table = table.with_label(_FILE, argument.name)
        if tables and settled != roles:
            raise InputError(
                f"{table.name}: other columns than in {tables[0].name}; give tables with the same "
                "columns, or name them with --columns"
            )
        said += guesses if not tables else []
        tables.append(table)
        roles = settled
    table = Table.joined(tables, f"{len(tables)} tables")
    return table, roles, [*said, *_counted_words(table, roles)]


def measure_table(
    table: Table,
    roles: Roles,
    metrics: Sequence[Metric | Definition] = (),
    *,
    gaps: Gaps | None = None,
    pass_at: Sequence[int] = (),
    threads: int = 0,
    progress: Progress | None = None,
) -> Measured:
    """Join the rows of a table: scores that are given, or texts, to be scored by metrics.

    With `pass_at` the runs are independent attempts at each item, and its score is the chance
    that at least one of so many succeeds (Chen et al. 2021).
    """
    gaps = gaps or Gaps()
    if roles.holds_texts:
        if pass_at or gaps.instead is not None:
            raise UsageError("--pass-at and --missing are for scores and not for texts")
        systems, test_set = texts_of(table, roles)
        return measure_texts(systems, test_set, metrics, threads=threads, progress=progress)
    of = _ScoreTable.of_wide if roles.is_wide else _ScoreTable.of_long
    return of(table, roles).measured(roles, gaps, pass_at)


def _combined(columns: Sequence[Labels], size: int) -> tuple[Integers, Integers]:
    """Number the combinations of labels as they first appear; return the first row of each too.

    >>> codes = np.array([0, 1, 0], np.int32)
    >>> _combined([Labels(codes, ["x", "y"])], 3)[0].tolist()
    [0, 1, 0]
    """
    keys = np.zeros(size, np.int64)
    count = 1
    for column in columns:
        width = len(column.values) + 1
        if count * width >= 2**62:  # numbered anew, so that they stay small
            _, keys = np.unique(keys, return_inverse=True)
            count = int(keys.max()) + 1
        keys = keys * width + (column.codes + 1)
        count *= width
    if count <= max(_MOST_CELLS, 2 * size):
        first = np.full(count, -1, np.int64)
        first[keys[::-1]] = np.arange(size - 1, -1, -1)  # the first row of a key is written last
        rows = np.sort(first[first >= 0])
        numbers = np.empty(count, np.int64)
        numbers[keys[rows]] = np.arange(len(rows))
        return numbers[keys], rows
    _, rows, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(rows)
    numbers = np.empty(len(rows), np.int64)
    numbers[order] = np.arange(len(rows))
    return numbers[inverse], rows[order]


def _filled(table: Table, column: str, role: str) -> Labels:
    """Return labels of which none is empty."""
    labels = table.labels[column]
    empty = labels.codes < 0
    if empty.any():
        raise InputError(
            f"{table.where(int(empty.argmax()))}: {quoted(column)} is empty, so that the {role} is "
            "not known; fill it in"
        )
    return labels


def _direction(table: Table, column: str, metric: str, rows: Integers) -> bool:
    """Return whether small scores of a metric are good, which all of its rows say alike."""
    labels = _filled(table, column, "direction")
    said = sorted({labels.values[code].lower() for code in np.unique(labels.codes[rows])})
    if said not in (["true"], ["false"]):
        raise InputError(
            f"{table.name}: {quoted(column)} says {' and '.join(map(quoted, said))} of "
            f"{shown(metric)}; say true or false, and the same of all its scores"
        )
    return said == ["true"]


@dataclass(frozen=True, slots=True)
class _Items:
    """The items of a table: their number for every row, and what each is called."""

    of_row: Integers
    ids: tuple[str, ...]
    slices: tuple[str, ...] | None
    documents: tuple[str, ...] | None

    @classmethod
    def of(cls, table: Table, roles: Roles) -> _Items:
        named = [
            (column, role)
            for role in ("slice", "document", "item")
            if (column := getattr(roles, role)) is not None
        ]
        columns = {role: _filled(table, column, role) for column, role in named}
        if roles.item is None:  # in a wide table every row is an item
            of_row = rows = np.arange(table.size)
            ids = tuple(map(str, range(1, table.size + 1)))
        else:
            of_row, rows = _combined(list(columns.values()), table.size)
            ids = _labels_at(columns["item"], rows)
        return cls(
            of_row,
            ids,
            _labels_at(columns["slice"], rows) if "slice" in columns else None,
            _labels_at(columns["document"], rows) if "document" in columns else None,
        )

    def name(self, item: int) -> str:
        """Return what a message calls an item."""
        where = [
            f" of {shown(labels[item])}"
            for labels in (self.documents, self.slices)
            if labels is not None
        ]
        return f"item {quoted(self.ids[item])}{''.join(where)}"


def _labels_at(labels: Labels, rows: Integers) -> tuple[str, ...]:
    values = labels.values
    return tuple([values[code] for code in labels.codes[rows].tolist()])


def passed(
    scores: Mapping[str, NDArray[np.float64]],
    owners: Sequence[str],
    pass_at: Sequence[int],
    where: str = "",
    item_name: Callable[[int], str] = lambda item: f"item {item + 1:,}",
) -> dict[str, NDArray[np.float64]]:
    """Return pass@k = 1 − C(n − c, k)/C(n, k) of every item, c of whose n attempts succeed.

    Chen et al. 2021, equation 1. Scores have a row for each run, whose `owners` are systems, and
    are NaN where there is no attempt; results have a row for each system.
    """
    from scipy.special import gammaln

    names = list(dict.fromkeys(owners))
    numbers = np.array([names.index(name) for name in owners])
    result: dict[str, NDArray[np.float64]] = {}
    for metric, values in scores.items():
        known = ~np.isnan(values)
        if not np.isin(values[known], (0.0, 1.0)).all():
            raise InputError(
                f"{where}{quoted(metric)} has other scores than 0 and 1 (false and true), which "
                "pass@k counts; leave out --pass-at"
            )
        tries = np.array([known[numbers == at].sum(axis=0) for at in range(len(names))])
        right = np.array([np.nansum(values[numbers == at], axis=0) for at in range(len(names))])
        for k in pass_at:
            if k < 1:
                raise UsageError(f"pass@{k} counts {k} runs; give a k of 1 or more")
            for system, item in np.argwhere((tries < k) & (tries > 0))[:1].tolist():
                raise UsageError(
                    f"pass@{k} needs at least {k} runs of every item, but {names[system]} has "
                    f"{tries[system, item]} of {item_name(item)}; give a smaller k, or more runs"
                )
            left = tries - right
            with np.errstate(all="ignore"):
                chance = 1 - np.exp(
                    gammaln(left + 1)
                    - gammaln(left - k + 1)
                    - gammaln(tries + 1)
                    + gammaln(tries - k + 1)
                )
            chance = np.where(left < k, 1.0, chance)
            chance = np.where(right == 0, 0.0, chance)
            title = f"pass@{k}" if len(scores) == 1 else f"{metric} pass@{k}"
            result[title] = np.where(tries == 0, np.nan, chance)
    return result


@dataclass(frozen=True, slots=True)
class _ScoreTable:
    """Scores by metric: one row per run of a system, one column per item, NaN where there is none.

    `system_runs` are the systems with their runs, in the order of rows. `is_lower` tells of metrics
    whether small scores are good, where a column says it.
    """

    table: Table
    items: _Items
    system_runs: tuple[tuple[str, str | None], ...]
    scores: Mapping[str, NDArray[np.float64]]
    is_lower: Mapping[str, bool] = field(default_factory=dict)

    @classmethod
    def of_wide(cls, table: Table, roles: Roles) -> _ScoreTable:
        """Take a column per system; rows are items, and their runs if the table has some."""
        items = _Items.of(table, roles)
        if roles.run is None:
            runs = Labels(np.zeros(table.size, np.int32), [""])
        else:
            runs = _filled(table, roles.run, "run")
        system_runs = tuple(
            (name, run or None) for name in roles.system for run in dict.fromkeys(runs.values)
        )
        scores = np.full((len(system_runs), len(items.ids)), np.nan)
        _check_once(table, roles, items, runs.codes.astype(np.int64), [""], runs.values)
        for at, column in enumerate(roles.system):
            scores[at * len(runs.values) + runs.codes, items.of_row] = table.numbers[column]
        return cls(table, items, system_runs, {"score": scores})

    @classmethod
    def of_long(cls, table: Table, roles: Roles) -> _ScoreTable:
        """Take a row per item, system and run, and per metric if there is a column of them."""
        systems = _filled(table, roles.system[0], "system")
        if len(systems.values) > _MOST_SYSTEMS:
            raise UsageError(
                f"{table.name}: {len(systems.values):,} systems in the column "
                f"{quoted(roles.system[0])}, such as {quoted(systems.values[0])}; is that an id? "
                "name the column of systems with system=NAME among --columns, or give at most "
                f"{_MOST_SYSTEMS:,}"
            )
        items = _Items.of(table, roles)
        labels = [systems]
        if roles.run is not None:
            labels.append(_filled(table, roles.run, "run"))
        system_run_of_row, first = _combined(labels, table.size)
        runs: Sequence[str | None] = [None] * len(first)
        if roles.run is not None:
            runs = _labels_at(labels[1], first)
        system_runs = list(zip(_labels_at(systems, first), runs, strict=True))
        # The runs of a system stand together, systems as they first appear.
        places = {
            name: at for at, name in enumerate(dict.fromkeys(name for name, _ in system_runs))
        }
        order = sorted(range(len(system_runs)), key=lambda at: (places[system_runs[at][0]], at))
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        system_run_of_row = rank[system_run_of_row]
        system_runs = [system_runs[at] for at in order]
        if roles.metric is None:
            everything = np.arange(table.size)
            parts = {column: (everything, column) for column in roles.score}
        else:
            if len(roles.score) != 1:
                raise UsageError("a column of metrics needs one column of scores; name one")
            named = _filled(table, roles.metric, "metric")
            parts = {
                metric: (np.flatnonzero(named.codes == code), roles.score[0])
                for code, metric in enumerate(named.values)
            }
        scores = {}
        is_lower = {
            metric: _direction(table, roles.direction, metric, rows)
            for metric, (rows, _) in parts.items()
            if roles.direction is not None
        }
        for metric, (rows, column) in parts.items():
            _check_once(
                table,
                roles,
                items,
                system_run_of_row,
                [name for name, _ in system_runs],
                [run for _, run in system_runs],
                rows,
            )
            scores[metric] = np.full((len(system_runs), len(items.ids)), np.nan)
            scores[metric][system_run_of_row[rows], items.of_row[rows]] = table.numbers[column][
                rows
            ]
        return cls(table, items, tuple(system_runs), scores, is_lower)

    def measured(self, roles: Roles, gaps: Gaps, pass_at: Sequence[int]) -> Measured:
        """Return the scores of all systems, of the items that all have."""
        remarks: list[str] = []
        scores = dict(self.scores)
        lower = tuple(scores) if roles.lower == (ALL,) else roles.lower
        lower += tuple(name for name, low in self.is_lower.items() if low and name not in lower)
        for name in lower:
            if not self.is_lower.get(name, True):
                raise UsageError(
                    f"{self.table.name}: small scores of {shown(name)} are said to be good, but "
                    f"{quoted(roles.direction or '')} says false; say it once"
                )
            if name not in scores:
                raise UsageError(
                    f"{self.table.name}: lower={shown(name)} is none of the scores "
                    f"({', '.join(map(shown, scores))})"
                )
        if gaps.instead is not None:
            filled = sum(int(np.isnan(values).sum()) for values in scores.values())
            scores = {
                metric: np.where(np.isnan(values), gaps.instead, values)
                for metric, values in scores.items()
            }
            if filled:
                remarks.append(
                    f"{self.table.label}: {plural(filled, 'missing score')} counted as "
                    f"{gaps.instead:g}"
                )
        system_runs: Sequence[tuple[str, str | None]] = self.system_runs
        if pass_at:
            if lower:
                raise UsageError(f"pass@k is of scores that are to be high, not of {lower[0]}")
            owners = [name for name, _ in system_runs]
            scores = passed(scores, owners, pass_at, f"{self.table.name}: ", self.items.name)
            system_runs = [(name, None) for name in dict.fromkeys(owners)]
        kept = self._kept(scores, system_runs, gaps, remarks)
        items = self.items
        names = list(dict.fromkeys(name for name, _ in system_runs))
        by_system = {
            metric: {
                name: values[
                    [at for at, system_run in enumerate(system_runs) if system_run[0] == name]
                ][:, kept]
                for name in names
            }
            for metric, values in scores.items()
        }
        measured = measure_scores(
            by_system,
            lower=lower,
            documents=_some(items.documents, kept),
            slices=_some(items.slices, kept),
            remarks=remarks,
        )
        runs = tuple(tuple(run for owner, run in system_runs if owner == name) for name in names)
        return replace(measured, ids=_some(items.ids, kept), runs=runs)

    def _kept(
        self,
        scores: Mapping[str, NDArray[np.float64]],
        system_runs: Sequence[tuple[str, str | None]],
        gaps: Gaps,
        remarks: list[str],
    ) -> Integers:
        """Return the items that every system has a score of, and refuse others or say so."""
        missing = np.zeros(len(self.items.ids), bool)
        for metric, values in scores.items():
            gap = np.isnan(values)
            missing |= gap.any(axis=0)
            if gap.any() and not gaps.allow:
                system_run, item = np.argwhere(gap)[0]
                name, run = system_runs[system_run]
                who = shown(name) if run is None else f"{shown(name)}, run {shown(run)},"
                more = int(gap.sum()) - 1
                others = f" (and {plural(more, 'more score')} missing)" if more else ""
                what = "" if len(scores) == 1 else f" by {shown(metric)}"
                raise InputError(
                    f"{self.table.name}: {who} has no score{what} of {self.items.name(int(item))}"
                    f"{others}; leave out such items for all systems with --allow-missing, or "
                    "count them as failures with --missing 0"
                )
        kept = np.flatnonzero(~missing)
        if not len(kept):
            raise InputError(
                f"{self.table.name}: no item has a score of every system and run; do the systems "
                "name their items alike?"
            )
        out = len(missing) - len(kept)
        if out:
            verb = "is" if out == 1 else "are"
            remarks.append(
                f"{self.table.label}: {out:,} of {plural(len(missing), 'item')} {verb} left out "
                "for all systems, as some have no score"
            )
        return kept


def _some(labels: Sequence[str] | None, kept: Integers) -> tuple[str, ...] | None:
    if labels is None:
        return None
    return tuple(labels) if len(kept) == len(labels) else tuple(labels[at] for at in kept.tolist())


def _check_once(
    table: Table,
    roles: Roles,
    items: _Items,
    system_runs: Integers,
    names: Sequence[str],
    runs: Sequence[str | None],
    rows: Integers | None = None,
) -> None:
    """Refuse two rows of one item, system and run."""
    rows = np.arange(table.size) if rows is None else rows
    keys = system_runs[rows] * len(items.ids) + items.of_row[rows]
    counts = np.bincount(keys, minlength=1)
    if counts.max() < 2:
        return
    key = int(np.flatnonzero(counts > 1)[0])
    first, second = rows[np.flatnonzero(keys == key)[:2]].tolist()
    system_run, item = divmod(key, len(items.ids))
    system = (
        f" of {shown(names[system_run])}" if len(names) > system_run and names[system_run] else ""
    )
    run = runs[system_run] if system_run < len(runs) else None
    of_run = f", run {shown(run)}" if run else ""
    absent = {role: "…" for role in ("run", "slice", "document") if getattr(roles, role) is None}
    if "run" in absent and (judges := columns_for("judge", table.others)):
        absent = {"run": shown(judges[0])}
    named = ", ".join(f"{role}={column}" for role, column in absent.items())
    advice = f"name the column that tells them apart ({named}), or " if absent else ""
    before = table.where(first) if table.parts else f"row {first + table.first:,}"
    raise InputError(
        f"{table.where(second)}: {items.name(item)}{system}{of_run} again, after {before}; "
        f"{advice}give one row for each"
    )


# Texts.


def texts_of(table: Table, roles: Roles) -> tuple[tuple[System, ...], TestSet]:
    """Return the systems' texts, and the test set that they share."""
    items = _Items.of(table, roles)
    outputs: dict[tuple[str, str | None], tuple[str, ...]]
    if roles.is_wide:
        outputs = {
            (name, None): _column_of_texts(table, name, items, np.arange(table.size), name)
            for name in roles.system
        }
        _check_once(table, roles, items, np.zeros(table.size, np.int64), [""], [None])
    else:
        assert roles.hypothesis is not None
        labels = []
        if roles.system:
            labels.append(_filled(table, roles.system[0], "system"))
        if roles.run is not None:
            labels.append(_filled(table, roles.run, "run"))
        system_runs, first = _combined(labels, table.size)
        systems = _labels_at(labels[0], first) if roles.system else (_NO_SYSTEM,) * len(first)
        runs: Sequence[str | None] = [None] * len(first)
        if roles.run is not None:
            runs = _labels_at(labels[-1], first)
        _check_once(table, roles, items, system_runs, systems, runs)
        outputs = {
            (name, run): _column_of_texts(
                table,
                roles.hypothesis,
                items,
                np.flatnonzero(system_runs == at),
                shown(name) if run is None else f"{shown(name)}, run {shown(run)}",
            )
            for at, (name, run) in enumerate(zip(systems, runs, strict=True))
        }
    rows = np.arange(table.size)
    test_set = TestSet(
        tuple(
            _column_of_texts(table, column, items, rows, column, shared=True)
            for column in roles.reference
        ),
        None
        if roles.source is None
        else _column_of_texts(table, roles.source, items, rows, roles.source, shared=True),
        documents=items.documents,
        ids=items.ids,
        slices=items.slices,
    )
    return tuple(
        System(name, Outputs(texts), run) for (name, run), texts in outputs.items()
    ), test_set


def _column_of_texts(
    table: Table, column: str, items: _Items, rows: Integers, who: str, *, shared: bool = False
) -> tuple[str, ...]:
    """Return one text for every item; those that systems share must be the same in all rows."""
    texts: list[str | None] = [None] * len(items.ids)
    given = table.texts[column]
    for row in rows.tolist():
        item = int(items.of_row[row])
        text = given[row]
        if shared and texts[item] is not None and text is not None and text != texts[item]:
            raise InputError(
                f"{table.where(row)}: another {quoted(column)} of {items.name(item)} than above; "
                "systems are compared on the same texts"
            )
        texts[item] = texts[item] if text is None else text
    for item, text in enumerate(texts):
        if text is None:
            raise InputError(
                f"{table.name}: {who} has no text of {items.name(item)}; give one for every item, "
                "an empty one where nothing was written"
            )
    return tuple(text for text in texts if text is not None)
