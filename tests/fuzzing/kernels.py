"""Odd arguments for every kernel: they are refused, or lead to some result, and to nothing else.

Most arguments are what a kernel expects, so that it comes far; some are of another type, size,
layout or value. What the kernels do to memory, sanitizers tell (`scripts/sanitize.sh`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from weigh import _core
from weigh_lab import _translator

Value = TypeVar("Value")
REFUSALS = (ValueError, TypeError, IndexError, OverflowError)
_SIZES = [0, 1, 2, 3, 2**59, 2**60, 2**61, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -1]
_REALS = [0.0, -0.0, 1.0, -1.0, 1e300, -1e300, 1e308, 5e-324, np.nan, np.inf, -np.inf]
_WORDS = [
    "a",
    "b",
    "c",
    "the",
    "an",
    "the cat",
    "x.",
    "3,000",
    "&amp;",
    "é",
    "漢字",
    "😀",
    "-",
    "'s",
]
_TEXTS = ["", " ", "\n", "\x85", "\u3000a", "a" * 300, "a " * 300, "\ud800", "\0", "0", "\uffff"]
_TEXTS += ["\U0010ffff", "\udfff\ud800", "ß" * 40]
_SCHEMES = ["none", "ascii", "13a"]
_TYPES = ["i4", "i8", "u4", "u1", "f4", "f8", "?", "c16", ">i4", ">f8", "O", "U1", "M8[s]", "f2"]


class Odds:
    """Random arguments, of which some are odd."""

    def __init__(self, seed: object) -> None:
        self.chance = random.Random(str(seed))
        self.rate = self.chance.choice([0.0, 0.05, 0.1, 0.3])

    def __call__(self, value: Value) -> Value:
        """Return a value as it is, or something odd in its place."""
        return self._odd(value) if self.chance.random() < self.rate else value

    def _odd(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return self._odd_array(value)
        if isinstance(value, bool):
            return self.chance.choice([not value, 0, 1, None, "x"])
        if isinstance(value, int):
            return self.chance.choice([*_SIZES, value + 1, None, 1.5, "1"])
        if isinstance(value, float):
            return self.chance.choice([*_REALS, None, "x", 2**70])
        if isinstance(value, str):
            return self.chance.choice(["", "x", "13a", value + "\0", None, 1, b"a"])
        if isinstance(value, list):
            return self.chance.choice(
                [[], value[1:], value + value, tuple(value), [*value, None], [*value, b"a"], None]
            )
        return None

    def _odd_array(self, array: NDArray[Any]) -> Any:
        kind = self.chance.randrange(9)
        if kind == 0:  # one byte off
            memory = np.zeros(array.nbytes + 1, np.uint8)
            memory[1:] = np.frombuffer(array.tobytes(), np.uint8)
            return memory[1:].view(array.dtype).reshape(array.shape)
        if kind == 1:
            with np.errstate(all="ignore"):
                return array.astype(self.chance.choice(_TYPES), casting="unsafe")
        if kind == 2:  # every other number, or backwards
            doubled = np.repeat(array, 2, axis=0)[::2]
            return self.chance.choice([doubled, array[::-1], array.T, np.asfortranarray(array)])
        if kind == 3:
            return self.chance.choice(
                [array[:0], array[:-1], np.append(array, array), array[None], array.reshape(-1)]
            )
        if kind == 4 and array.dtype == np.bool_:  # a byte that is no truth
            return np.full(array.shape, 2, np.uint8).view(np.bool_)
        if kind <= 6 and array.size:
            changed = array.copy()
            odd: list[Any] = _REALS
            if array.dtype.kind in "iu":
                limits = np.iinfo(array.dtype)
                odd = [0, 1, 2, limits.max, limits.min, limits.max // 2, array.size]
            for _ in range(self.chance.choice([1, 1, 3])):
                changed.flat[self.chance.randrange(array.size)] = self.chance.choice(odd)
            return changed
        if kind == 7:
            return np.zeros(array.shape, array.dtype)
        return self.chance.choice([None, array.tolist(), "x", array.tobytes()])

    def fixed(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return an array that may be read only, or one that is odd."""
        array = np.ascontiguousarray(array)
        array.flags.writeable = self.chance.random() < 0.5
        return self(array)

    def whole(self, low: int, high: int, size: int | tuple[int, ...], dtype: str) -> NDArray[Any]:
        """Return whole numbers from `low` up to, and not including, `high`."""
        generator = np.random.default_rng(self.chance.randrange(2**32))
        return generator.integers(low, max(high, low + 1), size).astype(dtype)

    def real(self, size: int | tuple[int, ...]) -> NDArray[Any]:
        """Return numbers of which some are equal."""
        return self.whole(-20, 20, size, "f8") / self.chance.choice([1, 4, 3])

    def text(self) -> str:
        """Return a text."""
        if self.chance.random() < 0.1:
            return self.chance.choice(_TEXTS)
        return " ".join(self.chance.choices(_WORDS, k=self.chance.choice([0, 1, 3, 8, 20])))

    def sentences(self, count: int, words: int, longest: int = 8) -> list[NDArray[Any]]:
        """Return words and offsets of sentences."""
        sizes = [self.chance.randint(0, longest) for _ in range(count)]
        offsets = np.cumsum([0, *sizes]).astype("i8")
        return [self.whole(1, words, int(offsets[-1]), "i4"), offsets]


def counters(odds: Odds) -> None:
    """Counters of texts: references in, rows out."""
    sets = odds.chance.randint(1, 3)
    segments = odds.chance.randint(0, 4)
    scheme = odds(odds.chance.choice(_SCHEMES))
    order = odds(odds.chance.randint(1, 5))
    simple = [
        *(_core.WordEditCounter, _core.PositionIndependentEditCounter, _core.BlockMoveEditCounter),
        *(_core.ShiftEditCounter, _core.TercomEditCounter),
    ]
    makers: list[Callable[[], Any]] = [
        lambda: _core.NgramCounter(odds(sets), order, scheme),
        lambda: _core.InformationCounter(odds(sets), order, scheme, odds(True)),
        lambda: _core.CharacterCounter(
            odds(sets), order, odds(2), odds(2.0), odds(False), odds(True)
        ),
        lambda: _core.MatchSizeCounter(odds(sets), odds(1.5), scheme),
        *(lambda counter=counter: counter(odds(sets), scheme) for counter in simple),
    ]
    counter = odds.chance.choice(makers)()
    for _ in range(odds.chance.choice([1, 1, 2])):
        counter.add(odds([odds([odds(odds.text()) for _ in range(segments)]) for _ in range(sets)]))
    if odds(True) and hasattr(counter, "finish"):
        counter.finish()
    if odds.chance.random() < 0.1:
        counter.expect(odds(segments))
    size = odds.chance.randint(0, 5) if segments else 0
    texts = odds([odds(odds.text()) for _ in range(size)])
    counter.rows(texts, odds.fixed(odds.whole(0, segments, size, "i8")))


def meteor(odds: Odds) -> None:
    """METEOR's counters: numbered words, stems, synonyms and paraphrases that mostly fit."""
    words, sets = 9, odds.chance.randint(1, 2)
    segments = odds.chance.randint(1, 3)
    references = odds.sentences(sets * segments, words)
    if odds.chance.random() < 0.7:
        made = _core.MeteorCounter(
            *map(odds.fixed, references),
            odds(sets),
            odds.fixed(odds.whole(0, 2, 4, "?")),
            odds.fixed(np.array([1.0, 0.6, 0.8, 0.6])),
            odds.fixed(np.array([0.85, 0.2, 0.6, 0.75])),
            odds(False),
        )
    else:
        arrays = map(odds.fixed, references)
        made = _core.Meteor2005Counter(*arrays, odds(sets), odds(True), odds(True))
    size = odds.chance.randint(0, 4)
    outputs = odds.sentences(size, words)
    owners = odds.whole(0, segments, size, "i8")
    synsets = [odds.chance.randint(0, 2) for _ in range(words)]
    phrases, ends = [], [0]
    for at in range(size):
        for reference in range(sets):
            for _ in range(odds.chance.choice([0, 0, 1, 3])):
                place = int(owners[at]) * sets + reference
                lengths = [np.diff(outputs[1])[at], np.diff(references[1])[place]]
                if min(lengths) > 0:
                    for length in lengths:
                        start = odds.chance.randrange(int(length))
                        phrases += [start, odds.chance.randint(1, int(length) - start)]
            ends.append(len(phrases))
    made.rows(
        *map(odds.fixed, outputs),
        odds.fixed(owners),
        odds.fixed(odds.whole(0, 5, words, "i4")),
        odds.fixed(odds.whole(0, 2, words, "u1")),
        odds.fixed(odds.whole(0, 5, sum(synsets), "i4")),
        odds.fixed(np.cumsum([0, *synsets]).astype("i8")),
        odds.fixed(np.array(phrases, "u4")),
        odds.fixed(np.array(ends, "i8")),
    )


def resamplers(odds: Odds) -> None:
    """Sums of rows that were drawn or swapped."""
    shape = odds.chance.randint(1, 40), odds.chance.randint(1, 9)
    if odds.chance.random() < 0.5:
        made: Any = _core.IntegerResampler(odds(odds.whole(-9, 9, shape, "i8")))
    else:
        made = _core.RealResampler(odds(odds.real(shape)))
    seed, trials = odds(odds.chance.randrange(2**64)), odds(odds.chance.choice([0, 1, 7, 33]))
    made.bootstrap_sums(seed, odds(0), odds(3), trials)
    made.swapped_sums(seed, odds(1), odds(0), trials, odds(odds.chance.choice([1, 2])))


def halvings(odds: Odds) -> None:
    """Intervals and counts over random halvings."""
    systems, trials = odds.chance.randint(1, 4), odds.chance.choice([1, 5, 40, 1100])
    pairs = odds.fixed(odds.whole(0, systems, (odds.chance.randint(0, 5), 2), "i8"))
    first, second = (odds.fixed(odds.real((systems, trials))) for _ in range(2))
    _core.halving_ends(first, second, pairs, odds(odds.chance.randint(1, trials)))
    _core.extreme_counts(first, pairs, odds.fixed(odds.real((len(pairs), 4))))


def envelopes(odds: Odds) -> None:
    """Line search over candidates."""
    sizes = [odds.chance.randint(1, 5) for _ in range(odds.chance.randint(1, 4))]
    offsets = odds.fixed(np.cumsum([0, *sizes]).astype("i8"))
    count, rows, features = sum(sizes), odds.chance.randint(1, 6), odds.chance.randint(1, 3)
    hypotheses = odds.fixed(odds.whole(0, rows, count, "i4"))
    is_whole = odds.chance.random() < 0.5
    values = odds.whole(-9, 9, (rows, 3), "i8") if is_whole else odds.real((rows, 3))
    statistics = odds.fixed(values)
    errors = odds.fixed(np.abs(odds.real(len(sizes))) * 1e-9)
    first = _core.IntegerEnvelopes if is_whole else _core.RealEnvelopes
    ends = odds(odds.chance.choice([-5.0, -np.inf])), odds(odds.chance.choice([2.0, np.inf]))
    first(statistics, hypotheses, offsets).envelope_sums(
        odds.fixed(odds.real(count)), odds.fixed(odds.real(count)), errors, errors, *ends
    )
    columns = odds(np.asfortranarray(odds.real((count, features))))
    weights = odds.fixed(odds.real((2, features)))
    _core.weighted_scores(columns, weights)
    _core.best_candidates(columns, odds.fixed(odds.real(count)), offsets, weights)


def functions(odds: Odds) -> None:
    """What is no class: BLEU's scores, intervals, numbers, substrings, tokens."""
    order = odds.chance.randint(1, 5)
    sums = np.abs(odds.real((odds.chance.randint(0, 3), odds.chance.randint(0, 40), 2 * order + 2)))
    smoothing = odds(odds.chance.choice(["none", "floor", "add-k", "exp"]))
    _core.bleu_scores(odds(sums), smoothing, odds(0.1), odds(True))
    _core.draw_interval(odds.fixed(odds.real(odds.chance.randint(1, 9))), odds(1.0), odds(0.5))
    numbers = " ".join(map(str, odds.real(odds.chance.randint(0, 5))))
    _core.numbers_in(odds(f"lm= {numbers}"), odds("lm= # # #"), odds(1e50))
    outputs = [odds.text().split(" ") for _ in range(odds.chance.randint(0, 3))]
    links = [
        (owner, odds.chance.randrange(6), odds.chance.randrange(len(words)))
        for owner, words in enumerate(outputs)
        for _ in range(odds.chance.randint(0, 5))
    ]
    spans = odds.whole(0, 6, (2, odds.chance.randint(0, 5)), "i8")
    columns = np.array(links, "i8").reshape(-1, 3).T
    _core.span_substrings(
        odds([odds(words) for words in outputs]),
        *(odds.fixed(column) for column in columns),
        *(odds.fixed(each) for each in np.sort(spans, axis=0)),
        odds("…"),
    )
    _core.tokens(odds([odds(odds.text()) for _ in range(3)]), odds(odds.chance.choice(_SCHEMES)))


def alignment(odds: Odds) -> None:
    """Word alignment and phrases of aligned sentences."""
    count = odds.chance.randint(0, 4)
    source, target = odds.sentences(count, 6), odds.sentences(count, 6)
    both = [odds.fixed(each) for each in (*source, *target)]
    aligner = _translator.WordAligner(*both)
    for with_jumps in (False, True):
        aligner.expect(odds(0), odds(count), odds(with_jumps))
        aligner.maximise(odds(with_jumps))
    aligner.best(odds(0), odds(count), odds(True))
    sizes = [np.diff(each[1]) for each in (source, target)]
    links_of = [
        [odds.whole(-1, int(most), int(size), "i4") for most, size in zip(*each, strict=True)]
        for each in (sizes, sizes[::-1])
    ]
    forward, backward = (np.concatenate([np.zeros(0, "i4"), *each]) for each in links_of)
    _translator.symmetrise(
        odds.fixed(forward),
        odds.fixed(target[1]),
        odds.fixed(backward),
        odds.fixed(source[1]),
        odds(odds.chance.randint(0, 3)),
    )
    links, ends = [], [0]
    for s, t in zip(*sizes, strict=True):
        if min(s, t) > 0:
            pairs = {
                (odds.chance.randrange(int(s)), odds.chance.randrange(int(t))) for _ in range(4)
            }
            links += sorted(pairs)
        ends.append(len(links))
    flat = np.array(links, "i4").reshape(-1)
    _translator.extract_phrases(*both, odds.fixed(flat), odds.fixed(np.array(ends, "i8")), odds(4))


def decoding(odds: Odds) -> None:
    """Language models, phrase tables and the decoder."""
    words = 5
    trained = _translator.LanguageModel.train(
        *(odds.fixed(each) for each in odds.sentences(4, words)), odds(3), odds(words)
    )
    trained.ngrams()
    trained.chances(odds.fixed(odds.whole(0, words, 4, "i4")))
    unigrams = [[number] for number in range(words)] + [[words], [words + 1]]
    ngrams = unigrams + odds.chance.sample([[a, b] for a in range(4) for b in range(4)], 3)
    offsets = np.cumsum([0, *map(len, ngrams)]).astype("i8")
    model = _translator.LanguageModel.from_ngrams(
        odds.fixed(np.array([word for ngram in ngrams for word in ngram], "i4")),
        odds.fixed(offsets),
        odds.fixed(-np.abs(odds.real(len(ngrams)))),
        odds.fixed(odds.real(len(ngrams))),
        odds(2),
        odds(words - 1),
    )
    phrases = [np.array([1, 1, 2, 3], "i4"), np.array([0, 1, 3, 4], "i8")]
    links = [np.array([0, 0, 256], "i4"), np.array([0, 1, 3], "i8")]
    pairs = np.array([[0, 0, 0], [0, 1, 0], [1, 1, 1], [2, 2, 0]], "i4")
    table = _translator.PhraseTable(
        *(odds.fixed(each) for each in (*phrases, *phrases, *links)),
        odds.fixed(pairs),
        odds.fixed(-np.abs(odds.real((len(pairs), 10)))),
    )
    _translator.decode(
        table,
        model,
        odds.fixed(odds.whole(0, words, odds.chance.randint(0, 7), "i4")),
        odds.fixed(odds.real(14)),
        odds(odds.chance.choice([1, 5, 50])),
        odds(True),
        odds(20),
        odds(50),
        odds(20),
        odds(6),
        odds(7),
    )


CASES: dict[str, Callable[[Odds], None]] = {
    case.__name__: case
    for case in (
        *(counters, meteor, resamplers, halvings, envelopes, functions),
        *(alignment, decoding),
    )
}


def attempt(case: str, seed: object) -> bool:
    """Try one set of arguments, and return whether all of them were taken.

    Where none of them is odd, they must be.
    """
    odds = Odds(f"{seed} {case}")
    try:
        CASES[case](odds)
    except REFUSALS as error:
        if odds.rate == 0:
            raise AssertionError(f"{case}: arguments that are not odd are refused") from error
        _check(error)
        return False
    return True


def _check(error: Exception) -> None:
    """Let errors of this module itself be errors."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is not None and trace.tb_frame.f_code.co_name in _OWN:
        raise AssertionError("the arguments could not be made") from error


_OWN = {name for name in vars(Odds) if not name.startswith("__")} | {"__call__"}
