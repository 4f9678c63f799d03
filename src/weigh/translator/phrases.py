"""Phrase tables: pairs with their scores, in memory and as text that people can read.

A line of the file is

    ein mann ||| a man ||| 0.8 0.6 0.5 0.4 ||| 0.9 0.05 0.05 0.8 0.1 0.1 ||| 0-0 1-1 ||| 12

the phrases; the chance of the target given the source and of the source given the target, then
both lexical weights; the chances to stand after the phrase before it in the same order, swapped or
apart, and the same for the phrase behind it; the links within; and how often the pair was met.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from weigh import _translator
from weigh.errors import InputError
from weigh.read.text import line_blocks, quoted, shown
from weigh.translator.corpus import Parallel, Rows, Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]
    Numbers = NDArray[np.int32]

SCORES = 10
_FIELDS = 6
_LEAST = 1e-30
# What every orientation was met beside its counts: half a time.
_PRIOR = 0.5
_BLOCK = 10_000  # pairs that are lists at one time
_WIDTH = 256  # a link within a pair is source · 256 + target


@dataclass(frozen=True, slots=True)
class PhraseTable:
    """Phrase pairs in the order of their sources: numbers of source, target and links, chances.

    The ten `chances` of a pair are as in the file.
    """

    sources: Rows
    targets: Rows
    links: Rows
    pairs: Numbers
    chances: Reals
    counts: Numbers

    def compiled(self) -> _translator.PhraseTable:
        """Return what the decoder asks, with logarithms of chances."""
        scores = np.maximum(self.chances, _LEAST)
        np.log(scores, out=scores)
        return _translator.PhraseTable(
            *self.sources, *self.targets, *self.links, np.ascontiguousarray(self.pairs), scores
        )


def extract_phrases(corpus: Parallel, links: Rows, longest: int) -> PhraseTable:
    """Return all phrase pairs of aligned sentences, with their scores.

    Chances are relative frequencies (Koehn, Och & Marcu 2003); those of orientations are smoothed
    by half a count of each (Koehn et al. 2005).
    """
    made = _translator.extract_phrases(
        *corpus.source, *corpus.target, links.values, links.offsets // 2, longest
    )
    sources, targets, inner = (Rows(*each) for each in made[:3])
    numbers = made[3].reshape(-1, 10)
    counts = numbers[:, 3]
    chances = np.empty((len(numbers), SCORES))
    for column, side in enumerate((0, 1)):
        totals = np.bincount(numbers[:, side], weights=counts)
        chances[:, column] = counts / totals[numbers[:, side]]
    chances[:, 2:4] = made[4].reshape(-1, 2)
    for first in (4, 7):
        met = numbers[:, first : first + 3] + _PRIOR
        chances[:, first : first + 3] = met / met.sum(axis=1, keepdims=True)
    for place in range(SCORES):  # one column at a time, which takes less memory
        chances[:, place] = _shortened(chances[:, place])
    return PhraseTable(sources, targets, inner, numbers[:, :3].copy(), chances, counts.copy())


def _shortened(chances: Reals) -> Reals:
    """Return chances with six digits, which is what the file says of them."""
    chances = np.maximum(chances, _LEAST)
    scale = 10.0 ** (5 - np.floor(np.log10(chances)))
    return np.round(chances * scale) / scale


def write_table(path: Path, table: PhraseTable, sources: Vocabulary, targets: Vocabulary) -> None:
    """Write a phrase table as compressed text."""
    texts = [
        [" ".join(words.words[each] for each in row) for row in _listed(rows)]
        for rows, words in ((table.sources, sources), (table.targets, targets))
    ]
    links = [
        " ".join(f"{each // _WIDTH}-{each % _WIDTH}" for each in row)
        for row in _listed(table.links)
    ]
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=3, newline="\n") as file:
        for first in range(0, len(table.pairs), _BLOCK):
            block = slice(first, first + _BLOCK)
            columns = (table.pairs[block], table.chances[block], table.counts[block])
            rows = zip(*(column.tolist() for column in columns), strict=True)
            for (source, target, inner), chances, count in rows:
                scores = [repr(chance) for chance in chances]
                file.write(
                    f"{texts[0][source]} ||| {texts[1][target]} ||| {' '.join(scores[:4])} ||| "
                    f"{' '.join(scores[4:])} ||| {links[inner]} ||| {count}\n"
                )


def _listed(rows: Rows) -> Iterator[list[int]]:
    values, offsets = rows.values.tolist(), rows.offsets.tolist()
    for start, end in pairwise(offsets):
        yield values[start:end]


def read_table(path: Path, targets: Vocabulary) -> tuple[PhraseTable, Vocabulary]:
    """Read a phrase table; words of its target side that are new are added to the vocabulary."""
    name = shown(str(path))
    sources = Vocabulary()
    known: tuple[dict[str, int], dict[str, int], dict[str, int]] = ({}, {}, {})
    rows: tuple[list[list[int]], list[list[int]], list[list[int]]] = ([], [], [])
    pairs: list[tuple[int, int, int]] = []
    numbers: list[str] = []
    line_number = 0
    for block in line_blocks(str(path)):
        for line in block:
            line_number += 1
            fields = line.split(" ||| ")
            if len(fields) != _FIELDS:
                raise InputError(
                    f"{name}: line {line_number:,}: {len(fields)} fields between |||, but "
                    f"{_FIELDS} were expected; give a table that weigh translate train has written"
                )
            pair = []
            for kind, field in enumerate((fields[0], fields[1], fields[4])):
                number = known[kind].setdefault(field, len(rows[kind]))
                if number == len(rows[kind]):
                    where = f"{name}: line {line_number:,}"
                    rows[kind].append(
                        _inner(field, fields, where)
                        if kind == 2
                        else [
                            (targets if kind else sources).add(word)
                            for word in _words(field, where)
                        ]
                    )
                pair.append(number)
            pairs.append((pair[0], pair[1], pair[2]))
            numbers.append(f"{fields[2]} {fields[3]} {fields[5]}")
    if not pairs:
        raise InputError(f"{name}: empty, but phrases were expected")
    table = _numbers(numbers, name)
    order = np.argsort([pair[0] for pair in pairs], kind="stable")
    return (
        PhraseTable(
            Rows.of(rows[0]),
            Rows.of(rows[1]),
            Rows.of(rows[2]),
            np.array(pairs, dtype=np.int32)[order],
            table[order, :SCORES].copy(),
            table[order, SCORES].astype(np.int32),
        ),
        sources,
    )


def _words(field: str, where: str) -> list[str]:
    words = field.split(" ")
    if not all(words) or len(words) > 200:
        raise InputError(f"{where}: the phrase {quoted(field)}; give words with one space between")
    return words


def _inner(field: str, fields: list[str], where: str) -> list[int]:
    sizes = len(fields[0].split(" ")), len(fields[1].split(" "))
    links = []
    for link in field.split(" ") if field else ():
        source, dash, target = link.partition("-")
        fits = dash and source.isdecimal() and target.isdecimal() and len(link) < 9
        if not fits or int(source) >= sizes[0] or int(target) >= sizes[1]:
            raise InputError(f"{where}: the link {quoted(link)} is between no words of the phrases")
        links.append(int(source) * _WIDTH + int(target))
    return links


def _numbers(lines: list[str], name: str) -> Reals:
    """Return the chances and the count of every line, checked."""
    try:
        values = np.array([line.split(" ") for line in lines], dtype=np.float64)
    except ValueError:
        for number, line in enumerate(lines, 1):
            given = line.split(" ")
            if len(given) != SCORES + 1 or not all(map(_is_number, given)):
                raise InputError(
                    f"{name}: line {number:,}: {quoted(line)}; expected four scores, six chances "
                    "and a count"
                ) from None
        raise
    if values.ndim != 2 or values.shape[1] != SCORES + 1:
        raise InputError(f"{name}: line 1: expected four scores, six chances and a count")
    bad = ~((values[:, :SCORES] >= 0) & (values[:, :SCORES] <= 1)).all(axis=1)
    bad |= ~((values[:, SCORES] >= 0) & (values[:, SCORES] < 2**31))
    if bad.any():
        raise InputError(f"{name}: line {int(np.argmax(bad)) + 1:,}: chances lie between 0 and 1")
    return values


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
