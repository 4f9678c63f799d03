"""Judgments joined with a metric's scores: the estimates, names, segments and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from unit.human.judgments import one
from weigh.errors import InputError, UsageError, WeighWarning
from weigh.human.rank import rank
from weigh.human.rank_result import RankResult
from weigh.stats.prediction_powered import powered_mean

SEGMENTS, JUDGED = 200, 40


def campaign(seed=1, systems=("A", "B", "C"), judged=JUDGED, noise=5.0):
    """People's scores of some segments and a metric's of all; both know how good outputs are."""
    draws = np.random.default_rng(seed)
    segments = draws.choice(np.arange(1, SEGMENTS + 1), judged, replace=False)
    hard = draws.normal(0, 12, SEGMENTS)
    judgments, metric = [], {}
    for at, name in enumerate(systems):
        quality = 60 - 5 * at + hard + draws.normal(0, 6, SEGMENTS)
        metric[name] = quality / 100 + draws.normal(0, 0.02, SEGMENTS)
        judgments += [
            one(
                name,
                int(segment),
                float(np.clip(quality[segment - 1] + draws.normal(0, noise), 0, 100)),
                judge=judge,
            )
            for segment in segments
            for judge in ("ann", "ben")
        ]
    return judgments, metric


def quiet_rank(judgments, **options) -> RankResult:
    return rank(judgments, least_per_system=1, **options)


def test_estimates_are_those_of_segments_means():
    judgments, metric = campaign()
    result = quiet_rank(judgments, by="raw", metric=metric, level=0.9, population="like-these")
    found = next(row for row in result.powered if row.system == "B" and row.against is None)
    means = {}
    for each in judgments:
        if each.system == "B":
            means.setdefault(each.segment, []).append(each.value)
    keys = sorted(means)
    expected = powered_mean(
        [np.mean(means[key]) for key in keys],
        [metric["B"][int(key) - 1] for key in keys],
        [score for at, score in enumerate(metric["B"], 1) if str(at) not in means],
    )
    assert found.score == pytest.approx(expected.estimate)
    assert found.weight == pytest.approx(expected.weight)
    assert found.interval[1] - found.score == pytest.approx(expected.spread.half_width(0.9))
    assert (found.labelled, found.unlabelled) == (JUDGED, SEGMENTS - JUDGED)
    assert found.saved == pytest.approx(expected.saved)
    score = next(row for row in result.scores if row.system == "B")
    assert found.classical == pytest.approx(score.score)
    assert found.classical_interval == pytest.approx(score.interval)


def test_a_good_metric_saves_judgments_of_scores_and_differences():
    judgments, metric = campaign()
    result = quiet_rank(judgments, metric=metric)
    systems = [row for row in result.powered if row.against is None]
    pairs = [row for row in result.powered if row.against is not None]
    assert [row.system for row in systems] == [row.system for row in result.scores]
    assert [(row.system, row.against) for row in pairs] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert all(row.saved > 0.5 for row in systems)
    assert all(row.saved > 0.3 for row in pairs)
    for row in pairs:  # segments are paired: far narrower than two scores by themselves
        assert row.interval[1] - row.interval[0] < 0.6
        assert row.score > 0


def test_the_direction_of_the_metric_does_not_matter():
    judgments, metric = campaign()
    up = quiet_rank(judgments, metric=metric).powered
    down = quiet_rank(judgments, metric={name: -each for name, each in metric.items()}).powered
    for a, b in zip(up, down, strict=True):
        assert a.score == pytest.approx(b.score)
        assert a.weight == pytest.approx(-b.weight)


def test_the_order_of_rows_does_not_matter():
    judgments, metric = campaign()
    backwards = {name: metric[name] for name in reversed(metric)}
    assert (
        quiet_rank(judgments, metric=metric).powered
        == quiet_rank(judgments[::-1], metric=backwards).powered
    )


def test_without_a_metric_there_is_nothing_new():
    judgments, metric = campaign()
    alone = quiet_rank(judgments)
    assert alone.powered == ()
    assert "powered" not in alone.to_json()
    helped = quiet_rank(judgments, metric=metric)
    assert helped.scores == alone.scores
    assert helped.comparisons == alone.comparisons


def test_names_of_files_are_those_of_systems():
    judgments, metric = campaign()
    files = {f"{name}.cs.gz": scores for name, scores in metric.items()}
    assert (
        quiet_rank(judgments, metric=files).powered == quiet_rank(judgments, metric=metric).powered
    )


def test_samples_are_joined_by_their_lines(tmp_path):
    judgments, metric = campaign()
    numbers = sorted({int(each.segment) for each in judgments})
    places = {str(number): at for at, number in enumerate(numbers, 1)}
    sampled = [one(e.system, places[e.segment], e.value, e.judge) for e in judgments]
    path = tmp_path / "lines.txt"
    path.write_text("".join(f"{number}\n" for number in numbers))
    expected = quiet_rank(judgments, metric=metric).powered
    assert quiet_rank(sampled, metric=metric, lines=str(path)).powered == expected
    for judged in (sampled, [each for each in sampled if each.segment not in ("3", "17")]):
        with pytest.raises(
            InputError, match=r"all among the first 40 of the metric's 200, .* --li"
        ):
            quiet_rank(judged, metric=metric)
    with pytest.raises(UsageError, match="--lines applies to"):
        quiet_rank(sampled, lines=str(path))


def test_too_few_segments():
    judgments, metric = campaign(judged=19)
    with pytest.raises(InputError, match=r"19 segments judged, but .* needs at least 20 segments"):
        quiet_rank(judgments, metric=metric)
    judgments, metric = campaign(judged=20)
    few = [each for each in judgments if each.system != "B" or int(each.segment) > 60]
    with pytest.warns(WeighWarning, match="fewer than 20 segments judged, so not estimated: B"):
        result = quiet_rank(few, metric=metric)
    assert {row.system for row in result.powered} == {"A", "C"}


def test_pairs_that_were_not_judged_on_the_same_segments():
    judgments, metric = campaign(judged=60)
    numbers = sorted({int(each.segment) for each in judgments})
    halves = [
        each
        for each in judgments
        if each.system != "C" and (int(each.segment) in numbers[::2]) == (each.system == "A")
    ]
    with pytest.warns(WeighWarning, match="for both systems of 1 pair"):
        result = quiet_rank(halves, metric=metric)
    assert [row.against for row in result.powered] == [None, None]


def test_estimates_hold_the_truth():
    """The truth of a whole campaign: what people would give on average on any segment."""
    inside, total = 0, 0
    for seed in range(60):
        judgments, metric = campaign(seed, systems=("A", "B"), judged=30)
        options = {"by": "raw", "population": "like-these"}
        for row in quiet_rank(judgments, metric=metric, **options).powered:
            truth = {("A", None): 60, ("B", None): 55, ("A", "B"): 5}[row.system, row.against]
            inside += row.interval[0] <= truth <= row.interval[1]
            total += 1
    assert inside / total >= 0.92
