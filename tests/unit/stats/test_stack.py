"""The stack of columns against the rows that it was made of."""

from __future__ import annotations

import numpy as np
import pytest

from weigh import Ter
from weigh.metrics.segment import SegmentMean
from weigh.stats.resample import Scratch, Stack, bootstrap_scores, stacks_of, swapped_differences
from weigh.stats.sample import Sample
from weigh.stats.significance import Observed, bootstrap, paired_bootstrap, randomization

UNITS = 41


def samples(strata: bool = False) -> list[Sample]:
    """Error counts and real scores of three systems, two runs each; words are common to all."""
    rng = np.random.default_rng(5)
    words = rng.integers(5, 30, UNITS)
    counts = [
        tuple(np.column_stack([rng.binomial(words, 0.3), words]) for _ in range(2))
        for _ in range(3)
    ]
    ones = np.ones(UNITS)
    scores = [
        tuple(np.column_stack([rng.normal(5, 1, UNITS), ones]) for _ in range(2)) for _ in range(3)
    ]
    parts = (np.arange(0, UNITS, 2), np.arange(1, UNITS, 2)) if strata else None
    names = ("A", "B", "C")
    return [
        Sample(Ter(), names, tuple(counts), parts),
        Sample(SegmentMean("mean"), names, tuple(scores), parts),
    ]


def test_chosen_sums_and_totals_against_the_rows() -> None:
    made = samples(strata=True)
    for part, stack in zip(made[0].parts, stacks_of(made), strict=True):
        coins = np.random.default_rng(1).integers(0, 2, (7, len(part)))
        chosen = stack.chosen_sums(coins)
        for s, sample in enumerate(made):
            for run in range(2):
                picked = stack.pick(chosen, s, 3, run, Scratch())
                total = stack.pick(stack.totals, s, 3, run, Scratch())
                for system in range(3):
                    rows = sample.rows[system][run][part]
                    expected = [rows[heads == 1].sum(axis=0) for heads in coins]
                    np.testing.assert_allclose(picked[system], expected)
                    np.testing.assert_allclose(total[system], [rows.sum(axis=0)])


def test_equal_columns_are_summed_once() -> None:
    """Six outputs: six columns of errors and one of words; of scores, one of ones."""
    [stack] = stacks_of(samples())
    assert {kind: sums.shape for kind, sums in stack.bootstrap_sums(1, 0, 0, 5).items()} == {
        "i": (5, 7),
        "f": (5, 7),
    }


def test_columns_of_equal_sums_are_told_apart() -> None:
    rows = [np.array([[1, 3], [2, 3]]), np.array([[2, 3], [1, 3]])]
    stack = Stack.of([Sample(Ter(), ("A", "B"), tuple((one,) for one in rows))], slice(None))
    assert stack.chosen_sums(np.array([[1, 0]]))["i"].tolist() == [[1, 3, 2]]


@pytest.mark.parametrize("repeats", [2, 3])
def test_repeated_units_against_rows_written_out(repeats: int) -> None:
    pairs = [(0, 1), (2, 0)]
    found: dict[tuple[str, int, int], np.ndarray] = {}

    def keep(name: str):
        def consume(s: int, start: int, differences: np.ndarray) -> None:
            found[name, s, start] = differences.copy()

        return consume

    made = samples()
    written = [
        Sample(
            one.metric,
            one.names,
            tuple(tuple(np.vstack([run] * repeats) for run in runs) for runs in one.rows),
        )
        for one in made
    ]
    swapped_differences(made, pairs, 50, 3, keep("short"), repeats=repeats, threads=1)
    swapped_differences(written, pairs, 50, 3, keep("long"), threads=1)
    assert np.array_equal(found["short", 0, 0], found["long", 0, 0])
    np.testing.assert_allclose(found["short", 1, 0], found["long", 1, 0], atol=1e-12)


@pytest.mark.parametrize("strata", [False, True])
def test_what_was_made_before_changes_nothing(strata: bool) -> None:
    made, pairs = samples(strata), [(0, 1), (1, 2)]
    stacks = stacks_of(made)
    observed = [Observed.of(one, pairs) for one in made]
    boots = bootstrap_scores(made, 99, 3)
    for one, two in zip(boots, bootstrap_scores(made, 99, 3, stacks=stacks), strict=True):
        assert np.array_equal(one, two)
    again = randomization(made, pairs, 99, 3, observed=observed, stacks=stacks)
    for s, outcome in enumerate(randomization(made, pairs, 99, 3)):
        assert {k: v.tolist() for k, v in outcome.counts.items()} == {
            k: v.tolist() for k, v in again[s].counts.items()
        }
        for test in (bootstrap, paired_bootstrap):
            alone = test(made[s], pairs, boots[s])
            given = test(made[s], pairs, boots[s], observed=observed[s])
            assert {k: v.tolist() for k, v in alone.p_values.items()} == {
                k: v.tolist() for k, v in given.p_values.items()
            }
