"""The word alignment kernels against the enumeration of all alignments."""

from __future__ import annotations

import itertools
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import wordalign as oracle
from weigh_lab import _translator

# Counts are whole numbers of 2^-32: each posterior is off by half of that at most, so what is lost
# of a word's likelihood by it is below 2^-32 for each state that the word may have.
UNIT = 2.0**-32


def rows(sentences):
    """All words, and where each sentence begins."""
    words = np.array([word for sentence in sentences for word in sentence], np.int32)
    return words, np.cumsum([0, *map(len, sentences)]).astype(np.int64)


def aligner(corpus):
    return _translator.WordAligner(
        *rows([given for given, _ in corpus]), *rows([made for _, made in corpus])
    )


def rounding(corpus, likelihood):
    states = sum(len(made) * (2 * len(given) + 1) for given, made in corpus)
    return UNIT * states + 1e-12 * abs(likelihood)


def sentences(words, most):
    return st.lists(st.integers(1, words), max_size=most)


tiny_corpora = st.lists(st.tuples(sentences(4, 3), sentences(3, 4)), min_size=1, max_size=4)


@settings(max_examples=60)
@given(tiny_corpora, st.integers(0, 3))
def test_training_against_enumeration(corpus, word_rounds):
    """Likelihoods tell of all counts: each is made of what all rounds before it have learned."""
    kernel, slow = aligner(corpus), oracle.WordAligner(corpus)
    for with_jumps in [False] * word_rounds + [True] * 3:
        likelihood = kernel.expect(0, len(corpus), with_jumps)
        assert likelihood == pytest.approx(slow.expect(with_jumps), rel=1e-6, abs=1e-6)
        kernel.maximise(with_jumps)
        slow.maximise(with_jumps)


@settings(max_examples=60)
@given(tiny_corpora, st.integers(0, 3), st.integers(0, 3))
def test_the_best_alignment_is_the_likeliest_of_all(corpus, word_rounds, path_rounds):
    kernel, slow = aligner(corpus), oracle.WordAligner(corpus)
    for with_jumps in [False] * word_rounds + [True] * path_rounds:
        kernel.expect(0, len(corpus), with_jumps)
        slow.expect(with_jumps)
        kernel.maximise(with_jumps)
        slow.maximise(with_jumps)
    for with_jumps in (False, True):
        for number, pair in enumerate(corpus):
            way = kernel.best(number, number + 1, with_jumps) + 1
            assert len(way) == len(pair[1])
            if with_jumps and not pair[0]:
                assert not way.any()
                continue
            most = max(slow.alignments(pair, with_jumps).values())
            assert slow.chance(pair, tuple(way), with_jumps) == pytest.approx(most, rel=1e-6)


def random_corpus(seed, size, words, longest):
    """Sentences whose made words mostly follow the given ones, in order or swapped."""
    draw = random.Random(seed)
    corpus = []
    for _ in range(size):
        sentence = [draw.randint(1, words) for _ in range(draw.randint(0, longest))]
        made = [word % words + 1 for word in sentence if draw.random() < 0.9]
        for place in range(len(made) - 1):
            if draw.random() < 0.2:
                made[place : place + 2] = made[place : place + 2][::-1]
        while draw.random() < 0.3:
            made.insert(draw.randint(0, len(made)), draw.randint(1, words))
        corpus.append((sentence, made[:256]))
    return corpus


shapes = st.tuples(
    st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 12), st.integers(1, 15)
)


@pytest.mark.parametrize(("word_rounds", "path_rounds"), [(40, 0), (0, 40), (3, 30)])
@settings(max_examples=25)
@given(shapes)
def test_likelihood_never_falls(word_rounds, path_rounds, shape):
    corpus = random_corpus(*shape)
    kernel = aligner(corpus)
    for with_jumps, rounds in ((False, word_rounds), (True, path_rounds)):
        before = -np.inf
        for _ in range(rounds):
            likelihood = kernel.expect(0, len(corpus), with_jumps)
            kernel.maximise(with_jumps)
            assert likelihood >= before - rounding(corpus, likelihood)
            before = likelihood


@given(shapes)
def test_each_change_of_jumps_makes_them_likelier(shape):
    """Of the oracle, which the kernel equals; with the rest of the model as it is."""
    corpus = random_corpus(*shape)
    slow = oracle.WordAligner([])
    slow.jumps = dict.fromkeys(range(-20, 21), 1.0)
    draw = random.Random(shape[0])
    for sentence, _ in corpus:
        size = len(sentence)
        for left, to in itertools.product(range(size + 1), range(1, size + 1)):
            count = draw.random() ** 4
            slow.jumped[to - left] += count
            slow.left[left, size] += count
    before = slow.likelihood_of_jumps()
    for _ in range(30):
        slow.improve_jumps()
        likelihood = slow.likelihood_of_jumps()
        assert likelihood >= before - 1e-9 * abs(before)
        before = likelihood


@settings(max_examples=15)
@given(shapes, st.lists(st.integers(0, 30), max_size=5))
def test_parts_and_threads_change_nothing(shape, cuts):
    corpus = random_corpus(*shape)
    size = len(corpus)
    places = [0, *sorted(min(cut, size) for cut in cuts), size]
    whole, parted = aligner(corpus), aligner(corpus)
    with ThreadPoolExecutor(4) as pool:
        for with_jumps in [False] * 3 + [True] * 3:
            parts = pool.map(
                lambda ends, way=with_jumps: parted.expect(*ends, way), itertools.pairwise(places)
            )
            likelihood = whole.expect(0, size, with_jumps)
            assert sum(parts) == pytest.approx(likelihood, rel=1e-12, abs=1e-12)
            whole.maximise(with_jumps)
            parted.maximise(with_jumps)
    # The models are the same to the last digit.
    for with_jumps in (False, True):
        assert whole.expect(0, size, with_jumps) == parted.expect(0, size, with_jumps)
        best = [parted.best(*ends, with_jumps) for ends in itertools.pairwise(places)]
        assert (whole.best(0, size, with_jumps) == np.concatenate(best)).all()


def test_the_longest_sentences_are_aligned():
    order = list(range(1, 257))
    corpus = [(order, order), (order[:2], order), (order, order[:2])]
    kernel = aligner(corpus)
    for with_jumps in (False, False, True, True):
        assert np.isfinite(kernel.expect(0, 3, with_jumps))
        kernel.maximise(with_jumps)
    assert len(kernel.best(0, 3, True)) == 514


def symmetrised(forward, backward, how):
    offsets, links = _translator.symmetrise(*rows([forward]), *rows([backward]), how)
    assert offsets.tolist() == [0, len(links) // 2]
    pairs = [tuple(pair) for pair in links.reshape(-1, 2).tolist()]
    assert pairs == sorted(set(pairs))
    return set(pairs)


@st.composite
def directions(draw):
    sources, targets = draw(st.integers(0, 8)), draw(st.integers(0, 8))
    forward = st.lists(st.integers(-1, sources - 1), min_size=targets, max_size=targets)
    backward = st.lists(st.integers(-1, targets - 1), min_size=sources, max_size=sources)
    return draw(forward), draw(backward)


@settings(max_examples=100)
@given(directions())
def test_symmetrisation_against_definition(both):
    made = [symmetrised(*both, how) for how in range(4)]
    assert made == [oracle.symmetrised(*both, how) for how in range(4)]
    intersection, union, grown, final = made
    assert intersection <= grown <= final <= union
