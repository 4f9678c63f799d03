"""Pictures of studies: what stands where, and in which class."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

from unit.report.pictures.samples import SVG, drawn, is_straight, of_class, texts, title
from unit.report.studies import (
    KINDS,
    measured,
    of_accuracy,
    of_judgment_power,
    of_power,
    of_type1,
)
from weigh.report.number import fixed
from weigh.report.pictures import (
    Picture,
    accuracy_pictures,
    power_pictures,
    samples_pictures,
    type1_pictures,
)
from weigh.report.validation_samples import SamplesReport
from weigh.stats.proportion import Proportion
from weigh.validate.samples import SamplesPlan, samples_study

DRAWERS = {
    "validate accuracy": accuracy_pictures,
    "validate samples": samples_pictures,
    "validate type1": type1_pictures,
    "validate power": power_pictures,
    "validate power of judgments": power_pictures,
}


@cache
def sampled() -> SamplesReport:
    """Few segments and much noise, so that samples say everything."""
    plan = SamplesPlan(sizes=(8, 20), samples=30, trials=60, level=0.9, seed=4)
    return SamplesReport(samples_study(measured(5), plan, threads=1), {"up": 3, "down": 3})


def named(pictures: list[Picture], start: str) -> list[Picture]:
    return [one for one in pictures if one.name.startswith(start)]


@pytest.mark.parametrize("kind", DRAWERS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_picture_is_whole_and_has_a_name_of_its_own(kind: str, seed: int) -> None:
    pictures = DRAWERS[kind](KINDS[kind][0](seed))  # type: ignore[operator]
    assert pictures
    assert len({one.name for one in pictures}) == len(pictures)
    for one in pictures:
        root = drawn(one)
        assert one.title
        assert one.description.endswith(".")
        for shape in (*of_class(root, "point"), *of_class(root, "cell")):
            for name, end in (("cx", one.width), ("cy", one.height), ("x", one.width)):
                if name in shape.attrib:
                    assert 0 <= float(shape.attrib[name]) <= end


@pytest.mark.parametrize("design", ["block", "broad"])
def test_scores_of_samples_stand_where_they_belong(design: str) -> None:
    report = sampled()
    for picture, truth in zip(
        named(samples_pictures(report), f"{design}-scores"), report.result.truths, strict=True
    ):
        series = [
            one
            for one in report.result.series
            if (one.metric, one.draw.design) == (truth.metric, design)
        ]
        points = of_class(drawn(picture), "point")
        circles = [one for one in points if "cx" in one.attrib][:-1]  # the last is the legend's
        assert len(circles) == len(series)
        heights = [float(one.attrib["cy"]) for one in circles]
        assert is_straight(list(zip([one.scores[0] for one in series], heights, strict=True)))
        assert fixed(float(truth.scores[0]), 3) in picture.description


def test_blocks_and_broad_samples_share_their_scale() -> None:
    pictures = samples_pictures(sampled())
    for block, broad in zip(
        named(pictures, "block-scores"), named(pictures, "broad-scores"), strict=True
    ):
        lines = [
            [each.attrib["d"].split()[1].split("L")[0] for each in of_class(drawn(one), "dashed")]
            for one in (block, broad)
        ]
        assert lines[0] == lines[1]
        assert lines[0]


def test_differences_are_turned_so_that_up_is_better() -> None:
    report = sampled()
    for picture, truth in zip(
        named(samples_pictures(report), "differences"), report.result.truths, strict=True
    ):
        sign = 1 if truth.higher_is_better else -1
        expected = [
            sign * (one.scores[0] - one.scores[1])
            for one in report.result.series
            if (one.metric, one.draw.design) == (truth.metric, "broad")
        ]
        points = of_class(drawn(picture), "point")[:-2]
        places = [float(one.attrib["cy"]) for one in points]
        assert is_straight(list(zip(expected, places, strict=True)))
        below = [p for p, value in zip(places, expected, strict=True) if value < 0]
        above = [p for p, value in zip(places, expected, strict=True) if value > 0]
        assert not (below and above) or min(below) > max(above)  # pixels count downwards
        marks = ["point against" if value < 0 else "point" for value in expected]
        assert [one.attrib["class"] for one in points] == marks


@pytest.mark.parametrize("system", [0, 1])
def test_intervals_that_miss_the_truth_stand_out(system: int) -> None:
    report = sampled()
    for picture, truth in zip(
        [one for one in samples_pictures(report) if one.name.startswith("coverage")][system::2],
        report.result.truths,
        strict=True,
    ):
        whole = float(truth.scores[system])
        held = [
            one.intervals[system][0] <= whole <= one.intervals[system][1]
            for one in report.result.series
            if (one.metric, one.draw.design) == (truth.metric, "drawn")
        ]
        bars = [one.attrib["class"] for one in of_class(drawn(picture), "interval")]
        assert bars == ["interval" if inside else "interval against" for inside in held]


@pytest.mark.parametrize("design", ["broad", "drawn"])
def test_conclusions_are_counted_as_table_3_counts_them(design: str) -> None:
    report = sampled()
    result = report.result
    for picture, truth in zip(
        named(samples_pictures(report), f"{design}-conclusions"), result.truths, strict=True
    ):
        points = of_class(drawn(picture), "point")
        counts = [
            sum("cx" in one.attrib and one.attrib["class"] == "point" for one in points) - 1,
            sum("width" in one.attrib for one in points) - 1,
        ]
        series = [
            one for one in result.series if (one.metric, one.draw.design) == (truth.metric, design)
        ]
        assert counts == [
            sum(one.better >= 0.9 for one in series),
            sum(one.worse >= 0.9 for one in series),
        ]
        if design == "drawn":
            first = [
                one for one in result.conclusions if (one.metric, one.pair) == (truth.metric, 0)
            ]
            right, wrong = sum(one.right for one in first), sum(one.wrong for one in first)
            assert counts == ([right, wrong] if truth.differences[0] > 0 else [wrong, right])


def test_accuracy_by_level_has_a_point_for_every_bracket_with_conclusions() -> None:
    report = sampled()
    for picture, truth in zip(
        named(samples_pictures(report), "levels"), report.result.truths, strict=True
    ):
        found = [
            one for one in report.result.brackets if one.metric == truth.metric and one.right.total
        ]
        points = [one for one in of_class(drawn(picture), "point") if len(one)]
        assert len(points) == len(found)
        told = {title(one) for one in points}
        assert told == {
            f"{one.size:,}, level {100 * one.low:.0f} to {100 * one.high:.0f}%: "
            f"{one.right.count:,} of {one.right.total:,} right"
            for one in found
        }


def test_samples_of_scores_that_cannot_be_drawn() -> None:
    report = sampled()
    far = tuple(replace(one, scores=(math.inf, one.scores[1])) for one in report.result.series)
    assert samples_pictures(SamplesReport(replace(report.result, series=far))) == []


def test_bars_are_as_wide_as_the_counts_of_conclusions() -> None:
    report = of_accuracy(2)
    [first, *_] = named(accuracy_pictures(report), "conclusions")
    bars = [one for one in drawn(first).iter() if one.tag.endswith("rect") and len(one)]
    [one, *_] = report.result.same_level.agreements
    pairs = list(zip(one.automatic.tolist(), one.human.tolist(), strict=True))
    counts = {
        "the same difference": sum(a == h != 0 for a, h in pairs),
        "neither finds one": sum(a == h == 0 for a, h in pairs),
        "the test alone finds one": sum(a != 0 and h == 0 for a, h in pairs),
        "people alone find one": sum(a == 0 and h != 0 for a, h in pairs),
        "opposite differences": sum(a * h < 0 for a, h in pairs),
    }
    row = [bar for bar in bars if bar.attrib["y"] == bars[0].attrib["y"]]
    assert [title(bar).partition(": ")[2] for bar in row] == [
        f"{count} of {len(pairs)}, {name}" for name, count in counts.items() if count
    ]
    widths = [float(bar.attrib["width"]) for bar in row]
    expected = [count / len(pairs) for count in counts.values() if count]
    assert [w / sum(widths) for w in widths] == pytest.approx(expected, abs=0.002)


def test_accuracies_with_their_intervals() -> None:
    report = of_accuracy(2)
    [first, *_] = named(accuracy_pictures(report), "accuracy")
    one = report.result.same_level.agreements[0]
    low, high = Proportion(one.accuracy.count, 3).interval(0.95)
    told = title(of_class(drawn(first), "point")[0])
    share = fixed(100 * one.accuracy.count / 3, 1)
    ends = f"{fixed(100 * low, 1)} to {fixed(100 * high, 1)}"
    assert told == f"{report.result.p_values[0].metric}: {share}, 95% interval {ends}"


def test_tests_that_reject_too_often_stand_out() -> None:
    report = of_type1(1)
    plan = report.result.plan
    changed = [
        replace(one, found=Proportion(n % 20, 20)) for n, one in enumerate(report.result.rejections)
    ]
    report = replace(report, result=replace(report.result, rejections=tuple(changed)))
    pictures = type1_pictures(report)
    assert len(pictures) == 2 * len(plan.alphas)
    order = [(metric, alpha) for metric in ("up", "down") for alpha in plan.alphas]
    for picture, (metric, alpha) in zip(pictures, order, strict=True):
        own = [one for one in changed if (one.metric, one.alpha) == (metric, alpha)]
        ends = [one.found.interval(report.result.verdict_level) for one in own]
        expected = [
            "point against" if low > alpha else "point open" if high < alpha else "point"
            for low, high in ends
        ]
        points = of_class(drawn(picture), "point")
        assert [one.attrib["class"] for one in points] == expected
        assert "moses-bs (flawed)" in texts(drawn(picture))
        places = [float(one.attrib["cx"]) for one in points]
        assert is_straight(list(zip([one.found.share for one in own], places, strict=True)))
        [marked] = of_class(drawn(picture), "dashed")
        at = float(marked.attrib["d"][1:].split()[0])
        shares = [*(one.found.share for one in own), alpha]
        assert is_straight(list(zip(shares, [*places, at], strict=True)))


@pytest.mark.parametrize("make", [of_power, of_judgment_power])
def test_power_grows_over_the_logarithm_of_the_size(make: object) -> None:
    report = make(2)  # type: ignore[operator]
    pictures = power_pictures(report)
    assert len(pictures) == len(report.result.observed)
    for picture, metric in zip(pictures, report.result.observed, strict=True):
        own = [one for one in report.result.powers if one.metric == metric]
        points = of_class(drawn(picture), "point")
        assert len(points) == len(own)
        across = [
            (math.log(one.size), float(p.attrib["cx"])) for one, p in zip(own, points, strict=True)
        ]
        up = [(one.found.share, float(p.attrib["cy"])) for one, p in zip(own, points, strict=True)]
        assert is_straight(across)
        assert is_straight(up)
        labels = {report.shown(metric, one.difference) for one in own}
        assert labels <= set(texts(drawn(picture)))


def test_labels_of_curves_stand_in_the_order_of_their_ends() -> None:
    """Largest difference on top where all are found; every curve has a look of its own."""
    report = of_power(2)
    found = [replace(one, found=Proportion(40, 40)) for one in report.result.powers]
    report = replace(report, result=replace(report.result, powers=tuple(found)))
    for picture, metric in zip(power_pictures(report), report.result.observed, strict=True):
        differences = {one.difference for one in found if one.metric == metric}
        wanted = [report.shown(metric, each) for each in sorted(differences, key=abs, reverse=True)]
        labels = [one for one in drawn(picture).iter(f"{SVG}text") if one.text in wanted]
        placed = sorted(labels, key=lambda one: float(one.attrib["y"]))
        assert [one.text for one in placed] == wanted
        heights = [float(one.attrib["y"]) for one in placed]
        assert all(below - above >= 11 for above, below in pairwise(heights))
        looks = [one.attrib["class"] for one in of_class(drawn(picture), "curve")]
        assert len(set(looks)) == len(wanted)
