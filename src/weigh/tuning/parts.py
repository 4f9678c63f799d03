"""N-best lists in parts of whole segments, so that lists larger than memory can be used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from weigh.errors import InputError
from weigh.read.nbest import Candidate
from weigh.read.stream import quoted, shown
from weigh.tuning.gather import candidates_for, gather, read_nbest
from weigh.tuning.nbest import NBest
from weigh.types import TestSet

# Candidates in memory at once, or so many that their texts have this number of characters. A list
# that is no longer than that may be in any order.
PART = 1 << 16
_CHARACTERS = 1 << 24


def read_parts(
    paths: Sequence[str], test_set: TestSet | None = None, part: int = PART
) -> Iterator[NBest]:
    """Yield the stores of consecutive segments, at least `part` candidates in each but the last.

    Fewer if their texts are long. Several files are one list, merged in memory; one file is read
    as it is used.
    """
    if len(paths) > 1:
        yield read_nbest(paths, test_set)
        return
    rest = _Rest(paths[0], candidates_for(paths, test_set), part)
    while rest.next is not None:
        yield gather(rest.taken())


class _Rest:
    """What of a list has not been read yet; `next` is its first candidate, if there is one."""

    def __init__(self, path: str, candidates: Iterator[Candidate], part: int) -> None:
        self._path, self._candidates, self._part = path, candidates, part
        self._done: set[str] = set()
        self.next = next(candidates, None)

    def taken(self) -> Iterator[Candidate]:
        """Yield the candidates of the next part, none of which is kept here."""
        current: set[str] = set()
        last, size, characters = "", 0, 0
        while self.next is not None and (
            (size < self._part and characters < _CHARACTERS) or self.next.id == last
        ):
            candidate = self.next
            if candidate.id in self._done:
                raise InputError(
                    f"{shown(self._path)}: line {candidate.line:,} is of sentence "
                    f"{quoted(candidate.id)}, whose other candidates stand far before; sort this "
                    "long list by sentence"
                )
            yield candidate
            last, size, characters = candidate.id, size + 1, characters + len(candidate.text)
            current.add(last)
            self.next = next(self._candidates, None)
        self._done |= current
