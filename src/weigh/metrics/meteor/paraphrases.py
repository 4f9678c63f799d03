"""Paraphrases from a table in METEOR's format (Denkowski & Lavie 2010).

Three lines make an entry: a probability, a phrase, a phrase. An entry is good in both directions;
an entry that stands in the table in both gives two matches.

METEOR's own table for English has five million entries. It is compiled into one text and an index
by hashes of phrases, which is kept for the next run: reading that takes a small part of the time,
and phrases are looked for when they are met.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress, pairwise
from operator import ne
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from weigh.errors import InputError
from weigh.metrics.meteor import cache
from weigh.metrics.meteor.resources import LARGE, content_digest
from weigh.read.text import blocks, shown

# No phrase of METEOR's own tables is longer; longer ones are never looked for.
_LONGEST_PHRASE = 7

_OF_NUMBERS = b"0123456789.+-eE"

Phrases = dict[bytes, list[tuple[int, int]]]
Match = tuple[int, int, int, int]  # start and length in the hypothesis, then in the reference


class Paraphrases:
    """The entries of a table that have to do with the references of a test set."""

    def __init__(self, path: str, references: Sequence[Sequence[str]]) -> None:
        self._references = references
        self._wanted = {p for sentence in references for p in _phrases(sentence)}
        self._table = ParaphraseTable.load(path)
        self._is_taken = self._table.taken()
        self._known: dict[bytes, dict[bytes, int]] = {}

    def matches(self, hypothesis: Sequence[str], reference: int) -> list[Match]:
        """Return the matches with one reference, in the order in which METEOR tries them.

        First come the entries that begin with a phrase of the reference, then those that begin
        with one of the hypothesis: by the place of that phrase, by the table, by the other place.
        """
        ours = _phrases(hypothesis)
        theirs = _phrases(self._references[reference])
        pairs = [(j, m, i, n) for i, n, j, m in self._partners(theirs, ours)]
        return pairs + list(self._partners(ours, theirs))

    def _partners(self, phrases: Phrases, others: Phrases) -> Iterator[Match]:
        pairs = []
        is_taken, shift = self._is_taken, self._table.shift
        # Most phrases are in no table, and this is all that is done for them.
        for phrase in [phrase for phrase in phrases if is_taken[crc32(phrase) >> shift]]:
            partners = self._known.get(phrase)
            if partners is None:
                partners = self._known[phrase] = self._partners_of(phrase)
            if not partners:
                continue
            for partner in partners.keys() & others.keys():
                pairs += [
                    (start, length, partners[partner], *other)
                    for start, length in phrases[phrase]
                    for other in others[partner]
                ]
        for start, length, _, other_start, other_length in sorted(pairs):
            yield start, length, other_start, other_length

    def _partners_of(self, phrase: bytes) -> dict[bytes, int]:
        """Return the paraphrases of a phrase, numbered in order.

        To a phrase of no reference only those matter that are in one.
        """
        seconds = dict.fromkeys(self._table.seconds(phrase))
        if phrase not in self._wanted:
            seconds = dict.fromkeys(filter(self._wanted.__contains__, seconds))
        return {second: number for number, second in enumerate(seconds)}


def _phrases(words: Sequence[str]) -> Phrases:
    """Return the phrases of a sentence, each with its places: start and length."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    phrases: Phrases = {}
    for start, phrase in enumerate(encoded):
        phrases.setdefault(phrase, []).append((start, 1))
        for length, word in enumerate(encoded[start + 1 : start + _LONGEST_PHRASE], 2):
            phrase += b" " + word
            phrases.setdefault(phrase, []).append((start, length))
    return phrases


# Slots of the hash table per group, or somewhat more: few phrases share one by chance.
_ROOM = 8

# Raise this whenever tables are compiled to something else.
_COMPILED = "1"


class ParaphraseTable(NamedTuple):
    """All entries: one text of groups, and where to look for those of a phrase.

    A group is a first phrase and the second phrases of entries that follow each other, one per
    line. `groups` are where groups begin in the text; `order` are groups by the place of their
    first phrase, and `places` are where each place begins in that order. A phrase's place are the
    upper bits of its hash, those that are left after a `shift`.
    """

    text: memoryview
    groups: NDArray[np.int64]
    order: NDArray[np.uint32]
    places: NDArray[np.uint32]
    shift: int

    @classmethod
    def compile(cls, path: str) -> ParaphraseTable:
        """Read a table."""
        text = bytearray()
        groups = [0]
        hashes: list[int] = []
        for firsts, seconds in _columns(path):
            # Most entries have the first phrase of the one before: no step of Python for each.
            starts = list(compress(range(1, len(firsts)), map(ne, firsts[1:], firsts)))
            for start, stop in pairwise([0, *starts, len(firsts)]):
                if start == stop:
                    continue
                group = b"\n".join([firsts[start], *seconds[start:stop]])
                text += group + b"\n"
                groups.append(len(text))
                hashes.append(crc32(firsts[start]))
        bits = min(24, max(1, int(_ROOM * len(hashes)).bit_length()))
        places = np.array(hashes, np.uint32) >> np.uint32(32 - bits)
        ends = np.bincount(places, minlength=1 << bits).cumsum()
        return cls(
            memoryview(text),
            np.array(groups, np.int64),
            np.argsort(places, kind="stable").astype(np.uint32),
            np.append(0, ends).astype(np.uint32),
            32 - bits,
        )

    @classmethod
    def load(cls, path: str) -> ParaphraseTable:
        """The table from the cache, or compiled now; small tables are not cached."""
        key = f"paraphrases {_COMPILED} {content_digest(path)}"
        if Path(path).stat().st_size < LARGE:
            return cls.compile(path)
        compiled = cache.load(key)
        if compiled is not None:
            return cls._unpacked(compiled)
        table = cls.compile(path)
        cache.store(key, table._packed())
        return table

    def taken(self) -> bytes:
        """Whether some phrase covers each place."""
        return (np.diff(self.places) > 0).tobytes()

    def seconds(self, phrase: bytes) -> list[bytes]:
        """Phrases that a phrase paraphrases, in the order of the table."""
        place = crc32(phrase) >> self.shift
        first, end = self.places[place : place + 2].tolist()
        phrases: list[bytes] = []
        for group in self.order[first:end].tolist():
            start, stop = self.groups[group : group + 2].tolist()
            first_line, *others = bytes(self.text[start : stop - 1]).split(b"\n")
            if first_line == phrase:
                phrases += others
        return phrases

    def _packed(self) -> bytes:
        sizes = np.array([len(self.order), self.shift], np.int64)
        arrays = (sizes, self.groups, self.order, self.places)
        return b"".join([*(array.tobytes() for array in arrays), self.text])

    @classmethod
    def _unpacked(cls, content: memoryview) -> ParaphraseTable:
        at = 0

        def next_array(kind: type[np.generic], size: int) -> NDArray[Any]:
            nonlocal at
            start, at = at, at + size * np.dtype(kind).itemsize
            return np.frombuffer(content[start:at], kind).copy()  # aligned, as it was not

        groups, shift = next_array(np.int64, 2).tolist()
        starts, order = next_array(np.int64, groups + 1), next_array(np.uint32, groups)
        places = next_array(np.uint32, (1 << (32 - shift)) + 1)
        return cls(content[at:], starts, order, places, shift)


def _columns(path: str) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """Yield the first and the second phrases of one part of the table after another."""
    rest = b""
    number = 0
    for block in blocks(path):
        lines = (rest + block).split(b"\n")
        whole = (len(lines) - 1) // 3 * 3
        rest = b"\n".join(lines[whole:])
        yield _phrases_of(lines[:whole], path, number)
        number += whole
    if rest:
        yield _phrases_of(rest.removesuffix(b"\n").split(b"\n"), path, number)
    elif not number:
        raise InputError(
            f"{shown(path)}: empty; three lines per paraphrase were expected: a probability, a "
            "phrase, a phrase"
        )


def _phrases_of(lines: list[bytes], path: str, number: int) -> tuple[list[bytes], list[bytes]]:
    firsts, seconds = lines[1::3], lines[2::3]
    odd = b"".join(lines[0::3]).translate(None, _OF_NUMBERS)
    if odd or len(lines) % 3 or not (all(firsts) and all(seconds)):
        raise InputError(
            f"{shown(path)}: a line is missing or superfluous after line {number:,}; three "
            "lines per paraphrase were expected: a probability, a phrase, a phrase"
        )
    return firsts, seconds
