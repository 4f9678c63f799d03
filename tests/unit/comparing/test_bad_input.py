"""One clear line for each thing that can be wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from unit.comparing.systems import corpus, scores
from weigh import Bleu, Chrf, Outputs, System, Ter, TestSet, WeighError, compare, score
from weigh.stats.procedures import INTERVALS

GOOD = scores(10, A=0.0, B=1.0)


def line_of(error: pytest.ExceptionInfo) -> str:
    message = str(error.value)
    assert message
    assert "\n" not in message
    return message


BAD_PLANS = [
    ({"trials": 0}, "trials 0"),
    ({"trials": -5}, "trials -5"),
    ({"trials": 10.5}, "trials 10.5"),
    ({"alpha": 0}, "alpha 0"),
    ({"alpha": 1}, "alpha 1"),
    ({"alpha": -0.1}, "alpha -0.1"),
    ({"alpha": 5}, "alpha 5"),
    ({"alpha": float("nan")}, "alpha nan"),
    ({"level": 0}, "level 0"),
    ({"level": 1.0}, "level 1.0"),
    ({"level": 95}, "level 95"),
    ({"seed": -1}, "seed -1"),
    ({"seed": 2**64}, "seed 18446744073709551616"),
    ({"seed": 1.5}, "seed 1.5"),
    ({"tests": ()}, "no test"),
    ({"tests": ("randomisation",)}, "did you mean 'randomization'"),
    ({"alternative": "greater"}, "alternative 'greater'"),
    ({"adjust": "holms"}, "did you mean 'holm'"),
    ({"interval": "normal"}, "interval 'normal'"),
    ({"margin": {"score": 0}}, "margin score=0"),
    ({"margin": {"score": -1}}, "margin score=-1"),
    ({"margin": {"score": float("nan")}}, "margin score=nan"),
    ({"margin": {"score": float("inf")}}, "margin score=inf"),
    ({"detect": {"score": 0}}, "detect score=0"),
    ({"gate": True}, "baseline"),
    ({"gate": True, "baseline": "A", "tests": ("tukey",)}, "gate"),
    ({"tests": ("tukey",), "alternative": "better"}, "tukey is two-sided"),
    ({"runs_as_sample": True}, "A has only one run"),
    ({"runs_as_sample": True, "tests": ("randomization",)}, "--test randomization"),
    ({"runs_as_sample": True, "tests": ("bootstrap", "tukey")}, "--test bootstrap, tukey"),
    ({"runs_as_sample": True, "interval": "bca"}, "--interval bca"),
    (
        {"runs_as_sample": True, "strict": True, "margin": {"score": 0.1}},
        "--strict treats runs as fixed",
    ),
    ({"tests": ("runs-t",)}, "is selected by --runs-as-sample"),
    ({"interval": "t", "documents": ["d"] * 10}, "a t interval treats segments as units"),
    ({"tests": ("scheffe",), "documents": ["d"] * 10}, "scheffe treats segments as units"),
]


@pytest.mark.parametrize(("options", "said"), BAD_PLANS)
def test_bad_choices(options, said):
    with pytest.raises(WeighError) as error:
        compare(GOOD, **options)
    assert said in line_of(error)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"baseline": "C"}, "baseline 'C'"),
        ({"margin": {"bleu": 1.0}}, "margin: 'bleu' is not a metric"),
        ({"detect": {"bleu": 1.0}}, "detect: 'bleu' is not a metric"),
        ({"documents": ["d"] * 9}, "documents: 9"),
        ({"documents": ["d"] * 11}, "documents: 11"),
        ({"slices": ["d"] * 9}, "slices: 9"),
        ({"slices": []}, "slices: 0"),
        ({"documents": ["d"] * 10, "slices": ["x", "y"] * 5}, "more than one slice"),
    ],
)
def test_choices_that_do_not_fit_the_data(options, said):
    with pytest.raises(WeighError) as error:
        compare(GOOD, trials=99, **options)
    assert said in line_of(error)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "no scores"),
        ({"A": [1.0, 2.0]}, "only one, A"),
        ({"A": [], "B": []}, "no scores"),
        ({"A": [1.0, 2.0], "B": [1.0]}, "B: 1 score, but A has 2"),
        ({"A": [1.0, 2.0], "B": [1.0, float("nan")]}, "B: item 2"),
        ({"A": [float("inf"), 2.0], "B": [1.0, 2.0]}, "A: segment 1"),
        ({"A": [float("-inf"), 2.0], "B": [1.0, 2.0]}, "A: segment 1"),
        ({"A": [None, 2.0], "B": [1.0, 2.0]}, "A: item 1"),
        ({"A": ["x", 2.0], "B": [1.0, 2.0]}, "A: not numbers"),
        ({"A": [1 + 2j, 2.0], "B": [1.0, 2.0]}, "A: not numbers"),
        ({"A": [[1.0, 2.0], [1.0]], "B": [1.0, 2.0]}, "A: "),
        ({"A": [[1.0, 2.0]] * 2, "B": [[1.0, 2.0]] * 3}, "B has 3 runs, but A has 2"),
        ({"A": [[1.0, 2.0]] * 2, "B": [1.0, 2.0]}, "B has 1 run, but A has 2"),
        ({"A": 1.0, "B": 2.0}, "A: scores of shape ()"),
        ({"A": np.zeros((2, 2, 2)), "B": np.zeros((2, 2, 2))}, "A: scores of shape (2, 2, 2)"),
        ({"A": np.zeros((0, 5)), "B": np.zeros((0, 5))}, "A: scores of shape (0, 5)"),
        ({"A": np.zeros((2, 0)), "B": np.zeros((2, 0))}, "no scores"),
    ],
)
def test_bad_scores(given, said):
    with pytest.raises(WeighError) as error:
        compare(given, trials=99)
    assert said in line_of(error)


def test_bad_texts():
    systems, test_set = corpus()
    a, b = systems[:2]
    short = System("S", Outputs(b.outputs.texts[:-1]))
    many = System("N", Outputs(b.outputs.texts, list(range(len(b.outputs)))))
    run = [replace(a, run="1"), replace(a, run="2"), replace(b, run="1")]
    empty = System("A", Outputs([])), System("B", Outputs([]))
    cases = [
        ([], test_set, [Bleu()], {}, "at least two systems"),
        ([a], test_set, [Bleu()], {}, "only one, A"),
        ([a, a], test_set, [Bleu()], {}, "A"),
        ([a, b, a], test_set, [Bleu()], {}, "two systems have this name"),
        ([a, short], test_set, [Bleu()], {}, "S: 59 segments, but the test set has 60"),
        ([a, many], test_set, [Bleu()], {}, "N: an n-best list"),
        (run, test_set, [Bleu()], {}, "B has 1 run, but A has 2"),
        ([a, b], None, [Bleu()], {}, "test set"),
        ([a, b], test_set, [], {}, "no metrics"),
        (empty, TestSet([[]]), [Bleu()], {}, "empty"),
        ([a, b], test_set, [Bleu()], {"baseline": "Z"}, "baseline 'Z'"),
        ([a, b], test_set, [Bleu()], {"margin": {"ter": 1.0}}, "margin: 'ter' is not a metric"),
        ([a, b], test_set, [Bleu(), Ter()], {"margin": {"terr": 1.0}}, "did you mean 'ter'"),
        ([a, b], test_set, [Chrf()], {"interval": "t"}, "the mean of segment scores"),
        ([a, b], test_set, [Chrf()], {"tests": ("tukey",)}, "the mean of segment scores"),
    ]
    for given, tests, metrics, options, said in cases:
        with pytest.raises(WeighError) as error:
            compare(given, tests, metrics, trials=99, **options)
        assert said in line_of(error), said


@pytest.mark.parametrize("column", ["documents", "slices"])
@pytest.mark.parametrize("size", [0, 59, 61])
def test_labels_of_the_wrong_length(column, size):
    with pytest.raises(WeighError) as error:
        replace(corpus()[1], **{column: ["x"] * size})
    assert f"{column}: {size} entries" in line_of(error)


def test_a_document_in_two_slices():
    systems, test_set = corpus()
    mixed = replace(test_set, documents=["d"] * 60, slices=["x", "y"] * 30)
    with pytest.raises(WeighError) as error:
        compare(systems, mixed, [Bleu()], trials=99)
    assert "more than one slice" in line_of(error)


def test_one_segment_has_no_t_interval():
    result = compare({"A": [1.0], "B": [2.0]}, interval="t", trials=99)
    assert [one.interval for one in result.scores] == [None, None]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seed": -1}, "seed -1"),
        ({"seed": 1.5}, "seed 1.5"),
        ({"trials": 10**10}, "trials 1000000"),
    ],
)
def test_bad_draws_of_scores(options, said):
    with pytest.raises(WeighError, match=said):
        score({"A": [1.0, 2.0, 3.0]}, interval="percentile", **options)


@pytest.mark.parametrize("kind", INTERVALS)
def test_one_segment_has_no_interval(kind):
    """How much segments vary cannot be known from one."""
    result = compare({"A": [1.0], "B": [2.0]}, interval=kind, trials=99, detect={"score": 0.5})
    assert [one.interval for one in result.scores] == [None, None]
    [pair] = result.comparisons
    assert (pair.interval, pair.detectable, pair.units_needed) == (None, None, None)


@pytest.mark.parametrize("kind", INTERVALS)
def test_a_slice_of_one_segment_has_no_interval(kind):
    given = {name: np.random.default_rng(seed).normal(0, 1, 13) for seed, name in enumerate("AB")}
    result = compare(given, slices=["x"] * 12 + ["y"], interval=kind, trials=99)
    found = {(one.slice, one.interval is None) for one in result.scores}
    assert found == {(None, False), ("x", False), ("y", True)}
    assert {one.slice for one in result.comparisons if one.detectable is None} == {"y"}


@pytest.mark.parametrize("option", ["documents", "slices"])
def test_labels_beside_a_test_set(option):
    """They replace those of the test set, and are checked alike."""
    systems, test_set = corpus()
    labels = ["x", "y"] * 30
    beside = compare(systems, test_set, [Bleu()], trials=99, **{option: labels})
    inside = compare(systems, replace(test_set, **{option: labels}), [Bleu()], trials=99)
    assert beside.comparisons == inside.comparisons
    with pytest.raises(WeighError) as error:
        compare(systems, test_set, [Bleu()], trials=99, **{option: ["x"] * 59})
    assert f"{option}: 59" in line_of(error)


@dataclass(frozen=True)
class Length:
    """A user's metric: mean length, in rows of any type."""

    higher_is_better: ClassVar[bool] = True
    mean_of_segments: ClassVar[bool] = True
    perfect: ClassVar[None] = None

    dtype: str = "f8"
    name: str = "length"
    wrong: float | None = None

    def signature(self, references):
        return f"length|{references}"

    def prepare(self, _):
        return self

    def rows(self, outputs):
        # Numbers that a narrow type holds exactly, but not their sums.
        rows = np.array([[np.float32(len(text) / 3), 1] for text in outputs.texts], dtype="f8")
        if self.dtype.startswith("i"):
            rows = np.array([[len(text), 1] for text in outputs.texts])
        if self.wrong is not None:
            rows[-1, 0] = self.wrong
        return rows.astype(self.dtype)

    def score(self, sums):
        sums = np.asarray(sums, dtype=np.float64)
        return sums[..., 0] / sums[..., 1]

    def segment_scores(self, rows):
        return rows[:, 0]


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_a_metric_that_is_not_finite(wrong):
    systems, test_set = corpus()
    with pytest.raises(WeighError) as error:
        compare(systems, test_set, [Length(wrong=wrong)], trials=99)
    assert "length of D: segment 60" in line_of(error)


@pytest.mark.parametrize(("narrow", "wide"), [("i1", "i8"), ("i4", "i8"), ("f4", "f8")])
@pytest.mark.parametrize("documents", [None, ["x", "y", "z"] * 20])
def test_narrow_rows_of_a_users_metric_are_summed_as_wide_ones(narrow, wide, documents):
    systems, test_set = corpus()
    test_set = replace(test_set, documents=documents)
    short = [replace(s, outputs=Outputs([text[:100] for text in s.outputs.texts])) for s in systems]
    options = {"tests": ("randomization", "bootstrap"), "trials": 99}
    mine = compare(short, test_set, [Length(narrow)], **options).comparisons
    theirs = compare(short, test_set, [Length(wide)], **options).comparisons
    for one, other in zip(mine, theirs, strict=True):
        assert one.score_a == other.score_a
        assert one.count == other.count


@dataclass(frozen=True)
class Correlation:
    """A user's metric whose rows have signs: Pearson's r of a gold label and a score."""

    higher_is_better: ClassVar[bool] = True
    mean_of_segments: ClassVar[bool] = False
    perfect: ClassVar[float] = 1.0

    name: str = "r"

    def signature(self, references):
        return f"r|{references}"

    def prepare(self, _):
        return self

    def rows(self, outputs):
        x, y = np.array([text.split() for text in outputs.texts], dtype=float).T
        return np.column_stack([x * y, x, y, x * x, y * y, np.ones(len(x))])

    def score(self, sums):
        xy, x, y, xx, yy, n = np.moveaxis(np.asarray(sums, dtype=float), -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return (n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y))

    def segment_scores(self, rows):
        return rows[:, 0]


def correlated(units: int, labels: list[int]) -> tuple[list[System], TestSet]:
    rng = np.random.default_rng(0)
    gold = np.resize(labels, units)
    systems = []
    for name, noise in (("A", 1), ("B", 1), ("C", 3)):
        values = gold + rng.normal(0, noise, units)
        lines = [f"{x} {y}" for x, y in zip(gold, values, strict=True)]
        systems.append(System(name, Outputs(lines)))
    systems.append(System("D", systems[0].outputs))
    return systems, TestSet([["-"] * units])


def test_a_metric_whose_score_of_sizes_is_undefined():
    """Labels of ±1 have no variance in size; what is a tie must not hang on that."""
    systems, test_set = correlated(200, [-1, 1])
    tests = ("randomization", "bootstrap", "paired-bootstrap")
    for pair in compare(systems, test_set, [Correlation()], tests=tests, trials=199).comparisons:
        if {pair.a, pair.b} == {"A", "D"}:
            assert pair.p_value == 1
        elif "C" in {pair.a, pair.b}:
            assert pair.p_value < 0.05


def test_a_score_that_is_not_a_number_for_some_resamples():
    """One label of +1 in 12: a bootstrap sample without it has no correlation."""
    systems, test_set = correlated(12, [1, *[-1] * 11])
    tests = ("bootstrap", "paired-bootstrap")
    try:
        result = compare(systems, test_set, [Correlation()], tests=tests, trials=199)
    except WeighError:
        return
    assert all(c.p_value == 1 for c in result.comparisons if {c.a, c.b} == {"A", "D"})


@pytest.mark.parametrize("number", [np.int64(5), np.uint8(5)])
def test_whole_numbers_of_numpy_are_whole_numbers(number):
    mine = compare(GOOD, seed=number, trials=number).comparisons
    assert mine == compare(GOOD, seed=5, trials=5).comparisons


def test_the_same_thing_twice():
    """Either refused or given once; never two answers under one name."""
    systems, test_set = corpus()
    for metrics, tests in (([Bleu(), Bleu()], ("bootstrap",)), ([Bleu()], ("bootstrap",) * 2)):
        try:
            result = compare(systems, test_set, metrics, tests=tests, trials=99)
        except WeighError:
            continue
        assert len(result.comparisons) == 6
        assert len(result.rankings) == 1


def test_a_slice_named_as_the_macro_mean():
    with pytest.raises(WeighError):
        compare(GOOD, slices=["(macro mean)", "x"] * 5, trials=99)
