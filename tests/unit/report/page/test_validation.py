"""The pages of `weigh validate`."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from unit.report.page.documents import Document
from unit.report.studies import KINDS, NAMES, of_accuracy, of_power, of_type1
from weigh.report.page import accuracy_page, power_page, samples_page, type1_page
from weigh.report.restored import restore
from weigh.stats.proportion import Proportion

PAGES = {
    "validate accuracy": accuracy_page,
    "validate samples": samples_page,
    "validate type1": type1_page,
    "validate power": power_page,
    "validate power of judgments": power_page,
}
kinds = pytest.mark.parametrize("kind", PAGES)


def made(kind: str, seed: int = 2) -> tuple[Any, str]:
    report = KINDS[kind][0](seed)
    return report, PAGES[kind](report)  # type: ignore[operator]


@kinds
@pytest.mark.parametrize("seed", [0, 1])
def test_page_is_whole_and_needs_nothing(kind: str, seed: int) -> None:
    report, html = made(kind, seed)
    read = Document(html)
    assert list(read.scripts) == ["data", None]
    assert re.findall(r"(?:https?:)?//[\w.]+|url\(|@import", re.sub("<script.*", "", html)) == []
    assert len(read.ids()) == len(set(read.ids()))
    links = [value for _, name, value in read.attributes if name == "href" and value is not None]
    assert {link.removeprefix("#") for link in links} <= set(read.ids())
    assert json.loads(read.scripts["data"]) == json.loads(KINDS[kind][1].as_json(report))
    assert "equal" not in " ".join(read.texts).replace("equal systems", "").replace(
        "equal by construction", ""
    )


@kinds
def test_page_reads_back_as_the_same_page(kind: str) -> None:
    _, html = made(kind)
    saved = restore(html, "page.html")
    assert saved.page is not None
    assert saved.page(saved.report) == html


@kinds
def test_names_are_text(kind: str) -> None:
    _, html = made(kind, 3)
    body = re.sub("<script.*", "", html)
    assert NAMES[0] not in body
    assert kind.endswith("type1") or "&lt;A&gt;" in body


def test_the_summary_tells_who_agrees_most_and_least() -> None:
    report = of_accuracy(2)
    counts = [
        one.accuracy.count for one in report.result.same_level.agreements if one.alpha == 0.05
    ]
    text = " ".join(Document(accuracy_page(report)).texts)
    assert re.search(rf"most often as [^:]*: {max(counts)} of 3 pairs \(", text)
    assert (min(counts) < max(counts)) == ("least often as" in text)


@pytest.mark.parametrize("rejected", [0, 20])
def test_the_summary_counts_rates_above_the_level(rejected: int) -> None:
    report = of_type1(1)
    changed = [replace(one, found=Proportion(rejected, 20)) for one in report.result.rejections]
    report = replace(report, result=replace(report.result, rejections=tuple(changed)))
    text = " ".join(Document(type1_page(report)).texts)
    kinds, alphas = 3 * 4, 2
    found = f"{kinds * alphas} are" if rejected else "none is"
    assert f"up: of 24 rejection rates of sound tests, {found} above the level by more" in text
    assert f"95% for all {len(changed)} shares of the study together" in text
    assert f"the flawed formulas reject: moses-bs {5 * rejected}.0%" in text


def test_a_pilot_without_a_difference() -> None:
    report = of_power(1)
    bare = replace(report, result=replace(report.result, needs=()))
    text = " ".join(Document(power_page(bare)).texts)
    assert "up: the pilot shows no difference; --detect tells" in text
