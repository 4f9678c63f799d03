"""The oracles that define what sacreBLEU does, against sacreBLEU itself, on made-up text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from oracle.edits import cder_edits, cder_edits_by_search, per_edits, rate, wer_edits, wer_row
from oracle.ngrams import bleu_row, chrf_row
from oracle.ter import ter_edits, ter_row
from oracle.tokens import split_white, tokenize_13a

# The oracles are slow, and a busy machine makes them slower.
UNHURRIED = settings(deadline=None)

# Few words, so that they repeat and blocks of them move.
WORDS = st.lists(st.sampled_from("abcd"), max_size=12)
MORE_WORDS = st.lists(st.sampled_from("abcdefghij"), max_size=30)
REFERENCES = st.lists(WORDS, min_size=1, max_size=3)
PIECES = st.sampled_from(
    [*"ab1.,-'\"()/&[`~@$ \t\n\x1c\u00a0\u2009\u2028é中。😀א", "23", "..", "-\n", "e\u0301"]
    + [f"&{name};" for name in ("amp", "lt", "gt", "quot", "apos")]
    + ["<skipped>"]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=20).map("".join), st.text(max_size=20))
REFERENCE_TEXTS = st.lists(TEXTS, min_size=1, max_size=3)


def sacrebleu_row(metric: Any, hyp: str, refs: list[str]) -> list[float]:
    (row,) = metric._extract_corpus_statistics([hyp], [[ref] for ref in refs])
    return list(row)


@UNHURRIED
@given(TEXTS)
def test_white_space_against_python(text: str) -> None:
    assert split_white(text) == text.split()


@UNHURRIED
@given(TEXTS)
@example("a..b,,c 1.2,3. .5 4-5 -6 a-1 3..4")
@example("&amp;lt; &amp;quot; &apos;")
def test_13a_against_sacrebleu(text: str) -> None:
    assert tokenize_13a(text) == Tokenizer13a()(text).split()


@UNHURRIED
@given(WORDS, REFERENCES, st.integers(1, 5))
def test_bleu_against_sacrebleu(hyp: list[str], refs: list[list[str]], order: int) -> None:
    metric = BLEU(tokenize="none", force=True, max_ngram_order=order)
    expected = sacrebleu_row(metric, " ".join(hyp), [" ".join(ref) for ref in refs])
    assert bleu_row(hyp, refs, order) == expected


@UNHURRIED
@given(
    hyp=TEXTS,
    refs=REFERENCE_TEXTS,
    char_order=st.integers(1, 6),
    word_order=st.integers(0, 2),
    beta=st.integers(1, 3),
    whitespace=st.booleans(),
)
@example(
    hyp="(hi) a. !",
    refs=["(hi) .a !", "hi a"],
    char_order=6,
    word_order=2,
    beta=2,
    whitespace=False,
)
def test_chrf_against_sacrebleu(
    hyp: str, refs: list[str], char_order: int, word_order: int, beta: int, whitespace: bool
) -> None:
    metric = CHRF(char_order=char_order, word_order=word_order, beta=beta, whitespace=whitespace)
    expected = sacrebleu_row(metric, hyp, refs)
    assert chrf_row(hyp, refs, char_order, word_order, beta, whitespace) == expected


@UNHURRIED
@given(WORDS, REFERENCES)
@example([], [[]])
@example(["a"], [[]])
@example([], [["a"], []])
def test_ter_against_sacrebleu(hyp: list[str], refs: list[list[str]]) -> None:
    expected = sacrebleu_row(TER(), " ".join(hyp), [" ".join(ref) for ref in refs])
    assert ter_row(hyp, refs) == expected


@settings(UNHURRIED, max_examples=20)
@given(MORE_WORDS, MORE_WORDS)
def test_ter_of_longer_texts_against_sacrebleu(hyp: list[str], ref: list[str]) -> None:
    assert ter_row(hyp, [ref]) == sacrebleu_row(TER(), " ".join(hyp), [" ".join(ref)])


@settings(UNHURRIED, max_examples=20)
@given(st.permutations([str(number) for number in range(20)]), st.integers(0, 60))
def test_ter_of_unequal_lengths_against_sacrebleu(words: list[str], more: int) -> None:
    """Long against short texts, where sacreBLEU's beam is wider than the diagonal."""
    long = [str(number) for number in range(20 + more)]
    few = words[:2]
    for hyp, ref in ((few, long), (long, few), (words, long)):
        assert ter_row(hyp, [ref]) == sacrebleu_row(TER(), " ".join(hyp), [" ".join(ref)])


def test_ter_gives_up_after_a_thousand_candidates_as_sacrebleu_does() -> None:
    words = [str(number) for number in range(40)]
    hyp, ref = words[20:] + words[:20], words
    found = ter_row(hyp, [ref])
    assert found == sacrebleu_row(TER(), " ".join(hyp), [" ".join(ref)])
    assert found[0] > ter_row(hyp, [ref], variant="tercom")[0]


@UNHURRIED
@given(WORDS, WORDS)
def test_ter_is_at_most_the_edit_distance(hyp: list[str], ref: list[str]) -> None:
    for variant in ("sacrebleu", "tercom"):
        assert ter_edits(hyp, ref, variant).total <= wer_edits(hyp, ref)


@UNHURRIED
@given(WORDS, WORDS)
def test_cder_recursion_against_search(hyp: list[str], ref: list[str]) -> None:
    assert cder_edits(hyp, ref) == cder_edits_by_search(hyp, ref)


@UNHURRIED
@given(WORDS, WORDS)
def test_bounds_of_the_error_rates(hyp: list[str], ref: list[str]) -> None:
    edits = wer_edits(hyp, ref)
    assert abs(len(hyp) - len(ref)) <= per_edits(hyp, ref) <= edits
    assert cder_edits(hyp, ref) <= edits
    assert per_edits(hyp, sorted(hyp)) == 0


@pytest.mark.parametrize(
    ("hyp", "ref", "edits"),
    [
        ("abcd", "cdab", 3),  # jumps: to c, to a, to the end
        ("abc", "abc", 0),
        ("abxyz", "ab", 1),  # one jump passes over any number of words
        ("ab", "abab", 1),  # and may go back
        ("", "ab", 2),
        ("ab", "", 1),
    ],
)
def test_cder_by_hand(hyp: str, ref: str, edits: int) -> None:
    assert cder_edits(list(hyp), list(ref)) == edits


@pytest.mark.parametrize(
    ("hyp", "refs", "row"),
    [
        ("a b", ["a x", "a b c d", "a b"], [0, 2]),
        ("a b", ["a x", "a x"], [1, 2]),
        ("a b", ["x", "a x y z", "a b q r"], [2, 4]),
        ("a", ["", "x y"], [1, 0]),
        ("", ["x", ""], [0, 0]),
    ],
)
def test_the_reference_with_the_lowest_rate_counts(
    hyp: str, refs: list[str], row: list[int]
) -> None:
    assert wer_row(hyp.split(), [ref.split() for ref in refs]) == row


def test_the_rate_of_an_empty_reference() -> None:
    assert [float(rate(0, 0)), float(rate(3, 0)), float(rate(3, 6))] == [0.0, 1.0, 0.5]
