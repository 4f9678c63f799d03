from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class _Counter:
    def expect(self, segments: int) -> None: ...
    def add(self, sets: list[Sequence[str]]) -> None: ...

class _IntegerCounter(_Counter):
    def rows(self, texts: Sequence[str], segments: NDArray[np.int64]) -> NDArray[np.int64]: ...

class _RealCounter(_Counter):
    def rows(self, texts: Sequence[str], segments: NDArray[np.int64]) -> NDArray[np.float64]: ...

class NgramCounter(_IntegerCounter):
    def __init__(self, sets: int, order: int, scheme: str) -> None: ...

class InformationCounter(_RealCounter):
    def __init__(self, sets: int, order: int, scheme: str, zero_is_empty: bool) -> None: ...
    def finish(self) -> None: ...

class CharacterCounter(_IntegerCounter):
    def __init__(
        self,
        sets: int,
        char_order: int,
        word_order: int,
        beta: float,
        whitespace: bool,
        eps_smoothing: bool,
    ) -> None: ...

class WordEditCounter(_IntegerCounter):
    def __init__(self, sets: int, scheme: str) -> None: ...

class PositionIndependentEditCounter(_IntegerCounter):
    def __init__(self, sets: int, scheme: str) -> None: ...

class BlockMoveEditCounter(_IntegerCounter):
    def __init__(self, sets: int, scheme: str) -> None: ...

class ShiftEditCounter(_RealCounter):
    def __init__(self, sets: int, scheme: str) -> None: ...

class TercomEditCounter(_RealCounter):
    def __init__(self, sets: int, scheme: str) -> None: ...

class MatchSizeCounter(_RealCounter):
    def __init__(self, sets: int, exponent: float, scheme: str) -> None: ...

class _AlignmentCounter:
    def rows(
        self,
        words: NDArray[np.int32],
        starts: NDArray[np.int64],
        segments: NDArray[np.int64],
        stems: NDArray[np.int32],
        function: NDArray[np.uint8],
        synsets: NDArray[np.int32],
        synset_starts: NDArray[np.int64],
        phrases: NDArray[np.uint32],
        phrase_starts: NDArray[np.int64],
    ) -> NDArray[np.int64]: ...

class MeteorCounter(_AlignmentCounter):
    def __init__(
        self,
        words: NDArray[np.int32],
        starts: NDArray[np.int64],
        sets: int,
        stages: NDArray[np.bool_],
        weights: NDArray[np.float64],
        parameters: NDArray[np.float64],
        mended: bool,
    ) -> None: ...

class Meteor2005Counter(_AlignmentCounter):
    def __init__(
        self,
        words: NDArray[np.int32],
        starts: NDArray[np.int64],
        sets: int,
        stems: bool,
        synonyms: bool,
    ) -> None: ...

class IntegerResampler:
    def __init__(self, rows: NDArray[np.int64]) -> None: ...
    def swapped_sums(
        self, seed: int, stream: int, first: int, trials: int, repeats: int = 1
    ) -> NDArray[np.int64]: ...
    def bootstrap_sums(
        self, seed: int, stream: int, first: int, trials: int
    ) -> NDArray[np.int64]: ...

class RealResampler:
    def __init__(self, rows: NDArray[np.float64]) -> None: ...
    def swapped_sums(
        self, seed: int, stream: int, first: int, trials: int, repeats: int = 1
    ) -> NDArray[np.float64]: ...
    def bootstrap_sums(
        self, seed: int, stream: int, first: int, trials: int
    ) -> NDArray[np.float64]: ...

def halving_ends(
    first: NDArray[np.float64], second: NDArray[np.float64], pairs: NDArray[np.int64], k: int
) -> NDArray[np.float64]: ...
def extreme_counts(
    sums: NDArray[np.float64], pairs: NDArray[np.int64], bounds: NDArray[np.float64]
) -> NDArray[np.int64]: ...

class IntegerEnvelopes:
    def __init__(
        self, rows: NDArray[np.int64], hypotheses: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> None: ...
    def envelope_sums(
        self,
        scores: NDArray[np.float64],
        slopes: NDArray[np.float64],
        score_errors: NDArray[np.float64],
        slope_errors: NDArray[np.float64],
        low: float = ...,
        high: float = ...,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...

class RealEnvelopes:
    def __init__(
        self, rows: NDArray[np.float64], hypotheses: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> None: ...
    def envelope_sums(
        self,
        scores: NDArray[np.float64],
        slopes: NDArray[np.float64],
        score_errors: NDArray[np.float64],
        slope_errors: NDArray[np.float64],
        low: float = ...,
        high: float = ...,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

def weighted_scores(
    features: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def best_candidates(
    features: NDArray[np.float64],
    scores: NDArray[np.float64],
    offsets: NDArray[np.int64],
    weights: NDArray[np.float64],
) -> NDArray[np.int64]: ...
def bleu_scores(
    sums: NDArray[np.float64], smoothing: str, value: float, effective_order: bool
) -> NDArray[np.float64]: ...
def draw_interval(worths: NDArray[np.float64], temperature: float, number: float) -> int: ...
def numbers_in(text: str, layout: str, largest: float) -> bytes | None: ...
def span_substrings(
    outputs: list[Sequence[str]],
    owners: NDArray[np.int64],
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    gap: str,
) -> tuple[NDArray[np.int64], list[str]]: ...
def tokens(texts: Sequence[str], scheme: str) -> list[list[str]]: ...
