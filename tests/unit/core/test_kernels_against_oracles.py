"""Every kernel against its oracle: the same rows from slow plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.edits import cder_row, per_row, wer_row
from oracle.gtm import gtm_row
from oracle.ngrams import bleu_row, chrf_row, nist_information, nist_row
from oracle.ter import ter_row
from oracle.tokens import split_white, tokenize_13a
from strategies import corpora, text, tokens
from weigh import _core

sentences = tokens.map(" ".join)


def rows_of(counter, corpus):
    hypotheses, references = corpus
    counter.add(references)
    if hasattr(counter, "finish"):
        counter.finish()
    return counter.rows(hypotheses, np.arange(len(hypotheses)))


def segments(corpus):
    """Pairs of a hypothesis and its references."""
    hypotheses, references = corpus
    return [(hyp, list(refs)) for hyp, *refs in zip(hypotheses, *references, strict=True)]


@settings(max_examples=100)
@given(text)
def test_tokens_13a_against_oracle(line):
    assert _core.tokens([line], "13a") == [tokenize_13a(line)]


@settings(max_examples=80)
@given(text)
def test_tokens_of_white_space_against_python(line):
    assert _core.tokens([line], "none") == [line.split()]
    assert _core.tokens([line], "ascii") == [line_split_ascii(line)]


def line_split_ascii(line: str) -> list[str]:
    for space in "\t\n\x0b\x0c\r":
        line = line.replace(space, " ")
    return [word for word in line.split(" ") if word]


@settings(max_examples=50)
@given(corpora(sentences), st.integers(1, 5))
def test_ngram_counter_against_oracle(corpus, order):
    rows = rows_of(_core.NgramCounter(len(corpus[1]), order, "none"), corpus)
    expected = [
        bleu_row(hyp.split(), [ref.split() for ref in refs], order)
        for hyp, refs in segments(corpus)
    ]
    assert rows.tolist() == expected


@settings(max_examples=50)
@given(corpora(), st.integers(1, 6), st.integers(0, 2), st.booleans())
def test_character_counter_against_oracle(corpus, char_order, word_order, whitespace):
    counter = _core.CharacterCounter(len(corpus[1]), char_order, word_order, 2, whitespace, False)
    expected = [
        chrf_row(hyp, refs, char_order, word_order, whitespace=whitespace)
        for hyp, refs in segments(corpus)
    ]
    assert rows_of(counter, corpus).tolist() == expected


@settings(max_examples=50)
@given(corpora(st.lists(st.sampled_from("ab0"), max_size=9).map(" ".join)), st.booleans())
def test_information_counter_against_oracle(corpus, compat):
    rows = rows_of(_core.InformationCounter(len(corpus[1]), 5, "none", compat), corpus)
    all_references = [ref.split() for _, refs in segments(corpus) for ref in refs]
    information = nist_information(all_references, compat=compat)
    expected = [
        nist_row(hyp.split(), [ref.split() for ref in refs], information)
        for hyp, refs in segments(corpus)
    ]
    np.testing.assert_allclose(rows, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("counter", "oracle"),
    [
        (_core.WordEditCounter, wer_row),
        (_core.PositionIndependentEditCounter, per_row),
        (_core.BlockMoveEditCounter, cder_row),
    ],
)
@settings(max_examples=50)
@given(corpus=corpora(sentences))
def test_edit_counters_against_oracles(counter, oracle, corpus):
    expected = [
        oracle(split_white(hyp), [split_white(ref) for ref in refs])
        for hyp, refs in segments(corpus)
    ]
    assert rows_of(counter(len(corpus[1]), "none"), corpus).tolist() == expected


@pytest.mark.parametrize(
    ("counter", "variant"),
    [(_core.ShiftEditCounter, "sacrebleu"), (_core.TercomEditCounter, "tercom")],
)
@settings(max_examples=50)
@given(corpus=corpora(sentences))
def test_shift_counters_against_oracle(counter, variant, corpus):
    expected = [
        ter_row(hyp.split(), [ref.split() for ref in refs], variant)
        for hyp, refs in segments(corpus)
    ]
    assert rows_of(counter(len(corpus[1]), "none"), corpus).tolist() == expected


@pytest.mark.parametrize(
    ("counter", "variant"),
    [(_core.ShiftEditCounter, "sacrebleu"), (_core.TercomEditCounter, "tercom")],
)
@settings(max_examples=8)
@given(
    reference=st.lists(st.integers(0, 300), min_size=60, max_size=72, unique=True),
    cut=st.integers(0, 80),
    dropped=st.integers(0, 30),
)
def test_shifts_of_long_segments_against_oracle(counter, variant, reference, cut, dropped):
    """More than 64 words need several machine words, and distant moves meet the beams.

    The words differ from each other, since the oracle takes long over many candidates.
    """
    ref = [f"w{i}" for i in reference]
    hyp = (ref[cut:] + ref[:cut])[dropped:]
    rows = rows_of(counter(1, "none"), ([" ".join(hyp)], [[" ".join(ref)]]))
    assert rows.tolist() == [ter_row(hyp, [ref], variant)]


# Of two or three words there are many runs that overlap, and ties between them.
few_words = st.lists(st.sampled_from("abc"), max_size=20).map(" ".join)


@settings(max_examples=100)
@given(
    corpus=corpora(few_words | sentences),
    exponent=st.sampled_from([1.0, 1.5, 2.0, 3.0]) | st.floats(1, 20),
)
def test_match_size_counter_against_oracle(corpus, exponent):
    rows = rows_of(_core.MatchSizeCounter(len(corpus[1]), exponent, "none"), corpus)
    expected = [
        gtm_row(hyp.split(), [ref.split() for ref in refs], exponent)
        for hyp, refs in segments(corpus)
    ]
    np.testing.assert_allclose(rows, expected, rtol=1e-12, atol=0)


@settings(max_examples=50)
@given(corpora(sentences), st.data())
def test_rows_follow_their_segments(corpus, data):
    """A hypothesis' row depends on its segment only, not on what was counted before it."""
    hypotheses, references = corpus
    places = data.draw(st.lists(st.integers(0, len(hypotheses) - 1), max_size=8))
    for counter in (
        _core.NgramCounter(len(references), 4, "13a"),
        _core.CharacterCounter(len(references), 6, 2, 2, False, False),
        _core.ShiftEditCounter(len(references), "none"),
        _core.MatchSizeCounter(len(references), 2, "none"),
    ):
        alone = rows_of(counter, corpus)
        chosen = [hypotheses[i] for i in places]
        rows = counter.rows(chosen, np.array(places, dtype=np.int64))
        np.testing.assert_array_equal(rows, alone[places])


class TestMisuse:
    """The core refuses what would read outside its arrays."""

    def counter(self):
        counter = _core.NgramCounter(1, 4, "13a")
        counter.add([["a b", "c"]])
        return counter

    @pytest.mark.parametrize("segment", [-1, 2, 10**12])
    def test_segments_out_of_range(self, segment):
        with pytest.raises(IndexError, match="out of range"):
            self.counter().rows(["a"], np.array([segment]))

    def test_wrong_number_of_segments(self):
        with pytest.raises(ValueError, match="one segment number per text"):
            self.counter().rows(["a", "b"], np.array([0]))

    def test_texts_that_are_not_strings(self):
        with pytest.raises(TypeError):
            self.counter().rows([b"a"], np.array([0]))

    def test_unequal_reference_sets(self):
        with pytest.raises(ValueError, match="unequal"):
            _core.NgramCounter(2, 4, "13a").add([["a"], ["a", "b"]])

    def test_missing_reference_sets(self):
        with pytest.raises(ValueError, match="reference set"):
            _core.NgramCounter(2, 4, "13a").add([["a"]])
        with pytest.raises(ValueError, match="at least one"):
            _core.NgramCounter(0, 4, "13a")

    @pytest.mark.parametrize("exponent", [0.5, 0, -1, float("nan")])
    def test_exponents_below_one(self, exponent):
        with pytest.raises(ValueError, match="at least 1"):
            _core.MatchSizeCounter(1, exponent, "none")

    def test_unknown_scheme(self):
        with pytest.raises(ValueError, match="scheme"):
            _core.tokens(["a"], "14b")

    def test_references_outlive_their_list(self):
        counter = _core.CharacterCounter(1, 6, 0, 2, False, False)
        counter.add([[chr(0x4E00 + i) * 50 for i in range(100)]])
        rows = counter.rows([chr(0x4E00 + i) * 50 for i in range(100)], np.arange(100))
        assert (rows[:, 2] == 50).all()
