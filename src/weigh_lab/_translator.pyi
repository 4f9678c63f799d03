import numpy as np
from numpy.typing import NDArray

_Numbers = NDArray[np.int32]
_Places = NDArray[np.int64]
_Reals = NDArray[np.float64]

class WordAligner:
    def __init__(
        self,
        given_words: _Numbers,
        given_offsets: _Places,
        made_words: _Numbers,
        made_offsets: _Places,
    ) -> None: ...
    def expect(self, first: int, last: int, with_jumps: bool) -> float: ...
    def maximise(self, with_jumps: bool) -> None: ...
    def best(self, first: int, last: int, with_jumps: bool) -> _Numbers: ...

def symmetrise(
    forward: _Numbers,
    target_offsets: _Places,
    backward: _Numbers,
    source_offsets: _Places,
    how: int,
) -> tuple[_Places, _Numbers]: ...
def extract_phrases(
    source_words: _Numbers,
    source_offsets: _Places,
    target_words: _Numbers,
    target_offsets: _Places,
    links: _Numbers,
    link_offsets: _Places,
    longest: int,
) -> tuple[
    tuple[_Numbers, _Places],
    tuple[_Numbers, _Places],
    tuple[_Numbers, _Places],
    _Numbers,
    _Reals,
]: ...

class LanguageModel:
    @staticmethod
    def train(words: _Numbers, offsets: _Places, order: int, vocabulary: int) -> LanguageModel: ...
    @staticmethod
    def from_ngrams(
        words: _Numbers,
        offsets: _Places,
        chances: _Reals,
        backoffs: _Reals,
        order: int,
        vocabulary: int,
    ) -> LanguageModel: ...
    def ngrams(self) -> tuple[_Numbers, _Numbers, _Numbers, _Reals, _Reals]: ...
    def chances(self, words: _Numbers) -> _Reals: ...

class PhraseTable:
    def __init__(
        self,
        source_words: _Numbers,
        source_offsets: _Places,
        target_words: _Numbers,
        target_offsets: _Places,
        link_words: _Numbers,
        link_offsets: _Places,
        pairs: _Numbers,
        scores: _Reals,
    ) -> None: ...

def decode(
    table: PhraseTable,
    model: LanguageModel,
    words: _Numbers,
    weights: _Reals,
    count: int,
    distinct: bool,
    options: int,
    pops: int,
    stack: int,
    distortion: int,
    longest: int,
) -> tuple[_Numbers, _Places, _Reals, _Reals, _Places, _Places]: ...
