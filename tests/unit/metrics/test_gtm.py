"""GTM: what follows from its definition."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import corpora, tokens
from weigh import Gtm, Outputs, TestSet, UsageError

sentences = tokens.map(" ".join)


def rows_of(metric, corpus):
    hypotheses, references = corpus
    return metric.prepare(TestSet(references)).rows(Outputs(hypotheses))


@given(corpora(sentences))
def test_exponent_1_counts_common_words(corpus):
    """Without a reward for runs, greedy matching is the overlap of two bags of words."""
    hypotheses, references = corpus
    rows = rows_of(Gtm(), corpus)
    for hyp, row, *refs in zip(hypotheses, rows, *references, strict=True):
        pooled = sum((Counter(ref.split()) for ref in refs), Counter())
        overlap = (Counter(hyp.split()) & pooled).total()
        mean = sum(len(ref.split()) for ref in refs) / len(refs)
        assert row.tolist() == pytest.approx([min(overlap, mean), len(hyp.split()), mean])


def test_exponent_1_against_one_reference_is_summed_exactly():
    assert rows_of(Gtm(), (["a b"], [["b a"]])).dtype == np.int64
    assert rows_of(Gtm(exponent=2), (["a b"], [["b a"]])).dtype == np.float64
    assert rows_of(Gtm(), (["a b"], [["b a"], ["c"]])).dtype == np.float64


@given(corpora(sentences), st.floats(1, 10), st.floats(1, 10))
def test_larger_exponents_give_no_larger_scores(corpus, one, other):
    """The runs stay the same, and p-norms fall with p."""
    low, high = sorted((one, other))
    more, less = (rows_of(Gtm(exponent=e), corpus)[:, 0] for e in (low, high))
    assert (less <= more * (1 + 1e-12)).all()


@given(words=st.lists(st.sampled_from("abcde"), min_size=1, max_size=30))
def test_huge_exponents_leave_the_longest_run(words):
    hyp = " ".join([*words, "x", "y"])
    ref = " ".join(["y", *words, "z", "x"])
    [row] = rows_of(Gtm(exponent=1e9), ([hyp], [[ref]]))
    assert row[0] == pytest.approx(len(words), rel=1e-6)


@pytest.mark.parametrize("exponent", [0.5, 0, -2])
def test_exponents_below_one_are_refused(exponent):
    with pytest.raises(UsageError, match=r"exponent=\S+ is too small; give 1 or more"):
        Gtm(exponent=exponent)
