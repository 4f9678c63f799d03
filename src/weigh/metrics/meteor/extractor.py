"""From texts to METEOR's rows: words are numbered here, aligned in the core."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from weigh.errors import InputError
from weigh.metrics.meteor.lexicon import Lexicon, NumberedSentences

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from weigh._core import AlignmentCounter
    from weigh.metrics.meteor.paraphrases import Paraphrases
    from weigh.types import Outputs, Rows, TestSet

# METEOR is a Java program: only these separate words.
_SPACES = re.compile(r"[ \t\n\f\r]+")


class CounterMaker(Protocol):
    """Makes the core's counter, given the references' words and the number of sets."""

    def __call__(
        self, words: NDArray[np.int32], starts: NDArray[np.int64], sets: int
    ) -> AlignmentCounter:
        """Return the counter."""
        ...


class AlignmentExtractor:
    """Rows of a test set's hypotheses, by a counter that holds the references' numbers."""

    def __init__(
        self,
        make_counter: CounterMaker,
        test_set: TestSet,
        lexicon: Lexicon,
        spread: Callable[[Sequence[str]], Sequence[str]],
        paraphrases: Paraphrases | None = None,
    ) -> None:
        if not test_set.references:
            raise InputError("this metric needs references; give them with -r")
        self._lexicon = lexicon
        self._spread = spread
        self._sets = len(test_set.references)
        columns = [self._sentences(texts) for texts in test_set.references]
        references = [sentence for segment in zip(*columns, strict=True) for sentence in segment]
        self._counter = make_counter(*lexicon.number(references), self._sets)
        self._paraphrases = paraphrases
        if paraphrases is not None:
            paraphrases.read_for(references)

    def rows(self, outputs: Outputs) -> Rows:
        """Return one row of additive statistics per hypothesis."""
        segments = np.ascontiguousarray(
            range(len(outputs)) if outputs.segments is None else outputs.segments, np.int64
        )
        sentences = self._sentences(outputs.texts)
        numbered = self._lexicon.number(sentences)
        known = self._lexicon.knowledge()
        phrases = self._phrases(sentences, segments)
        return self._counter.rows(*numbered, segments, *known, *phrases)

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
        return [
            [word for word in _SPACES.split(text) if word] for text in self._spread(texts)
        ]
