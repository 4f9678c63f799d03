from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.tuning.lists import problems
from unit.tuning.written import make_list, problem_of, random_list
from weigh.metrics.bleu import Bleu
from weigh.metrics.ter import Ter
from weigh.tuning.nbest import NBest, first_maxima
from weigh.tuning.oracle import Candidates, Together, extremes, together_best
from weigh.tuning.problem import Problem
from weigh.types import Metric, TestSet


@given(seed=st.integers(0, 2**32), higher=st.booleans())
def test_extremes_against_all_choices(seed: int, higher: bool) -> None:
    problem = problem_of(random_list(seed, segments=5, features=1, longest=4), higher)
    rows, metric = problem.rows, problem.metric
    parts = itertools.pairwise(problem.nbest.offsets.tolist())
    choices = itertools.product(*(range(first, last) for first, last in parts))
    scores = [metric.score(rows[list(choice)].sum(axis=0)) for choice in choices]
    found = extremes(problem)
    # A ratio of sums has no local optima but the global one: whoever is above (below) the best
    # ratio can only lower (raise) it.
    top, bottom = (max(scores), min(scores)) if higher else (min(scores), max(scores))
    assert found.oracle == pytest.approx(top)
    assert found.lowest == pytest.approx(bottom)
    assert metric.score(rows[found.best].sum(axis=0)) == found.oracle
    assert metric.score(rows[found.worst].sum(axis=0)) == found.lowest


def test_first_and_average() -> None:
    numbers = np.array([[1, 2], [3, 2], [5, 4]])
    found = extremes(problem_of(make_list([2, 1], numbers, np.zeros((3, 1)))))
    assert found.first == pytest.approx((1 + 5) / (2 + 4))
    assert found.average == pytest.approx(((1 + 3) / 2 + 5) / (2 + 4))


def as_blocks(problem: Problem, sentences: int) -> list[Candidates]:
    """The candidates in blocks of so many sentences."""
    nbest, rows = problem.nbest, problem.rows[problem.nbest.hypotheses]
    blocks = []
    for start in range(0, len(nbest.ids), sentences):
        starts = nbest.offsets[start : start + sentences + 1]
        own = rows[starts[0] : starts[-1]]
        blocks.append(Candidates(starts - starts[0], own))
    return blocks


def exchanges(problem: Problem, together: Together) -> list[list[float]]:
    """By definition: the score of the whole with each candidate in its sentence's place."""
    nbest, rows = problem.nbest, problem.rows[problem.nbest.hypotheses]
    own = nbest.offsets[:-1] + together.places
    found = []
    for sentence, (first, last) in enumerate(itertools.pairwise(nbest.offsets.tolist())):
        scores = []
        for candidate in range(first, last):
            chosen = own.copy()
            chosen[sentence] = candidate
            scores.append(float(problem.metric.score(rows[chosen].sum(axis=0))))
        found.append(scores)
    return found


@given(
    made=problems(max_segments=4),
    metric=st.sampled_from([Bleu(tokenize="none"), Ter()]),
    sentences=st.integers(1, 4),
)
def test_what_is_best_together_by_definition(
    made: tuple[NBest, TestSet], metric: Metric, sentences: int
) -> None:
    nbest, test_set = made
    problem = Problem.of(nbest, test_set, metric)
    blocks = as_blocks(problem, sentences)
    together = together_best(blocks, metric, problem.sign)
    assert together.score == problem.score_of(nbest.offsets[:-1] + together.places)
    # Never below the first candidates, nor below each sentence's best by itself.
    alone = problem.sign * metric.segment_scores(problem.rows)[nbest.hypotheses]
    for start in (nbest.offsets[:-1], first_maxima(alone, nbest.offsets)):
        assert problem.sign * together.score >= problem.sign * problem.score_of(start)
    # No exchange of one candidate helps, and those that change nothing are equally good.
    scores = exchanges(problem, together)
    for listed in scores:
        best = max(problem.sign * score for score in listed)
        assert best == pytest.approx(problem.sign * together.score, rel=1e-12)
    marks, start = [], 0
    for block in blocks:
        marks.append(together.equals(block, start, metric))
        start += block.sentences
    chosen = np.repeat(alone[nbest.offsets[:-1] + together.places], np.diff(nbest.offsets))
    equal = [
        score == pytest.approx(together.score, rel=1e-12) for listed in scores for score in listed
    ]
    expected = (np.array(equal) & (alone == chosen)).tolist()
    assert np.concatenate(marks).tolist() == expected


def test_best_together_against_all_choices() -> None:
    """BLEU has local optima, but of 60 small lists nearly all end at the best choice of all."""
    generator = np.random.default_rng(5)
    found = []
    for _ in range(60):
        counts = generator.integers(0, 6, (12, 4))
        matches = np.sort(counts, axis=1)[:, ::-1]
        totals = matches[:, :1] + generator.integers(0, 4, (12, 1)) + np.array([3, 2, 1, 0])
        length = np.stack([totals[:, 0], generator.integers(4, 12, 12)], axis=1)
        rows = np.hstack([length, matches, totals]).astype(np.int64)
        block = Candidates(np.arange(0, 13, 3), rows)
        together = together_best([block], Bleu(), 1.0)
        every = itertools.product(*(range(at, at + 3) for at in range(0, 12, 3)))
        best = max(float(Bleu().score(rows[list(choice)].sum(axis=0))) for choice in every)
        assert together.score <= best * (1 + 1e-12)
        found.append(together.score >= best * (1 - 1e-12))
    assert sum(found) >= 54


def test_candidates_differ_even_where_the_corpus_has_no_score() -> None:
    """No four words stand anywhere, so BLEU is 0 whatever is chosen; each sentence still knows."""
    rows = np.array([[1, 2, 1, 0, 0, 0, 1, 0, 0, 0], [2, 2, 2, 1, 0, 0, 2, 1, 0, 0]] * 2)
    block = Candidates(np.array([0, 2, 4]), rows)
    together = together_best([block], Bleu(), 1.0)
    assert together.score == 0
    assert together.equals(block, 0, Bleu()).tolist() == [False, True] * 2
