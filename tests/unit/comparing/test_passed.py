"""Pass or fail: McNemar's exact test, pass@k and means, each against a plain computation."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

import weigh

passed = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=60)


def mcnemar(answers: list[tuple[bool, bool]]) -> float:
    """Return the exact p-value: is a fair coin tossed for each item that only one passes?"""
    first = sum(a and not b for a, b in answers)
    second = sum(b and not a for a, b in answers)
    return float(binomtest(first, first + second).pvalue) if first + second else 1.0


@settings(deadline=None, max_examples=40)
@given(passed.filter(lambda answers: len(answers) <= 12))
def test_all_exchanges_are_mcnemars_exact_test(answers: list[tuple[bool, bool]]) -> None:
    a, b = zip(*answers, strict=True)
    pair = weigh.compare({"A": a, "B": b}, trials=5000)["A", "B"]
    assert pair.exact
    assert pair.p_value == pytest.approx(mcnemar(answers), abs=1e-12)
    assert pair.wins == sum(x and not y for x, y in answers)
    assert pair.losses == sum(y and not x for x, y in answers)


@settings(deadline=None, max_examples=40, derandomize=True)  # 1 in 16,000 lies further off
@given(passed.filter(lambda answers: len(answers) > 12), st.integers(0, 2**32))
def test_random_exchanges_are_near_mcnemars_exact_test(
    answers: list[tuple[bool, bool]], seed: int
) -> None:
    a, b = zip(*answers, strict=True)
    trials = 2000
    pair = weigh.compare({"A": a, "B": b}, trials=trials, seed=seed)["A", "B"]
    exact = mcnemar(answers)
    error = math.sqrt(exact * (1 - exact) / trials)
    assert pair.p_value is not None
    # With the plus one, p may be off by 1/(B + 1) beside the error of the trials.
    assert abs(pair.p_value - exact) <= 4 * error + 2 / (trials + 1)


def rows(attempts: np.ndarray) -> dict[str, list[object]]:
    """Return systems × runs × items as a long table."""
    places = np.argwhere(np.ones(attempts.shape, bool))
    return {
        "system": [f"s{system}" for system, _, _ in places],
        "run": [int(run) for _, run, _ in places],
        "item": [f"i{item}" for _, _, item in places],
        "score": attempts.reshape(-1).tolist(),
    }


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 6), st.integers(0, 1000))
def test_pass_at_k_is_the_share_of_subsets_with_a_success(runs: int, seed: int) -> None:
    pd = pytest.importorskip("pandas")
    attempts = np.random.default_rng(seed).random((2, runs, 5)) < 0.4
    ks = range(1, runs + 1)
    found = weigh.score(pd.DataFrame(rows(attempts)), pass_at=list(ks), segments=True)
    by_name = {(score.metric, score.system): score for score in found}
    for k in ks:
        for system in range(2):
            score = by_name[f"pass@{k}", f"s{system}"]
            wanted = [
                np.mean([own[list(some)].any() for some in combinations(range(runs), k)])
                for own in attempts[system].T
            ]
            np.testing.assert_allclose(score.segments, wanted, atol=1e-12)
            assert score.score == pytest.approx(np.mean(wanted), abs=1e-12)


def test_pass_at_1_is_the_mean_of_runs() -> None:
    pd = pytest.importorskip("pandas")
    attempts = np.random.default_rng(5).random((2, 4, 30)) < 0.4
    table = pd.DataFrame(rows(attempts))
    pair = weigh.compare(table, trials=50)["s0", "s1"]
    at_1 = weigh.compare(table, pass_at=1, trials=50)["s0", "s1"]
    assert at_1.difference == pytest.approx(pair.difference, abs=1e-12)
    assert at_1.p_value == pair.p_value


@pytest.mark.parametrize(
    ("k", "said"),
    [
        (4, "needs at least 4 runs of every item, but s0 has 3 of item"),
        (0, "give a k of 1 or more"),
    ],
)
def test_k_must_fit_the_runs(k: int, said: str) -> None:
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(rows(np.ones((2, 3, 4), bool)))
    with pytest.raises(weigh.UsageError, match=f"pass@{k}.*{said}"):
        weigh.score(table, pass_at=k)


def test_pass_at_k_counts_successes_only() -> None:
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(rows(np.full((2, 3, 4), 0.5)))
    with pytest.raises(weigh.InputError, match="scores other than 0 and 1"):
        weigh.score(table, pass_at=2)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(1, 6), min_size=2, max_size=4), st.integers(0, 1000))
def test_micro_and_macro_means(sizes: list[int], seed: int) -> None:
    scores = np.random.default_rng(seed).random((2, sum(sizes)))
    labels = [f"d{at}" for at, size in enumerate(sizes) for _ in range(size)]
    result = weigh.compare({"A": scores[0], "B": scores[1]}, slices=labels, trials=5)
    parts = np.split(scores, np.cumsum(sizes)[:-1], axis=1)
    wanted = {None: scores.mean(axis=1), "(macro mean)": np.mean([p.mean(1) for p in parts], 0)}
    wanted |= {f"d{at}": part.mean(axis=1) for at, part in enumerate(parts)}
    for score in result.scores:
        assert score.score == pytest.approx(wanted[score.slice]["AB".index(score.system)])
