"""Oracles of edit rates by search, by bounds and by hand; kernels are held to sacreBLEU itself."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.edits import cder_edits, cder_edits_by_search, per_edits, rate, wer_edits, wer_row
from oracle.ter import ter_edits

# The oracles are slow, and a busy machine makes them slower.
UNHURRIED = settings(deadline=None)

# Few words, so that they repeat and blocks of them move.
WORDS = st.lists(st.sampled_from("abcd"), max_size=12)


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
