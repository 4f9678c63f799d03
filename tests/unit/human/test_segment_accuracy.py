"""Pairs of outputs for one segment: against brute force, by chance, and put together."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unit.human.judgments import one
from weigh.comparing.dataset import from_arrays
from weigh.human import segment_accuracy as module
from weigh.human.metrics import human_metrics
from weigh.human.segment_accuracy import OutputPairs, SegmentAccuracy, segment_accuracy
from weigh.types import Preference

Matrix = np.ndarray


def paired(human: Matrix) -> OutputPairs:
    """Pair all outputs of systems × segments; NaN is an output that nobody judged."""
    names = [str(at) for at in range(len(human))]
    scores = {
        name: {str(at): float(value) for at, value in enumerate(row) if value == value}
        for name, row in zip(names, human, strict=True)
    }
    return OutputPairs.of_scores(names, scores, {str(at): at for at in range(human.shape[1])})


def held(human: Matrix, metric: Matrix, **options: int) -> SegmentAccuracy:
    found = segment_accuracy(paired(human), np.asarray(metric, np.float64), **options)
    assert found is not None
    return found


def brute_force(human: Matrix, metric: Matrix) -> tuple[float, float]:
    """Try every threshold on every pair; return the best accuracy and its smallest threshold."""
    pairs = list(combinations(range(len(human)), 2))
    segments = range(human.shape[1])
    sizes = {abs(metric[a, s] - metric[b, s]) for a, b in pairs for s in segments}
    best = (-1.0, 0.0)
    for threshold in sorted({0.0} | sizes):
        shares = []
        for s in segments:
            right = 0
            for a, b in pairs:
                difference = metric[a, s] - metric[b, s]
                said = 0 if abs(difference) <= threshold else np.sign(difference)
                right += said == np.sign(human[a, s] - human[b, s])
            shares.append(right / len(pairs))
        accuracy = sum(shares) / len(shares)
        if accuracy > best[0] + 1e-9:
            best = accuracy, threshold
    return best


@st.composite
def two_matrices(draw: st.DrawFn) -> tuple[Matrix, Matrix]:
    shape = draw(st.integers(2, 5)), draw(st.integers(1, 6))
    values = st.lists(st.integers(0, 4), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
    return tuple(np.array(draw(values), float).reshape(shape) for _ in range(2))  # type: ignore[return-value]


@settings(max_examples=25)
@given(two_matrices())
def test_the_best_threshold_is_that_of_brute_force(both: tuple[Matrix, Matrix]) -> None:
    human, metric = both
    found = held(human, metric)
    accuracy, threshold = brute_force(human, metric)
    assert found.accuracy == pytest.approx(accuracy)
    assert found.threshold == threshold
    assert found.plain <= found.accuracy + 1e-12
    assert found.pairs == human.shape[1] * len(human) * (len(human) - 1) // 2


def test_the_definition_of_mt_metrics_eval() -> None:
    # By its procedure (tau_optimization with acc_23), segments as rows: threshold, accuracy with
    # it and without any. Outputs that nobody judged are left out.
    none = np.nan
    human = np.array(
        [[3, 90, 50, 7, none], [3, 80, 50, none, none], [1, 80, 60, 7, 2], [0, 40, 55, 9, none]],
        float,
    )
    metric = np.array(
        [[31, 62, 18, 44, 1], [29, 55, 21, 43, 2], [30, 57, 26, 41, 3], [12, 56, 24, 52, 4]], float
    )
    found = held(human, metric)
    assert (found.threshold, found.segments, found.pairs) == (3, 4, 21)
    assert found.accuracy == pytest.approx(0.75)
    assert found.plain == pytest.approx(0.7083333333333333)


def test_edges() -> None:
    rng = np.random.default_rng(1)
    human = rng.integers(0, 3, (4, 30)).astype(float)
    same = held(human, human)
    assert (same.accuracy, same.held_out, same.threshold) == (1, 1, 0)
    flat = held(human, np.ones((4, 30)))  # calls all level, and so do shuffled scores of it
    assert flat.held_out == pytest.approx(flat.tied)
    assert flat.chance == pytest.approx(flat.tied)
    two = held(human[:2], human[:2] + rng.normal(size=(2, 30)))
    assert two.pairs == two.segments == 30
    assert two.interval is not None
    three = held(human[:, :3], human[:, :3])  # each segment is a fold of its own
    assert three.held_out == 1
    single = held(human[:, :1], human[:, :1])
    assert single.accuracy == 1
    assert single.held_out is single.interval is single.chance is None
    assert segment_accuracy(paired(human), np.full((4, 30), np.nan)) is None
    partly = human.copy()
    partly[0, :10] = np.nan
    assert held(human, partly).pairs == 30 * 6 - 10 * 3


def test_seeds_and_turned_signs() -> None:
    rng = np.random.default_rng(2)
    human = rng.integers(0, 3, (4, 40)).astype(float)
    metric = human + rng.normal(size=human.shape)
    assert held(human, metric, seed=5) == held(human, metric, seed=5)
    assert held(human, -metric).plain < held(human, metric).plain


def test_chance_is_what_useless_metrics_get_and_held_out_is_not_optimistic(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_FEWEST_SHUFFLES", 15)
    monkeypatch.setattr(module, "_MOST_SHUFFLES", 15)
    rng = np.random.default_rng(3)
    for categories in (2, 20):  # half of the pairs level, and few
        human = rng.integers(0, categories, (4, 40)).astype(float)
        found = [held(human, rng.normal(size=human.shape)) for _ in range(60)]
        accuracy = np.array([each.held_out for each in found], float)
        chance = np.array([each.chance for each in found], float)
        noise = accuracy.std(ddof=1) / np.sqrt(len(found))
        assert abs(accuracy.mean() - chance.mean()) < 4 * noise + 0.003
        # Thresholds that are chosen on the very segments do better than chance.
        assert np.mean([each.accuracy for each in found]) > accuracy.mean()


def test_intervals_hold_the_accuracy_on_all_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of 300 data sets 91, 92 and 94% with 20, 60 and 200 segments.
    monkeypatch.setattr(module, "_FEWEST_SHUFFLES", 1)
    monkeypatch.setattr(module, "_MOST_SHUFFLES", 1)
    rng = np.random.default_rng(4)

    def drawn(segments: int) -> SegmentAccuracy:
        human = np.round(1.2 * rng.normal(size=(5, segments)))
        return held(human, human + 1.5 * rng.normal(size=human.shape))

    true = drawn(20_000).accuracy
    found = [drawn(60) for _ in range(120)]
    ends = np.array([each.interval for each in found], float)
    assert np.mean((ends[:, 0] <= true) & (true <= ends[:, 1])) >= 0.87
    best = np.mean([each.accuracy for each in found])
    assert np.mean(np.array([each.held_out for each in found], float)) < best


def test_preferences_are_pairs_that_were_asked_about() -> None:
    votes = [
        *(Preference("A", "B", "1") for _ in range(2)),
        Preference("B", "A", "1"),
        Preference("B", "A", "2"),
        Preference("A", "B", "2", tied=True),
        Preference("C", "A", "2"),
        Preference("A", "C", "2"),
        Preference("A", "X", "2"),
        Preference("A", "B", "9"),
    ]
    pairs = OutputPairs.of_preferences("ABC", votes, {"1": 0, "2": 1})
    found = zip(pairs.segments, pairs.first, pairs.second, pairs.signs, strict=True)
    assert [tuple(map(int, row)) for row in found] == [(0, 0, 1, 1), (1, 0, 1, -1), (1, 0, 2, 0)]
    assert not len(OutputPairs.of_preferences("ABC", [], {}))


class TestWhole:
    """Segments of judgments are found in the test set, or it is said that they are not."""

    scores: ClassVar = {
        name: np.array([80.0 - 10 * at + (7 * n + 3 * at) % 13 for n in range(1, 21)])
        for at, name in enumerate("ABCD")
    }

    def people(self, first: int) -> list:
        return [
            one(name, n, value)
            for name, values in self.scores.items()
            for n, value in enumerate(values.tolist(), first)
        ]

    def test_by_number(self) -> None:
        errors = {name: -values for name, values in self.scores.items()}
        result = human_metrics(
            self.people(1), {"m": self.scores, "err": errors}, lower=["err"], trials=9
        )
        for each in result.segments:
            assert (each.scale, each.segments, each.pairs) == ("de-en, adequacy", 20, 120)
            assert each.held_out == each.accuracy == 1
        assert [each.metric for each in result.segments] == ["m", "err"]

    def test_by_number_where_some_are_missing(self) -> None:
        result = human_metrics(self.people(5), {"m": self.scores}, trials=9)
        assert result.segments[0].segments == 16
        assert "4 judged segments not in the test set, such as '21'" in result.remarks

    def test_three_segments_by_their_ids(self) -> None:
        first = {name: values[:3] for name, values in self.scores.items()}
        ids = ("doc:0", "doc:1", "doc:2")
        measured = replace(from_arrays({"comet": first}), ids=ids)
        people = [
            replace(each, segment=f"doc:{int(each.segment) - 1}")
            for each in self.people(1)
            if int(each.segment) <= 3
        ]
        [found] = human_metrics(people, measured, trials=9).segments
        assert (found.segments, found.pairs, found.held_out) == (3, 18, 1)

    def test_preferences(self) -> None:
        votes = [
            Preference(a, b, str(n), judge="j")
            for a, b in combinations("ABCD", 2)
            for n in range(1, 21)
        ]
        result = human_metrics(votes, {"m": self.scores}, trials=9)
        assert result.segments[0].pairs == 120
        assert result.segments[0].tied == 0
