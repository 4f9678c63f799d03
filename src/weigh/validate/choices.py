"""Choices of people between blind pairs as files that `weigh validate preference` reads.

What is known of a judge, such as a country, stands in columns of its own, by which `--only` can
choose; where `AssignmentStatus` is `Rejected`, the reader leaves out all that the judge answered.
JSON lines, TSV and results of Mechanical Turk hold the same, but TSV no tabs and line ends. In all
of them the reader drops spaces around the names of pairs and judges. When an answer was given, how
long it took and as what work is told where it is known of any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress

from weigh.errors import UsageError
from weigh.read.cells import csv_text, guarded, tsv_text
from weigh.read.judgment_tables import submit_time
from weigh.read.preferences import MTURK_COLUMNS, OF_ANSWERS, OWN_COLUMNS, TIMES, Choice
from weigh.wording import number_text

About = Mapping[str, Mapping[str, str]]
"""What is known of judges: by judge, what stands in each further column."""


def as_jsonl(choices: Sequence[Choice], about: About | None = None) -> str:
    """Return one JSON object for each choice, without what is not known of its judge."""
    import json

    header, *rows = _table(choices, about or {}, OWN_COLUMNS, [*TIMES])
    known = ({name: cell for name, cell in zip(header, row, strict=True) if cell} for row in rows)
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in known)


def as_tsv(choices: Sequence[Choice], about: About | None = None) -> str:
    """Return a table of one row per choice."""
    return tsv_text(_table(choices, about or {}, OWN_COLUMNS, [*TIMES]))


def as_mturk(choices: Sequence[Choice], about: About | None = None) -> str:
    """Return results of Mechanical Turk; no cell of this CSV file is a formula to spreadsheets."""
    timed = [
        replace(choice, at=submit_time(choice.at)) if choice.at else choice for choice in choices
    ]
    rows = _table(timed, about or {}, MTURK_COLUMNS, [*TIMES.values()])
    return csv_text([guarded(cell) for cell in row] for row in rows)


def _table(
    choices: Sequence[Choice], about: About, columns: Sequence[str], times: Sequence[str]
) -> Iterator[Sequence[str]]:
    further = _further(about)
    timed = [_times(choice) for choice in choices]
    told = [any(cells) for cells in zip(*timed, strict=True)] or [False] * len(times)
    yield *columns, *further, *compress(times, told)
    for choice, cells in zip(choices, timed, strict=True):
        known = about.get(choice.judge, {})
        said = (known.get(name, "") for name in further)
        yield choice.pair, choice.judge, choice.answer, *said, *compress(cells, told)


def _times(choice: Choice) -> tuple[str, str, str]:
    seconds = "" if choice.seconds is None else number_text(choice.seconds)
    return choice.at, seconds, choice.assignment


def _further(about: About) -> list[str]:
    """Return the names of further columns."""
    names = list(dict.fromkeys(name for known in about.values() for name in known))
    for name in names:
        if not name or name in OF_ANSWERS:
            raise UsageError(f"{name!r} cannot be a column about judges; call it otherwise")
    return names


WRITERS: dict[str, Callable[[Sequence[Choice], About | None], str]] = {
    "jsonl": as_jsonl,
    "tsv": as_tsv,
    "mturk": as_mturk,
}
"""What writes choices in each of the forms."""
