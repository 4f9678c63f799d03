"""Answers of people as the verbs take them: read from files, counted, and judges by number.

Results name nobody unless they are asked to; files of judgments keep the names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from operator import attrgetter
from os import PathLike, fspath
from typing import Any, NamedTuple

from weigh.errors import InputError, UsageError, did_you_mean, plural
from weigh.read.answers import BOUNDS, Averaged, BadRows, Judgments, Omission, Preferences
from weigh.read.cells import tsv_text
from weigh.read.inputs import find_system
from weigh.read.spans import span_fields, spans_json
from weigh.read.text import quoted
from weigh.result import Extent
from weigh.types import Judgment, Preference, Span
from weigh.wording import first_names, number_text

Answers = Any
"""The input of verbs: answers, paths of files, or a data frame."""
# What columns of a long table are called for elsewhere, and how files are read.
_ROLES = {"item": "segment", "score": "value"}
_COLUMNS = (
    *("judge", "system", "item", "score", "scale", "kind", "hit", "seconds", "document", "slice"),
)
_READING = {"pair": None, "bounds": BOUNDS, "bad_rows": "refuse", "names": False, "columns": None}
_NAMED = ("judge", "hit")  # the first two fields of a judgment, which may name people
OUTPUTS = ("system", "repeat")
"""Kinds of items that are scored: repeats count as outputs, controls only test judges."""
MOST_NAMED = 3
"""Largest number of judges that a remark names one by one."""


@dataclass(frozen=True, slots=True)
class Step:
    """The number of judgments, and of their judges, that remain after a step."""

    step: str
    judgments: int
    judges: int

    @classmethod
    def after(cls, step: str, remaining: Collection[Judgment]) -> Step:
        """Count what is left."""
        return cls(step, len(remaining), len({judgment.judge for judgment in remaining} - {""}))


class DroppedByStep(NamedTuple):
    """A step, and how many judgments and judges it drops; None for the first one."""

    step: Step
    judgments: int | None
    judges: int | None


def count_dropped(steps: Sequence[Step]) -> list[DroppedByStep]:
    """Count what every step drops."""
    return [
        DroppedByStep(step, None, None)
        if before is None
        else DroppedByStep(step, before.judgments - step.judgments, before.judges - step.judges)
        for before, step in zip([None, *steps], steps, strict=False)
    ]


def about(pair: str, scale: str) -> str:
    """Language pair, if it has a name, and scale."""
    return ", ".join(filter(None, (pair, scale)))


def read_judgments(
    files: Any,
    *,
    pair: str | None = None,
    bounds: tuple[float, float] = BOUNDS,
    bad_rows: BadRows = "refuse",
    names: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Judgments | Preferences:
    """Read files of judgments: scores, or choices between two outputs.

    `files` are paths, or a data frame. `columns` are the names of columns of a long table, one row
    per answer, by what they hold: `judge`, `system`, `item` (or `segment`), `score` (or `value`),
    and other fields of a judgment.
    `pair` is the language pair to take, and the name of that of files which name none. Scores
    outside of `bounds` are errors. Rows that cannot be read are errors too, or are left out and
    told (`bad_rows="skip"`). Judges are numbered, in the same way whatever is left of their
    answers afterwards, unless their `names` are asked for.
    """
    from weigh.read.judgments import judgments_of, preferences_of, read_answers
    from weigh.read.plain import read_columns_of
    from weigh.read.table import is_frame

    roles = None if columns is None else _fields(columns)
    answers: Judgments | Preferences
    if is_frame(files):
        table, name = read_columns_of(files), "the data frame"
        preferred = preferences_of(table, name=name, bad_rows=bad_rows) if roles is None else None
        answers = preferred or judgments_of(
            table,
            roles,
            name=name,
            pair=pair or "",
            bounds=bounds,
            bad_rows=bad_rows,
        )
    else:
        paths = [*map(fspath, [files] if isinstance(files, str | PathLike) else files)]
        if not paths:
            raise UsageError("no file given; name at least one file of judgments")
        answers = read_answers(paths, pair or "", bounds, bad_rows, roles)
    if isinstance(answers, Preferences):
        return answers if names else _unnamed(answers)
    if not names:
        numbered = numbers(judgment.judge for judgment in answers.judgments if judgment.judge)
        answers = replace(
            answers,
            judgments=renamed(answers.judgments, numbered),
            names={number: name for name, number in numbered.items()},
        )
    return answers if pair is None else _of_pair(answers, pair)


def _unnamed(answers: Preferences) -> Preferences:
    """Choices of a campaign with their judges numbered instead of named."""
    if not answers.judgments:
        return answers
    numbered = numbers(judgment.judge for judgment in answers.judgments)
    return replace(
        answers,
        preferences=tuple(
            replace(preference, judge=numbered.get(preference.judge or "", preference.judge))
            for preference in answers.preferences
        ),
        judgments=renamed(answers.judgments, numbered),
        names={number: name for name, number in numbered.items()},
    )


def parse_columns(text: str) -> dict[str, str]:
    """Columns by role, as given on the command line.

    >>> parse_columns("judge=annotator,score=rating")
    {'judge': 'annotator', 'score': 'rating'}
    """
    columns: dict[str, str] = {}
    for part in text.split(","):
        role, equals, name = part.partition("=")
        if not equals or not role or not name or role in columns:
            raise UsageError(
                f"--columns {text!r}: {part!r} is not ROLE=COLUMN, each once, such as "
                "judge=annotator,system=model,item=id,score=rating"
            )
        columns[role] = name
    return columns


def _fields(columns: Mapping[str, str]) -> dict[str, str]:
    """Map the fields of a judgment to columns; item and score may stand for segment and value."""
    field_names = [field.name for field in fields(Judgment)]
    roles: dict[str, str] = {}
    for role, column in columns.items():
        field = _ROLES.get(role, role)
        if field not in field_names:
            raise UsageError(
                f"unknown role {role!r}; {did_you_mean(role, [*field_names, *_ROLES])}"
            )
        if field in roles:
            raise UsageError(f"two columns for {field!r}; name one")
        roles[field] = column
    return roles


def load_answers(answers: Any, keywords: Mapping[str, Any]) -> Judgments | Preferences:
    """Answers from paths, a data frame, or objects that hold them already.

    How files are read is among the keywords of a public function, which may have others too.
    """
    from weigh.read.table import is_frame

    answers = fspath(answers) if isinstance(answers, PathLike) else answers
    is_path = isinstance(answers, str) or (
        isinstance(answers, list | tuple)
        and bool(answers)
        and all(isinstance(answer, str) for answer in answers)
    )
    columns = {name: keywords[name] for name in _COLUMNS if keywords[name] is not None}
    reading = {name: keywords[name] for name, usual in _READING.items() if keywords[name] != usual}
    if not is_path and not is_frame(answers):
        for name in {**columns, **reading}.keys() - {"bounds"}:  # which agreement is about, too
            raise UsageError(f"{name} is for files and data frames of answers; leave it out")
        taken = as_answers(answers)
    else:
        columns |= reading.pop("columns", {})
        taken = read_judgments(answers, columns=columns or None, **reading)
    # Documents that are given name the segments of the test set by number.
    return taken if keywords.get("documents") is not None else _within_documents(taken)


def _within_documents(answers: Judgments | Preferences) -> Judgments | Preferences:
    """Add the document to segment names where each document numbers its own segments.

    A name that is used in several documents is the name of several segments. Then every segment is
    called DOCUMENT/SEGMENT, and a remark says so.
    """
    if isinstance(answers, Preferences):
        return answers
    documents: dict[tuple[str, str], str] = {}
    reused: dict[str, None] = {}
    for judgment in answers.judgments:
        if judgment.document is not None:
            first = documents.setdefault((judgment.pair, judgment.segment), judgment.document)
            if first != judgment.document:
                reused[judgment.segment] = None
    if not reused:
        return answers
    remark = (
        f"{plural(len(reused), 'segment name')} used in several documents, such as "
        f"{quoted(next(iter(reused)))}; segments are identified as DOCUMENT/SEGMENT"
    )
    return replace(
        answers,
        judgments=tuple(
            judgment
            if judgment.document is None
            else replace(judgment, segment=f"{judgment.document}/{judgment.segment}")
            for judgment in answers.judgments
        ),
        remarks=(*answers.remarks, remark),
    )


def _of_pair(answers: Judgments, pair: str) -> Judgments:
    chosen = tuple(judgment for judgment in answers.judgments if judgment.pair == pair)
    if not chosen:
        pairs = {judgment.pair for judgment in answers.judgments}
        raise InputError(f"no judgments of the language pair {pair!r}; {did_you_mean(pair, pairs)}")
    others = len(answers.judgments) - len(chosen)
    omissions = [Omission("of other language pairs", others)] if others else []
    return replace(answers, judgments=chosen, omissions=(*answers.omissions, *omissions))


def as_answers(answers: Answers) -> Judgments | Preferences:
    """Convert answers in any form to judgments or preferences."""
    if isinstance(answers, Judgments | Preferences):
        return answers
    judged = tuple(answer for answer in answers if isinstance(answer, Judgment))
    if len(judged) == len(answers):
        return Judgments(judged)
    preferred = tuple(answer for answer in answers if isinstance(answer, Preference))
    if judged or len(preferred) < len(answers):
        raise InputError("answers of several kinds; give judgments, or preferences")
    return Preferences(preferred)


def with_scores(answers: Answers) -> Judgments:
    """Judgments with scores; relative rankings are refused."""
    read = as_answers(answers)
    if isinstance(read, Preferences):
        raise InputError("relative rankings, but judgments with scores were expected")
    return read


def single(answers: Judgments, what: str) -> Judgments:
    """Return judgments with judges; reject means of several judges."""
    if averaged(answers) is not None:
        raise InputError(
            f"the files have means over unnamed judges, so {what}; give single judgments, with "
            "a judge column"
        )
    return answers


def averaged(answers: Judgments) -> Averaged | None:
    """The kind of scores that the answers are means of; None for single judgments."""
    nameless = any(not judgment.judge for judgment in answers.judgments)
    return answers.averaged or ("raw" if nameless else None)


def judged_names(candidates: Iterable[str], judged: Collection[str]) -> dict[str, str]:
    """The names of the judged systems that correspond to file names.

    `KIT.en` is the system `KIT`, and so are `newstest2013.KIT.cs-en` and `KIT/out.en`: the name, or
    names between its dots, within a part of the path. A name that is judged is itself, and of two
    names, one within the other, the longer counts: `KIT.2.en` is `KIT.2`, not `KIT`. What could be
    one of two otherwise, or two that could be one, is an error. People may also have judged
    `KIT.en` where the system is `KIT`.

    >>> judged_names(["KIT.en", "online-A.en", "other"], ["KIT", "online-A"])
    {'KIT.en': 'KIT', 'online-A.en': 'online-A'}
    """
    files = list(dict.fromkeys(candidates))
    names = {name: name for name in files if name in judged}
    free = set(judged) - set(names)
    by_judged: dict[str, str] = {}
    for name in files:
        within = _within(name) & set(judged)
        shorter = {part for longer in within for part in _within(longer) - {longer}}
        within |= {system for system in judged if find_system(system, [name]) == name}
        fits = [] if name in names else sorted((within - shorter) & free)
        if len(fits) > 1:
            raise InputError(
                f"{name} may be {' or '.join(fits)}, both of which people judged; choose one, "
                f"as in {fits[0]}={name}"
            )
        for fit in fits:
            if fit in by_judged:
                raise InputError(
                    f"{by_judged[fit]} and {name} may both be {fit}, which people judged; name "
                    f"one of them, as in {fit}={name}"
                )
            by_judged[fit] = name
            names[name] = fit
    return names


def _within(name: str) -> set[str]:
    """The parts of a name between slashes and dots."""
    runs = set()
    for part in name.split("/"):
        pieces = part.split(".")
        for start in range(len(pieces)):
            for end in range(start + 1, len(pieces) + 1):
                runs.add(".".join(pieces[start:end]))
    return runs


def extent_of(answers: Judgments | Preferences) -> Extent:
    """Number of judged segments, summed over language pairs."""
    if isinstance(answers, Preferences):
        # Without segment names, every answer is on a different segment.
        named = {answer.segment for answer in answers.preferences} - {""}
        unnamed = sum(not answer.segment for answer in answers.preferences)
        return Extent(len(named) + unnamed, 0)
    return Extent(len({(answer.pair, answer.segment) for answer in answers.judgments}), 0)


def left_out(answers: Judgments | Preferences) -> tuple[str, ...]:
    """A remark on everything that was left out in reading."""
    return tuple(omission.remark for omission in answers.omissions)


def as_jsonl(judgments: Iterable[Judgment]) -> str:
    """One JSON object per judgment, without unknown fields."""
    import json

    lines = []
    for judgment in judgments:
        fields = asdict(judgment)
        filled = {name: fields[name] for name in fields if fields[name] not in (None, "")}
        if not judgment.rejected:
            del filled["rejected"]
        if judgment.spans is not None:
            filled["spans"] = [span_fields(span) for span in judgment.spans]
        lines.append(json.dumps(filled, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def as_tsv(judgments: Iterable[Judgment]) -> str:
    """One row per judgment under the names of its fields; unknown values are empty."""
    names = [field.name for field in fields(Judgment)]
    rows = ([_cell(getattr(judgment, name)) for name in names] for judgment in judgments)
    return tsv_text([names, *rows])


def _cell(value: str | float | bool | tuple[Span, ...] | None) -> str:
    if isinstance(value, bool):
        return "true" if value else ""
    if isinstance(value, tuple):
        return spans_json(value)
    if isinstance(value, str | None):
        return value or ""
    return number_text(value)


WRITERS: Mapping[str, Callable[[Iterable[Judgment]], str]] = {"jsonl": as_jsonl, "tsv": as_tsv}


def in_order(name: str) -> tuple[list[str | tuple[int, str]], str]:
    """Sort key of names: numbers within them count as numbers.

    >>> sorted(["judge 10", "judge 9"], key=in_order)
    ['judge 9', 'judge 10']
    """
    parts: list[str | tuple[int, str]] = []
    for at, part in enumerate(re.split("([0-9]+)", name)):
        digits = part.lstrip("0")  # the longer number is the larger, however long
        parts.append((len(digits), digits) if at % 2 else part)
    return parts, name


def numbers(judges: Iterable[str]) -> dict[str, str]:
    """`judge 1`, `judge 2` and so on by name, independent of the order of the names.

    >>> numbers(["w7", "w10", "w7"])
    {'w7': 'judge 1', 'w10': 'judge 2'}
    """
    return {name: f"judge {at}" for at, name in enumerate(sorted(set(judges), key=in_order), 1)}


def some_of(judges: Iterable[str]) -> str:
    """Return the names of some judges, and how many more there are.

    >>> some_of(["judge 1", "judge 2", "judge 3", "judge 4", "judge 5"])
    '5 judges (judge 1, judge 2, judge 3 and 2 more)'
    """
    names = sorted(set(judges), key=in_order)
    return f"{plural(len(names), 'judge')} ({first_names(names, MOST_NAMED)})"


def renamed(judgments: Sequence[Judgment], names: Mapping[str, str]) -> tuple[Judgment, ...]:
    """Judgments with their judges renamed.

    Where files name no tasks, a judge's name stands in their place, and is another there too.
    """
    # All fields at once: `dataclasses.replace` takes five times as long, for every judgment.
    rest = attrgetter(*(field.name for field in fields(Judgment) if field.name not in _NAMED))
    judges = {judgment.judge: names.get(judgment.judge, judgment.judge) for judgment in judgments}
    return tuple(
        Judgment(
            judges[judgment.judge],
            judges[judgment.judge] if judgment.hit == judgment.judge else judgment.hit,
            *rest(judgment),
        )
        for judgment in judgments
    )
