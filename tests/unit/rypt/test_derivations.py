"""From derivations to word links."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rypt_cases import RYPT, sources
from shared_data import lines, needs_shared
from weigh.errors import InputError
from weigh.read.alignment import Phrase, link_line, parse_derivation, words_of
from weigh.rypt.derivations import (
    Pattern,
    SentencePair,
    check_derivation,
    find_links,
    phrase_line,
    read_corpus,
    word_links,
)


def test_words_of_a_phrase_are_linked_each_with_each_if_nothing_is_known() -> None:
    derivation = parse_derivation("(S{0-4} a (X{1-2} b) (X{3-4} c d))", "x")
    found = word_links(derivation)
    # b and 1 are one word each; 3 has two, and a has 0 and 2
    assert found.links == ((1, 1), (3, 2), (3, 3), (0, 0), (2, 0))
    assert found.crossed == 2


def phrases_of(pair: SentencePair) -> list[tuple[Pattern, tuple]]:
    """All consistent phrases of up to 3 words on either side, leftmost first, with their links."""
    from itertools import combinations

    def places(size: int) -> list[tuple[int, ...]]:
        return sorted(own for length in (1, 2, 3) for own in combinations(range(size), length))

    found = []
    for own_sources in places(len(pair.sources)):
        for own_targets in places(len(pair.targets)):
            within = [(s, t) for s, t in pair.links if s in own_sources and t in own_targets]
            touching = [(s, t) for s, t in pair.links if s in own_sources or t in own_targets]
            if within and within == touching:
                pattern = Pattern.of(Phrase(own_sources, own_targets), pair.sources, pair.targets)
                places_within = sorted(
                    (own_sources.index(s), own_targets.index(t)) for s, t in within
                )
                found.append((pattern, tuple(places_within)))
    return found


@st.composite
def sentence_pairs(draw) -> SentencePair:
    sources = draw(st.lists(st.sampled_from("ab"), min_size=1, max_size=5))
    targets = draw(st.lists(st.sampled_from("xy"), min_size=1, max_size=5))
    link = st.tuples(st.integers(0, len(sources) - 1), st.integers(0, len(targets) - 1))
    return SentencePair(sources, targets, draw(st.lists(link, unique=True, max_size=6)))


@given(st.lists(sentence_pairs(), min_size=1, max_size=3))
def test_the_first_consistent_occurrence(corpus) -> None:
    expected: dict[Pattern, tuple] = {}
    for pair in corpus:
        for pattern, links in phrases_of(pair):
            expected.setdefault(pattern, links)
    others = [Pattern((("a",), ("b",)), (("x", "x"),)), Pattern((("c",),), (("x",),))]
    assert find_links([*expected, *others], corpus) == expected | {
        pattern: expected[pattern] for pattern in others if pattern in expected
    }


def test_a_search_that_would_not_end_is_given_up() -> None:
    pattern = Pattern((("a",),) * 6, (("x",),) * 6)
    assert find_links([pattern], [SentencePair(["a"] * 200, ["x"] * 200, [])]) == {}


def test_a_corpus_of_three_files(tmp_path) -> None:
    for name, text in (("s", "a b\nc\n"), ("t", "x\ny z\n"), ("a", "0-0 1-0\n0-1\n")):
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / name) for name in "sta"]
    assert list(read_corpus(*paths)) == [
        SentencePair(["a", "b"], ["x"], [(0, 0), (1, 0)]),
        SentencePair(["c"], ["y", "z"], [(0, 1)]),
    ]
    (tmp_path / "t").write_text("x\n")
    with pytest.raises(InputError, match=r"t: 1 line, but the other files of the corpus have more"):
        list(read_corpus(*paths))
    (tmp_path / "t").write_text("x\ny\n")
    with pytest.raises(InputError, match=r"a: line 2: the link 0-1, but the output has 1 word;"):
        list(read_corpus(*paths))


def test_a_derivation_of_a_longer_sentence() -> None:
    derivation = parse_derivation("(ROOT{0-4} (S{0-3} a b))", "x")
    check_derivation(derivation, ["a"] * 3, "x")
    with pytest.raises(InputError, match=r"^x: the derivation covers source words up to 3, but"):
        check_derivation(derivation, ["a"] * 2, "x")


@needs_shared
def test_all_phrases_of_the_authors_are_reproduced() -> None:
    candidates = lines(RYPT / "nbest.out.ZMERT.it6.rand10sen.trees.gz")
    theirs = lines(RYPT / "out_SrcCand.align.rand10sen.gz")
    assert len(candidates) == 2174
    for number, line in enumerate(candidates):
        sentence, tree, *_ = line.split(" ||| ")
        derivation = parse_derivation(tree, "x")
        check_derivation(derivation, words_of(sources()[int(sentence)]), "x")
        assert phrase_line(derivation.phrases) == theirs[2 * number]
        # Their word links are among ours, since those of a corpus are a part of all pairs.
        ours = word_links(derivation)
        assert set(theirs[2 * number + 1].split()) <= set(link_line(ours.links).split())
        single = [phrase for phrase in derivation.phrases if len(phrase[0]) == len(phrase[1]) == 1]
        assert ours.crossed == len(derivation.phrases) - len(single)
