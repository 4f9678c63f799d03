"""Texts as METEOR aligns them: words as numbers, with stems, synonyms and paraphrases."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from weigh.errors import InputError, MissingExtraError
from weigh.metrics.meteor.paraphrases import Paraphrases
from weigh.metrics.words import references_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weigh.types import Outputs, Rows, TestSet

    Words = NDArray[np.int32]
    Starts = NDArray[np.int64]

# Stems by Snowball as of 2010, which METEOR 1.5 uses, and Porter's of 1980 for METEOR of 2005.

Stem = Callable[[str], str]

_REMEDY = "pip install 'weigh[meteor]', or use meteor:stages=exact"


def stemmer(language: str) -> Stem:
    """Return the stemmer of a language by its English name, or `porter`.

    Later versions of snowballstemmer, and PyStemmer, stem some English words otherwise. The
    module of the language is imported itself, since `snowballstemmer.stemmer` prefers PyStemmer
    where that is installed.
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        installed = version("snowballstemmer")
        module = import_module(f"snowballstemmer.{language}_stemmer")
    except (PackageNotFoundError, ImportError):
        raise MissingExtraError(f"METEOR's stems need snowballstemmer below 3; {_REMEDY}") from None
    if int(installed.partition(".")[0]) >= 3:
        raise MissingExtraError(
            f"METEOR's stems need snowballstemmer below 3, but {installed} is installed, which "
            f"stems some words differently; {_REMEDY}"
        )
    stem: Stem = getattr(module, f"{language.capitalize()}Stemmer")().stemWord
    return stem


# What METEOR knows of words: a number for each, its stem, its synsets, whether it is function.

Sentence = Sequence[str]


class _GrowingArray:
    """An array that is appended to; what was handed out of it before stays as it is."""

    def __init__(self, dtype: Any) -> None:
        self._values = np.zeros(1024, dtype)
        self._size = 0

    def extend(self, values: Sequence[int]) -> None:
        size = self._size + len(values)
        if size > len(self._values):
            # A new array, since the old one may be in use by another thread.
            values_so_far = self._values[: self._size]
            self._values = np.zeros(2 * size, self._values.dtype)
            self._values[: self._size] = values_so_far
        self._values[self._size : size] = values
        self._size = size

    def all(self) -> NDArray[Any]:
        return self._values[: self._size]


class NumberedSentences(NamedTuple):
    """The numbers of the words of all sentences, and where each sentence starts in them."""

    words: Words
    starts: Starts


class Knowledge(NamedTuple):
    """Stems, function words and synsets of the words so far, by word number."""

    stems: NDArray[np.int32]
    function: NDArray[np.uint8]
    synsets: NDArray[np.int32]
    synset_starts: NDArray[np.int64]


class Lexicon:
    """Numbers words as they come, and asks once for what is to be known of each."""

    def __init__(
        self,
        stem: Stem | None,
        synsets: Callable[[str], set[int]] | None,
        function_words: frozenset[str],
    ) -> None:
        self._stem = stem
        self._synsets_of = synsets
        self._function_words = function_words
        self._numbers: dict[str, int] = {}
        self._stem_numbers: dict[str, int] = {}
        self._stems = _GrowingArray(np.int32)
        self._function = _GrowingArray(np.uint8)
        self._synsets = _GrowingArray(np.int32)
        self._synset_starts = _GrowingArray(np.int64)
        self._synset_starts.extend([0])
        self._lock = threading.Lock()

    def number(self, sentences: Sequence[Sentence]) -> NumberedSentences:
        """Return the numbers of the words of sentences; new words are learned."""
        sizes = np.fromiter(map(len, sentences), np.int64, len(sentences))
        starts = np.zeros(len(sentences) + 1, np.int64)
        np.cumsum(sizes, out=starts[1:])
        with self._lock:
            self._learn(set(chain.from_iterable(sentences)).difference(self._numbers))
        numbers = map(self._numbers.__getitem__, chain.from_iterable(sentences))
        return NumberedSentences(np.fromiter(numbers, np.int32, int(starts[-1])), starts)

    def knowledge(self) -> Knowledge:
        """Properties of all numbered words."""
        with self._lock:
            return Knowledge(
                self._stems.all(),
                self._function.all(),
                self._synsets.all(),
                self._synset_starts.all(),
            )

    def _learn(self, words: set[str]) -> None:
        stems, synsets, ends = [], [], []
        end = len(self._synsets.all())
        for word in words:
            self._numbers[word] = len(self._numbers)
            if self._stem is not None:
                stem = self._stem(word)
                stems.append(self._stem_numbers.setdefault(stem, len(self._stem_numbers)))
            if self._synsets_of is not None:
                synset_ids = sorted(self._synsets_of(word))
                synsets += synset_ids
                end += len(synset_ids)
            ends.append(end)
        self._stems.extend(stems or [0] * len(words))
        self._function.extend([word.lower() in self._function_words for word in words])
        self._synsets.extend(synsets)
        self._synset_starts.extend(ends)


# METEOR is a Java program: only these separate words.
_SPACES = re.compile(r"[ \t\n\f\r]+")
# All words of a segment may match all of the other: their pairs must fit into memory.
_LONGEST = 5000


class AlignmentCounter(Protocol):
    """One of the core's counters of alignments, which holds the references' numbers."""

    def rows(
        self,
        words: Words,
        starts: Starts,
        segments: NDArray[np.int64],
        stems: NDArray[np.int32],
        function: NDArray[np.uint8],
        synsets: NDArray[np.int32],
        synset_starts: Starts,
        phrases: NDArray[np.uint32],
        phrase_starts: Starts,
    ) -> NDArray[np.int64]:
        """Return the statistics of sentences that belong to these segments."""


class AlignmentExtractor:
    """Rows of a test set's hypotheses, by a counter that holds the references' numbers."""

    def __init__(
        self,
        make_counter: Callable[[Words, Starts, int], AlignmentCounter],
        test_set: TestSet,
        lexicon: Lexicon,
        spread: Callable[[Sequence[str]], Sequence[str]],
        paraphrases: str | None = None,
    ) -> None:
        texts_of_sets = references_of(test_set)
        self._lexicon = lexicon
        self._spread = spread
        self._sets = len(texts_of_sets)
        columns = [self._sentences(texts) for texts in texts_of_sets]
        references = [sentence for segment in zip(*columns, strict=True) for sentence in segment]
        self._counter = make_counter(*lexicon.number(references), self._sets)
        self._paraphrases = Paraphrases(paraphrases, references) if paraphrases else None

    def rows(self, outputs: Outputs) -> Rows:
        """Return one row of additive statistics per hypothesis."""
        segments = np.ascontiguousarray(outputs.owners, np.int64)
        sentences = self._sentences(outputs.texts)
        numbered = self._lexicon.number(sentences)
        phrases = self._phrases(sentences, segments)
        stems, function, synsets, synset_starts = self._lexicon.knowledge()  # of these words too
        return self._counter.rows(
            *numbered, segments, stems, function, synsets, synset_starts, *phrases
        )

    def _phrases(
        self, sentences: Sequence[list[str]], segments: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        starts = np.zeros(len(sentences) * self._sets + 1, np.int64)
        if self._paraphrases is None:
            return np.zeros(0, np.uint32), starts
        numbers: list[int] = []
        ends = []
        for sentence, segment in zip(sentences, segments.tolist(), strict=True):
            for reference in range(segment * self._sets, (segment + 1) * self._sets):
                for match in self._paraphrases.matches(sentence, reference):
                    numbers += match
                ends.append(len(numbers))
        starts[1:] = ends
        return np.array(numbers, np.uint32), starts

    def _sentences(self, texts: Sequence[str]) -> list[list[str]]:
        sentences = [[word for word in _SPACES.split(text) if word] for text in self._spread(texts)]
        longest = max(map(len, sentences), default=0)
        if longest > _LONGEST:
            raise InputError(
                f"a segment of {longest:,} words, but METEOR aligns at most {_LONGEST:,}; "
                "give one sentence or paragraph per segment"
            )
        return sentences
