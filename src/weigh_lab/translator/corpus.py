"""Sentences as numbers: words, vocabularies, and parallel texts that fit each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weigh.errors import InputError, plural
from weigh.read.alignment import words_of
from weigh.read.text import check_characters, read_texts, shown
from weigh.tokenize import tokenizer
from weigh_lab.translator.plan import AlignPlan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int32]
    Places = NDArray[np.int64]


class Ragged(NamedTuple):
    """Rows of unequal lengths, in one array; row i is `values[offsets[i] : offsets[i + 1]]`."""

    values: Numbers
    offsets: Places

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> Ragged:
        """Put rows behind each other."""
        offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        values = np.fromiter((item for row in rows for item in row), np.int32, int(offsets[-1]))
        return cls(values, offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def row(self, number: int) -> list[int]:
        """Return one of the rows."""
        row: list[int] = self.values[self.offsets[number] : self.offsets[number + 1]].tolist()
        return row


class Vocabulary:
    """Words and their numbers, from 1 in the order in which they came; 0 is an unknown word."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self.words = ["<unk>", *words]
        self._numbers = {word: number for number, word in enumerate(self.words) if number}

    def __len__(self) -> int:
        return len(self.words) - 1

    def add(self, word: str) -> int:
        """Return the number of a word, a new one if it has none."""
        number = self._numbers.get(word)
        if number is None:
            number = self._numbers[word] = len(self.words)
            self.words.append(word)
        return number

    def number(self, word: str) -> int:
        """The number of a word, 0 if it is unknown."""
        return self._numbers.get(word, 0)

    def add_all(self, sentences: Iterable[Sequence[str]]) -> Ragged:
        """Return sentences as numbers, with new ones for new words."""
        return Ragged.of([[self.add(word) for word in sentence] for sentence in sentences])


# What means something in our files, as Moses' tokeniser would write it.
_ESCAPED = {
    "|||": "&#124;&#124;&#124;",
    "<s>": "&lt;s&gt;",
    "</s>": "&lt;/s&gt;",
    "<unk>": "&lt;unk&gt;",
}


def tokenised(texts: Sequence[str], plan: AlignPlan) -> list[list[str]]:
    """Return the words of texts; those that mean something in our files are escaped."""
    if plan.lowercase:
        texts = [text.lower() for text in texts]
    spread = tokenizer(plan.tokenize).spread
    sentences = (
        [words_of(text.replace("\r", " ").replace("\n", " ")) for text in texts]
        if spread is None
        else [text.split() for text in spread(texts)]
    )
    return [[_ESCAPED.get(word, word) for word in sentence] for sentence in sentences]


@dataclass(frozen=True, slots=True)
class Parallel:
    """Sentence pairs that can be learned from, as numbers, and what was left out.

    `lines` are their places in the files, from 0; `empty` pairs had no words on one side, and
    `long` ones too many.
    """

    source: Ragged
    target: Ragged
    sources: Vocabulary
    targets: Vocabulary
    lines: tuple[int, ...]
    empty: int
    long: int

    @property
    def size(self) -> int:
        """How many lines the files have."""
        return len(self.lines) + self.empty + self.long

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was left out, in words."""
        lines = []
        if self.empty:
            lines.append(f"{plural(self.empty, 'sentence pair')} left out: empty on one side")
        if self.long:
            lines.append(f"{plural(self.long, 'sentence pair')} left out: too long (--longest)")
        return tuple(lines)


def read_parallel(source: str, target: str, plan: AlignPlan) -> Parallel:
    """Read two files, in which a line of one is the translation of the other's."""
    texts = read_texts(source), read_texts(target)
    if len(texts[0]) != len(texts[1]):
        raise InputError(
            f"{shown(source)} has {plural(len(texts[0]), 'line')} and {shown(target)} "
            f"{plural(len(texts[1]), 'line')}; give files whose lines belong together"
        )
    return parallel(texts[0], texts[1], plan, f"{shown(source)} and {shown(target)}")


def parallel(
    sources: Sequence[str], targets: Sequence[str], plan: AlignPlan, name: str = "the texts"
) -> Parallel:
    """Return the sentence pairs of texts that belong together."""
    if len(sources) != len(targets):
        raise InputError(
            f"{name}: {plural(len(sources), 'source text')} and "
            f"{plural(len(targets), 'target text')}; give as many of both"
        )
    for side, texts in (("source", sources), ("target", targets)):
        for number, text in enumerate(texts, 1):
            check_characters(text, f"{name}: {side} text {number:,}")
            if "\0" in text:
                raise InputError(f"{name}: {side} text {number:,} contains a NUL; give text")
    pairs = zip(tokenised(sources, plan), tokenised(targets, plan), strict=True)
    kept: list[tuple[list[str], list[str]]] = []
    lines = []
    empty = long = 0
    for line, (source, target) in enumerate(pairs):
        if not source or not target:
            empty += 1
        elif max(len(source), len(target)) > plan.longest:
            long += 1
        else:
            kept.append((source, target))
            lines.append(line)
    if not kept:
        raise InputError(
            f"{name}: no sentence pairs are left to learn from; check the files and --longest"
        )
    source_words, target_words = Vocabulary(), Vocabulary()
    return Parallel(
        source_words.add_all(pair[0] for pair in kept),
        target_words.add_all(pair[1] for pair in kept),
        source_words,
        target_words,
        tuple(lines),
        empty,
        long,
    )
