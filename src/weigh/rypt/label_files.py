"""Files of labels: JSON lines, TSV, and results of Mechanical Turk.

Our own columns are those of an entry and of a judgment on it: words are counted from 0, and `end`
is the first word after the span. JSON lines and TSV hold everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from weigh.errors import InputError
from weigh.read.cells import csv_text, guarded, html, number_text
from weigh.read.judgment_tables import submit_time
from weigh.read.text import quoted
from weigh.rypt.hits import ANSWERS, END, SOURCE, START, SUBSTRINGS
from weigh.rypt.labels import EntryJudgment

NEEDED = ("source", "start", "end", "substring", "label")
COLUMNS = (*NEEDED, "judge", "at", "seconds", "origin", "corrects")

# A HIT asks about one source span and at most ten alternatives. Its input names the source, the
# span and the alternatives; the site repeats them as `Input.…` beside the answers, so that results
# say by themselves what they are about.
_SITE = ("HITId", "WorkerId", "AssignmentStatus", "SubmitTime", "WorkTimeInSeconds")
_INPUTS = tuple(f"Input.{name}" for name in (SOURCE, START, END, *SUBSTRINGS))
_ANSWERS = tuple(f"Answer.{name}" for name in ANSWERS)
RESULTS = (*_SITE, *_INPUTS, _ANSWERS[0])  # the site has no columns for answers that nobody gave


def _fields(judgment: EntryJudgment) -> dict[str, object]:
    entry, label, judge, at, seconds, origin, corrects = judgment
    return {
        **entry._asdict(),
        "label": str(label),
        "judge": judge,
        "at": at,
        "seconds": seconds,
        "origin": origin,
        "corrects": corrects,
    }


def as_jsonl(judgments: Iterable[EntryJudgment]) -> Iterator[str]:
    """Yield one JSON object per judgment; what is not known is left out."""
    import json

    for judgment in judgments:
        known = {
            name: value for name, value in _fields(judgment).items() if value not in (None, "")
        }
        yield json.dumps(known, ensure_ascii=False)


def as_tsv(judgments: Iterable[EntryJudgment]) -> Iterator[str]:
    """Yield the columns' names and one line per judgment; what is not known is empty."""
    yield "\t".join(COLUMNS)
    for judgment in judgments:
        fields = _fields(judgment)
        cells = (fields[name] for name in COLUMNS)
        yield "\t".join("" if cell is None else str(cell) for cell in cells)


def as_mturk(judgments: Iterable[EntryJudgment]) -> Iterator[str]:
    """Yield results of Mechanical Turk: the columns' names, and rows in the order of judgments.

    Labels of one span that follow each other, of one judge, time and origin, stand on one row. The
    site knows when work was handed in, so a judgment without a time is refused; what a judgment
    corrects is not told, but follows from the times.
    """
    yield _csv_line((*_SITE, *_INPUTS, *_ANSWERS))
    row: list[EntryJudgment] = []
    for judgment in judgments:
        if not judgment.at:
            raise InputError(
                f"a label of {quoted(judgment.judge)} has no time, which results of MTurk need; "
                "write JSON lines or TSV"
            )
        if row and not _share_a_row(row, judgment):
            yield _csv_line(_result(row))
            row = []
        row.append(judgment)
    if row:
        yield _csv_line(_result(row))


def _share_a_row(row: Sequence[EntryJudgment], judgment: EntryJudgment) -> bool:
    """Return whether a HIT has room for another judgment, and the time is shared to the digit."""
    last, count = row[-1], len(row) + 1
    same = last.entry._replace(substring="") == judgment.entry._replace(
        substring=""
    ) and last._replace(
        entry=judgment.entry, label=judgment.label, corrects=""
    ) == judgment._replace(corrects="")
    seconds = judgment.seconds
    exact = seconds is None or seconds * count / count == seconds
    return same and exact and count <= len(SUBSTRINGS)


def _result(row: Sequence[EntryJudgment]) -> list[str]:
    first, size = row[0], len(row)
    source, start, end, _ = first.entry
    rest = [""] * (len(SUBSTRINGS) - size)
    return [
        guarded(first.origin),
        guarded(first.judge),
        "Submitted",
        submit_time(first.at),
        "" if first.seconds is None else number_text(first.seconds * size),
        html(source),
        str(start),
        str(end),
        *(html(judgment.entry.substring) for judgment in row),
        *rest,
        *(str(judgment.label) for judgment in row),
        *rest,
    ]


def _csv_line(cells: Sequence[str]) -> str:
    return csv_text([cells]).removesuffix("\r\n")


WRITERS: dict[str, Callable[[Iterable[EntryJudgment]], Iterator[str]]] = {
    "jsonl": as_jsonl,
    "tsv": as_tsv,
    "mturk": as_mturk,
}
"""What writes labels in each of the forms, as lines."""
