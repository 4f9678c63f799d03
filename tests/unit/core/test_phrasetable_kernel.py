"""Phrase extraction against all pairs of spans, and lexical weights against their formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import phrasetable as oracle
from weigh_lab import _translator


def rows(sentences):
    words = np.array([word for sentence in sentences for word in sentence], np.int32)
    return words, np.cumsum([0, *map(len, sentences)]).astype(np.int64)


def split(words, offsets):
    assert offsets[0] == 0
    assert offsets[-1] == len(words)
    return [tuple(part) for part in np.split(words, offsets[1:-1])] if len(offsets) > 1 else []


def extracted(corpus, longest):
    links, offsets = rows([sum(sorted(links), ()) for _, _, links in corpus])
    return _translator.extract_phrases(
        *rows([source for source, _, _ in corpus]),
        *rows([target for _, target, _ in corpus]),
        links,
        offsets // 2,
        longest,
    )


@st.composite
def corpora(draw):
    """Few words, so that pairs repeat with other alignments and other neighbours."""
    corpus = []
    for _ in range(draw(st.integers(0, 4))):
        sizes = draw(st.tuples(st.integers(0, 6), st.integers(0, 6)))
        source, target = (
            tuple(draw(st.lists(st.integers(1, 2), min_size=size, max_size=size))) for size in sizes
        )
        link = st.tuples(st.integers(0, sizes[0] - 1), st.integers(0, sizes[1] - 1))
        links = draw(st.sets(link, max_size=7)) if all(sizes) else set()
        corpus.append((source, target, links))
    return corpus


@settings(max_examples=80)
@given(corpora(), st.integers(1, 7))
def test_phrases_against_definition(corpus, longest):
    sources, targets, alignments, numbers, weights = extracted(corpus, longest)
    sources, targets, alignments = split(*sources), split(*targets), split(*alignments)
    for phrases in (sources, targets, alignments):
        assert len(set(phrases)) == len(phrases)
    numbers, weights = numbers.reshape(-1, 10), weights.reshape(-1, 2)
    assert numbers[:, :2].tolist() == sorted(numbers[:, :2].tolist())

    expected = oracle.phrase_pairs(corpus, longest)
    assert {(sources[row[0]], targets[row[1]]) for row in numbers} == set(expected)
    assert len(numbers) == len(expected) == len(weights)
    of_targets = oracle.LexicalWeights(corpus)
    of_sources = oracle.LexicalWeights(oracle.turned(corpus))
    for row, lexical in zip(numbers.tolist(), weights, strict=True):
        source, target = sources[row[0]], targets[row[1]]
        pair = expected[source, target]
        links = tuple(divmod(int(link), 256) for link in alignments[row[2]])
        assert row[3] == pair.alignments.total()
        assert pair.alignments[links] == max(pair.alignments.values())
        assert (row[4:7], row[7:]) == (pair.before, pair.after)
        assert lexical[0] == pytest.approx(of_targets.weight(source, target, links), rel=1e-12)
        turned = tuple((t, s) for s, t in links)
        assert lexical[1] == pytest.approx(of_sources.weight(target, source, turned), rel=1e-12)


def test_the_longest_phrases():
    size = 256
    words = tuple(range(1, size + 1))
    corpus = [(words, words, {(at, at) for at in range(size)})]
    for longest in (1, 200):
        sources, _, alignments, numbers, weights = extracted(corpus, longest)
        assert max(map(len, split(*sources))) == longest
        assert len(numbers) == 10 * sum(size - length + 1 for length in range(1, longest + 1))
        assert (weights == 1).all()
        assert max(split(*alignments), key=len)[-1] == (longest - 1) * 257
