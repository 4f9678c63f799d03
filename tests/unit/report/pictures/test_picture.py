from __future__ import annotations

import re

from weigh.report.pictures.picture import STYLE, name_of

PROPERTIES = (
    *("ink", "faint", "line", "paper", "accent", "mark"),
    *("good1", "good2", "good3", "bad1", "bad", "bad3"),
)


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


def test_a_name_is_safe_and_told_apart_by_its_number() -> None:
    assert name_of("heat", 3, "bleu", "randomization", None) == "heat-3-bleu-randomization"
    assert name_of("heat", 3, "../..", "日本") == "heat-3"
    assert len(name_of("heat", 3, "x" * 500)) == 80
