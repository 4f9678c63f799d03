"""N-best lists in parts of whole segments, so that lists larger than memory can be used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weigh.errors import InputError
from weigh.read.nbest import Candidate
from weigh.read.stream import quoted, shown
from weigh.tune.gather import candidates_for, gather, read_nbest
from weigh.tune.nbest import NBest
from weigh.types import TestSet

# Candidates in memory at once. A list that is no longer than that may be in any order.
PART = 1 << 17


def read_parts(
    paths: Sequence[str], test_set: TestSet | None = None, part: int = PART
) -> Iterator[NBest]:
    """Yield the stores of consecutive segments, at least `part` candidates in each but the last.

    Several files are one list, merged in memory; one file is read as it is used.
    """
    if len(paths) > 1:
        yield read_nbest(paths, test_set)
        return
    [path] = paths
    waiting: list[Candidate] = []
    done: set[str] = set()
    current: set[str] = set()
    for candidate in candidates_for(paths, test_set):
        if candidate.id in done:
            raise InputError(
                f"{shown(path)}: line {candidate.line:,} is of sentence {quoted(candidate.id)}, "
                "whose other candidates stand far before; sort this long list by sentence"
            )
        if len(waiting) >= part and candidate.id != waiting[-1].id:
            yield gather(waiting)
            done |= current
            waiting, current = [], set()
        waiting.append(candidate)
        current.add(candidate.id)
    yield gather(waiting)
