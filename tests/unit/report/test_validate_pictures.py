"""Pictures of studies: what stands where, and in which class."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from unit.report.made.validate import (
    MADE,
    of_judgment_power,
    of_power,
    of_type1,
)
from unit.report.pictures.drawings import drawn, is_straight, of_class, texts
from unit.report.studies import measured
from weigh.report.pictures.picture import Picture
from weigh.report.view import view
from weigh.result import Result
from weigh.stats.intervals import Proportion
from weigh.validate.plan import SamplesPlan
from weigh.validate.power import PowerResult
from weigh.validate.samples import samples
from weigh.validate.samples_result import SamplesResult, ShownSample
from weigh.validate.type1 import Rejections
from weigh.wording import fixed


@cache
def sampled() -> SamplesResult:
    """Few segments and much noise, so that samples say everything."""
    plan = SamplesPlan(sizes=(8, 20), samples=30, trials=60, level=0.9, seed=4)
    result = samples(measured(5), plan, threads=1)
    metrics = tuple(replace(one, decimals=3) for one in result.metrics)
    return replace(result, metrics=metrics)


def by_metric(start: str) -> list[tuple[Picture, str]]:
    """Return the pictures of the samples whose names start so, with their metrics."""
    metrics = [one.metric for one in sampled().metrics]
    return list(zip(named(sampled(), start), metrics, strict=True))


def series(metric: str, design: str) -> list[ShownSample]:
    return [one for one in sampled().series if (one.metric, one.design) == (metric, design)]


def whole(metric: str) -> list[float]:
    return [one.score for one in sampled().scores if one.metric == metric]


def named(result: Result, start: str) -> list[Picture]:
    return [one for one in view(result).pictures() if one.name.startswith(start)]


@pytest.mark.parametrize("kind", [kind for kind in sorted(MADE) if "preference" not in kind])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_marks_stand_within_the_picture(kind: str, seed: int) -> None:
    pictures = view(MADE[kind](seed)).pictures()
    assert pictures
    for one in pictures:
        root = drawn(one)
        for shape in (*of_class(root, "point"), *of_class(root, "cell")):
            for name, end in (("cx", one.width), ("cy", one.height), ("x", one.width)):
                if name in shape.attrib:
                    assert 0 <= float(shape.attrib[name]) <= end


@pytest.mark.parametrize("design", ["block", "broad"])
def test_scores_of_samples_stand_where_they_belong(design: str) -> None:
    for picture, metric in by_metric(f"{design}-scores"):
        shown = series(metric, design)
        points = [one for one in of_class(drawn(picture), "point") if len(one)]
        assert len(points) == 2 * len(shown)
        scores = [one.scores[at] for at in (0, 1) for one in shown]
        heights = [float(one.attrib["cy"]) for one in points]
        assert is_straight(list(zip(scores, heights, strict=True)))
        sizes = [
            (math.log(one.size), float(p.attrib["cx"]))
            for one, p in zip(shown, points[: len(shown)], strict=True)
        ]
        assert is_straight(sizes)


def test_differences_are_turned_so_that_up_is_better() -> None:
    for picture, metric in by_metric("differences"):
        sign = {"up": 1, "down": -1}[metric]
        expected = [sign * (one.scores[0] - one.scores[1]) for one in series(metric, "broad")]
        expected.sort(key=lambda value: value < 0)  # a system's own points stand together
        points = [one for one in of_class(drawn(picture), "point") if len(one)]
        places = [float(one.attrib["cy"]) for one in points]
        assert is_straight(list(zip(expected, places, strict=True)))
        assert places[expected.index(max(expected))] == min(places)  # pixels count downwards
        marks = ["point against" if value < 0 else "point" for value in expected]
        assert [one.attrib["class"] for one in points] == marks


def test_tests_that_reject_too_often_stand_out() -> None:
    result = of_type1(1)
    plan = result.plan
    changed = [
        Rejections.of(
            *(one.metric, one.test, one.alternative, one.alpha),
            Proportion(n % 20, 20),
            plan,
            len(result.rejections),
        )
        for n, one in enumerate(result.rejections)
    ]
    pictures = view(replace(result, rejections=tuple(changed))).pictures()
    level = 1 - 0.05 / len(changed)
    assert len(pictures) == 2 * len(plan.alphas)
    order = [(metric, alpha) for metric in ("up", "down") for alpha in plan.alphas]
    for picture, (metric, alpha) in zip(pictures, order, strict=True):
        own = [one for one in changed if (one.metric, one.alpha) == (metric, alpha)]
        ends = [Proportion(one.rejected, one.nulls).interval(level) for one in own]
        expected = [
            "point against" if low > alpha else "point open" if high < alpha else "point"
            for low, high in ends
        ]
        points = of_class(drawn(picture), "point")
        assert [one.attrib["class"] for one in points] == expected
        assert "moses-bs (flawed)" in texts(drawn(picture))
        places = [float(one.attrib["cx"]) for one in points]
        assert is_straight(list(zip([one.share for one in own], places, strict=True)))
        [marked] = of_class(drawn(picture), "dashed")
        at = float(marked.attrib["d"][1:].split()[0])
        shares = [*(one.share for one in own), alpha]
        assert is_straight(list(zip(shares, [*places, at], strict=True)))


@pytest.mark.parametrize("make", [of_power, of_judgment_power])
def test_power_grows_over_the_logarithm_of_the_size(make: Callable[[int], PowerResult]) -> None:
    result = make(2)
    pictures = view(result).pictures()
    for picture, metric in zip(pictures, result.metrics, strict=True):
        own = [one for one in result.powers if one.metric == metric.metric]
        points = of_class(drawn(picture), "point")
        assert len(points) == len(own)
        across = [
            (math.log(one.size), float(p.attrib["cx"])) for one, p in zip(own, points, strict=True)
        ]
        up = [(one.power, float(p.attrib["cy"])) for one, p in zip(own, points, strict=True)]
        assert is_straight(across)
        assert is_straight(up)
        labels = {fixed(one.difference, metric.decimals, sign=True) for one in own}
        assert labels <= set(texts(drawn(picture)))
