"""Phrase tables: pairs with their scores, in memory and as text that people can read.

A line of the file is

    ein mann ||| a man ||| 0.8 0.6 0.5 0.4 ||| 0.9 0.05 0.05 0.8 0.1 0.1 ||| 0-0 1-1 ||| 12

the phrases; the chance of the target given the source and of the source given the target, then
both lexical weights; the chances to stand after the phrase before it in the same order, swapped or
apart, and the same for the phrase behind it; the links within; and how often the pair was met.
"""

from __future__ import annotations

import gzip
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from weigh.errors import InputError
from weigh.read.alignment import link_line
from weigh.read.text import line_blocks, quoted, shown
from weigh_lab import _translator
from weigh_lab.translator.corpus import Parallel, Ragged, Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]
    Numbers = NDArray[np.int32]

SCORES = 10
_FIELDS = 6
_LEAST = 1e-30
# Pseudo-count of every orientation.
_PRIOR = 0.5
_BLOCK = 10_000  # pairs that are written at a time
_WIDTH = 256  # a link within a pair is source · 256 + target


@dataclass(frozen=True, slots=True)
class PhraseTable:
    """Phrase pairs in the order of their sources: numbers of source, target and links, scores.

    The ten `scores` of a pair are natural logarithms of what the file says.
    """

    sources: Ragged
    targets: Ragged
    links: Ragged
    pairs: Numbers
    scores: Reals
    counts: Numbers

    def compiled(self) -> _translator.PhraseTable:
        """Convert to the form that the decoder uses."""
        return _translator.PhraseTable(
            *self.sources, *self.targets, *self.links, self.pairs, self.scores
        )


def extract_phrases(corpus: Parallel, links: Ragged, longest: int) -> PhraseTable:
    """Return all phrase pairs of aligned sentences, with their scores.

    Chances are relative frequencies (Koehn, Och & Marcu 2003); those of orientations are smoothed
    by half a count of each (Koehn et al. 2005).
    """
    sources, targets, inner, whole_numbers, lexical = _translator.extract_phrases(
        *corpus.source, *corpus.target, links.values, links.offsets // 2, longest
    )
    # Of each pair: source, target, links within, its count, and its count in each
    # orientation to the phrase before it and to the one behind it.
    numbers = whole_numbers.reshape(-1, 10)
    counts = numbers[:, 3]
    chances = np.empty((len(numbers), SCORES))
    for column, side in enumerate((0, 1)):
        totals = np.bincount(numbers[:, side], weights=counts)
        chances[:, column] = counts / totals[numbers[:, side]]
    chances[:, 2:4] = lexical.reshape(-1, 2)
    for first in (4, 7):
        met = numbers[:, first : first + 3] + _PRIOR
        chances[:, first : first + 3] = met / met.sum(axis=1, keepdims=True)
    for column in range(SCORES):  # one at a time, for the sake of memory
        chances[:, column] = np.log(_shortened(chances[:, column]))
    phrases = (Ragged(*sources), Ragged(*targets), Ragged(*inner))
    return PhraseTable(*phrases, numbers[:, :3].copy(), chances, counts.copy())


def _shortened(chances: Reals) -> Reals:
    """Probabilities rounded to six digits, as in the file."""
    chances = np.maximum(chances, _LEAST)
    scale = 10.0 ** (5 - np.floor(np.log10(chances)))
    return np.round(chances * scale) / scale


def inner_links(links: Ragged, number: int) -> tuple[tuple[int, int], ...]:
    """Return the links of one alignment within phrases: places of source and target words."""
    return tuple(divmod(link, _WIDTH) for link in links.row(number))


def write_table(path: Path, table: PhraseTable, sources: Vocabulary, targets: Vocabulary) -> None:
    """Write a phrase table as compressed text."""
    links = [link_line(inner_links(table.links, number)) for number in range(len(table.links))]
    spelled = _speller(table.sources, sources), _speller(table.targets, targets)
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=3, newline="\n") as file:
        for first in range(0, len(table.pairs), _BLOCK):
            part = slice(first, first + _BLOCK)
            chances = _shortened(np.exp(table.scores[part]))
            columns = (table.pairs[part], chances, table.counts[part])
            for (source, target, inner), row, count in zip(
                *(column.tolist() for column in columns), strict=True
            ):
                scores = [*map(repr, row)]
                file.write(
                    f"{spelled[0](source)} ||| {spelled[1](target)} ||| {' '.join(scores[:4])} ||| "
                    f"{' '.join(scores[4:])} ||| {links[inner]} ||| {count}\n"
                )


def _speller(rows: Ragged, words: Vocabulary) -> Callable[[int], str]:
    values, offsets = rows.values, rows.offsets.tolist()

    def spell(row: int) -> str:
        numbers = values[offsets[row] : offsets[row + 1]].tolist()
        return " ".join([words.words[number] for number in numbers])

    return spell


class _Phrases:
    """Phrases of a file, each once, as rows of numbers."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._values = array("i")
        self._ends = array("q", [0])

    def add(self, field: str, values: list[int]) -> int:
        """Return the number of a new one."""
        number = self.numbers[field] = len(self.numbers)
        self._values.extend(values)
        self._ends.append(len(self._values))
        return number

    def rows(self) -> Ragged:
        return Ragged(np.array(self._values, dtype=np.int32), np.array(self._ends, dtype=np.int64))


def read_table(path: Path, targets: Vocabulary) -> tuple[PhraseTable, Vocabulary]:
    """Read a phrase table; words of its target side that are new are added to the vocabulary."""
    name = shown(str(path))
    vocabularies = Vocabulary(), targets
    kinds = _Phrases(), _Phrases(), _Phrases()
    numbers_of = [kind.numbers.get for kind in kinds]
    reaches: list[tuple[int, int]] = []  # the last source and target word of every set of links
    pairs = array("i")
    numbers: list[Reals] = []
    done = 0

    def where(line: int) -> str:
        return f"{name}: line {line:,}"

    for block in line_blocks(str(path)):
        values = []
        for line_number, line in enumerate(block, done + 1):
            fields = line.split(" ||| ")
            if len(fields) != _FIELDS:
                raise InputError(
                    f"{where(line_number)}: {len(fields)} fields separated by |||, but "
                    f"{_FIELDS} were expected; give a table that weigh translate train wrote"
                )
            for side in (0, 1):
                phrase = numbers_of[side](fields[side])
                if phrase is None:
                    words = _words(fields[side], vocabularies[side], where(line_number))
                    phrase = kinds[side].add(fields[side], words)
                pairs.append(phrase)
            inner = numbers_of[2](fields[4])
            if inner is None:
                links, reach = _inner(fields[4], where(line_number))
                inner = kinds[2].add(fields[4], links)
                reaches.append(reach)
            pairs.append(inner)
            reach = reaches[inner]
            if reach[0] > fields[0].count(" ") or reach[1] > fields[1].count(" "):
                raise InputError(
                    f"{where(line_number)}: a link of {quoted(fields[4])} is outside the "
                    "phrases; extract them again"
                )
            values.append(f"{fields[2]} {fields[3]} {fields[5]}")
        numbers.append(_numbers(values, name, done))
        done += len(block)
    if not done:
        raise InputError(f"{name}: empty, but phrases were expected")
    table = np.concatenate(numbers)
    counts = table[:, SCORES].astype(np.int32)
    scores = np.maximum(table[:, :SCORES], _LEAST)
    np.log(scores, out=scores)
    del numbers, table
    rows = np.array(pairs, dtype=np.int32).reshape(-1, 3)
    order = np.argsort(rows[:, 0], kind="stable")
    if (order != np.arange(len(order))).any():
        rows, scores, counts = rows[order], scores[order], counts[order]
    phrases = kinds[0].rows(), kinds[1].rows(), kinds[2].rows()
    return PhraseTable(*phrases, rows, scores, counts), vocabularies[0]


def _words(field: str, vocabulary: Vocabulary, where: str) -> list[int]:
    words = field.split(" ")
    if not all(words) or len(words) > 200:
        raise InputError(f"{where}: the phrase {quoted(field)}; separate words by single spaces")
    return [vocabulary.add(word) for word in words]


def _inner(field: str, where: str) -> tuple[list[int], tuple[int, int]]:
    """Links as numbers, with the last source and target word."""
    pairs = []
    for link in field.split(" ") if field else ():
        source, _, target = link.partition("-")
        if len(link) > 7 or not (source.isdecimal() and target.isdecimal()):
            raise InputError(f"{where}: {quoted(link)} is not a link of two words, such as 0-1")
        pairs.append((int(source), int(target)))
    reach = [max((pair[side] for pair in pairs), default=-1) for side in (0, 1)]
    links = [source * _WIDTH + target for source, target in pairs]
    if links != sorted(set(links)) or max(reach) >= _WIDTH:
        raise InputError(f"{where}: the links {quoted(field)}; give each once, in order")
    return links, (reach[0], reach[1])


def _numbers(lines: list[str], name: str, done: int) -> Reals:
    """The checked probabilities and count of every line; `done` lines precede."""
    rows = [*map(_floats, lines)]
    wrong = next((at for at, row in enumerate(rows) if len(row) != SCORES + 1), None)
    if wrong is not None:
        raise InputError(
            f"{name}: line {done + wrong + 1:,}: {quoted(lines[wrong])}; expected four scores, "
            "six probabilities and a count"
        )
    values = np.array(rows, dtype=np.float64)
    bad = ~((values[:, :SCORES] >= 0) & (values[:, :SCORES] <= 1)).all(axis=1)
    bad |= ~((values[:, SCORES] >= 0) & (values[:, SCORES] < 2**31))
    if bad.any():
        line = done + int(np.argmax(bad)) + 1
        raise InputError(f"{name}: line {line:,}: probabilities must be from 0 to 1")
    return values


def _floats(line: str) -> list[float]:
    """The numbers of a line, or an empty list if one is not a number."""
    try:
        return [*map(float, line.split(" "))]
    except ValueError:
        return []
