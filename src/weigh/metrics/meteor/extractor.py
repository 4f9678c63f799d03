"""From texts to METEOR's rows: words are numbered here, aligned in the core."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from weigh.errors import InputError
from weigh.metrics.meteor.lexicon import Lexicon
from weigh.metrics.meteor.paraphrases import Paraphrases

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from weigh.types import Outputs, Rows, TestSet

    Words = NDArray[np.int32]
    Starts = NDArray[np.int64]

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
        ...


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
        if not test_set.references:
            raise InputError("this metric needs references; give them with -r")
        self._lexicon = lexicon
        self._spread = spread
        self._sets = len(test_set.references)
        columns = [self._sentences(texts) for texts in test_set.references]
        references = [sentence for segment in zip(*columns, strict=True) for sentence in segment]
        self._counter = make_counter(*lexicon.number(references), self._sets)
        self._paraphrases = Paraphrases(paraphrases, references) if paraphrases else None

    def rows(self, outputs: Outputs) -> Rows:
        """Return one row of additive statistics per hypothesis."""
        segments = np.ascontiguousarray(
            range(len(outputs)) if outputs.segments is None else outputs.segments, np.int64
        )
        sentences = self._sentences(outputs.texts)
        numbered = self._lexicon.number(sentences)
        known = self._lexicon.knowledge()
        phrases = self._phrases(sentences, segments)
        return self._counter.rows(
            *numbered,
            segments,
            known.stems,
            known.function,
            known.synsets,
            known.synset_starts,
            *phrases,
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
