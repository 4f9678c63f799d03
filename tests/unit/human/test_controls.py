"""Bad references are damaged exactly as specified, for every number of words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weigh.errors import InputError
from weigh.human.damage import (
    DAMAGES,
    Unit,
    deleted_length,
    is_damageable,
    replaced_length,
    unit_of,
)
from weigh.human.draws import Draws

# The tables as the specification prints them, up to 20 words.
DELETED = [1, 1, 2, 2, 3, 3, 3, *[4] * 7, *[5] * 5]  # from 2 words
REPLACED = [1, 2, 2, 2, 2, 3, 3, 3, *[4] * 7, *[5] * 5]  # from 1 word
REFERENCES = ["own " * 40, " ".join(f"r{number}" for number in range(60))]


def numbered(size: int) -> str:
    return " ".join(f"w{number}" for number in range(size))


def test_span_lengths() -> None:
    assert [deleted_length(size) for size in range(2, 21)] == DELETED
    assert [replaced_length(size) for size in range(1, 21)] == REPLACED
    for size in range(21, 300):
        assert (deleted_length(size) - 1) * 5 < size <= deleted_length(size) * 5
        assert replaced_length(size) == 6


@pytest.mark.parametrize("size", [*range(2, 45), 100, 101])
def test_deletion_by_number_of_words(size: int) -> None:
    expected = DELETED[size - 2] if size <= 20 else -(-size // 5)
    seen = set()
    for seed in range(60):
        damaged = DAMAGES["crowd-alone"](numbered(size), REFERENCES, 0, "words", Draws(seed))
        left = [int(word[1:]) for word in damaged.split(" ")]
        gone = sorted(set(range(size)) - set(left))
        assert left == sorted(left)
        assert gone == list(range(gone[0], gone[0] + expected))
        if size > 3:
            assert (left[0], left[-1]) == (0, size - 1)
        seen.add(gone[0])
    if size in (2, 3, 4, 5, 6):  # few enough places to see all of them
        inner = 1 if size > 3 else 0
        assert seen == set(range(inner, size - expected - inner + 1))


@pytest.mark.parametrize("size", [*range(1, 45), 100])
def test_replacement_by_number_of_words(size: int) -> None:
    expected = REPLACED[size - 1] if size <= 20 else 6
    seen = set()
    for seed in range(60):
        damaged = DAMAGES["appraise"](numbered(size), REFERENCES, 0, "words", Draws(seed))
        words = damaged.split(" ")
        new = [at for at, word in enumerate(words) if word != f"w{at}"]
        assert len(words) == size
        assert new == list(range(new[0], new[0] + expected))
        first = int(words[new[0]][1:])
        assert [words[at] for at in new] == [f"r{first + step}" for step in range(expected)]
        seen.add(new[0])
    if size <= 6:
        assert seen == set(range(size - expected + 1))


def test_one_word_becomes_another() -> None:
    found = {
        DAMAGES["crowd-alone"]("yes", ["yes", "yes", "yes no"], 0, "words", Draws(seed))
        for seed in range(20)
    }
    assert found == {"no"}


@pytest.mark.parametrize("size", range(1, 60))
def test_characters_are_doubled(size: int) -> None:
    text = "".join(chr(0x4E00 + number) for number in range(size))
    other = "".join(chr(0x6E00 + number) for number in range(80))
    draws = Draws(size)
    replaced = DAMAGES["appraise"](text, [text, other], 0, "characters", draws)
    words = REPLACED[size - 1] if size <= 20 else 6
    assert len(replaced) == size
    assert sum(new != old for new, old in zip(replaced, text, strict=True)) == min(2 * words, size)
    deleted = DAMAGES["crowd-alone"](text, [text, other], 0, "characters", draws)
    if size == 1:
        assert deleted in other
        return
    words = DELETED[size - 2] if size <= 20 else -(-size // 5)
    assert size - len(deleted) == min(2 * words, size - 2 if size > 3 else size - 1)
    if size > 3:
        assert (deleted[0], deleted[-1]) == (text[0], text[-1])


@settings(deadline=None)
@given(
    st.text(min_size=1),
    st.lists(st.text(), max_size=5),
    st.sampled_from(sorted(DAMAGES)),
    st.sampled_from(["words", "characters"]),
    st.integers(0, 2**64 - 1),
)
def test_damage_is_seen_and_repeatable(
    text: str, others: list[str], preset: str, unit: Unit, seed: int
) -> None:
    references = [text, *others, "so many other words stand here that some will always fit " * 3]
    if not is_damageable(text):
        return
    damaged = DAMAGES[preset](text, references, 0, unit, Draws(seed))
    assert damaged.split() != text.split()
    assert damaged == DAMAGES[preset](text, references, 0, unit, Draws(seed))


def test_nothing_to_replace_with() -> None:
    with pytest.raises(InputError, match="no other reference with 2 words in a row to replace"):
        DAMAGES["appraise"]("a b c", ["a b c", "one", ""], 0, "words", Draws(0))


def test_units() -> None:
    assert unit_of(["今日は雨です", "NHK"]) == "characters"
    assert unit_of(["สวัสดีครับ"]) == "characters"
    assert unit_of(["안녕하세요 여러분", "Привет"]) == "words"
    assert unit_of(["", "123"]) == "words"
