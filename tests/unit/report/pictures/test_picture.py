from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from unit.report.pictures.samples import ALL, NAMES, SVG, TESTS, drawn, made_report, made_scores
from unit.report.test_svg import readable
from weigh import report
from weigh.report.compared import CompareReport
from weigh.report.grid import visible
from weigh.report.pictures import STYLE, Picture, histograms, length_plots, sweep_plots
from weigh.report.pictures.picture import Scale, name_of
from weigh.report.svg import drawable

PROPERTIES = (
    *("ink", "faint", "line", "paper", "accent", "mark"),
    *("good1", "good2", "good3", "bad1", "bad", "bad3"),
)
hostile = st.one_of(
    st.text(st.characters(), min_size=1, max_size=12),
    st.sampled_from(
        ["</svg><script>", "]]>", "a&b", '"', "\u202e", "x" * 10_000, "../../etc", "é"]
    ),
)


def test_an_inline_picture_says_what_it_is() -> None:
    picture = Picture("forest-1-x", "A <title>", 'What is "seen".', 520, 300, "<g/>")
    read = ET.fromstring(picture.inline())
    assert read.get("role") == "img"
    named = {each.get("id"): each.text for each in read if each.get("id")}
    assert [named[each] for each in (read.get("aria-labelledby") or "").split()] == [
        "A <title>",
        'What is "seen".',
    ]
    assert read.get("viewBox") == "0 0 520 300"
    assert (read.get("width"), read.get("style")) == ("100%", "max-width:520px")
    assert "height" not in read.attrib  # which follows from the width


def test_a_file_of_its_own_brings_its_style_and_its_paper() -> None:
    text = Picture("a", "t", "d", 20, 10, "<g/>").standalone()
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<svg ')
    read = ET.fromstring(text)
    assert read.tag == f"{SVG}svg"
    assert read.findtext(f"{SVG}style") == STYLE
    assert [each.tag for each in read][-2:] == [f"{SVG}rect", f"{SVG}g"]


def palettes() -> list[dict[str, str]]:
    found = re.findall(r"\{(--ink:[^}]*)\}", STYLE)
    return [dict(re.findall(r"--(\w+):(#\w+)", each)) for each in found]


def luminance(colour: str) -> float:
    """Return the relative luminance as WCAG 2.2 defines it."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_colours_stand_out_from_light_and_dark_paper() -> None:
    light, *dark = palettes()
    assert len(dark) == 2  # for those who want it dark, and where the page says so
    assert dark[0] == dark[1]
    for palette in (light, dark[0]):
        assert set(palette) == set(PROPERTIES)
        for name in ("ink", "faint", "accent", "bad", "mark"):
            assert contrast(palette[name], palette["paper"]) >= 4.5, name
        for names in (("good1", "good2", "good3"), ("bad1", "bad", "bad3")):
            shades = [contrast(palette[name], palette["paper"]) for name in names]
            assert shades[0] >= 3
            assert shades[1] / shades[0] > 1.5
            assert shades[2] / shades[1] > 1.5


def test_every_class_that_is_drawn_has_a_style() -> None:
    report = made_report(tests=TESTS)
    used = {
        name
        for make in ALL
        for picture in make(report)
        for each in drawn(picture).iter()
        for name in each.get("class", "").split()
    }
    assert used
    assert {f".{name}" for name in used} <= set(re.findall(r"\.[a-z]\w*", STYLE))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(hostile, min_size=2, max_size=4, unique=True),
    st.lists(hostile, min_size=1, max_size=2, unique=True),
    st.sampled_from(["two-sided", "better", "worse"]),
    st.booleans(),
)
@example(["a b", "A-b", "a_b", "<a>"], ["m:x=1", "m x 1"], "two-sided", False)
def test_whatever_the_names_pictures_are_well_formed(
    names: list[str], metrics: list[str], alternative: str, with_baseline: bool
) -> None:
    baseline = names[0] if with_baseline else None
    scores = made_scores(names, metrics, units=500)
    report = made_report(scores, alternative=alternative, baseline=baseline, trials=20)
    pictures = [picture for make in ALL for picture in make(report)]
    assert len({picture.name for picture in pictures}) == len(pictures)
    for picture in pictures:
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,79}", picture.name)
        for root in (drawn(picture), ET.fromstring(picture.inline())):
            tags = {each.tag.removeprefix(SVG) for each in root.iter()}
            assert tags <= {"svg", "title", "desc", "style", "rect", "path", "circle", "text", "g"}
        assert picture.title == visible(picture.title)  # a heading breaks nothing
        assert picture.description
    forest = pictures[0]
    labels = [readable(name) for name in names]
    titles = [each.text or "" for each in drawn(forest).iter(f"{SVG}title")]
    assert all(any(t.startswith(f"{label}: ") for t in titles) for label in labels)  # whole names


def test_without_evidence_there_is_nothing_to_draw_from_it() -> None:
    report = made_report()
    bare = CompareReport(replace(report.result, details=None))
    for make in (histograms, length_plots, sweep_plots):
        assert make(bare) == []
    for make in set(ALL) - {histograms, length_plots, sweep_plots}:
        assert make(bare) == make(report)


@pytest.mark.parametrize("value", [50.0, 0.0, -3.0, 1e-300, 1e17])
def test_systems_that_are_all_alike_are_drawn(value: float) -> None:
    scores = {"bleu": {name: [value] * 500 for name in NAMES}}
    report = made_report({**scores, "chrf": scores["bleu"]}, tests=TESTS, trials=20)
    for make in ALL:
        for picture in make(report):
            drawn(picture)


def test_a_name_is_safe_and_told_apart_by_its_number() -> None:
    assert name_of("heat", 3, "bleu", "randomization", None) == "heat-3-bleu-randomization"
    assert name_of("heat", 3, "../..", "日本") == "heat-3"
    assert len(name_of("heat", 3, "x" * 500)) == 80


value = st.floats(-1e9, 1e9)
some = st.lists(st.one_of(value, st.floats(-1e-9, 1e-9), st.floats(-1e150, 1e150)), min_size=1)


@given(some, st.floats(0, 100), st.floats(200, 600), st.floats(0, 0.2))
@example([5.0], 0, 100, 0.05)
@example([0.0, -0.0], 0, 100, 0.05)
@example([1e17, 1e17 + 16], 0, 100, 0.0)
def test_values_stand_in_order_between_the_ends(
    values: list[float], start: float, stop: float, margin: float
) -> None:
    scale = Scale.over(values, start, stop, margin)
    places = [scale(each) for each in sorted(values)]
    assert all(start - 1e-6 <= each <= stop + 1e-6 for each in places)
    assert all(one <= other + 1e-6 for one, other in pairwise(places))


@given(value, value, st.floats(0, 1))
def test_the_map_is_linear(low: float, high: float, share: float) -> None:
    assume(high - low > 1e-3 * max(abs(low), abs(high), 1e-9))
    scale = Scale(low, high, 300.0, 20.0)  # upwards
    assert scale(low) == 300
    assert math.isclose(scale(high), 20, abs_tol=1e-9)
    assert math.isclose(scale(low + share * (high - low)), 300 - 280 * share, abs_tol=1e-6)


@given(some, st.integers(2, 9))
@example([0.0, 1.0], 5)
@example([21.7, 37.5], 6)
@example([-1e-7, 3e-7], 4)
@example([1e-300, 0.0], 4)
@example([1e8, 1e8 + 1], 4)
def test_ticks_are_round_and_equally_far_apart(values: list[float], most: int) -> None:
    scale = Scale.over(values, 0, 100)
    ticks = scale.ticks(most)
    assert len(ticks) <= most
    span = scale.high - scale.low
    for place, text in ticks:
        assert scale.low - 1e-9 * span <= place <= scale.high + 1e-9 * span
        size = max(abs(scale.low), abs(scale.high))
        assert math.isclose(float(text), place, rel_tol=1e-5, abs_tol=1e-5 * size)
    if len(ticks) < 2:
        return
    steps = [other - one for (one, _), (other, _) in pairwise(ticks)]
    assert all(math.isclose(step, steps[0], rel_tol=1e-3) for step in steps)
    power = 10.0 ** math.floor(math.log10(steps[0] * 1.0001))
    assert any(math.isclose(steps[0] / power, digit, rel_tol=1e-3) for digit in (1, 2, 5))


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(4, 9))
def test_there_are_enough_ticks(low: float, span: float, most: int) -> None:
    # A step is at most 2.5 times the one before, so that not much more than a third is lost.
    assert len(Scale(low, low + span, 0, 100).ticks(most)) >= max(1, math.floor(most / 2.5) - 1)


def test_ticks_as_people_make_them() -> None:
    found = Scale(21.0, 38.2, 0, 100).ticks(6)
    assert found == [(25.0, "25"), (30.0, "30"), (35.0, "35")]
    found = Scale(-0.3, 0.31, 0, 100).ticks(5)
    assert [text for _, text in found] == ["-0.2", "0.0", "0.2"]


def test_what_is_no_number_has_no_place() -> None:
    assert drawable(0, -1e9)
    for bad in (math.nan, math.inf, -math.inf, 1e308):
        assert not drawable(1.0, bad)


def test_bars_of_every_kind_have_a_colour() -> None:
    package = Path(report.__file__).parent
    sources = (path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    classes = set(re.findall(r'\bKind\(f?".*", "(\w+)"', "\n".join(sources)))
    assert "bad2" in classes
    assert not {each for each in classes if not re.search(rf"\.{each}[,{{]", STYLE)}
