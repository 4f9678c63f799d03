"""Strengths with ties and the order shown: by other programs, by definition, and a known truth."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weigh.stats.bradley_terry import Duels, connected_groups, contrast_of, fit_strengths
from weigh.stats.crossed import crossed_spread


def duels_of(rows, systems, *, ordered=False):
    """Rows are first, second, outcome."""
    a, b, outcome = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Duels(systems, a, b, outcome, np.full(a.size, ordered))


def of_counts(table, *, ordered=False):
    """Cells are first, second: how often the first won, neither, the second."""
    rows = []
    for (a, b), counts in table.items():
        for outcome, count in zip((1, 0, -1), counts, strict=True):
            rows += [(a, b, outcome)] * count
    return duels_of(rows, 1 + max(max(pair) for pair in table), ordered=ordered)


FOUR = {
    (0, 1): (12, 5, 7),
    (1, 2): (9, 3, 11),
    (0, 2): (14, 2, 6),
    (2, 3): (8, 6, 8),
    (0, 3): (10, 4, 5),
}
THREE = {(0, 1): (1, 1, 2), (1, 2): (1, 0, 1), (0, 2): (3, 0, 1)}


# Computed by evalica 0.4.2 (newman, solver pyo3, tolerance 1e-15, limit 1,000,000), in whose model
# ties have the weight 2v: the logarithms of its scores less their mean, and 2v.
@pytest.mark.parametrize(
    ("table", "strengths", "tie"),
    [
        (
            FOUR,
            [0.524967057223, -0.193945113783, -0.172910289828, -0.158111653612],
            0.460440850108,
        ),
        (
            THREE,
            [0.19461343601, 0.338755862932, -0.533369298942],
            0.23242334329,
        ),
    ],
)
def test_strengths_and_ties_are_those_of_evalica(table, strengths, tie):
    found = fit_strengths(of_counts(table))
    np.testing.assert_allclose(found.log_strengths, strengths, atol=1e-10)
    assert found.tie == pytest.approx(tie, abs=1e-10)
    assert not found.phantom
    assert found.position is None


def test_evalica_agrees_on_random_tables():
    evalica = pytest.importorskip("evalica")
    outcomes = {1: evalica.Winner.X, 0: evalica.Winner.Draw, -1: evalica.Winner.Y}
    draws = np.random.default_rng(7)
    for systems in (3, 8):
        rows = [
            (*draws.choice(systems, 2, replace=False), draws.choice([1, 1, 0, -1]))
            for _ in range(150)
        ]
        theirs = evalica.newman(
            [f"{a}" for a, _, _ in rows],
            [f"{b}" for _, b, _ in rows],
            [outcomes[int(outcome)] for _, _, outcome in rows],
            tolerance=1e-14,
            limit=1_000_000,
        )
        scores = np.log([theirs.scores[f"{at}"] for at in range(systems)])
        found = fit_strengths(duels_of(rows, systems))
        np.testing.assert_allclose(found.log_strengths, scores - scores.mean(), atol=1e-8)
        assert found.tie == pytest.approx(2 * theirs.v, abs=1e-8)


def log_likelihood(x, duels, *, ties, position, phantom=False):
    """By the definition, in plain steps."""
    total = 0.0
    k = duels.systems
    nu = np.exp(x[k]) if ties else 0.0
    for a, b, outcome, ordered in zip(duels.a, duels.b, duels.outcome, duels.ordered, strict=True):
        d = x[a] - x[b] + (x[-1] if position and ordered else 0.0)
        weights = {1: np.exp(d / 2), 0: nu, -1: np.exp(-d / 2)}
        total += np.log(weights[int(outcome)] / sum(weights.values()))
    if phantom:
        for theta in x[:k]:
            total += (np.log(1 / (1 + np.exp(-theta))) + np.log(1 / (1 + np.exp(theta)))) / 2
    return total


def maximum(duels, *, ties, position, phantom=False):
    from scipy.optimize import minimize

    k = duels.systems
    sure = 0 if phantom else 1  # something has to hold the mean

    def cost(x):
        value = log_likelihood(x, duels, ties=ties, position=position, phantom=phantom)
        return -value + sure * x[:k].sum() ** 2

    found = minimize(cost, np.zeros(k + ties + position), method="BFGS", options={"gtol": 1e-9})
    return found.x


TWO_ORDERS = {(0, 1): (6, 2, 3), (1, 0): (4, 1, 4), (1, 2): (5, 0, 2), (2, 0): (3, 2, 6)}


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("ties", [True, False])
def test_no_parameters_are_likelier(ordered, ties):
    table = {pair: (w, t if ties else 0, lost) for pair, (w, t, lost) in TWO_ORDERS.items()}
    duels = of_counts(table, ordered=ordered)
    found = fit_strengths(duels)
    x = maximum(duels, ties=ties, position=ordered)
    np.testing.assert_allclose(found.log_strengths, x[:3] - x[:3].mean(), atol=1e-6)
    if ties:
        assert found.tie == pytest.approx(np.exp(x[3]), abs=1e-6)
    else:
        assert found.tie == 0
    assert (found.position is None) == (not ordered)
    if found.position is not None:
        assert found.position == pytest.approx(x[-1], abs=1e-6)
    # The optimizer stops at slopes of 1e-9; at ours they are smaller still.
    exact = [*found.log_strengths, *([np.log(found.tie)] if ties else [])]
    exact = np.array([*exact, *([found.position] if ordered else [])])
    for at in range(exact.size):
        step = np.zeros(exact.size)
        step[at] = 1e-5
        up, down = (
            log_likelihood(exact + way * step, duels, ties=ties, position=ordered)
            for way in (1, -1)
        )
        assert abs(up - down) / 2e-5 < 1e-8


def test_a_system_that_always_wins_is_unbounded_and_held_by_a_phantom():
    duels = of_counts({(0, 1): (6, 0, 0), (1, 2): (3, 1, 2), (0, 2): (5, 0, 0)})
    found = fit_strengths(duels)
    assert found.phantom
    assert found.unbounded == ("above", "", "")
    x = maximum(duels, ties=True, position=False, phantom=True)
    # The mean of those that are bounded is 0.
    np.testing.assert_allclose(found.log_strengths, x[:3] - x[1:3].mean(), atol=1e-6)
    assert found.tie == pytest.approx(np.exp(x[3]), abs=1e-6)


def test_who_always_wins_changes_nothing_for_the_others():
    """The phantom's pull is small beside many answers, and the mean is that of the others."""
    many = {pair: tuple(100 * count for count in counts) for pair, counts in THREE.items()}
    alone = fit_strengths(of_counts(many))
    beaten = fit_strengths(of_counts({**many, (3, 0): (60, 0, 0), (3, 2): (50, 0, 0)}))
    assert beaten.unbounded == ("", "", "", "above")
    np.testing.assert_allclose(beaten.log_strengths[:3], alone.log_strengths, atol=0.02)
    size = sum(sum(counts) for counts in many.values())
    first, second = (
        each.spreads(None, np.arange(each.duels.a.size)).of(contrast_of(each.duels.systems, 0))
        for each in (alone, beaten)
    )
    assert second.variance == pytest.approx(first.variance, rel=0.05)
    assert first.freedom == size - 1


@pytest.mark.parametrize(
    ("table", "unbounded"),
    [
        ({(0, 1): (3, 1, 1), (1, 2): (2, 0, 0), (0, 2): (1, 0, 0)}, ("", "", "below")),
        ({(0, 1): (3, 0, 0), (1, 2): (2, 0, 0)}, ("above", "both", "below")),
        ({(0, 1): (3, 0, 0)}, ("above", "below")),
        # Wins and ties without a loss: both can grow.
        ({(0, 1): (3, 1, 0)}, ("both", "both")),
        ({(0, 1): (3, 1, 1), (2, 1): (1, 0, 0), (3, 0): (1, 0, 0)}, ("", "", "above", "above")),
        # Two that beat one and did not meet, nor does the pair in the middle say anything of them.
        (
            {(0, 1): (3, 0, 1), (0, 2): (2, 0, 0), (3, 2): (1, 0, 0)},
            ("", "", "below", "both"),
        ),
        # Ties and distances grow together: 1 beats 0, and 2 ties with both.
        ({(1, 0): (2, 0, 0), (0, 2): (0, 1, 0), (1, 2): (0, 1, 0)}, ("both",) * 3),
    ],
)
def test_which_strengths_have_no_bound(table, unbounded):
    found = fit_strengths(of_counts(table))
    assert found.unbounded == unbounded
    assert found.phantom
    assert np.abs(found.log_strengths).max() < 20


def test_without_ties_and_with_nothing_else():
    found = fit_strengths(of_counts({(0, 1): (0, 4, 0), (1, 2): (0, 3, 0)}))
    assert found.tie == np.inf
    assert found.log_strengths.tolist() == [0, 0, 0]
    assert not any(found.unbounded)


@pytest.mark.parametrize(
    "table",
    [
        {(0, 1): (5, 1, 4)},  # always in the same order
        {(0, 1): (5, 1, 4), (1, 2): (3, 0, 2)},
        {(0, 1): (5, 0, 0), (1, 0): (5, 0, 0)},  # the first always wins
        {(0, 1): (5, 2, 0), (1, 0): (5, 1, 0)},
    ],
)
def test_a_position_effect_that_cannot_be_told_is_left_out(table):
    found = fit_strengths(of_counts(table, ordered=True))
    assert found.position is None
    assert found.why_no_position


def test_parts_that_nobody_compared():
    assert connected_groups(of_counts({(0, 2): (1, 0, 0), (1, 3): (0, 1, 1)})) == [[0, 2], [1, 3]]
    assert connected_groups(of_counts(FOUR)) == [[0, 1, 2, 3]]


def influences(found, contrast, *, ties, position):
    """What each answer adds to a sum of strengths: slopes by differences, times the inverse."""
    duels, k = found.duels, found.duels.systems
    x = np.array(
        [
            *found.log_strengths,
            *([np.log(found.tie)] if ties else []),
            *([found.position] if position else []),
        ]
    )

    def slopes(x):
        result = np.empty((duels.a.size, x.size))
        for at in range(duels.a.size):
            one = Duels(
                k,
                *(column[at : at + 1] for column in (duels.a, duels.b, duels.outcome)),
                duels.ordered[at : at + 1],
            )
            for p in range(x.size):
                step = np.zeros(x.size)
                step[p] = 1e-4
                up, down = (
                    log_likelihood(x + way * step, one, ties=ties, position=position)
                    for way in (1, -1)
                )
                result[at, p] = (up - down) / 2e-4
        return result

    information = np.empty((x.size, x.size))
    for p in range(x.size):
        step = np.zeros(x.size)
        step[p] = 1e-4
        information[p] = -(slopes(x + step).sum(axis=0) - slopes(x - step).sum(axis=0)) / 2e-4
    weights = np.zeros(x.size)
    weights[:k] = contrast[:k]
    if position:
        weights[-1] = contrast[-1]
    return slopes(x) @ np.linalg.pinv(information, rcond=1e-6) @ weights


def test_spreads_are_those_of_influences():
    draws = np.random.default_rng(3)
    rows = [(*draws.permutation(3)[:2], draws.choice([1, 0, -1])) for _ in range(60)]
    duels = duels_of(rows, 3, ordered=True)
    judges, segments = np.arange(60) % 4, np.arange(60) // 6
    found = fit_strengths(duels)
    spreads = found.spreads(judges, segments)
    for contrast in (contrast_of(4, 0, 2), contrast_of(4, 1), contrast_of(4, 3)):
        wanted = contrast.copy()
        if contrast[:3].sum():  # a strength is told less the mean of all
            wanted[:3] -= 1 / 3
        by_answer = influences(found, wanted, ties=True, position=True)
        expected = crossed_spread(by_answer, judges.tolist(), segments.tolist())
        np.testing.assert_allclose(spreads.of(contrast), expected, rtol=1e-4)


def test_without_judges_segments_alone_vary():
    duels = of_counts(FOUR)
    found = fit_strengths(duels)
    alone = found.spreads(None, np.arange(duels.a.size))
    assert not alone.crossed
    spread = alone.of(contrast_of(4, 0, 1))
    assert spread.freedom == duels.a.size - 1
    # Answers that are independent vary as the model says.
    model = found.model[0, 0] + found.model[1, 1] - 2 * found.model[0, 1]
    assert spread.variance == pytest.approx(model, rel=0.2)
    two = found.spreads(np.arange(duels.a.size) % 2, np.arange(duels.a.size))
    assert not two.crossed
    assert found.spreads(None, np.zeros(duels.a.size, np.int64)).of(contrast_of(4, 0, 1)) is None


@given(st.lists(st.tuples(st.permutations(range(4)), st.sampled_from([1, 0, -1])), min_size=1))
def test_whatever_is_answered_gives_strengths_or_groups(drawn):
    rows = [(order[0], order[1], outcome) for order, outcome in drawn]
    duels = duels_of(rows, 4, ordered=True)
    if len(connected_groups(duels)) > 1:
        return
    found = fit_strengths(duels)
    assert np.isfinite(found.log_strengths).all()
    held = np.array([not word for word in found.unbounded])
    assert abs(found.log_strengths[held if held.any() else ...].sum()) < 1e-9
    spread = found.spreads(None, np.arange(len(rows)))
    if len(rows) > 1:
        assert spread.of(contrast_of(found.bread.shape[0], 0, 1)).variance >= 0


def simulated(truth, judges, segments, draws, *, taste=0.0):
    """Everybody compares every pair on every segment; `taste` is that of judges and segments."""
    k = len(truth)
    design = [
        (judge, segment, *pair)
        for judge in range(judges)
        for segment in range(segments)
        for pair in combinations(range(k), 2)
    ]
    judge, segment, a, b = np.array(design).T
    swap = draws.random(a.size) < 0.5
    a, b = np.where(swap, b, a), np.where(swap, a, b)
    liked = np.asarray(truth) + draws.normal(0, taste, (judges, k))[judge]
    liked = liked + draws.normal(0, taste, (segments, k))[segment]
    every = np.arange(a.size)
    d = liked[every, a] - liked[every, b]
    weights = np.array([np.exp(-d / 2), np.full(a.size, 0.5), np.exp(d / 2)])
    outcome = (draws.random(a.size) * weights.sum(axis=0) > weights.cumsum(axis=0)).sum(axis=0) - 1
    found = fit_strengths(Duels(k, a, b, outcome, np.ones(a.size, dtype=bool)))
    return found, found.spreads(judge, segment)


def test_pairs_of_equal_systems_are_told_apart_no_more_often_than_they_may():
    draws = np.random.default_rng(19)
    p_values = []
    for _ in range(150):
        found, spreads = simulated([0, 0, 0], 5, 30, draws, taste=0.5)
        for a, b in combinations(range(3), 2):
            difference = found.log_strengths[a] - found.log_strengths[b]
            p_values.append(spreads.of(contrast_of(4, a, b)).p_value(difference))
    # .08 is what is promised; three pairs of 150 data sets have a standard error of .01 or more.
    assert np.mean(np.array(p_values) <= 0.05) <= 0.08
    # As if answers were independent, they would be: the bound above can be missed.
    wrong = 0
    for _ in range(40):
        found, _ = simulated([0, 0, 0], 5, 30, draws, taste=0.5)
        variance = found.model[0, 0] + found.model[1, 1] - 2 * found.model[0, 1]
        wrong += abs(found.log_strengths[0] - found.log_strengths[1]) > 1.96 * variance**0.5
    assert wrong / 40 > 0.15


def test_intervals_hold_a_planted_truth():
    draws = np.random.default_rng(20)
    truth = [0.8, 0.1, -0.9]
    inside = []
    for _ in range(120):
        found, spreads = simulated(truth, 6, 20, draws)
        inside += [
            abs(found.log_strengths[at] - truth[at])
            <= spreads.of(contrast_of(4, at)).half_width(0.95)
            for at in range(3)
        ]
        assert found.tie == pytest.approx(0.5, abs=0.35)
    # With so few judges they are somewhat too wide, as V is the largest of three.
    assert 0.93 <= np.mean(inside) <= 0.995
