"""Lists as systems against the same texts as files, one for each rank."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

from calibration.nulls import multeval_p
from unit.comparing.systems import corpus
from weigh import Bleu, Outputs, System, Ter
from weigh.comparing.compare import compare
from weigh.comparing.dataset import Dataset, from_arrays, from_texts
from weigh.comparing.plan import Plan
from weigh.errors import InputError, UsageError
from weigh.human.draws import ArrayDraws
from weigh.metrics.registry import key_of
from weigh.stats.intervals import Proportion
from weigh.stats.procedures import function_of
from weigh.stats.resample import bootstrap_scores
from weigh.validate.plan import Type1Plan
from weigh.validate.type1 import Rejections, Type1Result, type1


def shares(result: Type1Result) -> dict[tuple[str, str, str, float], float]:
    return {
        (one.metric, one.test, one.alternative, one.alpha): one.share for one in result.rejections
    }


def test_counts_against_compare() -> None:
    """The same equal systems as texts, one by one, through another door."""
    systems, test_set = corpus()
    texts = [one.outputs.texts for one in systems[:3]]
    size, nulls, seed = len(test_set), 25, 7
    plan = Type1Plan(compat=("sacrebleu-bs", "moses-bs"), nulls=nulls, trials=199, seed=seed)
    metrics = [Bleu(), Ter()]
    found = type1(from_texts(systems[:3], test_set, metrics), plan, threads=1)
    expected: Counter[tuple[str, str, str, float]] = Counter()
    for number in range(nulls):
        draws = ArrayDraws(seed, number)
        first = draws.below(3, size)
        second = (first + 1 + draws.below(2, size)) % 3
        pair = [
            System(name, Outputs([texts[k][n] for n, k in enumerate(chosen)]))
            for name, chosen in (("A", first), ("B", second))
        ]
        trials_seed = draws.seed()
        p: dict[tuple[str, str, str], float] = {}
        for side in ("two-sided", "better", "worse"):
            result = compare(
                pair,
                test_set,
                metrics,
                plan=Plan(
                    tests=plan.tests,
                    alternative=side,
                    trials=199,
                    seed=trials_seed,
                ),
            )
            for one in result.comparisons:
                if (one.a, one.b) == ("A", "B"):
                    p[one.metric, one.test, side] = one.p_value
        samples = from_texts(pair, test_set, metrics).samples
        boots = bootstrap_scores(samples, 199, trials_seed)
        for sample, drawn in zip(samples, boots, strict=True):
            actual = sample.scores()
            for test in plan.compat:
                p[key_of(sample.metric), test, "two-sided"] = float(
                    function_of(test)(actual[0] - actual[1], drawn[0] - drawn[1])
                )
        for metric in ("bleu", "ter"):
            for test in plan.tests:
                p[metric, test, "doubled"] = 2 * min(
                    p[metric, test, "better"], p[metric, test, "worse"]
                )
        for key, value in p.items():
            expected.update((*key, alpha) for alpha in plan.alphas if value <= alpha)
    for one in found.rejections:
        key = (one.metric, one.test, one.alternative, one.alpha)
        assert one.rejected == expected[key], key
    assert sum(expected.values()) > 0


def test_multeval_against_pooled_runs() -> None:
    systems, test_set = corpus()
    texts = [one.outputs.texts for one in systems[:2]]
    plan = Type1Plan(tests=("randomization",), compat=("multeval",), nulls=20, trials=199, seed=4)
    metrics = [Bleu(), Ter()]
    found = type1(from_texts(systems[:2], test_set, metrics), plan, threads=1)
    expected: Counter[tuple[str, float]] = Counter()
    for number in range(plan.nulls):
        draws = ArrayDraws(plan.seed, number)
        first = draws.below(2, len(test_set))
        draws.below(1, len(test_set))
        pair = [
            System(name, Outputs([texts[k][n] for n, k in enumerate(chosen)]))
            for name, chosen in (("A", first), ("B", 1 - first))
        ]
        samples = from_texts(pair, test_set, metrics).samples
        for sample, [p] in zip(samples, multeval_p(samples, 199, draws.seed()), strict=True):
            expected.update((key_of(sample.metric), a) for a in plan.alphas if p <= a)
    for one in found.rejections:
        if one.test == "multeval":
            assert one.rejected == expected[one.metric, one.alpha]
    assert sum(expected.values()) > 0


@cache
def generated() -> Dataset:
    """Segment scores of two systems that differ a lot, and skewed ones at that."""
    rng = np.random.default_rng(3)
    base = rng.gamma(2, 1, 200)
    return from_arrays({"mean": {"A": base + rng.gamma(2, 1, 200), "B": base}})


def test_sound_tests_keep_their_level_and_flawed_ones_do_not() -> None:
    """800 pairs: a share of .05 has a standard error of .0077."""
    found = shares(type1(generated(), Type1Plan(nulls=800, trials=299, alphas=(0.05,))))
    for test in Type1Plan().tests:
        for side in ("two-sided", "doubled", "better", "worse"):
            assert abs(found["mean", test, side, 0.05] - 0.05) < 0.028
    for test in ("sacrebleu-bs", "moses-bs"):
        assert 0.08 < found["mean", test, "two-sided", 0.05] < 0.15
    # Three identical runs: 2 Φ(−1.96/√3) = .26.
    assert found["mean", "multeval", "two-sided", 0.05] == pytest.approx(0.26, abs=0.05)


def test_few_units_are_exact() -> None:
    """Of 2^6 ways to exchange 6 units, at most 5% reject at .05: 2, for ways come in pairs."""
    rng = np.random.default_rng(1)
    few = from_arrays({"mean": {"A": rng.normal(0, 1, 6), "B": rng.normal(3, 1, 6)}})
    plan = Type1Plan(tests=("randomization",), compat=(), nulls=1000, alphas=(0.05,))
    found = shares(type1(few, plan))
    assert found["mean", "randomization", "two-sided", 0.05] == pytest.approx(2 / 64, abs=0.02)


def test_some_units_only_and_any_number_of_threads() -> None:
    plan = Type1Plan(nulls=50, trials=199, size=30)
    one = type1(generated(), plan, threads=1)
    assert one == type1(generated(), plan, threads=2)
    assert one.size == 30
    assert one.rejections != type1(generated(), Type1Plan(nulls=50, trials=199)).rejections


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"compat": ("multival",)}, "did you mean 'multeval'"),
        ({"nulls": 0}, "nulls 0: give a number of at least 1"),
        ({"compat": ("none", "moses-bs")}, "'none' beside other tests"),
        ({"trials": 100}, "use at least 199 trials"),
    ],
)
def test_bad_choices(choice: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Type1Plan(**choice)


def test_bad_data() -> None:
    with pytest.raises(UsageError, match="size 201, but there are 200 items; give 2 to 200"):
        type1(generated(), Type1Plan(size=201))
    one = from_arrays({"mean": {"A": [1.0], "B": [2.0]}})
    with pytest.raises(InputError, match="only one item; "):
        type1(one)
    alone = from_arrays({"mean": {"A": [1.0, 2.0]}})
    with pytest.raises(InputError, match="only one output, A"):
        type1(alone)


def verdicts(counts: list[int], nulls: int = 1000, alpha: float = 0.05) -> list[str | None]:
    """What is said in a study of so many cells, all at one level."""
    plan = Type1Plan(alphas=(alpha,), nulls=nulls)
    return [
        Rejections.of(
            *("m", "randomization", "two-sided", alpha),
            Proportion(count, nulls),
            plan,
            cells=len(counts),
        ).verdict
        for count in counts
    ]


@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.01])
@pytest.mark.parametrize("nulls", [100, 1000, 2000])
@pytest.mark.parametrize("cells", [1, 12, 45, 135])
def test_a_table_of_exact_tests_has_a_false_verdict_in_at_most_5_of_100(cells, nulls, alpha):
    """Exact: the chances of all counts that would get a verdict, if every rate is what it says."""
    plan = Type1Plan(alphas=(alpha,), nulls=nulls)
    blamed = [
        count
        for count in range(nulls + 1)
        if Rejections.of("m", "t", "s", alpha, Proportion(count, nulls), plan, cells).verdict
    ]
    chance = binom.pmf(blamed, nulls, alpha).sum()
    assert cells * chance <= 0.05  # for any dependence between cells
    assert 1 - (1 - chance) ** cells <= 0.05


def test_a_share_that_chance_explains_gets_no_verdict():
    """33 of 1,000 at .05 lie outside of the 95% interval of one cell, but not of 45."""
    assert verdicts([33]) == ["too seldom"]
    assert verdicts([33, 62, 47] + [50] * 42) == [None] * 45


def test_real_flaws_are_named_among_many_cells():
    """A tenth in place of .05, as centring |d| gives, and a test that never rejects."""
    named = verdicts([100, 0, 260] + [50] * 132)
    assert named[:4] == ["too often", "too seldom", "too often", None]
