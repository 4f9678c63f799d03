"""Draw the pictures of README.md and the start page."""

from __future__ import annotations

import random
import warnings
from dataclasses import replace
from pathlib import Path

import weigh
from weigh.report.compare_pictures import extreme_regions
from weigh.report.markup import element, join
from weigh.report.pictures.axes import Scale
from weigh.report.pictures.histogram import Bins, split
from weigh.report.pictures.picture import Picture
from weigh.report.svg import line, text_element
from weigh.report.view import view

LOGS = Path(__file__).resolve().parent.parent / "examples" / "logs"


def pictures() -> dict[str, str]:
    """All pictures by file name."""
    return {
        f"{picture.name}.svg": picture.standalone() for picture in [one_idea(), *logs_compared()]
    }


def logs_compared() -> list[Picture]:
    """The scores and the pairs of examples/logs, which README.md compares."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = weigh.compare(LOGS)
    by_kind = {
        picture.name.partition("-")[0]: picture for picture in reversed(view(result).pictures())
    }
    return [replace(by_kind["forest"], name="scores"), replace(by_kind["heat"], name="pairs")]


def one_idea() -> Picture:
    """Draw one difference on two test sets; only on the small one can chance explain it."""
    parts, told, floor = [], [], 160.0
    for at, segments in enumerate((100, 2500)):
        left = 8 + at * 256.0
        pair, histogram = _compared(segments)
        across = Scale(-3, 3, left, left + 232)
        bars = Bins(histogram.start, histogram.width, histogram.counts).bars
        up = Scale(0, max(count for *_, count in bars), floor, 60)
        usual, extreme = split(bars, extreme_regions(histogram, pair, pair.difference))
        for class_, drawn in (("bars", usual), ("extreme", extreme)):
            for low, high, count in drawn:
                place = {"x": across(low), "width": across(high) - across(low)}
                high_bar = {"y": up(count), "height": floor - up(count)}
                parts.append(element("rect", **place, **high_bar, class_=class_))
        x = across(pair.difference)
        p_value = f"{pair.p_value:.4f}".lstrip("0")
        conclusion = "B is better" if pair.significant else "no evidence of a difference"
        parts += [
            line(left, floor, left + 232, floor, "axis"),
            line(x, 44, x, floor, "actual"),
            text_element(left, 18, f"{segments:,} segments"),
            text_element(x + 6, 52, f"B \u2212 A = +{pair.difference:.1f}", "marked"),
            text_element(
                left, 200, f"{pair.count:,} of {pair.trials:,} trials differ as much:", "soft"
            ),
            text_element(left, 218, f"p = {p_value}, {conclusion}"),
        ]
        for value in range(-2, 3):
            shown = f"{value:+d}".replace("-", "\u2212") if value else "0"
            parts.append(text_element(across(value), floor + 16, shown, "small soft middle"))
        told.append(f"with {segments:,} segments p = {p_value}: {conclusion}")
    return Picture(
        name="one-idea",
        title="The same difference, on a small and on a large test set",
        description="Histograms of the differences that chance alone makes, and the difference "
        f"that was measured; {'; '.join(told)}.",
        width=504,
        height=228,
        body=join(parts),
    )


def _compared(segments: int) -> tuple[weigh.Comparison, weigh.comparing.compare_result.Histogram]:
    """Return a test of two systems that differ by 0.8, and its differences under chance."""
    chance = random.Random(segments)
    noise = [chance.gauss(0, 8) for _ in range(segments)]
    shift = 0.8 - sum(noise) / segments
    a = [round(chance.gauss(50, 15), 3) for _ in range(segments)]
    b = [round(score + each + shift, 3) for score, each in zip(a, noise, strict=True)]
    result = weigh.compare({"B": b, "A": a}, details=True)
    return result["B", "A"], result.details.histograms[0]
