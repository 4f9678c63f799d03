"""The decoder against the enumeration of all derivations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oracle import decoder as oracle
from weigh_lab import _translator

WORDS = 3  # of the target; the source has words 1 .. 3 in the table, and 0 and 4 not
START, END = WORDS + 1, WORDS + 2
WHOLE = {"options": 10**6, "pops": 10**6, "stack": 10**6}


def rows(sentences):
    words = np.array([word for sentence in sentences for word in sentence], np.int32)
    return words, np.cumsum([0, *map(len, sentences)]).astype(np.int64)


def phrase_table(phrases):
    """A table of phrases, which are in the order of their sources."""
    sources = list(dict.fromkeys(phrase.source for phrase in phrases))
    targets = list(dict.fromkeys(phrase.target for phrase in phrases))
    pairs = [(sources.index(row.source), targets.index(row.target), 0) for row in phrases]
    return _translator.PhraseTable(
        *rows(sources),
        *rows(targets),
        *rows([()]),
        np.array(pairs, np.int32).reshape(-1, 3),
        np.array([row.scores for row in phrases], float).reshape(-1, 10),
    )


def language_model(table, order, words=WORDS):
    scores = np.array(list(table.values()), float).reshape(-1, 2)
    columns = (np.ascontiguousarray(column) for column in scores.T)
    return _translator.LanguageModel.from_ngrams(*rows(table), *columns, order, words)


def decoded(model, sentence, weights, limits):
    """The steps, words, totals and features of an n-best list."""
    words, word_offsets, totals, features, steps, step_offsets = _translator.decode(
        phrase_table(model.phrases),
        language_model(model.language, model.order),
        np.array(sentence, np.int32),
        np.array(weights, float),
        **limits,
    )
    assert len(word_offsets) == len(step_offsets) == len(totals) + 1
    steps = steps.reshape(-1, 3).tolist()
    return [
        (
            tuple(map(tuple, steps[step_offsets[at] : step_offsets[at + 1]])),
            tuple(words[word_offsets[at] : word_offsets[at + 1]].tolist()),
            total,
            features.reshape(-1, oracle.FEATURES)[at],
        )
        for at, total in enumerate(totals.tolist())
    ]


# Few different scores, so that ties happen.
scores = st.integers(-6, 2).map(lambda score: score / 4)
weight = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5])


@st.composite
def models(draw, longest=3):
    word, made = st.integers(1, 3), st.integers(0, WORDS)
    source = st.lists(word, min_size=1, max_size=longest).map(tuple)
    target = st.lists(made, max_size=3).map(tuple)
    chosen = draw(st.lists(st.tuples(source, target), max_size=9))
    row = st.lists(scores, min_size=10, max_size=10).map(tuple)
    phrases = [oracle.Phrase(*pair, draw(row)) for pair in sorted(chosen)]
    order = draw(st.integers(1, 3))
    ngram = st.lists(st.integers(0, END), min_size=1, max_size=order).map(tuple)
    ngrams = draw(st.sets(ngram, max_size=10))
    ngrams |= {one[:size] for one in ngrams for size in range(1, len(one))}
    ngrams |= {(word,) for word in (0, START, END)} | {(word,) for one in ngrams for word in one}
    language = {one: (draw(scores), draw(scores)) for one in sorted(ngrams)}
    return oracle.Model(phrases, language, order, START, END)


sentences = st.lists(st.sampled_from([1, 1, 2, 2, 3, 0, 4]), max_size=4).map(tuple)
weights = st.lists(weight, min_size=oracle.FEATURES, max_size=oracle.FEATURES)


def check_valid(model, sentence, weights, best, longest, distortion):
    """What holds of every list: each derivation is one, and its scores are its own."""
    for steps, words, total, features in best:
        covered = sorted(itertools.chain.from_iterable(range(a, b) for a, b, _ in steps))
        assert covered == list(range(len(sentence)))
        for first, last, number in steps:
            assert number in model.options(sentence[first:last])
            assert last - first <= longest
        end = 0
        for first, last, _ in steps:
            assert abs(first - end) <= distortion
            end = last
        assert words == oracle.words(model, steps)
        assert features == pytest.approx(oracle.features(model, steps, len(sentence)), abs=1e-9)
        assert total == pytest.approx(np.dot(weights, features), rel=1e-12, abs=1e-12)
    totals = [total for _, _, total, _ in best]
    assert totals == sorted(totals, reverse=True)


@settings(max_examples=60)
@given(models(), sentences, weights, st.integers(1, 4), st.integers(0, 5))
def test_nbest_lists_are_all_derivations(model, sentence, weights, longest, distortion):
    limits = {"longest": longest, "distortion": distortion}
    expected = list(itertools.islice(oracle.derivations(model, sentence, **limits), 1001))
    assume(len(expected) <= 1000)
    everything = {"count": 10**6, "distinct": False} | WHOLE | limits
    best = decoded(model, sentence, weights, everything)
    check_valid(model, sentence, weights, best, **limits)
    found = [steps for steps, _, _, _ in best]
    assert len(set(found)) == len(found)
    assert set(found) == set(expected)

    values = [np.dot(weights, oracle.features(model, steps, len(sentence))) for steps in expected]
    totals = [total for _, _, total, _ in best]
    assert totals == pytest.approx(sorted(values, reverse=True), abs=1e-9)
    few = decoded(model, sentence, weights, everything | {"count": 3})
    assert [total for _, _, total, _ in few] == pytest.approx(totals[:3], abs=1e-9)

    by_words = {}
    for steps, value in zip(expected, values, strict=True):
        words = oracle.words(model, steps)
        by_words[words] = max(value, by_words.get(words, -np.inf))
    distinct = decoded(model, sentence, weights, everything | {"distinct": True})
    check_valid(model, sentence, weights, distinct, **limits)
    assert len(distinct) == len(by_words)
    for _, words, total, _ in distinct:
        assert total == pytest.approx(by_words.pop(words), abs=1e-9)


narrow = st.fixed_dictionaries(
    {
        "count": st.integers(0, 20),
        "distinct": st.booleans(),
        "options": st.integers(1, 3),
        "pops": st.integers(1, 4),
        "stack": st.integers(1, 3),
        "distortion": st.integers(0, 4),
        "longest": st.integers(1, 3),
    }
)
long_sentences = st.lists(st.integers(0, 4), max_size=25).map(tuple)


@settings(max_examples=50)
@given(models(), long_sentences, weights, narrow)
def test_narrow_limits_still_make_derivations(model, sentence, weights, limits):
    best = decoded(model, sentence, weights, limits)
    assert min(1, limits["count"]) <= len(best) <= limits["count"]
    check_valid(model, sentence, weights, best, limits["longest"], limits["distortion"])
    if limits["distinct"]:
        assert len({words for _, words, _, _ in best}) == len(best)
    else:
        assert len({steps for steps, _, _, _ in best}) == len(best)


SMALL = {"options": 20, "pops": 50, "stack": 20, "distortion": 6, "longest": 7}
ONES = [1.0] * oracle.FEATURES
LANGUAGE = {(0,): (-3.0, 0.0), (1,): (-1.0, -0.5), (START,): (-99.0, 0.0), (END,): (-1.0, 0.0)}


def test_an_empty_sentence():
    model = oracle.Model([], LANGUAGE, 2, START, END)
    for distinct in (False, True):
        best = decoded(model, (), ONES, {"count": 5, "distinct": distinct} | SMALL)
        [(steps, words, total, features)] = best
        assert (steps, words, total) == ((), (), -1.0)
        assert features.tolist() == [0.0] * 7 + [-1.0] + [0.0] * 6


@pytest.mark.parametrize("distortion", [0, 6, 300])
def test_the_longest_sentence(distortion):
    phrases = [
        oracle.Phrase((1,), (1,), (-0.5,) * 10),
        oracle.Phrase((1,), (2,), (-0.25,) * 10),
        oracle.Phrase((1, 1), (1, 3), (-0.75,) * 10),
    ]
    model = oracle.Model(phrases, LANGUAGE, 2, START, END)
    sentence = (1, 1, 0, 2) * 64
    limits = {"count": 50, "distinct": True} | SMALL | {"distortion": distortion}
    best = decoded(model, sentence, ONES, limits)
    assert len(best) == 50
    check_valid(model, sentence, ONES, best, 7, distortion)
