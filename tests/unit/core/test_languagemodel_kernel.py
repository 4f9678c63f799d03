"""Language models against slow ones made from the definitions."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import languagemodel as oracle
from weigh_lab import _translator

LanguageModel = _translator.LanguageModel
WORDS = 3
START, END = WORDS + 1, WORDS + 2


def rows(sentences):
    words = np.array([word for sentence in sentences for word in sentence], np.int32)
    return words, np.cumsum([0, *map(len, sentences)]).astype(np.int64)


def trained(sentences, order, words=WORDS):
    return LanguageModel.train(*rows(sentences), order, words)


def ngrams_of(model):
    """The n-grams of a model with their log chances and back-off weights."""
    parents, words, orders, chances, backoffs = (column.tolist() for column in model.ngrams())
    ngrams = [()]
    for at in range(1, len(parents)):
        assert parents[at] < at
        ngrams.append((*ngrams[parents[at]], words[at]))
        assert orders[at] == len(ngrams[at])
    return dict(zip(ngrams[1:], zip(chances[1:], backoffs[1:], strict=True), strict=True))


def from_table(table, order, words=WORDS):
    scores = np.array(list(table.values()), float).reshape(-1, 2).T
    return LanguageModel.from_ngrams(
        *rows(table), np.ascontiguousarray(scores[0]), np.ascontiguousarray(scores[1]), order, words
    )


def log_chances(model, context, words):
    """The log chance of each word after a context that follows the start of a sentence."""
    return [model.chances(np.array([*context, word], np.int32))[len(context)] for word in words]


def contexts(longest, words=range(WORDS + 1)):
    return itertools.chain.from_iterable(
        itertools.product(words, repeat=length) for length in range(longest + 1)
    )


texts = st.lists(st.lists(st.integers(1, WORDS), max_size=6).map(tuple), max_size=12)


@settings(max_examples=60)
@given(texts, st.integers(1, 4))
def test_estimates_against_definition(sentences, order):
    model, slow = trained(sentences, order), oracle.KneserNey(sentences, order, WORDS)
    for context in contexts(2):
        found = model.chances(np.array(context, np.int32))
        expected = [
            math.log(slow.chance((START, *context[:at]), word))
            for at, word in enumerate([*context, END])
        ]
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    for sentence in sentences[:2]:
        expected = [
            math.log(slow.chance((START, *sentence[:at]), word))
            for at, word in enumerate([*sentence, END])
        ]
        found = model.chances(np.array(sentence, np.int32))
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@settings(max_examples=60)
@given(texts, st.integers(1, 4), st.integers(WORDS, WORDS + 4))
def test_chances_sum_to_one(sentences, order, words):
    """After every context, seen or not, over all words, the end and the unknown word."""
    model = trained(sentences, order, words)
    for context in contexts(3, [0, 1, 3, words]):
        after = log_chances(model, context, range(words + 1))
        end = model.chances(np.array(context, np.int32))[-1]
        assert math.fsum(map(math.exp, [*after, end])) == pytest.approx(1, abs=1e-9)


@settings(max_examples=60)
@given(texts, st.integers(1, 4))
def test_ngrams_make_the_same_model(sentences, order):
    model = trained(sentences, order)
    table = ngrams_of(model)
    assert {ngram for ngram in table if len(ngram) == 1} >= {(word,) for word in range(WORDS + 1)}
    assert max(map(len, table)) <= order
    again = from_table(table, order)
    backwards = from_table(dict(reversed(table.items())), order)
    assert ngrams_of(again) == ngrams_of(backwards) == table
    for context in contexts(3):
        sentence = np.array(context, np.int32)
        chances = model.chances(sentence)
        assert (again.chances(sentence) == chances).all()
        assert (backwards.chances(sentence) == chances).all()
        expected = [
            oracle.backed_off(table, order, (START, *context[:at]), word)
            for at, word in enumerate([*context, END])
        ]
        assert chances == pytest.approx(expected, rel=1e-12)


@st.composite
def tables(draw):
    """Tables in which some n-grams, suffixes of others too, are not there; in any order."""
    order = draw(st.integers(1, 4))
    ngram = st.lists(st.integers(0, END), min_size=1, max_size=order).map(tuple)
    chosen = draw(st.sets(ngram, max_size=12))
    closed = {one[:size] for one in chosen for size in range(1, len(one) + 1)}
    closed |= {(word,) for one in chosen for word in one}
    ordered = draw(st.permutations(sorted(closed)))
    score = st.floats(-5, 0)
    return order, {one: (draw(score), draw(st.just(0.0) | st.floats(-2, 1))) for one in ordered}


@settings(max_examples=80)
@given(tables(), st.lists(st.integers(0, WORDS), max_size=6).map(tuple))
def test_odd_tables_back_off_by_definition(model, sentence):
    order, table = model
    made = from_table(table, order)
    found = made.chances(np.array(sentence, np.int32))
    start = (START,) if (START,) in table else ()
    expected = [
        oracle.backed_off(table, order, (*start, *sentence[:at]), word)
        for at, word in enumerate([*sentence, END])
    ]
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(tables())
def test_an_ngram_whose_first_words_or_single_words_are_none_is_refused(model):
    order, table = model
    for ngram in table:
        others = [other for other in table if other != ngram]
        rest = {other: table[other] for other in others}
        if any(other[: len(ngram)] == ngram for other in others):
            with pytest.raises(ValueError, match="first words"):
                from_table(rest, order)
        elif any(ngram == (word,) for other in others for word in other):
            with pytest.raises(ValueError, match="by itself"):
                from_table(rest, order)
        else:
            from_table(rest, order)
