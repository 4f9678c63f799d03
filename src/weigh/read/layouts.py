"""Files of evaluation tools as tables: their systems, tasks, items, runs and scores.

Several files become one table: of the items that all systems share, by the scores that all files
have. Which tool wrote a file is told by its content.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress

from weigh.errors import InputError, UsageError, did_you_mean, plural
from weigh.read.columns import Table, objects_table
from weigh.read.inputs import FileArgument
from weigh.read.roles import Roles, kinds_of
from weigh.read.text import check_characters, file_labels, quoted, shown
from weigh.read.tool_logs import Log, Sample, described, read_log

# Columns of labels; the others are called after their metric.
_SYSTEM, _SLICE, _ITEM, _RUN = "(system)", "(slice)", "(item)", "(run)"
_LABELS = (_SYSTEM, _SLICE, _ITEM, _RUN)
# What inspect_ai's letters count: correct, incorrect, partially correct, no answer.
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_GRADES_IN_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def known_table(path: str, roles: Roles | None = None) -> tuple[Table, Roles, list[str]] | None:
    """Read a file of a tool that is known by its content; None if it is not."""
    return known_tables([FileArgument(path)], roles or Roles())


def known_tables(
    files: Sequence[FileArgument], roles: Roles
) -> tuple[Table, Roles, list[str]] | None:
    """Read files of tools into one table, with its roles and what is to be said; None if others.

    Of the roles only scores may be named: the tool itself says what all else is.
    """
    if not files or not set(roles.named().values()) <= {"score"}:
        return None
    logs: list[Log] = []
    for file in files:
        log = read_log(file.path)
        if log is not None:
            logs.append(log.named(file))
        elif logs:
            raise InputError(
                f"{shown(file.path)}: not known as a file of an evaluation tool, as "
                f"{logs[0].name} is; give both apart"
            )
        else:
            return None
    _check_samples(logs)
    names = file_labels(log.name for log in logs)
    said = [f"{names[log.name]}: {remark}" for log in logs for remark in log.said]
    said += [] if roles.score else _chosen_filters(logs)
    scores = []
    for log in logs:
        own: list[str] = []
        scores.append(_scores(log, roles.score, own))
        said += [f"{names[log.name]}: {remark}" for remark in own]
    common = [title for title in scores[0] if all(title in each for each in scores)]
    if not common:
        lacking = next(at for at, each in enumerate(scores) if not set(scores[0]) <= set(each))
        raise InputError(
            f"{logs[lacking].name}: scores are {_listed(scores[lacking])}, but those of "
            f"{logs[0].name} are {_listed(scores[0])}; compare tasks with different metrics apart"
        )
    apart = dict.fromkeys(title for each in scores for title in each if title not in common)
    if apart:
        said.append(f"{_listed(apart)}: left out, as not all files have such scores")
    if logs[0].tool == "promptfoo" and common == ["success", "score", *common[2:]]:
        pairs = [(each["success"], each["score"]) for each in scores]
        if not roles.score and all(passed == score for passed, score in pairs):
            common.remove("score")
            said.append("score: left out, as it is the same as success everywhere")
    rows = []
    for log, values in zip(logs, scores, strict=True):
        for at, sample in enumerate(log.samples):
            labels = (sample.system, sample.task, sample.item, sample.run)
            row: dict[str, object] = dict(zip(_LABELS, labels, strict=True))
            rows.append(row | {title: values[title][at] for title in common})
    found = Roles(
        system=(_SYSTEM,),
        item=_ITEM,
        score=tuple(common),
        run=_RUN if len({row[_RUN] for row in rows}) > 1 else None,
        slice=_SLICE if len({row[_SLICE] for row in rows}) > 1 else None,
        lower=roles.lower,
    )
    name = logs[0].name if len(logs) == 1 else f"{len(logs):,} files"
    table = objects_table(rows, name, lambda _: kinds_of(found))
    tools = " and ".join(dict.fromkeys(log.tool for log in logs))
    told = f"{names.get(name, name)}: made by {tools}; scores are {_listed(common)}"
    if not roles.score and not roles.lower:
        told += "; choose by --columns score=NAME, or score=NAME:lower where small ones are good"
    said.insert(0, told)
    return table, found, said


def _check_samples(logs: Sequence[Log]) -> None:
    """Refuse what stands twice, and items that have one name and are not the same."""
    seen: dict[tuple[str, ...], tuple[Log, Sample]] = {}
    contents: dict[tuple[str, str], tuple[Log, Sample]] = {}
    for log in logs:
        for sample in log.samples:
            key = (sample.system, sample.task, sample.item, sample.run)
            if key in seen:
                before, first = seen[key]
                if before is log:
                    remedy = "let the tool write the file again"
                else:
                    remedy = "name files by NAME=path, or runs of one system by NAME@RUN=path"
                raise InputError(
                    f"{log.where(sample)}: item {quoted(sample.item)} of {shown(sample.system)} "
                    f"again, after {before.where(first)}; {remedy}"
                )
            seen[key] = log, sample
            if sample.content is None:
                continue
            before, first = contents.setdefault((sample.task, sample.item), (log, sample))
            if first.content != sample.content and before.unit == log.unit:
                raise InputError(
                    f"{log.where(sample)}: item {quoted(sample.item)} of {shown(sample.task)} is "
                    f"another one than in {before.where(first)}; systems are compared on the same "
                    "version of a data set"
                )


def _chosen_filters(logs: Sequence[Log]) -> list[str]:
    """Return what is to be said of filters; the one that is taken must be the same for a task."""
    of_task: dict[str, Log] = {}
    for log in logs:
        first = of_task.setdefault(log.samples[0].task, log)
        if log.filters[:1] != first.filters[:1]:
            raise InputError(
                f"{log.name}: the first filter is {_listed(log.filters[:1])}, but that of "
                f"{first.name} is {_listed(first.filters[:1])}; compare what was filtered alike"
            )
    return [
        f"filters of {shown(task)} are {_listed(log.filters)}, and {shown(log.filters[0])} is "
        f"taken; for another, --columns score=METRIC/{shown(log.filters[1])}"
        for task, log in of_task.items()
        if len(log.filters) > 1
    ]


def _scores(log: Log, named: Sequence[str], said: list[str]) -> dict[str, list[float]]:
    """Return the scores of all samples by metric, NaN where there is none.

    Without names these are all that are numbers and that every sample has, or none at all.
    """
    titles = dict.fromkeys(title for sample in log.samples for title in sample.scores)
    for title in named:
        if title not in titles:
            raise UsageError(
                f"{log.name}: no score {quoted(title)}; {did_you_mean(title, map(shown, titles))}"
            )
    if not titles:
        raise InputError(f"{log.name}: no sample has a score; was it scored to the end?")
    found: dict[str, list[float]] = {}
    for title in named or [each for each in titles if each not in log.spare]:
        check_characters(title, f"{log.name}: the name of a score")
        cells = [sample.scores.get(title) for sample in log.samples]
        numbers = [_number(cell, log.tool) for cell in cells]
        odd = next((at for at, number in enumerate(numbers) if number is None), None)
        if odd is not None and (named or any(n is not None and n == n for n in numbers)):
            raise InputError(
                f"{log.where(log.samples[odd])}: {shown(title)} is {described(cells[odd])} and "
                "not a number; choose other scores with --columns score=NAME"
            )
        if odd is not None or title in _LABELS:
            said.append(f"{shown(title)} is left out, as it is no number for each item")
            continue
        values = [math.nan if number is None else number for number in numbers]
        wrong = next((at for at, value in enumerate(values) if math.isinf(value)), None)
        if wrong is not None:
            raise InputError(
                f"{log.where(log.samples[wrong])}: {shown(title)} is not a finite number; look at "
                "that item"
            )
        lacks = [sample for sample in log.samples if sample.scores and title not in sample.scores]
        if lacks and not named:
            said.append(
                f"{shown(title)} is left out, as {plural(len(lacks), log.unit)} "
                "have other scores only"
            )
            continue
        found[title] = values
    if not found:
        raise InputError(
            f"{log.name}: none of {_listed(titles)} is a number for every item; there is nothing "
            "to compare"
        )
    return found


def _number(cell: object, tool: str) -> float | None:
    """Return a score as a number, NaN where there is none, None where it is something else."""
    if cell is None:
        return math.nan
    if isinstance(cell, str) and tool == "inspect_ai":  # as its `value_to_float` does
        if cell in _GRADES:
            return _GRADES[cell]
        with suppress(ValueError):
            return float(cell)
        return _GRADES_IN_WORDS.get(cell.lower())
    if isinstance(cell, bool | int | float):
        try:
            return float(cell)
        except OverflowError:
            return math.inf
    return None


def _listed(names: Iterable[str]) -> str:
    return " and ".join(", ".join(map(shown, names)).rsplit(", ", 1))
