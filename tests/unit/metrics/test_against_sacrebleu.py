"""sacreBLEU as a live oracle: rows exactly, scores to 1e-9, for every metric and option."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

from strategies import corpora, text
from weigh import Bleu, Chrf, Metric, Outputs, System, Ter, TestSet, score
from weigh.metrics.statistics import statistics

BLEU_OPTIONS = [
    {},
    {"lowercase": True},
    {"tokenize": "none"},
    {"tokenize": "char"},
    {"tokenize": "zh"},
    {"smooth_method": "none"},
    {"smooth_method": "floor"},
    {"smooth_method": "floor", "smooth_value": 0.5},
    {"smooth_method": "add-k"},
    {"smooth_method": "add-k", "smooth_value": 0.3},
    {"effective_order": True},
    {"effective_order": True, "smooth_method": "none"},
    {"effective_order": True, "smooth_method": "add-k"},
    {"max_ngram_order": 1},
    {"max_ngram_order": 6},
]
CHRF_OPTIONS = [
    {},
    {"word_order": 2},
    {"word_order": 1, "char_order": 3},
    {"beta": 1},
    {"beta": 3},
    {"lowercase": True},
    {"whitespace": True},
    {"eps_smoothing": True},
    {"eps_smoothing": True, "word_order": 2},
]
TER_OPTIONS = [
    {},
    {"case_sensitive": True},
    {"no_punct": True},
    {"no_punct": True, "asian_support": True},
]
# Options share most of what is counted, so that each needs fewer texts than a metric does.
each_option = settings(max_examples=15)


def check(metric: Metric, peer: BLEU | CHRF | TER, corpus: tuple[list[str], list[list[str]]]):
    hypotheses, references = corpus
    system, test_set = System("A", Outputs(hypotheses)), TestSet(references)
    [rows] = statistics([system], test_set, metric)
    expected = np.array(peer._extract_corpus_statistics(hypotheses, references))
    np.testing.assert_array_equal(rows, expected)
    [result] = score([system], test_set, [metric], segments=True)
    assert result.score == pytest.approx(
        peer.corpus_score(hypotheses, references).score, rel=1e-9, abs=1e-9
    )
    if not isinstance(peer, BLEU) or peer.effective_order:
        for i, (hypothesis, *refs) in enumerate(zip(hypotheses, *references, strict=True)):
            assert result.segments[i] == pytest.approx(
                peer.sentence_score(hypothesis, refs).score, rel=1e-9, abs=1e-9
            )


@pytest.mark.parametrize("options", BLEU_OPTIONS, ids=str)
@each_option
@given(corpus=corpora())
def test_bleu_against_sacrebleu(options, corpus):
    check(Bleu(**{"tokenize": "13a", **options}), BLEU(force=True, **options), corpus)


@pytest.mark.parametrize("options", CHRF_OPTIONS, ids=str)
@each_option
@given(corpus=corpora())
def test_chrf_against_sacrebleu(options, corpus):
    words = {"tokenize": "none"} if options.get("word_order") else {}
    check(Chrf(**options, **words), CHRF(**options), corpus)


@pytest.mark.parametrize("options", TER_OPTIONS, ids=str)
@each_option
@given(corpus=corpora())
def test_ter_against_sacrebleu(options, corpus):
    check(Ter(tokenize="none", **options), TER(**options), corpus)


WORD = st.sampled_from([*"abcdefghijklmnop"])


def shuffled(words: list[str]) -> st.SearchStrategy[list[str]]:
    """Blocks of the words in another order, with some words replaced."""
    cuts = st.lists(st.integers(0, len(words)), max_size=6).map(sorted)

    def blocks(places: list[int]) -> list[list[str]]:
        ends = [0, *places, len(words)]
        return [words[a:b] for a, b in pairwise(ends)]

    return cuts.flatmap(lambda places: st.permutations(blocks(places))).map(
        lambda parts: [word for part in parts for word in part]
    )


@settings(max_examples=60)
@given(
    pair=st.lists(WORD, min_size=1, max_size=150).flatmap(
        lambda words: st.tuples(st.just(words), shuffled(words), st.integers(0, 60))
    )
)
def test_ter_of_long_segments_against_sacrebleu(pair):
    """Far from the diagonal the band counts, and after many candidates the limit on them."""
    reference, hypothesis, dropped = pair
    check(Ter(), TER(), ([" ".join(hypothesis[dropped:])], [[" ".join(reference)]]))


def test_ter_of_a_band_that_hides_a_large_gain_against_sacrebleu():
    """Outside the band a shift may gain more than two edits for every word that it moves."""
    reference = (
        "w0 w0 w0 w6 w11 w0 w0 w0 w2 w2 w1 w15 w1 w4 w9 w8 w0 w0 w17 w0 w0 w7 w0 w0 w0 w0 w0 w10 "
        "w25 w14 w6 w0 w24 w0 w0 w20 w0 w23 w12 w2 w0 w2 w16 w9 w0 w15 w0 w3 w0 w18 w4 w8 w0 w25 "
        "w0 w0 w21 w0 w6 w19 w13 w0 w0 w10 w6 w0 w0 w0 w8 w0 w0"
    )
    hypothesis = "w0 w0 " + " ".join(reference.split()[:42])
    check(Ter(), TER(), ([hypothesis], [[reference]]))


def test_a_very_long_segment_against_sacrebleu():
    words = [f"w{i * 7919 % 61}" for i in range(700)]
    hypothesis = " ".join(words[350:] + words[:350])
    check(Bleu(), BLEU(force=True), ([hypothesis], [[" ".join(words)]]))
    check(Chrf(word_order=2), CHRF(word_order=2), ([hypothesis], [[" ".join(words)]]))


@settings(max_examples=25)
@given(corpus=corpora(text, max_segments=3))
def test_sentence_bleu_against_sacrebleu(corpus):
    """A segment's BLEU is sacreBLEU's sentence BLEU with the effective order."""
    hypotheses, references = corpus
    [result] = score(
        [System("A", Outputs(hypotheses))],
        TestSet(references),
        [Bleu(tokenize="13a")],
        segments=True,
    )
    peer = BLEU(effective_order=True, force=True)
    expected = [
        peer.sentence_score(hypothesis, refs).score
        for hypothesis, *refs in zip(hypotheses, *references, strict=True)
    ]
    np.testing.assert_allclose(result.segments, expected, rtol=1e-9, atol=1e-9)
