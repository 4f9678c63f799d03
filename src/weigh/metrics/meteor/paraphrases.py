"""Paraphrases from a table in METEOR's format (Denkowski & Lavie 2010).

Three lines make an entry: a probability, a phrase, a phrase. An entry is good in both directions;
an entry that stands in the table in both gives two matches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from operator import or_

from weigh.errors import InputError
from weigh.metrics.meteor.resource import fingerprint
from weigh.read.text import blocks, shown

# No phrase of METEOR's own tables is longer; longer ones are never looked for.
_LONGEST = 7

_OF_NUMBERS = b"0123456789.+-eE"

Phrases = dict[bytes, list[tuple[int, int]]]
Match = tuple[int, int, int, int]  # start and length in the hypothesis, then in the reference


class Paraphrases:
    """The entries of a table that have to do with the references of a test set."""

    def __init__(self, path: str, references: Sequence[Sequence[str]]) -> None:
        self._references = references
        self._table = _read(path, {p for sentence in references for p in _phrases(sentence)})

    def matches(self, hypothesis: Sequence[str], reference: int) -> list[Match]:
        """Return the matches with one reference, in the order in which METEOR tries them.

        First come the entries that begin with a phrase of the reference, then those that begin
        with one of the hypothesis: by the place of that phrase, by the table, by the other place.
        """
        ours = _phrases(hypothesis)
        theirs = _phrases(self._references[reference])
        found = [(j, m, i, n) for i, n, j, m in self._partners(theirs, ours)]
        return found + list(self._partners(ours, theirs))

    def _partners(self, phrases: Phrases, others: Phrases) -> Iterator[Match]:
        found = []
        for phrase, places in phrases.items():
            partners = self._table.get(phrase)
            if partners is None:
                continue
            for partner in partners.keys() & others.keys():
                found += [
                    (start, length, partners[partner], *other)
                    for start, length in places
                    for other in others[partner]
                ]
        for start, length, _, other_start, other_length in sorted(found):
            yield start, length, other_start, other_length


def signature(path: str) -> str:
    """Return what a signature says of a table."""
    return fingerprint(path)


def _phrases(words: Sequence[str]) -> Phrases:
    """Return the phrases of a sentence, each with its places: start and length."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    found: Phrases = {}
    for start, phrase in enumerate(encoded):
        found.setdefault(phrase, []).append((start, 1))
        for length, word in enumerate(encoded[start + 1 : start + _LONGEST], 2):
            phrase += b" " + word
            found.setdefault(phrase, []).append((start, length))
    return found


def _read(path: str, wanted: set[bytes]) -> dict[bytes, dict[bytes, int]]:
    """Return the entries with a wanted phrase: partners by first phrase, numbered in order."""
    table: dict[bytes, dict[bytes, int]] = {}
    for firsts, seconds in _columns(path):
        # Most entries are not wanted: they are sorted out without a step of Python for each.
        chosen = map(or_, map(wanted.__contains__, firsts), map(wanted.__contains__, seconds))
        for first, second in compress(zip(firsts, seconds, strict=True), chosen):
            partners = table.setdefault(first, {})
            partners.setdefault(second, len(partners))
    return table


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
            f"{shown(path)}: after line {number:,} a line is missing or too much; three lines "
            "per paraphrase were expected: a probability, a phrase, a phrase"
        )
    return firsts, seconds
