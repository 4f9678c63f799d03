"""Roles of the columns of a table, named by people or guessed from common names.

Guesses are reported. Ambiguous columns are rejected, with the option that resolves them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.errors import UsageError, did_you_mean
from weigh.read.columns import NumberColumn, is_numeric, label_text, parse_number
from weigh.read.plain import FRAME
from weigh.read.text import file_label, quoted, shown

if TYPE_CHECKING:
    from weigh.read.columns import Head, Kind

# Common names of columns, in lower case with underscores. Names of the second group are taken only
# where none of the first fits.
_COMMON: Mapping[str, tuple[str, str]] = {
    "system": (
        "system system_id system_name model model_id model_name",
        "llm provider agent variant checkpoint engine",
    ),
    "item": (
        "item item_id id segment segment_id seg_id example_id question_id sample_id prompt_id "
        "task_id problem_id instance_id",
        "uid qid idx doc_id example question prompt problem instance",
    ),
    "score": (
        "score passed correct is_correct success accuracy acc exact_match value rating prediction",
        "pass em f1 reward resolved solved result grade",
    ),
    "run": (
        "run run_id seed replicate repetition epoch trial",
        "sample attempt rep repeat iteration",
    ),
    "slice": ("slice dataset data_set domain subset task category lp", ""),
    "document": ("document document_id doc", ""),
    "judge": ("judge judge_id annotator annotator_id rater rater_id worker_id", ""),
    "metric": ("metric metric_name", ""),
    "direction": ("lower_is_better", ""),
    "hypothesis": ("hypothesis hyp output translation mt response completion", ""),
    "reference": ("reference ref target gold answer", ""),
    "source": ("source src input prompt question", ""),
    "extra": (
        "cost price tokens input_tokens output_tokens total_tokens seconds latency duration",
        "",
    ),
}
_SEVERAL = ("system", "score", "reference", "extra", "lower")
# An empty name says that the table has no such column, unless it needs one.
_NEEDED = ("system", "item", "score", "hypothesis")
ALL = "*"
RATIO = ("numerator", "denominator")
"""The columns of scores that are ratios of two sums."""
LOWER = "lower"
_BOUNDS = re.compile(r"(.+)\.\.(.+)")
_UNNAMED = re.compile(r"(?:unnamed: ?[0-9]+|column_?[0-9]*|index|level_[0-9]+)?", re.IGNORECASE)
_MOST_COLUMNS = 1000
# Numeric columns of wide tables that describe items, whatever their scale.
_NO_SYSTEMS = ("difficulty", "level", "length", "weight", "year", "turn", "num_words", "n_words")
_FEWEST_NUMBERS = 3  # that can be an index
# Cells of all columns, and rows of each, by which scales are compared.
_MOST_COMPARED, _FEWEST_COMPARED = 100_000, 50
_FEW_ROWS = 10  # below, whole numbers that all differ may be scores


@dataclass(frozen=True, slots=True)
class Roles:
    """The names of columns by what they hold.

    Several `system` columns make a wide table: each holds the scores of one system, and `*` stands
    for all columns without another role. `lower` names scores whose small values are good, `*` all
    of them; a `direction` column says it row by row. `bounds` are the lowest and highest possible
    value of a score. `chosen` are labels of the `metric` column. Several `reference` columns are
    several references. `extra` columns are numbers shown beside the scores. No column is guessed
    for the roles that the table is `without`. `judge` only tells why items occur twice.
    """

    system: tuple[str, ...] = ()
    item: str | None = None
    score: tuple[str, ...] = ()
    run: str | None = None
    slice: str | None = None
    set: str | None = None
    document: str | None = None
    metric: str | None = None
    direction: str | None = None
    hypothesis: str | None = None
    reference: tuple[str, ...] = ()
    source: str | None = None
    extra: tuple[str, ...] = ()
    judge: str | None = None
    lower: tuple[str, ...] = ()
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    chosen: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @classmethod
    def of(cls, **columns: str | Iterable[str] | None) -> Roles:
        """Take the names of columns by role, one or several.

        A score may carry its direction and its bounds: `seconds:lower`, `rating:0..10`. An empty
        name says that no column has that role.

        >>> Roles.of(score=["passed", "latency:lower"]).lower
        ('latency',)
        """
        values: dict[str, Any] = {}
        lower: list[str] = []
        without: list[str] = []
        for role, value in columns.items():
            if role not in (*ROLE_NAMES, LOWER):
                raise UsageError(f"unknown role {role!r}; {did_you_mean(role, ROLE_NAMES)}")
            if value is None:
                continue
            if value in ("", [""]) and role not in (*_NEEDED, LOWER):
                without.append(role)
                continue
            names = [value] if isinstance(value, str) else list(value)
            if not all(isinstance(name, str) and name for name in names):
                raise UsageError(f"{role}: give the name of a column")
            if role not in _SEVERAL and len(names) > 1:
                raise UsageError(f"{role} names {len(names)} columns; give one")
            if role == "score":
                scores = [parse_score(name) for name in names]
                names = [name for name, _, _ in scores]
                lower += [name for name, is_lower, _ in scores if is_lower]
                values["bounds"] = {name: ends for name, _, ends in scores if ends is not None}
            if len(set(names)) < len(names):
                raise UsageError(f"{role}: a column is named twice; name it once")
            if role == LOWER:
                lower += names
            else:
                values[role] = tuple(names) if role in _SEVERAL else names[0]
        return cls(**values, lower=tuple(lower), without=tuple(without))

    @classmethod
    def parse(cls, text: str) -> Roles:
        """Parse text such as `system=model,item=id,score=passed`.

        >>> Roles.parse("system=model,score=passed,score=seconds:lower").score
        ('passed', 'seconds')
        """
        columns: dict[str, list[str]] = {}
        for part in text.split(","):
            role, equals, name = part.partition("=")
            if not equals or not role or (not name and role.strip() in _NEEDED):
                raise UsageError(
                    f"--columns {shown(text)}: {quoted(part)} is not ROLE=COLUMN, such as "
                    "system=model,item=id,score=passed"
                )
            columns.setdefault(role.strip(), []).append(name)
        return cls.of(**columns)

    def columns(self, role: str) -> tuple[str, ...]:
        """The columns of a role."""
        value = getattr(self, role)
        return (value,) if isinstance(value, str) else value or ()

    def by_column(self) -> dict[str, str]:
        """Columns with their role."""
        return {name: role for role in ROLE_NAMES for name in self.columns(role)}

    @property
    def is_wide(self) -> bool:
        """Whether every system has a column of its own."""
        return len(self.system) > 1 or self.system == (ALL,)

    @property
    def holds_texts(self) -> bool:
        """Whether the table holds texts to be scored."""
        return bool(self.hypothesis or self.reference)

    def kinds(self) -> dict[str, Kind]:
        """The kind of each column."""
        kinds: dict[str, Kind] = {}
        for column, role in self.by_column().items():
            is_wide = role == "system" and self.is_wide
            if role in ("hypothesis", "reference", "source") or (is_wide and self.holds_texts):
                kinds[column] = "text"
            elif role in ("score", "extra") or is_wide:
                kinds[column] = "number"
            else:
                kinds[column] = "label"
        return kinds


ROLE_NAMES = tuple(
    role.name
    for role in fields(Roles)
    if role.name not in ("judge", "lower", "bounds", "chosen", "without")
)


def parse_score(text: str) -> tuple[str, bool, tuple[float, float] | None]:
    """Read COLUMN, COLUMN:lower, COLUMN:0..10 or both.

    >>> parse_score("errors:lower:0..10")
    ('errors', True, (0.0, 10.0))
    """
    name, *marks = text.split(":")
    is_lower, bounds = False, None
    while marks:  # a column's own name may hold colons
        mark = marks[-1]
        match = _BOUNDS.fullmatch(mark)
        if mark == LOWER and not is_lower:
            is_lower = True
        elif match is not None and bounds is None:
            low, high = (parse_number(part) for part in match.groups())
            if low is None or high is None or not -math.inf < low.value < high.value < math.inf:
                raise UsageError(
                    f"{shown(text)}: {mark} is not LOW..HIGH; give the lowest and the highest "
                    "possible score, such as 0..10"
                )
            bounds = (low.value, high.value)
        else:
            break
        marks.pop()
    return ":".join([name, *marks]), is_lower, bounds


def columns_for(role: str, columns: Iterable[str]) -> list[str]:
    """The columns whose names are common for a role: the last key of a dotted path counts too."""
    names = [(column, _normal(column)) for column in columns]
    for common in (group.split() for group in _COMMON[role]):
        for last_key in (False, True):
            fits = [
                column
                for column, name in names
                if (name.rpartition(".")[2] if last_key else name) in common
            ]
            if fits:
                return fits
    return []


def _normal(column: str) -> str:
    return column.strip().lower().replace(" ", "_").replace("-", "_")


def find_roles(
    roles: Roles, head: Head, name: str, *, texts: bool = False, one_system: bool = False
) -> tuple[Roles, list[str]]:
    """Add guessed roles to those that were named; also return remarks on them.

    `head` are the first cells of every column. `texts` are to be scored. A table of `one_system`
    need not name it.
    """
    finder = _Finder(roles, head, name)
    if roles.is_wide:
        finder.guess("item")
        for role in ("reference", "source") if texts else ():
            finder.guess(role)
    elif texts or roles.holds_texts:
        finder.need("hypothesis")
        for role in ("reference", "source", "system"):
            finder.guess(role)
        finder.need("item")
    else:
        finder.guess("item")
        finder.guess("system")
        if not one_system and finder.is_wide():
            finder.roles = replace(finder.roles, system=(ALL,))
        else:
            if not one_system:
                finder.need("system")
                finder.need("item")
            finder.need("score")
            finder.guess("metric")
            finder.guess("direction")
    for role in ("run", "slice", "document"):
        finder.guess(role)
    finder.find_judge()
    if finder.roles.is_wide:
        finder.find_wide_systems()
    elif not finder.roles.holds_texts:
        finder.guess("extra")
    return finder.roles, finder.remarks()


class _Finder:
    """Guesses roles one after the other; each guess sees what is taken already."""

    def __init__(self, roles: Roles, head: Head, name: str) -> None:
        self.roles = roles
        self._head, self._name = head, name
        self._guesses: dict[str, str] = {}
        self._doubts: list[str] = []
        self._is_star = roles.system == (ALL,)
        self._is_frame = name == FRAME
        for column, role in roles.by_column().items():
            if column not in head and column != ALL:
                raise UsageError(
                    f"{name}: no column {quoted(column)} for the {role}; "
                    f"{did_you_mean(column, _titles(head))}"
                )
        for column in roles.score:
            other = replace(roles, score=()).by_column().get(column)
            if other is not None:
                raise UsageError(
                    f"{name}: {quoted(column)} is named as the score and as the {other}; name a "
                    "column once"
                )

    def guess(self, role: str) -> None:
        """Take the one column with a common name for the role."""
        if getattr(self.roles, role) or role in self.roles.without:
            return
        fits = self._fitting(role)
        if role == "extra":
            fits = [column for column in fits if is_numeric(self._head[column])]
            self.roles = replace(self.roles, extra=tuple(fits))
        elif len(fits) == 1:
            value: Any = (fits[0],) if role in _SEVERAL else fits[0]
            self.roles = replace(self.roles, **{role: value})
            self._guesses[role] = fits[0]
        elif fits:
            self._doubts.append(
                f"{self._name}: {_list_titles(fits)} could be the {role}, so none was used; "
                f"{self._advice(role)}"
            )

    def find_judge(self) -> None:
        """Find the column of judges, which is not a role of scores."""
        judges = self._fitting("judge")
        self.roles = replace(self.roles, judge=judges[0] if judges else None)

    def need(self, role: str) -> None:
        """Take the column of a role, or reject the table."""
        self.guess(role)
        if getattr(self.roles, role):
            return
        fits = self._fitting(role)
        if role in ("system", "score") and not fits:
            for column in self._candidates(role):  # all of which look like an index
                raise UsageError(
                    f"{self._name}: {quoted(column)} looks like row numbers, so it is not used as "
                    f"the {role}; if it is, say so with {self._option(role, column)}"
                )
        if role == "item" and not fits and self._has_one_row_per_system():
            raise UsageError(
                f"{self._name}: every system has a single row; give a row for each item and "
                "system, since averages do not show how much scores vary"
            )
        if {"model_a", "model_b", "winner"} <= {*map(_normal, self._head)}:
            raise UsageError(
                f"{self._name}: a table of choices between two systems, not of scores; rank them "
                "with 'weigh human rank'"
            )
        could = f"{_list_titles(fits)} could be the {role}" if fits else f"no column for the {role}"
        listed: Iterable[str] = self._head
        if role == "score" and not fits:
            listed = self._score_columns() or listed
        columns = ", ".join(_titles(listed))
        raise UsageError(f"{self._name}: {could}; {self._advice(role)} (columns: {columns})")

    def _has_one_row_per_system(self) -> bool:
        if len(self.roles.system) != 1:
            return False
        systems = list(map(label_text, self._head[self.roles.system[0]]))
        return len(systems) > 1 and len({*systems}) == len(systems)

    def _candidates(self, role: str) -> list[str]:
        """The columns without a role whose names are common for this one."""
        taken = self.roles.by_column()
        return columns_for(role, [column for column in self._head if column not in taken])

    def _fitting(self, role: str) -> list[str]:
        fits = self._candidates(role)
        if role in ("system", "score"):
            fits = [column for column in fits if not self._is_index(column)]
        return fits

    def _advice(self, role: str) -> str:
        advice = f"name it with {self._option(role, 'NAME')}"
        if role == "hypothesis" and not self._is_frame:
            return f"{advice}, or give files of texts with -r REF"
        if role == "score" and self._candidates("hypothesis"):
            metrics = 'metrics=["NAME"]' if self._is_frame else "-m METRIC"
            return f"{advice}, or score the texts with {metrics}"
        return advice

    def _option(self, role: str, *names: str) -> str:
        """The syntax for naming columns: keywords for data frames, an option for files."""
        if self._is_frame:
            return f"{role}={names[0]!r}" if len(names) == 1 else f"{role}={[*names]!r}"
        return f"--columns {','.join(f'{role}={shown(name)}' for name in names)}"

    def is_wide(self) -> bool:
        """Whether no column names a system or a score, so that columns of numbers are systems."""
        if self.roles.system or self.roles.score or self._fitting("score"):
            return False
        return bool(self._score_columns())

    def find_wide_systems(self) -> None:
        """Check the columns of a wide table, or find them."""
        is_found = self.roles.system == (ALL,)
        columns = self._score_columns() if is_found else list(self.roles.system)
        if len(columns) < 2:
            raise UsageError(
                f"{self._name}: cannot tell which columns are systems; name them with "
                f"{self._option('system', 'NAME', 'NAME')}, or give one file for each system "
                f"(columns: {', '.join(_titles(self._head))})"
            )
        if len(columns) > _MOST_COLUMNS:
            raise UsageError(
                f"{self._name}: {len(columns):,} columns of scores; give at most "
                f"{_MOST_COLUMNS:,}, or a table with one row for each item and system"
            )
        self.roles = replace(self.roles, system=tuple(columns))
        if is_found and not self.roles.holds_texts:
            self._check_scales(columns)
        if is_found and not self._is_star:
            more = f" and {len(columns) - 10} more" if len(columns) > 10 else ""
            self._guesses["system"] = f"{',system='.join(map(shown, columns[:10]))}{more}"

    def _score_columns(self) -> list[str]:
        """The columns of numbers that have no role, no name for one, and are no index."""
        taken = {*self.roles.by_column()}
        for role in ("item", "run", "slice", "document", "extra"):
            taken |= {*columns_for(role, self._head)}
        free = [column for column in self._head if column not in taken]
        if self.roles.holds_texts:
            return free
        return [
            column
            for column in free
            if is_numeric(self._head[column]) and not self._is_index(column, wide=True)
        ]

    def _is_index(self, column: str, *, wide: bool = False) -> bool:
        """Whether a column only numbers the rows: without a name, 0 … n − 1, or all different."""
        if _UNNAMED.fullmatch(column.strip()):
            return True
        values: set[float] = set()
        for cell in self._head[column]:
            number = parse_number(cell)
            if number is None or number.style != "number" or not number.value.is_integer():
                return False
            if number.value in values:
                return False
            values.add(number.value)
        if len(values) < _FEWEST_NUMBERS:
            return False
        first = min(values)
        is_sequence = first in (0, 1) and max(values) == first + len(values) - 1
        return is_sequence or wide or len(values) >= _FEW_ROWS

    def _check_scales(self, columns: Sequence[str]) -> None:
        """Reject a column that is hardly a system, such as `difficulty` beside pass/fail."""
        values = {}
        rows = max(_FEWEST_COMPARED, _MOST_COMPARED // len(columns))
        for column in columns:
            parsed = NumberColumn(column)
            parsed.add(self._head[column][:rows], lambda at: f"row {at}")
            numbers = parsed.finish()
            values[column] = numbers[~np.isnan(numbers)]
        everything = np.concatenate(list(values.values()))
        ends = np.cumsum([len(numbers) for numbers in values.values()])
        distances = {}
        for (column, cells), end in zip(values.items(), ends.tolist(), strict=True):
            others = np.delete(everything, np.s_[end - len(cells) : end])
            if not len(cells) or not len(others):
                continue
            low, high = np.quantile(others, (0.05, 0.95))
            width = max(high - low, np.abs(others).max())
            is_binary = bool(np.isin(others, (0, 1)).all())
            if is_binary and others.any() and not np.isin(cells, (0, 1)).all():
                distances[column] = np.inf
            elif width:
                beyond = max(low - np.median(cells), np.median(cells) - high)
                distances[column] = beyond / width
        column = max(reversed(distances), key=lambda name: distances[name], default="")
        if column and distances[column] > 1:
            cells = values[column]
            scale = (
                f"({cells.min():g} to {cells.max():g}) is on a different scale from the other "
                "columns of numbers"
            )
            raise self._doubtful(column, columns, scale)
        for column in columns:
            if _normal(column).rpartition(".")[2] in _NO_SYSTEMS:
                raise self._doubtful(column, columns, "is probably not a system")

    def _doubtful(self, column: str, columns: Sequence[str], reason: str) -> UsageError:
        rest = self._option("system", *(name for name in columns if name != column))
        return UsageError(f"{self._name}: {quoted(column)} {reason}; name the systems with {rest}")

    def remarks(self) -> list[str]:
        """The guessed columns, in one line, and roles that remain open."""
        if not self._guesses:
            return self._doubts
        used = ", ".join(f"{role}={shown(column)}" for role, column in self._guesses.items())
        override = "by keyword" if self._is_frame else "with --columns"
        label = file_label(self._name)
        return [f"{label}: using columns {used}. Override {override}.", *self._doubts]


def _titles(columns: Iterable[str]) -> list[str]:
    """The names of columns as messages list them."""
    return [shown(title)[:60] for title in list(columns)[:40]]


def _list_titles(names: Sequence[str]) -> str:
    return " and ".join(", ".join(map(quoted, names)).rsplit(", ", 1))
