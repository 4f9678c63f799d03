"""The corpus that the package generates: the same everywhere, hard enough, and parsed."""

from __future__ import annotations

import pytest

from weigh.read.trees import parse_brackets
from weigh_lab.translator.generated import (
    LANGUAGES,
    generated_corpus,
    generated_orders,
    generated_parses,
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_smaller_corpus_is_the_beginning_of_a_larger_one(language: str) -> None:
    sources, targets = generated_corpus(language, 200)
    assert generated_corpus(language, 50) == (sources[:50], targets[:50])
    assert generated_corpus(language, 200, seed=2)[1] != targets
    assert len(set(sources)) > 190


@pytest.mark.parametrize("language", LANGUAGES)
def test_parses_are_those_of_the_sentences(language: str) -> None:
    sources, _ = generated_corpus(language, 100)
    parses = [parse_brackets(line, "here") for line in generated_parses(language, 100)]
    assert [" ".join(parse.words) for parse in parses if parse] == sources


def test_other_languages_are_refused() -> None:
    with pytest.raises(ValueError, match="'klingon' is none of verb-last"):
        generated_corpus("klingon", 5)


def test_orders_of_english_move_whole_parts() -> None:
    _, targets = generated_corpus("verb-last", 600)
    orders = generated_orders(600)
    usual = 0
    for text, ways in zip(targets, orders, strict=True):
        places = tuple(range(len(text.split())))
        assert all(sorted(way) == [*places] for way in ways)
        assert len(set(ways)) == len(ways) <= 16
        assert places in ways  # the reference itself
        usual += len(ways) > 1 and ways[0] == places
    free = sum(len(ways) > 1 for ways in orders)
    assert free > 300
    assert 0.5 < usual / free < 0.7
    adverb = next(at for at, text in enumerate(targets) if text.startswith("yesterday"))
    words = targets[adverb].split()
    said = {" ".join(words[place] for place in way) for way in orders[adverb]}
    assert " ".join([*words[1:], words[0]]) in said
