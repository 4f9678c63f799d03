"""Which column of a table is what: named by people, or guessed from names that are common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from weigh.errors import UsageError, did_you_mean
from weigh.read.text import file_label, quoted, shown

if TYPE_CHECKING:
    from weigh.read.columns import Head, Kind

# What columns are often called, in small letters and with underscores.
_COMMON: Mapping[str, Sequence[str]] = {
    "system": ("system", "system_id", "system_name", "model", "model_id", "model_name"),
    "item": (
        *("item", "item_id", "id", "segment", "segment_id", "seg_id", "example_id"),
        *("question_id", "sample_id", "prompt_id", "task_id", "problem_id", "instance_id"),
    ),
    "score": (
        *("score", "passed", "correct", "is_correct", "success", "accuracy", "acc"),
        *("exact_match", "value", "rating", "prediction"),
    ),
    "run": ("run", "run_id", "seed", "replicate", "repetition", "epoch", "trial"),
    "slice": ("slice", "dataset", "data_set", "domain", "subset", "task", "category", "lp"),
    "document": ("document", "document_id", "doc", "doc_id"),
    "judge": ("judge", "judge_id", "annotator", "annotator_id", "rater", "rater_id", "worker_id"),
    "metric": ("metric", "metric_name"),
    "direction": ("lower_is_better",),
    "hypothesis": ("hypothesis", "hyp", "output", "translation", "mt", "response", "completion"),
    "reference": ("reference", "ref", "target", "gold", "answer"),
    "source": ("source", "src", "input", "prompt", "question"),
}
_SEVERAL = ("system", "score", "reference", "lower", "without")
# What a table may have or not, so that an empty name says that no column is meant.
_OPTIONAL = ("run", "slice", "document", "metric", "direction", "reference", "source")
ALL = "*"
FRAME = "the data frame"  # what has no name, and came from Python
LOWER = ":lower"


@dataclass(frozen=True, slots=True)
class Roles:
    """The names of columns by what they hold.

    Several `system` columns are a wide table: each holds the scores of one system, and `*` stands
    for all columns that nothing else is said of. `lower` names scores, or metrics of a column of
    them, of which small ones are good, `*` all; a column of their `direction` says true there.
    Several `reference` columns are several references. No column is looked for in the roles that
    the table is `without`.
    """

    system: tuple[str, ...] = ()
    item: str | None = None
    score: tuple[str, ...] = ()
    run: str | None = None
    slice: str | None = None
    document: str | None = None
    metric: str | None = None
    direction: str | None = None
    hypothesis: str | None = None
    reference: tuple[str, ...] = ()
    source: str | None = None
    lower: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @classmethod
    def of(cls, **columns: str | Iterable[str] | None) -> Roles:
        """Take the names of columns by role, one or several; `NAME:lower` is a score to be small.

        An empty name says that no column has that role, whatever the columns are called.

        >>> Roles.of(score=["passed", "latency:lower"]).lower
        ('latency',)
        """
        known = [each.name for each in fields(cls) if each.name != "without"]
        found: dict[str, Any] = {}
        lower: list[str] = []
        without: list[str] = []
        for role, given in columns.items():
            if role not in known:
                raise UsageError(f"no column is a {role!r}; {did_you_mean(role, known)}")
            if given is None:
                continue
            if given in ("", [""], False) and role in _OPTIONAL:
                without.append(role)
                continue
            names = [given] if isinstance(given, str) else list(given)
            if not all(isinstance(name, str) and name for name in names):
                raise UsageError(f"{role}: give the name of a column")
            if role == "score":
                lower += [name.removesuffix(LOWER) for name in names if name.endswith(LOWER)]
                names = [name.removesuffix(LOWER) for name in names]
            if role not in _SEVERAL and len(names) > 1:
                raise UsageError(f"{role} is given {len(names)} times; name one column")
            if len(set(names)) < len(names):
                raise UsageError(f"{role}: a column is named twice; name it once")
            found[role] = tuple(names) if role in _SEVERAL else names[0]
        if lower:
            found["lower"] = (*found.get("lower", ()), *lower)
        if without:
            found["without"] = tuple(without)
        return cls(**found)

    @classmethod
    def parse(cls, text: str) -> Roles:
        """Read what the command line says: `system=model,item=id,score=passed`.

        >>> Roles.parse("system=model,score=passed,score=seconds:lower").score
        ('passed', 'seconds')
        """
        columns: dict[str, list[str]] = {}
        for part in text.split(","):
            role, equals, name = part.partition("=")
            if not equals or not role or (not name and role not in _OPTIONAL):
                raise UsageError(
                    f"--columns {shown(text)}: {quoted(part)} is not ROLE=COLUMN, such as "
                    "system=model,item=id,score=passed"
                )
            columns.setdefault(role.strip(), []).append(name)
        return cls.of(**columns)

    def named(self) -> dict[str, str]:
        """Return the columns that are named, with their role."""
        found: dict[str, str] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name not in ("lower", "without") and value:
                for name in (value,) if isinstance(value, str) else value:
                    found[name] = each.name
        return found

    @property
    def is_wide(self) -> bool:
        """Whether every system has a column of its own."""
        return len(self.system) > 1 or self.system == (ALL,)

    @property
    def holds_texts(self) -> bool:
        """Whether texts are to be scored, and no scores are given."""
        return bool(self.hypothesis or self.reference)


def columns_for(role: str, columns: Iterable[str]) -> list[str]:
    """Return the columns whose names are common for a role."""
    return [
        column
        for column in columns
        if column.strip().lower().replace(" ", "_").replace("-", "_") in _COMMON[role]
    ]


def settled_roles(
    roles: Roles, head: Head, name: str, *, texts: bool = False, one_system: bool = False
) -> tuple[Roles, list[str]]:
    """Return the roles with those that were guessed, and what is to be said of the guesses.

    `texts` are to be scored; a table of `one_system` need not name it.
    """
    named = roles.named()
    for column, role in named.items():
        if column not in head and column != ALL:
            raise UsageError(
                f"{name}: no column {quoted(column)} for {role}; "
                f"{did_you_mean(column, [shown(each)[:60] for each in list(head)[:40]])}"
            )
    for column in roles.score:
        other = replace(roles, score=()).named().get(column)
        if other is not None:
            raise UsageError(
                f"{name}: {quoted(column)} is named as the score and as the {other}; name a column "
                "once"
            )
    guesses: dict[str, str] = {}
    said: list[str] = []

    def guess(role: str, *, needed: bool) -> None:
        nonlocal roles
        if getattr(roles, role) or role in roles.without:
            return
        taken = roles.named()
        fits = columns_for(role, [column for column in head if column not in taken])
        if len(fits) == 1:
            found: Any = (fits[0],) if role in _SEVERAL else fits[0]
            roles = replace(roles, **{role: found})
            guesses[role] = fits[0]
        elif needed or len(fits) > 1:
            listed, there_are = list(head), "there are"
            numbers, words = _score_columns(roles, head)
            if role == "score" and not fits and (numbers or words):
                listed = [column for column in head if column in (*numbers, *words)]
                there_are = "it may be"
            columns = ", ".join(shown(each)[:60] for each in listed[:40])
            which = " and ".join(map(quoted, fits)) if fits else "none of the columns"
            could = f"{which} could be the {role}" if fits else f"no column is known as the {role}"
            option = f'{role}="NAME"' if name == FRAME else f"--columns {role}=NAME"
            advice = f"name it, as in {option} ({there_are}: {columns})"
            if needed:
                raise UsageError(f"{name}: {could}; {advice}")
            said.append(f"{name}: {could}, and none is taken; {advice}")

    if roles.is_wide:
        guess("item", needed=False)
    elif texts or roles.holds_texts:
        guess("hypothesis", needed=True)
        guess("reference", needed=False)
        guess("source", needed=False)
        guess("system", needed=False)
        guess("item", needed=True)
    else:
        # Where nothing says what the system or the score is, columns of numbers are systems.
        guess("item", needed=False)
        guess("system", needed=False)
        if one_system:
            guess("item", needed=True)
            guess("score", needed=True)
            guess("direction", needed=False)
        elif not roles.system and not roles.score and _wide_columns(roles, head):
            roles = replace(roles, system=(ALL,))
        else:
            guess("system", needed=True)
            guess("item", needed=True)
            guess("score", needed=True)
            guess("metric", needed=False)
            guess("direction", needed=False)
    for role in ("run", "slice", "document"):
        guess(role, needed=False)
    if roles.system == (ALL,):
        found = _wide_columns(roles, head)
        if len(found) < 2:
            raise UsageError(
                f"{name}: which columns are systems? name them with system=NAME,system=NAME "
                "among --columns, or give several files of one system each "
                f"(columns: {', '.join(shown(each)[:60] for each in head)})"
            )
        roles = replace(roles, system=tuple(found))
        if not named.get(ALL):
            guesses["system"] = ", ".join(map(shown, found))
    if guesses:
        told = ", ".join(f"{role}={shown(column)}" for role, column in guesses.items())
        said.insert(0, f"{file_label(name)}: taken as {told}; name columns to have it otherwise")
    return roles, said


def _score_columns(roles: Roles, head: Head) -> tuple[list[str], list[str]]:
    """Return the columns of numbers, and those of words for them, that have no other role."""
    from weigh.read.columns import holds_numbers, holds_words

    taken = roles.named()
    others = {name for role in ("run", "slice", "document") for name in columns_for(role, head)}
    free = [column for column in head if column not in taken and column not in others]
    return (
        [column for column in free if holds_numbers(head[column])],
        [column for column in free if holds_words(head[column])],
    )


def _wide_columns(roles: Roles, head: Head) -> list[str]:
    """Return the columns that may be systems: those of numbers, or if there are none of words."""
    numbers, words = _score_columns(roles, head)
    return numbers or words


def kinds_of(roles: Roles) -> dict[str, Kind]:
    """Return what each column is read as."""
    kinds: dict[str, Kind] = {}
    for column, role in roles.named().items():
        is_wide = role == "system" and roles.is_wide
        if role in ("hypothesis", "reference", "source") or (is_wide and roles.holds_texts):
            kinds[column] = "text"
        elif role == "score" or is_wide:
            kinds[column] = "number"
        else:
            kinds[column] = "label"
    return kinds
