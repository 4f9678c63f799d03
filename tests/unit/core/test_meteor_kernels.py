"""METEOR's kernels against their oracles: numbered words in, the same rows out."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import meteor
from weigh import _core

# Few words, so that they match often: a pair shares a stem, and synsets join some of them.
WORDS = 10
sentence = st.lists(st.integers(0, WORDS - 1), max_size=12)
short = st.lists(st.integers(0, WORDS - 1), max_size=5)
PARAMETERS = (0.85, 0.2, 0.6, 0.75)
WEIGHTS = (1.0, 0.6, 0.8, 0.6)


class Lexicon(NamedTuple):
    stems: list[int]
    function: list[bool]
    synsets: list[list[int]]

    def arrays(self) -> tuple[np.ndarray, ...]:
        ends = np.cumsum([0, *map(len, self.synsets)])
        return (
            np.array(self.stems, np.int32),
            np.array(self.function, np.uint8),
            np.array(list(chain.from_iterable(self.synsets)), np.int32),
            ends.astype(np.int64),
        )

    def stem(self, word: str) -> str:
        return str(self.stems[int(word)])

    def synsets_of(self, word: str) -> list[int]:
        return self.synsets[int(word)]

    def function_words(self) -> set[str]:
        return {str(word) for word in range(WORDS) if self.function[word]}


def one_per_word(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(values, min_size=WORDS, max_size=WORDS)


lexicons = st.builds(
    Lexicon,
    one_per_word(st.integers(0, 4)),
    one_per_word(st.booleans()),
    one_per_word(st.sets(st.integers(0, 6), max_size=3).map(sorted)),
)


def joined(sentences: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *map(len, sentences)]).astype(np.int64)
    return np.array(list(chain.from_iterable(sentences)), np.int32), starts


def words(sentence: list[int]) -> list[str]:
    return [str(number) for number in sentence]


def counter(references: list[list[int]], stages=(True, True, True, True), mended=False, sets=None):
    return _core.MeteorCounter(
        *joined(references),
        len(references) if sets is None else sets,
        np.array(stages),
        np.array(WEIGHTS),
        np.array(PARAMETERS),
        mended,
    )


def rows(made, hypotheses, lexicon, phrases=(), segments=None):
    """Rows of hypotheses; `phrases` has a list for every hypothesis and reference."""
    lists = phrases or [[]] * len(hypotheses)
    flat = np.array([number for each in lists for phrase in each for number in phrase], np.uint32)
    starts = np.cumsum([0, *(4 * len(each) for each in lists)]).astype(np.int64)
    numbers = np.zeros(len(hypotheses), np.int64) if segments is None else segments
    return made.rows(*joined(hypotheses), numbers, *lexicon.arrays(), flat, starts)


@st.composite
def phrases_between(draw, hyp: list[int], ref: list[int]) -> list[tuple[int, int, int, int]]:
    if not hyp or not ref:
        return []
    found = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(hyp) - 1))
        ref_start = draw(st.integers(0, len(ref) - 1))
        length = draw(st.integers(1, min(3, len(hyp) - start)))
        ref_length = draw(st.integers(1, min(3, len(ref) - ref_start)))
        found.append((start, length, ref_start, ref_length))
    return found


@settings(max_examples=60)
@given(sentence, sentence, lexicons, st.booleans(), st.data())
def test_meteor_counter_against_oracle(hyp, ref, lexicon, mended, data):
    stages = [True, *data.draw(st.lists(st.booleans(), min_size=3, max_size=3))]
    phrases = data.draw(phrases_between(hyp, ref)) if stages[3] and hyp != ref else []
    matches = meteor.find_matches(
        words(hyp),
        words(ref),
        lexicon.stem if stages[1] else None,
        lexicon.synsets_of if stages[2] else None,
        phrases,
    )
    expected = meteor.meteor_row(words(hyp), words(ref), matches, lexicon.function_words(), mended)
    made = counter([ref], stages, mended)
    assert rows(made, [hyp], lexicon, [phrases]).tolist() == [expected]


@settings(max_examples=8)
@given(
    st.lists(st.integers(0, WORDS - 1), min_size=65, max_size=130),
    st.lists(st.integers(0, WORDS - 1), min_size=20, max_size=30),
    lexicons,
)
def test_long_sentences_against_oracle(hyp, ref, lexicon):
    """More than 64 words need several machine words, and the beam is full."""
    matches = meteor.find_matches(words(hyp), words(ref))
    expected = meteor.meteor_row(words(hyp), words(ref), matches, lexicon.function_words(), False)
    made = counter([ref], (True, False, False, False))
    assert rows(made, [hyp], lexicon).tolist() == [expected]


def every_choice(matches):
    """Yield every set of matches that cover no word twice."""
    if not matches:
        yield ()
        return
    first, *rest = matches
    for chosen in every_choice(rest):
        yield chosen
        if all(
            set(meteor.places(*first[:2])).isdisjoint(meteor.places(*other[:2]))
            and set(meteor.places(*first[2:4])).isdisjoint(meteor.places(*other[2:4]))
            for other in chosen
        ):
            yield (first, *chosen)


@settings(max_examples=50)
@given(short, short, lexicons, st.data())
def test_mended_alignment_against_definition(hyp, ref, lexicon, data):
    """Most covered words, then fewest chunks, then smallest distance, among all alignments."""
    phrases = data.draw(phrases_between(hyp, ref)) if hyp != ref else []
    matches = meteor.find_matches(words(hyp), words(ref), None, None, phrases)
    choices = list(every_choice(matches[:9]))
    if len(matches) > 9 or len(choices) > meteor.BEAM:
        return  # the beam may cut the best one off

    def key(chosen):
        ordered = sorted(chosen, key=lambda match: match[2])
        joints = pairwise(ordered)
        chunks = bool(chosen) + sum((a[0] + a[1], a[2] + a[3]) != (b[0], b[2]) for a, b in joints)
        covered = sum((m[1] + m[3]) * (1 if m[4] == 0 else 0.5) for m in chosen)
        return -covered, chunks, sum(abs(m[0] - m[2]) for m in chosen)

    covered, chunks, _ = min(map(key, choices))
    row = rows(counter([ref], (True, False, False, True), True), [hyp], lexicon, [phrases])[0]
    whole = row[21] == len(hyp) and row[22] == len(ref) and chunks == 1
    assert row[20] == (0 if whole else chunks)
    exact = row[4:8].sum()
    assert exact + row[16:20].sum() / 2 == -covered


@settings(max_examples=60)
@given(short, short, lexicons, st.booleans(), st.booleans())
def test_meteor_2005_counter_against_brute_force(hyp, ref, lexicon, stems, synonyms):
    stages = [lambda a, b: a == b]
    if stems:
        stages.append(lambda a, b: lexicon.stem(a) == lexicon.stem(b))
    if synonyms:
        stages.append(lambda a, b: bool(set(lexicon.synsets_of(a)) & set(lexicon.synsets_of(b))))
    made = _core.Meteor2005Counter(*joined([ref]), 1, stems, synonyms)
    [found] = rows(made, [hyp], lexicon).tolist()
    assert tuple(found) in meteor.meteor_2005_rows(words(hyp), words(ref), stages)


class TestMisuse:
    """The core refuses what would read outside its arrays."""

    lexicon = Lexicon([0] * WORDS, [False] * WORDS, [[]] * WORDS)

    def test_words_without_knowledge(self):
        with pytest.raises(IndexError, match="word number"):
            rows(counter([[0]]), [[WORDS]], self.lexicon)
        with pytest.raises(IndexError, match="word number"):
            rows(counter([[-1]]), [[0]], self.lexicon)

    @pytest.mark.parametrize("segment", [-1, 1, 10**12])
    def test_segments_out_of_range(self, segment):
        with pytest.raises(IndexError, match="segment number"):
            rows(counter([[0]]), [[0]], self.lexicon, segments=np.array([segment]))

    @pytest.mark.parametrize(
        "phrase", [(0, 2, 0, 1), (0, 1, 1, 1), (0, 0, 0, 1), (2**32 - 1, 2, 0, 1)]
    )
    def test_phrases_outside(self, phrase):
        with pytest.raises(IndexError, match="phrase"):
            rows(counter([[1]]), [[0]], self.lexicon, [[phrase]])

    def test_starts_that_are_no_starts(self):
        starts = np.array([0, 5], np.int64)
        with pytest.raises(ValueError, match="begin where"):
            counter([[0]]).rows(
                np.zeros(1, np.int32),
                starts,
                np.zeros(1, np.int64),
                *self.lexicon.arrays(),
                np.zeros(0, np.uint32),
                np.zeros(2, np.int64),
            )

    def test_unequal_reference_sets(self):
        made = counter([[0], [1], [2]], sets=2)
        with pytest.raises(ValueError, match="reference set"):
            rows(made, [[0]], self.lexicon)


def test_any_byte_but_zero_is_true():
    """As NumPy takes it; to C++ it would be no truth at all, which sanitizers tell."""
    lexicon = Lexicon([0] * WORDS, [False] * WORDS, [[]] * WORDS)
    odd = np.array([1, 2, 0, 255], np.uint8).view(np.bool_)
    plain = counter([[1, 2]], (True, True, False, True))
    found = rows(counter([[1, 2]], odd), [[2, 3]], lexicon)
    assert found.tolist() == rows(plain, [[2, 3]], lexicon).tolist()
